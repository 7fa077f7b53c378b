/* Boundaries in the stencil solvers: against a plain loop and against each other, bit for bit; of
 * all of them the bound on the distance to the limit, and that it is reached. */
#include "tests/unit/problems.h"

static rec_boundary_kind kind; /* the one that is tried */

#define FOR_EACH_KIND \
    for (int k = 0; k < MOVING_BOUNDARIES && (kind = moving_boundaries[k], 1); k++)
/* And the constant one, 0. */
#define FOR_ALL_KINDS \
    for (int k = -1; \
         k < MOVING_BOUNDARIES && (kind = k < 0 ? REC_BOUNDARY_HALO : moving_boundaries[k], 1); k++)

/* ---- a plain loop ---- */

/* Fixed values are folded into the edges, and then stand for 0. */
static float folded(const rec_image *edges, size_t p, long x, long y)
{
    float edge = rec_image_row(edges, p, (size_t)y)[x];
    if (kind == REC_BOUNDARY_SAWTOOTH && x == 0)
        edge -= beyond(edges, kind, p, -1, y);
    if (kind == REC_BOUNDARY_SAWTOOTH && x + 1 == (long)edges->width)
        edge -= beyond(edges, kind, p, x + 1, y);
    return edge;
}
static float around(const rec_image *m, size_t p, long x, long y)
{
    const int outside = x < 0 || x >= (long)m->width;
    return kind == REC_BOUNDARY_SAWTOOTH && outside ? 0 : beyond(m, kind, p, x, y);
}

static void naive_iterate(rec_image *m, const rec_image *edges)
{
    rec_image next = new_image(m->width, m->height, m->planes);
    EACH_SAMPLE(long, p, y, x, m->planes, (long)m->height, (long)m->width) {
        const float up = around(m, p, x, y - 1), left = around(m, p, x - 1, y);
        const float right = around(m, p, x + 1, y), down = around(m, p, x, y + 1);
        const float before = up + left, behind = right + down, sum = before + behind;
        rec_image_row(&next, p, (size_t)y)[x] = fmaf(0.25f, sum, -0.25f * folded(edges, p, x, y));
    }
    rec_image_destroy(m);
    *m = next;
}

/* NULL where the kernel is not here. A moving boundary uses no halo: a solver that reads it
 * shows. */
static rec_solver *make(const char *name, const char *kernel, const rec_image *edges,
                        const rec_image *start)
{
    const rec_problem problem = {
        .given = edges,
        .start = start,
        .boundary = {.kind = kind, .value = kind == REC_BOUNDARY_HALO ? 0 : 12345}};
    return solver_of_kernel(name, kernel, &problem);
}

/* ---- bits ---- */

static const uint64_t totals[] = {0, 1, 2, 3, 9, 50, 101};
enum { TOTALS = sizeof totals / sizeof *totals };

static const size_t sizes_of_bits[][2] = {{1, 1},   {1, 7},    {7, 1},    {2, 2},   {2, 1},
                                          {15, 33}, {17, 64},  {64, 97},  {65, 31}, {113, 100},
                                          {33, 2},  {192, 70}, {3, 1100}, {403, 57}};
enum { SIZES = sizeof sizes_of_bits / sizeof *sizes_of_bits };

/* Advances and looks of several lengths, from the start to each total: the reference does as the
 * plain loop, the others as the reference. */
static void check_bits(const char *name, const char *kernel, const rec_image *edges,
                      const rec_image *start)
{
    owned_solver *solver = make(name, kernel, edges, start);
    owned_solver *reference = kernel || strcmp(name, "reference")
                                  ? make("reference", NULL, edges, start)
                                  : NULL;
    uint64_t done = 0;
    owned_image expected = copy_of(start ? start : edges);
    for (size_t i = 0; i < TOTALS; i++) {
        const uint64_t n = totals[i] - done;
        char what[128];
        done = totals[i];
        snprintf(what, sizeof what, "%s %s, %s: %zu x %zu, %zu planes, N = %d", name,
                 kernel ? kernel : "", rec_boundaries[kind].name, edges->width, edges->height,
                 edges->planes, (int)done);
        const unsigned looks = i % 2 ? REC_LOOK_CHANGE | REC_LOOK_DISTANCE : 0;
        const rec_look look = solver_advance(solver, n, looks);
        if (reference) {
            const rec_look expected_look = solver_advance(reference, n, looks);
            assert_same_look(&expected_look, &look, what);
            assert_same_iterate(reference, solver, what);
            continue;
        }
        owned_image before = copy_of(&expected);
        for (uint64_t j = 0; j < n; j++) {
            rec_image_destroy(&before);
            before = copy_of(&expected);
            naive_iterate(&expected, edges);
        }
        owned_image found = solver_image(solver);
        assert_same_bits(&expected, &found, what);
        const double rms = worst_rms(&expected, &before, REC_BOUNDARY_HALO);
        if (looks)
            assert_true(fabs(look.change_rms - rms) <= 1e-12 * rms &&
                        look.change_max == difference_of(&expected, &before).maximum);
    }
}

TEST_EACH(gives_the_bits, "reference", "cpu", "cuda", "avx512-rows", "avx2-rows", "base-rows")
{
    const char *kernel = strstr(*state, "-rows") ? *state : NULL;
    const char *name = kernel ? "cpu" : *state;
    kernel_or_skip(name, kernel);
    FOR_ALL_KINDS
    for (size_t i = 0; i < SIZES; i++)
        for (size_t planes = 1; planes <= (tests_are("small") ? 1 : 3); planes += 2) {
            const size_t width = sizes_of_bits[i][0], height = sizes_of_bits[i][1];
            owned_image picture = problem_noise(width, height, planes, 255, (unsigned)(width + i));
            owned_image edges = problem_edges(&picture, kind);
            owned_image start = problem_noise(width, height, planes, 100, 77);
            check_bits(name, kernel, &edges, NULL);
            check_bits(name, kernel, &edges, &start);
        }
}

TEST(cpu_gives_the_bits_with_any_threads)
{
    FOR_EACH_KIND
    for (int threads = 1; threads <= 5; threads++) {
        owned_image edges = problem_noise(77, 61, 1, 1020, 9);
        const int before = use_threads(threads);
        check_bits("cpu", NULL, &edges, NULL);
        use_threads(before);
    }
}

static void check_refusal(const rec_solver_type *type, const char *kernel, const char *instead)
{
    FOR_EACH_KIND {
        owned_image edges = problem_noise(80, 80, 1, 0, 1);
        rec_solver *solver;
        const rec_problem problem = {.given = &edges, .boundary.kind = kind};
        const rec_solver_options options = {.kernel = kernel};
        FAILS(rec_solver_create(&solver, type, &problem, &options, &error), REC_UNAVAILABLE,
              instead);
    }
}

TEST(cpu_kernels_that_block_in_time_are_refused)
{
    check_refusal(solver_or_skip("cpu"), "base", "base-rows");
}

TEST(cuda_goes_pixel_by_pixel)
{
    const rec_solver_type *type = solver_or_skip("cuda");
    owned_image edges = problem_noise(80, 80, 1, 0, 1);
    static const char *const kernels[] = {NULL, "pixel"};
    FOR_EACH_KIND
    for (int i = 0; i < 2; i++) {
        owned_solver *solver = make("cuda", kernels[i], &edges, NULL);
        assert_string_equal(info_of(solver).kernel, "pixel");
    }
    check_refusal(type, "stream", "pixel");
    check_refusal(type, "resident", "pixel");
}

/* ---- looks ---- */

/* |mu| of mode p of each axis is the mean of these cosines. */
static double cosine_of(rec_beyond beyond_it, size_t p, size_t n)
{
    return beyond_it == REC_FIXED      ? cos((double)(p + 1) * M_PI / (double)(n + 1))
           : beyond_it == REC_MIRRORED ? cos((double)p * M_PI / (double)n)
                                       : cos(2 * (double)p * M_PI / (double)n);
}

/* r at a place that may be outside. */
static double residual_at(const double *r, const rec_image *m, long x, long y)
{
    const long width = (long)m->width, height = (long)m->height;
    const int beside = x < 0 || x >= width, above = y < 0 || y >= height;
    if ((beside && rec_boundaries[kind].x == REC_FIXED) ||
        (above && rec_boundaries[kind].y == REC_FIXED))
        return 0;
    if (kind == REC_BOUNDARY_MIRROR) {
        x = x < 0 ? 0 : x < width ? x : width - 1;
        y = y < 0 ? 0 : y < height ? y : height - 1;
    }
    return r[(y + height) % height * width + (x + width) % width];
}

/* The distance by its definition, in double: |J(J(M)) - M| without a free mean, by the largest |mu|
 * of the modes that decay, which are all tried. */
static double defined_distance(const rec_image *m, const rec_image *edges)
{
    const long width = (long)m->width, height = (long)m->height;
    const double count = (double)width * (double)height;
    double *r = malloc((size_t)(width * height) * sizeof *r), sum = 0, squares = 0, rho = 0;
    assert_non_null(r);
    EACH_PIXEL(long, y, x, height, width)
        r[y * width + x] =
            0.25 * ((double)around(m, 0, x - 1, y) + (double)around(m, 0, x + 1, y) +
                    (double)around(m, 0, x, y - 1) + (double)around(m, 0, x, y + 1) -
                    (double)folded(edges, 0, x, y)) - (double)around(m, 0, x, y);
    EACH_PIXEL(long, y, x, height, width) {
        const double d = r[y * width + x] +
                         0.25 * (residual_at(r, m, x, y - 1) + residual_at(r, m, x - 1, y) +
                                 residual_at(r, m, x + 1, y) + residual_at(r, m, x, y + 1));
        sum += d;
        squares += d * d;
    }
    for (size_t p = 0; p < m->height; p++)
        for (size_t q = 0; q < m->width; q++) {
            const double mu = fabs(cosine_of(rec_boundaries[kind].y, p, m->height) +
                                   cosine_of(rec_boundaries[kind].x, q, m->width)) / 2;
            rho = mu < 1 - 1e-12 ? fmax(rho, mu) : rho;
        }
    free(r);
    const double mean = rec_boundary_frees_mean(kind) ? sum / count : 0;
    return sqrt(fmax(squares / count - mean * mean, 0)) / (1 - rho * rho);
}

TEST_EACH(the_distance_is_as_defined, "reference", "cpu", "cuda")
{
    solver_or_skip(*state);
    FOR_ALL_KINDS
    for (size_t i = 0; i < SIZES; i++)
        for (int unbalanced = 0; unbalanced < 2; unbalanced++) {
            owned_image picture = problem_noise(sizes_of_bits[i][0], sizes_of_bits[i][1], 1, 255,
                                                4);
            owned_image edges = problem_edges(&picture, kind);
            rec_image_row(&edges, 0, 0)[0] += (float)unbalanced;
            owned_image start = problem_noise(picture.width, picture.height, 1, 99, 5);
            owned_solver *solver = make(*state, NULL, &edges, &start);
            const rec_look look = solver_advance(solver, 3, REC_LOOK_DISTANCE);
            owned_image m = solver_image(solver);
            const double expected = defined_distance(&m, &edges);
            if (!(fabs(look.distance_rms - expected) <= 1e-6 * expected + 1e-7))
                fail_msg("%s, %zu x %zu: %.12g instead of %.12g", rec_boundaries[kind].name,
                         m.width, m.height, look.distance_rms, expected);
            if (m.width * m.height == 1 && rec_boundary_frees_mean(kind))
                assert_true(look.distance_rms == 0);
        }
}

/* The limit is the picture but for its mean, so the true distance is known. */
TEST_EACH(the_distance_is_never_below_the_true_one, "reference", "cpu", "cuda")
{
    solver_or_skip(*state);
    static const size_t sizes[][2] = {{1, 40}, {33, 1}, {2, 2}, {24, 31}, {40, 12}};
    static const uint64_t steps[] = {0, 1, 1, 8, 90, 900, 9000, 20000};
    FOR_ALL_KINDS
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        owned_image picture = problem_picture(sizes[i][0], sizes[i][1], 1, 21);
        owned_image edges = problem_edges(&picture, kind);
        owned_solver *solver = make(*state, NULL, &edges, NULL);
        double first = 0, last = 0;
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            const rec_look look = solver_advance(solver, steps[s], REC_LOOK_DISTANCE);
            owned_image m = solver_image(solver);
            last = worst_rms(&m, &picture, kind);
            first = s ? first : last;
            if (!(look.distance_rms >= last - 1e-9))
                fail_msg("%zu x %zu: %.12g, the true distance is %.12g", m.width, m.height,
                         look.distance_rms, last);
            if (rec_boundary_frees_mean(kind)) /* the start's mean: 0 */
                assert_true(fabs(rec_image_mean(&m, 0)) < 1e-2);
        }
        if (!(last < 1e-2 && first > 1))
            fail_msg("%s, %zu x %zu: from %g to %g", rec_boundaries[kind].name, sizes[i][0],
                     sizes[i][1], first, last);
    }
}
