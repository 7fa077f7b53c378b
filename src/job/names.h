/* Names of inputs, and the stems of their files.
 *
 * The stem of an input is what its files in folders are called, without ending: the stem of its
 * name, or with --parents its relative path. Two inputs with one stem would overwrite each other's
 * files. */
#ifndef REC_JOB_NAMES_H
#define REC_JOB_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* ---- a list of names from a file: names.c ---- */

typedef struct rec_names {
    char **at; /* empty ones are left out */
    size_t count;
} rec_names;

/* path "-": standard input. Names end with a newline, or with `end` 0 with a NUL. REC_NO_INPUT,
 * REC_IO, REC_LIMIT; REC_BAD_INPUT: a name that does not end with NUL has one in it. */
rec_status rec_names_read(rec_names *names, const char *path, char end, rec_error *error);
void rec_names_free(rec_names *names);

/* ---- stems: stems.c ---- */

/* *stem: a new string. REC_USAGE for a relative path that leaves its folder (..). */
rec_status rec_stem_make(char **stem, const char *name, int parents, rec_error *error);

/* Numbers by the hash of a text. */
typedef struct rec_table {
    struct rec_slot {
        uint64_t hash;
        size_t number; /* + 1; 0: empty */
    } *slots;
    size_t size;       /* a power of two, at least twice the count */
    size_t count;
} rec_table;

#define REC_NO_NUMBER ((size_t)-1)

uint64_t rec_text_hash(const char *text, size_t length);

/* The number that has the hash and whose text, of all by number, is `length` characters of `text`;
 * all NULL: the hash is enough. */
size_t rec_table_find(const rec_table *table, uint64_t hash, char *const *all, const char *text,
                      size_t length);
rec_status rec_table_add(rec_table *table, uint64_t hash, size_t number, rec_error *error);
/* Takes back the number that was added last. */
void rec_table_remove_last(rec_table *table, uint64_t hash, size_t number);
void rec_table_free(rec_table *table);

#endif
