/* The multigrid solver: pictures come back byte for byte on any mask, as near as it says, and as a
 * direct solver has them. */
#include "multigrid/multigrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"
#include "tests/unit/cm.h"
#include "tests/unit/problems.h"

enum { MOST_STEPS = 16, SMALL = 60, LARGE = 300 };

/* ---- problems ---- */

typedef enum kind_of_mask {
    DISC,
    CURVES,
    POINTS,
    MANY_POINTS,
    HOLES,
    ONE,
    ALL_BUT_ONE,
    ALL,
    SHAPES
} kind_of_mask;

static int is_unknown(kind_of_mask shape, test_random *random, double x, double y)
{
    const double r = hypot(x, y);
    switch (shape) {
    case DISC:
        return r < 0.35;
    case CURVES:
        return fabs(sin(9 * x + 4 * y * y)) > 0.05 && fabs(cos(7 * y + 5 * x)) > 0.04;
    case POINTS:
        return random_integer(random, 0, 99) > 0;
    case MANY_POINTS:
        return random_integer(random, 0, 99) > 29;
    case HOLES:
        return hypot(fmod(x + 2, 0.3) - 0.15, fmod(y + 2, 0.4) - 0.2) > 0.05;
    case ONE:
        return 0;
    case ALL_BUT_ONE:
    case ALL:
    case SHAPES:
        break;
    }
    return 1;
}

static rec_mask make_mask(size_t width, size_t height, kind_of_mask shape, test_random *random)
{
    rec_mask mask;
    SUCCEEDS(rec_mask_create(&mask, width, height, &error));
    for (size_t i = 0; i < width * height; i++)
        mask.unknown[i] = (unsigned char)is_unknown(shape, random,
                                                    (double)(i % width) / (double)width - 0.5,
                                                    (double)(i / width) / (double)height - 0.5);
    if (shape == ONE || shape == ALL_BUT_ONE)
        mask.unknown[random_bits(random) % (width * height)] ^= 1;
    rec_mask_measure(&mask);
    return mask;
}

/* A picture, its edges, and what is known of it: the rest of edges and start is noise. */
typedef struct case_of {
    rec_image picture, edges, start;
    rec_mask mask;
    rec_problem problem;
} case_of;

static case_of make_puzzle(size_t width, size_t height, size_t planes, rec_boundary_kind kind,
                           kind_of_mask shape, uint64_t seed)
{
    test_random random = {seed};
    case_of made = {.picture = seed % 2 ? random_image(width, height, planes, 0, 255, seed)
                                        : problem_picture(width, height, planes, (unsigned)seed),
                    .start = random_image(width, height, planes, 0, 255, seed + 1),
                    .mask = make_mask(width, height, shape, &random)};
    made.problem = (rec_problem){.edges = &made.picture, .boundary.kind = kind};
    made.problem.boundary.value = rec_boundary_has_constant(kind) ? (float)(seed % 200) : 0;
    SUCCEEDS(rec_problem_take_edges(&made.problem, &made.edges, &error));
    rec_boundary_fold(kind, &made.edges);
    made.problem.boundary.mean_count = rec_boundary_frees_mean(kind) && shape == ALL ? 3 : 0;
    for (size_t p = 0; p < planes; p++) {
        made.problem.boundary.means[p] = rec_image_mean(&made.picture, p);
        for (size_t i = 0; i < width * height; i++) {
            const size_t x = i % width, y = i / width;
            float *edge = rec_image_row(&made.edges, p, y) + x;
            if (!made.mask.unknown[i]) {
                rec_image_row(&made.start, p, y)[x] = rec_image_row(&made.picture, p, y)[x];
                *edge = (float)random_integer(&random, -1000, 1000);
            }
        }
    }
    return made;
}

/* The struct was copied: its pointers are set anew. */
static const rec_problem *problem_of(case_of *puzzle)
{
    puzzle->problem.edges = &puzzle->edges;
    puzzle->problem.start = &puzzle->start;
    puzzle->problem.mask = &puzzle->mask;
    return &puzzle->problem;
}

static void destroy_puzzle(case_of *puzzle)
{
    rec_image_destroy(&puzzle->picture);
    rec_image_destroy(&puzzle->edges);
    rec_image_destroy(&puzzle->start);
    rec_mask_destroy(&puzzle->mask);
}

/* ---- the engine ---- */

typedef struct solver_of {
    void *state;
    rec_costs costs;
} solver_of;

static void make_engine(solver_of *engine, const rec_problem *problem)
{
    engine->state = calloc(1, rec_multigrid_host.size);
    SUCCEEDS(rec_multigrid_host.create(engine->state, problem, REC_MULTIGRID_HOST, &engine->costs,
                                       &error));
}

static void destroy_engine(solver_of *engine)
{
    rec_multigrid_host.destroy(engine->state);
    free(engine->state);
}

static rec_multigrid_distance solve(const solver_of *engine, double stop, double seconds)
{
    rec_multigrid_distance distance;
    SUCCEEDS(rec_multigrid_host.solve(engine->state, stop, seconds, &distance, &error));
    return distance;
}

static const float *sample(const solver_of *engine, size_t p, size_t x, size_t y)
{
    rec_planes planes;
    rec_multigrid_host.planes(engine->state, &planes);
    return planes.m + p * planes.step + y * planes.pitch + x;
}

/* The largest error, and how many known samples changed or unknown ones round to another byte. */
static double largest_error(const solver_of *engine, const case_of *puzzle, size_t *wrong)
{
    const rec_image *picture = &puzzle->picture;
    double largest = 0;
    *wrong = 0;
    for (size_t p = 0; p < picture->planes; p++)
        for (size_t i = 0; i < picture->width * picture->height; i++) {
            const size_t x = i % picture->width, y = i / picture->width;
            const double found = *sample(engine, p, x, y);
            const double truth = rec_image_row(picture, p, y)[x];
            largest = fmax(largest, fabs(found - truth));
            *wrong += puzzle->mask.unknown[i] ? lrint(found) != lrint(truth) : found != truth;
        }
    return largest;
}

static void check_puzzle(size_t width, size_t height, size_t planes, rec_boundary_kind kind,
                         kind_of_mask shape, uint64_t seed)
{
    solver_of engine = {0};
    size_t wrong;
    case_of puzzle = make_puzzle(width, height, planes, kind, shape, seed);
    const rec_problem *problem = problem_of(&puzzle);
    if (rec_problem_check(problem, NULL) == REC_OK) {
        make_engine(&engine, problem);
        const rec_multigrid_distance distance = solve(&engine, 0.01, INFINITY);
        const double error = largest_error(&engine, &puzzle, &wrong);
        if (wrong || distance.steps > MOST_STEPS || !distance.reached ||
            !(distance.max + 3e-5 >= error) || !(distance.rms <= distance.max))
            fail_msg("%zu x %zu, %s, shape %d, seed %d: %zu wrong, error %g, estimate %g, %d steps",
                     width, height, rec_boundaries[kind].name, shape, (int)seed, wrong, error,
                     distance.max, distance.steps);
        destroy_engine(&engine);
    }
    destroy_puzzle(&puzzle);
}

static const rec_boundary_kind kinds[] = {REC_BOUNDARY_HALO, REC_BOUNDARY_MIRROR, REC_BOUNDARY_WRAP,
                                          REC_BOUNDARY_SAWTOOTH};
enum { KINDS = sizeof kinds / sizeof *kinds };

TEST(pictures_come_back_byte_for_byte_on_any_mask)
{
    test_random random = {7};
    const int rounds = tests_are("small") ? 40 : 400, side = tests_are("small") ? SMALL : LARGE;
    for (int i = 0; i < rounds; i++)
        for (int s = 0; s < SHAPES; s++) {
            const size_t width = (size_t)random_integer(&random, 1, i % 2 ? side : 20);
            const size_t height = (size_t)random_integer(&random, 1, i % 3 ? side : 20);
            check_puzzle(i % 10 == 9 ? 1 : width, i % 10 == 8 ? 1 : height, i % 4 ? 1 : 3,
                         kinds[(i + s) % KINDS], (kind_of_mask)s, (uint64_t)(i * SHAPES + s));
        }
}
