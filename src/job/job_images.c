#include "job/job_images.h"

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

rec_status rec_job_read_images(rec_job *job, rec_error *error)
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
        rec_job_drop_images(job);
    return status;
}

void rec_job_drop_images(rec_job *job)
{
    rec_image_destroy(&job->edges);
    rec_image_destroy(&job->start);
}

void rec_job_release_images(rec_job *job)
{
    const rec_settings *settings = job->settings;
    const int piped = !strcmp(job->input, "-") ||
                      (settings->start == REC_START_FILE && !strcmp(settings->start_file, "-"));
    if (!settings->against && (settings->headless || !piped))
        rec_job_drop_images(job);
}

uint64_t rec_job_identify(const rec_job *job)
{
    const uint64_t images[] = {rec_image_hash(&job->edges),
                               job->start.data ? rec_image_hash(&job->start) : 0};
    return rec_problem_hash(&job->settings->run.problem,
                            rec_hash(REC_HASH_START, images, sizeof images));
}
