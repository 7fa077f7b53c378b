/* reconstruct convolve: a run whose iterations are filters. */
#include <string.h>

#include "commands/commands.h"
#include "image/stencil.h"

int command_wants_stencils(const command_line *line)
{
    return line->stencils.count && !strcmp(line->stencils.at[0], "list");
}

void command_print_stencils(FILE *stream)
{
    const rec_stencil_name *row;
    for (size_t i = 0; (row = rec_stencil_name_at(i)); i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s%s", row->name, row->parameter ? ":" : "",
                 row->parameter ? row->parameter : "");
        fprintf(stream, "%-16s%s\n", name, row->summary);
    }
}

rec_status command_convolve(const command_line *line, rec_error *error)
{
    if (!line->stencils.count)
        return rec_fail(error, REC_USAGE,
                        "convolve needs --stencil NAME or FILE; --stencil list shows the names");
    return command_run(line, error);
}
