/* A part that fills its box, with known pixels on all sides: Poisson's equation on a rectangle,
 * which the spectral solver has in closed form. The known sides go into the edges. */
#include <math.h>
#include <string.h>

#include "base/team.h"
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

/* Subtracts known values, NULL: the boundary's; *off: at least by how much rounding is. */
static void subtract(float *edges, size_t count, const float *known, float value, double *off)
{
    for (size_t k = 0; k < count; k++) {
        const double wanted = (double)edges[k] - (double)(known ? known[k] : value);
        edges[k] = (float)wanted;
        const double here = fabs(wanted - (double)edges[k]);
        *off = here > *off ? here : *off; /* gcc 12 for ARM cannot compile fmax() here */
    }
}

/* Takes the values beside the sides from the edges there. What is off there by rounding is off
 * nowhere by more: where all samples are 1, the edges are the numbers of known neighbours, at least
 * 1. By all threads: each page of the edges is written here first. */
REC_TASK(subtract_sides, const rec_problem *problem; const rec_image *edges; double *off)
{
    const rec_problem *problem = job->problem;
    const rec_area box = problem->mask->box;
    const float value = problem->boundary.value;
    const int is_known[] = {box.x > 0, box.x + box.width < problem->mask->width, box.y > 0,
                            box.y + box.height < problem->mask->height};
    double off = 0;
    for (size_t p = 0; p < job->edges->planes; p++) {
        const float *side[4];
        for (size_t i = 0; i < 4; i++)
            side[i] = is_known[i] ? rec_image_row(problem->start, p, i) : NULL;
        for (size_t y = first; y < end; y++) {
            float *row = rec_image_row(job->edges, p, y);
            subtract(row, 1, side[0] ? side[0] + y : NULL, value, &off);
            subtract(row + box.width - 1, 1, side[1] ? side[1] + y : NULL, value, &off);
            subtract(row, y ? 0 : box.width, side[2], value, &off);
            subtract(row, y + 1 < box.height ? 0 : box.width, side[3], value, &off);
        }
    }
    rec_team_lock();
    *job->off = off > *job->off ? off : *job->off;
    rec_team_unlock();
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
    double off = 0;
    REC_SHARE_ROWS(edges->width, edges->height, subtract_sides, problem, edges, &off);
    const rec_problem rectangle = {.input = edges, .boundary.kind = REC_BOUNDARY_HALO,
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
