/* One job without a window, between reading and writing, and what its result is compared with. */
#include <math.h>

#include "base/text.h"
#include "job/job.h"

#define MANY_ITERATIONS 10000 /* who asks for so many may want the exact picture */
enum { MOST_LINES = 10 }; /* about sources */

/* ---- another solver: the bits of the reference, or the limit ---- */

/* The other solver is driven like any run, so that it shows progress and obeys signals. If it ends
 * early at standstill, its bits are those of all N iterations all the same. */
static rec_status run_other(const rec_job *job, const rec_image *edges, const rec_image *start,
                            rec_run **other, rec_error *error)
{
    rec_run_options options = job->settings->run;
    const int limit = job->settings->against == REC_AGAINST_LIMIT;
    REC_TRY(rec_solver_find(limit ? rec_limit_solver(job->settings) : "reference",
                            &options.solver, error));
    options.problem = job->problem;
    options.iterations = limit ? REC_ENDLESS : rec_run_get_state(job->run)->iterations;
    options.tolerance = 0;
    options.solver_options = (rec_solver_options){0};
    REC_TRY(rec_run_create(other, &options, edges, start, error));
    rec_status status = REC_OK;
    const rec_run_state *now = rec_run_get_state(*other);
    rec_progress progress = rec_progress_begin(job->settings->progress, 0);
    rec_progress_next(&progress, limit ? "the limit" : "the reference", options.iterations, 0);
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
    rec_owned_image ours = {0}, theirs = {0};
    rec_image edges = *job->problem.input;
    rec_image start = job->problem.start ? *job->problem.start : (rec_image){0};
    rec_comparison *comparison = &job->report.comparison;
    const int part = rec_image_is_part(&job->loaded);
    rec_status status = REC_OK;
    if (part) {
        start = (rec_image){0};
        status = rec_image_gather(&job->loaded, &edges, error);
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
        REC_THEN(status, rec_image_scatter(&theirs, error));
    }
    REC_THEN(status, rec_run_read_image(job->run, &ours, error));
    REC_THEN(status, rec_image_compare(&ours, &theirs, job->writing.maxval, &comparison->difference,
                                       error));
    comparison->solver_seconds = rec_run_get_state(job->run)->seconds.iterate;
    if (other)
        comparison->reference_seconds = rec_run_get_state(other)->seconds.iterate;
    rec_run_destroy(other);
    return status;
}

/* Compares the result with the other one, and prints that. REC_NO if they differ too much. */
static rec_status judge(rec_job *job, rec_error *error)
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
    rec_say(stream, "%s, %llu iteration%s: ", job->name, (unsigned long long)iterations,
            rec_plural(iterations));
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
               ? rec_fail_in(error, job->name) : REC_OK;
}

/* ---- iterating ---- */

/* By batches of K iterations, or up to the next frame if that is nearer. */
static rec_status iterate(rec_job *job, rec_progress *progress, rec_error *error)
{
    const rec_run_state *state = rec_run_get_state(job->run);
    uint64_t number;
    REC_TRY(rec_job_between_batches(job, error));
    while (!state->stop) {
        rec_progress_update(progress, state);
        if (rec_job_can_hand_over(job))
            rec_job_hand_over(job);
        const uint64_t done = state->iterations, batch = rec_run_batch(job->run);
        const uint64_t frame = rec_film_next(&job->film, done + 1, &number) - done;
        if (rec_run_step(job->run, frame < batch ? frame : 0, 0, error))
            return rec_fail_in(error, job->name);
        REC_TRY(rec_job_between_batches(job, error));
    }
    return REC_OK;
}

/* The summary at the end, in one line. A bound above white says nothing. */
static void print_summary(const rec_job *job)
{
    const rec_run_state *state = &job->report.state;
    const double distance = state->look.distance_rms;
    const int measured = state->look.measured, known = measured || distance <= job->writing.maxval;
    /* So that the first digit that is not 0 is written. */
    const int decimals = distance > 0 && distance < 1 ? (int)fmin(-floor(log10(distance)), 20) : 0;
    char rate[32];
    rec_say(stderr, "%s: ", job->name);
    if (state->stop == REC_STOP_LIMIT)
        fputs("exact picture", stderr);
    else
        fprintf(stderr, "%llu iteration%s", (unsigned long long)state->iterations,
                rec_plural(state->iterations));
    if (state->resumed)
        fprintf(stderr, " (%llu from the checkpoint)", (unsigned long long)state->resumed);
    if (isnan(state->updates_per_second))
        fprintf(stderr, " in %.3g s", state->seconds.iterate);
    else
        fprintf(stderr, ", %s updates/s", rec_format_rate(rate, state->updates_per_second));
    if (!isnan(state->look.distance_max))
        fprintf(stderr, " (by estimate up to %.2g grey levels off)", state->look.distance_max);
    else if (known && state->stop == REC_STOP_LIMIT)
        fprintf(stderr, " (rounding error %.*f grey levels)", decimals, distance);
    fprintf(stderr, " on %s (", job->report.info.costs.device);
    if (state->handover)
        fprintf(stderr, "%s, from iteration %s on ", job->settings->run.solver->name,
                rec_format_count(rate, state->handover));
    fprintf(stderr, "%s, %s)", job->report.info.solver, job->report.info.kernel);
    if (state->stop == REC_STOP_STANDSTILL && state->look.alternating)
        fprintf(stderr, "; standstill: %zu pixels alternate between two values",
                state->look.alternating);
    else if (state->stop == REC_STOP_STANDSTILL)
        fputs("; standstill: no pixel changes", stderr);
    else if (state->stop == REC_STOP_DIVERGED)
        fputs("; diverged: the values are not finite", stderr);
    const int of_limit = rec_job_has_limit(job); /* once is enough */
    const char *const original = of_limit ? "the exact picture" : job->original_path;
    if (known && !of_limit && state->stop != REC_STOP_LIMIT)
        fprintf(stderr, "; %s%.4g grey levels RMS from the exact picture",
                measured ? "" : "at most ", distance);
    const rec_difference *difference = &job->report.reference;
    if (difference->samples && !difference->differing)
        rec_say(stderr, "; equal to %s, bit for bit", original);
    else if (difference->samples)
        rec_say(stderr, "; %.3g grey levels RMS from %s, PSNR %.2f dB", difference->rms,
                original, difference->psnr);
    fputc('\n', stderr);
}

static rec_status judge_tolerance(const rec_job *job, rec_error *error)
{
    const rec_run_state *state = &job->report.state;
    const double tolerance = job->settings->run.tolerance;
    if (state->look.missed)
        return rec_fail(error, REC_NO, "%s: by estimate the picture is up to %.3g grey levels from "
                        "the exact one, and comes no closer", job->name, state->look.distance_max);
    if (!(tolerance > 0) || state->stop == REC_STOP_TOLERANCE ||
        (state->stop == REC_STOP_LIMIT && state->look.distance_rms <= tolerance))
        return REC_OK;
    const char *advice =
        state->stop == REC_STOP_LIMIT        ? "no computation in double comes closer"
        : state->stop == REC_STOP_STANDSTILL ? "float32 comes no closer; --solver spectral "
                                               "without -n and -t gives the limit itself"
                                             : "more iterations come closer";
    return rec_fail(error, REC_NO, "%s: the distance from the limit is %s%.3g grey levels, "
                    "the tolerance is %.3g\v%s", job->name, state->look.measured ? "" : "at most ",
                    state->look.distance_rms, tolerance, advice);
}

/* A part with all its labels, told where its first one is. *places: how many are not smooth. */
static rec_patch add_up(const rec_sources *sources, size_t first, size_t *places)
{
    rec_patch all = sources->at[first];
    *places = !all.smooth && all.count;
    for (size_t i = first + 1; all.group && i < sources->count; i++) {
        const rec_patch *patch = &sources->at[i];
        if (patch->group != all.group || !patch->count)
            continue;
        *places += !patch->smooth;
        if (!patch->smooth) {
            all.x = patch->x;
            all.y = patch->y;
        }
        all.box = rec_area_join(all.box, patch->box);
        all.count += patch->count;
    }
    return all;
}

/* Where what was healed has its gradients from. */
static void print_sources(const rec_job *job)
{
    const rec_sources *sources = rec_edit_sources(job->edit);
    const size_t unsearched = rec_edit_unsearched(job->edit);
    size_t lines = 0, more = 0, places;
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->at[i].group && sources->at[i].group != i + 1)
            continue;
        const rec_patch all = add_up(sources, i, &places), *patch = &all;
        if (patch->count < REC_LEAST_PART || lines == MOST_LINES - 2) {
            more++;
            continue;
        }
        lines++;
        rec_say(stderr, "note: %s: %zu pixels at %zu,%zu ", job->name, patch->count, patch->box.x,
                patch->box.y);
        if (!places)
            fputs("are filled smoothly\n", stderr);
        else if (places > 1)
            fprintf(stderr, "are filled from %zu places\n", places);
        else
            fprintf(stderr, "are filled --from %td,%td\n", patch->x, patch->y);
    }
    if (more)
        rec_say(stderr, "note: %s: and %zu more part%s, which --report lists\n", job->name, more,
                rec_plural(more));
    if (unsearched)
        rec_say(stderr, "note: %s: no time was left to search for %zu part%s, filled smoothly\n",
                job->name, unsearched, rec_plural(unsearched));
}

static void print_notes(const rec_job *job)
{
    const rec_settings *settings = job->settings;
    const int warns = rec_job_is_lossy(job);
    char doubt[REC_DOUBT_TEXT];
    rec_notes_print(job->name, &job->info, settings->progress && !settings->list);
    if (*rec_job_doubt(job, doubt) && (warns || settings->progress))
        rec_say(stderr, "%s: %s: %s\n", warns ? "warning" : "note", job->name, doubt);
    const rec_run_options *run = &settings->run;
    const double seconds = job->run ? rec_run_get_state(job->run)->limit_seconds : 0;
    const int many = run->iterations >= MANY_ITERATIONS && run->iterations < REC_ENDLESS;
    if (seconds > 0 && settings->progress && !settings->list && (run->tolerance > 0 || many))
        rec_say(stderr, "note: %s: the exact picture takes %.2g s: leave out -%c\n", job->name,
                seconds, run->tolerance > 0 ? 't' : 'n');
    if (!job->edit || !settings->progress || settings->list)
        return;
    const size_t overlap = rec_edit_overlap(job->edit);
    if (overlap)
        rec_say(stderr, "note: %s: %zu of %zu pixels have their source inside the mask\n",
                job->name, overlap, job->report.unknown);
    print_sources(job);
}

/* An edit that nobody wants to see on its way, or compared. */
static rec_status fill(rec_job *job, rec_error *error)
{
    rec_job_await_device(job);
    REC_TRY(rec_job_read_result(job, error));
    print_notes(job); /* what cannot be done at all has none */
    if (job->settings->progress && !job->settings->list)
        print_summary(job);
    return judge_tolerance(job, error);
}

static rec_status solve(rec_job *job, rec_progress *progress, rec_error *error)
{
    const rec_settings *settings = job->settings;
    rec_owned_image last = {0};
    rec_progress_next(progress, job->name, settings->run.iterations, settings->run.tolerance);
    REC_TRY(rec_job_load(job, error));
    if (rec_job_fills(job) && !settings->against && !job->original_path && !job->checkpoint)
        return fill(job, error);
    REC_TRY(rec_job_open(job, 0, error));
    print_notes(job);
    if (settings->frames == REC_FRAMES_AT)
        REC_TRY(rec_job_write_frames(job, error));
    const rec_status status = iterate(job, progress, error);
    if (!settings->list)
        rec_progress_end(progress);
    REC_TRY(status);
    job->report.state = *rec_run_get_state(job->run);
    if (job->report.state.stop == REC_STOP_SIGNAL)
        return rec_job_interrupt(job, error);
    if (job->original_path) {
        REC_TRY(rec_run_read_image(job->run, &last, error));
        REC_TRY(rec_image_compare(&last, &job->original, job->peak, &job->report.reference, error));
        rec_image_destroy(&last);
    }
    if (settings->run.problem.operators) /* the kernel depends on how many were made */
        rec_solver_get_info(rec_run_solver(job->run), &job->report.info);
    if (settings->progress && !settings->list) {
        rec_job_print_film(job, &job->film);
        print_summary(job);
    }
    /* A comparison may take long: the picture does not wait for it. */
    REC_TRY(settings->against ? rec_job_save(job, error) : rec_job_read_result(job, error));
    if (settings->against)
        REC_TRY(judge(job, error));
    return judge_tolerance(job, error);
}

/* The edges of its picture instead, by the settings' problem. */
static rec_status make_edges(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const rec_problem *problem = &job->problem;
    rec_report *report = &job->report;
    REC_TRY(rec_job_load(job, error));
    rec_notes_print(job->name, &job->info, settings->progress && !settings->list);
    const rec_image *picture = &job->loaded; /* as it was read */
    REC_TRY(rec_make_edges(picture, problem, &job->result, error));
    /* Edges with a free mean and a stencil that sums to 0 do not contain the picture's means. */
    if (rec_boundary_frees_mean(problem->boundary.kind) &&
        (!problem->operators || (problem->operator_count == 1 &&
                                 rec_stencil_loses_mean(&problem->operators->stencil))))
        report->mean_count = picture->planes;
    for (size_t p = 0; p < report->mean_count; p++)
        report->means[p] = rec_image_mean(picture, p);
    if (settings->list || !report->mean_count)
        return REC_OK;
    /* Once its edges are written; stdout may have them on it. */
    REC_TRY(rec_job_write(job, error));
    FILE *stream = rec_path_descriptor(job->output) == STDOUT_FILENO ? stderr : stdout;
    for (size_t p = 0; p < report->mean_count; p++) /* in the form of --mean */
        fprintf(stream, "%s%.17g", p ? "," : "mean ", report->means[p]);
    fputc('\n', stream);
    return REC_OK;
}

rec_status rec_job_solve(rec_job *job, rec_progress *progress, rec_error *error)
{
    const rec_status status =
        job->settings->makes_edges ? make_edges(job, error) : solve(job, progress, error);
    rec_job_close(job);
    return status;
}
