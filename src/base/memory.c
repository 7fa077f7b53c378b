#include "base/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/paths.h"

#define HUGE_PAGE ((size_t)2 << 20)

/* ---- what there is ---- */

/* The number behind `name` in a file of "name number" lines, or of one bare number (name ""). */
static int number_in_file(const char *path, const char *name, uint64_t *value)
{
    rec_owned_stream *file = fopen(path, "r");
    char line[256];
    int found = 0;
    const size_t length = strlen(name);
    while (file && !found && fgets(line, sizeof line, file))
        if (!strncmp(line, name, length))
            found = sscanf(line + length, "%" SCNu64, value) == 1;
    return found;
}

/* Where a version of control groups has its memory. */
static const struct version {
    const char *folder, *most, *used, *cached;
} versions[] = {{"", "memory.max", "memory.current", "inactive_file "},
                {"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                 "total_inactive_file "}};

static uint64_t available_in(const char *root, const struct version *version, const char *group)
{
    char path[2 * PATH_MAX];
    uint64_t limit, used, cached = 0;
    const int length = snprintf(path, sizeof path - 32, "%s%s%s/", root, version->folder, group);
    if (length < 0 || (size_t)length >= sizeof path - 32)
        return UINT64_MAX;
    strcpy(path + length, version->most);
    if (!number_in_file(path, "", &limit))
        return UINT64_MAX; /* "max", or absent */
    strcpy(path + length, version->used);
    if (!number_in_file(path, "", &used))
        return UINT64_MAX;
    strcpy(path + length, "memory.stat");
    number_in_file(path, version->cached, &cached);
    used -= cached < used ? cached : used;
    return limit > used ? limit - used : 0;
}

uint64_t rec_cgroup_available(const char *groups, const char *root)
{
    uint64_t least = UINT64_MAX;
    rec_owned_stream *list = fopen(groups, "r");
    char line[PATH_MAX + 256];
    while (list && fgets(line, sizeof line, list)) {
        const int old = strncmp(line, "0::", 3) != 0;
        char *name = old ? strstr(line, "memory:") : line + 2;
        if (!name)
            continue;
        line[strcspn(line, "\n")] = '\0';
        char *group = strchr(name, ':') + 1;
        /* The group, those above it, and the root, which is a container's own. */
        for (char *end = strchr(group, '\0'); end; end = strrchr(group, '/')) {
            *end = '\0';
            least = rec_smaller(least, available_in(root, &versions[old], group));
        }
    }
    return least;
}

size_t rec_memory_available(void)
{
    size_t available = SIZE_MAX;
    uint64_t value;
    if (number_in_file("/proc/meminfo", "MemAvailable:", &value)) {
        uint64_t swap = 0;
        number_in_file("/proc/meminfo", "SwapFree:", &swap);
        available = (value + swap) * 1024;
    }
    available = rec_smaller(available, rec_cgroup_available("/proc/self/cgroup", "/sys/fs/cgroup"));
    const char *slurm = getenv("SLURM_MEM_PER_NODE"); /* in MiB; 0: all that there is */
    value = slurm ? strtoull(slurm, NULL, 10) : 0;
    if (value && value < SIZE_MAX >> 20)
        available = rec_smaller(available, value << 20);
    struct rlimit limit;
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
        available = rec_smaller(available, limit.rlim_cur);
    return available;
}

char *rec_format_bytes(char text[32], double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1000;
        unit++;
    }
    snprintf(text, 32, unit && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return text;
}

/* Images lie on huge pages where the system has them: fewer faults when they are first written,
 * which otherwise cost more than reading the file. */
static size_t alignment_of(size_t bytes)
{
    return bytes >= 4 * HUGE_PAGE ? HUGE_PAGE : REC_ALIGNMENT;
}

rec_status rec_allocate(void *place, size_t count, size_t size, const char *what, rec_error *error)
{
    size_t bytes;
    char wanted[32], there[32];
    void *memory = NULL;
    memcpy(place, &memory, sizeof memory);
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - REC_ALIGNMENT)
        return rec_fail(error, REC_LIMIT, "%zu x %zu bytes for %s is more than can be addressed",
                        count, size, what);
    /* Small requests are not worth a look at the system. */
    if (bytes > (64u << 20)) {
        const size_t available = rec_memory_available();
        if (bytes > available)
            return rec_fail(error, REC_LIMIT, "%s of memory for %s is more than the %s available",
                            rec_format_bytes(wanted, (double)bytes), what,
                            rec_format_bytes(there, (double)available));
    }
    const size_t alignment = alignment_of(bytes);
    bytes = (bytes + alignment) / alignment * alignment;
    memory = aligned_alloc(alignment, bytes);
    if (!memory)
        return rec_fail(error, REC_LIMIT, "the system refused %s of memory for %s",
                        rec_format_bytes(wanted, (double)bytes), what);
    if (alignment == HUGE_PAGE)
        madvise(memory, bytes, MADV_HUGEPAGE);
    memcpy(place, &memory, sizeof memory);
    return REC_OK;
}

rec_status rec_allocate_zeroed(void *place, size_t count, size_t size, const char *what,
                               rec_error *error)
{
    char *memory;
    REC_TRY(rec_allocate(place, count, size, what, error));
    memcpy(&memory, place, sizeof memory);
    const size_t bytes = count * size, pages = bytes / HUGE_PAGE * HUGE_PAGE;
    /* Pages that are given back come again as zeros when they are used. */
    const int given = alignment_of(bytes) == HUGE_PAGE && !madvise(memory, pages, MADV_DONTNEED);
    memset(memory + (given ? pages : 0), 0, bytes - (given ? pages : 0));
    return REC_OK;
}

rec_status rec_allocate_sparse(void *place, size_t count, size_t size, const char *what,
                               rec_error *error)
{
    void *memory;
    REC_TRY(rec_allocate_zeroed(place, count, size, what, error));
    memcpy(&memory, place, sizeof memory);
    if (alignment_of(count * size) == HUGE_PAGE)
        madvise(memory, count * size, MADV_NOHUGEPAGE);
    return REC_OK;
}

void rec_free(void *memory) { free(memory); }

void rec_memory_keep(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most that it takes */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}
