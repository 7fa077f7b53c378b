/* The options of a command as --help lists them. */
#include <string.h>

#include "commands/options.h"
#include "image/image.h"

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

const char *option_help(const option_row *row, char text[OPTION_HELP_TEXT])
{
    const char *at = row->help, *open = strchr(at, '{');
    char list[REC_FORMAT_LIST];
    if (!open)
        return at;
    rec_format_list(list, open[1] == 'f' ? REC_FORMAT_NAMES : REC_FORMAT_ENDINGS, 0);
    snprintf(text, OPTION_HELP_TEXT, "%.*s%s%s", (int)(open - at), at, list, strchr(open, '}') + 1);
    return text;
}

/* What the options from this one on have in common, where a command has many. */
static const char *const headings[OPTIONS] = {
    [OPTION_HEADLESS] = "Run",       [OPTION_SOLVER] = "Solver",
    [OPTION_START] = "Problem",      [OPTION_TONE] = "Output",
    [OPTION_COMPARE] = "Comparison", [OPTION_FRAMES] = "Frames",
    [OPTION_CHECKPOINT] = "Checkpoints, reports and lists",
    [OPTION_QUIET] = "Other"};

void options_print(FILE *stream, command_id command)
{
    const int many = command == COMMAND_RUN || command == COMMAND_CONVOLVE;
    const char *heading = many ? NULL : "Options";
    for (size_t i = 0; i < OPTIONS; i++) {
        const option_row *row = &option_table[i];
        if (many && headings[i])
            heading = headings[i];
        if (!(row->commands & 1u << command))
            continue;
        if (heading)
            fprintf(stream, "\n%s:\n", heading);
        heading = NULL;
        char left[64], letter[8] = "    ";
        if (row->letter)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        const int may = option_is_optional(row);
        snprintf(left, sizeof left, "%s--%s%s%s%s", letter, row->name,
                 may ? " [" : row->argument ? " " : "", row->argument ? row->argument : "",
                 may ? "]" : "");
        char help[OPTION_HELP_TEXT];
        /* A label that is too long for its column has the line for itself. */
        fprintf(stream, strlen(left) > 27 ? "  %s\n%31s" : "  %-29s", left, "");
        print_wrapped(stream, option_help(row, help), 60, 31);
    }
}
