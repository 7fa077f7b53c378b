#include "base/trace.h"

#if REC_HAVE_NVTX

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>

static const char *const range_names[REC_TRACE_RANGES] = {
    [REC_TRACE_LOAD] = "load",         [REC_TRACE_ALLOCATE] = "allocate",
    [REC_TRACE_UPLOAD] = "upload",     [REC_TRACE_ITERATE] = "iterate",
    [REC_TRACE_SNAPSHOT] = "snapshot", [REC_TRACE_NORM] = "norm",
    [REC_TRACE_DOWNLOAD] = "download", [REC_TRACE_SAVE] = "save",
};

/* Registered once a process and never destroyed: a profiler wants them to the end. */
static pthread_once_t registered = PTHREAD_ONCE_INIT;
static nvtxDomainHandle_t domain;
static nvtxStringHandle_t names[REC_TRACE_RANGES];

static void register_names(void)
{
    domain = nvtxDomainCreateA("reconstruct");
    for (int i = 0; i < REC_TRACE_RANGES; i++) {
        names[i] = nvtxDomainRegisterStringA(domain, range_names[i]);
        nvtxDomainNameCategoryA(domain, (uint32_t)i + 1, range_names[i]);
    }
}

static void push(nvtxEventAttributes_t event)
{
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    nvtxDomainRangePushEx(domain, &event);
}

void rec_trace_push(rec_trace_range range, uint64_t payload)
{
    pthread_once(&registered, register_names);
    push((nvtxEventAttributes_t){.category = (uint32_t)range + 1,
                                 .payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
                                 .payload.ullValue = payload,
                                 .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
                                 .message.registered = names[range]});
}

void rec_trace_push_name(const char *name)
{
    pthread_once(&registered, register_names);
    push((nvtxEventAttributes_t){.messageType = NVTX_MESSAGE_TYPE_ASCII, .message.ascii = name});
}

void rec_trace_pop(void) { nvtxDomainRangePop(domain); }

#endif
