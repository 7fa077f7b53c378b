/* From options to settings: everything that can be refused without a look at the inputs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "job/job.h"
#include "run/signals.h"

#define DEFAULT_ITERATIONS 1000        /* headless without -n and -t */
#define DEFAULT_COMPARED_ITERATIONS 100
#define DEFAULT_CHECKPOINT_SECONDS 60

static double number_or(const option_value *value, double otherwise)
{
    return value->given ? value->number : otherwise;
}

static rec_status set_start(rec_settings *made, const option_value *start, rec_error *error)
{
    made->start = START_EDGES;
    if (!start->given || !strcmp(start->text, "edges"))
        return REC_OK;
    char *end;
    const double value = strtod(start->text, &end);
    if (end == start->text || *end) {
        made->start = START_FILE;
        return REC_OK;
    }
    if (!(fabs(value) <= REC_MAX_MAGNITUDE))
        return rec_fail(error, REC_BAD_INPUT, "--start %s: must be at most %g in magnitude",
                        start->text, REC_MAX_MAGNITUDE);
    made->start = START_VALUE;
    made->start_value = (float)value;
    return REC_OK;
}

/* One number for all planes, or one for each of three. */
static rec_status read_means(rec_boundary *made, const char *text, rec_error *error)
{
    const char *at = text;
    char *end;
    for (made->mean_count = 0; made->mean_count < 3;) {
        const double mean = strtod(at, &end);
        if (end == at || strchr(" \t\n\v\f\r", *at) || !(fabs(mean) <= REC_MAX_MAGNITUDE))
            break;
        made->means[made->mean_count++] = mean;
        if (*end != ',')
            break;
        at = end + 1;
    }
    if (*end || end == at || (made->mean_count != 1 && made->mean_count != 3))
        return rec_fail(error, REC_USAGE,
                        "--mean %s: must be a number, or three with commas for colour, of at most "
                        "%g in magnitude", text, REC_MAX_MAGNITUDE);
    for (size_t p = made->mean_count; p < 3; p++)
        made->means[p] = made->means[0];
    return REC_OK;
}

static rec_status set_boundary(rec_settings *made, const option_value *given, rec_error *error)
{
    rec_boundary *boundary = &made->run.boundary;
    rec_status status = choose_boundary(made->line, boundary, error);
    if (status)
        return status;
    if (!rec_boundary_frees_mean(boundary->kind) &&
        (given[OPTION_MEAN].given || given[OPTION_BALANCE].given))
        return rec_fail(error, REC_USAGE, "--%s works with --boundary mirror",
                        given[OPTION_MEAN].given ? "mean" : "balance");
    made->balance = given[OPTION_BALANCE].given;
    return given[OPTION_MEAN].given ? read_means(boundary, given[OPTION_MEAN].text, error) : REC_OK;
}

/* Without its mean a picture is grey levels from an unknown one on: all of them are shown. */
static rec_status set_tone(rec_settings *made, const option_value *tone, rec_error *error)
{
    const rec_boundary *boundary = &made->run.boundary;
    made->writing.tone = rec_boundary_frees_mean(boundary->kind) && !boundary->mean_count
                             ? REC_TONE_STRETCH
                             : REC_TONE_CLAMP;
    int found = !tone->given;
    for (int i = 0; !found && i < REC_TONES; i++)
        if (!strcmp(tone->text, rec_tone_names[i])) {
            made->writing.tone = (rec_tone)i;
            found = 1;
        }
    if (!found)
        return rec_fail(error, REC_USAGE, "--tone %s: must be clamp, stretch or epcc", tone->text);
    if (made->writing.tone == REC_TONE_EPCC && made->writing.maxval != 255)
        return rec_fail(error, REC_USAGE, "--tone epcc is defined for --maxval 255 alone");
    return REC_OK;
}

static uint64_t choose_iterations(const option_value *given, int headless)
{
    if (given[OPTION_ITERATIONS].given)
        return given[OPTION_ITERATIONS].count;
    if (given[OPTION_COMPARE].given)
        return given[OPTION_TOLERANCE].given ? REC_ENDLESS : DEFAULT_COMPARED_ITERATIONS;
    return headless && !given[OPTION_TOLERANCE].given && !given[OPTION_FRAMES_LOG].given
               ? DEFAULT_ITERATIONS
               : REC_ENDLESS;
}

/* The pictures of every K iterations are many, and none is left out: somebody has to say where they
 * end. Log-spaced ones are few on the way to any standstill. */
static rec_status check_frames(const option_value *given, rec_error *error)
{
    const int headless = given[OPTION_HEADLESS].given, at = given[OPTION_FRAMES_AT].given,
              spaced = given[OPTION_FRAMES_LOG].given;
    if (!given[OPTION_FRAMES].given && (at || spaced))
        return rec_fail(error, REC_USAGE, "--frames-%s works with --frames FOLDER",
                        at ? "at" : "log");
    if (at && spaced)
        return rec_fail(error, REC_USAGE, "--frames-at names the frames, --frames-log spaces "
                                          "them: give one of the two");
    if (at && (!headless || given[OPTION_CHECKPOINT].given))
        return rec_fail(error, REC_USAGE, "--frames-at works with --headless and without "
                                          "--checkpoint");
    if (given[OPTION_FRAMES].given && !at && !spaced && headless &&
        !given[OPTION_ITERATIONS].given && !given[OPTION_TOLERANCE].given &&
        !given[OPTION_COMPARE].given)
        return rec_fail(error, REC_USAGE,
                        "--frames with a picture each K iterations needs an end, -n N or "
                        "-t LEVELS; --frames-log needs none, and --frames-at LIST names the "
                        "iterates");
    return REC_OK;
}

/* Options that make no sense together, or alone. */
static rec_status check_combination(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const int headless = given[OPTION_HEADLESS].given;
    const int measured = given[OPTION_REFERENCE].given && !given[OPTION_QUIET].given;
    if (headless && !given[OPTION_OUTPUT].given && !given[OPTION_COMPARE].given &&
        !given[OPTION_REPORT].given && !given[OPTION_FRAMES].given && !measured)
        return rec_fail(error, REC_USAGE, "--headless with nothing to show for it: give -o FILE, "
                                          "--compare, --report FILE or --frames FOLDER");
    if (!headless && given[OPTION_COMPARE].given)
        return rec_fail(error, REC_USAGE, "--compare works with --headless");
    if (!headless && given[OPTION_REPORT].given)
        return rec_fail(error, REC_USAGE, "--report works with --headless");
    if (given[OPTION_MAX_DIFFERENCE].given && !given[OPTION_COMPARE].given)
        return rec_fail(error, REC_USAGE, "--max-difference works with --compare");
    if (given[OPTION_CHECKPOINT_EVERY].given && !given[OPTION_CHECKPOINT].given)
        return rec_fail(error, REC_USAGE, "--checkpoint-every works with --checkpoint FILE");
    if (given[OPTION_CHECKPOINT].given && !strcmp(given[OPTION_CHECKPOINT].text, "-"))
        return rec_fail(error, REC_USAGE, "--checkpoint -: a checkpoint is read again, and needs a "
                                          "file");
    if (given[OPTION_REFERENCE].given && !strcmp(given[OPTION_REFERENCE].text, "-"))
        return rec_fail(error, REC_USAGE, "--reference -: a reference is read again, and needs a "
                                          "file");
    if (given[OPTION_OUTPUT].given && line->operand_count != 1 &&
        !strcmp(given[OPTION_OUTPUT].text, "-"))
        return rec_fail(error, REC_USAGE, "stdout takes the picture of one input; of several, -o "
                                          "names a folder");
    if (given[OPTION_OUTPUT].given && given[OPTION_REPORT].given &&
        !strcmp(given[OPTION_OUTPUT].text, "-") && !strcmp(given[OPTION_REPORT].text, "-"))
        return rec_fail(error, REC_USAGE, "the picture and the report cannot both go to stdout");
    return REC_OK;
}

/* Neither -n nor -t, and nothing that belongs to a stencil: the picture itself. */
static int wants_the_limit(const option_value *given)
{
    return given[OPTION_HEADLESS].given && !given[OPTION_ITERATIONS].given &&
           !given[OPTION_TOLERANCE].given && !given[OPTION_COMPARE].given &&
           !given[OPTION_SOLVER].given && !given[OPTION_KERNEL].given &&
           !given[OPTION_FRAMES].given;
}

/* Who names a device means the solver that has devices. */
static rec_status set_solver(rec_settings *made, const option_value *given, rec_error *error)
{
    rec_run_options *run = &made->run;
    const char *name = given[OPTION_SOLVER].given ? given[OPTION_SOLVER].text : "auto";
    if (wants_the_limit(given) && !rec_solver_find("spectral", &run->solver, NULL))
        name = "spectral";
    if (given[OPTION_FRAMES_AT].given && !given[OPTION_SOLVER].given)
        name = "spectral";
    if (given[OPTION_DEVICE].given && !strcmp(name, "auto"))
        name = "cuda";
    else if (given[OPTION_DEVICE].given && (!strcmp(name, "cpu") || !strcmp(name, "reference")))
        return rec_fail(error, REC_USAGE, "--device names a GPU, and the %s solver uses none",
                        name);
    const rec_status status = rec_solver_find(name, &run->solver, error);
    if (!status && given[OPTION_FRAMES].given && !given[OPTION_FRAMES_AT].given &&
        rec_solver_type_jumps(run->solver))
        return rec_fail(error, REC_USAGE,
                        "--frames without --frames-at LIST are the steps of a stencil, and the "
                        "%s solver takes none", name);
    if (!status && given[OPTION_FRAMES_AT].given && !rec_solver_type_jumps(run->solver))
        return rec_fail(error, REC_USAGE,
                        "--frames-at jumps, and the %s solver iterates; --solver spectral jumps",
                        name);
    if (!status && run->boundary.mean_count &&
        (!rec_solver_type_jumps(run->solver) || given[OPTION_ITERATIONS].given))
        return rec_fail(error, REC_USAGE,
                        "--mean is that of the limit, --solver spectral without -n; an iterate "
                        "keeps the mean of its start, which --start VALUE chooses");
    if (status || !rec_solver_type_jumps(run->solver))
        return status;
    if (made->compare == COMPARE_REFERENCE && !given[OPTION_MAX_DIFFERENCE].given)
        return rec_fail(error, REC_USAGE,
                        "the bits of the %s solver, which works in double, are not those of the "
                        "float32 reference; --compare with it needs --max-difference D", name);
    if (!given[OPTION_ITERATIONS].given && !made->compare)
        run->iterations = REC_ENDLESS; /* for it, the limit */
    return REC_OK;
}

rec_status settings_make(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const int headless = given[OPTION_HEADLESS].given;
    *made = (rec_settings){
        .line = line,
        .reading = {.role = REC_EDGES,
                    .zero_level_given = given[OPTION_ZERO_LEVEL].given,
                    .zero_level = given[OPTION_ZERO_LEVEL].number},
        .writing = {.maxval = (unsigned)number_or(&given[OPTION_MAXVAL], 255)},
        .headless = headless,
        .compare = !given[OPTION_COMPARE].given ? COMPARE_NOTHING
                   : given[OPTION_COMPARE].text && !strcmp(given[OPTION_COMPARE].text, "spectral")
                       ? COMPARE_LIMIT
                       : COMPARE_REFERENCE,
        .frames = !given[OPTION_FRAMES].given    ? FRAMES_NONE
                  : given[OPTION_FRAMES_AT].given  ? FRAMES_AT
                  : given[OPTION_FRAMES_LOG].given ? FRAMES_LOG
                                                   : FRAMES_EVERY,
        .several = line->operand_count != 1,
        .progress = given[OPTION_QUIET].given ? NULL : stderr,
        .run = {.iterations = choose_iterations(given, headless),
                .tolerance = number_or(&given[OPTION_TOLERANCE], 0),
                .every = given[OPTION_EVERY].count,
                .solver_options = {.where = given[OPTION_DEVICE].given ? REC_ON_DEVICE
                                                                       : REC_ANYWHERE,
                                   .device = (int)number_or(&given[OPTION_DEVICE], 0),
                                   .kernel = given[OPTION_KERNEL].text},
                .checkpoint_every =
                    number_or(&given[OPTION_CHECKPOINT_EVERY], DEFAULT_CHECKPOINT_SECONDS),
                .stop = &rec_signal_received},
    };
    if (made->frames == FRAMES_EVERY && !made->run.every)
        made->run.every = REC_DEFAULT_EVERY;
    rec_status status = check_combination(line, error);
    if (!status)
        status = check_frames(given, error);
    if (!status)
        status = set_boundary(made, given, error);
    if (!status && given[OPTION_FORMAT].given)
        status = choose_format(line, "", 0, &made->writing, error);
    if (!status)
        status = set_tone(made, &given[OPTION_TONE], error);
    if (!status && given[OPTION_FRAMES_AT].given)
        status = frames_check(given[OPTION_FRAMES_AT].text, error);
    if (!status)
        status = set_start(made, &given[OPTION_START], error);
    const double before = rec_now();
    if (!status)
        status = set_solver(made, given, error);
    made->find_seconds = rec_now() - before;
    if (!status && headless && !given[OPTION_ITERATIONS].given &&
        made->run.iterations == DEFAULT_ITERATIONS && made->progress)
        fprintf(stderr, "reconstruct: neither -n nor -t was given: %d iterations\n",
                DEFAULT_ITERATIONS);
    return status;
}
