/* A worker for a test, on one input in a folder of the test's own and without SDL: what it is asked
 * for, and what the window would get. For one file of a program. */
#pragma once

#include "job/job.h"
#include "tests/unit/problems.h"
#include "view/worker/worker_type.h"

typedef struct worker_test {
    rec_settings settings;
    rec_jobs jobs;
    rec_worker *worker;
    int runs;           /* it was started, and not left */
    rec_view_state now; /* what it told last */
} worker_test;

static worker_test s; /* of the test */

/* Takes a snapshot, as the window does: the file's own. */
static void accept(void *context, const rec_snapshot *snapshot, rec_size image);

static inline rec_view_state look(void)
{
    rec_worker_poll(s.worker, accept, NULL);
    rec_worker_get_state(s.worker, &s.now);
    return s.now;
}

static inline uint64_t post(rec_act *act, int argument)
{
    return rec_worker_post(s.worker, (rec_request){.act = act, .argument = argument});
}

/* Until it is in one of two phases and has answered the request. */
static inline rec_view_state wait_for_either(rec_phase phase, rec_phase other, uint64_t number)
{
    WAIT_FOR((look(), (s.now.phase == phase || s.now.phase == other) && s.now.answered >= number));
    return s.now;
}

static inline rec_view_state wait_for(rec_phase phase, uint64_t answered)
{
    return wait_for_either(phase, phase, answered);
}

static inline rec_view_state pause_run(void)
{
    return wait_for(REC_PHASE_PAUSED, post(rec_worker_play_pause, 0));
}

/* With the settings, which stay where they are. */
static inline void create(char *input)
{
    SUCCEEDS(rec_jobs_make(&s.jobs, &s.settings, &input, 1, &error));
    SUCCEEDS(rec_worker_create(&s.worker, &s.jobs, &error));
}

/* Until it iterates, or is there at once. */
static inline void start(void)
{
    s.runs = 1;
    SUCCEEDS(rec_worker_start(s.worker, &error));
    wait_for_either(REC_PHASE_ITERATING, REC_PHASE_STOPPED, 0);
}

static inline void leave(void)
{
    rec_worker_ask_to_leave(s.worker);
    s.runs = 0;
    SUCCEEDS(rec_worker_join(s.worker, &error));
}

static inline void end(void)
{
    if (s.runs)
        leave();
    rec_worker_destroy(s.worker);
    rec_jobs_destroy(&s.jobs);
    s = (worker_test){.runs = 0};
}

/* After a test that failed, too. */
static inline int end_of_test(void **state)
{
    if (s.worker)
        end();
    return leave_folder(state);
}

#define WORKER_TEST(function) TEST_WITH(function, enter_folder, end_of_test)
