/* A run that begins on one solver and goes on with another one, whose device starts meanwhile: the
 * same bits, counts and numbers wherever that happens; and starts that take long, fail or never
 * end. The devices are the tests' own: copies of solvers of the host. */
#include <semaphore.h>

#include "tests/unit/problems.h"

static sem_t starts; /* each device waits for one before it is ready */
static void wait_for_start(const rec_solver_options *options) { sem_wait(&starts); }

/* The device, which behaves like the solver of the host. */
static rec_solver_type *device_like(const char *name)
{
    static rec_solver_type device;
    device = *solver_or_skip(name);
    device.name = "device";
    device.prepare = wait_for_start;
    return &device;
}

static rec_warmup *warmup_of(const rec_solver_type *device)
{
    rec_warmup *made;
    const rec_solver_options none = {0};
    sem_init(&starts, 0, 0);
    SUCCEEDS(rec_warmup_create(&made, device, &none, &error));
    return made;
}

static void get_ready(rec_warmup *warmup)
{
    sem_post(&starts);
    rec_warmup_start(warmup);
    rec_warmup_await(warmup);
    assert_int_equal(rec_warmup_warmth(warmup), REC_WARM);
}

static const char *solver_of(rec_run *run) { return info_of(rec_run_solver(run)).solver; }

static void step(rec_run *run) { SUCCEEDS(rec_run_step(run, 0, 0, &error)); }

/* ---- the same run ---- */

/* To its end; hands over once `at` iterations are done. */
static void go(rec_run *run, uint64_t at, rec_warmup *warmup, const rec_image *edges)
{
    while (!rec_run_get_state(run)->stop) {
        if (warmup && rec_run_get_state(run)->iterations >= at) {
            get_ready(warmup);
            const rec_look before = rec_run_get_state(run)->look;
            SUCCEEDS(rec_run_hand_over(run, edges, &error));
            assert_memory_equal(&before, &rec_run_get_state(run)->look, sizeof before);
            warmup = NULL;
        }
        step(run);
    }
}

static void check(const char *first, const char *second, rec_run_options options,
                  const rec_image *edges, const rec_image *start)
{
    options.solver = solver_or_skip(first);
    owned_run *alone = run_make(&options, edges, start);
    go(alone, 0, NULL, edges);
    const rec_run_state a = *rec_run_get_state(alone);
    owned_image expected = run_image(alone);
    for (uint64_t at = 1; at < a.iterations; at += a.iterations / 3 + 1) {
        rec_warmup *warmup = options.successor = warmup_of(device_like(second));
        rec_run *run = run_make(&options, edges, start);
        go(run, at, warmup, edges);
        const rec_run_state b = *rec_run_get_state(run);
        if (b.handover < at || b.handover >= a.iterations)
            fail_msg("from %d on, not %d of %d", (int)b.handover, (int)at, (int)a.iterations);
        assert_int_equal(b.iterations, a.iterations);
        assert_int_equal(b.stop, a.stop);
        assert_same_look(&a.look, &b.look, "the last look");
        owned_image found = run_image(run);
        assert_same_bits(&expected, &found, first);
        rec_run_destroy(run);
        assert_int_equal(rec_warmup_destroy(warmup), 0);
    }
}

TEST_EACH(wherever_it_happens_the_run_is_the_same, "reference cpu", "cpu reference", "cpu cuda",
          "cuda cpu")
{
    char first[16], second[16];
    assert_int_equal(sscanf(*state, "%15s %15s", first, second), 2);
    solver_or_skip(first);
    solver_or_skip(second);
    owned_image edges = problem_noise(31, 23, 3, 900, 3), start = problem_noise(31, 23, 3, 99, 4);
    rec_run_options options = {.iterations = 251, .every = 10};
    check(first, second, options, &edges, NULL);
    for (int k = 1; k < KINDS; k++) {
        options.problem.boundary.kind = kinds[k];
        check(first, second, options, &edges, &start);
    }
    options.problem.boundary = (rec_boundary){.kind = REC_BOUNDARY_HALO, .value = 17};
    options.iterations = REC_ENDLESS;
    options.tolerance = 40;
    check(first, second, options, &edges, &start);
    options.tolerance = 0;
    options.every = 100;
    check(first, second, options, &edges, &start); /* to the standstill */
    owned_mask mask = new_mask(31, 23);
    for (size_t i = 0; i < 31 * 23; i++)
        mask.unknown[i] = i % 9 < 8;
    rec_mask_measure(&mask);
    options.problem.mask = &mask;
    options.every = 6;
    check(first, second, options, &edges, &start);
    options.problem.mask = NULL;
    const rec_operator filter = filter_of("gaussian:2", 0);
    options.problem.operators = &filter;
    options.problem.operator_count = 1;
    options.iterations = 50;
    options.every = 5;
    check(first, second, options, &edges, NULL);
}

/* ---- when, and what fails ---- */

/* Does as a job does until the device is so far; when it is ready, until the run has used it. */
static void go_on(rec_run *run, const rec_image *edges, rec_warmup *warmup, rec_warmth warmth)
{
    rec_error ignored;
    for (const double end = rec_now() + 60; rec_warmup_warmth(warmup) != warmth ||
                                            (warmth == REC_WARM && rec_run_has_successor(run));) {
        assert_true(rec_now() < end);
        if (rec_run_can_hand_over(run))
            rec_run_hand_over(run, edges, &ignored);
        step(run);
    }
}

static rec_run_options endless(rec_warmup *successor)
{
    return (rec_run_options){.iterations = REC_ENDLESS, .solver = solver_or_skip("cpu"),
                             .successor = successor};
}

TEST(it_starts_when_there_is_work_and_takes_over_when_it_is_ready)
{
    owned_image edges = problem_noise(1200, 900, 1, 900, 3);
    rec_warmup *warmup = warmup_of(device_like("cpu"));
    rec_run_options options = endless(warmup);
    rec_solver *kept = NULL;
    options.kept = &kept;
    options.iterations = 3; /* no work for a device */
    options.every = 1;
    rec_run *run = run_make(&options, &edges, NULL);
    for (; !rec_run_get_state(run)->stop; step(run))
        assert_false(rec_run_can_hand_over(run));
    assert_int_equal(rec_warmup_warmth(warmup), REC_COLD);
    rec_run_destroy(run);

    options = endless(warmup);
    run = run_make(&options, &edges, NULL); /* no processor could soon be done: at once */
    assert_int_equal(rec_warmup_warmth(warmup), REC_WARMING);
    for (int i = 0; i < 3; i++, step(run)) /* it is slow */
        assert_false(rec_run_can_hand_over(run));
    assert_string_equal(solver_of(run), "cpu");
    sem_post(&starts);
    go_on(run, &edges, warmup, REC_WARM);
    assert_string_equal(solver_of(run), "device");
    assert_true(rec_run_get_state(run)->handover > 0);
    rec_run_destroy(run);

    options.kept = &kept; /* the next one of a list, after one on the processor */
    run = run_make(&options, &edges, NULL);
    assert_string_equal(solver_of(run), "device");
    assert_int_equal(rec_run_get_state(run)->handover, 0);
    rec_run_destroy(run);
    rec_solver_destroy(kept);
    rec_warmup_destroy(warmup);
}

/* The usual end is that of a halo; with a mirror a strip takes a thousand times as long. */
TEST(a_run_beyond_its_usual_end_is_expected_to_go_on)
{
    owned_image edges = problem_noise(300, 2, 1, 900, 3);
    rec_warmup *warmup = warmup_of(device_like("cpu"));
    rec_run_options options = endless(warmup);
    options.problem.boundary.kind = REC_BOUNDARY_MIRROR;
    options.every = 1000;
    rec_run *run = run_make(&options, &edges, NULL);
    step(run);
    assert_true((double)rec_run_get_state(run)->iterations > rec_run_usual_end(run));
    get_ready(warmup);
    while (!rec_run_can_hand_over(run)) {
        assert_false(rec_run_get_state(run)->stop);
        step(run);
    }
    rec_run_destroy(run);
    rec_warmup_destroy(warmup);
}

TEST(a_driver_that_hangs_is_left_behind)
{
    owned_image edges = problem_noise(1200, 900, 1, 900, 3);
    rec_warmup *warmup = warmup_of(device_like("cpu"));
    const rec_run_options options = endless(warmup);
    rec_error error;
    rec_run *run = run_make(&options, &edges, NULL);
    go_on(run, &edges, warmup, REC_WARMING);
    assert_false(rec_warmup_complains(warmup, 60, &error));
    assert_true(rec_warmup_complains(warmup, 0, &error));
    assert_false(rec_warmup_complains(warmup, 0, &error));
    rec_run_destroy(run);
    assert_int_equal(rec_warmup_destroy(warmup), 1); /* the process must not wait for it */
    sem_post(&starts);
}
