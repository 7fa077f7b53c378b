/* Names of inputs, and the stems of their files.
 *
 * The stem of an input is what its files in folders are called, without ending: the stem of its
 * name, or with --parents its relative path. Two inputs with one stem would overwrite each other's
 * files. */
#ifndef REC_JOB_NAMES_H
#define REC_JOB_NAMES_H

#include <stddef.h>

#include "base/status.h"

/* ---- a list of names from a file ---- */

typedef struct rec_names {
    char **at; /* empty ones are left out */
    size_t count;
} rec_names;

/* path "-": standard input. Names end with a newline, or with `end` 0 with a NUL. REC_NO_INPUT,
 * REC_IO, REC_LIMIT; REC_BAD_INPUT: a name that does not end with NUL has one in it. */
rec_status rec_names_read(rec_names *names, const char *path, char end, rec_error *error);
void rec_names_free(rec_names *names);

/* ---- stems ---- */

/* *stem: a new string. REC_USAGE for a relative path that leaves its folder (..). */
rec_status rec_stem_make(char **stem, const char *name, int parents, rec_error *error);

#endif
