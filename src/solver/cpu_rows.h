/* The cpu solver's inner loop, compiled once for each instruction set that is worth it. */
#ifndef REC_SOLVER_CPU_ROWS_H
#define REC_SOLVER_CPU_ROWS_H

#include "solver/host.h"

rec_host_rows rec_cpu_rows_base;
#if REC_X86
rec_host_rows rec_cpu_rows_avx2;   /* and FMA */
rec_host_rows rec_cpu_rows_avx512; /* F, VL, DQ */
#endif

#endif
