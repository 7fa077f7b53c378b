/* How far two images are from each other. */
#include "tests/unit/support.h"

TEST(equal_images_do_not_differ)
{
    owned_image a = random_image(31, 17, 3, -500, 500, 1);
    owned_image b = copy_of(&a);
    rec_image_row(&a, 0, 0)[31] = 5; /* padding does not count */
    const rec_difference difference = difference_of(&a, &b);
    assert_int_equal(difference.samples, 31 * 17 * 3);
    assert_int_equal(difference.differing, 0);
    assert_true(difference.maximum == 0 && difference.rms == 0);
    assert_true(isinf(difference.psnr) && difference.psnr > 0);
}

TEST(differences_are_counted_and_placed)
{
    owned_image a = random_image(10, 10, 3, 100, 100, 1);
    owned_image b = copy_of(&a);
    rec_image_row(&b, 1, 7)[4] = 103;
    rec_image_row(&b, 1, 8)[0] = 96;
    rec_image_row(&b, 2, 0)[9] = 100.0f + 0x1p-17f; /* the next float32 */
    const rec_difference difference = difference_of(&a, &b);
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
    owned_image a = random_image(2, 1, 1, 0, 0, 1);
    owned_image b = random_image(2, 1, 1, 0, 0, 1);
    rec_image_row(&b, 0, 0)[1] = -0.0f;
    const rec_difference difference = difference_of(&a, &b);
    assert_int_equal(difference.differing, 1);
    assert_int_equal(difference.first.x, 1);
    assert_true(difference.maximum == 0 && isinf(difference.psnr));
}
