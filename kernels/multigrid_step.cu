// The steps of conjugate gradients, the residual before them, and the picture after them. In a step
// a warp has 128 columns of a few rows.
#include "kernels/early.cuh"
#include "kernels/four.cuh"
#include "kernels/multigrid_sums.cuh"
#include "kernels/multigrid_tile.cuh"

namespace
{

constexpr int step_warps = 4, step_rows = 2; // rows of a warp

__device__ __forceinline__ Four<float> four_of(const float *at)
{
    const float4 q = *(const float4 *)at;
    return {{q.x, q.y, q.z, q.w}};
}

// What a warp needs of a plane for 128 columns of its rows: those, the rows above and below, and,
// in the first and the last lane, what is beside.
struct Window {
    Four<float> row[step_rows + 2];
    float beside[step_rows], first[step_rows]; // Wrapped: the first of the row

    __device__ __forceinline__ Window(const rec_device_level &box, const float *plane, int y, int x)
    {
        const int lane = threadIdx.x % 32;
        const int column = lane == 31                          ? x + 4
                           : x > 0 || box.x.low != REC_WRAPPED ? x - 1
                                                               : box.x.cells - 1;
#pragma unroll
        for (int i = 0; i < step_rows + 2; i++) {
            int at = y + i - 1;
            if (box.y.low == REC_WRAPPED && (at < 0 || at == box.y.cells))
                at = at < 0 ? box.y.cells - 1 : 0;
            row[i] = four_of(plane + (long long)at * box.pitch + x);
        }
#pragma unroll
        for (int i = 0; i < step_rows; i++) {
            const float *here = plane + (long long)(y + i) * box.pitch;
            beside[i] = lane == 0 || lane == 31 ? here[column] : 0;
            first[i] = box.x.low == REC_WRAPPED ? here[0] : 0;
        }
    }
    // z + beta times this.
    __device__ __forceinline__ void add_to(const Window &z, float beta)
    {
#pragma unroll
        for (int i = 0; i < step_rows + 2; i++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                row[i].v[c] = fmaf(beta, row[i].v[c], z.row[i].v[c]);
#pragma unroll
        for (int i = 0; i < step_rows; i++) {
            beside[i] = fmaf(beta, beside[i], z.beside[i]);
            first[i] = fmaf(beta, first[i], z.first[i]);
        }
    }
};

__device__ __forceinline__ void put(float *at, const Four<float> &four)
{
    *(float4 *)at = make_float4(four.v[0], four.v[1], four.v[2], four.v[3]);
}

__device__ __forceinline__ void split(float &high, float &low, double value)
{
    high = (float)value;
    low = (float)(value - high);
}

// A p of four columns of the window's row i, row y of the box. `mass`: of the columns.
template <bool Mass>
__device__ __forceinline__ Four<double> multiply(const rec_device_level &box, const Window &p,
                                                 const Four<float> &mass, int i, int y, int x)
{
    const int lane = threadIdx.x % 32;
    const float *above = p.row[i].v, *here = p.row[i + 1].v, *below = p.row[i + 2].v;
    float before = __shfl_up_sync(~0u, here[3], 1), after = __shfl_down_sync(~0u, here[0], 1);
    before = lane == 0 ? p.beside[i] : before;
    after = lane == 31 ? p.beside[i] : after;
    Four<double> product;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const float left = c ? here[c ? c - 1 : 0] : before;
        float right = c < 3 ? here[c < 3 ? c + 1 : 3] : after;
        if (box.x.low == REC_WRAPPED && x + c == box.x.cells - 1)
            right = p.first[i];
        const int diagonal = 4 - rec_missing(&box.x, x + c) - rec_missing(&box.y, y);
        product.v[c] = (Mass ? diagonal + (double)mass.v[c] : diagonal) * (double)here[c] -
                       (((double)above[c] + left) + ((double)right + below[c]));
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

// Whether a tile with some of a warp's cells, 128 columns from x on, has unknown ones.
__device__ __forceinline__ bool has_unknown(const rec_device_solve &solve, size_t plane, int x,
                                            int y)
{
    const int side = own_side(solve.box), across = tiles_across(solve.box);
    const int lane = threadIdx.x % 32, i = x / side + lane / 2;
    const int j = min(y + lane % 2 * (step_rows - 1), solve.box.y.cells - 1) / side;
    const bool here = i < across && i * side < x + 128;
    return __any_sync(~0u, here && solve.tiles[(plane * tiles_down(solve.box) + j) * across + i]);
}

// Of 128 cells.
__host__ __device__ inline unsigned columns_of(const rec_device_level &level)
{
    return (unsigned)(level.x.cells + 127) / 128;
}

// All that a warp reads is on its way before it uses any of it.
template <bool Mass>
__global__ void __launch_bounds__(32 * step_warps, 4) step(const rec_device_solve solve)
{
    const size_t plane = blockIdx.z;
    const rec_device_level &box = solve.box;
    const unsigned columns = columns_of(box);
    const int lane = threadIdx.x % 32;
    const int x = 4 * (int)(blockIdx.x % columns * 32 + lane);
    const int y = step_rows * (int)(blockIdx.x / columns * step_warps + threadIdx.x / 32);
    wait_for_last_kernel();
    let_next_kernel_start();
    const rec_device_steps &now = solve.run->now[plane];
    const rec_device_sums sums = solve.run->sums[plane];
    if (blockIdx.x == 0 && threadIdx.x == 32 * step_warps - 1)
        conclude(solve, plane);
    if (y >= box.y.cells)
        return;
    const size_t first = plane * box.step, at = (size_t)y * box.pitch + x;
    const Window z(box, box.z + first, y, x);
    Four<float> r[step_rows];
#pragma unroll
    for (int i = 0; i < step_rows; i++)
        r[i] = four_of(box.b + first + at + (size_t)i * box.pitch);
    if (!has_unknown(solve, plane, x - 4 * lane, y) || now.last)
        return;
    Window p(box, solve.p[now.taken & 1] + first, y, x);
    const double beta = now.steps.count ? sums.rz / now.steps.rz : 0;
    const double pap = find_pap(now, sums, beta), alpha = pap > 0 ? sums.rz / pap : 0;
    const int taken = now.taken + 1;
    const bool both = taken % 2 == 0; // two steps at once: x is read and written half as often
    Four<float> last[step_rows], low[step_rows] = {};
    double2 sum[step_rows][2] = {};
#pragma unroll
    for (int i = 0; i < step_rows; i++) {
        const size_t k = first + at + (size_t)i * box.pitch;
        last[i] = p.row[i + 1];
        if (!now.rounded)
            low[i] = four_of(solve.low + k);
        if (both && taken > 2) {
            sum[i][0] = *(const double2 *)(solve.x + k);
            sum[i][1] = *(const double2 *)(solve.x + k + 2);
        }
    }
    p.add_to(z, (float)beta);
#pragma unroll
    for (int i = 0; i < step_rows; i++) {
        const size_t of_plane = at + (size_t)i * box.pitch, k = first + of_plane;
        Four<float> mass = {}, high, rest;
        if (y + i >= box.y.cells)
            return;
        if (__all_sync(~0u, isnan(r[i].v[0]) && isnan(r[i].v[1]) && isnan(r[i].v[2]) &&
                                isnan(r[i].v[3])))
            continue;
        if (Mass)
            mass = four_of(box.mass + of_plane);
        const Four<float> &here = p.row[i + 1];
        const Four<double> product = multiply<Mass>(box, p, mass, i, y + i, x);
#pragma unroll
        for (int c = 0; c < 4; c++)
            split(high.v[c], rest.v[c], fma(-alpha, product.v[c], (double)r[i].v[c] + low[i].v[c]));
        put(solve.p[taken & 1] + k, here);
        put(box.b + k, high);
        if (!now.rounded)
            put(solve.low + k, rest);
#pragma unroll
        for (int h = 0; both && h < 2; h++) {
            const float *before = last[i].v + 2 * h, *after = here.v + 2 * h;
            sum[i][h].x += now.steps.alpha * before[0] + alpha * after[0];
            sum[i][h].y += now.steps.alpha * before[1] + alpha * after[1];
            *(double2 *)(solve.x + k + 2 * h) = sum[i][h];
        }
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
          inside(x < box.x.cells && y < box.y.cells), plane(blockIdx.z),
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
    return pixels_of((size_t)solve->box.x.cells, (size_t)solve->box.y.cells, solve->planes);
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
    if (x >= next.x.cells || y >= next.y.cells)
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
    for (int y = blockIdx.x; y < solve.box.y.cells; y += gridDim.x)
        for (int x = threadIdx.x; x < solve.box.x.cells; x += pixel_threads) {
            pixel.i = pixel.plane * solve.box.step + (size_t)y * solve.box.pitch + x;
            sum.rz += solved(solve, pixel);
        }
    if (sum_plane<pixel_threads>(solve, pixel.plane, blockIdx.x, gridDim.x, sum))
        means[pixel.plane] -= sum.rz / ((double)solve.box.x.cells * solve.box.y.cells);
}

__global__ void __launch_bounds__(pixel_threads)
    copy_known(const rec_device_picture picture, size_t x, size_t y, size_t width, size_t height,
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
    return launch_early(coarsen_mass, pixels_of((size_t)next->x.cells, (size_t)next->y.cells, 1),
                        pixel_threads, 0, stream, *level, *next);
}

cudaError_t rec_launch_multigrid_step(const rec_device_solve *solve, cudaStream_t stream)
{
    constexpr int each = step_warps * step_rows;
    const unsigned rows = (unsigned)(solve->box.y.cells + each - 1) / each;
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
    return launch_early(copy_known, pixels_of(width, height, planes), pixel_threads, 0, stream,
                        *picture, x, y, width, height, from, before);
}
