/* The rungs of the GPU: what kernels/ladder has, as a table. */
#include "bench/rung.h"

#if REC_HAVE_CUDA

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/ladder/ladder.h"

typedef struct way {
    rec_ladder_rung *rung;
    rec_ladder_memory memory;
} way;

typedef struct gpu {
    rec_ladder_rung *rung;
    rec_planes *planes;
} gpu;

/* ---- the type ---- */

static void destroy(void *state)
{
    gpu *made = state;
    rec_planes_destroy(made->planes);
    free(made);
}

/* The summands of the integer matrices, in place of start and edge term. */
static rec_status make_summands(const bench_case *problem, int32_t **both, rec_error *error)
{
    const size_t pixels = problem->width * problem->height;
    void *memory;
    const rec_status status =
        rec_allocate(&memory, 2 * pixels, sizeof **both, "two matrices", error);
    if (status)
        return status;
    *both = memory;
    for (size_t i = 0; i < pixels; i++) {
        (*both)[i] = bench_first_summand(i);
        (*both)[pixels + i] = bench_second_summand(i);
    }
    return REC_OK;
}

static rec_status create(void **state, const bench_rung *rung, const bench_case *problem,
                         bench_block block, const rec_solver_options *place, rec_error *error)
{
    const way *of = rung->way;
    gpu *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for a rung");
    made->rung = of->rung;
    rec_ladder_problem asked = {
        .width = problem->width,
        .height = problem->height,
        .stride = problem->edges.stride,
        .m = problem->edges.data,
        .f = problem->terms.data,
        .halo = problem->halo,
        .block_columns = block.columns,
        .block_rows = block.rows,
        .grid_columns = block.grid_columns,
        .grid_rows = block.grid_rows,
        .device = place->devices[0],
        .memory = of->memory,
    };
    int32_t *summands = NULL;
    rec_status status = REC_OK;
    if (rung->check == BENCH_SUM) {
        status = make_summands(problem, &summands, error);
        asked.stride = problem->width;
        asked.m = summands;
        asked.f = summands ? summands + problem->width * problem->height : NULL;
    }
    if (!status)
        status = rec_planes_create(&made->planes, &asked, error);
    rec_free(summands);
    if (status)
        destroy(made);
    else
        *state = made;
    return status;
}

static rec_status advance(void *state, uint64_t n, double *seconds, rec_error *error)
{
    gpu *made = state;
    return rec_planes_advance(made->planes, made->rung, n, seconds, error);
}

static rec_status read_back(void *state, void *words, rec_error *error)
{
    return rec_planes_read(((gpu *)state)->planes, words, error);
}

static rec_status squares(void *state, double *sum, rec_error *error)
{
    return rec_planes_squares(((gpu *)state)->planes, sum, error);
}

static void get_launch(const void *state, bench_launch *launch)
{
    rec_planes_get_launch(((const gpu *)state)->planes, &launch->blocks, &launch->threads);
}

static const bench_type type = {"gpu", create, advance, read_back, squares, get_launch, destroy};

/* ---- the table ---- */

#define WAY(name, where) static const way name##_way = {rec_ladder_##name, where};
WAY(copy, REC_LADDER_DEVICE)
WAY(handout, REC_LADDER_PAGEABLE)
WAY(row, REC_LADDER_DEVICE)
WAY(column, REC_LADDER_DEVICE)
WAY(pixel, REC_LADDER_DEVICE)
WAY(swap, REC_LADDER_DEVICE)
WAY(tile, REC_LADDER_DEVICE)
WAY(norm_atomic, REC_LADDER_DEVICE)
WAY(norm_shuffle, REC_LADDER_DEVICE)
WAY(norm_cub, REC_LADDER_DEVICE)
WAY(look, REC_LADDER_PINNED)
WAY(managed, REC_LADDER_MANAGED)
WAY(prefetch, REC_LADDER_MANAGED)
WAY(graph, REC_LADDER_DEVICE)
WAY(temporal2, REC_LADDER_DEVICE)
WAY(temporal4, REC_LADDER_DEVICE)
WAY(temporal8, REC_LADDER_DEVICE)
WAY(add_wrong, REC_LADDER_DEVICE)
WAY(add_right, REC_LADDER_DEVICE)
WAY(swap_host, REC_LADDER_MANAGED)
WAY(tile_norm, REC_LADDER_DEVICE)
WAY(add_prefetch, REC_LADDER_MANAGED)
WAY(grid, REC_LADDER_DEVICE)

#define ON_DEVICE .device = 1, .type = &type

/* The copies back and to the host count: 8 bytes a pixel on the device, 4 each way over the bus. */
const bench_rung bench_gpu_rungs[] = {
    {5, 0, "copy", "no stencil: every pixel copied, a thread each",
     .check = BENCH_COPY, .bytes = 8, .batch = 1, .way = &copy_way, ON_DEVICE},
    {6, 4, "handout", "a thread a row, to the device and back each iteration",
     .check = BENCH_STENCIL, .bytes = 20, .batch = 1, .way = &handout_way, ON_DEVICE},
    {7, 6, "row", "the data stays on the device; a thread a row: uncoalesced",
     .check = BENCH_STENCIL, .bytes = 20, .batch = 1, .way = &row_way, ON_DEVICE},
    {8, 7, "column", "a thread a column: coalesced",
     .check = BENCH_STENCIL, .bytes = 20, .batch = 1, .way = &column_way, ON_DEVICE},
    {9, 8, "pixel", "a thread a pixel, blocks of 16 x 16",
     .check = BENCH_STENCIL, .bytes = 20, .batch = 1, .way = &pixel_way, ON_DEVICE},
    {10, 9, "swap", "pointers swapped instead of a copy on the device",
     .check = BENCH_STENCIL, .bytes = 12, .batch = 1, .block = {.columns = 16, .rows = 16}, .way = &swap_way,
     ON_DEVICE},
    {11, 10, "block", "the same in blocks of other shapes (--blocks)",
     .check = BENCH_STENCIL, .bytes = 12, .batch = 1, .block = {.columns = 64, .rows = 4}, .sweeps = 1,
     .way = &swap_way, ON_DEVICE},
    {12, 11, "tile", "a tile in shared memory",
     .check = BENCH_STENCIL, .bytes = REC_LADDER_TILE_BYTES, .batch = 1, .way = &tile_way,
     ON_DEVICE},
    {13, 11, "norm-atomic", "the norm each iteration, an atomic a thread",
     .check = BENCH_STENCIL, .bytes = 12, .batch = 1, .norm = 1, .way = &norm_atomic_way,
     ON_DEVICE},
    {14, 13, "norm-shuffle", "the norm by warps and blocks, an atomic a block",
     .check = BENCH_STENCIL, .bytes = 12, .batch = 1, .norm = 1, .way = &norm_shuffle_way,
     ON_DEVICE},
    {15, 14, "norm-cub", "the same reduction from CUB",
     .check = BENCH_STENCIL, .bytes = 12, .batch = 1, .norm = 1, .way = &norm_cub_way, ON_DEVICE},
    {16, 11, "look", "the host looks every 25 iterations: an explicit copy",
     .check = BENCH_STENCIL, .bytes = 12, .batch = REC_LADDER_LOOK_EVERY, .block = {.columns = 64, .rows = 4},
     .deep = 1, .way = &look_way, ON_DEVICE},
    {17, 16, "managed", "the same by managed memory",
     .check = BENCH_STENCIL, .bytes = 12, .batch = REC_LADDER_LOOK_EVERY, .block = {.columns = 64, .rows = 4},
     .deep = 1, .way = &managed_way, ON_DEVICE},
    {18, 17, "prefetch", "managed memory, its moves announced",
     .check = BENCH_STENCIL, .bytes = 12, .batch = REC_LADDER_LOOK_EVERY, .block = {.columns = 64, .rows = 4},
     .deep = 1, .way = &prefetch_way, ON_DEVICE},
    {19, 11, "graph", "launches recorded in a CUDA graph",
     .check = BENCH_STENCIL, .bytes = 12, .batch = REC_LADDER_GRAPH, .block = {.columns = 64, .rows = 4}, .deep = 1,
     .way = &graph_way, ON_DEVICE},
    {20, 11, "temporal-2", "two iterations a pass, overlapping tiles",
     .check = BENCH_STENCIL, .bytes = REC_LADDER_TEMPORAL_BYTES(2), .batch = 2, .block = {.columns = 64, .rows = 4},
     .deep = 1, .way = &temporal2_way, ON_DEVICE},
    {21, 20, "temporal-4", "four",
     .check = BENCH_STENCIL, .bytes = REC_LADDER_TEMPORAL_BYTES(4), .batch = 4, .block = {.columns = 64, .rows = 4},
     .deep = 1, .way = &temporal4_way, ON_DEVICE},
    {22, 21, "temporal-8", "eight",
     .check = BENCH_STENCIL, .bytes = REC_LADDER_TEMPORAL_BYTES(8), .batch = 8, .block = {.columns = 64, .rows = 4},
     .deep = 1, .way = &temporal8_way, ON_DEVICE},
    {23, 0, "add-wrong", "two integer matrices added, indices the wrong way round",
     .check = BENCH_SUM, .bytes = 12, .batch = 1, .way = &add_wrong_way, ON_DEVICE},
    {24, 23, "add-right", "the right way round",
     .check = BENCH_SUM, .bytes = 12, .batch = 1, .way = &add_right_way, ON_DEVICE},
    {25, 10, "swap-host", "managed memory; the host waits, then swaps the pointers",
     .check = BENCH_STENCIL, .bytes = 12, .batch = 1, .block = {.columns = 32, .rows = 32},
     .way = &swap_host_way, ON_DEVICE},
    {26, 12, "tile-norm", "a tile of 34 x 34 cells, with the norm each iteration",
     .check = BENCH_STENCIL, .bytes = 12 + 4.0 * 4 / 32,
     .batch = 1, .norm = 1, .way = &tile_norm_way, ON_DEVICE},
    {27, 24, "add-prefetch", "24 in managed memory with its moves announced, blocks of 32 x 32",
     .check = BENCH_SUM, .bytes = 12, .batch = 1, .way = &add_prefetch_way, ON_DEVICE},
    {28, 11, "grid", "a grid of fixed size (--grid) strides over the image",
     .check = BENCH_STENCIL, .bytes = 12, .batch = 1, .block = {.columns = 64, .rows = 4},
     .gridded = 1, .way = &grid_way, ON_DEVICE},
    {0},
};

#else

const bench_rung bench_gpu_rungs[] = {{0}};

#endif
