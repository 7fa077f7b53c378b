#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/paths.h"

locale_t rec_use_plain_numbers(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* takes no memory */
}

const char *rec_plural(uint64_t count) { return count == 1 ? "" : "s"; }

const char *rec_input_name(const char *path)
{
    return rec_path_is_standard(path) ? "standard input" : path;
}

const char *rec_list_words(char *text, size_t size, const char *mark, const char *const *words,
                           size_t count, const char *last)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s%s",
                                 !i ? "" : i + 1 < count ? ", " : last, mark, words[i]);
    return text;
}

char *rec_format_count(char text[32], uint64_t count)
{
    char digits[24], *end = text;
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *end++ = ' ';
        *end++ = digits[i];
    }
    *end = '\0';
    return text;
}

char *rec_format_rate(char text[32], double per_second)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    size_t unit = 0;
    while (per_second >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        per_second /= 1000;
        unit++;
    }
    snprintf(text, 32, per_second < 9.995 ? "%.2f%s" : per_second < 99.95 ? "%.1f%s" : "%.0f%s",
             per_second, units[unit]);
    return text;
}

char *rec_format_seconds(char text[32], double seconds)
{
    const uint64_t whole = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 1000000000;
    if (whole < 3600)
        snprintf(text, 32, "%" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
    else
        snprintf(text, 32, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, whole / 3600, whole / 60 % 60,
                 whole % 60);
    return text;
}

/* Damerau's and Levenshtein's distance: of the first i letters of one and j of the other. */
size_t rec_misspelled(const char *typed, const char *name)
{
    enum { LONGEST = 64 };
    unsigned char distance[LONGEST + 1][LONGEST + 1];
    const size_t rows = strnlen(typed, LONGEST), columns = strnlen(name, LONGEST);
    for (size_t i = 0; i <= rows; i++)
        for (size_t j = 0; j <= columns; j++) {
            size_t least = i + j;
            if (i && j)
                least = rec_smaller(rec_smaller(distance[i - 1][j], distance[i][j - 1]) + 1,
                                    distance[i - 1][j - 1] + (typed[i - 1] != name[j - 1]));
            if (i > 1 && j > 1 && typed[i - 1] == name[j - 2] && typed[i - 2] == name[j - 1])
                least = rec_smaller(least, distance[i - 2][j - 2] + 1);
            distance[i][j] = (unsigned char)least;
        }
    const size_t found = distance[rows][columns];
    return found <= 1 + strlen(name) / 5 ? found : SIZE_MAX;
}
