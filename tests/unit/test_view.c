/* What the window does without SDL: requests, the worker's jumps and pace. */
#include "tests/unit/worker.h"
#include "view/worker/decades.h"

static char input[] = "edges.pfm";
static rec_image edges;

static struct seen { /* of the newest snapshot */
    uint64_t iteration;
    float contrast, shift; /* what it was shown with */
    uint64_t wanted;       /* the only iterate that may be shown now; 0: any */
    int strange;           /* how many others were */
} seen;

static void accept(void *context, const rec_snapshot *snapshot, rec_size image)
{
    seen.iteration = snapshot->iteration;
    seen.contrast = snapshot->view.contrast;
    seen.shift = snapshot->view.shift;
    seen.strange += seen.wanted && seen.wanted != seen.iteration &&
                    snapshot->view.layer == REC_LAYER_PICTURE;
}

static rec_status refused; /* what opening the jumper answers, unless it is REC_OK */
static int jumpers;        /* how many were opened */

LISTEN(rec_status, rec_job_open_jumper, (rec_job *job, rec_solver **jumper, rec_error *error))
{
    if (refused)
        return rec_fail(error, refused, "no room for it");
    jumpers++;
    return __real_rec_job_open_jumper(job, jumper, error);
}

static uint64_t first_piece; /* of a run, once it was 0 */

LISTEN(rec_status, rec_run_step, (rec_run *run, uint64_t n, unsigned looks, rec_error *error))
{
    first_piece = first_piece ? first_piece : n;
    return __real_rec_run_step(run, n, looks, error);
}

static int created;                /* slow ones */
static uint64_t advanced, longest; /* their iterations; in one piece, but for the first */

static rec_status create_and_count(void *state, const rec_problem *problem, const rec_slab *slab,
                                   const rec_solver_options *options, rec_error *error)
{
    created++;
    return solver_or_skip("cpu")->memory->create(state, problem, slab, options, error);
}

static rec_status advance_slowly(void *state, uint64_t n, int compares, rec_error *error)
{
    longest = advanced && n > longest ? n : longest;
    advanced += n;
    usleep((useconds_t)(1000 * n));
    return solver_or_skip("cpu")->iterate->advance(state, n, compares, error);
}

static void want(rec_wanted wanted)
{
    static unsigned number;
    wanted.number = ++number;
    wanted.contrast = wanted.gamma = 1;
    rec_worker_want(s.worker, &wanted);
}

/* K and the pace as in the settings; the stencil "slow": a millisecond an iteration. */
static void prepare(size_t width, size_t height, const char *stencil, uint64_t every, double pace)
{
    static own_type slow;
    own_type_make(&slow, solver_or_skip("cpu"));
    slow.memory.create = create_and_count;
    slow.iterate.advance = advance_slowly;
    solver_or_skip("spectral");
    rec_image_destroy(&edges);
    edges = problem_noise(width, height, 1, 200, 7);
    seen = (struct seen){.wanted = 0};
    refused = REC_OK;
    jumpers = 0;
    s.settings = (rec_settings){
        .run = {.iterations = REC_ENDLESS, .every = every,
                .solver = strcmp(stencil, "slow") ? solver_or_skip(stencil) : &slow.type},
        .reading = {.role = REC_EDGES}, .pace = pace, .output = "/dev/null", .shards = 1,
        .writing = {.format = rec_format_find("pfm"), .maxval = 255}};
    SUCCEEDS(rec_image_write(input, &edges, &s.settings.writing, &error));
    create(input);
    want((rec_wanted){.viewport = {.area = {width, height}, .fit = 1}});
}

static void begin(size_t width, size_t height, const char *stencil, uint64_t every, double pace)
{
    prepare(width, height, stencil, every, pace);
    start();
}

static uint64_t seek(uint64_t iteration)
{
    return rec_worker_post(s.worker, (rec_request){.act = rec_worker_seek, .iteration = iteration});
}

static void wait_for_pixels(uint64_t iteration) { WAIT_FOR((look(), seen.iteration == iteration)); }

/* ---- the worker ---- */

static void assert_next(rec_act *act, uint64_t iteration, uint64_t number)
{
    const rec_request next = rec_worker_next(s.worker, 0, 0);
    assert_true(next.act == act && next.iteration == iteration && next.number == number);
}

WORKER_TEST(only_the_newest_seek_counts)
{
    prepare(9, 9, "cpu", 20, 0);
    for (uint64_t i = 1; i <= 1000; i++)
        seek(i);
    post(rec_worker_play_pause, 0);
    seek(5);
    seek(REC_LIMIT_ITERATION);
    assert_next(rec_worker_seek, 1000, 1000);
    assert_next(rec_worker_play_pause, 0, 1001);
    assert_next(rec_worker_seek, REC_LIMIT_ITERATION, 1003);
    assert_next(NULL, 0, 0);
    for (int i = 0; i < REC_QUEUED_REQUESTS; i++)
        post(rec_worker_step, 0);
    assert_int_equal(seek(5), 0);
}

WORKER_TEST(what_does_not_fit_is_a_message)
{
    begin(300, 280, "cpu", 20, 0);
    refused = REC_LIMIT;
    const uint64_t number = seek(100);
    const rec_view_state now = wait_for(REC_PHASE_ITERATING, number);
    assert_true(now.messages > 0 && now.message_is_bad);
    assert_non_null(strstr(now.message, "no room for it"));
    WAIT_FOR(look().run.iterations > now.run.iterations);
    refused = REC_OK; /* another try */
    wait_for(REC_PHASE_JUMPED, seek(100));
    wait_for(REC_PHASE_JUMPED, seek(1000));
    assert_int_equal(jumpers, 1);
}

/* A jump ends the steps that it interrupts: afterwards the run is paused. */
WORKER_TEST(a_jump_ends_the_steps)
{
    begin(90, 70, "slow", 600, 0);
    pause_run();
    post(rec_worker_step, 0);
    wait_for(REC_PHASE_ITERATING, post(rec_worker_step, 0));
    wait_for(REC_PHASE_JUMPED, seek(5));
    wait_for(REC_PHASE_PAUSED, post(rec_worker_go_back, 0));
}

WORKER_TEST(steps_of_one_kind_add_up)
{
    uint64_t number = 0;
    begin(90, 70, "slow", 20, 0);
    const uint64_t done = pause_run().run.iterations;
    for (int i = 0; i < 10; i++)
        number = post(rec_worker_step, 1);
    assert_int_equal(wait_for(REC_PHASE_PAUSED, number).run.iterations, done + 10);
}

/* Before anything was measured: an iteration of a single pixel takes its time, too, and keys must
 * not wait for it. */
WORKER_TEST(the_first_piece_of_a_tiny_image_is_short)
{
    first_piece = 0;
    begin(1, 1, "cpu", 0, 0);
    WAIT_FOR(look().run.iterations > 0);
    end();
    assert_true(first_piece > 0 && first_piece < 5000000);
}

WORKER_TEST(who_leaves_while_an_image_is_read_does_not_wait_for_its_solver)
{
    prepare(90, 70, "slow", 20, 0);
    s.settings.output = NULL;
    created = 0;
    rec_worker_ask_to_leave(s.worker);
    SUCCEEDS(rec_worker_start(s.worker, &error));
    leave();
    assert_int_equal(created, 0);
}

/* Also of a photograph, whose transform is still to come: what is seen first. */
WORKER_TEST(who_leaves_waits_for_what_is_to_be_saved)
{
    prepare(90, 70, "cpu", 0, -1);
    const rec_write_options options = {.format = rec_format_find("jpg"), .maxval = 255};
    if (!options.format || !options.format->write)
        skip();
    SUCCEEDS(rec_image_write(input, &edges, &options, &error));
    s.settings.output = NULL;
    s.settings.reading.role = s.jobs.at[0]->reading.role = REC_EITHER;
    post(rec_worker_save, 0);
    post(rec_worker_step, 0);
    rec_worker_ask_to_leave(s.worker);
    SUCCEEDS(rec_worker_start(s.worker, &error));
    leave();
    assert_int_equal(access("edges-limit.pfm", F_OK), 0);
}

/* Nothing but batches with a look tells how slow the solver is, and keys wait for each of them. */
WORKER_TEST(batches_that_take_too_long_are_cut)
{
    longest = advanced = 0;
    begin(90, 70, "slow", 600, 0);
    WAIT_FOR(look().run.iterations > 1200);
    end();
    assert_true(longest <= 200); /* twice a tenth of a second */
}

WORKER_TEST(the_contrast_moves_from_picture_to_picture)
{
    prepare(90, 70, "slow", 20, 0);
    want((rec_wanted){.tone = REC_TONE_AUTO, .viewport = {.area = {90, 70}, .fit = 1}});
    start();
    for (int i = 0; i < 8; i++) { /* the levels are read four times a second */
        const float before = seen.contrast;
        const uint64_t iteration = seen.iteration;
        WAIT_FOR((look(), seen.iteration != iteration));
        assert_true(seen.contrast != before);
    }
}

/* Once the run has done so many: how many decades it has done, and rec_now(). */
static double wait_for_decades(uint64_t iteration, double *time)
{
    rec_view_state now;
    WAIT_FOR((*time = rec_now(), now = look(), now.run.iterations >= iteration));
    return log10((double)now.run.iterations);
}

WORKER_TEST(the_pace_is_kept_and_can_be_changed)
{
    double begun = 0, ended = 0;
    begin(300, 280, "cpu", 0, 1);
    const double first = wait_for_decades(10, &begun);
    const double last = wait_for_decades(1000, &ended);
    assert_true(ended - begun > last - first - 0.3); /* never faster; a busy one is late */
    post(rec_worker_change_pace, 1);
    assert_true(wait_for(REC_PHASE_ITERATING, 1).numbers.pace == 0.5);
    post(rec_worker_change_pace, -1);
    post(rec_worker_change_pace, -1);
    assert_true(wait_for(REC_PHASE_ITERATING, 3).numbers.pace == 2);
    post(rec_worker_change_pace, 0);
    assert_true(wait_for_either(REC_PHASE_ITERATING, REC_PHASE_STOPPED, 4).numbers.pace == 0);
    post(rec_worker_change_pace, -1); /* the usual one: 20 s a run */
    const double usual = wait_for_either(REC_PHASE_ITERATING, REC_PHASE_STOPPED, 5).numbers.pace;
    assert_true(usual > 3 && usual < 5);
}

/* Neither at another pace nor after a pause: it goes on from where it is. */
WORKER_TEST(the_pace_catches_up_with_nothing)
{
    double since, until;
    begin(90, 70, "cpu", 0, 1);
    for (uint64_t next = 100; next <= 1000; next *= 10) {
        const double first = wait_for_decades(next, &since);
        if (next > 100) {
            pause_run();
            usleep(1000000);
            since = rec_now();
        }
        post(next > 100 ? rec_worker_play_pause : rec_worker_change_pace, 1);
        const double last = wait_for_decades(10 * next, &until);
        assert_true(until - since > 0.5 * (last - first) - 0.2);
    }
}

WORKER_TEST(the_levels_are_those_of_the_view)
{
    begin(300, 280, "cpu", 20, 0);
    pause_run();
    for (size_t box = 1; box <= 4; box *= 4) {
        want((rec_wanted){.tone = REC_TONE_AUTO,
                          .viewport = {.area = {300 / box, 280 / box}, .fit = 1}});
        WAIT_FOR(look().numbers.levels.box == box);
    }
}

WORKER_TEST(every_seek_on_a_device_comes_to_its_pixels)
{
    solver_or_skip("cuda");
    begin(2048, 2048, "cuda", 20, 0);
    wait_for(REC_PHASE_JUMPED, seek(1));
    for (int i = 0; i < 101; i++) {
        const uint64_t iteration = rec_scale_iteration((i + 10.0) / 121);
        seek(iteration);
        wait_for_pixels(iteration);
    }
}

/* ---- what is shown ---- */

/* A picture of the run that was begun before the jump, and nobody has taken yet. */
WORKER_TEST(no_picture_from_before_a_jump_is_shown)
{
    rec_view_state now;
    begin(90, 70, "slow", 20, 0);
    for (uint64_t i = 1; i <= 5; i++) {
        usleep(100000);
        const uint64_t number = seek(100 * i);
        WAIT_FOR((rec_worker_get_state(s.worker, &now), now.answered >= number));
        seen.wanted = 100 * i;
        wait_for_pixels(seen.wanted);
        assert_int_equal(seen.strange, 0);
        seen.wanted = 0;
        wait_for(REC_PHASE_ITERATING, post(rec_worker_go_back, 0));
    }
}

WORKER_TEST(at_rest_the_newest_iterate_is_shown)
{
    begin(90, 70, "slow", 7, 0);
    for (int i = 0; i < 6; i++) {
        wait_for(REC_PHASE_ITERATING, 0);
        usleep(40000);
        wait_for_pixels(pause_run().run.iterations);
        post(rec_worker_play_pause, 0);
    }
}

/* Zero is shown in mid-grey where edges are shown, not where the picture's mean is known. */
WORKER_TEST(the_first_picture_is_as_bright_as_its_mean)
{
    for (int i = 0; i < 2; i++) {
        prepare(90, 70, "slow", 20, 1000);
        s.settings.reading.role = i ? REC_PICTURE : REC_EDGES;
        s.settings.run.problem.boundary.kind = i ? REC_BOUNDARY_MIRROR : REC_BOUNDARY_HALO;
        s.jobs.at[0]->reading = s.settings.reading;
        s.jobs.at[0]->problem = s.settings.run.problem;
        want((rec_wanted){.tone = REC_TONE_AUTO, .viewport = {.area = {90, 70}, .fit = 1}});
        start();
        pause_run();
        WAIT_FOR((look(), seen.contrast > 0));
        assert_true(i ? seen.shift < 127 : seen.shift == 128);
        end();
    }
}

WORKER_TEST(the_shift_is_the_pictures_and_the_probe_follows_the_cursor)
{
    rec_wanted wanted = {.shift = 40, .scene = REC_SCENE_EDGES,
                         .viewport = {.area = {90, 70}, .fit = 1}, .probing = 1, .column = 5,
                         .row = 9};
    begin(90, 70, "cpu", 20, 0);
    pause_run();
    seen.shift = 1;
    want(wanted);
    WAIT_FOR((look(), seen.shift != 1));
    assert_true(seen.shift == 0);
    WAIT_FOR(look().probed.column == 5);
    wanted.column = 6;
    want(wanted);
    WAIT_FOR(look().probed.column == 6);
    assert_true(look().probed.values.edges[0] == rec_image_row(&edges, 0, 9)[6]);
}

/* ---- ends ---- */

static void says(uint64_t answered, const char *part)
{
    rec_view_state now;
    WAIT_FOR((now = look(), now.answered >= answered && strstr(now.message, part)));
}

WORKER_TEST(what_has_ended_says_so)
{
    prepare(90, 70, "cpu", 20, 0);
    s.settings.run.iterations = 100;
    start();
    assert_int_equal(wait_for(REC_PHASE_STOPPED, 0).run.iterations, 100);
    says(post(rec_worker_play_pause, 0), "the run has ended");
    wait_for(REC_PHASE_JUMPED, seek(REC_LIMIT_ITERATION));
    end();
    begin(90, 70, "spectral", 0, 0);
    wait_for(REC_PHASE_STOPPED, 0);
    says(post(rec_worker_step, 0), "does not change the exact picture");
}

/* Its picture is what the window shows when it is left. */
WORKER_TEST(a_run_that_has_not_begun_writes_the_jump)
{
    static const char output[] = "out.pfm";
    prepare(90, 70, "cpu", 20, 1000);
    free(s.jobs.at[0]->output);
    s.settings.output = output;
    s.jobs.at[0]->output = strdup(output);
    start();
    wait_for(REC_PHASE_JUMPED, seek(1000));
    assert_int_equal(look().run.iterations, 0);
    leave();
    owned_image written = read_image(output, REC_SAMPLES);
    owned_solver *expected = solver_make(solver_or_skip("cpu"), &edges, NULL, 0);
    SUCCEEDS(rec_solver_advance(expected, 1000, 0, NULL, &error));
    owned_image picture = solver_image(expected);
    const rec_difference difference = difference_of(&written, &picture);
    assert_true(difference.maximum < 1e-5 * rec_image_largest(&picture));
}

/* ---- a file that changes ---- */

static void touch_input(void)
{
    static long count;
    const struct timespec times[2] = {{.tv_sec = 1000 + count}, {.tv_sec = 1000 + count}};
    count++;
    assert_int_equal(utimensat(AT_FDCWD, input, times, 0), 0);
}

/* And what was paused stays so, where it was. */
WORKER_TEST(a_file_is_read_again_once_it_is_quiet)
{
    begin(90, 70, "cpu", 20, 0);
    WAIT_FOR(look().run.iterations > 200);
    const rec_view_state paused = pause_run();
    const double begun = rec_now();
    double last = begun, pause = 0; /* the longest, of a busy machine */
    for (; last < begun + 2; usleep(20000)) {
        pause = fmax(pause, rec_now() - last);
        last = rec_now();
        touch_input();
        assert_true(pause > 0.2 || look().messages == paused.messages);
    }
    says(0, "reloaded");
    WAIT_FOR(look().run.iterations == paused.run.iterations);
    usleep(100000);
    assert_int_equal(look().phase, REC_PHASE_PAUSED);
    assert_int_equal(look().run.iterations, paused.run.iterations);
}

WORKER_TEST(a_run_that_an_option_ends_is_soon_there_again)
{
    prepare(90, 70, "cpu", 20, 1);
    s.settings.run.iterations = 10;
    start();
    wait_for(REC_PHASE_STOPPED, 0);
    touch_input();
    says(0, "reloaded");
    assert_true(wait_for(REC_PHASE_STOPPED, 0).numbers.pace == 0);
}
