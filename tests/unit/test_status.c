/* Messages of failures: one safe line, whose advice is known apart. */
#include "base/status.h"
#include "tests/unit/cm.h"

static rec_error error;

static void is(const char *message, const char *advice)
{
    char *whole;
    assert_true(asprintf(&whole, "%s%s%s", message, *advice ? "; " : "", advice) > 0);
    assert_string_equal(error.message, whole);
    assert_int_equal(error.advice, strlen(message));
    free(whole);
}

TEST(advice_stands_behind_the_message)
{
    assert_int_equal(rec_fail(&error, REC_LIMIT, "%s: no room; really\vuse %s", "a\vb\n", "--x"),
                     REC_LIMIT);
    is("a?b?: no room; really", "use --x");
    assert_int_equal(rec_fail_in(&error, "c"), REC_LIMIT);
    is("c: a?b?: no room; really", "use --x");
    rec_fail(&error, REC_USAGE, "%s; so it is", "\v");
    is("?; so it is", "");
    assert_int_equal(rec_fail_in(&error, "d"), REC_USAGE);
    is("d: ?; so it is", "");
    assert_int_equal(rec_fail(NULL, REC_USAGE, "\v"), REC_USAGE);
}

TEST(a_message_that_is_too_long_loses_its_middle)
{
    char name[3000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    name[0] = 'b';
    rec_fail(&error, REC_LIMIT, "%s: no\vuse --x", name);
    const size_t length = strlen(error.message);
    assert_true(length > 1000 && length < sizeof error.message);
    assert_int_equal(error.message[0], 'b');
    assert_non_null(strstr(error.message, "n ... n"));
    assert_string_equal(error.message + length - 13, ": no; use --x");
    assert_string_equal(error.message + error.advice, "; use --x");
}
