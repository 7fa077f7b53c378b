#include "commands/commands.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/trace.h"
#include "base/version.h"
#include "bench/bench.h"
#include "image/image.h"
#include "solver/solver.h"
#include "view/view.h"

#define MOST_DEVICE_NUMBER 1023

const command command_table[COMMANDS] = {
    [COMMAND_RUN] = {NULL, "[OPTION]... EDGES...", "reconstruct the picture from its edges",
                     command_run},
    [COMMAND_EDGES] = {"edges", "edges [OPTION]... PICTURE -o EDGES",
                       "compute the edges of a picture (the forward operator)", command_edges},
    [COMMAND_CONVOLVE] = {"convolve", "convolve [OPTION]... PICTURE... --stencil NAME|FILE",
                          "filter pictures by any stencil", command_convolve},
    [COMMAND_COMPARE] = {"compare", "compare [OPTION]... A B",
                         "compare two images: bits, maximum, RMS, PSNR", command_compare},
    [COMMAND_DEVICES] = {"devices", "devices",
                         "list the devices and the largest image that fits",
                         command_devices},
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
    {REC_UNAVAILABLE, "unavailable: device, display or library"},
    {REC_FAULT, "internal error"},
    {REC_LIMIT, "out of memory, or another system limit"},
    {REC_NO_OUTPUT, "cannot create the output"},
    {REC_IO, "read or write error"},
    {REC_STOPPED, "stopped by a signal, checkpoint written: run the same command to continue"},
    {REC_OK, NULL},
};

/* As one paragraph. */
static void print_exit_codes(FILE *stream)
{
    enum { WIDTH = 96 };
    char text[1024];
    size_t used = (size_t)snprintf(text, sizeof text, "Exit codes:");
    for (const exit_code *row = exit_codes; row->meaning && used < sizeof text; row++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %d %s%s", (int)row->code,
                                 row->meaning, row[1].meaning ? ";" : ".");
    const char *line = text;
    while (strlen(line) > WIDTH) {
        int end = WIDTH;
        while (line[end] != ' ')
            end--;
        fprintf(stream, "%.*s\n", end, line);
        line += end + 1;
    }
    fprintf(stream, "%s\n", line);
}

command_id command_find(int argc, char **argv)
{
    for (int i = 0; i < COMMANDS; i++)
        if (argc > 1 && command_table[i].name && !strcmp(argv[1], command_table[i].name))
            return (command_id)i;
    return COMMAND_RUN;
}

static void print_bench_help(FILE *stream)
{
    bench_about rung;
    static const char *const problems[] = {[BENCH_LADDER] = "ladder",
                                           [BENCH_COURSE] = "convolution"};
    for (bench_problem problem = BENCH_LADDER; problem <= BENCH_COURSE; problem++) {
        fprintf(stream, "\n--problem %s, columns of the table:\n", problems[problem]);
        bench_explain_columns(stream, problem);
        fputs("\nrungs (--rungs takes numbers, ranges, names, and cpu, gpu, shipped):\n", stream);
        for (size_t i = 0; bench_rung_about(problem, i, &rung); i++)
            fprintf(stream, "  %2d %-26s%s\n", rung.number, rung.name, rung.idea);
    }
}

void command_print_help(FILE *stream, command_id id)
{
    const command *asked = &command_table[id];
    fprintf(stream, "Usage: reconstruct %s\n", asked->usage);
    for (int i = 0; id == COMMAND_RUN && i < COMMANDS; i++)
        if (i != COMMAND_RUN)
            fprintf(stream, "       reconstruct %s\n", command_table[i].usage);
    fprintf(stream, "\n%c%s.\n", asked->summary[0] & ~0x20, asked->summary + 1);
    if (id == COMMAND_RUN)
        fputs("Without --headless a window shows the reconstruction live.\n\n"
              "  reconstruct EDGES.pgm                                   watch it appear\n"
              "  reconstruct --headless -n 1000 EDGES.pgm -o OUT.pgm     write a file\n"
              "  reconstruct --headless --compare -n 100 EDGES.pgm       compare bits with the reference\n",
              stream);
    fputs("\nOptions:\n", stream);
    options_print(stream, id);
    if (id == COMMAND_BENCH)
        print_bench_help(stream);
    if (id != COMMAND_RUN)
        return;
    fputs("\nSolvers in this build:\n", stream);
    const rec_solver_type *type;
    for (size_t i = 0; (type = rec_solver_at(i)); i++)
        fprintf(stream, "  %-29s%s\n", rec_solver_type_name(type), rec_solver_type_summary(type));
    fputc('\n', stream);
    print_exit_codes(stream);
}

rec_status command_help(const command_line *line, rec_error *error)
{
    if (line->operand_count > 1)
        return rec_fail(error, REC_USAGE, "help takes one command, not %zu", line->operand_count);
    int id = COMMAND_RUN;
    while (line->operand_count && ++id < COMMANDS)
        if (!strcmp(line->operands[0], command_table[id].name))
            break;
    if (id == COMMANDS)
        return rec_fail(error, REC_USAGE, "unknown command %s", line->operands[0]);
    command_print_help(stdout, (command_id)id);
    return REC_OK;
}

/* What was typed as an input may be a command that was misspelled. */
rec_status command_refuse_misspelled(const char *input, rec_error *error)
{
    for (int i = COMMAND_RUN + 1; i < COMMANDS; i++)
        if (rec_is_near(input, command_table[i].name) && access(input, F_OK))
            return rec_fail(error, REC_USAGE, "%s: no such file or command; did you mean `%s`?",
                            input, command_table[i].name);
    return REC_OK;
}

void command_print_version(FILE *stream)
{
    const struct {
        const char *name;
        int in;
    } parts[] = {
        {"libnetpbm", 1},            {"libpng", REC_HAVE_PNG}, {"libjpeg", REC_HAVE_JPEG},
        {"CUDA", REC_HAVE_CUDA},     {"FFTW", REC_HAVE_FFTW},  {"cuFFT", REC_HAVE_CUFFT},
        {"SDL2", rec_view_available()},
#ifdef _OPENMP
        {"OpenMP", 1},
#else
        {"OpenMP", 0},
#endif
        {"NVTX", rec_trace_available()},
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
}

void print_input_notes(const char *input, const rec_image_info *info)
{
    if (info->alpha)
        fprintf(stderr, "note: %s has transparency; it is composed over black\n", input);
}

static void print_place(FILE *stream, const rec_pixel *place)
{
    fprintf(stream, "column %zu, row %zu, plane %zu", place->x, place->y, place->plane);
}

void print_difference(FILE *stream, const rec_difference *difference, const char *a, const char *b)
{
    fprintf(stream, "%s and %s: ", a, b);
    if (!difference->differing) {
        fprintf(stream, "all %zu samples are equal, bit for bit\n", difference->samples);
        return;
    }
    fprintf(stream, "%zu of %zu samples differ, the first at ", difference->differing,
            difference->samples);
    print_place(stream, &difference->first);
    fprintf(stream, "\nmaximum %.9g at ", difference->maximum);
    print_place(stream, &difference->largest);
    fprintf(stream, ", %" PRIu32 " ULP, RMS %.9g, PSNR %.2f dB\n", difference->ulps,
            difference->rms, difference->psnr);
    if (difference->beyond) {
        fprintf(stream, "%zu of %zu samples exceed the relative tolerance, the first at ",
                difference->beyond, difference->samples);
        print_place(stream, &difference->first_beyond);
        fputc('\n', stream);
    }
}

rec_status judge_difference(const rec_difference *difference, int tolerates, double most,
                            rec_error *error)
{
    if (!difference->differing || (tolerates && difference->maximum <= most))
        return REC_OK;
    if (tolerates)
        return rec_fail(error, REC_NO, "a difference of %.9g exceeds %.9g", difference->maximum,
                        most);
    return rec_fail(error, REC_NO, "%zu samples differ", difference->differing);
}

/* "halo, mirror or wrap" */
static void list_boundaries(char text[128], unsigned kinds)
{
    size_t length = 0;
    for (int i = 0; i < REC_BOUNDARIES; i++)
        if (kinds >> i & 1)
            length += (size_t)snprintf(text + length, 128 - length, "%s%s",
                                       !length           ? ""
                                       : kinds >> i == 1 ? " or "
                                                         : ", ",
                                       rec_boundary_names[i]);
}

rec_status choose_boundary(const command_line *line, unsigned kinds, rec_boundary *boundary,
                           rec_error *error)
{
    const option_value *kind = &line->option[OPTION_BOUNDARY], *halo = &line->option[OPTION_HALO];
    *boundary = (rec_boundary){.value = halo->given ? (float)halo->number : 0};
    while (kind->given && (!(kinds & REC_BOUNDARY_BIT(boundary->kind)) ||
                           strcmp(kind->text, rec_boundary_names[boundary->kind])))
        if (++boundary->kind == REC_BOUNDARIES) {
            char names[128];
            list_boundaries(names, kinds);
            return rec_fail(error, REC_USAGE, "--boundary %s: must be %s", kind->text, names);
        }
    if (boundary->kind != REC_BOUNDARY_HALO && halo->given)
        return rec_fail(error, REC_USAGE,
                        "--halo is the constant around the picture; --boundary %s has no constant",
                        rec_boundary_names[boundary->kind]);
    if (halo->given && fabs(halo->number) > REC_MAX_MAGNITUDE)
        return rec_fail(error, REC_BAD_INPUT, "--halo %s: must be at most %g in magnitude",
                        halo->text, REC_MAX_MAGNITUDE);
    return REC_OK;
}

/* One number of the list, which the text then goes on behind. */
static int next_device(const char **text, int *device)
{
    char *end;
    const long number = strtol(*text, &end, 10);
    if (**text < '0' || **text > '9' || number > MOST_DEVICE_NUMBER || (*end && *end != ','))
        return 0;
    *device = (int)number;
    *text = *end ? end + 1 : end;
    return *end != ',' || **text; /* nothing is behind the last comma */
}

static rec_status read_devices(const char *text, rec_solver_options *options, rec_error *error)
{
    for (const char *at = text; *at || !options->device_count;) {
        int device;
        if (options->device_count == REC_MOST_DEVICES)
            return rec_fail(error, REC_USAGE, "--device %s: at most %d devices share an image",
                            text, REC_MOST_DEVICES);
        if (!next_device(&at, &device))
            return rec_fail(error, REC_USAGE,
                            "--device %s: must be numbers from 0 to %d with commas, or all", text,
                            MOST_DEVICE_NUMBER);
        for (size_t i = 0; i < options->device_count; i++)
            if (options->devices[i] == device)
                return rec_fail(error, REC_USAGE, "--device %s: names device %d twice", text,
                                device);
        options->devices[options->device_count++] = device;
    }
    return REC_OK;
}

rec_status choose_devices(const command_line *line, rec_solver_options *options, rec_error *error)
{
    const option_value *device = &line->option[OPTION_DEVICE];
    options->slabs = (size_t)line->option[OPTION_SLABS].count;
    if (!device->given)
        return REC_OK;
    options->where = REC_ON_DEVICE;
    if (strcmp(device->text, "all"))
        return read_devices(device->text, options, error);
    rec_device found[REC_MOST_DEVICES];
    size_t count;
    const rec_status status = rec_devices(found, REC_MOST_DEVICES, &count, error);
    if (status || !count)
        return status ? status : REC_UNAVAILABLE;
    for (size_t i = 0; i < count && i < REC_MOST_DEVICES; i++)
        options->devices[options->device_count++] = found[i].number;
    return REC_OK;
}

rec_status choose_format(const command_line *line, const char *path, size_t planes,
                         rec_write_options *options, rec_error *error)
{
    const option_value *format = &line->option[OPTION_FORMAT];
    if (!format->given)
        return rec_format_of_path(path, planes, &options->format, error);
    options->format = rec_format_find(format->text);
    char list[REC_FORMAT_LIST];
    if (!options->format)
        return rec_fail(error, REC_USAGE, "--format %s: unknown format; use %s", format->text,
                        rec_format_list(list, REC_FORMAT_NAMES, 0));
    return REC_OK;
}
