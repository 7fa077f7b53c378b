/* The multigrid solver goes on from where it is: after a stop, a change, another problem. */
#include "tests/unit/multigrid_puzzles.h"

/* A call without time makes one step of each plane; many of them reach what one call does. */
TEST_OF_ENGINES(it_stops_when_time_is_over_and_goes_on)
{
    choose_engine(*state);
    size_t wrong;
    owned_puzzle puzzle = make_puzzle(90, 70, 3, REC_BOUNDARY_MIRROR, HOLES, 5);
    owned_engine engine = make_engine(problem_of(&puzzle));
    rec_multigrid solved = {0};
    for (int n = 1; n == 1 || solved.look.missed; n++) {
        solved = solve(&engine, 0.01, 0);
        assert_true(solved.steps == n && n <= MOST_STEPS);
        assert_true(n >= REC_MULTIGRID_LEAST_STEPS || isinf(solved.look.distance_max));
    }
    largest_error(&engine.picture, &puzzle, &wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(solve(&engine, 0.01, INFINITY).steps, solved.steps);
}

/* Masks that grow and shrink, as a brush makes them, and other pictures and edges in between. */
TEST_OF_ENGINES(it_goes_on_from_the_last_picture_after_a_change)
{
    choose_engine(*state);
    test_random random = {3};
    owned_puzzle puzzle = make_puzzle(150, 110, 1, REC_BOUNDARY_WRAP, ONE, 2);
    owned_puzzle other = make_puzzle(150, 110, 1, REC_BOUNDARY_WRAP, ONE, 3);
    const rec_problem *problem = problem_of(&puzzle);
    owned_engine engine = make_engine(problem);
    solve(&engine, 0.01, INFINITY);
    for (int round = 0; round < 60; round++) {
        const size_t x = (size_t)random_integer(&random, 0, 119), width = 30;
        const size_t y = (size_t)random_integer(&random, 0, 79), height = 30;
        const int paints = round % 3, changes = round % 10 == 9;
        for (size_t row = 0; row < height; row++) { /* of a disc, or all of its square */
            const double away = (double)row - 15;
            const size_t half = paints ? (size_t)sqrt(fmax(0, 143 - away * away)) : 15;
            if (!paints || fabs(away) < 12)
                set_unknown(&puzzle, x + 15 - half, y + row, 2 * half + (half < 15), 1, paints > 0);
        }
        if (changes) { /* all of the picture is another one */
            for (size_t i = 0; i < 150 * 110; i++)
                if (!puzzle.mask.unknown[i])
                    *sample_of(&puzzle.start, i) = *sample_of(&other.picture, i);
            const rec_image picture = puzzle.picture;
            puzzle.picture = other.picture;
            other.picture = picture;
        }
        rec_image_destroy(&puzzle.edges);
        const rec_problem whole = {.boundary.kind = REC_BOUNDARY_WRAP};
        SUCCEEDS(rec_make_edges(&puzzle.picture, &whole, &puzzle.edges, &error));
        add_mass(&puzzle, (uint64_t)round);
        rec_mask_measure(&puzzle.mask);
        change(&engine, problem, changes ? 0 : x, changes ? 0 : y, changes ? 150 : width,
               changes ? 110 : height);
        check_steps(&engine, &puzzle, ONE, (uint64_t)round);
    }
}

/* Nothing of an earlier mask in the same box is left. */
TEST_OF_ENGINES(a_state_that_is_used_again_has_the_bits_of_a_new_one)
{
    choose_engine(*state);
    owned_puzzle puzzle = make_puzzle(300, 210, 1, REC_BOUNDARY_HALO, ALL, 9);
    owned_engine kept = make_engine(problem_of(&puzzle));
    solve(&kept, 0.01, 0);
    for (kind_of_mask shape = HOLES; shape < SHAPES; shape++) {
        owned_puzzle next = make_puzzle(300, 210, 1, REC_BOUNDARY_HALO, shape, 9 + shape % 3);
        next.mask.unknown[0] = next.mask.unknown[300 * 210 - 1] = 1;
        rec_mask_measure(&next.mask);
        owned_engine fresh = make_engine(problem_of(&next));
        next.problem.in_place = shape % 2;
        use_again(&kept, &next.problem);
        solve(&kept, 0.01, INFINITY);
        solve(&fresh, 0.01, INFINITY);
        const rec_solver_info info = info_of(kept.solver);
        assert_int_equal(info.in_place, !strcmp(*state, "host") && shape % 2);
        assert_same_bits(&fresh.picture, &kept.picture, "used again");
        if (info.in_place)
            assert_same_bits(&fresh.picture, &next.start, "in place");
    }
}

/* From a solution only what a new pixel brings is left to do, and from a near one a few steps. */
TEST_OF_ENGINES(a_small_change_takes_fewer_steps)
{
    choose_engine(*state);
    owned_puzzle puzzle = make_puzzle(200, 200, 1, REC_BOUNDARY_HALO, HOLES, 4);
    const rec_problem *problem = problem_of(&puzzle);
    owned_engine engine = make_engine(problem);
    const int first = solve(&engine, 0.01, INFINITY).steps;
    const float solved = rec_image_row(&engine.picture, 0, 50)[51];
    for (unsigned char i = 0; i < 2; i++) { /* known, and unknown again */
        puzzle.mask.unknown[50 * 200 + 50] = i;
        rec_mask_measure(&puzzle.mask);
        change(&engine, problem, 50, 50, 2, 1);
        const float *row = rec_image_row(&engine.picture, 0, 50);
        assert_true(row[51] == solved && row[50] == rec_image_row(&puzzle.start, 0, 50)[50]);
        rec_image_row(&puzzle.start, 0, 50)[50] = rec_image_row(&puzzle.picture, 0, 50)[50];
    }
    const int second = solve(&engine, 0.01, INFINITY).steps;
    assert_true(second < first && second <= REC_MULTIGRID_LEAST_STEPS);
}

/* A solver folds the fixed values beside the picture into the edges, also those of a change. */
TEST(a_change_has_the_boundary_of_the_problem)
{
    const rec_solver_type *type = solver_or_skip("multigrid");
    owned_puzzle puzzle = make_puzzle(70, 50, 1, REC_BOUNDARY_SAWTOOTH, ALL, 4);
    const rec_problem *problem = problem_of(&puzzle);
    owned_solver *solver = solver_for(type, problem, NULL);
    for (int round = 0; round < 2; round++) {
        owned_image found = solver_image_at(solver, REC_LIMIT_ITERATION);
        for (size_t i = 0; i < 70 * 50; i++)
            assert_true(rintf(*sample_of(&found, i)) == *sample_of(&puzzle.picture, i));
        SUCCEEDS(rec_solver_change(solver, problem, (rec_area){0, 0, 70, 50}, &error));
    }
}

TEST_OF_ENGINES(the_start_of_unknown_pixels_does_not_matter)
{
    static const float starts[] = {1e12F, -1e20F, 1e30F, INFINITY, NAN};
    choose_engine(*state);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (int shape = DISC; shape < BLOCKS; shape++) {
            owned_puzzle puzzle = make_puzzle(40, 30, 3, kinds[i % LIMIT_KINDS],
                                              (kind_of_mask)shape, 5);
            const rec_problem *problem = problem_of(&puzzle);
            size_t wrong;
            owned_engine engine = make_engine(problem);
            for (int changes = 0; changes < 2; changes++) {
                for (size_t k = 0; k < 3 * 40 * 30; k++)
                    if (puzzle.mask.unknown[k % 1200] && k % 7 == 0)
                        *sample_of(&puzzle.start, k) = starts[i];
                if (changes) { /* a pixel that was known is spoilt when the mask reaches it */
                    size_t one = 0;
                    while (!puzzle.mask.unknown[one])
                        one++;
                    set_unknown(&puzzle, 0, 0, 40, 30, 0);
                    change(&engine, problem, 0, 0, 40, 30);
                    set_unknown(&puzzle, one % 40, one / 40, 1, 1, 1);
                    *sample_of(&puzzle.start, 40 * 30 + one) = starts[i];
                    change(&engine, problem, one % 40, one / 40, 1, 1);
                } else {
                    use_again(&engine, problem);
                }
                const rec_multigrid solved = solve(&engine, 0.01, INFINITY);
                const double found = largest_error(&engine.picture, &puzzle, &wrong);
                if (wrong || solved.look.missed || !(found <= solved.look.distance_max + 3e-5))
                    fail_msg("start %g, shape %d: %zu wrong, error %g, estimate %g",
                             (double)starts[i], shape, wrong, found, solved.look.distance_max);
            }
        }
}

TEST(a_look_does_not_solve)
{
    const rec_solver_type *type = solver_or_skip("multigrid");
    const rec_solver_options options = {.kernel = "host", .tolerance = 1e-6};
    owned_puzzle puzzle = make_puzzle(90, 70, 1, REC_BOUNDARY_HALO, HOLES, 8);
    owned_solver *solver = solver_for(type, problem_of(&puzzle), &options);
    int reached = 1;
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
}
