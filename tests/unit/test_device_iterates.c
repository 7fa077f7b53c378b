/* The iterates of a device at the sizes of its strips, tiles and tori, and with every number of
 * iterations. */
#include "tests/unit/iterates.h"

/* Every number of iterations that a pass, a round of tiles and what is left of them can come to. */
TEST(every_number_of_iterations)
{
    solver_or_skip("cuda");
    owned_puzzle m = make_case(330, 101, 1, REC_BOUNDARY_HALO, 9, 5);
    for (unsigned n = 1; n <= (small() ? 0 : 100); n++) {
        const step steps[] = {{n, n % 2 ? REC_LOOK_CHANGE : 0}, {n % 3, 0}, {1, REC_LOOK_CHANGE}};
        check_case(&m, 0, 0, steps, 3, 0, "cuda");
    }
}

/* Whose shares are more than one a slab. */
TEST(a_diagonal_in_slabs)
{
    solver_or_skip("cuda");
    owned_puzzle m = make_case(801, 1303, small() ? 1 : 3, REC_BOUNDARY_HALO, 3.25f, 6);
    check_case(&m, 0, 1, all_looks, ALL_LOOKS, 0, ALL_WAYS);
}

static unsigned check_random(size_t width, size_t height, test_random *dice, int most_n)
{
    static const float halos[] = {0.0f, 255.0f, -3.5f, 1e-3f, -0.0f};
    const size_t planes = random_integer(dice, 0, 3) ? 1 : 3;
    const int tiny = !random_integer(dice, 0, 5);
    owned_puzzle m = {.edges = problem_noise(width, height, planes, tiny ? 1 << 20 : 1020,
                                             random_bits(dice)),
                      .start = problem_noise(width, height, planes, 255, random_bits(dice))};
    m.problem.boundary.value = tiny ? 0.0f : halos[random_integer(dice, 0, 4)];
    for (size_t i = 0; tiny && i < planes * height * width; i++) {
        *sample_of(&m.edges, i) *= ldexpf(1.0f, -142);
        *sample_of(&m.start, i) *= ldexpf(1.0f, -130);
    }
    step steps[3];
    for (int i = 0; i < 3; i++) {
        steps[i].n = (uint64_t)(i == 1 ? random_integer(dice, 0, 3)
                                       : random_integer(dice, 1, most_n));
        steps[i].looks = random_integer(dice, 0, 1) && steps[i].n ? REC_LOOK_CHANGE : 0;
    }
    return check_case(&m, 0, !random_integer(dice, 0, 2), steps, 3, 0, "cuda");
}

TEST(random_problems)
{
    solver_or_skip("cuda");
    test_random dice = {20};
    for (int i = 0; i < (small() ? 6 : 400); i++) {
        const int side = small() ? 250 : i % 20 == 0 ? 1200 : i % 2 ? 60 : 350;
        const size_t width = (size_t)random_integer(&dice, 1, side);
        const size_t height = (size_t)random_integer(&dice, 1, side);
        assert_true(check_random(width, height, &dice, small() || side > 1000 ? 40 : 110));
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
        {768, 751, 110},  {900, 1100, 110}, {1023, 1025, 110}, {1400, 40, 110}, {801, 1303, 110}};
    for (size_t i = 0; i < COUNT(large); i++)
        for (int again = 0; again < (large[i][2] == 25 ? 1 : 3) && !small(); again++)
            check_random(large[i][0], large[i][1], &dice, large[i][2]);
    if (small())
        check_random(752, 752, &dice, 40);
}
