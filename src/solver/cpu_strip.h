/* A strip of a band: the piece of a pass (cpu_tiles.h) that one thread makes without looking up. */
#ifndef REC_SOLVER_CPU_STRIP_H
#define REC_SOLVER_CPU_STRIP_H

#include "solver/cpu_rows.h"

/* A band in a pass, and a thread's memory for it. */
typedef struct rec_cpu_band {
    const rec_cpu_loops *loops;
    const float *m, *f;
    float *other;
    ptrdiff_t stride, width, height; /* of the image */
    ptrdiff_t top, bottom;           /* rows top..bottom-1 of iterate 0, k fewer each of iterate k */
    int depth;
    const float *above;              /* what the band above hands down, strip after strip, as wide */
    float *below;                    /* as `state`; what this one does; NULL: no band there */
    float *window;                   /* a block of a strip */
    float *state, *halo, *carry;     /* rec_cpu_stage's */
    int32_t *inside, *outside;
} rec_cpu_band;

/* Floats of a thread's memory for bands of up to `rows` rows and passes of up to `depth`. */
size_t rec_cpu_band_size(const rec_cpu_loops *loops, int depth, size_t rows);

/* Floats that a band hands down, a strip. */
size_t rec_cpu_band_handed(const rec_cpu_loops *loops, int depth);

/* Lays the band's memory out and makes what is left of the first strip. */
void rec_cpu_band_begin(rec_cpu_band *band, float *memory);

/* Strip after strip, from left to right. */
void rec_cpu_band_strip(const rec_cpu_band *band, size_t strip);

#endif
