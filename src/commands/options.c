#include "commands/options.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "image/image.h"

/* Problems of `bench`, numbered as --problem names them. */
#define LADDER (1u << 0)
#define PLATE (1u << 1)
#define COURSE (1u << 2)
#define OUTPUT DECIDES_OUTPUT
#define ITERATE (DECIDES_ITERATE | DECIDES_OUTPUT)

const option_row option_table[OPTIONS] = {
    [OPTION_HEADLESS] = {"headless", 0, OPTION_FLAG, NULL, 0, 0, JOBS, 0, 0,
        "no window; needs an output: -o, --compare, --report, --frames or --reference"},
    [OPTION_PICTURE] = {"picture", 0, OPTION_FLAG, NULL, 0, 0, RUN, 0, ITERATE,
        "the input is a picture: takes its edges, and reports how near the picture comes back"},
    [OPTION_ITERATIONS] = {"iterations", 'n', OPTION_COUNT, "N", 0, OPTION_MOST_COUNT,
        JOBS | BENCH, PLATE, OUTPUT,
        "iterations in total, such as 5000, 1e6 or 10k"},
    [OPTION_TOLERANCE] = {"tolerance", 't', OPTION_NUMBER, "LEVELS", 0, INFINITY,
        RUN | EDITS, 0, OUTPUT,
        "stop when the upper bound on the distance to the limit is at most LEVELS grey levels "
        "(RMS)"},
    [OPTION_EVERY] = {"every", 'k', OPTION_COUNT, "K", 1, OPTION_MOST_COUNT, JOBS, 0, OUTPUT,
        "the check interval in iterations: display, norms, stop rules, signals (default: as many "
        "as take at least 0.2 s; with --frames 100)"},
    [OPTION_PACE] = {"pace", 0, OPTION_TEXT, "SECONDS|max", 0, 0, JOBS, 0, 0,
        "in the window: seconds until there are ten times as many iterations; max: as fast as "
        "possible (default: a run takes about 20 s; with -k, max)"},
    [OPTION_OUTPUT] = {"output", 'o', OPTION_TEXT, "FILE", 0, 0, JOBS | EDGES | COMPARE, 0, 0,
        "the output: {extensions}; - is stdout"},
    [OPTION_MASK] = {"mask", 0, OPTION_TEXT, "MASK", 0, 0, RUN | EDITS, 0, ITERATE,
        "an image: pixels are unknown where it is white, and keep their samples elsewhere"},
    [OPTION_ONTO] = {"onto", 0, OPTION_TEXT, "PICTURE", 0, 0, RUN, 0, ITERATE,
        "with --mask: the picture around the unknown pixels"},
    [OPTION_FROM] = {"from", 0, OPTION_TEXT, "DX,DY", 0, 0, HEAL, 0, ITERATE,
        "take the gradients so many pixels to the right and down in the same picture"},
    [OPTION_AT] = {"at", 0, OPTION_TEXT, "X,Y", 0, 0, CLONE, 0, ITERATE,
        "where SOURCE's top left pixel lies in TARGET; what lies outside is left out (0,0)"},
    [OPTION_GRADIENT] = {"gradient", 0, OPTION_CHOICE, "source|mixed|average|monochrome", 0, 0,
        CLONE, 0, ITERATE,
        "the gradients inside the mask: {gradients}"},
    [OPTION_SOLVER] = {"solver", 's', OPTION_TEXT, "NAME", 0, 0, JOBS | BENCH, PLATE, OUTPUT,
        "auto (cpu, and cuda from when a device is ready), or a solver that `reconstruct --help` "
        "lists"},
    [OPTION_KERNEL] = {"kernel", 0, OPTION_TEXT, "NAME", 0, 0, JOBS | BENCH, PLATE, ITERATE,
        "a kernel of the solver (default: its own choice)"},
    [OPTION_DEVICE] = {"device", 'd', OPTION_TEXT, "NUMBER,...|all", 0, 0, JOBS | BENCH, 0, 0,
        "the CUDA device (0), or several that share an image; selects the cuda solver unless -s "
        "is spectral; `reconstruct devices` lists the devices"},
    [OPTION_SLABS] = {"slabs", 0, OPTION_COUNT, "S", 1, 1e6, RUN | EDITS | BENCH, 0, 0,
        "cut the image into S slabs of rows (one for each device); the result is the same, bit "
        "for bit"},
    [OPTION_START] = {"start", 0, OPTION_TEXT, "edges|VALUE|FILE", 0, 0, RUN | EDITS, 0, ITERATE,
        "the image before the first iteration (edges)"},
    [OPTION_HALO] = {"halo", 0, OPTION_NUMBER, "VALUE", -INFINITY, INFINITY,
        JOBS | EDGES, 0, ITERATE,
        "the constant around the picture (0)"},
    [OPTION_BOUNDARY] = {"boundary", 0, OPTION_CHOICE,
        "halo|mirror|wrap|sawtooth|mirror101|replicate", 0, 0, JOBS | EDGES, 0, ITERATE,
        "what is around the picture: {boundaries}"},
    [OPTION_STENCIL] = {"stencil", 0, OPTION_TEXTS, "NAME|FILE", 0, 0, RUNS | EDGES, 0, ITERATE,
        "the weights: a name from `--stencil list`, or a file"},
    [OPTION_OMEGA] = {"omega", 0, OPTION_NUMBER, "W", 0, INFINITY, RUN, 0, ITERATE,
        "with --stencil and -n: the damping of the iteration (the fastest)"},
    [OPTION_FORCE] = {"force", 0, OPTION_FLAG, NULL, 0, 0, RUN, 0, 0,
        "with --stencil: go on even if the edges do not determine the picture"},
    [OPTION_WIDTH] = {"width", 0, OPTION_COUNT, "RADIUS", 1, 31, RUNS | EDGES, 0, ITERATE,
        "the radius of the stencil, where it can be chosen: 2 is 5 x 5"},
    [OPTION_NORMALISE] = {"normalise", 0, OPTION_FLAG, NULL, 0, 0, RUNS | EDGES, 0, ITERATE,
        "divide by the sum of the weights"},
    [OPTION_FLIP] = {"flip", 0, OPTION_FLAG, NULL, 0, 0, RUNS | EDGES, 0, ITERATE,
        "turn the stencil by 180 degrees: a convolution instead of a correlation"},
    [OPTION_NORMALS] = {"normals", 0, OPTION_FLAG, NULL, 0, 0, EDGES, 0, 0,
        "the picture is a normal map: the edges of its height field"},
    [OPTION_GREEN] = {"green", 0, OPTION_CHOICE, "up|down", 0, 0, EDGES, 0, 0,
        "where the green of a normal map points: up as in OpenGL, or down as in DirectX (up)"},
    [OPTION_SLOPES] = {"slopes", 0, OPTION_FLAG, NULL, 0, 0, EDGES, 0, 0,
        "two images P and Q have the slopes of a height field, to the right and downwards: its "
        "edges"},
    [OPTION_MEAN] = {"mean", 0, OPTION_TEXT, "V|R,G,B", 0, 0, RUN, 0, ITERATE,
        "with --boundary {means}: the mean of the exact picture (default: that of the "
        "start, with --tone stretch)"},
    [OPTION_BALANCE] = {"balance", 0, OPTION_FLAG, NULL, 0, 0, RUN, 0, ITERATE,
        "with --boundary {means}: first subtract the mean of the edges"},
    [OPTION_ZERO_LEVEL] = {"zero-level", 0, OPTION_NUMBER, "VALUE", -REC_MAX_MAGNITUDE,
        REC_MAX_MAGNITUDE, RUN | EDGES, 0, ITERATE,
        "the sample that stands for an edge of 0 ((maxval + 1) / 2 for unsigned samples, else 0)"},
    [OPTION_TONE] = {"tone", 0, OPTION_CHOICE, "clamp|stretch|epcc|auto", 0, 0, RUNS, 0, OUTPUT,
        "how values become grey levels: clamp, rounded and cut off (the default); stretch, the "
        "smallest black and the largest white; epcc, the exercise's square root of the magnitude, "
        "for 8 bits; auto, clamp while it cuts off at most 1% of the pixels, else stretch (the "
        "window's default)"},
    [OPTION_MAXVAL] = {"maxval", 0, OPTION_COUNT, "M", 1, 65535, JOBS, 0, OUTPUT,
        "the value of white in the output, 1 to 65535 (255)"},
    [OPTION_FORMAT] = {"format", 0, OPTION_TEXT, "NAME", 0, 0, JOBS | EDGES | COMPARE, 0, OUTPUT,
        "the output's format, whatever its extension: {formats}"},
    [OPTION_COMPARE] = {"compare", 0, OPTION_WORD, "reference|spectral", 0, 0, JOBS, 0, OUTPUT,
        "run the CPU reference beside the solver and compare bits; exit 1 if a bit differs. "
        "spectral: report the distance from the exact picture"},
    [OPTION_MAX_DIFFERENCE] = {"max-difference", 0, OPTION_NUMBER, "D", 0, INFINITY,
        JOBS | COMPARE, 0, OUTPUT,
        "tolerate differences up to D grey levels"},
    [OPTION_RELATIVE] = {"relative", 0, OPTION_NUMBER, "R", 0, 1, COMPARE, 0, 0,
        "tolerate |a - b| up to R (|a| + |b|)"},
    [OPTION_SHOW] = {"show", 0, OPTION_FLAG, NULL, 0, 0, COMPARE, 0, 0,
        "also show both and their difference, in a window"},
    [OPTION_REFERENCE] = {"reference", 0, OPTION_TEXT, "PICTURE", 0, 0, JOBS, 0, OUTPUT,
        "report the distance from this picture: RMS, PSNR; a folder: from the picture in it that "
        "has the name of the input"},
    [OPTION_FRAMES] = {"frames", 0, OPTION_TEXT, "FOLDER", 0, 0, RUNS, 0, OUTPUT,
        "write a numbered picture of the start and of every K iterations (-k)"},
    [OPTION_FRAMES_AT] = {"frames-at", 0, OPTION_TEXT, "LIST", 0, 0, RUN, 0, OUTPUT,
        "write these iterates, computed by the spectral solver, such as 0,1,10..1e6:60,limit: "
        "numbers, a range (60 iterates, log-spaced), the limit"},
    [OPTION_FRAMES_LOG] = {"frames-log", 0, OPTION_FLAG, NULL, 0, 0, RUNS, 0, OUTPUT,
        "write iterates 0 to 10, then in steps of at least 10%, until standstill"},
    [OPTION_CHECKPOINT] = {"checkpoint", 0, OPTION_TEXT, "FILE", 0, 0, JOBS, 0, 0,
        "continue from FILE if it exists, and keep it up to date; with several inputs a folder"},
    [OPTION_CHECKPOINT_EVERY] = {"checkpoint-every", 0, OPTION_NUMBER, "SECONDS", 0, 1e9,
        JOBS, 0, 0,
        "seconds between two checkpoints (60)"},
    [OPTION_REPORT] = {"report", 0, OPTION_TEXT, "FILE", 0, 0, JOBS | EDGES | COMPARE, 0, 0,
        "write a JSON object for each input, one a line, as soon as it is done; - is stdout"},
    [OPTION_FILES_FROM] = {"files-from", 0, OPTION_TEXT, "LIST", 0, 0, LISTS, 0, 0,
        "read the names of the inputs from this file, one a line; - is standard input"},
    [OPTION_NULL] = {"null", 0, OPTION_FLAG, NULL, 0, 0, LISTS, 0, 0,
        "the names in LIST end with NUL, as find -print0 writes them"},
    [OPTION_SHARD] = {"shard", 0, OPTION_TEXT, "I/N", 0, 0, LISTS, 0, 0,
        "only inputs I, I + N, I + 2 N, ...; I is 0 to N - 1"},
    [OPTION_OUTPUT_DIR] = {"output-dir", 0, OPTION_TEXT, "FOLDER", 0, 0, LISTS, 0, 0,
        "the folder for the results, like -o FOLDER/"},
    [OPTION_PARENTS] = {"parents", 0, OPTION_FLAG, NULL, 0, 0, LISTS, 0, 0,
        "files in folders keep the relative path of their input"},
    [OPTION_RESUME] = {"resume", 0, OPTION_JOURNAL, "FILE.jsonl", 0, 0, LISTS, 0, 0,
        "skip the inputs that are done according to --report, and append to it; FILE: also read "
        "this report; --resume=FOLDER: all reports FOLDER/*.jsonl"},
    [OPTION_JOBS] = {"jobs", 0, OPTION_COUNT, "N", 1, 1024, LISTS, 0, 0,
        "at most N threads compute (default: one for each processor); with 1, reading, solving "
        "and writing take turns"},
    [OPTION_QUIET] = {"quiet", 'q', OPTION_FLAG, NULL, 0, 0, JOBS | EDGES | COMPARE, 0, 0,
        "no progress and no notes; warnings and errors remain"},
    [OPTION_PROBLEM] = {"problem", 0, OPTION_CHOICE, "ladder|plate|convolution", 0, 0, BENCH, 0, 0,
        "the ladder of kernels (default), the plate of NVIDIA's tutorial with any solver (-s), or "
        "a course on convolution"},
    [OPTION_RADII] = {"width", 0, OPTION_TEXT, "RADIUS,...", 0, 0, BENCH, COURSE, 0,
        "the course: radii of its stencil (2,3,5); 2 is 5 x 5"},
    [OPTION_COURSE_REFERENCE] = {"reference", 0, OPTION_TEXT, "FILE", 0, 0, BENCH, COURSE, 0,
        "the course: check against this file (float32 without a header)"},
    [OPTION_CREATE_REFERENCE] = {"create-reference", 0, OPTION_TEXT, "FILE", 0, 0, BENCH, COURSE, 0,
        "the course: write that file, and measure nothing"},
    [OPTION_SIZE] = {"size", 0, OPTION_TEXT, "N|WxH,...", 0, 0, BENCH, 0, 0,
        "image sizes, separated by commas (2048; plate: 64; convolution: 4096)"},
    [OPTION_RUNGS] = {"rungs", 0, OPTION_TEXT, "LIST", 0, 0, BENCH, LADDER | COURSE, 0,
        "rungs to run, such as 3,5-8,swap,shipped (all)"},
    [OPTION_BLOCKS] = {"blocks", 0, OPTION_TEXT, "CxR,...", 0, 0, BENCH, LADDER, 0,
        "shapes of a block in threads, for the rung that tries several"},
    [OPTION_GRID] = {"grid", 0, OPTION_TEXT, "CxR", 0, 0, BENCH, LADDER, 0,
        "blocks of the grid, for the rung with a fixed grid (8 a multiprocessor)"},
    [OPTION_TIME] = {"time", 0, OPTION_NUMBER, "SECONDS", 0, 3600, BENCH, LADDER, 0,
        "time to measure each rung (0.5)"},
    [OPTION_JSON] = {"json", 0, OPTION_TEXT, "FILE", 0, 0, BENCH, LADDER | COURSE, 0,
        "write the results, also for --baseline; - is stdout"},
    [OPTION_BASELINE] = {"baseline", 0, OPTION_TEXT, "FILE", 0, 0, BENCH, LADDER | COURSE, 0,
        "compare with the file of an earlier --json"},
    [OPTION_SVG] = {"svg", 0, OPTION_TEXT, "FILE", 0, 0, BENCH, LADDER | COURSE, 0,
        "plot the roofline of the largest size"},
    [OPTION_MINE] = {"mine", 0, OPTION_TEXT, "FILE.cu|FILE.c", 0, 0, BENCH, LADDER, 0,
        "compile your own function step(), check it bit for bit, and time it between the rungs "
        "(docs/course.md)"},
    [OPTION_HELP] = {"help", 'h', OPTION_FLAG, NULL, 0, 0, ALL, 0, 0, "print this text"},
    [OPTION_VERSION] = {"version", 'V', OPTION_FLAG, NULL, 0, 0, RUN, 0, 0,
        "print the version and what is built in"},
};

static rec_status refuse_unknown(const char *typed, command_id command, rec_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    const option_row *nearest = NULL, *elsewhere = NULL;
    size_t least = SIZE_MAX, beginning = 0;
    for (size_t i = 0; i < OPTIONS; i++) {
        const option_row *row = &option_table[i];
        if (!(row->commands & 1u << command)) {
            if (!strcmp(name, row->name))
                elsewhere = row;
            continue;
        }
        beginning += !strncmp(row->name, name, strlen(name));
        const size_t distance = rec_misspelled(name, row->name);
        if (distance < least) {
            least = distance;
            nearest = row;
        }
    }
    if (beginning > 1)
        return rec_fail(error, REC_USAGE, "--%s is ambiguous; write the whole name", name);
    if (elsewhere)
        return rec_fail(error, REC_USAGE, "this command has no option --%s", name);
    return rec_fail(error, REC_USAGE, "unknown option --%s%s%s%s", name,
                    nearest ? "; did you mean --" : "", nearest ? nearest->name : "",
                    nearest ? "?" : "");
}

/* The number of a word in "these|words"; -1: it is not there. */
static int find_word(const char *words, const char *text)
{
    const size_t length = strlen(text);
    int i = 0;
    for (const char *at = words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL, i++)
        if (length == strcspn(at, "|") && !strncmp(at, text, length))
            return i;
    return -1;
}

/* No image has this extension, so it is no operand. */
static int is_journal(const char *text)
{
    const size_t length = strlen(text);
    return length > 6 && !strcmp(text + length - 6, ".jsonl");
}

/* Of an option that may be given several times. */
static rec_status keep(option_list *list, const option_row *row, const char *text,
                       rec_error *error)
{
    if (list->count == OPTION_MOST)
        return rec_fail(error, REC_USAGE, "--%s is given more than %d times", row->name,
                        OPTION_MOST);
    list->at[list->count++] = text;
    return REC_OK;
}

/* Parses the value of an option; the whole text must be valid. */
static rec_status parse_value(const option_row *row, const char *text, option_value *value,
                              rec_error *error)
{
    const char *behind;
    value->given = 1;
    value->text = text;
    if (text && (row->kind == OPTION_WORD || row->kind == OPTION_CHOICE)) {
        const int word = find_word(row->argument, text);
        value->count = (uint64_t)word;
        return word >= 0 ? REC_OK
                         : rec_fail(error, REC_USAGE, "--%s %s: must be one of %s", row->name, text,
                                    row->argument);
    }
    if (row->kind != OPTION_COUNT && row->kind != OPTION_NUMBER)
        return REC_OK;
    const int count = row->kind == OPTION_COUNT;
    const int good = count ? option_read_count(text, &behind, &value->count) && !*behind
                           : option_read_number(text, &value->number);
    if (!good)
        return rec_fail(error, REC_USAGE, "--%s %s: not a %s", row->name, text,
                        count ? "whole number up to 2^53" : "number");
    if (count)
        value->number = (double)value->count;
    if (value->number < row->low || value->number > row->high)
        return rec_fail(error, REC_USAGE, "--%s %s: must be %s %.15g", row->name, text,
                        value->number < row->low ? "at least" : "at most",
                        value->number < row->low ? row->low : row->high);
    return REC_OK;
}

/* The tables of getopt: the value of a long option is LONG and its number. */
enum { LONG = 256 };
static void list_options(command_id command, struct option longs[OPTIONS + 1],
                         char shorts[2 * OPTIONS + 2])
{
    *shorts++ = ':'; /* a missing argument is told apart */
    for (int i = 0; i < OPTIONS; i++) {
        const option_row *row = &option_table[i];
        if (!(row->commands & 1u << command))
            continue;
        *longs++ = (struct option){row->name,
                                   option_is_optional(row) ? optional_argument
                                   : row->argument         ? required_argument
                                                           : no_argument,
                                   NULL, LONG + i};
        if (row->letter)
            *shorts++ = row->letter;
        if (row->letter && row->argument)
            *shorts++ = ':';
    }
}

/* What getopt did not accept. */
static rec_status refuse(int found, const char *typed, command_id command, rec_error *error)
{
    if (found == ':')
        return rec_fail(error, REC_USAGE, "%s needs an argument", typed);
    if (optopt >= LONG)
        return rec_fail(error, REC_USAGE, "--%s takes no argument",
                        option_table[optopt - LONG].name);
    if (optopt)
        return rec_fail(error, REC_USAGE, "unknown option -%c", optopt);
    return refuse_unknown(typed + strspn(typed, "-"), command, error);
}

static option_id find_letter(int letter)
{
    int i = 0;
    while (option_table[i].letter != letter)
        i++;
    return (option_id)i;
}

rec_status command_line_parse(command_line *parsed, command_id command, int argc, char **argv,
                              rec_error *error)
{
    struct option longs[OPTIONS + 1] = {0};
    char shorts[2 * OPTIONS + 2] = "";
    list_options(command, longs, shorts);
    *parsed = (command_line){.command = command};
    opterr = 0;
    optind = 0; /* starts GNU getopt over */
    for (;;) {
        const int at = optind ? optind : 1;
        const int found = getopt_long(argc, argv, shorts, longs, NULL);
        if (found == -1)
            break;
        if (found == ':' || found == '?')
            return refuse(found, argv[optind > at ? optind - 1 : at], command, error);
        const option_id id = found < LONG ? find_letter(found) : (option_id)(found - LONG);
        const option_row *row = &option_table[id];
        char *text = optarg;
        /* A word may stand on its own behind the option; anything else there is an operand. */
        if (!text && optind < argc &&
            ((row->kind == OPTION_WORD && find_word(row->argument, argv[optind]) >= 0) ||
             (row->kind == OPTION_JOURNAL && is_journal(argv[optind]))))
            text = argv[optind++];
        REC_TRY(parse_value(row, text, &parsed->option[id], error));
        if (text && (row->kind == OPTION_TEXTS || row->kind == OPTION_JOURNAL))
            REC_TRY(keep(row->kind == OPTION_TEXTS ? &parsed->stencils : &parsed->journals, row,
                         text, error));
    }
    parsed->operands = argv + optind;
    parsed->operand_count = (size_t)(argc - optind);
    return REC_OK;
}
