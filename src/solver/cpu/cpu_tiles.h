/* Many iterations in one pass over memory: the cpu solver's temporal blocking. The same bits as
 * plain iterations, whatever the number of threads and iterations. */
#pragma once

#include "solver/cpu/cpu_rows.h"

struct rec_cpu_progress;

typedef struct rec_cpu_tiles {
    const rec_cpu_loops *loops;
    size_t bands;       /* of rows, of a plane */
    size_t strips;      /* of columns: most in a pass */
    size_t handing;     /* of them: the most that a band hands down */
    int depth;          /* most iterations of a pass */
    size_t thread_size; /* floats of a thread's memory */
    size_t carry_size;  /* floats that a band's strips leave each other */
    size_t handed_size; /* floats that a band leaves the one below */
    struct rec_cpu_progress *progress; /* of all planes' bands; the whole memory begins here */
    float *halo;        /* the halo's value `halo_size` times: 2 * width * levels of a deep stage */
    size_t halo_size;
    int32_t *inside, *outside; /* as in rec_cpu_stage; `inside` also covers the columns that a stage
                                  reaches beside the image */
    float *memory;      /* of all threads */
    float *carry;       /* of all planes' bands */
    float *handed;      /* of all planes' bands */
} rec_cpu_tiles;

/* *tiles is all zeros before; tiles->progress is to be freed. */
rec_status rec_cpu_tiles_create(rec_cpu_tiles *tiles, const rec_cpu_loops *loops,
                                const rec_host *host, rec_error *error);

/* n > 0 iterations of all planes. Leaves M_N in host->m and M_(N-1) in host->other. */
void rec_cpu_tiles_iterate(const rec_cpu_tiles *tiles, rec_host *host, uint64_t n);

/* ---- a strip of a band: cpu_strip.c ----
 *
 * The piece of a pass that one thread makes independently of the other threads. */

/* A band in a pass, and its memory. Strip s has its columns s * width - height +
 * y - 2 k of row y - k of iterate k, and the next width - 1. */
typedef struct rec_cpu_band {
    const rec_cpu_tiles *tiles;
    float *m;                        /* in and out: a strip overwrites cells that were read */
    const float *f;
    float *before;                   /* where the iterate before the last goes; NULL: nowhere */
    ptrdiff_t stride, width, height; /* of the image */
    ptrdiff_t top, bottom;           /* rows top..bottom-1 of iterate 0, k rows up in iterate k */
    int depth;
    const float *above;              /* what the band above hands down in this strip; or NULL */
    float *below;                    /* what this band hands down; NULL: no band below */
    float *carry;                    /* what a strip leaves for the next */
    float *memory;                   /* a thread's */
} rec_cpu_band;

enum { REC_CPU_BLOCK = 3072 }; /* floats of a block at most; it is the first part of `memory` */

/* The first strip of the band that meets the image, and the one behind the last. */
size_t rec_cpu_band_first(const rec_cpu_band *band);
size_t rec_cpu_band_end(const rec_cpu_band *band);

/* Makes a strip. Strips are made from left to right. */
void rec_cpu_band_strip(const rec_cpu_band *band, size_t number);
