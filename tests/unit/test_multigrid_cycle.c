/* The parts of the multigrid solver: the cycle, the order of what it solves, the estimate. */
#include "solver/multigrid/multigrid_host.h"
#include "tests/unit/multigrid_puzzles.h"

/* ---- the specification: the cycle in double, cell by cell, with nothing done for speed ---- */

typedef struct plain { /* a level */
    const rec_multigrid_level *of;
    size_t width, height, sweeps; /* half ones, each way */
    unsigned char *unknown;
    double *mass, *b, *z;
} plain;

static double beside(const rec_multigrid_axis *axis, const double *z, size_t i, size_t step, int up)
{
    const size_t last = (size_t)axis->cells - 1, end = up ? last : 0;
    const rec_beyond beyond = up ? axis->high : axis->low;
    return i != end ? z[(up ? i + 1 : i - 1) * step]
                    : beyond == REC_WRAPPED ? z[(last - end) * step] : 0;
}

static double sum_around(const plain *at, const double *z, size_t x, size_t y)
{
    double sum = 0;
    for (int up = 0; up < 2; up++)
        sum += beside(&at->of->x, z + y * at->width, x, 1, up) +
               beside(&at->of->y, z + x, y, at->width, up);
    return sum;
}

static double diagonal_at(const plain *at, size_t x, size_t y)
{
    return 4.0 - (double)(rec_missing(&at->of->x, (int)x) + rec_missing(&at->of->y, (int)y)) +
           at->mass[y * at->width + x];
}

/* Half a sweep: cells of one colour, from what all were before. */
static void relax(const plain *at, size_t colour)
{
    rec_owned double *before = calloc(at->width * at->height, sizeof *before);
    memcpy(before, at->z, at->width * at->height * sizeof *before);
    for (size_t i = 0; i < at->width * at->height; i++) {
        const size_t x = i % at->width, y = i / at->width;
        const double diagonal = diagonal_at(at, x, y);
        if (at->unknown[i] && (x + y) % 2 == colour)
            at->z[i] = diagonal > 0 ? (at->b[i] + sum_around(at, before, x, y)) / diagonal : 0;
    }
}

/* Half sweeps each way: fewer where a wrapped axis is short (multigrid_cycle.c). */
static size_t sweeps_of(const rec_multigrid_shape *shape, size_t l)
{
    const rec_multigrid_axis *down = &shape->level[l].y;
    size_t halves = 2 * rec_multigrid_sweeps(l);
    if (l + 1 == shape->levels)
        return 2 * REC_MULTIGRID_COARSEST_SWEEPS;
    while (down->low == REC_WRAPPED && halves > 4 && 4 * halves > (size_t)down->cells)
        halves /= 2;
    return halves;
}

static void run_plainly(const rec_multigrid_shape *shape, size_t l, const plain *at)
{
    const int coarsest = l + 1 == shape->levels;
    for (size_t n = 0; n < at->sweeps; n++)
        relax(at, n % 2);
    if (!coarsest) {
        const rec_multigrid_axis *across = &at->of->x, *down = &at->of->y;
        plain coarse = {.of = &shape->level[l + 1]};
        coarse.width = (size_t)coarse.of->x.cells;
        coarse.height = (size_t)coarse.of->y.cells;
        const size_t cells = coarse.width * coarse.height;
        coarse.unknown = calloc(cells, 1);
        coarse.mass = calloc(3 * cells, sizeof *coarse.mass);
        coarse.b = coarse.mass + cells;
        coarse.z = coarse.b + cells;
        coarse.sweeps = sweeps_of(shape, l + 1);
        for (size_t i = 0; i < cells; i++) { /* all children that exist are unknown */
            const size_t x = i % coarse.width, y = i / coarse.width;
            coarse.unknown[i] = (2 * x + 1 < at->width || across->high != REC_FIXED) &&
                                (2 * y + 1 < at->height || down->high != REC_FIXED);
        }
        for (size_t i = 0; i < at->width * at->height; i++) {
            const size_t x = i % at->width, y = i / at->width;
            const size_t to = y / 2 * coarse.width + x / 2;
            coarse.unknown[to] &= at->unknown[i];
            coarse.mass[to] += (double)at->of->weight * at->mass[i];
            if (at->unknown[i])
                coarse.b[to] += at->b[i] - diagonal_at(at, x, y) * at->z[i] +
                                sum_around(at, at->z, x, y);
        }
        run_plainly(shape, l + 1, &coarse);
        for (size_t i = 0; i < at->width * at->height; i++)
            if (at->unknown[i])
                at->z[i] += (double)at->of->weight *
                            coarse.z[i / at->width / 2 * coarse.width + i % at->width / 2];
        free(coarse.unknown);
        free(coarse.mass);
    }
    for (size_t n = 0; n < at->sweeps; n++)
        relax(at, 1 - n % 2);
}

/* A problem's levels with unknown cells at random, or without `random` those of its mask; and where
 * it has one, its mass. */
static void make_cycle(rec_cycle *cycle, rec_multigrid_shape *shape, case_of *puzzle,
                       test_random *random)
{
    rec_multigrid_shape_make(shape, problem_of(puzzle));
    SUCCEEDS(rec_cycle_create(cycle, shape, &error));
    const rec_cycle_grid *grid = &cycle->grid[0];
    for (size_t k = 0; k < grid->width * grid->height; k++) {
        const size_t x = k % grid->width, y = k / grid->width;
        rec_unknown_of(grid, y, x & 1)[x / 2] =
            random ? random_integer(random, 0, 9) > 0
                   : puzzle->mask.unknown[(shape->top + y) * puzzle->mask.width + shape->left + x];
        if (grid->mass)
            grid->mass[y * grid->pitch + rec_cell_of(grid, x)] =
                rec_image_row(&puzzle->mass, 0, y)[x];
    }
    rec_cycle_coarsen(cycle);
}

/* z: what the cycle makes of random numbers b. */
static void check_cycle(rec_cycle *cycle, const rec_multigrid_shape *shape, test_random *random,
                        float *b, float *z, const char *boundary)
{
    const rec_cycle_grid *grid = &cycle->grid[0];
    const size_t cells = grid->width * grid->height;
    rec_owned unsigned char *unknown = calloc(cells, 1);
    rec_owned double *mass = calloc(3 * cells, sizeof *mass);
    rec_owned float *other = calloc(grid->height * grid->pitch, sizeof *other);
    const plain all = {.of = &shape->level[0], .width = grid->width, .height = grid->height,
                       .sweeps = sweeps_of(shape, 0), .unknown = unknown, .mass = mass,
                       .b = mass + cells, .z = mass + 2 * cells};
    double largest = 0;
    for (size_t k = 0; k < cells; k++) {
        const size_t x = k % grid->width, y = k / grid->width;
        const size_t at = y * grid->pitch + rec_cell_of(grid, x);
        unknown[k] = rec_unknown_of(grid, y, x & 1)[x / 2];
        mass[k] = grid->mass ? (double)grid->mass[at] : 0;
        b[at] = unknown[k] ? (float)random_integer(random, -99, 99) : 0;
        all.b[k] = (double)b[at];
    }
    rec_cycle_run(cycle, b, other, z);
    run_plainly(shape, 0, &all);
    for (size_t k = 0; k < cells; k++)
        largest = fmax(largest, fabs(all.z[k]));
    for (size_t k = 0; k < cells; k++) {
        const double found =
            (double)z[k / grid->width * grid->pitch + rec_cell_of(grid, k % grid->width)];
        if (unknown[k] && !(fabs(found - all.z[k]) <= 2e-5 * largest))
            fail_msg("%zu x %zu, %s, cell %zu: %g, not %g", grid->width, grid->height, boundary, k,
                     found, all.z[k]);
    }
}

/* And symmetric, as conjugate gradients need it: also where neighbours have one colour. */
TEST(the_cycle_is_as_specified)
{
    static const size_t sides[][2] = {{7, 9}, {40, 33}, {1, 70}, {65, 64}, {130, 3}, {90, 101},
                                      {9, 6}, {6, 5},   {8, 8},  {3, 13},  {5, 2},   {1, 11}};
    for (size_t i = 0; i < COUNT(sides) * LIMIT_KINDS; i++) {
        test_random random = {i};
        owned_puzzle puzzle = make_puzzle(sides[i / LIMIT_KINDS][0], sides[i / LIMIT_KINDS][1], 1,
                                          kinds[i % LIMIT_KINDS], ALL, i);
        rec_multigrid_shape shape;
        REC_OWNED(rec_cycle_destroy) rec_cycle cycle;
        make_cycle(&cycle, &shape, &puzzle, &random);
        const size_t floats = cycle.grid[0].height * cycle.grid[0].pitch;
        rec_owned float *b = calloc(4 * floats, sizeof *b);
        float *const z = b + 2 * floats;
        double difference = 0, size = 0;
        for (size_t n = 0; n < 2; n++)
            check_cycle(&cycle, &shape, &random, b + n * floats, z + n * floats,
                        rec_boundaries[kinds[i % LIMIT_KINDS]].name);
        for (size_t k = 0; k < floats; k++) {
            const double one = (double)b[k] * (double)z[floats + k];
            const double other = (double)b[floats + k] * (double)z[k];
            difference += one - other;
            size += fabs(one) + fabs(other);
        }
        if (!(fabs(difference) <= 2e-6 * size))
            fail_msg("%zu x %zu, %s: %g of %g", puzzle.mask.width, puzzle.mask.height,
                     rec_boundaries[kinds[i % LIMIT_KINDS]].name, difference, size);
    }
}

/* Not even where a wrapped side has unknown cells on one of its ends. */
TEST(blocks_that_are_skipped_change_nothing)
{
    for (size_t kind = 0; kind < LIMIT_KINDS; kind++) {
        owned_puzzle puzzle = make_puzzle(200, 120, 1, kinds[kind], BLOCKS, kind);
        rec_multigrid_shape shape;
        REC_OWNED(rec_cycle_destroy) rec_cycle cycle;
        make_cycle(&cycle, &shape, &puzzle, NULL);
        const rec_cycle_grid *grid = &cycle.grid[0];
        const size_t floats = grid->height * grid->pitch;
        float *b = calloc(4 * floats, sizeof *b), *z[2] = {b + floats, b + 2 * floats};
        for (size_t i = 0; i < grid->width * grid->height; i++) {
            const size_t x = i % grid->width, y = i / grid->width;
            b[y * grid->pitch + rec_cell_of(grid, x)] =
                rec_unknown_of(grid, y, x & 1)[x / 2] ? (float)(i % 97) : 0;
        }
        for (size_t all = 0; all < 2; all++) {
            for (size_t l = 0; all && l < cycle.levels; l++)
                memset(cycle.grid[l].active, 1,
                       (cycle.grid[l].height + REC_GROUP - 1) / REC_GROUP * cycle.grid[l].blocks);
            rec_cycle_run(&cycle, b, b + 3 * floats, z[all]);
        }
        for (size_t i = 0; i < grid->width * grid->height; i++) {
            const size_t at = i / grid->width * grid->pitch + rec_cell_of(grid, i % grid->width);
            if (b[at] != 0)
                assert_true(z[0][at] == z[1][at]);
        }
        free(b);
    }
}

/* Of -(u_xx + u_yy) = e^x sin 3y in the unit square, 0 around it: with pictures of 15, 31 and 63
 * pixels a side, at the points that all have, what changes from one to the next falls to a quarter
 * (Richardson). */
TEST(the_discretisation_is_of_second_order)
{
    double found[3][225], change[2] = {0};
    for (size_t i = 0, side = 15; i < 3; i++, side = 2 * side + 1) {
        owned_image edges = new_image(side, side, 1);
        const double h = 1.0 / (double)(side + 1);
        for (size_t k = 0; k < side * side; k++)
            *sample_of(&edges, k) =
                (float)(-h * h * 1e3 * exp(h * (double)(k % side + 1)) *
                        sin(3 * h * (double)(k / side + 1)));
        const rec_problem problem = {.input = &edges, .boundary.kind = REC_BOUNDARY_HALO};
        const rec_solver_options options = {.tolerance = 1e-6};
        owned_solver *solver = solver_for(solver_or_skip("multigrid"), &problem, &options);
        owned_image solved = solver_image_at(solver, REC_LIMIT_ITERATION);
        for (size_t k = 0; k < 225; k++) {
            const size_t each = (side + 1) / 16;
            found[i][k] = (double)rec_image_row(&solved, 0, (k / 15 + 1) * each -
                                                               1)[(k % 15 + 1) * each - 1];
        }
    }
    for (size_t k = 0; k < 450; k++)
        change[k / 225] = fmax(change[k / 225],
                               fabs(found[k / 225 + 1][k % 225] - found[k / 225][k % 225]));
    const double order = log2(change[0] / change[1]);
    if (!(fabs(order - 2) < 0.05))
        fail_msg("the order is %g", order);
}

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
    assert_true(fabs(steps_of(1.0 / 64, 5).largest - pow(1.0 / 64, 2) / 3) < 1e-12); /* 1/4 */
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
