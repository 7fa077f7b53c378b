// How a block of diagonal.cu moves rows and hands them on: bulk copies and mbarriers of compute
// capability 9.0, and registers that go from one warp group to another, which 9.0a alone has.
#ifndef REC_KERNELS_DIAGONAL_MEMORY_CUH
#define REC_KERNELS_DIAGONAL_MEMORY_CUH

#include "kernels/stream_memory.cuh"

namespace {

// The host's compiler reads all of it too.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define REC_DIAGONAL_HERE 1

// Barriers are addresses in shared memory, of 8 bytes each; parity is that of the phase waited for.
__device__ __forceinline__ void flow_init(unsigned barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0],%1; fence.mbarrier_init.release.cluster;" ::"r"(
                     barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void flow_wait(unsigned barrier, unsigned parity)
{
    asm volatile("{.reg .pred q; again%=: mbarrier.try_wait.parity.shared::cta.b64 q,[%0],%1; "
                 "@!q bra again%=;}" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ __forceinline__ void flow_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _,[%0];" ::"r"(barrier) : "memory");
}

// From here on for one lane of a warp. Arrives, and the phase ends when `floats` of copies have
// come as well.
__device__ __forceinline__ void flow_expect(int floats, unsigned barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier),
                 "r"(floats * 4) : "memory");
}

// 16-byte aligned, a multiple of 4 floats.
__device__ __forceinline__ void receive(float *s, const float *p, int floats, unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0],[%1],%2,[%3];" ::"r"(shared_address(s)), "l"(p), "r"(floats * 4),
                 "r"(barrier) : "memory");
}

__device__ __forceinline__ void send(float *p, const float *s, int floats)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(p),
                 "r"(shared_address(s)), "r"(floats * 4) : "memory");
}

// Until the sends have read shared memory.
__device__ __forceinline__ void sends_wait()
{
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Until they have written global memory.
__device__ __forceinline__ void sends_done()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Every lane: what it stored is there for sends.
__device__ __forceinline__ void sends_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Every warp of a warp group: how many registers its lanes have from now on.
__device__ __forceinline__ void fewer_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
}
__device__ __forceinline__ void more_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
}

#endif

} // namespace

#endif
