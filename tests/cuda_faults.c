/* Linked into reconstruct-faults before the CUDA runtime, which cannot be preloaded: with
 * tests/faults.c the Nth cudaMalloc or cudaMallocHost fails (FAULT=cudaMalloc:7), and as the
 * runtime fails, for it is asked for more than there is. */
#include <dlfcn.h>
#include <stddef.h>

enum { MEMORY_ALLOCATION = 2, TOO_MANY = 60 }; /* cudaErrorMemoryAllocation; bits */

int __real_cudaMalloc(void **memory, size_t bytes);
int __wrap_cudaMalloc(void **memory, size_t bytes);
int __real_cudaMallocHost(void **memory, size_t bytes);
int __wrap_cudaMallocHost(void **memory, size_t bytes);

static int fails(void)
{
    int (*fault_fails)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "fault_fails");
    return fault_fails && fault_fails("cudaMalloc");
}

int __wrap_cudaMalloc(void **memory, size_t bytes)
{
    if (!fails())
        return __real_cudaMalloc(memory, bytes);
    __real_cudaMalloc(memory, (size_t)1 << TOO_MANY);
    return MEMORY_ALLOCATION;
}

int __wrap_cudaMallocHost(void **memory, size_t bytes)
{
    if (!fails())
        return __real_cudaMallocHost(memory, bytes);
    __real_cudaMallocHost(memory, (size_t)1 << TOO_MANY);
    return MEMORY_ALLOCATION;
}
