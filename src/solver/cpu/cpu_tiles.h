/* Many iterations in one pass over memory: the cpu solver's temporal blocking. The same bits as
 * plain iterations, whatever the number of threads and iterations. */
#pragma once

#include "solver/cpu/host.h"

/* ---- the inner loops, compiled once for each instruction set that pays: cpu_rows.c ---- */

/* A stage of the blocked iteration: `levels` iterations of a strip in some rows. Row
 * y of iterate n comes in, row y - levels of iterate n + levels goes out. The strip moves one
 * column to the right with each row, and two to the left with each iteration. */
typedef struct rec_cpu_stage {
    const float *in;        /* row y, column x */
    float *out;             /* row y - levels, column x - 2 * levels */
    const float *f;         /* row y, column x */
    ptrdiff_t in_stride, out_stride, f_stride; /* floats from a row of the strip to the next */
    ptrdiff_t rows;
    const float *above;     /* the state of the levels after the rows above: for each level its last
                               row and the pair sums above that row, 2 * width floats */
    float *below;           /* the state that this stage leaves; may be `above` */
    float *carry;           /* for each level and row the last two floats of the strip on the left;
                               replaced by the last two floats of this strip */
    const float *ahead[2];  /* to prefetch: a cache line of each row, f_stride apart; NULL: none */

    /* For stages that touch a border of the image: */
    ptrdiff_t x, y;         /* of in's first */
    ptrdiff_t width, height; /* of the image */
    const float *halo;      /* a row of the constant around the image */
    const int32_t *inside;  /* of column 0: all bits for columns of the image, none for others */
    const int32_t *outside; /* a row of none */
} rec_cpu_stage;

typedef void rec_cpu_stage_run(const rec_cpu_stage *stage);

/* The stages of `levels` iterations. */
typedef struct rec_cpu_stages {
    int levels;
    rec_cpu_stage_run *inner;  /* for rows that touch no border */
    rec_cpu_stage_run *border; /* for any */
} rec_cpu_stages;

/* The loops of one instruction set. */
typedef struct rec_cpu_loops {
    rec_host_rows *rows[2]; /* one plain iteration; of unknown pixels alone, with a mask */
    size_t width;          /* columns of a strip, a multiple of 16 */
    rec_cpu_stages deep;   /* as many iterations as the registers hold */
    rec_cpu_stages single; /* one: for the remainder */
} rec_cpu_loops;

extern const rec_cpu_loops rec_cpu_loops_avx512, rec_cpu_loops_avx2, rec_cpu_loops_base;

/* ---- the passes: cpu_tiles.c ---- */

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
