// The steps of conjugate gradients, the residual before them, and the picture after them. A warp
// has 128 columns of a row.
#include "kernels/early.cuh"
#include "kernels/four.cuh"
#include "kernels/multigrid_sums.cuh"
#include "kernels/multigrid_tile.cuh"

namespace
{

constexpr int step_warps = 4;

// p = z + beta p, made again by each warp that needs it.
struct Direction {
    const rec_device_level &box;
    const float *z, *last;
    float beta;

    __device__ __forceinline__ float at(int y, int x) const
    {
        const long long i = (long long)y * box.pitch + x;
        return fmaf(beta, last[i], z[i]);
    }
    // Columns x..x+3 of row y, which may be outside.
    __device__ __forceinline__ Four<float> four_at(int y, int x) const
    {
        if (box.y.low == REC_WRAPPED)
            y = y < 0 ? box.y.count - 1 : y == box.y.count ? 0 : y;
        const long long i = (long long)y * box.pitch + x;
        const float4 now = *(const float4 *)(z + i), before = *(const float4 *)(last + i);
        return {{fmaf(beta, before.x, now.x), fmaf(beta, before.y, now.y),
                 fmaf(beta, before.z, now.z), fmaf(beta, before.w, now.w)}};
    }
    // What the first and the last lane of a warp need of the columns beside its own.
    __device__ __forceinline__ float beside(int y, int x) const
    {
        const int lane = threadIdx.x % 32;
        if (lane != 0 && lane != 31)
            return 0;
        return at(y, lane ? x + 4 : x == 0 && box.x.low == REC_WRAPPED ? box.x.count - 1 : x - 1);
    }
};

__device__ __forceinline__ Four<float> four_of(const float *at)
{
    const float4 q = *(const float4 *)at;
    return {{q.x, q.y, q.z, q.w}};
}

__device__ __forceinline__ void put(float *at, const Four<float> &four)
{
    *(float4 *)at = make_float4(four.v[0], four.v[1], four.v[2], four.v[3]);
}

__device__ __forceinline__ void split(float &high, float &low, double value)
{
    high = (float)value;
    low = (float)(value - high);
}

// A p of four columns. `beside` is p.beside(y, x), `mass` that of the columns.
template <bool Mass>
__device__ __forceinline__ Four<double> multiply(const Direction &p, const Four<float> &above,
                                                 const Four<float> &here, const Four<float> &below,
                                                 float beside, const Four<float> &mass, int y,
                                                 int x)
{
    const rec_device_cells &axis = p.box.x;
    const int lane = threadIdx.x % 32;
    float before = __shfl_up_sync(~0u, here.v[3], 1), after = __shfl_down_sync(~0u, here.v[0], 1);
    before = lane == 0 ? beside : before;
    after = lane == 31 ? beside : after;
    Four<double> product;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const float left = c ? here.v[c ? c - 1 : 0] : before;
        float right = c < 3 ? here.v[c < 3 ? c + 1 : 3] : after;
        if (axis.low == REC_WRAPPED && x + c == axis.count - 1)
            right = p.at(y, 0);
        const int diagonal = 4 - missing(axis, x + c) - missing(p.box.y, y);
        product.v[c] = (Mass ? diagonal + (double)mass.v[c] : diagonal) * (double)here.v[c] -
                       (((double)above.v[c] + left) + ((double)right + below.v[c]));
    }
    return product;
}

// By one thread of a plane. The last plane decides whether there is another cycle.
__device__ __forceinline__ void conclude(const rec_device_solve &solve, size_t plane)
{
    rec_device_run *run = solve.run;
    rec_device_steps now = run->now[plane];
    rec_multigrid_steps *steps = &now.steps;
    if (!now.last) {
        rec_multigrid_set_rz(steps, run->sums[plane].rz, run->sums[plane].largest);
        now.pap = find_pap(now, run->sums[plane], steps->beta);
        steps->alpha = 0;
        if (!steps->finished)
            rec_multigrid_set_pap(steps, now.pap, solve.largest[plane]);
        now.taken++;
        now.rounded = now.rounded || steps->d <= now.exact;
        now.last = rec_multigrid_is_done(steps, now.stop);
        run->next[plane] = now;
    }
    if (take_ticket(&solve.tickets[solve.planes], (unsigned)solve.planes) != solve.planes - 1)
        return;
    bool all = true;
    for (size_t p = 0; p < solve.planes; p++)
        all = all && run->next[p].last;
    if ((--run->cycles <= 0 || all) && solve.again)
        cudaGraphSetConditional(solve.again, 0);
}

// Of 128 cells.
__host__ __device__ inline unsigned columns_of(const rec_device_level &level)
{
    return (unsigned)(level.x.count + 127) / 128;
}

// All that a warp reads is on its way before it uses any of it.
template <bool Mass>
__global__ void __launch_bounds__(32 * step_warps, Mass ? 4 : 5) step(const rec_device_solve solve)
{
    const size_t plane = blockIdx.z;
    const rec_device_level &box = solve.box;
    const unsigned columns = columns_of(box);
    const int x = 4 * (int)(blockIdx.x % columns * 32 + threadIdx.x % 32);
    const int y = (int)(blockIdx.x / columns * step_warps + threadIdx.x / 32);
    wait_for_last_kernel();
    let_next_kernel_start();
    const rec_device_steps &now = solve.run->now[plane];
    const rec_device_sums sums = solve.run->sums[plane];
    if (blockIdx.x == 0 && threadIdx.x == 32 * step_warps - 1)
        conclude(solve, plane);
    if (now.last || y >= box.y.count)
        return;
    const size_t first = plane * box.step, at = (size_t)y * box.pitch + x, k = first + at;
    const Four<float> r = four_of(box.b + k);
    if (__all_sync(~0u, isnan(r.v[0]) && isnan(r.v[1]) && isnan(r.v[2]) && isnan(r.v[3])))
        return;
    const double beta = now.steps.count ? sums.rz / now.steps.rz : 0;
    const double pap = find_pap(now, sums, beta), alpha = pap > 0 ? sums.rz / pap : 0;
    const int taken = now.taken + 1;
    const bool both = taken % 2 == 0; // two steps at once: x is read and written half as often
    const Direction p = {box, box.z + first, solve.p[now.taken & 1] + first, (float)beta};
    Four<float> low = {}, last = {}, mass = {};
    if (Mass)
        mass = four_of(box.mass + at);
    double2 sum[2] = {};
    if (!now.rounded)
        low = four_of(solve.low + k);
    if (both)
        last = four_of(p.last + at);
    if (both && taken > 2) {
        sum[0] = *(const double2 *)(solve.x + k);
        sum[1] = *(const double2 *)(solve.x + k + 2);
    }
    const float beside = p.beside(y, x);
    const Four<float> above = p.four_at(y - 1, x), here = p.four_at(y, x);
    const Four<double> product =
        multiply<Mass>(p, above, here, p.four_at(y + 1, x), beside, mass, y, x);
    Four<float> high, rest;
#pragma unroll
    for (int c = 0; c < 4; c++)
        split(high.v[c], rest.v[c], fma(-alpha, product.v[c], (double)r.v[c] + low.v[c]));
    put(solve.p[taken & 1] + k, here);
    put(box.b + k, high);
    if (!now.rounded)
        put(solve.low + k, rest);
#pragma unroll
    for (int h = 0; both && h < 2; h++) {
        sum[h].x += now.steps.alpha * last.v[2 * h] + alpha * here.v[2 * h];
        sum[h].y += now.steps.alpha * last.v[2 * h + 1] + alpha * here.v[2 * h + 1];
        *(double2 *)(solve.x + k + 2 * h) = sum[h];
    }
}

// ---- the beginning and the end: a thread has one pixel of the box ----

constexpr int pixel_threads = 256;

struct Pixel {
    int x, y; // in the box
    bool inside;
    size_t plane, i, at; // of level 0; of the picture

    __device__ __forceinline__ Pixel(const rec_device_level &box, const rec_device_picture &picture)
        : x((int)(blockIdx.y * 32 + threadIdx.x % 32)),
          y((int)(blockIdx.x * (pixel_threads / 32) + threadIdx.x / 32)),
          inside(x < box.x.count && y < box.y.count), plane(blockIdx.z),
          i(plane * box.step + (size_t)y * box.pitch + x),
          at((plane * picture.height + picture.top + y) * picture.pitch + picture.left + x)
    {
    }
};
// Rows along x: a grid may have more of them there.
dim3 pixels_of(size_t width, size_t height, size_t planes)
{
    return dim3((unsigned)((height + 7) / 8), (unsigned)((width + 31) / 32), (unsigned)planes);
}
dim3 pixels_of(const rec_device_solve *solve) // of the box
{
    return pixels_of((size_t)solve->box.x.count, (size_t)solve->box.y.count, solve->planes);
}

// A neighbour along an axis of `count` pixels: from pixel i, next to it in direction d. `stride` is
// the distance of two pixels in memory.
__device__ __forceinline__ double neighbour(const float *m, rec_beyond rule, int i, int d,
                                            int count, long long stride, double halo)
{
    if ((unsigned)(i + d) < (unsigned)count)
        return m[d * stride];
    return rec_ghost(rule, m[0], m[-d * (count - 1) * stride], halo);
}

__global__ void __launch_bounds__(pixel_threads)
    begin(const rec_device_solve solve, const rec_device_picture picture)
{
    const Pixel pixel(solve.box, picture);
    if (!pixel.inside)
        return;
    const int x = (int)picture.left + pixel.x, y = (int)picture.top + pixel.y;
    const int width = (int)picture.width, height = (int)picture.height;
    if (!picture.unknown[(size_t)y * picture.width + x])
        return;
    const float *m = picture.m + pixel.at;
    const long long pitch = (long long)picture.pitch;
    const double up = neighbour(m, picture.y, y, -1, height, pitch, picture.halo);
    const double down = neighbour(m, picture.y, y, 1, height, pitch, picture.halo);
    const double left = neighbour(m, picture.x, x, -1, width, 1, picture.halo);
    const double right = neighbour(m, picture.x, x, 1, width, 1, picture.halo);
    const double edge = picture.edges[pixel.at] -
                        (picture.edge_means ? picture.edge_means[pixel.plane] : 0.0);
    const size_t of_plane = (size_t)y * picture.pitch + x; // the same mass in each
    const double mass = picture.mass ? picture.mass[of_plane] : 0.0;
    if (picture.mass && pixel.plane == 0)
        solve.box.mass[pixel.i] = (float)mass;
    const double r = ((up + left) + (right + down)) - (4.0 + mass) * m[0] - edge;
    split(solve.box.b[pixel.i], solve.low[pixel.i], r);
    solve.base[pixel.i] = m[0];
    const int across = tiles_across(solve.box), side = own_side(solve.box);
    unsigned char *tile =
        &solve.tiles[(pixel.plane * tiles_down(solve.box) + pixel.y / side) * across +
                     pixel.x / side];
    if (!*tile) // stores of many to one place take long
        *tile = 1;
    const float largest = fmaxf(fmaxf(fabsf(m[0]), fabsf((float)edge)), fabsf((float)r));
    if (largest > solve.largest[pixel.plane])
        atomicMax((unsigned *)&solve.largest[pixel.plane], __float_as_uint(largest));
}

// Beyond a side there is a pad, without a mass.
__global__ void __launch_bounds__(pixel_threads)
    coarsen_mass(const rec_device_level level, const rec_device_level next)
{
    const int x = (int)(blockIdx.y * 32 + threadIdx.x % 32);
    const int y = (int)(blockIdx.x * (pixel_threads / 32) + threadIdx.x / 32);
    wait_for_last_kernel();
    if (x >= next.x.count || y >= next.y.count)
        return;
    const float *mass = level.mass + 2 * ((size_t)y * level.pitch + x), *below = mass + level.pitch;
    next.mass[(size_t)y * next.pitch + x] =
        level.weight * ((mass[0] + mass[1]) + (below[0] + below[1]));
}

// The value of an unknown pixel.
__device__ __forceinline__ double solved(const rec_device_solve &solve, const Pixel &pixel)
{
    const rec_device_steps &now = solve.run->next[pixel.plane];
    double x = now.taken > 1 ? solve.x[pixel.i] : 0.0;
    if (now.taken & 1)
        x += now.steps.alpha * solve.p[1][pixel.i];
    return solve.base[pixel.i] + x;
}

__global__ void __launch_bounds__(pixel_threads)
    set_picture(const rec_device_solve solve, const rec_device_picture picture,
                const double *shifts)
{
    const Pixel pixel(solve.box, picture);
    wait_for_last_kernel();
    if (pixel.inside && !isnan(solve.box.b[pixel.i]))
        picture.m[pixel.at] = (float)(solved(solve, pixel) + (shifts ? shifts[pixel.plane] : 0.0));
}

// What is missing to the mean, for a picture without known pixels.
__global__ void __launch_bounds__(pixel_threads)
    find_shift(const rec_device_solve solve, const rec_device_picture picture, double *means)
{
    rec_device_sums sum = {};
    Pixel pixel(solve.box, picture);
    wait_for_last_kernel();
    for (int y = blockIdx.x; y < solve.box.y.count; y += gridDim.x)
        for (int x = threadIdx.x; x < solve.box.x.count; x += pixel_threads) {
            pixel.i = pixel.plane * solve.box.step + (size_t)y * solve.box.pitch + x;
            sum.rz += solved(solve, pixel);
        }
    if (sum_plane<pixel_threads>(solve, pixel.plane, blockIdx.x, gridDim.x, sum))
        means[pixel.plane] -= sum.rz / ((double)solve.box.x.count * solve.box.y.count);
}

__global__ void __launch_bounds__(pixel_threads)
    take_known(const rec_device_picture picture, size_t x, size_t y, size_t width, size_t height,
               const float *from, const unsigned char *before)
{
    const size_t column = blockIdx.y * 32 + threadIdx.x % 32;
    const size_t row = blockIdx.x * (pixel_threads / 32) + threadIdx.x / 32, plane = blockIdx.z;
    if (column >= width || row >= height)
        return;
    const bool stays = before[row * width + column] &&
                       picture.unknown[(y + row) * picture.width + x + column];
    if (!stays)
        picture.m[(plane * picture.height + y + row) * picture.pitch + x + column] =
            from[(plane * height + row) * width + column];
}

} // namespace

cudaError_t rec_launch_multigrid_begin(const rec_device_solve *solve,
                                       const rec_device_picture *picture, cudaStream_t stream)
{
    return launch_early(begin, pixels_of(solve), pixel_threads, 0, stream, *solve, *picture);
}

cudaError_t rec_launch_multigrid_mass(const rec_device_level *level, const rec_device_level *next,
                                      cudaStream_t stream)
{
    return launch_early(coarsen_mass, pixels_of((size_t)next->x.count, (size_t)next->y.count, 1),
                        pixel_threads, 0, stream, *level, *next);
}

cudaError_t rec_launch_multigrid_step(const rec_device_solve *solve, cudaStream_t stream)
{
    const unsigned rows = (unsigned)(solve->box.y.count + step_warps - 1) / step_warps;
    return launch_early(solve->box.mass ? step<true> : step<false>,
                        dim3(rows * columns_of(solve->box), 1, (unsigned)solve->planes),
                        32 * step_warps, 0, stream, *solve);
}

cudaError_t rec_launch_multigrid_picture(const rec_device_solve *solve,
                                         const rec_device_picture *picture, double *means,
                                         cudaStream_t stream)
{
    const dim3 tiles((unsigned)rec_multigrid_tiles(&solve->box), 1, (unsigned)solve->planes);
    const cudaError_t result = means ? launch_early(find_shift, tiles, pixel_threads, 0, stream,
                                                    *solve, *picture, means)
                                     : cudaSuccess;
    return result == cudaSuccess ? launch_early(set_picture, pixels_of(solve), pixel_threads, 0,
                                                stream, *solve, *picture, means)
                                 : result;
}

cudaError_t rec_launch_multigrid_known(const rec_device_picture *picture, size_t x, size_t y,
                                       size_t width, size_t height, const float *from,
                                       const unsigned char *before, size_t planes,
                                       cudaStream_t stream)
{
    return launch_early(take_known, pixels_of(width, height, planes), pixel_threads, 0, stream,
                        *picture, x, y, width, height, from, before);
}
