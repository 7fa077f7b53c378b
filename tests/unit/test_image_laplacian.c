/* The forward operator against a sum that looks up every neighbour by itself, and comparison. */
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

static double at(const rec_image *image, size_t plane, long x, long y, double halo)
{
    const int inside = x >= 0 && y >= 0 && x < (long)image->width && y < (long)image->height;
    return inside ? image->data[(plane * image->height + (size_t)y) * image->stride + (size_t)x]
                  : halo;
}

static void check_edges(const rec_image *picture, float halo)
{
    owned_image edges;
    SUCCEEDS(rec_laplacian(picture, REC_BOUNDARY_HALO, halo, &edges, &error));
    assert_int_equal(edges.width, picture->width);
    assert_int_equal(edges.height, picture->height);
    assert_int_equal(edges.planes, picture->planes);
    for (size_t plane = 0; plane < picture->planes; plane++)
        for (long y = 0; y < (long)picture->height; y++)
            for (long x = 0; x < (long)picture->width; x++) {
                static const int steps[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};
                double sum = 0;
                for (int i = 0; i < 4; i++)
                    sum += at(picture, plane, x + steps[i][0], y + steps[i][1], halo) -
                           at(picture, plane, x, y, halo);
                assert_true(at(&edges, plane, x, y, 0) == (double)(float)sum);
            }
}

TEST(edges_are_sums_of_differences)
{
    static const size_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 2}, {17, 5}, {33, 40}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t planes = 1; planes <= 3; planes += 2) {
            owned_image picture = random_image(sizes[i][0], sizes[i][1], planes, 0, 255, i);
            check_edges(&picture, 0);
            check_edges(&picture, 255);
            check_edges(&picture, -12.5f);
        }
}

TEST(a_flat_picture_in_its_own_halo_has_no_edges)
{
    owned_image edges;
    owned_image picture = random_image(30, 20, 1, 77, 77, 1);
    assert_int_equal(rec_laplacian(&picture, REC_BOUNDARY_HALO, 77, &edges, NULL), REC_OK);
    for (size_t y = 0; y < 20; y++)
        for (size_t x = 0; x < 30; x++)
            assert_true(rec_image_row(&edges, 0, y)[x] == 0);
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

/* ---- comparison ---- */

TEST(equal_images_do_not_differ)
{
    owned_image b;
    rec_difference difference;
    owned_image a = random_image(31, 17, 3, -500, 500, 1);
    assert_int_equal(rec_image_copy(&b, &a, NULL), REC_OK);
    rec_image_row(&a, 0, 0)[31] = 5; /* padding does not count */
    assert_int_equal(rec_image_compare(&a, &b, 255, &difference, NULL), REC_OK);
    assert_int_equal(difference.samples, 31 * 17 * 3);
    assert_int_equal(difference.differing, 0);
    assert_true(difference.maximum == 0 && difference.rms == 0);
    assert_true(isinf(difference.psnr) && difference.psnr > 0);
}

TEST(differences_are_counted_and_placed)
{
    owned_image b;
    rec_difference difference;
    owned_image a = random_image(10, 10, 3, 100, 100, 1);
    assert_int_equal(rec_image_copy(&b, &a, NULL), REC_OK);
    rec_image_row(&b, 1, 7)[4] = 103;
    rec_image_row(&b, 1, 8)[0] = 96;
    rec_image_row(&b, 2, 0)[9] = 100.0f + 0x1p-17f; /* the next float32 */
    assert_int_equal(rec_image_compare(&a, &b, 255, &difference, NULL), REC_OK);
    assert_int_equal(difference.differing, 3);
    assert_int_equal(difference.first.plane, 1);
    assert_int_equal(difference.first.y, 7);
    assert_int_equal(difference.first.x, 4);
    assert_true(difference.maximum == 4);
    const double rms = sqrt((25 + 0x1p-34) / 300);
    assert_true(fabs(difference.rms - rms) < 1e-15);
    assert_true(fabs(difference.psnr - 20 * log10(255 / rms)) < 1e-9);
}

TEST(a_zero_sign_is_a_bit)
{
    rec_difference difference;
    owned_image a = random_image(2, 1, 1, 0, 0, 1);
    owned_image b = random_image(2, 1, 1, 0, 0, 1);
    rec_image_row(&b, 0, 0)[1] = -0.0f;
    assert_int_equal(rec_image_compare(&a, &b, 255, &difference, NULL), REC_OK);
    assert_int_equal(difference.differing, 1);
    assert_int_equal(difference.first.x, 1);
    assert_true(difference.maximum == 0 && isinf(difference.psnr));
}

TEST(other_sizes_are_refused)
{
    static const size_t others[][3] = {{5, 6, 1}, {4, 7, 1}, {4, 6, 3}};
    static const char *const parts[] = {"5 x 6 of 1 plane", "4 x 7 of 1 plane",
                                        "4 x 6 of 3 planes"};
    for (size_t i = 0; i < 3; i++) {
        rec_difference difference;
        rec_error error;
        owned_image a = random_image(4, 6, 1, 0, 9, 1);
        owned_image b = random_image(others[i][0], others[i][1], others[i][2], 0, 9, 1);
        const rec_status status = rec_image_compare(&a, &b, 255, &difference, &error);
        assert_failed(status, REC_BAD_INPUT, &error, parts[i]);
        assert_failed(status, REC_BAD_INPUT, &error, "4 x 6 of 1 plane,");
    }
}
