#include "job/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"

static rec_status load_start(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const rec_image *edges = &job->edges;
    if (settings->start == START_FILE) {
        const rec_read_options reading = {.role = REC_PICTURE};
        return rec_image_read(settings->line->option[OPTION_START].text, &reading,
                              &job->start, NULL, error);
    }
    if (settings->start == START_EDGES)
        return REC_OK;
    const rec_status status =
        rec_image_create(&job->start, edges->width, edges->height, edges->planes, error);
    if (!status)
        rec_image_fill(&job->start, settings->start_value);
    return status;
}

/* What decides the bits of iterate N and of the limit: the edges, the start and the border. */
uint64_t job_identity(const rec_job *job)
{
    const uint64_t images[] = {rec_image_hash(&job->edges),
                               job->start.data ? rec_image_hash(&job->start) : 0};
    const uint64_t hash = rec_hash(REC_HASH_START, images, sizeof images);
    return rec_boundary_hash(&job->settings->run.boundary, hash);
}

/* Edges that leave the mean free sum to 0. */
static rec_status prepare_edges(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const size_t means = settings->run.boundary.mean_count;
    rec_status status = REC_OK;
    if (!rec_boundary_frees_mean(settings->run.boundary.kind))
        return REC_OK;
    if (means > 1 && means != job->edges.planes)
        status = rec_fail(error, REC_USAGE, "--mean %s has %zu numbers, and the picture %zu plane%s",
                          settings->line->option[OPTION_MEAN].text, means,
                          job->edges.planes, job->edges.planes == 1 ? "" : "s");
    if (!status && settings->balance)
        rec_balance(&job->edges);
    else if (!status)
        status = rec_check_balance(&job->edges, error);
    return status ? rec_fail_in(error, job->input) : REC_OK;
}

const char *job_ending(const rec_format *format, size_t planes)
{
    return format ? format->ending : rec_format_default(planes)->ending;
}

/* "FOLDER/STEM" becomes "FOLDER/STEM.pgm", or what --format and the planes say. */
rec_status job_output_path(const rec_job *job, size_t planes, char **path, rec_error *error)
{
    const char *ending = job_ending(job->settings->writing.format, planes);
    if (asprintf(path, "%s%s%s", job->output, job->output_needs_ending ? "." : "",
                 job->output_needs_ending ? ending : "") >= 0)
        return REC_OK;
    *path = NULL;
    return rec_fail(error, REC_LIMIT, "out of memory for a file name");
}

static rec_status complete_output(rec_job *job, rec_error *error)
{
    if (!job->output_needs_ending)
        return REC_OK;
    char *path;
    const rec_status status = job_output_path(job, job->edges.planes, &path, error);
    if (status)
        return status;
    free(job->output);
    job->output = path;
    job->output_needs_ending = 0;
    return REC_OK;
}

static rec_status load_problem(rec_job *job, rec_error *error)
{
    if (job->edges.data)
        return REC_OK;
    rec_status status =
        rec_image_read(job->input, &job->settings->reading, &job->edges, &job->info, error);
    if (!status)
        status = prepare_edges(job, error);
    return status ? status : load_start(job, error);
}

static void drop_problem(rec_job *job)
{
    rec_image_destroy(&job->edges);
    rec_image_destroy(&job->start);
}

/* A pipe gives its data once, and the window may want them again. */
static int keeps_problem(const rec_job *job)
{
    const rec_settings *settings = job->settings;
    const int piped = !strcmp(job->input, "-") ||
                      (settings->start == START_FILE &&
                       !strcmp(settings->line->option[OPTION_START].text, "-"));
    return settings->compare || (!settings->headless && piped);
}

static rec_status load(rec_job *job, rec_error *error)
{
    const double before = rec_now();
    rec_status status = load_problem(job, error);
    job->load_seconds = rec_now() - before;
    if (status)
        return status;
    job->report.width = job->edges.width;
    job->report.height = job->edges.height;
    job->report.planes = job->edges.planes;
    status = complete_output(job, error);
    const rec_format *format;
    if (!status && job->output && !job->settings->writing.format)
        status = rec_format_of_path(job->output, job->edges.planes, &format, error);
    return status;
}

/* ---- the steps of a job ---- */

rec_status job_check(rec_job *job, rec_error *error)
{
    const rec_status status = load(job, error);
    drop_problem(job);
    return status;
}

rec_status job_check_again(const rec_job *job, rec_error *error)
{
    rec_job other = {.settings = job->settings, .input = job->input};
    if (!strcmp(job->input, "-"))
        return REC_OK;
    rec_status status =
        rec_image_read(other.input, &other.settings->reading, &other.edges, &other.info, error);
    if (!status)
        status = prepare_edges(&other, error);
    drop_problem(&other);
    return status;
}

/* The film begins where the run does. */
static void start_recording(rec_job *job)
{
    const rec_settings *settings = job->settings;
    if (settings->frames == FRAMES_NONE || settings->frames == FRAMES_AT)
        return;
    job->recording = (rec_recording){
        .prefix = job->frames,
        .ending = job_ending(settings->writing.format, job->report.planes),
        .every = settings->frames == FRAMES_EVERY ? settings->run.every : 0,
        .next = rec_run_get_state(job->run)->iterations,
    };
}

rec_status job_record(rec_job *job, rec_run *run, rec_error *error)
{
    return recording_write(&job->recording, run, &job->settings->writing, &job->save_seconds,
                           error);
}

rec_status job_open(rec_job *job, int fresh, rec_error *error)
{
    rec_status status = load(job, error);
    if (!status && job->settings->headless && job_is_finished(job)) {
        job->was_finished = 1;
        return REC_OK;
    }
    /* Before the work: an hour's iterations are not lost to another picture's name. */
    if (!status && job->settings->headless && job->reference_path)
        status = job_read_reference(job, &job->reference, &job->peak, error);
    if (!status) {
        if (job->finished && job->output)
            job_describe_finished(job, job->finished_text);
        const double before = rec_now();
        preparation_await(job->settings->preparation);
        job->wait_seconds += rec_now() - before;
        rec_run_options options = job->settings->run;
        options.checkpoint = job->checkpoint;
        options.fresh = fresh;
        /* The window may load the input again, and must know it then. */
        job->identity = job->checkpoint || !job->settings->headless ? job_identity(job) : 0;
        options.identity = job->identity;
        status = rec_run_create(&job->run, &options, &job->edges,
                                job->start.data ? &job->start : NULL, error);
        /* A checkpoint's and a start's messages name their file; the rest is about this input. */
        if (status && !strstr(error->message, ": "))
            rec_fail_in(error, job->input);
    }
    if (status)
        job_close(job);
    else {
        rec_solver_get_info(rec_run_solver(job->run), &job->report.info);
        start_recording(job);
        if (!keeps_problem(job))
            drop_problem(job);
    }
    return status;
}

/* ---- the window's jumps ---- */

static rec_status load_again(rec_job *job, rec_error *error)
{
    rec_status status = load_problem(job, error);
    if (!status && job_identity(job) != job->identity)
        status = rec_fail(error, REC_BAD_INPUT,
                          "%s: is not what it was when it was opened; r starts again", job->input);
    if (status)
        drop_problem(job);
    return status;
}

rec_status job_open_jumper(rec_job *job, rec_solver **jumper, rec_error *error)
{
    const rec_run_options *run = &job->settings->run;
    const rec_solver_type *type;
    rec_status status = load_again(job, error);
    if (!status)
        status = rec_solver_find("spectral", &type, error);
    if (!status) {
        const rec_problem problem = {.edges = &job->edges,
                                     .start = job->start.data ? &job->start : NULL,
                                     .boundary = run->boundary};
        const int on_device = job->report.info.device_bytes > 0;
        rec_solver_options options = {.where = on_device ? REC_ON_DEVICE : REC_ON_HOST,
                                      .device = run->solver_options.device};
        status = rec_solver_create(jumper, type, &problem, &options, error);
        if (status == REC_UNAVAILABLE) { /* this build has one of the two */
            options = (rec_solver_options){.where = REC_ANYWHERE};
            status = rec_solver_create(jumper, type, &problem, &options, error);
        }
    }
    if (!keeps_problem(job))
        drop_problem(job);
    return status;
}

rec_status job_jump(rec_job *job, rec_run *run, uint64_t iteration, const rec_image *image,
                    rec_error *error)
{
    rec_status status = load_again(job, error);
    if (!status)
        status = rec_run_jump(run, iteration, &job->edges, image, error);
    if (!keeps_problem(job))
        drop_problem(job);
    return status;
}

static void take_state(rec_job *job)
{
    job->report.state = *rec_run_get_state(job->run);
    job->report.state.seconds.load = job->load_seconds;
    job->report.state.seconds.device_start += job->wait_seconds;
    job->report.state.seconds.save += job->save_seconds;
}

rec_status job_save(rec_job *job, rec_error *error)
{
    rec_image image = {0};
    if (!job->output) {
        rec_run_remove_checkpoint(job->run);
        return REC_OK;
    }
    rec_status status = rec_run_read_image(job->run, &image, error);
    if (status)
        return status;
    const double before = rec_now();
    status = rec_image_write(job->output, &image, &job->settings->writing, error);
    rec_image_destroy(&image);
    if (!status)
        status = job_record_finished(job, error);
    if (!status)
        rec_run_remove_checkpoint(job->run);
    job->save_seconds += rec_now() - before;
    return status;
}

/* The other side of a comparison, driven as any run so that it shows its progress and obeys signals.
 * A standstill may end it early: the bits are those of all N iterations all the same. */
static rec_status run_reference(const rec_job *job, rec_run **reference, rec_error *error)
{
    const rec_run_state *state = rec_run_get_state(job->run);
    rec_run_options options = job->settings->run;
    const int limit = job->settings->compare == COMPARE_LIMIT;
    rec_status status = rec_solver_find(limit ? "spectral" : "reference", &options.solver, error);
    if (status)
        return status;
    options.iterations = limit ? REC_ENDLESS : state->iterations;
    options.tolerance = 0;
    options.solver_options = (rec_solver_options){0};
    status = rec_run_create(reference, &options, &job->edges,
                            job->start.data ? &job->start : NULL, error);
    if (status)
        return status;
    rec_progress progress =
        rec_progress_begin(job->settings->progress, limit ? "the limit" : "the reference",
                           options.iterations, 0);
    while (!status && !rec_run_get_state(*reference)->stop) {
        status = rec_run_step(*reference, 0, 0, error);
        rec_progress_update(&progress, rec_run_get_state(*reference));
    }
    rec_progress_end(&progress);
    if (!status && rec_run_get_state(*reference)->stop == REC_STOP_SIGNAL)
        status = rec_fail(error, REC_SIGNALLED, "stopped by a signal during the comparison");
    return status;
}

rec_status job_compare(rec_job *job, rec_error *error)
{
    rec_run *reference = NULL;
    rec_image ours = {0}, theirs = {0};
    rec_status status = run_reference(job, &reference, error);
    if (!status)
        status = rec_run_read_image(job->run, &ours, error);
    if (!status)
        status = rec_run_read_image(reference, &theirs, error);
    if (!status)
        status = rec_image_compare(&ours, &theirs, job->settings->writing.maxval,
                                   &job->comparison.difference, error);
    if (!status) {
        job->comparison.solver_seconds = rec_run_get_state(job->run)->seconds.iterate;
        job->comparison.reference_seconds = rec_run_get_state(reference)->seconds.iterate;
        job->report.comparison = &job->comparison;
    }
    rec_image_destroy(&ours);
    rec_image_destroy(&theirs);
    rec_run_destroy(reference);
    return status;
}

rec_status job_interrupt(rec_job *job, rec_error *error)
{
    if (!job->checkpoint)
        return rec_fail(error, REC_SIGNALLED,
                        "%s: stopped by a signal after %llu iterations; nothing was written "
                        "(--checkpoint keeps the work)", job->input,
                        (unsigned long long)rec_run_get_state(job->run)->iterations);
    const rec_status status = rec_run_save_checkpoint(job->run, error);
    if (status)
        return status;
    return rec_fail(error, REC_STOPPED,
                    "%s: stopped by a signal after %llu iterations; the checkpoint %s is written, "
                    "the same command goes on from there", job->input,
                    (unsigned long long)rec_run_get_state(job->run)->iterations, job->checkpoint);
}

void job_close(rec_job *job)
{
    if (job->run) {
        take_state(job);
        rec_run_destroy(job->run);
        job->run = NULL;
    }
    drop_problem(job);
    rec_image_destroy(&job->reference);
    job->report.state.seconds.wall = rec_now() - job->begin;
}
