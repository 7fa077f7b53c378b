/* The window's jumps: the problem of a job, solved by the solver that jumps to any iterate. */
#include "job/parts.h"

int rec_jumper_available(const rec_settings *settings)
{
    const rec_solver_type *type;
    const rec_operator *of = settings->run.operators;
    return (!of || of->adds) && !rec_solver_find("spectral", &type, NULL);
}

rec_status rec_job_open_jumper(rec_job *job, rec_solver **jumper, rec_error *error)
{
    const rec_run_options *run = &job->settings->run;
    const rec_solver_type *type;
    rec_status status = rec_problem_load_again(job, error);
    if (!status)
        status = rec_solver_find("spectral", &type, error);
    if (!status) {
        const rec_problem problem = {.edges = &job->edges,
                                     .start = job->start.data ? &job->start : NULL,
                                     .boundary = run->boundary,
                                     .operators = run->operators,
                                     .operator_count = run->operator_count};
        const int on_device = job->report.info.device_bytes > 0 && !run->operators;
        rec_solver_options options = {.where = on_device ? REC_ON_DEVICE : REC_ON_HOST,
                                      .devices = {run->solver_options.devices[0]}};
        status = rec_solver_create(jumper, type, &problem, &options, error);
        if (status == REC_UNAVAILABLE) { /* this build has one of the two */
            options = (rec_solver_options){.where = REC_ANYWHERE};
            status = rec_solver_create(jumper, type, &problem, &options, error);
        }
    }
    rec_problem_release(job);
    return status;
}

rec_status rec_job_jump(rec_job *job, uint64_t iteration, const rec_image *image,
                        rec_error *error)
{
    rec_status status = rec_problem_load_again(job, error);
    if (!status)
        status = rec_run_jump(job->run, iteration, &job->edges, image, error);
    rec_problem_release(job);
    return status;
}
