/* One axis of the picture and the transform along it: the tables and the length of the FFT. The FFT
 * itself is elsewhere.
 *
 * What lies beyond the border chooses the basis: the sine transform (DST-I) for fixed values, the
 * cosine transform (DCT-II) for a mirror, the Hartley transform (DHT) for a picture that is
 * periodic. In each of them the sum of the two neighbours along the axis is 2 - 4 low[p] times the
 * pixel's mode p.
 *
 * With N = n + 1 the sine transform of n pixels f_1..f_n is F_p = sum_j f_j sin(pi p j / N), p =
 * 1..n, and twice is N / 2 times the pixels again. Two rows go through one complex FFT of length N:
 *
 * z_0 = 0, z_j = sin(pi j / N) (f_j + f_(N-j)) + (f_j - f_(N-j)) / 2 (row 1 real, row 2 imaginary)
 *
 * The transform of z has F_(2k) and the differences F_(2k+1) - F_(2k-1): Cooley, Lewis and Welch,
 * "The Fast Fourier Transform Algorithm: Programming Considerations in the Calculation of Sine,
 * Cosine and Laplace Transforms", 1970. The inverse of the Laplacian amplifies the low frequencies.
 * The running sum starts there, so its rounding is largest at the high frequencies, where it does
 * no harm.
 *
 * FFTW takes any N. On a device the FFT of length N is a convolution of a padded length, a power of
 * two (Bluestein): Z_k = w_k sum_j (z_j w_j) conj(w_(k-j)) with w_j = exp(-i pi j^2 / N), unless N
 * is a power of two that its shared memory holds. As z_0 = 0, a length of 2 N - 2 is enough.
 *
 * The cosine transform is X_k = 2 sum_j x_j cos(pi k (j + 1/2) / n), its way back gives 2 n x. The
 * Hartley transform is X_k = sum_j x_j (cos + sin)(2 pi j k / n), and twice is n x. Both take FFTs
 * of length n. */
#pragma once

#include <stddef.h>

#include "kernels/spectral_modes.h"

typedef struct rec_spectral_axis {
    rec_basis basis;
    size_t n;       /* pixels, and modes */
    size_t period;  /* N = n + 1 for sines, else n */
    size_t length;  /* of the complex FFT: N, or, padded, at least 2 N - 1 (sines: 2 N - 2) */
    int padded;     /* the FFT is a convolution */
    double norm;    /* the transform and its way back multiply by `norm` */
    double *low;    /* n: sin^2 of the modes' half angles: p pi / (2 N), p = 1..n, for sines;
                       p pi / (2 n), p = 0..n-1, for cosines; p pi / n for Hartley's */
    double *high;   /* n: cos^2 of the same angles */
    double *ones;   /* n: the transform of n ones */
    double *turn;   /* sines: N, sin(pi j / N); cosines: n complex numbers exp(-i pi k / (2 n)) */
    double *chirp;  /* N complex numbers w_j when padded, else NULL */
    size_t doubles; /* of all tables, which are behind each other from `turn` on */
} rec_spectral_axis;

/* p of mode i, whose half angle is p pi / (2 N). */
static inline size_t rec_mode_of(rec_basis basis, size_t i)
{
    return basis == REC_HARTLEY ? 2 * i : basis == REC_SINE ? i + 1 : i;
}
