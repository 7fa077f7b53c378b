/* Two rows at a time into and out of the complex FFT of the cosine and of the Hartley transform, one
 * row in the real parts and one in the imaginary ones.
 *
 * Cosines (Makhoul, "A Fast Cosine Transform in One and Two Dimensions", 1980): with v the even
 * pixels followed by the odd ones from the end, V its FFT and w_k = exp(-i pi k / (2 n)),
 *
 * X_k = 2 Re(w_k V_k), and back V_k = conj(w_k) (X_k - i X_(n-k)) / 2 with X_n = 0
 *
 * The inverse FFT is the forward one between two conjugations. Hartley: X_k = Re V_k - Im V_k. */
#include "kernels/spectral.h"

namespace {

constexpr unsigned threads = 256;

enum way { COSINE, COSINE_BACK, HARTLEY };

/* The pixel that is v_i. */
template <way which> __device__ inline size_t pixel_of(size_t i, size_t n)
{
    return which == HARTLEY ? i : 2 * i < n ? 2 * i : 2 * (n - i) - 1;
}

__device__ inline double2 multiply(double2 a, double2 b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* V_k of one row. */
template <class Cell>
__device__ inline double2 turn_back(const Cell *row, size_t k, size_t n, double2 w)
{
    const double2 u = {0.5 * row[k], k ? -0.5 * row[n - k] : 0.0};
    return multiply({w.x, -w.y}, u);
}

/* The last row of an odd number goes with itself. */
template <way which, class Cell>
__global__ void pack(rec_device_axis axis, double2 *z, const Cell *cells, size_t pitch, size_t rows)
{
    const size_t i = (size_t)blockIdx.x * threads + threadIdx.x, n = axis.n;
    if (i >= n)
        return;
    const Cell *first = cells + 2 * (size_t)blockIdx.y * pitch;
    const Cell *second = 2 * (size_t)blockIdx.y + 1 < rows ? first + pitch : first;
    double2 *out = z + blockIdx.y * axis.length + i;
    if (which == COSINE_BACK) {
        const double2 w = ((const double2 *)axis.turn)[i];
        const double2 a = turn_back(first, i, n, w), b = turn_back(second, i, n, w);
        *out = {a.x - b.y, -a.y - b.x};
    } else {
        const size_t from = pixel_of<which>(i, n);
        *out = {(double)first[from], (double)second[from]};
    }
}

/* The FFTs of both rows at k, from that of the first + i * the second. */
__device__ inline void separate(const double2 *z, size_t k, size_t n, double2 *a, double2 *b)
{
    const double2 at = z[k], mirrored = z[k ? n - k : 0];
    *a = {0.5 * (at.x + mirrored.x), 0.5 * (at.y - mirrored.y)};
    *b = {0.5 * (at.y + mirrored.y), 0.5 * (mirrored.x - at.x)};
}

template <way which, class Cell>
__global__ void unpack(rec_device_axis axis, const double2 *z, Cell *cells, size_t pitch,
                       size_t rows, double scale, double offset)
{
    const size_t k = (size_t)blockIdx.x * threads + threadIdx.x, n = axis.n;
    if (k >= n)
        return;
    Cell *first = cells + 2 * (size_t)blockIdx.y * pitch;
    size_t to = k;
    double u, v;
    z += blockIdx.y * axis.length;
    if (which == COSINE_BACK) {
        to = pixel_of<which>(k, n);
        u = 2 * z[k].x;
        v = -2 * z[k].y;
    } else {
        double2 a, b;
        separate(z, k, n, &a, &b);
        if (which == COSINE) {
            const double2 w = ((const double2 *)axis.turn)[k];
            u = 2 * multiply(w, a).x;
            v = 2 * multiply(w, b).x;
        } else {
            u = a.x - a.y;
            v = b.x - b.y;
        }
    }
    first[to] = (Cell)(scale * u + offset);
    if (2 * (size_t)blockIdx.y + 1 < rows)
        first[pitch + to] = (Cell)(scale * v + offset);
}

dim3 grid_of(const rec_device_axis *axis, const rec_device_rows *rows)
{
    return dim3((unsigned)((axis->n + threads - 1) / threads), (unsigned)((rows->count + 1) / 2));
}

template <way which>
void launch_pack(const rec_device_axis *axis, double2 *z, const rec_device_rows *rows,
                 cudaStream_t stream)
{
    const dim3 grid = grid_of(axis, rows);
    if (rows->floats)
        pack<which><<<grid, threads, 0, stream>>>(*axis, z, rows->floats, rows->pitch, rows->count);
    else
        pack<which><<<grid, threads, 0, stream>>>(*axis, z, rows->cells, rows->pitch, rows->count);
}

template <way which>
void launch_unpack(const rec_device_axis *axis, const double2 *z, const rec_device_rows *rows,
                   double scale, double offset, cudaStream_t stream)
{
    const dim3 grid = grid_of(axis, rows);
    if (rows->floats)
        unpack<which><<<grid, threads, 0, stream>>>(*axis, z, rows->floats, rows->pitch,
                                                    rows->count, scale, offset);
    else
        unpack<which><<<grid, threads, 0, stream>>>(*axis, z, rows->cells, rows->pitch,
                                                    rows->count, scale, offset);
}

} // namespace

cudaError_t rec_launch_pack_even(const rec_device_axis *axis, int back, double *z,
                                 const rec_device_rows *rows, cudaStream_t stream)
{
    (axis->basis == REC_HARTLEY ? launch_pack<HARTLEY>
     : back                     ? launch_pack<COSINE_BACK>
                                : launch_pack<COSINE>)(axis, (double2 *)z, rows, stream);
    return cudaGetLastError();
}

cudaError_t rec_launch_unpack_even(const rec_device_axis *axis, int back, const double *z,
                                   const rec_device_rows *rows, double scale, double offset,
                                   cudaStream_t stream)
{
    (axis->basis == REC_HARTLEY ? launch_unpack<HARTLEY>
     : back                     ? launch_unpack<COSINE_BACK>
                                : launch_unpack<COSINE>)(axis, (const double2 *)z, rows, scale,
                                                         offset, stream);
    return cudaGetLastError();
}
