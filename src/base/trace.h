/* NVTX ranges for Nsight Systems and Compute: the domain "reconstruct", names registered once,
 * numbers as payloads. The only file that calls NVTX; without its header every call is empty. */
#pragma once

#include <stdint.h>

typedef enum rec_trace_range {
    REC_TRACE_LOAD,     /* payload: bytes of the decoded image */
    REC_TRACE_ALLOCATE, /* payload: bytes */
    REC_TRACE_UPLOAD,   /* payload: bytes */
    REC_TRACE_ITERATE,  /* payload: iterations in the batch */
    REC_TRACE_SNAPSHOT, /* payload: bytes that leave the device */
    REC_TRACE_NORM,     /* payload: iterations done so far */
    REC_TRACE_DOWNLOAD, /* payload: bytes */
    REC_TRACE_SAVE,     /* payload: bytes of the decoded image */
    REC_TRACE_RANGES
} rec_trace_range;

#if REC_HAVE_NVTX
/* Ranges nest within a thread; every push has its pop. */
void rec_trace_push(rec_trace_range range, uint64_t payload);
void rec_trace_push_name(const char *name); /* any other, of which a process has few */
void rec_trace_pop(void);
#else
static inline void rec_trace_push(rec_trace_range range, uint64_t payload) {}
static inline void rec_trace_push_name(const char *name) {}
static inline void rec_trace_pop(void) {}
#endif
