/* Iterations on masks: the bits of the reference, which are those of a plain iteration with the
 * known pixels put back, on every solver that takes masks, cut into slabs or not; their norms; what
 * is shown of them; and who refuses. RECONSTRUCT_TESTS=small leaves out many sizes. */
#include "tests/unit/problems.h"

/* Each pixel is unknown with a probability of `percent`; at least one is, and one is not, unless
 * `percent` is above 100. */
static rec_mask scattered(size_t width, size_t height, int percent, test_random *dice)
{
    rec_mask mask = new_mask(width, height);
    for (size_t i = 0; i < width * height; i++)
        mask.unknown[i] = random_integer(dice, 1, 100) <= percent;
    if (percent <= 100) {
        const size_t some = random_bits(dice) % (width * height);
        mask.unknown[(some + 1) % (width * height)] = 0;
        mask.unknown[some] = 1;
    }
    rec_mask_measure(&mask);
    return mask;
}

static rec_mask box_of(size_t width, size_t height, size_t x, size_t y, size_t w, size_t h)
{
    rec_mask mask = new_mask(width, height);
    for (size_t i = 0; i < w * h; i++)
        mask.unknown[(y + i / w) * width + x + i % w] = 1;
    rec_mask_measure(&mask);
    return mask;
}

/* A problem with a picture as its solution, which takes the mask: `start` has it at known pixels
 * alone, and the edges of known pixels mean nothing. */
static case_of masked(rec_mask mask, size_t planes, rec_boundary_kind kind)
{
    case_of made = {.picture = problem_noise(mask.width, mask.height, planes, 255, 3),
                    .start = problem_noise(mask.width, mask.height, planes, 99, 5), .mask = mask,
                    .problem.boundary.kind = kind};
    made.edges = problem_edges(&made.picture, kind);
    const size_t pixels = mask.width * mask.height;
    for (size_t i = 0; i < planes * pixels; i++)
        if (!mask.unknown[i % pixels]) {
            *sample_of(&made.start, i) = *sample_of(&made.picture, i);
            *sample_of(&made.edges, i) = 1e29f;
        }
    return made;
}

/* ---- bits ---- */

typedef struct way {
    const char *solver, *kernel;
    size_t slabs;
} way;

static rec_solver *make(const way *w, const rec_problem *problem)
{
    const rec_solver_options options = {.kernel = w->kernel, .slabs = w->slabs};
    return solver_for(solver_or_skip(w->solver), problem, &options);
}

/* One iteration without a mask, and the known pixels as before. */
static void naive_iterate(rec_image *m, const rec_problem *given)
{
    rec_problem problem = *given;
    problem.start = m;
    problem.mask = NULL;
    owned_solver *solver = make(&(way){"reference", NULL, 1}, &problem);
    solver_advance(solver, 1, 0);
    owned_image next = solver_image(solver);
    const size_t pixels = m->width * m->height;
    for (size_t i = 0; i < m->planes * pixels; i++)
        if (given->mask->unknown[i % pixels])
            *sample_of(m, i) = *sample_of(&next, i);
}

enum { BOTH = REC_LOOK_CHANGE | REC_LOOK_DISTANCE };
static const struct {
    unsigned n, looks;
} steps[] = {{0, REC_LOOK_DISTANCE},
             {1, REC_LOOK_CHANGE}, {1, BOTH}, {2, 0}, {1, REC_LOOK_CHANGE}, {9, BOTH}, {8, 0},
             {3, BOTH}, {2, REC_LOOK_CHANGE}, {40, 0}, {1, BOTH},
             {77, BOTH}};

static void check(const way *w, const rec_problem *problem)
{
    const int specifies = !strcmp(w->solver, "reference") && w->slabs == 1;
    owned_solver *found = make(w, problem);
    owned_solver *expected = make(&(way){"reference", NULL, 1}, problem);
    owned_image naive = copy_of(problem->start);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const rec_look a = solver_advance(expected, steps[i].n, steps[i].looks);
        const rec_look b = solver_advance(found, steps[i].n, steps[i].looks);
        char what[160];
        snprintf(what, sizeof what, "%s %s, %zu slabs, %s: %zu x %zu, %zu unknown, step %zu",
                 w->solver, w->kernel ? w->kernel : "", w->slabs,
                 rec_boundaries[problem->boundary.kind].name, naive.width, naive.height,
                 problem->mask->count, i);
        if (steps[i].looks)
            assert_same_look(&a, &b, what);
        assert_same_iterate(expected, found, what);
        for (unsigned n = 0; specifies && n < steps[i].n; n++)
            naive_iterate(&naive, problem);
        owned_image now = solver_image(found);
        if (specifies)
            assert_same_bits(&naive, &now, what);
    }
}

static const size_t sizes[][2] = {{1, 2},   {1, 7},   {7, 1},    {2, 2},    {17, 64},  {64, 31},
                                  {33, 12}, {129, 9}, {130, 77}, {3, 1100}, {257, 90}, {1, 1}};

TEST_EACH(have_the_references_bits, "reference", "cpu", "cuda", "avx512-rows", "avx2-rows",
          "base-rows", "slabs of reference", "slabs of cpu", "slabs of cuda")
{
    const char *text = *state, *kernel = strstr(text, "-rows") ? text : NULL;
    const int cut = !strncmp(text, "slabs of ", 9);
    const way w = {kernel ? "cpu" : text + 9 * cut, kernel, cut ? 3 : 1};
    kernel_or_skip(w.solver, kernel);
    test_random dice = {7};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += tests_are("small") ? 3 : 1)
        for (int k = -1; k < MOVING_BOUNDARIES; k++) {
            static const int percents[] = {0, 30, 95, 60, 99};
            const int all = k < 0 && i % 3 == 0, alone = sizes[i][1] == 1 && sizes[i][0] == 1;
            const int percent = all ? 101 : percents[(i + (size_t)k + 1) % 5];
            if (alone && k >= 0) /* nothing would be known */
                continue;
            owned_puzzle m = masked(scattered(sizes[i][0], sizes[i][1], percent, &dice),
                                    i % 2 ? 1 : 3,
                                    k < 0 ? REC_BOUNDARY_HALO : moving_boundaries[k]);
            check(&w, problem_of(&m));
        }
}

/* A solver that is used again takes the new mask, and one without a mask none. */
TEST_EACH(another_mask_in_the_same_solver, "reference", "cpu", "cuda")
{
    const rec_solver_type *type = solver_or_skip(*state);
    test_random dice = {8};
    owned_solver *used = NULL;
    for (int i = 0; i < 5; i++) {
        owned_puzzle m = masked(scattered(40, 30, 20 + 15 * i, &dice), 1, REC_BOUNDARY_HALO);
        problem_of(&m);
        if (i % 4 == 0) {
            rec_image_fill(&m.edges, 1);
            m.problem.mask = NULL;
        }
        SUCCEEDS(rec_solver_renew(&used, type, &m.problem, NULL, &error));
        owned_solver *expected = make(&(way){"reference", NULL, 1}, &m.problem);
        solver_advance(expected, 5, 0);
        solver_advance(used, 5, 0);
        assert_same_iterate(expected, used, "used again");
    }
}

/* ---- the distance ---- */

/* The RMS distance from the picture over the unknown pixels. */
static double true_distance(rec_solver *solver, const case_of *m)
{
    owned_image now = solver_image(solver);
    const rec_difference difference = difference_of(&now, &m->picture);
    return difference.rms * sqrt((double)difference.samples / (double)m->mask.count);
}

/* Never below the truth; and where the unknown pixels are a box, the truth itself, once only the
 * slowest modes are left. */
TEST_EACH(the_distance_is_that_of_the_unknown_pixels, "reference", "cpu", "cuda")
{
    static const size_t boxes[][4] = {{5, 6, 9, 8},   {0, 0, 11, 9},  {0, 7, 24, 6},
                                      {16, 0, 8, 20}, {9, 9, 1, 1},   {3, 0, 12, 20},
                                      {0, 19, 24, 1}, {12, 11, 12, 9}};
    solver_or_skip(*state);
    test_random dice = {9};
    for (size_t i = 0; i < 2 * sizeof boxes / sizeof *boxes; i++)
        for (int k = -1; k < MOVING_BOUNDARIES; k++) {
            const size_t *box = boxes[i / 2];
            owned_puzzle m = masked(i % 2 ? scattered(24, 20, 80, &dice)
                                          : box_of(24, 20, box[0], box[1], box[2], box[3]),
                                    1, k < 0 ? REC_BOUNDARY_HALO : moving_boundaries[k]);
            owned_solver *solver = make(&(way){*state, NULL, 1}, problem_of(&m));
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
            else if (i % 2 == 0 && !(bound <= truth * 1.1))
                fail_msg("%s, box %zu: %g is no bound of %g", (const char *)*state, i / 2, bound,
                         truth);
            assert_int_equal(rec_solver_bounds_distance(solver), !isnan(bound));
        }
}

static rec_status open_run(const rec_problem *problem, double tolerance, rec_error *error)
{
    owned_run *run = NULL;
    const rec_run_options options = {.iterations = 10, .tolerance = tolerance, .problem = *problem,
                                     .solver = solver_or_skip("cpu")};
    return rec_run_create(&run, &options, problem->given, problem->start, error);
}

TEST(no_tolerance_without_a_bound)
{
    test_random dice = {10};
    owned_puzzle m = masked(scattered(24, 20, 80, &dice), 1, REC_BOUNDARY_MIRROR);
    FAILS(open_run(problem_of(&m), 0.5, &error), REC_USAGE, "no bound");
    SUCCEEDS(open_run(&m.problem, 0, &error));
    m.problem.boundary.kind = REC_BOUNDARY_HALO;
    SUCCEEDS(open_run(&m.problem, 0.5, &error));
}

/* ---- what is shown, and who refuses ---- */

TEST_EACH(known_pixels_have_edges_of_zero, "cpu 1", "cpu 3", "cuda 1", "cuda 3")
{
    const way w = {strstr(*state, "cuda") ? "cuda" : "cpu", NULL, strstr(*state, "3") ? 3 : 1};
    solver_or_skip(w.solver);
    test_random dice = {11};
    for (int sides = 0; sides < 2; sides++) {
        owned_puzzle m = masked(scattered(60, 40, 50, &dice), 3,
                                sides ? REC_BOUNDARY_SAWTOOTH : REC_BOUNDARY_HALO);
        owned_solver *solver = make(&w, problem_of(&m));
        owned_solver *expected = make(&(way){"reference", NULL, 1}, &m.problem);
        for (int tone = 0; tone < REC_TONES; tone++) {
            const rec_view reduced = {3, 5, 50, 31, 31, 17, (rec_tone)tone, REC_LAYER_EDGES, 1, 0};
            assert_same_view(expected, solver, &reduced);
            const rec_view view = {0, 0, 60, 40, 60, 40, (rec_tone)tone, REC_LAYER_EDGES, 1, 0};
            const rec_snapshot *seen = solver_show(solver, &view);
            assert_true(seen->high < 2000);
            for (size_t i = 0; i < 60 * 40; i++)
                assert_true(m.mask.unknown[i] || seen->pixels[i] == 128);
            rec_solver_release(solver, seen);
        }
        for (size_t i = 0; i < 60 * 40; i += 60) {
            rec_probe probe;
            SUCCEEDS(rec_solver_probe(solver, 0, i / 60, &probe, &error));
            const float edge = rec_image_row(&m.edges, 2, i / 60)[0];
            assert_true(probe.edges[2] == (m.mask.unknown[i] ? edge : 0));
        }
    }
}

static void check_refusal(const char *solver, const char *kernel, const char *instead)
{
    const rec_solver_type *type = solver_or_skip(solver);
    test_random dice = {12};
    owned_puzzle m = masked(scattered(80, 80, 50, &dice), 1, REC_BOUNDARY_HALO);
    rec_solver *made = NULL;
    const rec_solver_options options = {.kernel = kernel};
    FAILS(rec_solver_create(&made, type, problem_of(&m), &options, &error), REC_USAGE, instead);
}

TEST(other_kernels_of_the_cpu_refuse) { check_refusal("cpu", "base", "base-rows"); }

TEST_EACH(other_kernels_of_the_device_refuse, "stream", "resident", "diagonal")
{
    check_refusal("cuda", *state, "pixel");
}
