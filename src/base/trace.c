#include "base/trace.h"

#if REC_HAVE_NVTX

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>

/* Created once a process and never destroyed: a profiler wants it to the end. */
static pthread_once_t created = PTHREAD_ONCE_INIT;
static nvtxDomainHandle_t domain;

static void create_domain(void) { domain = nvtxDomainCreateA("reconstruct"); }

void rec_trace_push(const char *name, uint64_t payload)
{
    pthread_once(&created, create_domain);
    const nvtxEventAttributes_t event = {
        .version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
        .payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, .payload.ullValue = payload,
        .messageType = NVTX_MESSAGE_TYPE_ASCII, .message.ascii = name};
    nvtxDomainRangePushEx(domain, &event);
}

void rec_trace_pop(void) { nvtxDomainRangePop(domain); }

#endif
