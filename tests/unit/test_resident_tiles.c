/* Where the tiles of `resident` lie: they cover the image, and what one of them writes is outside
 * every tile that it does not wait for. How `diagonal` cuts its shares. Which kernels make how many
 * iterations. Planned for devices that need not be here: the linker leads the questions about them,
 * and the launches, to here. */
#include "tests/unit/cm.h"

#if REC_HAVE_CUDA
#include <cuda_runtime_api.h>

#include "kernels/resident_shapes.h"
#include "solver/cuda/cuda_solver.h"
#include "tests/unit/support.h"

static int processors, shared; /* of the device; shared memory of a block in bytes */
static int bits;               /* of its memory bus */

LISTEN_CUDA(cudaGetDevice, (int *device), *device = 0)
LISTEN_CUDA(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr what, int device),
            *value = what == cudaDevAttrMultiProcessorCount    ? processors
                     : what == cudaDevAttrCooperativeLaunch    ? 1
                     : what == cudaDevAttrGlobalMemoryBusWidth ? bits
                     : what == cudaDevAttrL2CacheSize          ? 50 << 20
                                                               : shared)
LISTEN_CUDA(cudaFuncGetAttributes, (struct cudaFuncAttributes *attributes, const void *kernel),
            *attributes = (struct cudaFuncAttributes){.ptxVersion = 90, .numRegs = 168})
LISTEN_CUDA(cudaFuncSetAttribute, (const void *kernel, enum cudaFuncAttribute what, int value), )
LISTEN_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
            (int *blocks, const void *kernel, int threads, size_t bytes), *blocks = 1)
/* What a call in C++ becomes. */
LISTEN_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
            (int *blocks, const void *kernel, int threads, size_t bytes, unsigned flags),
            *blocks = 1)

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
    assert_true(height >= (size_t)shape->rows);
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

TEST(as_many_planes_are_on_the_chip_as_have_room)
{
    int counts[4] = {0};
    processors = 132, shared = 227 * 1024;
    for (size_t side = 48; side < 2500; side += 7) {
        const rec_grid grid = {.width = side, .height = side, .planes = 3};
        rec_resident plan;
        assert_int_equal(rec_resident_plan(&grid, &plan), cudaSuccess);
        const int tiles = plan.tiles_x * plan.tiles_y;
        counts[plan.planes]++;
        if (plan.planes)
            assert_int_equal(plan.planes, processors / tiles < 3 ? processors / tiles : 3);
    }
    assert_true(counts[0] && counts[1] && counts[3]); /* two at a time would wait for the third */
}

/* ---- iterations ---- */

static size_t free_bytes;          /* of the device's memory */
static uint64_t done, asked;       /* iterations: launched, and of the call */
static const float *newest;        /* what holds M_N */
static int rotations, was_rotated; /* copies to the diagonal order and back; M_N is rotated */

LISTEN_CUDA(cudaMemGetInfo, (size_t *available, size_t *all), *available = *all = free_bytes)

static void make(int iterations, const float *from, const float *to)
{
    assert_true(from == newest);
    newest = to;
    done += (uint64_t)iterations;
    assert_true(iterations > 0 && done <= asked);
}

LISTEN_CUDA(rec_launch_pixel, (const rec_grid *grid, float *out, const float *m, const float *f,
                               cudaStream_t stream), make(1, m, out))
LISTEN_CUDA(rec_launch_stream,
            (const rec_stream *plan, int stages, const rec_grid *grid, float *out, const float *m,
             const float *f, cudaStream_t stream),
            assert_true(stages <= plan->stages);
            make(plan->levels * stages, m, out))
LISTEN_CUDA(rec_launch_diagonal,
            (const rec_diagonal *plan, const rec_grid *grid, float *out, const float *m,
             const float *f, unsigned *flags, unsigned *raised, cudaStream_t stream),
            make(REC_DIAGONAL_DEPTH, m, out))
LISTEN_CUDA(rec_launch_rotate,
            (const rec_diagonal *plan, const rec_grid *grid, float *rotated, const rec_band *bands,
             int count, int into, cudaStream_t stream),
            rotations++;
            if ((into ? bands->cells : rotated) == newest)
                newest = into ? rotated : bands->cells)
LISTEN_CUDA(rec_launch_resident,
            (const rec_resident *plan, const rec_grid *grid, float *m, float *other, const float *f,
             int iterations, unsigned *flags, unsigned *raised, cudaStream_t stream),
            assert_int_equal(iterations % 2, 0);
            make(iterations, m, rec_resident_rounds(plan, iterations) % 2 ? other : m))

static int shown; /* by a window */

static rec_cuda_plan plan_of(const rec_grid *grid, const char *kernel)
{
    rec_cuda_plan plan;
    processors = 132, shared = 227 * 1024, bits = 6144;
    SUCCEEDS(rec_cuda_plan_make(&plan, grid, "halo", kernel, shown, &error));
    return plan;
}

static rec_grid square(size_t side)
{
    return (rec_grid){.width = side, .height = side, .planes = 1, .pitch = (side + 31) / 32 * 32};
}

/* Exactly so many iterations, from the newest iterate to m. */
static void check_counts(size_t side, const char *kernel, uint64_t first, uint64_t last,
                         uint64_t more)
{
    static float planes[6];
    const rec_grid grid = square(side);
    const rec_cuda_plan plan = plan_of(&grid, kernel);
    assert_string_equal(plan.kernel, kernel);
    rec_cuda_iterates iterates = {.grid = grid, .m = planes, .other = planes + 1, .f = planes + 2,
                                  .rotated = {planes + 3, planes + 4, planes + 5}};
    newest = iterates.m;
    for (uint64_t n = first; n <= last; n++) {
        done = 0, asked = n;
        assert_int_equal(rec_cuda_plan_iterate(&plan, &iterates, n, more, NULL), cudaSuccess);
        assert_true(done == n);
        assert_true(newest == (iterates.m_is_rotated ? iterates.rotated[0] : iterates.m));
        was_rotated |= iterates.m_is_rotated;
    }
}

TEST(launches_make_as_many_iterations_as_are_asked_for)
{
    free_bytes = SIZE_MAX;
    check_counts(40, "pixel", 0, 300, 0);
    check_counts(1024, "resident", 0, 300, 0);
    check_counts(1024, "resident", 3 << 15, (3 << 15) + 9, 0);
    check_counts(1024, "stream", 0, 1000, 0);
    check_counts(16384, "stream", 0, 1000, 0);
    rotations = was_rotated = 0;
    check_counts(16384, "diagonal", 0, 1000, 0);
    assert_true(rotations && was_rotated);
}

TEST(the_fastest_kernel_is_chosen_that_can)
{
    free_bytes = SIZE_MAX;
    rec_grid grid = square(1024);
    assert_string_equal(plan_of(&grid, NULL).kernel, "resident");
    grid.masked = 1;
    assert_string_equal(plan_of(&grid, NULL).kernel, "pixel");
    grid.masked = 0, grid.beyond_x = REC_WRAPPED, grid.beyond_y = REC_WRAPPED;
    assert_string_equal(plan_of(&grid, NULL).kernel, "pixel");
    grid = square(16384);
    rec_cuda_plan none, plan = plan_of(&grid, NULL);
    assert_string_equal(plan.kernel, "diagonal");
    FAILS(rec_cuda_plan_make(&none, &grid, "halo", "resident", 0, &error), REC_UNAVAILABLE,
          "without --kernel");
    for (shown = 0; shown < 2; shown++) {
        free_bytes = (6 + (size_t)shown) * rec_diagonal_cells(&plan.diagonal) * sizeof(float);
        assert_string_equal(plan_of(&grid, NULL).kernel, "diagonal");
        free_bytes--;
        assert_string_equal(plan_of(&grid, NULL).kernel, "stream");
    }
}
#endif
