/* What the manual page and the completions are made from, and the makers. For docs/ alone. */
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

void manual_find_argument(option_id id, manual_argument *argument);

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

/* The commands whose operands are images. */
static inline int manual_takes_images(command_id of)
{
    return of == COMMAND_RUN || of == COMMAND_EDGES || of == COMMAND_COMPARE;
}

/* The extensions of images, with `between` from one to the next. */
void manual_print_endings(const char *between);

void manual_print_bash(void);
void manual_print_zsh(void);
void manual_print_fish(void);

#endif
