/* A strip of a band: the piece of a pass (cpu_tiles.h) that one thread makes without looking at the
 * others. */
#ifndef REC_SOLVER_CPU_STRIP_H
#define REC_SOLVER_CPU_STRIP_H

#include "solver/cpu/cpu_rows.h"

/* A band in a pass, and the memory that goes with it. Strip s has its columns s * width - height +
 * y - 2 k of row y - k of iterate k, and the next width - 1. */
typedef struct rec_cpu_band {
    const rec_cpu_loops *loops;
    float *m;                        /* in and out: what a strip overwrites has been read */
    const float *f;
    float *before;                   /* where the iterate before the last goes; NULL: nowhere */
    ptrdiff_t stride, width, height; /* of the image */
    ptrdiff_t top, bottom;           /* rows top..bottom-1 of iterate 0, k rows up in iterate k */
    int depth;
    const float *above;              /* what the band above hands down in this strip; NULL */
    float *below;                    /* what this one hands down in it; NULL: no band is below */
    float *carry;                    /* what a strip leaves for the next */
    float *memory;                   /* a thread's */
    const float *halo;               /* rec_cpu_band_halo's */
    const int32_t *inside;           /* rec_cpu_stage's, and before it and behind the image's width
                                        columns rec_cpu_band_margin more */
} rec_cpu_band;

/* Floats of `carry` for bands of up to `rows` rows, of what a band hands down in a strip, and of a
 * thread's memory, for passes of up to `depth`. */
size_t rec_cpu_band_carry(int depth, size_t rows);
size_t rec_cpu_band_handed(const rec_cpu_loops *loops, int depth);
size_t rec_cpu_band_memory(const rec_cpu_loops *loops, int depth);

/* How many times the halo's value is needed in a row, and columns beside the image. */
size_t rec_cpu_band_halo(const rec_cpu_loops *loops);
size_t rec_cpu_band_margin(const rec_cpu_loops *loops);

/* The first strip of the band that meets the image, and the end of them. */
size_t rec_cpu_band_first(const rec_cpu_band *band);
size_t rec_cpu_band_end(const rec_cpu_band *band);

/* Makes a strip. They are made from left to right. */
void rec_cpu_band_strip(const rec_cpu_band *band, size_t number);

#endif
