// Two steps in one pass over m and f, for a look:
// - Iterate: the last two iterations and their norms. M_(N-1) stays in registers.
// - Distance: for the distance to the limit, the squares of J(J(M)) - M = r + A r in double, with
//   r = J(M) - M.
// A lane has four columns. A warp walks down its rows and keeps three rows of the first step. The
// outermost lanes compute only that step, for their neighbours: warps overlap by eight columns, and
// by a few rows.
#include "kernels/four.cuh"
#include "kernels/stencil.h"
#include "kernels/sums.cuh"

namespace {

constexpr int WARPS = sum_threads / 32, COLUMNS = 120;

// M_N from m = M_(N-2).
struct Iterate {
    static constexpr int ROWS = 2, BLOCKS = 4; // of a warp at a time; on a multiprocessor
    static constexpr bool COUNTS = true;       // there are a maximum and counts, too
    using Step = float;
    float *out;
    Change change;

    static __device__ Step first(float up, float left, float right, float down, float f, float)
    {
        return rec_update(up, left, right, down, f);
    }
    static __device__ Step outside(const Frame &frame) { return frame.halo; }
    // Outside the image all three values are the halo, which changes nothing.
    __device__ __forceinline__ float second(float up, float left, float right, float down, float f,
                                            float last, float before, bool inside, float halo)
    {
        const float now = inside ? rec_update(up, left, right, down, f) : halo;
        change.add(now, last, before);
        return now;
    }
    __device__ __forceinline__ void store(const Frame &frame, int y, int x, const Four<float> &now)
    {
        store_four(out, frame, y, x, now);
    }
    __device__ double take_squares() { return change.take_squares(); }
    __device__ Sums sums() const { return change.sums(); }
};

// (J(J(m)) - m)^2.
struct Distance {
    static constexpr int ROWS = 4, BLOCKS = 3;
    static constexpr bool COUNTS = false;
    using Step = double;
    float *out; // none
    double squares;

    static __device__ Step first(float up, float left, float right, float down, float f, float m)
    {
        return rec_residual(up, left, right, down, f, m);
    }
    static __device__ Step outside(const Frame &) { return 0.0; }
    __device__ __forceinline__ float second(double up, double left, double right, double down,
                                            float, double own, float, bool inside, float)
    {
        const double d = inside ? own + 0.25 * ((up + left) + (right + down)) : 0.0;
        squares += d * d;
        return 0.f;
    }
    __device__ void store(const Frame &, int, int, const Four<float> &) {}
    __device__ double take_squares()
    {
        const double taken = squares;
        squares = 0.0;
        return taken;
    }
    __device__ Sums sums() const { return {}; }
};

// The same with a mask: a known pixel has no residual.
struct DistanceOfUnknown : Distance {
    static __device__ Step first(float up, float left, float right, float down, float f, float m)
    {
        return rec_is_known(f) ? 0.0 : Distance::first(up, left, right, down, f, m);
    }
    __device__ __forceinline__ float second(double up, double left, double right, double down,
                                            float f, double own, float, bool inside, float)
    {
        return Distance::second(up, left, right, down, f, own, 0.f, inside && !rec_is_known(f),
                                0.f);
    }
};

// Rows y..y+ROWS-1 of the second step. Edge: some of its inputs are outside the image.
template <class B, bool Edge, class Task>
__device__ __forceinline__ void walk(Task &task, const float *m, const float *f, const Frame &frame,
                                     int y, int x, bool own)
{
    using T = typename Task::Step;
    constexpr int ROWS = Task::ROWS;
    // In a periodic picture the first step is made outside the image, too.
    constexpr bool wrapped_x = B::x == REC_WRAPPED && Edge, wrapped_y = B::y == REC_WRAPPED && Edge;
    constexpr rec_beyond terms = wrapped_y ? REC_WRAPPED : REC_FIXED;
    // Row i of `row` is y - 2 + i, of the others y - 1 + i.
    Four<float> row[ROWS + 4], term[ROWS + 2];
    Four<T> step[ROWS + 2];
#pragma unroll
    for (int i = 0; i < ROWS + 4; i++)
        row[i] = wrapped_x ? load_wrapped(m, frame, y - 2 + i, x)
                           : load_four<B::y, Edge>(m, frame, y - 2 + i, x);
#pragma unroll
    for (int i = 0; i < ROWS + 2; i++)
        term[i] = wrapped_x ? load_wrapped(f, frame, y - 1 + i, x)
                            : load_four<terms, Edge>(f, frame, y - 1 + i, x);
#pragma unroll
    for (int i = 0; i < ROWS + 2; i++) {
        const Four<float> &at = row[i + 1];
        const float l = __shfl_up_sync(~0u, at.v[3], 1), r = __shfl_down_sync(~0u, at.v[0], 1);
        const bool in = !Edge || wrapped_y || (unsigned)(y - 1 + i) < (unsigned)frame.height;
#pragma unroll
        for (int v = 0; v < 4; v++) {
            const T made = Task::first(row[i].v[v], left_of<B::x>(at, v, l, x),
                                       right_of<B::x>(at, v, r, x, frame.width), row[i + 2].v[v],
                                       term[i].v[v], at.v[v]);
            step[i].v[v] = !Edge || wrapped_x || (in && (unsigned)(x + v) < (unsigned)frame.width)
                               ? made
                               : Task::outside(frame);
        }
    }
#pragma unroll
    for (int i = 1; i <= ROWS; i++) {
        const Four<T> &at = step[i];
        const T l = __shfl_up_sync(~0u, at.v[3], 1), r = __shfl_down_sync(~0u, at.v[0], 1);
        const int here = y - 1 + i;
        if (Edge && here >= frame.end) // ghost rows of a slab follow its last own row
            break;
        Four<float> now;
#pragma unroll
        for (int v = 0; v < 4; v++) {
            const bool inside = !Edge || x + v < frame.width, counts = !wrapped_x || inside;
            const T up = is_near<B::y> && here == 0 ? near_ghost<B::y>(at.v[v])
                                                    : step[i - 1].v[v];
            const T down = is_near<B::y> && here == frame.height - 1 ? near_ghost<B::y>(at.v[v])
                                                                     : step[i + 1].v[v];
            now.v[v] = task.second(up, left_of<B::x>(at, v, l, x),
                                   right_of<B::x>(at, v, r, x, frame.width), down, term[i].v[v],
                                   counts ? at.v[v] : (T)frame.halo,
                                   counts ? row[i + 1].v[v] : frame.halo, inside, frame.halo);
        }
        if (own)
            task.store(frame, here, x, now);
    }
}

template <class B, class Task>
__global__ void __launch_bounds__(sum_threads, Task::BLOCKS)
two_steps(float *__restrict__ out, const float *__restrict__ m, const float *__restrict__ f,
          const Frame frame, Totals totals)
{
    constexpr int ROWS = Task::ROWS;
    const int lane = threadIdx.x % 32, x0 = (int)blockIdx.x * COLUMNS - 4, x = x0 + 4 * lane;
    const long long plane = blockIdx.z * (frame.height * frame.pitch);
    const bool own = lane > 0 && lane < 31 && x < frame.pitch;
    m += plane, f += plane;
    Task task = {};
    task.out = out + plane;
    const int steps = (frame.end - frame.first + ROWS - 1) / ROWS;
    for (int step = (int)blockIdx.y * WARPS + warp_number(); step < steps;
         step += (int)gridDim.y * WARPS) {
        const int y = frame.first + step * ROWS;
        if (x0 >= 0 && x0 + 128 <= frame.width && y >= 2 && y + ROWS + 2 <= frame.height &&
            y + ROWS <= frame.end)
            walk<Axes<REC_FIXED, REC_FIXED>, false>(task, m, f, frame, y, x, own);
        else
            walk<B, true>(task, m, f, frame, y, x, own);
        const double squares = task.take_squares();
        put_squares(own ? squares : 0.0, totals, step, steps);
    }
    if (Task::COUNTS)
        add_up(own ? task.sums() : Sums{}, totals);
}

// sums[plane][i]: the squares of `each` steps, each summed over the strips.
__global__ void __launch_bounds__(sum_threads)
add_strips(double *sums, const double *squares, int strips, int steps, int each, int count)
{
    const int i = (int)(blockIdx.x * sum_threads + threadIdx.x);
    if (i >= count)
        return;
    squares += (size_t)blockIdx.y * strips * steps;
    double sum = 0.0;
    for (int step = i * each; step < min((i + 1) * each, steps); step++)
#pragma unroll 4
        for (int strip = 0; strip < strips; strip++)
            sum += squares[(size_t)strip * steps + step];
    sums[(size_t)blockIdx.y * count + i] = sum;
}

template <class Task>
cudaError_t launch(const rec_grid *grid, float *out, const float *m, const float *f, void *scratch,
                   rec_device_norms *norms, double *squares, cudaStream_t stream)
{
    const dim3 blocks = blocks_that_sum(grid, COLUMNS, Task::ROWS * WARPS);
    const Totals totals = totals_in(grid, COLUMNS, scratch, norms);
    const cudaError_t result = with_axes(grid->beyond_x, grid->beyond_y, [&](auto axes) {
        two_steps<decltype(axes), Task>
            <<<blocks, sum_threads, 0, stream>>>(out, m, f, frame_of(grid), totals);
        return cudaGetLastError();
    });
    return result == cudaSuccess
               ? rec_launch_add_strips(grid, COLUMNS, Task::ROWS, totals.squares, squares, stream)
               : result;
}

} // namespace

cudaError_t rec_launch_add_strips(const rec_grid *grid, size_t columns, int rows,
                                  const double *squares, double *sums, cudaStream_t stream)
{
    const int count = (int)rec_sums_of(grid), strips = (int)((grid->pitch + columns - 1) / columns);
    const dim3 blocks((unsigned)((count + sum_threads - 1) / sum_threads), (unsigned)grid->planes);
    add_strips<<<blocks, sum_threads, 0, stream>>>(sums, squares, strips,
                                                   ((int)grid->rows + rows - 1) / rows,
                                                   REC_SUM_ROWS / rows, count);
    return cudaGetLastError();
}

size_t rec_norms_scratch_bytes(const rec_grid *grid)
{
    const size_t strips = grid->pitch / COLUMNS + 1, steps = grid->rows / Iterate::ROWS + 1;
    return blocks_bytes(grid, COLUMNS) + grid->planes * strips * steps * sizeof(double);
}

cudaError_t rec_launch_look(const rec_grid *grid, float *out, const float *m, const float *f,
                            void *scratch, rec_device_norms *norms, double *squares,
                            cudaStream_t stream)
{
    return launch<Iterate>(grid, out, m, f, scratch, norms, squares, stream);
}

cudaError_t rec_launch_distance(const rec_grid *grid, const float *m, const float *f, void *scratch,
                                double *squares, cudaStream_t stream)
{
    const auto run = grid->masked ? launch<DistanceOfUnknown> : launch<Distance>;
    return run(grid, nullptr, m, f, scratch, nullptr, squares, stream);
}
