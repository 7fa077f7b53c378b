// Temporal blocking along the diagonal, for large images that are nearly square: a pass of 32
// iterations, as stream.cu has it, but the front that goes through the registers is an
// antidiagonal.
//
// up + left of a pixel lie on the antidiagonal before it, right + down on the one behind it, and
// both pairs are neighbours there. So with p[d] = m[d][i] + m[d][i+1] along antidiagonal d
//
//     M'[d] = fma(1/4, p[d-1] + p[d+1], f[d])
//
// has the bits of kernels/stencil.h and its three instructions. What it saves: a level needs one
// shuffle instead of two, and at a window's side it loses half an element instead of a whole one,
// because the diamond |dx| + |dy| <= T is a square in (x + y, x - y) whose neighbours are 2 apart.
//
// The layout. Image and halo are a torus of P x P cells, P a multiple of 16 above both sides,
// stored by antidiagonals: a row s of 0..2P-1 has the P/2 cells
//
//     A[s][c]:  y = (s >> 1) + c,  x = ((s + 1) >> 1) - c   (mod P);   A[s][c + P/2] = A[s + P][c].
//
// Rows s - 1 and s + 1 have the neighbours of A[s][c], at c and c + 1 for even s, c - 1 and c for
// odd s. Cells with x >= width or y >= height hold the halo; a step of a block that touches one
// takes the slower instance, in which their coefficient is 0. rec_launch_rotate brings an image
// into this layout, once for many passes.
//
// A block has 8 computing warps, a pipeline of 4 stages with two side by side, and a warp group
// that gives most of its registers to them: one of its warps receives rows, one sends them. Every
// buffer between two of them has a full and an empty mbarrier, so that nobody waits for the whole
// block. All lanes arrive at it: through one lane of a warp the order would be the same, but
// racecheck does not follow it, and it is no faster.
//
// All blocks must end together. The strips, one below the other, are one long column, cut into
// shares of the same cost: what a row costs, where the slower instance works, and what beginning a
// segment costs are measured figures below.
//
// setmaxnreg is an instruction of 9.0a alone: for other devices this file compiles to nothing.
#include "kernels/diagonal_sweep.cuh"

#include <cstring>

#include "kernels/kernels.h"
#include "kernels/stencil.h"

namespace {

__global__ void __launch_bounds__(THREADS, 1) diagonal_pass(const __grid_constant__ Pass a)
{
#if REC_DIAGONAL_HERE
    extern __shared__ float4 raw[];
    float *const sm = (float *)raw;
    const unsigned bars = shared_address(sm + FLOATS);
    const int warp = __shfl_sync(~0u, threadIdx.x >> 5, 0);
    // One warp loads and one stores; a handover between stages and what the last has done take
    // both.
    if (threadIdx.x < 4 * HANDOVERS + DONE) {
        const int h = threadIdx.x / 4, half = threadIdx.x % 4 / 2;
        flow_init(bars + 8 * threadIdx.x,
                  (h == 0 && half == 0) || (h == D && half == 1) ? 1 : 32 * G);
    }
    __syncthreads();
    Walk walk = {0, 0};
    if (warp < COMPUTING) {
        more_registers();
        const int d = warp / G; // stages d and d + D / 2 share a scheduler
        walk.slot = (NF - d) % NF;
        each_segment(a, [&](const Segment &of) { compute(a, of, sm, bars, d, warp % G, walk); });
    } else {
        fewer_registers();
        if (warp == COMPUTING)
            each_segment(a, [&](const Segment &of) { load_rows(a, of, sm, bars, walk); });
        if (warp == COMPUTING + 1) {
            each_segment(a, [&](const Segment &of) { store_rows(a, of, sm, bars, walk); });
            if (elected())
                sends_done();
        }
    }
#endif
}

// ---- the layout ----

// A tile is 2 TILE antidiagonals and TILE places on them. Of the image it has rows 0..2 TILE - 2,
// where row j < TILE has 2 j + 2 cells and row j + TILE the 2 TILE - 2 j - 2 that make a full row
// of them.
constexpr int TILE = 32, TILE_WARPS = 8;

template <bool Into>
__global__ void __launch_bounds__(32 * TILE_WARPS)
    rotate(float *__restrict__ to, const float *__restrict__ from, int period, int width,
           int height, long long pitch, float halo)
{
    __shared__ float tile[2 * TILE][TILE + 1];
    const int columns = period / 2, s0 = blockIdx.x * 2 * TILE, c0 = blockIdx.y * TILE;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const bool in_row = c0 + lane < columns;
    if (!Into) {
#pragma unroll
        for (int n = 0; n < 2 * TILE / TILE_WARPS; n++) {
            const int i = warp + n * TILE_WARPS;
            if (in_row && s0 + i < 2 * period)
                tile[i][lane] = from[(long long)(s0 + i) * columns + c0 + lane];
        }
        __syncthreads();
    }
#pragma unroll
    for (int n = 0; n < TILE / TILE_WARPS; n++)
#pragma unroll
        for (int i = lane; i < 2 * TILE; i += 32) {
            const int j = warp + n * TILE_WARPS, row = i < 2 * j + 2 ? j : j + TILE;
            const int c = row - (i >> 1), far = s0 / 2 + c0 + row; // rows of the torus, unwrapped
            int y = far, x = s0 + i - far;
            y -= y >= period ? period : 0, y -= y >= period ? period : 0;
            x += x < 0 ? period : 0, x -= x >= period ? period : 0;
            const bool in = y < height && x < width && c0 + c < columns && s0 + i < 2 * period;
            if (Into)
                tile[i][c] = in ? from[y * pitch + x] : halo;
            else if (in)
                to[y * pitch + x] = tile[i][c];
        }
    if (Into) {
        __syncthreads();
#pragma unroll
        for (int n = 0; n < 2 * TILE / TILE_WARPS; n++) {
            const int i = warp + n * TILE_WARPS;
            if (in_row && s0 + i < 2 * period)
                to[(long long)(s0 + i) * columns + c0 + lane] = tile[i][lane];
        }
    }
}

template <bool Into>
cudaError_t launch_rotate(const rec_diagonal *plan, const rec_grid *grid, float *to,
                          const float *from, cudaStream_t stream)
{
    const size_t period = plan->period, rotated = period * period, own = grid->height * grid->pitch;
    const dim3 tiles((2 * plan->period + 2 * TILE - 1) / (2 * TILE),
                     (plan->period / 2 + TILE - 1) / TILE);
    for (size_t p = 0; p < grid->planes; p++)
        rotate<Into><<<tiles, 32 * TILE_WARPS, 0, stream>>>(
            to + p * (Into ? rotated : own), from + p * (Into ? own : rotated), plan->period,
            (int)grid->width, (int)grid->height, (long long)grid->pitch, grid->halo);
    return cudaGetLastError();
}

// ---- the shares ----

// What rows cost, one of the faster instance being 1, measured on an H200: fitted to the cycles of
// all blocks at 16384 x 16384 the model is right to 0.6%. Beginning a segment costs the rows above
// and below it that are computed too.
constexpr double SLOWER = 0.45; // more, where a window has cells outside the image
constexpr double SEAM = 0.12;   // more, where rows come in two pieces
constexpr int GRAIN = T;        // rows: those of a step
constexpr int BEGINNING = 2 * DEPTH / GRAIN; // grains

// Do windows of the strip that begins at column x0 have cells outside when `row` is stored? The
// smallest y and x of the step (compute) take every number below P once.
bool is_slow(int P, int width, int height, int x0, int row)
{
    const int y = row / 2 + x0, x = row / 2 - x0 - WIDTH + 1;
    return (y % P + P) % P + REACH >= height || (x % P + P) % P + REACH >= width;
}

double grain_cost(const rec_diagonal *plan, const rec_grid *grid, int s, int row)
{
    const Strip of = strip_of(plan->period, s);
    return 1 + (of.x0 < 0 || of.x0 + WIDTH > plan->period / 2 ? SEAM : 0) +
           (is_slow(plan->period, (int)grid->width, (int)grid->height, of.x0, of.row + row) ? SLOWER
                                                                                            : 0);
}

// Cuts the long column into shares of the same cost: once for the sum, once for the cuts.
void cut_shares(rec_diagonal *plan, const rec_grid *grid)
{
    const int rows = plan->period, strips = strips_of(plan->period);
    double all = 0;
    for (int cutting = 0; cutting < 2; cutting++) {
        double cost = 0;
        int at = 0, b = 1;
        for (int s = 0; s < strips; s++, at += BEGINNING * GRAIN) {
            for (int row = 0; row < rows; row += GRAIN, at += GRAIN) {
                for (; cutting && b < plan->processors && cost >= all * b / plan->processors; b++)
                    plan->cut[b] = at;
                cost += grain_cost(plan, grid, s, row);
            }
            cost += s + 1 < strips ? BEGINNING : 0;
        }
        for (; cutting && b <= plan->processors; b++)
            plan->cut[b] = at;
        all = cost;
    }
    // right to 3% at nine sizes from 2560 x 2560 to 16384 x 16384
    plan->nanoseconds = 15000 + 235 * GRAIN * (all / plan->processors + BEGINNING);
}

} // namespace

extern "C" cudaError_t rec_diagonal_plan(const rec_grid *grid, rec_diagonal *made)
{
    const size_t side = grid->width > grid->height ? grid->width : grid->height;
    int device = 0, processors = 0, blocks = 0;
    cudaFuncAttributes about;
    *made = rec_diagonal{};
    cudaError_t result = cudaGetDevice(&device);
    if (!result)
        result = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    // A window must fit into a row; above, places of the long column leave int.
    if (result || grid->boundary != REC_BOUNDARY_HALO || side / 2 < WIDTH || side > 1u << 18 ||
        processors > REC_DIAGONAL_BLOCKS)
        return result;
    // What was compiled for another device cannot be loaded, or is empty: it has no registers to
    // speak of.
    if (cudaFuncGetAttributes(&about, diagonal_pass) != cudaSuccess || about.numRegs < 128) {
        (void)cudaGetLastError();
        return cudaSuccess;
    }
    result = cudaFuncSetAttribute(diagonal_pass, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  SHARED_BYTES);
    if (!result)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, diagonal_pass, THREADS,
                                                               SHARED_BYTES);
    if (!result && blocks) {
        made->processors = processors;
        made->period = ((int)side + 16) / 16 * 16;
        cut_shares(made, grid);
    }
    return result;
}

extern "C" cudaError_t rec_launch_rotate(const rec_diagonal *plan, const rec_grid *grid,
                                         float *rotated, const float *plane, cudaStream_t stream)
{
    return launch_rotate<true>(plan, grid, rotated, plane, stream);
}

extern "C" cudaError_t rec_launch_rotate_back(const rec_diagonal *plan, const rec_grid *grid,
                                              float *plane, const float *rotated,
                                              cudaStream_t stream)
{
    return launch_rotate<false>(plan, grid, plane, rotated, stream);
}

extern "C" cudaError_t rec_launch_diagonal(const rec_diagonal *plan, const rec_grid *grid,
                                           float *out, const float *m, const float *f,
                                           cudaStream_t stream)
{
    Pass a = {};
    a.period = plan->period, a.columns = plan->period / 2;
    a.width = (int)grid->width, a.height = (int)grid->height;
    a.strips = strips_of(plan->period);
    a.overhead = BEGINNING * GRAIN;
    memcpy(a.cut, plan->cut, sizeof a.cut);
    const size_t plane = (size_t)plan->period * plan->period;
    for (size_t p = 0; p < grid->planes; p++) {
        a.out = out + p * plane, a.m = m + p * plane, a.f = f + p * plane;
        diagonal_pass<<<plan->processors, THREADS, SHARED_BYTES, stream>>>(a);
    }
    return cudaGetLastError();
}
