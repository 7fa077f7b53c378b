/* A job that changes a picture inside a mask alone: the mask, and the edges that guidance makes. */
#include <math.h>

#include "base/text.h"
#include "job/job.h"

/* ---- transparency ---- */

/* Creates the mask of the pixels whose alpha is below a half, if there are any. */
static rec_status take_hidden(rec_mask *hidden, const rec_extras *extras, rec_error *error)
{
    const rec_image *alpha = &extras->alpha;
    rec_mask_destroy(hidden);
    if (!alpha->data)
        return REC_OK;
    REC_TRY(rec_mask_create(hidden, alpha->width, alpha->height, error));
    for (size_t y = 0; y < alpha->height; y++)
        for (size_t x = 0; x < alpha->width; x++)
            hidden->unknown[y * alpha->width + x] =
                2 * (double)rec_image_row(alpha, 0, y)[x] < extras->maxval;
    rec_mask_measure(hidden);
    if (!hidden->count)
        rec_mask_destroy(hidden);
    return REC_OK;
}

rec_status rec_edit_grow(rec_job *job, rec_error *error)
{
    const rec_boundary_row *boundary = &rec_boundaries[job->problem.boundary.kind];
    job->problem.mask = &job->mask;
    if (!job->hidden.unknown)
        return REC_OK;
    job->problem.in_place = 0; /* some of the start is restored */
    if (!job->filled.unknown)
        REC_TRY(rec_mask_create(&job->filled, job->mask.width, job->mask.height, error));
    job->problem.mask = &job->filled;
    return rec_mask_grow(&job->filled, &job->mask, &job->hidden, boundary->x == REC_WRAPPED,
                         boundary->y == REC_WRAPPED, error);
}

static int is_unknown(const rec_mask *mask, ptrdiff_t x, ptrdiff_t y)
{
    return x >= 0 && y >= 0 && x < (ptrdiff_t)mask->width && y < (ptrdiff_t)mask->height &&
           mask->unknown[y * (ptrdiff_t)mask->width + x];
}

static int is_known(const rec_mask *mask, ptrdiff_t x, ptrdiff_t y)
{
    return !is_unknown(mask, x, y);
}

static int is_in_a_pair(const rec_mask *mask, ptrdiff_t x, ptrdiff_t y)
{
    return is_unknown(mask, x, y) || is_unknown(mask, x - 1, y) || is_unknown(mask, x + 1, y) ||
           is_unknown(mask, x, y - 1) || is_unknown(mask, x, y + 1);
}

/* Samples that are no numbers become 0, and their pixels hidden: REC_BAD_INPUT where they are used.
 * Tones are numbers. (x, y): where the image lies in the mask. */
static rec_status drop_holes(const rec_mask *mask, const rec_image *image, const char *name,
                             int tones, ptrdiff_t x, ptrdiff_t y,
                             int (*is_used)(const rec_mask *mask, ptrdiff_t x, ptrdiff_t y),
                             rec_mask *hidden, rec_error *error)
{
    if (tones || rec_image_largest(image) <= (double)(float)REC_MAX_MAGNITUDE)
        return REC_OK;
    if (hidden && !hidden->unknown)
        REC_TRY(rec_mask_create(hidden, image->width, image->height, error));
    for (size_t i = 0; i < image->planes * image->height; i++)
        for (size_t column = 0; column < image->width; column++) {
            const size_t row = i % image->height;
            float *sample = image->data + i * image->stride + column;
            if (fabsf(*sample) <= (float)REC_MAX_MAGNITUDE)
                continue;
            if (is_used(mask, (ptrdiff_t)column + x, (ptrdiff_t)row + y))
                return rec_fail(error, REC_BAD_INPUT, "%s: the sample at x %zu, y %zu is %g: it "
                                "must be finite and in magnitude at most %g", rec_input_name(name),
                                column, row, (double)*sample, (double)(float)REC_MAX_MAGNITUDE);
            *sample = 0;
            if (hidden)
                hidden->unknown[row * image->width + column] = 1;
        }
    if (hidden)
        rec_mask_measure(hidden);
    return REC_OK;
}

/* Whether an unknown pixel gets the picture's samples again. */
static int is_restored(const rec_job *job, size_t x, size_t y)
{
    const size_t at = y * job->mask.width + x;
    return job->hidden.unknown && job->hidden.unknown[at] &&
           (!job->mask.unknown[at] ||
            (job->extras.alpha.data && rec_image_row(&job->extras.alpha, 0, y)[x] == 0));
}

void rec_edit_restore(const rec_job *job, const rec_image *result)
{
    const rec_mask *mask = job->problem.mask;
    for (size_t p = 0; job->hidden.unknown && p < result->planes; p++)
        for (size_t y = mask->box.y; y < mask->box.y + mask->box.height; y++)
            for (size_t x = mask->box.x; x < mask->box.x + mask->box.width; x++)
                if (is_restored(job, x, y))
                    rec_image_row(result, p, y)[x] = rec_image_row(&job->start, p, y)[x];
}

/* ---- what is unknown ---- */

static rec_status check_mask(const rec_job *job, const rec_image *around, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const rec_mask *mask = &job->mask;
    const char *name = rec_input_name(edit->mask     ? job->mask_path
                                      : edit->source ? edit->source
                                                     : job->input);
    if (!mask->count && job->settings->headless && !edit->holes)
        return rec_fail(error, REC_BAD_INPUT, edit->kind == REC_EDIT_CLONE
                            ? "%s: lies wholly outside %s"
                            : "%s: the mask is empty: no pixel of %s is unknown",
                        name, rec_input_name(job->input));
    /* Then a healed box has no gradients at all. */
    const ptrdiff_t left = (ptrdiff_t)mask->box.x - edit->x, top = (ptrdiff_t)mask->box.y - edit->y;
    const int outside = left >= (ptrdiff_t)mask->width || left + (ptrdiff_t)mask->box.width <= 0 ||
                        top >= (ptrdiff_t)mask->height || top + (ptrdiff_t)mask->box.height <= 0;
    if (outside && edit->kind == REC_EDIT_HEAL && edit->from == REC_FROM_PLACE &&
        job->settings->headless)
        return rec_fail(error, REC_BAD_INPUT, "%s: --from %td,%td puts the whole source outside "
                        "the picture", rec_input_name(job->input), -edit->x, -edit->y);
    if (job->problem.mask->count < around->width * around->height &&
        job->problem.boundary.mean_count)
        return rec_fail(error, REC_USAGE, "--mean: the pixels around the mask determine it");
    if (edit->kind != REC_EDIT_ONTO && rec_problem_frees_mean(&job->problem))
        return rec_fail(error, REC_BAD_INPUT, "%s: the mask leaves no pixel of %s known%s", name,
                        rec_input_name(job->input),
                        job->hidden.unknown ? " that is not transparent" : "");
    return REC_OK;
}

/* ---- the edges ---- */

rec_guidance rec_edit_guidance(const rec_job *job, const rec_image *around)
{
    const rec_edit *edit = &job->settings->edit;
    const int clones = edit->kind == REC_EDIT_CLONE;
    const int smooth = edit->kind == REC_EDIT_HEAL && edit->from != REC_FROM_PLACE &&
                       !job->sources.label;
    return (rec_guidance){.target = around, .source = clones ? &job->source : around,
                          .x = edit->x, .y = edit->y, .scale = clones ? job->source_scale : 1,
                          .hidden = job->hidden.unknown,
                          .source_hidden = clones ? job->source_hidden.unknown
                                                  : job->hidden.unknown,
                          .sources = job->sources.label ? &job->sources : NULL,
                          .rule = smooth ? REC_GRADIENT_ZERO : edit->rule,
                          .boundary = job->problem.boundary.kind, .mass = job->problem.mass,
                          .keep = edit->keep};
}

static rec_status make_edges(rec_job *job, const rec_image *around, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const rec_mask *mask = job->problem.mask;
    if (edit->keep > 0) {
        REC_TRY(rec_image_create(&job->mass, around->width, around->height, 1, error));
        job->problem.mass = &job->mass;
    }
    REC_TRY(rec_edit_find_sources(job, around, error));
    rec_guidance guidance = rec_edit_guidance(job, around);
    guidance.mask = job->problem.in_place ? mask : NULL; /* no edge is asked for later */
    REC_TRY(rec_image_create(&job->given, around->width, around->height, around->planes, error));
    rec_guidance_make(&guidance, mask->box, &job->given);
    if (edit->kind != REC_EDIT_HEAL || edit->from != REC_FROM_PLACE)
        return REC_OK;
    /* Pixels of the mask whose source is in the mask as well. */
    const rec_mask *own = &job->mask;
    job->overlap = 0;
    for (size_t y = own->box.y; y < own->box.y + own->box.height; y++)
        for (size_t x = own->box.x; x < own->box.x + own->box.width; x++)
            job->overlap += own->unknown[y * own->width + x] &&
                            is_unknown(own, (ptrdiff_t)x - edit->x, (ptrdiff_t)y - edit->y);
    return REC_OK;
}

/* ---- the whole ---- */

/* The picture, and the source of a clone, whose shape may be its alpha. */
static rec_status read_pictures(rec_job *job, rec_edit_file *other, const rec_image *around,
                                rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    REC_TRY(rec_edit_read(other, error));
    rec_notes_print(other->path, &other->info, 0);
    const rec_image_info info = edit->kind == REC_EDIT_ONTO ? other->info : job->info;
    if (edit->kind == REC_EDIT_ONTO) {
        const rec_image *edges = &job->given;
        if (around->width != edges->width || around->height != edges->height ||
            around->planes != edges->planes)
            return rec_fail(error, REC_BAD_INPUT, "%s: is %zu x %zu of %zu plane%s, and %s is %zu "
                            "x %zu of %zu; they must be the same", rec_input_name(job->onto_path),
                            around->width, around->height, around->planes,
                            rec_plural(around->planes), rec_input_name(job->input), edges->width,
                            edges->height, edges->planes);
        job->origin = (rec_image_origin){job->onto_path, info.format, info.file, NULL, NULL};
    }
    if (job->settings->own_white && rec_has_tones(info.format))
        job->writing.maxval = info.maxval;
    job->writing.extras = &job->extras;
    if (edit->kind != REC_EDIT_CLONE)
        return REC_OK;
    const int tones = rec_has_tones(info.format), its_tones = rec_has_tones(other->info.format);
    const double white = tones ? info.maxval : edit->white;
    const double its = its_tones ? other->info.maxval : edit->white;
    job->source_scale = white > 0 && its > 0 ? white / its : 1;
    if (tones == its_tones || edit->white > 0 || !job->settings->progress)
        return REC_OK;
    /* Floats may be from 0 to 1, or anything: a note where they look unlike the other's samples. */
    const rec_survey floats = rec_image_survey(tones ? &job->source : around, 255);
    const double known = tones ? white : its;
    if (floats.high < known / 16 || floats.high > 16 * known)
        rec_say(stderr,
                "note: %s has samples from %g to %g, and white is %g in %s; --white sets it\n",
                rec_input_name(tones ? edit->source : job->input), (double)floats.low,
                (double)floats.high, known, rec_input_name(tones ? job->input : edit->source));
    return REC_OK;
}

rec_status rec_edit_prepare(rec_job *job, rec_edit_file files[REC_FILES],
                            const rec_image *around, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const int clones = edit->kind == REC_EDIT_CLONE;
    REC_TRY(read_pictures(job, &files[REC_FILE_OTHER], around, error));
    rec_mask_destroy(&job->mask);
    REC_TRY(rec_mask_create(&job->mask, around->width, around->height, error));
    job->origin.touched = job->mask.unknown;
    job->origin.box = &job->mask.box;
    REC_TRY(take_hidden(&job->hidden, &job->extras, error));
    if (clones)
        REC_TRY(take_hidden(&job->source_hidden, files[REC_FILE_OTHER].reading.extras, error));
    REC_TRY(rec_edit_read_mask(job, files, around, error));
    rec_mask_destroy(&job->filled);
    REC_TRY(drop_holes(&job->mask, around, job->origin.path, rec_has_tones(job->origin.format), 0,
                       0, is_known, &job->hidden, error));
    if (clones)
        REC_TRY(drop_holes(&job->mask, &job->source, edit->source, 0, edit->x, edit->y,
                           is_in_a_pair, &job->source_hidden, error));
    REC_TRY(rec_edit_grow(job, error));
    if (edit->kind == REC_EDIT_ONTO)
        REC_TRY(drop_holes(job->problem.mask, &job->given, job->input,
                           rec_has_tones(job->info.format), 0, 0, is_unknown, NULL, error));
    REC_TRY(check_mask(job, around, error));
    job->report.unknown = job->mask.count;
    job->report.keep = edit->keep;
    job->report.sources = &job->sources;
    if (edit->kind != REC_EDIT_ONTO)
        return make_edges(job, around, error);
    /* The edges of a file where its colours do not count are those of such colours. */
    const rec_image *edges = &job->given;
    for (size_t i = 0; job->hidden.unknown && i < edges->planes * edges->height; i++)
        for (size_t x = 0; x < edges->width; x++) {
            const size_t at = i % edges->height * edges->width + x;
            if (job->filled.unknown[at] && !job->mask.unknown[at])
                edges->data[i * edges->stride + x] = 0;
        }
    return REC_OK;
}

/* What a mask covers does not matter. */
static void limit_start(const rec_job *job)
{
    const rec_mask *mask = job->problem.mask;
    rec_problem problem = job->problem;
    problem.start = &job->start;
    for (size_t p = 0; p < job->start.planes; p++) {
        const double most = rec_problem_limit(&problem, p);
        for (size_t y = mask->box.y; y < mask->box.y + mask->box.height; y++) {
            float *row = rec_image_row(&job->start, p, y);
            for (size_t x = mask->box.x; x < mask->box.x + mask->box.width; x++)
                if (mask->unknown[y * mask->width + x] && !is_restored(job, x, y))
                    row[x] = rec_limited(row[x], most);
        }
    }
}

void rec_edit_surround(rec_job *job, rec_image *around)
{
    const rec_image *start = &job->start;
    if (!start->data) {
        job->start = *around;
        *around = (rec_image){0};
        if (job->settings->headless) /* in the window it may become known again */
            limit_start(job);
        return;
    }
    if (start->width != around->width || start->height != around->height ||
        start->planes != around->planes)
        return; /* rec_problem_check refuses it */
    for (size_t p = 0; p < start->planes; p++)
        for (size_t y = 0; y < start->height; y++) {
            const float *known = rec_image_row(around, p, y);
            float *row = rec_image_row(start, p, y);
            for (size_t x = 0; x < start->width; x++)
                if (!job->problem.mask->unknown[y * start->width + x] || is_restored(job, x, y))
                    row[x] = known[x];
        }
}
