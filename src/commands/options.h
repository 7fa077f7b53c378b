/* The command line: the parser, --help and all documents follow from one table of options. */
#pragma once

#include "cli/program.h"

/* ---- commands ---- */

typedef enum command_id {
    COMMAND_RUN, COMMAND_HEAL, COMMAND_CLONE, COMMAND_EDGES, COMMAND_HEIGHTS,
    COMMAND_CONVOLVE, COMMAND_COMPARE, COMMAND_DEVICES, COMMAND_BENCH, COMMAND_HELP, COMMANDS
} command_id;

/* Commands as bits, where an option is accepted. */
#define RUN (1u << COMMAND_RUN)
#define HEAL (1u << COMMAND_HEAL)
#define CLONE (1u << COMMAND_CLONE)
#define EDITS (HEAL | CLONE)
#define EDGES (1u << COMMAND_EDGES)
#define HEIGHTS (1u << COMMAND_HEIGHTS)
#define CONVOLVE (1u << COMMAND_CONVOLVE)
#define RUNS (RUN | CONVOLVE)
#define JOBS (RUNS | EDITS)
#define LISTS (RUNS | HEAL | EDGES)
#define COMPARE (1u << COMMAND_COMPARE)
#define ALL (((1u << COMMANDS) - 1) & ~(1u << COMMAND_BENCH)) /* that has a table of its own */

/* ---- options ---- */

typedef enum option_id {
#define ROW(id, ...) OPTION_##id,
#include "commands/option_rows.h"
#undef ROW
    OPTIONS
} option_id;

/* Two hashes of the settings, one in checkpoints and one in journals, change with these options and
 * with no others: tests/unit/test_options.c. */
enum option_decides {
    DECIDES_ITERATE = 1, /* iterate N: a checkpoint of other values is refused */
    DECIDES_OUTPUT = 2   /* what an input gives: a list that is resumed does it again */
};

extern const option_row option_table[OPTIONS];
extern const option_set command_options; /* that table, with its headings and additions */

rec_status command_line_parse(command_line *parsed, command_id command, int argc, char **argv,
                              rec_error *error);

/* An option's help in that of these commands, in `text`, with rows of the tables in place of
 * {formats}, {extensions}, {gradients}, {boundaries} and {means}: the boundaries that leave the
 * mean free. */
const char *option_help(size_t id, unsigned commands, char text[OPTION_HELP_TEXT]);
