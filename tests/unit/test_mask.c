/* Masks: their box and count, and which problems may have one. */
#include "problem/mask.h"

#include <stdlib.h>

#include "base/hash.h"
#include "cm.h"
#include "solver/solver.h"
#include "support.h"

TEST(a_mask_measures_the_box_and_the_number_of_its_unknown_pixels)
{
    enum { WIDTH = 9, HEIGHT = 6 };
    rec_mask mask;
    srand(1);
    assert_int_equal(rec_mask_create(&mask, WIDTH, HEIGHT, NULL), REC_OK);
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
        assert_int_equal(mask.box_width, count ? right - left : 0);
        assert_int_equal(mask.box_height, count ? bottom - top : 0);
        assert_int_equal(mask.x, count ? left : 0);
        assert_int_equal(mask.y, count ? top : 0);
    }
    rec_mask_destroy(&mask);
}

TEST(a_problem_takes_a_mask_of_its_size_with_a_picture_around_it)
{
    rec_image edges, start;
    rec_mask mask, other;
    rec_operator filter = {.stencil = {.name = "filter"}};
    rec_error error;
    assert_int_equal(rec_image_create(&edges, 4, 3, 1, NULL), REC_OK);
    assert_int_equal(rec_image_create(&start, 4, 3, 1, NULL), REC_OK);
    assert_int_equal(rec_mask_create(&mask, 4, 3, NULL), REC_OK);
    assert_int_equal(rec_mask_create(&other, 3, 4, NULL), REC_OK);
    for (size_t i = 0; i < 12; i++)
        mask.unknown[i] = 1;
    rec_mask_measure(&mask);
    rec_problem problem = {.edges = &edges, .start = &start, .mask = &mask};
    assert_int_equal(rec_problem_check(&problem, &error), REC_OK);

    problem.start = NULL;
    assert_int_equal(rec_problem_check(&problem, &error), REC_BAD_INPUT);
    problem.start = &start;
    problem.mask = &other;
    assert_int_equal(rec_problem_check(&problem, &error), REC_BAD_INPUT);
    problem.mask = &mask;
    problem.operators = &filter;
    assert_int_equal(rec_problem_check(&problem, &error), REC_USAGE);
    problem.operators = NULL;

    /* Nothing determines the mean, unless it is given or a pixel is known. */
    problem.boundary.kind = REC_BOUNDARY_MIRROR;
    assert_int_equal(rec_problem_check(&problem, &error), REC_BAD_INPUT);
    problem.boundary.mean_count = 1;
    assert_int_equal(rec_problem_check(&problem, &error), REC_OK);
    assert_true(rec_problem_frees_mean(&problem));
    problem.boundary.mean_count = 0;
    const uint64_t full = rec_problem_hash(&problem, REC_HASH_START);
    mask.unknown[11] = 0;
    rec_mask_measure(&mask);
    assert_int_equal(rec_problem_check(&problem, &error), REC_OK);
    assert_false(rec_problem_frees_mean(&problem));
    const uint64_t holed = rec_problem_hash(&problem, REC_HASH_START);
    assert_true(holed != full);
    problem.mask = NULL;
    assert_true(rec_problem_hash(&problem, REC_HASH_START) != holed);

    rec_mask_destroy(&mask);
    rec_mask_destroy(&other);
    rec_image_destroy(&edges);
    rec_image_destroy(&start);
}
