#include "base/set.h"

#include <search.h>

static void keep(void *record) { (void)record; }

static void release(const rec_set *set, void *record)
{
    if (set->release && record)
        set->release(record);
}

rec_status rec_set_put(rec_set *set, void *record, rec_error *error)
{
    void **place = record ? tsearch(record, &set->root, set->compare) : NULL;
    if (!place) {
        release(set, record);
        return rec_fail(error, REC_LIMIT, "out of memory for a list of names");
    }
    if (*place != record)
        release(set, *place);
    *place = record;
    return REC_OK;
}

void *rec_set_find(const rec_set *set, const void *like)
{
    void *const *place = tfind(like, &set->root, set->compare);
    return place ? *place : NULL;
}

void rec_set_remove(rec_set *set, const void *record)
{
    if (rec_set_find(set, record) == record)
        tdelete(record, &set->root, set->compare);
}

void rec_set_clear(rec_set *set)
{
    tdestroy(set->root, set->release ? set->release : keep);
    set->root = NULL;
}
