// A V-cycle on levels of more than 32 x 32 cells: a kernel a level for the way down, and one for
// the way up. Code that runs once a launch is slow, as its instructions are not in the
// cache: what is done for each tile is short, and conclusions from the sums wait for the step.
#include "kernels/early.cuh"
#include "kernels/multigrid_sums.cuh"
#include "kernels/multigrid_tile.cuh"

namespace
{

__host__ __device__ inline bool is_general(const rec_device_level &level)
{
    return level.x.low != REC_FIXED || level.x.high != REC_FIXED || level.y.low != REC_FIXED ||
           level.y.high != REC_FIXED || level.x.cells == 1 || level.y.cells == 1;
}

// Tiles without a cell at a side, where neighbours have two colours.
__device__ __forceinline__ bool is_inner(const rec_device_level &level, const Place &at)
{
    const int x = at.i * own_side(level) - level.apron, y = at.j * own_side(level) - level.apron;
    return !sums_neighbours(level) && x > 0 && y > 0 && x + tile_side < level.x.cells &&
           y + tile_side < level.y.cells;
}

// With a mass the kernels of level 0 do the others, too: code is large.
template <bool First, bool Mass>
__device__ __forceinline__ bool is_first(const rec_device_solve &solve,
                                         const rec_device_level &level)
{
    return Mass ? level.b == solve.box.b : First;
}

__device__ __forceinline__ bool has_unknown(const rec_device_solve &solve, const Place &at)
{
    return solve.tiles[(at.plane * gridDim.y + at.j) * gridDim.x + at.i];
}

template <bool General, bool First, bool Mass>
__global__ void __launch_bounds__(tile_threads, Mass ? 2 : 3)
    down(const rec_device_solve solve, const rec_device_level level, const rec_device_level next)
{
    __shared__ Edges<General> edges;
    const Place at = {blockIdx.z, (int)blockIdx.x, (int)blockIdx.y};
    const bool first = is_first<First, Mass>(solve, level);
    const bool needed = !first || has_unknown(solve, at);
    wait_for_last_kernel();
    let_next_kernel_start();
    if (!needed || solve.run->next[at.plane].last)
        return;
    if (General && !is_inner(level, at))
        go_down<General, Mass>(level, next, at, edges);
    else
        go_down<false, Mass>(level, next, at, reinterpret_cast<Edges<false> &>(edges));
}

// Backwards: what the way down read last is still in the cache.
template <bool General, bool First, bool Mass>
__global__ void __launch_bounds__(tile_threads, Mass ? 2 : 3)
    up(const rec_device_solve solve, const rec_device_level level, const rec_device_level next)
{
    __shared__ Edges<General> edges;
    const Place at = {blockIdx.z, (int)(gridDim.x - 1 - blockIdx.x),
                      (int)(gridDim.y - 1 - blockIdx.y)};
    const bool first = is_first<First, Mass>(solve, level);
    const bool needed = !first || has_unknown(solve, at);
    rec_device_sums sums = {};
    wait_for_last_kernel();
    let_next_kernel_start();
    if (solve.run->next[at.plane].last)
        return;
    if (needed && General && !is_inner(level, at))
        sums = go_up<General, First, Mass, General>(level, next, at, edges);
    else if (needed)
        sums = go_up<false, First, Mass, General>(level, next, at,
                                                  reinterpret_cast<Edges<false> &>(edges));
    if (first && sum_plane<tile_threads>(solve, at.plane, at.j * (int)gridDim.x + at.i,
                                         (int)(gridDim.x * gridDim.y), sums))
        solve.run->sums[at.plane] = sums;
}

dim3 tiles_of(const rec_device_level *level, size_t planes)
{
    return dim3((unsigned)tiles_across(*level), (unsigned)tiles_down(*level), (unsigned)planes);
}

// kernels[kind][is level 0]. The kinds: levels without a mass, general ones without, and all of
// those that have one.
using Kernel = void (*)(rec_device_solve, rec_device_level, rec_device_level);
cudaError_t launch(const Kernel (&kernels)[3][2], const rec_device_solve *solve,
                   const rec_device_level *level, const rec_device_level *next, cudaStream_t stream)
{
    const int kind = level->mass ? 2 : is_general(*level);
    return launch_early(kernels[kind][level->b == solve->box.b], tiles_of(level, solve->planes),
                        tile_threads, 0, stream, *solve, *level, *next);
}

} // namespace

size_t rec_multigrid_tiles(const rec_device_level *level)
{
    const dim3 tiles = tiles_of(level, 1);
    return (size_t)tiles.x * tiles.y;
}

cudaError_t rec_launch_multigrid_down(const rec_device_solve *solve, const rec_device_level *level,
                                      const rec_device_level *next, cudaStream_t stream)
{
    static constexpr Kernel kernels[3][2] = {{down<false, false, false>, down<false, true, false>},
                                             {down<true, false, false>, down<true, true, false>},
                                             {down<true, true, true>, down<true, true, true>}};
    return launch(kernels, solve, level, next, stream);
}

cudaError_t rec_launch_multigrid_up(const rec_device_solve *solve, const rec_device_level *level,
                                    const rec_device_level *next, cudaStream_t stream)
{
    static constexpr Kernel kernels[3][2] = {{up<false, false, false>, up<false, true, false>},
                                             {up<true, false, false>, up<true, true, false>},
                                             {up<true, true, true>, up<true, true, true>}};
    return launch(kernels, solve, level, next, stream);
}
