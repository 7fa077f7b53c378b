/* The command line: the parser, --help and all documents follow from one table of options. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

/* ---- commands ---- */

typedef enum command_id {
    COMMAND_RUN, COMMAND_HEAL, COMMAND_CLONE, COMMAND_EDGES, COMMAND_CONVOLVE, COMMAND_COMPARE,
    COMMAND_DEVICES, COMMAND_BENCH, COMMAND_HELP, COMMANDS
} command_id;

/* Commands as bits, where an option is accepted. */
#define RUN (1u << COMMAND_RUN)
#define HEAL (1u << COMMAND_HEAL)
#define CLONE (1u << COMMAND_CLONE)
#define EDITS (HEAL | CLONE)
#define EDGES (1u << COMMAND_EDGES)
#define CONVOLVE (1u << COMMAND_CONVOLVE)
#define RUNS (RUN | CONVOLVE)
#define JOBS (RUNS | EDITS)
#define LISTS (RUNS | HEAL | EDGES)
#define COMPARE (1u << COMMAND_COMPARE)
#define BENCH (1u << COMMAND_BENCH)
#define ALL ((1u << COMMANDS) - 1)

/* ---- options ---- */

typedef enum option_id {
    OPTION_HEADLESS, OPTION_PICTURE, OPTION_ITERATIONS, OPTION_TOLERANCE, OPTION_EVERY,
    OPTION_PACE, OPTION_OUTPUT, OPTION_MASK, OPTION_ONTO, OPTION_FROM, OPTION_AT, OPTION_GRADIENT,
    OPTION_SOLVER, OPTION_KERNEL, OPTION_DEVICE, OPTION_SLABS, OPTION_START, OPTION_HALO,
    OPTION_BOUNDARY, OPTION_STENCIL, OPTION_OMEGA, OPTION_FORCE, OPTION_WIDTH, OPTION_NORMALISE,
    OPTION_FLIP, OPTION_NORMALS, OPTION_GREEN, OPTION_SLOPES, OPTION_MEAN, OPTION_BALANCE,
    OPTION_ZERO_LEVEL, OPTION_TONE, OPTION_MAXVAL, OPTION_FORMAT, OPTION_COMPARE,
    OPTION_MAX_DIFFERENCE, OPTION_RELATIVE, OPTION_SHOW, OPTION_REFERENCE, OPTION_FRAMES,
    OPTION_FRAMES_AT, OPTION_FRAMES_LOG, OPTION_CHECKPOINT, OPTION_CHECKPOINT_EVERY, OPTION_REPORT,
    OPTION_FILES_FROM, OPTION_NULL, OPTION_SHARD, OPTION_OUTPUT_DIR, OPTION_PARENTS, OPTION_RESUME,
    OPTION_JOBS, OPTION_QUIET, OPTION_PROBLEM, OPTION_RADII, OPTION_COURSE_REFERENCE,
    OPTION_CREATE_REFERENCE, OPTION_SIZE, OPTION_RUNGS, OPTION_BLOCKS, OPTION_GRID, OPTION_TIME,
    OPTION_JSON, OPTION_BASELINE, OPTION_SVG, OPTION_MINE, OPTION_HELP, OPTION_VERSION, OPTIONS
} option_id;

typedef enum option_kind {
    OPTION_FLAG,   /* takes no argument */
    OPTION_CHOICE, /* takes one of the words in `argument`, whose number is the value's count */
    OPTION_WORD,   /* one of these words, or none: --name, --name WORD */
    OPTION_COUNT,  /* a whole number within low..high */
    OPTION_NUMBER, /* a finite number within low..high */
    OPTION_TEXT,   /* anything; the command looks at it */
    OPTION_TEXTS,  /* any text, and may be repeated: command_line.stencils */
    OPTION_JOURNAL /* a file or none, and may be repeated: --name, --name=FILE, --name X.jsonl */
} option_kind;

/* Two hashes of the settings, one in checkpoints and one in journals, change with these options and
 * with no others: tests/unit/test_options.c. */
enum option_decides {
    DECIDES_ITERATE = 1, /* iterate N: a checkpoint of other values is refused */
    DECIDES_OUTPUT = 2   /* what an input gives: a list that is resumed does it again */
};

typedef struct option_row {
    const char *name;     /* --name */
    char letter;          /* -letter, 0: none */
    option_kind kind;
    const char *argument; /* its name in --help, NULL for a flag */
    double low, high;     /* for counts and numbers, inclusive */
    unsigned commands;    /* where it is accepted: bits (1 << command_id) */
    unsigned bench_problems; /* that it is for, of `bench`: bits (1 << number); 0: all */
    unsigned decides;     /* bits of option_decides */
    const char *help;
} option_row;

extern const option_row option_table[OPTIONS];

/* 1 if the argument may be left out. */
static inline int option_is_optional(const option_row *row)
{
    return row->kind == OPTION_WORD || row->kind == OPTION_JOURNAL;
}

typedef struct option_value {
    int given;
    uint64_t count;
    double number;    /* counts too */
    const char *text; /* as typed */
} option_value;

static inline double option_number(const option_value *value, double otherwise)
{
    return value->given ? value->number : otherwise;
}

static inline int option_is_stdout(const option_value *value)
{
    return value->given && !strcmp(value->text, "-");
}

enum { OPTION_MOST = 64 };

typedef struct option_list { /* of an option that may be repeated, in order */
    const char *at[OPTION_MOST];
    size_t count;
} option_list;

typedef struct command_line {
    option_value option[OPTIONS];
    char **operands; /* what is not an option, in order; points into argv */
    const char *source; /* SOURCE of clone, which is then none of the operands; else NULL */
    size_t operand_count;
    command_id command;
    option_list stencils, journals;
} command_line;

/* Parses argv[1..] for one command; reorders argv. REC_USAGE, with the nearest name for an unknown
 * option. */
rec_status command_line_parse(command_line *parsed, command_id command, int argc, char **argv,
                              rec_error *error);

/* Reads a whole number up to 2^53 at the beginning of a text: 12, 1e6, 2.5k, 10M, 1G; *end: the
 * first character behind it. 0 if there is none. */
int option_read_count(const char *text, const char **end, uint64_t *count);

/* 1 if the whole text is a finite number. */
int option_read_number(const char *text, double *value);

#define OPTION_MOST_COUNT 9007199254740992.0 /* 2^53: every count is exact as a double too */

/* Copies the next part of an option's list with commas, and moves *at behind the part; NULL after
 * the last. REC_USAGE for a part that is empty or too long. */
enum { OPTION_PART = 64 };
rec_status option_next_part(option_id id, const char **at, char part[OPTION_PART],
                            rec_error *error);

/* Numbers with commas, each at most `bound` in magnitude. Returns how many; 0 if one is wrong, or
 * if there are more than `most`. */
size_t option_read_numbers(const char *text, double bound, double *numbers, size_t most);

/* An option's help in that of a command, in `text`, with rows of the tables in place of {formats},
 * {extensions}, {gradients}, {boundaries} and {means}: the boundaries that leave the mean free. */
#define OPTION_HELP_TEXT 640
const char *option_help(option_id id, command_id command, char text[OPTION_HELP_TEXT]);

/* The list of a command's options, for --help. */
void options_print(FILE *stream, command_id command);
