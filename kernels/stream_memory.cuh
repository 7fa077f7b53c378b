// Row movement of stream.cu: between shared memory and the registers of a lane, and from global to
// shared memory while the block computes.
#ifndef REC_KERNELS_STREAM_MEMORY_CUH
#define REC_KERNELS_STREAM_MEMORY_CUH

namespace {

template <int V> __device__ __forceinline__ void get_columns(float (&a)[V], const float *s)
{
#pragma unroll
    for (int c = 0; c < V / 2; c++) {
        const float2 pair = *(const float2 *)(s + 2 * c);
        a[2 * c] = pair.x, a[2 * c + 1] = pair.y;
    }
}

__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// Predicated: a branch would end the basic block, and rows would no longer interleave.
__device__ __forceinline__ void put_pair(unsigned s, bool ok, const float *a)
{
    asm volatile("{.reg .pred q; setp.ne.s32 q,%0,0; @q st.shared.v2.f32 [%1],{%2,%3};}" ::"r"(
                     (int)ok), "r"(s), "f"(a[0]), "f"(a[1]));
}

// Asked for whenever it is needed: the deep shape has no register to keep it in.
__device__ __forceinline__ int lane_id()
{
    int lane;
    asm volatile("mov.u32 %0,%%laneid;" : "=r"(lane));
    return lane;
}

// ---- transfers: all of these are called by the 32 lanes of a warp together ----
//
// From compute capability 9.0 on a row is one instruction, a bulk copy, and the bytes that have
// come are counted by an mbarrier of the warp: one arrival and the expected bytes make a phase.
// From 8.0 on it is cp.async, 16 bytes a lane; before, the copy is made here and now.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// One lane of the warp. Compared with lane == 0 the compiler knows that it is one, and needs no
// loop over the lanes' addresses.
__device__ __forceinline__ bool elected()
{
    int yes;
    asm volatile("{.reg .pred q; elect.sync _|q,0xffffffff; selp.s32 %0,1,0,q;}" : "=r"(yes));
    return yes;
}
#endif

// Once, by one thread, before a block's first __syncthreads.
__device__ __forceinline__ void transfers_init(unsigned barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared.b64 [%0],1; fence.mbarrier_init.release.cluster;" ::"r"(
                     barrier) : "memory");
#endif
}

// Columns first..end-1 of a row, multiples of 4, from p to s.
__device__ __forceinline__ void transfer(float *s, const float *p, int first, int end,
                                         unsigned barrier)
{
#if __CUDA_ARCH__ >= 900
    if (elected())
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0],[%1],%2,[%3];" ::"r"(shared_address(s + first)), "l"(p + first),
                     "r"((end - first) * 4), "r"(barrier) : "memory");
#else
    for (int x = first + 4 * lane_id(); x < end; x += 128) {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(shared_address(s + x)),
                     "l"(p + x) : "memory");
#else
        *(float4 *)(s + x) = *(const float4 *)(p + x);
#endif
    }
#endif
}

// How much the transfers of this phase come to, all of them.
__device__ __forceinline__ void transfers_expect(int columns, unsigned barrier)
{
#if __CUDA_ARCH__ >= 900
    if (elected())
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier),
                     "r"(columns * 4) : "memory");
#endif
}

// Until they have come. `phase` is 0 for the first, then 1, 0 ...; other warps see the rows after
// the next __syncthreads.
__device__ __forceinline__ void transfers_wait(unsigned barrier, unsigned phase)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{.reg .pred q; again%=: mbarrier.try_wait.parity.shared::cta.b64 q,[%0],%1; "
                 "@!q bra again%=;}" ::"r"(barrier), "r"(phase) : "memory");
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Columns first..end-1 of a row of shared memory become `value`, before any transfer that follows
// the next __syncthreads: bulk copies do not wait for ordinary stores by themselves.
__device__ __forceinline__ void fill_row(float *s, int first, int end, float value)
{
    for (int x = first + 4 * lane_id(); x < end; x += 128)
        *(float4 *)(s + x) = make_float4(value, value, value, value);
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

} // namespace

#endif
