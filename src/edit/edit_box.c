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
    const rec_area box = problem->mask->box;
    const double fixed = (double)problem->boundary.value;
    double off = 0;
    for (size_t p = 0; p < edges->planes; p++)
        for (size_t y = 0; y < box.height; y++) {
            const int first = y == 0, last = y + 1 == box.height;
            const float *row = rec_image_row(problem->start, p, box.y + y) + box.x;
            float *to = rec_image_row(edges, p, y);
            memcpy(to, rec_image_row(problem->given, p, box.y + y) + box.x,
                   box.width * sizeof *to);
            for (size_t x = 0; x < box.width; x += first || last ? 1 : rec_larger(box.width - 1, 1))
                for (int side = 0; side < 4; side++) {
                    const int here = side == 0   ? x == 0
                                     : side == 1 ? x + 1 == box.width
                                     : side == 2 ? first
                                                 : last;
                    const int there = side == 0   ? box.x > 0
                                      : side == 1 ? box.x + box.width < problem->start->width
                                      : side == 2 ? box.y > 0
                                                  : box.y + box.height < problem->start->height;
                    const ptrdiff_t stride = (ptrdiff_t)problem->start->stride;
                    const ptrdiff_t step[] = {-1, 1, -stride, stride};
                    const float *beside = row + (ptrdiff_t)x + step[side];
                    if (here)
                        off = fmax(off, take_side(&to[x], there ? (double)*beside : fixed));
                }
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
