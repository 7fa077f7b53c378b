/* The multigrid solver: pictures come back on any mask, as near as it says, whatever the start.
 * What it has in common with other solvers of the limit is in test_limits.c. */
#include "tests/unit/multigrid_puzzles.h"

enum { SMALL = 60, LARGE = 300 };

static void check_puzzle(size_t width, size_t height, size_t planes, rec_boundary_kind kind,
                         kind_of_mask shape, uint64_t seed)
{
    owned_puzzle puzzle = make_puzzle(width, height, planes, kind, shape, seed);
    const rec_problem *problem = problem_of(&puzzle);
    if (rec_problem_check(problem, NULL) == REC_OK) {
        owned_engine engine = make_engine(problem);
        check_steps(&engine, &puzzle, shape, seed);
    }
}

TEST_OF_ENGINES(pictures_come_back_on_any_mask)
{
    choose_engine(*state);
    test_random random = {7};
    const int rounds = tests_are("small") ? 40 : 400, side = tests_are("small") ? SMALL : LARGE;
    for (int i = 0; i < rounds; i++)
        for (int s = 0; s < SHAPES; s++) {
            const size_t width = (size_t)random_integer(&random, 1, i % 2 ? side : 20);
            const size_t height = (size_t)random_integer(&random, 1, i % 3 ? side : 20);
            check_puzzle(i % 10 == 9 ? 1 : width, i % 10 == 8 ? 1 : height, i % 4 ? 1 : 3,
                         kinds[(i + s) % LIMIT_KINDS], (kind_of_mask)s,
                         (uint64_t)(i * SHAPES + s));
        }
}

/* The correction from a level with a side of 1 counts twice: without, these take 20 and more. */
TEST_OF_ENGINES(lines_are_solved_as_fast)
{
    choose_engine(*state);
    for (size_t i = 0; i < LIMIT_KINDS; i++) {
        for (uint64_t mass = 0; mass < 4; mass++)
            check_puzzle(1, 2048, 1, kinds[i], ALL_BUT_ONE, i + 9 * mass);
        check_puzzle(2000, 1, 1, kinds[i], HOLES, i + 10);
    }
}

/* A line of integers whose ends are free, but for the last pixel, which is known; `rows` times. The
 * edges are noise: the picture leaves all that is given far behind, and is rounded to float32. */
TEST_OF_ENGINES(no_estimate_is_below_the_error_of_a_long_line)
{
    const size_t length = tests_are("small") ? 4095 : 16383;
    choose_engine(*state);
    for (size_t i = 0; i < 6; i++) {
        const size_t rows = 1 + i / 2, turned = i % 2;
        owned_puzzle puzzle = make_puzzle(turned ? rows : length, turned ? length : rows, 1,
                                          REC_BOUNDARY_MIRROR, ALL, i);
        test_random random = {i};
        int64_t *truth = calloc(length, sizeof *truth), before = 0;
        for (size_t x = 0; x < length; x++) {
            const int noise = random_integer(&random, -200, 200), last = x + 1 == length;
            const int64_t edge = last ? before - truth[x] : noise;
            for (size_t y = 0; y < rows; y++)
                *(rec_image_row(&puzzle.edges, 0, turned ? x : y) + (turned ? y : x)) = (float)edge;
            if (!last)
                truth[x + 1] = 2 * truth[x] - before + edge;
            before = truth[x];
        }
        puzzle.mask.unknown[length * rows - 1] = 0;
        rec_mask_measure(&puzzle.mask);
        owned_engine engine = make_engine(problem_of(&puzzle));
        const rec_multigrid solved = solve(&engine, 0.01, INFINITY);
        const float known = *sample_of(&engine.picture, length * rows - 1);
        double largest = 0, magnitude = 0;
        for (size_t k = 0; k < length * rows; k++) {
            const size_t x = turned ? k / rows : k % length;
            const float found = *sample_of(&engine.picture, k);
            largest = fmax(largest, fabs((double)(truth[x] - before) + known - found));
            magnitude = fmax(magnitude, fabs((double)found));
        }
        if (solved.look.missed || !(largest <= solved.look.distance_max + ldexp(magnitude, -24)))
            fail_msg("%zu rows: error %g, estimate %g", rows, largest, solved.look.distance_max);
        free(truth);
    }
}

static rec_image solved_in(const rec_problem *problem, double seconds)
{
    owned_engine engine = make_engine(problem);
    for (int i = 0; i < (seconds > 0 ? 1 : REC_MULTIGRID_MOST_STEPS); i++)
        solve(&engine, 1e-30, seconds);
    return copy_of(&engine.picture);
}

/* Columns between 1 and the next float are nearly ties of both: the last bits of doubles show. */
TEST_OF_ENGINES(time_decides_no_bits)
{
    enum { SIDE = 512 };
    choose_engine(*state);
    owned_puzzle puzzle = make_puzzle(SIDE, SIDE, 1, REC_BOUNDARY_HALO, ONE, 0);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        const size_t x = i % SIDE, y = i / SIDE;
        puzzle.mask.unknown[i] = x % 2 && x < SIDE - 1 && y && y < SIDE - 1;
        *sample_of(&puzzle.edges, i) *= 1e-15F;
        *sample_of(&puzzle.start, i) = x % 2 ? 0 : 1 + (float)(x / 2 % 2) * 0x1p-23F;
    }
    rec_mask_measure(&puzzle.mask);
    owned_image at_once = solved_in(problem_of(&puzzle), INFINITY);
    owned_image in_slices = solved_in(problem_of(&puzzle), 0);
    assert_int_equal(rec_image_hash(&at_once), rec_image_hash(&in_slices));
}

/* In double, digits of a start that is far beyond the picture would be lost to the picture. */
TEST_OF_ENGINES(a_far_start_costs_no_digits)
{
    enum { LONG = 16383, WIDE = 8 };
    choose_engine(*state);
    owned_puzzle puzzle = make_puzzle(WIDE, LONG, 1, REC_BOUNDARY_MIRROR, ALL_BUT_ONE, 0);
    for (size_t i = 0; i < WIDE * LONG; i++) {
        float *picture = sample_of(&puzzle.picture, i);
        *picture += 65000; /* nothing to its edges */
        *sample_of(&puzzle.start, i) = puzzle.mask.unknown[i] ? 6e7F : *picture;
    }
    owned_engine engine = make_engine(problem_of(&puzzle));
    const rec_multigrid solved = solve(&engine, 0.01, INFINITY);
    const double largest = difference_of(&puzzle.picture, &engine.picture).maximum;
    if (solved.look.missed || !(largest <= solved.look.distance_max + ldexp(65535, -24)))
        fail_msg("error %g, estimate %g", largest, solved.look.distance_max);
}

TEST(the_solver_says_what_it_cannot)
{
    const rec_solver_type *type = solver_or_skip("multigrid"), *spectral;
    owned_puzzle puzzle = make_puzzle(20, 20, 1, REC_BOUNDARY_HALO, DISC, 6);
    owned_solver *none = NULL;
    const rec_problem *problem = problem_of(&puzzle);
    owned_solver *solver = solver_for(type, problem, NULL);
    FAILS(rec_solver_jump(solver, 5, &error), REC_USAGE, "no iterates");
    if (rec_solver_find("spectral", &spectral, NULL) == REC_OK)
        FAILS(rec_solver_create(&none, spectral, problem, NULL, &error), REC_USAGE, "multigrid");

    /* In double nothing comes within 0.01 of numbers of 30 digits. */
    for (size_t i = 0; i < 400; i++)
        *sample_of(&puzzle.start, i) *= 1e27F;
    int reached = 1;
    SUCCEEDS(rec_solver_change(solver, problem, (rec_area){0, 0, 20, 20}, &error));
    SUCCEEDS(rec_solver_solve(solver, INFINITY, &reached, &error));
    const rec_look look = solver_advance(solver, 0, REC_LOOK_DISTANCE);
    assert_false(reached);
    assert_true(look.missed && look.distance_max > 0.01 && look.distance_max < 1e20);
}
