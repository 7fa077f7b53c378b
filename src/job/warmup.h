/* A device's warm-up: it gets ready in a thread of its own while the first input is read. */
#pragma once

#include "run/run.h"

typedef struct rec_warmup {
    pthread_t thread;
    pthread_mutex_t lock; /* of `running` */
    int running;          /* nobody has waited for it yet */
    const rec_solver_type *solver;
    rec_solver_options options;
} rec_warmup;

void rec_warmup_start(rec_warmup *warmup, const rec_run_options *options);
void rec_warmup_await(rec_warmup *warmup); /* from any thread; NULL is fine */
