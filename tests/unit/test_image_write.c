/* Writing: every format gives back what went in, and what a format cannot hold is refused before
 * anything is touched. */
#include "tests/unit/support.h"

/* ---- round trips ---- */

static const struct {
    size_t width, height;
} sizes[] = {{1, 1}, {1, 7}, {7, 1}, {33, 65}, {16, 16}, {257, 3}};

static const struct {
    const char *name;
    size_t planes;
    unsigned maxval; /* 0: signed integers, for formats that declare no range */
    const char *format; /* NULL: by the extension */
} trips[] = {
    {"grey8.pgm", 1, 255, NULL},    {"grey1.pgm", 1, 1, NULL},
    {"grey100.PGM", 1, 100, NULL},  {"grey256.pgm", 1, 256, NULL},
    {"grey16.pgm", 1, 65535, NULL}, {"colour8.ppm", 3, 255, NULL},
    {"colour.ppm", 3, 1000, NULL},  {"colour16.ppm", 3, 65535, NULL},
    {"grey8.pam", 1, 255, NULL},    {"grey16.pam", 1, 65535, NULL},
    {"colour8.pam", 3, 255, NULL},  {"colour16.pam", 3, 65535, NULL},
    {"grey.pfm", 1, 0, NULL},       {"colour.pfm", 3, 0, NULL},
    {"grey.dat", 1, 0, NULL},
    {"grey.npy", 1, 0, NULL},       {"colour.npy", 3, 0, NULL},
    {"grey8.npy", 1, 255, "npy-uint"}, {"colour16.npy", 3, 65535, "npy-uint"},
#if REC_HAVE_PNG
    {"grey8.png", 1, 255, NULL},    {"grey16.png", 1, 65535, NULL},
    {"colour8.PNG", 3, 255, NULL},  {"colour16.png", 3, 65535, NULL},
#endif
#if REC_HAVE_TIFF
    {"grey8.tif", 1, 255, NULL},    {"colour16.tiff", 3, 65535, NULL},
    {"grey.tif", 1, 0, "tiff-float"}, {"colour.tif", 3, 0, "tiff-float"},
#endif
    {"plain8.pgm", 1, 255, "p2"},   {"plain16.pgm", 1, 65535, "p2"},
    {"plain.ppm", 3, 1000, "p3"},
};

TEST_IN_FOLDER(every_format_gives_back_what_went_in)
{
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            const int low = trips[i].maxval ? 0 : -2000000;
            const int high = trips[i].maxval ? (int)trips[i].maxval : 2000000;
            owned_image back;
            rec_image_info info;
            owned_image image = random_image(sizes[j].width, sizes[j].height, trips[i].planes, low,
                                             high, 100 * i + j);
            const rec_write_options options = {
                .format = trips[i].format ? rec_format_find(trips[i].format) : NULL,
                .maxval = trips[i].maxval, .exact = 1};
            SUCCEEDS(rec_image_write(trips[i].name, &image, &options, &error));
            SUCCEEDS(rec_image_read(trips[i].name, AS(REC_PICTURE), &back, &info, &error));
            assert_int_equal(info.maxval, trips[i].maxval ? trips[i].maxval : 255);
            if (trips[i].format)
                assert_string_equal(info.format->name, trips[i].format);
            assert_same_image(&image, &back);
        }
}

#if REC_HAVE_PNG
enum { PROFILE = 400 };

/* What libpng takes for an ICC profile: a header, and one tag whose data does not compress. */
static void make_profile(unsigned char profile[PROFILE], const char *space)
{
    static const unsigned char white[12] = {0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d};
    static const unsigned char tag[] = {0, 0, 0, 1, 'c', 'p', 'r', 't', 0, 0, 0, 144, 0, 0, 1, 0};
    test_random random = {7};
    memset(profile, 0, PROFILE);
    profile[2] = PROFILE >> 8;
    profile[3] = PROFILE & 255;
    memcpy(profile + 12, "mntr", 4);
    memcpy(profile + 16, space, 4);
    memcpy(profile + 20, "XYZ ", 4);
    memcpy(profile + 36, "acsp", 4);
    memcpy(profile + 68, white, sizeof white);
    memcpy(profile + 128, tag, sizeof tag);
    for (size_t i = 144; i < PROFILE; i++)
        profile[i] = (unsigned char)random_bits(&random);
}

TEST_IN_FOLDER(png_keeps_what_is_beside_the_samples)
{
    for (size_t planes = 1; planes <= 3; planes += 2)
        for (unsigned maxval = 255; maxval <= 65535; maxval += 65535 - 255) {
            owned_image image = random_image(33, 9, planes, 0, (int)maxval, planes), again;
            unsigned char profile[PROFILE];
            make_profile(profile, planes == 3 ? "RGB " : "GRAY");
            rec_extras put = {.alpha = random_image(33, 9, 1, 0, (int)maxval, 9), .maxval = maxval,
                              .profile = profile, .profile_bytes = PROFILE,
                              .chunks = {{"gAMA", {0, 0, 0x55, 0x56}, 4},
                                         {"cICP", {9, 16, 0, 1}, 4},
                                         {"pHYs", {0, 0, 11, 19, 0, 0, 11, 19, 1}, 9}},
                              .chunk_count = 3};
            REC_OWNED(rec_extras_destroy) rec_extras got = {0};
            const rec_write_options writing = {.maxval = maxval, .extras = &put};
            const rec_read_options reading = {.role = REC_PICTURE, .extras = &got};
            rec_image_info info;
            SUCCEEDS(rec_image_write("a.png", &image, &writing, &error));
            SUCCEEDS(rec_image_read("a.png", &reading, &again, &info, &error));
            assert_same_image(&image, &again);
            assert_same_image(&put.alpha, &got.alpha);
            assert_int_equal(got.maxval, maxval);
            assert_int_equal(info.alpha, 0); /* nothing was composed */
            assert_int_equal(got.profile_bytes, PROFILE);
            assert_memory_equal(got.profile, profile, PROFILE);
            assert_int_equal(got.chunk_count, 3);
            for (size_t i = 0; i < 3; i++)
                assert_memory_equal(&got.chunks[i], &put.chunks[i], sizeof *got.chunks);
            rec_image_destroy(&again);

            /* Asked for by nobody, alpha is composed over black. */
            SUCCEEDS(rec_image_read("a.png", AS(REC_PICTURE), &again, &info, &error));
            assert_int_equal(info.alpha, 1);
            FAILS(rec_image_write("a.pam", &image, &writing, &error), REC_USAGE,
                  "cannot hold the picture's transparency; PNG can");
            rec_image_destroy(&again);

            /* The next reading drops what an earlier one found. A profile that is none is left
             * out. */
            rec_image_destroy(&put.alpha);
            profile[36] = 'x';
            SUCCEEDS(rec_image_write("a.png", &image, &writing, &error));
            SUCCEEDS(rec_image_read("a.png", &reading, &again, &info, &error));
            assert_same_image(&image, &again);
            assert_null(got.alpha.data);
            assert_null(got.profile);
        }
}

TEST_IN_FOLDER(an_alpha_takes_the_range_of_the_output)
{
    owned_image image = random_image(3, 1, 1, 0, 255, 1), again;
    REC_OWNED(rec_extras_destroy) rec_extras put = {.maxval = 255}, got = {0};
    put.alpha = new_image(3, 1, 1);
    memcpy(put.alpha.data, (float[]){0, 100, 255}, 3 * sizeof(float));
    const rec_write_options writing = {.maxval = 65535, .extras = &put};
    const rec_read_options reading = {.role = REC_PICTURE, .extras = &got};
    SUCCEEDS(rec_image_write("a.png", &image, &writing, &error));
    SUCCEEDS(rec_image_read("a.png", &reading, &again, NULL, &error));
    assert_memory_equal(got.alpha.data, ((float[]){0, 25700, 65535}), 3 * sizeof(float));
}
#endif

/* PFM holds every bit, -0 and subnormal numbers included. */
TEST_IN_FOLDER(pfm_is_exact)
{
    test_random source = {9};
    owned_image image = new_image(61, 47, 3);
    EACH_SAMPLE(size_t, plane, y, x, 3, 47, 61) {
        float value;
        do {
            const uint32_t bits = random_bits(&source);
            memcpy(&value, &bits, sizeof value);
        } while (!(fabsf(value) <= 1e30f));
        rec_image_row(&image, plane, y)[x] = value;
    }
    rec_image_row(&image, 1, 1)[1] = -0.0f;
    SUCCEEDS(rec_image_write("bits.pfm", &image, &(rec_write_options){.exact = 1}, &error));
    owned_image back = read_image("bits.pfm", REC_SAMPLES);
    assert_same_image(&image, &back);
}

/* ---- the bytes ---- */

static rec_image make_row(const float *values, size_t count)
{
    rec_image image = new_image(count, 1, 1);
    memcpy(image.data, values, count * sizeof *values);
    return image;
}

static void check_bytes(const char *path, const rec_image *image,
                        const rec_write_options *options, const char *expected, size_t count)
{
    SUCCEEDS(rec_image_write(path, image, options, &error));
    size_t length;
    owned_text *bytes = read_bytes(path, &length);
    assert_int_equal(length, count);
    assert_memory_equal(bytes, expected, count);
}

TEST_IN_FOLDER(files_have_the_expected_bytes)
{
    static const float values[] = {0, 1.5f, 254.5f, 300, -3, 2};
    static const float stretched[] = {-10, 10, 0, -5};
    owned_image image = make_row(values, 6), row = make_row(stretched, 4);
    rec_write_options options = {.maxval = 255};
    check_bytes("a.pgm", &image, &options, BYTES("P5\n6 1\n255\n\x00\x02\xff\xff\x00\x02"));
    options.offset = 100;
    check_bytes("b.pgm", &image, &options, BYTES("P5\n6 1\n255\nd\x66\xff\xff\x61\x66"));
    options = (rec_write_options){.maxval = 65535};
    check_bytes("c.pgm", &image, &options,
                BYTES("P5\n6 1\n65535\n\0\0\0\2\0\xff\1\x2c\0\0\0\2"));
    options = (rec_write_options){.format = rec_format_find("p2"), .maxval = 255};
    check_bytes("e.pgm", &image, &options,
                BYTES("P2\n6 1\n255\n   0    2  255  255    0    2\n"));
    options = (rec_write_options){0};
    check_bytes("f.raw", &image, &options, (const char *)values, sizeof values);
    options = (rec_write_options){.maxval = 100, .tone = REC_TONE_STRETCH};
    check_bytes("d.pgm", &row, &options, BYTES("P5\n4 1\n100\n\x00\x64\x32\x19"));
}

TEST_IN_FOLDER(dat_has_twelve_integers_to_a_line)
{
    static const float values[] = {0, -1, 22, 333, -4444, 55555, -0.3f, 0.5f, -0.5f, 2.5f,
                                   1e15f, 11, -1e30f};
    owned_image image = make_row(values, 13);
    check_bytes("a.dat", &image, TO(0),
                BYTES("13 1\n   0   -1   22  333 -4444 55555    0    1   -1    3 "
                      "999999986991104   11\n-1000000015047466219876688855040\n"));
}

/* ---- what is refused ---- */

TEST_IN_FOLDER(exactness_is_checked_before_the_file)
{
    static const struct {
        const char *name;
        float value;
        double offset;
        unsigned maxval;
        const char *part;
    } cases[] = {
        {"a.pgm", 0.5f, 0, 255, "the sample at x 2, y 1 is 0.5"},
        {"a.pgm", -1, 0, 255, "is -1, but PGM holds only integers from 0 to 255"},
        {"a.pgm", 256, 0, 255, "is 256"},
        {"a.pgm", 65536, 0, 65535, "is 65536"},
        {"a.pgm", -32769, 32768, 65535,
         "is -32769, but PGM holds only integers from -32768 to 32767"},
        {"a.pgm", 32768, 32768, 65535, "or .dat"},
        {"a.pgm", 0.25f, 32768, 65535, "PFM"},
        {"a.pgm", 1e-17f, 32768, 65535, "is 9.99999984e-18"}, /* lost in the offset */
        {"a.dat", -1.5f, 0, 255,
         "the sample at x 2, y 1 is -1.5, but .dat holds only integers: "
         "write PFM"},
        {"a.pam", 0.5f, 0, 255, "PFM"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = cases[i].name;
        rec_error error;
        owned_image image = random_image(4, 3, 1, 0, 0, 1);
        rec_image_row(&image, 0, 1)[2] = cases[i].value;
        rec_image_row(&image, 0, 2)[0] = 0.125f; /* a later one: the first is told */
        const rec_write_options options = {
            .maxval = cases[i].maxval, .exact = 1, .offset = cases[i].offset};
        assert_failed(rec_image_write(path, &image, &options, &error), REC_BAD_INPUT, &error,
                      cases[i].part);
        assert_ptr_equal(strstr(error.message, path), error.message);
        assert_non_null(strstr(error.message, "PFM"));
        /* .dat holds integers alone. */
        assert_true(cases[i].value == roundf(cases[i].value) ||
                    !strstr(error.message, "or .dat"));
        assert_int_equal(count_entries("."), 0);
    }
}

TEST_IN_FOLDER(a_signal_ends_reading_and_writing)
{
    static const char *const names[] = {"a.pgm", "a.dat", "a.pfm",
                                        REC_HAVE_PNG ? "a.png" : "b.pgm",
                                        REC_HAVE_JPEG ? "a.jpg" : "c.pgm"};
    owned_image image = random_image(40, 30, 1, 0, 255, 1), again = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rec_write_options options = {.maxval = 255, .stops = 1};
        rec_signal_received = SIGTERM;
        FAILS(rec_image_write(names[i], &image, &options, &error), REC_SIGNALLED, "by a signal");
        assert_int_equal(count_entries("."), i);
        options.stops = 0; /* a checkpoint is written after the signal */
        SUCCEEDS(rec_image_write(names[i], &image, &options, &error));
        FAILS(rec_image_read(names[i], AS(REC_PICTURE), &again, NULL, &error), REC_SIGNALLED,
              "cannot be read: stopped by a signal");
        rec_signal_received = 0;
    }
}

TEST_IN_FOLDER(impossible_orders_are_usage_errors)
{
    const struct {
        const char *name;
        size_t planes;
        rec_write_options options;
        const char *part;
    } cases[] = {
        {"a.pgm", 3, {.maxval = 255}, "use .ppm"},
        {"a.dat", 3, {.maxval = 255}, "use .ppm"},
        {"a.ppm", 1, {.maxval = 255}, "use .pgm"},
        {"a.bmp", 1, {.maxval = 255}, "unknown extension; use .pgm, .ppm, .pam, .pfm, .dat"},
#if REC_HAVE_PNG
        {"a.png", 1, {.maxval = 1000}, "maxval 1000: PNG needs 255 or 65535"},
#endif
        {"a", 1, {.maxval = 255}, "--format"},
        {"a.pgm", 1, {.maxval = 0}, "maxval 0"},
        {"a.pgm", 1, {.maxval = 65536}, "maxval 65536"},
        {"a.pgm", 1, {.maxval = 1000, .tone = REC_TONE_EPCC}, "epcc"},
        {"a.pgm", 1, {.maxval = 255, .tone = REC_TONE_STRETCH, .exact = 1}, "stretch"},
        {"a.pgm", 1, {.maxval = 255, .tone = REC_TONE_EPCC, .offset = 5}, "epcc"},
        {"a.pgm", 3, {.format = rec_format_find("dat"), .maxval = 255}, "use .ppm"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        owned_image image = random_image(4, 3, cases[i].planes, 0, 255, 1);
        FAILS(rec_image_write(cases[i].name, &image, &cases[i].options, &error),
              REC_USAGE, cases[i].part);
        assert_int_equal(count_entries("."), 0);
    }
}

/* ---- names of formats ---- */

TEST(formats_are_told_by_name)
{
    static const struct {
        const char *path;
        size_t planes;
        const char *format; /* its name */
    } cases[] = {
        {"-", 1, "pgm"},          {"-", 3, "ppm"},
        {"-", 0, "pgm"},          {"a.pgm", 1, "pgm"},
        {"a.PgM", 1, "pgm"},      {"b/c.d/a.ppm", 3, "ppm"},
        {"a.ppm", 0, "ppm"},      {"a.dat", 0, "dat"},
        {"a.b.pam", 3, "pam"},    {"/x/.pfm", 1, "pfm"},
    };
    const rec_format *format;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SUCCEEDS(rec_format_of_path(cases[i].path, cases[i].planes, &format, &error));
        assert_string_equal(format->name, cases[i].format);
    }
    FAILS(rec_format_of_path("x.pgm/out", 1, &format, &error), REC_USAGE, "x.pgm/out");
    FAILS(rec_format_of_path("x.pgm.", 1, &format, &error), REC_USAGE, "x.pgm.");
    assert_string_equal(rec_format_find("PFM")->title, "PFM");
    assert_string_equal(rec_format_find("p2")->title, "plain PGM");
    assert_null(rec_format_find(""));
    assert_null(rec_format_find("BMP"));
    char list[REC_FORMAT_LIST];
    assert_non_null(
        strstr(rec_format_list(list, REC_FORMAT_NAMES, 0), "pgm, ppm, pam, pfm, dat, p2"));
    assert_non_null(strstr(rec_format_list(list, REC_FORMAT_ENDINGS, 3), ".ppm, .pam, .pfm"));
    assert_null(strstr(list, ".pgm"));
    assert_int_equal(list[0], '.');
}

/* ---- streams ---- */

TEST(a_full_stream_is_told)
{
    static const char *const formats[] = {"pgm", "pam", "pfm", "dat", "p2", "raw",
                                          REC_HAVE_JPEG ? "jpg" : "pgm"};
    owned_image image = random_image(200, 200, 1, 0, 255, 1);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        FILE *file = fopen("/dev/full", "w");
        assert_non_null(file);
        const rec_write_options options = {.format = rec_format_find(formats[i]), .maxval = 255};
        FAILS(rec_image_write_stream(file, "the stream", &image, &options, &error), REC_IO,
              "the stream: cannot be written: No space left on device");
        fclose(file);
    }
}
