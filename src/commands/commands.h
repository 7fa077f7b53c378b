/* The commands, one file each. */
#pragma once

#include "bench/bench.h"
#include "commands/options.h"
#include "image/stencil.h"
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
/* 1 for --stencil list; and printing that list. */
int command_wants_stencils(const command_line *line);
void command_print_stencils(FILE *stream);
rec_status command_compare(const command_line *line, rec_error *error);
rec_status command_devices(const command_line *line, rec_error *error);
rec_status command_bench(const command_line *line, rec_error *error);
rec_status command_help(const command_line *line, rec_error *error);

/* REC_USAGE if `input` is no file and resembles the name of a command. */
rec_status command_refuse_misspelled(const char *input, rec_error *error);

/* The command of that name, COMMANDS if unknown; and the texts of help and version. */
command_id command_find(const char *name);
void command_print_help(FILE *stream, command_id id);
void command_print_version(FILE *stream);

/* ---- the run command: its options, parsed once, and its jobs without a window ---- */

/* Refuses what can be refused before an input is opened. The settings must not move; the texts of
 * the command line outlive them. After a failure there is nothing to destroy. */
rec_status settings_parse(rec_settings *made, const command_line *line, rec_error *error);
void settings_destroy(rec_settings *settings);

/* REC_USAGE for options that need another one or exclude each other: conflicts.c. */
rec_status conflicts_check(const command_line *line, rec_error *error);

/* REC_USAGE if one of the first `operands` operands is also an output, or if two outputs are one
 * file. conflicts_check calls it without operands: a run checks its files by job/files.h. */
rec_status conflicts_check_files(const command_line *line, size_t operands, rec_error *error);

/* Those of a height field: height_field.c. */
rec_status command_heights(const command_line *line, const rec_write_options *writing,
                           rec_error *error);

/* Edges as the result: edges.c. */
rec_status settings_set_edges(rec_settings *made, const command_line *line, rec_error *error);

/* What is edited inside a mask, into the settings: edit_settings.c. */
rec_status settings_set_edit(rec_settings *made, const command_line *line, rec_error *error);

/* The iterates of --frames-at, into the settings: frames_at.c. */
rec_status frames_at_parse(rec_settings *made, const char *text, rec_error *error);

/* After a command: a device is still starting in a thread, and the process must leave by _exit. */
extern int command_leaves_a_thread;

/* Shows the jobs in a window; REC_SIGNALLED after a signal: reconstruct.c. */
rec_status show_jobs(rec_jobs *jobs, rec_error *error);

/* Runs the jobs without a window; returns the exit code for all jobs: headless.c. */
rec_status headless_run(rec_jobs *jobs, rec_error *error);

/* ---- options that several commands read: choices.c ---- */

/* The stencil of the option --stencil number `index`. */
rec_status choose_stencil(const command_line *line, size_t index, rec_stencil *stencil,
                          rec_error *error);

/* 1 if the stencil is the five-point Laplacian, or if none is given. */
int is_five_point(const command_line *line);

/* 1 if the input of `edges` is the slopes of a height field. */
int has_slopes(const command_line *line);

/* The filters of the options, an array to be freed also after a failure. */
rec_status choose_filters(const command_line *line, rec_problem *problem, rec_error *error);

/* Reads --device and --slabs; REC_UNAVAILABLE for `all` without devices. */
rec_status choose_devices(const command_line *line, rec_solver_options *options, rec_error *error);

/* Reads --boundary and --halo. */
rec_status choose_boundary(const command_line *line, rec_problem *problem, rec_error *error);

/* --rungs of `bench`: numbers, ranges (5-8), names and groups, separated by commas; NULL: all. Sets
 * chosen[index] = 1. REC_USAGE with the unknown part. */
rec_status parse_rungs(bench_problem problem, const char *text,
                       unsigned char chosen[BENCH_MOST_RUNGS], rec_error *error);
/* N or WxH, separated by commas: at most `capacity`, sides least..most. */
rec_status parse_sizes(option_id option, const char *text, size_t least, size_t most,
                       bench_size *sizes, size_t capacity, size_t *count, rec_error *error);

/* The format of --format. */
rec_status choose_format(const command_line *line, rec_write_options *options, rec_error *error);
