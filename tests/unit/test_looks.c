/* What a look finds, and what is shown: the same for all ways; the distance is as it is defined. */
#include "tests/unit/iterates.h"

/* To the standstill and past it, looking also at single iterations behind many, one of which is one
 * more than two exchanges of 12 rows. */
TEST_EACH(standstill_is_seen, "halo", "mirror")
{
    static step steps[240];
    for (size_t i = 0; i < COUNT(steps); i++) {
        static const unsigned n[] = {1, 25, 25, 2, 1, 600};
        steps[i] = (step){n[i % 6], i % 6 == 3 ? 0 : REC_LOOK_CHANGE};
    }
    owned_puzzle m = make_case(11, 37, 1, kind_named(*state), 0, 4);
    const rec_problem problem = {.input = &m.edges, .boundary = m.problem.boundary};
    owned_solver *reference = solver_by(&ways[0], &problem);
    solver_advance(reference, small() ? 0 : 17000, 0);
    assert_int_equal(solver_advance(reference, 2, REC_LOOK_CHANGE).standstill, !small());
    check_case(&m, 0, 0, steps, small() ? 60 : COUNT(steps), 0, ALL_WAYS);
}

/* |mu| of mode p of each axis is the mean of these cosines. */
static double cosine_of(rec_beyond beyond_it, size_t p, size_t n)
{
    return beyond_it == REC_FIXED      ? cos((double)(p + 1) * M_PI / (double)(n + 1))
           : beyond_it == REC_MIRRORED ? cos((double)p * M_PI / (double)n)
                                       : cos(2 * (double)p * M_PI / (double)n);
}

/* The distance by its definition, in double: |J(J(M)) - M| without a free mean, by the largest |mu|
 * of the modes that decay, which are all tried. */
static double defined_distance(const rec_image *m, const rec_problem *given)
{
    const rec_boundary_row *rules = &rec_boundaries[given->boundary.kind];
    const double count = (double)m->width * (double)m->height;
    rec_problem problem = *given;
    problem.start = m;
    owned_naive p = naive_of(&problem, 1);
    naive_iterate(&p, 2);
    double sum = 0, squares = 0, rho = 0;
    EACH_PIXEL(size_t, y, x, m->height, m->width) {
        const size_t at = naive_at(&p, 0, (long)x, (long)y);
        const double d = p.m[at] - p.older[at];
        const double mu = fabs(cosine_of(rules->y, y, m->height) +
                               cosine_of(rules->x, x, m->width)) / 2;
        sum += d;
        squares += d * d;
        rho = mu < 1 - 1e-12 ? fmax(rho, mu) : rho;
    }
    const double mean = rec_boundary_frees_mean(given->boundary.kind) ? sum / count : 0;
    return sqrt(fmax(squares / count - mean * mean, 0)) / (1 - rho * rho);
}

/* That of the reference: the others have its looks. */
TEST(the_distance_is_as_defined)
{
    for (size_t i = 0; i < KINDS * SIZES; i++) {
        const size_t *size = sizes[i / KINDS];
        owned_puzzle m = make_case(size[0], size[1], 1, kinds[i % KINDS], 3, 4);
        if (size[0] * size[1] > 30000)
            continue;
        rec_image_row(&m.edges, 0, 0)[0] += (float)(i / KINDS % 2);
        const rec_problem problem = {.input = &m.edges, .start = &m.start,
                                     .boundary = m.problem.boundary};
        owned_solver *solver = solver_by(&ways[0], &problem);
        const rec_look look = solver_advance(solver, 3, REC_LOOK_DISTANCE);
        owned_image now = solver_image(solver);
        const double expected = defined_distance(&now, problem_of(&m));
        if (!(fabs(look.distance_rms - expected) <= 1e-6 * expected + 1e-7))
            fail_msg("%s, %zu x %zu: %.12g instead of %.12g", rec_boundaries[kinds[i % KINDS]].name,
                     size[0], size[1], look.distance_rms, expected);
    }
}

/* The RMS distance from the picture over the unknown pixels. */
static double true_distance(rec_solver *solver, const case_of *m)
{
    owned_image now = solver_image(solver);
    const rec_difference difference = difference_of(&now, &m->picture);
    return difference.rms * sqrt((double)difference.samples / (double)m->mask.count);
}

static rec_mask box_of(size_t width, size_t height, const size_t box[4])
{
    rec_mask mask = new_mask(width, height);
    for (size_t i = 0; i < box[2] * box[3]; i++)
        mask.unknown[(box[1] + i / box[2]) * width + box[0] + i % box[2]] = 1;
    rec_mask_measure(&mask);
    return mask;
}

/* Never below the truth; and where the unknown pixels are a box, the truth itself, once only the
 * slowest modes are left. */
TEST(the_distance_is_that_of_the_unknown_pixels)
{
    static const size_t boxes[][4] = {{5, 6, 9, 8},   {0, 0, 11, 9},  {0, 7, 24, 6},
                                      {16, 0, 8, 20}, {9, 9, 1, 1},   {3, 0, 12, 20},
                                      {0, 19, 24, 1}, {12, 11, 12, 9}};
    test_random dice = {9};
    for (size_t i = 0; i < 2 * KINDS * COUNT(boxes); i++) {
        const size_t *box = boxes[i / KINDS / 2];
        const int is_box = i / KINDS % 2 == 0;
        owned_puzzle m = make_masked(is_box ? box_of(24, 20, box) : scattered(24, 20, 80, &dice), 1,
                                     kinds[i % KINDS]);
        owned_solver *solver = solver_by(&ways[0], problem_of(&m));
        double bound = 0, truth = 0;
        for (int n = 0; n < 400; n++) {
            bound = solver_advance(solver, n ? 5 : 0, REC_LOOK_DISTANCE).distance_rms;
            truth = true_distance(solver, &m);
            if (isnan(bound) || truth < 0.5)
                break;
            assert_true(bound >= truth * (1 - 1e-9));
        }
        if (isnan(bound))
            assert_true(m.mask.box.width == 24 && m.mask.box.height == 20 &&
                        rec_boundary_frees_mean(m.problem.boundary.kind));
        else if (is_box && !(bound <= truth * 1.1))
            fail_msg("box %zu: %g is no bound of %g", i / KINDS / 2, bound, truth);
        assert_int_equal(rec_solver_bounds_distance(solver), !isnan(bound));
    }
}

static rec_status open_run(const rec_problem *problem, double tolerance, rec_error *error)
{
    owned_run *run = NULL;
    const rec_run_options options = {.iterations = 10, .tolerance = tolerance, .problem = *problem,
                                     .solver = solver_or_skip("cpu")};
    return rec_run_create(&run, &options, problem->input, problem->start, error);
}

TEST(no_tolerance_without_a_bound)
{
    test_random dice = {10};
    owned_puzzle m = make_masked(scattered(24, 20, 80, &dice), 1, REC_BOUNDARY_MIRROR);
    FAILS(open_run(problem_of(&m), 0.5, &error), REC_USAGE, "no bound");
    SUCCEEDS(open_run(&m.problem, 0, &error));
    m.problem.boundary.kind = REC_BOUNDARY_HALO;
    SUCCEEDS(open_run(&m.problem, 0.5, &error));
}

/* ---- what is shown ---- */

TEST(known_pixels_have_edges_of_zero)
{
    test_random dice = {11};
    for (size_t k = 1; k < 2 * WAYS; k++) {
        const way *w = &ways[k / 2];
        owned_puzzle m = make_masked(scattered(60, 40, 50, &dice), 3,
                                     k % 2 ? REC_BOUNDARY_SAWTOOTH : REC_BOUNDARY_HALO);
        owned_solver *expected = solver_by(&ways[0], problem_of(&m));
        owned_solver *solver = solver_by(w, &m.problem);
        for (int tone = 0; solver && tone < REC_TONES; tone++) {
            const rec_view reduced = {3, 5, 50, 31, 31, 17, (rec_tone)tone, REC_LAYER_EDGES, 1, 0};
            const rec_view view = {0, 0, 60, 40, 60, 40, (rec_tone)tone, REC_LAYER_EDGES, 1, 0};
            assert_same_view(expected, solver, &reduced);
            const rec_snapshot *seen = solver_show(solver, &view);
            assert_true(seen->high < 2000);
            for (size_t i = 0; i < 60 * 40; i++)
                assert_true(m.mask.unknown[i] || seen->pixels[i] == 128);
            rec_solver_release(solver, seen);
        }
        for (size_t i = 0; solver && i < 60 * 40; i += 60) {
            rec_probe probe;
            SUCCEEDS(rec_solver_probe(solver, 0, i / 60, &probe, &error));
            const float edge = rec_image_row(&m.edges, 2, i / 60)[0];
            assert_true(probe.edges[2] == (m.mask.unknown[i] ? edge : 0));
        }
    }
}

/* A snapshot between two bulks is of its iterate, and disturbs none. */
TEST(snapshots_between_bulks)
{
    const rec_view view = {10, 20, 200, 100, 67, 33, REC_TONE_STRETCH, REC_LAYER_PICTURE, 1, 0};
    owned_image edges = problem_noise(301, 203, 3, 900, 12);
    const rec_problem problem = {.input = &edges};
    solver_or_skip("cuda");
    for (size_t k = 0; k < WAYS; k++) {
        owned_solver *expected = solver_by(&ways[0], &problem);
        owned_solver *found = solver_by(&ways[k], &problem);
        for (int i = 0; found && !ways[k].slabs && i < 3; i++) {
            int begun = 0;
            solver_advance(found, 51, 0);
            SUCCEEDS(rec_solver_snapshot(found, &view, NULL, &begun, &error));
            assert_true(begun);
            solver_advance(found, 40, 0); /* on its way while the bytes come */
            solver_advance(expected, 51, 0);
            const rec_snapshot *a = solver_show(expected, &view), *b = solver_poll(found);
            solver_advance(expected, 40, 0);
            for (size_t row = 0; row < a->planes * a->height; row++)
                assert_memory_equal(a->pixels + row * a->stride, b->pixels + row * b->stride,
                                    a->width);
            rec_solver_release(expected, a);
            rec_solver_release(found, b);
            assert_same_iterate(expected, found, ways[k].solver);
        }
    }
}
