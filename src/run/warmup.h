/* A device that gets ready while a run has begun without it. All functions from any thread. NULL
 * stands for a device that is not there. */
#pragma once

#include "solver/solver.h"

typedef struct rec_warmup rec_warmup;

typedef enum rec_warmth {
    REC_COLD,    /* not started */
    REC_WARMING, /* starting, in a thread of its own */
    REC_WARM,    /* the start has ended; what failed then, creating a solver reports */
    REC_ABSENT   /* this machine has no device */
} rec_warmth;

rec_status rec_warmup_create(rec_warmup **warmup, const rec_solver_type *solver,
                             const rec_solver_options *options, rec_error *error);
/* 1: the device is still starting, and may do so for ever: the process must leave by _exit. */
int rec_warmup_destroy(rec_warmup *warmup);

void rec_warmup_start(rec_warmup *warmup); /* once: later calls do nothing */
void rec_warmup_await(rec_warmup *warmup); /* until a start has ended */
rec_warmth rec_warmup_warmth(rec_warmup *warmup);
const rec_solver_type *rec_warmup_solver(const rec_warmup *warmup);

/* Why a run does not use the device. rec_warmup_complains is 1 once if there is such a reason, or
 * if a start takes longer than `patience` seconds. */
void rec_warmup_refuse(rec_warmup *warmup, const rec_error *error);
int rec_warmup_complains(rec_warmup *warmup, double patience, rec_error *error);
