/* The library's functions that make edges: of a picture, of gradients of another one, of slopes. */
#include <string.h>

#include "api/api.h"
#include "image/survey.h"
#include "problem/guidance.h"

static rec_status accept(const rec_array *array, size_t width, size_t height, size_t planes,
                         rec_image *made)
{
    rec_array full;
    REC_TRY(rec_api_resolve(array, width, height, &full));
    REC_TRY(rec_image_create(made, width, height, planes == 2 ? 3 : planes, &failure));
    made->planes = planes; /* of the slopes' three the last is not used */
    rec_api_copy(&full, made, 0);
    return REC_OK;
}

static rec_status give(const rec_array *array, const rec_image *image)
{
    rec_array full;
    REC_TRY(rec_api_resolve(array, image->width, image->height, &full));
    rec_api_copy(&full, image, 1);
    return REC_OK;
}

/* Of a picture, or of heights with these slopes. */
static rec_status derive_edges(const rec_poisson *p, const rec_array *from, const rec_array *to,
                               int slopes)
{
    const rec_boundary *boundary = &p->problem.boundary;
    rec_owned_image picture = {0}, edges = {0};
    if (slopes && p->planes != 1)
        return rec_fail(&failure, REC_USAGE, "heights need a solver of one plane, and this one has "
                                             "%zu", p->planes);
    REC_TRY(accept(from, p->width, p->height, slopes ? 2 : p->planes, &picture));
    REC_TRY(slopes ? rec_slopes_make_edges(&picture, boundary->kind, &edges, &failure)
                   : rec_laplacian(&picture, boundary->kind, boundary->value, &edges, &failure));
    return give(to, &edges);
}

ENTRY_CALLS(rec_poisson_edges,
            (const rec_poisson *p, const rec_array *picture, const rec_array *edges),
            derive_edges(p, picture, edges, 0))
ENTRY_CALLS(rec_poisson_slopes,
            (const rec_poisson *p, const rec_array *slopes, const rec_array *edges),
            derive_edges(p, slopes, edges, 1))

/* From the places of the target that fit best around the parts of the mask. */
static rec_status search(const rec_poisson *p, const rec_gradients_of *from,
                         const rec_image *picture, rec_sources *sources)
{
    const rec_survey survey = rec_image_survey(picture, 255);
    const rec_samples samples = rec_samples_of_image(picture);
    const rec_mask hidden = {0};
    rec_search search = {.picture = &samples, .mask = &p->mask, .hidden = &hidden,
                         .sources = sources, .left = REC_SEARCH_COMPARISONS,
                         .black = from->white > 0 ? 0 : (double)survey.low,
                         .white = from->white > 0 ? from->white : (double)survey.high};
    size_t unsearched = 0;
    if (!p->mask.unknown)
        return rec_fail(&failure, REC_USAGE, "a search needs a mask");
    search.white += search.white > search.black ? 0 : 1;
    REC_TRY(rec_sources_create(sources, p->width, p->height, &failure));
    return rec_search_parts(&search, &p->mask, sources, &unsearched, &failure);
}

ENTRY(rec_poisson_guide, (rec_poisson *p, const rec_gradients_of *from, const rec_array *target,
                          const rec_array *to), (p, from, target, to))
{
    rec_owned_image picture = {0}, source = {0}, edges = {0};
    REC_OWNED(rec_sources_destroy) rec_sources sources = {0};
    rec_samples target_samples, source_samples;
    if (!from || !from->rule)
        return rec_fail(&failure, REC_USAGE, "the gradients or their rule are NULL");
    rec_guidance guidance = {.target = &target_samples, .source = &target_samples, .scale = 1,
                             .x = from->x, .y = from->y, .keep = from->keep,
                             .boundary = p->problem.boundary.kind};
    while (guidance.rule < REC_GRADIENT_ZERO &&
           strcmp(rec_gradients[guidance.rule].name, from->rule))
        guidance.rule++;
    if (guidance.rule == REC_GRADIENT_ZERO)
        return rec_fail(&failure, REC_USAGE, "unknown rule '%s'; use %s", from->rule,
                        REC_GRADIENT_WORDS);
    REC_TRY(accept(target, p->width, p->height, p->planes, &picture));
    target_samples = rec_samples_of_image(&picture);
    rec_image_destroy(&p->mass);
    p->problem.mass = NULL;
    if (from->keep > 0) {
        if (!rec_gradients[guidance.rule].keeps)
            return rec_fail(&failure, REC_USAGE, "the rule '%s' has no colours to keep",
                            from->rule);
        REC_TRY(rec_image_create(&p->mass, p->width, p->height, 1, &failure));
        p->problem.mass = guidance.mass = &p->mass;
    }
    if (from->source.data) {
        REC_TRY(accept(&from->source, from->width, from->height, p->planes, &source));
        source_samples = rec_samples_of_image(&source);
        guidance.source = &source_samples;
    } else {
        REC_TRY(search(p, from, &picture, &sources));
        guidance.sources = &sources;
    }
    REC_TRY(rec_image_create(&edges, p->width, p->height, p->planes, &failure));
    REC_TRY(rec_guidance_make(&guidance, (rec_area){0, 0, p->width, p->height}, &edges, &failure));
    return give(to, &edges);
}

ENTRY(rec_poisson_watch, (rec_poisson *p, int (*watch)(void *user, uint64_t done), void *user),
      (p, watch, user))
{
    p->watch = watch;
    p->user = user;
    return REC_OK;
}

ENTRY(rec_poisson_threads, (rec_poisson *p, size_t threads), (p, threads))
{
    p->threads = threads;
    return REC_OK;
}

API int rec_device_count(void)
{
    const rec_api_caller before = rec_api_enter(NULL);
    size_t count = 0;
    if (rec_devices(NULL, 0, 0, &count, &failure))
        count = 0;
    rec_api_leave(before, REC_OK);
    return (int)count;
}
