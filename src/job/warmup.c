/* A device takes a while to get ready: it does so while the first input is read. */
#include "job/job.h"

static void *warm_up(void *argument)
{
    const rec_warmup *warmup = argument;
    rec_solver_prepare(warmup->solver, &warmup->options);
    return NULL;
}

void rec_warmup_start(rec_warmup *warmup, const rec_run_options *options)
{
    warmup->solver = options->solver;
    warmup->options = options->solver_options;
    warmup->running = !pthread_create(&warmup->thread, NULL, warm_up, warmup);
}

void rec_warmup_await(rec_warmup *warmup)
{
    if (!warmup || !warmup->running)
        return;
    pthread_join(warmup->thread, NULL);
    warmup->running = 0;
}
