/* Every kernel of the cuda solver by name against the reference, bit for bit: at the sizes where
 * strips, tiles and rows of memory end, and at random sizes, iterations, halos and planes from
 * fixed seeds. Skipped without a device. RECONSTRUCT_TESTS=small for tools that make everything a
 * hundred times slower. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cm.h"
#include "tests/unit/problems.h"

static const char *const kernels[] = {"pixel", "stream", "resident", "diagonal"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static int small(void) { return tests_are("small"); }

static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % below;
}

enum { PARTS = 3 };
typedef struct schedule {
    uint64_t n[PARTS];
    unsigned looks[PARTS];
} schedule;

/* All kernels through the same advances; *done counts the kernels that could. */
static void check(const rec_image *edges, const rec_image *start, float halo, const schedule *plan,
                  int done[KERNELS])
{
    const rec_problem problem = {.edges = edges, .start = start, .boundary.value = halo};
    owned_solver *expected = solver_make(solver_or_skip("reference"), edges, start, halo);
    rec_solver *found[KERNELS];
    for (int k = 0; k < KERNELS; k++)
        found[k] = solver_of_kernel("cuda", kernels[k], &problem);
    for (int i = 0; i < PARTS; i++) {
        const rec_look a = solver_advance(expected, plan->n[i], plan->looks[i]);
        for (int k = 0; k < KERNELS; k++) {
            char what[200];
            if (!found[k])
                continue;
            snprintf(what, sizeof what, "%s, %zu x %zu, %zu planes, halo %g, N = %d + %d + %d, %d",
                     kernels[k], edges->width, edges->height, edges->planes, (double)halo,
                     (int)plan->n[0], (int)plan->n[1], (int)plan->n[2], i);
            const rec_look b = solver_advance(found[k], plan->n[i], plan->looks[i]);
            if (plan->looks[i])
                assert_same_look(&a, &b, what);
            assert_same_iterate(expected, found[k], what);
            done[k]++;
        }
    }
    for (int k = 0; k < KERNELS; k++)
        rec_solver_destroy(found[k]);
}

static void check_random(size_t width, size_t height, uint64_t *state, unsigned most_n,
                         int done[KERNELS])
{
    static const float halos[] = {0.0f, 255.0f, -3.5f, 1e-3f, -0.0f};
    const size_t planes = draw(state, 4) ? 1 : 3;
    const int tiny = draw(state, 6) == 0, own_start = draw(state, 3) == 0;
    owned_image edges = problem_noise(width, height, planes, tiny ? 1 << 20 : 1020,
                                      draw(state, 999));
    owned_image start = problem_noise(width, height, planes, 255, draw(state, 999));
    for (size_t y = 0; tiny && y < height * planes; y++)
        for (size_t x = 0; x < width; x++) {
            edges.data[y * edges.stride + x] *= ldexpf(1.0f, -142);
            start.data[y * start.stride + x] *= ldexpf(1.0f, -130);
        }
    schedule plan = {{1 + draw(state, most_n), draw(state, 4), 1 + draw(state, most_n)}, {0}};
    for (int i = 0; i < PARTS; i++)
        plan.looks[i] = draw(state, 2) && plan.n[i] ? REC_LOOK_CHANGE : 0;
    check(&edges, own_start ? &start : NULL, tiny ? 0.0f : halos[draw(state, 5)], &plan, done);
}

TEST(random_problems)
{
    solver_or_skip("cuda");
    uint64_t seed = 20;
    int done[KERNELS] = {0};
    const int cases = small() ? 6 : 400;
    for (int i = 0; i < cases; i++) {
        const unsigned side = small() ? 250 : i % 20 == 0 ? 1200 : i % 2 ? 60 : 350;
        const size_t width = 1 + draw(&seed, side), height = 1 + draw(&seed, side);
        check_random(width, height, &seed, small() ? 40 : side > 1000 ? 40 : 110, done);
    }
    print_message("# compared: pixel %d, stream %d, resident %d, diagonal %d\n", done[0], done[1],
                  done[2], done[3]);
    assert_int_equal(done[0], PARTS * cases);
    if (!done[1] || !done[2])
        print_message("# this device has no place for a kernel that it was asked for\n");
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
    enum { WIDTHS = sizeof widths / sizeof *widths, HEIGHTS = sizeof heights / sizeof *heights };
    uint64_t seed = 21;
    int done[KERNELS] = {0};
    for (size_t i = 0; i < (small() ? 6 : 3 * WIDTHS); i++) {
        const size_t w = small() ? 5 * i : i;
        check_random(widths[w % WIDTHS], heights[(7 * w + w / WIDTHS) % HEIGHTS], &seed, 70, done);
    }
    /* Large tiles, of which a small image needs none: by width and height, not many of them. */
    static const unsigned short large[][2] = {{1283, 1279}, {1536, 1537}, {1793, 1790},
                                              {2048, 2048}, {2177, 2175}, {2050, 1999},
                                              {2241, 2239}, {2401, 2399}};
    for (size_t i = 0; !small() && i < sizeof large / sizeof *large; i++)
        check_random(large[i][0], large[i][1], &seed, 25, done);
    assert_true(done[0] > 0);
}

/* Tori that are a little and much larger than the image, one strip, two, and shares that end in the
 * middle of one. */
TEST(along_the_diagonal)
{
    solver_or_skip("cuda");
    static const unsigned short sides[][2] = {{752, 752}, {767, 767}, {768, 751},
                                              {900, 1100}, {1023, 1025}, {1400, 40}};
    uint64_t seed = 22;
    int done[KERNELS] = {0};
    for (size_t i = 0; i < (small() ? 1 : sizeof sides / sizeof *sides); i++)
        for (int again = 0; again < (small() ? 1 : 3); again++)
            check_random(sides[i][0], sides[i][1], &seed, small() ? 40 : 110, done);
    print_message("# compared along the diagonal: %d\n", done[3]);
}

/* Every number of iterations that a pass, a round of tiles and what is left of them can come to. */
TEST(every_number_of_iterations)
{
    solver_or_skip("cuda");
    int done[KERNELS] = {0};
    owned_image edges = problem_noise(330, 101, 1, 1020, 5);
    for (unsigned n = 1; n <= (small() ? 0 : 100); n++) {
        const schedule plan = {{n, n % 3, 1}, {n % 2 ? REC_LOOK_CHANGE : 0, 0, REC_LOOK_CHANGE}};
        check(&edges, NULL, 9.0f, &plan, done);
    }
}

/* An impulse spreads into denormals; noise at 2^-122 shows a missing fma. */
TEST(the_contract)
{
    solver_or_skip("cuda");
    int done[KERNELS] = {0};
    owned_image impulse = problem_noise(256, 256, 1, 1, 1), zero = problem_noise(256, 256, 1, 1, 1);
    rec_image_fill(&impulse, 0.0f);
    rec_image_fill(&zero, 0.0f);
    rec_image_row(&impulse, 0, 128)[127] = 1.0f;
    owned_image noise = problem_noise(256, 256, 1, 1 << 20, 2);
    for (size_t y = 0; y < 256; y++)
        for (size_t x = 0; x < 256; x++)
            rec_image_row(&noise, 0, y)[x] *= ldexpf(1.0f, -122 - 20);
    const schedule plan = {{80, 0, small() ? 0 : 400}, {0}};
    check(&impulse, NULL, 0, &plan, done);
    check(&zero, &impulse, 0, &plan, done);
    check(&noise, NULL, 0, &plan, done);
    check(&zero, &noise, -0.0f, &plan, done);
}

/* A picture that comes to stand still, looked at after one iteration, after many, and after many
 * without a look. */
TEST(standstill_is_seen)
{
    solver_or_skip("cuda");
    owned_image picture = problem_picture(90, 70, 1, 6);
    owned_image edges = problem_edges(&picture, REC_BOUNDARY_HALO);
    const rec_problem problem = {.edges = &edges};
    for (int k = 0; k < KERNELS && !small(); k++) {
        owned_solver *found = solver_of_kernel("cuda", kernels[k], &problem);
        if (!found)
            continue;
        owned_solver *expected = solver_make(solver_or_skip("reference"), &edges, NULL, 0);
        static const int steps[] = {100, 1, 97, 1, 2, 60};
        int still = 0;
        for (int i = 0; still < 8; i++) {
            assert_true(i < 3000);
            const unsigned looks = i % 4 == 2 ? 0 : REC_LOOK_CHANGE;
            const rec_look a = solver_advance(expected, (uint64_t)steps[i % 6], looks);
            const rec_look b = solver_advance(found, (uint64_t)steps[i % 6], looks);
            if (looks)
                assert_same_look(&a, &b, kernels[k]);
            still += looks && a.standstill;
        }
    }
}

/* A snapshot between two bulks is of its iterate, and disturbs none. */
TEST(snapshots_between_bulks)
{
    solver_or_skip("cuda");
    owned_image edges = problem_noise(301, 203, 3, 900, 12);
    const rec_problem problem = {.edges = &edges};
    const rec_view view = {10, 20, 200, 100, 67, 33, REC_TONE_STRETCH, REC_LAYER_PICTURE, 1, 0};
    for (int k = 0; k < KERNELS; k++) {
        owned_solver *found = solver_of_kernel("cuda", kernels[k], &problem);
        if (!found)
            continue;
        owned_solver *expected = solver_make(solver_or_skip("reference"), &edges, NULL, 0);
        for (int i = 0; i < 3; i++) {
            rec_solver *both[] = {expected, found};
            const rec_snapshot *seen[2] = {NULL, NULL};
            for (int j = 0; j < 2; j++) {
                int begun = 0;
                solver_advance(both[j], 51, 0);
                SUCCEEDS(rec_solver_snapshot(both[j], &view, &begun, &error));
                assert_true(begun);
            }
            solver_advance(found, 40, 0); /* on its way while the bytes come */
            solver_advance(expected, 40, 0);
            for (int j = 0; j < 2; j++)
                seen[j] = solver_poll(both[j]);
            for (size_t row = 0; row < seen[0]->planes * seen[0]->height; row++)
                assert_memory_equal(seen[0]->pixels + row * seen[0]->stride,
                                    seen[1]->pixels + row * seen[1]->stride, seen[0]->width);
            for (int j = 0; j < 2; j++)
                rec_solver_release(both[j], seen[j]);
        }
    }
}

TEST(names_are_checked)
{
    owned_image edges = problem_noise(20, 10, 1, 5, 1);
    rec_solver *solver;
    rec_error error = {0};
    rec_solver_options options = {.kernel = "magic"};
    const rec_problem problem = {.edges = &edges};
    const rec_solver_type *cuda = solver_or_skip("cuda");
    assert_int_equal(rec_solver_create(&solver, cuda, &problem, &options, &error), REC_USAGE);
    for (int k = 0; k < KERNELS; k++)
        assert_non_null(strstr(error.message, kernels[k]));
    options.kernel = "resident"; /* 10 rows are less than a tile has */
    assert_int_equal(rec_solver_create(&solver, cuda, &problem, &options, &error), REC_UNAVAILABLE);
}
