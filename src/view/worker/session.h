/* One input while it is shown: its run, cut into pieces short enough to answer the user between two
 * of them, its numbers, and its snapshots. Everything here belongs to the worker's thread. */
#ifndef REC_VIEW_SESSION_H
#define REC_VIEW_SESSION_H

#include <stdint.h>

#include "job/job.h"
#include "view/worker/history.h"
#include "view/worker/levels.h"
#include "view/worker/scene.h"

typedef struct rec_session {
    rec_job *job;             /* its run is open while `run` is */
    rec_run *run;             /* NULL: none is open */
    rec_size size;            /* of the input, pixels, */
    size_t planes;            /* and its planes */
    rec_solver *jumper;       /* NULL: nobody has jumped yet */
    int jumped;               /* what is shown, and saved, is the jumper's */
    uint64_t jump;            /* which iterate that is */
    uint64_t every;           /* K; 0: as many as a picture takes */
    uint64_t single;          /* the batch in hand is a single step of so many; 0: it is not */
    uint64_t batch_left;      /* iterations to the end of this batch of K */
    int fresh_batch;          /* nothing of it is done yet */
    int not_recorded;         /* what failed was a frame of the recording: the run is unharmed */
    int not_marked;           /* what failed was to find room for the change: likewise */
    int marked;               /* the run's solver has what the change is from */
    int marking;              /* the change since the begin of the batch is shown */
    double speed;             /* iterations a second, in the last piece without a look */
    double next_look;         /* rec_now() when it is due again, where K is left open */
    double distance;          /* grey levels RMS; NaN when not known */
    uint64_t distance_at;     /* the iterations done then ... */
    double distance_time;     /* ... and rec_now() */
    double next_distance;     /* rec_now() when it is due again */
    double rate;              /* updates a second in the last second; 0: not known */
    double rate_time;         /* rec_now() at the begin of that second */
    uint64_t rate_from;       /* and the iterations done then */
    double pace;              /* seconds a decade of iterations; 0: full speed */
    double pace_time;         /* rec_now() when it was set, or iterating began, ... */
    double pace_from;         /* ... and the iterations done then, at least 1 */
    uint64_t shown_at;        /* the iterations done when the last snapshot was begun */
    rec_levels levels;        /* of what was shown last */
    double next_levels;       /* rec_now() when they are due again */
    rec_tone auto_tone;       /* by the levels */
    rec_tone tone;            /* that the picture was shown by last */
    double shown_time;        /* rec_now() when the last snapshot was begun; 0: never */
    double shown_seconds;     /* that this took: on the host all of it, on a device nearly nothing, */
    double device_seconds;    /* but there the iterations behind it take so much longer */
    int just_shown;           /* there were none yet */
    int has_reference;        /* the run's solver has the picture to compare with ... */
    int jumper_has_reference; /* ... and the jumper */
    double peak;              /* the largest value that its samples can have, for the PSNR */
    double psnr;              /* of the run, or of the jump: dB; NaN when not known */
    rec_history history;      /* of the run */
} rec_session;

/* Opens the job; restart: from the beginning, whatever its checkpoint has. */
rec_status rec_session_open(rec_session *session, rec_job *job, int restart, rec_error *error);
void rec_session_close(rec_session *session); /* without a run: nothing */

/* Gives the run the picture to compare with, where there is one; a failure leaves it without. */
rec_status rec_session_open_reference(rec_session *session, rec_error *error);

/* Begins a new batch and a new measurement of the rate: iterating starts or goes on. A batch is K
 * iterations, or `single` where that is not 0; where K is left open, as many as a picture takes. */
void rec_session_begin_batch(rec_session *session, uint64_t single);

/* K, as it is now: for people where it is left open. */
uint64_t rec_session_every(const rec_session *session);
/* Doubles (more = 1) or halves it, or, with more = -1, back to that of the options. */
void rec_session_change_every(rec_session *session, int more);

/* The pace: seconds a decade times the factor; 0: full speed, and from there back to the usual. */
void rec_session_change_pace(rec_session *session, double factor);
/* Iterating waits for the pace. */
int rec_session_is_early(const rec_session *session);
/* Something was done since the last snapshot was begun. */
int rec_session_has_news(const rec_session *session);

/* One piece: a batch, or as much of it as takes about a tenth of a second, and at most to the next
 * frame of a recording, which it writes. *ended becomes 1 at the end of a batch; the next one begins
 * by itself. */
rec_status rec_session_advance(rec_session *session, int *ended, rec_error *error);

/* The numbers of the very last iteration, when no other will follow for a while. */
rec_status rec_session_look(rec_session *session, rec_error *error);

/* While iterating: whether the screen wants a new picture after this piece. */
int rec_session_wants_picture(const rec_session *session, int batch_ended);

/* The solver that can show a layer of what is shown now; NULL: none can. */
rec_solver *rec_session_solver_of(const rec_session *session, rec_layer layer);

/* Begins a snapshot of a layer, which some solver can show, for an area that is not empty; what was
 * asked for goes to *view. *begun = 0: both buffers are busy. */
rec_status rec_session_show(rec_session *session, const rec_wanted *wanted, rec_layer layer,
                            rec_view *view, int *begun, rec_error *error);

/* The change is shown from now on, or not any more: what it needs is remembered at the begin of
 * every batch. */
void rec_session_mark(rec_session *session, int marking);

/* A pixel of the image: what is shown, the edge, the reference. */
rec_status rec_session_probe(rec_session *session, size_t column, size_t row, rec_probe *probe,
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

/* What rec_session_show would show, as bytes in an image that this call creates. Waits for it;
 * nobody else may poll the solvers meanwhile. */
rec_status rec_session_copy_layer(rec_session *session, const rec_wanted *wanted, rec_layer layer,
                                  rec_image *bytes, rec_error *error);

/* The iterate that a solver of it holds, counted as snapshots have it: from its creation. */
uint64_t rec_session_shown_by(const rec_session *session, const rec_solver *solver);

#endif
