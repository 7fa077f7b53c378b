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

/* Takes the values beside the sides from the edges there; returns by how much rounding is off. What
 * is off there is off nowhere by more: where all samples are 1, the edges are the numbers of known
 * neighbours, at least 1. */
static double take_sides(const rec_problem *problem, const rec_image *edges)
{
    const rec_area box = problem->mask->box;
    const size_t below = (box.height - 1) * edges->stride;
    const struct {
        size_t at, step, count;
        int known;
    } sides[] = {{0, edges->stride, box.height, box.x > 0},
                 {box.width - 1, edges->stride, box.height,
                  box.x + box.width < problem->mask->width},
                 {0, 1, box.width, box.y > 0},
                 {below, 1, box.width, box.y + box.height < problem->mask->height}};
    double off = 0;
    for (size_t i = 0; i < 4 * edges->planes; i++) {
        const float *known = rec_image_row(problem->start, i / 4, i % 4);
        float *edge = rec_image_row(edges, i / 4, 0) + sides[i % 4].at;
        for (size_t k = 0; k < sides[i % 4].count; k++, edge += sides[i % 4].step) {
            const float value = sides[i % 4].known ? known[k] : problem->boundary.value;
            const double wanted = (double)*edge - (double)value;
            *edge = (float)wanted;
            const double here = fabs(wanted - (double)*edge);
            off = here > off ? here : off; /* gcc 12 for ARM cannot compile fmax() here */
        }
    }
    return off;
}

rec_status rec_edit_solve_box(const rec_problem *problem, const rec_solver_options *options,
                              rec_image *edges, rec_image *found, rec_edit_filled *filled,
                              rec_error *error)
{
    const rec_solver_type *type;
    rec_owned_solver *solver = NULL;
    rec_solver_options own = *options;
    if (own.kernel && !strcmp(own.kernel, "host"))
        own.kernel = "fftw";
    REC_TRY(rec_solver_find("spectral", &type, error));
    const double off = take_sides(problem, edges);
    const rec_problem rectangle = {.given = edges, .boundary.kind = REC_BOUNDARY_HALO,
                                   .in_place = 1};
    REC_TRY(rec_solver_create(&solver, type, &rectangle, &own, error));
    REC_TRY(rec_solver_jump(solver, REC_LIMIT_ITERATION, error));
    REC_TRY(rec_solver_advance(solver, 0, REC_LOOK_DISTANCE, &filled->look, error));
    filled->look.distance_max = filled->look.distance_rms + off;
    rec_solver_get_info(solver, &filled->info);
    if (!filled->info.in_place)
        return rec_solver_read_image(solver, found, error);
    *found = *edges;
    *edges = (rec_image){0};
    return REC_OK;
}
