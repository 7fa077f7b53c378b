/* What the manual page and the completions are made from. For docs/ alone. */
#ifndef DOCS_MANUAL_H
#define DOCS_MANUAL_H

#include <stdio.h>

#include "commands/commands.h"

/* What may stand in an option's argument, as far as a shell can know: words, and files. */
typedef enum manual_files { NO_FILES, IMAGES, FOLDERS, ANY_FILES } manual_files;

typedef struct manual_argument {
    char words[2048]; /* with blanks between */
    manual_files files;
} manual_argument;

/* Of an option without one: no words and no files. */
void manual_find_argument(option_id id, manual_argument *argument);
void manual_add_word(manual_argument *argument, const char *word); /* unless it is there */
void manual_put_words(const manual_argument *argument, char between);

/* One line of the option's help: its first statement. */
#define MANUAL_LINE 256
const char *manual_brief(const option_row *row, char line[MANUAL_LINE]);

static inline int manual_has(command_id of, option_id id)
{
    return (option_table[id].commands & 1u << of) != 0;
}

/* The name that a command has in the completions and in the list of tables. */
static inline const char *manual_name(command_id of)
{
    return command_table[of].name ? command_table[of].name : "run";
}

/* What stands between two @ in a template, and what it becomes. */
typedef struct manual_directive {
    const char *name; /* with both @ */
    void (*put)(void);
    int lines;        /* whole lines: the directive's own line goes */
} manual_directive;

extern const manual_directive manual_completions[]; /* ends with the name NULL */

#endif
