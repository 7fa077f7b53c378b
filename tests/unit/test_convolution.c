/* Convolutions, as problems of the matrix: random stencils with all boundaries, and sizes smaller
 * than the stencil; and their two passes, which have bits of their own. */
#include "tests/unit/iterates.h"

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

static rec_problem problem_with(const rec_image *image, const rec_operator *op,
                                const rec_boundary *boundary)
{
    return (rec_problem){.input = image, .boundary = *boundary, .operators = op,
                         .operator_count = 1};
}

static rec_solver *solver_of(const char *name, const char *kernel, const rec_image *image,
                             const rec_operator *op, const rec_boundary *boundary)
{
    const rec_problem problem = problem_with(image, op, boundary);
    return solver_for(solver_or_skip(name), &problem, &(rec_solver_options){.kernel = kernel});
}

/* Where there is that solver. */
static void assert_takes(const char *name, const rec_image *image, const rec_operator *op,
                         const rec_boundary *boundary, uint64_t n, const char *kernel)
{
    const rec_solver_type *type;
    if (rec_solver_find(name, &type, NULL))
        return;
    owned_solver *solver = solver_of(name, NULL, image, op, boundary);
    solver_advance(solver, n, 0);
    assert_string_equal(info_of(solver).kernel, kernel);
}

/* An operator, or several, after so many iterations, in all ways. */
static void check_repeats(const rec_image *image, const rec_operator *op, size_t count,
                          const rec_boundary *boundary, uint64_t n)
{
    rec_problem problem = problem_with(image, op, boundary);
    problem.operator_count = count;
    check_problem(&problem, (const step[]){{n, REC_LOOK_CHANGE}}, 1, 0, ALL_WAYS);
}

static rec_boundary_kind random_kind(void)
{
    static const rec_boundary_kind all[] = {REC_BOUNDARY_HALO, REC_BOUNDARY_MIRROR,
                                            REC_BOUNDARY_MIRROR101, REC_BOUNDARY_REPLICATE,
                                            REC_BOUNDARY_WRAP};
    return all[random_integer(&dice, 0, 4)];
}

TEST(stencils_of_any_size)
{
    static const int sides[] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 31, 63};
    for (size_t i = 0; i < COUNT(sides); i++)
        for (int turn = 0; turn < (!small() ? 10 : sides[i] > 17 ? 1 : 2); turn++) {
            const int side = sides[i],
                      other = turn < 5 ? side : 1 + 2 * random_integer(&dice, 0, 31);
            const int few = turn % 2, wide = few ? 9 : small() ? 70 : 150,
                      tall = few ? 9 : small() ? 30 : 70;
            const rec_boundary boundary = {.kind = random_kind(), .value = random_float(5)};
            const rec_operator op = random_operator(turn == 7 ? other : side,
                                                    turn == 7 ? side : other);
            owned_image image = any_image((size_t)random_integer(&dice, 1, wide),
                                          (size_t)random_integer(&dice, 1, tall),
                                          turn % 3 ? 1 : 3);
            check_repeats(&image, &op, 1, &boundary,
                          side > 15 ? 1 : (uint64_t)random_integer(&dice, 1, 4));
        }
}

/* Many applications of a small stencil, which a device makes several at a time: sizes about those
 * of its strips, and smaller than what it makes at once. */
TEST(small_stencils_many_times)
{
    static const size_t sides[][2] = {{1, 1}, {3, 2}, {7, 40}, {121, 9}, {230, 61}, {120, 17}};
    const rec_stencil stencil = stencil_of("laplace9", 0);
    for (int turn = 0; turn < 30; turn++) {
        owned_image image = any_image(sides[turn % 6][0], sides[turn % 6][1], turn % 4 ? 1 : 3);
        rec_boundary boundary = {.kind = random_kind(), .value = 3};
        rec_operator op = random_operator(turn % 3 ? 3 : 1, 3);
        for (int i = 0; i < 9; i++)
            op.taps.weights[i] /= 8;
        if (turn % 2)
            rec_operator_iteration(&op, &stencil, 1.0);
        if (turn % 2 && !(rec_boundaries[boundary.kind].uses & REC_FOR_INVERSES))
            boundary.kind = REC_BOUNDARY_HALO;
        check_repeats(&image, &op, 1, &boundary, (uint64_t)random_integer(&dice, 10, 30));
        assert_takes("cuda", &image, &op, &boundary, 20,
                     boundary.kind == REC_BOUNDARY_MIRROR101 ? "direct" : "temporal");
    }
}

TEST(several_stencils_are_applied_in_turn)
{
    for (int turn = 0; turn < 6; turn++) {
        owned_image image = any_image(70, 33, turn % 3 ? 1 : 3);
        const rec_boundary boundary = {.kind = random_kind(), .value = 3};
        const rec_operator op[] = {random_operator(3, 5), random_operator(9, 1),
                                   random_operator(1, 17)};
        check_repeats(&image, op, turn % 2 ? 2 : 3, &boundary, 1 + (uint64_t)turn / 2);
    }
}

/* The damped iteration: weights delta - omega K / d, and f. It comes to a standstill at the picture
 * whose edges it was given. */
TEST(damped_iterations_reach_the_picture)
{
    rec_stencil stencil = stencil_of("laplace9", 0);
    rec_operator forward, back;
    stencil.scale = 2;
    stencil.offset = 7;
    rec_operator_filter(&forward, &stencil);
    rec_operator_iteration(&back, &stencil, 1.0);
    const rec_boundary boundary = {.value = 3};
    owned_image picture = problem_picture(21, 14, 1, 1);
    owned_solver *filter = solver_of("reference", NULL, &picture, &forward, &boundary);
    solver_advance(filter, 1, 0);
    owned_image edges = solver_image(filter);
    check_repeats(&edges, &back, 1, &boundary, 3000);
    owned_solver *solver = solver_of("reference", NULL, &edges, &back, &boundary);
    assert_true(solver_advance(solver, 3000, REC_LOOK_CHANGE).standstill);
    owned_image found = solver_image(solver);
    assert_true(difference_of(&found, &picture).maximum < 0.01);
}

/* What changes nothing stands still, but not before there are two iterates to compare with; and of
 * what alternates M_N is M_(N-2), not M_(N-1). */
TEST(standstill_takes_two_iterations)
{
    owned_image image = any_image(20, 9, 1);
    for (uint64_t n = 1; n < 8; n++)
        for (int sign = -1; sign < 2; sign += 2) {
            const rec_operator op = {.taps = {.width = 1, .height = 1, .scale = 1,
                                              .weights = {(float)sign}}};
            check_repeats(&image, &op, 1, &(rec_boundary){0}, n);
        }
}

/* ---- two passes ---- */

static rec_image in_two_passes(const rec_image *image, const rec_operator *op,
                               const rec_factors *factors, const rec_boundary *boundary)
{
    const rec_taps *taps = &op->taps;
    rec_image made = copy_of(image);
    EACH_PIXEL(long, y, x, (long)image->height, (long)image->width) {
        float acc = 0;
        for (int i = 0; i < factors->terms * taps->height; i++) {
            const int term = i / taps->height, row = i % taps->height;
            float h = 0;
            for (int column = 0; column < taps->width; column++)
                h = fmaf(factors->across[term][column],
                         beyond(image, boundary, 0, x + column - taps->width / 2,
                                y + row - taps->height / 2), h);
            acc = fmaf(factors->down[term][row], h, acc);
        }
        rec_image_row(&made, 0, (size_t)y)[x] = acc / taps->scale + taps->offset;
    }
    return made;
}

TEST_EACH(separable_stencils_have_one_order, "cpu", "cuda")
{
    const char *const name = solver_or_skip(*state)->name;
    static const char *const names[] = {"box", "log:2", "sobel-y", "unsharp:2", "gaussian:2"};
    for (int turn = 0; turn < (small() ? 6 : 15); turn++) {
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
        owned_solver *solver = solver_of(name, "separable", &image, &op, &boundary);
        solver_advance(solver, 2, 0);
        owned_image found = solver_image(solver);
        assert_same_bits(&expected, &found, names[turn % 5]);
        check_repeats(&image, &op, 1, &boundary, 1); /* unasked: one pass */
    }
}

/* Where all is exact the solver takes two passes by itself: the same bits, and much less work. */
TEST(integers_are_exact_in_two_passes)
{
    owned_image image = problem_picture(90, 40, 1, 5);
    const rec_boundary boundary = {.kind = REC_BOUNDARY_HALO, .value = 7};
    const char *const names[] = {"box", "binomial", "sobel-x"};
    for (size_t i = 0; i < 3; i++) {
        const rec_operator op = filter_of(names[i], i ? 3 : 9);
        assert_true(rec_operator_is_exact(&op, &image, 7));
        assert_false(rec_operator_is_exact(&op, &image, 0.5f));
        check_repeats(&image, &op, 1, &boundary, 1);
        assert_takes("reference", &image, &op, &boundary, 0, "serial");
        assert_takes("cpu", &image, &op, &boundary, 0, "separable");
        assert_takes("cuda", &image, &op, &boundary, 0, "separable");
    }
    /* From the second iteration on there is no promise of integers. */
    const rec_operator mean = filter_of("box", 2);
    check_repeats(&image, &mean, 1, &boundary, 3);
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
    if (small())
        skip();
    const rec_operator op = filter_of("box", 4);
    owned_image image = problem_noise(1471, 1450, 1, 255, 7);
    check_repeats(&image, &op, 1, &(rec_boundary){.kind = REC_BOUNDARY_WRAP}, 2);
}

TEST(what_makes_no_sense_is_refused)
{
    owned_image image = any_image(9, 9, 1);
    const rec_boundary boundary = {.kind = REC_BOUNDARY_REPLICATE};
    const rec_operator laplace = filter_of("laplace", 0), any = random_operator(9, 9);
    const rec_stencil sobel = stencil_of("sobel-x", 0);
    const struct {
        const char *solver, *kernel, *why;
        const rec_operator *op;
        rec_status status;
    } cases[] = {{"cpu", "avx1024", "avx1024", &laplace, REC_USAGE},
                 {"reference", "base", "no kernels", &laplace, REC_USAGE},
                 {"cpu", "separable", "products of a column and a row", &any, REC_UNAVAILABLE}};
    double omega;
    rec_solver *solver;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const rec_problem problem = problem_with(&image, cases[i].op, &boundary);
        FAILS(rec_solver_create(&solver, solver_or_skip(cases[i].solver), &problem,
                                &(rec_solver_options){.kernel = cases[i].kernel}, &error),
              cases[i].status, cases[i].why);
    }
    FAILS(rec_operator_choose_omega(&sobel, &omega, &error), REC_USAGE, "middle");
}
