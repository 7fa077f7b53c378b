/* The spectral solver's computation on the host and on a device, with every boundary: pictures come
 * back exactly, iterates are those of a plain loop in double, and near the float32 solvers'.
 * RECONSTRUCT_TESTS=full runs the large sizes too, small leaves out what takes long. */
#include "tests/unit/problems.h"

static int full(void) { return tests_are("full"); }

static const double any_means[3] = {31.25, -7, 1000.125};

static rec_boundary_kind kind; /* that is tried, */
static float halo;             /* its constant, */
static const char *kernel;     /* and by which kernel */

static const rec_boundary_kind kinds[] = {REC_BOUNDARY_HALO, REC_BOUNDARY_MIRROR,
                                          REC_BOUNDARY_WRAP, REC_BOUNDARY_SAWTOOTH,
                                          REC_BOUNDARY_CYLINDER};
#define FOR_EACH_KIND for (size_t k = 0; k < COUNT(kinds) && (kind = kinds[k], 1); k++)

static void use(const char *place)
{
    kernel = strcmp(place, "device") ? "fftw" : "cuda";
    kernel_or_skip("spectral", kernel);
}

/* What is not used is far off: a solver that reads it shows. */
static rec_solver *make(const rec_image *edges, const rec_image *start, const double *means)
{
    rec_problem problem = {
        .input = edges,
        .start = start,
        .boundary = {.kind = kind, .value = kind == REC_BOUNDARY_HALO ? halo : 12345}};
    if (means && kind != REC_BOUNDARY_HALO) {
        problem.boundary.mean_count = 3;
        memcpy(problem.boundary.means, means, sizeof problem.boundary.means);
    }
    return solver_of_kernel("spectral", kernel, &problem);
}

static rec_solver *make_in_halo(const rec_image *edges, const rec_image *start, float value)
{
    kind = REC_BOUNDARY_HALO;
    halo = value;
    return make(edges, start, NULL);
}

static rec_image edges_within(const rec_image *picture)
{
    return problem_edges_in(picture, kind, halo);
}

/* ---- the limit ---- */

static void check_picture(content what, size_t width, size_t height, size_t planes, int maxval)
{
    halo = maxval > 255 ? 255 : what == SMOOTH ? 17.25f : 0;
    owned_image picture = problem_content(what, width, height, planes, maxval);
    owned_image edges = edges_within(&picture);
    double means[3];
    for (size_t p = 0; p < planes; p++)
        means[p] = rec_image_mean(&picture, p);
    owned_solver *spectral = make(&edges, NULL, means);
    owned_image found = solver_image_at(spectral, REC_LIMIT_ITERATION);
    const double worst = difference_of(&found, &picture).maximum;
    if (!(worst < (kind == REC_BOUNDARY_HALO ? 1e-3 : 1e-6 * maxval / 255)))
        fail_msg("%s, %zu x %zu, content %d, maxval %d: %g from the picture",
                 rec_boundaries[kind].name, width, height, (int)what, maxval, worst);
}

/* Lengths with N smooth, N prime, N of large prime factors; one axis of each kind, either way
 * round. */
TEST_EACH(the_picture_comes_back, "host", "device")
{
    use(*state);
    static const size_t sizes[][2] = {
        {1, 1},     {1, 2},     {2, 1},     {1, 300},   {131, 1},   {2, 2},     {2, 3},
        {3, 5},     {8, 8},     {31, 32},   {33, 65},   {61, 67},   {127, 131}, {128, 126},
        {126, 128}, {148, 60},  {60, 148},  {512, 3},   {100, 80},  {256, 255}, {255, 256},
        {127, 257}, {257, 263}, {512, 512}, {600, 840}, {4098, 9},  {9, 4098},  {1003, 517},
        {511, 130}, {1024, 5},  {5, 1024},  {1023, 6},  {2046, 33}, {2048, 3},  {16384, 2},
        {16390, 1}, {36, 40},   {130, 136}, {2048, 36}, {2050, 46}};
    FOR_EACH_KIND {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            const size_t width = sizes[i][0], height = sizes[i][1];
            const int small = tests_are("small"), large = width * height > 30000;
            const int part = small || (large && kind != REC_BOUNDARY_HALO);
            if (large && small)
                continue;
            for (content what = NOISE; what < (part ? SMOOTH : CONTENTS); what++)
                check_picture(what, width, height, what == NOISE ? 3 : 1, 255);
            check_picture(NOISE, width, height, 1, 65535);
        }
        if (!tests_are("small"))
            check_picture(NOISE, 1031, 2048, 1, 255);
        for (content what = NOISE; full() && what < CONTENTS; what++)
            check_picture(what, 8192, 4099, 1, 255);
    }
    if (!full())
        return;
    kind = REC_BOUNDARY_HALO;
    check_picture(NOISE, 2048, 2048, 3, 255);
    check_picture(WHITE, 4096, 4099, 1, 65535);
    check_picture(NOISE, 16384, 16384, 1, 255);
    check_picture(SLOPE, 1000000, 3, 1, 255);
    check_picture(SLOPE, 3, 1000000, 1, 255);
}

/* The mean is the one asked for, or the start's. */
static void check_means(void)
{
    owned_image picture = problem_content(NOISE, 73, 50, 3, 255);
    owned_image edges = problem_edges(&picture, kind);
    owned_image start = problem_picture(73, 50, 3, 12);
    for (int i = 0; i < 4; i++) {
        owned_solver *spectral = make(&edges, i & 1 ? &start : NULL, i & 2 ? any_means : NULL);
        owned_image found = solver_image_at(spectral, REC_LIMIT_ITERATION);
        for (size_t p = 0; p < 3; p++) {
            const double mean = i & 2   ? any_means[p]
                                : i & 1 ? rec_image_mean(&start, p)
                                        : rec_image_mean(&edges, p);
            const double shift = mean - rec_image_mean(&picture, p);
            EACH_PIXEL(size_t, y, x, 50, 73)
                assert_true(fabs((double)rec_image_row(&found, p, y)[x] -
                                 (double)rec_image_row(&picture, p, y)[x] - shift) < 1e-3);
            assert_true(fabs(rec_image_mean(&found, p) - mean) < 1e-4);
        }
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

/* An edge more than a picture has makes the mean drift. */
static void check_iterates(size_t width, size_t height, int own_start, float unbalanced,
                           uint64_t most)
{
    static const uint64_t totals[] = {0, 1, 2, 17, 1000, 100000};
    halo = own_start ? 17.25f : 0;
    owned_image picture = problem_content(NOISE, width, height, 1, 255);
    owned_image edges = edges_within(&picture);
    owned_image start = problem_picture(width, height, 1, 3);
    rec_image_row(&edges, 0, 0)[0] += unbalanced;
    owned_solver *spectral = make(&edges, own_start ? &start : NULL, any_means);
    const rec_problem problem = {.input = &edges, .start = own_start ? &start : NULL,
                                 .boundary = {.kind = kind, .value = halo}};
    owned_naive p = naive_of(&problem, 1);
    uint64_t done = 0;
    for (size_t i = 0; i < COUNT(totals) && totals[i] <= most; i++) {
        naive_iterate(&p, totals[i] - done);
        done = totals[i];
        owned_image found = solver_image_at(spectral, done);
        EACH_PIXEL(size_t, y, x, height, width) {
            /* Both round to float32: 1e-9 may turn that the other way, never further. */
            const double expected = p.m[naive_at(&p, 0, (long)x, (long)y)];
            const float value = rec_image_row(&found, 0, y)[x];
            if (!((float)(expected - 1e-9) <= value && value <= (float)(expected + 1e-9)))
                fail_msg("%s, %zu x %zu, N = %llu: %.12g instead of %.12g at (%zu, %zu)",
                         rec_boundaries[kind].name, width, height, (unsigned long long)done,
                         (double)value, expected, x, y);
        }
    }
}

TEST_EACH(iterates_are_those_of_a_loop, "host", "device")
{
    use(*state);
    const uint64_t many = full() ? 100000 : 1000;
    FOR_EACH_KIND {
        if (kind == REC_BOUNDARY_CYLINDER)
            continue; /* no loop has it */
        check_iterates(1, 1, 0, 0, 100000);
        check_iterates(1, 1, 1, 0.5f, 1000);
        check_iterates(1, 2, 1, 0, 100000);
        check_iterates(9, 1, 1, 0.25f, 1000);
        check_iterates(9, 1, 1, 0, 100000);
        check_iterates(2, 2, 0, 0, 100000);
        check_iterates(48, 48, 0, 0, many);
        check_iterates(63, 130, 1, 0, many);
        check_iterates(131, 64, 1, 8, 1000);
        check_iterates(512, 509, 0, 0, full() ? 100000 : 17);
    }
    kind = REC_BOUNDARY_HALO;
    check_iterates(257, 512, 1, 0, full() ? 100000 : 17);
}

/* ---- the far end, and what is refused ---- */

#define MOST_ITERATIONS (UINT64_C(1) << 53)

/* After 2^53 iterations nothing but the limit is left; an odd N of a lone pixel is the limit at
 * once. */
TEST(many_iterations_are_the_limit)
{
    use("host");
    const size_t sides[][2] = {{1, 1}, {5, 4}, {64, 64}, {63, 200}, {36, 40}};
    for (size_t i = 0; i < COUNT(sides); i++) {
        owned_image edges = problem_noise(sides[i][0], sides[i][1], 1, 1020, 8);
        owned_solver *spectral = make_in_halo(&edges, NULL, 12);
        owned_image limit = solver_image_at(spectral, REC_LIMIT_ITERATION);
        owned_image iterate = solver_image_at(spectral, MOST_ITERATIONS);
        const rec_difference difference = difference_of(&limit, &iterate);
        assert_true(difference.maximum < 1e-2); /* float32 of values up to some 10^5 */
        assert_true(difference.rms < 1e-4);
    }
}

TEST(more_iterations_than_a_double_counts_are_refused)
{
    use("host");
    owned_image edges = problem_noise(8, 8, 1, 10, 1);
    owned_solver *spectral = make_in_halo(&edges, NULL, 0);
    FAILS(rec_solver_jump(spectral, MOST_ITERATIONS + 1, &error), REC_USAGE, "2^53");
}

/* Edges, result, transforms and the FFT's workspace: at most 6 planes of doubles a channel, but for
 * the tables and pitches of small images. */
TEST(the_device_keeps_within_six_planes)
{
    use("device");
    const size_t sides[] = {500, 1024, 2046, 2048};
    for (size_t i = 0; i < COUNT(sides); i++)
        for (int own_start = 0; own_start < 2; own_start++) {
            owned_image edges = problem_noise(sides[i], sides[i], 1, 10, 1);
            owned_image start = problem_noise(sides[i], sides[i], 1, 10, 2);
            owned_solver *spectral = make_in_halo(&edges, own_start ? &start : NULL, 0);
            SUCCEEDS(rec_solver_jump(spectral, REC_LIMIT_ITERATION, &error));
            SUCCEEDS(rec_solver_jump(spectral, 1000, &error));
            const rec_solver_info info = info_of(spectral);
            const double planes =
                (double)info.costs.device_bytes / (8.0 * (double)sides[i] * (double)sides[i]);
            if (!(planes <= 6))
                fail_msg("%zu x %zu takes %.2f planes of doubles", sides[i], sides[i], planes);
        }
}

/* ---- the solver around it ---- */

TEST(the_distance_leaves_the_mean_out)
{
    const rec_solver_type *type = solver_or_skip("spectral");
    use("host");
    kind = REC_BOUNDARY_MIRROR;
    owned_image picture = problem_picture(40, 30, 1, 4), edges = problem_edges(&picture, kind);
    rec_problem problem = {.input = &edges,
                           .boundary = {.kind = REC_BOUNDARY_MIRROR, .mean_count = 3}};
    memcpy(problem.boundary.means, any_means, sizeof any_means);
    owned_solver *solver = solver_for(type, &problem, NULL);
    assert_string_equal(info_of(solver).kernel, "fftw");
    double before = 1e9;
    for (int i = 0; i < 4; i++) {
        const rec_look look = solver_advance(solver, 3000, REC_LOOK_DISTANCE);
        assert_true(look.distance_rms < before);
        before = look.distance_rms + 1e-9;
    }
    assert_true(before < 1e-3); /* the means are 31 apart */
}
