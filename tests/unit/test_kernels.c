/* Every kernel of the cpu and the cuda solver by its name against the reference, bit for bit: over
 * the sizes at which strips, vectors, blocks, tiles and rows of memory begin and end, over
 * iterations that passes, rounds and stages divide and do not, over numbers of threads, and at
 * random from fixed seeds. What the processor, the device or the build lacks is skipped.
 * RECONSTRUCT_TESTS=small for tools that make everything a hundred times slower. */
#include "tests/unit/problems.h"

enum { KERNELS = 6 };
static const char *const cpu_kernels[KERNELS] = {"avx512",      "avx2",      "base",
                                                 "avx512-rows", "avx2-rows", "base-rows"};
static const char *const cuda_kernels[KERNELS] = {"pixel", "stream", "resident", "diagonal"};

static const char *const *kernels_of(const char *name)
{
    solver_or_skip(name);
    return strcmp(name, "cpu") ? cuda_kernels : cpu_kernels;
}

static int small(void) { return tests_are("small"); }

/* NULL where the processor, the device or the build lacks the kernel. */
static rec_solver *make(const char *name, const char *kernel, const rec_image *edges,
                        const rec_image *start, float halo)
{
    const rec_problem problem = {.given = edges, .start = start, .boundary.value = halo};
    return solver_of_kernel(name, kernel, &problem);
}

typedef struct step {
    uint64_t n;
    unsigned looks;
} step;

/* All kernels of the solver through the same steps; anew: after each step a new one that goes to
 * the same iterate at once. Returns how many kernels could, as bits. */
static unsigned check(const char *name, const rec_image *edges, const rec_image *start, float halo,
                      const step *steps, size_t count, int anew)
{
    const char *const *kernels = kernels_of(name);
    owned_solver *expected = solver_make(solver_or_skip("reference"), edges, start, halo);
    rec_solver *found[KERNELS] = {NULL};
    uint64_t done = 0;
    unsigned here = 0;
    for (size_t i = 0; i < count; i++) {
        const rec_look a = solver_advance(expected, steps[i].n, steps[i].looks);
        done += steps[i].n;
        for (int k = 0; k < KERNELS && kernels[k]; k++) {
            char what[160];
            if (!i || anew) {
                rec_solver_destroy(found[k]);
                found[k] = make(name, kernels[k], edges, start, halo);
            }
            if (!found[k])
                continue;
            here |= 1u << k;
            snprintf(what, sizeof what, "%s %s: %zu x %zu, %zu planes, halo %g, step %zu, N = %d",
                     name, kernels[k], edges->width, edges->height, edges->planes, (double)halo, i,
                     (int)done);
            rec_look b = {0};
            if (anew) /* in the fastest way */
                SUCCEEDS(rec_solver_advance(found[k], done, 0, NULL, &error));
            else
                b = solver_advance(found[k], steps[i].n, steps[i].looks);
            if (steps[i].looks)
                assert_same_look(&a, &b, what);
            assert_same_iterate(expected, found[k], what);
        }
    }
    for (int k = 0; k < KERNELS; k++)
        rec_solver_destroy(found[k]);
    return here;
}

TEST_EACH(is_here, "avx512", "avx2", "base", "avx512-rows", "avx2-rows", "base-rows")
{
    kernel_or_skip("cpu", *state);
}

/* ---- sizes and iterations ---- */

/* N = 0, 1, 2, 3, 5, 7, 8, 9, 17, 100, 101, 1001 */
static const step totals[] = {{0, 0}, {1, 0}, {1, 0}, {1, 0},  {2, 0}, {2, 0},
                              {1, 0}, {1, 0}, {8, 0}, {83, 0}, {1, 0}, {900, 0}};

TEST_EACH(the_bits_are_the_references, "cpu", "cuda")
{
    static const size_t sizes[][2] = {{1, 1},     {1, 7},    {7, 1},     {2, 2},    {15, 33},
                                      {16, 16},   {17, 64},  {31, 5},    {32, 32},  {33, 65},
                                      {47, 3},    {49, 130}, {63, 40},   {64, 97},  {65, 31},
                                      {79, 1},    {81, 2},   {111, 64},  {112, 33}, {113, 100},
                                      {128, 129}, {129, 12}, {192, 256}, {3, 1100}, {1003, 517}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const size_t pixels = sizes[i][0] * sizes[i][1];
        const int large = pixels > 100000, all = pixels < 3000 && !small();
        if (small() && pixels >= 5000)
            continue;
        for (size_t planes = large ? 3 : 1; planes <= (small() ? 1 : 3); planes += 2)
            for (int halo = large || small() ? 255 : 0; halo <= 255; halo += 255) {
                const unsigned seed = (unsigned)(sizes[i][0] + planes);
                owned_image edges = problem_noise(sizes[i][0], sizes[i][1], planes, 1020, seed);
                check(*state, &edges, NULL, (float)halo, totals,
                      COUNT(totals) - !all, 1);
            }
    }
}

/* A tile of more rows than one takes, and passes of the greatest depth. */
TEST_EACH(the_bits_of_many_rows, "cpu", "cuda")
{
    static const step many[] = {{99, 0}, {388, 0}};
    solver_or_skip(*state);
    owned_image edges = problem_noise(210, 2100, 1, 1020, 5);
    owned_image start = problem_noise(210, 2100, 1, 255, 6);
    const int before = use_threads(2);
    check(*state, &edges, &start, 17.25f, many, small() ? 1 : 2, 1);
    use_threads(before);
}

static void check_teams(const int *teams, size_t team_count, const size_t (*sizes)[2],
                        size_t size_count, size_t planes, float halo, const step *steps,
                        size_t count)
{
    for (size_t i = 0; i < size_count * team_count; i++) {
        owned_image edges = problem_noise(sizes[i % size_count][0], sizes[i % size_count][1],
                                          planes, 1020, 9);
        const int before = use_threads(teams[i / size_count]);
        check("cpu", &edges, NULL, halo, steps, count, 1);
        use_threads(before);
    }
}

TEST(any_team_gives_the_same_bits)
{
    static const int teams[] = {1, 2, 3, 5, 16};
    static const size_t sizes[][2] = {{1100, 4}, {33, 125}, {300, 203}};
    check_teams(teams, small() ? 3 : 5, sizes, small() ? 2 : 3, small() ? 1 : 3, 128.0f, totals,
                COUNT(totals) - 1);
}

/* Bands that move up by more rows than they have, fewer and more strips than bands, and bands at
 * the sizes at which there is one more of them. */
TEST(bands_of_any_size_give_the_same_bits)
{
    static const int teams[] = {7, 16};
    static const size_t sizes[][2] = {{8, 513}, {17, 700},  {64, 65},  {65, 65},
                                      {49, 96}, {70, 2049}, {640, 520}};
    static const step many[] = {{96, 0}, {55, 0}};
    check_teams(teams, 2, sizes, small() ? 6 : 7, 1, 3.5f, many, small() ? 1 : 2);
}

/* However the iterations are shared out among advances, with looks between them or without. */
TEST_EACH(any_steps_give_the_same_bits, "cpu", "cuda")
{
    static const step steps[] = {{5, 0}, {7, 0}, {0, REC_LOOK_DISTANCE}, {1, REC_LOOK_CHANGE},
                                 {60, 0}, {3, REC_LOOK_CHANGE}, {50, REC_LOOK_DISTANCE}, {1, 0},
                                 {2, 0}, {131, 0}};
    solver_or_skip(*state);
    owned_image edges = problem_noise(130, 77, 1, 1020, 10);
    check(*state, &edges, NULL, 1.5f, steps, COUNT(steps), 0);
}

/* Every number of iterations that a pass, a round of tiles and what is left of them can come to. */
TEST(every_number_of_iterations)
{
    solver_or_skip("cuda");
    owned_image edges = problem_noise(330, 101, 1, 1020, 5);
    for (unsigned n = 1; n <= (small() ? 0 : 100); n++) {
        const step steps[] = {{n, n % 2 ? REC_LOOK_CHANGE : 0}, {n % 3, 0}, {1, REC_LOOK_CHANGE}};
        check("cuda", &edges, NULL, 9.0f, steps, 3, 0);
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
    owned_image zero = problem_noise(256, 256, 1, 1, 1), impulse = problem_noise(256, 256, 1, 1, 1);
    owned_image tiny = problem_noise(256, 256, 1, 1 << 20, 2);
    owned_image large = problem_noise(256, 256, 1, 1 << 20, 3);
    rec_image_fill(&zero, 0.0f);
    rec_image_fill(&impulse, 0.0f);
    rec_image_row(&impulse, 0, 128)[127] = 1.0f;
    EACH_PIXEL(size_t, y, x, 256, 256) {
        rec_image_row(&tiny, 0, y)[x] *= ldexpf(1.0f, -122 - 20);
        rec_image_row(&large, 0, y)[x] *= 1e30f / (1 << 20);
    }
    static const step steps[] = {{80, 0}, {400, 0}};
    const size_t count = strcmp(*state, "cpu") ? 2 : 1;
    const rec_image *const starts[] = {&impulse, &tiny, &large, &zero};
    for (size_t i = 0; i < COUNT(starts); i++)
        for (int negative = 0; negative < 2; negative++) {
            const float halo = negative ? -0.0f : 0.0f;
            check(*state, &zero, starts[i], halo, steps, count, 0);
            check(*state, starts[i], NULL, halo, steps, count, 0);
        }
}

/* ---- looks ---- */

enum { BOTH = REC_LOOK_CHANGE | REC_LOOK_DISTANCE };

/* After one iteration, after many, and after many without a look; in every combination. */
TEST_EACH(looks_are_the_references, "cpu", "cuda")
{
    static const step all[] = {{0, BOTH}, {1, BOTH}, {1, REC_LOOK_CHANGE}, {2, REC_LOOK_DISTANCE},
                               {0, REC_LOOK_CHANGE}, {25, BOTH}, {100, 0}, {3, BOTH}, {60, 0},
                               {1, BOTH}, {1, 0}, {48, BOTH}, {49, BOTH}, {50, 0}, {1, BOTH}};
    static const size_t sizes[][3] = {{1, 1, 1}, {1, 7, 3}, {37, 1, 1}, {300, 201, 3},
                                      {513, 258, 1}};
    for (size_t i = 0; i < (small() ? 3 : COUNT(sizes)); i++) {
        owned_image edges = problem_noise(sizes[i][0], sizes[i][1], sizes[i][2], 900, 11);
        check(*state, &edges, NULL, 3.0f, all, COUNT(all), 0);
    }
}

/* To the standstill and past it, looking also at single iterations behind many. */
TEST_EACH(standstill_is_seen, "cpu", "cuda")
{
    static const step steps[] = {{100, BOTH}, {1, 0}, {2000, BOTH}, {1, BOTH}, {3, 0}, {1, BOTH},
                                 {5000, BOTH}, {1, BOTH}, {2, BOTH}, {1, 0}, {40, BOTH}};
    if (small())
        skip();
    solver_or_skip(*state);
    owned_image noise = problem_noise(12, 9, 1, 900, 12);
    owned_image picture = problem_picture(90, 70, 1, 6);
    owned_image edges = problem_edges(&picture, REC_BOUNDARY_HALO);
    owned_solver *reference = solver_make(solver_or_skip("reference"), &noise, NULL, 3.0f);
    solver_advance(reference, 7200, 0);
    assert_true(solver_advance(reference, 1, REC_LOOK_CHANGE).standstill);
    check(*state, &noise, NULL, 3.0f, steps, COUNT(steps), 0);
    step many[150];
    for (size_t i = 0; i < COUNT(many); i++) { /* this picture stands still after 30000 */
        static const unsigned n[] = {100, 1, 397, 1, 2, 860};
        many[i] = (step){n[i % 6], i % 4 == 2 ? 0 : REC_LOOK_CHANGE};
    }
    if (!strcmp(*state, "cuda"))
        check("cuda", &edges, NULL, 0, many, COUNT(many), 0);
}

/* ---- the device's sizes ---- */

static unsigned check_random(size_t width, size_t height, test_random *dice, int most_n)
{
    static const float halos[] = {0.0f, 255.0f, -3.5f, 1e-3f, -0.0f};
    const size_t planes = random_integer(dice, 0, 3) ? 1 : 3;
    const int tiny = !random_integer(dice, 0, 5), own_start = !random_integer(dice, 0, 2);
    owned_image edges = problem_noise(width, height, planes, tiny ? 1 << 20 : 1020,
                                      random_bits(dice));
    owned_image start = problem_noise(width, height, planes, 255, random_bits(dice));
    for (size_t y = 0; tiny && y < height * planes; y++)
        for (size_t x = 0; x < width; x++) {
            edges.data[y * edges.stride + x] *= ldexpf(1.0f, -142);
            start.data[y * start.stride + x] *= ldexpf(1.0f, -130);
        }
    step steps[3];
    for (int i = 0; i < 3; i++) {
        steps[i].n = (uint64_t)(i == 1 ? random_integer(dice, 0, 3)
                                       : random_integer(dice, 1, most_n));
        steps[i].looks = random_integer(dice, 0, 1) && steps[i].n ? REC_LOOK_CHANGE : 0;
    }
    return check("cuda", &edges, own_start ? &start : NULL,
                 tiny ? 0.0f : halos[random_integer(dice, 0, 4)], steps, 3, 0);
}

TEST(random_problems)
{
    solver_or_skip("cuda");
    test_random dice = {20};
    for (int i = 0; i < (small() ? 6 : 400); i++) {
        const int side = small() ? 250 : i % 20 == 0 ? 1200 : i % 2 ? 60 : 350;
        const size_t width = (size_t)random_integer(&dice, 1, side);
        const size_t height = (size_t)random_integer(&dice, 1, side);
        const unsigned here = check_random(width, height, &dice, small() || side > 1000 ? 40 : 110);
        assert_true(here & 1); /* pixel does everything */
    }
}

/* One below, at and one above: rows of memory (32), the strips of both passes (304 and 324 columns
 * of 368 and 372), tiles (128 x 48, 64, 80, 128, 160, 192 and 256 x 144, 168, 192, 200), and flat
 * images. */
TEST(sizes_where_things_end)
{
    solver_or_skip("cuda");
    static const unsigned short widths[] = {1,   2,   3,   5,   31,  32,  33,  64,  96,  123, 124,
                                            125, 128, 251, 252, 256, 303, 304, 305, 323, 324, 325,
                                            368, 372, 608, 609, 648, 649};
    static const unsigned short heights[] = {1,  2,  5,   7,   47,  48,  49,  63,  79,  80,
                                             81, 96, 127, 128, 129, 143, 144, 145, 160, 161,
                                             168, 169, 192, 193, 199, 200, 201};
    test_random dice = {21};
    for (size_t i = 0; i < (small() ? 6 : 3 * COUNT(widths)); i++) {
        const size_t w = small() ? 5 * i : i;
        check_random(widths[w % COUNT(widths)],
                     heights[(7 * w + w / COUNT(widths)) % COUNT(heights)], &dice, 70);
    }
    /* Large tiles, of which a small image needs none: by width and height, not many of them. And
     * for the diagonal: tori that are a little and much larger than the image, one strip, two, and
     * shares that end in the middle of one. */
    static const unsigned short large[][3] = {
        {1283, 1279, 25}, {1536, 1537, 25}, {1793, 1790, 25}, {2048, 2048, 25}, {2177, 2175, 25},
        {2050, 1999, 25}, {2241, 2239, 25}, {2401, 2399, 25}, {752, 752, 110},  {767, 767, 110},
        {768, 751, 110},  {900, 1100, 110}, {1023, 1025, 110}, {1400, 40, 110}};
    for (size_t i = 0; i < COUNT(large); i++)
        for (int again = 0; again < (large[i][2] == 25 ? 1 : 3) && !small(); again++)
            check_random(large[i][0], large[i][1], &dice, large[i][2]);
    if (small())
        check_random(752, 752, &dice, 40);
}

/* A snapshot between two bulks is of its iterate, and disturbs none. */
TEST(snapshots_between_bulks)
{
    const char *const *kernels = kernels_of("cuda");
    owned_image edges = problem_noise(301, 203, 3, 900, 12);
    const rec_view view = {10, 20, 200, 100, 67, 33, REC_TONE_STRETCH, REC_LAYER_PICTURE, 1, 0};
    for (int k = 0; k < KERNELS && kernels[k]; k++) {
        owned_solver *found = make("cuda", kernels[k], &edges, NULL, 0);
        owned_solver *expected = solver_make(solver_or_skip("reference"), &edges, NULL, 0);
        for (int i = 0; found && i < 3; i++) {
            int begun = 0;
            solver_advance(found, 51, 0);
            SUCCEEDS(rec_solver_snapshot(found, &view, NULL, &begun, &error));
            assert_true(begun);
            solver_advance(found, 40, 0); /* on its way while the bytes come */
            solver_advance(expected, 51, 0);
            const rec_snapshot *a = solver_show(expected, &view), *b = solver_poll(found);
            solver_advance(expected, 40, 0);
            for (size_t row = 0; row < a->planes * a->height; row++)
                assert_memory_equal(a->pixels + row * a->stride, b->pixels + row * b->stride,
                                    a->width);
            rec_solver_release(expected, a);
            rec_solver_release(found, b);
            assert_same_iterate(expected, found, kernels[k]);
        }
    }
}

TEST_EACH(names_are_checked, "cpu", "cuda")
{
    const char *const *kernels = kernels_of(*state);
    owned_image edges = problem_noise(20, 10, 1, 5, 1);
    rec_solver *solver;
    const rec_problem problem = {.given = &edges};
    rec_solver_options options = {.kernel = "magic"};
    const rec_solver_type *type = solver_or_skip(*state);
    for (int k = 0; k < KERNELS && kernels[k]; k++)
        if (strncmp(kernels[k], "avx", 3)) /* which this processor may lack */
            FAILS(rec_solver_create(&solver, type, &problem, &options, &error), REC_USAGE,
                  kernels[k]);
    options.kernel = "resident"; /* 10 rows are less than a tile has */
    if (!strcmp(*state, "cuda"))
        FAILS(rec_solver_create(&solver, type, &problem, &options, &error), REC_UNAVAILABLE, "");
}
