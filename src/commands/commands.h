/* The commands, one file each. */
#pragma once

#include "commands/options.h"
#include "commands/parse_settings.h"
#include "job/jobs.h"

/* One command. It returns the exit code; `error` then has a message, empty for REC_NO if the answer
 * was printed. */
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
rec_status command_edges(const command_line *line, rec_error *error);
rec_status command_heights(const command_line *line, rec_error *error);
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

/* Moves the first word that is a command's name, and no option's value, to argv[1]. COMMAND_RUN:
 * there is none. */
command_id command_take(int argc, char **argv);

/* The command of that name, COMMANDS if unknown; and the texts of help, `brief` for -h alone, and
 * version. */
command_id command_find(const char *name);
void command_print_help(FILE *stream, command_id id, int brief);
void command_print_version(FILE *stream);

/* After a command: a device is still starting in a thread, and the process must leave by _exit. */
extern int command_leaves_a_thread;

/* Runs the jobs without a window; returns the exit code for all jobs: headless.c. */
rec_status headless_run(rec_jobs *jobs, rec_error *error);
