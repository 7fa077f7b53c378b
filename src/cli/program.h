/* What the programs reconstruct and reconstruct-bench share: how they begin and end, and the parser
 * of a command line by a table of options. Each has a table of its own. */
#pragma once

#include <float.h>
#include <stdint.h>
#include <stdio.h>

#include "base/paths.h"
#include "solver/solver.h"

/* ---- main: program.c ---- */

/* Begins main. `name` stands before what the program says of a failure. */
rec_status program_begin(const char *name, int *argc, char ***argv, rec_error *error);

/* Ends main: says what failed, and for wrong usage which `command` ("reconstruct edges") has a
 * --help. Returns the exit code, or dies of the signal that stopped the program. */
int program_end(rec_status status, rec_error *error, const char *command);

/* ---- a table of options: parser.c ---- */

typedef enum option_kind {
    OPTION_FLAG,   /* takes no argument */
    OPTION_CHOICE, /* takes one of the words in `argument`, whose number is the value's count */
    OPTION_WORD,   /* one of these words, or none: --name, --name WORD */
    OPTION_COUNT,  /* a whole number within low..high */
    OPTION_NUMBER, /* a finite number within low..high; "NAME|word": or that word, which is 0 */
    OPTION_PLACE,  /* X,Y: two whole numbers, at most `high` in magnitude */
    OPTION_TEXT,   /* anything; the command looks at it */
    OPTION_TEXTS,  /* any text, and may be repeated: command_line.texts */
    OPTION_JOURNAL /* a file or none, and may be repeated: --name, --name=FILE, --name X.jsonl */
} option_kind;

typedef struct option_row {
    const char *name;     /* --name */
    char letter;          /* -letter, 0: none */
    option_kind kind;
    const char *argument; /* its name in --help, NULL for a flag */
    double low, high;     /* for counts and numbers, inclusive */
    unsigned commands;    /* where it is accepted: bits, which the program numbers */
    unsigned decides;     /* what it changes, likewise */
    const char *help;
} option_row;

#define OPTION_ABOVE_0 DBL_MIN /* as the lower bound of numbers */

enum { OPTION_MOST_ROWS = 80 };
#define OPTION_HELP_TEXT 640

/* What other programs call it. */
typedef struct option_instead {
    const char *typed;
    unsigned commands; /* where it means that */
    const char *right; /* for "did you mean ...?" */
} option_instead;

/* The options of a program. */
typedef struct option_set {
    const option_row *rows;
    size_t count;                /* at most OPTION_MOST_ROWS */
    const char *const *headings; /* one a row, NULL: as before; NULL: no headings */
    /* A row's help in that of the commands of these bits, in `text`; NULL: the row's own. */
    const char *(*help)(size_t row, unsigned commands, char text[OPTION_HELP_TEXT]);
    const option_instead *instead; /* ends with a row of zeros; NULL: none */
} option_set;

/* What is right in place of a word, also -j8 and --gpu=0. NULL: not known. */
const char *option_find_instead(const option_set *set, unsigned commands, const char *word);

/* 1 if the argument may be left out. */
static inline int option_is_optional(const option_row *row)
{
    return row->kind == OPTION_WORD || row->kind == OPTION_JOURNAL;
}

/* Lists the options of these commands for --help. `brief`: those with a letter, in few words. */
void options_print(FILE *stream, const option_set *set, unsigned commands, int brief);

/* ---- a command line: parser.c ---- */

typedef struct option_value {
    int given;
    uint64_t count;   /* of a flag: 1 if its letter was typed */
    double number;    /* counts too */
    double place[2];
    const char *text; /* as typed */
} option_value;

static inline double option_number(const option_value *value, double otherwise)
{
    return value->given ? value->number : otherwise;
}

static inline int option_is_stdout(const option_value *value)
{
    return value->given && rec_path_descriptor(value->text) == STDOUT_FILENO;
}

enum { OPTION_MOST = 64 };

typedef struct option_list { /* of an option that may be repeated, in order */
    const char *at[OPTION_MOST];
    size_t count;
} option_list;

typedef struct command_line {
    option_value option[OPTION_MOST_ROWS]; /* by the number of its row */
    char **operands; /* what is not an option, in order; points into argv */
    const char *source; /* SOURCE of clone, which is then none of the operands; else NULL */
    size_t operand_count;
    int command; /* as the program numbers them */
    option_list texts, journals; /* of the options of these kinds */
} command_line;

/* Parses argv[1..] by the options of these commands; reorders argv. REC_USAGE with advice. */
rec_status options_parse(command_line *parsed, const option_set *set, unsigned commands, int argc,
                         char **argv, rec_error *error);

/* ---- values ---- */

/* A whole number up to 2^53 that begins a text: 12, 1e6, 2.5k, 1G; *end: behind it. 0: none. */
int option_read_count(const char *text, const char **end, uint64_t *count);

/* 1 if the whole text is a finite number. */
int option_read_number(const char *text, double *value);

#define OPTION_MOST_COUNT 9007199254740992.0 /* 2^53: every count is exact as a double too */

/* Copies the next part of a list with commas, the argument of --name, and moves *at behind the
 * part; NULL after the last. REC_USAGE for a part that is empty or too long. */
enum { OPTION_PART = 64 };
rec_status option_next_part(const char *name, const char **at, char part[OPTION_PART],
                            rec_error *error);

/* Numbers with commas, of a magnitude up to `bound`. Returns how many; 0: wrong, or over `most`. */
size_t option_read_numbers(const char *text, double bound, double *numbers, size_t most);
/* 1: exactly two of them, which are whole. */
int option_read_whole(const char *text, double bound, double place[2]);

/* Reads --device and --slabs; REC_UNAVAILABLE for `all` without devices. */
rec_status option_read_place(const option_value *device, const option_value *slabs,
                             rec_solver_options *options, rec_error *error);
