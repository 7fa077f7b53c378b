// What one warp of resident.cu holds and how it iterates: R rows of 32 V columns, V of them in each
// lane.
//
// An update costs three instructions by pair sums: right + down of a pixel is up + left of the
// pixel below to the right, so a row's sums of old values serve two rows. Rows are updated in place
// from the top down; only the sums of the row before must be remembered. The first and the last row
// need rows of the warps above and below, which publish them in shared memory, on two levels in
// turn. Rows that other warps need are computed and published early, so that no warp waits long.
#pragma once

namespace {

// ---- memory: rows of a warp in shared memory, pieces of 16 bytes in global memory, and the flags
// with which tiles wait for each other ----

template <int V> __device__ __forceinline__ void get_row(float (&v)[V], const float *s, int lane)
{
#pragma unroll
    for (int c = 0; c < V / 4; c++) {
        const float4 q = ((const float4 *)s)[32 * c + lane];
        v[4 * c] = q.x, v[4 * c + 1] = q.y, v[4 * c + 2] = q.z, v[4 * c + 3] = q.w;
    }
}
template <int V> __device__ __forceinline__ void put_row(float *s, const float (&v)[V], int lane)
{
#pragma unroll
    for (int c = 0; c < V / 4; c++)
        ((float4 *)s)[32 * c + lane] =
            make_float4(v[4 * c], v[4 * c + 1], v[4 * c + 2], v[4 * c + 3]);
}

// Predicated instead of a branch, as there are many in a row. Bit r of the mask is tested here, in
// assembly, because the compiler would test all bits long before, and spill.
#define REC_IF_BIT "{.reg .pred q; .reg .b32 t; and.b32 t,%4,%5; setp.ne.u32 q,t,0; @q "
__device__ __forceinline__ void put4(float *p, const float *v, unsigned mask, int r)
{
    asm volatile(REC_IF_BIT "st.global.v4.f32 [%6],{%0,%1,%2,%3};}" ::"f"(v[0]), "f"(v[1]),
                 "f"(v[2]), "f"(v[3]), "r"(mask), "r"(1u << r), "l"(p)
                 : "memory");
}
// Around the first-level cache, which does not see what other blocks write.
__device__ __forceinline__ void get4(float *v, const float *p, unsigned mask, int r)
{
    asm volatile(REC_IF_BIT "ld.global.cg.v4.f32 {%0,%1,%2,%3},[%6];}"
                 : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])
                 : "r"(mask), "r"(1u << r), "l"(p)
                 : "memory");
}
__device__ __forceinline__ void raise_flag(unsigned *flag, unsigned v)
{
    asm volatile("st.release.gpu.global.u32 [%0],%1;" ::"l"(flag), "r"(v) : "memory");
}
__device__ __forceinline__ unsigned read_flag(const unsigned *flag)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0,[%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

// ---- a warp ----

// V columns a lane, R rows a warp, W warps one below the other, F of the R rows of f in registers,
// DOUBLE: two iterations in one sweep over the rows.
template <int V_, int R_, int W_, int F_, bool DOUBLE_> struct Tile {
    static constexpr int V = V_, R = R_, W = W_, F = F_;
    static constexpr bool DOUBLE = DOUBLE_;
    static constexpr int COLS = 32 * V, ROWS = R * W, THREADS = 32 * W;
    // The second warp raises the flag; masks have a bit a row; a double sweep has three parts.
    static_assert(W >= 2 && R >= 6 && R <= 32, "");
    // Which rows of f are in registers: the last and the first, which a double sweep reads twice,
    // then the next ones. at(r): where row r is among those in registers, or in shared memory.
    static constexpr __host__ __device__ bool kept(int r) { return r == R - 1 ? F > 0 : r < F - 1; }
    static constexpr __host__ __device__ int at(int r)
    {
        return kept(r) ? (r == R - 1 ? F - 1 : r) : r - (F > 0 ? F - 1 : 0);
    }
    static constexpr int EDGE = 2 * (W + 2) * 2 * COLS; // floats: level, warp, first and last row
    static constexpr int SHARED = (EDGE + W * (R - F) * COLS) * 4;
};

template <class S, bool INSIDE> struct Warp {
    static constexpr int V = S::V, R = S::R;
    float m[R][V], kept[S::F > 0 ? S::F : 1][V];
    float coefficient[V]; // 0.25; outside the image 0, where 0 * s + f = f = the halo's value
    float *f, *edges;     // in shared memory: the other rows of f; the edges of this warp
    int lane;

    // The published first or last row of this warp (0), the one above (-1) or the one below (1).
    __device__ __forceinline__ float *edge(int level, int warp, int bottom)
    {
        return edges + ((level * (S::W + 2) + warp) * 2 + bottom) * S::COLS;
    }
    template <bool Bottom> __device__ __forceinline__ void publish(int level)
    {
        put_row(edge(level, 0, Bottom), m[Bottom ? R - 1 : 0], lane);
    }
    template <bool Below> __device__ __forceinline__ void get_beside(float (&row)[V], int level)
    {
        get_row(row, edge(level, Below ? 1 : -1, !Below), lane);
    }
    __device__ __forceinline__ void put_f(int r, const float (&row)[V])
    {
        if (S::kept(r))
            copy(kept[S::kept(r) ? S::at(r) : 0], row);
        else
            put_row(f + S::at(r) * S::COLS, row, lane);
    }
    __device__ __forceinline__ void get_f(float (&row)[V], int r)
    {
        if (S::kept(r))
            copy(row, kept[S::kept(r) ? S::at(r) : 0]);
        else
            get_row(row, f + S::at(r) * S::COLS, lane);
    }

    static __device__ __forceinline__ void copy(float (&to)[V], const float (&from)[V])
    {
#pragma unroll
        for (int v = 0; v < V; v++)
            to[v] = from[v];
    }
    static __device__ __forceinline__ float of_left(const float (&row)[V])
    {
        return __shfl_up_sync(~0u, row[V - 1], 1);
    }
    static __device__ __forceinline__ float of_right(const float (&row)[V])
    {
        return __shfl_down_sync(~0u, row[0], 1);
    }
    // sums[x] = upper[x + 1] + lower[x]; `right` is the upper row's value in the lane to the right.
    static __device__ __forceinline__ void add(float (&sums)[V], const float (&upper)[V],
                                               float right, const float (&lower)[V])
    {
        float t[V];
#pragma unroll
        for (int v = V - 1; v >= 0; v--)
            t[v] = (v < V - 1 ? upper[v < V - 1 ? v + 1 : 0] : right) + lower[v];
        copy(sums, t);
    }
    // Row r from the sums with the row above and with the row below; `left` is of those above.
    __device__ __forceinline__ void update(int r, const float (&above)[V], float left,
                                           const float (&below)[V], const float (&term)[V])
    {
#pragma unroll
        for (int v = 0; v < V; v++)
            m[r][v] = fmaf(INSIDE ? 0.25f : coefficient[v],
                           (v > 0 ? above[v > 0 ? v - 1 : 0] : left) + below[v], term[v]);
    }

    // Updates the first row, when the row above it is there. `first`: its sums with the second.
    __device__ __forceinline__ void update_top(int level, const float (&first)[V])
    {
        float row[V], sums[V], term[V];
        get_beside<false>(row, level);
        get_f(term, 0);
        add(sums, row, of_right(row), m[0]);
        update(0, sums, of_left(sums), first, term);
    }

    // Before the first sweep, and after an exchange.
    __device__ __forceinline__ void begin()
    {
        publish<false>(0);
        publish<true>(0);
    }
    // Two iterations.
    __device__ __forceinline__ void sweep()
    {
        if (S::DOUBLE)
            sweep_twice();
        else
            sweep_once(0), sweep_once(1);
    }

    // One iteration: first the outermost rows, so that they are published early and nobody waits
    // for them at the next barrier. f and shuffles are requested a row ahead.
    __device__ __forceinline__ void sweep_once(int level)
    {
        float first[V], last[V], row[V], sums[V], term[V];
        add(first, m[0], of_right(m[0]), m[1]);
        add(last, m[R - 2], of_right(m[R - 2]), m[R - 1]);
        __syncthreads();
        update_top(level, first);
        publish<false>(level ^ 1);
        get_beside<true>(row, level);
        get_f(term, R - 1);
        add(sums, m[R - 1], of_right(m[R - 1]), row);
        update(R - 1, last, of_left(last), sums, term);
        publish<true>(level ^ 1);

        float left = of_left(first), right = of_right(m[1]);
        get_f(term, 1);
#pragma unroll
        for (int r = 1; r < R - 1; r++) {
            float next[V], left_next = 0;
            if (r < R - 2) {
                get_f(next, r + 1);
                add(sums, m[r], right, m[r + 1]);
                left_next = of_left(sums);
                right = of_right(m[r + 1]);
            } else {
                copy(sums, last);
            }
            update(r, first, left, sums, term);
            copy(first, sums);
            if (r < R - 2)
                copy(term, next);
            left = left_next;
        }
    }

    // Two iterations in one sweep, the second a row behind the first: f is read once for both, as
    // reading it is what shared memory is busy with.
    //
    //   row 0      1st: at EARLY, when the edges have come      2nd: at LATE
    //   between    1st: row r       2nd: row r - 1
    //   row R - 1  1st: at EARLY                                2nd: last
    //
    // At EARLY the edges of the first iteration are published, at LATE they are read: so nobody
    // waits long at either barrier. The earlier EARLY is, the fewer rows wait for it and keep their
    // sums. f of a row is read when the registers of the row before are free: the compiler needs
    // registers to ask early for shuffles and shared memory. Level 0 has the edges of the second
    // iteration, level 1 those of the first.
    static constexpr int EARLY = 1, LATE = R - 2;
    __device__ __forceinline__ void sweep_twice()
    {
        float first[V], end[V], one[V], two[V], term[V], term_above[V]; // one, two: sums above
        add(first, m[0], of_right(m[0]), m[1]);
        copy(one, first);
        float left_one = of_left(one), right_one = of_right(m[1]), left_two = 0, right_two = 0;
        get_f(term, 1);
#pragma unroll
        for (int r = 1; r < R; r++) {
            float sums[V];
            const float of_row_above = right_two, left = left_one;
            if (r < R - 2) {
                const int below = r + 1 < R ? r + 1 : 0;
                add(sums, m[r], right_one, m[below]);
                right_one = of_right(m[below]);
                left_one = of_left(sums);
            } else if (r == R - 2) {
                copy(sums, end);
            }
            if (r < R - 1) {
                update(r, one, left, sums, term);
                copy(one, sums);
                right_two = of_right(m[r]);
            }
            if (r > EARLY) {
                const float left_above = left_two;
                add(sums, m[r - 1], of_row_above, m[r]);
                left_two = of_left(sums);
                update(r - 1, two, left_above, sums, term_above);
                copy(two, sums);
            } else {
                edges_of_first(first, end);
                copy(two, first);
                left_two = of_left(two);
            }
            copy(term_above, term);
            if (r < R - 2)
                get_f(term, r + 1);
            if (r == LATE)
                top_of_second(first);
        }
        float sums[V];
        get_f(term, R - 1);
        add(sums, m[R - 1], of_right(m[R - 1]), first);
        update(R - 1, two, left_two, sums, term);
        publish<true>(0);
    }
    // In: first = the sums of rows 0 and 1 before the first iteration. Out: first = their sums
    // after it, end = the sums of the last two rows before it.
    __device__ __forceinline__ void edges_of_first(float (&first)[V], float (&end)[V])
    {
        float row[V], sums[V], term[V];
        __syncthreads();
        update_top(0, first);
        publish<false>(1);
        add(first, m[0], of_right(m[0]), m[1]);
        get_beside<true>(row, 0);
        get_f(term, R - 1);
        add(end, m[R - 2], of_right(m[R - 2]), m[R - 1]);
        add(sums, m[R - 1], of_right(m[R - 1]), row);
        update(R - 1, end, of_left(end), sums, term);
        publish<true>(1);
    }
    // Out: first = the row below the last one, after the first iteration.
    __device__ __forceinline__ void top_of_second(float (&first)[V])
    {
        __syncthreads();
        update_top(1, first);
        publish<false>(0);
        get_beside<true>(first, 1);
    }
};

} // namespace
