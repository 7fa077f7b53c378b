/* A job whose result are the edges of its picture. */
#include <string.h>

#include "base/text.h"
#include "job/job.h"

/* Edges whose picture has any mean: with a free mean and a stencil that sums to 0. */
static int loses_mean(const rec_problem *problem)
{
    return rec_boundary_frees_mean(problem->boundary.kind) &&
           (!problem->operators || (problem->operator_count == 1 &&
                                    rec_stencil_loses_mean(&problem->operators->stencil)));
}

/* The means of the picture, in the form of --mean: the edges do not contain them. */
static void print_means(FILE *stream, const rec_report *report)
{
    fputs("mean ", stream);
    for (size_t p = 0; p < report->mean_count; p++)
        fprintf(stream, "%s%.17g", p ? "," : "", report->means[p]);
    fputc('\n', stream);
}

rec_status rec_job_make_edges(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    rec_report *report = &job->report;
    REC_TRY(rec_job_load(job, error));
    if (settings->progress && !settings->list)
        rec_notes_print(rec_input_name(job->input), &job->info);
    const rec_image *picture = &job->given; /* as it was read */
    REC_TRY(rec_take_edges(picture, &job->problem, &job->result, error));
    report->mean_count = loses_mean(&job->problem) ? picture->planes : 0;
    for (size_t p = 0; p < report->mean_count; p++)
        report->means[p] = rec_image_mean(picture, p);
    if (settings->list || !report->mean_count)
        return REC_OK;
    /* Once its edges are written; stdout may have them on it. */
    REC_TRY(rec_job_write(job, error));
    print_means(strcmp(job->output, "-") ? stdout : stderr, report);
    return REC_OK;
}
