/* A run, for the files of this folder alone. */
#pragma once

#include "run/run.h"

struct rec_run {
    rec_run_options options;
    rec_solver *solver;
    rec_run_state state;
    size_t width, height;    /* pixels */
    size_t samples;          /* pixels * planes */
    int shared;              /* with other ranks, which do and find the same */
    uint64_t done;           /* iterations by this process */
    double last_checkpoint;  /* rec_now() */
    double speed;            /* iterations a second, at most 10 times those of the advance before */
    double rate;             /* the same as it was measured; 0: not yet */
    uint64_t looked_at;      /* the iteration of the last look */
    int looked;              /* at the start, whether it is within the tolerance already */
    uint64_t jumped_at;      /* where the last jump of this process went: looked at as well */
    int last;                /* standstill: one more iteration gives N the requested parity */
};

/* Gives the solver, which is new, the limit of its problem, if that pays: limit.c */
void rec_run_find_limit(rec_run *run, const rec_problem *problem);

/* The iterations between two looks at the tolerance around `iteration`, and the next look. */
uint64_t rec_run_tolerance_every(const rec_run *run, uint64_t iteration);
uint64_t rec_run_next_decision(const rec_run *run);

/* Starts the device of its successor if the run takes long enough for that: warmup.c */
void rec_run_start_successor(const rec_run *run);
