/* The processor: its name, and the instruction sets that it has. */
#pragma once

#include <stddef.h>

/* The instruction sets that loops are compiled for, the best first; every processor has the last.
 * What stands for each of them: NAME_avx512 and so on. */
#if REC_X86
enum { REC_CPU_AVX512, REC_CPU_AVX2, REC_CPU_BASE, REC_CPU_SETS };
#define REC_OF_CPU_SETS(name) {&name##_avx512, &name##_avx2, &name##_base}
#else
enum { REC_CPU_BASE, REC_CPU_SETS };
#define REC_OF_CPU_SETS(name) {&name##_base}
#endif
int rec_cpu_has(int set);

/* "AMD EPYC, 2 threads" */
void rec_processor_name(char *text, size_t size, int threads);
