/* The worker's thread. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/memory.h"
#include "base/paths.h"
#include "base/text.h"
#include "view/worker/worker_type.h"

#define SHORT_SECONDS 0.004      /* to wait for a buffer, a file that is read, or the pace */
#define LONG_SECONDS 0.5         /* to wait for an action: then files are looked after */

/* Another window has the same output: a name of the system's tells, which goes with the process. */
static int is_written_twice(const char *output)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct stat folder;
    rec_owned char *path = rec_path_folder(output);
    if (!path || stat(path, &folder) || !rec_path_is_regular(output))
        return 0;
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "reconstruct %jx %jx %.50s",
             (uintmax_t)folder.st_dev, (uintmax_t)folder.st_ino, rec_path_name(output));
    return bind(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&name,
                sizeof name) && errno == EADDRINUSE;
}

static void *work(void *argument)
{
    rec_worker *worker = argument;
    rec_use_plain_numbers();
    rec_worker_read_wanted(worker);
    const size_t inputs = worker->jobs->count;
    rec_worker_apply(worker, inputs ? rec_worker_open(worker, 0, 0) : rec_nothing);
    const char *const output = worker->jobs->settings->output;
    if (output && is_written_twice(output))
        rec_worker_apply(worker, rec_told(REC_BAD, "%s: another window writes it, too", output));
    const int hopeless = inputs == 1 && !worker->session->run;
    while (!hopeless && !rec_is_stopped()) {
        rec_outcome outcome = rec_nothing;
        const int iterates = rec_session_phase(worker->session) == REC_PHASE_ITERATING;
        const int is_early = iterates && rec_session_is_early(worker->session);
        const int rests = !iterates && !worker->due && !worker->reading.fresh;
        const double wait = rests ? LONG_SECONDS : iterates && !is_early ? 0 : SHORT_SECONDS;
        const int leaves = worker->exchange.leave; /* then no request comes any more */
        const rec_request request = rec_worker_next(worker, wait, rests);
        if (leaves && !request.act)
            break;
        rec_worker_read_wanted(worker);
        if (request.act == rec_worker_save && worker->session->begins_at_limit)
            outcome = rec_worker_seek(worker, &rec_to_limit); /* what is to be seen first */
        if (request.act && !(outcome.follow & REC_BAD))
            outcome = request.act(worker, &request);
        else if (!request.act && iterates)
            outcome = rec_session_paints(worker->session) && !rec_session_is_early(worker->session)
                          ? rec_worker_fill(worker)
                          : rec_worker_iterate(worker);
        free(request.path);
        if (request.act)
            worker->now.answered = request.number;
        rec_worker_apply(worker, outcome);
        rec_worker_look_after_file(worker);
    }
    rec_worker_end_reading(worker);
    const rec_session *session = worker->session;
    if (session->jumped && !rec_run_get_state(session->run)->iterations &&
        worker->jobs->settings->output && !rec_is_stopped())
        rec_worker_apply(worker, rec_worker_play(worker)); /* else there are only edges to write */
    rec_worker_leave(worker);
    rec_worker_publish(worker, REC_PHASE_LEFT, rec_nothing);
    return NULL;
}

rec_status rec_worker_create(rec_worker **worker, rec_jobs *jobs, rec_error *error)
{
    rec_worker *made = *worker = calloc(1, sizeof *made);
    if (made)
        made->sessions = made->session = calloc(2 * jobs->count + 2, sizeof *made->sessions);
    if (!made || !made->sessions) {
        free(made);
        return rec_fail(error, REC_LIMIT, "out of memory for the window");
    }
    made->jobs = jobs;
    made->exchange.saves = rec_worker_save;
    pthread_mutex_init(&made->exchange.lock, NULL);
    made->exchange.handover = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    rec_condition_create(&made->exchange.posted);
    rec_worker_publish(made, REC_PHASE_EMPTY, rec_nothing);
    return REC_OK;
}

void rec_worker_destroy(rec_worker *worker)
{
    rec_exchange *exchange = &worker->exchange;
    for (size_t i = 0; i < exchange->queued; i++)
        free(exchange->queue[i].path);
    rec_worker_detach(worker); /* and drops a preview */
    rec_watch_close(exchange->watch);
    pthread_cond_destroy(&exchange->posted);
    pthread_mutex_destroy(&exchange->handover);
    pthread_mutex_destroy(&exchange->lock);
    free(worker->sessions);
    free(worker);
}

rec_status rec_worker_start(rec_worker *worker, rec_error *error)
{
    return pthread_create(&worker->thread, NULL, work, worker)
               ? rec_fail(error, REC_LIMIT, "the system refused a thread for the run")
               : REC_OK;
}

rec_status rec_worker_failure(const rec_worker *worker, rec_error *error)
{
    if (worker->failure.status)
        *error = worker->failure;
    return worker->failure.status;
}

rec_status rec_worker_join(rec_worker *worker, rec_error *error)
{
    pthread_join(worker->thread, NULL);
    return rec_worker_failure(worker, error);
}
