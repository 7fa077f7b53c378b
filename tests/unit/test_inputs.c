/* What the run command offers the window: inputs that come and go, their names and stamps, the
 * reference. The window here is the test's own. */
#include <sys/syscall.h>
#include <time.h>

#include "commands/commands.h"
#include "job/job.h"
#include "tests/unit/problems.h"
#include "view/view.h"

/* ---- a window ---- */

static void (*scene)(rec_jobs *window);
static int shown;

int rec_view_has_display(void) { return 1; }

rec_status rec_view_show(rec_jobs *jobs, rec_error *error)
{
    shown++;
    scene(jobs);
    return REC_OK;
}

/* Runs the command, without "reconstruct", whose window is `body`. */
static void show(void (*body)(rec_jobs *), int count, const char *const *arguments)
{
    char *argv[16] = {(char *)"reconstruct"};
    command_line line;
    memcpy(argv + 1, arguments, (size_t)count * sizeof *argv); /* parsing moves the inputs */
    scene = body;
    const int before = shown;
    SUCCEEDS(command_line_parse(&line, COMMAND_RUN, count + 1, argv, &error));
    SUCCEEDS(command_run(&line, &error));
    assert_int_equal(shown, before + 1);
}

#define SHOW(body, ...)                                                                            \
    show(body, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),                      \
         (const char *[]){__VA_ARGS__})

static const char *name(rec_jobs *window, size_t index) { return window->at[index]->input; }

static size_t add(rec_jobs *window, const char *path)
{
    size_t index = 999;
    SUCCEEDS(rec_jobs_add(window, path, &index, &error));
    return index;
}

static void add_fails(rec_jobs *window, const char *path, rec_status status,
                      const char *part)
{
    size_t index;
    FAILS(rec_jobs_add(window, path, &index, &error), status, part);
}

static rec_job *open_job(rec_jobs *window, size_t index, int restart)
{
    SUCCEEDS(rec_job_open(window->at[index], restart, &error));
    return window->at[index];
}

/* ---- files ---- */

static void write_edges(const char *path, size_t width, size_t height)
{
    owned_image image = problem_noise(width, height, 1, 100, 3);
    const rec_write_options options = {.maxval = 255, .offset = 128};
    SUCCEEDS(rec_image_write(path, &image, &options, &error));
}

static int make_inputs(void **state)
{
    if (enter_folder(state))
        return -1;
    write_edges("a.pgm", 20, 10);
    write_edges("b.pgm", 30, 20);
    mkdir("other", 0777);
    mkdir("made", 0777);
    write_edges("other/b.pgm", 8, 9);
    write_bytes("junk.pgm", "P5 20 10 255\nshort", 18);
    return 0;
}

#define TEST_WITH_INPUTS(function) TEST_WITH(function, make_inputs, leave_folder)
/* A test whose body gets the window of a command. */
#define TEST_OF_WINDOW(function, ...)                                                              \
    static void window_of_##function(rec_jobs *window);                                            \
    TEST_WITH_INPUTS(function) { SHOW(window_of_##function, "-s", "cpu", __VA_ARGS__); }           \
    static void window_of_##function(rec_jobs *window)

/* ---- inputs ---- */

TEST_OF_WINDOW(dropped_files_become_inputs, "a.pgm")
{
    assert_int_equal(window->count, 1);
    const char *first = name(window, 0);
    assert_string_equal(first, "a.pgm");
    assert_int_equal(add(window, "b.pgm"), 1);
    /* Whatever it is called. */
    assert_int_equal(add(window, "b.pgm"), 1);
    assert_int_equal(add(window, "other/../b.pgm"), 1);
    assert_int_equal(add(window, "a.pgm"), 0);
    assert_int_equal(add(window, "other/b.pgm"), 2);
    rec_job *job = open_job(window, 0, 0);
    for (size_t i = 3; i < 100; i++) {
        char path[64];
        snprintf(path, sizeof path, "more-%zu.pgm", i);
        write_edges(path, 3, 3);
        assert_int_equal(add(window, path), i);
    }
    assert_ptr_equal(first, name(window, 0));
    assert_string_equal(name(window, 2), "other/b.pgm");
    rec_job_close(job);
    rec_job_close(open_job(window, 99, 0));
}

TEST_OF_WINDOW(what_is_no_image_changes_nothing, "a.pgm")
{
    add_fails(window, "missing.pgm", REC_NO_INPUT, "missing.pgm");
    add_fails(window, "junk.pgm", REC_BAD_INPUT, "junk.pgm");
    add_fails(window, "other", REC_NO_INPUT, "folder");
    assert_int_equal(add(window, "b.pgm"), 1);
    write_bytes("b.pgm", "nonsense", 8); /* what is one already stays one */
    assert_int_equal(add(window, "b.pgm"), 1);
}

static void begins_empty(rec_jobs *window)
{
    assert_int_equal(window->count, 0);
    add_fails(window, "junk.pgm", REC_BAD_INPUT, "junk.pgm");
    assert_int_equal(add(window, "a.pgm"), 0);
    rec_job_close(open_job(window, 0, 0));
}

TEST_WITH_INPUTS(a_window_may_begin_without_an_input)
{
    SHOW(begins_empty, "-s", "cpu");
    SHOW(begins_empty, "-s", "cpu", "-o", "new");
}

/* ---- outputs ---- */

static void leave(rec_jobs *window, size_t index)
{
    rec_job *job = open_job(window, index, 0);
    SUCCEEDS(rec_run_step(job->run, 5, 0, &error));
    SUCCEEDS(rec_job_save(job, &error));
    rec_job_close(job);
}

TEST_OF_WINDOW(outputs_in_a_folder_are_for_dropped_files_too, "-o", "made", "a.pgm")
{
    leave(window, 0); /* from now on it is known to be a .pgm */
    const size_t index = add(window, "b.pgm");
    leave(window, index);
    assert_int_equal(access("made/a.pgm", F_OK), 0);
    assert_int_equal(access("made/b.pgm", F_OK), 0);
    add_fails(window, "other/b.pgm", REC_USAGE, "same output name");
    mkdir("second", 0777);
    write_edges("second/a.pgm", 4, 4);
    add_fails(window, "second/a.pgm", REC_USAGE, "same output name");
    write_edges("made/c.pgm", 4, 4);
    add_fails(window, "made/c.pgm", REC_USAGE, "input and output");
}

/* The memory of its name serves for other texts. */
TEST_OF_WINDOW(the_name_of_a_refused_drop_is_forgotten, "-o", "made", "a.pgm")
{
    char *others[32];
    write_edges("made/c.pgm", 4, 4);
    add_fails(window, "made/c.pgm", REC_USAGE, "input and output");
    for (int i = 0; i < 32; i++) {
        others[i] = strdup("made/c.pgm");
        strcpy(others[i], "b");
    }
    assert_int_equal(add(window, "b.pgm"), 1);
    for (int i = 0; i < 32; i++)
        free(others[i]);
}

TEST_OF_WINDOW(an_output_file_is_the_first_inputs_alone, "-o", "out.pgm", "a.pgm")
{
    const size_t before = count_entries(".");
    leave(window, add(window, "b.pgm"));
    assert_int_equal(count_entries("."), before);
    leave(window, 0);
    assert_int_equal(access("out.pgm", F_OK), 0);
}

/* ---- stamps ---- */

TEST_OF_WINDOW(a_stamp_changes_with_the_file, "a.pgm")
{
    const char *path = "a.pgm";
    const uint64_t before = rec_job_stamp(window->at[0]);
    assert_true(before && before == rec_job_stamp(window->at[0]));
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 86400, .tv_nsec = 5}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    const uint64_t older = rec_job_stamp(window->at[0]);
    assert_true(older && older != before);
    write_edges(path, 7, 6);
    const uint64_t smaller = rec_job_stamp(window->at[0]);
    assert_true(smaller && smaller != older && smaller != before);
    rec_job *job = open_job(window, 0, 1);
    assert_true(job->report.width == 7 && job->report.height == 6);
    rec_job_close(job);
    assert_int_equal(unlink(path), 0);
    assert_true(rec_job_stamp(window->at[0]) == 0);
    mkdir(path, 0777);
    assert_true(rec_job_stamp(window->at[0]) == 0);
}

/* ---- locks ---- */

/* The clock of this program, which a test may put forward. */
static time_t ahead;
int clock_gettime(clockid_t clock, struct timespec *now)
{
    const long failed = syscall(SYS_clock_gettime, clock, now);
    now->tv_sec += ahead;
    return (int)failed;
}

/* Another host takes a checkpoint over whose lock is a minute old. */
TEST_OF_WINDOW(the_lock_of_a_living_run_never_grows_old, "--checkpoint", "c", "a.pgm")
{
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    const char *lock = "c.lock";
    struct stat about;
    rec_job *job = open_job(window, 0, 0);
    assert_int_equal(utimensat(AT_FDCWD, lock, old, 0), 0);
    ahead = 30;
    SUCCEEDS(rec_job_between_batches(job, &error));
    ahead = 0;
    assert_int_equal(stat(lock, &about), 0);
    assert_true(about.st_mtime > old->tv_sec);
    rec_job_close(job);
}

/* ---- references ---- */

static void refers(rec_jobs *window, size_t index, double wanted)
{
    owned_image reference;
    rec_job *job = open_job(window, index, 0);
    SUCCEEDS(rec_job_read_original(job, &reference, &error));
    assert_true(job->peak == wanted);
    rec_job_close(job);
}

static void refers_not(rec_jobs *window, size_t index, rec_status status,
                       const char *part)
{
    rec_image reference;
    rec_job *job = open_job(window, index, 0);
    FAILS(rec_job_read_original(job, &reference, &error), status, part);
    rec_job_close(job);
}

static void one_for_all(rec_jobs *window)
{
    refers(window, 0, 255);
    refers_not(window, add(window, "b.pgm"), REC_BAD_INPUT, "30 x 20");
    refers_not(window, 1, REC_BAD_INPUT, "20 x 10");
}

static void one_each(rec_jobs *window)
{
    refers(window, 0, 1000);
    refers_not(window, 1, REC_NO_INPUT, "b.pgm");
}

static void none(rec_jobs *window)
{
    assert_null(window->at[0]->original_path);
    uint64_t number;
    assert_true(rec_film_next(&window->at[0]->film, 0, &number) == UINT64_MAX);
}

TEST_WITH_INPUTS(references_have_the_size_of_their_input)
{
    SHOW(one_for_all, "-s", "cpu", "--reference", "a.pgm", "a.pgm");
    mkdir("pictures", 0777);
    owned_image picture = problem_picture(20, 10, 1, 1);
    SUCCEEDS(rec_image_write("pictures/a.pam", &picture, TO(1000), &error));
    SHOW(one_each, "-s", "cpu", "--reference", "pictures", "a.pgm", "b.pgm");
    SHOW(none, "-s", "cpu", "a.pgm");
}
