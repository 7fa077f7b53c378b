/* One input while it is shown: its run, cut into pieces short enough to answer the user between two
 * of them, its numbers, and its snapshots. Everything here belongs to the worker's thread. */
#ifndef REC_VIEW_SESSION_H
#define REC_VIEW_SESSION_H

#include <stdint.h>

#include "view/fit.h"
#include "view/view.h"

typedef struct rec_session {
    const rec_view_options *options;
    rec_run *run; /* NULL: none is open */
    rec_view_input input;
    size_t index;             /* of the input */
    rec_solver *jumper;       /* NULL: nobody has jumped yet */
    int jumped;               /* what is shown, and saved, is the jumper's */
    uint64_t jump;            /* which iterate that is */
    int step;               /* the batch in hand is a single step */
    uint64_t batch_left;      /* iterations to the end of this batch of K */
    double speed;             /* iterations a second, in the last piece without a distance */
    double distance;          /* grey levels RMS; NaN when not known */
    uint64_t distance_at;     /* the iterations done then */
    double next_distance;     /* rec_now() when it is due again */
    double rate;              /* updates a second in the last second; 0: not known */
    double rate_time;         /* rec_now() at the begin of that second */
    uint64_t rate_from;       /* and the iterations done then */
    double shown_time;        /* rec_now() when the last snapshot was begun; 0: never */
} rec_session;

rec_status rec_session_open(rec_session *session, const rec_view_options *options, size_t index,
                            int restart, rec_error *error);
void rec_session_close(rec_session *session); /* without a run: nothing */

/* Begins a new batch and a new measurement of the rate: iterating starts or goes on. A batch is K
 * iterations; where K is left open, as many as a picture takes, or REC_DEFAULT_EVERY for a single
 * step, which shall be the same on every machine. */
void rec_session_begin_batch(rec_session *session, int step);

/* One piece: a batch, or as much of it as takes about a tenth of a second. *ended becomes 1 at the
 * end of a batch; the next one begins by itself. */
rec_status rec_session_advance(rec_session *session, int *ended, rec_error *error);

/* The numbers of the very last iteration, when no other will follow for a while. */
rec_status rec_session_look(rec_session *session, rec_error *error);

/* While iterating: whether the screen wants a new picture after this piece. */
int rec_session_wants_picture(const rec_session *session, int batch_ended);

/* Begins a snapshot fit for `area`, which is not empty, and never larger than the image; its size
 * goes to *size. *begun = 0: both buffers are busy. */
rec_status rec_session_show(rec_session *session, rec_size area, rec_size *size, int *begun,
                            rec_error *error);

/* Shows iterate `iteration`, or REC_LIMIT_ITERATION, by a jump; the run waits. The first jump opens
 * the jumper and transforms the edges. */
rec_status rec_session_seek(rec_session *session, uint64_t iteration, rec_error *error);
void rec_session_return(rec_session *session); /* to the run */
/* After a failure: frees what the jumper holds; nobody may poll it any more. */
void rec_session_close_jumper(rec_session *session);
/* The run goes on from what the jump shows. After a failure it may have no solver any more. */
rec_status rec_session_play(rec_session *session, rec_error *error);

/* The solver that has what is shown, and the image of it, which this call creates. */
rec_solver *rec_session_solver(const rec_session *session);
rec_status rec_session_read(rec_session *session, rec_image *image, rec_error *error);

/* What rec_session_show would show (of an empty area: the whole image), as an image that this call
 * creates. Waits for it; nobody else may poll the solver meanwhile. */
rec_status rec_session_copy_view(rec_session *session, rec_size area, rec_image *view,
                                 rec_error *error);

/* The iterate shown, counted as snapshots have it: from its solver's creation. */
uint64_t rec_session_shown(const rec_session *session);

#endif
