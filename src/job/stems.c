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

uint64_t rec_text_hash(const char *text, size_t length)
{
    return rec_hash(REC_HASH_START, text, length);
}

/* The slot of the number, or the first empty one. */
static struct rec_slot *slot_of(const rec_table *table, uint64_t hash, size_t number)
{
    size_t at = hash & (table->size - 1);
    while (table->slots[at].number && table->slots[at].number != number + 1)
        at = (at + 1) & (table->size - 1);
    return &table->slots[at];
}

size_t rec_table_find(const rec_table *table, uint64_t hash, char *const *all, const char *text,
                      size_t length)
{
    for (size_t at = hash; table->size; at++) {
        const struct rec_slot *slot = &table->slots[at & (table->size - 1)];
        const char *found = slot->number && all ? all[slot->number - 1] : NULL;
        if (!slot->number)
            break;
        if (slot->hash == hash &&
            (!all || (!strncmp(found, text, length) && !found[length])))
            return slot->number - 1;
    }
    return REC_NO_NUMBER;
}

rec_status rec_table_add(rec_table *table, uint64_t hash, size_t number, rec_error *error)
{
    if (2 * (table->count + 1) > table->size) {
        rec_table larger = {.size = table->size ? 2 * table->size : 64, .count = table->count};
        larger.slots = calloc(larger.size, sizeof *larger.slots);
        if (!larger.slots)
            return rec_fail(error, REC_LIMIT, "out of memory for %zu names", table->count);
        for (size_t i = 0; i < table->size; i++)
            if (table->slots[i].number)
                *slot_of(&larger, table->slots[i].hash, table->slots[i].number - 1) =
                    table->slots[i];
        free(table->slots);
        *table = larger;
    }
    *slot_of(table, hash, number) = (struct rec_slot){hash, number + 1};
    table->count++;
    return REC_OK;
}

/* Nothing was put behind it on its account. */
void rec_table_remove_last(rec_table *table, uint64_t hash, size_t number)
{
    struct rec_slot *slot = table->size ? slot_of(table, hash, number) : NULL;
    if (!slot || !slot->number)
        return;
    slot->number = 0;
    table->count--;
}

void rec_table_free(rec_table *table)
{
    free(table->slots);
    *table = (rec_table){0};
}
