/* --reference: the original, a picture. A file is the original of every input; a folder has one for
 * each, by its stem. --compare: the bits of the reference solver, or the limit. */
#include <math.h>

#include "base/text.h"
#include "job/job.h"

/* ---- the original ---- */

rec_status rec_job_take_original(rec_job *job, rec_image *original, double *peak, rec_error *error)
{
    if (job->original.data) {
        *peak = job->peak;
        if (rec_job_is_piped(job))
            return rec_image_copy(original, &job->original, error);
        *original = job->original;
        job->original = (rec_image){0};
        return REC_OK;
    }
    const int any = job->settings->reading.role == REC_SAMPLES;
    const rec_read_options reading = {.role = any ? REC_SAMPLES : REC_PICTURE,
                                      .shared = job->settings->reading.shared};
    const rec_report *input = &job->report;
    rec_image_info info;
    REC_TRY(rec_image_read(job->original_path, &reading, original, &info, error));
    rec_notes_print(job->original_path, &info, 0);
    *peak = info.maxval;
    const size_t height = rec_image_full_height(original);
    if (original->width == input->width && height == input->height &&
        original->planes == input->planes)
        return REC_OK;
    rec_fail(error, REC_BAD_INPUT,
             "%s: is %zu x %zu of %zu plane%s, and %s is %zu x %zu of %zu plane%s",
             job->original_path, original->width, height, original->planes,
             rec_plural(original->planes), job->input, input->width, input->height, input->planes,
             rec_plural(input->planes));
    rec_image_destroy(original);
    return REC_BAD_INPUT;
}

rec_status rec_job_measure(rec_job *job, rec_error *error)
{
    rec_image image;
    REC_TRY(rec_run_read_image(job->run, &image, error));
    rec_status status = rec_image_compare(&image, &job->original, job->peak, &job->report.reference,
                                          error);
    rec_image_destroy(&image);
    return status;
}

/* ---- another solver ---- */

/* The other solver is driven like any run, so that it shows progress and obeys signals. If it ends
 * early at standstill, its bits are those of all N iterations all the same. */
static rec_status run_other(const rec_job *job, const rec_image *edges, const rec_image *start,
                            rec_run **other, rec_error *error)
{
    const rec_run_state *state = rec_run_get_state(job->run);
    rec_run_options options = job->settings->run;
    const int limit = job->settings->against == REC_AGAINST_LIMIT;
    REC_TRY(rec_solver_find(limit ? rec_limit_solver(job->settings) : "reference",
                            &options.solver, error));
    options.problem = job->problem;
    options.iterations = limit ? REC_ENDLESS : state->iterations;
    options.tolerance = 0;
    options.solver_options = (rec_solver_options){0};
    REC_TRY(rec_run_create(other, &options, edges, start, error));
    rec_status status = REC_OK;
    const rec_run_state *now = rec_run_get_state(*other);
    rec_progress progress = rec_progress_begin(job->settings->progress, 0);
    rec_progress_take(&progress, limit ? "the limit" : "the reference", options.iterations, 0);
    while (!status && !now->stop) {
        status = rec_run_step(*other, 0, 0, error);
        rec_progress_update(&progress, now);
    }
    rec_progress_end(&progress);
    if (!status && now->stop == REC_STOP_SIGNAL)
        status = rec_fail(error, REC_SIGNALLED, "stopped by a signal during the comparison");
    return status;
}

/* Several ranks: gather to rank 0, compare there. */
static rec_status compare(rec_job *job, rec_error *error)
{
    rec_run *other = NULL;
    rec_image ours = {0}, theirs = {0}, edges = job->given, start = job->start;
    rec_comparison *comparison = &job->report.comparison;
    const int part = rec_image_is_part(&job->given);
    rec_status status = REC_OK;
    if (part) {
        start = (rec_image){0};
        status = rec_image_gather(&job->given, &edges, error);
    }
    if (!status && part && job->start.data)
        status = rec_image_gather(&job->start, &start, error);
    if (!status && edges.data)
        status = run_other(job, &edges, start.data ? &start : NULL, &other, error);
    if (!status && edges.data)
        status = rec_run_read_image(other, &theirs, error);
    if (part) {
        rec_image_destroy(&edges);
        rec_image_destroy(&start);
        status = rec_ranks_agree(status, error);
        if (!status)
            status = rec_image_scatter(&theirs, error);
    }
    if (!status)
        status = rec_run_read_image(job->run, &ours, error);
    if (!status)
        status = rec_image_compare(&ours, &theirs, job->writing.maxval,
                                   &comparison->difference, error);
    comparison->solver_seconds = rec_run_get_state(job->run)->seconds.iterate;
    if (other)
        comparison->reference_seconds = rec_run_get_state(other)->seconds.iterate;
    rec_image_destroy(&ours);
    rec_image_destroy(&theirs);
    rec_run_destroy(other);
    return status;
}

rec_status rec_job_compare(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    REC_TRY(compare(job, error));
    /* If data goes to stdout, the comparison goes to stderr. */
    const int taken = rec_path_descriptor(settings->output) == STDOUT_FILENO ||
                      rec_path_descriptor(settings->report) == STDOUT_FILENO;
    FILE *stream = taken ? stderr : stdout;
    const rec_comparison *comparison = &job->report.comparison;
    const rec_solver_info *info = &job->report.info;
    const int limit = settings->against == REC_AGAINST_LIMIT;
    const char *other = limit ? "spectral" : "the reference";
    const uint64_t iterations = rec_run_get_state(job->run)->iterations;
    rec_say(stream, "%s, %llu iteration%s: ", rec_input_name(job->input),
            (unsigned long long)iterations, rec_plural(iterations));
    if (limit) /* bits always differ from the limit in double, so print distances only */
        fprintf(stream, "maximum %.9g, RMS %.9g, PSNR %.2f dB from the limit\n",
                comparison->difference.maximum, comparison->difference.rms,
                comparison->difference.psnr);
    else
        rec_difference_print(stream, &comparison->difference, 1, info->solver, other);
    const double mine = comparison->solver_seconds, its = comparison->reference_seconds;
    const double times = mine < its ? its / mine : mine / its;
    fprintf(stream, "%s %.4g s, %s %.4g s", info->solver, mine, other, its);
    if (isfinite(times)) /* which of the two is faster, and how much */
        fprintf(stream, ": %s is %.*f times as fast",
                mine >= its ? other : info->costs.device_bytes ? "the GPU" : info->solver,
                times < 10 ? 2 : times < 100 ? 1 : 0, times);
    fputc('\n', stream);
    /* How far an iterate is from the limit is a number, not a question of right or wrong. */
    return (!limit || settings->max_difference >= 0) &&
                   rec_difference_judge(&comparison->difference, settings->max_difference, error)
               ? rec_fail_in(error, rec_input_name(job->input))
               : REC_OK;
}
