#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/paths.h"
#include "job/names.h"

/* The folders of the path but for ".", with a slash behind each, and the last part without its
 * ending. 0: there is a "..". */
static int join_parts(char *made, const char *name, const char *last, size_t last_length)
{
    char *to = made;
    for (const char *at = name; at < last;) {
        const size_t length = strcspn(at, "/");
        if (length == 2 && !strncmp(at, "..", 2))
            return 0;
        if (length && !(length == 1 && *at == '.')) {
            memcpy(to, at, length);
            to += length;
            *to++ = '/';
        }
        at += length + 1;
    }
    memcpy(to, last, last_length);
    to[last_length] = 0;
    return 1;
}

rec_status rec_stem_make(char **stem, const char *name, int parents, rec_error *error)
{
    size_t length;
    const char *from = strcmp(name, "-") ? name : "stdin";
    const char *last = rec_path_stem(from, &length);
    *stem = malloc(strlen(from) + 1);
    if (!*stem)
        return rec_fail(error, REC_LIMIT, "out of memory for %s", name);
    if (join_parts(*stem, parents ? from : last, last, length))
        return REC_OK;
    free(*stem);
    *stem = NULL;
    return rec_fail(error, REC_USAGE, "%s: --parents keeps a relative path, which cannot have ..",
                    name);
}

static size_t slot_of(const rec_stems *stems, const char *text, size_t length)
{
    return rec_hash(REC_HASH_START, text, length) & (stems->size - 1);
}

size_t rec_stems_find(const rec_stems *stems, char *const *all, const char *text,
                     size_t length)
{
    if (!stems->size)
        return REC_STEM_NONE;
    for (size_t slot = slot_of(stems, text, length); stems->slots[slot];
         slot = (slot + 1) & (stems->size - 1)) {
        const char *stem = all[stems->slots[slot] - 1];
        if (!strncmp(stem, text, length) && !stem[length])
            return stems->slots[slot] - 1;
    }
    return REC_STEM_NONE;
}

static void put(rec_stems *stems, const char *stem, size_t index)
{
    size_t slot = slot_of(stems, stem, strlen(stem));
    while (stems->slots[slot])
        slot = (slot + 1) & (stems->size - 1);
    stems->slots[slot] = index + 1;
}

static rec_status grow(rec_stems *stems, char *const *all, rec_error *error)
{
    rec_stems larger = {.size = stems->size ? 4 * stems->size : 64, .count = stems->count};
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots)
        return rec_fail(error, REC_LIMIT, "out of memory for %zu names", stems->count);
    for (size_t i = 0; i < stems->size; i++)
        if (stems->slots[i])
            put(&larger, all[stems->slots[i] - 1], stems->slots[i] - 1);
    free(stems->slots);
    *stems = larger;
    return REC_OK;
}

rec_status rec_stems_add(rec_stems *stems, char *const *all, size_t index,
                        size_t *other, rec_error *error)
{
    const char *stem = all[index];
    const rec_status status =
        2 * stems->count >= stems->size ? grow(stems, all, error) : REC_OK;
    if (status)
        return status;
    *other = rec_stems_find(stems, all, stem, strlen(stem));
    if (*other != REC_STEM_NONE)
        return REC_OK;
    put(stems, stem, index);
    stems->count++;
    return REC_OK;
}

/* It came last: nothing was put behind it on its account. */
void rec_stems_remove_last(rec_stems *stems, char *const *all, size_t index)
{
    if (!stems->size)
        return;
    size_t slot = slot_of(stems, all[index], strlen(all[index]));
    while (stems->slots[slot] && stems->slots[slot] != index + 1)
        slot = (slot + 1) & (stems->size - 1);
    stems->count -= stems->slots[slot] != 0;
    stems->slots[slot] = 0;
}

void rec_stems_free(rec_stems *stems)
{
    free(stems->slots);
    *stems = (rec_stems){0};
}
