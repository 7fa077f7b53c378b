/* The rungs of the GPU: what kernels/ladder has, as a table. */
#include "bench/bench.h"

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
        .rung = way->rung, .width = problem->width, .height = problem->height,
        .stride = problem->edges.stride, .m = bench_case_start(problem)->data,
        .f = problem->mine ? problem->edges.data : problem->terms.data, .halo = problem->halo,
        .radius = (int)problem->radius, .weights = problem->filter.taps.weights, .block = block,
        .device = place->devices[0], .memory = way->memory, .mine = problem->mine};
    return rec_ladder_create(state, &asked, error);
}

static const bench_type type = {"gpu", gpu_rung_create, rec_ladder_advance, rec_ladder_read,
                                rec_ladder_destroy};

/* A rung of kernels/ladder: where its picture is, what it must give, the bytes that an update
 * moves, the threads of a block (0: not chosen), how many iterations belong together. */
#define RUNG(name, where, what, moves, columns, rows, together) \
    .way = &(const gpu_way){rec_ladder_##name, REC_LADDER_##where}, .check = BENCH_##what, \
    .bytes = moves, .block = {columns, rows, 0, 0}, .batch = together, .device = 1, .type = &type
#define ON_DEVICE(name, moves, columns, rows, together) \
    RUNG(name, DEVICE, STENCIL, moves, columns, rows, together)

/* The copies back and to the host count: 8 bytes a pixel on the device, 4 each way over the bus. */
const bench_rung bench_gpu_rungs[] = {
    {5, 0, "copy", "no stencil: every pixel copied, a thread each",
     RUNG(copy, DEVICE, COPY, 8, 64, 4, 1)},
    {6, 4, "handout", "a thread a row, to the device and back each iteration",
     RUNG(handout, PAGEABLE, STENCIL, 20, 64, 1, 1)},
    {7, 6, "row", "the data stays on the device; a thread a row: uncoalesced",
     ON_DEVICE(row, 20, 64, 1, 1)},
    {8, 7, "column", "a thread a column: coalesced", ON_DEVICE(column, 20, 64, 1, 1)},
    {9, 8, "pixel", "a thread a pixel, blocks of 16 x 16", ON_DEVICE(pixel, 20, 16, 16, 1)},
    {10, 9, "swap", "pointers swapped instead of a copy on the device",
     ON_DEVICE(swap, 12, 16, 16, 1)},
    {11, 10, "block", "the same in blocks of other shapes (--blocks)",
     .sweeps = 1, ON_DEVICE(swap, 12, 64, 4, 1)},
    {12, 11, "tile", "a tile in shared memory", ON_DEVICE(tile, REC_LADDER_TILE_BYTES, 0, 0, 1)},
    {13, 11, "norm-atomic", "the norm each iteration, an atomic a thread",
     .norm = 1, ON_DEVICE(norm_atomic, 12, 0, 0, 1)},
    {14, 13, "norm-shuffle", "the norm by warps and blocks, an atomic a block",
     .norm = 1, ON_DEVICE(norm_shuffle, 12, 0, 0, 1)},
    {15, 14, "norm-cub", "the same reduction from CUB",
     .norm = 1, ON_DEVICE(norm_cub, 12, 0, 0, 1)},
    {16, 11, "look", "the host looks every 25 iterations: an explicit copy",
     RUNG(look, PINNED, STENCIL, 12, 64, 4, REC_LADDER_LOOK_EVERY)},
    {17, 16, "managed", "the same by managed memory",
     RUNG(managed, MANAGED, STENCIL, 12, 64, 4, REC_LADDER_LOOK_EVERY)},
    {18, 17, "prefetch", "managed memory with prefetches",
     RUNG(prefetch, MANAGED, STENCIL, 12, 64, 4, REC_LADDER_LOOK_EVERY)},
    {19, 11, "graph", "launches recorded in a CUDA graph",
     ON_DEVICE(graph, 12, 64, 4, REC_LADDER_GRAPH)},
    {20, 11, "temporal-2", "two iterations a pass, overlapping tiles",
     ON_DEVICE(temporal2, REC_LADDER_TEMPORAL_BYTES(2), 64, 4, 2)},
    {21, 20, "temporal-4", "four", ON_DEVICE(temporal4, REC_LADDER_TEMPORAL_BYTES(4), 64, 4, 4)},
    {22, 21, "temporal-8", "eight", ON_DEVICE(temporal8, REC_LADDER_TEMPORAL_BYTES(8), 64, 4, 8)},
    {23, 0, "add-wrong", "two integer matrices added, indices the wrong way round",
     RUNG(add_wrong, DEVICE, SUM, 12, 32, 8, 1)},
    {24, 23, "add-right", "the right way round", RUNG(add_right, DEVICE, SUM, 12, 32, 8, 1)},
    {25, 10, "swap-host", "managed memory; the host waits, then swaps the pointers",
     RUNG(swap_host, MANAGED, STENCIL, 12, 32, 32, 1)},
    {26, 12, "tile-norm", "a tile of 34 x 34 cells, with the norm each iteration",
     .norm = 1, ON_DEVICE(tile_norm, 12 + 4.0 * 4 / 32, 0, 0, 1)},
    {27, 24, "add-prefetch", "24 in managed memory with prefetches, blocks of 32 x 32",
     RUNG(add_prefetch, MANAGED, SUM, 12, 32, 32, 1)},
    {28, 11, "grid", "a grid of fixed size (--grid) strides over the image",
     ON_DEVICE(grid, 12, 64, 4, 1)},
    {0},
};

/* Steps that came later; some belong between two rungs above. */
const bench_rung bench_step_rungs[] = {
    {80, 4, "managed-cpu", "the host's loops and copy on managed memory",
     RUNG(managed_cpu, MANAGED, STENCIL, 0, 0, 0, 1)},
    {81, 80, "copy-host", "the update on the device, the copy back by the host: pages wander",
     RUNG(copy_host, MANAGED, STENCIL, 20, 32, 32, 1)},
    {82, 81, "copy-kernel", "the copy back by a kernel",
     RUNG(copy_kernel, MANAGED, STENCIL, 20, 32, 32, 1)},
    {83, 10, "pixel-wrong", "a thread a pixel, indices the wrong way round",
     ON_DEVICE(pixel_wrong, 12, 32, 32, 1)},
    {84, 23, "add-wrong-32", "23 in managed memory, blocks of 32 x 32",
     RUNG(add_wrong, MANAGED, SUM, 12, 32, 32, 1)},
    {85, 84, "add-right-32", "the right way round", RUNG(add_right, MANAGED, SUM, 12, 32, 32, 1)},
    {86, 85, "add-look", "and the host looks at every sum",
     RUNG(add_look, MANAGED, SUM, 12, 32, 32, 1)},
    {87, 26, "tile-32", "26 without its norm", ON_DEVICE(tile_32, 12 + 4.0 * 4 / 32, 0, 0, 1)},
    {90, 20, "strip-2", "a warp walks down a strip, two iterations in registers",
     ON_DEVICE(strip_2, REC_LADDER_STRIP_BYTES(2), 64, 4, 2)},
    {91, 90, "strip-8", "eight iterations in registers",
     ON_DEVICE(strip_8, REC_LADDER_STRIP_BYTES(8), 64, 4, 8)},
    {92, 91, "pipeline", "four warps in a line, four iterations each",
     ON_DEVICE(pipeline, REC_LADDER_STRIP_BYTES(16), 64, 4, 16)},
    {93, 6, "handout-256", "6 in blocks of 256 threads, as the exercise is handed out",
     RUNG(handout, PAGEABLE, STENCIL, 20, 256, 1, 1)},
    {94, 7, "row-256", "7 in blocks of 256 threads", ON_DEVICE(row, 20, 256, 1, 1)},
    {95, 8, "column-256", "8 in blocks of 256 threads", ON_DEVICE(column, 20, 256, 1, 1)},
    {0},
};

const bench_rung bench_mine_device = {99, 11, "mine", "--mine", ON_DEVICE(own, 12, 0, 0, 1)};

#define COURSE(name) RUNG(course_##name, DEVICE, CONVOLUTION, 8, 0, 0, 1)

const bench_rung bench_course_gpu_rungs[] = {
    {52, 51, "row", "a thread a row, the sum in memory", COURSE(row)},
    {53, 52, "pixel", "a thread a pixel, the sum in memory", COURSE(pixel)},
    {54, 53, "block", "a block of 128 threads a pixel, which add up in a tree", COURSE(block)},
    {55, 54, "vector-128", "128 threads over the rows of the stencil", COURSE(vector)},
    {56, 55, "vector-32", "32 threads over the rows of the stencil", COURSE(warp)},
    {57, 53, "register", "a thread a pixel, the sum in a register", COURSE(register)},
    {58, 57, "unrolled", "loops unrolled, the weights in constant memory", COURSE(unrolled)},
    {59, 57, "tile", "input and weights in shared memory", COURSE(tile)},
    /* The slow steps without a block for each pixel, which hides them. */
    {64, 53, "gang-columns", "128 threads over a row of the stencil, a reduction a row",
     COURSE(gang_columns)},
    {65, 64, "gang-rows", "128 threads over the rows, one reduction", COURSE(gang_rows)},
    {66, 65, "gang-warp", "32 threads over the rows", COURSE(gang_warp)},
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
