/* Outputs for a test: twice, as temporary files that have names and as those that have none. For
 * one file of a program, which listens to open, fchmod and fchown (tests.mk). */
#pragma once

#include <errno.h>
#include <stdarg.h>

#include "base/output.h"
#include "tests/unit/support.h"

/* 1: temporary files have names, for want of a file system with others, or because the test says
 * so. */
static unsigned named;

LISTEN(int, open, (const char *path, int flags, ...))
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (named && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return __real_open(path, flags, mode);
}

/* 1: the system lets nobody change that. */
static int fixed_modes, fixed_owners;

LISTEN(int, fchmod, (int file, mode_t mode))
{
    errno = EPERM;
    return fixed_modes ? -1 : __real_fchmod(file, mode);
}

LISTEN(int, fchown, (int file, uid_t owner, gid_t group))
{
    errno = EPERM;
    return fixed_owners ? -1 : __real_fchown(file, owner, group);
}

static void check_text(const char *path, const char *expected)
{
    owned_text *text = read_bytes(path, NULL);
    assert_string_equal(text, expected);
}

static rec_status put(const char *path, const char *text, rec_error *error)
{
    rec_output *output;
    const rec_status status = rec_output_open(&output, path, 0, error);
    if (status) {
        assert_null(output);
        return status;
    }
    fputs(text, rec_output_stream(output));
    return rec_output_commit(output, REC_OK, NULL, error);
}

int main(void)
{
    const int probe = open("/tmp", O_TMPFILE | O_WRONLY, 0600);
    named = probe < 0;
    if (probe >= 0)
        close(probe);
    const int failed = named ? 0 : run_all_tests("without names");
    named = 1;
    return failed + run_all_tests("with names");
}
