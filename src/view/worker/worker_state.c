/* What the worker tells the window, and the end of an input that cannot be shown any more. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/worker/worker_type.h"

void rec_worker_publish(rec_worker *worker)
{
    rec_exchange_publish(worker->exchange, &worker->now);
}

void rec_worker_tell(rec_worker *worker, int is_bad, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(worker->now.message, sizeof worker->now.message, format, arguments);
    va_end(arguments);
    worker->now.message_is_bad = is_bad;
    worker->now.messages++;
    rec_worker_publish(worker);
}

void rec_worker_keep_failure(rec_worker *worker, const rec_error *error)
{
    if (!worker->failure.status)
        worker->failure = *error;
}

void rec_worker_note_numbers(rec_worker *worker)
{
    const rec_run_state *state = rec_run_get_state(worker->session.run);
    rec_view_state *now = &worker->now;
    const double mean = state->updates_per_second > 0 ? state->updates_per_second : 0;
    now->iteration = state->iterations;
    now->rate = worker->active && worker->session.rate > 0 ? worker->session.rate : mean;
    now->change = state->look.change_rms;
    now->distance = worker->session.distance;
    now->psnr = worker->session.psnr;
    now->measured_at = worker->session.distance_at;
    now->measured_time = worker->session.distance_time;
    now->pace = worker->session.pace;
    now->every = rec_session_every(&worker->session);
    now->every_is_automatic = !worker->session.every;
    now->seconds = state->seconds.iterate;
    rec_solver_get_info(rec_run_solver(worker->session.run), &now->info);
    now->stop = state->stop;
    now->alternating = state->look.alternating;
}

void rec_worker_close(rec_worker *worker)
{
    rec_exchange_set_solvers(worker->exchange, NULL, NULL, (rec_size){0, 0});
    rec_session_close(&worker->session);
    worker->active = 0;
    worker->due = 0;
    worker->stepping = 0;
    worker->now.probed.known = 0;
}

void rec_worker_close_kept(rec_worker *worker)
{
    for (size_t i = 0; i < worker->kept_count; i++)
        rec_session_close(&worker->kept[i].session);
    free(worker->kept);
    worker->kept = NULL;
    worker->kept_count = 0;
}

void rec_worker_give_up(rec_worker *worker, const rec_error *error)
{
    rec_worker_keep_failure(worker, error);
    rec_worker_close(worker);
    worker->now.phase = REC_PHASE_FAILED;
    snprintf(worker->now.failure, sizeof worker->now.failure, "%s", error->message);
    rec_worker_publish(worker);
}
