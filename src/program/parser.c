/* What getopt_long finds by a table of options, and the table as --help prints it. */
#include "program/program.h"

#include <getopt.h>

#include "base/text.h"

static rec_status refuse_unknown(const char *typed, const option_set *set, unsigned commands,
                                 rec_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    const option_row *nearest = NULL, *elsewhere = NULL;
    size_t least = SIZE_MAX, beginning = 0;
    for (size_t i = 0; i < set->count; i++) {
        const option_row *row = &set->rows[i];
        if (!(row->commands & commands)) {
            if (!strcmp(name, row->name))
                elsewhere = row;
            continue;
        }
        beginning += !strncmp(row->name, name, strlen(name));
        const size_t distance = rec_misspelled(name, row->name);
        if (distance < least) {
            least = distance;
            nearest = row;
        }
    }
    if (beginning > 1)
        return rec_fail(error, REC_USAGE, "--%s is ambiguous; write the whole name", name);
    if (elsewhere)
        return rec_fail(error, REC_USAGE, "this command has no option --%s", name);
    return rec_fail(error, REC_USAGE, "unknown option --%s%s%s%s", name,
                    nearest ? "; did you mean --" : "", nearest ? nearest->name : "",
                    nearest ? "?" : "");
}

/* The number of a word in "these|words"; -1: it is not there. */
static int find_word(const char *words, const char *text)
{
    const size_t length = strlen(text);
    int i = 0;
    for (const char *at = words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL, i++)
        if (length == strcspn(at, "|") && !strncmp(at, text, length))
            return i;
    return -1;
}

/* No image has this extension, so it is no operand. */
static int is_journal(const char *text)
{
    const size_t length = strlen(text);
    return length > 6 && !strcmp(text + length - 6, ".jsonl");
}

/* Of an option that may be given several times. */
static rec_status keep(option_list *list, const option_row *row, const char *text,
                       rec_error *error)
{
    if (list->count == OPTION_MOST)
        return rec_fail(error, REC_USAGE, "--%s is given more than %d times", row->name,
                        OPTION_MOST);
    list->at[list->count++] = text;
    return REC_OK;
}

/* Parses the value of an option; the whole text must be valid. */
static rec_status parse_value(const option_row *row, const char *text, option_value *value,
                              rec_error *error)
{
    const char *behind;
    value->given = 1;
    value->text = text;
    if (text && (row->kind == OPTION_WORD || row->kind == OPTION_CHOICE)) {
        const int word = find_word(row->argument, text);
        value->count = (uint64_t)word;
        return word >= 0 ? REC_OK
                         : rec_fail(error, REC_USAGE, "--%s %s: must be one of %s", row->name, text,
                                    row->argument);
    }
    if (row->kind != OPTION_COUNT && row->kind != OPTION_NUMBER)
        return REC_OK;
    const int count = row->kind == OPTION_COUNT;
    const char *word = strchr(row->argument, '|');
    if (word && !strcmp(text, word + 1))
        return REC_OK;
    const int good = count ? option_read_count(text, &behind, &value->count) && !*behind
                           : option_read_number(text, &value->number);
    if (!good)
        return rec_fail(error, REC_USAGE, "--%s %s: not a %s", row->name, text,
                        count ? "whole number up to 2^53" : "number");
    if (count)
        value->number = (double)value->count;
    if (value->number < row->low && row->low == OPTION_ABOVE_0)
        return rec_fail(error, REC_USAGE, "--%s %s: must be above 0%s%s", row->name, text,
                        word ? ", or " : "", word ? word + 1 : "");
    if (value->number < row->low || value->number > row->high)
        return rec_fail(error, REC_USAGE, "--%s %s: must be %s %.15g", row->name, text,
                        value->number < row->low ? "at least" : "at most",
                        value->number < row->low ? row->low : row->high);
    return REC_OK;
}

/* The tables of getopt: the value of a long option is LONG and its number. */
enum { LONG = 256 };
static void list_options(const option_set *set, unsigned commands,
                         struct option longs[OPTION_MOST_ROWS + 1],
                         char shorts[2 * OPTION_MOST_ROWS + 2])
{
    *shorts++ = ':'; /* a missing argument is told apart */
    for (int i = 0; i < (int)set->count; i++) {
        const option_row *row = &set->rows[i];
        if (!(row->commands & commands))
            continue;
        *longs++ = (struct option){row->name,
                                   option_is_optional(row) ? optional_argument
                                   : row->argument         ? required_argument
                                                           : no_argument,
                                   NULL, LONG + i};
        if (row->letter)
            *shorts++ = row->letter;
        if (row->letter && row->argument)
            *shorts++ = ':';
    }
}

/* What getopt did not accept. */
static rec_status refuse(int found, const char *typed, const option_set *set, unsigned commands,
                         rec_error *error)
{
    if (found == ':')
        return rec_fail(error, REC_USAGE, "%s needs an argument", typed);
    if (optopt >= LONG)
        return rec_fail(error, REC_USAGE, "--%s takes no argument",
                        set->rows[optopt - LONG].name);
    if (optopt)
        return rec_fail(error, REC_USAGE, "unknown option -%c", optopt);
    return refuse_unknown(typed + strspn(typed, "-"), set, commands, error);
}

static int find_letter(const option_set *set, int letter)
{
    int i = 0;
    while (set->rows[i].letter != letter)
        i++;
    return i;
}

rec_status options_parse(command_line *parsed, const option_set *set, unsigned commands, int argc,
                         char **argv, rec_error *error)
{
    struct option longs[OPTION_MOST_ROWS + 1] = {0};
    char shorts[2 * OPTION_MOST_ROWS + 2] = "";
    list_options(set, commands, longs, shorts);
    *parsed = (command_line){0};
    opterr = 0;
    optind = 0; /* starts GNU getopt over */
    for (;;) {
        const int at = optind ? optind : 1;
        const int found = getopt_long(argc, argv, shorts, longs, NULL);
        if (found == -1)
            break;
        if (found == ':' || found == '?')
            return refuse(found, argv[optind > at ? optind - 1 : at], set, commands, error);
        const int id = found < LONG ? find_letter(set, found) : found - LONG;
        const option_row *row = &set->rows[id];
        char *text = optarg;
        /* A word may stand on its own behind the option; anything else there is an operand. */
        if (!text && optind < argc &&
            ((row->kind == OPTION_WORD && find_word(row->argument, argv[optind]) >= 0) ||
             (row->kind == OPTION_JOURNAL && is_journal(argv[optind]))))
            text = argv[optind++];
        REC_TRY(parse_value(row, text, &parsed->option[id], error));
        if (text && (row->kind == OPTION_TEXTS || row->kind == OPTION_JOURNAL))
            REC_TRY(keep(row->kind == OPTION_TEXTS ? &parsed->texts : &parsed->journals, row,
                         text, error));
    }
    parsed->operands = argv + optind;
    parsed->operand_count = (size_t)(argc - optind);
    return REC_OK;
}

/* ---- --help ---- */

/* Prints a paragraph in lines of at most `width` characters; all but the first begin with `indent`
 * spaces. */
static void print_wrapped(FILE *stream, const char *text, size_t width, int indent)
{
    while (strlen(text) > width) {
        size_t end = width;
        while (end > 1 && text[end] != ' ')
            end--;
        fprintf(stream, "%.*s\n%*s", (int)end, text, indent, "");
        text += end + 1;
    }
    fprintf(stream, "%s\n", text);
}

void options_print(FILE *stream, const option_set *set, unsigned commands)
{
    const char *heading = set->headings ? NULL : "Options";
    for (size_t i = 0; i < set->count; i++) {
        const option_row *row = &set->rows[i];
        if (set->headings && set->headings[i])
            heading = set->headings[i];
        if (!(row->commands & commands))
            continue;
        if (heading)
            fprintf(stream, "\n%s:\n", heading);
        heading = NULL;
        char left[64], letter[8] = "    ", help[OPTION_HELP_TEXT];
        if (row->letter)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        const int may = option_is_optional(row);
        snprintf(left, sizeof left, "%s--%s%s%s%s", letter, row->name,
                 may ? " [" : row->argument ? " " : "", row->argument ? row->argument : "",
                 may ? "]" : "");
        /* A label that is too long for its column has the line for itself. */
        fprintf(stream, strlen(left) > 27 ? "  %s\n%31s" : "  %-29s", left, "");
        print_wrapped(stream, set->help ? set->help(i, commands, help) : row->help, 60, 31);
    }
}
