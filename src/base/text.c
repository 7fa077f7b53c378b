#include "base/text.h"

#include <string.h>

const char *rec_plural(uint64_t count) { return count == 1 ? "" : "s"; }

const char *rec_input_name(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

void rec_print_wrapped(FILE *stream, const char *text, size_t width, int indent)
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

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Damerau's and Levenshtein's distance: row i of the table from the two rows above it. */
size_t rec_misspelled(const char *typed, const char *name)
{
    enum { LONGEST = 64 };
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    const size_t columns = strnlen(name, LONGEST);
    for (size_t j = 0; j <= columns; j++)
        above[j] = j;
    for (size_t i = 1; typed[i - 1]; i++) {
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            row[j] = smaller(smaller(above[j] + 1, row[j - 1] + 1),
                             above[j - 1] + (typed[i - 1] != name[j - 1]));
            if (i > 1 && j > 1 && typed[i - 1] == name[j - 2] && typed[i - 2] == name[j - 1])
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *const oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[columns] <= 1 + strlen(name) / 5 ? above[columns] : SIZE_MAX;
}
