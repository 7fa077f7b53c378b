/* Convolutions: every solver against the plainest loop there is, bit for bit, for random stencils
 * with all boundaries, and for sizes smaller than the stencil. */
#include "tests/unit/problems.h"

static test_random dice = {7};

static float random_float(float most)
{
    return most * ((float)random_integer(&dice, -(1 << 22), 1 << 22) + 0.5f) / (float)(1 << 22);
}

static rec_image any_image(size_t width, size_t height, size_t planes)
{
    rec_image image = problem_noise(width, height, planes, 1 << 22, random_bits(&dice));
    for (size_t i = 0; i < planes * height; i++)
        for (size_t x = 0; x < width; x++)
            image.data[i * image.stride + x] *= 300.5f / (1 << 22);
    return image;
}

/* A quarter of the weights are 0. */
static rec_operator random_operator(int width, int height)
{
    rec_operator made = {.taps = {.width = width, .height = height}};
    for (int i = 0; i < width * height; i++)
        made.taps.weights[i] = random_integer(&dice, 0, 3) ? random_float(1) : 0;
    made.taps.scale = random_integer(&dice, 0, 1) ? 1 : (float)random_integer(&dice, 2, 40);
    made.taps.offset = random_integer(&dice, 0, 1) ? 0 : random_float(9);
    return made;
}

static rec_stencil stencil_of(const char *text, size_t radius)
{
    rec_stencil stencil;
    SUCCEEDS(rec_stencil_make(&stencil, text, &(rec_stencil_options){.radius = radius}, &error));
    return stencil;
}

/* ---- the plainest loop ---- */

/* As the documents say it, step by step and not by a formula. */
static ptrdiff_t place(rec_boundary_kind kind, ptrdiff_t i, ptrdiff_t n)
{
    while (i < 0 || i >= n) {
        if (kind == REC_BOUNDARY_HALO)
            return -1;
        if (kind == REC_BOUNDARY_REPLICATE || (kind == REC_BOUNDARY_MIRROR101 && n == 1))
            i = i < 0 ? 0 : n - 1;
        else if (kind == REC_BOUNDARY_WRAP)
            i += i < 0 ? n : -n;
        else if (kind == REC_BOUNDARY_MIRROR)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else
            i = i < 0 ? -i : 2 * n - 2 - i;
    }
    return i;
}

static float sample(const rec_image *image, size_t plane, ptrdiff_t x, ptrdiff_t y,
                    const rec_boundary *boundary)
{
    x = place(boundary->kind, x, (ptrdiff_t)image->width);
    y = place(boundary->kind, y, (ptrdiff_t)image->height);
    return x < 0 || y < 0 ? boundary->value : rec_image_row(image, plane, (size_t)y)[x];
}

static rec_image apply(const rec_image *image, const rec_operator *op, const rec_image *edges,
                       const rec_boundary *boundary)
{
    const rec_taps *taps = &op->taps;
    rec_image made = copy_of(image);
    EACH_SAMPLE(size_t, p, y, x, image->planes, image->height, image->width) {
        float acc = 0;
        if (op->is_inverse)
            acc = (float)(op->gain * ((double)rec_image_row(edges, p, y)[x] - op->level));
        for (int i = 0; i < taps->width * taps->height; i++)
            acc = fmaf(taps->weights[i],
                       sample(image, p, (ptrdiff_t)x + i % taps->width - taps->width / 2,
                              (ptrdiff_t)y + i / taps->width - taps->height / 2, boundary),
                       acc);
        rec_image_row(&made, p, y)[x] = acc / taps->scale + taps->offset;
    }
    return made;
}

static rec_image repeat(const rec_image *image, const rec_operator *operators, size_t count, int n,
                        const rec_boundary *boundary)
{
    rec_image now = copy_of(image);
    for (size_t i = 0; i < (size_t)n * count; i++) {
        const rec_image next = apply(&now, &operators[i % count], image, boundary);
        rec_image_destroy(&now);
        now = next;
    }
    return now;
}

/* ---- solvers ---- */

static rec_status create(rec_solver **solver, const char *name, const char *kernel,
                         const rec_image *image, const rec_operator *operators, size_t count,
                         const rec_boundary *boundary, rec_error *error)
{
    const rec_problem problem = {.input = image, .boundary = *boundary, .operators = operators,
                                 .operator_count = count};
    const rec_solver_options options = {.kernel = kernel};
    return rec_solver_create(solver, solver_or_skip(name), &problem, &options, error);
}

static void assert_solver(const char *name, const char *kernel, const rec_image *image,
                          const rec_operator *operators, size_t count, int n, unsigned looks,
                          const rec_boundary *boundary, const rec_image *expected)
{
    owned_solver *solver = NULL;
    rec_error error = {0};
    char what[128];
    const rec_status status =
        create(&solver, name, kernel, image, operators, count, boundary, &error);
    if (status == REC_UNAVAILABLE && kernel && strcmp(kernel, "separable"))
        return; /* not on this processor */
    assert_succeeded(status, &error);
    solver_advance(solver, (uint64_t)n, looks);
    owned_image found = solver_image(solver);
    snprintf(what, sizeof what, "%s %s, %d x %d on %zu x %zu, %s, n = %d, %zu stencils", name,
             kernel ? kernel : "", operators->taps.width, operators->taps.height, image->width,
             image->height, rec_boundaries[boundary->kind].name, n, count);
    assert_same_bits(expected, &found, what);
}

/* The same, of n times all of the operators in turn. */
static void assert_repeats(const char *name, const char *kernel, const rec_image *image,
                           const rec_operator *operators, size_t count, int n, unsigned looks,
                           const rec_boundary *boundary)
{
    owned_image expected = repeat(image, operators, count, n, boundary);
    assert_solver(name, kernel, image, operators, count, n, looks, boundary, &expected);
}

static void assert_takes(const char *name, const rec_image *image, const rec_operator *op,
                         const rec_boundary *boundary, uint64_t n, const char *kernel)
{
    owned_solver *solver;
    SUCCEEDS(create(&solver, name, NULL, image, op, 1, boundary, &error));
    solver_advance(solver, n, 0);
    assert_string_equal(info_of(solver).kernel, kernel);
}

static const char *const cpu_kernels[] = {NULL, "avx512", "avx2", "base"};

static void check_case(const char *name, int width, int height, size_t columns, size_t rows,
                       size_t planes, rec_boundary_kind kind, int n)
{
    owned_image image = any_image(columns, rows, planes);
    const rec_boundary boundary = {.kind = kind, .value = kind ? 0 : random_float(5)};
    const rec_operator op = random_operator(width, height);
    owned_image expected = repeat(&image, &op, 1, n, &boundary);
    const unsigned looks = random_integer(&dice, 0, 1) ? REC_LOOK_CHANGE : 0;
    for (size_t i = 0; i < (strcmp(name, "cpu") ? 1 : 4); i++)
        assert_solver(name, cpu_kernels[i], &image, &op, 1, n, looks, &boundary, &expected);
}

static rec_boundary_kind random_kind(void)
{
    static const rec_boundary_kind kinds[] = {REC_BOUNDARY_HALO, REC_BOUNDARY_MIRROR,
                                              REC_BOUNDARY_MIRROR101, REC_BOUNDARY_REPLICATE,
                                              REC_BOUNDARY_WRAP};
    return kinds[random_integer(&dice, 0, 4)];
}

TEST_EACH(solver_gives_the_bits, "reference", "cpu", "cuda")
{
    const char *const name = solver_or_skip(*state)->name;
    static const int sides[] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 31, 63};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int turn = 0; turn < (!tests_are("small") ? 10 : sides[i] > 17 ? 1 : 2); turn++) {
            const int side = sides[i],
                      other = turn < 5 ? side : 1 + 2 * random_integer(&dice, 0, 31);
            const int few = turn % 2, wide = few ? 9 : tests_are("small") ? 70 : 150,
                      tall = few ? 9 : tests_are("small") ? 30 : 70;
            check_case(name, turn == 7 ? other : side, turn == 7 ? side : other,
                       (size_t)random_integer(&dice, 1, wide),
                       (size_t)random_integer(&dice, 1, tall), turn % 3 ? 1 : 3, random_kind(),
                       side > 15 ? 1 : random_integer(&dice, 1, 4));
        }
}

/* Many applications of a small stencil, which a device makes several at a time: sizes about those
 * of its strips, and smaller than what it makes at once. */
TEST_EACH(repeated_stencils_keep_the_bits, "reference", "cpu", "cuda")
{
    const char *const name = solver_or_skip(*state)->name;
    static const size_t sizes[][2] = {{1, 1}, {3, 2}, {7, 40}, {121, 9}, {230, 61}, {120, 17}};
    for (int turn = 0; turn < 30; turn++) {
        owned_image image = any_image(sizes[turn % 6][0], sizes[turn % 6][1], turn % 4 ? 1 : 3);
        rec_boundary boundary = {.kind = random_kind(), .value = 3};
        const rec_stencil stencil = stencil_of("laplace9", 0);
        rec_operator op = random_operator(turn % 3 ? 3 : 1, 3);
        for (int i = 0; i < 9; i++)
            op.taps.weights[i] /= 8;
        if (turn % 2)
            rec_operator_iteration(&op, &stencil, 1.0);
        if (turn % 2 && !(rec_boundaries[boundary.kind].uses & REC_FOR_INVERSES))
            boundary.kind = REC_BOUNDARY_HALO;
        const int n = random_integer(&dice, 10, 30);
        assert_repeats(name, NULL, &image, &op, 1, n, turn % 5 ? 0 : REC_LOOK_CHANGE, &boundary);
        if (!strcmp(name, "cuda"))
            assert_takes(name, &image, &op, &boundary, 20,
                         boundary.kind == REC_BOUNDARY_MIRROR101 ? "direct" : "temporal");
    }
}

TEST_EACH(several_stencils_are_applied_in_turn, "reference", "cpu", "cuda")
{
    const char *const name = solver_or_skip(*state)->name;
    for (int turn = 0; turn < 6; turn++) {
        owned_image image = any_image(70, 33, turn % 3 ? 1 : 3);
        const rec_boundary boundary = {.kind = random_kind(), .value = 3};
        const rec_operator op[] = {random_operator(3, 5), random_operator(9, 1),
                                   random_operator(1, 17)};
        const size_t count = turn % 2 ? 2 : 3;
        const int n = 1 + turn / 2;
        owned_image expected = repeat(&image, op, count, n, &boundary);
        owned_image before = repeat(&image, op, count, n - 1, &boundary);
        owned_solver *solver;
        assert_solver(name, NULL, &image, op, count, n, 0, &boundary, &expected);
        SUCCEEDS(create(&solver, name, NULL, &image, op, count, &boundary, &error));
        const rec_look look = solver_advance(solver, (uint64_t)n, REC_LOOK_CHANGE);
        const double rms = worst_rms(&expected, &before, REC_BOUNDARY_HALO);
        assert_true(fabs(look.change_rms - rms) <= 1e-12 * rms && isnan(look.distance_rms));
        assert_true(look.change_max == difference_of(&expected, &before).maximum);
    }
}

/* The damped iteration: weights delta - omega K / d, and f. It comes to a standstill at the picture
 * whose edges it was given. */
TEST_EACH(damped_iterations_reach_the_picture, "reference", "cpu", "cuda")
{
    const char *const name = solver_or_skip(*state)->name;
    rec_stencil stencil = stencil_of("laplace9", 0);
    rec_operator forward, back;
    stencil.scale = 2;
    stencil.offset = 7;
    rec_operator_filter(&forward, &stencil);
    rec_operator_iteration(&back, &stencil, 1.0);
    const rec_boundary boundary = {.value = 3};
    owned_image picture = problem_picture(21, 14, 1, 1);
    owned_image edges = apply(&picture, &forward, NULL, &boundary);
    assert_repeats(name, NULL, &edges, &back, 1, 5, 0, &boundary);
    owned_solver *solver;
    SUCCEEDS(create(&solver, name, NULL, &edges, &back, 1, &boundary, &error));
    const rec_look look = solver_advance(solver, 3000, REC_LOOK_CHANGE);
    assert_true(look.standstill);
    owned_image found = solver_image(solver);
    assert_true(difference_of(&found, &picture).maximum < 0.01);
}

/* What changes nothing stands still, but not before there are two iterates to compare with. */
TEST_EACH(standstill_takes_two_iterations, "reference", "cpu", "cuda")
{
    const char *const name = solver_or_skip(*state)->name;
    const rec_operator same = {.taps = {.width = 1, .height = 1, .scale = 1, .weights = {1}}};
    owned_image image = any_image(20, 9, 1);
    owned_solver *solver;
    SUCCEEDS(create(&solver, name, NULL, &image, &same, 1, &(rec_boundary){0}, &error));
    rec_look look = solver_advance(solver, 1, REC_LOOK_CHANGE);
    assert_true(!look.standstill && look.change_max == 0 && look.alternating == 0);
    look = solver_advance(solver, 1, REC_LOOK_CHANGE);
    assert_true(look.standstill);
    const rec_operator negate = {.taps = {.width = 1, .height = 1, .scale = 1, .weights = {-1}}};
    for (uint64_t n = 2; n < 8; n++) { /* M_N is M_(N-2), not M_(N-1) */
        owned_solver *other;
        SUCCEEDS(create(&other, name, NULL, &image, &negate, 1, &(rec_boundary){0}, &error));
        look = solver_advance(other, n, REC_LOOK_CHANGE);
        assert_true(look.standstill && look.alternating == 20 * 9);
    }
}

/* ---- two passes ---- */

static rec_image in_two_passes(const rec_image *image, const rec_operator *op,
                               const rec_factors *factors, const rec_boundary *boundary)
{
    const rec_taps *taps = &op->taps;
    rec_image made = copy_of(image);
    EACH_PIXEL(size_t, y, x, image->height, image->width) {
        float acc = 0;
        for (int i = 0; i < factors->terms * taps->height; i++) {
            const int term = i / taps->height, row = i % taps->height;
            float h = 0;
            for (int column = 0; column < taps->width; column++)
                h = fmaf(factors->across[term][column],
                         sample(image, 0, (ptrdiff_t)x + column - taps->width / 2,
                                (ptrdiff_t)y + row - taps->height / 2, boundary), h);
            acc = fmaf(factors->down[term][row], h, acc);
        }
        rec_image_row(&made, 0, y)[x] = acc / taps->scale + taps->offset;
    }
    return made;
}

TEST_EACH(separable_stencils_have_one_order, "cpu", "cuda")
{
    const char *const name = solver_or_skip(*state)->name;
    static const char *const names[] = {"box", "log:2", "sobel-y", "unsharp:2", "gaussian:2"};
    for (int turn = 0; turn < (tests_are("small") ? 6 : 15); turn++) {
        const size_t radius = (size_t)(turn < 11 ? 1 + 3 * turn : 31);
        const rec_operator op = filter_of(names[turn % 5], turn % 5 == 2 ? radius % 5 + 1 : radius);
        owned_image image = any_image((size_t)random_integer(&dice, 1, 120),
                                       (size_t)random_integer(&dice, 1, turn < 2 ? 700 : 90), 1);
        const rec_boundary boundary = {.kind = random_kind(), .value = 1.7f};
        rec_factors factors;
        rec_operator_factors(&op, &factors);
        assert_int_equal(factors.terms, turn == 1 ? 3 : 1 + turn % 5 % 2);
        owned_image once = in_two_passes(&image, &op, &factors, &boundary);
        owned_image expected = in_two_passes(&once, &op, &factors, &boundary);
        assert_solver(name, "separable", &image, &op, 1, 2, 0, &boundary, &expected);
        assert_repeats(name, NULL, &image, &op, 1, 1, 0, &boundary); /* unasked: one pass */
    }
}

/* Where all is exact the solver takes two passes by itself: the same bits, and much less work. */
TEST_EACH(integers_are_exact_in_two_passes, "reference", "cpu", "cuda")
{
    const char *const name = solver_or_skip(*state)->name;
    owned_image image = problem_picture(90, 40, 1, 5);
    const rec_boundary boundary = {.kind = REC_BOUNDARY_HALO, .value = 7};
    const char *const names[] = {"box", "binomial", "sobel-x"};
    for (size_t i = 0; i < 3; i++) {
        const rec_operator op = filter_of(names[i], i ? 3 : 9);
        rec_factors factors;
        rec_operator_factors(&op, &factors);
        assert_true(rec_operator_is_exact(&op, &image, 7));
        assert_false(rec_operator_is_exact(&op, &image, 0.5f));
        owned_image expected = apply(&image, &op, NULL, &boundary);
        owned_image passes = in_two_passes(&image, &op, &factors, &boundary);
        assert_same_bits(&expected, &passes, "two passes");
        assert_solver(name, NULL, &image, &op, 1, 1, 0, &boundary, &expected);
        assert_takes(name, &image, &op, &boundary, 0,
                     strcmp(name, "reference") ? "separable" : "serial");
    }
    /* From the second iteration on there is no promise of integers. */
    const rec_operator mean = filter_of("box", 2);
    assert_repeats(name, NULL, &image, &mean, 1, 3, 0, &boundary);
    const rec_operator large = filter_of("binomial", 9), uneven = filter_of("gaussian:2", 0);
    assert_false(rec_operator_is_exact(&large, &image, 0));
    assert_false(rec_operator_is_exact(&uneven, &image, 0));
    rec_image_row(&image, 0, 3)[3] = 0.5f;
    const rec_operator box = filter_of("box", 1);
    assert_false(rec_operator_is_exact(&box, &image, 0));
}

/* In strips of columns, and past the caches. The second application takes one pass. */
TEST(large_pictures_have_the_same_bits)
{
    if (tests_are("small"))
        skip();
    const rec_operator op = filter_of("box", 4);
    const rec_boundary boundary = {.kind = REC_BOUNDARY_WRAP};
    owned_image image = problem_noise(1471, 1450, 1, 255, 7);
    owned_solver *plain;
    SUCCEEDS(create(&plain, "reference", NULL, &image, &op, 1, &boundary, &error));
    solver_advance(plain, 2, 0);
    owned_image expected = solver_image(plain);
    for (size_t i = 0; i < 3; i++)
        assert_solver("cpu", cpu_kernels[i], &image, &op, 1, 2, 0, &boundary, &expected);
}

TEST(what_makes_no_sense_is_refused)
{
    owned_image image = any_image(9, 9, 1);
    const rec_boundary boundary = {.kind = REC_BOUNDARY_REPLICATE};
    const rec_operator laplace = filter_of("laplace", 0), any = random_operator(9, 9);
    const rec_stencil sobel = stencil_of("sobel-x", 0);
    double omega;
    rec_solver *solver;
    FAILS(create(&solver, "cpu", "avx1024", &image, &laplace, 1, &boundary, &error), REC_USAGE,
          "avx1024");
    FAILS(create(&solver, "reference", "base", &image, &laplace, 1, &boundary, &error), REC_USAGE,
          "no kernels");
    FAILS(create(&solver, "cpu", "separable", &image, &any, 1, &boundary, &error), REC_UNAVAILABLE,
          "products of a column and a row");
    FAILS(rec_operator_choose_omega(&sobel, &omega, &error), REC_USAGE, "middle");
}
