/* Masks: what makes a pixel unknown, their box and count, and which problems may have one. */
#include "base/hash.h"
#include "tests/unit/problems.h"

static rec_mask_values paste(rec_mask *mask, const rec_image *image, double white, ptrdiff_t x,
                             ptrdiff_t y)
{
    const rec_samples samples = rec_samples_of_image(image);
    rec_mask_values found;
    assert_int_equal(rec_mask_paste(mask, &samples, white, x, y, &found, NULL), REC_OK);
    return found;
}

TEST(a_mask_is_white_from_half_on)
{
    owned_image image = new_image(3, 1, 3);
    owned_mask mask = new_mask(4, 3);
    static const float samples[3][3] = {{128, 127, 255}, {127, 127, 0}, {128, 128, 126}};
    for (size_t p = 0; p < 3; p++)
        memcpy(rec_image_row(&image, p, 0), samples[p], sizeof samples[p]);
    paste(&mask, &image, 255, 2, 1); /* sums 383, 382, 381, of 765 or 762 */
    assert_int_equal(mask.count, 1);
    assert_int_equal(mask.box.x, 2);
    assert_int_equal(mask.box.y, 1);
    memset(mask.unknown, 0, 12);
    paste(&mask, &image, 254, -1, 2);
    assert_int_equal(mask.count, 2);
    assert_int_equal(mask.box.x, 0);
    assert_int_equal(mask.box.y, 2);
    paste(&mask, &image, 254, -3, -1); /* nothing of it lies inside */
    assert_int_equal(mask.count, 2);
}

TEST(a_mask_counts_values_and_what_is_between)
{
    enum { WIDTH = 5000, HEIGHT = 30 }; /* by all threads */
    owned_image image = new_image(WIDTH, HEIGHT, 1);
    owned_mask mask = new_mask(WIDTH, HEIGHT);
    const struct {
        float value[3]; /* of all, of some rows and a pixel, of the pixel before it */
        size_t count;
        double low, high;
        size_t between;
    } rows[] = {{{0, 255, 0}, 2, 0, 255, 0},
                {{255, 255, 255}, 1, 255, 255, 0},
                {{0, 255, 100}, 3, 0, 255, 1},
                {{9, 9, 7}, 2, 7, 9, 0},
                {{0, 64, 191}, 3, 0, 191, 5 * WIDTH + 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const float *value = rows[i].value;
        for (size_t k = 0; k < WIDTH * HEIGHT; k++)
            *sample_of(&image, k) =
                k == 20 * WIDTH + 4500
                    ? value[2]
                    : value[(k / WIDTH >= 3 && k / WIDTH < 8) || k == 20 * WIDTH + 4501];
        const rec_mask_values found = paste(&mask, &image, 255, 0, 0);
        assert_int_equal(found.count, rows[i].count);
        assert_true(found.low == rows[i].low && found.high == rows[i].high);
        assert_int_equal(found.between, rows[i].between);
        for (size_t k = 0; k < WIDTH * HEIGHT; k++)
            assert_int_equal(mask.unknown[k], *sample_of(&image, k) >= 127.5f);
    }
}

TEST(a_mask_measures_the_box_and_the_number_of_its_unknown_pixels)
{
    enum { WIDTH = 9, HEIGHT = 6 };
    srand(1);
    owned_mask mask = new_mask(WIDTH, HEIGHT);
    for (size_t round = 0; round < 200; round++) {
        size_t count = 0, left = WIDTH, right = 0, top = HEIGHT, bottom = 0;
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
            mask.unknown[i] = (size_t)rand() % 60 < round % 4;
            if (!mask.unknown[i])
                continue;
            const size_t x = i % WIDTH, y = i / WIDTH;
            count++;
            left = x < left ? x : left;
            right = x >= right ? x + 1 : right;
            top = y < top ? y : top;
            bottom = y + 1;
        }
        rec_mask_measure(&mask);
        assert_int_equal(mask.count, count);
        assert_int_equal(mask.box.width, count ? right - left : 0);
        assert_int_equal(mask.box.height, count ? bottom - top : 0);
        assert_int_equal(mask.box.x, count ? left : 0);
        assert_int_equal(mask.box.y, count ? top : 0);
    }
}

TEST(a_mask_widens_sparse_or_not)
{
    enum { WIDTH = 300, HEIGHT = 200 };
    static unsigned char given[HEIGHT][WIDTH], row[WIDTH];
    static const size_t radii[] = {0, 1, 17, 70};
    for (size_t i = 0; i < 8; i++) {
        const size_t radius = radii[i / 2];
        owned_mask mask = {0}, wider = {0};
        SUCCEEDS(rec_mask_create_for(&mask, WIDTH, HEIGHT, i % 2, &error));
        memset(given, 0, sizeof given);
        for (size_t k = 0; k < 25; k++)
            memset(&given[(size_t)rand() % HEIGHT][(size_t)rand() % (WIDTH - 9)], 1, 9);
        for (size_t y = 0; y < HEIGHT; y++)
            SUCCEEDS(rec_mask_write(&mask, 0, y, WIDTH, given[y], &error));
        rec_mask_measure(&mask);
        SUCCEEDS(rec_mask_widen(&wider, &mask, radius, &error));
        size_t count = 0;
        for (size_t y = 0; y < HEIGHT; y++) {
            const rec_area line = {0, y, WIDTH, 1};
            rec_mask_read(&wider, 0, y, WIDTH, row);
            for (size_t x = 0; x < WIDTH; x++) {
                const rec_area near = rec_area_grow((rec_area){x, y, 1, 1}, radius, WIDTH, HEIGHT);
                int there = 0;
                for (size_t k = 0; k < near.height; k++)
                    there |= memchr(&given[near.y + k][near.x], 1, near.width) != NULL;
                assert_int_equal(row[x], there);
                count += (size_t)there;
            }
            rec_mask_measure_in(&mask, line);
            assert_int_equal(mask.count > 0, memchr(given[y], 1, WIDTH) != NULL);
        }
        assert_int_equal(wider.count, count);
    }
}

/* Until nothing changes, pixel after pixel. */
static void grow_slowly(unsigned char *grown, const unsigned char *through, long width, long height,
                        int wraps_x, int wraps_y)
{
    for (int changed = 1; changed;) {
        changed = 0;
        for (long i = 0; i < 4 * width * height; i++) {
            const long at = i / 4, sign = i & 1 ? 1 : -1, x = at % width + (i & 2 ? sign : 0);
            const long y = at / width + (i & 2 ? 0 : sign);
            const int inside = (wraps_x || (x >= 0 && x < width)) &&
                               (wraps_y || (y >= 0 && y < height));
            const long beside = (y + height) % height * width + (x + width) % width;
            if (!grown[at] && through[at] && inside && grown[beside])
                changed = grown[at] = 1;
        }
    }
}

TEST(a_mask_grows_along_paths)
{
    enum { WIDTH = 9, HEIGHT = 7 };
    owned_mask mask = new_mask(WIDTH, HEIGHT);
    owned_mask through = new_mask(WIDTH, HEIGHT);
    owned_mask grown = new_mask(WIDTH, HEIGHT);
    srand(2);
    for (int round = 0; round < 400; round++) {
        unsigned char wanted[WIDTH * HEIGHT];
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
            wanted[i] = mask.unknown[i] = rand() % 20 == 0;
            through.unknown[i] = rand() % 100 < 35 + round % 40;
        }
        rec_mask_measure(&mask);
        rec_mask_measure(&through);
        grow_slowly(wanted, through.unknown, WIDTH, HEIGHT, round & 1, round & 2);
        SUCCEEDS(rec_mask_grow(&grown, &mask, &through, round & 1, round & 2, &error));
        assert_memory_equal(grown.unknown, wanted, sizeof wanted);
        size_t count = 0;
        for (size_t i = 0; i < sizeof wanted; i++)
            count += wanted[i];
        assert_int_equal(grown.count, count);
    }
}

TEST(a_problem_takes_a_mask_of_its_size_with_a_picture_around_it)
{
    owned_image edges = random_image(4, 3, 1, 0, 0, 1), start = random_image(4, 3, 1, 0, 0, 1);
    rec_operator filter = {.stencil = {.name = "filter"}};
    owned_mask mask = new_mask(4, 3);
    owned_mask other = new_mask(3, 4);
    for (size_t i = 0; i < 12; i++)
        mask.unknown[i] = 1;
    rec_mask_measure(&mask);
    rec_problem problem = {.input = &edges, .start = &start, .mask = &mask};
    assert_int_equal(rec_problem_check(&problem, NULL), REC_OK);

    problem.start = NULL;
    assert_int_equal(rec_problem_check(&problem, NULL), REC_BAD_INPUT);
    problem.start = &start;
    problem.mask = &other;
    assert_int_equal(rec_problem_check(&problem, NULL), REC_BAD_INPUT);
    problem.mask = &mask;
    problem.operators = &filter;
    assert_int_equal(rec_problem_check(&problem, NULL), REC_USAGE);
    problem.operators = NULL;

    /* Nothing determines the mean, unless it is given or a pixel is known. */
    problem.boundary.kind = REC_BOUNDARY_MIRROR;
    assert_int_equal(rec_problem_check(&problem, NULL), REC_BAD_INPUT);
    problem.boundary.mean_count = 1;
    assert_int_equal(rec_problem_check(&problem, NULL), REC_OK);
    assert_true(rec_problem_frees_mean(&problem));
    problem.boundary.mean_count = 0;
    const uint64_t full = rec_problem_hash(&problem, REC_HASH_START);
    mask.unknown[11] = 0;
    rec_mask_measure(&mask);
    assert_int_equal(rec_problem_check(&problem, NULL), REC_OK);
    assert_false(rec_problem_frees_mean(&problem));
    const uint64_t holed = rec_problem_hash(&problem, REC_HASH_START);
    assert_true(holed != full);
    problem.mask = NULL;
    assert_true(rec_problem_hash(&problem, REC_HASH_START) != holed);
}
