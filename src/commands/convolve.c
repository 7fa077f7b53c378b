/* reconstruct convolve: a run whose iterations are filters. And the filters of the command line. */
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"

static void print_stencils(FILE *stream)
{
    const rec_stencil_name *row;
    for (size_t i = 0; (row = rec_stencil_name_at(i)); i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s%s", row->name, row->parameter ? ":" : "",
                 row->parameter ? row->parameter : "");
        fprintf(stream, "%-16s%s\n", name, row->summary);
    }
}

rec_status choose_stencil(const command_line *line, size_t index, rec_stencil *stencil,
                          rec_error *error)
{
    const option_value *given = line->option;
    const rec_stencil_options options = {.radius = given[OPTION_WIDTH].count,
                                         .normalise = given[OPTION_NORMALISE].given,
                                         .flip = given[OPTION_FLIP].given};
    return rec_stencil_make(stencil, line->texts[index], &options, error);
}

rec_status choose_filters(const command_line *line, rec_operator **filters, rec_error *error)
{
    rec_stencil stencil;
    rec_status status = REC_OK;
    *filters = calloc(line->text_count, sizeof **filters);
    if (!*filters)
        return rec_fail(error, REC_LIMIT, "out of memory for the stencils");
    for (size_t i = 0; !status && i < line->text_count; i++) {
        status = choose_stencil(line, i, &stencil, error);
        if (!status)
            rec_operator_filter(&(*filters)[i], &stencil);
    }
    if (status) {
        free(*filters);
        *filters = NULL;
    }
    return status;
}

rec_status command_convolve(const command_line *line, rec_error *error)
{
    if (!line->text_count)
        return rec_fail(error, REC_USAGE,
                        "convolve needs --stencil NAME or FILE; --stencil list shows the names");
    if (!strcmp(line->texts[0], "list")) {
        print_stencils(stdout);
        return REC_OK;
    }
    return command_run(line, error);
}
