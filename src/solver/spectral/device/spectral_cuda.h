/* The spectral solver on a device, for its files. Memory, in planes of doubles: a picture of one
 * plane takes 1 for the floats of edges and result, 1 for the limit by tridiagonal systems (2 by
 * both transforms), 2 more for iterates (1.5 more with a start of its own), and the FFT's rows and
 * workspace, which are bounded. */
#pragma once

#include "kernels/spectral.h"
#include "device/cuda_room.h"
#include "solver/spectral/spectral.h"

/* Transforms of rows along an axis. */
typedef struct rec_device_transform {
    const rec_spectral_axis *host; /* the axis on the host */
    rec_device_axis axis; /* roots NULL: the tables are not filled in yet */
    size_t pairs;         /* of rows at a time */
    size_t table_bytes, complex_bytes;
} rec_device_transform;

enum { REC_ALONG_X, REC_ALONG_Y, REC_ALONG_LIMIT, REC_ALONGS };

/* The numbers of its memory there. */
enum {
    REC_MEMORY_EDGES, REC_MEMORY_START, REC_MEMORY_RESULT, /* planes of floats behind each other */
    REC_MEMORY_WORK,    /* `plane`, and `modes` behind it */
    REC_MEMORY_COMPLEX, /* rows that a block's shared memory is too small for */
    REC_MEMORY_COLUMNS, /* of the tridiagonal systems */
    REC_MEMORY_SYMBOLS, /* a stencil's, as `modes` */
    REC_MEMORY_TABLES,  /* of each transform */
    REC_MEMORY_KEPT = REC_MEMORY_TABLES + REC_ALONGS, /* modes: of the edges, of the start */
    REC_MEMORIES = REC_MEMORY_KEPT + 2 * REC_MOST_PLANES
};
_Static_assert((int)REC_MEMORIES <= (int)REC_PINNED, "a room has as many");

/* Several devices, each with a part of the rows, share the limit by tridiagonal systems: only what
 * the chunks of columns add to each other passes between them. The first leads. */
typedef struct rec_cuda_spectral {
    rec_spectral head;
    size_t first, rows;  /* of the shape */
    struct rec_cuda_spectral *part[REC_MOST_DEVICES]; /* of the first: it and the others */
    size_t parts;
    const rec_spectral_shape *shape; /* the head's */
    rec_room room;
    int hurries;      /* solves are queued, and not waited for */
    float *edges, *result; /* the room's, or the caller's */
    rec_device_transform along[REC_ALONGS];
    rec_device_columns columns;
    size_t pitch, double_pitch, limit_pitch, column_pitch; /* of floats, plane, modes */
    double *plane;    /* `rows` rows of width, or of the limit's */
    double *modes;    /* width rows of height: the modes on their way back */
} rec_cuda_spectral;

/* spectral_cuda_memory.c: starts the device, takes its memory, and copies the problem there. */
rec_status rec_spectral_cuda_create(rec_cuda_spectral *e, const rec_problem *problem,
                                    const rec_slab *slab, rec_error *error);
rec_status rec_spectral_cuda_load(rec_cuda_spectral *e, const rec_problem *problem,
                                  rec_error *error);

/* Takes the memory for the limit by tridiagonal systems, `direct`, or for transforms along both
 * axes and `kept` planes of modes. The content of the plane is lost. */
rec_status rec_spectral_cuda_prepare(rec_cuda_spectral *e, int direct, size_t kept,
                                     rec_error *error);
