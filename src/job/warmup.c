#include "job/warmup.h"

static void *warm_up(void *argument)
{
    const rec_warmup *warmup = argument;
    rec_solver_prepare(warmup->solver, &warmup->options);
    return NULL;
}

void rec_warmup_start(rec_warmup *warmup, const rec_run_options *options)
{
    pthread_mutex_init(&warmup->lock, NULL);
    warmup->solver = options->solver;
    warmup->options = options->solver_options;
    warmup->running = !pthread_create(&warmup->thread, NULL, warm_up, warmup);
}

void rec_warmup_await(rec_warmup *warmup)
{
    if (!warmup || !warmup->solver)
        return;
    pthread_mutex_lock(&warmup->lock);
    if (warmup->running)
        pthread_join(warmup->thread, NULL);
    warmup->running = 0;
    pthread_mutex_unlock(&warmup->lock);
}
