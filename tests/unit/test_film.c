/* Which iterates of a run are frames of its film, what number each one has, and what is written on
 * the way. */
#include "job/jobs.h"
#include "tests/unit/problems.h"

static uint64_t number; /* of the frame that was found last */

/* Every iterate from 0 on is asked for; those found are the frames, numbered without a gap. */
static void frames_are(const rec_film *film, const uint64_t *wanted, size_t count)
{
    uint64_t iteration = 0;
    for (size_t i = 0; i < count; i++) {
        for (; iteration <= wanted[i]; iteration++)
            assert_true(rec_film_next(film, iteration, &number) == wanted[i]);
        assert_true(number == i + 1);
    }
}

TEST(the_multiples_of_k_are_frames)
{
    const rec_film film = {.every = 7};
    const uint64_t wanted[] = {0, 7, 14, 21, 28};
    frames_are(&film, wanted, 5);
    const rec_film each = {.every = 1};
    const uint64_t all[] = {0, 1, 2, 3};
    frames_are(&each, all, 4);
}

TEST(log_spaced_frames_are_a_tenth_apart)
{
    const rec_film film = {.every = 0};
    const uint64_t wanted[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 13,
                               15, 17, 19, 21, 24, 27, 30, 33, 37, 41, 46, 51, 57};
    frames_are(&film, wanted, sizeof wanted / sizeof *wanted);
    uint64_t at = 57, expected = 26;
    while (at < UINT64_C(1) << 60) {
        const uint64_t next = rec_film_next(&film, at + 1, &number);
        /* As near as whole numbers allow. */
        assert_true(10 * (next - at) >= at && 10 * (next - at) < at + 10);
        assert_true(rec_film_next(&film, next - 1, &number) == next);
        assert_true(number == ++expected);
        at = next;
    }
    assert_true(number < 500);
}

TEST(there_is_an_end_to_numbers)
{
    const rec_film large = {.every = UINT64_C(1) << 53};
    assert_true(rec_film_next(&large, 1, &number) == UINT64_C(1) << 53);
    assert_true(rec_film_next(&large, UINT64_MAX - 5, &number) == UINT64_MAX);
    const rec_film spaced = {.every = 0};
    assert_true(rec_film_next(&spaced, UINT64_MAX, &number) == UINT64_MAX);
    const rec_film none = {.every = 5, .next = UINT64_MAX};
    assert_true(rec_film_next(&none, 0, &number) == UINT64_MAX);
}

TEST(what_is_written_is_not_due_again)
{
    const rec_film film = {.every = 10, .next = 31};
    assert_true(rec_film_next(&film, 0, &number) == 40 && rec_film_next(&film, 30, &number) == 40);
    assert_true(rec_film_next(&film, 40, &number) == 40 && rec_film_next(&film, 41, &number) == 50);
}

/* ---- what is written on the way, and when the end fails ---- */

/* A frame where a user pauses and goes on; no frame after a signal; and the work of a picture that
 * cannot be written, but not over that of another run. */
TEST_IN_FOLDER(nothing_is_written_twice_or_too_late)
{
    char *const inputs[] = {(char *)"noise.pgm"};
    uint64_t at = 1;
    rec_settings settings = {.run = {.solver = solver_or_skip("cpu"),
                                     .iterations = REC_ENDLESS,
                                     .every = 5,
                                     .checkpoint_every = 60},
                             .writing = {.maxval = 255, .offset = 128},
                             .headless = 1,
                             .shards = 1,
                             .output = "0.pgm",
                             .checkpoint = "kept",
                             .frames = REC_FRAMES_EVERY,
                             .film = "film",
                             .frames_at = &at,
                             .frames_count = 1};
    owned_image edges = problem_noise(24, 20, 1, 100, 3);
    rec_jobs jobs;
    rec_job *job;
    SUCCEEDS(rec_image_write(inputs[0], &edges, &settings.writing, &error));
    SUCCEEDS(rec_jobs_make(&jobs, &settings, inputs, 1, &error));
    SUCCEEDS(rec_jobs_create_job(&jobs, 0, &job, &error));
    SUCCEEDS(rec_job_open(job, 0, &error));
    for (int times = 0; times < 2; times++) {
        SUCCEEDS(rec_job_between_batches(job, &error));
        assert_int_equal(unlink("film/noise-000001.pgm"), times ? -1 : 0);
    }
    SUCCEEDS(rec_run_step(job->run, 5, 0, &error));
    assert_int_equal(mkdir("0.pgm", 0777), 0); /* in the picture's way */
    for (int lost = 0; lost < 2; lost++) {
        if (lost)
            write_bytes("kept.lock", "another's", 9);
        SUCCEEDS(rec_job_read_result(job, &error));
        FAILS(rec_job_write(job, &error), REC_NO_OUTPUT, lost ? "is a folder" : "is kept in");
        assert_int_equal(unlink("kept"), lost ? -1 : 0);
    }
    rec_signal_received = 1;
    FAILS(rec_job_write_frames(job, &error), REC_SIGNALLED, "after 0 of 1 frames");
    rec_signal_received = 0;
    rec_job_destroy(job);
    rec_jobs_destroy(&jobs);
}
