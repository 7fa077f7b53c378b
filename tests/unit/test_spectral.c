/* The spectral solver's computation on the host and on a device: pictures come back exactly,
 * iterates are those of the iteration in double, and near those of the float32 solvers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cm.h"
#include "tests/unit/spectral_pictures.h"

static rec_spectral *make(const rec_image *edges, const rec_image *start, float halo, int device)
{
    rec_spectral *spectral;
    const rec_problem problem = {.edges = edges, .start = start, .boundary.value = halo};
    SUCCEEDS(rec_spectral_create(&spectral, &problem, device, &error));
    return spectral;
}

static void solve(rec_spectral *spectral, uint64_t iteration, rec_image *image)
{
    SUCCEEDS(rec_spectral_solve(spectral, iteration, image, &error));
}

/* ---- pictures come back ---- */

static void check_picture(content what, size_t width, size_t height, size_t planes, int maxval,
                          float halo, int device)
{
    owned_image picture = make_picture(what, width, height, planes, maxval);
    owned_image edges = edges_of(&picture, halo), found = image_like(&picture);
    rec_spectral *spectral = make(&edges, NULL, halo, device);
    solve(spectral, REC_LIMIT_ITERATION, &found);
    for (size_t p = 0; p < planes; p++)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) {
                const float expected = rec_image_row(&picture, p, y)[x];
                const float value = rec_image_row(&found, p, y)[x];
                if (!(roundf(value) == expected && fabsf(value - expected) < 1e-3f))
                    fail_msg("%zu x %zu, content %d, halo %g: %.9g instead of %g at (%zu, %zu)",
                             width, height, (int)what, (double)halo, (double)value,
                             (double)expected, x, y);
            }
    rec_spectral_destroy(spectral);
}

/* Lengths with N smooth, N prime, N of large prime factors; one axis of each kind, either way
 * round. */
static const struct {
    size_t width, height;
} sizes[] = {{1, 1},    {1, 2},    {2, 1},     {1, 7},      {7, 1},     {1, 300},   {300, 1},
             {2, 2},    {3, 5},    {31, 32},   {33, 65},    {127, 131}, {128, 126}, {126, 128},
             {148, 60}, {60, 148}, {256, 255}, {255, 256},  {257, 263}, {512, 512}, {600, 840},
             {4098, 9}, {9, 4098}, {1003, 517}, {511, 130}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void check_pictures(int device)
{
    or_skip(device);
    for (size_t i = 0; i < SIZES; i++)
        for (int what = 0; what < CONTENTS; what++)
            check_picture((content)what, sizes[i].width, sizes[i].height, what == NOISE ? 3 : 1,
                          255, what == SMOOTH ? 17.25f : 0, device);
    for (size_t i = 0; i < SIZES; i++)
        check_picture(NOISE, sizes[i].width, sizes[i].height, 1, 65535, 0, device);
    check_picture(NOISE, 1500, 1531, 1, 255, 255, device);
    if (!full())
        return;
    check_picture(NOISE, 2048, 2048, 3, 255, 0, device);
    check_picture(WHITE, 4096, 4099, 1, 65535, 0, device);
    check_picture(NOISE, 16384, 16384, 1, 255, 0, device);
    check_picture(SLOPE, 1000000, 3, 1, 255, 0, device);
    check_picture(SLOPE, 3, 1000000, 1, 255, 0, device);
}

TEST(host_gives_the_picture)
{
    check_pictures(REC_SPECTRAL_HOST);
}

TEST(device_gives_the_picture)
{
    check_pictures(0);
}

/* ---- iterates ---- */

/* The iteration in double, with the halo around the planes. */
typedef struct jacobi {
    size_t width, height;
    double *m, *other; /* (height + 2) x (width + 2) */
} jacobi;

static jacobi jacobi_begin(const rec_image *start, float halo)
{
    jacobi j = {.width = start->width, .height = start->height};
    const size_t cells = (j.width + 2) * (j.height + 2);
    j.m = malloc(cells * sizeof *j.m);
    j.other = malloc(cells * sizeof *j.other);
    assert_non_null(j.m);
    assert_non_null(j.other);
    for (size_t i = 0; i < cells; i++)
        j.m[i] = j.other[i] = halo;
    for (size_t y = 0; y < j.height; y++)
        for (size_t x = 0; x < j.width; x++)
            j.m[(y + 1) * (j.width + 2) + x + 1] = rec_image_row(start, 0, y)[x];
    return j;
}

static void jacobi_iterate(jacobi *j, const rec_image *edges)
{
    const size_t stride = j->width + 2;
    for (size_t y = 0; y < j->height; y++) {
        const double *m = j->m + (y + 1) * stride + 1;
        const float *e = rec_image_row(edges, 0, y);
        double *out = j->other + (y + 1) * stride + 1;
        for (size_t x = 0; x < j->width; x++)
            out[x] = 0.25 * (m[x - 1] + m[x + 1] + m[x - stride] + m[x + stride] - (double)e[x]);
    }
    double *m = j->m;
    j->m = j->other;
    j->other = m;
}

/* Both round to float32 at the end: a difference of 1e-9 may turn that the other way, never
 * further. */
static void compare_iterate(const jacobi *j, const rec_image *found, uint64_t n)
{
    for (size_t y = 0; y < j->height; y++)
        for (size_t x = 0; x < j->width; x++) {
            const double expected = j->m[(y + 1) * (j->width + 2) + x + 1];
            const float value = rec_image_row(found, 0, y)[x];
            if (!((float)(expected - 1e-9) <= value && value <= (float)(expected + 1e-9)))
                fail_msg("%zu x %zu, N = %llu: %.12g instead of %.12g at (%zu, %zu)", j->width,
                         j->height, (unsigned long long)n, (double)value, expected, x, y);
        }
}

static void check_iterates(size_t width, size_t height, float halo, int own_start, uint64_t most,
                           int device)
{
    static const uint64_t totals[] = {0, 1, 2, 17, 1000, 100000};
    owned_image picture = make_picture(NOISE, width, height, 1, 255);
    owned_image edges = edges_of(&picture, 0), found = image_like(&picture);
    owned_image start = problem_picture(width, height, 1, 3);
    rec_spectral *spectral = make(&edges, own_start ? &start : NULL, halo, device);
    jacobi j = jacobi_begin(own_start ? &start : &edges, halo);
    uint64_t done = 0;
    for (size_t i = 0; i < sizeof totals / sizeof *totals && totals[i] <= most; i++) {
        for (; done < totals[i]; done++)
            jacobi_iterate(&j, &edges);
        solve(spectral, done, &found);
        compare_iterate(&j, &found, done);
    }
    free(j.m);
    free(j.other);
    rec_spectral_destroy(spectral);
}

static void check_all_iterates(int device)
{
    or_skip(device);
    check_iterates(1, 1, 0, 0, 100000, device);
    check_iterates(1, 2, 3.5f, 1, 100000, device);
    check_iterates(9, 1, 0, 1, 100000, device);
    check_iterates(48, 48, 255, 0, 100000, device);
    check_iterates(63, 130, 17.25f, 1, 100000, device);
    check_iterates(130, 63, 0, 1, full() ? 100000 : 1000, device);
    check_iterates(257, 512, 0, 0, full() ? 100000 : 17, device);
    check_iterates(512, 512, 100, 1, full() ? 100000 : 1000, device);
}

TEST(host_gives_the_iterates)
{
    check_all_iterates(REC_SPECTRAL_HOST);
}

TEST(device_gives_the_iterates)
{
    check_all_iterates(0);
}

/* What float32 loses is bounded by its rounding times the iterations that it lasts. */
static void check_against_float(size_t width, size_t height, uint64_t n, int device)
{
    owned_image picture = problem_picture(width, height, 1, 4);
    owned_image edges = edges_of(&picture, 0), found = image_like(&picture);
    rec_spectral *spectral = make(&edges, NULL, 0, device);
    owned_solver *solver = solver_make(solver_or_skip("cpu"), &edges, NULL, 0);
    solver_advance(solver, n, 0);
    owned_image iterated = solver_image(solver);
    solve(spectral, n, &found);
    const double along_x = sin(M_PI / 2 / (double)(width + 1));
    const double along_y = sin(M_PI / 2 / (double)(height + 1));
    const double gap = along_x * along_x + along_y * along_y; /* 1 - rho */
    double largest = 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            largest = fmax(largest, fabs((double)rec_image_row(&iterated, 0, y)[x]));
    rec_difference difference;
    SUCCEEDS(rec_image_compare(&iterated, &found, 255, &difference, &error));
    const double most = 3 * ldexp(1, -24) * largest * fmin((double)n, 1 / gap);
    if (!(difference.rms <= most))
        fail_msg("%zu x %zu, N = %llu: %g RMS from the float32 solver, more than %g", width, height,
                 (unsigned long long)n, difference.rms, most);
    rec_spectral_destroy(spectral);
}

static void check_against_floats(int device)
{
    or_skip(device);
    for (uint64_t n = 1; n <= 10000; n *= 10) {
        check_against_float(60, 45, n, device);
        check_against_float(192, 256, n, device);
    }
}

TEST(host_is_near_the_float_solvers)
{
    check_against_floats(REC_SPECTRAL_HOST);
}

TEST(device_is_near_the_float_solvers)
{
    check_against_floats(0);
}

/* ---- the far end, and what is refused ---- */

/* After 2^53 iterations nothing but the limit is left; an odd N of a lone pixel is the limit at
 * once. */
TEST(many_iterations_are_the_limit)
{
    or_skip(REC_SPECTRAL_HOST);
    const size_t sides[][2] = {{1, 1}, {5, 4}, {64, 64}, {63, 200}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        owned_image edges = problem_noise(sides[i][0], sides[i][1], 1, 1020, 8);
        owned_image limit = image_like(&edges), iterate = image_like(&edges);
        rec_spectral *spectral = make(&edges, NULL, 12, REC_SPECTRAL_HOST);
        solve(spectral, REC_LIMIT_ITERATION, &limit);
        solve(spectral, REC_MOST_ITERATIONS, &iterate);
        rec_difference difference;
        SUCCEEDS(rec_image_compare(&limit, &iterate, 255, &difference, &error));
        assert_true(difference.maximum < 1e-2); /* float32 of values up to some 10^5 */
        assert_true(difference.rms < 1e-4);
        rec_spectral_destroy(spectral);
    }
}

TEST(more_iterations_than_a_double_counts_are_refused)
{
    or_skip(REC_SPECTRAL_HOST);
    owned_image edges = problem_noise(8, 8, 1, 10, 1), found = image_like(&edges);
    rec_spectral *spectral = make(&edges, NULL, 0, REC_SPECTRAL_HOST);
    FAILS(rec_spectral_solve(spectral, REC_MOST_ITERATIONS + 1, &found, &error), REC_USAGE, "2^53");
    rec_spectral_destroy(spectral);
}

/* The axis whose N is kind to the FFT is the one that the limit transforms. */
TEST(the_cheaper_axis_is_transformed)
{
    or_skip(REC_SPECTRAL_HOST);
    const struct {
        size_t width, height;
        const char *method;
    } cases[] = {{63, 100, "rows by FFT of 64, columns tridiagonal"},
                 {100, 63, "columns by FFT of 64, rows tridiagonal"},
                 {256, 256, "rows by FFT of 512 (padded), columns tridiagonal"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        owned_image edges = problem_noise(cases[i].width, cases[i].height, 1, 10, 1);
        rec_spectral *spectral = make(&edges, NULL, 0, REC_SPECTRAL_HOST);
        rec_spectral_info info;
        rec_spectral_get_info(spectral, &info);
        assert_string_equal(info.method, cases[i].method);
        rec_spectral_destroy(spectral);
    }
}

/* Edges, result, transforms and the FFT's workspace: at most 6 planes of doubles a channel, but for
 * the tables and pitches of small images. */
TEST(the_device_keeps_within_six_planes)
{
    or_skip(0);
    const size_t sides[] = {500, 1024, 2046, 2048};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int own_start = 0; own_start < 2; own_start++) {
            owned_image edges = problem_noise(sides[i], sides[i], 1, 10, 1);
            owned_image start = problem_noise(sides[i], sides[i], 1, 10, 2);
            rec_spectral *spectral = make(&edges, own_start ? &start : NULL, 0, 0);
            solve(spectral, REC_LIMIT_ITERATION, NULL);
            solve(spectral, 1000, NULL);
            rec_spectral_info info;
            rec_spectral_get_info(spectral, &info);
            const double planes =
                (double)info.device_bytes / (8.0 * (double)sides[i] * (double)sides[i]);
            if (!(planes <= 6))
                fail_msg("%zu x %zu takes %.2f planes of doubles", sides[i], sides[i], planes);
            rec_spectral_destroy(spectral);
        }
}
