/* Records of inputs that are done. A list that was stopped is started again by the same command. The
 * input in work goes on from its checkpoint; those before it are known to be done by a small file
 * beside the checkpoints, with a hash of the input and of everything that decides the output. */
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/output.h"
#include "job/problem.h"

void rec_done_describe(const rec_job *job, char text[64])
{
    const rec_settings *settings = job->settings;
    const rec_run_options *run = &settings->run;
    const rec_write_options *writing = &settings->writing;
    const uint64_t parts[] = {rec_problem_identity(job), run->iterations, run->every,
                              writing->maxval, writing->tone};
    const char *format = writing->format ? writing->format->name : "";
    uint64_t hash = rec_hash(REC_HASH_START, parts, sizeof parts);
    hash = rec_hash(hash, format, strlen(format) + 1);
    hash = rec_hash(hash, &run->tolerance, sizeof run->tolerance);
    hash = rec_hash(hash, job->output, strlen(job->output));
    if (job->film_prefix)
        hash = rec_hash(rec_hash(hash, &settings->frames, sizeof settings->frames),
                        job->film_prefix, strlen(job->film_prefix));
    snprintf(text, 64, "reconstruct finished 1 %016llx\n", (unsigned long long)hash);
}

int rec_done_is_there(const rec_job *job)
{
    char expected[64], found[64] = "";
    FILE *file = job->done_path && job->output ? fopen(job->done_path, "r") : NULL;
    if (!file)
        return 0;
    rec_done_describe(job, expected);
    const int same = fgets(found, sizeof found, file) && !strcmp(expected, found);
    fclose(file);
    return same && !access(job->output, F_OK);
}

rec_status rec_done_write(const rec_job *job, rec_error *error)
{
    rec_output *output;
    if (!job->done_path)
        return REC_OK;
    const rec_status status = rec_output_open(&output, job->done_path, error);
    if (status)
        return status;
    fputs(job->done_text, rec_output_stream(output));
    return rec_output_commit(output, error);
}

void rec_jobs_forget_done(const rec_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->at[i]->done_path)
            unlink(jobs->at[i]->done_path);
}
