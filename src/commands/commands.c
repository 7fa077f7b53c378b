#include "commands/commands.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/text.h"
#include "view/view.h"

/* The side of the largest square image that all devices share, each part with ghost rows. */
static size_t side_of_all(const rec_device *devices, size_t count)
{
    const size_t used = count < REC_MOST_DEVICES ? count : REC_MOST_DEVICES;
    const double ghosts = 2 * 64, parts = (double)used;
    double least = (double)devices[0].largest_side;
    for (size_t i = 1; i < used; i++)
        least = fmin(least, (double)devices[i].largest_side);
    /* side * (side / parts + ghosts) = least^2 */
    return (size_t)(parts / 2 * (sqrt(ghosts * ghosts + 4 * least * least / parts) - ghosts));
}

static rec_status print_devices(const command_line *line, rec_error *error)
{
    if (line->operand_count)
        return rec_fail(error, REC_USAGE, "devices takes no arguments");
    rec_device devices[REC_MOST_DEVICES];
    size_t count;
    char memory[32], available[32];
    REC_TRY(rec_devices(devices, REC_MOST_DEVICES, 1, &count, error));
    if (!count)
        printf("no CUDA device: %s\n", error->message);
    for (size_t i = 0; i < count && i < REC_MOST_DEVICES; i++) {
        const rec_device *device = &devices[i];
        printf("device %d: %s, compute capability %d.%d, %d multiprocessors, %s of %s free\n"
               "          largest square grey image that fits now: %zu x %zu pixels\n",
               device->number, device->name, device->major, device->minor,
               device->multiprocessors, rec_format_bytes(available, (double)device->available),
               rec_format_bytes(memory, (double)device->memory), device->largest_side,
               device->largest_side);
    }
    if (count > 1)
        printf("together (--device all): %zu x %zu pixels grey\n", side_of_all(devices, count),
               side_of_all(devices, count));
    printf("memory of the host: %s available\n",
           rec_format_bytes(memory, (double)rec_memory_available()));
    return REC_OK;
}

const command command_table[COMMANDS] = {
    [COMMAND_RUN] = {NULL, "[OPTION]... EDGES...", "reconstruct the picture from its edges",
                     command_run},
    [COMMAND_HEAL] = {"heal", "heal [OPTION]... PICTURE... [--mask MASK]",
                      "fill what a mask covers, smoothly or with texture from the same picture",
                      command_run},
    [COMMAND_CLONE] = {"clone", "clone [OPTION]... SOURCE TARGET",
                       "clone a picture, or the part a mask shows, into another without a seam",
                       command_run},
    [COMMAND_EDGES] = {"edges", "edges [OPTION]... PICTURE... -o EDGES",
                       "compute the edges of a picture (the forward operator)", command_edges},
    [COMMAND_HEIGHTS] = {"heights", "heights [OPTION]... NORMALS -o HEIGHTS",
                         "compute the heights of a normal map, or of slopes", command_edges},
    [COMMAND_CONVOLVE] = {"convolve", "convolve [OPTION]... PICTURE... --stencil NAME|FILE",
                          "filter pictures by any stencil", command_run},
    [COMMAND_COMPARE] = {"compare", "compare [OPTION]... A B",
                         "compare two images: bits, maximum, RMS, PSNR", command_compare},
    [COMMAND_DEVICES] = {"devices", "devices", "list the devices and the largest image that fits",
                         print_devices},
    [COMMAND_BENCH] = {"bench", "bench [OPTION]...",
                       "check and time a ladder of kernels, one idea after the other",
                       command_bench},
    [COMMAND_HELP] = {"help", "help [COMMAND]", "print the help of a command", command_help},
};

const exit_code exit_codes[] = {
    {REC_OK, "done"},
    {REC_NO, "no: bits differ, or the tolerance was not reached"},
    {REC_USAGE, "wrong usage"},
    {REC_BAD_INPUT, "bad input"},
    {REC_NO_INPUT, "cannot open the input"},
    {REC_UNAVAILABLE, "unavailable: device, display, library or program"},
    {REC_FAULT, "internal error"},
    {REC_LIMIT, "out of memory, or another system limit"},
    {REC_NO_OUTPUT, "cannot create the output"},
    {REC_IO, "read or write error"},
    {REC_STOPPED, "stopped with a checkpoint, or another run has inputs of a list: run the same "
                  "command again"},
    {REC_OK, NULL},
};

command_id command_find(const char *name)
{
    int i = COMMAND_RUN + 1;
    while (i < COMMANDS && strcmp(name, command_table[i].name))
        i++;
    return (command_id)i;
}

command_id command_move(int argc, char **argv)
{
    command_line line;
    command_id found = argc > 1 ? command_find(argv[1]) : COMMANDS;
    if (found < COMMANDS || argc < 2)
        return found < COMMANDS ? found : COMMAND_RUN;
    rec_owned char **words = malloc((size_t)argc * sizeof *words); /* which parsing moves */
    int count = 0, at = 0;
    for (; words && count < argc && (!count || strcmp(argv[count], "--")); count++)
        words[count] = argv[count];
    if (count)
        options_parse(&line, &command_options, ~0u, count, words, NULL);
    for (size_t i = 0; count && i < line.operand_count && found == COMMANDS; i++) {
        found = command_find(line.operands[i]);
        while (found < COMMANDS && argv[at] != line.operands[i])
            at++;
    }
    if (found == COMMANDS)
        return COMMAND_RUN;
    char *const name = argv[at];
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = name;
    return found;
}

void command_print_help(FILE *stream, command_id id, int brief)
{
    const command *asked = &command_table[id];
    fprintf(stream, "Usage: reconstruct %s\n", asked->usage);
    for (int i = COMMAND_RUN + 1; id == COMMAND_RUN && !brief && i < COMMANDS; i++)
        fprintf(stream, "       reconstruct %s\n", command_table[i].usage);
    fprintf(stream, "\n%c%s.\n", asked->summary[0] & ~0x20, asked->summary + 1);
    if (id == COMMAND_RUN)
        fputs("Without --headless a window shows the reconstruction live.\n\n"
              "  reconstruct EDGES.png                                   watch the picture appear\n"
              "  reconstruct --headless EDGES.png -o OUT.png             write the exact picture\n"
              "  reconstruct --headless --compare -n 100 EDGES.png       compare bits with the "
              "reference\n"
              "  reconstruct edges PICTURE.png -o EDGES.png              make edges\n"
              "  reconstruct heal PHOTO.jpg                              paint something away\n"
              "  reconstruct clone SOURCE.png TARGET.png -o OUT.png      paste without a seam\n"
              "  reconstruct heights NORMALS.png -o HEIGHTS.png          a height field\n",
              stream);
    option_set options = command_options;
    if (brief || !(option_table[OPTION_OUTPUT].commands & 1u << id)) /* they are few */
        options.headings = NULL;
    options_print(stream, &options, 1u << id, brief);
    if (brief)
        fputs("\n--help lists all commands, options, solvers and exit codes.\n", stream);
    if (brief || id != COMMAND_RUN)
        return;
    fputs("\nSolvers in this build:\n", stream);
    const rec_solver_type *type;
    for (size_t i = 0; (type = rec_solver_at(i)); i++)
        fprintf(stream, "  %-29s%s\n", type->name, type->summary);
    fputs("\nExit codes:\n", stream);
    for (const exit_code *row = exit_codes; row->meaning; row++)
        fprintf(stream, "  %2d  %s\n", (int)row->code, row->meaning);
}

rec_status command_help(const command_line *line, rec_error *error)
{
    if (line->operand_count > 1)
        return rec_fail(error, REC_USAGE, "help takes one command, not %zu", line->operand_count);
    const command_id id = line->operand_count ? command_find(line->operands[0]) : COMMAND_RUN;
    if (id == COMMANDS)
        return rec_fail(error, REC_USAGE, "unknown command %s", line->operands[0]);
    if (id == COMMAND_BENCH) {
        char bench[] = "bench", help[] = "--help", *words[] = {bench, help, NULL};
        return command_bench(&(command_line){.operands = words + 1}, error);
    }
    command_print_help(stdout, id, 0);
    return REC_OK;
}

rec_status command_bench(const command_line *line, rec_error *error)
{
    static const char name[] = "reconstruct-bench";
    char path[PATH_MAX + sizeof name];
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    if (length < 0 && !realpath((const char *)getauxval(AT_EXECFN), path)) /* without /proc */
        path[0] = 0;
    char *const last = strrchr(path, '/');
    strcpy(last ? last + 1 : path, name);
    if (!last || access(path, X_OK))
        return rec_fail(error, REC_UNAVAILABLE, "%s is not installed; install the package %s", path,
                        name);
    rec_ranks_end();
    execv(path, line->operands - 1); /* with the word before them, as argv */
    return rec_fail_system(error, REC_UNAVAILABLE, errno, "%s", path);
}

static int is_absent(const char *input)
{
    return !rec_path_is_standard(input) && access(input, F_OK) && errno == ENOENT;
}

rec_status command_refuse_mistakes(const command_line *line, rec_error *error)
{
    const char *output = line->option[OPTION_OUTPUT].text;
    const size_t count = line->operand_count;
    const size_t inputs = (CLONE | COMPARE) >> line->command & 1 ? 2 : 1;
    if (!count || !((JOBS | EDGES | COMPARE) >> line->command & 1))
        return REC_OK;
    const char *first = line->operands[0], *last = line->operands[count - 1];
    const char *right = *first == '-' ? NULL : option_find_instead(&command_options, RUN, first);
    for (int i = COMMAND_RUN + 1; i < COMMANDS && !right; i++)
        if (rec_misspelled(first, command_table[i].name) < SIZE_MAX)
            right = command_table[i].name;
    if (right && is_absent(first)) /* an input that does not exist may be a command */
        return rec_fail(error, REC_USAGE, "%s: no such file or command\vdid you mean `%s`?", first,
                        right);
    if (count > inputs && is_absent(last) &&
        !ANY_GIVEN(line, OPTION_OUTPUT, OPTION_OUTPUT_DIR, OPTION_REPORT, OPTION_COMPARE))
        return rec_fail(error, REC_USAGE, "%s: no such file\vdid you mean -o %s?", last, last);
    if (line->command == COMMAND_HEAL && count == 2 &&
        !ANY_GIVEN(line, OPTION_MASK, OPTION_OUTPUT_DIR) &&
        (output ? !rec_path_is_folder(output) : strcasestr(rec_path_name(last), "mask") != NULL))
        return rec_fail(error, REC_USAGE, "%s is a second picture to heal\vdid you mean --mask %s?",
                        last, last);
    return REC_OK;
}

void command_print_version(FILE *stream)
{
    char mpi[64];
    const char *library = rec_ranks_library(mpi);
    const struct {
        const char *name;
        int in;
    } parts[] = {
        {"libnetpbm", 1},         {"libpng", REC_HAVE_PNG},        {"libjpeg", REC_HAVE_JPEG},
        {"libtiff", REC_HAVE_TIFF}, {"CUDA", REC_HAVE_CUDA},       {"FFTW", REC_HAVE_FFTW},
        {"SDL2", REC_HAVE_SDL},       {"NVTX", REC_HAVE_NVTX},
        {library ? library : "MPI", library != NULL},
    };
    fprintf(stream, "reconstruct %s\n", rec_version);
    for (int in = 1; in >= 0; in--) {
        const char *before = in ? "built with: " : "built without: ";
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (parts[i].in == in) {
                fprintf(stream, "%s%s", before, parts[i].name);
                before = ", ";
            }
        fputs(*before == ',' ? "\n" : "", stream);
    }
    fprintf(stream, "built by: %s\n", rec_build);
}
