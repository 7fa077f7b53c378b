/* The run: stop rules, resuming, jumps. */
#include "tests/unit/problems.h"

static const char checkpoint[] = "it.checkpoint";

static rec_run_options options_for(const char *solver, uint64_t iterations, uint64_t every)
{
    return (rec_run_options){
        .iterations = iterations, .every = every, .solver = solver_or_skip(solver), .identity = 7,
        .checkpoint_every = 1e9};
}

static void run_to_stop(rec_run *run)
{
    rec_error error = {0};
    for (const double end = rec_now() + 120; !rec_run_get_state(run)->stop;)
        if (rec_run_step(run, 0, 0, &error) || rec_now() > end)
            fail_msg("%s", error.status ? error.message : "it never stops");
}

TEST(any_batch_size_gives_the_same_bits)
{
    owned_image edges = problem_noise(50, 40, 1, 900, 3);
    owned_solver *expected = solver_make(solver_or_skip("reference"), &edges, NULL, 0);
    solver_advance(expected, 250, 0);
    owned_image picture = solver_image(expected);
    const uint64_t every[] = {0, 1, 7, 100, 1000};
    for (size_t i = 0; i < 5; i++) {
        const rec_run_options options = options_for("cpu", 250, every[i]);
        owned_run *run = run_make(&options, &edges, NULL);
        run_to_stop(run);
        const rec_run_state *at_end = rec_run_get_state(run);
        assert_int_equal(at_end->iterations, 250);
        assert_int_equal(at_end->stop, REC_STOP_ITERATIONS);
        assert_false(isnan(at_end->look.change_rms) || isnan(at_end->look.distance_rms));
        owned_image image = run_image(run);
        assert_same_bits(&picture, &image, "another K");
    }
}

static unsigned pause_each; /* microseconds that an iteration takes */

static rec_status pretend(void *state, uint64_t n, int compares, rec_error *error)
{
    usleep((unsigned)n * pause_each);
    return rec_solver_reference.iterate->advance(state, compares != 0, compares, error);
}

TEST(batches_follow_the_speed)
{
    owned_image edges = problem_noise(1000, 1000, 1, 900, 3);
    own_type pretending;
    own_type_make(&pretending, &rec_solver_reference);
    pretending.iterate.advance = pretend;
    rec_run_options options = options_for("reference", REC_ENDLESS, 0);
    options.solver = &pretending.type;
    owned_run *run = run_make(&options, &edges, NULL);
    assert_int_equal(rec_run_batch(run), REC_DEFAULT_EVERY);
    for (int steps = 0; rec_run_batch(run) < 1900 && steps < 100; steps++)
        SUCCEEDS(rec_run_step(run, 0, 0, &error));
    assert_true(rec_run_batch(run) >= 1900);
    pause_each = 250;
    SUCCEEDS(rec_run_step(run, 0, 0, &error));
    assert_true(rec_run_batch(run) <= 1000);
}

TEST(the_tolerance_stops_at_the_first_look_within_it)
{
    owned_image picture = problem_picture(48, 32, 1, 3);
    owned_image edges = problem_edges(&picture, REC_BOUNDARY_HALO);
    rec_run_options options = options_for("cpu", REC_ENDLESS, 50);
    options.tolerance = 0.5;
    owned_run *run = run_make(&options, &edges, NULL);
    run_to_stop(run);
    const rec_run_state *at_end = rec_run_get_state(run);
    assert_int_equal(at_end->stop, REC_STOP_TOLERANCE);
    assert_true(at_end->look.distance_rms <= 0.5 && at_end->look.distance_rms > 0.4);
    assert_int_equal(at_end->iterations % 50, 0);
    owned_image image = run_image(run);
    const rec_difference difference = difference_of(&picture, &image);
    assert_true(difference.rms <= 0.5);
}

/* drift: what an iteration adds to a free mean. */
static void check_distance(rec_boundary_kind kind, size_t width, size_t height, size_t planes,
                           float drift)
{
    owned_image noise = problem_noise(width, height, planes, 255, 3);
    owned_image edges = problem_edges(&noise, kind);
    EACH_PIXEL(size_t, y, x, planes * height, width)
        edges.data[y * edges.stride + x] -= 4 * drift;
    const rec_problem problem = {.input = &edges, .boundary.kind = kind};
    owned_solver *exact = solver_for(solver_or_skip("spectral"), &problem, NULL);
    owned_image limit = solver_image_at(exact, REC_LIMIT_ITERATION);
    for (uint64_t n = 1; n <= (drift != 0 ? 100 : 10000); n *= 100) {
        double found[2];
        for (size_t i = 0; i < 2; i++) {
            rec_run_options options = options_for("cpu", n, 0);
            options.problem.boundary.kind = kind;
            options.solver_options.slabs = i ? 3 : 1;
            owned_run *run = run_make(&options, &edges, NULL);
            run_to_stop(run);
            assert_true(rec_run_get_state(run)->look.measured);
            found[i] = rec_run_get_state(run)->look.distance_rms;
            owned_image image = run_image(run);
            const double expected = worst_rms(&image, &limit, kind);
            /* What is left out is much larger than what float32 does to it. */
            const double rounding = kind == REC_BOUNDARY_WRAP && width % 2 == 0 ? 1e-2 : 2e-5;
            if (!(fabs(found[i] - expected) <= 1e-3 * expected + rounding))
                fail_msg("%s, %zu x %zu, %zu slabs, %g iterations: %.9g, not %.9g",
                         rec_boundaries[kind].name, width, height,
                         options.solver_options.slabs, (double)n, found[i], expected);
        }
        assert_true(found[0] == found[1]);
    }
}

TEST(the_distance_is_measured_from_the_exact_picture)
{
    for (int kind = REC_BOUNDARY_HALO; kind <= REC_BOUNDARY_SAWTOOTH; kind++) {
        check_distance((rec_boundary_kind)kind, 48, 40, 1, 0);
        check_distance((rec_boundary_kind)kind, 37, 61, 3, 0);
        check_distance((rec_boundary_kind)kind, 37, 61, 1, 0.5f);
    }
}

TEST(the_iterations_to_the_tolerance_are_foreseen)
{
    solver_or_skip("spectral");
    for (int kind = REC_BOUNDARY_HALO; kind <= REC_BOUNDARY_WRAP; kind++)
        for (double tolerance = 30; tolerance > (tests_are("small") ? 20 : 0.05); tolerance /= 8) {
            owned_image picture = problem_picture(tests_are("small") ? 60 : 110, 64, 1, 3);
            owned_image edges = problem_edges(&picture, (rec_boundary_kind)kind);
            rec_run_options options = options_for("cpu", REC_ENDLESS, 1);
            options.problem.boundary.kind = (rec_boundary_kind)kind;
            options.tolerance = tolerance;
            owned_run *run = run_make(&options, &edges, NULL);
            const double expected = (double)rec_run_get_state(run)->expected;
            run_to_stop(run);
            const double found = (double)rec_run_get_state(run)->iterations;
            if (!(fabs(found - expected) <= 0.02 * found + 1) && !(found <= 2000 && !expected))
                fail_msg("%s, %g: %g iterations, %g expected", rec_boundaries[kind].name,
                         tolerance, found, expected);
            assert_int_equal(rec_run_get_state(run)->stop, REC_STOP_TOLERANCE);
            uint64_t end[2]; /* looked at seldom, until it is near, and always */
            for (int often = 0; often < 2; often++) {
                options.every = often ? REC_DEFAULT_EVERY : 0;
                owned_run *again = run_make(&options, &edges, NULL);
                run_to_stop(again);
                end[often] = rec_run_get_state(again)->iterations;
            }
            assert_int_equal(end[0], end[1]);
        }
}

/* In many pictures of few iterations each the limit would take longer than these; and a mask has
 * none. */
TEST(the_distance_is_a_bound_where_the_limit_is_dear)
{
    solver_or_skip("spectral");
    owned_image edges = problem_noise(50, 40, 1, 900, 3);
    for (int i = 0; i < 3; i++) {
        rec_run_options options = options_for("cpu", i ? 20 : 2000, 0);
        options.solver_options.problems = 1000000;
        options.tolerance = i == 2 ? 1e-9 : 0;
        owned_run *run = run_make(&options, &edges, NULL);
        run_to_stop(run);
        assert_int_equal(rec_run_get_state(run)->look.measured, i != 1);
    }
}

/* However the batches are cut, and wherever it was stopped and resumed. */
TEST_IN_FOLDER(short_batches_do_not_change_where_the_tolerance_stops)
{
    owned_image picture = problem_picture(48, 32, 1, 3);
    owned_image edges = problem_edges(&picture, REC_BOUNDARY_HALO);
    rec_run_options options = options_for("cpu", REC_ENDLESS, 50);
    options.tolerance = 0.5;
    options.checkpoint = checkpoint;
    uint64_t expected = 0;
    const uint64_t most[] = {0, 1, 7, 49, 1000};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        owned_run *run = run_make(&options, &edges, NULL);
        for (int steps = 0; !rec_run_get_state(run)->stop; steps++) {
            SUCCEEDS(rec_run_step(run, most[i], 0, &error));
            if (most[i] && steps == 9) { /* in the middle of a batch of K, or at its end */
                SUCCEEDS(rec_run_save_checkpoint(run, &error));
                rec_run_destroy(run);
                run = run_make(&options, &edges, NULL);
            }
        }
        const rec_run_state *at_end = rec_run_get_state(run);
        assert_int_equal(at_end->stop, REC_STOP_TOLERANCE);
        if (i)
            assert_int_equal(at_end->iterations, expected);
        else
            expected = at_end->iterations;
        unlink(checkpoint);
    }
    assert_true(expected > 500);
}

/* Past the standstill, odd and even totals give the bits of as many iterations one by one. The
 * start has odd pixels far above and even ones far below the limit, so that they end in different
 * fixed points and alternate. */
TEST(a_standstill_gives_the_bits_of_all_iterations)
{
    const size_t width = tests_are("small") ? 20 : 40, height = tests_are("small") ? 15 : 31;
    const uint64_t most = width * height * 25;
    int alternated = 0;
    for (unsigned seed = 1; seed < 6; seed++) {
        owned_image picture = problem_picture(width, height, 1, seed);
        owned_image edges = problem_edges(&picture, REC_BOUNDARY_HALO);
        owned_image start = problem_noise(width, height, 1, 1, seed);
        EACH_PIXEL(size_t, y, x, height, width)
            rec_image_row(&start, 0, y)[x] = (x + y) % 2 ? 1e5f : -1e5f;
        for (uint64_t total = most; total < most + 2; total++) {
            const rec_run_options options = options_for("cpu", total, 25);
            owned_run *run = run_make(&options, &edges, &start);
            const rec_run_state *at_end = rec_run_get_state(run);
            for (uint64_t before = 0; !at_end->stop; before = at_end->iterations) {
                SUCCEEDS(rec_run_step(run, 0, 0, &error));
                /* The one iteration that the parity takes is a batch of its own. */
                assert_true(at_end->iterations - before <= 25);
            }
            assert_int_equal(at_end->stop, REC_STOP_STANDSTILL);
            assert_true(at_end->iterations < total);
            assert_false(isnan(at_end->look.distance_rms));
            alternated += at_end->look.alternating > 0;
            owned_solver *solver = solver_make(solver_or_skip("reference"), &edges, &start, 0);
            solver_advance(solver, total, 0);
            owned_image expected = solver_image(solver), found = run_image(run);
            assert_same_bits(&expected, &found, "after the standstill");
        }
    }
    /* Else this test has not seen what it is for. */
    assert_true(alternated > 0);
}

TEST_IN_FOLDER(a_signal_stops_and_a_resumed_run_has_the_same_bits)
{
    owned_image edges = problem_noise(60, 70, 3, 900, 5);
    for (size_t x = 0; x < 60; x++) /* iterates exceed what edges may */
        rec_image_row(&edges, 1, 35)[x] = -1e30f;
    rec_run_options options = options_for("cpu", 1000, 10);
    options.problem.boundary.kind = REC_BOUNDARY_MIRROR;
    owned_run *whole = run_make(&options, &edges, NULL);
    run_to_stop(whole);
    owned_image expected = run_image(whole);

    options.checkpoint = checkpoint;
    const uint64_t stops[] = {0, 10, 370, 380};
    for (size_t i = 0; i < 4; i++) {
        owned_run *run = run_make(&options, &edges, NULL);
        while (rec_run_get_state(run)->iterations < stops[i])
            SUCCEEDS(rec_run_step(run, 0, 0, &error));
        rec_signal_received = 15;
        SUCCEEDS(rec_run_step(run, 0, 0, &error));
        assert_int_equal(rec_run_get_state(run)->stop, REC_STOP_SIGNAL);
        SUCCEEDS(rec_run_save_checkpoint(run, &error));
        rec_signal_received = 0;
    }
    owned_run *run = run_make(&options, &edges, NULL);
    assert_int_equal(rec_run_get_state(run)->resumed, 380);
    run_to_stop(run);
    SUCCEEDS(rec_run_save_checkpoint(run, &error)); /* as when the output cannot be written */
    rec_run_destroy(run);
    run = run_make(&options, &edges, NULL);
    assert_int_equal(rec_run_get_state(run)->resumed, 1000);
    owned_image found = run_image(run);
    assert_same_bits(&expected, &found, "resumed");
}

/* No damage changes what is read, and another problem's checkpoint is refused. */
TEST_IN_FOLDER(damaged_and_foreign_checkpoints_are_refused)
{
    owned_image image = problem_noise(5, 4, 1, 900, 5), read = {0};
    int found;
    rec_run_state mark;
    SUCCEEDS(rec_checkpoint_read(checkpoint, 9, 0, &found, &mark, &read, &error));
    assert_false(found);
    const rec_run_state marks[] = {
        {.iterations = 12345},
        {.iterations = 12345, .jumped = 1, .jumped_to = 0},
        {.iterations = 12345, .jumped = 1, .jumped_to = REC_LIMIT_ITERATION},
        {.iterations = 12345, .jumped = 1, .jumped_to = 1000},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        SUCCEEDS(rec_checkpoint_write(checkpoint, &marks[i], 9, &image, &error));
        SUCCEEDS(rec_checkpoint_read(checkpoint, 9, 0, &found, &mark, &read, &error));
        assert_true(found && mark.iterations == 12345 && mark.jumped == marks[i].jumped);
        assert_true(!mark.jumped || mark.jumped_to == marks[i].jumped_to);
        assert_same_bits(&image, &read, "checkpoint");
        rec_image_destroy(&read);
    }
    FAILS(rec_checkpoint_read(checkpoint, 8, 0, &found, &mark, &read, &error), REC_BAD_INPUT,
          checkpoint);
    size_t size;
    owned_text *bytes = read_bytes(checkpoint, &size);
    const size_t bits = 8 * size;
    assert_true(size > 100);
    for (size_t i = 0; i < bits + size; i++) {
        /* First every bit flipped alone, then the file cut at every place. */
        const size_t place = i < bits ? i / 8 : 0;
        bytes[place] ^= (char)(i < bits ? 1 << i % 8 : 0);
        write_bytes(checkpoint, bytes, i < bits ? size : i - bits);
        bytes[place] ^= (char)(i < bits ? 1 << i % 8 : 0);
        const rec_status status = rec_checkpoint_read(checkpoint, 9, 0, &found, &mark, &read, NULL);
        if (!status && i < bits) {
            /* White space within the PFM header may be of another kind. */
            assert_true(mark.iterations == 12345 && mark.jumped_to == 1000);
            assert_same_bits(&image, &read, "damaged, but read");
            rec_image_destroy(&read);
            continue;
        }
        assert_int_equal(status, REC_BAD_INPUT);
        assert_false(found);
    }
}

/* The bits of the stencil that starts from that very image, whatever was done before the jump, and
 * whether or not a checkpoint lies between. */
TEST_IN_FOLDER(a_jump_goes_on_with_the_stencils_bits)
{
    static const char *const solvers[] = {"cpu", "reference"};
    owned_image edges = problem_noise(61, 47, 3, 900, 5), image = problem_noise(61, 47, 3, 255, 8);
    owned_solver *solver = solver_make(solver_or_skip("reference"), &edges, &image, 0);
    solver_advance(solver, 300, 0);
    owned_image expected = solver_image(solver);
    for (size_t s = 0; s < 2; s++)
        for (int stopped = 0; stopped < 2; stopped++) {
            rec_run_options options = options_for(solvers[s], 100300, 50);
            options.checkpoint = checkpoint;
            owned_run *run = run_make(&options, &edges, NULL);
            SUCCEEDS(rec_run_step(run, 0, 0, &error));
            assert_false(rec_run_get_state(run)->jumped);
            SUCCEEDS(rec_run_jump(run, 100000, &edges, &image, &error));
            assert_true(isnan(rec_run_get_state(run)->look.change_rms));
            SUCCEEDS(rec_run_step(run, 0, 0, &error));
            assert_int_equal(rec_run_get_state(run)->iterations, 100050);
            if (stopped) {
                SUCCEEDS(rec_run_save_checkpoint(run, &error));
                rec_run_destroy(run);
                run = run_make(&options, &edges, NULL);
                assert_int_equal(rec_run_get_state(run)->resumed, 100050);
                unlink(checkpoint);
            }
            run_to_stop(run);
            const rec_run_state *at_end = rec_run_get_state(run);
            assert_int_equal(at_end->stop, REC_STOP_ITERATIONS);
            assert_int_equal(at_end->iterations, 100300);
            assert_int_equal(at_end->begin, stopped ? 100050 : 100000);
            assert_true(at_end->jumped && at_end->jumped_to == 100000);
            owned_image found = run_image(run);
            assert_same_bits(&expected, &found, "after a jump");
        }
}

/* The limit has no number: those done before count on. A number to reach that lies behind is none
 * any more, and a tolerance is looked at anew. */
TEST(a_jump_past_the_end_goes_on_without_one)
{
    owned_image picture = problem_picture(48, 32, 1, 3);
    owned_image edges = problem_edges(&picture, REC_BOUNDARY_HALO);
    rec_run_options options = options_for("cpu", 200, 50);
    owned_run *run = run_make(&options, &edges, NULL);
    run_to_stop(run);
    SUCCEEDS(rec_run_jump(run, REC_LIMIT_ITERATION, &edges, &picture, &error));
    const rec_run_state *now = rec_run_get_state(run);
    assert_true(now->stop == REC_STOP_NONE && now->iterations == 200 && now->jumped);
    assert_true(now->jumped_to == REC_LIMIT_ITERATION);
    run_to_stop(run);
    /* 8-bit pictures are fixed points of the iteration, in float32 as well. */
    assert_int_equal(now->stop, REC_STOP_STANDSTILL);
    assert_int_equal(now->iterations, 250);
    owned_image found = run_image(run);
    assert_same_bits(&picture, &found, "the limit stands still");
    rec_run_destroy(run);

    options.iterations = REC_ENDLESS;
    options.tolerance = 0.5;
    run = run_make(&options, &edges, NULL);
    SUCCEEDS(rec_run_step(run, 0, 0, &error));
    SUCCEEDS(rec_run_jump(run, 5, &edges, &picture, &error));
    SUCCEEDS(rec_run_step(run, 0, 0, &error));
    now = rec_run_get_state(run);
    assert_true(now->stop == REC_STOP_TOLERANCE && now->iterations == 5);

    /* A jump that cannot be taken leaves no solver. */
    owned_image other = problem_noise(9, 9, 1, 255, 1);
    assert_int_equal(rec_run_jump(run, 5, &edges, &other, NULL), REC_BAD_INPUT);
    assert_null(rec_run_solver(run));
}

TEST(a_spectral_run_stays_where_it_jumped)
{
    owned_image edges = problem_noise(30, 20, 1, 900, 5), image = problem_noise(30, 20, 1, 255, 8);
    const rec_run_options options = options_for("spectral", REC_ENDLESS, 0);
    owned_run *run = run_make(&options, &edges, NULL);
    run_to_stop(run);
    const rec_run_state *now = rec_run_get_state(run);
    assert_int_equal(now->stop, REC_STOP_LIMIT);
    SUCCEEDS(rec_run_jump(run, 77, &edges, &image, &error));
    assert_true(now->stop == REC_STOP_ITERATIONS && now->iterations == 77);
    owned_image found = run_image(run);
    assert_same_bits(&image, &found, "where it jumped");
    SUCCEEDS(rec_run_jump(run, REC_LIMIT_ITERATION, &edges, &image, &error));
    assert_int_equal(now->stop, REC_STOP_LIMIT);
}
