/* The two lines below the picture: what they say of a state. Skipped in a build without SDL. */
#include "tests/unit/cm.h"

#if REC_HAVE_SDL
#include "tests/unit/canvas.h"

static rec_view_state iterating(void)
{
    rec_view_state state = {.phase = REC_PHASE_ITERATING, .index = 0, .inputs = 1,
                            .size = {600, 500}, .planes = 1, .every = 20,
                            .run = {.iterations = 12345, .look.change_rms = 0.25,
                                    .updates_per_second = 2.5e9},
                            .numbers = {.distance = 82.6, .psnr = NAN, .equal = NAN,
                                        .measured_at = 12345, .measured_time = 100}};
    strcpy(state.name, "folder/edges.pgm");
    state.info = (rec_solver_info){
        .solver = "cpu", .kernel = "avx512", .costs.device = "machine"};
    return state;
}

static rec_tone shown_tone = REC_TONE_CLAMP;

/* All of what it says, a field after the other; TAB is before and after a value. */
static const char *line_of(const rec_view_state *state, double scale, double now)
{
    static char line[4096];
    const rec_wanted wanted = {
        .viewport.scale = scale, .tone = shown_tone, .contrast = 1, .gamma = 1};
    rec_bar bar = {.scale = 0};
    rec_bar_update(&bar, state, &wanted, 0, now);
    line[0] = '\0';
    for (int i = 0; i < REC_BAR_FIELDS; i++)
        strcat(strcat(line, bar.now.field[i]), "|");
    return line;
}

static void assert_says(const char *line, const char *part)
{
    if (!strstr(line, part))
        fail_msg("no \"%s\" in \"%s\"", part, line);
}

TEST(the_distance_is_a_bound_and_nothing_above_white)
{
    rec_view_state now = iterating();
    assert_says(line_of(&now, 1, 100.1), "|distance <=\t82.6\t|");
    assert_says(line_of(&now, 1, 100.1), "|\t12 345\titerations|");
    const double none[] = {255.5, 23460, NAN};
    for (int i = 0; i < 3; i++) {
        now.numbers.distance = none[i];
        assert_null(strstr(line_of(&now, 1, 100.1), "distance"));
    }
    now.numbers.history.measured = 1;
    now.numbers.distance = 255.5;
    assert_says(line_of(&now, 1, 100.1), "|distance\t256\t|");
}

TEST(an_automatic_batch_is_said_in_iterations_a_picture)
{
    rec_view_state now = iterating();
    assert_says(line_of(&now, 1, 100.1), "|K\t20\t|");
    now.every_is_automatic = 1;
    assert_says(line_of(&now, 1, 100.1), "|\t20\titerations a picture|");
    now.every = 1;
    assert_says(line_of(&now, 1, 100.1), "|\t1\titeration a picture|");
}

/* 2.5e9 updates a second are 8333 iterations: 9 x 12345 more take 13.3 s. */
TEST(the_pace_is_the_true_one)
{
    rec_view_state now = iterating();
    now.numbers.pace = 1000;
    assert_says(line_of(&now, 1, 100.1), "|x10 iterations every\t1000 s\t|");
    now.numbers.pace = 13.5;
    assert_says(line_of(&now, 1, 100.1), "|x10 iterations every\t14 s\t|");
    now.numbers.pace = 13;
    assert_says(line_of(&now, 1, 100.1), "|full speed: x10 every\t13 s\ton this processor|");
    now.numbers.pace = 0;
    now.run.iterations = 123450;
    now.info.costs.device_bytes = 1;
    assert_says(line_of(&now, 1, 100.1), "|full speed: x10 every\t133 s\ton this GPU|");
    now.run.iterations = 0;
    assert_null(strstr(line_of(&now, 1, 100.1), "x10"));
    now.numbers.pace = 3.2;
    now.run.updates_per_second = 0; /* nothing was measured yet */
    assert_says(line_of(&now, 1, 100.1), "|x10 iterations every\t3.2 s\t|");
}

TEST(a_device_that_took_over_is_named_with_the_iterate)
{
    rec_view_state now = iterating();
    assert_says(line_of(&now, 1, 100.1), "|\tcpu/avx512\tmachine|");
    now.run.handover = 4100;
    now.info.solver = "cuda";
    assert_says(line_of(&now, 1, 100.1), "|\tcpu, then cuda/avx512 from 4 100\tmachine|");
}

TEST(how_long_a_run_will_take)
{
    rec_view_state now = iterating();
    now.run.iterations = 1000;
    now.numbers.pace = 3;
    now.numbers.end = 1e6;
    assert_true(fabs(rec_bar_seconds_left(&now) - (1e6 - 1000) / (2.5e9 / 300000)) < 1e-9);
    now.numbers.pace = 100;
    assert_true(fabs(rec_bar_seconds_left(&now) - 300) < 1e-9);
    now.numbers.end = 0;
    assert_true(rec_bar_seconds_left(&now) == 0);
    now.numbers.end = 1e6;
    now.phase = REC_PHASE_PAUSED;
    assert_true(rec_bar_seconds_left(&now) == 0);
}

static void assert_ends(rec_view_state *state, rec_stop stop, double equal, const char *sentence)
{
    rec_bar bar = {.scale = 0};
    const rec_wanted wanted = {.viewport.scale = 1, .contrast = 1, .gamma = 1};
    state->run.stop = stop;
    state->numbers.equal = equal;
    rec_bar_update(&bar, state, &wanted, 0, 200);
    assert_string_equal(bar.now.state, sentence);
}

TEST(an_end_is_a_plain_sentence)
{
    rec_view_state now = iterating();
    now.phase = REC_PHASE_STOPPED;
    assert_ends(&now, REC_STOP_LIMIT, 300000, "finished: all 300 000 pixels equal the original");
    assert_ends(&now, REC_STOP_STANDSTILL, 12345,
                "finished: 12 345 of 300 000 pixels equal the original");
    assert_ends(&now, REC_STOP_STANDSTILL, NAN, "finished: nothing changes any more");
    assert_ends(&now, REC_STOP_LIMIT, NAN, "finished: the exact picture");
    assert_ends(&now, REC_STOP_ITERATIONS, NAN, "finished: all iterations are done");
    now.run.iterations = 0;
    assert_ends(&now, REC_STOP_ITERATIONS, 7, "7 of 300 000 pixels are equal");
    now.phase = REC_PHASE_JUMPED;
    now.jump = REC_LIMIT_ITERATION;
    assert_ends(&now, REC_STOP_NONE, 0, "finished: 0 of 300 000 pixels equal the original");
    assert_ends(&now, REC_STOP_ITERATIONS, NAN, "finished: the exact picture");
    now.jump = 5;
    assert_ends(&now, REC_STOP_NONE, NAN, "");
}

TEST(the_next_input_is_named_dimly)
{
    rec_view_state now = iterating();
    assert_says(line_of(&now, 1, 100.1), "\tedges.pgm\t|");
    now.phase = REC_PHASE_LOADING;
    assert_int_equal(strncmp(line_of(&now, 1, 100.1), "edges.pgm\t", 10), 0);
}

/* Who paints has no use for solvers, distances and an end before the first stroke. */
TEST(who_paints_reads_of_mask_and_brush)
{
    rec_view_state now = iterating();
    now.phase = REC_PHASE_STOPPED;
    now.painted = REC_EDIT_HEAL;
    now.exact = 1;
    now.rule = "smooth";
    assert_ends(&now, REC_STOP_LIMIT, NAN, "ready");
    now.unknown = 12345;
    assert_ends(&now, REC_STOP_LIMIT, NAN, "done");
    now.unsaved = 1;
    assert_ends(&now, REC_STOP_LIMIT, NAN, "not saved");
    now.unsaved = 0;
    const char *words = "|mask\t12 345\tpixels|brush\t1\twide|fill\tsmooth||";
    assert_says(line_of(&now, 1, 100.1), words);
    assert_null(strstr(line_of(&now, 1, 100.1), "avx512"));
    now.edit.x = -30;
    assert_says(line_of(&now, 1, 100.1), "|from\t-30, +0|");
    now.painted = REC_EDIT_CLONE;
    assert_says(line_of(&now, 1, 100.1), "|gradients\tsmooth|at\t30, 0|");
    const rec_wanted wanted = {.viewport.scale = 1, .contrast = 1, .gamma = 1};
    rec_bar bar = {.scale = 0};
    const struct {
        rec_phase phase;
        double time;
        const char *says;
    } moments[] = {{REC_PHASE_STOPPED, 1, "done"}, {REC_PHASE_ITERATING, 1.1, "done"},
                   {REC_PHASE_ITERATING, 1.2, "done"}, {REC_PHASE_ITERATING, 1.5, "solving ..."},
                   {REC_PHASE_STOPPED, 1.6, "done"}, {REC_PHASE_ITERATING, 1.7, "done"}};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        now.phase = moments[i].phase;
        rec_bar_update(&bar, &now, &wanted, 0, moments[i].time);
        assert_string_equal(bar.now.state, moments[i].says);
    }
}

TEST(old_numbers_name_their_iterate)
{
    rec_view_state now = iterating();
    now.numbers.psnr = 31.25;
    now.numbers.measured_at = 550;
    assert_says(line_of(&now, 1, 100.4), "|distance <=\t82.6\t|");
    assert_says(line_of(&now, 1, 100.6), "|distance <= 82.6 at 550|");
    assert_says(line_of(&now, 1, 100.6), "|PSNR 31.25 at 550|");
    now.numbers.measured_at = now.run.iterations; /* paused: they are those of what is shown */
    assert_says(line_of(&now, 1, 200), "|PSNR\t31.25\tdB|");
    now.numbers.equal = 300000; /* all: rounding alone is left to measure */
    assert_null(strstr(line_of(&now, 1, 200), "PSNR"));
}

TEST(the_tone_auto_says_what_the_contrast_is)
{
    rec_view_state now = iterating();
    shown_tone = REC_TONE_AUTO;
    now.numbers.levels.white = 65535;
    assert_says(line_of(&now, 1, 100.1), "|contrast:\t0-65535|");
    now.numbers.fitted = 1;
    assert_says(line_of(&now, 1, 100.1), "|contrast:\tfitted|");
    shown_tone = REC_TONE_CLAMP;
    assert_null(strstr(line_of(&now, 1, 100.1), "contrast"));
}

/* The exact picture is no iterate, and nothing more is done. */
TEST(the_limit_is_called_so)
{
    rec_view_state now = iterating();
    now.phase = REC_PHASE_STOPPED;
    now.run.stop = REC_STOP_LIMIT;
    now.run.iterations = 0;
    now.numbers.pace = 3.2;
    assert_says(line_of(&now, 1, 100.1), "|\tlimit|");
    assert_null(strstr(line_of(&now, 1, 100.1), "iterations"));
    now.run.stop = REC_STOP_ITERATIONS;
    now.run.updates_per_second = NAN; /* nor of its iterates */
    assert_null(strstr(line_of(&now, 1, 100.1), "x10"));
}

TEST(devices_and_zooms_are_short)
{
    const char *const devices[][2] = {
        {"AMD EPYC 9V74 80-Core Processor, 4 threads", "AMD EPYC 9V74"},
        {"Intel(R) Xeon(R) Platinum 8480+ CPU @ 2.00GHz", "Intel Xeon Platinum 8480+"},
        {"NVIDIA H200", "H200"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", "GeForce RTX 4090 Laptop GPU"},
        {"AMD Ryzen 9 7950X 16-Core Processor", "AMD Ryzen 9 7950X"}};
    rec_view_state now = iterating();
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        char wanted[64];
        strcpy(now.info.costs.device, devices[i][0]);
        snprintf(wanted, sizeof wanted, "|\tcpu/avx512\t%s|", devices[i][1]);
        assert_says(line_of(&now, 1, 100), wanted);
    }
    now.info.devices = 4;
    assert_says(line_of(&now, 1, 100), "\t4 x AMD Ryzen 9 7950X|");
    const struct { double scale; const char *text; } zooms[] = {
        {64, "at 6400%|"}, {1, "at 100%|"}, {0.125, "at 12%|"}, {1.0 / 64, "at 1.6%|"}};
    for (int i = 0; i < 4; i++)
        assert_says(line_of(&now, zooms[i].scale, 100), zooms[i].text);
}

TEST(a_doubt_stays_behind_every_message)
{
    rec_view_state now = iterating();
    const rec_wanted wanted = {.contrast = 1, .gamma = 1};
    rec_bar bar = {.scale = 0};
    strcpy(now.doubt, "this is a picture");
    strcpy(now.message, "reading ...");
    now.messages = 1;
    rec_bar_update(&bar, &now, &wanted, 0, 100);
    assert_string_equal(bar.now.message, "reading ...");
    assert_false(bar.now.message_is_bad);
    for (double time = 105; time < 1e6; time *= 10) {
        rec_bar_update(&bar, &now, &wanted, 0, time);
        assert_string_equal(bar.now.message, "this is a picture");
        assert_true(bar.now.message_is_bad);
    }
}

static int has_color(const canvas *c, SDL_Color color, SDL_Rect place)
{
    int count = 0;
    for (int y = place.y; y < place.y + place.h; y++)
        for (int x = place.x; x < place.x + place.w; x++)
            count += (at(c, x, y) & 0xffffff) ==
                     (Uint32)(color.r << 16 | color.g << 8 | color.b);
    return count > 0;
}

TEST(a_long_message_goes_on_in_the_second_line)
{
    for (int scale = 1; scale <= 2; scale++) {
        owned_canvas c = make_canvas(480, 200, scale);
        rec_bar bar = {.now = {.state = "paused", .state_color = rec_colors.amber,
                               .message = "short", .message_is_bad = 1}};
        const int half = rec_bar_height(&c.on) / 2, wide = c.on.width / 2;
        const SDL_Rect second = {0, c.on.height - half, c.on.width, half};
        const SDL_Rect hint = {wide, c.on.height - half, c.on.width - wide, half};
        const SDL_Rect above = {wide, c.on.height - 2 * half, c.on.width - wide, half};
        rec_bar_draw(&bar, &c.on, "h help");
        assert_true(!has_color(&c, rec_colors.red, second) && has_color(&c, rec_colors.dim, hint));
        const int room = rec_text_width(&c.on, "Esc returns   h help");
        const char *const hints = "Space continues   Esc returns   h help";
        assert_string_equal(rec_text_fit(&c.on, hints, 10 * room), hints);
        assert_string_equal(rec_text_fit(&c.on, hints, room), "Esc returns   h help");
        assert_string_equal(rec_text_fit(&c.on, hints, 1), "h help");
        strcpy(bar.now.message, "folder/film/edges-000001.pgm: cannot be created: No such file or "
                                "directory; Space tries again");
        rec_bar_draw(&bar, &c.on, "h help");
        assert_true(has_color(&c, rec_colors.red, second) && !has_color(&c, rec_colors.dim, hint));
        assert_true(has_color(&c, rec_colors.amber, above));
        /* The iteration makes room for a hint that takes all of the line; a long name is cut. */
        bar.now.message[0] = '\0';
        memset(bar.now.field[0] + 1, 'E', 200);
        bar.now.field[0][0] = '\t';
        strcpy(bar.now.field[5], "\t12 345\titerations");
        rec_bar_draw(&bar, &c.on, "a hint as long as the line, at every size of the letters, "
                                  "in both fonts");
        assert_true(!has_color(&c, rec_colors.bright, second));
        assert_true(has_color(&c, rec_colors.bright, above));
    }
}
#endif
