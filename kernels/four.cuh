// For kernels in which a lane has four neighbouring columns of a row: loads and stores of 16 bytes,
// and the values to the left and right, from the neighbouring lanes.
#pragma once

#include "kernels/kernels.h"

namespace {

template <class T> struct Four {
    T v[4];
};

// A plane of a grid, counted in int: no side is longer than a million.
struct Frame {
    int width, height;
    long long pitch;
    float halo;
    int first, end; // rows of a look
};

inline Frame frame_of(const rec_grid *grid)
{
    return {(int)grid->width, (int)grid->height, (long long)grid->pitch, grid->halo,
            (int)grid->first, (int)(grid->first + grid->rows)};
}

// The row or column in 0..count-1 whose values the boundary has at i, at most two outside: the
// nearest or, wrapped, one at the opposite side.
template <bool Wrapped> __device__ __forceinline__ int index_of(int i, int count)
{
    const int moved = !Wrapped || (unsigned)i < (unsigned)count ? i : i < 0 ? i + count : i - count;
    return max(0, min(moved, count - 1));
}

// Columns x..x+3 of row y. With Edge they may be outside the image: then they are the halo, or the
// row that the boundary has there. Instead of a branch another address is read.
template <rec_boundary_kind Kind, bool Edge>
__device__ __forceinline__ Four<float> load_four(const float *plane, const Frame &frame, int y,
                                                 int x)
{
    constexpr bool fixed = Kind == REC_BOUNDARY_HALO;
    constexpr bool wrapped = Kind == REC_BOUNDARY_WRAP || Kind == REC_BOUNDARY_SAWTOOTH;
    const bool in = !Edge || (x >= 0 && x < frame.pitch &&
                              (!fixed || (unsigned)y < (unsigned)frame.height));
    const int row = Edge ? index_of<wrapped>(y, frame.height) : y, column = in ? x : 0;
    const float4 q = *(const float4 *)(plane + row * frame.pitch + column);
    return {{in ? q.x : frame.halo, in ? q.y : frame.halo, in ? q.z : frame.halo,
             in ? q.w : frame.halo}};
}

// In assembly: the compiler would make four stores.
__device__ __forceinline__ void store_four(float *plane, const Frame &frame, int y, int x,
                                           const Four<float> &four)
{
    asm volatile("st.global.v4.f32 [%0],{%1,%2,%3,%4};" ::"l"(plane + y * frame.pitch + x),
                 "f"(four.v[0]), "f"(four.v[1]), "f"(four.v[2]), "f"(four.v[3]));
}

// Columns x..x+3 of row y of a picture that is periodic along both axes, loaded one at a time.
__device__ __forceinline__ Four<float> load_wrapped(const float *plane, const Frame &frame, int y,
                                                    int x)
{
    const float *row = plane + index_of<true>(y, frame.height) * frame.pitch;
    return {{row[index_of<true>(x, frame.width)], row[index_of<true>(x + 1, frame.width)],
             row[index_of<true>(x + 2, frame.width)], row[index_of<true>(x + 3, frame.width)]}};
}

// The left and the right neighbour of column x + v, where x is the lane's first column. `before`
// and `after` come from the lanes beside. At a mirrored border a column is its own neighbour.
template <rec_boundary_kind Kind, class T>
__device__ __forceinline__ T left_of(const Four<T> &own, int v, T before, int x)
{
    constexpr bool mirrored = Kind == REC_BOUNDARY_MIRROR;
    return mirrored && x + v == 0 ? own.v[v] : v > 0 ? own.v[v > 0 ? v - 1 : 0] : before;
}
template <rec_boundary_kind Kind, class T>
__device__ __forceinline__ T right_of(const Four<T> &own, int v, T after, int x, int width)
{
    constexpr bool mirrored = Kind == REC_BOUNDARY_MIRROR;
    return mirrored && x + v == width - 1 ? own.v[v] : v < 3 ? own.v[v < 3 ? v + 1 : 3] : after;
}

// The number of the warp in its block, known to be the same for all its lanes.
__device__ __forceinline__ int warp_number() { return __shfl_sync(~0u, threadIdx.x / 32, 0); }

} // namespace
