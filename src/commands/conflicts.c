/* Which options need others, and which exclude each other. */
#include <string.h>

#include "commands/run_settings.h"

typedef struct conflict {
    option_id given;
    enum { NEEDS, EXCLUDES } kind;
    option_id other;
    const char *why; /* NULL: nothing more to say */
} conflict;

static const conflict conflicts[] = {
    {OPTION_COMPARE, NEEDS, OPTION_HEADLESS, NULL},
    {OPTION_REPORT, NEEDS, OPTION_HEADLESS, NULL},
    {OPTION_FRAMES_AT, NEEDS, OPTION_HEADLESS, NULL},
    {OPTION_FRAMES_AT, NEEDS, OPTION_FRAMES, NULL},
    {OPTION_FRAMES_LOG, NEEDS, OPTION_FRAMES, NULL},
    {OPTION_MAX_DIFFERENCE, NEEDS, OPTION_COMPARE, NULL},
    {OPTION_CHECKPOINT_EVERY, NEEDS, OPTION_CHECKPOINT, NULL},
    {OPTION_FILES_FROM, NEEDS, OPTION_HEADLESS, NULL},
    {OPTION_NULL, NEEDS, OPTION_FILES_FROM, NULL},
    {OPTION_SHARD, NEEDS, OPTION_HEADLESS, NULL},
    {OPTION_RESUME, NEEDS, OPTION_REPORT, "it tells what is done"},
    {OPTION_OUTPUT_DIR, EXCLUDES, OPTION_OUTPUT, "both name the output"},
    {OPTION_FRAMES_AT, EXCLUDES, OPTION_FRAMES_LOG,
     "one names the frames, the other spaces them"},
    {OPTION_PACE, EXCLUDES, OPTION_HEADLESS, "only a window is watched"},
    {OPTION_FRAMES_AT, EXCLUDES, OPTION_CHECKPOINT, "jumps take no time that could be lost"},
};

/* "--frames FOLDER", for messages. */
static const char *spell(char text[64], option_id id)
{
    const option_row *row = &option_table[id];
    snprintf(text, 64, "--%s%s%s", row->name, row->argument && row->kind != OPTION_WORD ? " " : "",
             row->argument && row->kind != OPTION_WORD ? row->argument : "");
    return text;
}

rec_status conflicts_check(const command_line *line, rec_error *error)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        const conflict *row = &conflicts[i];
        char other[64];
        if (!line->option[row->given].given ||
            line->option[row->other].given == (row->kind == NEEDS))
            continue;
        return rec_fail(error, REC_USAGE, "--%s %s %s%s%s", option_table[row->given].name,
                        row->kind == NEEDS ? "needs" : "cannot be used with",
                        spell(other, row->other), row->why ? ": " : "", row->why ? row->why : "");
    }
    return REC_OK;
}
