#include "base/text.h"
#include "job/job.h"

/* Reads the images that were dropped: REC_BAD_INPUT if they have changed since. */
static rec_status load_again(rec_job *job, rec_error *error)
{
    rec_status status = rec_job_read_images(job, error);
    if (!status && rec_job_identify(job) != job->identity)
        status = rec_fail(error, REC_BAD_INPUT,
                          "%s: has changed since it was opened; r starts again",
                          rec_input_name(job->input));
    if (status)
        rec_job_drop_images(job);
    return status;
}

const char *rec_limit_solver(const rec_settings *settings)
{
    const rec_solver_type *type;
    const int closed = settings->run.problem.operators || !rec_solver_find("spectral", &type, NULL);
    return settings->edit.kind || !closed ? "multigrid" : "spectral";
}

int rec_jumper_available(const rec_settings *settings)
{
    const rec_solver_type *type;
    const rec_operator *operators = settings->run.problem.operators;
    return (!operators || operators->is_inverse) && !settings->edit.kind &&
           !rec_solver_find("spectral", &type, NULL);
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
        problem.given = &job->given;
        problem.start = job->start.data ? &job->start : NULL;
        const int on_device = job->report.info.costs.device_bytes > 0 && !problem.operators;
        rec_solver_options options = {.kernel = on_device ? "cuda" : "fftw",
                                      .devices = {run->solver_options.devices[0]}};
        status = rec_solver_create(jumper, type, &problem, &options, error);
        if (status == REC_UNAVAILABLE) /* this build has one of the two */
            status = rec_solver_create(jumper, type, &problem, NULL, error);
    }
    rec_job_release_images(job);
    return status;
}

rec_status rec_job_jump(rec_job *job, uint64_t iteration, const rec_image *image, rec_error *error)
{
    rec_status status = load_again(job, error);
    if (!status)
        status = rec_run_jump(job->run, iteration, &job->given, image, error);
    rec_job_release_images(job);
    return status;
}
