/* The numbers and the lists in an option's argument. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/options.h"

rec_status option_next_part(option_id id, const char **at, char part[OPTION_PART],
                            rec_error *error)
{
    const size_t length = strcspn(*at, ",");
    const int ends_with_comma = (*at)[length] && !(*at)[length + 1];
    if (!length || length >= OPTION_PART || ends_with_comma)
        return rec_fail(error, REC_USAGE, "--%s %s: not a list separated by commas",
                        option_table[id].name, *at);
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
    static const struct {
        char suffix;
        double factor;
    } suffixes[] = {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}};
    char number[64], *end;
    const char *range = strstr(text, "..");
    size_t length = strspn(text, "0123456789.eE+kMG");
    length = range && (size_t)(range - text) < length ? (size_t)(range - text) : length;
    *behind = text + length;
    if (!strspn(text, "0123456789") || length >= sizeof number)
        return 0;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    long double value = strtold(number, &end); /* 2^53 + 1 is another number */
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (*end == suffixes[i].suffix && !end[1]) {
            value *= suffixes[i].factor;
            end++;
        }
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
        if (count == most || option_next_part(OPTION_MEAN, &text, part, NULL) ||
            !option_read_number(part, &numbers[count]) || fabs(numbers[count]) > bound)
            return 0;
    return count;
}
