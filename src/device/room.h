/* Memory, of the host or of a device: blocks that are freed together, and rows to and from them. */
#pragma once

#include "problem/problem.h"

/* The blocks have numbers: the user's own. On a device the last ones are pinned memory of the host,
 * which the device can reach. */
enum { REC_PINNED = 16, REC_BLOCKS = 18, REC_EVENTS = 4 };

/* Copies of planes to and from a device, through pinned memory. */
typedef struct rec_cuda_transfer {
    float *staging[2];            /* pinned */
    size_t floats;                /* of each */
    struct CUevent_st *copied[2]; /* the device has read or filled it */
} rec_cuda_transfer;

/* What a solver or a display has in memory. A room of zeros may be destroyed, and so may one whose
 * start or whose memory failed. */
typedef struct rec_room {
    rec_planes planes;        /* of the picture, and the kind of memory; the user sets m and f */
    void *block[REC_BLOCKS];
    size_t bytes[REC_BLOCKS]; /* of each */

    /* On a device alone. Set before its memory is taken: */
    int device;
    rec_costs *costs;    /* the bytes are kept up to date */
    const char *instead; /* for what does not fit: what to do, or "" */
    /* What there is of these is destroyed with the room: */
    struct CUstream_st *stream;
    struct CUevent_st *event[REC_EVENTS];
    rec_cuda_transfer transfer;
} rec_room;

/* Copies rows, strides in floats, after the queued work. */
typedef rec_status rec_memory_copy(const rec_planes *planes, float *to, size_t to_stride,
                                   const float *from, size_t from_stride, size_t width,
                                   size_t height, rec_error *error);

/* A kind of memory. */
typedef struct rec_memory {
    /* Makes every block as large as wanted; what was in one that grows is lost. REC_LIMIT says what
     * is needed and what there is, and then nothing is lost; `what`: what for. */
    rec_status (*allocate)(rec_room *room, const size_t wanted[REC_BLOCKS], const char *what,
                           rec_error *error);
    void (*give_back)(rec_room *room, int block); /* waits for who still reads it */
    void (*destroy)(rec_room *room);              /* waits for its stream; leaves no block */
    rec_status (*wait)(const rec_planes *planes, rec_error *error); /* for queued work */
    rec_memory_copy *read;  /* to the host's memory; waits */
    /* From the host's memory, which may change then, or from the same, which must stay until the
     * copy has ended. */
    rec_memory_copy *write;
} rec_memory;

extern const rec_memory rec_memory_host, rec_memory_cuda;

static inline const rec_memory *rec_memory_of(const rec_planes *planes)
{
    return REC_HAVE_CUDA && planes->on_device ? &rec_memory_cuda : &rec_memory_host;
}
