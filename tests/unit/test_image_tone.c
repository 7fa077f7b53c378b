/* Tones against their formulas, worked out in double. */
#include "tests/unit/support.h"
#include "kernels/tone.h"
#include "problem/guidance.h"

static unsigned tone_of(float value, rec_tone tone, rec_tone_range range, unsigned maxval)
{
    uint16_t out;
    rec_tone_row(&value, 1, tone, range, maxval, &out);
    assert_int_equal(out, rec_tone_sample(value, (int)tone, range.low, range.high, maxval));
    return out;
}

static const rec_tone_range no_range;

TEST(clamp_rounds_half_away_from_zero)
{
    static const unsigned maxvals[] = {1, 255, 1000, 65535};
    for (size_t i = 0; i < sizeof maxvals / sizeof *maxvals; i++)
        for (unsigned k = 0; k < maxvals[i]; k++) {
            const float half = (float)k + 0.5f;
            assert_int_equal(tone_of((float)k, REC_TONE_CLAMP, no_range, maxvals[i]), k);
            assert_int_equal(tone_of(half, REC_TONE_CLAMP, no_range, maxvals[i]), k + 1);
            assert_int_equal(tone_of(nextafterf(half, 0), REC_TONE_CLAMP, no_range, maxvals[i]),
                             k);
        }
}

TEST(clamp_clamps)
{
    static const struct {
        float value;
        unsigned maxval, expected;
    } cases[] = {
        {-0.0f, 255, 0},   {-0.5f, 255, 0},     {-1e30f, 255, 0},      {255.49f, 255, 255},
        {256, 255, 255},   {1e30f, 255, 255},   {65534.5f, 65535, 65535}, {65535.4f, 65535, 65535},
        {1e9f, 65535, 65535}, {0x1p-149f, 1, 0}, {INFINITY, 255, 255}, {-INFINITY, 255, 0},
        {NAN, 255, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tone_of(cases[i].value, REC_TONE_CLAMP, no_range, cases[i].maxval),
                         cases[i].expected);
}

TEST(ranges_are_those_of_all_planes)
{
    owned_image image = random_image(19, 7, 3, 10, 20, 1);
    rec_image_row(&image, 0, 3)[18] = -300;
    rec_image_row(&image, 2, 6)[0] = 250;
    rec_image_row(&image, 1, 0)[5] = 0.5f;
    rec_tone_range range = tone_range(&image, REC_TONE_STRETCH);
    assert_true(range.low == -300 && range.high == 250);
    range = tone_range(&image, REC_TONE_EPCC);
    assert_true(range.low == 0.5f && range.high == 300);
}

TEST(stretch_is_linear)
{
    test_random source = {4};
    static const unsigned maxvals[] = {1, 255, 65535};
    for (int i = 0; i < 30000; i++) {
        const unsigned maxval = maxvals[i % 3];
        const float low = (float)random_integer(&source, -100000, 100000) / 64;
        const float high = low + (float)random_integer(&source, 1, 1000000) / 64;
        const rec_tone_range range = {low, high};
        const float value =
            low + (high - low) * (float)random_integer(&source, 0, 1 << 20) / (1 << 20);
        const double exact = ((double)value - low) / ((double)high - low) * maxval;
        const unsigned out = tone_of(value, REC_TONE_STRETCH, range, maxval);
        assert_true(fabs(out - exact) <= 0.5 + 1e-6 * maxval);
        assert_int_equal(tone_of(low, REC_TONE_STRETCH, range, maxval), 0);
        assert_int_equal(tone_of(high, REC_TONE_STRETCH, range, maxval), maxval);
        assert_int_equal(tone_of(low - 1, REC_TONE_STRETCH, range, maxval), 0);
        assert_int_equal(tone_of(high + 1, REC_TONE_STRETCH, range, maxval), maxval);
    }
    const rec_tone_range same = {0, 255};
    for (unsigned k = 0; k <= 255; k++)
        assert_int_equal(tone_of((float)k, REC_TONE_STRETCH, same, 255), k);
    const rec_tone_range flat = {7, 7}, wide = {-1e30f, 1e30f}, tiny = {0, 0x1p-149f};
    assert_int_equal(tone_of(7, REC_TONE_STRETCH, flat, 255), 0);
    assert_int_equal(tone_of(0, REC_TONE_STRETCH, wide, 255), 128);
    assert_int_equal(tone_of(0x1p-149f, REC_TONE_STRETCH, tiny, 65535), 65535);
}

/* The exercise's formula as design and headers have it, in double and with C's own conversions. */
static int epcc_of(double value, double low, double high)
{
    const int t = high > 255 ? (int)(255 * fabs(value - low) / (high - low) + 0.5)
                             : (int)(fabs(value) + 0.5);
    const int grey = (int)(255 * sqrt(t / 255.0));
    return grey < 255 ? grey : 255;
}

TEST(epcc_is_the_exercises)
{
    const rec_tone_range small = {0, 255};
    for (int k = -255; k <= 255; k++) {
        assert_int_equal(tone_of((float)k, REC_TONE_EPCC, small, 255), epcc_of(k, 0, 255));
        const float before_half = nextafterf((float)k + 0.5f, 0);
        assert_int_equal(tone_of(before_half, REC_TONE_EPCC, small, 255),
                         epcc_of(before_half, 0, 255));
    }
    test_random source = {5};
    size_t compared = 0;
    for (int i = 0; i < 100000; i++) {
        const float low = (float)random_integer(&source, 0, 100) / 8;
        const float high = 255 + (float)random_integer(&source, 1, 10000) / 8;
        const float value = (float)random_integer(&source, -(int)high * 8, (int)high * 8) / 8;
        const double share = 255 * fabs((double)value - low) / ((double)high - low) + 0.5;
        if (fabs(share - round(share)) < 1e-3)
            continue; /* where float32 may round to the other side */
        const rec_tone_range range = {low, high};
        assert_int_equal(tone_of(value, REC_TONE_EPCC, range, 255), epcc_of(value, low, high));
        compared++;
    }
    assert_true(compared > 90000);
    const rec_tone_range flat = {300, 300};
    assert_int_equal(tone_of(300, REC_TONE_EPCC, flat, 255), 0);
    assert_int_equal(tone_of(-300, REC_TONE_EPCC, flat, 255), 255);
}

TEST(rows_are_toned_whole)
{
    uint16_t out[1001];
    owned_image image = random_image(1000, 1, 1, -400, 900, 8);
    for (int tone = 0; tone < REC_TONES; tone++) {
        const rec_tone_range range = tone_range(&image, (rec_tone)tone);
        out[1000] = 12345;
        rec_tone_row(image.data, 1000, (rec_tone)tone, range, 255, out);
        for (size_t x = 0; x < 1000; x++)
            assert_int_equal(out[x], rec_tone_sample(image.data[x], tone, range.low, range.high,
                                                     255));
        assert_int_equal(out[1000], 12345);
    }
}

/* ---- the whole of an image ---- */

TEST(what_is_cut_off_is_counted)
{
    static const float values[] = {-0.5f, -0.49f, 0, 255, 255.49f, 255.5f, 300, -242};
    owned_image image = new_image(8, 1, 1);
    memcpy(image.data, values, sizeof values);
    const rec_survey small = rec_image_survey(&image, 255), large = rec_image_survey(&image, 300);
    assert_int_equal(small.outside, 4);
    assert_int_equal(small.samples, 8);
    assert_true(small.low == -242 && small.high == 300);
    assert_int_equal(large.outside, 2);
}

TEST(auto_stretches_beyond_one_percent)
{
    const rec_survey little = {.outside = 10, .samples = 1000},
                     much = {.outside = 11, .samples = 1000};
    assert_int_equal(rec_tone_choose(REC_TONE_AUTO, &little), REC_TONE_CLAMP);
    assert_int_equal(rec_tone_choose(REC_TONE_AUTO, &much), REC_TONE_STRETCH);
    assert_int_equal(rec_tone_choose(REC_TONE_CLAMP, &much), REC_TONE_CLAMP);
    assert_int_equal(rec_tone_choose(REC_TONE_EPCC, &much), REC_TONE_EPCC);
}

static void assert_doubt(const rec_image *edges, double zero_level, rec_doubt wanted)
{
    assert_int_equal(rec_edges_doubt(edges, zero_level), wanted);
}

TEST(edges_that_are_a_picture_or_have_no_sign_are_told)
{
    owned_image picture = new_image(300, 200, 1), edges;
    EACH_PIXEL(size_t, y, x, 200, 300)
        rec_image_row(&picture, 0, y)[x] =
            floorf(110 + 90 * sinf((float)x / 9) * cosf((float)y / 13));
    assert_doubt(&picture, 0, REC_DOUBT_PICTURE);
    assert_doubt(&picture, -100, REC_DOUBT_NONE); /* it would have negative samples */
    assert_int_equal(rec_laplacian(&picture, REC_BOUNDARY_HALO, 0, &edges, NULL), REC_OK);
    assert_doubt(&edges, 32768, REC_DOUBT_NONE);
    assert_doubt(&edges, 255, REC_DOUBT_NONE); /* near 0, if little in an image of 8 bits */
    for (size_t i = 0; i < 200 * edges.stride; i++)
        edges.data[i] = fabsf(edges.data[i]) - 128;
    assert_doubt(&edges, 128, REC_DOUBT_UNSIGNED);
    for (size_t i = 0; i < 200 * edges.stride; i++) /* alternating, and far from 0 */
        edges.data[i] = (i + i / edges.stride) % 2 ? 90 : 100;
    assert_doubt(&edges, 128, REC_DOUBT_LEVEL);
    for (size_t i = 0; i < 200 * edges.stride; i++) /* smooth, and mostly near 0 */
        edges.data[i] = (picture.data[i] - 110) / 5;
    assert_doubt(&edges, 128, REC_DOUBT_NONE);
    rec_image_destroy(&edges);
    for (size_t i = 0; i < 200 * picture.stride; i++)
        picture.data[i] -= 110; /* read as edges, about its own mean */
    assert_doubt(&picture, 110, REC_DOUBT_PICTURE);
    for (int convex = 0; convex < 2; convex++) { /* two very smooth pictures */
        for (size_t i = 0; i < 200 * picture.stride; i++) {
            const float x = (float)(i % picture.stride) / 60 - 2.5f, y = (float)i / 18000 - 1.5f;
            const float r2 = x * x + y * y;
            picture.data[i] = convex ? expf(r2 / 3) : rintf(65000 * expf(-r2));
        }
        assert_int_equal(rec_laplacian(&picture, REC_BOUNDARY_MIRROR, 0, &edges, NULL), REC_OK);
        assert_doubt(&edges, convex ? 0 : 32768, REC_DOUBT_NONE);
        rec_image_destroy(&edges);
    }
}
