#include "commands/commands.h"

#include <math.h>
#include <string.h>

#include "base/trace.h"
#include "commands/bench.h"
#include "image/image.h"
#include "solver/solver.h"
#include "view/view.h"

const command command_table[COMMANDS] = {
    [COMMAND_RUN] = {NULL, "[OPTION]... EDGES...", "reconstruct the picture from its edges",
                     command_run},
    [COMMAND_EDGES] = {"edges", "edges [OPTION]... PICTURE -o EDGES",
                       "make the edges of a picture (the forward operator)", command_edges},
    [COMMAND_COMPARE] = {"compare", "compare [OPTION]... A B",
                         "compare two images: bits, maximum, RMS, PSNR", command_compare},
    [COMMAND_DEVICES] = {"devices", "devices",
                         "what is in this machine, and the largest image that fits",
                         command_devices},
    [COMMAND_BENCH] = {"bench", "bench [OPTION]...",
                       "climb the ladder: the kernels one idea after the other, checked and timed",
                       command_bench},
};

command_id command_find(int argc, char **argv)
{
    for (int i = 0; i < COMMANDS; i++)
        if (argc > 1 && command_table[i].name && !strcmp(argv[1], command_table[i].name))
            return (command_id)i;
    return COMMAND_RUN;
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
        fputs("Without --headless a window shows it live, until it stands still or is closed.\n\n"
              "  reconstruct EDGES.pgm                                   watch it\n"
              "  reconstruct --headless -n 1000 EDGES.pgm -o OUT.pgm     a file\n"
              "  reconstruct --headless --compare -n 100 EDGES.pgm       the proof, bit for bit\n",
              stream);
    fputs("\nOptions:\n", stream);
    options_print(stream, id);
    if (id == COMMAND_BENCH)
        bench_print_rungs(stream);
    if (id != COMMAND_RUN)
        return;
    fputs("\nSolvers in this build:\n", stream);
    const rec_solver_type *type;
    for (size_t i = 0; (type = rec_solver_at(i)); i++)
        fprintf(stream, "  %-29s%s\n", rec_solver_type_name(type), rec_solver_type_summary(type));
    fputs("\nExit codes: 0 done; 1 the answer is no (bits differ, tolerance not reached); 64 usage;\n"
          "65 bad input; 66 cannot open the input; 69 not here (device, display, library); 70 a\n"
          "fault of the program; 71 out of memory; 73 cannot create the output; 74 read or write\n"
          "error; 75 stopped by a signal with a checkpoint written: run it again to go on.\n",
          stream);
}

void command_print_version(FILE *stream)
{
    fprintf(stream, "reconstruct %s\nbuilt with: libnetpbm", REC_VERSION);
#if REC_HAVE_CUDA
    fputs(", CUDA", stream);
#endif
#if REC_HAVE_FFTW
    fputs(", FFTW", stream);
#endif
#if REC_HAVE_CUFFT
    fputs(", cuFFT", stream);
#endif
    if (rec_view_available())
        fputs(", SDL2", stream);
#ifdef _OPENMP
    fputs(", OpenMP", stream);
#endif
    if (rec_trace_available())
        fputs(", NVTX", stream);
    fputc('\n', stream);
#if !REC_HAVE_CUDA
    fputs("built without: CUDA\n", stream);
#endif
#if !REC_HAVE_FFTW
    fputs("built without: FFTW\n", stream);
#endif
#if !REC_HAVE_CUFFT
    fputs("built without: cuFFT\n", stream);
#endif
    if (!rec_view_available())
        fputs("built without: SDL2\n", stream);
}

void print_difference(FILE *stream, const rec_difference *difference, const char *a, const char *b)
{
    fprintf(stream, "%s and %s: ", a, b);
    if (!difference->differing) {
        fprintf(stream, "all %zu samples are equal, bit for bit\n", difference->samples);
        return;
    }
    fprintf(stream, "%zu of %zu samples differ, the first at column %zu, row %zu, plane %zu\n",
            difference->differing, difference->samples, difference->first_x, difference->first_y,
            difference->first_plane);
    fprintf(stream, "maximum %.9g, RMS %.9g, PSNR %.2f dB\n", difference->maximum, difference->rms,
            difference->psnr);
}

rec_status judge_difference(const rec_difference *difference, const command_line *line,
                            rec_error *error)
{
    const option_value *limit = &line->option[OPTION_MAX_DIFFERENCE];
    if (!difference->differing || (limit->given && difference->maximum <= limit->number))
        return REC_OK;
    if (limit->given)
        return rec_fail(error, REC_NO, "a difference of %.9g exceeds %.9g", difference->maximum,
                        limit->number);
    return rec_fail(error, REC_NO, "%zu samples differ", difference->differing);
}

rec_status choose_boundary(const command_line *line, int *mirror, rec_error *error)
{
    const option_value *boundary = &line->option[OPTION_BOUNDARY];
    *mirror = boundary->given && !strcmp(boundary->text, "mirror");
    if (boundary->given && !*mirror && strcmp(boundary->text, "halo"))
        return rec_fail(error, REC_USAGE, "--boundary %s: must be halo or mirror", boundary->text);
    if (*mirror && line->option[OPTION_HALO].given)
        return rec_fail(error, REC_USAGE,
                        "--halo is the constant around the picture, and --boundary mirror has "
                        "none");
    return REC_OK;
}

rec_status choose_format(const command_line *line, const char *path, size_t planes,
                         rec_write_options *options, rec_error *error)
{
    const option_value *format = &line->option[OPTION_FORMAT];
    if (!format->given)
        return rec_format_of_path(path, planes, &options->format, error);
    options->format = rec_format_of_name(format->text);
    if (options->format == REC_FORMAT_NONE)
        return rec_fail(error, REC_USAGE, "--format %s: must be pgm, ppm, pam, pfm or dat",
                        format->text);
    return REC_OK;
}
