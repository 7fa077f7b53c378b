/* The cpu solver's inner loops, compiled once for each instruction set that pays. */
#pragma once

#include "solver/cpu/host.h"

/* A stage of the blocked iteration (cpu_tiles.h): `levels` iterations of a strip in some rows. Row
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
