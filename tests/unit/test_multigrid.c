/* The multigrid solver: pictures come back byte for byte on any mask, as near as it says, and as a
 * direct solver has them. */
#include "solver/multigrid/multigrid_cycle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if REC_HAVE_CUDA
#include "solver/multigrid/cuda_multigrid.h"
#endif
#include "solver/solver.h"
#include "tests/unit/cm.h"
#include "tests/unit/problems.h"

enum { MOST_UNKNOWN = 12 * 12, MOST_CELLS = 64 };
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
    BLOCKS,
    ALL,
    SHAPES
} kind_of_mask;

/* At column i, row j of a picture. */
static int is_unknown(kind_of_mask shape, test_random *random, size_t i, size_t j, size_t width,
                      size_t height)
{
    const double x = (double)i / (double)width - 0.5, y = (double)j / (double)height - 0.5;
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
    case BLOCKS: /* those that are skipped, side by side with others */
        return (i / 64 * 7 + j / 32 * 3) % 4 == 0;
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
        mask.unknown[i] = (unsigned char)is_unknown(shape, random, i % width, i / width, width,
                                                    height);
    if (shape == ONE || shape == ALL_BUT_ONE)
        mask.unknown[random_bits(random) % (width * height)] ^= 1;
    rec_mask_measure(&mask);
    return mask;
}

/* A picture, its edges, and what is known of it: the rest of edges and start is noise. */
typedef struct case_of {
    rec_image picture, edges, start;
    rec_image mass; /* in a third of the cases */
    rec_mask mask;
    rec_problem problem;
} case_of;

/* Some of the blocks have a mass, and their edges lose mass M, without rounding. */
static void add_mass(case_of *made, uint64_t seed)
{
    static const float masses[] = {0x1p-10F, 0x1p-5F, 1, 128};
    const size_t width = made->picture.width, height = made->picture.height;
    if (!made->mass.data)
        SUCCEEDS(rec_image_create(&made->mass, width, height, 1, &error));
    for (size_t i = 0; i < width * height; i++) {
        const size_t x = i % width, y = i / width;
        const float mass = (x / 5 + y / 3) % 4 ? masses[seed % 4] : 0;
        rec_image_row(&made->mass, 0, y)[x] = mass;
        for (size_t p = 0; p < made->picture.planes; p++) {
            float *edge = rec_image_row(&made->edges, p, y) + x;
            *edge = (float)(*edge - (double)mass * rec_image_row(&made->picture, p, y)[x]);
        }
    }
}

static case_of make_puzzle(size_t width, size_t height, size_t planes, rec_boundary_kind kind,
                           kind_of_mask shape, uint64_t seed)
{
    test_random random = {seed};
    case_of made = {.picture = seed % 2 ? random_image(width, height, planes, 0, 255, seed)
                                        : problem_picture(width, height, planes, (unsigned)seed),
                    .start = random_image(width, height, planes, 0, 255, seed + 1),
                    .mask = make_mask(width, height, shape, &random)};
    made.problem = (rec_problem){.boundary.kind = kind};
    made.problem.boundary.value = rec_boundary_has_constant(kind) ? (float)(seed % 200) : 0;
    SUCCEEDS(rec_take_edges(&made.picture, &made.problem, &made.edges, &error));
    rec_boundary_fold(kind, &made.edges);
    made.problem.boundary.mean_count = rec_boundary_frees_mean(kind) && shape == ALL ? 3 : 0;
    if (seed % 3 == 2 && !made.problem.boundary.mean_count)
        add_mass(&made, seed);
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
    puzzle->problem.given = &puzzle->edges;
    puzzle->problem.start = &puzzle->start;
    puzzle->problem.mask = &puzzle->mask;
    puzzle->problem.mass = puzzle->mass.data ? &puzzle->mass : NULL;
    return &puzzle->problem;
}

static void destroy_puzzle(case_of *puzzle)
{
    rec_image_destroy(&puzzle->picture);
    rec_image_destroy(&puzzle->edges);
    rec_image_destroy(&puzzle->start);
    rec_image_destroy(&puzzle->mass);
    rec_mask_destroy(&puzzle->mask);
}

/* ---- the types ---- */

static const rec_solver_type *tested = &rec_multigrid_host;

/* Tests of the host's type and of a device's, which are skipped without one. */
#define TEST_OF_ENGINES(function) TEST_EACH(function, "host", "cuda")
static void choose_engine(const char *kernel)
{
    tested = &rec_multigrid_host;
#if REC_HAVE_CUDA
    if (!strcmp(kernel, "cuda") && rec_device_available(0, NULL))
        tested = &rec_multigrid_cuda;
#endif
    if (strcmp(kernel, tested->kernels[0]))
        skip();
}

typedef struct solver_of {
    void *state;
    rec_image picture; /* after solving or a change */
} solver_of;

static void show(solver_of *engine)
{
    rec_image *picture = &engine->picture;
    rec_planes planes;
    SUCCEEDS(tested->planes(engine->state, &planes, &error));
    if (!picture->data)
        SUCCEEDS(rec_image_create(picture, planes.width, planes.height, planes.planes, &error));
    for (size_t p = 0; p < planes.planes; p++)
        SUCCEEDS(rec_memory_of(&planes)->read(&planes, rec_image_row(picture, p, 0),
                                              picture->stride, planes.m + p * planes.step,
                                              planes.pitch, planes.width, planes.height, &error));
}

static void make_engine(solver_of *engine, const rec_problem *problem)
{
    *engine = (solver_of){.state = calloc(1, tested->size)};
    SUCCEEDS(tested->create(engine->state, problem, &(rec_slab){0}, &(rec_solver_options){0},
                            &error));
#if REC_HAVE_CUDA
    if (tested ==
        &rec_multigrid_cuda) /* as with an old driver: tools cannot follow a graph's loop */
        ((rec_cuda_multigrid *)engine->state)->host_loops = tests_are("small");
#endif
}

static void destroy_engine(solver_of *engine)
{
    tested->destroy(engine->state);
    free(engine->state);
    rec_image_destroy(&engine->picture);
}

static rec_multigrid_distance solve(solver_of *engine, double stop, double seconds)
{
    rec_multigrid *head = engine->state;
    int reached = 1;
    head->tolerance = stop;
    SUCCEEDS(tested->jump(head, REC_LIMIT_ITERATION, seconds, &reached, &error));
    assert_int_equal(reached, head->distance.reached);
    show(engine);
    return head->distance;
}

static void change(solver_of *engine, const rec_problem *problem, size_t x, size_t y, size_t width,
                   size_t height)
{
    SUCCEEDS(tested->change(engine->state, problem, (rec_area){x, y, width, height}, &error));
    show(engine);
}

static const float *sample(const solver_of *engine, size_t p, size_t x, size_t y)
{
    return rec_image_row(&engine->picture, p, y) + x;
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
        rec_multigrid_distance distance = solve(&engine, 0.01, 0);
        double error = largest_error(&engine, &puzzle, &wrong);
        while (distance.max >= error && !distance.reached && distance.steps < MOST_STEPS) {
            distance = solve(&engine, 0.01, 0);
            error = largest_error(&engine, &puzzle, &wrong);
        }
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

TEST_OF_ENGINES(pictures_come_back_byte_for_byte_on_any_mask)
{
    choose_engine(*state);
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

/* The correction from a level with a side of 1 counts twice: without, these take 20 and more. */
TEST_OF_ENGINES(lines_are_solved_as_fast)
{
    choose_engine(*state);
    for (size_t i = 0; i < KINDS; i++) {
        for (uint64_t mass = 0; mass < 4; mass++)
            check_puzzle(1, 2048, 1, kinds[i], ALL_BUT_ONE, i + 9 * mass);
        check_puzzle(2000, 1, 1, kinds[i], HOLES, i + 10);
    }
}

/* Conjugate gradients need a symmetric preconditioner: also where neighbours have one colour. */
TEST(the_cycle_is_symmetric)
{
    static const size_t sides[][2] = {{7, 9}, {9, 6}, {6, 5}, {8, 8}, {3, 13}, {5, 2}, {1, 11}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides * KINDS; i++) {
        test_random random = {i};
        const size_t width = sides[i / KINDS][0], height = sides[i / KINDS][1];
        case_of puzzle = make_puzzle(width, height, 1, kinds[i % KINDS], ALL, i);
        rec_multigrid_shape shape;
        rec_cycle cycle;
        rec_multigrid_shape_make(&shape, problem_of(&puzzle));
        SUCCEEDS(rec_cycle_create(&cycle, &shape, &error));
        const rec_cycle_grid *grid = &cycle.grid[0];
        const size_t cells = width * height, floats = height * grid->pitch;
        float *r = calloc(3 * floats, sizeof *r), *z = r + floats, matrix[MOST_CELLS][MOST_CELLS];
        for (size_t k = 0; k < cells; k++)
            rec_unknown_of(grid, k / width,
                           k % width & 1)[k % width / 2] = random_integer(&random, 0, 9) > 0;
        for (size_t k = 0; grid->mass && k < cells; k++)
            grid->mass[k / width * grid->pitch + rec_cell_of(grid, k % width)] =
                rec_image_row(&puzzle.mass, 0, k / width)[k % width];
        rec_cycle_coarsen(&cycle);
        for (size_t k = 0; k < cells; k++) {
            float *one = r + k / width * grid->pitch + rec_cell_of(grid, k % width);
            *one = 1;
            rec_cycle_run(&cycle, r, z + floats, z, &(double){0});
            *one = 0;
            for (size_t j = 0; j < cells; j++)
                matrix[j][k] = z[j / width * grid->pitch + rec_cell_of(grid, j % width)];
        }
        for (size_t k = 0; k < cells; k++)
            for (size_t j = 0; j < k; j++)
                if (!(fabsf(matrix[j][k] - matrix[k][j]) <= 2e-6F * (1 + matrix[k][j])))
                    fail_msg("%zu x %zu, %s: %g and %g", width, height,
                             rec_boundaries[kinds[i % KINDS]].name, (double)matrix[j][k],
                             (double)matrix[k][j]);
        free(r);
        rec_cycle_destroy(&cycle);
        destroy_puzzle(&puzzle);
    }
}

/* Not even where a wrapped side has unknown cells on one of its ends. */
TEST(blocks_that_are_skipped_change_nothing)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        case_of puzzle = make_puzzle(200, 120, 1, kinds[kind], BLOCKS, kind);
        rec_multigrid_shape shape;
        rec_cycle cycle;
        rec_multigrid_shape_make(&shape, problem_of(&puzzle));
        SUCCEEDS(rec_cycle_create(&cycle, &shape, &error));
        const rec_cycle_grid *grid = &cycle.grid[0];
        const size_t floats = grid->height * grid->pitch;
        float *b = calloc(4 * floats, sizeof *b), *z[2] = {b + floats, b + 2 * floats};
        for (size_t i = 0; i < grid->width * grid->height; i++) {
            const size_t x = i % grid->width, y = i / grid->width;
            const unsigned char unknown =
                puzzle.mask.unknown[(shape.top + y) * 200 + shape.left + x];
            rec_unknown_of(grid, y, x & 1)[x / 2] = unknown;
            b[y * grid->pitch + rec_cell_of(grid, x)] = unknown ? (float)(i % 97) : 0;
        }
        rec_cycle_coarsen(&cycle);
        for (size_t all = 0; all < 2; all++) {
            for (size_t l = 0; all && l < cycle.levels; l++)
                memset(cycle.grid[l].active, 1,
                       (cycle.grid[l].height + REC_GROUP - 1) / REC_GROUP * cycle.grid[l].blocks);
            rec_cycle_run(&cycle, b, b + 3 * floats, z[all], &(double){0});
        }
        for (size_t i = 0; i < grid->width * grid->height; i++) {
            const size_t at = i / grid->width * grid->pitch + rec_cell_of(grid, i % grid->width);
            if (b[at] != 0)
                assert_true(z[0][at] == z[1][at]);
        }
        free(b);
        rec_cycle_destroy(&cycle);
        destroy_puzzle(&puzzle);
    }
}

/* ---- against elimination ---- */

/* (4 + mass) M - the neighbours = -E for the unknown pixels, with what is known on the right
 * side. */
static size_t make_system(const rec_problem *problem, size_t plane,
                          long double (*rows)[MOST_UNKNOWN + 1])
{
    const rec_image *edges = problem->given;
    const rec_boundary_row *rules = &rec_boundaries[problem->boundary.kind];
    const long width = (long)edges->width, height = (long)edges->height;
    size_t number[MOST_UNKNOWN], count = 0;
    for (size_t i = 0; i < edges->width * edges->height; i++)
        number[i] = problem->mask->unknown[i] ? count++ : MOST_UNKNOWN;
    for (long i = 0; i < width * height; i++) {
        static const long steps[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};
        const size_t own = number[i];
        if (own == MOST_UNKNOWN)
            continue;
        memset(rows[own], 0, sizeof rows[own]);
        rows[own][own] = 4;
        if (problem->mass)
            rows[own][own] += rec_image_row(problem->mass, 0, (size_t)(i / width))[i % width];
        rows[own][count] = -rec_image_row(edges, plane, (size_t)(i / width))[i % width];
        for (size_t k = 0; k < 4; k++) {
            long x = i % width + steps[k][0], y = i / width + steps[k][1];
            const int beyond_x = x < 0 || x >= width, beyond = beyond_x || y < 0 || y >= height;
            const rec_beyond rule = beyond_x ? rules->x : rules->y;
            if (beyond && rule == REC_FIXED) {
                rows[own][count] += problem->boundary.value;
                continue;
            }
            if (beyond && rule == REC_MIRRORED)
                x -= steps[k][0], y -= steps[k][1];
            x = (x + width) % width, y = (y + height) % height;
            const size_t other = number[y * width + x];
            if (other == MOST_UNKNOWN)
                rows[own][count] += rec_image_row(problem->start, plane, (size_t)y)[x];
            else
                rows[own][other] -= 1;
        }
    }
    return count;
}

static void eliminate(long double (*rows)[MOST_UNKNOWN + 1], size_t count)
{
    for (size_t i = 0; i < count; i++) /* positive definite: no pivots are looked for */
        for (size_t j = 0; j < count; j++) {
            const long double factor = i == j ? 0 : rows[j][i] / rows[i][i];
            for (size_t k = i; k <= count; k++)
                rows[j][k] -= factor * rows[i][k];
        }
}

/* Any edges, on any mask: the picture need not be of bytes. */
TEST_OF_ENGINES(it_has_what_elimination_has)
{
    choose_engine(*state);
    static long double rows[MOST_UNKNOWN][MOST_UNKNOWN + 1];
    test_random random = {11};
    for (uint64_t seed = 0; seed < 300; seed++) {
        const size_t width = (size_t)random_integer(&random, 1, 12);
        const size_t height = (size_t)random_integer(&random, 1, 12);
        const rec_boundary_kind kind = kinds[seed % KINDS];
        case_of puzzle = make_puzzle(width, height, 1 + 2 * (seed % 2), kind,
                                     (kind_of_mask)(seed / KINDS % ALL), seed);
        rec_image_destroy(&puzzle.edges);
        puzzle.edges = random_image(width, height, puzzle.picture.planes, -500, 500, seed);
        const rec_problem *problem = problem_of(&puzzle);
        solver_of engine = {0};
        if (rec_problem_check(problem, NULL) == REC_OK) {
            make_engine(&engine, problem);
            const rec_multigrid_distance distance = solve(&engine, 1e-5, INFINITY);
            assert_true(distance.reached); /* the rest is float32's */
            assert_true(distance.max <= 1e-5 + ldexp(rec_image_largest(&engine.picture), -24));
            for (size_t p = 0; p < puzzle.picture.planes; p++) {
                const size_t count = make_system(problem, p, rows);
                eliminate(rows, count);
                for (size_t i = 0, n = 0; i < width * height; i++) {
                    const double found = *sample(&engine, p, i % width, i / width);
                    if (!puzzle.mask.unknown[i])
                        continue;
                    const double truth = (double)(rows[n][count] / rows[n][n]);
                    if (!(fabs(found - truth) <= distance.max + 1e-7 * fabs(truth)))
                        fail_msg("%zu x %zu, %s, seed %d: %.9g for %.9g, estimate %g", width,
                                 height, rec_boundaries[kind].name, (int)seed, found, truth,
                                 distance.max);
                    n++;
                }
            }
            destroy_engine(&engine);
        }
        destroy_puzzle(&puzzle);
    }
}

/* A line of integers whose ends are free, but for the last pixel, which is known; `rows` times. The
 * edges are noise: the picture leaves all that is given far behind, and is rounded to float32. */
TEST_OF_ENGINES(no_estimate_is_below_the_error_of_a_long_line)
{
    enum { LENGTH = 16383 };
    choose_engine(*state);
    for (size_t i = 0; i < 6; i++) {
        const size_t rows = 1 + i / 2, turned = i % 2;
        case_of puzzle = make_puzzle(turned ? rows : LENGTH, turned ? LENGTH : rows, 1,
                                     REC_BOUNDARY_MIRROR, ALL, i);
        test_random random = {i};
        int64_t *truth = calloc(LENGTH, sizeof *truth), before = 0;
        solver_of engine;
        for (size_t x = 0; x < LENGTH; x++) {
            const int noise = random_integer(&random, -200, 200), last = x + 1 == LENGTH;
            const int64_t edge = last ? before - truth[x] : noise;
            for (size_t y = 0; y < rows; y++)
                *(rec_image_row(&puzzle.edges, 0, turned ? x : y) + (turned ? y : x)) = (float)edge;
            if (!last)
                truth[x + 1] = 2 * truth[x] - before + edge;
            before = truth[x];
        }
        puzzle.mask.unknown[LENGTH * rows - 1] = 0;
        rec_mask_measure(&puzzle.mask);
        make_engine(&engine, problem_of(&puzzle));
        const rec_multigrid_distance distance = solve(&engine, 0.01, INFINITY);
        const float known = *sample(&engine, 0, puzzle.mask.width - 1, puzzle.mask.height - 1);
        double largest = 0, magnitude = 0;
        for (size_t k = 0; k < LENGTH * rows; k++) {
            const size_t x = k % LENGTH, y = k / LENGTH;
            const float found = *sample(&engine, 0, turned ? y : x, turned ? x : y);
            largest = fmax(largest, fabs((double)(truth[x] - before) + known - found));
            magnitude = fmax(magnitude, fabs((double)found));
        }
        if (!distance.reached || !(largest <= distance.max + ldexp(magnitude, -24)))
            fail_msg("%zu rows: error %g, estimate %g", rows, largest, distance.max);
        free(truth);
        destroy_engine(&engine);
        destroy_puzzle(&puzzle);
    }
}

/* ---- the estimate ---- */

/* Steps that take off q times what the step before took, and z falls as the error does. */
static rec_multigrid_steps steps_of(double q, int count)
{
    rec_multigrid_steps steps = rec_multigrid_begin();
    double d = 1;
    for (int k = 0; k < count; k++, d *= q) {
        rec_multigrid_set_rz(&steps, d, sqrt(d));
        assert_true(steps.beta == (k ? q : 0));
        rec_multigrid_set_pap(&steps, d, 255); /* alpha is 1 */
    }
    return steps;
}

TEST(the_estimate_is_the_sum_of_the_steps_to_come)
{
    const double fall = sqrt(0.75);
    assert_true(isinf(steps_of(0.75, 3).error) && isinf(steps_of(0.75, 3).largest));
    assert_true(fabs(steps_of(0.75, 4).largest - pow(fall, 3) * fall / (1 - fall)) < 1e-12);
    assert_true(fabs(steps_of(0.125, 5).largest - pow(0.125, 2)) < 1e-12); /* not below 1/4 */
    assert_true(fabs(steps_of(0.75, 4).error - sqrt(pow(0.75, 4) / 0.25)) < 1e-12);
    assert_true(fabs(steps_of(0.125, 5).error - pow(0.125, 2)) < 1e-12); /* not below 1/2 */
    assert_true(isinf(steps_of(1, 9).error) && isinf(steps_of(1, 9).largest));
    assert_true(isinf(steps_of(1.5, 9).error));
    assert_false(steps_of(0.75, 9).finished);
    assert_true(steps_of(1e-22, 2).finished); /* below what double resolves of 255 */

    /* The larger of the last two ratios. */
    rec_multigrid_steps steps = steps_of(0.75, 5);
    rec_multigrid_set_rz(&steps, steps.d / 100, 1);
    rec_multigrid_set_pap(&steps, steps.rz, 255);
    assert_true(fabs(steps.error - sqrt(steps.d * 3)) < 1e-12);
    rec_multigrid_set_rz(&steps, 0, 0);
    assert_true(steps.finished && steps.error == 0 && steps.largest == 0);
}

/* ---- going on ---- */

/* A call without time makes one step of each plane; many of them reach what one call does. */
TEST_OF_ENGINES(it_stops_when_time_is_over_and_goes_on)
{
    choose_engine(*state);
    size_t wrong;
    solver_of engine = {0};
    case_of puzzle = make_puzzle(90, 70, 3, REC_BOUNDARY_MIRROR, HOLES, 5);
    make_engine(&engine, problem_of(&puzzle));
    rec_multigrid_distance distance = {0};
    for (int n = 1; !distance.reached; n++) {
        distance = solve(&engine, 0.01, 0);
        assert_true(distance.steps == n && n <= MOST_STEPS);
        assert_true(n >= REC_MULTIGRID_LEAST_STEPS || isinf(distance.max));
    }
    largest_error(&engine, &puzzle, &wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(solve(&engine, 0.01, INFINITY).steps, distance.steps);
    destroy_engine(&engine);
    destroy_puzzle(&puzzle);
}

/* Masks that grow and shrink, as a brush makes them, and other pictures and edges in between. */
TEST_OF_ENGINES(it_goes_on_from_the_last_picture_after_a_change)
{
    choose_engine(*state);
    test_random random = {3};
    size_t wrong;
    solver_of engine = {0};
    case_of puzzle = make_puzzle(150, 110, 1, REC_BOUNDARY_WRAP, ONE, 2);
    case_of other = make_puzzle(150, 110, 1, REC_BOUNDARY_WRAP, ONE, 3);
    const rec_problem *problem = problem_of(&puzzle);
    make_engine(&engine, problem);
    solve(&engine, 0.01, INFINITY);
    for (int round = 0; round < 60; round++) {
        const size_t x = (size_t)random_integer(&random, 0, 119), width = 30;
        const size_t y = (size_t)random_integer(&random, 0, 79), height = 30;
        const int paints = round % 3, changes = round % 10 == 9;
        for (size_t i = 0; i < width * height; i++) {
            const size_t column = x + i % width, row = y + i / width;
            unsigned char *unknown = &puzzle.mask.unknown[row * 150 + column];
            *unknown = paints ? *unknown |
                                    (hypot((double)(i % width) - 15, (double)(i / width) - 15) < 12)
                              : 0;
            rec_image_row(&puzzle.start, 0, row)[column] =
                *unknown ? 77 : rec_image_row(&puzzle.picture, 0, row)[column];
        }
        if (changes) { /* all of the picture is another one */
            for (size_t i = 0; i < 150 * 110; i++)
                if (!puzzle.mask.unknown[i])
                    rec_image_row(&puzzle.start, 0, i / 150)[i % 150] =
                        rec_image_row(&other.picture, 0, i / 150)[i % 150];
            const rec_image picture = puzzle.picture;
            puzzle.picture = other.picture;
            other.picture = picture;
        }
        rec_image_destroy(&puzzle.edges);
        const rec_problem whole = {.boundary.kind = REC_BOUNDARY_WRAP};
        SUCCEEDS(rec_take_edges(&puzzle.picture, &whole, &puzzle.edges, &error));
        add_mass(&puzzle, (uint64_t)round);
        rec_mask_measure(&puzzle.mask);
        change(&engine, problem, changes ? 0 : x, changes ? 0 : y, changes ? 150 : width,
               changes ? 110 : height);
        rec_multigrid_distance distance = solve(&engine, 0.01, 0);
        double error = largest_error(&engine, &puzzle, &wrong);
        while (distance.max >= error && !distance.reached && distance.steps < MOST_STEPS) {
            distance = solve(&engine, 0.01, 0);
            error = largest_error(&engine, &puzzle, &wrong);
        }
        if (wrong || !distance.reached || !(distance.max + 3e-5 >= error))
            fail_msg("round %d: %zu wrong, error %g, estimate %g", round, wrong, error,
                     distance.max);
    }
    destroy_engine(&engine);
    destroy_puzzle(&puzzle);
    destroy_puzzle(&other);
}

/* Edges that do not sum to 0 lose their mean where nothing is known. */
TEST_OF_ENGINES(unbalanced_edges_lose_their_mean)
{
    choose_engine(*state);
    for (uint64_t i = 0; i < 2; i++) {
        size_t wrong;
        solver_of engine = {0};
        case_of puzzle = make_puzzle(40, 31, 3, i ? REC_BOUNDARY_WRAP : REC_BOUNDARY_MIRROR, ALL,
                                     i);
        for (size_t p = 0; p < 3; p++)
            for (size_t k = 0; k < 40 * 31; k++)
                rec_image_row(&puzzle.edges, p, k / 40)[k % 40] += 3 + (float)p;
        make_engine(&engine, problem_of(&puzzle));
        assert_true(solve(&engine, 0.01, INFINITY).reached);
        largest_error(&engine, &puzzle, &wrong);
        assert_int_equal(wrong, 0);
        destroy_engine(&engine);
        destroy_puzzle(&puzzle);
    }
}

/* Nothing of an earlier mask in the same box is left. */
TEST_OF_ENGINES(a_state_that_is_used_again_has_the_bits_of_a_new_one)
{
    choose_engine(*state);
    solver_of kept = {0}, fresh = {0};
    case_of puzzle = make_puzzle(300, 210, 1, REC_BOUNDARY_HALO, ALL, 9);
    make_engine(&kept, problem_of(&puzzle));
    solve(&kept, 0.01, 0);
    for (kind_of_mask shape = HOLES; shape < SHAPES; shape++) {
        case_of next = make_puzzle(300, 210, 1, REC_BOUNDARY_HALO, shape, 9 + shape % 3);
        next.mask.unknown[0] = next.mask.unknown[300 * 210 - 1] = 1;
        rec_mask_measure(&next.mask);
        make_engine(&fresh, problem_of(&next));
        next.problem.in_place = shape % 2;
        SUCCEEDS(tested->load(kept.state, &next.problem, &error));
        solve(&kept, 0.01, INFINITY);
        solve(&fresh, 0.01, INFINITY);
        rec_solver_info info;
        tested->get_info(kept.state, &info);
        assert_int_equal(info.in_place, tested == &rec_multigrid_host && shape % 2);
        for (size_t y = 0; y < 210; y++) {
            assert_memory_equal(sample(&kept, 0, 0, y), sample(&fresh, 0, 0, y), 300 * 4);
            if (info.in_place)
                assert_memory_equal(rec_image_row(&next.start, 0, y), sample(&fresh, 0, 0, y),
                                    300 * 4);
        }
        destroy_engine(&fresh);
        destroy_puzzle(&next);
    }
    destroy_engine(&kept);
    destroy_puzzle(&puzzle);
}

/* From a solution only what a new pixel brings is left to do, and from a near one a few steps. */
TEST_OF_ENGINES(a_small_change_takes_fewer_steps)
{
    choose_engine(*state);
    solver_of engine = {0};
    case_of puzzle = make_puzzle(200, 200, 1, REC_BOUNDARY_HALO, HOLES, 4);
    const rec_problem *problem = problem_of(&puzzle);
    make_engine(&engine, problem);
    const int first = solve(&engine, 0.01, INFINITY).steps;
    const float solved = *sample(&engine, 0, 51, 50);
    for (unsigned char i = 0; i < 2; i++) { /* known, and unknown again */
        puzzle.mask.unknown[50 * 200 + 50] = i;
        rec_mask_measure(&puzzle.mask);
        change(&engine, problem, 50, 50, 2, 1);
        assert_true(*sample(&engine, 0, 51, 50) == solved);
        assert_true(*sample(&engine, 0, 50, 50) == rec_image_row(&puzzle.start, 0, 50)[50]);
        rec_image_row(&puzzle.start, 0, 50)[50] = rec_image_row(&puzzle.picture, 0, 50)[50];
    }
    const int second = solve(&engine, 0.01, INFINITY).steps;
    assert_true(second <= first / 2);
    destroy_engine(&engine);
    destroy_puzzle(&puzzle);
}

static rec_image solved_by(const char *kernel, const rec_problem *problem)
{
    const rec_image *edges = problem->given;
    rec_image picture;
    solver_of engine;
    choose_engine(kernel);
    make_engine(&engine, problem);
    solve(&engine, 1e-6, INFINITY);
    SUCCEEDS(rec_image_create(&picture, edges->width, edges->height, edges->planes, &error));
    for (size_t p = 0; p < edges->planes; p++)
        for (size_t y = 0; y < edges->height; y++)
            memcpy(rec_image_row(&picture, p, y), sample(&engine, p, 0, y),
                   edges->width * sizeof(float));
    destroy_engine(&engine);
    return picture;
}

/* Any edges: the picture is not of bytes. */
TEST(the_device_has_the_picture_of_the_host)
{
    choose_engine("cuda"); /* before there is anything to free */
    for (size_t i = 0; i < 2 * KINDS; i++) {
        rec_difference difference;
        case_of puzzle = make_puzzle(211, 157, 3, kinds[i % KINDS], i < KINDS ? HOLES : BLOCKS, i);
        rec_image_destroy(&puzzle.edges);
        puzzle.edges = random_image(211, 157, 3, -500, 500, i);
        rec_image device = solved_by("cuda", problem_of(&puzzle));
        rec_image host = solved_by("host", problem_of(&puzzle));
        SUCCEEDS(rec_image_compare(&device, &host, 255, &difference, &error));
        assert_true(difference.maximum <= 1e-6 * rec_image_largest(&host));
        rec_image_destroy(&device);
        rec_image_destroy(&host);
        destroy_puzzle(&puzzle);
    }
}

TEST(bits_do_not_depend_on_threads)
{
    static const kind_of_mask shapes[] = {CURVES, BLOCKS};
    const rec_solver_type *type = solver_or_skip("multigrid");
    for (size_t k = 0; k < 2 * KINDS; k++) {
        case_of puzzle = make_puzzle(501, 523, 1, kinds[k % KINDS], shapes[k / KINDS], k);
        rec_image found[3];
        const int threads[] = {1, 2, 5};
        for (size_t i = 0; i < 3; i++) {
            const int before = use_threads(threads[i]);
            owned_solver *solver = NULL;
            SUCCEEDS(rec_solver_create(&solver, type, problem_of(&puzzle), NULL, &error));
            SUCCEEDS(rec_solver_jump(solver, REC_LIMIT_ITERATION, &error));
            found[i] = solver_image(solver);
            use_threads(before);
            assert_same_bits(&found[0], &found[i], "threads");
        }
        for (size_t i = 0; i < 3; i++)
            rec_image_destroy(&found[i]);
        destroy_puzzle(&puzzle);
    }
}

/* A solver folds the fixed values beside the picture into the edges, also those of a change. */
TEST(a_change_has_the_boundary_of_the_problem)
{
    const rec_solver_type *type = solver_or_skip("multigrid");
    case_of puzzle = make_puzzle(70, 50, 1, REC_BOUNDARY_SAWTOOTH, ALL, 4);
    const rec_problem *problem = problem_of(&puzzle);
    const rec_problem whole = {.boundary.kind = REC_BOUNDARY_SAWTOOTH};
    owned_solver *solver = NULL;
    rec_image_destroy(&puzzle.edges);
    SUCCEEDS(rec_take_edges(&puzzle.picture, &whole, &puzzle.edges, &error));
    SUCCEEDS(rec_solver_create(&solver, type, problem, NULL, &error));
    for (int round = 0; round < 2; round++) {
        SUCCEEDS(rec_solver_jump(solver, REC_LIMIT_ITERATION, &error));
        owned_image found = solver_image(solver);
        for (size_t i = 0; i < 70 * 50; i++)
            assert_true(rintf(rec_image_row(&found, 0, i / 70)[i % 70]) ==
                        rec_image_row(&puzzle.picture, 0, i / 70)[i % 70]);
        SUCCEEDS(rec_solver_change(solver, problem, (rec_area){0, 0, 70, 50}, &error));
    }
    destroy_puzzle(&puzzle);
}

/* In double, digits of a start that is far beyond the picture would be lost to the picture. */
TEST_OF_ENGINES(a_far_start_costs_no_digits)
{
    enum { LONG = 16383, WIDE = 8 };
    choose_engine(*state);
    solver_of engine;
    case_of puzzle = make_puzzle(WIDE, LONG, 1, REC_BOUNDARY_MIRROR, ALL_BUT_ONE, 0);
    double largest = 0;
    for (size_t i = 0; i < WIDE * LONG; i++) {
        float *picture = rec_image_row(&puzzle.picture, 0, i / WIDE) + i % WIDE;
        *picture += 65000; /* nothing to its edges */
        rec_image_row(&puzzle.start, 0, i / WIDE)[i % WIDE] =
            puzzle.mask.unknown[i] ? 6e7F : *picture;
    }
    make_engine(&engine, problem_of(&puzzle));
    const rec_multigrid_distance distance = solve(&engine, 0.01, INFINITY);
    for (size_t i = 0; i < WIDE * LONG; i++) {
        const double truth = rec_image_row(&puzzle.picture, 0, i / WIDE)[i % WIDE];
        largest = fmax(largest, fabs(truth - *sample(&engine, 0, i % WIDE, i / WIDE)));
    }
    if (!distance.reached || !(largest <= distance.max + ldexp(65535, -24)))
        fail_msg("error %g, estimate %g", largest, distance.max);
    destroy_engine(&engine);
    destroy_puzzle(&puzzle);
}

/* A power of two changes no digit, also where the differences are below what float32 holds. */
/* Nor what it begins from, nor the scale of what is called 0. */
TEST_OF_ENGINES(the_start_of_unknown_pixels_does_not_matter)
{
    static const float starts[] = {1e12F, -1e20F, 1e30F, INFINITY, NAN};
    choose_engine(*state);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (int shape = DISC; shape < BLOCKS; shape++) {
            case_of puzzle = make_puzzle(40, 30, 3, kinds[i % KINDS], (kind_of_mask)shape, 5);
            const rec_problem *problem = problem_of(&puzzle);
            solver_of engine = {0};
            size_t wrong;
            make_engine(&engine, problem);
            for (int changes = 0; changes < 2; changes++) {
                for (size_t k = 0; k < 3 * 40 * 30; k++)
                    if (puzzle.mask.unknown[k % 1200] && k % 7 == 0)
                        rec_image_row(&puzzle.start, k / 1200, k % 1200 / 40)[k % 40] = starts[i];
                if (changes) { /* a pixel that was known is spoilt when the mask reaches it */
                    size_t one = 0;
                    while (!puzzle.mask.unknown[one])
                        one++;
                    memset(puzzle.mask.unknown, 0, 40 * 30);
                    rec_mask_measure(&puzzle.mask);
                    for (size_t k = 0; k < 3 * 40 * 30; k++)
                        rec_image_row(&puzzle.start, k / 1200, k % 1200 / 40)[k % 40] =
                            rec_image_row(&puzzle.picture, k / 1200, k % 1200 / 40)[k % 40];
                    change(&engine, problem, 0, 0, 40, 30);
                    rec_image_row(&puzzle.start, 1, one / 40)[one % 40] = starts[i];
                    puzzle.mask.unknown[one] = 1;
                    rec_mask_measure(&puzzle.mask);
                    change(&engine, problem, one % 40, one / 40, 1, 1);
                } else {
                    SUCCEEDS(tested->load(engine.state, problem, &error));
                }
                const rec_multigrid_distance distance = solve(&engine, 0.01, INFINITY);
                const double found = largest_error(&engine, &puzzle, &wrong);
                if (wrong || !distance.reached || !(found <= distance.max + 3e-5))
                    fail_msg("start %g, shape %d: %zu wrong, error %g, estimate %g",
                             (double)starts[i], shape, wrong, found, distance.max);
            }
            destroy_engine(&engine);
            destroy_puzzle(&puzzle);
        }
}

TEST(large_and_tiny_numbers_have_the_digits_of_usual_ones)
{
    const rec_solver_type *type = solver_or_skip("multigrid");
    const int powers[] = {0, 89, -140};
    rec_image found[3];
    for (int i = 0; i < 3; i++) {
        case_of puzzle = make_puzzle(70, 50, 1, REC_BOUNDARY_HALO, HOLES, 400);
        const rec_solver_options options = {.kernel = "host", .tolerance = ldexp(1e-4, powers[i])};
        owned_solver *solver = NULL;
        for (size_t k = 0; k < 70 * 50; k++) {
            float *edge = rec_image_row(&puzzle.edges, 0, k / 70) + k % 70;
            float *start = rec_image_row(&puzzle.start, 0, k / 70) + k % 70;
            *edge = ldexpf(*edge, powers[i]);
            *start = ldexpf(*start, powers[i]);
        }
        SUCCEEDS(rec_solver_create(&solver, type, problem_of(&puzzle), &options, &error));
        SUCCEEDS(rec_solver_jump(solver, REC_LIMIT_ITERATION, &error));
        found[i] = solver_image(solver);
        for (size_t k = 0; k < 70 * 50; k++) {
            float *sample = rec_image_row(&found[i], 0, k / 70) + k % 70;
            *sample = ldexpf(*sample, -powers[i]);
        }
        assert_same_bits(&found[0], &found[i], i == 1 ? "large" : "tiny");
        destroy_puzzle(&puzzle);
    }
    for (int i = 0; i < 3; i++)
        rec_image_destroy(&found[i]);
}

/* ---- what it refuses, and does not claim ---- */

TEST(a_look_does_not_solve)
{
    const rec_solver_type *type = solver_or_skip("multigrid");
    const rec_solver_options options = {.kernel = "host", .tolerance = 1e-6};
    case_of puzzle = make_puzzle(90, 70, 1, REC_BOUNDARY_HALO, HOLES, 8);
    owned_solver *solver = NULL;
    int reached = 1;
    SUCCEEDS(rec_solver_create(&solver, type, problem_of(&puzzle), &options, &error));
    owned_image start = solver_image(solver);
    assert_true(isinf(solver_advance(solver, 0, REC_LOOK_DISTANCE).distance_max));
    owned_image looked_at = solver_image(solver);
    assert_same_bits(&start, &looked_at, "a look");
    SUCCEEDS(rec_solver_solve(solver, 0, &reached, &error)); /* one step */
    assert_false(reached);
    const rec_look look = solver_advance(solver, 0, REC_LOOK_DISTANCE);
    assert_true(look.distance_max > options.tolerance);
    SUCCEEDS(rec_solver_change(solver, problem_of(&puzzle), (rec_area){0, 0, 90, 70}, &error));
    assert_true(isinf(solver_advance(solver, 0, REC_LOOK_DISTANCE).distance_rms));
    destroy_puzzle(&puzzle);
}

TEST(the_solver_says_what_it_cannot)
{
    const rec_solver_type *type = solver_or_skip("multigrid"), *spectral;
    case_of puzzle = make_puzzle(20, 20, 1, REC_BOUNDARY_HALO, DISC, 6);
    owned_solver *solver = NULL;
    owned_solver *none = NULL;
    const rec_problem *problem = problem_of(&puzzle);
    SUCCEEDS(rec_solver_create(&solver, type, problem, NULL, &error));
    FAILS(rec_solver_jump(solver, 5, &error), REC_USAGE, "no iterates");
    if (rec_solver_find("spectral", &spectral, NULL) == REC_OK)
        FAILS(rec_solver_create(&none, spectral, problem, NULL, &error), REC_USAGE, "multigrid");

    /* In double nothing comes within 0.01 of numbers of 30 digits. */
    for (size_t i = 0; i < 400; i++)
        rec_image_row(&puzzle.start, 0, i / 20)[i % 20] *= 1e27F;
    int reached = 1;
    SUCCEEDS(rec_solver_change(solver, problem, (rec_area){0, 0, 20, 20}, &error));
    SUCCEEDS(rec_solver_solve(solver, INFINITY, &reached, &error));
    const rec_look look = solver_advance(solver, 0, REC_LOOK_DISTANCE);
    assert_false(reached);
    assert_true(look.missed && look.distance_max > 0.01 && look.distance_max < 1e20);
    destroy_puzzle(&puzzle);
}
