#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/status.h"

static void write_string(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t length = rec_utf8_length(at);
        if (*at == '"' || *at == '\\')
            fprintf(stream, "\\%c", *at);
        else if (*at < 0x20)
            fprintf(stream, "\\u%04x", *at);
        else if (length)
            fwrite(at, 1, length, stream);
        else
            fputs("\\ufffd", stream);
        at += length ? length : 1;
    }
    fputc('"', stream);
}

/* What stands before an item's value. */
static void begin_item(rec_json *json, const char *name)
{
    fprintf(json->stream, "%s%s%s", json->follows ? "," : "", json->line ? "\n" : "",
            json->line || json->follows ? " " : "");
    json->line = 0;
    json->follows = 1;
    if (name) {
        write_string(json->stream, name);
        fputs(": ", json->stream);
    }
}

void rec_json_open(rec_json *json, const char *name, char bracket)
{
    begin_item(json, name);
    fputc(bracket, json->stream);
    json->follows = 0;
}

void rec_json_close(rec_json *json, char bracket)
{
    fputs(json->line ? "\n " : "", json->stream);
    fputc(bracket, json->stream);
    json->line = 0;
    json->follows = 1;
}

void rec_json_line(rec_json *json) { json->line = 1; }

void rec_json_text(rec_json *json, const char *name, const char *text)
{
    begin_item(json, name);
    if (text)
        write_string(json->stream, text);
    else
        fputs("null", json->stream);
}

void rec_json_count(rec_json *json, const char *name, uint64_t count)
{
    begin_item(json, name);
    fprintf(json->stream, "%" PRIu64, count);
}

void rec_json_number(rec_json *json, const char *name, double value)
{
    char text[32];
    if (!isfinite(value)) {
        rec_json_text(json, name, NULL);
        return;
    }
    begin_item(json, name);
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    fputs(text, json->stream);
}

void rec_json_rows(rec_json *json, const void *record, const rec_json_row *rows, size_t count)
{
    for (const rec_json_row *row = rows; row < rows + count; row++) {
        const void *at = (const char *)record + row->offset;
        const int is_long = row->size == 8;
        if (row->kind == REC_JSON_TEXT) {
            rec_json_text(json, row->name, is_long ? *(const char *const *)at : at);
        } else if (row->kind == REC_JSON_COUNT) {
            rec_json_count(json, row->name,
                           is_long ? *(const uint64_t *)at : *(const uint32_t *)at);
        } else if (row->kind == REC_JSON_HASH) {
            begin_item(json, row->name);
            fprintf(json->stream, "\"%016" PRIx64 "\"", *(const uint64_t *)at);
        } else {
            const double value = is_long ? *(const double *)at : (double)*(const float *)at;
            const int is_null = row->kind == REC_JSON_POSITIVE && !(value > 0);
            rec_json_number(json, row->name, is_null ? NAN : value);
        }
    }
}
