/* The rungs of the GPU: what kernels/ladder has, as a table. */
#include "bench/mine.h"

#if REC_HAVE_CUDA

typedef struct gpu_way {
    rec_ladder_rung *rung;
    rec_ladder_memory memory;
} gpu_way;

static rec_status gpu_rung_create(void **state, const bench_rung *rung, const bench_case *problem,
                                  rec_ladder_block block, const rec_solver_options *place,
                                  rec_error *error)
{
    const gpu_way *way = rung->way;
    const rec_ladder_problem asked = {
        .rung = way->rung,
        .width = problem->width,
        .height = problem->height,
        .stride = problem->edges.stride,
        .m = problem->edges.data,
        .f = problem->mine ? problem->edges.data : problem->terms.data,
        .halo = problem->halo,
        .radius = (int)problem->radius,
        .weights = problem->filter.taps.weights,
        .block = block,
        .device = place->devices[0],
        .memory = way->memory,
        .step = problem->mine ? problem->mine->step : NULL,
        .failed = problem->mine ? problem->mine->failed : NULL,
    };
    return rec_ladder_create(state, &asked, error);
}

static const bench_type type = {"gpu", gpu_rung_create, rec_ladder_advance, rec_ladder_read,
                                rec_ladder_squares, rec_ladder_get_launch, rec_ladder_destroy};

/* ---- the table ---- */

/* A rung of kernels/ladder, where its picture is, what it must give, how many iterations belong
 * together. */
#define RUNG(name, where, what, together) \
    .way = &(const gpu_way){rec_ladder_##name, REC_LADDER_##where}, .check = BENCH_##what, \
    .batch = together, .device = 1, .type = &type

/* The copies back and to the host count: 8 bytes a pixel on the device, 4 each way over the bus. */
const bench_rung bench_gpu_rungs[] = {
    {5, 0, "copy", "no stencil: every pixel copied, a thread each",
     .bytes = 8, RUNG(copy, DEVICE, COPY, 1)},
    {6, 4, "handout", "a thread a row, to the device and back each iteration",
     .bytes = 20, RUNG(handout, PAGEABLE, STENCIL, 1)},
    {7, 6, "row", "the data stays on the device; a thread a row: uncoalesced",
     .bytes = 20, RUNG(row, DEVICE, STENCIL, 1)},
    {8, 7, "column", "a thread a column: coalesced", .bytes = 20, RUNG(column, DEVICE, STENCIL, 1)},
    {9, 8, "pixel", "a thread a pixel, blocks of 16 x 16",
     .bytes = 20, RUNG(pixel, DEVICE, STENCIL, 1)},
    {10, 9, "swap", "pointers swapped instead of a copy on the device",
     .bytes = 12, .block = {16, 16, 0, 0}, RUNG(swap, DEVICE, STENCIL, 1)},
    {11, 10, "block", "the same in blocks of other shapes (--blocks)",
     .bytes = 12, .block = {64, 4, 0, 0}, .sweeps = 1, RUNG(swap, DEVICE, STENCIL, 1)},
    {12, 11, "tile", "a tile in shared memory",
     .bytes = REC_LADDER_TILE_BYTES, RUNG(tile, DEVICE, STENCIL, 1)},
    {13, 11, "norm-atomic", "the norm each iteration, an atomic a thread",
     .bytes = 12, .norm = 1, RUNG(norm_atomic, DEVICE, STENCIL, 1)},
    {14, 13, "norm-shuffle", "the norm by warps and blocks, an atomic a block",
     .bytes = 12, .norm = 1, RUNG(norm_shuffle, DEVICE, STENCIL, 1)},
    {15, 14, "norm-cub", "the same reduction from CUB",
     .bytes = 12, .norm = 1, RUNG(norm_cub, DEVICE, STENCIL, 1)},
    {16, 11, "look", "the host looks every 25 iterations: an explicit copy",
     .bytes = 12, .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(look, PINNED, STENCIL, REC_LADDER_LOOK_EVERY)},
    {17, 16, "managed", "the same by managed memory",
     .bytes = 12, .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(managed, MANAGED, STENCIL, REC_LADDER_LOOK_EVERY)},
    {18, 17, "prefetch", "managed memory with prefetches",
     .bytes = 12, .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(prefetch, MANAGED, STENCIL, REC_LADDER_LOOK_EVERY)},
    {19, 11, "graph", "launches recorded in a CUDA graph",
     .bytes = 12, .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(graph, DEVICE, STENCIL, REC_LADDER_GRAPH)},
    {20, 11, "temporal-2", "two iterations a pass, overlapping tiles",
     .bytes = REC_LADDER_TEMPORAL_BYTES(2), .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(temporal2, DEVICE, STENCIL, 2)},
    {21, 20, "temporal-4", "four",
     .bytes = REC_LADDER_TEMPORAL_BYTES(4), .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(temporal4, DEVICE, STENCIL, 4)},
    {22, 21, "temporal-8", "eight",
     .bytes = REC_LADDER_TEMPORAL_BYTES(8), .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(temporal8, DEVICE, STENCIL, 8)},
    {23, 0, "add-wrong", "two integer matrices added, indices the wrong way round",
     .bytes = 12, .block = {32, 8, 0, 0}, RUNG(add_wrong, DEVICE, SUM, 1)},
    {24, 23, "add-right", "the right way round",
     .bytes = 12, .block = {32, 8, 0, 0}, RUNG(add_right, DEVICE, SUM, 1)},
    {25, 10, "swap-host", "managed memory; the host waits, then swaps the pointers",
     .bytes = 12, .block = {32, 32, 0, 0}, RUNG(swap_host, MANAGED, STENCIL, 1)},
    {26, 12, "tile-norm", "a tile of 34 x 34 cells, with the norm each iteration",
     .bytes = 12 + 4.0 * 4 / 32, .norm = 1, RUNG(tile_norm, DEVICE, STENCIL, 1)},
    {27, 24, "add-prefetch", "24 in managed memory with prefetches, blocks of 32 x 32",
     .bytes = 12, .block = {32, 32, 0, 0}, RUNG(add_prefetch, MANAGED, SUM, 1)},
    {28, 11, "grid", "a grid of fixed size (--grid) strides over the image",
     .bytes = 12, .block = {64, 4, 0, 0}, .gridded = 1, RUNG(grid, DEVICE, STENCIL, 1)},
    {0},
};

/* Steps that came later; some belong between two rungs above. */
const bench_rung bench_step_rungs[] = {
    {80, 4, "managed-cpu", "the host's loops and copy on managed memory",
     RUNG(managed_cpu, MANAGED, STENCIL, 1)},
    {81, 80, "copy-host", "the update on the device, the copy back by the host: pages wander",
     .bytes = 20, .block = {32, 32, 0, 0}, RUNG(copy_host, MANAGED, STENCIL, 1)},
    {82, 81, "copy-kernel", "the copy back by a kernel",
     .bytes = 20, .block = {32, 32, 0, 0}, RUNG(copy_kernel, MANAGED, STENCIL, 1)},
    {83, 10, "pixel-wrong", "a thread a pixel, indices the wrong way round",
     .bytes = 12, .block = {32, 32, 0, 0}, RUNG(pixel_wrong, DEVICE, STENCIL, 1)},
    {84, 23, "add-wrong-32", "23 in managed memory, blocks of 32 x 32",
     .bytes = 12, .block = {32, 32, 0, 0}, RUNG(add_wrong, MANAGED, SUM, 1)},
    {85, 84, "add-right-32", "the right way round",
     .bytes = 12, .block = {32, 32, 0, 0}, RUNG(add_right, MANAGED, SUM, 1)},
    {86, 85, "add-look", "and the host looks at every sum",
     .bytes = 12, .block = {32, 32, 0, 0}, RUNG(add_look, MANAGED, SUM, 1)},
    {87, 26, "tile-32", "26 without its norm",
     .bytes = 12 + 4.0 * 4 / 32, RUNG(tile_32, DEVICE, STENCIL, 1)},
    {90, 20, "strip-2", "a warp walks down a strip, two iterations in registers",
     .bytes = REC_LADDER_STRIP_BYTES(2), .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(strip_2, DEVICE, STENCIL, 2)},
    {91, 90, "strip-8", "eight iterations in registers",
     .bytes = REC_LADDER_STRIP_BYTES(8), .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(strip_8, DEVICE, STENCIL, 8)},
    {92, 91, "pipeline", "four warps in a line, four iterations each",
     .bytes = REC_LADDER_STRIP_BYTES(16), .block = {64, 4, 0, 0}, .deep = 1,
     RUNG(pipeline, DEVICE, STENCIL, 16)},
    {0},
};

const bench_rung bench_mine_device = {99,       11,          "mine",
                                      "--mine", .bytes = 12, RUNG(mine, DEVICE, STENCIL, 1)};

#define COURSE(name) .bytes = 8, RUNG(course_##name, DEVICE, CONVOLUTION, 1)

const bench_rung bench_course_gpu_rungs[] = {
    {52, 51, "row", "a thread a row, the sum in memory", COURSE(row)},
    {53, 52, "pixel", "a thread a pixel, the sum in memory", COURSE(pixel)},
    {54, 53, "block", "a block of 128 threads a pixel, which add up in a tree", COURSE(block)},
    {55, 54, "vector-128", "128 threads over the rows of the stencil", COURSE(vector)},
    {56, 55, "vector-32", "32 threads over the rows of the stencil", COURSE(warp)},
    {57, 53, "register", "a thread a pixel, the sum in a register", COURSE(register)},
    {58, 57, "unrolled", "loops unrolled, the weights in constant memory", COURSE(unrolled)},
    {59, 57, "tile", "input and weights in shared memory", COURSE(tile)},
    {0},
};

#else

const bench_rung bench_gpu_rungs[] = {{0}}, bench_step_rungs[] = {{0}},
                 bench_course_gpu_rungs[] = {{0}}, bench_mine_device = {0};

void rec_ladder_profile(int on) {}

rec_status rec_ladder_device_open(int number, rec_ladder_device *about, rec_error *error)
{
    return rec_fail(error, REC_UNAVAILABLE, "this program was built without CUDA");
}

#endif
