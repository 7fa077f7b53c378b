/* What is news of watched files: that they were saved, under their names or where links lead. */
#include "base/file_watch.h"
#include "tests/unit/support.h"

static rec_watch *watch;

static void save(const char *name)
{
    FILE *stream = fopen(name, "w");
    assert_non_null(stream);
    assert_true(fputs("x", stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static int enter(void **state)
{
    static const char *const paths[] = {"picture", NULL, "link", "pages[2]", "at/mask", "absent"};
    const int failed = enter_folder(state) || mkdir("at", 0777) || mkdir("real", 0777) ||
                       symlink("hop", "link") || symlink("real/target", "hop");
    save("picture");
    save("real/target");
    watch = rec_watch_open(paths, sizeof paths / sizeof *paths);
    return failed;
}

static int leave(void **state)
{
    rec_watch_close(watch);
    return leave_folder(state);
}

/* Of a system that gives no watch nothing can be asked. */
#define WATCH_TEST(function) \
    static void function##_here(void); \
    TEST_WITH(function, enter, leave) \
    { \
        if (!watch) \
            skip(); \
        function##_here(); \
    } \
    static void function##_here(void)

/* Once: then it is none any more. */
static int is_news(void)
{
    const int news = rec_watch_is_news(watch);
    assert_int_equal(rec_watch_is_news(watch), 0);
    return news;
}

static int is_news_of_saving(const char *name)
{
    save(name);
    return is_news();
}

static int is_news_of_renaming(const char *from, const char *to)
{
    assert_int_equal(rename(from, to), 0);
    return is_news();
}

WATCH_TEST(a_file_is_news_when_it_is_closed)
{
    FILE *stream = fopen("picture", "a");
    fputs("x", stream);
    fflush(stream);
    assert_int_equal(is_news(), 0);
    fclose(stream);
    assert_int_equal(is_news(), 1);
    stream = fopen("picture", "r");
    fclose(stream);
    assert_int_equal(is_news(), 0);
    assert_int_equal(is_news_of_saving("absent"), 1);
    assert_int_equal(is_news_of_saving("pages"), 1);
    assert_int_equal(is_news_of_saving("at/mask"), 1);
}

WATCH_TEST(a_file_is_news_when_it_comes_into_place)
{
    assert_int_equal(is_news_of_saving("fresh"), 0);
    assert_int_equal(is_news_of_renaming("fresh", "picture"), 1);
    assert_int_equal(is_news_of_renaming("picture", "fresh"), 0);
    assert_int_equal(is_news_of_renaming("fresh", "picture"), 1);
    assert_int_equal(is_news_of_saving("picture"), 1);
}

WATCH_TEST(others_are_no_news)
{
    const char *const names[] = {"picture2", "pictur", "pages[2]", "at/mask2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(is_news_of_saving(names[i]), 0);
    save("picture");
    save("other");
    assert_int_equal(is_news(), 1);
}

WATCH_TEST(a_link_is_news_and_so_is_what_it_leads_to)
{
    assert_int_equal(is_news_of_saving("real/target"), 1);
    assert_int_equal(is_news_of_saving("real/fresh"), 0);
    assert_int_equal(is_news_of_renaming("real/fresh", "real/target"), 1);
    assert_int_equal(symlink("real/fresh", "new"), 0);
    assert_int_equal(is_news_of_renaming("new", "link"), 1);
}

WATCH_TEST(a_folder_may_go)
{
    save("at/mask");
    assert_int_equal(unlink("at/mask"), 0);
    assert_int_equal(rmdir("at"), 0);
    assert_int_equal(is_news(), 1);
    assert_int_equal(mkdir("at", 0777), 0);
    assert_int_equal(is_news_of_saving("at/mask"), 0); /* until it is watched again */
    assert_int_equal(is_news_of_saving("picture"), 1);
}

/* Equal ones in a row would count once. */
static void rename_others(unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        assert_int_equal(rename(i & 1 ? "two" : "one", i & 1 ? "one" : "two"), 0);
}

/* However many others there are, and more than the kernel keeps. */
WATCH_TEST(nothing_is_lost)
{
    unsigned long most = 0;
    FILE *stream = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
    if (!stream || fscanf(stream, "%lu", &most) != 1 || most > 100000)
        most = 100;
    if (stream)
        fclose(stream);
    save("one");
    rename_others(1000);
    assert_int_equal(is_news_of_saving("picture"), 1);
    rename_others(most + 2);
    assert_int_equal(is_news(), most > 100);
}

TEST(no_watch_has_no_news)
{
    assert_int_equal(rec_watch_is_news(NULL), 0);
    rec_watch_close(NULL);
}
