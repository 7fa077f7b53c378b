/* Rasters by many threads: the same image, the same bytes and the same complaints as by one. What
 * the system does when blocks are read and written is replaced on the way. */
#include "tests/unit/support.h"

#include <errno.h>
#include <pthread.h>

static const int teams[] = {1, 2, 5};
enum { TEAMS = sizeof teams / sizeof *teams };

/* ---- the system's part ---- */

static enum { PLAIN, PIECES, FAILING, SHRINKING } manner;
static const char *shrinking; /* the file, and what is left of it at its first read */
static off_t left;
static pthread_once_t shrunk;
static int calls; /* of pread and pwrite */

static void shrink(void)
{
    if (truncate(shrinking, left))
        abort();
}

/* Returns how many of the bytes are let through, or -1; of a disk that fails, those of the first
 * call are. */
static ssize_t let(size_t count)
{
    const int earlier = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    if (manner == SHRINKING)
        pthread_once(&shrunk, shrink);
    if (manner == PIECES && count > 12345)
        return 12345;
    errno = EIO;
    return manner == FAILING && earlier ? -1 : (ssize_t)count;
}

LISTEN(ssize_t, pread, (int file, void *bytes, size_t count, off_t from))
{
    const ssize_t some = let(count);
    return some < 0 ? some : __real_pread(file, bytes, (size_t)some, from);
}

LISTEN(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t to))
{
    const ssize_t some = let(count);
    return some < 0 ? some : __real_pwrite(file, bytes, (size_t)some, to);
}

static int plainly(void **state)
{
    manner = PLAIN;
    calls = 0;
    use_threads(5);
    return enter_folder(state);
}

#define TEST_PLAINLY(function) TEST_WITH(function, plainly, leave_folder)

/* ---- what goes in comes out ---- */

/* Several blocks each; the last is a part of one. */
static const struct {
    const char *name;
    size_t width, height, planes;
    unsigned maxval; /* 0: PFM */
} files[] = {
    {"grey8.pgm", 1021, 1301, 1, 255},  {"grey16.pgm", 1021, 701, 1, 65535},
    {"grey.pfm", 509, 703, 1, 0},       {"colour.pfm", 509, 303, 3, 0},
    {"colour8.ppm", 509, 703, 3, 255},  {"colour16.pam", 509, 353, 3, 1000},
    {"wide.pgm", 300007, 5, 1, 1000},   {"narrow.pfm", 1, 300001, 1, 0},
};
enum { FILES = sizeof files / sizeof *files };

static rec_image file_image(size_t i)
{
    return random_image(files[i].width, files[i].height, files[i].planes,
                        files[i].maxval ? 0 : -2000000,
                        files[i].maxval ? (int)files[i].maxval : 2000000, i);
}

/* All rows one after the other, as a pipe gets them. */
static char *write_into_memory(const rec_image *image, size_t i, size_t *count)
{
    char *bytes;
    FILE *stream = open_memstream(&bytes, count);
    assert_non_null(stream);
    const rec_write_options options = {
        .format = rec_format_find(strchr(files[i].name, '.') + 1), .maxval = files[i].maxval};
    SUCCEEDS(rec_image_write_stream(stream, "memory", image, &options, &error));
    assert_int_equal(fclose(stream), 0);
    return bytes;
}

/* File i, in blocks that the team makes. */
static void check_writing(const char *path, const rec_image *image, size_t i, const char *expected,
                          size_t count)
{
    size_t length;
    calls = 0;
    SUCCEEDS(rec_image_write(path, image, TO(files[i].maxval), &error));
    assert_true(calls > 1);
    owned_text *bytes = read_bytes(path, &length);
    assert_int_equal(length, count);
    assert_memory_equal(bytes, expected, count);
}

TEST_PLAINLY(any_team_writes_the_same_bytes)
{
    for (size_t i = 0; i < FILES; i++) {
        const char *path = files[i].name;
        size_t count;
        owned_image image = file_image(i);
        calls = 0;
        owned_text *expected = write_into_memory(&image, i, &count);
        assert_int_equal(calls, 0);
        for (size_t j = 0; j < TEAMS; j++) {
            use_threads(teams[j]);
            for (manner = PLAIN; manner <= PIECES; manner++)
                check_writing(path, &image, i, expected, count);
            manner = FAILING;
            calls = 0;
            FAILS(rec_image_write(path, &image, TO(files[i].maxval), &error), REC_IO,
                  ": cannot be written: Input/output error");
        }
    }
    assert_int_equal(count_entries("."), FILES);
}

TEST_PLAINLY(any_team_reads_the_same_image)
{
    for (size_t i = 0; i < FILES; i++) {
        const char *path = files[i].name;
        size_t count;
        owned_image image = file_image(i);
        owned_text *bytes = write_into_memory(&image, i, &count);
        write_bytes(path, bytes, count);
        for (size_t j = 0; j < 2 * TEAMS; j++) {
            use_threads(teams[j % TEAMS]);
            manner = j < TEAMS ? PLAIN : PIECES;
            calls = 0;
            owned_image back = read_image(path, REC_PICTURE);
            assert_true(calls > 1);
            assert_same_image(&image, &back);
        }
        rec_image none;
        manner = FAILING;
        FAILS(rec_image_read(path, AS(REC_PICTURE), &none, NULL, &error), REC_IO,
              ": cannot be read: Input/output error");
    }
}

TEST_PLAINLY(a_pipe_goes_in_order)
{
    const char *path = "a.pgm", *pipe = "a.pgm.pipe";
    char feed[1024];
    owned_image image = file_image(1);
    SUCCEEDS(rec_image_write(path, &image, TO(65535), &error));
    assert_int_equal(mkfifo(pipe, 0600), 0);
    snprintf(feed, sizeof feed, "cat '%s' >'%s' &", path, pipe);
    assert_int_equal(system(feed), 0);
    calls = 0;
    owned_image back = read_image(pipe, REC_PICTURE);
    assert_int_equal(calls, 0);
    assert_same_image(&image, &back);
}

/* Where a level is a float the difference is made of floats, and where not, of doubles. */
TEST_PLAINLY(the_zero_level_goes_in_one_rounding)
{
    static const double levels[] = {32768, 0.1, 1e30, -16777217, 0.1f, 0.5, -0.0,
                                    1234.5678f};
    for (size_t file = 1; file <= 2; file++) { /* 16-bit PGM, PFM */
        const char *path = files[file].name;
        owned_image image = file_image(file);
        for (size_t x = 0; file == 2 && x < image.width; x++)
            image.data[x] /= 4095;
        SUCCEEDS(rec_image_write(path, &image, TO(files[file].maxval), &error));
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
            const rec_read_options reading = {.role = REC_EDGES, .zero_level_given = 1,
                                              .zero_level = levels[i]};
            owned_image back;
            SUCCEEDS(rec_image_read(path, &reading, &back, NULL, &error));
            EACH_PIXEL(size_t, y, x, image.height, image.width) {
                const double value = rec_image_row(&image, 0, y)[x];
                assert_true(rec_image_row(&back, 0, y)[x] == (float)(value - levels[i]));
            }
        }
    }
}

/* ---- what is wrong first is told ---- */

static void check_complaint(const char *path, rec_role role, const char *part)
{
    rec_image image;
    rec_error error;
    for (size_t j = 0; j < 4 * TEAMS; j++) {
        use_threads(teams[j % TEAMS]);
        assert_failed(rec_image_read(path, AS(role), &image, NULL, &error), REC_BAD_INPUT, &error,
                      part);
        assert_ptr_equal(strstr(error.message, path), error.message);
        assert_null(image.data);
    }
}

TEST_PLAINLY(the_first_bad_sample_is_told)
{
    const char *path = "bad.pgm";
    static const struct {
        size_t x, y;
        const char *part;
    } bad[] = { /* from the last to the first: each is then what is told */
        {1020, 699, "x 1020, y 699 is 1001: it must be at most the file's maxval 1000"},
        {0, 400, "x 0, y 400 is 1001"},
        {7, 399, "x 7, y 399 is 1001"},
        {6, 399, "x 6, y 399 is 1001"},
        {500, 0, "x 500, y 0 is 1001"},
    };
    const size_t width = 1021, height = 700;
    owned_image image = random_image(width, height, 1, 0, 1000, 1);
    SUCCEEDS(rec_image_write(path, &image, TO(1000), &error));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t count;
        owned_text *bytes = read_bytes(path, &count);
        char *sample = bytes + (count - 2 * width * height) + 2 * (bad[i].y * width + bad[i].x);
        sample[0] = 1001 >> 8;
        sample[1] = (char)(1001 & 255);
        write_bytes(path, bytes, count);
        check_complaint(path, REC_EDGES, bad[i].part);
    }
}

/* The first in the file, whose rows go from the bottom up. */
TEST_PLAINLY(the_first_bad_float_is_told)
{
    const char *path = "bad.pfm";
    static const struct {
        size_t x, y, plane;
        float value;
        const char *part;
    } bad[] = {
        {3, 0, 2, NAN, "x 3, y 0, blue is nan"},
        {508, 200, 1, INFINITY, "x 508, y 200, green is inf"},
        {0, 200, 1, -2e30f, "x 0, y 200, green is -2e+30"},
        {8, 200, 0, 1e31f, "x 8, y 200, red is 1e+31"},
        {1, 302, 2, -INFINITY, "x 1, y 302, blue is -inf"},
    };
    owned_image image = file_image(3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rec_image_row(&image, bad[i].plane, bad[i].y)[bad[i].x] = bad[i].value;
        size_t count;
        owned_text *bytes = write_into_memory(&image, 3, &count);
        write_bytes(path, bytes, count);
        check_complaint(path, REC_PICTURE, bad[i].part);
    }
}

TEST_PLAINLY(too_short_and_too_long_files_are_told)
{
    for (size_t i = 0; i < FILES; i++) {
        const char *path = files[i].name;
        const size_t height = files[i].height;
        size_t count;
        char part[80];
        owned_image image = file_image(i);
        owned_text *bytes = write_into_memory(&image, i, &count);
        const size_t row = files[i].width * files[i].planes *
                           (files[i].maxval == 255 ? 1 : files[i].maxval ? 2 : sizeof(float));
        const size_t missing[] = {1, row, row + 1, height / 2 * row + 1, height * row};
        for (size_t j = 0; j < sizeof missing / sizeof *missing; j++) {
            write_bytes(path, bytes, count - missing[j]);
            snprintf(part, sizeof part, ": ends after %zu of %zu rows",
                     height - (missing[j] + row - 1) / row, height);
            check_complaint(path, REC_PICTURE, part);
        }
        bytes = realloc(bytes, count + 2);
        assert_non_null(bytes);
        bytes[count] = bytes[count + 1] = 0;
        write_bytes(path, bytes, count + 1);
        check_complaint(path, REC_PICTURE, "one byte more than its image");
        write_bytes(path, bytes, count + 2);
        check_complaint(path, REC_PICTURE, "more data follows");
    }
}

TEST_PLAINLY(a_file_may_shrink_while_it_is_read)
{
    const char *path = "a.pgm";
    owned_image image = file_image(0);
    size_t count;
    owned_text *bytes = write_into_memory(&image, 0, &count);
    for (size_t j = 0; j < TEAMS; j++) {
        static const pthread_once_t not_yet = PTHREAD_ONCE_INIT;
        write_bytes(path, bytes, count);
        use_threads(teams[j]);
        manner = SHRINKING;
        shrunk = not_yet;
        shrinking = path;
        left = (off_t)(count - 1021 * 600 - 1);
        FAILS(rec_image_read(path, AS(REC_PICTURE), &image, NULL, &error), REC_BAD_INPUT,
              ": ends after 700 of 1301 rows");
    }
}

/* Between other things in a stream, also one that ends where somebody else left off. */
TEST_PLAINLY(streams_go_on_behind_the_image)
{
    const char *path = "stream";
    owned_image back;
    size_t count, length;
    owned_image image = file_image(2);
    owned_text *expected = write_into_memory(&image, 2, &count);
    for (int append = 0; append < 2; append++) {
        write_bytes(path, "before ", append ? 7 : 0);
        calls = 0;
        FILE *stream = fopen(path, append ? "a" : "w");
        assert_non_null(stream);
        if (!append)
            fputs("before ", stream);
        const rec_write_options options = {.format = rec_format_find("pfm")};
        SUCCEEDS(rec_image_write_stream(stream, "s", &image, &options, &error));
        fputs(" behind", stream);
        assert_int_equal(fclose(stream), 0);
        assert_int_equal(calls > 0, !append);
        owned_text *bytes = read_bytes(path, &length);
        assert_int_equal(length, count + 14);
        assert_memory_equal(bytes, "before ", 7);
        assert_memory_equal(bytes + 7, expected, count);
        assert_string_equal(bytes + 7 + count, " behind");
    }
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 7, SEEK_SET), 0);
    SUCCEEDS(rec_image_read_pfm_stream(stream, "s", 0, &back, &error));
    assert_same_image(&image, &back);
    assert_int_equal(fgetc(stream), ' ');
    assert_int_equal(fgetc(stream), 'b');
    rec_image none;
    FAILS(rec_image_read_pfm_stream(stream, "a checkpoint", 0, &none, &error), REC_BAD_INPUT,
          "a checkpoint: not a PFM");
    fclose(stream);
}
