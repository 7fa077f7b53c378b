// All levels of at most 32 x 32 cells, by one block a plane. Each level has warps of its own, which
// find out once what they need to know of their cells, all levels at the same time, and before the
// last kernel has ended; then the levels take turns. A thread has a cell of the next level,
// and in registers what belongs to the cells of the level that make it, up to 2 x 2:
//
//     r b   r b   r b       red cells (y + x even) and black ones. Those of one colour lie together
//     b r   b r   b r       in memory, rows one after the other: all lanes read neighbouring words.
//
// So restriction, prolongation and half of the neighbours need no other thread. On a wrapped axis
// with an odd number of cells neighbours have one colour: each takes the other's value from before
// the half sweep.
#include "kernels/early.cuh"
#include "kernels/multigrid_sums.cuh"
#include "kernels/multigrid_tile.cuh"

namespace
{

constexpr int small_cells = REC_SMALL_SIDE * REC_SMALL_SIDE * 4 / 3; // of all levels
constexpr int small_threads = 256 + 64 + 32 + 32; // of levels of 32 x 32, 16 x 16, 8 x 8, 4 x 4

struct Levels {
    rec_device_level level[REC_SMALL_LEVELS];
    int count;
};

struct Shared {
    float b[small_cells], z[small_cells + 1]; // the last one is 0: what is known
};

// Places of b and z of a level, and its threads, in whole warps.
__device__ __forceinline__ int places_of(const rec_device_level &level)
{
    return 2 * level.y.cells * ((level.x.cells + 1) / 2);
}
__device__ __forceinline__ int threads_of(const rec_device_level &level)
{
    return ((level.y.cells + 1) / 2 * ((level.x.cells + 1) / 2) + 31) / 32 * 32;
}

template <bool Wrapped> struct Cells {
    const rec_device_level level;
    Shared &shared;
    int first, across;             // of the places; the threads in a row
    int y0, x0, thread;            // the first cell; among the level's
    bool turn;                     // of the level
    int own[2][2], outer[2][2][2]; // where z of the cells is; of the neighbours that are no
                                   // cells of the thread: above or below, left or right
    int inner[2][2][2];            // Wrapped: and of those that are
    unsigned inside, unknown;      // bits 2 k + d: of the cell k rows below the first, d beside it
    bool all_unknown;              // as far as they exist
    float z[2][2], b[2][2], diagonal[2][2], inverse[2][2];

    __device__ __forceinline__ Cells(const rec_device_level &its_level, Shared &through,
                                     int its_first, int its_thread)
        : level(its_level), shared(through), first(its_first), across((level.x.cells + 1) / 2),
          y0(2 * (its_thread / across)), x0(2 * (its_thread % across)), thread(its_thread),
          inside(0)
    {
        int y[4], x[4]; // from the cell before the first on; -1: none
#pragma unroll
        for (int k = 0; k < 4; k++) {
            y[k] = cell_of(level.y, y0 - 1 + k);
            x[k] = cell_of(level.x, x0 - 1 + k);
        }
        const auto place = [&](int k, int d) {
            const int at = first + ((y[k] + x[d] & 1) * level.y.cells + y[k]) * across + x[d] / 2;
            return y[k] < 0 || x[d] < 0 ? small_cells : at;
        };
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int k = i / 2, d = i % 2;
            const bool here = y0 + k < level.y.cells && x0 + d < level.x.cells;
            const int lacking = rec_missing(&level.x, x0 + d) + rec_missing(&level.y, y0 + k);
            inside |= (unsigned)here << i;
            own[k][d] = place(k + 1, d + 1);
            outer[k][d][0] = place(k ? 3 : 0, d + 1);
            outer[k][d][1] = place(k + 1, d ? 3 : 0);
            if (Wrapped) {
                inner[k][d][0] = place(k ? 1 : 2, d + 1);
                inner[k][d][1] = place(k + 1, d ? 1 : 2);
            }
            z[k][d] = 0;
            diagonal[k][d] = (float)(4 - lacking);
            inverse[k][d] = inverse_diagonal(lacking);
            if (level.mass && here) {
                diagonal[k][d] += level.mass[(size_t)(y0 + k) * level.pitch + x0 + d];
                inverse[k][d] = 1 / diagonal[k][d];
            }
        }
    }

    static __device__ __forceinline__ int cell_of(const rec_multigrid_axis &axis, int i)
    {
        if (Wrapped)
            return place_of(axis, i);
        return (unsigned)i < (unsigned)axis.cells ? i : -1;
    }
    // A child beyond a side that is not fixed, or of an axis of one cell, does not exist.
    static __device__ __forceinline__ bool is_nothing(const rec_multigrid_axis &axis, int i)
    {
        return i >= axis.cells && (axis.high != REC_FIXED || axis.cells == 1);
    }
    __device__ __forceinline__ bool has(unsigned bits, int k, int d) const
    {
        return bits >> (2 * k + d) & 1;
    }

    // The right side. A known cell has an inverse of 0, so that z stays 0.
    __device__ __forceinline__ void load(const float *sides, int pitch)
    {
        unknown = 0;
        all_unknown = true;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int k = i / 2, d = i % 2;
            const float given = has(inside, k, d) ? sides[(y0 + k) * pitch + x0 + d] : NAN;
            unknown |= (unsigned)!isnan(given) << i;
            all_unknown &= !isnan(given) || is_nothing(level.y, y0 + k) ||
                           is_nothing(level.x, x0 + d);
            b[k][d] = isnan(given) ? 0 : given;
            inverse[k][d] = isnan(given) ? 0 : inverse[k][d];
        }
    }

    // z of a neighbour of the cell: above (-1) or below (1); to the left or the right.
    __device__ __forceinline__ float above(int k, int d, int down) const
    {
        const bool within = (k + down & ~1) == 0;
        return !within   ? shared.z[outer[k][d][0]]
               : Wrapped ? shared.z[inner[k][d][0]]
                         : z[1 - k][d];
    }
    __device__ __forceinline__ float beside(int k, int d, int right) const
    {
        const bool within = (d + right & ~1) == 0;
        return !within   ? shared.z[outer[k][d][1]]
               : Wrapped ? shared.z[inner[k][d][1]]
                         : z[k][1 - d];
    }
    template <typename Sum = float> __device__ __forceinline__ Sum around(int k, int d) const
    {
        const Sum up = above(k, d, -1), left = beside(k, d, -1);
        const Sum right = beside(k, d, 1), down = above(k, d, 1);
        return (up + left) + (right + down);
    }
    __device__ __forceinline__ void show(int k, int d)
    {
        if (has(inside, k, d))
            shared.z[own[k][d]] = z[k][d];
    }

    template <int Colour> __device__ __forceinline__ void half_sweep()
    {
        float next[2];
#pragma unroll
        for (int k = 0; turn && k < 2; k++)
            next[k] = inverse[k][k ^ Colour] * (b[k][k ^ Colour] + around(k, k ^ Colour));
        if (Wrapped)
            __syncthreads();
#pragma unroll
        for (int k = 0; turn && k < 2; k++) {
            z[k][k ^ Colour] = next[k];
            show(k, k ^ Colour);
        }
        __syncthreads();
    }

    // The sweeps from 0, and the right side of the level behind, if there is one. By all threads.
    __device__ __forceinline__ void go_down(int sweeps, bool is_last)
    {
#pragma unroll
        for (int k = 0; turn && k < 2; k++) {
            z[k][k] = inverse[k][k] * b[k][k];
            show(k, k);
            show(k, 1 - k);
        }
        __syncthreads();
        half_sweep<1>();
#pragma unroll 1
        for (int i = 1; i < sweeps; i++) {
            half_sweep<0>();
            half_sweep<1>();
        }
        if (!turn || is_last || !has(inside, 0, 0))
            return;
        float sum = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int k = i / 2, d = i % 2;
            if (has(unknown, k, d))
                sum += b[k][d] - (diagonal[k][d] * z[k][d] - around(k, d));
        }
        shared.b[first + places_of(level) + thread] = all_unknown ? sum : NAN;
    }

    // The correction from the level behind, if there is one, and the sweeps back. By all threads.
    __device__ __forceinline__ void go_up(int sweeps, bool is_last)
    {
        if (turn && !is_last && has(inside, 0, 0)) {
            const int y = y0 / 2, x = x0 / 2, height = (level.y.cells + 1) / 2;
            const int place = ((y + x & 1) * height + y) * ((across + 1) / 2) + x / 2;
            const float coarse = level.weight * shared.z[first + places_of(level) + place];
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (has(unknown, i / 2, i % 2))
                    z[i / 2][i % 2] += coarse;
        }
#pragma unroll
        for (int i = 0; turn && i < 4; i++)
            show(i / 2, i % 2);
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < sweeps; i++) {
            half_sweep<1>();
            half_sweep<0>();
        }
    }

    __device__ __forceinline__ rec_device_sums write(float *plane) const
    {
        rec_device_sums sums = {};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int k = i / 2, d = i % 2;
            const double value = z[k][d], around_it = around<double>(k, d);
            if (has(inside, k, d))
                plane[(size_t)(y0 + k) * level.pitch + x0 + d] = z[k][d];
            sums.rz += value * b[k][d];
            sums.zaz += value * (diagonal[k][d] * value - around_it);
            sums.largest = fmaxf(sums.largest, fabsf(z[k][d]));
        }
        return sums;
    }
};

template <bool Wrapped>
__global__ void __launch_bounds__(small_threads)
    small(const rec_device_solve solve, const Levels levels)
{
    __shared__ Shared shared;
    const size_t plane = blockIdx.x;
    const rec_device_level &top = levels.level[0];
    const int last = levels.count - 1;
    int mine = 0, first = 0, thread = (int)threadIdx.x; // the level of the thread
    while (mine < last && thread >= threads_of(levels.level[mine])) {
        thread -= threads_of(levels.level[mine]);
        first += places_of(levels.level[mine++]);
    }
    Cells<Wrapped> cells(levels.level[mine], shared, first, thread);
    if (thread >= threads_of(cells.level))
        mine = -1;
    wait_for_last_kernel();
    let_next_kernel_start();
    const rec_device_steps now = solve.run->next[plane];
    if (threadIdx.x == 0) {
        solve.run->now[plane] = now;
        shared.z[small_cells] = 0;
    }
    if (now.last)
        return;
#pragma unroll 1
    for (int l = 0; l <= last; l++) {
        cells.turn = l == mine;
        if (cells.turn && l)
            cells.load(shared.b + first, cells.level.x.cells);
        else if (cells.turn)
            cells.load(top.b + plane * top.step, top.pitch);
        cells.go_down(levels.level[l].sweeps, l == last);
        __syncthreads();
    }
#pragma unroll 1
    for (int l = last; l >= 0; l--) {
        cells.turn = l == mine;
        cells.go_up(levels.level[l].sweeps, l == last);
    }
    rec_device_sums sums = {};
    if (mine == 0)
        sums = cells.write(top.z + plane * top.step);
    if (top.b == solve.box.b && sum_plane<small_threads>(solve, plane, 0, 1, sums))
        solve.run->sums[plane] = sums;
}

} // namespace

cudaError_t rec_launch_multigrid_small(const rec_device_solve *solve, const rec_device_level *level,
                                       size_t levels, cudaStream_t stream)
{
    Levels all = {};
    bool wrapped = false;
    for (; (size_t)all.count < levels; all.count++) {
        all.level[all.count] = level[all.count];
        wrapped |= level[all.count].x.low == REC_WRAPPED || level[all.count].y.low == REC_WRAPPED;
    }
    return launch_early(wrapped ? small<true> : small<false>, dim3((unsigned)solve->planes),
                        small_threads, 0, stream, *solve, all);
}
