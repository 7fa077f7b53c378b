/* NVTX ranges for Nsight Systems and Compute: the domain "reconstruct", numbers as payloads. The
 * only file that calls NVTX; without its header every call is empty. */
#pragma once

#include <stdint.h>

#include "base/status.h"

#if REC_HAVE_NVTX
/* Ranges nest within a thread; every push has its pop. The payload is a number of bytes, or of
 * iterations: those of the batch, and for "norm" those done so far. */
void rec_trace_push(const char *name, uint64_t payload);
void rec_trace_pop(void);
#else
static inline void rec_trace_push(const char *name, uint64_t payload) {}
static inline void rec_trace_pop(void) {}
#endif

/* A range from here to the end of the block. */
#define REC_TRACE(name, payload) \
    REC_OWNED(rec_trace_end) __attribute__((unused)) \
    int traced_ = (rec_trace_push(name, payload), 0)
static inline void rec_trace_end(int *traced) { rec_trace_pop(); }
