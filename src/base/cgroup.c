#include "base/memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

int rec_number_in_file(const char *path, const char *name, uint64_t *value)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    char line[256];
    int found = 0;
    const size_t length = strlen(name);
    while (!found && fgets(line, sizeof line, file))
        if (!strncmp(line, name, length))
            found = sscanf(line + length, "%" SCNu64, value) == 1;
    fclose(file);
    return found;
}

/* Where the files of a version are, and what they are called. */
static const struct version {
    const char *controller; /* its name in the list of groups */
    const char *folder, *limit, *used, *cached;
} versions[] = {
    {"", "", "memory.max", "memory.current", "inactive_file "},
    {"memory", "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
};

static uint64_t available_in(const struct version *version, const char *root, const char *group)
{
    char path[2 * PATH_MAX];
    uint64_t limit, used, cached = 0;
    const int length = snprintf(path, sizeof path - 32, "%s%s%s/", root, version->folder, group);
    if (length < 0 || (size_t)length >= sizeof path - 32)
        return UINT64_MAX;
    strcpy(path + length, version->limit);
    if (!rec_number_in_file(path, "", &limit))
        return UINT64_MAX; /* "max", or absent */
    strcpy(path + length, version->used);
    if (!rec_number_in_file(path, "", &used))
        return UINT64_MAX;
    strcpy(path + length, "memory.stat");
    rec_number_in_file(path, version->cached, &cached);
    used -= cached < used ? cached : used;
    return limit > used ? limit - used : 0;
}

uint64_t rec_cgroup_available(const char *groups, const char *root)
{
    uint64_t least = UINT64_MAX;
    FILE *const list = fopen(groups, "r");
    char line[PATH_MAX + 256];
    while (list && fgets(line, sizeof line, list)) { /* number:controllers:/group */
        char *rest = line;
        strsep(&rest, ":");
        char *controllers = strsep(&rest, ":");
        if (!rest)
            continue;
        rest[strcspn(rest, "\n")] = '\0';
        const struct version *version = NULL;
        for (char *name; (name = strsep(&controllers, ","));)
            for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
                if (!strcmp(name, versions[i].controller))
                    version = &versions[i];
        /* The group, those above it, and the root, which is a container's own. */
        for (char *end = version ? rest + strlen(rest) : NULL; end; end = strrchr(rest, '/')) {
            *end = '\0';
            const uint64_t here = available_in(version, root, rest);
            least = here < least ? here : least;
        }
    }
    if (list)
        fclose(list);
    return least;
}
