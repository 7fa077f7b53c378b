/* What the tests of images and files share: a temporary folder for each test, files made of bytes,
 * seeded images, and assertions on statuses and images. */
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "image/image_files.h"
#include "image/survey.h"
#include "problem/boundary.h"
#include "tests/unit/cm.h"

/* ---- a folder for each test */

#define TEST_IN_FOLDER(function) TEST_WITH(function, enter_folder, leave_folder)
int enter_folder(void **state); /* *state becomes its path */
int leave_folder(void **state);

size_t count_entries(const char *folder); /* without . and .. */

/* A text's bytes and their number, without the 0: two arguments, or two members. */
#define BYTES(text) text, sizeof text - 1

void write_bytes(const char *path, const void *bytes, size_t count);
/* The file's bytes with a 0 behind them, to be freed; *count may be NULL. */
char *read_bytes(const char *path, size_t *count);

/* What is freed where its block ends. */
#define owned_text __attribute__((cleanup(free_text))) char
void free_text(char **text);

/* How many threads the next teams of the process have; returns how many before. */
int use_threads(int threads);

/* The options of reading that are a role alone, and those of writing that are a white. */
#define AS(what) &(const rec_read_options){.role = what}
#define TO(white) &(const rec_write_options){.maxval = white}

/* An image that is destroyed where its block ends. */
#define owned_image __attribute__((cleanup(rec_image_destroy))) rec_image

/* ---- loops */

#define EACH_PIXEL(type, y, x, height, width)                                                      \
    for (type y = 0; y < (height); y++)                                                            \
        for (type x = 0; x < (width); x++)
#define EACH_SAMPLE(type, p, y, x, planes, height, width)                                          \
    for (size_t p = 0; p < (planes); p++)                                                          \
        EACH_PIXEL(type, y, x, height, width)

/* ---- seeded numbers and images */

typedef struct test_random {
    uint64_t state;
} test_random;

uint32_t random_bits(test_random *source);
/* low..high, both included */
int random_integer(test_random *source, int low, int high);

/* An image of zeros; that of a file; a copy; how far two are apart, where white is 255. Each
 * asserts. */
rec_image new_image(size_t width, size_t height, size_t planes);
rec_image read_image(const char *path, rec_role role);
rec_image copy_of(const rec_image *image);
rec_difference difference_of(const rec_image *a, const rec_image *b);

/* An image of integers in low..high. */
rec_image random_image(size_t width, size_t height, size_t planes, int low, int high,
                       uint64_t seed);

/* Sample i, row after row and plane after plane. */
static inline float *sample_of(const rec_image *image, size_t i)
{
    return image->data + i / image->width * image->stride + i % image->width;
}

/* Where a boundary takes column i of n columns from, or row i of n rows; -1: it has a fixed value
 * there. */
long source_index(rec_boundary_kind kind, int is_row, long i, long n);
/* The sample at column x, row y, or outside the image what is there with that boundary. */
float beyond(const rec_image *image, const rec_boundary *boundary, size_t plane, long x, long y);

/* ---- assertions */

/* Of the whole image. */
static inline rec_tone_range tone_range(const rec_image *image, rec_tone tone)
{
    const rec_survey survey = rec_image_survey(image, 255);
    return rec_tone_range_of(&survey, tone);
}

/* The same size, and the same bits in every sample; else a message says what differed first. */
void assert_same_bits(const rec_image *expected, const rec_image *found, const char *what);
#define assert_same_image(a, b) assert_same_bits(a, b, #b)

/* The call failed with `expected`, and its message is one line that contains `part`. */
void assert_failed(rec_status status, rec_status expected, const rec_error *error,
                   const char *part);

/* The call did not fail; prints the message where it did. */
void assert_succeeded(rec_status status, const rec_error *error);

/* Of a call in which &error is where it says what is wrong. */
#define SUCCEEDS(call) \
    do { \
        rec_error error = {0}; \
        assert_succeeded((call), &error); \
    } while (0)
#define FAILS(call, expected, part) \
    do { \
        rec_error error = {0}; \
        assert_failed((call), expected, &error, part); \
    } while (0)

/* For a minute at most. A loop that never slept would starve others on a busy machine. */
#define WAIT_FOR(condition)                                                                        \
    for (const double until = rec_now() + 60; !(condition); usleep(500))                           \
    assert_true(rec_now() < until)

/* Runs body(context) in a process of its own and returns its exit code, or minus the signal that it
 * died of: for what changes the whole process (user, limits, standard input). `body` returns the
 * code and must not assert. */
int in_child(int (*body)(void *), void *context);

/* Gives up root's rights, which know no read-only file, in a process of its own. 0 when done. */
int become_nobody(void);
