/* The parts of the multigrid solver: the cycle, the estimate, and what no bit depends on. */
#include "solver/multigrid/multigrid_cycle.h"
#include "tests/unit/cm.h"
#include "tests/unit/multigrid_puzzles.h"

enum { MOST_CELLS = 64 };

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
            rec_cycle_run(&cycle, r, z + floats, z);
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
            rec_cycle_run(&cycle, b, b + 3 * floats, z[all]);
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

/* A power of two changes no digit, also where the differences are below what float32 holds: the
 * tiny ones are rounded to a 512th, so the others must be as near to integers as float32 is. */
TEST(large_and_tiny_numbers_have_the_digits_of_usual_ones)
{
    const rec_solver_type *type = solver_or_skip("multigrid");
    const int powers[] = {0, 89, -140};
    rec_image found[3];
    for (int i = 0; i < 3; i++) {
        case_of puzzle = make_puzzle(70, 50, 1, REC_BOUNDARY_HALO, HOLES, 400);
        const rec_solver_options options = {.kernel = "host", .tolerance = ldexp(1e-7, powers[i])};
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
