/* What is painted, without SDL: the worker with a mask that changes. What the window gets is what
 * is saved; around the mask it is the picture, in it the exact solution of the mask that came to
 * be. */
#include <stdatomic.h>

#include "tests/unit/studio.h"

/* By Jacobi's iteration, so often at least. */
static void iterate(uint64_t least)
{
    post(rec_worker_toggle_jacobi, 0);
    WAIT_FOR((look(), !s.now.exact && s.now.run.iterations >= least));
}

static const char *ending_of(size_t planes)
{
    const rec_format *png = rec_format_find("png");
    return png && png->write ? "png" : planes == 1 ? "pgm" : "ppm";
}

/* Of the saved mask, which --mask takes: that of a clone has the size of its source. */
static float white_at(const rec_image *mask, size_t x, size_t y)
{
    const rec_guidance *guidance = rec_edit_guidance(s.worker->session->job->edit);
    if (s.settings.edit.kind == REC_EDIT_CLONE) {
        x -= (size_t)guidance->x;
        y -= (size_t)guidance->y;
    }
    return x < mask->width && y < mask->height ? rec_image_row(mask, 0, y)[x] : 0;
}

/* Saves. What is shown is the saved picture; outside the saved mask it is the picture, and inside
 * what a solver makes of the mask and the edges. Returns the number of unknown pixels. */
static size_t assert_right(void)
{
    char name[32], mask_name[32];
    snprintf(mask_name, sizeof mask_name, "photo-mask.%s", ending_of(1));
    snprintf(name, sizeof name, "photo-%s.ppm",
             s.settings.edit.kind == REC_EDIT_CLONE ? "cloned" : "healed");
    const rec_session *session = s.worker->session;
    press(rec_worker_save, 0);
    owned_image saved = read_image(name, REC_PICTURE), mask = read_image(mask_name, REC_PICTURE);
    const rec_job *job = session->job; /* the worker rests */
    rec_problem problem = job->problem;
    const rec_guidance *guidance = rec_edit_guidance(job->edit);
    owned_image edges = new_image(WIDTH, HEIGHT, 3);
    rec_guidance_make(guidance, (rec_area){0, 0, WIDTH, HEIGHT}, &edges, NULL);
    problem.input = &edges;
    owned_solver *solver = solver_for(s.settings.run.solver, &problem,
                                      &(rec_solver_options){.tolerance = 1e-4});
    owned_image exact = solver_image_at(solver, REC_LIMIT_ITERATION);
    size_t count = 0;
    EACH_SAMPLE(size_t, p, y, x, 3, HEIGHT, WIDTH)
    {
        const float found = rec_image_row(&saved, p, y)[x];
        const float white = white_at(&mask, x, y);
        const float inside = fminf(fmaxf(rec_image_row(&exact, p, y)[x], 0), 255);
        /* What is shown is within the tolerance of it: rounding may tell them apart. */
        const int between = fabsf(inside - floorf(inside) - 0.5f) < 0.03f && white > 0;
        assert_true(abs(studio.shown[(p * HEIGHT + y) * WIDTH + x] - (int)found) <= between);
        assert_true(white == (rec_edit_mask(job->edit)->unknown[y * WIDTH + x] ? 255 : 0));
        assert_true(white > 0 ? fabsf(found - inside) < 0.52f
                              : found == rec_image_row(&studio.picture, p, y)[x]);
        count += white > 0 && !p;
    }
    assert_int_equal(count, s.now.unknown);
    char told[80];
    snprintf(told, sizeof told, "saved %s and %s", name, mask_name);
    assert_string_equal(s.now.message, told);
    unlink(name);
    unlink(mask_name);
    if (!access("photo-sources.txt", F_OK)) { /* of smooth strokes there are none */
        owned_text *sources = read_bytes("photo-sources.txt", NULL);
        assert_null(strstr(sources, "from 0,0"));
    }
    unlink("photo-sources.txt");
    return count;
}

WORKER_TEST(what_is_painted_is_filled_shown_and_saved)
{
    begin(healing);
    assert_string_equal(s.now.rule, "auto");
    assert_int_equal(assert_right(), 0);
    for (int x = 50; x < 120; x++) /* faster than they are shown */
        rec_worker_post(s.worker,
                        (rec_request){.act = rec_worker_paint, .stroke = {x, 40, x + 1, 40, 7, 1}});
    stroke(rec_worker_paint, 120, 60, 90, 100, 1);
    const size_t first = assert_right();
    assert_true(first > 1000);
    press(rec_worker_lift, 0);
    assert_string_not_equal(s.now.rule, "auto");
    stroke(rec_worker_paint, 70, 20, 90, 80, 0);
    const size_t less = assert_right();
    assert_true(less < first);
    stroke(rec_worker_paint, -5, 130, 40, 150, 1); /* the same step, at the border */
    assert_true(assert_right() > less);
    press(rec_worker_undo, 0);
    assert_int_equal(assert_right(), first);
    press(rec_worker_clear, 0);
    assert_int_equal(assert_right(), 0);
    press(rec_worker_undo, 0);
    assert_int_equal(assert_right(), first);
}

/* For which no place is sought: all of it is smooth. */
WORKER_TEST(a_mask_of_most_of_a_picture_is_painted_on)
{
    owned_image mask = new_image(WIDTH, HEIGHT, 1);
    EACH_PIXEL(size_t, y, x, HEIGHT - 20, WIDTH - 20)
        rec_image_row(&mask, 0, 10 + y)[10 + x] = 255;
    SUCCEEDS(rec_image_write("mask.pgm", &mask, TO(255), &error));
    begin((rec_edit_wish){.kind = REC_EDIT_HEAL, .mask = "mask.pgm"});
    const size_t all = s.now.unknown;
    stroke(rec_worker_paint, 50, 40, 70, 60, 0);
    press(rec_worker_lift, 0);
    assert_true(s.now.unknown < all && s.now.unsaved);
    press(rec_worker_undo, 0);
    assert_int_equal(s.now.unknown, all);
    press(rec_worker_clear, 0);
    press(rec_worker_undo, 0);
    assert_int_equal(s.now.unknown, all);
}

WORKER_TEST(a_healing_takes_from_where_is_pointed)
{
    begin(healing);
    press(rec_worker_change_rule, 1);
    assert_true(s.now.message_is_bad); /* there is no source yet */
    stroke(rec_worker_move_source, 20, 20, 25, 28, 0);
    assert_true(s.now.edit.aims && s.now.edit.x == 25 && s.now.edit.y == 28);
    stroke(rec_worker_paint, 100, 60, 120, 60, 1);
    assert_true(!s.now.edit.aims && s.now.edit.x == -75 && s.now.edit.y == -32);
    /* It went with the stroke. */
    assert_true(s.now.edit.mark_x == 120 - 75 && s.now.edit.mark_y == 60 - 32);
    for (int rule = 0; rule < REC_GRADIENTS; rule++) {
        assert_right();
        press(rec_worker_change_rule, 1);
    }
    press(rec_worker_lift, 0);
    stroke(rec_worker_paint, 30, 120, 60, 120, 1); /* another one, for which one is sought */
    press(rec_worker_lift, 0);
    const rec_sources *sources = rec_edit_sources(s.worker->session->job->edit);
    assert_true(sources->count >= 2 && sources->at[1].smooth != REC_SOUGHT);
    assert_true(sources->label[120 * WIDTH + 30] >= 2 && sources->label[60 * WIDTH + 100] == 1);
    stroke(rec_worker_move_source, 110, 60, 50, 50, 0); /* dragged from a stroke: that of it */
    stroke(rec_worker_move_source, 50, 50, 40, 40, 0);
    press(rec_worker_lift, 0);
    assert_true(s.now.edit.x == 40 - 110 && s.now.edit.y == 40 - 60 && !s.now.edit.aims);
    assert_true(sources->at[0].x == 40 - 110 && s.now.edit.mark_x == 40 && s.now.edit.mark_y == 40);
    assert_right();
    press(rec_worker_undo, 0);
    assert_true(s.now.edit.x == -75 && s.now.edit.y == -32);
    assert_right();
    press(rec_worker_undo, 1);
    stroke(rec_worker_move_source, 110, 60, 40, 40, 0); /* a drag, which ends */
    press(rec_worker_lift, 0);
    stroke(rec_worker_move_source, 20, 20, 20, 20, 0); /* beside all strokes: for the next one */
    assert_true(s.now.edit.aims && sources->at[0].x == 40 - 110 && s.now.edit.mark_x == 20);
    press(rec_worker_lift, 0);
    assert_right();
}

/* The photograph has texture: the source of a stroke is found when it ends, and may be undone. */
WORKER_TEST(a_stroke_finds_its_source)
{
    begin(healing);
    stroke(rec_worker_paint, 20, 30, 40, 40, 1);
    const rec_sources *sources = rec_edit_sources(s.worker->session->job->edit);
    assert_true(sources->count == 1 && sources->at[0].smooth == REC_SOUGHT);
    const size_t count = assert_right();
    press(rec_worker_lift, 0);
    const uint16_t *end = &sources->label[40 * WIDTH + 40]; /* one of several, of each pixel */
    assert_true(sources->count > 1 && !sources->at[*end - 1].smooth);
    assert_true(s.now.edit.x == sources->at[*end - 1].x);
    assert_int_equal(assert_right(), count);
    press(rec_worker_clear, 0);
    assert_true(!s.now.edit.x && !s.now.edit.y); /* no cross without a stroke */
    assert_int_equal(assert_right(), 0);
    press(rec_worker_undo, 0);
    assert_true(s.now.edit.mark_x == 40 + sources->at[*end - 1].x &&
                s.now.edit.mark_y == 40 + sources->at[*end - 1].y);
    const size_t sought = sources->count;
    assert_int_equal(assert_right(), count);
    ask((rec_request){.act = rec_worker_paint, .stroke = {150, 20, 150, 20, 3, 1}});
    press(rec_worker_lift, 0);
    assert_true(sources->at[sought].smooth == 1); /* too small for texture */
    assert_int_equal(assert_right(), count + 29);
}

static atomic_int held, fails, searches; /* the search for several places waits, or fails */

LISTEN(rec_status, rec_labels_find, (rec_label_search * labels, rec_error *error))
{
    searches++;
    while (held)
        usleep(1000);
    return fails ? REC_LIMIT : __real_rec_labels_find(labels, error);
}

LISTEN(void, rec_labels_stop, (rec_label_search * labels))
{
    held = 0;
    __real_rec_labels_stop(labels);
}

/* What changes meanwhile where they are sought has them sought again. */
WORKER_TEST(painting_goes_on_while_places_are_sought)
{
    const rec_request strokes[] = {{.act = rec_worker_paint, .stroke = {20, 30, 40, 40, 7, 1}},
                                   {.act = rec_worker_lift},
                                   {.act = rec_worker_paint, .stroke = {30, 44, 50, 44, 5, 1}},
                                   {.act = rec_worker_lift}};
    uint64_t last = 0;
    begin(healing);
    held = 1;
    searches = 0;
    for (size_t i = 0; i < 4; i++) {
        last = rec_worker_post(s.worker, strokes[i]);
        WAIT_FOR((look(), s.now.answered >= last && (i != 1 || searches)));
    }
    WAIT_FOR((look(), s.now.phase == REC_PHASE_STOPPED)); /* the second stroke stopped it */
    const rec_sources *sources = rec_edit_sources(s.worker->session->job->edit);
    size_t placed = 0;
    for (size_t i = 0; i < sources->count; i++)
        placed += !sources->at[i].smooth && sources->at[i].count > 0;
    assert_true(placed > 2 && !sources->at[0].several && !sources->at[1].several);
    assert_right();
}

WORKER_TEST(leaving_waits_for_no_places)
{
    begin(healing);
    held = 1;
    searches = 0;
    stroke(rec_worker_paint, 20, 30, 40, 40, 1);
    rec_worker_post(s.worker, (rec_request){.act = rec_worker_lift});
    WAIT_FOR(searches > 0);
}

WORKER_TEST(places_without_memory_are_sought_once)
{
    begin(healing);
    fails = 1;
    searches = 0;
    stroke(rec_worker_paint, 20, 30, 40, 40, 1);
    press(rec_worker_lift, 0);
    WAIT_FOR((look(), s.now.phase == REC_PHASE_STOPPED));
    assert_string_equal(s.now.message, "no memory for the places of a stroke");
    fails = 0;
    stroke(rec_worker_paint, 120, 100, 130, 110, 1);
    press(rec_worker_lift, 0);
    WAIT_FOR((look(), s.now.phase == REC_PHASE_STOPPED));
    assert_int_equal(searches, 2);
    const rec_sources *sources = rec_edit_sources(s.worker->session->job->edit);
    assert_true(!sources->at[0].smooth && sources->label[40 * WIDTH + 40] == 1);
    assert_right();
}

/* A file of sources says which of them belong together: a drag makes them one again. */
WORKER_TEST(a_saved_stroke_is_still_one)
{
    begin(healing);
    ask((rec_request){.act = rec_worker_paint, .stroke = {150, 9, 150, 9, 1, 1}}); /* smooth */
    press(rec_worker_lift, 0);
    ask((rec_request){.act = rec_worker_paint, .stroke = {186, 100, 4, 30, 2, 1}});
    press(rec_worker_lift, 0);
    press(rec_worker_save, 0);
    press(rec_worker_save, 1); /* takes one name alone */
    assert_non_null(strstr(s.now.message, "saved photo-healed-view."));
    char mask_name[32];
    snprintf(mask_name, sizeof mask_name, "photo-mask.%s", ending_of(1));
    owned_image mask = read_image(mask_name, REC_PICTURE);
    owned_image picture = copy_of(&studio.picture);
    rec_owned_lines lines = {.name = "photo-sources.txt"};
    lines.stream = fopen(lines.name, "r");
    const rec_extras none = {.alpha = {0}};
    const rec_edit_wish wish = {.kind = REC_EDIT_HEAL, .from = REC_FROM_FILE};
    const rec_edit_inputs inputs = {
        .picture = {"photo.ppm", &picture, .extras = &none, .white = 255},
        .mask = {mask_name, &mask, .extras = &none, .white = 255}, .source.extras = &none,
        .sources = &lines, .boundary.kind = REC_BOUNDARY_MIRROR};
    rec_edit *edit;
    SUCCEEDS(rec_edit_create(&edit, &wish, &inputs, &error));
    const rec_sources *sources = rec_edit_sources(edit);
    SUCCEEDS(rec_edit_begin(edit, 0, &error));
    assert_true(sources->label[100 * WIDTH + 186] != sources->label[30 * WIDTH + 4]);
    rec_edit_move_source(edit, &(rec_stroke){186, 100, 160, 60, 7, 1});
    for (size_t i = 20 * WIDTH; i < WIDTH * HEIGHT; i++)
        assert_true(!sources->label[i] || sources->label[i] == sources->label[30 * WIDTH + 4]);
    rec_edit_destroy(edit);
}

/* Six places for the last stroke, in turn; each is undone, and what is shown is what is saved. */
WORKER_TEST(a_stroke_gets_another_place)
{
    begin(healing);
    press(rec_worker_next_source, 0);
    assert_true(s.now.edit.strokes == 0); /* there is no stroke */
    stroke(rec_worker_paint, 60, 70, 80, 70, 1);
    press(rec_worker_lift, 0);
    const rec_sources *sources = rec_edit_sources(s.worker->session->job->edit);
    const uint16_t *own = &sources->label[70 * WIDTH + 80];
    const uint16_t several = *own;
    ptrdiff_t x[8], y[8];
    for (size_t i = 0; i < 8; i++) {
        press(rec_worker_next_source, 0);
        x[i] = sources->at[*own - 1].x;
        y[i] = sources->at[*own - 1].y;
        for (size_t k = 0; i < 6 && k < i; k++)
            assert_true(x[i] != x[k] || y[i] != y[k]);
        assert_true(*own == sources->label[70 * WIDTH + 60] && s.now.edit.x == x[i]);
        assert_right();
    }
    assert_true(x[6] == x[0] && y[6] == y[0] && x[7] == x[1] && y[7] == y[1]);
    press(rec_worker_undo, 0);
    assert_true(sources->at[*own - 1].x == x[6] && sources->at[*own - 1].y == y[6]);
    for (size_t i = 0; i < 7; i++)
        press(rec_worker_undo, 0);
    assert_true(*own == several);
    assert_right();
}

/* A wire: each piece has its own source; it is undone as a whole, and a drag makes it one. */
WORKER_TEST(a_long_stroke_is_cut_into_pieces)
{
    begin(healing);
    ask((rec_request){.act = rec_worker_paint, .stroke = {186, 100, 4, 30, 2, 1}});
    press(rec_worker_lift, 0);
    const rec_edit *edit = s.worker->session->job->edit;
    const rec_sources *sources = rec_edit_sources(edit);
    const size_t count = assert_right(), wide = WIDTH;
    const uint16_t *first = &sources->label[30 * wide + 4];
    const uint16_t *last = &sources->label[100 * wide + 186];
    assert_true(sources->count >= 3);
    assert_true(*first != *last && *first && *last);
    for (size_t i = 0; i < sources->count; i++)
        assert_true(sources->at[i].smooth != REC_SOUGHT && sources->at[i].group == 1);
    assert_true(s.now.edit.x == sources->at[*first - 1].x); /* that of its end is told */
    press(rec_worker_undo, 0);
    assert_int_equal(assert_right(), 0);
    assert_true(!*first && !*last);
    press(rec_worker_undo, 1);
    assert_int_equal(assert_right(), count);
    assert_true(*first != *last && *first && *last);
    stroke(rec_worker_move_source, 186, 100, 160, 60, 0);
    press(rec_worker_lift, 0);
    assert_true(*first == *last && sources->at[*first - 1].x == -26);
    for (size_t i = 0; i < wide * HEIGHT; i++)
        assert_true(!sources->label[i] || sources->label[i] == *first);
    assert_int_equal(assert_right(), count);
    press(rec_worker_undo, 0);
    assert_true(*first != *last && *first && *last && s.now.edit.x == sources->at[*last - 1].x);
    assert_int_equal(assert_right(), count);
}

/* Of a stroke with that radius; what erases is as large as the brush, a lasso encloses the same. */
WORKER_TEST(a_stroke_is_larger_by_what_it_grows)
{
    rec_edit_wish grows = healing;
    grows.stroke_grow = 5;
    begin(grows);
    ask((rec_request){.act = rec_worker_paint, .stroke = {60, 60, 60, 60, 2, 1}});
    assert_int_equal(assert_right(), 149);
    ask((rec_request){.act = rec_worker_paint, .stroke = {60, 60, 60, 60, 2, 0}});
    assert_int_equal(assert_right(), 149 - 13);
    ask((rec_request){.act = rec_worker_paint, .stroke = {100, 60, 110, 60, -0.5, 1}});
    ask((rec_request){.act = rec_worker_paint, .stroke = {110, 60, 110, 70, -0.5, 1}});
    assert_int_equal(assert_right(), 149 - 13 + 55);
}

/* Of its three names one is taken: by a file, or by a link to none, which writing would follow. */
WORKER_TEST(a_save_has_names_that_nothing_has)
{
    const char *const names[] = {"healed", "mask", "sources"};
    const char *const endings[] = {"ppm", ending_of(1), "txt"};
    begin(healing);
    stroke(rec_worker_paint, 20, 30, 40, 40, 1);
    press(rec_worker_lift, 0);
    for (int i = 1; i <= 6; i++) {
        char path[64], number[8] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        snprintf(path, sizeof path, "photo-%s%s.%s", names[i % 3], number, endings[i % 3]);
        if (i <= 3)
            write_bytes(path, BYTES("kept"));
        else
            assert_int_equal(symlink("nowhere", path), 0);
    }
    press(rec_worker_save, 0);
    assert_non_null(strstr(s.now.message, "saved photo-healed-7."));
}

/* In and out over the border, where its mask is cut, and back. */
WORKER_TEST(a_clone_follows_the_pointer)
{
    begin(cloning);
    assert_int_equal(assert_right(), SIDE * SIDE);
    stroke(rec_worker_move_source, 10.4, 10.4, 79.6, 30.1, 0);
    assert_true(s.now.edit.x == -100 && s.now.edit.y == -70);
    assert_int_equal(assert_right(), SIDE * SIDE);
    stroke(rec_worker_move_source, 0, 0, 70, 60, 0);
    assert_int_equal(assert_right(), 20 * 10);
    stroke(rec_worker_move_source, 0, 0, 500, 0, 0);
    assert_int_equal(assert_right(), 0);
    stroke(rec_worker_move_source, 500, 0, -60, -90, 0);
    press(rec_worker_lift, 0);
    press(rec_worker_clear, 0);
    assert_int_equal(s.now.unknown, 0);
    press(rec_worker_undo, 0); /* in its new place */
    assert_int_equal(assert_right(), SIDE * SIDE);
    press(rec_worker_undo, 0); /* the whole drag */
    assert_int_equal(rec_edit_guidance(s.worker->session->job->edit)->x, 30);
    press(rec_worker_undo, 1);
    for (int rule = 0; rule < REC_GRADIENT_ZERO; rule++) {
        assert_int_equal(assert_right(), SIDE * SIDE);
        press(rec_worker_change_rule, 1);
        assert_true(s.now.message ==
                    strstr(s.now.message, rec_gradients[(rule + 1) % REC_GRADIENT_ZERO].name));
    }
}

/* With the rules that can; Jacobi's iteration cannot. */
WORKER_TEST(a_clone_keeps_its_colours)
{
    rec_edit_wish keeps = cloning;
    keeps.keep = 8;
    begin(keeps);
    assert_int_equal(assert_right(), SIDE * SIDE);
    stroke(rec_worker_move_source, 10.4, 10.4, 79.6, 30.1, 0);
    assert_int_equal(assert_right(), SIDE * SIDE);
    press(rec_worker_change_rule, 1);
    assert_non_null(strstr(s.now.message, "monochrome"));
    assert_int_equal(assert_right(), SIDE * SIDE);
    press(rec_worker_change_rule, 1);
    assert_non_null(strstr(s.now.message, "source"));
    press(rec_worker_toggle_jacobi, 0);
    assert_true(s.now.message_is_bad && strstr(s.now.message, "no iteration"));
    assert_int_equal(assert_right(), SIDE * SIDE);
}

WORKER_TEST(something_stays_known)
{
    begin(healing);
    stroke(rec_worker_paint, 50, 40, 120, 60, 1);
    press(rec_worker_lift, 0);
    const size_t count = assert_right();
    ask((rec_request){.act = rec_worker_paint, .stroke = {90, 70, 90, 70, 300, 1}});
    assert_true(s.now.message_is_bad && strstr(s.now.message, "must stay known"));
    assert_int_equal(assert_right(), count);
    press(rec_worker_restart, 0); /* nor is what is painted lost */
    assert_non_null(strstr(s.now.message, "Delete clears the mask"));
    assert_int_equal(assert_right(), count);
}

static void assert_before(void)
{
    studio.befores = 0;
    show(1);
    WAIT_FOR((look(), studio.befores));
    for (size_t i = 0; i < (size_t)3 * WIDTH * HEIGHT; i++)
        assert_int_equal(studio.before[i], (int)*sample_of(&studio.picture, i));
    assert_true(s.now.plain);
}

/* Beside the result there is the picture as it was, whoever fills the mask. */
WORKER_TEST(before_and_after_while_jacobi_fills_the_mask)
{
    begin(healing);
    stroke(rec_worker_paint, 50, 40, 120, 60, 1);
    studio.scene = REC_SCENE_SIDES;
    assert_before();
    iterate(11);
    assert_before();
    studio.scene = REC_SCENE_DIFFERENCE;
    studio.pictures = 0;
    show(1);
    WAIT_FOR((look(), studio.pictures));
    studio.scene = REC_SCENE_SIDES;
    pause_run();
    assert_before();
    rec_worker_post(s.worker, (rec_request){.act = rec_worker_save, .argument = 1});
    WAIT_FOR((look(), strstr(s.now.message, "saved ")));
    owned_image view = read_image(s.now.message + strlen("saved "), REC_PICTURE);
    for (size_t y = 0; y < HEIGHT; y++)
        assert_memory_equal(rec_image_row(&view, 1, y) + WIDTH / 2,
                            rec_image_row(&studio.picture, 1, y) + WIDTH / 2,
                            (WIDTH - WIDTH / 2) * sizeof(float));
}

/* Slowly, beside its count; and the exact picture is there again. */
WORKER_TEST(jacobi_fills_the_same_mask)
{
    begin(healing);
    stroke(rec_worker_paint, 50, 40, 120, 60, 1);
    iterate(11);
    pause_run();
    const uint64_t after = s.now.run.iterations;
    usleep(50000);
    look();
    assert_true(s.now.run.iterations == after);
    post(rec_worker_play_pause, 0);
    WAIT_FOR((look(), s.now.run.iterations > after && s.now.run.look.change_max < 1e-3));
    press(rec_worker_toggle_jacobi, 0);
    assert_true(s.now.exact);
    assert_right();
    iterate(0);
    stroke(rec_worker_paint, 150, 40, 150, 60, 1); /* painting ends it */
    assert_true(s.now.exact);
    assert_right();
    iterate(0);
}

/* Also reduced: while it is painted only what changes is shown anew. */
WORKER_TEST(what_was_shown_in_parts_is_the_whole)
{
    begin(healing);
    show(2);
    WAIT_FOR((look(), studio.pictures > 1));
    stroke(rec_worker_paint, 50, 40, 121, 61, 1);
    press(rec_worker_lift, 0);
    stroke(rec_worker_paint, 11, 11, 31, 21, 1);
    stroke(rec_worker_paint, 70, 30, 70, 90, 0);
    const unsigned before = studio.pictures;
    press(rec_worker_undo, 0);
    WAIT_FOR((look(), studio.pictures > before));
    rec_owned uint8_t *together = malloc(sizeof studio.shown);
    memcpy(together, studio.shown, sizeof studio.shown);
    memset(studio.shown, 0, sizeof studio.shown);
    for (size_t reduced = 1; reduced <= 2; reduced++) {
        show(reduced);
        studio.pictures = 0;
        WAIT_FOR((look(), studio.pictures));
    }
    assert_memory_equal(together, studio.shown, 3 * studio.out_width * studio.out_height);
}
