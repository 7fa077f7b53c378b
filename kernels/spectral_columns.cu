/* The limit's columns: for every mode of the rows T m = e with (T m)_y = m_(y-1) + m_(y+1) -
 * (2 + 4 low) m_y. With r + 1/r = 2 + 4 low, 0 < r < 1, that is a recursion down, a_y = r (a_(y-1)
 * - e_y), and one up, m_y = a_y + r m_(y+1). A column is cut into chunks, a thread each: what a
 * chunk adds to both recursions is found first, from that the values that enter every chunk, and
 * then each makes its part in registers (the host's version,
 * src/solver/spectral/host/spectral_columns.c, is the readable one).
 *
 * Where the rows are those of another width, a power of two less one, a column of the picture needs
 * charges, one a row, that are added to the edges there (docs/spectral.md):
 *
 *   a row cut short by its last pixel g: its neighbour's charge is -g, and the last column's own
 *   equation determines g;
 *   a longer row: the charges in the halo's column make the picture 0 there.
 *
 * The sine transform along the column diagonalises the charges' system. */
#include "kernels/spectral.h"

namespace {

constexpr int threads = 128, warps = threads / 32;
constexpr int chunk = 32;      /* rows: a lane each in sum_rows */
constexpr unsigned batch = 16; /* loads in flight */

struct columns {
    rec_device_columns shape;
    unsigned chunks;
    double *plane;
    size_t pitch;
    double scale;
    double *down, *up;        /* chunks x width: what each adds; then what enters it */
    double *sums;             /* of each block of threads: a value a row */
    double *line, *charge;    /* rows */
    const float *last_pixels; /* of the edges */
    float *pixels;
    size_t pixels_pitch;      /* of both */
    double halo;
    /* width each: r; its power of a chunk's rows; what a unit that enters from above adds to m in
     * the first row of a chunk, and of the last one: the sum of r^(2 i + 1); what the m of the
     * first row, times -1, makes enter there; sine at the column with the charges */
    double *ratio, *across, *through, *through_last, *begin, *weight;
    double *charges;          /* rows: of a unit in each mode of the line */
};

__device__ inline unsigned rows_of(const columns &c, unsigned index)
{
    const unsigned left = c.shape.rows - index * chunk;
    return left < chunk ? left : chunk;
}

__global__ void __launch_bounds__(threads) fill_modes(const columns c, const double *low)
{
    const unsigned q = blockIdx.x * threads + threadIdx.x;
    if (q >= c.shape.width)
        return;
    const double root = sqrt(low[q]) + sqrt(1 + low[q]), r = 1 / (root * root);
    const double rate = 2 * asinh(sqrt(low[q])), square = expm1(-2 * rate);
    const unsigned long long turn = 2ull * (c.shape.width + 1);
    c.ratio[q] = r;
    c.across[q] = exp(-rate * chunk);
    c.through[q] = r * expm1(-2 * rate * chunk) / square;
    c.through_last[q] = r * expm1(-2 * rate * rows_of(c, c.chunks - 1)) / square;
    c.begin[q] = r * square / expm1(-2 * rate * (c.shape.rows + 1.0));
    c.weight[q] = sinpi((double)((q + 1ull) * c.shape.column % turn) / (c.shape.width + 1.0));
}

__global__ void __launch_bounds__(threads) fill_charges(const columns c)
{
    const unsigned p = blockIdx.x * threads + threadIdx.x + 1;
    if (p > c.shape.rows)
        return;
    const double end = c.shape.rows + 1.0, period = c.shape.width + 1.0, column = c.shape.column;
    const double rate = 2 * asinh(sinpi(p / (2 * end)));
    const auto decay = [=](double distance) { return expm1(-2 * rate * distance); };
    const double of_cut = -1 / (exp(rate) + exp(-rate) * (1 - decay(column) / decay(period)));
    const double of_longer =
        exp(rate) * decay(1) * decay(period) / (decay(column) * decay(period - column));
    c.charges[p - 1] = 2 / end * (c.shape.cut ? of_cut : of_longer);
}

/* A thread's part of a column: its edges, with their charges. */
template <bool charged> struct part {
    unsigned q, index;
    int rows; /* 0: none */
    double r, factor;
    double *cells;

    __device__ part(const columns &c)
        : q(blockIdx.x * threads + threadIdx.x), index(c.shape.first / chunk + blockIdx.y)
    {
        rows = q < c.shape.width ? (int)rows_of(c, index) : 0;
        r = rows ? c.ratio[q] : 0;
        factor = -r * c.scale;
        cells = c.plane + (size_t)blockIdx.y * chunk * c.pitch + q;
    }
    /* All threads of the block. The barrier also keeps the loads together, ahead of their use. */
    __device__ void load(const columns &c, double (&e)[chunk]) const
    {
#pragma unroll
        for (int i = 0; i < chunk; i++)
            e[i] = i < rows ? cells[i * c.pitch] : 0;
        if (!charged)
            return;
        __shared__ double charge[chunk];
        if (threadIdx.x < rows_of(c, index))
            charge[threadIdx.x] = c.charge[index * chunk + threadIdx.x];
        const double weight = rows ? c.weight[q] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < chunk; i++)
            e[i] = fma(weight, charge[i], e[i]);
    }
};

template <bool charged> __global__ void __launch_bounds__(threads) contribute(const columns c)
{
    const part<charged> own(c);
    double e[chunk], a = 0, sum = 0, power = 1;
    own.load(c, e);
#pragma unroll
    for (int i = 0; i < chunk; i++)
        if (i < own.rows) {
            a = fma(own.r, a, own.factor * e[i]);
            sum = fma(power, a, sum);
            power *= own.r;
        }
    if (own.rows) {
        c.down[(size_t)own.index * c.shape.width + own.q] = a;
        c.up[(size_t)own.index * c.shape.width + own.q] = sum;
    }
}

__device__ inline void load(double (&to)[batch], const double *from, size_t step, unsigned first,
                            unsigned count)
{
#pragma unroll
    for (unsigned i = 0; i < batch; i++)
        to[i] = first + i < count ? from[(first + i) * step] : 0;
}

/* What enters each chunk, from above and from below. A recursion down that begins with 0 leaves r
 * m_1 above the first row where 0 must be; with -r m_1 of the true m it leaves none, and that is
 * -r m_1 (1 - r^2) / (1 - r^(2 H + 2)) of the m_1 found first. */
__global__ void __launch_bounds__(32) enter(const columns c)
{
    const unsigned q = blockIdx.x * 32 + threadIdx.x;
    if (q >= c.shape.width)
        return;
    const double across = c.across[q], through = c.through[q], through_last = c.through_last[q];
    const size_t step = c.shape.width;
    double *const down = c.down + q, *const up = c.up + q;
    const unsigned last = c.chunks - 1;
    double a = 0, m = 0, power = 1;
    for (unsigned first = 0; first < c.chunks; first += batch) {
        double adds_down[batch], adds_up[batch];
        load(adds_down, down, step, first, c.chunks);
        load(adds_up, up, step, first, c.chunks);
#pragma unroll
        for (unsigned i = 0; i < batch; i++) {
            m = fma(power, fma(a, first + i < last ? through : through_last, adds_up[i]), m);
            a = fma(across, a, adds_down[i]);
            power = first + i < last ? power * across : 0;
        }
    }
    a = -m * c.begin[q];
    for (unsigned first = 0; first < c.chunks; first += batch) {
        double adds_down[batch], adds_up[batch];
        load(adds_down, down, step, first, c.chunks);
        load(adds_up, up, step, first, c.chunks);
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            if (first + i < c.chunks) {
                down[(first + i) * step] = a;
                up[(first + i) * step] =
                    fma(a, first + i < last ? through : through_last, adds_up[i]);
                a = fma(across, a, adds_down[i]);
            }
    }
    m = 0;
    for (unsigned done = 0; done < c.chunks; done += batch) {
        double adds_up[batch];
        load(adds_up, up + last * step, -step, done, c.chunks);
#pragma unroll
        for (unsigned i = 0; i < batch; i++)
            if (done + i < c.chunks) {
                up[(last - done - i) * step] = m;
                m = fma(across, m, adds_up[i]);
            }
    }
}

template <bool charged>
__device__ inline void make_part(const columns &c, const part<charged> &own, double (&m)[chunk])
{
    const size_t at = (size_t)own.index * c.shape.width + own.q;
    double a = own.rows ? c.down[at] : 0, below = own.rows ? c.up[at] : 0;
    own.load(c, m);
#pragma unroll
    for (int i = 0; i < chunk; i++)
        m[i] = a = fma(own.r, a, own.factor * m[i]);
#pragma unroll
    for (int i = chunk - 1; i >= 0; i--)
        if (i < own.rows)
            m[i] = below = fma(own.r, below, m[i]);
}

/* Lane i ends with the sum over the lanes of m[i] in m[0]: every step halves the rows of a lane and
 * doubles the lanes that they are summed over. */
template <int STEP> __device__ inline void sum_lanes(double (&m)[chunk])
{
    const bool high = threadIdx.x & STEP;
#pragma unroll
    for (int i = 0; i < STEP; i++) {
        const double mine = high ? m[i + STEP] : m[i], other = high ? m[i] : m[i + STEP];
        m[i] = mine + __shfl_xor_sync(~0u, other, STEP);
    }
    if constexpr (STEP > 1)
        sum_lanes<STEP / 2>(m);
}

/* The picture at the column with the charges, of the modes of one block. */
__global__ void __launch_bounds__(threads) sum_rows(const columns c)
{
    __shared__ double warp_sums[warps][chunk];
    const part<false> own(c);
    const unsigned lane = threadIdx.x % 32;
    const double weight = own.rows ? c.weight[own.q] : 0;
    double m[chunk];
    make_part(c, own, m);
#pragma unroll
    for (int i = 0; i < chunk; i++)
        m[i] *= weight;
    sum_lanes<chunk / 2>(m);
    warp_sums[threadIdx.x / 32][lane] = m[0];
    __syncthreads();
    if (threadIdx.x >= 32 || own.index * chunk + lane >= c.shape.rows)
        return;
    double sum = 0;
    for (int w = 0; w < warps; w++)
        sum += warp_sums[w][lane];
    c.sums[(size_t)blockIdx.x * c.shape.rows + own.index * chunk + lane] = sum;
}

template <bool charged> __global__ void __launch_bounds__(threads) solve(const columns c)
{
    const part<charged> own(c);
    double m[chunk];
    make_part(c, own, m);
#pragma unroll
    for (int i = 0; i < chunk; i++)
        if (i < own.rows)
            own.cells[i * c.pitch] = m[i];
}

/* The line of what is wrong at the column with the charges. */
__global__ void __launch_bounds__(threads) collect(const columns c, unsigned blocks)
{
    const unsigned row = blockIdx.x * threads + threadIdx.x, y = c.shape.first + row;
    if (row >= c.shape.own)
        return;
    double sum = c.shape.cut ? -(double)c.last_pixels[row * c.pixels_pitch] : 0;
#pragma unroll 8
    for (unsigned b = 0; b < blocks; b++)
        sum += c.sums[(size_t)b * c.shape.rows + y];
    c.line[y] = sum;
}

constexpr unsigned tile = 512; /* rows in shared memory */

/* A warp a number of the sine transform of `from`: the charges of what is wrong, then those of the
 * rows, which are the last pixels, too, where these were cut off. */
template <bool last>
__global__ void __launch_bounds__(threads) transform_line(const columns c, double *to,
                                                          const double *from)
{
    const unsigned p = (blockIdx.x * threads + threadIdx.x) / 32 + 1, lane = threadIdx.x % 32;
    const unsigned rows = c.shape.rows, half = rows - rows / 2;
    const unsigned long long turn = 2 * (rows + 1ull);
    __shared__ double upper[tile], lower[tile]; /* rows y and end - y */
    double sine, cosine, turn_sine, turn_cosine, sum = 0;
    sincospi((double)(p * (lane + 1ull) % turn) / (rows + 1.0), &sine, &cosine);
    sincospi((double)(p * 32ull % turn) / (rows + 1.0), &turn_sine, &turn_cosine);
    const double mirror = p % 2 ? 1 : -1; /* sine of row end - y over that of row y */
    for (unsigned first = 0; first < half; first += tile) {
        __syncthreads();
#pragma unroll
        for (unsigned i = threadIdx.x; i < tile; i += threads) {
            const unsigned y = first + i, mirrored = rows - 1 - y;
            upper[i] = y < half ? from[y] : 0;
            lower[i] = y < rows / 2 ? from[mirrored] : 0;
        }
        __syncthreads();
#pragma unroll 4
        for (unsigned i = lane; i < tile; i += 32) {
            sum = fma(fma(mirror, lower[i], upper[i]), sine, sum);
            const double next = fma(sine, turn_cosine, cosine * turn_sine);
            cosine = fma(cosine, turn_cosine, -(sine * turn_sine));
            sine = next;
        }
    }
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    if (lane || p > rows)
        return;
    to[p - 1] = last ? sum : sum * c.charges[p - 1];
    const unsigned row = p - 1 - c.shape.first;
    if (last && c.shape.cut && row < c.shape.own)
        c.pixels[row * c.pixels_pitch] = (float)(c.halo - sum);
}

unsigned count(size_t things, unsigned each) { return (unsigned)((things + each - 1) / each); }

columns place(const rec_device_columns *shape)
{
    columns c = {};
    c.shape = *shape;
    c.chunks = count(shape->rows, chunk);
    c.scale = 2 / (shape->width + 1.0);
    double *next = shape->scratch;
    for (double **part : {&c.ratio, &c.across, &c.through, &c.through_last, &c.begin, &c.weight})
        *part = next, next += shape->width;
    for (double **part : {&c.charges, &c.line, &c.charge})
        *part = next, next += shape->rows;
    for (double **part : {&c.down, &c.up})
        *part = next, next += (size_t)c.chunks * shape->width;
    c.sums = next;
    return c;
}

} // namespace

size_t rec_columns_scratch(size_t width, size_t rows)
{
    return (6 + 2 * count(rows, chunk)) * width + (3 + count(width, threads)) * rows;
}

cudaError_t rec_prepare_columns(const rec_device_columns *shape, const double *low,
                                cudaStream_t stream)
{
    const columns c = place(shape);
    fill_modes<<<count(shape->width, threads), threads, 0, stream>>>(c, low);
    fill_charges<<<count(shape->rows, threads), threads, 0, stream>>>(c);
    return cudaGetLastError();
}

int rec_columns_stages(const rec_device_columns *shape) { return shape->column ? 4 : 2; }

size_t rec_columns_shared(const rec_device_columns *shape, int stage, double *pieces[2])
{
    const columns c = place(shape);
    const size_t before = (size_t)(shape->first / chunk) * shape->width;
    pieces[0] = stage == 1 ? c.line + shape->first : c.down + before;
    pieces[1] = stage == 1 ? NULL : c.up + before;
    return stage == 1 ? shape->own : (size_t)count(shape->own, chunk) * shape->width;
}

cudaError_t rec_launch_columns(const rec_device_columns *shape, int stage,
                               const rec_device_rows *rows, const rec_device_rows *edges,
                               const rec_device_rows *result, double halo, cudaStream_t stream)
{
    columns c = place(shape);
    c.plane = rows->cells;
    c.pitch = rows->pitch;
    c.last_pixels = edges->floats + shape->width;
    c.pixels = result->floats + shape->width;
    c.pixels_pitch = edges->pitch;
    c.halo = halo;
    const dim3 grid(count(shape->width, threads), count(shape->own, chunk));
    if (stage == 2) { /* the charges' modes are where the sums were */
        const unsigned blocks = count(shape->rows, warps);
        transform_line<false><<<blocks, threads, 0, stream>>>(c, c.sums, c.line);
        transform_line<true><<<blocks, threads, 0, stream>>>(c, c.charge, c.sums);
        contribute<true><<<grid, threads, 0, stream>>>(c);
    } else if (!stage) {
        contribute<false><<<grid, threads, 0, stream>>>(c);
    } else {
        enter<<<count(shape->width, 32), 32, 0, stream>>>(c);
    }
    if (stage == 1 && shape->column) {
        sum_rows<<<grid, threads, 0, stream>>>(c);
        collect<<<count(shape->own, threads), threads, 0, stream>>>(c, grid.x);
    } else if (stage == 1) {
        solve<false><<<grid, threads, 0, stream>>>(c);
    } else if (stage == 3) {
        solve<true><<<grid, threads, 0, stream>>>(c);
    }
    return cudaGetLastError();
}
