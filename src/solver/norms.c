/* Norms on the host: in double, summed along each row and then over the rows, so that they do not
 * depend on the number of threads. */
#include <math.h>

#include "base/memory.h"
#include "solver/type.h"

/* Along an axis, for the unknown pixels begin..begin+n-1 of `all`: the smallest two values of sin^2
 * and of cos^2 of the modes' half angles. If there is no second one, it is infinite. */
typedef struct smallest {
    double low[2], high[2];
} smallest;

static double square_of_sine(double half) { return sin(half) * sin(half); }

static smallest find_smallest(rec_beyond rule, size_t begin, size_t n, size_t all)
{
    const double pi = 3.14159265358979323846, sides = (double)n;
    const int ends = (begin == 0) + (begin + n == all); /* where nothing known is beside them */
    if (rule == REC_MIRRORED && ends == 1)
        return (smallest){{square_of_sine(pi / (4 * sides + 2)), INFINITY},
                          {square_of_sine(pi / (2 * sides + 1)), INFINITY}};
    if (ends < 2)
        rule = REC_FIXED;
    const double fixed = square_of_sine(pi / (2 * (sides + 1)));
    const double least = n > 1 ? square_of_sine(pi / (2 * sides)) : INFINITY;
    const double next = n > 1 ? square_of_sine(pi / sides) : INFINITY;
    if (rule == REC_FIXED)
        return (smallest){{fixed, INFINITY}, {fixed, INFINITY}};
    if (rule == REC_WRAPPED && n % 2 == 0)
        return (smallest){{0, next}, {0, next}};
    return (smallest){{0, rule == REC_WRAPPED ? next : least}, {n > 1 ? least : 1, INFINITY}};
}

/* The smallest sum of both axes, but for 0. */
static double smallest_sum(const double x[2], const double y[2])
{
    return x[0] + y[0] > 0 ? x[0] + y[0] : fmin(x[1], y[1]);
}

rec_bound rec_bound_of(const rec_problem *problem)
{
    const rec_image *edges = problem->input;
    const rec_boundary_kind kind = problem->boundary.kind;
    const size_t width = edges->width, height = rec_image_full_height(edges);
    const rec_mask *mask = problem->mask;
    const rec_area box = mask ? mask->box : (rec_area){0, 0, width, height};
    const smallest x = find_smallest(rec_boundaries[kind].x, box.x, box.width, width);
    const smallest y = find_smallest(rec_boundaries[kind].y, box.y, box.height, height);
    /* Rho is the largest |mu| of the modes that decay; 0 if there are none. A mode has mu = 1 - a,
     * where a sums sin^2 of its half angles along both axes. Two modes do not decay: a free mean,
     * and in a wrapped picture with even sides the checkerboard. */
    const double a = smallest_sum(x.low, y.low), b = smallest_sum(x.high, y.high);
    rec_bound bound = {
        .pixels = mask ? (double)rec_larger(mask->count, 1) : (double)width * (double)height,
        .factor = mask && x.low[0] + y.low[0] == 0 ? NAN
                  : isinf(a) || !box.width         ? 0
                                                 : 1 / fmin(a * (2 - a), b * (2 - b))};
    const int drifts = !mask && !problem->on_device && rec_boundary_frees_mean(kind);
    for (size_t p = 0; drifts && p < edges->planes; p++)
        bound.drift[p] = -0.5 * rec_image_mean(edges, p); /* of f, twice */
    return bound;
}

void rec_sums_add_rows(rec_sums *sums, size_t plane, const rec_row_change *rows, size_t height,
                       int change, int distance)
{
    for (size_t y = 0; y < height; y++) {
        sums->distance[plane] += distance ? rows[y].distance : 0;
        if (!change)
            continue;
        sums->change[plane] += rows[y].squares;
        sums->maximum = fmax(sums->maximum, rows[y].maximum);
        sums->alternating += rows[y].alternating;
        sums->moving += rows[y].moving;
    }
}

/* What is not a number is larger than any: the iteration diverged. */
static double larger(double a, double b) { return isnan(a) || a > b ? a : b; }

rec_look rec_look_of(const rec_sums *sums, const rec_bound *bound, int change, int distance,
                     size_t planes)
{
    rec_look look = {.change_rms = change ? 0 : NAN, .change_max = change ? sums->maximum : NAN,
                     .standstill = change && sums->moving_known && sums->moving == 0,
                     .alternating = change ? sums->alternating : 0, .distance_max = NAN,
                     .distance_rms = distance ? 0 : NAN};
    for (size_t p = 0; p < planes; p++) {
        const double drift = bound->drift[p];
        const double squares = sums->distance[p] / bound->pixels - drift * drift;
        if (change)
            look.change_rms = larger(look.change_rms, sqrt(sums->change[p] / bound->pixels));
        if (distance)
            look.distance_rms = larger(look.distance_rms, sqrt(fmax(squares, 0.0)) * bound->factor);
    }
    return look;
}
