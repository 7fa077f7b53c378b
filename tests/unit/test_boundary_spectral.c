/* The spectral solver with the boundaries that change with the iterate: pictures come back exactly,
 * iterates are those of a plain loop in double, and near the float32 solvers'. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cm.h"
#include "tests/unit/spectral_pictures.h"
#include "tests/unit/support.h"

static const double any_means[3] = {31.25, -7, 1000.125};

static rec_boundary_kind kind; /* that is tried */

#define FOR_EACH_KIND \
    for (int k = 0; k < MOVING_BOUNDARIES && (kind = moving_boundaries[k], 1); k++)

static int device = REC_SPECTRAL_HOST; /* that the pictures are made on */

static void use(const char *place)
{
    device = strcmp(place, "device") ? REC_SPECTRAL_HOST : 0;
    or_skip(device);
}

static rec_spectral *make(const rec_image *edges, const rec_image *start, const double *means)
{
    rec_spectral *spectral;
    owned_image folded;
    SUCCEEDS(rec_image_copy(&folded, edges, &error));
    rec_boundary_fold(kind, &folded);
    rec_problem problem = {.edges = &folded,
                           .start = kind == REC_BOUNDARY_SAWTOOTH && !start ? edges : start,
                           .boundary = {.kind = kind, .value = 12345}};
    if (means) {
        problem.boundary.mean_count = 3;
        memcpy(problem.boundary.means, means, sizeof problem.boundary.means);
    }
    SUCCEEDS(rec_spectral_create(&spectral, &problem, device, &error));
    return spectral;
}

static void solve(rec_spectral *spectral, uint64_t iteration, rec_image *image)
{
    SUCCEEDS(rec_spectral_solve(spectral, iteration, image, &error));
}

/* ---- the limit ---- */

static void check_picture(content what, size_t width, size_t height, size_t planes, int maxval)
{
    owned_image picture = make_picture(what, width, height, planes, maxval);
    owned_image edges = problem_edges(&picture, kind), found = image_like(&picture);
    double means[3], worst = 0;
    for (size_t p = 0; p < planes; p++)
        means[p] = rec_image_mean(&picture, p);
    rec_spectral *spectral = make(&edges, NULL, means);
    solve(spectral, REC_LIMIT_ITERATION, &found);
    for (size_t p = 0; p < planes; p++)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                worst = fmax(worst, fabs((double)rec_image_row(&found, p, y)[x] -
                                         (double)rec_image_row(&picture, p, y)[x]));
    if (!(worst < 1e-6))
        fail_msg("%s, %zu x %zu, content %d, maxval %d: %g from the picture",
                 rec_boundary_names[kind], width, height, (int)what, maxval, worst);
    rec_spectral_destroy(spectral);
}

TEST_EACH(the_picture_comes_back, "host", "device")
{
    use(*state);
    static const size_t sizes[][2] = {{1, 1},   {1, 2},    {2, 1},    {1, 97},   {131, 1},
                                      {2, 3},   {8, 8},    {61, 67},  {100, 80}, {127, 257},
                                      {512, 3}, {257, 64}, {251, 241}};
    FOR_EACH_KIND {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (content what = NOISE; what < CONTENTS; what++)
                for (size_t planes = 1; planes <= 3; planes += 2) {
                    check_picture(what, sizes[i][0], sizes[i][1], planes, 255);
                    check_picture(what, sizes[i][0], sizes[i][1], planes, 65535);
                }
        check_picture(NOISE, 1031, 2048, 1, 255);
        if (full())
            for (content what = NOISE; what < CONTENTS; what++)
                check_picture(what, 8192, 4099, 1, 255);
    }
}

/* The mean is the one asked for, or the start's. */
static void check_means(void)
{
    owned_image picture = make_picture(NOISE, 73, 50, 3, 255);
    owned_image edges = problem_edges(&picture, kind), found = image_like(&picture);
    owned_image start = problem_picture(73, 50, 3, 12);
    for (int i = 0; i < 4; i++) {
        rec_spectral *spectral = make(&edges, i & 1 ? &start : NULL, i & 2 ? any_means : NULL);
        solve(spectral, REC_LIMIT_ITERATION, &found);
        for (size_t p = 0; p < 3; p++) {
            const double mean = i & 2   ? any_means[p]
                                : i & 1 ? rec_image_mean(&start, p)
                                        : rec_image_mean(&edges, p);
            const double shift = mean - rec_image_mean(&picture, p);
            for (size_t y = 0; y < 50; y++)
                for (size_t x = 0; x < 73; x++)
                    assert_true(fabs((double)rec_image_row(&found, p, y)[x] -
                                     (double)rec_image_row(&picture, p, y)[x] - shift) < 1e-3);
            assert_true(fabs(rec_image_mean(&found, p) - mean) < 1e-4);
        }
        rec_spectral_destroy(spectral);
    }
}

TEST_EACH(the_mean_is_free, "host", "device")
{
    use(*state);
    FOR_EACH_KIND
    if (rec_boundary_frees_mean(kind))
        check_means();
}

/* ---- iterates ---- */

static double sample(const double *m, const rec_image *edges, long x, long y)
{
    const long width = (long)edges->width, height = (long)edges->height;
    if (kind == REC_BOUNDARY_SAWTOOTH && (x < 0 || x >= width))
        return (double)beyond(edges, kind, 0, x, y);
    if (kind == REC_BOUNDARY_MIRROR) {
        x = x < 0 ? 0 : x < width ? x : width - 1;
        y = y < 0 ? 0 : y < height ? y : height - 1;
    }
    return m[(y + height) % height * width + (x + width) % width];
}

static void jacobi_iterate(double **m, double **other, const rec_image *edges)
{
    const long width = (long)edges->width, height = (long)edges->height;
    for (long y = 0; y < height; y++)
        for (long x = 0; x < width; x++)
            (*other)[y * width + x] =
                0.25 * (sample(*m, edges, x, y - 1) + sample(*m, edges, x, y + 1) +
                        sample(*m, edges, x - 1, y) + sample(*m, edges, x + 1, y) -
                        (double)rec_image_row(edges, 0, (size_t)y)[x]);
    double *made = *other;
    *other = *m;
    *m = made;
}

/* An edge more than a picture has makes the mean drift. */
static void check_iterates(size_t width, size_t height, int own_start, float unbalanced,
                           uint64_t most)
{
    static const uint64_t totals[] = {0, 1, 2, 17, 1000, 100000};
    owned_image picture = make_picture(NOISE, width, height, 1, 255);
    owned_image edges = problem_edges(&picture, kind), found = image_like(&picture);
    owned_image start = problem_picture(width, height, 1, 3);
    rec_image_row(&edges, 0, 0)[0] += unbalanced;
    rec_spectral *spectral = make(&edges, own_start ? &start : NULL, any_means);
    double *m = malloc(width * height * sizeof *m), *other = malloc(width * height * sizeof *m);
    assert_non_null(m);
    assert_non_null(other);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            m[y * width + x] = rec_image_row(own_start ? &start : &edges, 0, y)[x];
    uint64_t done = 0;
    for (size_t i = 0; i < sizeof totals / sizeof *totals && totals[i] <= most; i++) {
        for (; done < totals[i]; done++)
            jacobi_iterate(&m, &other, &edges);
        solve(spectral, done, &found);
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) {
                /* Both round to float32: 1e-9 may turn that the other way, never further. */
                const double expected = m[y * width + x];
                const float value = rec_image_row(&found, 0, y)[x];
                if (!((float)(expected - 1e-9) <= value && value <= (float)(expected + 1e-9)))
                    fail_msg("%s, %zu x %zu, N = %llu: %.12g instead of %.12g at (%zu, %zu)",
                             rec_boundary_names[kind], width, height, (unsigned long long)done,
                             (double)value, expected, x, y);
            }
    }
    free(m);
    free(other);
    rec_spectral_destroy(spectral);
}

TEST_EACH(iterates_are_those_of_a_loop, "host", "device")
{
    use(*state);
    FOR_EACH_KIND {
        check_iterates(1, 1, 0, 0, 100000);
        check_iterates(1, 1, 1, 0.5f, 1000);
        check_iterates(1, 2, 1, 0, 100000);
        check_iterates(9, 1, 1, 0.25f, 1000);
        check_iterates(2, 2, 0, 0, 100000);
        check_iterates(24, 20, 0, 0, 100000);
        check_iterates(63, 130, 1, 0, full() ? 100000 : 1000);
        check_iterates(131, 64, 1, 8, 1000);
        check_iterates(512, 509, 0, 0, full() ? 100000 : 17);
    }
}

static void check_float_solver(void)
{
    static const uint64_t totals[] = {1, 17, 500, 5000};
    owned_image picture = problem_picture(120, 75, 1, 4);
    owned_image edges = problem_edges(&picture, kind), found = image_like(&picture);
    owned_image start = problem_picture(120, 75, 1, 9);
    rec_spectral *spectral = make(&edges, &start, NULL);
    const double half = M_PI / 240, gap = sin(half) * sin(half); /* 1 - rho */
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        owned_solver *solver;
        const rec_problem problem = {
            .edges = &edges, .start = &start, .boundary.kind = kind};
        SUCCEEDS(rec_solver_create(&solver, solver_or_skip("cpu"), &problem, NULL, &error));
        solver_advance(solver, totals[i], 0);
        owned_image iterated = solver_image(solver);
        solve(spectral, totals[i], &found);
        rec_difference difference;
        SUCCEEDS(rec_image_compare(&iterated, &found, 255, &difference, &error));
        const double lasting = fmin((double)totals[i], 1 / gap);
        if (!(difference.rms <= 3 * ldexp(1, -24) * 255 * lasting))
            fail_msg("N = %d: %g RMS apart", (int)totals[i], difference.rms);
    }
    rec_spectral_destroy(spectral);
}

TEST_EACH(float_solvers_are_near, "host", "device")
{
    use(*state);
    FOR_EACH_KIND
    check_float_solver();
}

/* ---- the solver around it ---- */

TEST(the_distance_leaves_the_mean_out)
{
    const rec_solver_type *type = solver_or_skip("spectral");
    or_skip(REC_SPECTRAL_HOST);
    kind = REC_BOUNDARY_MIRROR;
    owned_image picture = problem_picture(40, 30, 1, 4), edges = problem_edges(&picture, kind);
    owned_solver *solver;
    rec_problem problem = {.edges = &edges,
                           .boundary = {.kind = REC_BOUNDARY_MIRROR, .mean_count = 3}};
    memcpy(problem.boundary.means, any_means, sizeof any_means);
    SUCCEEDS(rec_solver_create(&solver, type, &problem, NULL, &error));
    rec_solver_info info;
    rec_solver_get_info(solver, &info);
    assert_string_equal(info.kernel, "fftw");
    double before = 1e9;
    for (int i = 0; i < 4; i++) {
        const rec_look look = solver_advance(solver, 3000, REC_LOOK_DISTANCE);
        assert_true(look.distance_rms < before);
        before = look.distance_rms + 1e-9;
    }
    assert_true(before < 1e-3); /* the means are 31 apart */
}
