/* A command line by a table of options, and the table as --help prints it. */
#include "cli/program.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"

#define MOST_DEVICE_NUMBER 1023

/* Where a command line is read. */
typedef struct reader {
    const option_set *set;
    unsigned commands;
    char **next, **end; /* words that are not read yet */
    command_line *parsed;
} reader;

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

/* Parses the value of an option; the whole text must be valid. */
static rec_status parse_value(const option_row *row, const char *text, option_value *value,
                              rec_error *error)
{
    const char *behind;
    *value = (option_value){.given = 1, .text = text}; /* the last one counts */
    if (text && (row->kind == OPTION_WORD || row->kind == OPTION_CHOICE)) {
        const int word = find_word(row->argument, text);
        value->count = (uint64_t)word;
        return word >= 0 ? REC_OK
                         : rec_fail(error, REC_USAGE, "--%s %s: must be one of %s", row->name, text,
                                    row->argument);
    }
    if (row->kind == OPTION_PLACE && !option_read_whole(text, row->high, value->place))
        return rec_fail(error, REC_USAGE, "--%s %s: must be two whole numbers with a comma, at "
                        "most %.15g in magnitude", row->name, text, row->high);
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
                        count ? "whole number up to 2^53, such as 5000, 1e6 or 10k" : "number");
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

/* An option was found, typed as `typed`; text: what stands behind it in the same word, NULL:
 * nothing. Behind an option that needs no argument the next word may be one, or an operand. */
static rec_status accept(reader *from, const option_row *row, const char *typed, const char *text,
                         rec_error *error)
{
    command_line *parsed = from->parsed;
    const char *next = from->next < from->end ? *from->next : NULL;
    const char *dot = next ? strrchr(next, '.') : NULL;
    /* No image has this extension, so it is no operand. */
    const int is_journal = dot && dot > next && !strcmp(dot, ".jsonl");
    if (text && !row->argument)
        return rec_fail(error, REC_USAGE, "--%s takes no argument", row->name);
    if (!text && next && row->argument &&
        (!option_is_optional(row) || (row->kind == OPTION_JOURNAL && is_journal) ||
         (row->kind == OPTION_WORD && find_word(row->argument, next) >= 0))) {
        text = next;
        from->next++;
    }
    if (!text && row->argument && !option_is_optional(row))
        return rec_fail(error, REC_USAGE, "%s needs an argument", typed);
    option_value *value = &parsed->option[row - from->set->rows];
    REC_TRY(parse_value(row, text, value, error));
    if (row->kind == OPTION_FLAG)
        value->count = typed[1] != '-';
    if (!text || (row->kind != OPTION_TEXTS && row->kind != OPTION_JOURNAL))
        return REC_OK;
    option_list *list = row->kind == OPTION_TEXTS ? &parsed->texts : &parsed->journals;
    if (list->count == OPTION_MOST)
        return rec_fail(error, REC_USAGE, "--%s is given more than %d times", row->name,
                        OPTION_MOST);
    list->at[list->count++] = text;
    return REC_OK;
}

/* --name, --name=TEXT, or a beginning of the name that no other option has. */
static rec_status read_name(reader *from, const char *typed, rec_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    const char *text = strchr(typed, '=');
    const option_row *found = NULL, *nearest = NULL, *elsewhere = NULL;
    size_t least = SIZE_MAX, beginning = 0;
    for (size_t i = 0; i < from->set->count; i++) {
        const option_row *row = &from->set->rows[i];
        const size_t distance = rec_misspelled(name, row->name);
        if (!(row->commands & from->commands)) {
            elsewhere = strcmp(name, row->name) ? elsewhere : row;
        } else if (!strcmp(name, row->name)) {
            return accept(from, row, typed, text ? text + 1 : NULL, error);
        } else if (!strncmp(name, row->name, strlen(name))) {
            found = row;
            beginning++;
        } else if (distance < least) {
            least = distance;
            nearest = row;
        }
    }
    if (beginning == 1)
        return accept(from, found, typed, text ? text + 1 : NULL, error);
    if (beginning)
        return rec_fail(error, REC_USAGE, "--%s is ambiguous; write the whole name", name);
    if (elsewhere)
        return rec_fail(error, REC_USAGE, "this command has no option --%s", name);
    return nearest ? rec_fail(error, REC_USAGE, "unknown option --%s\vdid you mean --%s?", name,
                              nearest->name)
                   : rec_fail(error, REC_USAGE, "unknown option --%s", name);
}

/* -n5, or flags and then such an option, run together. */
static rec_status read_letters(reader *from, const char *letters, rec_error *error)
{
    for (const option_row *row; *letters; letters += row->argument ? strlen(letters) : 1) {
        const char typed[] = {'-', *letters, 0};
        size_t i = 0;
        while (i < from->set->count && (from->set->rows[i].letter != *letters ||
                                        !(from->set->rows[i].commands & from->commands)))
            i++;
        if (i == from->set->count)
            return rec_fail(error, REC_USAGE, "unknown option %s", typed);
        row = &from->set->rows[i];
        REC_TRY(accept(from, row, typed, row->argument && letters[1] ? letters + 1 : NULL, error));
    }
    return REC_OK;
}

const char *option_find_instead(const option_set *set, unsigned commands, const char *word)
{
    for (const option_instead *row = set->instead; row && row->typed; row++) {
        const size_t length = strlen(row->typed);
        const int is_letter = row->typed[0] == '-' && length == 2;
        if (row->commands & commands && !strncmp(word, row->typed, length) &&
            (is_letter || !word[length] || word[length] == '='))
            return row->right;
    }
    return NULL;
}

static rec_status advise(const reader *from, const char *word, rec_error *error)
{
    const char *right = option_find_instead(from->set, from->commands, word);
    if (!right || !error)
        return REC_USAGE;
    const rec_error old = *error;
    return rec_fail(error, REC_USAGE, "%.*s\vdid you mean %s?", (int)old.advice, old.message,
                    right);
}

rec_status options_parse(command_line *parsed, const option_set *set, unsigned commands, int argc,
                         char **argv, rec_error *error)
{
    reader from = {set, commands, argv + 1, argv + argc, parsed};
    int ended = 0; /* by --: all others are operands */
    *parsed = (command_line){.operands = argv + 1};
    while (from.next < from.end) {
        char *word = *from.next++;
        if (!ended && !strcmp(word, "--"))
            ended = 1;
        else if (ended || word[0] != '-' || !word[1])
            parsed->operands[parsed->operand_count++] = word;
        else if (word[1] == '-' ? read_name(&from, word, error)
                                : read_letters(&from, word + 1, error))
            return advise(&from, word, error);
    }
    return REC_OK;
}

/* ---- values: numbers, lists and devices ---- */

rec_status option_next_part(const char *name, const char **at, char part[OPTION_PART],
                            rec_error *error)
{
    const size_t length = strcspn(*at, ",");
    const int ends_with_comma = (*at)[length] && !(*at)[length + 1];
    if (!length || length >= OPTION_PART || ends_with_comma)
        return rec_fail(error, REC_USAGE, "--%s %s: not a list separated by commas", name, *at);
    snprintf(part, OPTION_PART, "%.*s", (int)length, *at);
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return REC_OK;
}

int option_read_number(const char *text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return *text && !isspace((unsigned char)*text) && !*end && isfinite(*value) &&
           (!errno || *value == 0);
}

int option_read_count(const char *text, const char **behind, uint64_t *count)
{
    static const char suffixes[] = "kMG";
    static const double factors[] = {1e3, 1e6, 1e9};
    char number[64], *end;
    const char *range = strstr(text, "..");
    size_t length = strspn(text, "0123456789.eE+kMG");
    length = range && (size_t)(range - text) < length ? (size_t)(range - text) : length;
    *behind = text + length;
    if (!strspn(text, "0123456789") || length >= sizeof number)
        return 0;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    long double value = strtold(number, &end); /* 2^53 + 1 is another number */
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    if (suffix)
        value *= factors[suffix - suffixes];
    end += suffix != NULL;
    if (*end || !(value <= OPTION_MOST_COUNT) || value != floorl(value))
        return 0;
    *count = (uint64_t)value;
    return 1;
}

size_t option_read_numbers(const char *text, double bound, double *numbers, size_t most)
{
    char part[OPTION_PART];
    size_t count = 0;
    for (; text; count++)
        if (count == most || option_next_part("", &text, part, NULL) ||
            !option_read_number(part, &numbers[count]) || fabs(numbers[count]) > bound)
            return 0;
    return count;
}

int option_read_whole(const char *text, double bound, double place[2])
{
    return option_read_numbers(text, bound, place, 2) == 2 && place[0] == rint(place[0]) &&
           place[1] == rint(place[1]);
}

rec_status option_read_place(const option_value *device, const option_value *slabs,
                             rec_solver_options *options, rec_error *error)
{
    options->slabs = (size_t)slabs->count;
    if (!device->given)
        return REC_OK;
    const char *const text = device->text;
    if (!strcmp(text, "all")) {
        size_t count;
        rec_devices(NULL, 0, 0, &count, error);
        while (options->device_count < count && options->device_count < REC_MOST_DEVICES) {
            options->devices[options->device_count] = (int)options->device_count;
            options->device_count++;
        }
        return count ? REC_OK : REC_UNAVAILABLE;
    }
    for (const char *at = text; at;) {
        char part[OPTION_PART];
        const char *end;
        uint64_t number;
        REC_TRY(option_next_part("device", &at, part, error));
        if (!option_read_count(part, &end, &number) || *end || number > MOST_DEVICE_NUMBER)
            return rec_fail(error, REC_USAGE,
                            "--device %s: must be numbers from 0 to %d with commas, or all", text,
                            MOST_DEVICE_NUMBER);
        if (options->device_count == REC_MOST_DEVICES)
            return rec_fail(error, REC_USAGE, "--device %s: at most %d devices share an image",
                            text, REC_MOST_DEVICES);
        for (size_t i = 0; i < options->device_count; i++)
            if (options->devices[i] == (int)number)
                return rec_fail(error, REC_USAGE, "--device %s: names device %s twice", text, part);
        options->devices[options->device_count++] = (int)number;
    }
    return REC_OK;
}

/* ---- --help ---- */

/* A paragraph in lines of at most `width` characters, `indent` spaces before all but the first. */
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

void options_print(FILE *stream, const option_set *set, unsigned commands, int brief)
{
    const char *heading = set->headings ? NULL : "Options";
    for (size_t i = 0; i < set->count; i++) {
        const option_row *row = &set->rows[i];
        if (set->headings && set->headings[i])
            heading = set->headings[i];
        if (!(row->commands & commands) || (brief && !row->letter))
            continue;
        if (heading)
            fprintf(stream, "\n%s:\n", heading);
        heading = NULL;
        char left[128], letter[8] = "    ", help[OPTION_HELP_TEXT];
        if (row->letter)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        const int may = option_is_optional(row);
        snprintf(left, sizeof left, "%s--%s%s%s%s", letter, row->name,
                 may ? " [" : row->argument ? " " : "", row->argument ? row->argument : "",
                 may ? "]" : "");
        /* A label that is too long for its column has the line for itself. */
        fprintf(stream, strlen(left) > 27 ? "  %s\n%31s" : "  %-29s", left, "");
        snprintf(help, sizeof help, "%s", row->help);
        const size_t end = strcspn(help, "(:;");
        if (brief)
            help[end - (end && help[end - 1] == ' ')] = 0;
        else if (set->help)
            set->help(i, commands, help);
        print_wrapped(stream, help, 60, 31);
    }
}
