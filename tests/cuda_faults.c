/* Linked into reconstruct-faults before the CUDA runtime, which cannot be preloaded: with
 * tests/faults.c the Nth cudaMalloc or cudaMallocHost fails (FAULT=cudaMalloc:7), and as the
 * runtime fails, for it is asked for more than there is. And in reconstruct-mpi-faults no rank
 * opens another's device memory where FAULT is cudaIpcOpenMemHandle. FREE: bytes that a device says
 * are free. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { TOO_MANY = 60 }; /* bits */

int __real_cudaMalloc(void **memory, size_t bytes);
int __wrap_cudaMalloc(void **memory, size_t bytes);
int __real_cudaMallocHost(void **memory, size_t bytes);
int __wrap_cudaMallocHost(void **memory, size_t bytes);
int __real_cudaMemGetInfo(size_t *available, size_t *all);
int __wrap_cudaMemGetInfo(size_t *available, size_t *all);
int __real_cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned flags);
int __wrap_cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned flags);

static int fails(void)
{
    int (*fault_fails)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "fault_fails");
    return fault_fails && fault_fails("cudaMalloc");
}

int __wrap_cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned flags)
{
    const char *fault = getenv("FAULT");
    return fault && !strcmp(fault, "cudaIpcOpenMemHandle")
               ? cudaErrorMapBufferObjectFailed
               : __real_cudaIpcOpenMemHandle(memory, handle, flags);
}

int __wrap_cudaMemGetInfo(size_t *available, size_t *all)
{
    const char *bytes = getenv("FREE");
    const int status = __real_cudaMemGetInfo(available, all);
    *available = bytes ? strtoull(bytes, NULL, 10) : *available;
    return status;
}

int __wrap_cudaMalloc(void **memory, size_t bytes)
{
    if (!fails())
        return __real_cudaMalloc(memory, bytes);
    __real_cudaMalloc(memory, (size_t)1 << TOO_MANY);
    return cudaErrorMemoryAllocation;
}

int __wrap_cudaMallocHost(void **memory, size_t bytes)
{
    if (!fails())
        return __real_cudaMallocHost(memory, bytes);
    __real_cudaMallocHost(memory, (size_t)1 << TOO_MANY);
    return cudaErrorMemoryAllocation;
}
