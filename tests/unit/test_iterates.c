/* The iterates of all ways: boundaries, sizes, masks, starts, teams of threads, and numbers as
 * small and as large as may be. */
#include "tests/unit/iterates.h"

TEST_EACH(is_here, "cpu avx512", "cpu avx2", "cpu base", "cpu avx512-rows", "cpu avx2-rows",
          "cpu base-rows", "cuda pixel", "cuda stream", "cuda resident", "cuda diagonal")
{
    char name[8], kernel[16];
    assert_int_equal(sscanf(*state, "%7s %15s", name, kernel), 2);
    kernel_or_skip(name, kernel);
}

TEST_EACH(iterates_are_the_references, "halo", "mirror", "wrap", "sawtooth")
{
    static const int percents[] = {30, 95, 60, 99}; /* unknown */
    const rec_boundary_kind kind = kind_named(*state);
    test_random dice = {7};
    for (size_t i = 0; i < SIZES; i += small() ? (kind ? 6 : 3) : 1) {
        const size_t width = sizes[i][0], height = sizes[i][1], planes = i / 2 % 2 ? 1 : 3;
        if (width * height > (small() ? 5000 : 30000))
            continue;
        for (size_t k = 0; k < 2; k++) {
            const int percent = !kind && i % 4 == 0 ? 101 : percents[(i + kind) % 4];
            const int masked = k && (width * height > 1 || percent > 100);
            if ((kind || i % 3) && k != (i + kind) % 2)
                continue;
            owned_puzzle m =
                masked ? make_masked(scattered(width, height, percent, &dice), planes, kind)
                       : make_case(width, height, planes, kind, i % 4 < 2 ? 3.25f : 0, (unsigned)i);
            if (!masked && i % 3 == 0)
                rec_image_row(&m.edges, 0, 0)[0] += 300; /* they do not sum to 0 */
            check_case(&m, masked, masked || i % 3 == 1, all_looks, ALL_LOOKS, 0, ALL_WAYS);
        }
    }
}

/* N = 0, 1, 2, 3, 5, 7, 8, 9, 17, 100, 101, 1001, each at once. */
static const step totals[] = {{0, 0}, {1, 0}, {1, 0}, {1, 0},  {2, 0}, {2, 0},
                              {1, 0}, {1, 0}, {8, 0}, {83, 0}, {1, 0}, {900, 0}};

TEST_EACH(many_iterations_at_once_have_the_bits, "cpu", "cuda")
{
    solver_or_skip(*state);
    for (size_t i = 0; i < SIZES; i++) {
        const size_t pixels = sizes[i][0] * sizes[i][1];
        const int all = pixels < 3000 && !small();
        if (small() && pixels >= 5000)
            continue;
        owned_puzzle m = make_case(sizes[i][0], sizes[i][1], i % 2 ? 3 : 1, REC_BOUNDARY_HALO,
                                   i % 4 < 2 ? 255 : 0, (unsigned)i);
        check_case(&m, 0, i % 3 == 1, totals, COUNT(totals) - !all, 1, *state);
    }
}

/* Bands that move up by more rows than they have, fewer and more strips than bands, bands at the
 * sizes at which there is one more of them, a tile of more rows than one takes, and passes of the
 * greatest depth. */
TEST(any_team_gives_the_same_bits)
{
    static const int teams[] = {7, 16, 2, 3};
    static const size_t bands[][2] = {{77, 61}, {1100, 4}, {33, 125}, {8, 513},    {17, 700},
                                      {64, 65}, {65, 65},  {49, 96},  {300, 203},  {70, 2049},
                                      {640, 520}, {210, 2100}};
    static const step many[] = {{1, 0}, {2, 0}, {6, 0}, {87, 0}, {5, 0}, {386, 0}};
    for (size_t i = 0; i < COUNT(bands) * COUNT(teams); i++) {
        const size_t size = i / COUNT(teams), team = i % COUNT(teams);
        const size_t pixels = bands[size][0] * bands[size][1];
        if ((pixels > (small() ? 0 : 10000) && team != size % COUNT(teams)) ||
            (pixels > 20000 && small()))
            continue;
        owned_puzzle m = make_case(bands[size][0], bands[size][1], pixels < 5000 ? 3 : 1,
                                   size ? REC_BOUNDARY_HALO : kinds[team % KINDS], 3.5f, 9);
        const int before = use_threads(teams[team]);
        check_case(&m, 0, i % 2, many, pixels > 400000 && !small() ? 6 : 5, 1, "cpu");
        use_threads(before);
    }
}

/* ---- the arithmetic contract ---- */

/* An impulse that spreads into denormals within 80 steps shows flush-to-zero and another order of
 * additions; noise near the smallest normal numbers a missing fma; and numbers as large as may be.
 * Each as start without edges and as its own edges; with halos of either zero. */
TEST_EACH(the_contract_is_kept, "cpu", "cuda")
{
    if (small())
        skip();
    solver_or_skip(*state);
    owned_image zero = new_image(256, 256, 1), impulse = new_image(256, 256, 1);
    owned_image tiny = problem_noise(256, 256, 1, 1 << 20, 2);
    owned_image large = problem_noise(256, 256, 1, 1 << 20, 3);
    rec_image_row(&impulse, 0, 128)[127] = 1.0f;
    EACH_PIXEL(size_t, y, x, 256, 256) {
        rec_image_row(&tiny, 0, y)[x] *= ldexpf(1.0f, -122 - 20);
        rec_image_row(&large, 0, y)[x] *= 1e30f / (1 << 20);
    }
    static const step steps[] = {{80, 0}, {400, 0}};
    const rec_image *const starts[] = {&impulse, &tiny, &large, &zero};
    for (size_t i = 0; i < 4 * COUNT(starts); i++) {
        const rec_image *const start = starts[i / 4];
        const rec_problem problem = {.input = i % 2 ? start : &zero, .start = i % 2 ? NULL : start,
                                     .boundary.value = i % 4 < 2 ? 0.0f : -0.0f};
        check_problem(&problem, steps, strcmp(*state, "cpu") ? 2 : 1, 0, *state);
    }
}

TEST_EACH(names_are_checked, "cpu", "cuda")
{
    owned_image edges = problem_noise(20, 10, 1, 5, 1);
    rec_solver *solver;
    const rec_problem problem = {.input = &edges};
    rec_solver_options options = {.kernel = "magic"};
    const rec_solver_type *type = solver_or_skip(*state);
    for (const char *const *kernel = type->kernels; *kernel; kernel++)
        if (strncmp(*kernel, "avx", 3)) /* which this processor may lack */
            FAILS(rec_solver_create(&solver, type, &problem, &options, &error), REC_USAGE, *kernel);
    options.kernel = "resident"; /* 10 rows are less than a tile has */
    if (!strcmp(*state, "cuda"))
        FAILS(rec_solver_create(&solver, type, &problem, &options, &error), REC_UNAVAILABLE, "");
}
