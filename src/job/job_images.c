/* What a job reads: edges or a picture, a start, an original. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/team.h"
#include "base/text.h"
#include "job/job.h"

static rec_status load_start(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    if (settings->start == REC_START_FILE) {
        const rec_read_options reading = {.role = REC_PICTURE, .shared = settings->reading.shared};
        return rec_image_read(settings->start_file, &reading, &job->start, NULL, error);
    }
    if (settings->start == REC_START_EDGES)
        return REC_OK;
    REC_TRY(rec_image_copy(&job->start, job->edit ? rec_edit_picture(job->edit) : &job->loaded,
                           error));
    rec_image_fill(&job->start, settings->start_value);
    return REC_OK;
}

/* A mean that the boundary leaves free is that of the start, which gets the picture's. */
static rec_status set_mean(rec_job *job, rec_error *error)
{
    if (!job->start.data)
        REC_TRY(rec_image_copy(&job->start, &job->loaded, error));
    for (size_t p = 0; p < job->start.planes; p++) {
        const double shift = rec_image_mean(&job->original, p) - rec_image_mean(&job->start, p);
        for (size_t y = 0; y < job->start.height; y++) {
            float *row = rec_image_row(&job->start, p, y);
            for (size_t x = 0; x < job->start.width; x++)
                row[x] = (float)((double)row[x] + shift);
        }
    }
    return REC_OK;
}

int rec_job_reads_picture(const rec_job *job)
{
    const rec_operator *operators = job->settings->run.problem.operators;
    return job->reading.role == REC_PICTURE && (!operators || operators->is_inverse) &&
           !job->settings->edit.kind && !job->settings->makes_edges;
}

/* The image that was read is the picture. */
static rec_status derive_edges(rec_job *job, rec_error *error)
{
    const rec_problem *problem = &job->settings->run.problem;
    rec_problem forward = {.boundary = problem->boundary};
    /* On a small stack there is no room for it. */
    rec_owned rec_operator *filter = problem->operators ? malloc(sizeof *filter) : NULL;
    if (problem->operators && !filter)
        return rec_fail(error, REC_LIMIT, "out of memory for a stencil");
    if (filter) {
        rec_operator_filter(filter, &problem->operators->stencil);
        forward.operators = filter;
        forward.operator_count = 1;
    }
    rec_image_destroy(&job->original);
    job->original = job->loaded;
    job->loaded = (rec_image){0};
    job->peak = job->info.maxval;
    return rec_make_edges(&job->original, &forward, &job->loaded, error)
               ? rec_fail_in(error, job->name) : REC_OK;
}

/* With a boundary that leaves the mean free, the edges must sum to 0. */
static rec_status prepare_edges(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const rec_operator *operators = settings->run.problem.operators;
    const size_t means = settings->run.problem.boundary.mean_count;
    /* By the solver, whatever the edges are. */
    const int refused = operators && settings->run.solver->jumps &&
                        !rec_stencil_is_even(&operators->stencil) &&
                        settings->run.problem.boundary.kind != REC_BOUNDARY_WRAP;
    const rec_problem *problem = &job->problem;
    rec_image edges = job->loaded;
    rec_status status = REC_OK;
    if (settings->edit.kind == REC_EDIT_ONTO) {
        REC_TRY(rec_edit_problem(job->edit, &problem, error));
        edges = *problem->input;
    }
    if (settings->makes_edges || settings->edit.kind > REC_EDIT_ONTO ||
        !rec_problem_frees_mean(problem))
        return REC_OK;
    if (means > 1 && means != edges.planes)
        status = rec_fail(error, REC_USAGE, "--mean has %zu numbers, and the picture %zu plane%s",
                          means, edges.planes, rec_plural(edges.planes));
    if (!status && settings->balance)
        rec_balance(&edges);
    else if (!status && !refused)
        status = rec_check_balance(&edges,
                                   operators ? operators->stencil.width * operators->stencil.height
                                             : 1, error);
    return status ? rec_fail_in(error, job->name) : REC_OK;
}

rec_status rec_job_read_images(rec_job *job, rec_error *error)
{
    if (rec_job_is_loaded(job))
        return REC_OK;
    const double before = rec_now();
    const rec_edit_wish *edit = &job->settings->edit;
    const int edits = edit->kind != REC_EDIT_NONE, clones = edit->kind == REC_EDIT_CLONE;
    const int stays = rec_job_may_put(job);
    rec_owned_image around = {0}, source = {0}, mask = {0};
    REC_OWNED(rec_file_samples_close) rec_file_samples mask_samples = {0};
    REC_OWNED(rec_extras_destroy) rec_extras of_source = {0}, of_mask = {0};
    rec_job_file files[REC_FILES] = {
        {.path = job->input, .reading = job->reading, .job = job->reading.shared ? NULL : job,
         .image = edits && !job->onto_path ? &around : &job->loaded},
        {.path = clones ? edit->source : job->onto_path, .image = clones ? &source : &around,
         .reading = {REC_PICTURE, .unchecked = 1, .extras = clones ? &of_source : &job->extras}},
        {.path = edit->holes ? NULL : job->mask_path, .image = &mask,
         .reading = {REC_PICTURE, .extras = &of_mask}}};
    rec_file_samples *const samples[REC_FILES] = {
        job->onto_path ? NULL : &job->samples[0], &job->samples[clones], &mask_samples};
    rec_read_options *reading = &files[REC_FILE_INPUT].reading;
    rec_edit_destroy(job->edit); /* what was left of it */
    job->edit = NULL;
    reading->unchecked = edits;
    if (edits && reading->role == REC_PICTURE)
        reading->extras = &job->extras;
    for (size_t i = 0; stays && i < REC_FILES; i++)
        if (files[i].path && !rec_path_is_standard(files[i].path))
            files[i].reading.samples = samples[i];
    if (edits)
        rec_job_read_files(files);
    rec_status status = rec_job_read_file(files, error);
    job->info = files[REC_FILE_INPUT].info;
    job->report.file = rec_path_is_standard(job->input) ? (rec_file_mark){0} : job->info.file;
    job->origin = (rec_image_origin){job->input, job->info.format, job->info.file, NULL, NULL};
    job->writing.origin = &job->origin;
    if (!status && job->reading.role == REC_EITHER)
        job->reading.role = job->info.format->lossy ? REC_PICTURE : REC_EDGES;
    const int is_picture = !status && rec_job_reads_picture(job);
    if (is_picture)
        status = derive_edges(job, error);
    if (!status && edits)
        status = rec_job_make_edit(job, files, error);
    REC_THEN(status, prepare_edges(job, error));
    REC_THEN(status, load_start(job, error));
    if (!status && is_picture && rec_problem_frees_mean(&job->problem))
        status = set_mean(job, error);
    if (!status && job->start.data && edits)
        rec_edit_surround(job->edit, &job->start);
    job->load_seconds = rec_now() - before;
    if (status)
        rec_job_drop_images(job);
    return status;
}

rec_status rec_job_set_problem(rec_job *job, rec_error *error)
{
    const rec_problem *edited;
    job->problem.input = &job->loaded;
    job->problem.start = NULL;
    if (job->edit) {
        REC_TRY(rec_edit_problem(job->edit, &edited, error));
        job->problem = *edited;
        if (job->settings->headless && !rec_job_fills(job)) /* else it may become known again */
            rec_edit_surround(job->edit, rec_edit_picture(job->edit));
    }
    if (job->start.data)
        job->problem.start = &job->start;
    return REC_OK;
}

static void drop_problem(rec_job *job)
{
    rec_image_destroy(&job->loaded);
    rec_image_destroy(&job->start);
}

void rec_job_drop_images(rec_job *job)
{
    if (job->puts)
        return;
    drop_problem(job);
    for (size_t i = 0; i < 2; i++)
        rec_file_samples_close(&job->samples[i]);
    rec_image_destroy(&job->original);
    if (job->edit)
        rec_edit_release(job->edit);
}

int rec_job_is_piped(const rec_job *job)
{
    const rec_settings *settings = job->settings;
    return rec_path_is_standard(job->input) ||
           (settings->start == REC_START_FILE && rec_path_is_standard(settings->start_file));
}

void rec_job_release_images(rec_job *job)
{
    const int handed_over = !job->run || !rec_run_has_successor(job->run);
    if (handed_over && !job->report.info.in_place && !job->settings->against && !job->edit &&
        (job->settings->headless || !rec_job_is_piped(job)))
        drop_problem(job);
}

uint64_t rec_job_identify(const rec_job *job)
{
    const rec_image *start = job->problem.start;
    const uint64_t images[] = {rec_image_hash(job->problem.input),
                               start ? rec_image_hash(start) : 0};
    const int is_picture = rec_job_reads_picture(job);
    const uint64_t begin =
        is_picture ? rec_hash(REC_HASH_START, &is_picture, sizeof is_picture) : REC_HASH_START;
    rec_run_options run = job->settings->run;
    run.problem = job->problem;
    return rec_run_hash(&run, rec_hash(begin, images, sizeof images));
}

/* ---- the original: a file is that of every input, a folder has one for each ---- */

static rec_status solve_limit(rec_job *job, rec_image *limit, rec_error *error)
{
    rec_owned_solver *jumper = NULL;
    job->peak = job->writing.maxval;
    if (!rec_jumper_available(job->settings) || job->settings->reading.shared)
        return rec_fail(error, REC_USAGE, "--reference limit: needs the spectral solver in one "
                        "process, and neither a mask nor a filter");
    REC_TRY(rec_job_open_jumper(job, &jumper, error));
    REC_TRY(rec_solver_jump(jumper, REC_LIMIT_ITERATION, error));
    return rec_solver_read_image(jumper, limit, error);
}

rec_status rec_job_read_original(rec_job *job, rec_image *original, rec_error *error)
{
    if (rec_job_has_limit(job))
        return solve_limit(job, original, error);
    if (job->original.data) {
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
    job->peak = info.maxval;
    const size_t height = rec_image_full_height(original);
    if (original->width == input->width && height == input->height &&
        original->planes == input->planes)
        return REC_OK;
    rec_fail(error, REC_BAD_INPUT, "%s: is %zu x %zu of %zu plane%s, and %s is %zu x %zu of %zu "
             "plane%s", job->original_path, original->width, height, original->planes,
             rec_plural(original->planes), job->name, input->width, input->height, input->planes,
             rec_plural(input->planes));
    rec_image_destroy(original);
    return REC_BAD_INPUT;
}

/* ---- the window's jumps ---- */

/* Reads the images that were dropped: REC_BAD_INPUT if they have changed since. */
static rec_status load_again(rec_job *job, rec_error *error)
{
    rec_status status = rec_job_read_images(job, error);
    REC_THEN(status, rec_job_set_problem(job, error));
    if (!status && rec_job_identify(job) != job->identity)
        status = rec_fail(error, REC_BAD_INPUT, "%s: has changed since it was opened; r starts "
                          "again", job->name);
    if (status)
        rec_job_drop_images(job);
    return status;
}

rec_status rec_job_open_jumper(rec_job *job, rec_solver **jumper, rec_error *error)
{
    rec_problem problem = job->settings->run.problem;
    const int on_device = job->report.info.costs.device_bytes > 0 && !problem.operators;
    const int device = job->settings->run.solver_options.devices[0];
    rec_status status = job->run ? load_again(job, error) : REC_OK;
    problem.input = &job->loaded;
    problem.start = job->start.data ? &job->start : NULL;
    REC_THEN(status, rec_jumper_create(jumper, &problem, on_device, device, error));
    if (job->run)
        rec_job_release_images(job);
    return status;
}

rec_status rec_job_jump(rec_job *job, uint64_t iteration, const rec_image *image, rec_error *error)
{
    rec_status status = load_again(job, error);
    REC_THEN(status, rec_run_jump(job->run, iteration, &job->loaded, image, error));
    rec_job_release_images(job);
    return status;
}
