/* What the templates of the completions (docs/reconstruct.bash.in, .zsh.in, .fish.in) take from the
 * tables: rows of fields between tabs, of which each shell makes its own completions.
 *
 * They complete commands, options, the words of options, folders, and images by their extension.
 * Left out on purpose: options written in one word with their letter (-scpu), and lists with commas
 * behind their first part. */
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "docs/manual.h"
#include "image/stencil.h"
#include "solver/solver.h"

/* ---- words, each of them once ---- */

/* What may stand in an option's argument, as far as a shell can know. */
typedef struct choice {
    char words[2048];  /* with blanks between */
    const char *files; /* "images", "folders", "files", or NULL */
} choice;

static int is_there(const choice *in, const char *word, size_t length)
{
    for (const char *at = in->words; *at; at += strspn(at, " ")) {
        const size_t there = strcspn(at, " ");
        if (there == length && !strncmp(at, word, length))
            return 1;
        at += there;
    }
    return 0;
}

static void add(choice *to, const char *word, size_t length)
{
    const size_t used = strlen(to->words);
    if (!is_there(to, word, length) && used + length + 2 <= sizeof to->words)
        snprintf(to->words + used, sizeof to->words - used, "%s%.*s", used ? " " : "", (int)length,
                 word);
}

static void add_word(choice *to, const char *word) { add(to, word, strlen(word)); }

static void put_words(const choice *of, char between)
{
    for (const char *at = of->words; *at; at++)
        putchar(*at == ' ' ? between : *at);
}

/* ---- the argument of an option ---- */

static void add_solvers(choice *to)
{
    const rec_solver_type *type;
    add_word(to, "auto");
    for (size_t i = 0; (type = rec_solver_at(i)); i++)
        add_word(to, type->name);
}

static void add_kernels(choice *to)
{
    const rec_solver_type *type;
    for (size_t i = 0; (type = rec_solver_at(i)); i++)
        for (const char *const *kernel = type->kernels; *kernel; kernel++)
            add_word(to, *kernel);
}

static void add_formats(choice *to)
{
    const rec_format *format;
    for (size_t i = 0; (format = rec_format_at(i)); i++)
        if (format->write)
            add_word(to, format->name);
}

static void add_stencils(choice *to)
{
    const rec_stencil_name *row;
    add_word(to, "list");
    for (size_t i = 0; (row = rec_stencil_name_at(i)); i++)
        add_word(to, row->name);
    to->files = "files";
}

/* The groups that the rungs are in, then their names. */
static void add_rungs(choice *to)
{
    const bench_rung *rung;
    for (size_t i = 0; (rung = bench_rung_at(BENCH_LADDER, i)); i++)
        add_word(to, rung->type->group);
    for (bench_problem problem = BENCH_LADDER; problem <= BENCH_COURSE; problem++)
        for (size_t i = 0; (rung = bench_rung_at(problem, i)); i++)
            add_word(to, rung->name);
}

/* "edges|VALUE|FILE": small letters are words, capitals say what is wanted. */
static void read_argument(choice *to, const char *text, const char *file)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    for (const char *part = text; part; part = strchr(part, '|') ? strchr(part, '|') + 1 : NULL) {
        const size_t length = strcspn(part, "|");
        if (strspn(part, letters) >= length)
            add(to, part, length);
        else if (!strncmp(part, "FILE", 4))
            to->files = file;
        else if (!strncmp(part, "FOLDER", 6))
            to->files = "folders";
        else if (!strncmp(part, "PICTURE", 7) || !strncmp(part, "MASK", 4))
            to->files = "images";
    }
}

static choice find_choice(const option_row *row)
{
    static const struct {
        const char *name;
        void (*add)(choice *to);
    } words[] = {{"solver", add_solvers}, {"kernel", add_kernels}, {"format", add_formats},
                 {"rungs", add_rungs},    {"stencil", add_stencils}};
    choice found = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(row->name, words[i].name)) {
            words[i].add(&found);
            return found;
        }
    const int images = !strcmp(row->name, "start") || !strcmp(row->name, "output");
    read_argument(&found, row->argument, images ? "images" : "files");
    return found;
}

/* The first statement of an option's help. */
static const char *cut_brief(char help[OPTION_HELP_TEXT])
{
    char *end = help;
    for (int depth = 0; *end; end++) { /* within parentheses nothing ends */
        depth += (*end == '(') - (*end == ')');
        if (!depth && (*end == ';' || (*end == '.' && end[1] == ' ')))
            break;
    }
    *end = 0;
    return help;
}

/* ---- the directives ---- */

static void put_command_names(void)
{
    for (int i = COMMAND_RUN + 1; i < COMMANDS; i++)
        printf("%s%s", i > COMMAND_RUN + 1 ? " " : "", command_table[i].name);
}

/* The commands whose operands are images: those that have an output. */
static void put_image_commands(void)
{
    for (int i = 0; i < COMMANDS; i++)
        if (manual_has((command_id)i, OPTION_OUTPUT))
            printf("%s%s", i ? " " : "", manual_name((command_id)i));
}

/* What the formats are called: their endings, or their MIME types. */
static void put_formats(int mime, char between)
{
    choice names = {0};
    const rec_format *format;
    for (size_t i = 0; (format = rec_format_at(i)); i++) {
        const char *name = mime ? format->mime : format->ending;
        if (name)
            add_word(&names, name);
    }
    put_words(&names, between);
}

static void put_image_endings(void) { put_formats(0, '|'); }
static void put_mime_types(void) { put_formats(1, ';'); }

/* COMMAND, SUMMARY */
static void put_command_rows(void)
{
    for (int i = COMMAND_RUN + 1; i < COMMANDS; i++)
        printf("%s\t%s\n", command_table[i].name, command_table[i].summary);
}

/* A field and its tab; no field is empty. Within '' in fish some characters need a backslash. */
static void put_field(const char *text, const char *special)
{
    for (const char *at = text && *text ? text : "-"; *at; at++)
        printf("%s%c", strchr(special, *at) ? "\\" : "", *at);
    putchar('\t');
}

/* COMMANDS, --NAME -L, ARGUMENT or [ARGUMENT], WORDS, FILES, BRIEF */
static void put_row(const char *takers, const option_row *row, const char *help,
                    const char *special)
{
    const choice found = find_choice(row);
    char name[64], argument[128] = "", brief[OPTION_HELP_TEXT];
    snprintf(name, sizeof name, row->letter ? "--%s -%c" : "--%s", row->name, row->letter);
    if (row->argument)
        snprintf(argument, sizeof argument, option_is_optional(row) ? "[%s]" : "%s",
                 row->argument);
    snprintf(brief, sizeof brief, "%s", help);
    put_field(takers, special);
    put_field(name, special);
    put_field(argument, special);
    put_field(found.words, special);
    put_field(found.files, special);
    put_field(cut_brief(brief), special);
    putchar('\n');
}

static void put_rows(const char *special)
{
    for (int id = 0; id < OPTIONS; id++) {
        choice takers = {0};
        char help[OPTION_HELP_TEXT];
        for (int i = 0; i < COMMANDS; i++)
            if (manual_has((command_id)i, (option_id)id))
                add_word(&takers, manual_name((command_id)i));
        put_row(takers.words, &option_table[id], option_help((size_t)id, 0, help), special);
    }
    for (size_t id = 0; id < bench_options.count; id++)
        put_row(manual_name(COMMAND_BENCH), &bench_option_rows[id], bench_option_rows[id].help,
                special);
}

static void put_option_rows(void) { put_rows(""); }
static void put_fish_rows(void) { put_rows("'\\"); }

const manual_directive manual_completions[] = {
    {"@command-names@", put_command_names, 0},   {"@command-rows@", put_command_rows, 1},
    {"@image-commands@", put_image_commands, 0}, {"@image-endings@", put_image_endings, 0},
    {"@option-rows@", put_option_rows, 1},       {"@fish-rows@", put_fish_rows, 1},
    {"@mime-types@", put_mime_types, 0},         {NULL, NULL, 0},
};
