/* The commands, and the table of options that parser, --help and all documents follow from. */
#pragma once

#include "cli/program.h"
#include "job/jobs.h"

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

/* With these options alone the hashes of checkpoints and journals change: test_options.c. */
enum option_decides {
    DECIDES_ITERATE = 1, /* iterate N: a checkpoint of other values is refused */
    DECIDES_OUTPUT = 2   /* what an input gives: a list that is resumed does it again */
};

extern const option_row option_table[OPTIONS];
extern const option_set command_options; /* that table, with its headings and additions */

rec_status command_line_parse(command_line *parsed, command_id id, int argc, char **argv,
                              rec_error *error);

/* An option's help in that of these commands, with rows of the tables in place of {formats},
 * {extensions}, {gradients}, {boundaries} and {means}, the boundaries that leave the mean free. */
const char *option_help(size_t id, unsigned commands, char text[OPTION_HELP_TEXT]);

/* ---- what the commands share ---- */

/* One command. Returns the exit code; the message of REC_NO is empty if the answer was printed. */
typedef struct command {
    const char *name;     /* NULL: the default */
    const char *usage;    /* behind "reconstruct", one line each */
    const char *summary;
    rec_status (*run)(const command_line *line, rec_error *error);
} command;

extern const command command_table[COMMANDS];

/* The exit codes, for --help and the manual; ends with a row without a meaning. */
typedef struct exit_code {
    rec_status code;
    const char *meaning;
} exit_code;

extern const exit_code exit_codes[];

/* heal, clone and convolve, too */
rec_status command_run(const command_line *line, rec_error *error);
rec_status command_edges(const command_line *line, rec_error *error); /* heights, too */
/* 1 for --stencil list; and printing that list. */
int command_wants_stencils(const command_line *line);
void command_print_stencils(FILE *stream);
rec_status command_compare(const command_line *line, rec_error *error);
/* Executes the program reconstruct-bench beside this one with these operands and, as argv[0], the
 * word before them. Returns only where that failed: REC_UNAVAILABLE where it is not there. */
rec_status command_bench(const command_line *line, rec_error *error);
rec_status command_help(const command_line *line, rec_error *error);

/* REC_USAGE for operands that were meant otherwise: as a command, as the output, as the mask. */
rec_status command_refuse_mistakes(const command_line *line, rec_error *error);

/* Moves the first word that is a command, and no option's value, to argv[1]; else COMMAND_RUN. */
command_id command_move(int argc, char **argv);

/* The command of that name, COMMANDS if unknown; texts of --help (`brief`: of -h) and --version. */
command_id command_find(const char *name);
void command_print_help(FILE *stream, command_id id, int brief);
void command_print_version(FILE *stream);

/* After a command: a device is still starting in a thread, and the process must leave by _exit. */
extern int command_leaves_a_thread;

/* ---- from the options of a run to its settings: parse_settings.c ---- */

/* Refuses what can be refused before an input is opened. The settings must not move; the texts of
 * the command line outlive them. After a failure there is nothing to destroy. */
rec_status settings_parse(rec_settings *made, const command_line *line, rec_error *error);
void settings_destroy(rec_settings *settings);

/* The iterates of --frames-at, into the settings. */
rec_status frames_at_parse(rec_settings *made, const char *text, rec_error *error);

/* --format, into the options for writing. */
rec_status choose_format(const command_line *line, rec_write_options *options, rec_error *error);

/* ---- conflicts.c ---- */

/* 1 if one of these options is given; the list ends with OPTIONS. */
int any_given(const command_line *line, const option_id ids[]);
#define ANY_GIVEN(line, ...) any_given(line, (const option_id[]){__VA_ARGS__, OPTIONS})

/* REC_USAGE with the first refusal that applies. */
typedef struct refusal {
    int applies;
    const char *why; /* may have one %s, */
    const char *what; /* which is this */
} refusal;
rec_status refuse_first(const refusal refusals[], rec_error *error);
#define REFUSE(error, ...) refuse_first((const refusal[]){__VA_ARGS__, {0}}, error)

/* REC_USAGE for options that need another one or exclude each other. */
rec_status conflicts_check(const command_line *line, rec_error *error);

/* For a command that writes its files itself: REC_USAGE if two of them are one file, or if one is
 * an operand; REC_NO_OUTPUT if one cannot be created. A run checks its files in job/files.c. */
rec_status conflicts_check_files(const command_line *line, const rec_write_options *writing,
                                 rec_error *error);

/* ---- parse_problem.c ---- */

/* 1 if the command opens no window: it has none, or --headless was given or follows. As `given` of
 * that option: there is no display, and the input is taken for what a window would take it for. */
enum { HEADLESS_FOR_LACK = 2 };
int is_headless(const command_line *line);

/* 1 if the input is the slopes of a height field: of `heights`, or of `edges` if asked. */
int has_slopes(const command_line *line);

/* The name of the solver that the options ask for, where settings->edit.kind is known. */
const char *choose_solver(const command_line *line, const rec_settings *settings);

/* Steps of settings_parse. The solver's is the last: it refuses what it cannot do. */
rec_status settings_set_operators(rec_settings *made, const command_line *line, const char *solver,
                                  rec_error *error);
rec_status settings_set_boundary(rec_settings *made, const command_line *line, rec_error *error);
rec_status settings_set_solver(rec_settings *made, const command_line *line, const char *name,
                               rec_error *error);

/* Makes the settings those of one of several ranks, collectively: all fail if one has failed. */
rec_status settings_share(rec_settings *made, rec_status status, rec_error *error);
