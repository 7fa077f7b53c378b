/* What the window does to the inputs: the jobs of the command line, and those dropped on it. */
#include <sys/stat.h>

#include "base/hash.h"
#include "job/job.h"
#include "run/signals.h"
#include "view/view.h"

/* ---- inputs ---- */

static const char *name_input(void *context, size_t index)
{
    return jobs_at(context, index)->input;
}

static uint64_t stamp_input(void *context, size_t index)
{
    struct stat about;
    if (stat(jobs_at(context, index)->input, &about) || !S_ISREG(about.st_mode))
        return 0;
    const uint64_t parts[] = {(uint64_t)about.st_dev, (uint64_t)about.st_ino,
                              (uint64_t)about.st_size, (uint64_t)about.st_mtim.tv_sec,
                              (uint64_t)about.st_mtim.tv_nsec};
    const uint64_t hash = rec_hash(REC_HASH_START, parts, sizeof parts);
    return hash ? hash : 1;
}

static rec_status add_input(void *context, const char *path, size_t *index, rec_error *error)
{
    return jobs_add(context, path, index, error);
}

static rec_status read_reference(void *context, size_t index, rec_image *reference, double *peak,
                                 rec_error *error)
{
    return job_read_reference(jobs_at(context, index), reference, peak, error);
}

/* ---- runs ---- */

static rec_status open_input(void *context, size_t index, int restart, rec_run **run,
                             rec_view_input *input, rec_error *error)
{
    rec_job *job = jobs_at(context, index);
    const rec_status status = job_open(job, restart, error);
    if (!status) {
        *run = job->run;
        *input = (rec_view_input){job->report.width, job->report.height, job->report.planes};
        job->run = NULL; /* the window's from now on */
    }
    return status;
}

/* A step of a job whose run is the window's. */
static rec_status with_run(rec_job *job, rec_run *run, rec_status (*step)(rec_job *, rec_error *),
                           rec_error *error)
{
    job->run = run;
    const rec_status status = step(job, error);
    job->run = NULL;
    return status;
}

static rec_status finish_input(void *context, size_t index, rec_run *run, rec_error *error)
{
    return with_run(jobs_at(context, index), run, job_save, error);
}

static rec_status interrupt_input(void *context, size_t index, rec_run *run, rec_error *error)
{
    return with_run(jobs_at(context, index), run, job_interrupt, error);
}

static rec_status open_jumper(void *context, size_t index, rec_solver **jumper, rec_error *error)
{
    return job_open_jumper(jobs_at(context, index), jumper, error);
}

static rec_status jump(void *context, size_t index, rec_run *run, uint64_t iteration,
                       const rec_image *image, rec_error *error)
{
    return job_jump(jobs_at(context, index), run, iteration, image, error);
}

static uint64_t next_frame(void *context, size_t index, uint64_t iteration)
{
    return recording_next(&jobs_at(context, index)->recording, iteration);
}

static rec_status record(void *context, size_t index, rec_run *run, rec_error *error)
{
    return job_record(jobs_at(context, index), run, error);
}

/* ---- the window ---- */

rec_status run_window(rec_jobs *jobs, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    const option_value *given = settings->line->option;
    const rec_solver_type *spectral;
    const int films = settings->frames != FRAMES_NONE;
    const rec_view_options options = {
        .inputs = jobs->count,
        .name = name_input,
        .stamp = stamp_input,
        .add = add_input,
        .every = settings->run.every,
        .iterations = settings->run.iterations,
        .open = open_input,
        .finish = given[OPTION_OUTPUT].given ? finish_input : NULL,
        .interrupted = interrupt_input,
        .open_jumper = rec_solver_find("spectral", &spectral, NULL) ? NULL : open_jumper,
        .jump = jump,
        .reference = given[OPTION_REFERENCE].given ? read_reference : NULL,
        .next_frame = films ? next_frame : NULL,
        .record = films ? record : NULL,
        .context = jobs,
        .tone = settings->writing.tone,
        .stop = settings->run.stop,
    };
    const rec_status status = rec_view_show(&options, error);
    if (!status && rec_signal_received)
        return rec_fail(error, REC_SIGNALLED, "stopped by a signal");
    return status;
}
