/* Two snapshot buffers between a solver's owner, who fills them, and one reader, who shows them.
 * Nobody ever waits: without a free buffer there is no snapshot, without a finished one no picture. */
#ifndef REC_SOLVER_SLOTS_H
#define REC_SOLVER_SLOTS_H

#include <stdatomic.h>

#include "solver/solver.h"

#define REC_SLOTS 2

typedef struct rec_slots {
    rec_snapshot snapshot[REC_SLOTS];
    atomic_int state[REC_SLOTS];       /* free (0), in flight, out with the reader */
    uint64_t sequence[REC_SLOTS];      /* order of the snapshots in flight */
    uint64_t next;                     /* owner's counter */
} rec_slots;

/* Owner: a free slot's index, or -1. It stays free until rec_slots_begin. */
int rec_slots_find_free(rec_slots *slots);

/* Owner: what is coming into the slot is described, and the reader may have it once it is finished.
 * `range` is the snapshot's low and high where they are known already. */
void rec_slots_begin(rec_slots *slots, int index, const rec_view *view, size_t planes,
                     size_t stride, const uint8_t *pixels, uint64_t iteration,
                     rec_tone_range range);

/* Reader: the newest slot in flight that `finished` says has arrived; older ones of its layer become
 * free. Of several layers that comes first which has waited longest.
 * `finished` is asked with the caller's context and a slot's index, and puts the range that arrived
 * into the slot's snapshot; NULL: they all have, and their owner did. */
const rec_snapshot *rec_slots_poll(rec_slots *slots,
                                   int (*finished)(void *context, int index,
                                                   rec_snapshot *snapshot),
                                   void *context);
void rec_slots_release(rec_slots *slots, const rec_snapshot *snapshot);

#endif
