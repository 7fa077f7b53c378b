/* A device takes a while to get ready: it does so while the first input is read. */
#include "job/job.h"

static void *prepare(void *argument)
{
    const rec_preparation *preparation = argument;
    rec_solver_prepare(preparation->solver, &preparation->options);
    return NULL;
}

void preparation_start(rec_preparation *preparation, const rec_run_options *options)
{
    preparation->solver = options->solver;
    preparation->options = options->solver_options;
    preparation->running = !pthread_create(&preparation->thread, NULL, prepare, preparation);
}

void preparation_await(rec_preparation *preparation)
{
    if (!preparation || !preparation->running)
        return;
    pthread_join(preparation->thread, NULL);
    preparation->running = 0;
}
