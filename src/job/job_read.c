/* How a job reads a file, and the memory that its image waits for before. */
#include "base/clock.h"
#include "base/team.h"
#include "base/text.h"
#include "job/job.h"

#define WORTH_A_LOOK ((size_t)64 << 20) /* bytes: at what the system has left */
enum { WORTH_A_TEAM = 2000 }; /* bytes of a file: of a mask they may be millions of pixels */

/* ---- memory ---- */

/* Who waits is told that there may be more. */
void rec_job_hold(rec_job *job, size_t samples)
{
    if (!job->budget)
        return;
    REC_HOLD(&job->budget->lock);
    job->budget->samples += samples - job->held;
    job->held = samples;
    pthread_cond_broadcast(&job->budget->changed);
}

/* Waits until there is memory for the job's image. */
static rec_status await_memory(rec_job *job, const rec_image *size, rec_error *error)
{
    const size_t samples = size->width * size->height * size->planes;
    rec_budget *budget = job->budget;
    if (!budget)
        return REC_OK;
    REC_HOLD(&budget->lock);
    while (budget->samples > job->held && budget->samples - job->held + samples > budget->most &&
           !budget->closed)
        pthread_cond_wait(&budget->changed, &budget->lock);
    if (budget->closed)
        return rec_fail(error, REC_SIGNALLED, "stopped before it was read");
    budget->samples += samples - job->held;
    job->held = samples;
    return REC_OK;
}

/* Refuses an image that does not fit into memory with what is made of it. */
static rec_status check_memory(const rec_job *job, const rec_image *size, rec_error *error)
{
    const rec_run_options *run = &job->settings->run;
    rec_problem problem = job->problem;
    char bytes_text[32], there_text[32];
    problem.input = size;
    size_t bytes = size->width * size->height * size->planes * sizeof(float);
    if (job->settings->makes_edges || rec_job_may_put(job)) /* it is solved by parts */
        bytes *= 2;
    else
        bytes += rec_solver_type_memory(run->solver, &problem, &run->solver_options);
    if (bytes <= WORTH_A_LOOK)
        return REC_OK;
    const size_t there = rec_memory_available();
    if (bytes <= there)
        return REC_OK;
    return rec_fail(error, REC_LIMIT, "%s: an image of %zu x %zu pixels takes %s of memory, more "
                    "than the %s available", job->name, size->width, size->height,
                    rec_format_bytes(bytes_text, (double)bytes),
                    rec_format_bytes(there_text, (double)there));
}

/* ---- files ---- */

int rec_job_may_put(const rec_job *job)
{
    const rec_settings *settings = job->settings;
    return settings->edit.kind && settings->headless && !settings->frames && !settings->against &&
           settings->run.solver->jumps && settings->start == REC_START_EDGES &&
           !job->original_path && !job->checkpoint && !settings->reading.shared;
}

/* An image is read once there is memory for it. */
static rec_status read_file(rec_job_file *file, rec_error *error)
{
    rec_owned_input *input = NULL;
    if (!file->job)
        return rec_image_read(file->path, &file->reading, file->image, &file->info, error);
    REC_TRY(rec_input_open(&input, file->path, &file->reading, &file->info, error));
    const rec_image size = rec_input_size(input);
    if (size.width) {
        REC_TRY(await_memory(file->job, &size, error));
        REC_TRY(check_memory(file->job, &size, error));
    }
    return rec_input_read(input, file->image, error);
}

rec_status rec_job_read_file(rec_job_file *file, rec_error *error)
{
    if (file->path && !file->is_read++)
        file->status = read_file(file, &file->error);
    if (file->status && error)
        *error = file->error;
    return file->status;
}

rec_status rec_job_read_whole(rec_job_file *file, rec_error *error)
{
    if (!file->reading.samples || !file->reading.samples->at.width)
        return REC_OK;
    rec_file_samples_close(file->reading.samples);
    file->reading.samples = NULL;
    file->is_read = 0;
    return rec_job_read_file(file, error);
}

REC_TASK(read_files, rec_job_file *const *files)
{
    for (size_t i = first; i < end; i++)
        rec_job_read_file(job->files[i], NULL);
}

/* Where the inputs of a list are read side by side, a team is one thread: each file waits for its
 * turn, and for the memory of its input. */
void rec_job_read_files(rec_job_file files[REC_FILES])
{
    rec_job_file *slow[REC_FILES];
    const rec_format *format;
    rec_file_mark mark;
    size_t count = 0;
    for (rec_job_file *file = files; file < files + REC_FILES; file++)
        if (file->path && !rec_format_of_path(file->path, 0, &format, NULL) && !format->rows &&
            rec_file_note(file->path, &mark) && mark.bytes > WORTH_A_TEAM)
            slow[count++] = file;
    if (count > 1 && rec_team_size() > 1)
        REC_SHARE(count, count, read_files, slow);
}
