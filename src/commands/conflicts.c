/* Which options need others, and which exclude each other. */
#include "commands/commands.h"

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
    {OPTION_KEEP, EXCLUDES, OPTION_COMPARE,
     "the reference iterates, and no iteration keeps colours"},
    {OPTION_OMEGA, NEEDS, OPTION_STENCIL, NULL},
    {OPTION_WIDTH, NEEDS, OPTION_STENCIL, NULL},
    {OPTION_NORMALISE, NEEDS, OPTION_STENCIL, NULL},
    {OPTION_FLIP, NEEDS, OPTION_STENCIL, NULL},
    {OPTION_GREEN, NEEDS, OPTION_NORMALS, NULL},
    {OPTION_GREEN, EXCLUDES, OPTION_SLOPES, "slopes say where they point"},
    {OPTION_FLAT, NEEDS, OPTION_NORMALS, NULL},
    {OPTION_FLAT, EXCLUDES, OPTION_SLOPES, "slopes are not colours"},
    {OPTION_NORMALS, EXCLUDES, OPTION_SLOPES, "one of them says what the input is"},
    {OPTION_NORMALS, EXCLUDES, OPTION_STENCIL, "heights have five-point edges"},
    {OPTION_SLOPES, EXCLUDES, OPTION_STENCIL, "heights have five-point edges"},
    {OPTION_NORMALS, EXCLUDES, OPTION_HALO, "nothing is known around a height field"},
    {OPTION_SLOPES, EXCLUDES, OPTION_HALO, "nothing is known around a height field"},
    {OPTION_SHARD, NEEDS, OPTION_HEADLESS, NULL},
    {OPTION_RESUME, NEEDS, OPTION_REPORT, "it records what is done"},
    {OPTION_PICTURE, EXCLUDES, OPTION_REFERENCE, "the reference is the picture itself"},
    {OPTION_PICTURE, EXCLUDES, OPTION_ZERO_LEVEL, "only edges have one"},
    {OPTION_PICTURE, EXCLUDES, OPTION_MEAN, "it is the picture's"},
    {OPTION_PICTURE, EXCLUDES, OPTION_BALANCE, "the edges of a picture are balanced"},
    {OPTION_OUTPUT_DIR, EXCLUDES, OPTION_OUTPUT, "both name the output"},
    {OPTION_FRAMES_AT, EXCLUDES, OPTION_FRAMES_LOG,
     "one names the frames, the other spaces them"},
    {OPTION_PACE, EXCLUDES, OPTION_HEADLESS, "only a window is watched"},
    {OPTION_FRAMES_AT, EXCLUDES, OPTION_CHECKPOINT, "a jump is too quick to need one"},
};

int any_given(const command_line *line, const option_id ids[])
{
    while (*ids != OPTIONS && !line->option[*ids].given)
        ids++;
    return *ids != OPTIONS;
}

rec_status refuse_first(const refusal refusals[], rec_error *error)
{
    while (refusals->why && !refusals->applies)
        refusals++;
    return refusals->why ? rec_fail(error, REC_USAGE, refusals->why, refusals->what) : REC_OK;
}

/* What no table of pairs says. */
static rec_status check_combination(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const int headless = given[OPTION_HEADLESS].given;
    const int measured = ANY_GIVEN(line, OPTION_REFERENCE, OPTION_PICTURE) &&
                         !given[OPTION_QUIET].given;
    const int shows = ANY_GIVEN(line, OPTION_OUTPUT, OPTION_OUTPUT_DIR, OPTION_COMPARE,
                                OPTION_REPORT, OPTION_FRAMES);
    /* Log-spaced frames are few on the way to any standstill. */
    const int ends = ANY_GIVEN(line, OPTION_FRAMES_AT, OPTION_FRAMES_LOG, OPTION_ITERATIONS,
                               OPTION_TOLERANCE, OPTION_COMPARE);
    return REFUSE(error,
        {headless && !shows && !measured,
         "--headless needs an output: give -o FILE, --compare, --report FILE or --frames FOLDER",
         NULL},
        {rec_path_descriptor(given[OPTION_CHECKPOINT].text) >= 0,
         "--checkpoint %s: must be a file, because it is read again",
         given[OPTION_CHECKPOINT].text},
        {rec_path_is_standard(given[OPTION_REFERENCE].text),
         "--reference -: must be a file, because it is read again", NULL},
        {given[OPTION_FILES_FROM].given && line->operand_count,
         "%s: --files-from lists all inputs; name no other", line->operands[0]},
        {option_is_stdout(&given[OPTION_OUTPUT]) && line->operand_count != 1,
         "stdout takes one picture; for several inputs -o names a folder", NULL},
        {headless && given[OPTION_FRAMES].given && !ends,
         "--frames with a picture every K iterations needs an end, -n N or -t LEVELS; --frames-log "
         "needs none, and --frames-at LIST names the iterates", NULL});
}

static rec_status check_outputs(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const char *output = given[OPTION_OUTPUT].text, *report = given[OPTION_REPORT].text;
    const int descriptor = rec_path_descriptor(output);
    return REFUSE(error,
        {given[OPTION_FORMAT].given &&
             !ANY_GIVEN(line, OPTION_OUTPUT, OPTION_OUTPUT_DIR, OPTION_FRAMES),
         "--format needs an output: give -o FILE", NULL},
        {descriptor >= 0 && rec_path_descriptor(report) == descriptor,
         "the picture and the report cannot both go to %s",
         descriptor == STDOUT_FILENO ? "stdout" : report},
        {output && report && rec_path_is_one_file(output, report),
         "%s: output and report are the same file; give them different names", output});
}

rec_status conflicts_check_files(const command_line *line, const rec_write_options *writing,
                                 rec_error *error)
{
    const char *paths[] = {line->option[OPTION_OUTPUT].text, line->option[OPTION_REPORT].text};
    REC_TRY(check_outputs(line, error));
    for (size_t i = 0; i < 2 * line->operand_count; i++)
        if (paths[i % 2] && rec_path_is_one_file(paths[i % 2], line->operands[i / 2]))
            return rec_fail(error, REC_USAGE, "%s is input and output; use another output",
                            paths[i % 2]);
    for (size_t i = 0; i < 2; i++)
        if (paths[i])
            REC_TRY(rec_output_check(paths[i], 1, error));
    return paths[0] ? rec_write_check(paths[0], 0, writing, error) : REC_OK;
}

rec_status conflicts_check(const command_line *line, rec_error *error)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        const conflict *row = &conflicts[i];
        const int there = option_table[row->other].commands >> line->command & 1;
        if (!line->option[row->given].given || !there ||
            line->option[row->other].given == (row->kind == NEEDS))
            continue;
        const option_row *other = &option_table[row->other];
        const int needed = other->argument && !option_is_optional(other);
        return rec_fail(error, REC_USAGE, "--%s %s --%s%s%s%s%s", option_table[row->given].name,
                        row->kind == NEEDS ? "needs" : "cannot be used with", other->name,
                        needed ? " " : "", needed ? other->argument : "", row->why ? ": " : "",
                        row->why ? row->why : "");
    }
    REC_TRY(check_combination(line, error));
    return check_outputs(line, error);
}
