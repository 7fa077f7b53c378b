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

// The rules of the two axes, as a type.
template <rec_beyond X, rec_beyond Y> struct Axes {
    static constexpr rec_beyond x = X, y = Y;
};

// Calls `launch` with the grid's rules; there is an instance for each pair that a boundary has.
template <class Launch>
cudaError_t with_axes(rec_beyond x, rec_beyond y, const Launch &launch)
{
    if (x == REC_FIXED && y == REC_FIXED)
        return launch(Axes<REC_FIXED, REC_FIXED>());
    if (x == REC_FIXED && y == REC_WRAPPED)
        return launch(Axes<REC_FIXED, REC_WRAPPED>());
    if (x == REC_WRAPPED && y == REC_WRAPPED)
        return launch(Axes<REC_WRAPPED, REC_WRAPPED>());
    if (x == REC_MIRRORED && y == REC_MIRRORED)
        return launch(Axes<REC_MIRRORED, REC_MIRRORED>());
    return cudaErrorNotSupported;
}

// A ghost cell follows from the border pixel beside it.
template <rec_beyond Rule>
constexpr bool is_near = Rule != REC_FIXED && Rule != REC_WRAPPED;
template <rec_beyond Rule, class T> __device__ __forceinline__ T near_ghost(T border)
{
    return (T)rec_ghost(Rule, border, 0, 0);
}

// The row or column in 0..count-1 whose values the boundary has at i, at most two outside: the
// nearest or, wrapped, one at the opposite side.
template <bool Wrapped> __device__ __forceinline__ int index_of(int i, int count)
{
    const int moved = !Wrapped || (unsigned)i < (unsigned)count ? i : i < 0 ? i + count : i - count;
    return max(0, min(moved, count - 1));
}

// Columns x..x+3 of row y, whose axis has the rule Y. With Edge they may be outside the image: then
// they are the halo, or follow from another row. Instead of a branch another address is read.
template <rec_beyond Y, bool Edge>
__device__ __forceinline__ Four<float> load_four(const float *plane, const Frame &frame, int y,
                                                 int x)
{
    const bool inside = (unsigned)y < (unsigned)frame.height;
    const bool in = !Edge || (x >= 0 && x < frame.pitch && (Y != REC_FIXED || inside));
    const int row = Edge ? index_of<Y == REC_WRAPPED>(y, frame.height) : y, column = in ? x : 0;
    const float4 q = *(const float4 *)(plane + row * frame.pitch + column);
    const auto value = [&](float own) {
        return !in                               ? frame.halo
               : !Edge || !is_near<Y> || inside ? own
                                                 : near_ghost<Y>(own);
    };
    return {{value(q.x), value(q.y), value(q.z), value(q.w)}};
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
// and `after` come from the lanes beside. X is the rule of the row's ends.
template <rec_beyond X, class T>
__device__ __forceinline__ T left_of(const Four<T> &own, int v, T before, int x)
{
    return is_near<X> && x + v == 0 ? near_ghost<X>(own.v[v])
           : v > 0                  ? own.v[v > 0 ? v - 1 : 0]
                                    : before;
}
template <rec_beyond X, class T>
__device__ __forceinline__ T right_of(const Four<T> &own, int v, T after, int x, int width)
{
    return is_near<X> && x + v == width - 1 ? near_ghost<X>(own.v[v])
           : v < 3                          ? own.v[v < 3 ? v + 1 : 3]
                                            : after;
}

// The number of the warp in its block, known to be the same for all its lanes.
__device__ __forceinline__ int warp_number() { return __shfl_sync(~0u, threadIdx.x / 32, 0); }

} // namespace
