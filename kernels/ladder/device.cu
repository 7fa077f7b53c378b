// The device of the rungs: its name, its clocks, and the speed of a copy, the measure of all.
#include <cuda_profiler_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "kernels/ladder/rung.cuh"

constexpr size_t copy_bytes = (size_t)1 << 30;
constexpr int copies = 11; // the first is the warm-up

// All multiprocessors at work for some milliseconds; one thread tells cycles and nanoseconds.
static __global__ void measure_clock(long long *elapsed, float *sink, int rounds)
{
    const long long cycles = clock64();
    unsigned long long begin, end;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    float a = (float)threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    for (int i = 0; i < rounds; i++) {
        a = fmaf(a, 0.999f, 0.5f);
        b = fmaf(b, 0.999f, 0.5f);
        c = fmaf(c, 0.999f, 0.5f);
        d = fmaf(d, 0.999f, 0.5f);
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        elapsed[0] = clock64() - cycles;
        elapsed[1] = (long long)(end - begin);
    }
    if (a + b + c + d == -1) // never; but the compiler must not leave the sums out
        *sink = a;
}

static rec_status find_clock(rec_ladder_device *about, rec_error *error)
{
    long long *elapsed, seen[2];
    LADDER_TRY(cudaMalloc(&elapsed, sizeof seen));
    for (int i = 0; i < 2; i++) // the second time the clock has risen
        measure_clock<<<(unsigned)(4 * about->multiprocessors), 256>>>(elapsed, (float *)elapsed,
                                                                      1 << 20);
    LADDER_TRY(cudaGetLastError());
    LADDER_TRY(cudaMemcpy(seen, elapsed, sizeof seen, cudaMemcpyDeviceToHost));
    LADDER_TRY(cudaFree(elapsed));
    about->clock_measured = (double)seen[0] / (double)seen[1] * 1e9;
    return REC_OK;
}

static rec_status find_copy_rate(rec_ladder_device *about, rec_error *error)
{
    size_t available, all;
    LADDER_TRY(cudaMemGetInfo(&available, &all));
    about->memory = all;
    const size_t bytes = std::min(copy_bytes, available / 4);
    char *from; // and behind it `to`
    Queue queue;
    double seconds[copies];
    LADDER_TRY(cudaMalloc(&from, 2 * bytes));
    LADDER_TRY(cudaMemset(from, 1, bytes));
    REC_TRY(queue.open(error));
    for (double &each : seconds)
        REC_TRY(queue.time(&each, error, [&] {
            LADDER_TRY(cudaMemcpyAsync(from + bytes, from, bytes, cudaMemcpyDeviceToDevice,
                                       queue.stream));
            return REC_OK;
        }));
    std::sort(seconds + 1, seconds + copies);
    about->copy_rate = 2.0 * (double)bytes / seconds[copies / 2];
    LADDER_TRY(cudaFree(from));
    return REC_OK;
}

rec_status ladder_failed(cudaError_t result, const char *expression, const char *file, int line,
                         rec_error *error)
{
    const rec_status status = result == cudaErrorMemoryAllocation ? REC_LIMIT : REC_FAULT;
    cudaGetLastError();
    return rec_fail(error, status, "%s:%d: %s: %s (%s)", file, line, expression,
                    cudaGetErrorString(result), cudaGetErrorName(result));
}

extern "C" rec_status rec_ladder_device_open(int number, rec_ladder_device *about,
                                             rec_error *error)
{
    *about = {};
    const auto before = std::chrono::steady_clock::now();
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (result != cudaSuccess)
        return rec_fail(error, REC_UNAVAILABLE, "no CUDA device: %s", cudaGetErrorString(result));
    if (number < 0 || number >= count)
        return rec_fail(error, REC_UNAVAILABLE, "there is no device %d; this machine has %d",
                        number, count);
    LADDER_TRY(cudaSetDevice(number));
    LADDER_TRY(cudaFree(nullptr));
    about->start_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    cudaDeviceProp properties;
    LADDER_TRY(cudaGetDeviceProperties(&properties, number));
    snprintf(about->name, sizeof about->name, "%.127s", properties.name);
    about->number = number;
    about->major = properties.major;
    about->minor = properties.minor;
    about->multiprocessors = properties.multiProcessorCount;
    // Turing and the large chips of the A100's and V100's generations, and all others.
    about->lanes = about->major <= 7 || (about->major == 8 && about->minor == 0) ? 64 : 128;
    about->l2 = (size_t)properties.l2CacheSize;
    int kilohertz = 0;
    LADDER_TRY(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, number));
    about->clock = 1e3 * kilohertz;
    LADDER_TRY(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, number));
    about->memory_clock = 1e3 * kilohertz;
    REC_TRY(find_clock(about, error));
    return find_copy_rate(about, error);
}

extern "C" void rec_ladder_profile(int on) { on ? cudaProfilerStart() : cudaProfilerStop(); }
