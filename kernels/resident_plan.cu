// Chooses the shape of resident.cu for an image, and launches it.
#include "kernels/resident_shapes.h"

namespace {

#define SHAPE(square, ...) &rec_resident_##square,
const rec_resident_shape *const shapes[] = {REC_RESIDENT_SHAPES(SHAPE)};
constexpr int SHAPES = sizeof shapes / sizeof *shapes;

// Finds the fewest tiles that overlap enough for the depth; 0 if that is more than `most`.
int cover(const rec_resident_shape *s, const rec_grid *grid, int depth, int most,
          rec_resident *made)
{
    const int columns = (depth + 3) / 4 * 4, width = (int)grid->width, height = (int)grid->height;
    const auto at_x = [&](int n, int i) { return rec_tile_x(s->lane, s->columns, width, n, i); };
    const auto at_y = [&](int n, int i) { return rec_tile_y(s->rows, height, n, i); };
    int x = width < s->columns - s->lane ? 1 : 2, y = height == s->rows ? 1 : 2;
    // Whether tile i is at a wrong place. A step from tile to tile must leave no gap. Tiles two
    // apart do not wait for each other, so what one of them writes must be outside the other.
    const auto wrong = [](const auto &at, int n, int i, int least, int side) {
        return at(n, i) - at(n, i - 1) > side - 2 * least ||
               (i > 1 && at(n, i) - at(n, i - 2) < side - least);
    };
    for (int i = 1; i < x && x <= most; i++)
        if (wrong(at_x, x, i, columns, s->columns))
            x++, i = 0;
    for (int i = 1; i < y && x * y <= most; i++)
        if (wrong(at_y, y, i, depth, s->rows))
            y++, i = 0;
    made->tiles_x = x, made->tiles_y = y, made->depth = depth;
    return height >= s->rows && x * y <= most;
}

// Plans the greatest depth with which the shape covers the image: the fewest exchanges. Both the
// device and the architecture of the loaded code must have the shared memory: they differ if PTX
// was loaded.
cudaError_t plan(const rec_resident_shape *s, const rec_grid *grid, int processors, int shared,
                 rec_resident *made)
{
    int blocks = 0, depth = s->shared > shared ? 0 : s->most;
    rec_resident tried = *made;
    while (depth >= s->least && !cover(s, grid, depth, processors, &tried))
        depth -= 2;
    if (depth < s->least)
        return cudaSuccess;
    const void *const kernel = (const void *)s->kernel;
    cudaFuncAttributes code;
    cudaError_t result = cudaFuncGetAttributes(&code, kernel);
    if (result || s->shared > rec_shared_of(code.ptxVersion))
        return result;
    result = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, s->shared);
    if (!result)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, s->threads,
                                                               (size_t)s->shared);
    if (result || !blocks)
        return result;
    // One tile a multiprocessor: smaller ones, several to a multiprocessor, are slower.
    *made = tried;
    made->planes = min((int)grid->planes, processors / (tried.tiles_x * tried.tiles_y));
    return cudaSuccess;
}

// What an iteration takes beside its pixels, in pixels of a tile.
constexpr double WAITING = 4000;

// What an iteration of all planes takes, if as many as have room are done at a time.
double cost(const rec_resident_shape *s, const rec_resident *plan, size_t planes, int processors)
{
    const int at_a_time = processors / (plan->tiles_x * plan->tiles_y);
    return ceil((double)planes / at_a_time) * (WAITING + s->rows * s->columns);
}

} // namespace

cudaError_t rec_resident_plan(const rec_grid *grid, rec_resident *made)
{
    const size_t most = (size_t)1 << 24; // far more than any chip holds
    rec_asked ask;
    const int shared = ask(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const int processors = ask(cudaDevAttrMultiProcessorCount);
    const int cooperative = ask(cudaDevAttrCooperativeLaunch);
    cudaError_t result = ask.result;
    *made = rec_resident{};
    if (result || !cooperative || grid->width >= most || grid->height >= most)
        return result;
    double least = INFINITY;
    for (int i = 0; i < SHAPES && !result; i++) {
        rec_resident tried = {};
        tried.shape = i;
        result = plan(shapes[i], grid, processors, shared, &tried);
        const double own =
            tried.planes ? cost(shapes[i], &tried, grid->planes, processors) : INFINITY;
        if (own < least)
            least = own, *made = tried;
        if (made->planes && grid->planes == 1)
            break; // larger tiles take longer
    }
    return result;
}

cudaError_t rec_launch_resident(const rec_resident *plan, const rec_grid *grid, float *m,
                                float *other, const float *f, int iterations, unsigned *flags,
                                unsigned *raised, cudaStream_t stream)
{
    const rec_resident_shape *const s = shapes[plan->shape];
    const size_t tiles = (size_t)plan->tiles_x * plan->tiles_y, own = grid->height * grid->pitch;
    cudaError_t result = cudaSuccess;
    for (size_t done = 0; done < grid->planes && !result; done += plan->planes) {
        const size_t now = min(grid->planes - done, (size_t)plan->planes), skip = done * own;
        rec_resident_job a = {{m + skip, other + skip}, f + skip,
                              (int)grid->width, (int)grid->height, (int)grid->pitch,
                              grid->halo, iterations, plan->depth, plan->tiles_x, plan->tiles_y,
                              flags, *raised};
        void *arguments[] = {&a};
        result = cudaLaunchCooperativeKernel((const void *)s->kernel, (unsigned)(now * tiles),
                                             s->threads, arguments, (size_t)s->shared, stream);
        *raised += (unsigned)rec_resident_rounds(plan, iterations);
    }
    // Exchanges move 16 columns at a time, of which some may be beyond the width.
    for (float *plane : {m, other})
        if (!result && s->lane > 4 && grid->width % 16)
            result = rec_launch_margins(grid, plane, stream);
    return result;
}
