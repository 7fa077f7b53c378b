/* A set of records, by what makes two of them equal: a tree in their order. */
#pragma once

#include "base/status.h"

typedef struct rec_set {
    int (*compare)(const void *a, const void *b); /* below 0, 0 or above 0, as strcmp */
    void (*release)(void *record); /* one that leaves the set; NULL: records are another's */
    void *root;
} rec_set;

/* The record takes the place of one that is equal to it. NULL, which malloc gave, is REC_LIMIT, as
 * is a set that cannot grow: that releases the record. */
rec_status rec_set_put(rec_set *set, void *record, rec_error *error);

void *rec_set_find(const rec_set *set, const void *like); /* the record that is equal; or NULL */

void rec_set_remove(rec_set *set, const void *record); /* this very one, if it is there */
void rec_set_clear(rec_set *set);
