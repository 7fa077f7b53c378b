/* What the window does without SDL: requests, the worker's jumps and pace. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "job/job.h"
#include "solver/type.h"
#include "tests/unit/cm.h"
#include "tests/unit/problems.h"
#include "tests/unit/support.h"
#include "view/worker/decades.h"
#include "view/worker/worker_type.h"

/* ---- requests ---- */

static uint64_t post(rec_worker *worker, rec_act *act, int argument)
{
    return rec_worker_post(worker, (rec_request){.act = act, .argument = argument});
}

static uint64_t seek(rec_worker *worker, uint64_t iteration)
{
    return rec_worker_post(worker, (rec_request){.act = rec_worker_seek, .iteration = iteration});
}

static void assert_next(rec_worker *worker, rec_act *act, uint64_t iteration, uint64_t number)
{
    const rec_request next = rec_worker_next(worker, 0, 0);
    assert_true(next.act == act && next.iteration == iteration && next.number == number);
}

TEST(only_the_newest_seek_counts)
{
    rec_jobs none = {.count = 0};
    rec_worker *worker;
    SUCCEEDS(rec_worker_create(&worker, &none, &error));
    for (uint64_t i = 1; i <= 1000; i++)
        seek(worker, i);
    post(worker, rec_worker_play_pause, 0);
    seek(worker, 5);
    seek(worker, REC_LIMIT_ITERATION);
    assert_next(worker, rec_worker_seek, 1000, 1000);
    assert_next(worker, rec_worker_play_pause, 0, 1001);
    assert_next(worker, rec_worker_seek, REC_LIMIT_ITERATION, 1003);
    assert_next(worker, NULL, 0, 0);
    for (int i = 0; i < REC_QUEUED_REQUESTS; i++)
        post(worker, rec_worker_step, 0);
    assert_int_equal(seek(worker, 5), 0);
    rec_worker_destroy(worker);
}

/* ---- the worker ---- */

typedef struct scene {
    rec_image edges;
    rec_solver_options jumping;   /* of the spectral solver */
    char path[64];                /* of the edges */
    rec_settings settings;
    rec_jobs jobs;
    rec_worker *worker;
    rec_status refused;           /* what opening the jumper answers, unless it is REC_OK */
    int jumpers;                  /* how many were opened */
    uint64_t seen;                /* of the newest snapshot, */
    float contrast, shift;        /* and what it was shown with */
    uint64_t wanted;              /* the only iterate that may be shown now; 0: any */
    int strange;                  /* how many others were */
} scene;

static scene *played;

LISTEN(rec_status, rec_job_open_jumper, (rec_job *job, rec_solver **jumper, rec_error *error))
{
    if (played->refused)
        return rec_fail(error, played->refused, "no room for it");
    played->jumpers++;
    return __real_rec_job_open_jumper(job, jumper, error);
}

static int created;                /* slow ones */
static uint64_t advanced, longest; /* their iterations; in one piece, but for the first */

static rec_status create_and_count(void *state, const rec_problem *problem, const rec_slab *slab,
                                   const rec_solver_options *options, rec_error *error)
{
    created++;
    return solver_or_skip("cpu")->create(state, problem, slab, options, error);
}

static rec_status advance_slowly(void *state, uint64_t n, int compares, rec_error *error)
{
    longest = advanced && n > longest ? n : longest;
    advanced += n;
    usleep((useconds_t)(1000 * n));
    return solver_or_skip("cpu")->advance(state, n, compares, error);
}

/* K and the pace as in the settings; the stencil "slow": a millisecond an iteration. */
static void prepare(scene *s, size_t width, size_t height, const char *stencil, uint64_t every,
                    double pace)
{
    static rec_solver_type slow;
    slow = *solver_or_skip("cpu");
    slow.create = create_and_count;
    slow.advance = advance_slowly;
    *s = (scene){.edges = problem_noise(width, height, 1, 200, 7)};
    solver_or_skip("spectral");
    s->settings = (rec_settings){.run = {.iterations = REC_ENDLESS, .every = every,
                                         .solver = strcmp(stencil, "slow") ? solver_or_skip(stencil)
                                                                           : &slow},
                                 .reading = {.role = REC_EDGES},
                                 .writing = {.format = rec_format_find("pfm"), .maxval = 255},
                                 .pace = pace,
                                 .output = "/dev/null"};
    snprintf(s->path, sizeof s->path, "/tmp/reconstruct-scene-%d.pfm", (int)getpid());
    char *const inputs[] = {s->path};
    SUCCEEDS(rec_image_write(s->path, &s->edges, &s->settings.writing, &error));
    SUCCEEDS(rec_jobs_make(&s->jobs, &s->settings, inputs, 1, &error));
    played = s;
    SUCCEEDS(rec_worker_create(&s->worker, &s->jobs, &error));
    const rec_wanted wanted = {.number = 1, .contrast = 1, .gamma = 1,
                               .viewport = {.area = {width, height}, .fit = 1}};
    rec_worker_want(s->worker, &wanted);
}

static void begin(scene *s, size_t width, size_t height, const char *stencil, uint64_t every,
                  double pace)
{
    prepare(s, width, height, stencil, every, pace);
    SUCCEEDS(rec_worker_start(s->worker, &error));
}

static void drop(scene *s)
{
    rec_worker_destroy(s->worker);
    rec_jobs_destroy(&s->jobs);
    unlink(s->path);
    rec_image_destroy(&s->edges);
}

static void end(scene *s)
{
    rec_worker_ask_to_leave(s->worker);
    SUCCEEDS(rec_worker_join(s->worker, &error));
    drop(s);
}

static void accept(void *context, const rec_snapshot *snapshot, rec_size image)
{
    scene *s = context;
    s->seen = snapshot->iteration;
    s->contrast = snapshot->view.contrast;
    s->shift = snapshot->view.shift;
    s->strange += s->wanted && s->wanted != s->seen && snapshot->view.layer == REC_LAYER_PICTURE;
}

/* As the window does. */
static rec_view_state look(scene *s)
{
    rec_view_state now;
    rec_worker_poll(s->worker, accept, s);
    rec_worker_get_state(s->worker, &now);
    return now;
}

/* Until the worker is in one of two phases and has answered the request. */
static rec_view_state wait_for_either(scene *s, rec_phase phase, rec_phase other, uint64_t number)
{
    rec_view_state now;
    WAIT_FOR((now = look(s), (now.phase == phase || now.phase == other) && now.answered >= number));
    return now;
}

static rec_view_state wait_for(scene *s, rec_phase phase, uint64_t answered)
{
    return wait_for_either(s, phase, phase, answered);
}

static void wait_for_pixels(scene *s, uint64_t iteration)
{
    WAIT_FOR((look(s), s->seen == iteration));
}

TEST(what_does_not_fit_is_a_message)
{
    scene s;
    begin(&s, 300, 280, "cpu", 20, 0);
    s.refused = REC_LIMIT;
    wait_for(&s, REC_PHASE_ITERATING, 0);
    const uint64_t number = seek(s.worker, 100);
    const rec_view_state now = wait_for(&s, REC_PHASE_ITERATING, number);
    assert_true(now.messages > 0 && now.message_is_bad);
    assert_non_null(strstr(now.message, "no room for it"));
    WAIT_FOR(look(&s).run.iterations > now.run.iterations);
    s.refused = REC_OK; /* another try */
    wait_for(&s, REC_PHASE_JUMPED, seek(s.worker, 100));
    wait_for(&s, REC_PHASE_JUMPED, seek(s.worker, 1000));
    assert_int_equal(s.jumpers, 1);
    end(&s);
}

/* A jump ends the steps that it interrupts: afterwards the run is paused. */
TEST(a_jump_ends_the_steps)
{
    scene s;
    begin(&s, 90, 70, "slow", 600, 0);
    wait_for(&s, REC_PHASE_ITERATING, 0);
    wait_for(&s, REC_PHASE_PAUSED, post(s.worker, rec_worker_play_pause, 0));
    post(s.worker, rec_worker_step, 0);
    wait_for(&s, REC_PHASE_ITERATING, post(s.worker, rec_worker_step, 0));
    wait_for(&s, REC_PHASE_JUMPED, seek(s.worker, 5));
    wait_for(&s, REC_PHASE_PAUSED, post(s.worker, rec_worker_go_back, 0));
    end(&s);
}

TEST(steps_of_one_kind_add_up)
{
    scene s;
    uint64_t number = 0;
    begin(&s, 90, 70, "slow", 20, 0);
    wait_for(&s, REC_PHASE_ITERATING, 0);
    const uint64_t done =
        wait_for(&s, REC_PHASE_PAUSED, post(s.worker, rec_worker_play_pause, 0)).run.iterations;
    for (int i = 0; i < 10; i++)
        number = post(s.worker, rec_worker_step, 1);
    assert_int_equal(wait_for(&s, REC_PHASE_PAUSED, number).run.iterations, done + 10);
    end(&s);
}

/* Before anything was measured: an iteration of a single pixel takes its time, too, and keys must
 * not wait for it. */
TEST(the_first_piece_of_a_tiny_image_is_short)
{
    scene s;
    rec_view_state now;
    begin(&s, 1, 1, "cpu", 0, 0);
    WAIT_FOR((now = look(&s), now.run.iterations > 0));
    assert_true(now.run.iterations < 5000000);
    end(&s);
}

TEST(who_leaves_while_an_image_is_read_does_not_wait_for_its_solver)
{
    scene s;
    prepare(&s, 90, 70, "slow", 20, 0);
    s.settings.output = NULL;
    created = 0;
    rec_worker_ask_to_leave(s.worker);
    SUCCEEDS(rec_worker_start(s.worker, &error));
    SUCCEEDS(rec_worker_join(s.worker, &error));
    assert_int_equal(created, 0);
    drop(&s);
}

/* Nothing but batches with a look tells how slow the solver is, and keys wait for each of them. */
TEST(batches_that_take_too_long_are_cut)
{
    scene s;
    longest = advanced = 0;
    begin(&s, 90, 70, "slow", 600, 0);
    WAIT_FOR(look(&s).run.iterations > 1200);
    end(&s);
    assert_true(longest <= 200); /* twice a tenth of a second */
}

TEST(the_contrast_moves_from_picture_to_picture)
{
    const rec_wanted fitted = {.number = 2,
                               .contrast = 1,
                               .gamma = 1,
                               .tone = REC_TONE_AUTO,
                               .viewport = {.area = {90, 70}, .fit = 1}};
    scene s;
    prepare(&s, 90, 70, "slow", 20, 0);
    rec_worker_want(s.worker, &fitted);
    SUCCEEDS(rec_worker_start(s.worker, &error));
    wait_for(&s, REC_PHASE_ITERATING, 0);
    for (int i = 0; i < 8; i++) { /* the levels are read four times a second */
        const float before = s.contrast;
        const uint64_t seen = s.seen;
        WAIT_FOR((look(&s), s.seen != seen));
        assert_true(s.contrast != before);
    }
    end(&s);
}

/* Once the run has done so many: how many decades it has done, and rec_now(). */
static double wait_for_decades(scene *s, uint64_t iteration, double *time)
{
    rec_view_state now;
    WAIT_FOR((*time = rec_now(), now = look(s), now.run.iterations >= iteration));
    return log10((double)now.run.iterations);
}

TEST(the_pace_is_kept_and_can_be_changed)
{
    static scene s;
    double begun = 0, ended = 0;
    begin(&s, 300, 280, "cpu", 0, 1);
    wait_for(&s, REC_PHASE_ITERATING, 0);
    const double first = wait_for_decades(&s, 10, &begun);
    const double last = wait_for_decades(&s, 1000, &ended);
    assert_true(ended - begun > last - first - 0.3); /* never faster; a busy one is late */
    post(s.worker, rec_worker_change_pace, 1);
    assert_true(wait_for(&s, REC_PHASE_ITERATING, 1).numbers.pace == 0.5);
    post(s.worker, rec_worker_change_pace, -1);
    post(s.worker, rec_worker_change_pace, -1);
    assert_true(wait_for(&s, REC_PHASE_ITERATING, 3).numbers.pace == 2);
    post(s.worker, rec_worker_change_pace, 0);
    assert_true(wait_for_either(&s, REC_PHASE_ITERATING, REC_PHASE_STOPPED, 4).numbers.pace == 0);
    post(s.worker, rec_worker_change_pace, -1); /* the usual one: 20 s a run */
    const double usual =
        wait_for_either(&s, REC_PHASE_ITERATING, REC_PHASE_STOPPED, 5).numbers.pace;
    assert_true(usual > 3 && usual < 5);
    end(&s);
}

/* Neither at another pace nor after a pause: it goes on from where it is. */
TEST(the_pace_catches_up_with_nothing)
{
    scene s;
    double since, until;
    begin(&s, 90, 70, "cpu", 0, 1);
    for (uint64_t next = 100; next <= 1000; next *= 10) {
        const double first = wait_for_decades(&s, next, &since);
        if (next > 100) {
            wait_for(&s, REC_PHASE_PAUSED, post(s.worker, rec_worker_play_pause, 0));
            usleep(1000000);
            since = rec_now();
        }
        post(s.worker, next > 100 ? rec_worker_play_pause : rec_worker_change_pace, 1);
        const double last = wait_for_decades(&s, 10 * next, &until);
        assert_true(until - since > 0.5 * (last - first) - 0.2);
    }
    end(&s);
}

TEST(the_levels_are_those_of_the_view)
{
    scene s;
    rec_wanted wanted = {.number = 2, .contrast = 1, .gamma = 1, .tone = REC_TONE_AUTO};
    begin(&s, 300, 280, "cpu", 20, 0);
    wait_for(&s, REC_PHASE_ITERATING, 0);
    wait_for(&s, REC_PHASE_PAUSED, post(s.worker, rec_worker_play_pause, 0));
    for (size_t box = 1; box <= 4; box *= 4, wanted.number++) {
        wanted.viewport = (rec_viewport){.area = {300 / box, 280 / box}, .fit = 1};
        rec_worker_want(s.worker, &wanted);
        WAIT_FOR(look(&s).numbers.levels.box == box);
    }
    end(&s);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

TEST(every_seek_on_a_device_comes_to_its_pixels)
{
    enum { SEEKS = 101 };
    double seconds[SEEKS];
    solver_or_skip("cuda"); /* where a seek shall take less than 2 ms: printed, not judged */
    scene s;
    begin(&s, 2048, 2048, "cuda", 20, 0);
    s.jumping.kernel = "cuda";
    wait_for(&s, REC_PHASE_ITERATING, 0);
    wait_for(&s, REC_PHASE_JUMPED, seek(s.worker, 1));
    wait_for_pixels(&s, 1);
    for (int i = 0; i < SEEKS; i++) {
        const uint64_t iteration = rec_scale_iteration((i + 10.0) / (SEEKS + 20));
        const uint64_t other = iteration + (iteration == s.seen);
        const double before = rec_now();
        seek(s.worker, other);
        wait_for_pixels(&s, other);
        seconds[i] = rec_now() - before;
    }
    qsort(seconds, SEEKS, sizeof *seconds, compare_doubles);
    print_message("# 2048 x 2048, from a request to the pixels: median %.2f ms, longest %.2f\n",
                  1e3 * seconds[SEEKS / 2], 1e3 * seconds[SEEKS - 1]);
    end(&s);
}

/* ---- what is shown ---- */

/* A picture of the run that was begun before the jump, and nobody has taken yet. */
TEST(no_picture_from_before_a_jump_is_shown)
{
    scene s;
    rec_view_state now;
    begin(&s, 90, 70, "slow", 20, 0);
    wait_for(&s, REC_PHASE_ITERATING, 0);
    for (uint64_t i = 1; i <= 5; i++) {
        usleep(100000);
        const uint64_t number = seek(s.worker, 100 * i);
        WAIT_FOR((rec_worker_get_state(s.worker, &now), now.answered >= number));
        s.wanted = 100 * i;
        wait_for_pixels(&s, s.wanted);
        assert_int_equal(s.strange, 0);
        s.wanted = 0;
        wait_for(&s, REC_PHASE_ITERATING, post(s.worker, rec_worker_go_back, 0));
    }
    end(&s);
}

TEST(at_rest_the_newest_iterate_is_shown)
{
    scene s;
    begin(&s, 90, 70, "slow", 7, 0);
    for (int i = 0; i < 6; i++) {
        wait_for(&s, REC_PHASE_ITERATING, 0);
        usleep(40000);
        const uint64_t number = post(s.worker, rec_worker_play_pause, 0);
        wait_for_pixels(&s, wait_for(&s, REC_PHASE_PAUSED, number).run.iterations);
        post(s.worker, rec_worker_play_pause, 0);
    }
    end(&s);
}

/* Zero is shown in mid-grey where edges are shown, not where the picture's mean is known. */
TEST(the_first_picture_is_as_bright_as_its_mean)
{
    for (int i = 0; i < 2; i++) {
        const rec_wanted fitted = {.number = 2, .contrast = 1, .gamma = 1, .tone = REC_TONE_AUTO,
                                   .viewport = {.area = {90, 70}, .fit = 1}};
        scene s = {.wanted = 0};
        prepare(&s, 90, 70, "slow", 20, 1000);
        s.settings.reading.role = i ? REC_PICTURE : REC_EDGES;
        s.settings.run.problem.boundary.kind = i ? REC_BOUNDARY_MIRROR : REC_BOUNDARY_HALO;
        s.jobs.at[0]->reading = s.settings.reading;
        s.jobs.at[0]->problem = s.settings.run.problem;
        rec_worker_want(s.worker, &fitted);
        SUCCEEDS(rec_worker_start(s.worker, &error));
        wait_for(&s, REC_PHASE_ITERATING, 0);
        post(s.worker, rec_worker_play_pause, 0);
        wait_for(&s, REC_PHASE_PAUSED, 1);
        WAIT_FOR((look(&s), s.contrast > 0));
        assert_true(i ? s.shift < 127 : s.shift == 128);
        end(&s);
    }
}

TEST(the_shift_is_the_pictures_and_the_probe_follows_the_cursor)
{
    rec_wanted wanted = {.number = 2, .contrast = 1, .gamma = 1, .shift = 40,
                         .scene = REC_SCENE_EDGES, .viewport = {.area = {90, 70}, .fit = 1},
                         .probing = 1, .column = 5, .row = 9};
    scene s;
    begin(&s, 90, 70, "cpu", 20, 0);
    wait_for(&s, REC_PHASE_ITERATING, 0);
    wait_for(&s, REC_PHASE_PAUSED, post(s.worker, rec_worker_play_pause, 0));
    s.shift = 1;
    rec_worker_want(s.worker, &wanted);
    WAIT_FOR((look(&s), s.shift != 1));
    assert_true(s.shift == 0);
    WAIT_FOR(look(&s).probed.column == 5);
    wanted.column = 6;
    rec_worker_want(s.worker, &wanted);
    WAIT_FOR(look(&s).probed.column == 6);
    assert_true(look(&s).probed.values.edges[0] == rec_image_row(&s.edges, 0, 9)[6]);
    end(&s);
}

/* ---- ends ---- */

static void says(scene *s, uint64_t answered, const char *part)
{
    rec_view_state now;
    WAIT_FOR((now = look(s), now.answered >= answered && strstr(now.message, part)));
}

TEST(what_has_ended_says_so)
{
    scene s;
    prepare(&s, 90, 70, "cpu", 20, 0);
    s.settings.run.iterations = 100;
    SUCCEEDS(rec_worker_start(s.worker, &error));
    assert_int_equal(wait_for(&s, REC_PHASE_STOPPED, 0).run.iterations, 100);
    says(&s, post(s.worker, rec_worker_play_pause, 0), "the run has ended");
    wait_for(&s, REC_PHASE_JUMPED, seek(s.worker, REC_LIMIT_ITERATION));
    end(&s);
    begin(&s, 90, 70, "spectral", 0, 0);
    wait_for(&s, REC_PHASE_STOPPED, 0);
    says(&s, post(s.worker, rec_worker_step, 0), "does not change the exact picture");
    end(&s);
}

/* Its picture is what the window shows when it is left. */
TEST(a_run_that_has_not_begun_writes_the_jump)
{
    char output[80];
    scene s;
    prepare(&s, 90, 70, "cpu", 20, 1000);
    snprintf(output, sizeof output, "%s.out.pfm", s.path);
    free(s.jobs.at[0]->output);
    s.settings.output = output;
    s.jobs.at[0]->output = strdup(output);
    SUCCEEDS(rec_worker_start(s.worker, &error));
    wait_for(&s, REC_PHASE_ITERATING, 0);
    wait_for(&s, REC_PHASE_JUMPED, seek(s.worker, 1000));
    assert_int_equal(look(&s).run.iterations, 0);
    rec_worker_ask_to_leave(s.worker);
    SUCCEEDS(rec_worker_join(s.worker, &error));
    owned_image written;
    owned_solver *expected = solver_make(solver_or_skip("cpu"), &s.edges, NULL, 0);
    SUCCEEDS(rec_solver_advance(expected, 1000, 0, NULL, &error));
    owned_image picture = solver_image(expected);
    rec_difference difference;
    SUCCEEDS(rec_image_read(output, AS(REC_SAMPLES), &written, NULL, &error));
    SUCCEEDS(rec_image_compare(&written, &picture, 255, &difference, &error));
    assert_true(difference.maximum < 1e-5 * rec_image_largest(&picture));
    unlink(output);
    drop(&s);
}

/* ---- a file that changes ---- */

static void touch_input(scene *s)
{
    static long count;
    const struct timespec times[2] = {{.tv_sec = 1000 + count}, {.tv_sec = 1000 + count}};
    count++;
    assert_int_equal(utimensat(AT_FDCWD, s->path, times, 0), 0);
}

/* And what was paused stays so, where it was. */
TEST(a_file_is_read_again_once_it_is_quiet)
{
    scene s;
    begin(&s, 90, 70, "cpu", 20, 0);
    WAIT_FOR(look(&s).run.iterations > 200);
    const uint64_t number = post(s.worker, rec_worker_play_pause, 0);
    const rec_view_state paused = wait_for(&s, REC_PHASE_PAUSED, number);
    for (const double until = rec_now() + 2; rec_now() < until; usleep(20000)) {
        touch_input(&s);
        assert_true(look(&s).messages == paused.messages);
    }
    says(&s, 0, "reloaded");
    WAIT_FOR(look(&s).run.iterations == paused.run.iterations);
    usleep(100000);
    assert_int_equal(look(&s).phase, REC_PHASE_PAUSED);
    assert_int_equal(look(&s).run.iterations, paused.run.iterations);
    end(&s);
}

TEST(a_run_that_an_option_ends_is_soon_there_again)
{
    scene s;
    prepare(&s, 90, 70, "cpu", 20, 1);
    s.settings.run.iterations = 10;
    SUCCEEDS(rec_worker_start(s.worker, &error));
    wait_for(&s, REC_PHASE_STOPPED, 0);
    touch_input(&s);
    says(&s, 0, "reloaded");
    assert_true(wait_for(&s, REC_PHASE_STOPPED, 0).numbers.pace == 0);
    end(&s);
}
