/* The exercises of docs/course.md: a row each, and what is said of one. */
#include <string.h>

#include "bench/bench.h"

/* A row of neighbours is 26 bytes an update in sectors, a tile 15, two iterations on one 9. */
static const bench_exercise exercises[] = {
    {"H1", "step", "loops that follow memory", 1, {0.5, 0.9, 1.2}, 0,
     {"a row's pixels are neighbours in memory: which of the two loops should be the inner one?",
      "exchange the two `for`, and nothing else"}},
    {"H4", "step", "rows for all cores, of which two or more must be idle", 1, {1.5, 3, 6}, 0,
     {"every row can be made without the others: `#pragma omp parallel for`",
      "above the loop over the rows, not above the inner one; first the loops of H1"}},
    {"H5", "steps", "several iterations while the rows are in the cache", 1, {1.8, 3, 6}, 0,
     {"row y of iterate t + 1 needs rows y - 1 to y + 1 of iterate t: it can follow a row behind",
      "keep three rows of each iterate; for each y: iterate 1 at row y, iterate 2 at y - 1, ..."}},
    {"2", "step", "neighbouring threads have neighbouring pixels", 8, {0.8, 0.92, 0.98}, 40,
     {"what differs between two threads of a warp: x or y? Which one should?",
      "a thread a column: x from the thread's number, and the loop over y"}},
    {"3", "step", "a thread a pixel", 0, {0.2, 0.4, 0.5}, 40,
     {"no loop: x from blockIdx.x and threadIdx.x, y from blockIdx.y and threadIdx.y",
      "dim3 threads(16, 16), and as many blocks as cover the image: rounded up"}},
    {"4", "step", "the shape of a block", 0, {0.45, 0.52, 0.57}, 30,
     {"a warp is 32 threads along x, as long as a row of the block has them",
      "whole warps along a row, and some 256 threads: 64 x 4"}},
    {"5", "step_norm", "a norm with every iteration", 14, {0.02, 0.5, 0.8}, 40,
     {"an atomicAdd for each thread is right, and slow: how few can there be?",
      "add up a block's squares in __shared__ double, by half of the threads in each round, with a "
      "barrier before it; then one atomicAdd a block"}},
    {"6", "step", "a tile in shared memory", 12, {0.5, 0.8, 0.95}, 20,
     {"the block's pixels and a cell around them: tile[ROWS + 2][COLUMNS + 2]",
      "a thread loads its pixel, at a side of block or image one cell more; then __syncthreads()"}},
    {"9", "steps", "several iterations in one pass", 10, {1, 1.5, 2}, 14,
     {"a block loads its tile with 2 cells around, and makes the first iteration with 1 around",
      "tiles overlap by 4 cells; those outside of the image keep the halo's value; an odd n?"}},
};

rec_status bench_exercise_find(const char *name, const bench_exercise **found, rec_error *error)
{
    for (size_t i = 0; i < sizeof exercises / sizeof *exercises; i++)
        if (!strcmp(exercises[i].name, name)) {
            *found = &exercises[i];
            return REC_OK;
        }
    return rec_fail(error, REC_USAGE,
                    "--exercise %s: must be H1, H4, H5, 2, 3, 4, 5, 6, or 9; other lessons ask "
                    "questions", name);
}

void bench_exercise_judge(const bench_settings *settings, double share, double bytes, double spread)
{
    const bench_exercise *exercise = settings->exercise;
    const double *stars = exercise->stars;
    const int count = (share >= stars[0]) + (share >= stars[1]) + (share >= stars[2]);
    const int reached = bytes > 0 ? bytes <= exercise->bytes : count > 0;
    FILE *table = settings->table;
    char measure[16] = "a copy";
    if (exercise->rung)
        snprintf(measure, sizeof measure, "rung %d", exercise->rung);
    fprintf(table, "\nexercise %s, %s:\n", exercise->name, exercise->task);
    if (spread > BENCH_BUSY) {
        fputs("the machine is busy, so no goal is judged\n", table);
        return;
    }
    if (bytes > 0)
        fprintf(table, "%.1f bytes an update in the sectors of its requests; without a GPU the "
                "goal is %g: ", bytes, exercise->bytes);
    else if (share > 0)
        fprintf(table, "%.2f of the speed of %s; a star each from %g, %g and %g: %.*s%s", share,
                measure, stars[0], stars[1], stars[2], count, "***", count ? ", " : "");
    fprintf(table, "the goal is %sreached\n", reached ? "" : "not ");
    if (!settings->hints && count < 3 && !(bytes > 0 && reached))
        fputs("--hint 1 and --hint 2 tell how.\n", table);
}
