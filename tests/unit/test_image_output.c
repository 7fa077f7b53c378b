/* Outputs that are whole or absent: whatever goes wrong, the old file stays, and nothing else. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/outputs.h"

static void assert_is(const char *path, mode_t kind)
{
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    assert_int_equal(about.st_mode & S_IFMT, kind);
}

/* ---- what works ---- */

TEST_IN_FOLDER(a_new_file_appears_at_commit)
{
    const char *path = "new";
    rec_output *output;
    SUCCEEDS(rec_output_check(path, 1, &error));
    assert_int_equal(count_entries("."), 0);
    SUCCEEDS(rec_output_open(&output, path, 0, &error));
    fputs("hello", rec_output_stream(output));
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(count_entries("."), named); /* in the same folder */
    SUCCEEDS(rec_output_commit(output, REC_OK, NULL, &error));
    check_text(path, "hello");
    assert_int_equal(count_entries("."), 1);
}

TEST_IN_FOLDER(an_abandoned_output_leaves_nothing)
{
    rec_output *output;
    const char *path = "old";
    write_bytes(path, "old", 3);
    SUCCEEDS(rec_output_open(&output, path, 0, &error));
    fputs("new", rec_output_stream(output));
    rec_output_abandon(output);
    check_text(path, "old");
    assert_int_equal(count_entries("."), 1);
    rec_output_abandon(NULL);
}

TEST_IN_FOLDER(symlinks_are_followed)
{
    const char *target = "folder/target", *link = "link", *second = "folder/second";
    char absolute[64];
    snprintf(absolute, sizeof absolute, "%s/%s", (const char *)*state, target);
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(symlink("folder/second", link), 0);
    assert_int_equal(symlink("target", second), 0);
    /* dangling, then not, then absolute */
    for (int i = 0; i < 3; i++) {
        if (i == 2) {
            assert_int_equal(unlink(second), 0);
            assert_int_equal(symlink(absolute, second), 0);
        }
        const char *text = i == 0 ? "zero" : i == 1 ? "one" : "two";
        SUCCEEDS(rec_output_check(link, 1, &error));
        SUCCEEDS(put(link, text, &error));
        check_text(target, text);
        assert_is(link, S_IFLNK);
        assert_is(second, S_IFLNK);
        assert_is(target, S_IFREG);
        assert_int_equal(count_entries("folder"), 2);
        assert_int_equal(count_entries("."), 2);
    }
    assert_int_equal(symlink("loop", "loop"), 0);
    FAILS(put("loop", "x", &error), REC_NO_OUTPUT, "loop: cannot be created: Too many");
}

TEST_IN_FOLDER(long_names_are_written)
{
    char name[257] = "";
    memset(name, 'x', 255);
    SUCCEEDS(rec_output_check(name, 1, &error));
    SUCCEEDS(put(name, "x", &error));
    check_text(name, "x");
    assert_int_equal(count_entries("."), 1);
    name[255] = 'x';
    FAILS(rec_output_check(name, 1, &error), REC_NO_OUTPUT, "File name too long");
    FAILS(put(name, "x", &error), REC_NO_OUTPUT, "File name too long");
}

/* A temporary file's path: of a host, or NULL for this one. */
static const char *temporary(const char *host, const char *rest)
{
    static char name[160];
    char here[65] = "";
    gethostname(here, 64);
    snprintf(name, sizeof name, ".out.rec-%s-%s", host ? host : here, rest);
    return name;
}

static const char *temporary_of_ours(int number)
{
    char rest[32];
    snprintf(rest, sizeof rest, "%ld-%d", (long)getpid(), number);
    return temporary(NULL, rest);
}

/* What killed runs of this host have left goes, whatever number they had; what a living one writes
 * stays, and so does what may be another host's, or no temporary file at all. */
TEST_IN_FOLDER(left_over_files_are_removed)
{
    rec_output *living;
    write_bytes(temporary_of_ours(0), "left", 4);
    write_bytes(temporary(NULL, "1-17"), "left", 4);
    write_bytes(temporary("elsewhere", "1-17"), "theirs", 6);
    write_bytes(temporary(NULL, "1-"), "mine", 4);
    write_bytes(temporary(NULL, "x"), "mine", 4);
    SUCCEEDS(rec_output_open(&living, "living", 0, &error));
    assert_int_equal(count_entries("."), 5 + named);
    SUCCEEDS(rec_output_check("out", 1, &error));
    assert_int_equal(count_entries("."), 3 + named);
    check_text(temporary("elsewhere", "1-17"), "theirs");
    check_text(temporary(NULL, "x"), "mine");
    fputs("whole", rec_output_stream(living));
    SUCCEEDS(rec_output_commit(living, REC_OK, NULL, &error));
    check_text("living", "whole");
    assert_int_equal(count_entries("."), 4);
}

/* A name that is taken is in nobody's way. */
TEST_IN_FOLDER(taken_names_are_in_nobodys_way)
{
    for (int i = 0; i < 3; i++)
        write_bytes(temporary_of_ours(i), "left", 4);
    SUCCEEDS(put("out", "x", &error));
    check_text("out", "x");
    assert_int_equal(count_entries("."), 4);
    check_text(temporary_of_ours(2), "left");
}

/* ---- what is no regular file; standard output is in tests/cli/test_outputs.sh ---- */

TEST(a_full_device_stays_a_device)
{
    SUCCEEDS(rec_output_check("/dev/full", 1, &error));
    FAILS(put("/dev/full", "x", &error), REC_IO,
          "/dev/full: cannot be written: No space left on device");
    assert_is("/dev/full", S_IFCHR);
    SUCCEEDS(put("/dev/null", "x", &error));
}

TEST_IN_FOLDER(a_pipe_is_written_to)
{
    const char *path = "pipe";
    char text[8] = "";
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    SUCCEEDS(rec_output_check(path, 1, &error));
    SUCCEEDS(put(path, "through", &error));
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_string_equal(text, "through");
    close(reader);
    assert_is(path, S_IFIFO);
}

/* ---- what fails ---- */

TEST_IN_FOLDER(impossible_targets_are_refused)
{
    static const struct {
        const char *name, *part;
    } cases[] = {
        {"none/out", "none/out: cannot be created: No such file or directory"},
        {"folder", "folder: is a folder"},
        {"folder/", "is a folder"},
        {"none/", "name of a folder"},
        {"file/out", "file/out: cannot be created: Not a directory"},
        {"dangling", "dangling: cannot be created: No such file or directory"},
    };
    write_bytes("file", "old", 3);
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(symlink("none/out", "dangling"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FAILS(rec_output_check(cases[i].name, 1, &error), REC_NO_OUTPUT, cases[i].part);
        FAILS(put(cases[i].name, "x", &error), REC_NO_OUTPUT, cases[i].part);
    }
    FAILS(rec_output_check("", 1, &error), REC_NO_OUTPUT, "empty");
    assert_int_equal(count_entries("."), 3);
    assert_int_equal(count_entries("folder"), 0);
    check_text("file", "old");
}

/* So a list ends whose next output finds no room at its creation. */
TEST(a_full_disk_and_short_memory_are_told_apart_from_a_bad_name)
{
    FAILS(rec_fail_system(&error, REC_NO_OUTPUT, ENOSPC, "out"), REC_IO, "out: No space left");
    FAILS(rec_fail_system(&error, REC_NO_OUTPUT, EMFILE, "out"), REC_LIMIT, "out: Too many open");
    FAILS(rec_fail_system(&error, REC_NO_OUTPUT, EINTR, "out"), REC_NO_OUTPUT, "Interrupted");
    rec_signal_received = 1; /* without a signal there is nobody to obey */
    FAILS(rec_fail_system(&error, REC_NO_OUTPUT, EINTR, "out"), REC_SIGNALLED, "by a signal");
    rec_signal_received = 0;
    FAILS(rec_fail_system(&error, REC_NO_OUTPUT, EACCES, "out"), REC_NO_OUTPUT, "denied");
}

/* A limit on the size of files stands in for a full disk. */
static int write_beyond_the_limit(void *path)
{
    const struct rlimit limit = {10000, 10000};
    signal(SIGXFSZ, SIG_IGN);
    rec_image image;
    rec_error error;
    if (rec_image_create(&image, 300, 300, 1, &error) || setrlimit(RLIMIT_FSIZE, &limit))
        return 1;
    rec_image_fill(&image, 7);
    static const char *const formats[] = {"pgm", "pam", "pfm", "dat"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const rec_write_options options = {.format = rec_format_find(formats[i]), .maxval = 255};
        if (rec_image_write(path, &image, &options, &error) != REC_IO ||
            !strstr(error.message, "File too large"))
            return 2;
    }
    rec_image_destroy(&image);
    return 0;
}

TEST_IN_FOLDER(a_failed_write_keeps_the_old_file)
{
    const char *path = "out.pgm";
    write_bytes(path, "old", 3);
    assert_int_equal(in_child(write_beyond_the_limit, (void *)path), 0);
    check_text(path, "old");
    assert_int_equal(count_entries("."), 1);
}

TEST_IN_FOLDER(temporary_names_have_whole_characters)
{
    char name[200] = "x";
    rec_output *output;
    const unsigned was = named;
    for (size_t i = 0; i < 80; i++)
        strcat(name, "\303\274");
    named = 1;
    SUCCEEDS(rec_output_open(&output, name, 0, &error));
    named = was;
    DIR *folder = opendir(".");
    size_t seen = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strstr(entry->d_name, ".rec-") && strstr(entry->d_name, "\303\274"))
            for (const char *at = entry->d_name; *at; seen++) {
                const size_t length = rec_utf8_length((const unsigned char *)at);
                assert_true(length > 0);
                at += length;
            }
    closedir(folder);
    rec_output_abandon(output);
    assert_true(seen > 60);
}
