/* The problem of a job: its edges, its start and its boundary. */
#include "job/parts.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"

static rec_status load_start(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    if (settings->start == REC_START_FILE) {
        const rec_read_options reading = {.role = REC_PICTURE, .shared = settings->reading.shared};
        return rec_image_read(settings->start_file, &reading, &job->start, NULL, error);
    }
    if (settings->start == REC_START_EDGES)
        return REC_OK;
    const rec_status status = rec_image_copy(&job->start, &job->edges, error);
    if (!status)
        rec_image_fill(&job->start, settings->start_value);
    return status;
}

/* With a boundary that leaves the mean free, the edges must sum to 0. */
static rec_status prepare_edges(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const rec_operator *operators = settings->run.problem.operators;
    const size_t means = settings->run.problem.boundary.mean_count;
    rec_status status = REC_OK;
    if (!rec_problem_frees_mean(&settings->run.problem))
        return REC_OK;
    if (means > 1 && means != job->edges.planes)
        status = rec_fail(error, REC_USAGE, "--mean has %zu numbers, and the picture %zu plane%s",
                          means, job->edges.planes, rec_plural(job->edges.planes));
    if (!status && settings->balance)
        rec_balance(&job->edges);
    else if (!status)
        status = rec_check_balance(&job->edges,
                                   operators ? operators->stencil.width * operators->stencil.height
                                             : 1,
                                   error);
    return status ? rec_fail_in(error, job->input) : REC_OK;
}

rec_status rec_problem_load(rec_job *job, rec_error *error)
{
    if (job->edges.data)
        return REC_OK;
    const double before = rec_now();
    rec_status status =
        rec_image_read(job->input, &job->settings->reading, &job->edges, &job->info, error);
    if (!status)
        status = prepare_edges(job, error);
    if (!status)
        status = load_start(job, error);
    job->load_seconds = rec_now() - before;
    if (status)
        rec_problem_drop(job);
    return status;
}

/* The same for a problem that was loaded before: REC_BAD_INPUT if it has changed since. */
static rec_status load_again(rec_job *job, rec_error *error)
{
    rec_status status = rec_problem_load(job, error);
    if (!status && rec_problem_identity(job) != job->identity)
        status = rec_fail(error, REC_BAD_INPUT,
                          "%s: has changed since it was opened; r starts again",
                          rec_input_name(job->input));
    if (status)
        rec_problem_drop(job);
    return status;
}

void rec_problem_drop(rec_job *job)
{
    rec_image_destroy(&job->edges);
    rec_image_destroy(&job->start);
}

void rec_problem_release(rec_job *job)
{
    const rec_settings *settings = job->settings;
    const int piped = !strcmp(job->input, "-") ||
                      (settings->start == REC_START_FILE && !strcmp(settings->start_file, "-"));
    if (!settings->against && (settings->headless || !piped))
        rec_problem_drop(job);
}

uint64_t rec_problem_identity(const rec_job *job)
{
    const uint64_t images[] = {rec_image_hash(&job->edges),
                               job->start.data ? rec_image_hash(&job->start) : 0};
    return rec_problem_hash(&job->settings->run.problem,
                            rec_hash(REC_HASH_START, images, sizeof images));
}

const char *rec_output_ending(const rec_format *format, size_t planes)
{
    return format ? format->ending : rec_format_default(planes)->ending;
}

/* ---- the window's jumps: the problem, solved by the solver that jumps to any iterate ---- */

int rec_jumper_available(const rec_settings *settings)
{
    const rec_solver_type *type;
    const rec_operator *operators = settings->run.problem.operators;
    return (!operators || operators->adds) && !rec_solver_find("spectral", &type, NULL);
}

rec_status rec_job_open_jumper(rec_job *job, rec_solver **jumper, rec_error *error)
{
    const rec_run_options *run = &job->settings->run;
    const rec_solver_type *type;
    rec_status status = load_again(job, error);
    if (!status)
        status = rec_solver_find("spectral", &type, error);
    if (!status) {
        rec_problem problem = run->problem;
        problem.edges = &job->edges;
        problem.start = job->start.data ? &job->start : NULL;
        const int on_device = job->report.info.device_bytes > 0 && !problem.operators;
        rec_solver_options options = {.kernel = on_device ? "cuda" : "fftw",
                                      .devices = {run->solver_options.devices[0]}};
        status = rec_solver_create(jumper, type, &problem, &options, error);
        if (status == REC_UNAVAILABLE) /* this build has one of the two */
            status = rec_solver_create(jumper, type, &problem, NULL, error);
    }
    rec_problem_release(job);
    return status;
}

rec_status rec_job_jump(rec_job *job, uint64_t iteration, const rec_image *image,
                        rec_error *error)
{
    rec_status status = load_again(job, error);
    if (!status)
        status = rec_run_jump(job->run, iteration, &job->edges, image, error);
    rec_problem_release(job);
    return status;
}
