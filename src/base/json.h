/* JSON, written item by item. The writer sets commas, quotes and escapes; the caller opens and
 * closes objects and arrays in pairs, and checks the stream with ferror. */
#pragma once

#include <stddef.h>
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

/* Takes any bytes: those that are no UTF-8 become U+FFFD. NULL is null. */
void rec_json_text(rec_json *json, const char *name, const char *text);
void rec_json_count(rec_json *json, const char *name, uint64_t count);
/* With the digits that read back as the same double; null for infinities and NaN. */
void rec_json_number(rec_json *json, const char *name, double value);

/* A field of a record. */
typedef struct rec_json_row {
    const char *name;
    enum {
        REC_JSON_TEXT,     /* const char *, or an array of more than 8 char */
        REC_JSON_COUNT,    /* without sign, of 4 or 8 bytes */
        REC_JSON_NUMBER,   /* float or double */
        REC_JSON_POSITIVE, /* the same; null where it is not above 0 */
        REC_JSON_HASH      /* uint64_t, a text of 16 hexadecimal digits */
    } kind;
    size_t offset, size;
} rec_json_row;

#define REC_JSON_ROW(kind, name, record, field) \
    {name, REC_JSON_##kind, offsetof(record, field), sizeof(((record *)0)->field)}

void rec_json_rows(rec_json *json, const void *record, const rec_json_row *rows, size_t count);
#define REC_JSON_ROWS(json, record, rows) \
    rec_json_rows(json, record, rows, sizeof(rows) / sizeof *(rows))
