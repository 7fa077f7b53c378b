/* What happens to a window that tests/window/ cannot do on a display without a desktop: files that
 * are dropped, several output pixels to a point, fine wheels, a window that is hidden; and what
 * goes wrong with an input while it is shown. Skipped in a build without SDL. */
#include "tests/unit/cm.h"

#if REC_HAVE_SDL
#include "tests/unit/desk.h"

/* ---- files ---- */

#define WINDOW_TEST(function) TEST_WITH(function, enter_folder, end)

WINDOW_TEST(several_files_at_once_are_added_and_the_first_is_shown)
{
    open_desk(1);
    drop(SDL_DROPTEXT, "some words"); /* are nothing */
    drop_files((const char *const[]){"b.pgm", "c.pgm", "d.pgm"}, 3);
    WAIT_FOR(now().inputs == 4);
    WAIT_FOR(is_open_at(1));
    assert_string_equal(now().name, "b.pgm");
    assert_true(now().size.width == 250 && now().planes == 3);
    drop_files((const char *const[]){"e.pgm", "c.pgm"}, 2); /* another time: again the first */
    WAIT_FOR(is_open_at(4));
    assert_int_equal(now().inputs, 5);
    press(SDLK_PAGEUP);
    WAIT_FOR(is_open_at(3));
    drop_file("b.pgm"); /* is there already */
    WAIT_FOR(is_open_at(1));
    assert_int_equal(now().inputs, 5);
    end_with(REC_OK);
    assert_int_equal(d.finished, 5); /* each that was left, too */
}

WINDOW_TEST(the_first_file_of_all_may_be_dropped)
{
    prepare(0);
    begin();
    drop_files((const char *const[]){"nonsense.txt", "a.pgm"}, 2);
    WAIT_FOR(now().messages && now().inputs == 1);
    assert_true(now().phase == REC_PHASE_EMPTY); /* only the first would be shown */
    drop_file("a.pgm");
    WAIT_FOR(is_open_at(0));
}

WINDOW_TEST(of_a_photograph_that_is_dropped_the_edges_are_taken)
{
    solver_or_skip("spectral");
    prepare(1);
    d.settings.run.problem.boundary.kind = REC_BOUNDARY_MIRROR; /* the start has the mean */
    d.settings.balance = 1;
    begin();
    WAIT_FOR(is_open_at(0));
    owned_image picture = problem_picture(300, 250, 1, 3);
    SUCCEEDS(rec_image_write("photo.pgm", &picture, TO(255), &error));
    drop_file("photo.pgm");
    WAIT_FOR(is_open_at(1) && strstr(now().doubt, "e takes its edges"));
    assert_false(now().has_original);
    press(SDLK_e);
    WAIT_FOR(now().has_original && !*now().doubt && now().run.iterations > 0);
    press(SDLK_e);
    WAIT_FOR(!now().has_original && *now().doubt);
    press(SDLK_PAGEUP);
    WAIT_FOR(is_open_at(0));
    assert_string_equal(now().doubt, "");
}

static void start_late(const rec_solver_options *options) { nap(200); }

/* While the change is marked, and beside a reference. */
WINDOW_TEST(a_device_takes_over_and_the_picture_goes_on)
{
    prepare(2);
    d.own.type.name = "late";
    d.own.type.prepare = start_late;
    d.settings.successor = &d.own.type;
    d.settings.original = "a.pgm";
    begin();
    WAIT_FOR(is_open_at(0));
    press(SDLK_4);
    WAIT_FOR(now().run.handover > 0);
    const uint64_t handover = now().run.handover;
    assert_string_equal(now().info.solver, "late");
    WAIT_FOR(now().run.iterations > handover + 40 && isfinite(now().numbers.psnr));
    assert_false(now().missing);
    press(SDLK_PAGEDOWN); /* what is left is saved */
    WAIT_FOR(d.finished == 1);
    assert_true(d.at_end > handover);
    owned_solver *expected = solver_make(solver_or_skip("cpu"), &d.edges[0], NULL, 0);
    solver_advance(expected, d.at_end, 0);
    owned_image picture = solver_image(expected);
    assert_same_bits(&picture, &d.result, "after a handover");
}

WINDOW_TEST(what_is_no_image_is_a_message_and_the_picture_stays)
{
    prepare(1);
    begin_iterating();
    pause_run();
    settle();
    const uint64_t iteration = now().run.iterations, before = hash_picture();
    const unsigned messages = now().messages, drawn_before = times_drawn();
    drop_file("nonsense.txt");
    WAIT_FOR(now().messages >= messages + 2); /* "reading", and then */
    const rec_view_state after = now();
    assert_true(after.message_is_bad && after.phase == REC_PHASE_PAUSED);
    assert_non_null(strstr(after.message, "nonsense.txt: "));
    assert_true(after.inputs == 1 && after.index == 0 && after.run.iterations == iteration);
    WAIT_FOR(times_drawn() > drawn_before);
    assert_true(hash_picture() == before);
    assert_true(d.opened == 1 && d.finished == 0);
    press(SDLK_SPACE);
    WAIT_FOR(now().run.iterations > iteration);
}

/* ---- the mouse, and its pixels ---- */

WINDOW_TEST(a_dense_display_has_pixels_between_the_points)
{
    prepare(1);
    density = 2;
    begin_iterating();
    /* As often as it fits into the display's points, which are two pixels each. */
    WAIT_FOR(wants().viewport.area.width % 300 == 0);
    const int scale = (int)wants().viewport.area.width / 300;
    WAIT_FOR((int)wants().viewport.area.height == 250 * scale);
    assert_true(scale >= 4);
    press(SDLK_SPACE);
    move_mouse(75 * scale, 50 * scale); /* points */
    WAIT_FOR(now().probed.known && now().probed.column == 150 && now().probed.row == 100);
    move_mouse(0, 125 * scale - 1);
    WAIT_FOR(now().probed.known && now().probed.column == 0 && now().probed.row == 249);
    move_mouse(300, 250);
    turn_wheel(1, 1);
    WAIT_FOR(wants().viewport.scale > scale && !wants().viewport.fit);
    const rec_viewport before = wants().viewport;
    drag(300, 250, 290, 265); /* 20 pixels to the left, 30 down */
    WAIT_FOR(fabs(wants().viewport.x - (before.x + 20 / (300 * before.scale))) < 1e-9);
    assert_true(fabs(wants().viewport.y - (before.y - 30 / (250 * before.scale))) < 1e-9);
    press(SDLK_3);
    WAIT_FOR(wants().scene == REC_SCENE_SIDES);
    move_mouse(75 * scale, 100);
    drag(75 * scale, 100, 50 * scale, 100);
    WAIT_FOR(fabs(wants().divider - (100 * scale + 0.5) / (300 * scale)) < 1e-9);
}

WINDOW_TEST(a_wheel_zooms_by_whole_notches)
{
    open_desk(1);
    WAIT_FOR(wants().viewport.area.width == 600);
    for (int i = 0; i < 3; i++)
        turn_wheel(0, 0.25F);
    turn_wheel(1, 0.25F); /* SDL adds them up */
    WAIT_FOR(!wants().viewport.fit);
    assert_true(wants().viewport.scale == exp2(1.25)); /* less than a fourth more */
    turn_wheel(3, 3);
    WAIT_FOR(wants().viewport.scale == 4);
    turn_wheel(-2, -2);
    WAIT_FOR(wants().viewport.scale == exp2(1.5));
    turn_wheel(1000, 1000);
    WAIT_FOR(wants().viewport.scale == 64);
    tell_window(SDL_WINDOWEVENT_LEAVE);
    WAIT_FOR(!wants().probing);
}

/* The first rows of the second page are the views; what is clicked above them is the picture. */
WINDOW_TEST(a_click_on_a_row_of_the_help_does_it)
{
    open_desk(1);
    drag(100, 100, 100, 100);
    const SDL_MouseButtonEvent right = {.type = SDL_MOUSEBUTTONDOWN, .button = SDL_BUTTON_RIGHT};
    for (int page = 1; page <= 2; page++)
        push((SDL_Event){.button = right}); /* opens the help, as h does */
    for (int y = 0; wants().scene != REC_SCENE_EDGES; y += 4) {
        assert_true(y < 2000); /* the window is lower */
        drag(100, y, 100, y);
        nap(10);
    }
}

WINDOW_TEST(a_hidden_window_draws_nothing_and_goes_on)
{
    const Uint8 ways[][2] = {{SDL_WINDOWEVENT_HIDDEN, SDL_WINDOWEVENT_SHOWN},
                             {SDL_WINDOWEVENT_MINIMIZED, SDL_WINDOWEVENT_RESTORED}};
    open_desk(1);
    for (int i = 0; i < 2; i++) {
        tell_window(ways[i][0]);
        WAIT_FOR(!wants().viewport.area.width);
        settle(); /* the frame in hand */
        const unsigned before = times_drawn();
        const uint64_t iteration = now().run.iterations;
        WAIT_FOR(now().run.iterations > iteration + 100);
        PRESS_EACH(SDLK_z, SDLK_o, SDLK_RIGHT, SDLK_2, SDLK_1);
        nap(100);
        assert_int_equal(times_drawn(), before);
        tell_window(ways[i][1]);
        WAIT_FOR(wants().viewport.area.width == 600);
        WAIT_FOR(times_drawn() > before + 3);
    }
}

/* Not all desktops know the smallest size that it asks for. */
WINDOW_TEST(a_brush_has_no_place_where_no_picture_is)
{
    open_desk(1);
    press(SDLK_b);
    WAIT_FOR(now().painted == REC_EDIT_HEAL);
    const unsigned before = times_drawn();
    for (Uint32 id = 1; id < 99; id++) {
        SDL_SetWindowMinimumSize(SDL_GetWindowFromID(id), 1, 1);
        SDL_SetWindowSize(SDL_GetWindowFromID(id), 1, 1);
    }
    WAIT_FOR(!wants().viewport.area.height && times_drawn() > before);
    settle();
}

/* ---- what the numbers are ---- */

/* One that did not goes on where it was. */
WINDOW_TEST(an_input_that_changed_meanwhile_is_read_again)
{
    open_desk(2);
    press(SDLK_PAGEDOWN);
    WAIT_FOR(is_open_at(1));
    const int opened = d.opened;
    for (int changes = 0; changes < 2; changes++) {
        if (changes)
            write_image("0.pgm", &d.edges[0]);
        press(SDLK_PAGEUP);
        WAIT_FOR(is_open_at(0));
        WAIT_FOR(d.opened == opened + changes);
        press(SDLK_PAGEDOWN);
        WAIT_FOR(is_open_at(1));
    }
}

/* As a handler writes it, which other threads read meanwhile. */
__attribute__((no_sanitize("thread"))) static void signal_arrives(void)
{
    rec_signal_received = SIGTERM;
}

/* An input that has no memory gets that of the others. At a signal a hidden one has its output; a
 * checkpoint would be older. */
WINDOW_TEST(hidden_inputs_give_their_memory_and_keep_no_work)
{
    prepare(2);
    d.settings.run.checkpoint_every = 60;
    d.settings.checkpoint = "kept";
    d.settings.checkpoint_is_folder = 1;
    begin_iterating();
    d.refused = 1;
    press(SDLK_PAGEDOWN);
    WAIT_FOR(is_open_at(1));
    assert_int_equal(d.opened, 2);
    press(SDLK_PAGEUP);
    WAIT_FOR(is_open_at(0) && now().run.iterations > 0);
    assert_int_equal(d.opened, 3); /* anew */
    signal_arrives();
    end_with(REC_STOPPED);
    rec_signal_received = 0;
    assert_int_equal(access("kept/0.checkpoint", F_OK), 0);
    assert_int_equal(access("kept/1.checkpoint", F_OK), -1);
}

WINDOW_TEST(the_numbers_are_those_of_the_picture)
{
    const size_t column = 150, row = 125;
    prepare(2);
    owned_image reference = problem_noise(300, 250, 1, 50, 9);
    begin_with_original(&reference);
    pause_run();
    move_mouse(300, 250); /* the picture is magnified twice */
    WAIT_FOR(now().probed.known && now().probed.column == column && now().probed.row == row);
    const rec_view_state seen = now();
    press(SDLK_END); /* a jump has other numbers */
    press(SDLK_PAGEDOWN);
    WAIT_FOR(is_open_at(1));
    assert_int_equal(d.at_end, seen.run.iterations);
    assert_true(fabs(seen.numbers.psnr - difference_of(&d.result, &reference).psnr) < 1e-6);
    assert_true(seen.probed.values.picture[0] == rec_image_row(&d.result, 0, row)[column]);
    assert_true(seen.probed.values.edges[0] == rec_image_row(&d.edges[0], 0, row)[column]);
    assert_true(seen.probed.values.reference[0] == rec_image_row(&reference, 0, row)[column]);
    WAIT_FOR(now().run.iterations > 0 && now().message_is_bad); /* the other one has none */
    assert_true(isnan(now().numbers.psnr));
    press(SDLK_PAGEUP);
    WAIT_FOR(is_open_at(0) && now().probed.known);
    assert_string_equal(now().message, ""); /* it was about the other one */
    assert_true(now().numbers.psnr == seen.numbers.psnr);
}

/* The plot has the distances that are ahead, and the difference is that from the exact picture. */
WINDOW_TEST(without_an_original_the_limit_is_compared_with)
{
    solver_or_skip("spectral");
    prepare(1);
    begin_iterating();
    press(SDLK_p);
    WAIT_FOR(now().numbers.history.ahead.count > 2);
    pause_run();
    move_mouse(300, 250);
    press(SDLK_5);
    WAIT_FOR(now().of_limit && !now().missing && now().numbers.psnr < 100 && now().probed.known);
    const rec_view_state seen = now();
    const rec_history *history = &seen.numbers.history;
    assert_true(history->distance.point[0].value <= 1.001 * history->ahead.point[1].value);
    press(SDLK_END);
    WAIT_FOR(now().phase == REC_PHASE_JUMPED && isinf(now().numbers.psnr) &&
             now().probed.values.picture[0] == seen.probed.values.reference[0]);
}

/* A pixel of the original is another one: by two levels in one of its three planes. */
WINDOW_TEST(an_end_counts_the_pixels_that_equal_the_original)
{
    solver_or_skip("spectral");
    prepare(1);
    owned_image picture = problem_picture(250, 300, 3, 5);
    owned_image edges = problem_edges(&picture, REC_BOUNDARY_HALO);
    write_image("0.pgm", &edges);
    rec_image_row(&picture, 1, 7)[9] += 2;
    begin_with_original(&picture);
    assert_true(isnan(now().numbers.equal));
    press(SDLK_END);
    WAIT_FOR(now().numbers.equal == 250 * 300 - 1);
    press(SDLK_COMMA);
    WAIT_FOR(now().phase == REC_PHASE_JUMPED && isnan(now().numbers.equal));
}

/* ---- what goes wrong ---- */

WINDOW_TEST(leaving_while_it_loads)
{
    prepare(1);
    d.held = 1;
    begin();
    WAIT_FOR(now().phase == REC_PHASE_LOADING);
    const unsigned before = times_drawn();
    tell_window(SDL_WINDOWEVENT_EXPOSED);
    WAIT_FOR(times_drawn() > before); /* it answers meanwhile, */
    const float edge = rec_image_row(&d.edges[0], 0, 125)[150];
    const Uint32 grey = (Uint32)(128.5F + edge); /* and shows the edges, magnified twice */
    WAIT_FOR(pixel_at(300, 250) == (0xff000000 | grey * 0x10101));
    press(SDLK_q);
    nap(50);
    d.held = 0;
    end_with(REC_OK);
    assert_true(d.finished == 1 && d.at_end == 0);
}

WINDOW_TEST(a_reference_of_another_size_is_a_message)
{
    prepare(1);
    owned_image small = problem_noise(3, 3, 1, 50, 9);
    begin_with_original(&small);
    assert_true(now().messages && now().message_is_bad && isnan(now().numbers.psnr));
    assert_non_null(strstr(now().message, "no reference: original.pfm: is 3 x 3 of"));
    press(SDLK_5);
    WAIT_FOR(now().missing == 1u << REC_LAYER_DIFFERENCE);
    const unsigned before = times_drawn();
    WAIT_FOR(times_drawn() > before + 3); /* a notice takes the picture's place */
    press(SDLK_1);
    WAIT_FOR(!now().missing);
}

WINDOW_TEST(a_lost_device_is_shown_and_other_inputs_stay_in_reach)
{
    begin_with_a_device();
    lost = 1;
    WAIT_FOR(now().phase == REC_PHASE_FAILED);
    assert_string_equal(now().failure, "the device was lost");
    PRESS_EACH(SDLK_SPACE, SDLK_n, SDLK_i, SDLK_PLUS, SDLK_s, SDLK_3, SDLK_z, SDLK_LEFT, SDLK_END,
               SDLK_p, SDLK_h, SDLK_h);
    press(SDLK_PAGEDOWN);
    WAIT_FOR(is_open_at(1) && now().run.iterations > 100);
    press(SDLK_PAGEUP);
    WAIT_FOR(now().phase == REC_PHASE_FAILED && now().index == 0);
    lost = 0;
    press(SDLK_r);
    WAIT_FOR(is_open_at(0) && now().run.iterations > 100);
    end_with(REC_UNAVAILABLE);
    assert_string_equal(d.error.message, "the device was lost");
    assert_int_equal(d.finished, 2);
}

WINDOW_TEST(a_device_that_is_lost_while_it_is_paused)
{
    begin_with_a_device();
    pause_run();
    lost = 1;
    press(SDLK_z); /* wants another picture */
    WAIT_FOR(now().phase == REC_PHASE_FAILED);
    end_with(REC_UNAVAILABLE);
    assert_int_equal(d.finished, 0);
}

static atomic_int full; /* there is no room for a mark */

LISTEN(rec_status, rec_solver_mark, (rec_solver *solver, rec_error *error))
{
    return full ? rec_fail(error, REC_LIMIT, "no room for it")
                : __real_rec_solver_mark(solver, error);
}

/* The run goes on, and says why there is nothing to see; the other scenes are as they were. */
WINDOW_TEST(no_room_for_the_change_is_a_message)
{
    prepare(2);
    full = 1;
    begin();
    WAIT_FOR(is_open_at(0) && now().run.iterations > 100);
    press(SDLK_4);
    WAIT_FOR(now().messages && now().message_is_bad);
    assert_non_null(strstr(now().message, "no room for it"));
    WAIT_FOR(now().missing == 1u << REC_LAYER_CHANGE);
    const uint64_t before = now().run.iterations;
    WAIT_FOR(now().run.iterations > before + 100);
    press(SDLK_1);
    WAIT_FOR(!now().missing && now().phase == REC_PHASE_ITERATING);
    end_with(REC_OK);
    full = 0;
}
#endif
