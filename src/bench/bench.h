/* The program reconstruct-bench: a ladder of kernels, checked and timed; a tutorial's plate. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/ladder/ladder.h"
#include "problem/operator.h"
#include "cli/program.h"
#include "solver/solver.h"

/* ---- the command line: bench_options.c, bench_settings.c ---- */

typedef enum bench_option {
    BENCH_ITERATIONS, BENCH_SOLVER, BENCH_KERNEL, BENCH_DEVICE, BENCH_SLABS, BENCH_PROBLEM,
    BENCH_RADII, BENCH_COURSE_REFERENCE, BENCH_CREATE_REFERENCE, BENCH_SIZE, BENCH_RUNGS,
    BENCH_BLOCKS, BENCH_GRID, BENCH_TIME, BENCH_JSON, BENCH_MINE, BENCH_PICTURE, BENCH_EXERCISE_OF,
    BENCH_HINTS, BENCH_HELP, BENCH_VERSION, BENCH_OPTIONS
} bench_option;

/* Their commands are the problems that they are for: bits (1 << number of a word of --problem). */
#define BENCH_ALL 7u
extern const option_row bench_option_rows[BENCH_OPTIONS];
extern const option_set bench_options;

rec_status bench_execute(const command_line *line, rec_error *error);

typedef struct bench_size {
    size_t width, height; /* pixels; of a block: threads; both a radius of the course's stencil */
} bench_size;

enum { BENCH_MOST_RUNGS = 64, BENCH_MOST_SIZES = 32 };

typedef struct bench_sizes {
    bench_size at[BENCH_MOST_SIZES];
    size_t count;
} bench_sizes;

typedef enum bench_problem {
    BENCH_LADDER, /* the five-point update: rungs 1 to 49 and 80 on; its exact picture: 70, 71,
                      with a mask 76, 77 */
    BENCH_COURSE  /* the course on convolution: rungs 50 to 66 */
} bench_problem;

/* --rungs: numbers, ranges (5-8), names and groups, separated by commas; NULL: all. Sets
 * chosen[index] = 1; "mine" chooses none. REC_USAGE with the unknown part. */
rec_status bench_parse_rungs(bench_problem problem, const char *text,
                             unsigned char chosen[BENCH_MOST_RUNGS], rec_error *error);
/* N or WxH, separated by commas: at most `most`, with sides in the bounds of the option's row. */
rec_status bench_parse_sizes(bench_option option, const char *text, size_t most, bench_sizes *list,
                             rec_error *error);

/* What is to be written, and how fast it should be. */
typedef struct bench_exercise {
    const char *name;     /* of its lesson; on a processor with an H */
    const char *function; /* of rec_ladder_mine */
    const char *task;
    int rung;         /* whose speed is the measure; 0: that of a copy, 12 bytes an update */
    double stars[3];  /* shares of that */
    double bytes;     /* the goal where no GPU is: bytes an update in the sectors of its requests */
    const char *hints[2];
} bench_exercise;

typedef struct bench_settings {
    bench_problem problem;
    bench_sizes radii;           /* of the course's stencil; increasing. Of the ladder one, 0 */
    const char *reference;       /* the course's reference file to check against, NULL: none */
    const char *new_reference;   /* where to write one instead of measuring, NULL: nowhere */
    bench_sizes sizes, blocks;   /* blocks: for the rung that tries several */
    bench_sizes grid;            /* blocks, for the rung with a fixed grid; none: its choice */
    unsigned char chosen[BENCH_MOST_RUNGS]; /* 1: this rung, by its index */
    double seconds;              /* for each rung */
    rec_solver_options place;    /* devices and slabs; only the shipped solvers use several */
    const char *json;            /* an output, NULL: none; - is stdout */
    const char *mine;            /* a library with the user's own step, NULL: none */
    const char *picture;         /* what it makes, instead of being timed; NULL: nothing */
    uint64_t iterations;         /* by which it does */
    const bench_exercise *exercise; /* that it is for, NULL: none */
    size_t hints;                /* of it, to be printed */
    FILE *table;
} bench_settings;

/* Checks and times the chosen rungs, prints the table line by line, writes the files. REC_NO where
 * a rung is wrong, REC_UNAVAILABLE where none of them works on this machine. */
rec_status bench_ladder(const bench_settings *settings, rec_error *error);

/* ---- the problem of one size, and the expected result of each kind of rung: ladder_case.c ---- */

/* What a rung's result must be, word for word. */
typedef enum bench_check {
    BENCH_STENCIL,  /* the reference solver's iterate */
    BENCH_EXERCISE, /* the iterate by the exercise's own order of additions */
    BENCH_COPY,     /* the start */
    BENCH_SUM,      /* edges plus terms, their words added as integers */
    BENCH_CONVOLUTION, /* the course's, within its tolerance */
    BENCH_CHECKS
} bench_check;

/* The iterations of a check: an odd number, so that both iterates are examined. Deep rungs are
 * checked after more, so that the deepest blocking and a remainder are included. */
enum { BENCH_FEW = 3, BENCH_MANY = 35 };

typedef struct bench_case {
    size_t width, height;
    float halo;      /* the course has 0 */
    size_t radius;   /* of the filter; 0: the ladder's problem */
    size_t ignored;  /* pixels at the border that are not compared */
    rec_operator filter; /* weights 0.1 * row + 0.2 * column over 2 radius + 1 rows and columns */
    rec_image edges; /* E; of the course the input */
    rec_image start; /* without samples: E */
    rec_image terms; /* f, of the ladder alone */
    uint32_t *expected[BENCH_CHECKS][2]; /* after FEW and after MANY; NULL: not worked out yet */
    double squares[2]; /* sum of squared changes of the reference's last iteration, likewise */
    const rec_ladder_mine *mine; /* NULL: none */
} bench_case;

/* Of an owned variable. E: of the ladder integers from -1020 to 1020, with a halo of 17.25, which
 * never stand still; of the course width * row + column or, with `noise`, integers 0 to 255. */
rec_status bench_case_create(bench_case *made, bench_size size, size_t radius, int noise,
                             rec_error *error);
void bench_case_destroy(bench_case *made);
#define bench_owned_case REC_OWNED(bench_case_destroy) bench_case

static inline const rec_image *bench_case_start(const bench_case *problem)
{
    return problem->start.data ? &problem->start : &problem->edges;
}

/* Of an iterate the pixel in row y and column x, from 1 on; the halo around it. */
static inline float bench_cell(const bench_case *problem, const float *m, size_t y, size_t x)
{
    return y - 1 < problem->height && x - 1 < problem->width ? m[(y - 1) * problem->width + x - 1]
                                                             : problem->halo;
}

/* The expected words, width * height; computed once. */
rec_status bench_case_expect(bench_case *problem, bench_check check, int many,
                             const uint32_t **words, rec_error *error);

/* The course's reference file: width * height float32 without a header, in the machine's byte
 * order. What it says is expected, but for the border as wide as the stencil reaches: the course's
 * own loops leave it 0. REC_BAD_INPUT for a file of another size. */
rec_status bench_case_read(bench_case *problem, const char *path, rec_error *error);
rec_status bench_case_write(bench_case *problem, const char *path, rec_error *error);

/* ---- a rung is a row of a table: set-up, run, result ---- */

typedef struct bench_rung bench_rung;

typedef struct bench_type {
    const char *group; /* "cpu", "gpu", "shipped": the name of all rungs of the group in --rungs */
    /* *state is NULL at first. Unless it stays NULL the caller destroys it, also after failures. */
    rec_status (*create)(void **state, const bench_rung *rung, const bench_case *problem,
                         rec_ladder_block block, const rec_solver_options *place, rec_error *error);
    /* Does n iterations and waits for them. On the host only the seconds of *launch are set. */
    rec_status (*advance)(void *state, uint64_t n, rec_ladder_launch *launch, rec_error *error);
    /* *squares: the sum of squared changes of the last iteration; NULL for rungs without a norm. */
    rec_status (*read)(void *state, void *words, double *squares, rec_error *error);
    void (*destroy)(void *state);
} bench_type;

struct bench_rung {
    int number;
    int from;        /* the number of the rung that this rung changes; 0: none */
    const char *name, *idea;
    bench_check check;
    double bytes;    /* that an update moves in the memory of its side, by the kernel's own count;
                        0: not counted */
    unsigned batch;  /* iterations that are timed together, as a multiple of `batch`; above 1 it is
                        checked after BENCH_MANY */
    rec_ladder_block block; /* of threads, where it can be chosen; else 0 */
    unsigned device : 1; /* works on the GPU */
    unsigned sweeps : 1; /* timed once for every block that is asked for */
    unsigned norm : 1;   /* makes the sum of squared changes in every iteration */
    unsigned asked : 1;  /* only where --rungs names it */
    unsigned base : 1;   /* the column CPU compares with this rung */
    const bench_type *type;
    const void *way; /* the rung's data, for its type */
};

/* The tables; each ends with a number 0. Empty in a build without CUDA: those of the GPU. */
extern const bench_rung bench_cpu_rungs[], bench_gpu_rungs[], bench_shipped_rungs[],
    bench_step_rungs[], bench_course_cpu_rungs[], bench_course_gpu_rungs[],
    bench_course_shipped_rungs[];

/* Rung 0.. of the problem, NULL behind the last. */
const bench_rung *bench_rung_at(bench_problem problem, size_t index);

/* ---- the machine that they run on: machine.c ---- */

typedef struct bench_machine {
    char host[128];
    double host_copy;         /* bytes read and written a second by all threads of the host */
    int has_device;
    size_t devices, slabs;    /* for the shipped solvers; 0: one */
    char no_device[256];      /* the reason, without a device */
    rec_ladder_device device;
    double peak;              /* updates a second, if every lane did nothing but the update's three
                                 instructions: lanes * multiprocessors * measured clock / 3 */
} bench_machine;

/* Looks for a device only if want_device; to have none is no failure. Measures the host's copy for
 * `seconds`, but at least once. */
rec_status bench_machine_look(bench_machine *machine, int want_device, int device, double seconds,
                              rec_error *error);

/* Of a copy in the memory in which the rung works. */
static inline double bench_copy_rate(const bench_machine *machine, const bench_rung *rung)
{
    return rung->device ? machine->device.copy_rate : machine->host_copy;
}

/* ---- one rung at one size, checked and then timed: measure.c ---- */

typedef struct bench_result {
    const bench_rung *rung;
    char label[48];    /* the rung's name, with the block where several were tried */
    size_t width, height;
    enum { BENCH_TIMED, BENCH_WRONG, BENCH_SKIPPED } outcome;
    char reason[512];  /* if it is not timed */
    size_t samples;
    uint64_t iterations; /* of each sample */
    double median, mean, minimum, maximum; /* seconds an iteration */
    size_t radius;       /* of the filter; 0: the ladder's problem */
    rec_ladder_launch launch; /* the last one */
    /* Speed over that of the rung that it changes (best block), and of the base rung; 0: none. */
    double before, cpu;
} bench_result;

/* Checks the rung, and when it is right, times it for about `seconds`; below 0: no times. A wrong
 * result is an outcome, not an error; a status other than REC_OK is the machine's or a signal's. */
rec_status bench_measure(const bench_rung *rung, bench_case *problem, rec_ladder_block block,
                         const rec_solver_options *place, double seconds, bench_result *result,
                         rec_error *error);

/* The norm's sum: n positive numbers added in any order are within n roundings. */
static inline int bench_norm_fits(double found, double right, size_t pixels)
{
    return fabs(found - right) <= 2 * ((double)pixels + 1) * 0x1p-53 * right;
}

/* Floating-point operations of a pixel: an update's five, or two for each weight. */
static inline double bench_operations(const bench_result *result)
{
    const double side = 2 * (double)result->radius + 1;
    return result->radius ? 2 * side * side : 5;
}

static inline double bench_rate(const bench_result *result) /* updates a second */
{
    return (double)result->width * (double)result->height / result->median;
}

/* ---- what a ladder gives ---- */

typedef struct bench_report {
    bench_machine machine;
    bench_result *results;
    size_t count;
} bench_report;

/* ladder_table.c: for people. What the columns mean is for --help, too. */
void bench_explain_columns(FILE *stream, bench_problem problem);
void bench_print_machine(FILE *stream, const bench_machine *machine);
void bench_print_head(FILE *stream, const bench_case *problem);
void bench_print_result(FILE *stream, const bench_result *result, const bench_machine *machine);
char *bench_format_seconds(char text[32], double seconds);

/* ladder_json.c: for programs. */
rec_status bench_write_json(const char *path, const bench_report *report, rec_error *error);

/* ---- `--mine`, a function of the user's own as a rung: mine.c, mine_check.c ---- */

/* --mine: compiles the file and runs this program again with the library in its place and the other
 * options given, in a process that may crash or hang. Returns its exit code, with an empty message
 * if it printed its own; REC_UNAVAILABLE without a compiler, REC_BAD_INPUT if that refuses. */
rec_status bench_mine_run(const char *path, const bench_exercise *exercise,
                          const option_value *given, rec_error *error);

/* Beside the library, in C: the one that is watched; and a file that this program removes when it
 * ends: the function has not ended it, then. */
#define BENCH_WATCHED "%.4200s-watched"
#define BENCH_RUNNING "%.4200s-running"

/* Loads a compiled one into this process, where it stays. REC_BAD_INPUT. */
rec_status bench_mine_load(rec_ladder_mine *mine, const char *library,
                           const bench_exercise *exercise, rec_error *error);

extern const bench_rung bench_mine_host, bench_mine_device;

/* Steps of the result's rung on images of odd sizes; says what is wrong, a device's fault, too. */
rec_status bench_mine_check(const rec_ladder_mine *mine, const rec_solver_options *place,
                            bench_result *result, rec_error *error);

/* Writes the picture that it makes of the edges of the sample, as the settings say. */
rec_status bench_mine_picture(const bench_rung *rung, const rec_ladder_mine *mine,
                              const bench_settings *settings, rec_error *error);

/* exercises.c; REC_USAGE for a name that there is not. */
rec_status bench_exercise_find(const char *name, const bench_exercise **found, rec_error *error);
/* Says whether its goal is reached: as a share of its measure or, where `bytes` are above 0, by
 * these; both 0: it is wrong, or its measure was not timed. Above BENCH_BUSY, the times' spread
 * (as a share of the median) is too large for a verdict. */
void bench_exercise_judge(const bench_settings *settings, double share, double bytes,
                          double spread);
#define BENCH_BUSY 0.5

/* Planes: what a step was made from, what `out` held, what came out, again, and what is right. */
enum { MINE_EDGES, MINE_IN, MINE_HELD, MINE_FOUND, MINE_AGAIN, MINE_RIGHT, MINE_PLANES };

typedef struct bench_mine_look {
    const bench_case *problem;
    int step;     /* from 1 on; those before were right */
    uint64_t together; /* steps of the last call */
    double squares[2]; /* the norm's sum, and in a second run */
    double right, before; /* what it should be, and all sums of steps before */
    size_t first; /* wrong pixel */
    int blocks;   /* it is a .cu file */
    float *planes[MINE_PLANES]; /* width * height cells each */
} bench_mine_look;

/* mine_mistakes.c: works out what is right so many steps later, and compares; the norm, too. */
int bench_mine_differs(bench_mine_look *at, uint64_t together, int norm);
/* Says in *result what is wrong, and which mistake does that. */
void bench_mine_judge(bench_mine_look *at, bench_result *result);

/* ---- the plate ---- */

/* NVIDIA's tutorial on Jacobi's method: a square plate of side * side cells on any solver. Prints
 * the norm of every 25th iteration and the result. side >= 3. REC_NO where `most` iterations were
 * not enough; REC_USAGE for a solver that jumps: it has no norm of a change. */
rec_status bench_plate(size_t side, uint64_t most, const rec_solver_type *type,
                       const rec_solver_options *options, rec_error *error);
