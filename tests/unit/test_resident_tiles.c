/* Where the tiles of `resident` lie: they cover the image, and what one of them writes is outside
 * every tile that it does not wait for. How `diagonal` cuts its shares. Planned for devices that
 * need not be here: the linker leads the questions about them to here. */
#include <string.h>

#include "tests/unit/cm.h"

#if REC_HAVE_CUDA
#include <cuda_runtime_api.h>

#include "kernels/resident_shapes.h"

static int processors, shared; /* of the device; shared memory of a block in bytes */
static int bits;               /* of its memory bus */

LISTEN(cudaError_t, cudaGetDevice, (int *device))
{
    *device = 0;
    return cudaSuccess;
}

LISTEN(cudaError_t, cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr what, int device))
{
    *value = what == cudaDevAttrMultiProcessorCount    ? processors
             : what == cudaDevAttrCooperativeLaunch    ? 1
             : what == cudaDevAttrGlobalMemoryBusWidth ? bits
             : what == cudaDevAttrL2CacheSize          ? 50 << 20
                                                       : shared;
    return cudaSuccess;
}

LISTEN(cudaError_t, cudaFuncGetAttributes,
       (struct cudaFuncAttributes *attributes, const void *kernel))
{
    *attributes = (struct cudaFuncAttributes){.ptxVersion = 90, .numRegs = 168};
    return cudaSuccess;
}

LISTEN(cudaError_t, cudaFuncSetAttribute,
       (const void *kernel, enum cudaFuncAttribute what, int value))
{
    return cudaSuccess;
}

LISTEN(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
       (int *blocks, const void *kernel, int threads, size_t bytes))
{
    *blocks = 1;
    return cudaSuccess;
}

/* What a call in C++ becomes. */
LISTEN(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
       (int *blocks, const void *kernel, int threads, size_t bytes, unsigned flags))
{
    *blocks = 1;
    return cudaSuccess;
}

/* The tiles of one axis. A tile reads `side` pixels from `start` on, and writes those that are at
 * least `margin` inside of it, or up to an end of the image. */
typedef struct tile_axis {
    int count, side, margin, length, start[1 << 12];
} tile_axis;

static int begins(const tile_axis *a, int i) { return a->start[i] + (i ? a->margin : 0); }
static int ends(const tile_axis *a, int i)
{
    return a->start[i] + a->side - (i + 1 < a->count ? a->margin : 0);
}

/* What is wrong, or NULL. */
static const char *complaint(const tile_axis *a)
{
    if (begins(a, 0) > 0 || ends(a, a->count - 1) < a->length)
        return "an end is not covered";
    for (int i = 1; i < a->count; i++)
        if (begins(a, i) > ends(a, i - 1))
            return "there is a gap";
    for (int i = 0; i < a->count; i++)
        for (int j = i + 2; j < a->count; j++)
            if (ends(a, i) > a->start[j] || begins(a, j) < a->start[i] + a->side)
                return "a tile writes into one two further on, which does not wait for it";
    return NULL;
}

static int tiles_are_apart(size_t width, size_t height) /* whether there are any */
{
#define SHAPE(square, ...) &rec_resident_##square,
    static const rec_resident_shape *const shapes[] = {REC_RESIDENT_SHAPES(SHAPE)};
    static tile_axis x, y;
    const rec_grid grid = {.width = width, .height = height, .planes = 1};
    rec_resident plan;
    assert_int_equal(rec_resident_plan(&grid, &plan), cudaSuccess);
    if (!plan.planes)
        return 0;
    const rec_resident_shape *shape = shapes[plan.shape];
    assert_true(shape->shared <= shared && plan.tiles_x * plan.tiles_y <= processors);
    x.count = plan.tiles_x, x.side = shape->columns, x.length = (int)width;
    x.margin = (plan.depth + 3) / 4 * 4; /* whole vectors */
    for (int i = 0; i < x.count; i++)
        x.start[i] = rec_tile_x(shape->lane, shape->columns, (int)width, x.count, i);
    y.count = plan.tiles_y, y.side = shape->rows, y.length = (int)height, y.margin = plan.depth;
    for (int i = 0; i < y.count; i++)
        y.start[i] = rec_tile_y(shape->rows, (int)height, y.count, i);
    for (int i = 0; i < 2; i++) {
        const char *wrong = complaint(i ? &y : &x);
        if (wrong)
            fail_msg("%zu x %zu on %d processors, tiles of %d x %d, %d x %d, %d iterations: %s",
                     width, height, processors, shape->columns, shape->rows, x.count, y.count,
                     plan.depth, wrong);
    }
    return 1;
}

TEST(what_a_tile_writes_is_outside_those_two_further_on)
{
    static const int chips[][2] = {{132, 227}, {108, 163}, {84, 99}, {20, 99}, {58, 64}};
    for (size_t chip = 0; chip < 5; chip++) {
        int planned = 0;
        processors = chips[chip][0], shared = chips[chip][1] * 1024;
        for (size_t n = 1; n <= 2500; n++)
            planned += tiles_are_apart(n, n) + tiles_are_apart(n, 2500 - n % 600) +
                       tiles_are_apart(256 + 7 * n % 1000, n) + tiles_are_apart(17 * n % 2400, n);
        print_message("# %d processors: %d images\n", processors, planned);
        assert_true(planned > 100);
    }
}

static rec_diagonal diagonal_plan(size_t side, int memory_bits)
{
    const rec_grid grid = {.width = side, .height = side, .planes = 1};
    rec_diagonal plan;
    processors = 132, shared = 227 * 1024, bits = memory_bits;
    assert_int_equal(rec_diagonal_plan(&grid, &plan), cudaSuccess);
    assert_int_equal(plan.processors, processors);
    return plan;
}

TEST(seams_cost_more_where_they_come_from_a_narrow_memory)
{
    for (size_t side = 2432; side < 8192; side += 640) {
        const rec_diagonal wide = diagonal_plan(side, 6144), narrow = diagonal_plan(side, 5120);
        const int same = memcmp(wide.share, narrow.share, sizeof wide.share) == 0;
        assert_int_equal(same, 12 * side * side < 100 << 20);
        assert_true(same || narrow.nanoseconds > wide.nanoseconds);
    }
}
#endif
