/* Makes the manual page, the completions and the desktop entry out of the program's own tables, at
 * build time:
 *
 *     manual TEMPLATE   the template (docs/reconstruct*.in) with its directives filled in
 *     manual tables     what the tables hold, a line each, for the test that compares them
 *
 * It is linked with the program's objects, so the page describes this build: its solvers, and
 * its window where there is one. Left out on purpose: any markup in the tables' texts but `code`.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bench/bench.h"
#include "docs/manual.h"
#include "image/image_files.h"
#include "image/survey.h"
#include "solver/solver.h"
#if REC_HAVE_SDL
#include "view/window/window.h"
#endif

static _Noreturn void fail(rec_status status, const char *what, const char *where)
{
    fprintf(stderr, "manual: %s%s%s\n", where, *where ? ": " : "", what);
    exit((int)status);
}

/* ---- roff ---- */

/* In bold stands what is typed, where - is the hyphen of ASCII; 0: the font as it is. */
static void put(const char *text, size_t length, char font)
{
    if (font)
        printf("\\f%c", font);
    for (size_t i = 0; i < length; i++) {
        const char one[] = {text[i], 0};
        fputs(text[i] == '\\'                  ? "\\e"
              : text[i] == '^'                 ? "\\(ha"
              : text[i] == '~'                 ? "\\(ti"
              : text[i] == '-' && font == 'B' ? "\\-" : one, stdout);
    }
    fputs(font ? "\\fR" : "", stdout);
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '-')
        length++;
    return length;
}

/* Running text, a line for each sentence: options and `code` become bold, the name of the argument
 * italic. */
static void put_text(const char *text, const char *argument)
{
    int ends = 0; /* a sentence, with the character before */
    fputs(*text == '.' || *text == '\'' ? "\\&" : "", stdout); /* else it would be a request */
    for (size_t length; *text; text += length) {
        length = word_length(text);
        const int option = length > 1 && *text == '-', ended = ends;
        ends = *text == '.';
        if (*text == '`' && strchr(text + 1, '`')) {
            length = strcspn(text + 1, "`");
            put(text + 1, length, 'B');
            length += 2;
        } else if (length) {
            const int named = argument && length == strlen(argument) &&
                              !strncmp(text, argument, length);
            put(text, length, option ? 'B' : named ? 'I' : 0);
        } else {
            length = 1;
            put(*text == ' ' && ended && text[1] != '.' ? "\n" : text, length, 0);
        }
    }
}

/* "edges [OPTION]... PICTURE -o EDGES", "halo|mirror", "edges|VALUE|FILE": what is typed as it
 * stands is bold, what it stands for italic. */
static void put_form(const char *text)
{
    while (*text) {
        const size_t length = word_length(text);
        int small = 0;
        for (size_t i = 0; i < length; i++)
            small |= islower((unsigned char)text[i]);
        put(text, length ? length : 1, !length ? 0 : small ? 'B' : 'I');
        text += length ? length : 1;
    }
}

static void put_option(const option_set *set, size_t id, unsigned commands)
{
    const option_row *row = &set->rows[id];
    char name[64];
    snprintf(name, sizeof name, "--%s", row->name);
    puts(".TP");
    if (row->letter)
        printf("\\fB\\-%c\\fR, ", row->letter);
    put(name, strlen(name), 'B');
    if (row->argument) {
        fputs(option_is_optional(row) ? " [" : " ", stdout);
        put_form(row->argument);
        fputs(option_is_optional(row) ? "]" : "", stdout);
    }
    putchar('\n');
    char help[OPTION_HELP_TEXT];
    put_text(set->help ? set->help(id, commands, help) : row->help, row->argument);
    putchar('\n');
}

/* ---- the directives ---- */

static void put_version(void) { fputs(rec_version, stdout); }

static void put_synopsis(void)
{
    for (int i = 0; i < COMMANDS; i++) {
        printf("%s\\fBreconstruct\\fR ", i ? ".br\n" : "");
        put_form(command_table[i].usage);
        putchar('\n');
    }
}

static void put_commands(void)
{
    for (int i = 0; i < COMMANDS; i++) {
        printf(".SS reconstruct%s%s\n", command_table[i].name ? " " : "",
               command_table[i].name ? command_table[i].name : "");
        putchar(toupper((unsigned char)command_table[i].summary[0]));
        put_text(command_table[i].summary + 1, NULL);
        puts(".");
        if (i == COMMAND_BENCH)
            puts("Its options are those of\n.BR reconstruct\\-bench (1).");
        for (int id = 0; id < OPTIONS; id++)
            if (manual_has((command_id)i, (option_id)id))
                put_option(&command_options, (size_t)id, 1u << i);
    }
}

static void put_bench_options(void)
{
    for (size_t id = 0; id < bench_options.count; id++)
        put_option(&bench_options, id, BENCH_ALL);
}

static void put_solvers(void)
{
    const rec_solver_type *type;
    for (size_t i = 0; (type = rec_solver_at(i)); i++) {
        const char *const *kernels = type->kernels;
        printf(".TP\n\\fB%s\\fR\n", type->name);
        put_text(type->summary, NULL);
        if (*kernels)
            printf(";\nits kernel%s\n", kernels[1] ? "s are" : " is");
        for (size_t k = 0; kernels[k]; k++) {
            printf("%s", k ? kernels[k + 1] ? ",\n" : " and\n" : "");
            put(kernels[k], strlen(kernels[k]), 'B');
        }
        putchar('\n');
    }
}

static void put_rungs(void)
{
    const bench_rung *rung;
    for (bench_problem problem = BENCH_LADDER; problem <= BENCH_COURSE; problem++)
        for (size_t i = 0; (rung = bench_rung_at(problem, i)); i++) {
        printf(".TP\n%d ", rung->number);
        put(rung->name, strlen(rung->name), 'B');
        putchar('\n');
        put_text(rung->idea, NULL);
        putchar('\n');
    }
}

static void put_tones(void)
{
    static const char *const tones[REC_TONE_NAMES] = {
        [REC_TONE_CLAMP] = "values are rounded, and cut off below 0 and above white",
        [REC_TONE_STRETCH] = "the smallest value becomes black, the largest white",
        [REC_TONE_EPCC] = "the exercise's square root of the magnitude, for 8 bits alone",
        [REC_TONE_AUTO] = "clamp while at most 1% of the pixels are cut off, else stretch",
    };
    for (int i = 0; i < REC_TONE_NAMES; i++) {
        if (!tones[i])
            fail(REC_FAULT, "this tone has no words in docs/manual.c", rec_tone_names[i]);
        printf(".TP\n\\fB%s\\fR\n", rec_tone_names[i]);
        put_text(tones[i], NULL);
        putchar('\n');
    }
}

static void put_endings(void)
{
    char list[REC_FORMAT_LIST];
    fputs(rec_format_list(list, REC_FORMAT_ENDINGS, 0), stdout);
}

static void put_formats(void)
{
    const rec_format *format;
    for (size_t i = 0; (format = rec_format_at(i)); i++) {
        if (!format->about)
            continue;
        puts(".TP");
        if (format->write) {
            put(format->name, strlen(format->name), 'B');
            printf(" (%s)\n", format->title);
        } else {
            printf("%s\n", format->title);
        }
        put_text(format->about, NULL);
        puts(".");
    }
}

static void put_exit_codes(void)
{
    for (const exit_code *row = exit_codes; row->meaning; row++) {
        printf(".TP\n\\fB%d\\fR\n", (int)row->code);
        put_text(row->meaning, NULL);
        putchar('\n');
    }
}

static void put_keys(void)
{
#if REC_HAVE_SDL
    for (const rec_key *key = rec_keys; key->name; key++) {
        if (!key->help)
            continue;
        fputs(".TP\n", stdout);
        put(key->name, strlen(key->name), 'B');
        putchar('\n');
        put_text(key->help, NULL);
        putchar('\n');
    }
#endif
}

static const manual_directive directives[] = {
    {"@version@", put_version, 0},       {"@synopsis@", put_synopsis, 1},
    {"@commands@", put_commands, 1},     {"@solvers@", put_solvers, 1},
    {"@tones@", put_tones, 1},           {"@endings@", put_endings, 0},
    {"@formats@", put_formats, 1},       {"@keys@", put_keys, 1},
    {"@exit-codes@", put_exit_codes, 1}, {"@rungs@", put_rungs, 1},
    {"@bench-options@", put_bench_options, 1},
    {NULL, NULL, 0},
};

/* NULL: no directive is of that name. */
static const manual_directive *find_directive(const manual_directive *row, const char *at)
{
    while (row->name && strncmp(at, row->name, strlen(row->name)))
        row++;
    return row->name ? row : NULL;
}

/* A shell has an @ of its own, too. */
static int is_directive(const char *at)
{
    const size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz-");
    return *at == '@' && length && at[length + 1] == '@';
}

/* One line of the template. Between @window@ and @no-window@, and from there to @end@, stands what
 * one of two builds alone has. */
static void put_line(char *line, const char *path, int *shown)
{
    const int window = REC_HAVE_SDL;
    if (!strcmp(line, "@window@\n") || !strcmp(line, "@no-window@\n")) {
        *shown = window == (line[1] == 'w');
        return;
    }
    if (!strcmp(line, "@end@\n")) {
        *shown = 1;
        return;
    }
    for (char *at = line; *shown && *at; at++) {
        if (!is_directive(at)) {
            putchar(*at);
            continue;
        }
        const manual_directive *found = find_directive(directives, at);
        if (!found)
            found = find_directive(manual_completions, at);
        if (!found) {
            line[strcspn(line, "\n")] = 0;
            fail(REC_BAD_INPUT, at, path);
        }
        found->put();
        at += strlen(found->name) - !found->lines;
    }
}

static void fill_in(const char *path)
{
    char line[1024];
    int shown = 1;
    FILE *template = fopen(path, "r");
    if (!template)
        fail(REC_NO_INPUT, strerror(errno), path);
    while (fgets(line, sizeof line, template))
        put_line(line, path, &shown);
    if (ferror(template))
        fail(REC_IO, strerror(errno), path);
    fclose(template);
}

/* ---- the tables, for the test ---- */

static void print_option(const char *of, const option_row *row)
{
    printf("option\t%s\t--%s\n", of, row->name);
    if (row->letter)
        printf("option\t%s\t-%c\n", of, row->letter);
}

static void print_tables(void)
{
    const rec_solver_type *type;
    for (int i = 0; i < COMMANDS; i++) {
        printf("command\t%s\n", manual_name((command_id)i));
        for (int id = 0; id < OPTIONS; id++)
            if (manual_has((command_id)i, (option_id)id))
                print_option(manual_name((command_id)i), &option_table[id]);
    }
    for (size_t id = 0; id < bench_options.count; id++)
        print_option(manual_name(COMMAND_BENCH), &bench_options.rows[id]);
    for (size_t i = 0; (type = rec_solver_at(i)); i++) {
        printf("solver\t%s\n", type->name);
        for (const char *const *kernel = type->kernels; *kernel; kernel++)
            printf("kernel\t%s\n", *kernel);
    }
    for (int i = 0; i < REC_TONE_NAMES; i++)
        printf("tone\t%s\n", rec_tone_names[i]);
    const rec_format *format;
    for (size_t i = 0; (format = rec_format_at(i)); i++)
        if (format->write && format->about)
            printf("format\t%s\n", format->name);
    for (const exit_code *row = exit_codes; row->meaning; row++)
        printf("exit\t%d\n", (int)row->code);
#if REC_HAVE_SDL
    for (const rec_key *key = rec_keys; key->name; key++)
        printf("key\t%s\n", key->name);
#endif
}

int main(int count, char **arguments)
{
    if (count != 2)
        fail(REC_USAGE, "usage: manual TEMPLATE | tables", "");
    if (!strcmp(arguments[1], "tables"))
        print_tables();
    else
        fill_in(arguments[1]);
    if (ferror(stdout) || fclose(stdout))
        fail(REC_IO, strerror(errno), "standard output");
    return 0;
}
