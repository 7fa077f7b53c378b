/* The levels of a problem, and how near its picture is to the limit, on the host as on a device. */
#include "solver/multigrid/multigrid.h"

/* The box first..first+cells-1 on an axis of `all` pixels. */
static rec_multigrid_axis axis_of(size_t first, size_t cells, size_t all, rec_beyond rule)
{
    const int low = first == 0, high = first + cells == all;
    if (rule == REC_WRAPPED && !(low && high)) /* beyond are known pixels, of the other end */
        rule = REC_FIXED;
    return (rec_multigrid_axis){(int)cells, low ? rule : REC_FIXED, high ? rule : REC_FIXED};
}

static rec_multigrid_axis without_self(rec_multigrid_axis axis)
{
    if (axis.cells == 1 && axis.low == REC_WRAPPED)
        axis.low = axis.high = REC_MIRRORED;
    return axis;
}

static rec_multigrid_axis coarser(rec_multigrid_axis axis)
{
    axis.cells = (axis.cells + 1) / 2;
    return without_self(axis);
}

/* ---- the estimate ---- */

static int known_sides(const rec_multigrid_axis *axis)
{
    return (axis->low == REC_FIXED) + (axis->high == REC_FIXED);
}

/* The smallest eigenvalue along an axis. */
static double lowest_of(const rec_multigrid_axis *axis)
{
    const int known = known_sides(axis);
    const double n = axis->cells;
    const double s = known == 2   ? sin(M_PI / (2 * (n + 1)))
                     : known == 1 ? sin(M_PI / (2 * (2 * n + 1)))
                                  : 0;
    return 4 * s * s;
}

const rec_look rec_multigrid_unsolved = {.change_rms = NAN, .change_max = NAN, .missed = 1,
                                         .distance_max = INFINITY, .distance_rms = INFINITY};

int rec_multigrid_conclude(rec_multigrid *head, const rec_multigrid_shape *shape,
                           const rec_multigrid_steps *steps)
{
    rec_look look = {.change_rms = NAN, .change_max = NAN};
    head->steps = 0;
    for (size_t p = 0; shape->levels && p < shape->planes; p++) {
        const double max = shape->safety * steps[p].largest;
        const double rms = steps[p].error / sqrt(shape->lowest * (double)shape->unknown);
        look.distance_max = fmax(look.distance_max, max);
        look.distance_rms = fmax(look.distance_rms, shape->lowest > 0 ? fmin(rms, max) : max);
        head->steps = steps[p].count > head->steps ? steps[p].count : head->steps;
    }
    look.missed = !(look.distance_max <= head->tolerance);
    head->look = look;
    return !look.missed;
}

double rec_multigrid_rounding_allowed(const rec_multigrid_shape *shape, double stop)
{
    const double x = shape->level[0].x.cells, y = shape->level[0].y.cells;
    const double m = fmax(x, y) * sqrt(fmax(x, y) / fmin(x, y));
    return shape->free_mean ? 0 : (double)shape->unknown / 8 * pow(ldexp(stop, 19) / m, 2);
}

void rec_multigrid_get_info(const void *state, rec_solver_info *info)
{
    const rec_multigrid *head = state;
    *info = (rec_solver_info){.costs = head->costs, .in_place = head->in_place};
}

rec_status rec_multigrid_look(void *state, unsigned looks, rec_look *look, rec_error *error)
{
    *look = ((const rec_multigrid *)state)->look;
    if (!(looks & REC_LOOK_DISTANCE))
        look->distance_max = look->distance_rms = NAN;
    return REC_OK;
}

/* ---- the start ---- */

rec_status rec_multigrid_limit_start(rec_problem *problem, rec_image *copy, rec_area area,
                                     rec_error *error)
{
    const rec_mask *mask = problem->mask;
    const rec_image *start = problem->start;
    for (size_t p = 0; mask && start && p < start->planes; p++) {
        const double most = rec_problem_limit(problem, p);
        for (size_t row = area.y; row < area.y + area.height; row++)
            for (size_t i = area.x; i < area.x + area.width; i++) {
                const float sample = rec_image_row(start, p, row)[i];
                if (!mask->unknown[row * mask->width + i] || fabs((double)sample) <= 16 * most)
                    continue;
                if (!copy->data && !problem->in_place)
                    REC_TRY(rec_image_copy(copy, start, error));
                rec_image_row(copy->data ? copy : start, p, row)[i] =
                    copysignf((float)most, sample);
            }
    }
    problem->start = copy->data ? copy : start;
    return REC_OK;
}

/* ---- the shape ---- */

void rec_multigrid_shape_make(rec_multigrid_shape *shape, const rec_problem *problem)
{
    const rec_image *edges = problem->input, *start = problem->start ? problem->start : edges;
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    const rec_mask all = {.count = edges->width * edges->height,
                          .box = {0, 0, edges->width, edges->height}};
    const rec_mask *mask = problem->mask ? problem->mask : &all;
    *shape = (rec_multigrid_shape){.width = edges->width, .height = edges->height,
                                   .planes = edges->planes, .left = mask->box.x,
                                   .top = mask->box.y, .unknown = mask->count,
                                   .halo = problem->boundary.value,
                                   .has_mass = problem->mass != NULL,
                                   .free_mean = rec_problem_frees_mean(problem)};
    for (size_t p = 0; shape->free_mean && p < shape->planes; p++) {
        shape->edge_mean[p] = rec_image_mean(edges, p);
        shape->mean[p] = problem->boundary.mean_count ? problem->boundary.means[p]
                                                      : rec_image_mean(start, p);
    }
    if (!mask->count)
        return;
    rec_multigrid_level *level = shape->level;
    *level = (rec_multigrid_level){
        .x = without_self(axis_of(mask->box.x, mask->box.width, edges->width, boundary->x)),
        .y = without_self(axis_of(mask->box.y, mask->box.height, edges->height, boundary->y))};
    shape->enclosed = known_sides(&level->x) + known_sides(&level->y) == 4;
    shape->safety = shape->enclosed ? 4 : 16;
    shape->lowest = lowest_of(&level->x) + lowest_of(&level->y);
    for (size_t l = 0;; l++) {
        const int x = level[l].x.cells, y = level[l].y.cells;
        shape->levels = l + 1;
        level[l].weight = x == 1 || y == 1 ? 2 : 1;
        if (l && x <= REC_MULTIGRID_COARSEST && y <= REC_MULTIGRID_COARSEST)
            return;
        level[l + 1] = (rec_multigrid_level){.x = coarser(level[l].x), .y = coarser(level[l].y)};
    }
}
