/* Which options need others, and which exclude each other. */
#include "base/paths.h"
#include "commands/parse_settings.h"

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
    {OPTION_ONTO, NEEDS, OPTION_MASK, NULL},
    {OPTION_MASK, EXCLUDES, OPTION_STENCIL, "masks are for the five-point Laplacian"},
    {OPTION_MASK, EXCLUDES, OPTION_PICTURE, "--onto names the picture"},
    {OPTION_MASK, EXCLUDES, OPTION_BALANCE, "the pixels around the mask determine the mean"},
    {OPTION_MASK, EXCLUDES, OPTION_FRAMES_AT, "inside a mask no solver jumps to iterates"},
    {OPTION_OMEGA, NEEDS, OPTION_STENCIL, NULL},
    {OPTION_FORCE, NEEDS, OPTION_STENCIL, NULL},
    {OPTION_WIDTH, NEEDS, OPTION_STENCIL, NULL},
    {OPTION_NORMALISE, NEEDS, OPTION_STENCIL, NULL},
    {OPTION_FLIP, NEEDS, OPTION_STENCIL, NULL},
    {OPTION_GREEN, NEEDS, OPTION_NORMALS, NULL},
    {OPTION_NORMALS, EXCLUDES, OPTION_SLOPES, "one of them says what the input is"},
    {OPTION_NORMALS, EXCLUDES, OPTION_STENCIL, "heights have five-point edges"},
    {OPTION_SLOPES, EXCLUDES, OPTION_STENCIL, "heights have five-point edges"},
    {OPTION_NORMALS, EXCLUDES, OPTION_HALO, "nothing is known around a height field"},
    {OPTION_SLOPES, EXCLUDES, OPTION_HALO, "nothing is known around a height field"},
    {OPTION_SHARD, NEEDS, OPTION_HEADLESS, NULL},
    {OPTION_RESUME, NEEDS, OPTION_REPORT, "it tells what is done"},
    {OPTION_PICTURE, EXCLUDES, OPTION_REFERENCE, "the reference is the picture itself"},
    {OPTION_PICTURE, EXCLUDES, OPTION_ZERO_LEVEL, "only edges have one"},
    {OPTION_PICTURE, EXCLUDES, OPTION_MEAN, "it is the picture's"},
    {OPTION_PICTURE, EXCLUDES, OPTION_BALANCE, "the edges of a picture are balanced"},
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
    const int needed = row->argument && !option_is_optional(row);
    snprintf(text, 64, "--%s%s%s", row->name, needed ? " " : "", needed ? row->argument : "");
    return text;
}

/* What no table of pairs says. */
static rec_status check_combination(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const int headless = given[OPTION_HEADLESS].given;
    const int measured = (given[OPTION_REFERENCE].given || given[OPTION_PICTURE].given) &&
                         !given[OPTION_QUIET].given;
    if (headless && !given[OPTION_OUTPUT].given && !given[OPTION_OUTPUT_DIR].given &&
        !given[OPTION_COMPARE].given &&
        !given[OPTION_REPORT].given && !given[OPTION_FRAMES].given && !measured)
        return rec_fail(error, REC_USAGE, "--headless needs an output: give -o FILE, --compare, "
                                          "--report FILE or --frames FOLDER");
    if (given[OPTION_TOLERANCE].given && given[OPTION_TOLERANCE].number == 0)
        return rec_fail(error, REC_USAGE, "--tolerance %s: must be above 0; without -n and -t the "
                        "result is the exact picture", given[OPTION_TOLERANCE].text);
    if (given[OPTION_OMEGA].given && given[OPTION_OMEGA].number == 0)
        return rec_fail(error, REC_USAGE, "--omega %s: must be above 0", given[OPTION_OMEGA].text);
    for (size_t i = 0; i < 2; i++) {
        const option_id id = i ? OPTION_REFERENCE : OPTION_CHECKPOINT;
        if (option_is_stdout(&given[id]))
            return rec_fail(error, REC_USAGE, "--%s -: must be a file, because it is read again",
                            option_table[id].name);
    }
    if (given[OPTION_FILES_FROM].given && line->operand_count)
        return rec_fail(error, REC_USAGE, "%s: --files-from lists all inputs; name no other",
                        line->operands[0]);
    if (option_is_stdout(&given[OPTION_OUTPUT]) && line->operand_count != 1)
        return rec_fail(error, REC_USAGE, "stdout takes the picture of one input; for several, -o "
                                          "names a folder");
    /* Log-spaced frames are few on the way to any standstill. */
    if (headless && given[OPTION_FRAMES].given && !given[OPTION_FRAMES_AT].given &&
        !given[OPTION_FRAMES_LOG].given && !given[OPTION_ITERATIONS].given &&
        !given[OPTION_TOLERANCE].given && !given[OPTION_COMPARE].given)
        return rec_fail(error, REC_USAGE,
                        "--frames with a picture every K iterations needs an end, -n N or "
                        "-t LEVELS; --frames-log needs none, and --frames-at LIST names the "
                        "iterates");
    return REC_OK;
}

rec_status conflicts_check_files(const command_line *line, size_t operands, rec_error *error)
{
    const option_value *given = line->option;
    const char *output = given[OPTION_OUTPUT].text, *report = given[OPTION_REPORT].text;
    if (given[OPTION_FORMAT].given && !output && !given[OPTION_OUTPUT_DIR].given &&
        !given[OPTION_FRAMES].given)
        return rec_fail(error, REC_USAGE, "--format needs an output: give -o FILE");
    if (option_is_stdout(&given[OPTION_OUTPUT]) && option_is_stdout(&given[OPTION_REPORT]))
        return rec_fail(error, REC_USAGE, "the picture and the report cannot both go to stdout");
    if (output && report && rec_path_is_one_file(output, report))
        return rec_fail(error, REC_USAGE, "%s and %s are the same file; output and report need "
                        "different files", output, report);
    for (size_t i = 0; i < 2 * operands; i++) {
        const char *path = i % 2 ? report : output;
        if (path && rec_path_is_one_file(path, line->operands[i / 2]))
            return rec_fail(error, REC_USAGE, "%s is input and output; use another output", path);
    }
    return REC_OK;
}

rec_status conflicts_check(const command_line *line, rec_error *error)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        const conflict *row = &conflicts[i];
        const int there = option_table[row->other].commands >> line->command & 1;
        char other[64];
        if (!line->option[row->given].given || !there ||
            line->option[row->other].given == (row->kind == NEEDS))
            continue;
        return rec_fail(error, REC_USAGE, "--%s %s %s%s%s", option_table[row->given].name,
                        row->kind == NEEDS ? "needs" : "cannot be used with",
                        spell(other, row->other), row->why ? ": " : "", row->why ? row->why : "");
    }
    const rec_status status = check_combination(line, error);
    return status ? status : conflicts_check_files(line, 0, error);
}
