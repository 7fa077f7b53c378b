/* What a profiler is to NVTX, in small: a library that NVTX loads by NVTX_INJECTION64_PATH, and
 * that writes "domain range payload" lines to stderr as ranges are pushed. */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);

static nvtxDomainHandle_t create_domain(const char *name)
{
    return (nvtxDomainHandle_t)strdup(name);
}

static int depth;

static int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    fprintf(stderr, "nvtx %s %s %llu\n", (const char *)domain, event->message.ascii,
            (unsigned long long)event->payload.ullValue);
    return depth++;
}

static int pop(nvtxDomainHandle_t domain)
{
    fprintf(stderr, "nvtx %s pop %d\n", (const char *)domain, --depth);
    return depth;
}

EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table;
    unsigned int size;
    if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
        return 0;
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create_domain;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    return 1;
}
