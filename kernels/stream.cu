// Temporal blocking in registers, for images of any size: many iterations in one pass over memory.
//
// A block of the grid owns a strip of columns and sweeps it from top to bottom. Its 8 warps are a
// pipeline of 4 stages, two warps side by side in each:
//
//      rows of iterate N                                          rows of iterate N + 4 T
//      and of f, by cp.async      shared      shared      shared
//            |  ->  stage 0  ->  memory  ->  ...  ->  stage 3  ->  global memory
//                 T iterations                      T iterations
//
// A stage keeps T iterations in flight in registers ("levels"): when row r of iterate n arrives, row
// r - 1 of n + 1 can be made, from it row r - 2 of n + 2, and so on down the levels. Of every level
// only the row before and its pair sums are kept. The pair sums are why an update takes three
// instructions: q[r][x] = m[r][x+1] + m[r+1][x] is the right + down of pixel (r, x) and the
// up + left of pixel (r + 1, x + 1), so a pixel costs two additions and an fma (kernels/stencil.h).
//
// What makes it fast, in the order of what it brought:
// - Depth. Memory moves once for 4 T iterations: 32 of them at 12 bytes a pixel and pass.
// - A lane owns 6 columns, so a level needs two shuffles for 6 updates. Their results are wanted by
//   the next row: nobody waits for them.
// - T rows stand between two barriers as one basic block without a branch, so that the compiler
//   interleaves them: stores are predicated in PTX, coefficients are 0 outside the image instead of
//   a test, and strips and rows away from the border are instances of their own.
// - Rows come by cp.async two blocks of rows ahead, a little with every row that is computed: a
//   burst holds up everybody's shared memory (8 columns and 6 levels, 16384 x 16384 on an H200:
//   3820 G updates/s, without the burst 4430).
// - The strips, one below the other, are one long column of which every block takes an equal share,
//   so all end together; the outermost strips run slower and count a little more.
// The outermost T columns of a warp's window and 4 T of a strip's are computed twice; so are the
// rows above and below a share. Measured and explained in docs/performance.md.
//
// Left out on purpose: bulk copies (TMA), clusters, and wider windows, which spilled or were slower.
#include "kernels/kernels.h"
#include "kernels/stencil.h"

namespace {

// Columns a lane, warps side by side, stages at most, blocks of rows loaded ahead.
constexpr int V = 6, G = 2, D = 4, A = 2;
constexpr int THREADS = 32 * G * D;
constexpr int LAG = 2; // blocks of rows from stage to stage: one for the levels, one for the barrier

// Blocks of f that are kept: until the last stage has used them.
__host__ __device__ constexpr int ring_of_f(int stages) { return (stages - 1) * LAG + 1 + A; }

template <int T_> struct Shape {
    static constexpr int T = T_;                       // levels of a warp, rows between two barriers
    static constexpr int STEP = 32 * V - 2 * T;        // columns from a warp's window to the next
    static constexpr int WIDTH = (G - 1) * STEP + 32 * V;
    static constexpr int HALO = (T * D + 3) / 4 * 4;   // columns of a strip's side that are lost
    static constexpr int USE = WIDTH - 2 * HALO;
    static constexpr int CHUNKS = WIDTH / 4;           // 16-byte pieces of a row
    static constexpr int BLK = T * WIDTH;              // floats of a block of rows
    static constexpr int NM = A + 1;                   // blocks in the ring of m
    // Of the shape for large images all stages work, always: knowing it saves the registers that
    // it is short of.
    static constexpr bool FULL = T > 6;
    static_assert(T % 2 == 0 && WIDTH % 4 == 0 && 2 * CHUNKS <= THREADS, "a chunk a thread");
};

struct Pass {
    float *out;
    const float *m, *f;
    int width, height, pitch; // columns width..pitch-1 of m and f hold the halo, then of out too
    float halo;
    int strips;
    int stages, nf;     // stages at work; blocks in the ring of f, which waits for the last of them
    int overhead;       // rows that a segment takes and does not give
    int outer_rows;     // of the first and the last strip of a plane, as they are counted
    long long share;    // rows of the long column, overhead included, of one block of the grid
};

template <int T> constexpr int shared_bytes(int stages)
{
    return (Shape<T>::NM + ring_of_f(stages) + 2 * (stages - 1)) * Shape<T>::BLK * 4;
}

// ---- memory ----

__device__ __forceinline__ void load(float (&a)[V], const float *p)
{
#pragma unroll
    for (int c = 0; c < V / 2; c++) {
        const float2 pair = *(const float2 *)(p + 2 * c);
        a[2 * c] = pair.x, a[2 * c + 1] = pair.y;
    }
}

// Predicated stores: a branch would end the basic block, and rows would no longer interleave.
__device__ __forceinline__ void put_global(float *p, bool ok, const float *a)
{
    asm volatile("{.reg .pred q; setp.ne.s32 q,%0,0; @q st.global.v2.f32 [%1],{%2,%3};}" ::"r"(
                     (int)ok), "l"(p), "f"(a[0]), "f"(a[1]));
}
__device__ __forceinline__ void put_shared(unsigned p, bool ok, const float *a)
{
    asm volatile("{.reg .pred q; setp.ne.s32 q,%0,0; @q st.shared.v2.f32 [%1],{%2,%3};}" ::"r"(
                     (int)ok), "r"(p), "f"(a[0]), "f"(a[1]));
}

// Asynchronous from compute capability 8.0 on; before, the copy is made here and now.
__device__ __forceinline__ void copy16(float *s, const float *g, bool ok)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("{.reg .pred q; setp.ne.s32 q,%2,0; @q cp.async.cg.shared.global [%0],[%1],16;}" ::
                     "r"((unsigned)__cvta_generic_to_shared(s)), "l"(g), "r"((int)ok));
#else
    if (ok)
        *(float4 *)s = *(const float4 *)g;
#endif
}
__device__ __forceinline__ void copy_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int N> __device__ __forceinline__ void copy_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

struct Yes {
    static constexpr bool value = true;
};
struct No {
    static constexpr bool value = false;
};

// ---- one segment: rows y0..y1-1 of the strip from column x0 on; XE: it has columns outside ----

template <class S, bool XE>
__device__ __forceinline__ void sweep(const Pass &a, int x0, int y0, int y1, float *sm)
{
    constexpr int T = S::T;
    const int stages = S::FULL ? D : a.stages, nf = S::FULL ? ring_of_f(D) : a.nf;
    const int tid = threadIdx.x, lane = tid & 31, warp = __shfl_sync(~0u, tid >> 5, 0);
    const int d = warp / G, g = warp - d * G; // stage; place beside the others of the stage
    float *const sf = sm + S::NM * S::BLK, *const sh = sf + nf * S::BLK;
    const int ys = y0 - T * stages, rows = (y1 - y0 + 2 * T * stages + T - 1) / T * T;
    const int steps = rows / T + stages - 1;

    // Loading: each thread owns one chunk of every row of m or of f.
    const bool ism = tid < S::CHUNKS;
    const int chunk = ism ? tid : tid - S::CHUNKS, cx0 = x0 + 4 * chunk;
    const bool use = chunk < S::CHUNKS && (!XE || (cx0 >= 0 && cx0 < a.pitch));
    // f comes one row later than m: row y of it is first wanted when row y + 1 of m arrives.
    const float *src =
        (ism ? a.m + (long long)ys * a.pitch : a.f + (long long)(ys - 1) * a.pitch) + cx0;
    int lrow = ys, lm = 0, lf = 0; // row and places in the rings of the next block to load
    // Row u of the next block of rows to load.
    auto fetch = [&](auto edge, int u) {
        const int block = ism ? lm * S::BLK : S::NM * S::BLK + lf * S::BLK;
        float *s = sm + block + 4 * chunk + u * S::WIDTH;
        if (!decltype(edge)::value)
            copy16(s, src, use);
        else if (use && lrow + u < ys + rows) {
            if ((unsigned)(lrow + u - !ism) < (unsigned)a.height)
                copy16(s, src, true);
            else
                *(float4 *)s = make_float4(a.halo, a.halo, a.halo, a.halo);
        }
        src += a.pitch;
    };
    auto fetched = [&]() {
        copy_commit();
        lrow += T;
        if (++lm == S::NM)
            lm = 0;
        if (++lf == nf)
            lf = 0;
    };
    __syncthreads(); // the segment before is done with the rings
    if (XE) {        // columns outside are never loaded: they hold the halo for good
        for (int i = tid; i < (S::NM + nf) * S::BLK / 4; i += THREADS)
            ((float4 *)sm)[i] = make_float4(a.halo, a.halo, a.halo, a.halo);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < A; i++) {
        for (int u = 0; u < T; u++)
            fetch(Yes{}, u);
        fetched();
    }

    // Of every level: the row before, its pair sums, the f of T rows (a ring: level t works t rows
    // behind), and what the neighbouring lanes hold beside it.
    float mp[T][V], q[T][V], fr[T][V], mr[T], ql[T], coefficient[V];
#pragma unroll
    for (int t = 0; t < T; t++) {
        mr[t] = ql[t] = 0.f;
#pragma unroll
        for (int v = 0; v < V; v++)
            mp[t][v] = q[t][v] = fr[t][v] = 0.f;
    }
    const int lc = g * S::STEP + lane * V, gx = x0 + lc; // first column in the strip, in the image
#pragma unroll
    for (int v = 0; v < V; v++) // outside the image 0 * s + f = the halo's value, for good
        coefficient[v] = !XE || (gx + v >= 0 && gx + v < a.width) ? 0.25f : 0.f;
    const int last = stages - 1;
    bool own[V / 2], keep[V / 2]; // to hand on, to write to the image
#pragma unroll
    for (int c = 0; c < V / 2; c++) {
        const int w = lane * V + 2 * c, x = lc + 2 * c;
        own[c] = (w >= T || g == 0) && (w < 32 * V - T || g == G - 1);
        keep[c] = d == last && own[c] && x >= S::HALO && x < S::WIDTH - S::HALO &&
                  (!XE || gx + 2 * c < a.pitch);
        own[c] = own[c] && d < last;
    }
    // This stage's steps; stages that are not at work only load.
    const int begin = d * (LAG + 1), end = S::FULL || d <= last ? rows / T + d : 0;
    int row = ys - d * LAG * T; // the first input row of a step
    int fs = (nf - d * LAG % nf) % nf, ms = 0;
    float *po = a.out + (long long)(row - T) * a.pitch + gx;
    const unsigned hand = (unsigned)__cvta_generic_to_shared(sh + d * 2 * S::BLK + lc);

    // T rows through T levels; EY: rows outside the image may be among them.
    auto body = [&](auto ey, const float *pm, const float *pf, unsigned ph, bool all) {
        constexpr bool EY = decltype(ey)::value;
        float next[V], fnext[V];
        load(next, pm);
        load(fnext, pf);
#pragma unroll
        for (int i = 0; i < T; i++) {
            // The next row is fetched before this one is worked on: the stores at its end hide from
            // the compiler that the fetch could move up.
            fetch(ey, i);
            float cur[V], fnow[V];
#pragma unroll
            for (int v = 0; v < V; v++)
                cur[v] = next[v], fnow[v] = fnext[v];
            if (i + 1 < T) {
                load(next, pm + (i + 1) * S::WIDTH);
                load(fnext, pf + (i + 1) * S::WIDTH);
            }
#pragma unroll
            for (int t = 0; t < T; t++) {
                const int slot = (i - t + T) % T;
                const bool in = !EY || (unsigned)(row + i - t - 1) < (unsigned)a.height;
                float out[V];
#pragma unroll
                for (int v = V - 1; v >= 0; v--) {
                    const float qn = (v < V - 1 ? mp[t][v < V - 1 ? v + 1 : 0] : mr[t]) + cur[v];
                    const float s = (v > 0 ? q[t][v > 0 ? v - 1 : 0] : ql[t]) + qn;
                    out[v] = fmaf(in ? coefficient[v] : 0.f, s, t == 0 ? fnow[v] : fr[slot][v]);
                    q[t][v] = qn;
                }
#pragma unroll
                for (int v = 0; v < V; v++)
                    mp[t][v] = cur[v], cur[v] = out[v];
                mr[t] = __shfl_down_sync(~0u, mp[t][0], 1); // both wanted by the next row
                ql[t] = __shfl_up_sync(~0u, q[t][V - 1], 1);
            }
#pragma unroll
            for (int v = 0; v < V; v++)
                fr[i][v] = fnow[v];
            const bool mine = EY ? (unsigned)(row + i - T - y0) < (unsigned)(y1 - y0) : all;
#pragma unroll
            for (int c = 0; c < V / 2; c++) {
                put_global(po + 2 * c, keep[c] && mine, cur + 2 * c);
                put_shared(ph + (i * S::WIDTH + 2 * c) * 4, own[c], cur + 2 * c);
            }
            po += a.pitch;
        }
    };
    // A function of its own: written into the loop, the deep shape runs out of registers.
    auto step = [&](int k) {
        copy_wait<A - 1>();
        __syncthreads();
        if (k >= begin && k < end) {
            const float *pm = d == 0 ? sm + ms * S::BLK
                                     : sh + ((d - 1) * 2 + ((k - 1) & 1)) * S::BLK;
            const float *pf = sf + fs * S::BLK;
            const unsigned ph = hand + (k & 1) * S::BLK * 4;
            // Rows come out of the last stage all or none, but for the block with y1 in it.
            const bool all = row - T >= y0 && row - T < y1;
            if (row - T >= 0 && row + T - 1 <= a.height && (row <= y1 || row - T >= y1) &&
                lrow > 0 && lrow + T <= min(a.height, ys + rows))
                body(No{}, pm + lc, pf + lc, ph, all);
            else
                body(Yes{}, pm + lc, pf + lc, ph, all);
        } else {
            for (int u = 0; u < T; u++)
                fetch(Yes{}, u);
            po += (long long)T * a.pitch;
        }
        fetched();
        row += T;
        if (++ms == S::NM)
            ms = 0;
        if (++fs == nf)
            fs = 0;
    };
#pragma unroll 1
    for (int k = 0; k < steps; k++)
        step(k);
    copy_wait<0>();
}

// The strips, one below the other, are one long column; each block takes its share of it.
template <int T> __global__ void __launch_bounds__(THREADS, 1) stream_pass(const Pass a)
{
    using S = Shape<T>;
    extern __shared__ float4 raw[];
    const long long p0 = blockIdx.x * a.share, p1 = p0 + a.share;
    long long base = 0; // where strip s begins
    for (int s = 0; s < a.strips && base < p1; s++) {
        const long long rows = s == 0 || s == a.strips - 1 ? a.outer_rows : a.height;
        const long long start = base + a.overhead;
        base = start + rows;
        if (base <= p0)
            continue;
        const int y0 = (int)(max(p0 - start, 0ll) * a.height / rows);
        const int y1 = (int)(min(max(p1 - start, 0ll), rows) * a.height / rows);
        if (y1 <= y0)
            continue;
        const int x0 = s * S::USE - S::HALO;
        if (x0 < 0 || x0 + S::WIDTH > a.width)
            sweep<S, true>(a, x0, y0, y1, (float *)raw);
        else
            sweep<S, false>(a, x0, y0, y1, (float *)raw);
    }
}

// ---- what leaves this file ----

template <int T> cudaError_t plan(rec_stream *made, int most)
{
    int stages = D, blocks = 0;
    while (stages && shared_bytes<T>(stages) > most)
        stages = Shape<T>::FULL ? 0 : stages - 1;
    if (!stages)
        return cudaSuccess;
    const int bytes = shared_bytes<T>(stages);
    cudaError_t result = cudaFuncSetAttribute(
        stream_pass<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (!result)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stream_pass<T>, THREADS,
                                                               bytes);
    made->levels = T;
    made->stages = blocks ? stages : 0;
    return result;
}

template <int T>
cudaError_t launch(const rec_stream *planned, int stages, const rec_grid *grid, float *out,
                   const float *m, const float *f, cudaStream_t stream)
{
    using S = Shape<T>;
    const int outer = grid->width > S::USE ? 2 : 1;
    Pass a = {};
    a.width = (int)grid->width, a.height = (int)grid->height, a.pitch = (int)grid->pitch;
    a.halo = grid->halo;
    a.strips = (int)((grid->width + S::USE - 1) / S::USE);
    a.stages = stages, a.nf = ring_of_f(stages);
    a.overhead = 2 * T * stages + (stages - 1) * T + 8;
    a.outer_rows = (int)((grid->height * 68 + 63) / 64); // measured: 1/16 slower
    const long long total = (a.strips - outer) * (a.height + (long long)a.overhead) +
                            outer * (a.outer_rows + (long long)a.overhead);
    a.share = (total + planned->processors - 1) / planned->processors;
    if (a.share < a.overhead + 4) // less gives nothing
        a.share = a.overhead + 4;
    const unsigned blocks = (unsigned)((total + a.share - 1) / a.share);
    for (size_t p = 0; p < grid->planes; p++) {
        const size_t at = p * grid->height * grid->pitch;
        a.out = out + at, a.m = m + at, a.f = f + at;
        stream_pass<T><<<blocks, THREADS, shared_bytes<T>(stages), stream>>>(a);
    }
    return cudaGetLastError();
}

} // namespace

extern "C" cudaError_t rec_stream_plan(const rec_grid *grid, int levels, rec_stream *made)
{
    int device = 0, shared = 0;
    *made = rec_stream{};
    cudaError_t result = cudaGetDevice(&device);
    if (!result)
        result = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (!result)
        result = cudaDeviceGetAttribute(&made->processors, cudaDevAttrMultiProcessorCount, device);
    const size_t most = (size_t)1 << 30; // rows and columns are counted in int
    if (result || grid->width >= most || grid->height >= most)
        return result;
    return levels == 8 ? plan<8>(made, shared) : plan<6>(made, shared);
}

extern "C" cudaError_t rec_launch_stream(const rec_stream *plan, int stages, const rec_grid *grid,
                                         float *out, const float *m, const float *f,
                                         cudaStream_t stream)
{
    return plan->levels == 8 ? launch<8>(plan, stages, grid, out, m, f, stream)
                             : launch<6>(plan, stages, grid, out, m, f, stream);
}
