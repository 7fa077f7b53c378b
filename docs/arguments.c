/* What a shell can know of an option's argument: from the tables of options, solvers, kernels,
 * formats and rungs. */
#include <string.h>

#include "bench/bench.h"
#include "docs/manual.h"
#include "image/image.h"
#include "solver/solver.h"

static int is_there(const manual_argument *argument, const char *word, size_t length)
{
    for (const char *at = argument->words; *at; at += strspn(at, " ")) {
        const size_t there = strcspn(at, " ");
        if (there == length && !strncmp(at, word, length))
            return 1;
        at += there;
    }
    return 0;
}

static void add(manual_argument *argument, const char *word, size_t length)
{
    const size_t used = strlen(argument->words);
    if (!is_there(argument, word, length) && used + length + 2 <= sizeof argument->words)
        snprintf(argument->words + used, sizeof argument->words - used, "%s%.*s", used ? " " : "",
                 (int)length, word);
}

void manual_add_word(manual_argument *argument, const char *word)
{
    add(argument, word, strlen(word));
}

void manual_put_words(const manual_argument *argument, char between)
{
    for (const char *at = argument->words; *at; at++)
        putchar(*at == ' ' ? between : *at);
}

static void add_solvers(manual_argument *argument)
{
    const rec_solver_type *type;
    manual_add_word(argument, "auto");
    for (size_t i = 0; (type = rec_solver_at(i)); i++)
        manual_add_word(argument, rec_solver_type_name(type));
}

static void add_kernels(manual_argument *argument)
{
    const rec_solver_type *type;
    for (size_t i = 0; (type = rec_solver_at(i)); i++)
        for (const char *const *kernel = rec_solver_type_kernels(type); *kernel; kernel++)
            manual_add_word(argument, *kernel);
}

static void add_formats(manual_argument *argument)
{
    const rec_format *format;
    for (size_t i = 0; (format = rec_format_at(i)); i++)
        if (format->write)
            manual_add_word(argument, format->name);
}

/* The groups that the rungs are in, then their names. */
static void add_rungs(manual_argument *argument)
{
    bench_about rung;
    for (size_t i = 0; bench_rung_about(BENCH_LADDER, i, &rung); i++)
        manual_add_word(argument, rung.group);
    for (bench_problem problem = BENCH_LADDER; problem <= BENCH_COURSE; problem++)
        for (size_t i = 0; bench_rung_about(problem, i, &rung); i++)
            manual_add_word(argument, rung.name);
}

static int is_word(const char *part, size_t length)
{
    return length && strspn(part, "abcdefghijklmnopqrstuvwxyz0123456789-") >= length;
}

/* "edges|VALUE|FILE": small letters are meant as they stand, capitals say what is wanted. */
static void read_argument(const char *text, manual_files file, manual_argument *argument)
{
    for (const char *part = text; part; part = strchr(part, '|') ? strchr(part, '|') + 1 : NULL) {
        const size_t length = strcspn(part, "|");
        if (is_word(part, length))
            add(argument, part, length);
        else if (!strncmp(part, "FILE", 4))
            argument->files = file;
        else if (!strncmp(part, "FOLDER", 6))
            argument->files = FOLDERS;
        else if (!strncmp(part, "PICTURE", 7))
            argument->files = IMAGES;
    }
}

void manual_find_argument(option_id id, manual_argument *argument)
{
    const option_row *row = &option_table[id];
    *argument = (manual_argument){.files = NO_FILES};
    switch (id) {
    case OPTION_SOLVER: add_solvers(argument); break;
    case OPTION_KERNEL: add_kernels(argument); break;
    case OPTION_FORMAT: add_formats(argument); break;
    case OPTION_RUNGS: add_rungs(argument); break;
    case OPTION_START:
    case OPTION_OUTPUT: read_argument(row->argument, IMAGES, argument); break;
    default: read_argument(row->argument, ANY_FILES, argument); break;
    }
}

const char *manual_brief(const option_row *row, char line[MANUAL_LINE])
{
    char help[OPTION_HELP_TEXT];
    snprintf(line, MANUAL_LINE, "%s", option_help(row, help));
    char *end = line;
    for (int depth = 0; *end; end++) { /* within parentheses nothing ends */
        depth += (*end == '(') - (*end == ')');
        if (!depth && (*end == ';' || (*end == '.' && end[1] == ' ')))
            break;
    }
    *end = 0;
    return line;
}
