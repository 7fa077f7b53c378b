/* Reading: what the samples of each format become, and inputs that cannot be had or end early. What
 * else can be wrong with a file is in test_image_refused.c. */
#include "tests/unit/support.h"

#include <pthread.h>

/* ---- good input ---- */

static const struct good {
    const char *bytes;
    size_t count;
    rec_role role;
    const char *format; /* its name */
    unsigned maxval;
    double zero_level;
    size_t width, height, planes;
    float samples[12]; /* before the zero level, plane after plane */
} good[] = {
    {BYTES("P5\n2 2\n255\n\x00\x01\x80\xff"), REC_PICTURE, "pgm", 255, 0, 2, 2, 1,
     {0, 1, 128, 255}},
    {BYTES("P5\n2 2\n255\n\x00\x01\x80\xff"), REC_EDGES, "pgm", 255, 128, 2, 2, 1,
     {0, 1, 128, 255}},
    {BYTES("P5 # a comment\n# another\n1 3\n# and another\n65535\n\x00\x01\x80\x00\xff\xfe"),
     REC_EDGES, "pgm", 65535, 32768, 1, 3, 1, {1, 32768, 65534}},
    {BYTES("P5 2 1 100 \x64\x63"), REC_EDGES, "pgm", 100, 50, 2, 1, 1, {100, 99}},
    {BYTES("P5 2 1 100 \x65\xff"), REC_SAMPLES, "pgm", 100, 0, 2, 1, 1, {101, 255}},
    {BYTES("P5\n2# a\n1#b\r255# c\n\x05\x06"), REC_PICTURE, "pgm", 255, 0, 2, 1, 1, {5, 6}},
    {BYTES("P5\r# a\r2 1\r255\r\x05\x06"), REC_PICTURE, "pgm", 255, 0, 2, 1, 1, {5, 6}},
    {BYTES("P5 1 1 256 \x01\x00"), REC_PICTURE, "pgm", 256, 0, 1, 1, 1, {256}},
    {BYTES("P6\n2 1\n255\nabcdef"), REC_SAMPLES, "ppm", 255, 0, 2, 1, 3,
     {'a', 'd', 'b', 'e', 'c', 'f'}},
    {BYTES("P6\n1 2\n300\n\0\1\0\2\0\3\0\4\0\5\1\x2c"), REC_EDGES, "ppm", 300, 150, 1, 2,
     3, {1, 4, 2, 5, 3, 300}},
    {BYTES("P7\n# a comment\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\n"
           "ENDHDR\n\x05\xff"),
     REC_PICTURE, "pam", 255, 0, 2, 1, 1, {5, 255}},
    {BYTES("P7\r\nWIDTH 1\r\nHEIGHT 1\r\nDEPTH 3\r\nMAXVAL 1000\r\nENDHDR\r\n\0\1\0\2\3\xe8"),
     REC_EDGES, "pam", 1000, 500, 1, 1, 3, {1, 2, 1000}},
    {BYTES("P2\n3 2\n255\n0 1 2\n128 254 255\n"), REC_PICTURE, "p2", 255, 0, 3, 2, 1,
     {0, 1, 2, 128, 254, 255}},
    {BYTES("P2\n3 1\n255\n0 300 2"), REC_EDGES, "p2", 255, 128, 3, 1, 1, {0, 300, 2}},
    /* The field's own form: signed, beyond maxval, right-aligned, twelve to a line. */
    {BYTES("P2\n# Written by ipgmwrite\n 3  2\n 255\n   -53  -115   300\n   -61    50   -31\n"),
     REC_EDGES, "p2", 255, 0, 3, 2, 1, {-53, -115, 300, -61, 50, -31}},
    {BYTES("P2 # a\r\n2 # b\r\n1 # c\r\n9 # d\r\n5# e\r\n+6# f"), REC_SAMPLES, "p2", 9, 0,
     2, 1, 1, {5, 6}},
    {BYTES("P3 2 1 255 1 2 3 -4 5 6"), REC_EDGES, "p3", 255, 0, 2, 1, 3,
     {1, -4, 2, 5, 3, 6}},
    {BYTES("P3 2 1 65535 1 2 3 4 5 6\n\n"), REC_EDGES, "p3", 65535, 32768, 2, 1, 3,
     {1, 4, 2, 5, 3, 6}},
    {BYTES("\xef\xbb\xbf" "P2 2 1 9 5 6"), REC_PICTURE, "p2", 9, 0, 2, 1, 1, {5, 6}},
    {BYTES("\xef\xbb\xbf" "2 1\n5 6"), REC_PICTURE, "dat", 255, 0, 2, 1, 1, {5, 6}},
    {BYTES(" 3 2\n  -15    5    0\n -300 1000   2\n"), REC_EDGES, "dat", 255, 0, 3, 2, 1,
     {-15, 5, 0, -300, 1000, 2}},
    {BYTES("1\t1\v-0"), REC_PICTURE, "dat", 255, 0, 1, 1, 1, {-0.0f}},
    {BYTES("1 2 16777216 -00000000000000000000000000000000000000000007"), REC_PICTURE,
     "dat", 255, 0, 1, 2, 1, {16777216, -7}},
    {BYTES("1 1 1000000000000000000000000000000"), REC_EDGES, "dat", 255, 0, 1, 1, 1,
     {1e30f}},
    {BYTES("Pf\n1 2\n1\n\x3f\x80\0\0\xc0\x20\0\0"), REC_EDGES, "pfm", 255, 0, 1, 2, 1,
     {-2.5f, 1}},
    {BYTES("Pf 2 1 -1.0\n\0\0\x80\x3f\0\0\x20\xc0"), REC_EDGES, "pfm", 255, 0, 2, 1, 1,
     {1, -2.5f}},
    {BYTES("PF\n1 2\n-1.000000\n\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\0\0\0\0\0\x80\x01\0\0\0"),
     REC_PICTURE, "pfm", 255, 0, 1, 2, 3, {0, 1, -0.0f, 2, 0x1p-149f, 3}},
};

static void check_samples(const struct good *test, const rec_image *image, double zero_level)
{
    assert_int_equal(image->width, test->width);
    assert_int_equal(image->height, test->height);
    assert_int_equal(image->planes, test->planes);
    for (size_t plane = 0, i = 0; plane < test->planes; plane++)
        for (size_t y = 0; y < test->height; y++)
            for (size_t x = 0; x < test->width; x++, i++) {
                const float expected =
                    zero_level != 0 ? (float)(test->samples[i] - zero_level) : test->samples[i];
                assert_memory_equal(rec_image_row(image, plane, y) + x, &expected,
                                    sizeof expected);
            }
}

TEST_IN_FOLDER(good_input_is_read)
{
    const char *path = "good";
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        owned_image image;
        rec_image_info info;
        write_bytes(path, good[i].bytes, good[i].count);
        SUCCEEDS(rec_image_read(path, AS(good[i].role), &image, &info, &error));
        assert_string_equal(info.format->name, good[i].format);
        assert_int_equal(info.maxval, good[i].maxval);
        assert_true(info.zero_level == good[i].zero_level);
        check_samples(good + i, &image, good[i].zero_level);
    }
}

TEST_IN_FOLDER(a_given_zero_level_goes_for_every_format)
{
    const char *path = "good";
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (good[i].role != REC_EDGES)
            continue;
        owned_image image;
        rec_image_info info;
        write_bytes(path, good[i].bytes, good[i].count);
        const rec_read_options options = {
            .role = REC_EDGES, .zero_level_given = 1, .zero_level = -12.25};
        SUCCEEDS(rec_image_read(path, &options, &image, &info, &error));
        assert_true(info.zero_level == -12.25);
        check_samples(good + i, &image, -12.25);
    }
}

/* A pipe in packet mode, whose reads give one byte each: recognition must not need two at once. */
typedef struct piped {
    const struct good *test;
    uint64_t hash;
} piped;

static int read_pipe(void *context)
{
    const piped *input = context;
    int ends[2];
    /* A packet takes a page of the pipe: room for 256 of them, where the default is 16. */
    if (pipe2(ends, O_DIRECT) || dup2(ends[0], 0) < 0 || fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) < 0)
        return 1;
    for (size_t byte = 0; byte < input->test->count; byte++)
        if (write(ends[1], input->test->bytes + byte, 1) != 1)
            return 2;
    close(ends[1]);
    const rec_read_options options = {.role = input->test->role};
    rec_image_info info;
    rec_input *opened;
    if (rec_input_open(&opened, "-", &options, &info, NULL))
        return 3;
    const rec_image size = rec_input_size(opened);
    rec_image image;
    if (size.width != input->test->width || size.height != input->test->height ||
        size.planes != input->test->planes || rec_input_read(opened, &image, NULL))
        return 4;
    rec_input_close(&opened);
    const int same = rec_image_hash(&image) == input->hash;
    rec_image_destroy(&image);
    return same ? 0 : 5;
}

TEST_IN_FOLDER(a_pipe_is_as_good_as_a_file)
{
    const char *path = "file";
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        write_bytes(path, good[i].bytes, good[i].count);
        owned_image image = read_image(path, good[i].role);
        piped input = {good + i, rec_image_hash(&image)};
        assert_int_equal(in_child(read_pipe, &input), 0);
    }
}

/* Whoever has seen the size need not go on: nothing stays open, nor in memory, as a sanitizer sees.
 * Where samples may stay in the file they need no room. */
TEST_IN_FOLDER(a_header_is_enough)
{
    const rec_format *format;
    rec_image_info info;
    rec_file_samples there = {0};
    const rec_read_options reading = {.role = REC_PICTURE};
    const rec_read_options staying = {.role = REC_PICTURE, .samples = &there};
    const size_t before = count_entries("/proc/self/fd");
    size_t tried = 0, left = 0;
    for (size_t i = 0; (format = rec_format_at(i)); i++) {
        rec_input *input = NULL;
        if (!format->header || !format->write)
            continue;
        owned_image image = random_image(5, 4, format->grey ? 1 : 3, 0, 255, i);
        const rec_write_options writing = {.format = format, .maxval = 255};
        SUCCEEDS(rec_image_write("file", &image, &writing, &error));
        SUCCEEDS(rec_input_open(&input, "file", &reading, &info, &error));
        const rec_image size = rec_input_size(input);
        assert_true(size.width == 5 && size.height == 4 && size.planes == image.planes);
        rec_input_close(&input);
        assert_null(input);
        SUCCEEDS(rec_input_open(&input, "file", &staying, &info, &error));
        left += !rec_input_size(input).width;
        rec_input_close(&input);
        assert_null(there.blocks);
        assert_int_equal(count_entries("/proc/self/fd"), before);
        tried++;
    }
    assert_true(tried >= 9 && left >= 6);
}

/* ---- bad input ---- */
/* Cut anywhere, a file is refused; with anything added too, white space after plain text apart. */
TEST_IN_FOLDER(every_cut_is_noticed)
{
    const char *path = "cut";
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const int text = strchr("23t", good[i].format[strlen(good[i].format) - 1]) != NULL;
        rec_image image;
        for (size_t count = 0; count < good[i].count && !text; count++) {
            write_bytes(path, good[i].bytes, count);
            FAILS(rec_image_read(path, AS(good[i].role), &image, NULL, &error), REC_BAD_INPUT,
                  path);
        }
        char longer[256];
        memcpy(longer, good[i].bytes, good[i].count);
        memcpy(longer + good[i].count, "\n1", 2);
        write_bytes(path, longer, good[i].count + 2);
        FAILS(rec_image_read(path, AS(good[i].role), &image, NULL, &error), REC_BAD_INPUT, "more");
    }
}

/* ---- files that cannot be had ---- */

static int read_as_nobody(void *path)
{
    rec_image image;
    rec_error error;
    if (become_nobody() ||
        rec_image_read(path, AS(REC_EDGES), &image, NULL, &error) != REC_NO_INPUT)
        return 1;
    return strstr(error.message, "Permission denied") ? 0 : 2;
}

TEST_IN_FOLDER(unreadable_files_are_told)
{
    const char *path = "secret.pgm";
    write_bytes(path, BYTES("P5 1 1 255 a"));
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(in_child(read_as_nobody, (void *)path), 0);
}

TEST_IN_FOLDER(zero_levels_stay_in_range)
{
    const char *path = "zero.dat";
    write_bytes(path, BYTES("1 1 1000000000000000000000000000000"));
    rec_image image;
    rec_read_options options = {.role = REC_EDGES, .zero_level_given = 1, .zero_level = -1e29};
    FAILS(rec_image_read(path, &options, &image, NULL, &error), REC_BAD_INPUT, "zero level");
    assert_null(image.data);
    options.zero_level = 1e31;
    FAILS(rec_image_read(path, &options, &image, NULL, &error), REC_USAGE, "1e+31");
    options.zero_level = 0.0 / 0.0;
    FAILS(rec_image_read(path, &options, &image, NULL, &error), REC_USAGE, "nan");
}

/* Longer than any buffer, with a mistake at its end: lines and columns are counted throughout. */
TEST_IN_FOLDER(places_are_right_far_into_a_file)
{
    const char *path = "long.pgm";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "P2 1000 300 255\n");
    EACH_PIXEL(int, y, x, 300, 1000)
        fprintf(file, y == 299 && x == 999 ? "%d?" : "%3d ", x % 256);
    fclose(file);
    rec_image image;
    FAILS(rec_image_read(path, AS(REC_PICTURE), &image, NULL, &error), REC_BAD_INPUT,
          "line 2, column 1200000: '?'");
}

/* ---- threads ---- */

/* Threads must not mix their errors. */
static void *read_over_and_over(void *context)
{
    const char(*paths)[16] = context; /* one good, one cut short */
    for (int i = 0; i < 300; i++) {
        rec_image image;
        rec_error error;
        if (rec_image_read(paths[0], AS(REC_PICTURE), &image, NULL, &error))
            return "the good file failed";
        rec_image_destroy(&image);
        if (rec_image_read(paths[1], AS(REC_PICTURE), &image, NULL, &error) != REC_BAD_INPUT ||
            strncmp(error.message, paths[1], strlen(paths[1])))
            return "the bad file did not fail as itself";
    }
    return NULL;
}

TEST_IN_FOLDER(threads_read_at_once)
{
    char paths[4][2][16];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        snprintf(paths[i][0], sizeof paths[i][0], "good%d", i);
        snprintf(paths[i][1], sizeof paths[i][1], "bad%d", i);
        write_bytes(paths[i][0], BYTES("P5 3 2 255 abcdef"));
        write_bytes(paths[i][1], BYTES("P6 1 2 255 abcde"));
        assert_int_equal(pthread_create(threads + i, NULL, read_over_and_over, paths[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *problem;
        assert_int_equal(pthread_join(threads[i], &problem), 0);
        if (problem)
            fail_msg("%s", (const char *)problem);
    }
}
