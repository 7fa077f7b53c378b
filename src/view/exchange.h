/* What the window's thread and the worker's share: actions and the size of the picture go one way,
 * what there is to tell and snapshots the other. Locks are only held to copy something, never
 * during a batch or while the screen is drawn. */
#ifndef REC_VIEW_EXCHANGE_H
#define REC_VIEW_EXCHANGE_H

#include <pthread.h>

#include "view/action.h"
#include "view/state.h"

#define REC_QUEUED_ACTIONS 16 /* more than so many waiting are dropped */

typedef struct rec_exchange {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t posted;
    rec_request queue[REC_QUEUED_ACTIONS];
    size_t queued;
    unsigned requests;    /* how many there were */
    int leave;            /* REC_ACTION_LEAVE overtakes the queue and stays */
    rec_size area;        /* for the picture, output pixels; 0 x 0: it is not seen */
    int area_changed;
    int resting;          /* the worker waits, and nothing will change before the next action */
    rec_view_state state;

    pthread_mutex_t handover; /* the window polls the solver under it, the worker takes it to
                                 exchange the solver or to have the snapshots for itself */
    rec_solver *solver;       /* NULL: none */
    unsigned runs;            /* number of the run that it belongs to */
} rec_exchange;

void rec_exchange_init(rec_exchange *exchange);
void rec_exchange_destroy(rec_exchange *exchange);

/* ---- the worker's side ---- */

void rec_exchange_publish(rec_exchange *exchange, const rec_view_state *state);
rec_size rec_exchange_area(rec_exchange *exchange);

/* Gives the window another solver to poll, or none; returns the run's number. When it returns the
 * window has no snapshot of the old one in its hands. */
unsigned rec_exchange_set_solver(rec_exchange *exchange, rec_solver *solver);

/* How long rec_exchange_next waits for an action. */
typedef enum rec_patience {
    REC_PATIENCE_NONE,   /* there is work to do */
    REC_PATIENCE_LITTLE, /* a few milliseconds: a snapshot found both buffers busy */
    REC_PATIENCE_ENDLESS
} rec_patience;

/* The next request; of REC_ACTION_NONE when none came in time, or when the area changed, which
 * *area_changed tells. */
rec_request rec_exchange_next(rec_exchange *exchange, rec_patience patience, int *area_changed);

/* ---- the window's side ---- */

void rec_exchange_post(rec_exchange *exchange, rec_action action);

/* A seek, in place of one that is still waiting: only the newest counts. Returns its number, 0 when
 * it was dropped. */
unsigned rec_exchange_seek(rec_exchange *exchange, uint64_t iteration);

void rec_exchange_set_area(rec_exchange *exchange, rec_size area);

/* The newest state. 1 when nothing new will come before the next action or another area, but for a
 * snapshot that is on its way. */
int rec_exchange_get_state(rec_exchange *exchange, rec_view_state *state);

/* Gives the newest snapshot that has arrived to `accept`, if there is one. Never waits: while the
 * worker has the snapshots for itself nothing happens. */
typedef void rec_exchange_accept(void *context, const rec_snapshot *snapshot, const rec_shot *shot);
void rec_exchange_poll(rec_exchange *exchange, rec_exchange_accept *accept, void *context);

#endif
