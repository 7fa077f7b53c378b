/* The limit's columns: for every mode of the rows a recursion down and one up (the host's version,
 * src/solver/spectral/host/spectral_columns.c, is the readable one). A column is cut into
 * chunks, which run side by side: each finds what it adds to the recursion, then each begins with
 * the sum over those before it. The recursion down and the sums of the recursion up share one
 * pass. */
#include "kernels/spectral.h"
#include "kernels/spectral_modes.h"

namespace {

constexpr unsigned threads = 128;
constexpr unsigned batch = 8; /* loads in flight a thread */

struct columns {
    double *plane;
    size_t pitch, width, rows, chunk, chunks; /* chunk: rows of one, the last one has fewer */
    const double *low;
    double scale;
    double *down, *up; /* chunks x width: what each adds */
};

__device__ inline double rate_of(double low) { return 2 * asinh(sqrt(low)); }

__device__ inline size_t column_of_thread() { return (size_t)blockIdx.x * threads + threadIdx.x; }

__device__ inline size_t rows_of(const columns &c, size_t index)
{
    const size_t left = c.rows - index * c.chunk;
    return left < c.chunk ? left : c.chunk;
}

/* What enters the next chunk when nothing enters this one. */
__global__ void begin_down(columns c)
{
    const size_t x = column_of_thread(), index = blockIdx.y;
    if (x >= c.width)
        return;
    const double r = exp(-rate_of(c.low[x]));
    const double *cells = c.plane + index * c.chunk * c.pitch + x;
    const size_t rows = rows_of(c, index);
    double a = 0;
#pragma unroll 8
    for (size_t y = 0; y < rows; y++)
        a = r * (a - c.scale * cells[y * c.pitch]);
    c.down[index * c.width + x] = a;
}

/* a_y in place, and what the chunk adds to m of its first row. */
__global__ void sweep_down(columns c)
{
    const size_t x = column_of_thread(), index = blockIdx.y;
    if (x >= c.width)
        return;
    const double rate = rate_of(c.low[x]), r = exp(-rate), across = exp(-rate * (double)c.chunk);
    double *cells = c.plane + index * c.chunk * c.pitch + x;
    const size_t rows = rows_of(c, index);
    double a = 0, sum = 0, power = 1;
#pragma unroll 8
    for (size_t before = 0; before < index; before++)
        a = c.down[before * c.width + x] + across * a;
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
    c.up[index * c.width + x] = sum;
}

/* m_y = a_y + r m_(y+1), less what keeps the row above the first from being 0: `decayed` of its
 * row, which obeys d_(t-1) + d_(t+1) = (2 + 4 low) d_t. */
__global__ void sweep_up(columns c)
{
    const size_t x = column_of_thread(), index = blockIdx.y;
    if (x >= c.width)
        return;
    const double low = c.low[x], rate = rate_of(low), r = exp(-rate);
    const double across = exp(-rate * (double)c.chunk);
    double *cells = c.plane + index * c.chunk * c.pitch + x;
    const size_t rows = rows_of(c, index), below = index * c.chunk + rows + 1;
    double m = 0, first = 0;
#pragma unroll 8
    for (size_t other = c.chunks; other-- > 0;) {
        if (other == index)
            m = first;
        first = c.up[other * c.width + x] + across * first;
    }
    const double above = r * first, end = (double)(c.rows + 1), t = (double)below;
    double decayed = above * rec_mode_decayed(rate, t, end);
    /* sinh(a + rate) - sinh(a) = 2 cosh(a + rate / 2) sinh(rate / 2): the difference of two decayed
     * would lose digits, and what it is taken from may be 10^5 times the picture. */
    double step = above * -2 * sqrt(low) * exp(-rate * (t - 0.5)) *
                  (1 + exp(-2 * rate * (end - t + 0.5))) / expm1(-2 * rate * end);
    for (size_t done = 0; done < rows; done += batch) {
        double a[batch];
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            a[i] = done + i < rows ? cells[(rows - 1 - done - i) * c.pitch] : 0;
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            if (done + i < rows) {
                m = a[i] + r * m;
                decayed += step;
                step += 4 * low * decayed;
                cells[(rows - 1 - done - i) * c.pitch] = m - decayed;
            }
    }
}

/* Some 32 chunks fill a device. `decayed` of sweep_up must not underflow on the way down a chunk in
 * which it begins with what counts: 256 * 2 asinh(1) < 700. */
size_t chunk_of(size_t rows)
{
    const size_t whole = (rows + 32 * batch - 1) / (32 * batch) * batch;
    return whole < 256 ? whole : 256;
}

} // namespace

size_t rec_columns_scratch(size_t width, size_t rows)
{
    const size_t chunk = chunk_of(rows);
    return 2 * width * ((rows + chunk - 1) / chunk);
}

cudaError_t rec_launch_columns(const rec_device_axis *x, double *plane, size_t pitch, size_t rows,
                               double scale, double *scratch, cudaStream_t stream)
{
    const size_t half = rec_columns_scratch(x->n, rows) / 2, chunk = chunk_of(rows);
    const columns c = {plane, pitch, x->n, rows, chunk, half / x->n, x->low, scale, scratch,
                       scratch + half};
    const dim3 grid((unsigned)((c.width + threads - 1) / threads), (unsigned)c.chunks);
    begin_down<<<grid, threads, 0, stream>>>(c);
    sweep_down<<<grid, threads, 0, stream>>>(c);
    sweep_up<<<grid, threads, 0, stream>>>(c);
    return cudaGetLastError();
}
