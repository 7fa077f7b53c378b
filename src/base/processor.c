#include "base/processor.h"

#include <stdio.h>
#include <string.h>
#if REC_X86
#include <cpuid.h>
#endif

#include "base/text.h"

int rec_cpu_has(int set)
{
#if REC_X86
    if (set <= REC_CPU_AVX2 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
        return 0;
    if (set == REC_CPU_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
#endif
    return 1;
}

void rec_processor_name(char *text, size_t size, int threads)
{
    union {
        unsigned part[3][4];
        char text[49];
    } brand = {0};
#if REC_X86
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002 + i, &brand.part[i][0], &brand.part[i][1], &brand.part[i][2],
                    &brand.part[i][3]);
#endif
    const char *name = brand.text + strspn(brand.text, " ");
    snprintf(text, size, "%s, %d thread%s", *name ? name : "processor", threads,
             rec_plural(threads));
}
