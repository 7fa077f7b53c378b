/* The solvers of the limit, on the host and on a device, with every boundary: pictures come back,
 * whatever their size and content, the magnitude of their numbers, their free mean and the threads;
 * and closed forms of iterates are those of a plain loop in double. A new solver is a row of
 * LIMITS. RECONSTRUCT_TESTS=full runs the large sizes too, small leaves out what takes long. */
#include "tests/unit/multigrid_puzzles.h"

#define CLOSED_FORMS "spectral fftw", "spectral cuda"
#define LIMITS CLOSED_FORMS, "multigrid host", "multigrid cuda"

static int small(void) { return tests_are("small"); }

static const double any_means[3] = {31.25, -7, 1000.125};

static const rec_solver_type *type; /* that is tried, */
static char kernel[8];              /* by which kernel, */
static rec_boundary_kind kind;      /* with which boundary, */
static float halo;                  /* and its constant */

#define FOR_EACH_KIND for (size_t k = 0; k < LIMIT_KINDS && (kind = kinds[k], 1); k++)

static void use(const char *row)
{
    char name[16];
    if (small() && !strcmp(row, "multigrid cuda"))
        skip(); /* tools cannot follow a graph's loop; test_multigrid.c has another */
    assert_int_equal(sscanf(row, "%15s %7s", name, kernel), 2);
    kernel_or_skip(name, kernel);
    type = solver_or_skip(name);
    kind = REC_BOUNDARY_HALO;
    halo = 0;
}

static int masks(void) { return (type->takes & REC_MASKS) != 0; }
static int full(void) { return tests_are("full") && !masks(); }

static rec_solver *solver_within(const rec_problem *problem, double tolerance)
{
    const rec_solver_options options = {.kernel = kernel, .tolerance = tolerance};
    return solver_for(type, problem, &options);
}

/* What is not used is far off: a solver that reads it shows. */
static rec_problem problem_in(const rec_image *edges, const rec_image *start, const double *means)
{
    rec_problem problem = {
        .input = edges,
        .start = start,
        .boundary = {.kind = kind, .value = kind == REC_BOUNDARY_HALO ? halo : 12345}};
    if (means && kind != REC_BOUNDARY_HALO) {
        problem.boundary.mean_count = 3;
        memcpy(problem.boundary.means, means, sizeof problem.boundary.means);
    }
    return problem;
}

static rec_solver *make(const rec_image *edges, const rec_image *start, const double *means,
                        double tolerance)
{
    const rec_problem problem = problem_in(edges, start, means);
    return solver_within(&problem, tolerance);
}

/* ---- the limit ---- */

static void check_picture(content what, size_t width, size_t height, size_t planes, int maxval)
{
    halo = maxval > 255 ? 255 : what == SMOOTH ? 17.25f : 0;
    owned_image picture = problem_content(what, width, height, planes, maxval);
    owned_image edges = problem_edges_in(&picture, kind, halo);
    double means[3];
    for (size_t p = 0; p < planes; p++)
        means[p] = rec_image_mean(&picture, p);
    const double most = masks()                     ? 1e-5 * maxval
                        : kind == REC_BOUNDARY_HALO ? 1e-3
                                                    : 1e-6 * maxval / 255;
    owned_solver *solver = make(&edges, NULL, means, most / 2);
    owned_image found = solver_image_at(solver, REC_LIMIT_ITERATION);
    const double worst = difference_of(&found, &picture).maximum;
    if (!(worst < most))
        fail_msg("%s, %zu x %zu, content %d, maxval %d: %g from the picture",
                 rec_boundaries[kind].name, width, height, (int)what, maxval, worst);
}

/* Lengths with N smooth, N prime, N of large prime factors; one axis of each kind, either way
 * round. */
TEST_EACH(the_picture_comes_back, LIMITS)
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
            const int large = width * height > 30000;
            const int part = small() || masks() || (large && kind != REC_BOUNDARY_HALO);
            if (large && (small() || masks()))
                continue;
            for (content what = NOISE; what < (part ? SMOOTH : CONTENTS); what++)
                check_picture(what, width, height, what == NOISE ? 3 : 1, 255);
            check_picture(NOISE, width, height, 1, 65535);
        }
        if (!small() && !masks())
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

/* The mean is the one asked for, or the start's. Edges that do not sum to 0 lose theirs. */
static void check_means(void)
{
    owned_image picture = problem_content(NOISE, 73, 50, 3, 255);
    owned_image edges = problem_edges(&picture, kind);
    owned_image start = problem_picture(73, 50, 3, 12);
    for (int i = 0; i < 8; i++) {
        for (size_t at = 0; i == 4 && at < 3 * 50 * 73; at++)
            *sample_of(&edges, at) += 3 + (float)(at / 50 / 73);
        owned_solver *solver = make(&edges, i & 1 ? &start : NULL, i & 2 ? any_means : NULL, 1e-5);
        owned_image found = solver_image_at(solver, REC_LIMIT_ITERATION);
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

TEST_EACH(the_mean_is_free, LIMITS)
{
    use(*state);
    FOR_EACH_KIND
    if (rec_boundary_frees_mean(kind))
        check_means();
}

/* A puzzle, whose edges and start are multiplied by a power of two, and so is the tolerance; and
 * the picture, divided again. */
static rec_image solved(case_of *puzzle, int power, double tolerance)
{
    const size_t samples = puzzle->edges.planes * puzzle->edges.width * puzzle->edges.height;
    owned_image edges = copy_of(&puzzle->edges), start = copy_of(&puzzle->start);
    rec_problem problem = *problem_of(puzzle);
    problem.input = &edges;
    problem.start = &start;
    if (!masks())
        problem.mask = NULL;
    for (size_t p = 0; p < 3; p++)
        problem.boundary.means[p] = ldexp(problem.boundary.means[p], power);
    for (size_t i = 0; i < samples; i++) {
        *sample_of(&edges, i) = ldexpf(*sample_of(&edges, i), power);
        *sample_of(&start, i) = ldexpf(*sample_of(&start, i), power);
    }
    owned_solver *solver = solver_within(&problem, ldexp(tolerance, power));
    rec_image found = solver_image_at(solver, REC_LIMIT_ITERATION);
    for (size_t i = 0; i < samples; i++)
        *sample_of(&found, i) = ldexpf(*sample_of(&found, i), -power);
    return found;
}

TEST_EACH(bits_do_not_depend_on_threads, LIMITS)
{
    static const kind_of_mask shapes[] = {CURVES, BLOCKS, ALL};
    static const int threads[] = {1, 2, 5};
    use(*state);
    const size_t width = !masks() ? 131 : small() ? 251 : 501;
    for (size_t i = masks() ? 0 : 2 * LIMIT_KINDS; i < (masks() ? 2 : 3) * LIMIT_KINDS; i++) {
        owned_puzzle puzzle = make_puzzle(width, width + 22, 1, kinds[i % LIMIT_KINDS],
                                          shapes[i / LIMIT_KINDS], masks() ? i : 3 * i);
        rec_image found[COUNT(threads)];
        for (size_t n = 0; n < COUNT(threads); n++) {
            const int before = use_threads(threads[n]);
            found[n] = solved(&puzzle, 0, 0);
            use_threads(before);
            assert_same_bits(&found[0], &found[n], "threads");
        }
        for (size_t n = 0; n < COUNT(threads); n++)
            rec_image_destroy(&found[n]);
    }
}

/* A power of two changes no digit, also where the differences are below what float32 holds: the
 * tiny ones are rounded to a 512th, so the others must be as near to integers as float32 is. The
 * sawtooth has numbers of its own; a device has no scale for them. */
TEST_EACH(large_and_tiny_numbers_have_the_digits_of_usual_ones, LIMITS)
{
    use(*state);
    for (size_t i = 0; i < 2 * LIMIT_KINDS; i++) {
        if (kinds[i / 2] == REC_BOUNDARY_SAWTOOTH)
            continue;
        owned_puzzle puzzle = make_puzzle(70, 50, 3, kinds[i / 2],
                                          !masks() ? ALL : i % 2 ? BLOCKS : HOLES, 400);
        owned_image usual = solved(&puzzle, 0, 1e-7);
        assert_true(difference_of(&usual, &puzzle.picture).maximum <= 1e-4);
        for (int power = 89; strcmp(kernel, "cuda") && power >= -140; power -= 229) {
            owned_image other = solved(&puzzle, power, 1e-7);
            assert_same_bits(&usual, &other, power > 0 ? "large" : "tiny");
        }
    }
}

/* ---- iterates ---- */

static void check_iterates(const rec_problem *problem, uint64_t most)
{
    static const uint64_t totals[] = {0, 1, 2, 17, 1000, 100000};
    const size_t width = problem->input->width, height = problem->input->height;
    owned_solver *solver = solver_within(problem, 0);
    owned_naive p = naive_of(problem, 1);
    for (size_t i = 0; i < COUNT(totals) && totals[i] <= most; i++) {
        naive_iterate(&p, totals[i] - p.done);
        owned_image found = solver_image_at(solver, p.done);
        EACH_PIXEL(size_t, y, x, height, width) {
            /* Both round to float32: 1e-9 may turn that the other way, never further. */
            const double expected = p.m[naive_at(&p, 0, (long)x, (long)y)];
            const float value = rec_image_row(&found, 0, y)[x];
            if (!((float)(expected - 1e-9) <= value && value <= (float)(expected + 1e-9)))
                fail_msg("%s, %zu x %zu, %zu operators, N = %llu: %.12g instead of %.12g at "
                         "(%zu, %zu)", rec_boundaries[problem->boundary.kind].name, width, height,
                         problem->operator_count, (unsigned long long)p.done, (double)value,
                         expected, x, y);
        }
    }
}

/* An edge more than a picture has makes the mean drift. */
static void check_updates(size_t width, size_t height, int own_start, float unbalanced,
                          uint64_t most)
{
    halo = own_start ? 17.25f : 0;
    owned_image picture = problem_content(NOISE, width, height, 1, 255);
    owned_image edges = problem_edges_in(&picture, kind, halo);
    owned_image start = problem_picture(width, height, 1, 3);
    rec_image_row(&edges, 0, 0)[0] += unbalanced;
    const rec_problem problem = problem_in(&edges, own_start ? &start : NULL, any_means);
    check_iterates(&problem, most);
}

TEST_EACH(iterates_are_those_of_a_loop, CLOSED_FORMS)
{
    use(*state);
    const uint64_t many = full() ? 100000 : 1000;
    for (size_t k = 0; k < KINDS; k++) {
        kind = kinds[k];
        check_updates(1, 1, 0, 0, 100000);
        check_updates(1, 1, 1, 0.5f, 1000);
        check_updates(1, 2, 1, 0, 100000);
        check_updates(9, 1, 1, 0.25f, 1000);
        check_updates(9, 1, 1, 0, 100000);
        check_updates(2, 2, 0, 0, 100000);
        check_updates(48, 48, 0, 0, many);
        check_updates(63, 130, 1, 0, many);
        check_updates(131, 64, 1, 8, 1000);
        check_updates(512, 509, 0, 0, full() ? 100000 : 17);
    }
    kind = REC_BOUNDARY_HALO;
    check_updates(257, 512, 1, 0, full() ? 100000 : 17);
}

/* ---- other stencils ---- */

/* Odd sides and small weights, the one in the middle as large as all others: no symbol is 0. */
static rec_stencil random_stencil(test_random *source, size_t widest, int even)
{
    rec_stencil made = {.name = "random", .scale = 3, .offset = 7};
    made.width = 1 + 2 * (size_t)random_integer(source, 0, (int)widest / 2);
    made.height = 1 + 2 * (size_t)random_integer(source, 0, (int)widest / 2);
    const size_t w = made.width, h = made.height;
    double sum = 1;
    EACH_PIXEL(size_t, y, x, h, w) {
        const size_t from_y = even && y > h / 2 ? h - 1 - y : y;
        const size_t from_x = even && x > w / 2 ? w - 1 - x : x;
        const int own = from_y == y && from_x == x;
        const double weight =
            own ? random_integer(source, -9, 9) : made.weights[from_y * w + from_x];
        made.weights[y * w + x] = weight;
        sum += fabs(weight);
    }
    made.weights[w * h / 2] = sum;
    return made;
}

/* Iterates from any start and from the picture, and the limit, which has the edges that it was made
 * from. The first step from the picture without edges gives these. */
static void check_stencil(test_random *source, int even)
{
    const rec_stencil stencil = random_stencil(source, kind == REC_BOUNDARY_HALO ? 3 : 7, even);
    double omega;
    SUCCEEDS(rec_operator_choose_omega(&stencil, &omega, &error));
    rec_owned rec_operator *op = calloc(1, sizeof *op);
    rec_operator_iteration(op, &stencil, omega);
    halo = 40;
    const size_t width = (size_t)random_integer(source, 1, 40);
    owned_image picture = problem_picture(width, (size_t)random_integer(source, 1, 40), 1, 3);
    owned_image edges = copy_of(&picture);
    owned_image start = problem_noise(width, picture.height, 1, 100, 5);
    rec_problem problem = problem_in(&edges, &picture, NULL);
    problem.operators = op;
    problem.operator_count = 1;
    rec_image_fill(&edges, (float)stencil.offset); /* which count as none */
    owned_naive once = naive_of(&problem, 1);
    naive_iterate(&once, 1);
    EACH_PIXEL(size_t, y, x, picture.height, width) {
        const double less = (double)rec_image_row(&picture, 0, y)[x] -
                            once.m[naive_at(&once, 0, (long)x, (long)y)];
        rec_image_row(&edges, 0, y)[x] =
            (float)(less * rec_stencil_middle(&stencil) / omega / stencil.scale + stencil.offset);
    }
    check_iterates(&problem, 17);
    problem.start = &start;
    check_iterates(&problem, 17);
    owned_solver *solver = solver_within(&problem, 0);
    owned_image found = solver_image_at(solver, REC_LIMIT_ITERATION);
    assert_true(difference_of(&found, &picture).maximum <= 1e-4);
}

/* On a device those whose symbol is real. */
TEST_EACH(stencils_go_back, CLOSED_FORMS)
{
    use(*state);
    const int device = !strcmp(kernel, "cuda");
    test_random source = {11};
    for (int i = 0; i < (device ? 30 : 60); i++) {
        kind = kinds[i % 3];
        check_stencil(&source, device || i % 3 < 2 || random_integer(&source, 0, 1));
    }
}

/* ---- the far end, and what is refused ---- */

#define MOST_ITERATIONS (UINT64_C(1) << 53)

/* After 2^53 iterations nothing but the limit is left; an odd N of a lone pixel is the limit at
 * once. */
TEST(many_iterations_are_the_limit)
{
    use("spectral fftw");
    halo = 12;
    const size_t sides[][2] = {{1, 1}, {5, 4}, {64, 64}, {63, 200}, {36, 40}};
    for (size_t i = 0; i < COUNT(sides); i++) {
        owned_image edges = problem_noise(sides[i][0], sides[i][1], 1, 1020, 8);
        owned_solver *spectral = make(&edges, NULL, NULL, 0);
        owned_image limit = solver_image_at(spectral, REC_LIMIT_ITERATION);
        owned_image iterate = solver_image_at(spectral, MOST_ITERATIONS);
        const rec_difference difference = difference_of(&limit, &iterate);
        assert_true(difference.maximum < 1e-2); /* float32 of values up to some 10^5 */
        assert_true(difference.rms < 1e-4);
    }
}

TEST(more_iterations_than_a_double_counts_are_refused)
{
    use("spectral fftw");
    owned_image edges = problem_noise(8, 8, 1, 10, 1);
    owned_solver *spectral = make(&edges, NULL, NULL, 0);
    FAILS(rec_solver_jump(spectral, MOST_ITERATIONS + 1, &error), REC_USAGE, "2^53");
}

/* Edges, result, transforms and the FFT's workspace: at most 6 planes of doubles a channel, but for
 * the tables and pitches of small images. */
TEST(the_device_keeps_within_six_planes)
{
    use("spectral cuda");
    const size_t sides[] = {500, 1024, 2046, 2048};
    for (size_t i = 0; i < COUNT(sides); i++)
        for (int own_start = 0; own_start < 2; own_start++) {
            owned_image edges = problem_noise(sides[i], sides[i], 1, 10, 1);
            owned_image start = problem_noise(sides[i], sides[i], 1, 10, 2);
            owned_solver *spectral = make(&edges, own_start ? &start : NULL, NULL, 0);
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
    solver_or_skip("spectral");
    use("spectral fftw");
    kind = REC_BOUNDARY_MIRROR;
    owned_image picture = problem_picture(40, 30, 1, 4), edges = problem_edges(&picture, kind);
    owned_solver *solver = make(&edges, NULL, any_means, 0);
    double before = 1e9;
    for (int i = 0; i < 4; i++) {
        const rec_look look = solver_advance(solver, 3000, REC_LOOK_DISTANCE);
        assert_true(look.distance_rms < before);
        before = look.distance_rms + 1e-9;
    }
    assert_true(before < 1e-3); /* the means are 31 apart */
}
