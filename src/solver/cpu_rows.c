/* Compiled several times, with -DREC_ROWS=base, avx2, avx512 and the flags that go with it: the
 * compiler makes the vectors, cpu.c chooses by what the processor has. */
#include "solver/cpu_rows.h"

#include "kernels/stencil.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define UPDATE rec_update
#else
#define UPDATE rec_update_without_fma
#endif

void JOIN(rec_cpu_rows_, REC_ROWS)(const rec_plane *out, const rec_plane *in, const float *f,
                                   size_t width, size_t first, size_t end)
{
    for (size_t y = first; y < end; y++) {
        const float *restrict row = in->cells + y * in->stride;
        const float *restrict up = row - in->stride, *restrict down = row + in->stride;
        const float *restrict term = f + y * in->stride;
        float *restrict next = out->cells + y * out->stride;
        for (ptrdiff_t x = 0; x < (ptrdiff_t)width; x++)
            next[x] = UPDATE(up[x], row[x - 1], row[x + 1], down[x], term[x]);
    }
}
