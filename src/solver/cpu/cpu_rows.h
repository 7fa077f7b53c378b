/* The cpu solver's inner loops, compiled once for each instruction set that pays. */
#ifndef REC_SOLVER_CPU_ROWS_H
#define REC_SOLVER_CPU_ROWS_H

#include "solver/cpu/host.h"

/* A stage of the blocked iteration (cpu_strip.h): `levels` iterations of some rows of a strip of
 * columns. Row y of iterate n comes in, row y - levels of iterate n + levels goes out. With each
 * iteration the strip moves one column to the left, so that what goes out lies `levels` columns
 * left of what comes in. */
typedef struct rec_cpu_stage {
    const float *in;        /* row y, first column */
    float *out;             /* row y - levels, first column: in's minus levels */
    const float *f;         /* row y, in's first column */
    ptrdiff_t in_stride, out_stride, f_stride; /* floats from row to row */
    ptrdiff_t rows;
    const float *above;     /* what a level keeps from row to row, its last row and the pair sums
                               above that, as the rows above left it: 2 * width floats a level */
    float *below;           /* as this stage leaves it; may be `above` */
    float *carry;           /* what a level needs of the strip on the left, the last of its row and
                               of the pair sums, and then leaves there for the strip on the right:
                               2 floats a level, row after row */
    const float *ahead[2];  /* memory that will soon be needed: a cache line of every row */
    ptrdiff_t ahead_stride; /* 0: nothing to fetch */

    /* For stages that touch a border of the image: */
    ptrdiff_t y, height;    /* of in's first row; of the image */
    const float *halo;      /* a row of the constant around the image */
    const int32_t *inside;  /* all bits for in's columns inside the image, none for those outside;
                               `levels` columns before in's first count too */
    const int32_t *outside; /* a row of none */
} rec_cpu_stage;

typedef void rec_cpu_stage_run(const rec_cpu_stage *stage);

/* The loops of one instruction set. */
typedef struct rec_cpu_loops {
    rec_host_rows *rows;       /* one plain iteration */
    size_t width;              /* columns of a strip, a multiple of 16 */
    int levels;                /* iterations of `deep` and `border` */
    rec_cpu_stage_run *deep;   /* for stages that touch no border */
    rec_cpu_stage_run *border; /* for any */
    rec_cpu_stage_run *single; /* one iteration, for any: what `levels` leave over */
} rec_cpu_loops;

extern const rec_cpu_loops rec_cpu_loops_base;
#if REC_X86
extern const rec_cpu_loops rec_cpu_loops_avx2;   /* and FMA */
extern const rec_cpu_loops rec_cpu_loops_avx512; /* F, VL, DQ */
#endif

#endif
