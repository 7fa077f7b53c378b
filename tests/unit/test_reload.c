/* A picture that is edited, and whose file changes meanwhile or is opened again: the worker lives,
 * what was painted is still there or was saved, and what is painted next is filled. */
#include "tests/unit/studio.h"

enum { SMALL_WIDTH = 120, SMALL_HEIGHT = 110 };

static char photo[] = "photo.ppm";

/* ---- how its file changes, and how that is noticed ---- */

typedef enum change { SAME_BYTES, GONE, TRUNCATED, OTHER_SIZE, CHANGES } change;

static void change_file(change what, const rec_image *small)
{
    /* It may be younger by less than the clock of the files tells. */
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000}};
    const uint64_t before = rec_job_stamp(s.jobs.at[0]);
    if (what == GONE)
        assert_int_equal(unlink(photo), 0);
    else if (what == TRUNCATED)
        assert_int_equal(truncate(photo, WIDTH * HEIGHT), 0);
    else
        SUCCEEDS(rec_image_write(photo, what == SAME_BYTES ? &studio.picture : small, TO(255),
                                 &error));
    if (what != GONE)
        assert_int_equal(utimensat(AT_FDCWD, photo, times, 0), 0);
    assert_true(rec_job_stamp(s.jobs.at[0]) != before);
}

/* The worker looks at the file now, not in half a second. */
static rec_outcome look_at_file(rec_worker *worker, const rec_request *request)
{
    worker->file_time = -1;
    return rec_nothing;
}

/* As on a file system that tells nothing. */
static rec_outcome hear_nothing(rec_worker *worker, const rec_request *request)
{
    rec_worker_watch(worker, NULL);
    return rec_nothing;
}

static rec_outcome wait_until_it_is_read(rec_worker *worker, const rec_request *request)
{
    for (; worker->reading.fresh; usleep(1000))
        rec_worker_look_after_file(worker);
    return rec_nothing;
}

/* Until it is open again and at rest, or cannot be opened. */
static void finish(rec_request request)
{
    wait_for_either(REC_PHASE_STOPPED, REC_PHASE_FAILED, rec_worker_post(s.worker, request));
}

/* By dropping it, or by its name: the path is added; and by itself, once it keeps still from one
 * look to the next. The last look comes after all that these do. */
static void notice(int is_opened_again)
{
    if (is_opened_again)
        finish((rec_request){.act = rec_worker_add, .argument = 1, .path = photo});
    post(look_at_file, 0);
    post(look_at_file, 0);
    finish((rec_request){.act = wait_until_it_is_read});
}

/* ---- what is painted ---- */

/* A stroke is so small that no texture is sought for it, which takes long under a sanitizer. */
static void paint(double x, double y)
{
    if (s.settings.edit.kind == REC_EDIT_CLONE)
        stroke(rec_worker_move_source, x, y, x + 15, y - 5, 0);
    else
        ask((rec_request){.act = rec_worker_paint, .stroke = {x, y, x, y, 4, 1}});
    press(rec_worker_lift, 0);
}

/* What is saved is the picture around the mask, and something else in it. */
static void assert_filled(const rec_image *picture)
{
    char name[64];
    size_t inside = 0, filled = 0;
    press(rec_worker_save, 0);
    assert_int_equal(sscanf(s.now.message, "saved %63s", name), 1);
    owned_image saved = read_image(name, REC_PICTURE);
    const rec_mask *mask = rec_edit_mask(s.worker->session->job->edit); /* the worker rests */
    assert_true(saved.width == picture->width && mask->width == picture->width);
    EACH_SAMPLE(size_t, p, y, x, 3, picture->height, picture->width) {
        const int differs = rec_image_row(&saved, p, y)[x] != rec_image_row(picture, p, y)[x];
        const int unknown = mask->unknown[y * mask->width + x];
        assert_true(unknown || !differs);
        inside += (size_t)unknown;
        filled += (size_t)differs;
    }
    assert_int_equal(inside, 3 * s.now.unknown);
    assert_true(filled > inside / 3); /* a good source has many samples again */
}

static void assert_kept(const rec_view_state *before)
{
    const int was_saved = !access("photo-recovered.png", F_OK) ||
                          !access("photo-recovered.ppm", F_OK);
    const int is_there = s.now.phase == REC_PHASE_STOPPED && s.now.unsaved &&
                         s.now.unknown == before->unknown && s.now.edit.x == before->edit.x &&
                         s.now.edit.y == before->edit.y;
    assert_true(was_saved || is_there);
}

/* ---- each edit, each change ---- */

static void meet(change what, int paints, int is_opened_again, rec_edit_wish wish)
{
    owned_image small = problem_picture(SMALL_WIDTH, SMALL_HEIGHT, 3, 5);
    owned_image mask = new_image(WIDTH, HEIGHT, 1);
    EACH_PIXEL(size_t, y, x, 12, 12)
        rec_image_row(&mask, 0, 60 + y)[100 + x] = 255;
    SUCCEEDS(rec_image_write("mask.pgm", &mask, TO(255), &error));
    begin(wish);
    if (paints)
        paint(20, 30);
    if (wish.kind == REC_EDIT_HEAL) /* where the next stroke takes from */
        stroke(rec_worker_move_source, 80, 70, 80, 70, 0);
    const rec_view_state before = s.now;
    assert_int_equal(before.unsaved, paints);
    press(hear_nothing, 0);
    change_file(what, &small);
    notice(is_opened_again);
    if (paints)
        assert_kept(&before);
    if (what == OTHER_SIZE && !paints && !wish.mask) /* there was no reason to keep the old one */
        assert_int_equal(s.now.size.width, SMALL_WIDTH);
    if (s.now.phase != REC_PHASE_STOPPED)
        return;
    const unsigned strokes = s.now.edit.strokes;
    paint(60, 30);
    assert_true(s.now.edit.strokes > strokes);
    assert_filled(s.now.size.width == SMALL_WIDTH ? &small : &studio.picture);
}

static void meet_each(void **state, rec_edit_wish wish, const char *mask, double keep)
{
    wish.mask = mask;
    wish.keep = keep;
    for (int i = 0; i < 4 * CHANGES; i += tests_are("small") ? 3 : 1) {
        if (i) { /* the next one has another folder and worker */
            end_of_test(state);
            assert_int_equal(enter_folder(state), 0);
        }
        meet((change)(i / 4), i & 1, i >> 1 & 1, wish);
    }
}

#define RELOAD_TEST(function, ...) WORKER_TEST(function) { meet_each(state, __VA_ARGS__); }

RELOAD_TEST(a_healing_outlives_its_file, healing, NULL, 0)
RELOAD_TEST(so_does_one_of_a_mask, healing, "mask.pgm", 0)
RELOAD_TEST(so_does_one_that_keeps_colours, healing, "mask.pgm", 8)
RELOAD_TEST(so_does_a_clone, cloning, NULL, 0)
RELOAD_TEST(so_does_a_clone_that_keeps_its_colours, cloning, NULL, 8)

/* ---- at once ---- */

static int may_be_watched(void)
{
    rec_watch *watch = rec_watch_open(NULL, 0);
    rec_watch_close(watch);
    return watch != NULL;
}

/* With a header alone, or as much as it wants. */
static void save_by_closing(unsigned width, unsigned height, size_t pixels)
{
    char bytes[64 + 3 * SMALL_WIDTH * SMALL_HEIGHT] = "";
    const int length = sprintf(bytes, "P6 %u %u 255\n", width, height);
    write_bytes(photo, bytes, (size_t)length + 3 * pixels);
}

/* Half of them: the machine may be busy. */
WORKER_TEST(what_is_saved_is_read_at_once)
{
    begin(healing);
    if (!may_be_watched())
        skip();
    for (unsigned is_closed = 0; is_closed < 2; is_closed++) {
        unsigned quick = 0;
        for (unsigned i = 1; i <= 20 && quick < 10; i++) {
            owned_image small = problem_picture(SMALL_WIDTH - i, SMALL_HEIGHT, 3, 5);
            const double before = rec_now();
            if (is_closed)
                save_by_closing(SMALL_HEIGHT - i, 20, (SMALL_HEIGHT - i) * 20);
            else /* it is renamed into place */
                SUCCEEDS(rec_image_write(photo, &small, TO(255), &error));
            WAIT_FOR((look(), s.now.size.width == (is_closed ? SMALL_HEIGHT : SMALL_WIDTH) - i &&
                                  s.now.phase == REC_PHASE_STOPPED));
            quick += rec_now() - before < 0.4;
        }
        assert_int_equal(quick, 10);
        assert_string_equal(s.now.message, "the file changed and was reloaded");
    }
}

/* The save may have another part to come, but not for ever. */
WORKER_TEST(what_cannot_be_read_is_told_half_a_second_later)
{
    begin(healing);
    if (!may_be_watched())
        skip();
    const double before = rec_now();
    save_by_closing(50, 40, 0);
    WAIT_FOR((look(), s.now.message_is_bad));
    assert_true(rec_now() - before > 0.5);
    assert_non_null(strstr(s.now.message, "the file changed, but cannot be read: photo.ppm"));
    assert_int_equal(s.now.size.width, WIDTH);
}

static int is_read;
static rec_outcome note_reading(rec_worker *worker, const rec_request *request)
{
    is_read |= worker->reading.fresh != NULL;
    return rec_nothing;
}

WORKER_TEST(what_is_closed_unchanged_is_not_read)
{
    begin(healing);
    const unsigned messages = s.now.messages;
    fclose(fopen(photo, "a"));
    look();
    press(note_reading, 0); /* afterwards it is looked at */
    press(note_reading, 0);
    assert_false(is_read);
    assert_int_equal(s.now.messages, messages);
}
