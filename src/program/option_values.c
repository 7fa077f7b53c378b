/* The numbers, lists and devices in an option's argument. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "program/program.h"

#define MOST_DEVICE_NUMBER 1023

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

/* ---- devices ---- */

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
