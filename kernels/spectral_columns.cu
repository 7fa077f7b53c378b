/* The limit's columns: for every mode of the rows a recursion down and one up (the host's version,
 * src/solver/spectral/spectral_columns.c, is the readable one). A column is cut into chunks, which run side
 * by side: each finds what it adds to the recursion, a scan over the chunks finds what enters
 * each, and then each does its rows. The recursion down and the sums of the recursion up share one
 * pass. */
#include "kernels/spectral.h"
#include "kernels/spectral_modes.h"

namespace {

constexpr unsigned threads = 128;
constexpr unsigned chunk = 64;  /* rows */
constexpr unsigned batch = 8;   /* loads in flight a thread */
constexpr double negligible = 60; /* exp(-60) of a number of doubles is nothing */

struct columns {
    double *plane;
    size_t pitch, width, rows, chunks;
    const double *low;
    double scale;
    double *carry; /* chunks x width: first of the way down, then of the way up */
    double *first; /* width: m_0, with r m_0 above it */
};

__device__ inline double rate_of(double low) { return 2 * asinh(sqrt(low)); }

__device__ inline size_t column_of_thread() { return (size_t)blockIdx.x * threads + threadIdx.x; }

__device__ inline size_t rows_of(const columns &c, size_t index)
{
    const size_t left = c.rows - index * chunk;
    return left < chunk ? left : chunk;
}

/* What enters the next chunk when nothing enters this one. */
__global__ void begin_down(columns c)
{
    const size_t x = column_of_thread(), index = blockIdx.y;
    if (x >= c.width)
        return;
    const double r = exp(-rate_of(c.low[x]));
    const double *cells = c.plane + index * chunk * c.pitch + x;
    const size_t rows = rows_of(c, index);
    double a = 0;
#pragma unroll 8
    for (size_t y = 0; y < rows; y++)
        a = r * (a - c.scale * cells[y * c.pitch]);
    c.carry[index * c.width + x] = a;
}

__global__ void scan_down(columns c)
{
    const size_t x = column_of_thread();
    if (x >= c.width)
        return;
    const double across = exp(-rate_of(c.low[x]) * chunk);
    double entering = 0;
    for (size_t index = 0; index < c.chunks; index += batch) {
        double leaving[batch];
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            leaving[i] = index + i < c.chunks ? c.carry[(index + i) * c.width + x] : 0;
#pragma unroll
        for (unsigned i = 0; i < batch; i++) {
            if (index + i < c.chunks)
                c.carry[(index + i) * c.width + x] = entering;
            entering = leaving[i] + across * entering;
        }
    }
}

/* a_y in place, and what the chunk adds to m of its first row. */
__global__ void sweep_down(columns c)
{
    const size_t x = column_of_thread(), index = blockIdx.y;
    if (x >= c.width)
        return;
    const double r = exp(-rate_of(c.low[x]));
    double *cells = c.plane + index * chunk * c.pitch + x;
    const size_t rows = rows_of(c, index);
    double a = c.carry[index * c.width + x], sum = 0, power = 1;
    for (size_t begin = 0; begin < rows; begin += batch) {
        double e[batch];
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            e[i] = begin + i < rows ? cells[(begin + i) * c.pitch] : 0;
#pragma unroll
        for (unsigned i = 0; i < batch; i++) {
            a = r * (a - c.scale * e[i]);
            if (begin + i < rows) {
                cells[(begin + i) * c.pitch] = a;
                sum += power * a;
                power *= r;
            }
        }
    }
    c.carry[index * c.width + x] = sum;
}

__global__ void scan_up(columns c)
{
    const size_t x = column_of_thread();
    if (x >= c.width)
        return;
    const double rate = rate_of(c.low[x]);
    const double across = exp(-rate * chunk);
    const double across_last = exp(-rate * (double)rows_of(c, c.chunks - 1));
    double entering = 0;
    for (size_t done = 0; done < c.chunks; done += batch) {
        double leaving[batch];
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            leaving[i] =
                done + i < c.chunks ? c.carry[(c.chunks - 1 - done - i) * c.width + x] : 0;
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            if (done + i < c.chunks) {
                c.carry[(c.chunks - 1 - done - i) * c.width + x] = entering;
                entering = leaving[i] + (done + i ? across : across_last) * entering;
            }
    }
    c.first[x] = entering;
}

/* m_y = a_y + r m_(y+1), less what keeps the row above the first from being 0. */
__global__ void sweep_up(columns c)
{
    const size_t x = column_of_thread(), index = blockIdx.y;
    if (x >= c.width)
        return;
    const double rate = rate_of(c.low[x]), r = exp(-rate), above = r * c.first[x];
    double *cells = c.plane + index * chunk * c.pitch + x;
    const size_t rows = rows_of(c, index), top = index * chunk;
    double m = c.carry[index * c.width + x];
    for (size_t done = 0; done < rows; done += batch) {
        double a[batch];
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            a[i] = done + i < rows ? cells[(rows - 1 - done - i) * c.pitch] : 0;
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            if (done + i < rows) {
                const size_t y = rows - 1 - done - i;
                const double t = (double)(top + y + 1);
                m = a[i] + r * m;
                cells[y * c.pitch] =
                    rate * t < negligible
                        ? m - above * rec_mode_decayed(rate, t, (double)(c.rows + 1))
                        : m;
            }
    }
}

} // namespace

static size_t chunks_of(size_t rows) { return (rows + chunk - 1) / chunk; }

size_t rec_columns_scratch(size_t width, size_t rows) { return width * (chunks_of(rows) + 1); }

cudaError_t rec_launch_columns(const rec_device_axis *x, double *plane, size_t pitch, size_t rows,
                               double scale, double *scratch, cudaStream_t stream)
{
    columns c = {plane, pitch, x->n, rows, chunks_of(rows), x->low, scale, scratch, nullptr};
    c.first = scratch + c.width * c.chunks;
    const dim3 line((unsigned)((c.width + threads - 1) / threads));
    const dim3 grid(line.x, (unsigned)c.chunks);
    begin_down<<<grid, threads, 0, stream>>>(c);
    scan_down<<<line, threads, 0, stream>>>(c);
    sweep_down<<<grid, threads, 0, stream>>>(c);
    scan_up<<<line, threads, 0, stream>>>(c);
    sweep_up<<<grid, threads, 0, stream>>>(c);
    return cudaGetLastError();
}
