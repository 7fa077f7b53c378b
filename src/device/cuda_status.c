/* The devices of the machine, what fits on them, and CUDA's errors. */
#include "device/cuda_room.h"

#include <string.h>

#include "base/hash.h"
#include "device/devices.h"
#include "image/image.h"

/* Memory that the device needs beside the planes: kernels, their stacks, printf's buffer. */
#define DEVICE_RESERVE (64.0 * 1024 * 1024)

rec_status rec_cuda_status(cudaError_t result, const char *doing, rec_error *error)
{
    rec_status status = REC_FAULT;
    if (result == cudaSuccess)
        return REC_OK;
    cudaGetLastError(); /* so that no later call reports it again */
    switch ((int)result) {
    case cudaErrorMemoryAllocation:
        status = REC_LIMIT;
        break;
    case cudaErrorNoDevice: case cudaErrorInvalidDevice: case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable: case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion: case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError: case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch: case cudaErrorInitializationError: case cudaErrorUnknown:
        status = REC_UNAVAILABLE;
        break;
    default:
        break;
    }
    return rec_fail(error, status,
                    status == REC_UNAVAILABLE
                        ? "CUDA, %s: %s (%s)\v--solver cpu works without a device"
                        : "CUDA, %s: %s (%s)",
                    doing, cudaGetErrorString(result), cudaGetErrorName(result));
}

int rec_cuda_count(rec_error *error)
{
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    cudaGetLastError(); /* so that no later call reports it again */
    if (result == cudaErrorInsufficientDriver)
        rec_fail(error, REC_UNAVAILABLE,
                 "no NVIDIA driver, or one older than this program's CUDA\v--solver cpu "
                 "needs none");
    else if (result != cudaSuccess)
        rec_cuda_status(result, "looking for devices", error);
    else if (!count)
        rec_fail(error, REC_UNAVAILABLE, "no CUDA device\v--solver cpu needs none");
    const int absent = result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver ||
                       result == cudaErrorStubLibrary;
    return result == cudaSuccess ? count : absent ? 0 : -1;
}

int rec_device_available(int device, rec_error *error)
{
    const int count = rec_cuda_count(error);
    if (count > 0 && (device < 0 || device >= count))
        rec_fail(error, REC_UNAVAILABLE,
                 "no CUDA device %d; this machine has %d, numbered from 0", device, count);
    return device >= 0 && device < count;
}

cudaError_t rec_cuda_make_context(int device)
{
    const cudaError_t result = cudaSetDevice(device);
    return result == cudaSuccess ? cudaFree(NULL) : result;
}

rec_status rec_device_begin(int device, rec_error *error)
{
    return rec_cuda_status(rec_cuda_make_context(device), "starting a device", error);
}

size_t rec_cuda_largest_side(size_t bytes)
{
    size_t low = 0, high = REC_MAX_SIDE;
    while (low < high) {
        const size_t side = (low + high + 1) / 2;
        const rec_grid grid = {.pitch = rec_cuda_pitch(side), .planes = 1, .rows = side};
        const double needed = 3 * sizeof(float) * (double)grid.pitch * (double)side +
                              (double)rec_norms_scratch_bytes(&grid);
        if (needed + DEVICE_RESERVE <= (double)bytes)
            low = side;
        else
            high = side - 1;
    }
    return low;
}

rec_status rec_devices(rec_device *devices, size_t capacity, int start, size_t *count,
                       rec_error *error)
{
    const int found = rec_cuda_count(error);
    *count = found > 0 ? (size_t)found : 0;
    for (size_t i = 0; i < *count && i < capacity; i++) {
        struct cudaDeviceProp about;
        size_t available = 0, memory = 0;
        cudaError_t result = cudaGetDeviceProperties(&about, (int)i);
        if (start)
            REC_FIRST_FAILURE(cudaSetDevice((int)i));
        if (start)
            REC_FIRST_FAILURE(cudaMemGetInfo(&available, &memory));
        if (result != cudaSuccess)
            return rec_cuda_status(result, "asking a device", error);
        devices[i] = (rec_device){
            .number = (int)i, .id = rec_hash(REC_HASH_START, &about.uuid, sizeof about.uuid),
            .major = about.major, .minor = about.minor,
            .multiprocessors = about.multiProcessorCount, .memory = memory, .available = available,
            .largest_side = rec_cuda_largest_side(available)};
        memcpy(devices[i].name, about.name, sizeof devices[i].name - 1);
    }
    return REC_OK;
}
