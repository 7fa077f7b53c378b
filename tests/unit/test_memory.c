/* What memory there is by the limits of control groups, from trees of files that look like them; a
 * room in it. */
#include "base/memory.h"
#include "device/room.h"
#include "tests/unit/support.h"

static void put(const char *path, const char *text)
{
    for (const char *at = path; (at = strchr(at, '/')); at++) {
        owned_text *folder = strndup(path, (size_t)(at - path));
        mkdir(folder, 0777);
    }
    write_bytes(path, text, strlen(text));
}

static uint64_t available(void) { return rec_cgroup_available("groups", "root"); }

TEST_IN_FOLDER(the_own_group_counts_and_those_above)
{
    put("groups", "0::/slurm/job_7/step_0\n");
    put("root/slurm/job_7/step_0/memory.max", "max\n");
    put("root/slurm/job_7/step_0/memory.current", "100\n");
    assert_true(available() == UINT64_MAX);
    put("root/slurm/job_7/memory.max", "5000\n");
    put("root/slurm/job_7/memory.current", "1000\n");
    put("root/slurm/job_7/memory.stat", "anon 3\ninactive_file 600\n");
    assert_true(available() == 4600);
    put("root/memory.max", "3000\n");
    put("root/memory.current", "3500\n");
    assert_true(available() == 0);
}

TEST_IN_FOLDER(version_1_has_other_names)
{
    put("groups", "12:cpuset:/other\n9:memory:/slurm/job_7\n1:name=systemd:/\n0::/\n");
    put("root/memory/slurm/job_7/memory.limit_in_bytes", "5000\n");
    put("root/memory/slurm/job_7/memory.usage_in_bytes", "1000\n");
    put("root/memory/slurm/job_7/memory.stat", "inactive_file 5\ntotal_inactive_file 600\n");
    assert_true(available() == 4600);
    put("root/memory/slurm/memory.limit_in_bytes", "2000\n");
    put("root/memory/slurm/memory.usage_in_bytes", "1500\n");
    assert_true(available() == 500);
}

TEST(slurm_tells_what_a_job_has)
{
    setenv("SLURM_MEM_PER_NODE", "3", 1);
    assert_true(rec_memory_available() == 3 << 20);
    setenv("SLURM_MEM_PER_NODE", "0", 1);
    assert_true(rec_memory_available() > 3 << 20);
    unsetenv("SLURM_MEM_PER_NODE");
}

TEST(sizes_are_written_for_people)
{
    char text[32];
    assert_string_equal(rec_format_bytes(text, 999), "999 bytes");
    assert_string_equal(rec_format_bytes(text, 99.94e3), "99.9 kB");
    assert_string_equal(rec_format_bytes(text, 99.96e3), "100 kB");
    assert_string_equal(rec_format_bytes(text, 999.6e3), "1.0 MB");
}

TEST(a_room_of_the_host_grows_where_there_is_memory)
{
    const size_t wanted[REC_BLOCKS] = {[2] = 100, [REC_PINNED] = 50};
    rec_room room = {0};
    SUCCEEDS(rec_memory_host.allocate(&room, wanted, "this", &error));
    FAILS(rec_memory_host.allocate(&room, (const size_t[REC_BLOCKS]){[2] = SIZE_MAX / 2}, "it",
                                   &error),
          REC_LIMIT, "of memory for it is more than");
    assert_int_equal(room.bytes[2], 100);
    SUCCEEDS(
        rec_memory_host.allocate(&room, (const size_t[REC_BLOCKS]){[2] = 200}, "more", &error));
    memset(room.block[2], 0, 200);
    assert_int_equal(room.bytes[2] + room.bytes[REC_PINNED], 250);
    rec_memory_host.destroy(&room);
    assert_true(!room.block[2] && !room.block[REC_PINNED]);
}

/* In a container the group's own folder is not there, but the root is the container's. */
TEST_IN_FOLDER(what_is_not_there_is_no_limit)
{
    assert_true(available() == UINT64_MAX);
    put("groups", "nonsense\n4:memory:/\n0::/../../user.slice\n");
    put("root/memory.max", "70\n");
    put("root/memory.current", "20\n");
    assert_true(available() == 50);
}
