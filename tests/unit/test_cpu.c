/* Every kernel of the cpu solver that works on this processor against the reference, bit for bit:
 * over the sizes at which strips, vectors, blocks and tiles begin and end, over iterations that
 * passes and stages divide and do not, and over numbers of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/problems.h"
#include "tests/unit/support.h"

static const char *const kernels[] = {"avx512",      "avx2",      "base",
                                      "avx512-rows", "avx2-rows", "base-rows"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const rec_solver_type *reference(void) { return solver_or_skip("reference"); }

/* NULL where the processor or the build lacks the kernel. */
static rec_solver *make(const char *kernel, const rec_image *edges, const rec_image *start,
                        float halo)
{
    const rec_problem problem = {.edges = edges, .start = start, .boundary.value = halo};
    return solver_of_kernel("cpu", kernel, &problem);
}

TEST_EACH(is_here, "avx512", "avx2", "base", "avx512-rows", "avx2-rows", "base-rows")
{
    owned_image edges = problem_noise(3, 3, 1, 9, 1);
    owned_solver *solver = make(*state, &edges, NULL, 0);
    if (!solver)
        skip();
}

/* ---- sizes and iterations ---- */

static const uint64_t totals[] = {0, 1, 2, 3, 5, 7, 8, 9, 17, 100, 101};
enum { TOTALS = sizeof totals / sizeof *totals };

static void check(const rec_image *edges, const rec_image *start, float halo,
                  const uint64_t *wanted, size_t count)
{
    owned_solver *expected = solver_make(reference(), edges, start, halo);
    uint64_t done = 0;
    for (size_t i = 0; i < count; i++) {
        solver_advance(expected, wanted[i] - done, 0);
        done = wanted[i];
        for (int k = 0; k < KERNELS; k++) {
            owned_solver *found = make(kernels[k], edges, start, halo);
            if (!found)
                continue;
            solver_advance(found, done, 0);
            char what[128];
            snprintf(what, sizeof what, "%s: %zu x %zu, %zu planes, halo %g, N = %d", kernels[k],
                     edges->width, edges->height, edges->planes, (double)halo, (int)done);
            assert_same_iterate(expected, found, what);
        }
    }
}

TEST(the_bits_are_the_references)
{
    static const size_t sizes[][2] = {{1, 1},     {1, 7},    {7, 1},     {2, 2},    {15, 33},
                                      {16, 16},   {17, 64},  {31, 5},    {32, 32},  {33, 65},
                                      {47, 3},    {49, 130}, {63, 40},   {64, 97},  {65, 31},
                                      {79, 1},    {81, 2},   {111, 64},  {112, 33}, {113, 100},
                                      {128, 129}, {129, 12}, {192, 256}, {3, 1100}, {1003, 517}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t pixels = sizes[i][0] * sizes[i][1];
        const int large = pixels > 100000;
        if (tests_are("small") && pixels >= 5000)
            continue;
        for (size_t planes = large ? 3 : 1; planes <= 3; planes += 2)
            for (int halo = large ? 255 : 0; halo <= 255; halo += 255) {
                const unsigned seed = (unsigned)(sizes[i][0] + planes);
                owned_image edges = problem_noise(sizes[i][0], sizes[i][1], planes, 1020, seed);
                check(&edges, NULL, (float)halo, totals, TOTALS);
            }
    }
}

/* A tile of more rows than one takes, and passes of the greatest depth. */
TEST(the_bits_of_many_rows)
{
    const uint64_t many[] = {99, 487};
    owned_image edges = problem_noise(210, 2100, 1, 1020, 5);
    owned_image start = problem_noise(210, 2100, 1, 255, 6);
    const int before = use_threads(2);
    check(&edges, &start, 17.25f, many, tests_are("small") ? 1 : 2);
    use_threads(before);
}

static void check_teams(const int *teams, size_t team_count, const size_t (*sizes)[2],
                        size_t size_count, size_t planes, float halo, const uint64_t *wanted,
                        size_t count)
{
    for (size_t i = 0; i < size_count * team_count; i++) {
        owned_image edges = problem_noise(sizes[i % size_count][0], sizes[i % size_count][1],
                                          planes, 1020, 9);
        const int before = use_threads(teams[i / size_count]);
        check(&edges, NULL, halo, wanted, count);
        use_threads(before);
    }
}

TEST(any_team_gives_the_same_bits)
{
    static const int teams[] = {1, 2, 3, 5, 16};
    static const size_t sizes[][2] = {{40, 4}, {33, 65}, {300, 203}};
    check_teams(teams, 5, sizes, 3, tests_are("small") ? 1 : 3, 128.0f, totals, TOTALS);
}

/* Bands that move up by more rows than they have, fewer and more strips than bands, and bands at
 * the sizes at which there is one more of them. */
TEST(bands_of_any_size_give_the_same_bits)
{
    static const int teams[] = {7, 16};
    static const size_t sizes[][2] = {{1, 513}, {17, 700},  {64, 64},    {65, 65},
                                      {49, 96}, {70, 2049}, {640, 520}};
    static const uint64_t many[] = {96, 151};
    check_teams(teams, 2, sizes, tests_are("small") ? 6 : 7, 1, 3.5f, many,
                tests_are("small") ? 1 : 2);
}

/* However the iterations are shared out among advances, with looks between them or without. */
TEST(any_steps_give_the_same_bits)
{
    static const struct {
        uint64_t n;
        unsigned looks;
    } steps[] = {{5, 0}, {7, 0}, {0, REC_LOOK_DISTANCE}, {1, REC_LOOK_CHANGE}, {60, 0},
                 {3, REC_LOOK_CHANGE}, {50, REC_LOOK_DISTANCE}, {1, 0}, {2, 0}, {131, 0}};
    owned_image edges = problem_noise(130, 77, 1, 1020, 10);
    for (int k = 0; k < KERNELS; k++) {
        owned_solver *found = make(kernels[k], &edges, NULL, 1.5f);
        owned_solver *expected = solver_make(reference(), &edges, NULL, 1.5f);
        for (size_t i = 0; found && i < sizeof steps / sizeof *steps; i++) {
            solver_advance(expected, steps[i].n, 0);
            solver_advance(found, steps[i].n, steps[i].looks);
            char what[64];
            snprintf(what, sizeof what, "%s: step %zu", kernels[k], i);
            assert_same_iterate(expected, found, what);
        }
    }
}

/* ---- the arithmetic contract ---- */

/* An impulse that spreads into denormals, noise near the smallest normal numbers, and numbers as
 * large as may be; each as start without edges and as its own edges; with halos of either zero. */
TEST(the_contract_is_kept)
{
    owned_image zero = problem_noise(256, 256, 1, 1, 1), impulse = problem_noise(256, 256, 1, 1, 1);
    owned_image small = problem_noise(256, 256, 1, 1 << 20, 2);
    owned_image large = problem_noise(256, 256, 1, 1 << 20, 3);
    rec_image_fill(&zero, 0.0f);
    rec_image_fill(&impulse, 0.0f);
    rec_image_row(&impulse, 0, 128)[127] = 1.0f;
    for (size_t y = 0; y < 256; y++)
        for (size_t x = 0; x < 256; x++) {
            rec_image_row(&small, 0, y)[x] *= ldexpf(1.0f, -122 - 20);
            rec_image_row(&large, 0, y)[x] *= 1e30f / (1 << 20);
        }
    const uint64_t steps = 80;
    const rec_image *const starts[] = {&impulse, &small, &large, &zero};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (int negative = 0; negative < 2; negative++) {
            check(&zero, starts[i], negative ? -0.0f : 0.0f, &steps, 1);
            check(starts[i], NULL, negative ? -0.0f : 0.0f, &steps, 1);
        }
}

/* ---- looks ---- */

static void check_looks(const char *kernel, const rec_image *edges, const uint64_t *steps,
                        size_t count, unsigned every)
{
    owned_solver *found = make(kernel, edges, NULL, 3.0f);
    owned_solver *expected = solver_make(reference(), edges, NULL, 3.0f);
    for (size_t i = 0; found && i < count; i++) {
        const unsigned looks = i % every ? 0 : REC_LOOK_CHANGE | REC_LOOK_DISTANCE;
        const rec_look a = solver_advance(expected, steps[i], looks);
        const rec_look b = solver_advance(found, steps[i], looks);
        if (looks)
            assert_same_look(&a, &b, kernel);
    }
}

TEST(looks_are_the_references)
{
    static const uint64_t steps[] = {0, 1, 1, 2, 0, 25, 100, 3, 60, 1, 1, 48, 49, 50};
    static const size_t sizes[][3] = {{1, 1, 1}, {1, 7, 3}, {37, 1, 1}, {300, 201, 3}};
    /* To the standstill and past it, looking also at single iterations behind many. */
    static const uint64_t long_steps[] = {100, 1, 2000, 1, 3, 1, 5000, 1, 2, 1, 40};
    for (int k = 0; k < KERNELS; k++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            owned_image edges = problem_noise(sizes[i][0], sizes[i][1], sizes[i][2], 900, 11);
            for (unsigned every = 1; every <= 2; every++)
                check_looks(kernels[k], &edges, steps, sizeof steps / sizeof *steps, every);
        }
        owned_image edges = problem_noise(12, 9, 1, 900, 12);
        check_looks(kernels[k], &edges, long_steps, 11, 1);
        check_looks(kernels[k], &edges, long_steps + 1, 10, 2);
        owned_solver *solver = make(kernels[k], &edges, NULL, 3.0f);
        if (solver) {
            solver_advance(solver, 7200, 0);
            assert_true(solver_advance(solver, 1, REC_LOOK_CHANGE).standstill);
        }
    }
}

TEST(refuses_other_kernels)
{
    rec_solver *solver = NULL;
    rec_error error = {0};
    owned_image edges = problem_noise(3, 3, 1, 9, 1);
    const rec_problem problem = {.edges = &edges};
    const rec_solver_options options = {.kernel = "avx1024"};
    assert_int_equal(rec_solver_create(&solver, solver_or_skip("cpu"), &problem, &options, &error),
                     REC_USAGE);
    assert_non_null(strstr(error.message, "avx1024"));
    assert_non_null(strstr(error.message, "base"));
}
