/* Names of files and folders: their parts, and whether two of them are one. */
#ifndef REC_COMMANDS_FILES_H
#define REC_COMMANDS_FILES_H

#include "base/status.h"

/* "a/b.c.pgm" -> "b.c"; standard input is "stdin". A new string, NULL without memory. */
char *file_stem(const char *path);

/* 1 where it is a folder, or is written like one ("a/"). */
int is_folder(const char *path);

/* Makes the folder unless it is there; REC_NO_OUTPUT. */
rec_status create_folder(const char *path, rec_error *error);

/* *path = "folder/stem" and the suffix, a new string; NULL after REC_LIMIT. */
rec_status join_path(char **path, const char *folder, const char *stem, const char *suffix,
                     rec_error *error);

/* 1 where two names mean one regular file, which may not be there yet; "-" means none. */
int is_one_file(const char *a, const char *b);

#endif
