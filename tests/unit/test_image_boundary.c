/* The forward operator within all boundaries, and edges whose mean is subtracted. */
#include "commands/commands.h"
#include "problem/guidance.h"
#include "problem/problem.h"
#include "tests/unit/problems.h"

/* Against a sum that looks up every neighbour by itself. */
static void check_edges(const rec_image *picture, rec_boundary_kind kind, float halo)
{
    static const int steps[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};
    const rec_boundary boundary = {.kind = kind, .value = halo};
    owned_image edges;
    SUCCEEDS(rec_laplacian(picture, kind, halo, &edges, &error));
    assert_true(edges.width == picture->width && edges.height == picture->height &&
                edges.planes == picture->planes);
    EACH_SAMPLE(long, p, y, x, picture->planes, (long)picture->height, (long)picture->width) {
        double sum = 0;
        for (int i = 0; i < 4; i++)
            sum += (double)beyond(picture, &boundary, p, x + steps[i][0], y + steps[i][1]) -
                   (double)beyond(picture, &boundary, p, x, y);
        assert_true(beyond(&edges, &boundary, p, x, y) == (float)sum);
    }
    const int balanced = kind == REC_BOUNDARY_MIRROR || kind == REC_BOUNDARY_WRAP;
    for (size_t p = 0; p < picture->planes; p++)
        assert_true(!balanced || rec_image_mean(&edges, p) == 0);
    assert_true(!balanced || rec_check_balance(&edges, 1, NULL) == REC_OK);
}

TEST(edges_are_those_of_the_boundary)
{
    static const size_t sizes[][2] = {{1, 1}, {1, 6}, {7, 1}, {2, 2}, {13, 9}, {64, 33}, {5, 128}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t planes = 1; planes <= 3; planes += 2) {
            owned_image picture = problem_picture(sizes[i][0], sizes[i][1], planes, 8);
            for (int k = 0; k < LIMIT_KINDS; k++)
                check_edges(&picture, kinds[k], 0);
            check_edges(&picture, REC_BOUNDARY_HALO, 255);
            check_edges(&picture, REC_BOUNDARY_HALO, -12.5f);
        }
}

/* The cancelling sum 2^24 + 1 - 2^24 survives, as it would not in float32. */
TEST(edges_are_rounded_once)
{
    owned_image edges;
    owned_image picture = random_image(3, 1, 1, 0, 0, 1);
    rec_image_row(&picture, 0, 0)[0] = 0x1p24f;
    rec_image_row(&picture, 0, 0)[1] = 0x1p22f;
    rec_image_row(&picture, 0, 0)[2] = 1;
    assert_int_equal(rec_laplacian(&picture, REC_BOUNDARY_HALO, 0, &edges, NULL), REC_OK);
    assert_true(rec_image_row(&edges, 0, 0)[1] == 1);
}

/* Four rows: v is 0, 2/3, 2 - 4/3, 0, and 255 (1 - v) of the third a little below 85. */
TEST(the_sawtooth_goes_up_and_down)
{
    static const float left[] = {255, 85, 84, 255}, right[] = {0, 170, 170, 0};
    for (size_t y = 0; y < 4; y++) {
        assert_true(rec_sawtooth(y, 4, 0) == left[y]);
        assert_true(rec_sawtooth(y, 4, 1) == right[y]);
    }
}

TEST(edges_that_do_not_sum_to_zero_are_balanced)
{
    static const size_t sizes[][2] = {{1, 1}, {3, 1}, {17, 12}, {300, 211}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        owned_image edges = problem_noise(sizes[i][0], sizes[i][1], 3, 1020, 11);
        for (size_t p = 0; p < 3; p++)
            rec_image_row(&edges, p, 0)[0] += 7.5f + (float)p;
        owned_image before = copy_of(&edges);
        FAILS(rec_check_balance(&edges, 1, &error), REC_BAD_INPUT, "--balance");
        rec_balance(&edges);
        SUCCEEDS(rec_check_balance(&edges, 1, &error));
        for (size_t p = 0; p < 3; p++) {
            const double mean = rec_image_mean(&before, p);
            const double count = (double)edges.width * (double)edges.height;
            assert_true(fabs(count * rec_image_mean(&edges, p)) < 1100 * ldexp(1, -24));
            EACH_PIXEL(size_t, y, x, edges.height, edges.width)
                assert_true(fabs((double)rec_image_row(&before, p, y)[x] - mean -
                                 (double)rec_image_row(&edges, p, y)[x]) < 2e-4);
        }
    }
}

/* At the threshold: what so many roundings to float32 can leave. */
TEST(a_small_sum_is_no_reason_to_refuse)
{
    for (size_t i = 0; i < 4; i++) {
        owned_image edges = problem_noise(1000, 1, 1, 0, 1);
        float *row = rec_image_row(&edges, 0, 0);
        for (size_t x = 0; x < 998; x++)
            row[x] = x % 2 ? 1e6f : -1e6f;
        row[998] = (i % 2 ? 60.f : 59.f) * (float)(i / 2 + 1); /* 998e6 / 2^24 is 59.5 */
        assert_int_equal(rec_check_balance(&edges, i / 2 + 1, NULL),
                         i % 2 ? REC_BAD_INPUT : REC_OK);
    }
}

/* What a solver would take for another boundary is refused before it is made. */
TEST(who_may_have_a_boundary)
{
    owned_image picture = problem_noise(8, 8, 1, 9, 1);
    rec_operator filter = {.is_inverse = 0}, inverse = {.is_inverse = 1};
    const rec_operator *const operators[] = {NULL, &inverse, &filter};
    char names[REC_BOUNDARY_LIST];
    for (size_t i = 0; i < 3; i++)
        for (rec_boundary_kind kind = 0; kind < REC_BOUNDARIES; kind++) {
            const rec_problem problem = {.input = &picture, .boundary.kind = kind,
                                         .operators = operators[i],
                                         .operator_count = operators[i] != NULL};
            const int has = strstr(rec_boundary_list(names, rec_problem_use(operators[i])),
                                   rec_boundaries[kind].name) != NULL;
            assert_int_equal(rec_problem_check(&problem, NULL), has ? REC_OK : REC_USAGE);
        }
    assert_string_equal(rec_boundary_list(names, rec_problem_use(NULL)),
                        "halo, mirror, wrap, sawtooth or cylinder");
    assert_string_equal(rec_boundary_list(names, 0), "mirror, wrap or cylinder");
}

TEST(the_words_of_the_option_are_those_of_the_table)
{
    char words[REC_BOUNDARY_LIST] = "";
    for (size_t i = 0; i < REC_BOUNDARIES; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", i ? "|" : "",
                 rec_boundaries[i].name);
    assert_string_equal(option_table[OPTION_BOUNDARY].argument, words);
}
