/* Which iterates of a run are frames of its film, and what number each one has. */
#include <stdio.h>

#include "job/job.h"
#include "tests/unit/cm.h"

/* Every iterate from 0 on is asked for; those found are the frames, numbered without a gap. */
static void frames_are(const rec_film *film, const uint64_t *wanted, size_t count)
{
    uint64_t iteration = 0;
    for (size_t i = 0; i < count; i++) {
        for (; iteration <= wanted[i]; iteration++)
            assert_true(rec_film_next(film, iteration) == wanted[i]);
        assert_true(rec_film_number(film, wanted[i]) == i + 1);
    }
}

TEST(the_multiples_of_k_are_frames)
{
    const rec_film film = {.ending = "pgm", .every = 7};
    const uint64_t wanted[] = {0, 7, 14, 21, 28};
    frames_are(&film, wanted, 5);
    const rec_film each = {.ending = "pgm", .every = 1};
    const uint64_t all[] = {0, 1, 2, 3};
    frames_are(&each, all, 4);
}

TEST(log_spaced_frames_are_a_tenth_apart)
{
    const rec_film film = {.ending = "pgm"};
    const uint64_t wanted[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 13,
                               15, 17, 19, 21, 24, 27, 30, 33, 37, 41, 46, 51, 57};
    frames_are(&film, wanted, sizeof wanted / sizeof *wanted);
    uint64_t at = 57, number = 26;
    while (at < UINT64_C(1) << 60) {
        const uint64_t next = rec_film_next(&film, at + 1);
        /* As near as whole numbers allow. */
        assert_true(10 * (next - at) >= at && 10 * (next - at) < at + 10);
        assert_true(rec_film_next(&film, next - 1) == next);
        assert_true(rec_film_number(&film, next) == ++number);
        at = next;
    }
    assert_true(number < 500);
}

TEST(there_is_an_end_to_numbers)
{
    const rec_film large = {.ending = "pgm", .every = UINT64_C(1) << 53};
    assert_true(rec_film_next(&large, 1) == UINT64_C(1) << 53);
    assert_true(rec_film_next(&large, UINT64_MAX - 5) == UINT64_MAX);
    const rec_film spaced = {.ending = "pgm"};
    assert_true(rec_film_next(&spaced, UINT64_MAX) == UINT64_MAX);
    const rec_film none = {.every = 5};
    assert_true(rec_film_next(&none, 0) == UINT64_MAX);
}

TEST(what_is_written_is_not_due_again)
{
    const rec_film film = {.ending = "pgm", .every = 10, .next = 31};
    assert_true(rec_film_next(&film, 0) == 40 && rec_film_next(&film, 30) == 40);
    assert_true(rec_film_next(&film, 40) == 40 && rec_film_next(&film, 41) == 50);
}
