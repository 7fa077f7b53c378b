// Launching early (a dependent launch): blocks of a kernel start while the last blocks of the
// kernel before in the stream end, and wait for the results of that kernel.
#pragma once

namespace {

template <typename... Parameters, typename... Arguments>
cudaError_t launch_early(void (*kernel)(Parameters...), dim3 blocks, int threads, int shared,
                         cudaStream_t stream, const Arguments &...arguments)
{
    cudaFuncAttributes code;
    const cudaError_t result = cudaFuncGetAttributes(&code, kernel);
    if (result != cudaSuccess)
        return result;
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = (size_t)shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = code.ptxVersion >= 90; // older code does not wait
    return cudaLaunchKernelEx(&config, kernel, (Parameters)arguments...);
}

// By all threads, before they touch global memory.
__device__ __forceinline__ void wait_for_last_kernel()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// By all threads: from now on blocks of the next kernel may start where this kernel leaves room.
// Otherwise they may start when all blocks of this kernel have ended.
__device__ __forceinline__ void let_next_kernel_start()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

} // namespace
