/* What is checked and known of a problem before anything solves it. */
#include "problem/problem.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"

unsigned rec_problem_use(const rec_operator *operators)
{
    return !operators              ? REC_FOR_UPDATES | REC_FOR_LIMITS
           : operators->is_inverse ? REC_FOR_INVERSES
                                   : REC_FOR_FILTERS;
}

rec_status rec_problem_check(const rec_problem *problem, rec_error *error)
{
    const rec_image *edges = problem->input, *start = problem->start;
    const rec_mask *mask = problem->mask;
    const size_t height = rec_image_full_height(edges);
    const size_t start_height = start ? rec_image_full_height(start) : height;
    if (start && (start->width != edges->width || start_height != height ||
                  start->planes != edges->planes))
        return rec_fail(error, REC_BAD_INPUT,
                        "the start is %zu x %zu with %zu plane%s but the edges are %zu x %zu with "
                        "%zu; they must be the same",
                        start->width, start_height, start->planes, rec_plural(start->planes),
                        edges->width, height, edges->planes);
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    if (!(boundary->uses & rec_problem_use(problem->operators)))
        return rec_fail(error, REC_USAGE, "this problem has no boundary %s", boundary->name);
    const double most = (float)REC_MAX_MAGNITUDE; /* as the samples have it, a little above */
    /* Around a mask no edge counts, and most are in no memory yet. */
    const rec_area where = mask ? mask->box : (rec_area){0, 0, edges->width, edges->height};
    if ((!problem->on_device && rec_image_largest_in(edges, where) > most) ||
        !(fabs((double)problem->boundary.value) <= most))
        return rec_fail(error, REC_BAD_INPUT,
                        "edges and halo must be finite and at most %g in magnitude",
                        REC_MAX_MAGNITUDE);
    if (!mask)
        return REC_OK;
    if (problem->operators)
        return rec_fail(error, REC_USAGE, "a mask needs the five-point update, without stencils");
    if (mask->width != edges->width || mask->height != height)
        return rec_fail(error, REC_BAD_INPUT,
                        "the mask is %zu x %zu but the edges are %zu x %zu; they must be the same",
                        mask->width, mask->height, edges->width, height);
    if (!start)
        return rec_fail(error, REC_BAD_INPUT, "a mask needs the picture around it");
    if (rec_problem_frees_mean(problem) && !problem->boundary.mean_count)
        return rec_fail(error, REC_BAD_INPUT,
                        "the mask leaves no pixel known, and with the boundary %s nothing else "
                        "determines the picture's mean\v--mean gives it", boundary->name);
    return REC_OK;
}

int rec_problem_frees_mean(const rec_problem *problem)
{
    const rec_operator *op = problem->operators;
    const rec_mask *mask = problem->mask;
    return (!mask || mask->count == mask->width * mask->height) &&
           rec_boundary_frees_mean(problem->boundary.kind) &&
           (!op || (op->is_inverse && rec_stencil_loses_mean(&op->stencil)));
}

/* Inside an area, where pixels are unknown, or where they are known. */
static double largest_of(const rec_image *image, size_t plane, const rec_mask *mask, int unknown,
                         rec_area area)
{
    double largest = 0;
    for (size_t y = area.y; y < area.y + area.height; y++) {
        const float *row = rec_image_row(image, plane, y);
        for (size_t x = area.x; x < area.x + area.width; x++)
            if (mask->unknown[y * mask->width + x] == unknown && fabs((double)row[x]) > largest)
                largest = fabs((double)row[x]);
    }
    return largest;
}

double rec_problem_magnitude(const rec_problem *problem)
{
    const rec_image *edges = problem->input, *start = problem->start;
    const rec_mask *mask = problem->mask;
    double largest = 0;
    if (!mask || !start)
        return start ? rec_image_largest(start) : rec_image_largest(edges) / 8;
    const rec_area all = {0, 0, mask->width, mask->height};
    for (size_t p = 0; p < edges->planes; p++)
        largest = fmax(largest, fmax(largest_of(start, p, mask, 0, all),
                                     largest_of(edges, p, mask, 1, mask->box) / 8));
    return largest;
}

double rec_problem_limit(const rec_problem *problem, size_t plane)
{
    const rec_mask *mask = problem->mask;
    if (!mask || rec_problem_frees_mean(problem))
        return INFINITY;
    return fmax(largest_of(problem->start, plane, mask, 0,
                           rec_area_grow(mask->box, 1, mask->width, mask->height)),
                fabs((double)problem->boundary.value));
}

/* ---- what decides the bits ---- */

uint64_t rec_problem_hash(const rec_problem *problem, uint64_t hash)
{
    const rec_boundary *boundary = &problem->boundary;
    const rec_mask *mask = problem->mask;
    for (size_t i = 0; i < problem->operator_count; i++) {
        const rec_operator *op = &problem->operators[i];
        const rec_taps *taps = &op->taps;
        const int sizes[] = {taps->width, taps->height, op->is_inverse};
        const double numbers[] = {(double)taps->scale, (double)taps->offset, op->gain, op->level};
        hash = rec_hash(rec_hash(hash, sizes, sizeof sizes), numbers, sizeof numbers);
        hash = rec_hash(hash, taps->weights,
                        (size_t)(taps->width * taps->height) * sizeof *taps->weights);
    }
    if (mask) {
        const uint64_t size[] = {mask->width, mask->height};
        hash = rec_hash(hash, size, sizeof size);
        hash = rec_hash(hash, mask->unknown, mask->width * mask->height);
    }
    if (problem->mass) {
        const uint64_t mass = rec_image_hash(problem->mass);
        hash = rec_hash(hash, &mass, sizeof mass);
    }
    if (rec_boundary_has_constant(boundary->kind))
        hash = rec_hash(hash, &boundary->value, sizeof boundary->value);
    if (boundary->kind == REC_BOUNDARY_HALO) /* as checkpoints have it that are older than kinds */
        return hash;
    const char *name = rec_boundaries[boundary->kind].name;
    hash = rec_hash(hash, name, strlen(name) + 1);
    return boundary->mean_count ? rec_hash(hash, boundary->means, sizeof boundary->means) : hash;
}
