/* JSON, written item by item. The writer sets commas, quotes and escapes; the caller opens and
 * closes objects and arrays in pairs, and checks the stream with ferror. */
#pragma once

#include <stdint.h>
#include <stdio.h>

typedef struct rec_json {
    FILE *stream;
    int follows; /* an item stands before the next one: a comma is due */
    int line;    /* the next item starts a line */
} rec_json;

/* `name` is NULL in an array and at the top. */
void rec_json_open(rec_json *json, const char *name, char bracket); /* { or [ */
void rec_json_close(rec_json *json, char bracket);                  /* } or ] */
void rec_json_line(rec_json *json); /* starts the next item on a new line */

/* Takes any bytes: those that are no UTF-8 become U+FFFD. */
void rec_json_text(rec_json *json, const char *name, const char *text);
void rec_json_count(rec_json *json, const char *name, uint64_t count);
/* With the digits that read back as the same double; null for infinities and NaN. */
void rec_json_number(rec_json *json, const char *name, double value);
void rec_json_null(rec_json *json, const char *name);
