/* Words around numbers and names. */
#ifndef REC_BASE_TEXT_H
#define REC_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The ending of a regular noun: "" after 1, else "s". */
const char *rec_plural(uint64_t count);

/* The name of an input for people: "standard input" for "-". */
const char *rec_input_name(const char *path);

/* How many letters must be inserted, removed, replaced, or swapped with the next one to make `name`
 * of `typed`, which is probably that, misspelled; SIZE_MAX: it is something else. Only the first 64
 * letters of each count. */
size_t rec_misspelled(const char *typed, const char *name);

#endif
