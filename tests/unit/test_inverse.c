/* The spectral solver with any stencil: iterates are those of a plain loop in double, and the limit
 * has the edges that it was made from. */
#include "tests/unit/problems.h"

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

static double apply(const rec_stencil *stencil, rec_boundary_kind kind, const rec_image *m, long x,
                    long y, double halo)
{
    const long w = (long)stencil->width, h = (long)stencil->height;
    double sum = 0;
    for (long i = 0; i < w * h; i++) {
        const ptrdiff_t column = rec_boundary_index(rec_boundaries[kind].x, x + i % w - w / 2,
                                                    (ptrdiff_t)m->width);
        const ptrdiff_t row = rec_boundary_index(rec_boundaries[kind].x, y + i / w - h / 2,
                                                 (ptrdiff_t)m->height);
        sum += stencil->weights[i] *
               (column < 0 || row < 0 ? halo : (double)rec_image_row(m, 0, (size_t)row)[column]);
    }
    return sum;
}

static rec_solver *make(const rec_stencil *stencil, rec_operator *op, const rec_image *edges,
                        const rec_image *start, rec_boundary_kind kind, float halo,
                        const char *kernel)
{
    double omega;
    SUCCEEDS(rec_operator_choose_omega(stencil, &omega, &error));
    rec_operator_iteration(op, stencil, omega);
    const rec_problem problem = {.input = edges, .start = start,
                                 .boundary = {.kind = kind, .value = halo}, .operators = op,
                                 .operator_count = 1};
    const rec_solver_options options = {.kernel = kernel};
    return solver_for(solver_or_skip("spectral"), &problem, &options);
}

static void assert_near(const rec_image *m, size_t x, size_t y, double expected, const char *what)
{
    const double found = (double)rec_image_row(m, 0, y)[x];
    if (!(fabs(found - expected) <= 1e-4))
        fail_msg("%s, %zu x %zu: %.9g instead of %.9g", what, m->width, m->height, found, expected);
}

/* Two steps, one after the other, each against one by hand from the image before. */
static void check_iterates(rec_solver *solver, const rec_operator *op, const rec_image *edges,
                           rec_boundary_kind kind, double halo)
{
    const rec_stencil *stencil = &op->stencil;
    const double d = stencil->weights[stencil->width * stencil->height / 2], pace = op->omega / d;
    rec_image before = solver_image(solver);
    for (int n = 0; n < 3; n++) {
        solver_advance(solver, 1, 0);
        rec_image m = solver_image(solver);
        EACH_PIXEL(size_t, y, x, m.height, m.width) {
            const double e = stencil->scale *
                             ((double)rec_image_row(edges, 0, y)[x] - stencil->offset);
            assert_near(&m, x, y,
                        (double)rec_image_row(&before, 0, y)[x] +
                            pace * (e - apply(stencil, kind, &before, (long)x, (long)y, halo)),
                        "an iterate");
        }
        rec_image_destroy(&before);
        before = m;
    }
    rec_image_destroy(&before);
}

static void check_limit(rec_solver *solver, const rec_image *picture)
{
    owned_image found = solver_image_at(solver, REC_LIMIT_ITERATION);
    EACH_PIXEL(size_t, y, x, found.height, found.width)
        assert_near(&found, x, y, (double)rec_image_row(picture, 0, y)[x], "the limit");
}

static void check(test_random *source, rec_boundary_kind kind, int even, const char *kernel)
{
    const float halo = kind == REC_BOUNDARY_HALO ? 40 : 0;
    const rec_stencil stencil = random_stencil(source, kind == REC_BOUNDARY_HALO ? 3 : 7, even);
    owned_image picture = problem_picture((size_t)random_integer(source, 1, 40),
                                        (size_t)random_integer(source, 1, 40), 1, 3);
    owned_image edges = new_image(picture.width, picture.height, picture.planes);
    EACH_PIXEL(size_t, y, x, picture.height, picture.width)
        rec_image_row(&edges, 0, y)[x] =
            (float)(apply(&stencil, kind, &picture, (long)x, (long)y, halo) / stencil.scale +
                    stencil.offset);
    rec_owned rec_operator *op = calloc(1, sizeof *op);
    assert_non_null(op);
    owned_image start = problem_noise(picture.width, picture.height, 1, 100, 5);
    owned_solver *done = make(&stencil, op, &edges, &picture, kind, halo, kernel);
    owned_solver *solver = make(&stencil, op, &edges, &start, kind, halo, kernel);
    check_iterates(done, op, &edges, kind, halo);
    check_iterates(solver, op, &edges, kind, halo);
    check_limit(solver, &picture);
}

static const rec_boundary_kind kinds[] = {REC_BOUNDARY_HALO, REC_BOUNDARY_MIRROR,
                                          REC_BOUNDARY_WRAP};

/* On a device those whose symbol is real. */
TEST_EACH(stencils_go_back, "fftw", "cuda")
{
    const int device = !strcmp(*state, "cuda");
    kernel_or_skip("spectral", *state);
    test_random source = {11};
    for (int i = 0; i < (device ? 30 : 60); i++)
        check(&source, kinds[i % 3], device || i % 3 < 2 || random_integer(&source, 0, 1), *state);
}
