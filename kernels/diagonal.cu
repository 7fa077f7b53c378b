// Temporal blocking along the diagonal, for large images: a pass of 32 iterations as in stream.cu,
// but the front that goes through the registers is an antidiagonal instead of a row.
//
//      s - 1     s    s + 1      (the picture rotated by 45 degrees)
//       up             right     Up and left of a pixel on antidiagonal s are neighbours on s - 1,
//                M               right and down are neighbours on s + 1. With the pair sums
//      left            down      p[s][i] = m[s][i] + m[s][i + 1], the update
//
//     M'[s] = fma(1/4, p[s - 1] + p[s + 1], f[s])
//
// has the bits of kernels/stencil.h and its three instructions. The gain: a level needs one shuffle
// instead of two, and at each side of a window it loses half an element instead of a whole one,
// because the diamond |dx| + |dy| <= T is a square in (x + y, x - y), where neighbours are 2 apart.
//
// The layout. Copies of the image with its halo tile the plane: the next one to the right is `wide`
// columns away, the next one below is `tall` rows down and `tall` columns to the right, along a
// diagonal. The antidiagonals of one copy are stored, 2 tall rows of wide / 2 cells:
//
//     A[s][c]:  y = (s >> 1) + c,  x = ((s + 1) >> 1) - c;
//     A[s + 2 tall][c] = A[s][c],  A[s][c + wide / 2] = A[s + wide][c].
//
// The neighbours of A[s][c] are in rows s - 1 and s + 1, at c and c + 1 for even s, at c - 1 and c
// for odd s. Cells with x >= width or y >= height hold the halo. A step of a block that touches one
// uses a slower instance, in which the coefficient of such cells is 0. Between slabs there is no
// halo: the ghost rows above and below the slab meet, and become wrong as ghost rows do.
// rec_launch_rotate copies an image into this layout and back, once for many passes, and only the
// exchanged rows for a halo exchange.
//
// A block has 8 computing warps, a pipeline of 4 stages of two warps, and a warp group that gives
// most of its registers to the computing warps. Two warps of this group receive rows, a third one
// sends rows. Every buffer between two warps has a full and an empty mbarrier, so that no warp
// waits for the whole block. All lanes arrive at a barrier: one lane would do and is no faster, but
// racecheck would not follow it.
//
// All blocks must end together. The strips, one below the other, are one long column, which is cut
// into shares of equal cost. The costs of a row, of the slower instance and of the start of a
// segment are measured figures (below). Blocks 2 n and 2 n + 1 run on multiprocessors beside each
// other, as if with one instruction cache, too small for both instances: a block is slower while
// its neighbour runs the other instance. So both get shares that need the slower instance at about
// the same times.
//
// A pass starts early: its blocks come to multiprocessors as blocks of the pass before leave them,
// and wait there until that pass has ended. So 0.7 us lie between two passes instead of 4.0. A
// block takes the share that belongs to its multiprocessor, whatever its number is.
//
// setmaxnreg exists on 9.0a only: for other devices this file compiles to nothing.
#include "kernels/diagonal_sweep.cuh"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/early.cuh"
#include "kernels/kernels.h"
#include "kernels/stencil.h"

namespace {

__global__ void __launch_bounds__(THREADS, 1) diagonal_pass(const __grid_constant__ Pass a)
{
#if REC_DIAGONAL_HERE
    extern __shared__ float4 raw[];
    __shared__ int share;
    float *const sm = (float *)raw;
    const unsigned bars = shared_address(sm + FLOATS);
    const int warp = __shfl_sync(~0u, threadIdx.x >> 5, 0);
    // At the first handover a lane of two warps fills, at the last one of one warp empties;
    // everywhere else both warps of a stage arrive.
    if (threadIdx.x < 4 * HANDOVERS + DONE) {
        const int h = threadIdx.x / 4, half = threadIdx.x % 4 / 2;
        barrier_init(bars + 8 * threadIdx.x,
                  h == 0 && half == 0 ? 2 : h == D && half == 1 ? 1 : 32 * G);
    }
    if (threadIdx.x == 0)
        share = take_share(a);
    __syncthreads();
    let_next_kernel_start();
    wait_for_last_kernel();
    unsigned k = 0; // counts the warp's steps: it gives places in buffers and phases of barriers
    if (warp < COMPUTING) {
        more_registers();
        const int d = warp / G; // stages d and d + D / 2 share a scheduler
        each_segment(a, share, [&](const Segment &s) { compute(a, s, sm, bars, d, warp % G, k); });
    } else {
        fewer_registers();
        if (warp == COMPUTING)
            each_segment(a, share, [&](const Segment &s) { load_rows<false>(a, s, sm, bars, k); });
        if (warp == COMPUTING + 2)
            each_segment(a, share, [&](const Segment &s) { load_rows<true>(a, s, sm, bars, k); });
        if (warp == COMPUTING + 1) {
            each_segment(a, share, [&](const Segment &s) { store_rows(a, s, sm, bars, k); });
            if (elected())
                sends_done();
        }
    }
#endif
}

// ---- the layout ----

// A tile is TILE antidiagonals by TILE rows of the image: its cells are close in both layouts.
constexpr int TILE = 64, TILE_WARPS = 16;

struct Rotation {
    rec_torus torus;
    int width, height;
    float halo;
    long long pitch;
    rec_band bands[2];
};

template <bool Into>
__global__ void __launch_bounds__(32 * TILE_WARPS)
    rotate(const __grid_constant__ Rotation a, float *__restrict__ rotated)
{
    __shared__ float tile[TILE][TILE + 1];
    const rec_band &band = a.bands[blockIdx.z];
    const int s0 = blockIdx.x * TILE, first = blockIdx.y * TILE, y0 = (int)band.first + first;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, left = (int)band.rows - first;
    const rec_torus &torus = a.torus;
    // where the tile's first cell is stored, and its x
    const int c0 = y0 - s0 / 2, column = remainder_of(c0, torus.columns);
    const int row = remainder_of(s0 + (c0 - column) / torus.columns * torus.wide, torus.rows);
    const int x0 = remainder_of(s0 - y0, torus.wide);
    const auto antidiagonals = [&](bool inside) __attribute__((always_inline)) {
#pragma unroll
        for (int n = 0; n < TILE / TILE_WARPS; n++)
#pragma unroll
            for (int j = lane; j < TILE; j += 32) {
                const int i = warp + n * TILE_WARPS;
                int at = column + j - i / 2, s = row + i;
                if (!inside) {
                    const int over = at < 0 ? -torus.seam : at < torus.columns ? 0 : torus.seam;
                    s = wrapped(wrapped(s, torus.rows) + over, torus.rows),
                    at = wrapped(at, torus.columns);
                    if (j >= left || s0 + i >= torus.wide)
                        continue;
                }
                float &cell = rotated[(long long)s * torus.columns + at];
                Into ? cell = tile[i][j] : tile[i][j] = cell;
            }
    };
    const auto rows = [&](bool inside) __attribute__((always_inline)) {
#pragma unroll
        for (int n = 0; n < TILE / TILE_WARPS; n++)
#pragma unroll
            for (int i = lane; i < TILE; i += 32) {
                const int j = warp + n * TILE_WARPS;
                const int x = inside ? x0 + i - j : wrapped(x0 + i - j, torus.wide);
                const bool in = inside || (j < left && y0 + j < a.height && x < a.width &&
                                           s0 + i < torus.wide);
                float *const cell = band.cells + (first + j) * a.pitch + x;
                if (Into)
                    tile[i][j] = in ? *cell : a.halo;
                else if (in)
                    *cell = tile[i][j];
            }
    };
    const auto copy = [&](bool inside) __attribute__((always_inline)) {
        Into ? rows(inside) : antidiagonals(inside);
        __syncthreads();
        Into ? antidiagonals(inside) : rows(inside);
    };
    // Most tiles are all picture and wrap nowhere: their cells need no tests.
    const bool inside = left >= TILE && y0 + TILE <= a.height && s0 + TILE <= torus.wide &&
                        x0 >= TILE - 1 && x0 + TILE <= a.width && row + TILE <= torus.rows &&
                        column >= TILE / 2 && column + TILE <= torus.columns;
    inside ? copy(true) : copy(false);
}

// ---- the shares ----

// The cost of rows, in units of one of the fast instance: the best pair of 24 on an H200, by passes
// at nineteen sizes from 2432 x 2432 to 16384 x 16384. They take 1.4% longer in the mean, and 6.2%
// at most, than with the pair that is best for a size. The start of a segment costs the rows above
// and below it, which are computed too. On an H100 pieces of rows cost more as soon as the planes
// do not fit into the cache, because its memory is narrower: from 24 pairs at thirteen sizes.
constexpr double SLOWER = 0.36; // added where a window has cells outside the image
constexpr double SEAM = 0.06;   // added where rows come in two pieces
constexpr double NARROW_SEAM = 0.12; // the same on an H100
constexpr int WIDE = 6144;           // bits of an H200's memory bus; an H100's has 5120
constexpr int GRAIN = T;        // rows: those of a step
constexpr int BEGINNING = 2 * DEPTH / GRAIN; // grains

// The first row that holds the halo; between slabs there is none.
int halo_from(const rec_torus &torus, const rec_grid *grid)
{
    const bool between = grid->first && grid->first + grid->rows < grid->height;
    return between ? torus.tall : (int)grid->height;
}

// Whether windows of a strip have cells outside when this row is stored: as `compute` finds out.
bool is_slow(const rec_torus &torus, int width, int height, int x0, int row)
{
    const int y = remainder_of(row / 2 + x0, torus.tall);
    const int x = row / 2 - x0 - WIDTH + 1 - (row / 2 + x0 - y);
    const auto leaves = [&](int first) { return remainder_of(first, torus.wide) + REACH >= width; };
    return leaves(x) || (y + REACH >= height && (height < torus.tall || leaves(x - torus.tall)));
}

// A grain of the long column. The long column has BEGINNING grains before each strip, which are the
// rows above it; the start of a share costs the BEGINNING grains before.
struct Grain {
    int row; // of the long column
    bool slow;
    double before; // the cost of all grains before this one
};

// A share, and in which 64ths of its time it needs the slower instance.
struct Share {
    rec_share rows;
    uint64_t slow;
};

// Returns the number of grains. `grains`, unless it is NULL, has room for one more: the end.
int weigh(const rec_torus &torus, int width, int height, double seam_cost, Grain *grains)
{
    const int strips = strips_of(torus), each = (torus.length + GRAIN - 1) / GRAIN + BEGINNING;
    double cost = 0;
    for (int i = 0; grains && i <= strips * each; i++) {
        const Strip strip = strip_of(torus, i / each);
        const int row = (i % each - BEGINNING) * GRAIN;
        const bool seam = strip.x0 < 0 || strip.x0 + WIDTH > torus.columns;
        const bool slow = is_slow(torus, width, height, strip.x0, strip.row + row);
        grains[i] = {i / each * (torus.length + BEGINNING * GRAIN) + row, slow, cost};
        cost += 1 + (seam ? seam_cost : 0) + (slow ? SLOWER : 0);
    }
    return strips * each;
}

// The last grain in from..count that starts at this cost or before.
int grain_at(const Grain *grains, int from, int count, double cost)
{
    const auto later = [](double cost, const Grain &grain) { return cost < grain.before; };
    return (int)(std::upper_bound(grains + from, grains + count + 1, cost, later) - grains) - 1;
}

// Cuts shares that cost `limit`; 1 if they are enough for all grains.
int cut(const Grain *grains, int count, double limit, Share *shares, int processors)
{
    int from = BEGINNING;
    for (int b = 0; b < processors; b++) {
        const double start = grains[from - BEGINNING].before;
        const int to = grain_at(grains, from, count, start + limit);
        shares[b] = {{grains[from].row, grains[to].row}, 0};
        for (int i = 0; i < 64; i++)
            if (grains[grain_at(grains, from - BEGINNING, to, start + limit * i / 64)].slow)
                shares[b].slow |= 1ull << i;
        from = to;
    }
    return from == count;
}

// Puts shares that need the slower instance at much the same times beside each other, those that
// need it longest first.
void pair_shares(Share *shares, int count)
{
    const auto bits = [](uint64_t slow) { return std::bitset<64>(slow).count(); };
    std::sort(shares, shares + count,
              [&](const Share &a, const Share &b) { return bits(a.slow) > bits(b.slow); });
    for (int b = 0; b + 1 < count; b += 2) {
        const auto nearer = [&](const Share &one, const Share &other) {
            return bits(one.slow ^ shares[b].slow) < bits(other.slow ^ shares[b].slow);
        };
        std::swap(shares[b + 1], *std::min_element(shares + b + 1, shares + count, nearer));
    }
}

// Finds shares of equal cost; 0 if there is no memory for that.
int plan_shares(rec_diagonal *plan, const rec_grid *grid, double seam)
{
    const int width = (int)grid->width, height = halo_from(plan->torus, grid);
    const int count = weigh(plan->torus, width, height, seam, NULL), processors = plan->processors;
    const std::unique_ptr<Grain[]> grains(new (std::nothrow) Grain[count + 1]);
    Share shares[REC_DIAGONAL_BLOCKS];
    if (!grains)
        return 0;
    weigh(plan->torus, width, height, seam, grains.get());
    // The start of a share costs less than 2 BEGINNING; a cut is wrong by less than 2.
    double low = grains[count].before / processors, high = low + 2 * BEGINNING + 2;
    for (int i = 0; i < 12; i++) {
        const double limit = (low + high) / 2;
        (cut(grains.get(), count, limit, shares, processors) ? high : low) = limit;
    }
    cut(grains.get(), count, high, shares, processors);
    pair_shares(shares, processors);
    for (int b = 0; b < processors; b++)
        plan->share[b] = shares[b].rows;
    plan->nanoseconds = 4200 + 219 * GRAIN * high; // right to 3.5% at those sizes
    return 1;
}

static_assert(REC_DIAGONAL_WIDTH == 2 * WIDTH && REC_DIAGONAL_HEIGHT == REACH + GAP, "");

// Plans for a torus of that size, and keeps the plan if it is the fastest so far.
void consider(rec_diagonal *made, const rec_grid *grid, int processors, double seam, int wide,
              int tall)
{
    rec_diagonal plan = {};
    if (wide < REC_DIAGONAL_WIDTH || tall < REC_DIAGONAL_HEIGHT ||
        (made->processors && (double)wide * tall > 1.25 * made->torus.wide * made->torus.tall))
        return;
    plan.processors = processors;
    plan.torus = {wide, tall, 2 * tall, wide / 2, wide % (2 * tall), 2 * tall};
    if (wide == tall) // the seam is half of the rows
        plan.torus.length = tall;
    if (plan_shares(&plan, grid, seam) &&
        (!made->processors || plan.nanoseconds < made->nanoseconds))
        *made = plan;
}

} // namespace

cudaError_t rec_diagonal_plan(const rec_grid *grid, rec_diagonal *made)
{
    const size_t side = grid->width > grid->height ? grid->width : grid->height;
    const int square = (int)(side + GAP) / GAP * GAP;
    rec_asked ask;
    const int processors = ask(cudaDevAttrMultiProcessorCount);
    const int bits = ask(cudaDevAttrGlobalMemoryBusWidth), cache = ask(cudaDevAttrL2CacheSize);
    const double planes = 3.0 * sizeof(float) * grid->width * grid->height;
    const double seam = bits < WIDE && planes > 2.0 * cache ? NARROW_SEAM : SEAM;
    cudaError_t result = ask.result;
    cudaFuncAttributes about;
    int blocks = 0;
    *made = rec_diagonal{};
    // (for longer sides the rows of the long column would not fit an int)
    if (result || side > 1u << 18 || processors > REC_DIAGONAL_BLOCKS)
        return result;
    // Code for another device cannot be loaded, or is empty: then it has few registers.
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
        consider(made, grid, processors, seam, (int)(grid->width + GAP) / GAP * GAP,
                 (int)grid->height + GAP);
        consider(made, grid, processors, seam, square, square);
    }
    return result;
}

cudaError_t rec_launch_rotate(const rec_diagonal *plan, const rec_grid *grid, float *rotated,
                              const rec_band *bands, int count, int into, cudaStream_t stream)
{
    const rec_torus &torus = plan->torus;
    Rotation a = {torus, (int)grid->width, (int)grid->height, grid->halo, (long long)grid->pitch,
                  {}};
    size_t rows = 0;
    for (int i = 0; i < count; i++) {
        a.bands[i] = bands[i];
        rows = bands[i].rows > rows ? bands[i].rows : rows;
    }
    const dim3 tiles((torus.wide + TILE - 1) / TILE, (unsigned)((rows + TILE - 1) / TILE), count);
    for (size_t p = 0; p < grid->planes; p++) {
        (into ? rotate<true> : rotate<false>)<<<tiles, 32 * TILE_WARPS, 0, stream>>>(
            a, rotated + p * rec_diagonal_cells(plan));
        for (int i = 0; i < count; i++)
            a.bands[i].cells += bands[i].step;
    }
    return cudaGetLastError();
}

cudaError_t rec_launch_diagonal(const rec_diagonal *plan, const rec_grid *grid, float *out,
                                const float *m, const float *f, unsigned *flags, unsigned *raised,
                                cudaStream_t stream)
{
    Pass a = {};
    a.torus = plan->torus;
    a.width = (int)grid->width, a.height = halo_from(a.torus, grid);
    a.strips = strips_of(a.torus);
    a.overhead = BEGINNING * GRAIN;
    memcpy(a.share, plan->share, sizeof a.share);
    a.flags = flags;
    const size_t plane = rec_diagonal_cells(plan);
    cudaError_t result = cudaSuccess;
    for (size_t p = 0; p < grid->planes && result == cudaSuccess; p++) {
        a.out = out + p * plane, a.m = m + p * plane, a.f = f + p * plane;
        a.raised = ++*raised;
        result = launch_early(diagonal_pass, dim3((unsigned)plan->processors), THREADS,
                              SHARED_BYTES, stream, a);
    }
    return result;
}
