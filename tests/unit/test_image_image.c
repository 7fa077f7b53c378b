/* The image itself: sizes, memory, copies, identity. */
#include "tests/unit/support.h"

#include <sys/resource.h>

#include "problem/guidance.h"

TEST(sizes_are_checked)
{
    static const struct {
        size_t width, height, planes;
        rec_status status;
        const char *part;
    } cases[] = {
        {1, 1, 1, REC_OK, ""}, {REC_MAX_SIDE, 1, 1, REC_OK, ""}, {1, REC_MAX_SIDE, 3, REC_OK, ""},
        {0, 5, 1, REC_BAD_INPUT, "0 x 5"}, {5, 0, 1, REC_BAD_INPUT, "5 x 0"},
        {REC_MAX_SIDE + 1, 5, 1, REC_BAD_INPUT, "1000001 x 5"},
        {5, SIZE_MAX, 1, REC_BAD_INPUT, "5 x 18446744073709551615"},
        {5, 5, 0, REC_BAD_INPUT, "0 planes"}, {5, 5, 2, REC_BAD_INPUT, "2 planes"},
        {REC_MAX_SIDE, REC_MAX_SIDE, 3, REC_LIMIT,
         "12.0 TB of memory for a 1000000 x 1000000 image of 3 planes is more than the "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rec_error error;
        rec_image image;
        memset(&image, 0xff, sizeof image);
        const rec_status status = rec_image_create(&image, cases[i].width, cases[i].height,
                                                   cases[i].planes, &error);
        if (!cases[i].status) {
            assert_succeeded(status, &error);
            rec_image_destroy(&image);
            continue;
        }
        assert_failed(status, cases[i].status, &error, cases[i].part);
        assert_null(image.data);
        assert_int_equal(image.width, 0);
    }
}

TEST(memory_is_aligned_and_padded)
{
    static const size_t widths[] = {1, 15, 16, 17, 333};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        rec_image image;
        assert_int_equal(rec_image_create(&image, widths[i], 3, 3, NULL), REC_OK);
        assert_int_equal(image.stride % 16, 0);
        assert_true(image.stride >= image.width && image.stride < image.width + 16);
        assert_int_equal((uintptr_t)image.data % 64, 0);
        rec_image_fill(&image, 7);
        EACH_SAMPLE(size_t, plane, y, x, 3, 3, image.stride)
            assert_true(rec_image_row(&image, plane, y)[x] == (x < image.width ? 7.0f : 0.0f));
        rec_image_destroy(&image);
        assert_null(image.data);
        rec_image_destroy(&image);
    }
}

TEST(a_copy_is_its_own)
{
    owned_image image = random_image(37, 11, 3, -1000, 1000, 1);
    owned_image copy = copy_of(&image);
    assert_same_image(&image, &copy);
    assert_true(rec_image_hash(&image) == rec_image_hash(&copy));
    const float old = rec_image_row(&image, 2, 10)[36];
    rec_image_row(&copy, 2, 10)[36] = nextafterf(old, 5000.0f);
    assert_true(rec_image_row(&image, 2, 10)[36] == old);
    assert_true(rec_image_hash(&image) != rec_image_hash(&copy));
}

TEST(the_hash_sees_shape_but_not_padding)
{
    owned_image a = random_image(6, 4, 1, 3, 3, 1);
    owned_image b = random_image(4, 6, 1, 3, 3, 1);
    assert_true(rec_image_hash(&a) != rec_image_hash(&b));
    const uint64_t before = rec_image_hash(&a);
    rec_image_row(&a, 0, 1)[a.width] = 99; /* padding */
    assert_true(rec_image_hash(&a) == before);
}

/* Large enough for a team; the means' rows and the hash's go through several shares. */
TEST(the_number_of_threads_changes_nothing)
{
    owned_image one_edges;
    owned_image image = random_image(301, 2501, 3, -100000, 100000, 7);
    use_threads(1);
    const uint64_t hash = rec_image_hash(&image);
    const double mean = rec_image_mean(&image, 2);
    const rec_tone_range range = tone_range(&image, REC_TONE_EPCC);
    owned_image one_copy = copy_of(&image);
    assert_int_equal(rec_laplacian(&image, REC_BOUNDARY_HALO, 3, &one_edges, NULL), REC_OK);
    assert_same_image(&image, &one_copy);
    for (int threads = 2; threads <= 5; threads++) {
        owned_image edges;
        use_threads(threads);
        assert_true(rec_image_hash(&image) == hash);
        assert_true(rec_image_mean(&image, 2) == mean);
        const rec_tone_range other = tone_range(&image, REC_TONE_EPCC);
        assert_true(other.low == range.low && other.high == range.high);
        owned_image copy = copy_of(&image);
        assert_same_image(&copy, &image);
        assert_int_equal(rec_laplacian(&image, REC_BOUNDARY_HALO, 3, &edges, NULL), REC_OK);
        assert_same_image(&edges, &one_edges);
        rec_image_fill(&copy, -7);
        for (size_t i = 0; i < 3 * copy.height; i++)
            for (size_t x = 0; x < copy.stride; x++)
                assert_true(copy.data[i * copy.stride + x] == (x < copy.width ? -7.0f : 0.0f));
        /* The first of two that 8 bits do not hold, and the first of all rows to be told. */
        copy.data[2000 * copy.stride + 9] = copy.data[2600 * copy.stride] = 0.5f;
        const rec_write_options options = {.maxval = 255, .exact = 1, .offset = 7};
        FAILS(rec_image_write("/nowhere/a.ppm", &copy, &options, &error), REC_BAD_INPUT,
              "the sample at x 9, y 2000, red is 0.5");
    }
}

/* A row's padding must not cost the memory of its pixels: headers may promise much. */
static int take_much(void *context)
{
    struct rusage before, after;
    rec_image image;
    getrusage(RUSAGE_SELF, &before);
    if (rec_image_create(&image, 60001, 3000, 1, NULL))
        return 1;
    for (size_t y = 0; y < 3000; y += 500)
        if (rec_image_row(&image, 0, y)[60001] != 0 || rec_image_row(&image, 0, y)[60015] != 0)
            return 2;
    getrusage(RUSAGE_SELF, &after);
    rec_image_destroy(&image);
    return after.ru_maxrss - before.ru_maxrss > 200000 ? 3 : 0; /* kB, of 720 MB */
}

TEST(padding_costs_its_own_pages) { assert_int_equal(in_child(take_much, NULL), 0); }
