/* Names of inputs, and the stems of their files.
 *
 * The stem of an input is what its files in folders are called, without ending: the stem of its
 * name, or with --parents its relative path. Two inputs with one stem would overwrite each other's
 * files. */
#ifndef REC_JOB_NAMES_H
#define REC_JOB_NAMES_H

#include <stddef.h>

#include "base/status.h"

/* ---- a list of names from a file: names.c ---- */

typedef struct rec_names {
    char *text; /* of the whole file */
    char **at;  /* into it; empty names are left out */
    size_t count;
} rec_names;

/* path "-": standard input. Names end with a newline, or with `end` 0 with a NUL. REC_NO_INPUT,
 * REC_IO, REC_LIMIT. */
rec_status rec_names_read(rec_names *names, const char *path, char end, rec_error *error);
void rec_names_free(rec_names *names);

/* ---- stems: stems.c ---- */

/* *stem: a new string. REC_USAGE for a relative path that leaves its folder (..). */
rec_status rec_stem_make(char **stem, const char *name, int parents, rec_error *error);

typedef struct rec_stems { /* a hash table of the stems' indices */
    size_t *slots; /* index + 1; 0: empty */
    size_t size;   /* a power of two, more than twice as many as there are stems */
    size_t count;
} rec_stems;

#define REC_STEM_NONE ((size_t)-1)

/* The index of the stem that equals `length` characters of `text`; `all`: the stems by index. */
size_t rec_stems_find(const rec_stems *stems, char *const *all, const char *text,
                     size_t length);
/* Adds stem `index`; *other is the index of an equal one, which stays alone, or REC_STEM_NONE. */
rec_status rec_stems_add(rec_stems *stems, char *const *all, size_t index,
                        size_t *other, rec_error *error);
/* Takes back the stem that was added last. */
void rec_stems_remove_last(rec_stems *stems, char *const *all, size_t index);
void rec_stems_free(rec_stems *stems);

#endif
