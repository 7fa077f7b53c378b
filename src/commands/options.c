/* The table of options, and what a command's --help says of them. */
#include "commands/commands.h"

#define OUTPUT DECIDES_OUTPUT
#define ITERATE (DECIDES_ITERATE | DECIDES_OUTPUT)

const option_row option_table[OPTIONS] = {
#define ROW(id, into, name, letter, kind, ...) {name, letter, OPTION_##kind, __VA_ARGS__},
#include "commands/option_rows.h"
#undef ROW
};

/* What holds for an option in some of its commands alone. */
static const struct {
    option_id id;
    unsigned commands; /* bits, as in the table */
    const char *text;
} additions[] = {
    {OPTION_HEADLESS, RUNS, ". Without a display -o is enough"},
    {OPTION_HEADLESS, RUN,
     ". Gives the exact picture unless -n, -t, -s, --kernel or --frames is given"},
    {OPTION_HEADLESS, EDITS, ". With -o no window opens"},
    {OPTION_ITERATIONS, RUN | EDITS | CONVOLVE, "; those of a resumed checkpoint count"},
    {OPTION_ITERATIONS, CONVOLVE, ". The filters are repeated N times (1)"},
    {OPTION_EVERY, RUN, ". With -t the default is 100, or 6400 while the tolerance is far"},
    {OPTION_OUTPUT, RUN | CONVOLVE, "; with several inputs a folder"},
    {OPTION_OUTPUT, COMPARE, ". It is a picture of the differences"},
    {OPTION_TOLERANCE, EDITS,
     ". For the exact picture: no pixel is further off, by estimate (0.01)"},
    {OPTION_START, EDITS, ". Only its samples inside the mask count (the picture's)"},
    {OPTION_OUTPUT, HEAL, "; with several pictures a folder"},
    {OPTION_MASK, RUN, ". Needs --onto. With -o no window opens"},
    {OPTION_MASK, HEAL, ". A folder: its mask with the picture's name. Without --mask it is "
                         "painted in the window"},
    {OPTION_MASK, CLONE, ". It has the size of SOURCE (default: SOURCE's transparency)"},
    {OPTION_MASK, RUN | EDITS, ". nan: pixels that are not finite; nodata: those that the file "
                               "declares so; =VALUE: those of that value"},
    {OPTION_MASK, CLONE, ", in TARGET"},
    {OPTION_MAXVAL, EDITS, "; the default is the picture's"},
    {OPTION_BOUNDARY, RUN | EDGES | CONVOLVE, ". The default is halo"},
    {OPTION_BOUNDARY, EDITS, ". The default is mirror, or with --halo halo"},
    {OPTION_BOUNDARY, RUN, ". With mirror and wrap the edges leave the mean free: see --mean"},
    {OPTION_BOUNDARY, EDGES,
     ". With mirror and wrap the edges leave the mean free; it is printed. With --normals and "
     "--slopes the default is mirror"},
    {OPTION_STENCIL, RUN, ". It is the stencil that made the edges"},
    {OPTION_STENCIL, EDGES | CONVOLVE, "; several are applied in turn"},
    {OPTION_COMPARE, RUN, ". Without -n: after 100 iterations"},
    {OPTION_COMPARE, CONVOLVE, ". Without -n: after one iteration"},
    {OPTION_FRAMES_LOG, RUN, ", -n or -t"},
    {OPTION_FRAMES_LOG, CONVOLVE, " or -n"},
};

/* What `name` in braces stands for: rows of a table. */
static void expand(const char *name, unsigned commands, char *list, size_t size)
{
    const unsigned updates = commands == CONVOLVE ? 0 : rec_problem_use(NULL);
    const unsigned stencils = commands & EDITS  ? 0
                              : commands == RUN ? REC_FOR_INVERSES
                                                : REC_FOR_FILTERS;
    size_t used = 0;
    if (*name == 'f' || *name == 'e')
        rec_format_list(list, *name == 'f' ? REC_FORMAT_NAMES : REC_FORMAT_ENDINGS, 0);
    for (size_t i = 0; *name == 'b' && i < REC_BOUNDARIES; i++) {
        const rec_boundary_row *row = &rec_boundaries[i];
        if (row->uses & (updates | stencils))
            used += (size_t)snprintf(list + used, size - used, "%s%s, %s%s", used ? "; " : "",
                                     row->name, row->help,
                                     !updates || !stencils     ? ""
                                     : !(row->uses & stencils) ? " (without --stencil)"
                                     : !(row->uses & updates)  ? " (with --stencil)"
                                                               : "");
    }
    for (int i = 0; *name == 'g' && i < REC_GRADIENT_ZERO; i++)
        used += (size_t)snprintf(list + used, size - used, "%s%s, %s", i ? "; " : "",
                                 rec_gradients[i].name, rec_gradients[i].help);
    if (*name == 'm')
        rec_boundary_list(list, 0);
}

const char *option_help(size_t id, unsigned commands, char text[OPTION_HELP_TEXT])
{
    const char *help = option_table[id].help, *open = strchrnul(help, '{');
    char list[OPTION_HELP_TEXT] = "";
    if (*open)
        expand(open + 1, commands, list, sizeof list);
    int used = snprintf(text, OPTION_HELP_TEXT, "%.*s%s%s", (int)(open - help), help, list,
                        *open ? strchr(open, '}') + 1 : "");
    for (size_t i = 0; i < sizeof additions / sizeof *additions; i++)
        if (additions[i].id == id && additions[i].commands & commands)
            used += snprintf(text + used, OPTION_HELP_TEXT - (size_t)used, "%s", additions[i].text);
    return text;
}

/* What the options from this one on have in common: what is used most comes first. */
static const char *const headings[OPTIONS] = {
    [OPTION_OUTPUT] = "Most used",     [OPTION_TONE] = "Output",
    [OPTION_FILES_FROM] = "Lists, reports and checkpoints",
    [OPTION_REFERENCE] = "Comparison", [OPTION_FRAMES] = "Frames",
    [OPTION_SOLVER] = "Solver",        [OPTION_STENCIL] = "Problem",
    [OPTION_QUIET] = "Other",          [OPTION_KERNEL] = "For experts"};

#define OPERANDS "`clone SOURCE TARGET --mask MASK -o FILE`"

static const option_instead others[] = {{"inpaint", RUN, "heal"},
                                        {"blend", RUN, "clone"},
                                        {"-m", CLONE, OPERANDS},
                                        {"-t", CLONE, OPERANDS},
                                        {"-g", CLONE, "--gradient"},
                                        {"-h1", CLONE, "--at X,Y"},
                                        {"-w1", CLONE, "--at X,Y"},
                                        {"-m", RUN | HEAL, "--mask MASK"},
                                        {"-i", ALL, "the input alone, without -i"},
                                        {"-j", LISTS, "--jobs N"},
                                        {"--threads", LISTS, "--jobs N"},
                                        {"--gpu", JOBS, "--device NUMBER"},
                                        {"-help", ALL, "--help"},
                                        {"-v", ALL, "`reconstruct --version`"},
                                        {0}};

const option_set command_options = {option_table, OPTIONS, headings, option_help, others};

rec_status command_line_parse(command_line *parsed, command_id id, int argc, char **argv,
                              rec_error *error)
{
    const rec_status status = options_parse(parsed, &command_options, 1u << id, argc, argv, error);
    parsed->command = id;
    return status;
}
