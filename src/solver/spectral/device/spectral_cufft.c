/* cuFFT is some 280 MB of shared library. It is loaded by name when a spectral solve on a device
 * asks for it: a program that is linked with it would not start where it is missing. */
#include "solver/spectral/device/spectral_cufft.h"

#include <cufft.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
#define LIBRARY "libcufft.so." TEXT(CUFFT_VER_MAJOR)

/* The functions that are used, of the types that cufft.h declares them with. */
typedef struct library {
    void *handle;
    __typeof__(&cufftCreate) create;
    __typeof__(&cufftDestroy) destroy;
    __typeof__(&cufftSetAutoAllocation) set_auto_allocation;
    __typeof__(&cufftMakePlanMany) make_plan_many;
    __typeof__(&cufftSetWorkArea) set_work_area;
    __typeof__(&cufftSetStream) set_stream;
    __typeof__(&cufftExecZ2Z) execute;
} library;

struct rec_cufft {
    library calls;
    cufftHandle plan;
    int planned;
    size_t work_bytes;
};

/* The library stays loaded: it holds state of the device's context that outlives a plan. */
static rec_status open_library(library *calls, rec_error *error)
{
    const struct {
        const char *name;
        void **function;
    } wanted[] = {
        {"cufftCreate", (void **)&calls->create},
        {"cufftDestroy", (void **)&calls->destroy},
        {"cufftSetAutoAllocation", (void **)&calls->set_auto_allocation},
        {"cufftMakePlanMany", (void **)&calls->make_plan_many},
        {"cufftSetWorkArea", (void **)&calls->set_work_area},
        {"cufftSetStream", (void **)&calls->set_stream},
        {"cufftExecZ2Z", (void **)&calls->execute},
    };
    calls->handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
#ifdef REC_CUDA_LIB
    if (!calls->handle) /* where it was when this program was built */
        calls->handle = dlopen(REC_CUDA_LIB "/" LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
#endif
    if (!calls->handle)
        return rec_fail(error, REC_UNAVAILABLE,
                        "the spectral solver on a device needs cuFFT, and " LIBRARY
                        " was not found: add its folder to LD_LIBRARY_PATH");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!(*wanted[i].function = dlsym(calls->handle, wanted[i].name)))
            return rec_fail(error, REC_UNAVAILABLE, LIBRARY " has no %s", wanted[i].name);
    return REC_OK;
}

int rec_cufft_available(rec_error *error)
{
    library calls;
    return !open_library(&calls, error);
}

static rec_status check(cufftResult result, const char *doing, rec_error *error)
{
    if (result == CUFFT_SUCCESS)
        return REC_OK;
    return rec_fail(error, result == CUFFT_ALLOC_FAILED ? REC_LIMIT : REC_FAULT,
                    "%s: cuFFT's error %d", doing, (int)result);
}

rec_status rec_cufft_create(rec_cufft **fft, size_t length, size_t batch, cudaStream_t stream,
                            rec_error *error)
{
    *fft = NULL;
    if (length > INT_MAX || batch > INT_MAX)
        return rec_fail(error, REC_LIMIT, "%zu FFTs of %zu points are more than cuFFT takes", batch,
                        length);
    rec_cufft *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for a plan");
    int n = (int)length;
    rec_status status = open_library(&made->calls, error);
    if (!status)
        status = check(made->calls.create(&made->plan), "planning an FFT", error);
    made->planned = !status;
    if (!status)
        status = check(made->calls.set_auto_allocation(made->plan, 0), "planning an FFT", error);
    if (!status)
        status = check(made->calls.make_plan_many(made->plan, 1, &n, NULL, 1, n, NULL, 1, n,
                                                  CUFFT_Z2Z, (int)batch, &made->work_bytes),
                       "planning an FFT", error);
    if (!status)
        status = check(made->calls.set_stream(made->plan, stream), "planning an FFT", error);
    if (status)
        rec_cufft_destroy(made);
    else
        *fft = made;
    return status;
}

void rec_cufft_destroy(rec_cufft *fft)
{
    if (!fft)
        return;
    if (fft->planned)
        fft->calls.destroy(fft->plan);
    free(fft);
}

size_t rec_cufft_work_bytes(const rec_cufft *fft) { return fft->work_bytes; }

rec_status rec_cufft_set_work(rec_cufft *fft, void *work, rec_error *error)
{
    return check(fft->calls.set_work_area(fft->plan, work), "planning an FFT", error);
}

rec_status rec_cufft_execute(rec_cufft *fft, double *data, rec_error *error)
{
    cufftDoubleComplex *numbers = (cufftDoubleComplex *)(void *)data;
    return check(fft->calls.execute(fft->plan, numbers, numbers, CUFFT_FORWARD), "an FFT", error);
}
