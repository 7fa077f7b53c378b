/* The edit of a job: its files, and how it is filled. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "job/job.h"

#define PATHS(job) {job->input, job->mask_path, job->onto_path, job->settings->edit.source}

uint64_t rec_job_stamp(const rec_job *job)
{
    const char *const paths[] = PATHS(job);
    uint64_t stamp = REC_HASH_START;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        rec_file_mark mark;
        if (!paths[i] || (i && rec_path_is_standard(paths[i])))
            continue;
        if (!rec_file_note(paths[i], &mark))
            return 0;
        stamp = rec_hash(stamp, &mark, sizeof mark);
    }
    return stamp;
}

rec_watch *rec_job_watch(const rec_job *job)
{
    const char *const paths[] = PATHS(job);
    return rec_watch_open(paths, sizeof paths / sizeof *paths);
}

static int is_copy(const rec_job *job, size_t planes)
{
    rec_owned char *path = NULL;
    return !job->settings->output ||
           (!rec_output_path(job->settings, job->writing.format, job->entry->stem, planes, &path,
                             NULL) && rec_write_copies(path, planes, &job->writing));
}

/* What reads samples does not know of which file. */
static rec_status name_failure(const rec_job *job, rec_status status, rec_error *error)
{
    rec_file_mark mark;
    const rec_image_origin *origin = &job->origin;
    if ((status != REC_IO && status != REC_SIGNALLED) || !error || strstr(error->message, ": is"))
        return status;
    const int same = rec_file_note(origin->path, &mark) && mark.bytes == origin->file.bytes &&
                     mark.time == origin->file.time;
    const char *other = job->settings->edit.source ? job->settings->edit.source : job->mask_path;
    return rec_fail_in(error, same && other ? other : origin->path);
}

/* As an edit takes it. */
static rec_edit_image describe(const rec_job_file *file)
{
    static const rec_extras none = {0};
    const rec_format *format = file->info.format;
    const rec_file_samples *samples = file->reading.samples;
    return (rec_edit_image){
        .name = file->path,
        .image = file->path && !(samples && samples->at.width) ? file->image : NULL,
        .samples = samples ? samples->at : (rec_samples){0},
        .extras = file->reading.extras ? file->reading.extras : &none,
        .white = format && rec_has_tones(format) ? file->info.maxval : 0};
}

/* Each sentence, which has a line of its own. */
static void print_notes(const rec_job *job)
{
    const char *text = rec_edit_notes(job->edit);
    for (size_t length; *text && job->settings->progress; text += length + 1) {
        length = strcspn(text, "\n");
        rec_say(job->settings->progress, "note: %.*s\n", (int)length, text);
    }
}

rec_status rec_job_make_edit(rec_job *job, rec_job_file files[REC_FILES], rec_error *error)
{
    const rec_edit_wish *wish = &job->settings->edit;
    const int onto = wish->kind == REC_EDIT_ONTO;
    rec_job_file *picture = &files[onto ? REC_FILE_OTHER : REC_FILE_INPUT];
    rec_owned_lines lines = {.name = wish->sources};
    for (size_t i = REC_FILE_OTHER; i < REC_FILES; i++) {
        REC_TRY(rec_job_read_file(&files[i], error));
        if (files[i].path)
            rec_notes_print(files[i].path, &files[i].info, 0);
    }
    rec_job_file *mask_file = &files[REC_FILE_MASK];
    if (mask_file->path && !rec_has_tones(mask_file->info.format))
        REC_TRY(rec_job_read_whole(mask_file, error));
    if (wish->from == REC_FROM_FILE)
        REC_TRY(rec_path_open(&lines.stream, lines.name, NULL, error));
    if (onto) {
        job->origin = (rec_image_origin){picture->path, picture->info.format, picture->info.file,
                                         NULL, NULL};
        job->doubt = job->reading.role == REC_EDGES
                         ? rec_edges_doubt(&job->loaded, job->info.zero_level) : REC_DOUBT_NONE;
    }
    if (job->settings->own_white && rec_has_tones(picture->info.format))
        job->writing.maxval = picture->info.maxval;
    const rec_format *own = picture->info.format;
    if (job->settings->output_is_folder && !job->writing.format && own->write &&
        (!rec_has_tones(own) || job->extras.alpha.data)) /* else less of it would be kept */
        job->writing.format = own;
    if (job->settings->progress && rec_path_is_standard(picture->path) &&
        (own->pages || !strcmp(own->title, "NumPy")))
        rec_say(job->settings->progress, "note: standard input: from a pipe comes a new file: "
                "tags, the type of samples and other pages are left out\n");
    job->writing.extras = &job->extras;
    if (wish->holes == REC_HOLES_VALUE) { /* which is not to be made again */
        job->extras.has_nodata = 1;
        job->extras.nodata = wish->hole;
        job->extras.nodata_rest = 0;
    }
    if (picture->reading.samples && !is_copy(job, picture->reading.samples->at.planes))
        REC_TRY(rec_job_read_whole(picture, error));
    if (!onto)
        job->info = picture->info;
    rec_edit_inputs inputs = {
        .picture = describe(picture), .mask = describe(mask_file), .sources = &lines,
        .boundary = job->problem.boundary, .paints = !job->settings->headless,
        .stays = job->settings->list};
    if (onto)
        inputs.edges = describe(&files[REC_FILE_INPUT]);
    if (wish->kind == REC_EDIT_CLONE)
        inputs.source = describe(&files[REC_FILE_OTHER]);
    REC_TRY(name_failure(job, rec_edit_create(&job->edit, wish, &inputs, error), error));
    const rec_mask *mask = rec_edit_mask(job->edit);
    job->origin.touched = mask->unknown ? mask->unknown : (const unsigned char *)""; /* in a file */
    job->origin.box = &mask->box;
    job->report.unknown = mask->count;
    job->report.keep = wish->keep;
    job->report.sources = rec_edit_sources(job->edit);
    print_notes(job);
    return REC_OK;
}

/* ---- filled ---- */

enum { NEAR = 64 }; /* pixels: a format that codes blocks anew looks at what is in them */

static rec_status watch(void *user, double share, rec_error *error)
{
    const rec_job *job = user;
    return rec_is_stopped()
               ? rec_fail(error, REC_SIGNALLED, "%s: stopped by a signal", job->name) : REC_OK;
}

/* By itself, and smoothly. */
static rec_status fill_band(const rec_job *job, rec_edit_means means, const unsigned char *unknown,
                            const rec_samples *band, const rec_samples *copy, rec_error *error)
{
    rec_edit_wish wish = {.kind = REC_EDIT_HEAL, .rule = REC_GRADIENT_ZERO, .from = REC_FROM_NONE};
    const rec_extras nodata = {.has_nodata = job->extras.has_nodata, .nodata = job->extras.nodata};
    const rec_edit_inputs inputs = {
        .picture = {job->input, .samples = *band, .extras = &nodata},
        .mask = {job->input, .samples = {(void *)unknown, .width = band->width, .planes = 1,
                                         .height = band->height, .across = 1,
                                         .down = (ptrdiff_t)band->width}, .extras = &nodata},
        .boundary = job->problem.boundary, .paints = 1};
    rec_edit *edit;
    rec_edit_filled filled;
    rec_survey ignored;
    if (memchr(unknown, 0, band->width * band->height) == NULL)
        return REC_OK; /* it is nothing but holes */
    means.kept = NULL;
    REC_TRY(rec_edit_create(&edit, &wish, &inputs, error));
    rec_status status = rec_edit_solve(edit, &means, &filled, error);
    REC_THEN(status, rec_edit_put(edit, copy, 0, 0, &ignored, error));
    rec_edit_destroy(edit);
    return status;
}

/* The bands of the extras. */
static rec_status fill_bands(rec_job *job, const rec_edit_means *means, rec_error *error)
{
    rec_extras *extras = &job->extras;
    const rec_mask *mask = rec_edit_mask(job->edit);
    const rec_mask *own = rec_edit_own_holes(job->edit);
    const size_t planes = rec_edit_target(job->edit)->planes;
    if (job->settings->edit.kind != REC_EDIT_HEAL)
        return REC_OK;
    if (extras->band_count && !extras->filled)
        REC_TRY(rec_allocate_zeroed(&extras->filled, extras->band_count, sizeof *extras->filled,
                                    "the bands of a picture", error));
    for (size_t i = 0; i < extras->band_count; i++) {
        rec_image_destroy(&extras->filled[i]);
        REC_TRY(rec_image_copy(&extras->filled[i], &extras->bands[i], error));
        const rec_samples band = rec_samples_of_image(&extras->bands[i]);
        const rec_samples copy = rec_samples_of_image(&extras->filled[i]);
        if (own || (mask->count && i + 1 != extras->band_alpha))
            REC_TRY(fill_band(job, *means, own ? own[planes + i].unknown : mask->unknown, &band,
                              &copy, error));
    }
    return REC_OK;
}

/* The picture into an image, where it is filled and near there; all of it for its range. */
static rec_status copy_decoded(const rec_job *job, rec_image *result, rec_error *error)
{
    const rec_samples *from = &job->samples[0].at;
    rec_area area = rec_area_grow(rec_edit_mask(job->edit)->box, NEAR, from->width, from->height);
    rec_survey filled;
    REC_TRY(rec_image_create(result, from->width, from->height, from->planes, error));
    const rec_samples copy = rec_samples_of_image(result);
    for (int whole = job->settings->report != NULL;; whole = 1) {
        area = whole ? (rec_area){0, 0, from->width, from->height} : area;
        for (size_t i = 0; i < from->planes * area.height; i++) {
            const size_t p = i / area.height, y = area.y + i % area.height;
            float *row = rec_image_row(result, p, y) + area.x;
            REC_TRY(rec_samples_read(from, &(rec_stretch){p, area.x, y, area.width, .floats = row},
                                     error));
        }
        REC_TRY(rec_edit_put(job->edit, &copy, 1, job->writing.maxval, &filled, error));
        if (whole || !filled.outside)
            return REC_OK;
    }
}

rec_status rec_job_fill(rec_job *job, const rec_format *format, rec_image *result,
                        rec_error *error)
{
    const rec_run_options *run = &job->settings->run;
    rec_edit_means means = {.type = run->solver, .options = run->solver_options,
                            .kept = job->run ? NULL : job->kept, .user = job};
    rec_edit_filled filled;
    if (!format && job->output && !(format = job->writing.format))
        REC_TRY(rec_format_of_path(job->output, job->report.planes, &format, error));
    if (job->settings->headless) /* in the window what is painted is kept after a signal, too */
        means.watch = watch;
    means.options.tolerance = run->tolerance;
    REC_TRY(name_failure(job, rec_edit_solve(job->edit, &means, &filled, error), error));
    if (!job->run) {
        const double start = filled.info.costs.seconds_start;
        job->report.info = filled.info;
        job->report.problem = &job->problem;
        job->report.state = (rec_run_state){
            .stop = REC_STOP_LIMIT, .look = filled.look, .updates_per_second = NAN,
            .seconds = {.device_start = start, .iterate = filled.seconds - start}};
    }
    const rec_file_samples *there = &job->samples[0];
    job->puts = there->at.width && !there->decoded && result;
    if (!result || job->puts)
        return REC_OK;
    if (there->at.width)
        return copy_decoded(job, result, error);
    if (job->settings->headless && !job->run)
        rec_edit_give_picture(job->edit, result); /* nobody looks at it again */
    else
        REC_TRY(rec_image_copy(result, rec_edit_picture(job->edit), error));
    const rec_samples copy = rec_samples_of_image(result);
    /* Where the file will have integers, they are rounded once, not to float32 before. */
    const rec_format *own = job->origin.format;
    const int same = own && format && !strcmp(own->title, format->title); /* its samples stay */
    const int whole = format && !job->extras.associated &&
                      (rec_has_tones(same ? own : format) || (same && job->extras.largest > 0));
    rec_survey ignored;
    REC_TRY(rec_edit_put(job->edit, &copy, whole, 0, &ignored, error));
    return fill_bands(job, &means, error);
}

struct put {
    const rec_job *job;
    const rec_write_options *options;
};

static rec_status put(void *user, const rec_samples *copy, rec_error *error)
{
    const rec_job *job = ((const struct put *)user)->job;
    const rec_write_options *options = ((const struct put *)user)->options;
    rec_written *written = options->written;
    const int tones = rec_has_tones(job->origin.format);
    rec_survey all, filled;
    REC_TRY(rec_edit_put(job->edit, copy, 0, options->maxval, &filled, error));
    if (!written)
        return REC_OK;
    written->clipped = tones ? filled.outside : 0;
    written->survey = filled;
    if (!job->settings->report)
        return REC_OK; /* nobody asks for the others */
    REC_TRY(rec_samples_survey(copy, NULL, options->maxval, &all, error));
    rec_survey_merge(&written->survey, all);
    written->survey.samples = all.samples;
    return REC_OK;
}

rec_status rec_job_put(rec_job *job, rec_write_options *options, rec_error *error)
{
    if (options->written)
        *options->written = (rec_written){0};
    job->puts = 0;
    return rec_write_copy(job->output, &job->samples[0], options, put, &(struct put){job, options},
                          error);
}
