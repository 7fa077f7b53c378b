/* What the window's thread and the worker's share: actions and what the window wants to see go one
 * way, what there is to tell and snapshots the other. Locks are only held to copy something, never
 * during a batch or while the screen is drawn. */
#ifndef REC_VIEW_EXCHANGE_H
#define REC_VIEW_EXCHANGE_H

#include <pthread.h>

#include "view/worker/action.h"
#include "view/worker/history.h"
#include "view/worker/scene.h"
#include "view/worker/state.h"
#include "view/worker/values.h"

#define REC_QUEUED_ACTIONS 1024 /* more than so many waiting are dropped */

typedef struct rec_exchange {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t posted;
    rec_request queue[REC_QUEUED_ACTIONS];
    size_t queued;
    unsigned requests;    /* how many there were */
    int leave;            /* REC_ACTION_LEAVE overtakes the queue and stays */
    rec_wanted wanted;
    unsigned changed;     /* rec_changed: of it, since the worker looked */
    int resting;          /* the worker waits, and nothing will change before the next action */
    rec_view_state state;
    rec_history history;
    rec_values values;

    pthread_mutex_t handover; /* the window polls the solvers under it, the worker takes it to
                                 exchange them or to have the snapshots for itself */
    rec_solver *solver[2];    /* what is shown, and the run's while that is something else; NULL */
    rec_size image;           /* that they work on, pixels */
    unsigned runs;            /* number of the run that they belong to */
} rec_exchange;

void rec_exchange_init(rec_exchange *exchange);
void rec_exchange_destroy(rec_exchange *exchange);

/* ---- the worker's side ---- */

void rec_exchange_publish(rec_exchange *exchange, const rec_view_state *state);
void rec_exchange_publish_history(rec_exchange *exchange, const rec_history *history);
void rec_exchange_publish_values(rec_exchange *exchange, const rec_values *values);
rec_wanted rec_exchange_wanted(rec_exchange *exchange);

/* Gives the window other solvers to poll, or none, of an image of that size; returns the run's
 * number. When it returns the window has no snapshot of the old ones in its hands. */
unsigned rec_exchange_set_solvers(rec_exchange *exchange, rec_solver *shown, rec_solver *other,
                                  rec_size image);

/* How long rec_exchange_next waits for an action. */
typedef enum rec_patience {
    REC_PATIENCE_NONE,   /* there is work to do */
    REC_PATIENCE_LITTLE, /* a few milliseconds: a snapshot found both buffers busy */
    REC_PATIENCE_LONG    /* half a second: then files are looked after */
} rec_patience;

/* What changed of what is wanted. */
enum rec_changed { REC_CHANGED_PICTURE = 1, REC_CHANGED_PROBE = 2 };

/* The next request, whose path is the caller's then; of REC_ACTION_NONE when none came in time, or
 * when something else is wanted, which *changed tells. */
rec_request rec_exchange_next(rec_exchange *exchange, rec_patience patience, unsigned *changed);

/* ---- the window's side ---- */

void rec_exchange_post(rec_exchange *exchange, rec_action action);

/* A seek, in place of one that is still waiting: only the newest counts. Returns its number, 0 when
 * it was dropped. */
unsigned rec_exchange_seek(rec_exchange *exchange, uint64_t iteration);

/* An input to add, and to show with REC_ACTION_OPEN. 0 when it was dropped: too much is waiting. */
int rec_exchange_post_path(rec_exchange *exchange, rec_action action, const char *path);

void rec_exchange_want(rec_exchange *exchange, const rec_wanted *wanted);

/* The newest state. 1 when nothing new will come before the next action or another area, but for a
 * snapshot that is on its way. */
int rec_exchange_get_state(rec_exchange *exchange, rec_view_state *state);
void rec_exchange_get_history(rec_exchange *exchange, rec_history *history);
void rec_exchange_get_values(rec_exchange *exchange, rec_values *values);

/* Gives the newest snapshot that has arrived from each solver to `accept`. Never waits: while the
 * worker has the snapshots for itself nothing happens. */
typedef void rec_exchange_accept(void *context, const rec_snapshot *snapshot, const rec_shot *shot);
void rec_exchange_poll(rec_exchange *exchange, rec_exchange_accept *accept, void *context);

#endif
