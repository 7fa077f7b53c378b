/* The double buffer of snapshots: a solver's owner fills one buffer while its one reader shows the
 * other. Nobody ever waits: without a free buffer there is no snapshot, without a finished one no
 * picture. */
#ifndef REC_SOLVER_DOUBLE_BUFFER_H
#define REC_SOLVER_DOUBLE_BUFFER_H

#include <stdatomic.h>

#include "solver/solver.h"

enum { REC_BUFFERS = 2 };

typedef struct rec_double_buffer {
    rec_snapshot snapshot[REC_BUFFERS];
    atomic_int state[REC_BUFFERS];     /* free (0), in flight, with the reader */
    uint64_t sequence[REC_BUFFERS];    /* order of the snapshots in flight */
    uint64_t next;                     /* owner's counter */
} rec_double_buffer;

/* Owner: the index of a free buffer, or -1. It stays free until rec_double_buffer_begin. */
int rec_double_buffer_find_free(rec_double_buffer *buffers);

/* Owner: the buffer holds this snapshot, or will once it is finished; the reader may have it
 * then. */
void rec_double_buffer_begin(rec_double_buffer *buffers, int index, const rec_snapshot *snapshot);

/* Whether a snapshot in flight has arrived; if so, fills in what is only known now. */
typedef int rec_buffer_arrived(void *context, int index, rec_snapshot *snapshot);

/* Reader: the newest snapshot that has arrived; older ones of its layer become free. If several
 * layers have arrived, the one that has waited longest comes first. */
const rec_snapshot *rec_double_buffer_poll(rec_double_buffer *buffers, rec_buffer_arrived *arrived,
                                           void *context);
void rec_double_buffer_release(rec_double_buffer *buffers, const rec_snapshot *snapshot);

#endif
