/* Samples of a file or of a caller in their own type. An edit reads parts of rows as numbers and
 * writes the samples that it changes; all others keep their bits. */
#pragma once

#include <float.h>

#include "image/image.h"

/* Name; type in C; 1: floating point; the type in which two samples are subtracted: exact for
 * integers; the lowest and the highest finite value. */
#define REC_SAMPLE_TYPES(ROW) \
    ROW(U8, uint8_t, 0, int32_t, 0, UINT8_MAX) \
    ROW(I8, int8_t, 0, int32_t, INT8_MIN, INT8_MAX) \
    ROW(U16, uint16_t, 0, int32_t, 0, UINT16_MAX) \
    ROW(I16, int16_t, 0, int32_t, INT16_MIN, INT16_MAX) \
    ROW(U32, uint32_t, 0, int64_t, 0, UINT32_MAX) \
    ROW(I32, int32_t, 0, int64_t, INT32_MIN, INT32_MAX) \
    ROW(U64, uint64_t, 0, __int128, 0, UINT64_MAX) \
    ROW(I64, int64_t, 0, __int128, INT64_MIN, INT64_MAX) \
    ROW(F32, float, 1, float, -FLT_MAX, FLT_MAX) \
    ROW(F64, double, 1, double, -DBL_MAX, DBL_MAX)

#define REC_SAMPLE_NAME(name, ...) REC_SAMPLE_##name,
typedef enum rec_sample_type { REC_SAMPLE_TYPES(REC_SAMPLE_NAME) } rec_sample_type;

typedef struct rec_sample_kind {
    size_t bytes;
    int floating;
    double lowest, highest; /* of 64-bit integers the nearest doubles */
} rec_sample_kind;
extern const rec_sample_kind rec_sample_kinds[]; /* by type */

/* Sample (x, y) of plane p is x * across + y * down + p * plane bytes behind sample (0, 0) of plane
 * 0, aligned or not. A file in Fortran order is read much faster by columns: with width and height,
 * and across and down, exchanged. */
typedef struct rec_samples {
    void *data;                    /* sample (0, 0) of plane 0; NULL: the samples are in a file */
    int descriptor;                /* of that file; to write, it must be open for reading, too */
    uint64_t offset;               /* bytes of the file before sample (0, 0) of plane 0 */
    size_t width, height, planes;
    ptrdiff_t across, down, plane; /* strides in bytes; may be negative */
    rec_sample_type type;
    int swapped;                   /* bytes in the other order than the processor's */
    const uint64_t *blocks;        /* not NULL: of a file's blocks the first bytes, behind `offset`,
                                      from the left, then from the top, then plane by plane; with
                                      strides inside each */
    size_t block_width, block_height;
    int apart;                     /* each plane has its own blocks */
} rec_samples;

/* So many columns are together in a file. */
static inline size_t rec_samples_together(const rec_samples *samples)
{
    return samples->blocks ? samples->block_width : samples->width;
}

/* Bytes of a file that were read at once, for one thread that looks at many of its samples, while
 * nobody writes any. */
typedef struct rec_cache {
    uint8_t *bytes; /* NULL until it is needed */
    uint64_t place;
    size_t held;
} rec_cache;
static inline void rec_cache_free(rec_cache *cache) { rec_free(cache->bytes); }
#define rec_owned_cache REC_OWNED(rec_cache_free) rec_cache

rec_samples rec_samples_of_image(const rec_image *image); /* its own memory */

/* A sample of any type, exactly. */
typedef struct rec_exact {
    double value; /* the nearest double; of floating point the sample */
    double rest;  /* the sample less that: not 0 only for integers beyond 2^53 */
} rec_exact;

/* Samples x..x+count-1 of row y, all inside, as numbers: sample less level, so that float32 has
 * room for small differences far from zero. Numbers and samples are rounded once, to nearest, ties
 * to even; twice only if 64-bit integers have a level that is no integer. */
typedef struct rec_stretch {
    size_t plane, x, y, count;
    double *doubles;           /* [i] belongs to sample x + i; NULL: not wanted, or to write: */
    float *floats;             /* the same */
    unsigned char *found;      /* read: 1 where the sample is exactly the level (round it before, to
                                  compare as float32), or for a level of NaN not finite; else 0 */
    rec_exact level;           /* {0}: none */
    const unsigned char *mask; /* write: only where [i] is not 0; NULL: everywhere */
    const rec_exact *avoid;    /* write: no sample becomes this, as nodata; NULL: any may be made */
    rec_cache *cache;          /* read: NULL: none */
} rec_stretch;

/* Call these in the default rounding mode. In memory they return REC_OK; for a file REC_IO, also
 * when it is shorter than it was, or REC_SIGNALLED, and the caller puts its name before the message
 * (rec_fail_in). Threads may write different rows at a time, but not different planes of one row of
 * a file if they are interleaved: bytes between samples are written back as they were read. */
rec_status rec_samples_read(const rec_samples *samples, const rec_stretch *to, rec_error *error);

/* Integers are clamped to their range; NaN becomes the lowest. A sample that would be `avoid`
 * becomes the next one towards the number before rounding, up if that is `avoid` itself, and into
 * the range at its ends. */
rec_status rec_samples_write(const rec_samples *samples, const rec_stretch *from, rec_error *error);
