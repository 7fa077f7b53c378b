/* From the options of a run to its settings. */
#pragma once

#include "commands/options.h"
#include "image/image_files.h"
#include "job/settings.h"

/* Refuses what can be refused before an input is opened. The settings must not move; the texts of
 * the command line outlive them. After a failure there is nothing to destroy. */
rec_status settings_parse(rec_settings *made, const command_line *line, rec_error *error);
void settings_destroy(rec_settings *settings);

/* 1 if the command opens no window: it has none, or --headless was given or follows. As `given` of
 * that option: there is no display, and the input is taken for what a window would take it for. */
enum { HEADLESS_FOR_LACK = 2 };
int is_headless(const command_line *line);

/* The iterates of --frames-at, into the settings. */
rec_status frames_at_parse(rec_settings *made, const char *text, rec_error *error);

/* --format, into the options for writing. */
rec_status choose_format(const command_line *line, rec_write_options *options, rec_error *error);

/* ---- conflicts.c ---- */

/* 1 if one of these options is given; the list ends with OPTIONS. */
int any_given(const command_line *line, const option_id ids[]);
#define ANY_GIVEN(line, ...) any_given(line, (const option_id[]){__VA_ARGS__, OPTIONS})

/* REC_USAGE with the first refusal that applies; ends with a row without `why`. */
typedef struct refusal {
    int applies;
    const char *why; /* may have one %s, */
    const char *what; /* which is this */
} refusal;
rec_status refuse_first(const refusal refusals[], rec_error *error);

/* REC_USAGE for options that need another one or exclude each other. */
rec_status conflicts_check(const command_line *line, rec_error *error);

/* For a command that writes its files itself: REC_USAGE if two of them are one file, or if one is
 * an operand; REC_NO_OUTPUT if one cannot be created. A run checks its files in job/files.c. */
rec_status conflicts_check_files(const command_line *line, const rec_write_options *writing,
                                 rec_error *error);

/* ---- parse_problem.c ---- */

/* 1 if the input of `edges` is the slopes of a height field. */
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
