// One pass over memory for each iteration, for any size and any boundary: the plain kernel.
//
// A lane has four columns. A warp takes two rows of 128 columns at a time and loads all that they
// need at once. The caches serve rows and columns that several warps read, so the image moves
// through memory once an iteration, at full bandwidth.
#include "kernels/four.cuh"
#include "kernels/stencil.h"
#include "kernels/sums.cuh"

namespace {

constexpr int ROWS = 2, WARPS = sum_threads / 32, BAND = ROWS * WARPS, COLUMNS = 128;

enum Mode {
    ITERATE, // out = J(m)
    NORMS,   // compare J(m) with m and with the iterate before m, which is `out`
    BEHIND   // the same, but the iterate before m is J(out)
};

// The rows of an iterate that ROWS rows of the next one need, and the values beside the warp's
// columns.
struct Rows {
    Four<float> row[ROWS + 2];
    float left[ROWS], right[ROWS];
};

template <class B>
__device__ __forceinline__ Rows load_rows(const float *m, const Frame &frame, int y, int x,
                                          int lane)
{
    Rows rows;
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++)
        rows.row[r] = load_four<B::y, true>(m, frame, y - 1 + r, x);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const float *at = m + (y + r) * frame.pitch + x;
        const bool in = y + r < frame.height;
        const int end = frame.width - x; // the column beyond the last, from x on
        rows.left[r] = in && lane == 0 && x > 0 ? at[-1] : frame.halo;
        rows.right[r] = in && lane == 31 && end > 4 ? at[4] : frame.halo;
        if (B::x == REC_WRAPPED && in && x == 0)
            rows.left[r] = at[frame.width - 1];
        if (B::x == REC_WRAPPED && in && end > 0 && end <= 4)
            rows.right[r] = at[-x];
    }
    return rows;
}

// Row r of the next iterate; Masked: pixels may be known. Columns beyond the width keep the halo.
template <class B, bool Masked>
__device__ __forceinline__ Four<float> update_row(const Rows &rows, const Four<float> &f,
                                                  const Frame &frame, int r, int x, int lane)
{
    const Four<float> &own = rows.row[r + 1];
    const float before = __shfl_up_sync(~0u, own.v[3], 1),
                after = __shfl_down_sync(~0u, own.v[0], 1);
    Four<float> now;
#pragma unroll
    for (int v = 0; v < 4; v++) {
        const bool wrapped = B::x == REC_WRAPPED && x + v == frame.width - 1;
        const float right = right_of<B::x>(own, v, lane < 31 ? after : rows.right[r], x,
                                           frame.width);
        now.v[v] = rec_update(rows.row[r].v[v],
                              left_of<B::x>(own, v, lane ? before : rows.left[r], x),
                              wrapped ? rows.right[r] : right, rows.row[r + 2].v[v], f.v[v]);
        now.v[v] = x + v < frame.width ? now.v[v] : frame.halo;
        if (Masked && rec_is_known(f.v[v]))
            now.v[v] = own.v[v];
    }
    return now;
}

template <class B, Mode mode, bool Masked>
__global__ void __launch_bounds__(sum_threads)
iterate(float *__restrict__ out, const float *__restrict__ m, const float *__restrict__ f,
        const Frame frame, Totals totals)
{
    const int lane = threadIdx.x % 32, x = (int)blockIdx.x * COLUMNS + 4 * lane;
    const long long plane = blockIdx.z * (frame.height * frame.pitch);
    out += plane, m += plane, f += plane;
    Change change;
    const int first = mode == ITERATE ? 0 : frame.first;
    const int end = mode == ITERATE ? frame.height : frame.end;
    const int steps = (end - first + ROWS - 1) / ROWS;
    for (int step = (int)blockIdx.y * WARPS + warp_number(); step < steps;
         step += (int)gridDim.y * WARPS) {
        const int y = first + step * ROWS;
        const Rows rows = load_rows<B>(m, frame, y, x, lane);
        Rows older;
        Four<float> term[ROWS], before[ROWS];
        if (mode == BEHIND)
            older = load_rows<B>(out, frame, y, x, lane);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            term[r] = load_four<REC_FIXED, true>(f, frame, y + r, x);
            if (mode == NORMS)
                before[r] = load_four<REC_FIXED, true>(out, frame, y + r, x);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const Four<float> now = update_row<B, Masked>(rows, term[r], frame, r, x, lane);
            if (mode == BEHIND)
                before[r] = update_row<B, Masked>(older, term[r], frame, r, x, lane);
            if (y + r < end && x < frame.pitch) {
                if (mode == ITERATE)
                    store_four(out, frame, y + r, x, now);
#pragma unroll
                for (int v = 0; mode != ITERATE && v < 4; v++)
                    change.add(now.v[v], rows.row[r + 1].v[v], before[r].v[v]);
            }
        }
        if (mode != ITERATE)
            put_squares(change.take_squares(), totals, step, steps);
    }
    if (mode != ITERATE)
        add_up(change.sums(), totals);
}

template <Mode mode>
cudaError_t launch(const rec_grid *grid, float *out, const float *m, const float *f, Totals totals,
                   cudaStream_t stream)
{
    dim3 blocks = blocks_that_sum(grid, COLUMNS, BAND);
    if (mode == ITERATE)
        blocks.y = (unsigned)((grid->height + BAND - 1) / BAND);
    return with_axes(grid->beyond_x, grid->beyond_y, [&](auto axes) {
        using B = decltype(axes);
        constexpr bool masks = mode != BEHIND; // with a mask nothing is behind
        const auto kernel = grid->masked ? iterate<B, mode, masks> : iterate<B, mode, false>;
        kernel<<<blocks, sum_threads, 0, stream>>>(out, m, f, frame_of(grid), totals);
        return cudaGetLastError();
    });
}

} // namespace

int rec_pixel_can(rec_beyond x, rec_beyond y)
{
    return with_axes(x, y, [](auto) { return cudaSuccess; }) == cudaSuccess;
}

cudaError_t rec_launch_pixel(const rec_grid *grid, float *out, const float *m, const float *f,
                             cudaStream_t stream)
{
    return launch<ITERATE>(grid, out, m, f, Totals{}, stream);
}

cudaError_t rec_launch_change(const rec_grid *grid, float *out, const float *m, const float *f,
                              int behind, void *scratch, rec_device_norms *norms, double *squares,
                              cudaStream_t stream)
{
    const Totals totals = totals_in(grid, COLUMNS, scratch, norms);
    cudaError_t result = behind ? launch<BEHIND>(grid, out, m, f, totals, stream)
                                : launch<NORMS>(grid, out, m, f, totals, stream);
    if (result == cudaSuccess)
        result = rec_launch_add_strips(grid, COLUMNS, ROWS, totals.squares, squares, stream);
    return result == cudaSuccess ? rec_launch_pixel(grid, out, m, f, stream) : result;
}
