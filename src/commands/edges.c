/* reconstruct edges: the forward operator, by the jobs of the run command. */
#include "commands/commands.h"

#define ZERO_LEVEL 32768.0 /* of 16-bit edges, unless --zero-level says otherwise */

static rec_write_options writing_of(const command_line *line)
{
    return (rec_write_options){
        .maxval = 65535, .tone = REC_TONE_CLAMP, .exact = 1,
        .offset = option_number(&line->option[OPTION_ZERO_LEVEL], ZERO_LEVEL)};
}

rec_status settings_set_edges(rec_settings *made, const command_line *line, rec_error *error)
{
    const rec_format *format = made->writing.format;
    made->makes_edges = 1;
    made->reading.role = REC_PICTURE;
    made->writing = writing_of(line);
    made->writing.format = format;
    return is_five_point(line) ? REC_OK : choose_filters(line, &made->run.problem, error);
}

rec_status command_edges(const command_line *given, rec_error *error)
{
    command_line line = *given;
    option_value *options = line.option;
    const rec_write_options writing = writing_of(&line);
    if (!options[OPTION_OUTPUT].given && !options[OPTION_OUTPUT_DIR].given)
        return rec_fail(error, REC_USAGE, "edges needs -o, the file for the edges");
    if (has_slopes(&line))
        return command_heights(&line, &writing, error);
    options[OPTION_HEADLESS].given = 1;
    /* No solver is created; these choose nothing by default. */
    options[OPTION_SOLVER] = (option_value){.given = 1, .text = "cpu"};
    options[OPTION_ITERATIONS] = (option_value){.given = 1, .count = 1};
    return command_run(&line, error);
}
