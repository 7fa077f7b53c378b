// Memory access of a tile of resident.cu: rows of a warp in shared memory, pieces of 16 bytes in
// global memory, and the flags with which tiles wait for each other.
#pragma once

namespace {

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

} // namespace
