/* Words around numbers and names, and the name of this build. */
#pragma once

#include <locale.h>
#include <stddef.h>
#include <stdint.h>

/* What this build is called: the last release's tag and what came after it, from the Makefile. */
extern const char rec_version[]; /* version.c */
/* What it was built by: compiler and flags. */
extern const char rec_build[];

/* This thread writes and reads numbers with a point from now on, whatever the locale of the process
 * is and whoever changes it: SDL does, for a moment, and a program that uses the library may.
 * Returns what uselocale() needs to undo it. */
locale_t rec_use_plain_numbers(void);

/* The ending of a regular noun: "" after 1, else "s". */
const char *rec_plural(uint64_t count);

/* "12 345 678"; returns text. */
char *rec_format_count(char text[32], uint64_t count);

/* "12.3 G"; returns text. */
char *rec_format_rate(char text[32], double per_second);

/* "4:05", "2:03:45"; returns text. */
char *rec_format_seconds(char text[32], double seconds);

/* "a, b or c": the words, each behind `mark`, and `last` before the last of them. Returns text. */
const char *rec_list_words(char *text, size_t size, const char *mark, const char *const *words,
                           size_t count, const char *last);

/* The name of an input for people: "standard input" for "-". */
const char *rec_input_name(const char *path);

/* The number of letters to insert, remove, replace, or swap with the next one that turns `typed`
 * into `name`; SIZE_MAX if there are too many for a misspelling. Compares the first 64 letters. */
size_t rec_misspelled(const char *typed, const char *name);
