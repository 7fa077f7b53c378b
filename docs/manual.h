/* What the manual page and the completions are made from. For docs/ alone. */
#pragma once

#include "commands/commands.h"

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
