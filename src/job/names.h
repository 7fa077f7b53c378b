/* Names of inputs: a list of them from a file, and what their files in folders are called. */
#pragma once

#include "job/settings.h"

typedef struct rec_names {
    char **at; /* without empty names */
    size_t count;
} rec_names;

/* path "-": standard input. Names end with a newline, or if `end` is 0 with a NUL. REC_NO_INPUT,
 * REC_IO, REC_LIMIT; REC_BAD_INPUT if a name that ends with a newline contains a NUL. */
rec_status rec_names_read(rec_names *names, const char *path, char end, rec_error *error);
void rec_names_free(rec_names *names);

/* The stem of an input: the name of its files in folders, without extension. It is the input's
 * name, or with --parents the relative path. Inputs of one stem would overwrite each other's files.
 * *stem: a new string. REC_USAGE for a relative path that leaves its folder (..). */
rec_status rec_stem_make(char **stem, const char *name, int parents, rec_error *error);
int rec_stem_compare(const void *a, const void *b); /* for trees (tsearch) of stems */

/* "pgm", "ppm", ...: the ending of a name in a folder. */
const char *rec_output_ending(const rec_format *format, size_t planes);

/* *path: a file that is read beside the input `stem`, a new string: `given`, or if that is a folder
 * the image of that stem in it. */
rec_status rec_path_find(char **path, const char *given, const char *stem, rec_error *error);

/* A number that changes with the files that folders in the settings have for the input of that
 * stem; 0: there are no such folders. */
uint64_t rec_hash_folder_files(const rec_settings *settings, const char *stem);

/* *path: the output, or the checkpoint, of the input `stem` with `planes` planes: the file that the
 * settings name, or one in the folder that they name; NULL: none. */
rec_status rec_output_path(const rec_settings *settings, const char *stem, size_t planes,
                           char **path, rec_error *error);
rec_status rec_checkpoint_path(const rec_settings *settings, const char *stem, char **path,
                               rec_error *error);
