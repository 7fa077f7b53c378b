/* The options of reconstruct-bench. */
#include "bench/bench.h"

/* The problems that an option is for, numbered as --problem names them. */
#define LADDER (1u << 0)
#define PLATE (1u << 1)
#define COURSE (1u << 2)

const option_row bench_option_rows[BENCH_OPTIONS] = {
    [BENCH_ITERATIONS] = {"iterations", 'n', OPTION_COUNT, "N", 0, OPTION_MOST_COUNT,
        LADDER | PLATE, 0,
        "the plate: at most N iterations, such as 5000, 1e6 or 10k (1000); with -o exactly N"},
    [BENCH_SOLVER] = {"solver", 's', OPTION_TEXT, "NAME", 0, 0, PLATE, 0,
        "the plate: its solver (auto), one that `reconstruct --help` lists"},
    [BENCH_KERNEL] = {"kernel", 0, OPTION_TEXT, "NAME", 0, 0, PLATE, 0,
        "the plate: a kernel of the solver (default: the solver chooses)"},
    [BENCH_DEVICE] = {"device", 'd', OPTION_TEXT, "NUMBER,...|all", 0, 0, BENCH_ALL, 0,
        "the CUDA device (0), or several that share an image; `reconstruct devices` lists the "
        "devices"},
    [BENCH_SLABS] = {"slabs", 0, OPTION_COUNT, "S", 1, 1e6, BENCH_ALL, 0,
        "cut the image into S slabs of rows (one for each device); the result is the same, bit "
        "for bit"},
    [BENCH_PROBLEM] = {"problem", 0, OPTION_CHOICE, "ladder|plate|convolution", 0, 0, BENCH_ALL, 0,
        "the ladder of kernels (default), the plate of NVIDIA's tutorial with any solver (-s), or "
        "a course on convolution"},
    [BENCH_RADII] = {"radius", 0, OPTION_TEXT, "RADIUS,...", 1, 31, COURSE, 0,
        "the course: radii of its stencil (2,3,5); 2 is 5 x 5"},
    [BENCH_COURSE_REFERENCE] = {"reference", 0, OPTION_TEXT, "FILE", 0, 0, COURSE, 0,
        "the course: check against this file (float32 without a header)"},
    [BENCH_CREATE_REFERENCE] = {"create-reference", 0, OPTION_TEXT, "FILE", 0, 0, COURSE, 0,
        "the course: write that file, and measure nothing"},
    [BENCH_SIZE] = {"size", 0, OPTION_TEXT, "N|WxH,...", 1, 1 << 17, BENCH_ALL, 0,
        "image sizes, separated by commas (2048; plate: 64; convolution: 4096)"},
    [BENCH_RUNGS] = {"rungs", 0, OPTION_TEXT, "LIST", 0, 0, LADDER | COURSE, 0,
        "rungs to run, such as 3,5-8,swap,shipped (all); with --mine, mine runs no others"},
    [BENCH_BLOCKS] = {"blocks", 0, OPTION_TEXT, "CxR,...", 1, 1024, LADDER, 0,
        "shapes of a block in threads, for the rung that tries several"},
    [BENCH_GRID] = {"grid", 0, OPTION_TEXT, "CxR", 1, 1 << 17, LADDER, 0,
        "blocks of the grid, for the rung with a fixed grid (8 a multiprocessor)"},
    [BENCH_TIME] = {"time", 0, OPTION_NUMBER, "SECONDS", 0, 3600, LADDER, 0,
        "time to measure each rung (0.5)"},
    [BENCH_JSON] = {"json", 0, OPTION_TEXT, "FILE", 0, 0, LADDER | COURSE, 0,
        "write the results, which docs/ladder.py draws and compares; - is stdout"},
    [BENCH_MINE] = {"mine", 0, OPTION_TEXT, "FILE.cu|FILE.c", 0, 0, LADDER, 0,
        "compile your own function step(), check it bit for bit, and time it between the rungs "
        "(docs/course.md)"},
    [BENCH_PICTURE] = {"output", 'o', OPTION_TEXT, "FILE", 0, 0, LADDER, 0,
        "with --mine: let it make the castle of its edges, by -n iterations, instead of timing it"},
    [BENCH_EXERCISE_OF] = {"exercise", 0, OPTION_TEXT, "N", 0, 0, LADDER, 0,
        "with --mine: whether it reaches the goal of this exercise of docs/course.md"},
    [BENCH_HINTS] = {"hint", 0, OPTION_COUNT, "K", 1, 2, LADDER, 0,
        "with --exercise: print its first K hints"},
    [BENCH_HELP] = {"help", 'h', OPTION_FLAG, NULL, 0, 0, BENCH_ALL, 0, "print this text"},
    [BENCH_VERSION] = {"version", 'V', OPTION_FLAG, NULL, 0, 0, BENCH_ALL, 0, "print the version"},
};

const option_set bench_options = {.rows = bench_option_rows, .count = BENCH_OPTIONS};
