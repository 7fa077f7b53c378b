// How the rows of stream.cu and diagonal.cu move: between shared memory and the registers of a
// lane, and between global and shared memory while the block computes.
#pragma once

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

// Computed whenever it is needed: the deep shape has no register for it.
__device__ __forceinline__ int lane_id()
{
    int lane;
    asm volatile("mov.u32 %0,%%laneid;" : "=r"(lane));
    return lane;
}

// ---- bulk copies and mbarriers, from compute capability 9.0 on; the host's compiler reads them,
// too ----
//
// A barrier is 8 bytes of shared memory, given by its address. A phase ends when the expected
// number of threads have arrived and the expected number of bytes have come. A wait names the
// parity of the phase: 0 for the first, then 1, 0 ...

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// One lane of the warp. Compared with lane == 0 the compiler knows that it is one, and needs no
// loop over the lanes' addresses.
__device__ __forceinline__ bool elected()
{
    int yes;
    asm volatile("{.reg .pred q; elect.sync _|q,0xffffffff; selp.s32 %0,1,0,q;}" : "=r"(yes));
    return yes;
}

// By one thread, before a block's first __syncthreads.
__device__ __forceinline__ void barrier_init(unsigned barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0],%1; fence.mbarrier_init.release.cluster;" ::"r"(
                     barrier), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile("{.reg .pred q; again%=: mbarrier.try_wait.parity.shared::cta.b64 q,[%0],%1; "
                 "@!q bra again%=;}" ::"r"(barrier), "r"(parity) : "memory");
}
__device__ __forceinline__ void barrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _,[%0];" ::"r"(barrier) : "memory");
}

// The next four are for one lane of a warp. Copies are of multiples of 4 floats, from and to
// multiples of 16 bytes.

// Arrives; `floats` are to come in this phase.
__device__ __forceinline__ void barrier_expect(int floats, unsigned barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier),
                 "r"(floats * 4) : "memory");
}
__device__ __forceinline__ void receive(unsigned s, const float *p, int bytes, unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0],[%1],%2,[%3];" ::"r"(s), "l"(p), "r"(bytes), "r"(barrier) : "memory");
}
__device__ __forceinline__ void send(float *p, const float *s, int floats)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(p),
                 "r"(shared_address(s)), "r"(floats * 4) : "memory");
}

// Waits until the sends have read shared memory.
__device__ __forceinline__ void sends_wait()
{
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Waits until the sends have written global memory.
__device__ __forceinline__ void sends_done()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Every lane: bulk copies that follow see what it stored in shared memory. They do not wait for
// ordinary stores by themselves.
__device__ __forceinline__ void stores_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
#endif

// ---- the rows of stream.cu, on every device: called by the 32 lanes of a warp together ----
//
// From compute capability 9.0 on a row is one bulk copy, and each warp has a barrier. From 8.0 on
// it is cp.async, 16 bytes a lane; before, the copy is made here and now.

// Once, by one thread, before a block's first __syncthreads. (With barrier_init, which takes a
// register, the compiler places other instructions anew.)
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
        receive(shared_address(s + first), p + first, (end - first) * 4, barrier);
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

// Expects the bytes of all transfers of this phase.
__device__ __forceinline__ void transfers_expect(int columns, unsigned barrier)
{
#if __CUDA_ARCH__ >= 900
    if (elected())
        barrier_expect(columns, barrier);
#endif
}

// Waits for the transfers of a phase. Other warps see the rows after the next __syncthreads.
__device__ __forceinline__ void transfers_wait(unsigned barrier, unsigned parity)
{
#if __CUDA_ARCH__ >= 900
    barrier_wait(barrier, parity);
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Columns first..end-1 of a row of shared memory become `value`, before any transfer that follows
// the next __syncthreads.
__device__ __forceinline__ void fill_row(float *s, int first, int end, float value)
{
    for (int x = first + 4 * lane_id(); x < end; x += 128)
        *(float4 *)(s + x) = make_float4(value, value, value, value);
#if __CUDA_ARCH__ >= 900
    stores_fence();
#endif
}

} // namespace
