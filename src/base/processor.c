#include "base/processor.h"

#include <stdio.h>
#include <string.h>
#ifdef REC_X86
#include <cpuid.h>
#endif

#include "base/text.h"

int rec_cpu_always(void) { return 1; }
#if REC_X86
int rec_cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

int rec_cpu_has_avx512(void)
{
    return rec_cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#endif

void rec_processor_name(char *text, size_t size, int threads)
{
    char name[96] = "";
#ifdef REC_X86
    unsigned brand[13] = {0}; /* told by the processor itself: no file is read for each image */
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2],
                    &brand[4 * i + 3]);
    const char *told = (const char *)brand;
    snprintf(name, sizeof name, "%s", told + strspn(told, " "));
#endif
    FILE *file = name[0] ? NULL : fopen("/proc/cpuinfo", "r");
    if (file) {
        char line[256];
        while (fgets(line, sizeof line, file))
            if (sscanf(line, "model name : %95[^\n]", name) == 1)
                break;
        fclose(file);
    }
    snprintf(text, size, "%s, %d thread%s", name[0] ? name : "processor", threads,
             rec_plural(threads));
}
