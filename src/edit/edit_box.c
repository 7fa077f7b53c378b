/* A part that fills its box, with known pixels on all sides: Poisson's equation on a rectangle,
 * which the spectral solver has in closed form. The known sides go into the edges. */
#include <math.h>
#include <string.h>

#include "edit/edit_type.h"

enum { WORTH_A_TRANSFORM = 4096 }; /* pixels: planning one takes as long as smaller ones */

int rec_edit_is_box(const rec_problem *problem, const rec_mask *part)
{
    const rec_boundary_row *rules = &rec_boundaries[problem->boundary.kind];
    const rec_area box = problem->mask->box;
    const int left = box.x > 0, right = box.x + box.width < problem->mask->width;
    const int above = box.y > 0, below = box.y + box.height < problem->mask->height;
    return part->count == box.width * box.height && part->count >= WORTH_A_TRANSFORM &&
           !problem->mass && !rules->side &&
           (rules->x == REC_FIXED ? 1 : left && right) &&
           (rules->y == REC_FIXED ? 1 : above && below);
}

/* Takes the value beside a side from the edges there; returns by how much rounding is off. */
static double take_side(float *edge, double known)
{
    const double wanted = (double)*edge - known;
    *edge = (float)wanted;
    return fabs(wanted - (double)*edge);
}

/* What is off beside the sides is off nowhere by more: where all samples are 1, the edges are the
 * numbers of known neighbours, at least 1 there. */
static double make_edges(const rec_problem *problem, const rec_image *edges)
{
    const rec_image *start = problem->start, *given = problem->given;
    const rec_area box = problem->mask->box;
    const size_t width = box.width, height = box.height;
    double off = 0;
    for (size_t p = 0; p < edges->planes; p++) {
        const float *in = rec_image_row(start, p, box.y) + box.x;
        float *to = rec_image_row(edges, p, 0);
        rec_copy_rows(to, edges->stride, rec_image_row(given, p, box.y) + box.x, given->stride,
                      width, height);
        const struct { float *to; const float *known; size_t count, to_step, step; } sides[] = {
            {to, box.x ? in - 1 : NULL, height, edges->stride, start->stride},
            {to + width - 1, box.x + width < start->width ? in + width : NULL, height,
             edges->stride, start->stride},
            {to, box.y ? in - start->stride : NULL, width, 1, 1},
            {to + (height - 1) * edges->stride,
             box.y + height < start->height ? in + height * start->stride : NULL, width, 1, 1}};
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < sides[i].count; k++)
                off = fmax(off, take_side(sides[i].to + k * sides[i].to_step, sides[i].known
                                              ? (double)sides[i].known[k * sides[i].step]
                                              : (double)problem->boundary.value));
    }
    return off;
}

rec_status rec_edit_solve_box(const rec_problem *problem, const rec_solver_options *options,
                              rec_image *found, rec_edit_filled *filled, rec_error *error)
{
    const rec_area box = problem->mask->box;
    const rec_solver_type *type;
    rec_owned_image edges = {0};
    rec_solver *solver = NULL;
    rec_solver_options own = *options;
    if (own.kernel && !strcmp(own.kernel, "host"))
        own.kernel = "fftw";
    REC_TRY(rec_solver_find("spectral", &type, error));
    REC_TRY(rec_image_create(&edges, box.width, box.height, problem->start->planes, error));
    const double off = make_edges(problem, &edges);
    const rec_problem rectangle = {.given = &edges, .boundary.kind = REC_BOUNDARY_HALO,
                                   .in_place = 1};
    REC_TRY(rec_solver_create(&solver, type, &rectangle, &own, error));
    rec_status status = rec_solver_jump(solver, REC_LIMIT_ITERATION, error);
    REC_THEN(status, rec_solver_advance(solver, 0, REC_LOOK_DISTANCE, &filled->look, error));
    REC_THEN(status, rec_solver_read_image(solver, found, error));
    filled->look.distance_max = filled->look.distance_rms + off;
    rec_solver_get_info(solver, &filled->info);
    rec_solver_destroy(solver);
    return status;
}
