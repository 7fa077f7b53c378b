/* The library's functions of edits, and of normal maps: samples of any type of the caller. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "api/api.h"
#include "base/team.h"
#include "edit/edit.h"

_Static_assert((int)REC_UINT8 == (int)REC_SAMPLE_U8 && (int)REC_INT64 == (int)REC_SAMPLE_I64 &&
                   (int)REC_FLOAT64 == (int)REC_SAMPLE_F64,
               "the types are those of image/samples.h");

/* With the usual strides. */
static rec_status resolve(const rec_pixels *given, rec_samples *samples)
{
    const int known = given->type >= 0 && given->type <= REC_FLOAT64;
    const ptrdiff_t bytes = known ? (ptrdiff_t)rec_sample_kinds[given->type].bytes : 0;
    if (!given->data || !given->width || !given->height || !given->planes || !known)
        return rec_fail(&failure, REC_USAGE, known ? "pixels without samples"
                                                   : "pixels of an unknown type");
    *samples = (rec_samples){.data = given->data, .width = given->width, .height = given->height,
                             .planes = given->planes, .type = (rec_sample_type)given->type,
                             .swapped = given->swapped != 0, .across = given->across,
                             .down = given->down, .plane = given->plane};
    samples->across = samples->across ? samples->across : bytes;
    samples->down = samples->down ? samples->down : samples->across * (ptrdiff_t)given->width;
    samples->plane = samples->plane ? samples->plane : samples->down * (ptrdiff_t)given->height;
    return REC_OK;
}

/* ---- in the memory of a device ---- */

/* Copies the planes to the copy or back. */
static rec_status copy_planes(const rec_samples *there, void *stream, const rec_image *copy,
                              int back)
{
    const size_t stride = (size_t)there->down / sizeof(float);
    for (size_t p = 0; p < copy->planes; p++) {
        float *data = (float *)there->data + (ptrdiff_t)p * there->plane / (ptrdiff_t)sizeof(float);
        float *row = rec_image_row(copy, p, 0);
        REC_TRY(rec_device_copy(back ? data : row, back ? stride : copy->stride, back ? row : data,
                                back ? copy->stride : stride, copy->width, copy->height, stream,
                                stream, &failure));
    }
    return REC_OK;
}

/* *samples: those of the pixels, or of *copy, which is created where they are on a device. */
static rec_status accept(const rec_edit_of *of, const rec_pixels *pixels, rec_samples *samples,
                         rec_image *copy)
{
    if (!pixels->data)
        return REC_OK;
    REC_TRY(resolve(pixels, samples));
    if (!of->on_device || rec_device_of(pixels->data) < 0)
        return REC_OK;
    if (samples->type != REC_SAMPLE_F32 || samples->swapped || samples->across != sizeof(float) ||
        samples->down <= 0 || samples->plane < 0)
        return rec_fail(&failure, REC_USAGE, "pixels on a device must be float32, with across = 4, "
                                             "down above 0 and plane at least 0");
    REC_TRY(rec_image_create(copy, samples->width, samples->height, samples->planes, &failure));
    REC_TRY(copy_planes(samples, pixels->stream, copy, 0));
    *samples = rec_samples_of_image(copy);
    return REC_OK;
}

/* ---- pictures ---- */

typedef struct task {
    const rec_edit_of *of;
    rec_edit_wish wish;
    rec_edit_inputs inputs; /* with the samples of all pictures */
    rec_edit_means means;
    pthread_t caller;           /* it alone calls the caller's function */
    size_t count, done, failed; /* pictures; the first one that failed */
    double distance;
    rec_status missed;
    rec_error error; /* of it */
    int stopped;
} task;

static rec_status watch(void *user, double share, rec_error *error)
{
    task *t = user;
    rec_team_lock();
    const double done = ((double)t->done + share) / (double)t->count;
    rec_team_unlock();
    if (t->of->watch && pthread_equal(pthread_self(), t->caller) &&
        t->of->watch(t->of->user, done))
        __atomic_store_n(&t->stopped, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&t->stopped, __ATOMIC_RELAXED)
               ? rec_fail(error, REC_STOPPED, "stopped by the caller") : REC_OK;
}

/* Each picture by one thread, or one picture by all: the samples are the same. */
REC_TASK(fill_pictures, task *all)
{
    task *t = job->all;
    const locale_t before = rec_use_plain_numbers();
    for (size_t i = first; i < end; i++) {
        rec_error error = {.status = REC_OK};
        rec_edit_filled filled = {.seconds = 0};
        rec_edit_inputs inputs = t->inputs;
        rec_samples *of[] = {&inputs.picture.samples, &inputs.source.samples, &inputs.mask.samples};
        rec_edit *edit = NULL;
        rec_survey ignored;
        for (size_t k = 0; k < 3 && t->count > 1; k++) { /* one mask is that of all */
            if (of[k]->planes > 1)
                of[k]->data = (char *)of[k]->data + (ptrdiff_t)i * of[k]->plane;
            of[k]->planes = 1;
        }
        rec_status status = watch(t, 0, &error);
        REC_THEN(status, rec_edit_create(&edit, &t->wish, &inputs, &error));
        REC_THEN(status, rec_edit_solve(edit, &t->means, &filled, &error));
        REC_THEN(status, rec_edit_put(edit, of[0], 0, 0, &ignored, &error));
        rec_edit_destroy(edit);
        rec_team_lock();
        t->done++;
        t->distance = fmax(t->distance, filled.look.distance_max);
        t->missed = filled.look.missed ? REC_NO : t->missed;
        if (status && i < t->failed) {
            t->failed = i;
            t->error = error;
            t->error.status = status;
        }
        rec_team_unlock();
    }
    uselocale(before);
}

/* Each word is that of a row. */
static rec_status read_words(task *t)
{
    const rec_edit_of *of = t->of;
    const char *from = of->from ? of->from : "none", *rule = of->rule ? of->rule : "source";
    rec_edit_wish *wish = &t->wish;
    wish->from = !strcmp(from, "none")    ? REC_FROM_NONE
                 : !strcmp(from, "auto")  ? REC_FROM_AUTO
                 : !strcmp(from, "place") ? REC_FROM_PLACE
                                          : REC_FROM_FILE;
    while (wish->rule < REC_GRADIENT_ZERO && strcmp(rec_gradients[wish->rule].name, rule))
        wish->rule++;
    if (wish->rule == REC_GRADIENT_ZERO)
        return rec_fail(&failure, REC_USAGE, "unknown rule '%s'; use %s", rule, REC_GRADIENT_WORDS);
    if (wish->from == REC_FROM_FILE)
        return rec_fail(&failure, REC_USAGE, "from is '%s'; it is none, auto or place", from);
    if (wish->from == REC_FROM_PLACE && !of->x && !of->y)
        return rec_fail(&failure, REC_USAGE, "the place 0, 0 is the damage itself");
    if (!(of->keep >= 0) || !(of->tolerance >= 0) || !(of->white >= 0))
        return rec_fail(&failure, REC_USAGE, "keep, tolerance and white must be at least 0");
    if (of->keep > 0 && !rec_gradients[wish->rule].keeps)
        return rec_fail(&failure, REC_USAGE, "the rule '%s' has no colours to keep", rule);
    return rec_api_boundary(of->boundary ? of->boundary : "mirror", of->value, &t->inputs.boundary);
}

/* Of unsigned integers; others are data. */
static double white_of(const rec_edit_of *of, const rec_samples *samples)
{
    const rec_sample_kind *kind = &rec_sample_kinds[samples->type];
    return of->white > 0 ? of->white : kind->floating || kind->lowest < 0 ? 0 : kind->highest;
}

static rec_status run(const rec_edit_of *of, task *t)
{
    static const rec_extras none = {0};
    rec_samples there, picture, mask = {0}, source = {0};
    rec_owned_image copy = {0}, mask_copy = {0}, source_copy = {0};
    t->of = of;
    REC_TRY(read_words(t));
    if (of->on_device && !rec_device_available(of->device, &failure))
        return REC_UNAVAILABLE;
    if (of->on_device)
        REC_TRY(rec_device_begin(of->device, &failure));
    REC_TRY(resolve(&of->picture, &there)); /* there must be one */
    REC_TRY(accept(of, &of->picture, &picture, &copy));
    REC_TRY(accept(of, &of->mask, &mask, &mask_copy));
    REC_TRY(accept(of, &of->source, &source, &source_copy));
    const int clones = source.data != NULL, holes = !clones && !mask.data;
    const int whole = !holes && mask.planes <= 1 && (picture.planes == 1 || picture.planes == 3);
    if (clones && source.planes != picture.planes &&
        !(whole && (source.planes == 1 || source.planes == 3)))
        return rec_fail(&failure, REC_USAGE, "the source has %zu planes, and the picture %zu",
                        source.planes, picture.planes);
    if (mask.planes > 1 && mask.planes != picture.planes)
        return rec_fail(&failure, REC_USAGE, "the mask has %zu planes, and the picture %zu",
                        mask.planes, picture.planes);
    if (!whole && t->wish.from == REC_FROM_AUTO && picture.planes != 1 && !clones)
        return rec_fail(&failure, REC_USAGE,
                        "a search for a source needs a mask, and 1 or 3 planes");
    t->wish.kind = clones ? REC_EDIT_CLONE : REC_EDIT_HEAL;
    t->wish.x = clones || t->wish.from != REC_FROM_PLACE ? of->x : -of->x;
    t->wish.y = clones || t->wish.from != REC_FROM_PLACE ? of->y : -of->y;
    t->wish.holes = holes ? REC_HOLES_NAN : REC_HOLES_NONE;
    t->wish.grow = of->grow;
    t->wish.keep = of->keep;
    if (!clones && t->wish.from == REC_FROM_NONE)
        t->wish.rule = REC_GRADIENT_ZERO;
    t->inputs.picture = (rec_edit_image){"the picture", .samples = picture, .extras = &none,
                                         .white = white_of(of, &picture)};
    t->inputs.source = (rec_edit_image){"the source", .samples = source, .extras = &none,
                                        .white = t->inputs.picture.white};
    t->inputs.mask = (rec_edit_image){"the mask", .samples = mask, .extras = &none};
    t->inputs.paints = 1; /* nothing may be unknown */
    t->means = (rec_edit_means){.options = {.tolerance = of->tolerance,
                                            .devices = {of->on_device ? of->device : 0},
                                            .kernel = of->on_device ? "cuda" : "host"},
                                .watch = watch, .user = t};
    REC_TRY(rec_solver_find("multigrid", &t->means.type, &failure));
    t->failed = t->count = whole ? 1 : picture.planes;
    const size_t beside = of->on_device || t->count < rec_team_size() ? 1 : t->count;
    REC_TRY(watch(t, 0, &failure)); /* helpers may do all the rest */
    REC_SHARE(beside, t->count, fill_pictures, t);
    if (t->stopped)
        return rec_fail(&failure, REC_STOPPED, "stopped by the caller");
    if (t->failed < t->count && t->count > 1)
        return rec_fail(&failure, t->error.status, "picture %zu of %zu: %.*s", t->failed + 1,
                        t->count, (int)t->error.advice, t->error.message);
    if (t->failed < t->count) {
        failure = t->error;
        return failure.status;
    }
    return copy_planes(&there, of->picture.stream, &copy, 1);
}

API int rec_edit_fill(const rec_edit_of *edit, double *distance)
{
    const rec_api_caller before = rec_api_enter(NULL);
    task t = {.caller = pthread_self()};
    if (!edit)
        return rec_api_leave(before, rec_fail(&failure, REC_USAGE, "there is no edit"));
    if (edit->threads)
        rec_team_set_size(edit->threads);
    const rec_status status = run(edit, &t);
    if (!status && distance)
        *distance = t.distance;
    if (!status && t.missed)
        rec_fail(&failure, REC_NO, "the distance is %g, above the tolerance", t.distance);
    return rec_api_leave(before, status ? status : t.missed);
}

/* ---- normal maps ---- */

ENTRY(rec_poisson_normals, (const rec_poisson *p, const rec_pixels *normals, const char *green,
                            const rec_array *edges), (p, normals, green, edges))
{
    static const char *const words[] = {"auto", "up", "down"};
    rec_owned_image slopes = {0}, made = {0};
    rec_green where = REC_GREEN_AUTO;
    rec_samples samples;
    rec_array full;
    double curls[2];
    if (!normals)
        return rec_fail(&failure, REC_USAGE, "there are no normals");
    REC_TRY(resolve(normals, &samples));
    while (where <= REC_GREEN_DOWN && strcmp(words[where], green ? green : "auto"))
        where++;
    if (where > REC_GREEN_DOWN)
        return rec_fail(&failure, REC_USAGE, "green is '%s'; it must be auto, up or down", green);
    if (p->planes != 1 || samples.planes != 3 || samples.width != p->width ||
        samples.height != p->height)
        return rec_fail(&failure, REC_USAGE, "heights need a solver of one plane, and a normal map "
                        "of three planes of its size, %zu x %zu", p->width, p->height);
    const rec_sample_kind *kind = &rec_sample_kinds[samples.type];
    const double white = kind->floating ? 1 : kind->highest;
    REC_TRY(rec_image_create(&slopes, p->width, p->height, 3, &failure));
    for (size_t i = 0; i < 3 * p->height; i++) {
        const size_t plane = i / p->height, y = i % p->height;
        const rec_stretch row = {plane, 0, y, p->width, .floats = rec_image_row(&slopes, plane, y)};
        REC_TRY(rec_samples_read(&samples, &row, &failure));
    }
    rec_normals_to_slopes(&slopes, kind->lowest < 0 ? 0 : white / 2, white, &(double){0});
    rec_slopes_turn(&slopes, &where, curls);
    REC_TRY(rec_slopes_make_edges(&slopes, p->problem.boundary.kind, &made, &failure));
    REC_TRY(rec_api_resolve(edges, p->width, p->height, &full));
    rec_api_copy(&full, &made, 1);
    return REC_OK;
}
