/* The processor: its name, and the instruction sets that it has. */
#pragma once

#include <stddef.h>

/* Whether this processor has an instruction set that loops were compiled for. */
typedef int rec_cpu_works(void);
rec_cpu_works rec_cpu_always;
#if REC_X86
rec_cpu_works rec_cpu_has_avx2, rec_cpu_has_avx512;
#endif

/* "AMD EPYC, 2 threads" */
void rec_processor_name(char *text, size_t size, int threads);
