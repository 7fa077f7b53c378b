/* Who may read and write an output: modes, owners and attributes of the old file are kept, nobody
 * gains a right, and what is protected is refused. */
#include <sys/xattr.h>

#include "tests/unit/outputs.h"

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

TEST_IN_FOLDER(modes_are_kept_and_new_ones_obey_the_umask)
{
    static const mode_t modes[] = {0600, 0640, 0666, 0755, 0444 | 0200};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const char *path = "old";
        write_bytes(path, "old", 3);
        assert_int_equal(chmod(path, modes[i]), 0);
        SUCCEEDS(put(path, "new", &error));
        assert_int_equal(mode_of(path), modes[i]);
        check_text(path, "new");
    }
    static const mode_t masks[] = {022, 077, 0, 027};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        const char *path = "fresh";
        const mode_t before = umask(masks[i]);
        SUCCEEDS(put(path, "x", &error));
        umask(before);
        assert_int_equal(mode_of(path), 0666 & ~masks[i]);
        unlink(path);
    }
}

static int write_as_nobody(void *path)
{
    rec_error error;
    if (become_nobody())
        return 1;
    if (rec_output_check(path, 1, &error) != REC_NO_OUTPUT ||
        (!strstr(error.message, "Permission denied") && !strstr(error.message, "sticky")))
        return 2;
    return put(path, "new", &error) == REC_NO_OUTPUT ? 0 : 3;
}

TEST_IN_FOLDER(read_only_targets_are_refused)
{
    const char *folder = "folder", *file = "folder/file";
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(mkdir(folder, 0755), 0);
    write_bytes(file, "old", 3);
    /* a file that must not be written, in a folder where it could be replaced */
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(chmod(file, 0444), 0);
    assert_int_equal(in_child(write_as_nobody, (void *)file), 0);
    check_text(file, "old");
    assert_int_equal(mode_of(file), 0444);
    /* a file that anybody may write, but only its owner replace */
    assert_int_equal(chmod(file, 0666), 0);
    assert_int_equal(chmod(folder, 01777), 0);
    if (!geteuid()) { /* which nobody is not; and root may, too */
        assert_int_equal(in_child(write_as_nobody, (void *)file), 0);
        assert_int_equal(chown(folder, 1, 1) | chown(file, 2, 2), 0);
        SUCCEEDS(put(file, "new", &error));
    }
    /* a folder that takes no new file */
    assert_int_equal(chmod(folder, 0555), 0);
    assert_int_equal(in_child(write_as_nobody, (void *)"folder/new"), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(count_entries(folder), 1);
}

TEST_IN_FOLDER(where_modes_are_fixed_a_file_is_still_replaced)
{
    const char *path = "fixed";
    SUCCEEDS(put(path, "old", &error));
    fixed_modes = 1;
    SUCCEEDS(put(path, "new", &error));
    assert_int_equal(chmod(path, 0640), 0);
    SUCCEEDS(put(path, "newer", &error)); /* with a note */
    fixed_modes = 0;
    check_text(path, "newer");
}

TEST_IN_FOLDER(nobody_gains_rights_where_the_group_is_lost)
{
    const struct { mode_t before, after; } cases[] = {
        {0660, 0600}, {0664, 0604}, {0604, 0600}, {02770, 0700}, {0644, 0604}};
    const char *path = "group";
    if (geteuid())
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SUCCEEDS(put(path, "old", &error));
        assert_int_equal(chown(path, (uid_t)-1, 12345), 0);
        assert_int_equal(chmod(path, cases[i].before), 0);
        SUCCEEDS(put(path, "kept", &error));
        assert_int_equal(mode_of(path), cases[i].before);
        fixed_owners = 1;
        SUCCEEDS(put(path, "lost", &error));
        fixed_owners = 0;
        assert_int_equal(mode_of(path), cases[i].after);
        unlink(path);
    }
}

TEST_IN_FOLDER(attributes_and_acl_are_kept)
{
    static const char name[] = "system.posix_acl_access";
    /* Version 2; the owner: rw, user 12345: rw, the group: nothing, mask: rw, others: nothing. */
    static const unsigned char acl[] = {
        2,  0, 0, 0, 1, 0, 6,   0,   255, 255, 255, 255, 2,   0,   6,   0,  57, 48, 0, 0,
        4,  0, 0, 0, 255,  255, 255, 255, 16, 0, 6, 0, 255, 255, 255, 255,
        32, 0, 0, 0, 255,  255, 255, 255};
    const char *path = "acl";
    char found[sizeof acl + 1];
    SUCCEEDS(put(path, "old", &error));
    if (setxattr(path, "user.note", "ours", 4, 0) || setxattr(path, name, acl, sizeof acl, 0))
        skip();
    SUCCEEDS(put(path, "new", &error));
    assert_int_equal(getxattr(path, "user.note", found, sizeof found), 4);
    assert_memory_equal(found, "ours", 4);
    assert_int_equal(getxattr(path, name, found, sizeof found), sizeof acl);
    assert_memory_equal(found, acl, sizeof acl);
    if (geteuid() || chown(path, (uid_t)-1, 12345))
        return;
    fixed_owners = 1;
    SUCCEEDS(put(path, "lost", &error));
    fixed_owners = 0;
    assert_int_equal(mode_of(path), 0600);
    assert_true(getxattr(path, name, found, sizeof found) < 0);
}
