/* Host memory: aligned, checked for overflow, and refused with its size instead of failing late. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define REC_ALIGNMENT 64 /* bytes: a cache line, and the widest vector register */

/* Bytes that this process can still allocate: available memory and free swap, at most the control
 * group's limit and RLIMIT_AS. SIZE_MAX if the system does not tell. */
size_t rec_memory_available(void);

/* Sets the pointer at `place`, of any type, to count * size bytes, aligned to REC_ALIGNMENT, for
 * rec_free. NULL and REC_LIMIT, naming `what` and the bytes, when that overflows, exceeds what is
 * available, or the system refuses. No bytes give a valid pointer. */
rec_status rec_allocate(void *place, size_t count, size_t size, const char *what, rec_error *error);
/* rec_allocate, all bytes 0. Large memory is not touched: its pages are 0 when first used. */
rec_status rec_allocate_zeroed(void *place, size_t count, size_t size, const char *what,
                               rec_error *error);
/* The same for what is mostly never written: each place that is takes little memory. */
rec_status rec_allocate_sparse(void *place, size_t count, size_t size, const char *what,
                               rec_error *error);
void rec_free(void *memory); /* NULL is fine */
/* A pointer to such memory, or to what malloc gave, freed where its block ends. */
static inline void rec_free_at(void *place) { rec_free(*(void **)place); }
#define rec_owned REC_OWNED(rec_free_at)

/* From now on the process keeps freed blocks of up to 32 MB: the system would supply them again
 * page by page, which takes as long as an exact picture. */
void rec_memory_keep(void);

/* ---- sizes ---- */

static inline size_t rec_smaller(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t rec_larger(size_t a, size_t b) { return a > b ? a : b; }

/* Writes a size for people ("3.2 GB", decimal units) into text and returns text. */
char *rec_format_bytes(char text[32], double bytes);

/* For the test: the bytes that the process's control group and all groups above it still allow;
 * UINT64_MAX without a limit. `groups` is /proc/self/cgroup, `root` /sys/fs/cgroup, either version.
 * Inactive cached files count as free: the system drops them when memory is needed. */
uint64_t rec_cgroup_available(const char *groups, const char *root);
