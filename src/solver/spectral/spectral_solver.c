/* The spectral solver: iterate N, or the limit, in closed form. On a device the result stays there
 * until it is read. */
#include <math.h>
#include <string.h>

#include "solver/spectral/spectral.h"

#define MOST_ITERATIONS (UINT64_C(1) << 53) /* N is exact in double up to here */

void rec_spectral_destroy(rec_spectral *head)
{
    rec_spectral_shape_destroy(&head->shape);
    if (!head->in_place)
        rec_image_destroy(&head->picture);
    rec_image_destroy(&head->limit);
}

void rec_spectral_load(rec_spectral *head, const rec_problem *problem)
{
    rec_spectral_shape *shape = &head->shape;
    const rec_image *start = problem->start ? problem->start : problem->input;
    head->iteration = 0;
    head->prepared = head->solved = 0;
    head->costs.seconds_plan = 0;
    rec_image_destroy(&head->limit);
    for (size_t p = 0; shape->free_mean && p < shape->planes; p++) {
        const double level = problem->operators ? problem->operators->level : 0;
        shape->edge_mean[p] = (problem->on_device ? 0 : rec_image_mean(problem->input, p)) - level;
        shape->start_mean[p] = problem->on_device ? 0 : rec_image_mean(start, p);
        shape->limit_mean[p] =
            problem->boundary.mean_count ? problem->boundary.means[p] : shape->start_mean[p];
    }
}

void rec_spectral_get_info(const void *state, rec_solver_info *info)
{
    const rec_spectral *head = state;
    *info = (rec_solver_info){.costs = head->costs, .in_place = head->in_place};
    memcpy(info->inverse, head->shape.inverse, sizeof info->inverse);
}

/* ---- solving ---- */

rec_status rec_spectral_solve(rec_spectral *head, rec_error *error)
{
    const rec_symbol *symbol = head->shape.symbol;
    const int iterate = head->iteration && head->iteration != REC_LIMIT_ITERATION;
    if (head->solved)
        return REC_OK;
    if (iterate && head->iteration > MOST_ITERATIONS)
        return rec_fail(error, REC_USAGE,
                        "the spectral solver takes at most 2^53 = %llu iterations\v"
                        "without -n it gives the limit", (unsigned long long)MOST_ITERATIONS);
    if (iterate && symbol && symbol->wide)
        return rec_fail(
            error, REC_UNAVAILABLE,
            "iterates of a stencil wider than 3 x 3 with a constant halo have no closed "
            "form\v-s cpu iterates");
    REC_TRY(head->solve(head, head->iteration, NULL, error));
    head->solved = 1;
    return REC_OK;
}

static rec_status jump(void *state, uint64_t iteration, double seconds, int *reached,
                       rec_error *error)
{
    rec_spectral *head = state;
    head->solved = head->solved && head->iteration == iteration;
    head->iteration = iteration;
    return rec_spectral_solve(head, error);
}

/* ---- the distance ---- */

/* The root of the mean square over a plane, without the mean that the boundary leaves free, plus
 * what the rounding of both to float32 may hide. */
static rec_status measure_plane(const rec_spectral *head, size_t plane, double *worst,
                                rec_error *error)
{
    const rec_image *const both[] = {&head->picture, &head->limit};
    rec_image one[2];
    rec_difference difference;
    double shift = 0, largest = 0;
    for (size_t i = 0; i < 2; i++) {
        one[i] = *both[i];
        one[i].planes = 1;
        one[i].data = rec_image_row(both[i], plane, 0);
        shift += head->shape.free_mean ? (i ? -1 : 1) * rec_image_mean(&one[i], 0) : 0;
        largest = fmax(largest, rec_image_largest(&one[i]));
    }
    REC_TRY(rec_image_compare(&one[0], &one[1], 1, &difference, error));
    const double squares = difference.rms * difference.rms - shift * shift;
    *worst = fmax(*worst, sqrt(fmax(squares, 0)) + ldexp(largest, -23));
    return REC_OK;
}

/* The true distance to the limit, unlike the bound of the other solvers. */
static rec_status look_at(void *state, unsigned looks, rec_look *look, rec_error *error)
{
    rec_spectral *head = state;
    const int distance = looks & REC_LOOK_DISTANCE;
    *look = (rec_look){.change_rms = NAN, .change_max = NAN, .distance_max = NAN,
                       .distance_rms = distance ? 0 : NAN, .measured = distance};
    if (!distance)
        return REC_OK;
    REC_TRY(rec_spectral_solve(head, error));
    if (head->iteration == REC_LIMIT_ITERATION) {
        double largest = 0;
        if (head->largest)
            REC_TRY(head->largest(head, &largest, error));
        else
            largest = rec_image_largest(&head->picture);
        look->distance_rms = ldexp(largest, -23);
        return REC_OK;
    }
    if (head->fetch)
        REC_TRY(head->fetch(head, error));
    const rec_image *picture = &head->picture;
    rec_status status = REC_OK;
    if (!head->limit.data) {
        REC_TRY(rec_image_create(&head->limit, picture->width, picture->height, picture->planes,
                                 error));
        status = head->solve(head, REC_LIMIT_ITERATION, &head->limit, error);
    }
    if (status)
        rec_image_destroy(&head->limit);
    for (size_t p = 0; p < picture->planes; p++)
        REC_THEN(status, measure_plane(head, p, &look->distance_rms, error));
    return status;
}

const rec_solver_jumper rec_spectral_jump = {.look = look_at, .to = jump};
