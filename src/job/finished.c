/* Records of finished inputs. A list of inputs that is stopped, or loses its machine, is started again
 * by the same command. The input in work goes on from its checkpoint; those before it are known to be
 * done by a small file beside the checkpoints, which names the input and everything that decides the
 * output. */
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/output.h"
#include "job/job.h"

void job_describe_finished(const rec_job *job, char text[64])
{
    const rec_settings *settings = job->settings;
    const rec_run_options *run = &settings->run;
    const rec_write_options *writing = &settings->writing;
    const uint64_t parts[] = {job_identity(job), run->iterations, run->every, writing->maxval,
                              writing->tone};
    const char *format = writing->format ? writing->format->name : "";
    uint64_t hash = rec_hash(REC_HASH_START, parts, sizeof parts);
    hash = rec_hash(hash, format, strlen(format) + 1);
    hash = rec_hash(hash, &run->tolerance, sizeof run->tolerance);
    hash = rec_hash(hash, job->output, strlen(job->output));
    if (job->frames)
        hash = rec_hash(rec_hash(hash, &settings->frames, sizeof settings->frames), job->frames,
                        strlen(job->frames));
    snprintf(text, 64, "reconstruct finished 1 %016llx\n", (unsigned long long)hash);
}

int job_is_finished(const rec_job *job)
{
    char expected[64], found[64] = "";
    FILE *file = job->finished && job->output ? fopen(job->finished, "r") : NULL;
    if (!file)
        return 0;
    job_describe_finished(job, expected);
    const int same = fgets(found, sizeof found, file) && !strcmp(expected, found);
    fclose(file);
    return same && !access(job->output, F_OK);
}

rec_status job_record_finished(const rec_job *job, rec_error *error)
{
    rec_output *output;
    if (!job->finished)
        return REC_OK;
    const rec_status status = rec_output_open(&output, job->finished, error);
    if (status)
        return status;
    fputs(job->finished_text, rec_output_stream(output));
    return rec_output_commit(output, error);
}

void jobs_forget_finished(const rec_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->at[i]->finished)
            unlink(jobs->at[i]->finished);
}
