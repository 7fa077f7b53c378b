/* From options to settings: everything that can be refused without a look at the inputs. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/paths.h"
#include "commands/commands.h"
#include "job/job.h"

#define DEFAULT_ITERATIONS 1000        /* headless without -n and -t */
#define DEFAULT_COMPARED_ITERATIONS 100
#define DEFAULT_CHECKPOINT_SECONDS 60

static rec_status set_start(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *start = &line->option[OPTION_START];
    made->start = REC_START_EDGES;
    if (!start->given || !strcmp(start->text, "edges"))
        return REC_OK;
    double value;
    if (!option_read_number(start->text, &value)) {
        made->start = REC_START_FILE;
        made->start_file = start->text;
        return REC_OK;
    }
    if (!(fabs(value) <= REC_MAX_MAGNITUDE))
        return rec_fail(error, REC_BAD_INPUT, "--start %s: must be at most %g in magnitude",
                        start->text, REC_MAX_MAGNITUDE);
    made->start = REC_START_VALUE;
    made->start_value = (float)value;
    return REC_OK;
}

/* One number for all planes, or one for each of three. */
static rec_status read_means(rec_boundary *made, const char *text, rec_error *error)
{
    char part[OPTION_PART];
    int good = 1;
    for (const char *at = text; good && at; made->mean_count += (size_t)good)
        good = made->mean_count < 3 && !option_next_part(OPTION_MEAN, &at, part, NULL) &&
               option_read_number(part, &made->means[made->mean_count]) &&
               fabs(made->means[made->mean_count]) <= REC_MAX_MAGNITUDE;
    if (!good || made->mean_count == 2)
        return rec_fail(error, REC_USAGE,
                        "--mean %s: must be a number, or for colour three with commas, at most "
                        "%g in magnitude", text, REC_MAX_MAGNITUDE);
    for (size_t p = made->mean_count; p < 3; p++)
        made->means[p] = made->means[0];
    return REC_OK;
}

/* Headless, or painted, without -n, -t, -s, --kernel, --compare or --frames: the exact picture.
 * Inside a mask -t says how exact. */
static int wants_the_limit(const rec_settings *made, const option_value *given)
{
    const int paints = made->edit.kind == REC_EDIT_HEAL || made->edit.kind == REC_EDIT_CLONE;
    return (given[OPTION_HEADLESS].given || paints) && !given[OPTION_ITERATIONS].given &&
           (!given[OPTION_TOLERANCE].given || made->edit.kind) && !given[OPTION_COMPARE].given &&
           !given[OPTION_SOLVER].given && !given[OPTION_KERNEL].given &&
           !given[OPTION_FRAMES].given;
}

/* For edges of another stencil than the five-point Laplacian: the operator that finds their
 * picture. */
static rec_status set_inverse(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    rec_stencil stencil;
    double omega = 1;
    const char *solver = given[OPTION_SOLVER].given ? given[OPTION_SOLVER].text : "";
    const int iterates = given[OPTION_ITERATIONS].given || !rec_jumper_available(made) ||
                         (!wants_the_limit(made, given) && strcmp(solver, "spectral"));
    if (!line->stencils.count ||
        (is_five_point(line) && option_number(&given[OPTION_OMEGA], 1) == 1))
        return REC_OK;
    if (line->stencils.count > 1)
        return rec_fail(error, REC_USAGE, "the edges must be of one --stencil, not of %zu",
                        line->stencils.count);
    if (given[OPTION_TOLERANCE].given)
        return rec_fail(error, REC_USAGE, "-t cannot be used with --stencil: without -n the "
                                          "picture is found at once");
    REC_TRY(choose_stencil(line, 0, &stencil, error));
    if (given[OPTION_OMEGA].given)
        omega = given[OPTION_OMEGA].number;
    else if (iterates)
        REC_TRY(rec_operator_choose_omega(&stencil, &omega, error));
    rec_operator *inverse;
    REC_TRY(rec_allocate_zeroed(&inverse, 1, sizeof *inverse, "the stencil", error));
    rec_operator_iteration(inverse, &stencil, omega);
    inverse->force = given[OPTION_FORCE].given;
    made->run.problem.operators = inverse;
    made->run.problem.operator_count = 1;
    return REC_OK;
}

/* A convolution is a run of filters on a picture. */
static rec_status set_operators(rec_settings *made, const command_line *line, rec_error *error)
{
    if (line->command == COMMAND_EDGES)
        return settings_set_edges(made, line, error);
    if (line->command != COMMAND_CONVOLVE)
        return set_inverse(made, line, error);
    made->reading.role = REC_PICTURE;
    if (!line->option[OPTION_ITERATIONS].given)
        made->run.iterations = 1;
    return choose_filters(line, &made->run.problem, error);
}

static rec_status set_boundary(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    rec_problem *problem = &made->run.problem;
    REC_TRY(choose_boundary(line, problem, error));
    char names[REC_BOUNDARY_LIST];
    if (!rec_problem_frees_mean(problem) &&
        (given[OPTION_MEAN].given || given[OPTION_BALANCE].given))
        return rec_fail(error, REC_USAGE, "--%s needs --boundary %s",
                        given[OPTION_MEAN].given ? "mean" : "balance",
                        rec_boundary_list(names, 0));
    made->balance = given[OPTION_BALANCE].given;
    return given[OPTION_MEAN].given
               ? read_means(&problem->boundary, given[OPTION_MEAN].text, error) : REC_OK;
}

/* Without a mean the grey levels have an unknown offset: stretch shows all of them. */
static rec_status set_tone(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *tone = &line->option[OPTION_TONE];
    const rec_problem *problem = &made->run.problem;
    const int free_mean = rec_problem_frees_mean(problem) && !problem->boundary.mean_count &&
                          made->reading.role != REC_PICTURE && !made->edit.kind;
    made->writing.tone = tone->given ? (rec_tone)tone->count
                         : free_mean ? REC_TONE_STRETCH
                                     : REC_TONE_CLAMP;
    made->shown = tone->given || free_mean ? made->writing.tone : REC_TONE_AUTO;
    if (made->writing.tone == REC_TONE_EPCC && made->writing.maxval != 255)
        return rec_fail(error, REC_USAGE, "--tone epcc is defined only for --maxval 255");
    return REC_OK;
}

static rec_status set_pace(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *pace = &line->option[OPTION_PACE];
    made->pace = line->option[OPTION_EVERY].given ? 0 : REC_PACE_USUAL;
    if (pace->given && !strcmp(pace->text, "max"))
        made->pace = 0;
    else if (pace->given && (!option_read_number(pace->text, &made->pace) || !(made->pace > 0) ||
                             made->pace > 1e9))
        return rec_fail(error, REC_USAGE, "--pace %s: must be seconds above 0, or max",
                        pace->text);
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

/* By name, or by --device. auto begins on the processor, unless the image is compared, cut or
 * shared. */
static rec_status find_solver(rec_settings *made, const option_value *given, const char **name,
                              rec_error *error)
{
    rec_run_options *run = &made->run;
    const char *found = given[OPTION_SOLVER].given ? given[OPTION_SOLVER].text : "auto";
    const char *limit = rec_limit_solver(made);
    if (wants_the_limit(made, given) && (made->edit.kind || rec_jumper_available(made)) &&
        !rec_solver_find(limit, &run->solver, NULL))
        found = limit;
    if (given[OPTION_FRAMES_AT].given && !given[OPTION_SOLVER].given)
        found = "spectral";
    if (given[OPTION_DEVICE].given && !strcmp(found, "auto"))
        found = "cuda";
    else if (given[OPTION_DEVICE].given && (!strcmp(found, "cpu") || !strcmp(found, "reference")))
        return rec_fail(error, REC_USAGE, "--device names a GPU, but the %s solver uses none",
                        found);
    *name = found;
    const int stays = given[OPTION_KERNEL].given || given[OPTION_SLABS].given ||
                      given[OPTION_COMPARE].given || rec_ranks_count() > 1;
    if (!strcmp(found, "auto") && !stays) {
        made->successor = rec_solver_with_device();
        found = "cpu";
    }
    return rec_solver_find(found, &run->solver, error);
}

static rec_status set_solver(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const char *name = NULL;
    rec_run_options *run = &made->run;
    const double before = rec_now();
    rec_status status = choose_devices(line, &run->solver_options, error);
    if (!status)
        status = find_solver(made, given, &name, error);
    made->find_seconds = rec_now() - before;
    if (status)
        return status;
    const int jumps = rec_solver_type_jumps(run->solver);
    if (jumps && given[OPTION_FRAMES].given && !given[OPTION_FRAMES_AT].given)
        return rec_fail(error, REC_USAGE,
                        "--frames without --frames-at LIST are the steps of a stencil; the "
                        "%s solver has none", name);
    const int any = rec_solver_type_any_iterate(run->solver);
    if (!any && given[OPTION_FRAMES_AT].given)
        return rec_fail(error, REC_USAGE,
                        "--frames-at needs --solver spectral, which jumps; %s %s",
                        name, jumps ? "goes to the limit alone" : "iterates");
    if (jumps && !any && given[OPTION_ITERATIONS].given)
        return rec_fail(error, REC_USAGE, "-n: the %s solver goes to the limit alone", name);
    if (run->problem.boundary.mean_count && (!jumps || given[OPTION_ITERATIONS].given))
        return rec_fail(error, REC_USAGE,
                        "--mean applies to the limit (--solver spectral without -n); an iterate "
                        "keeps the mean of its start, which --start VALUE chooses");
    if (!jumps)
        return REC_OK;
    if (given[OPTION_DEVICE].given && !given[OPTION_KERNEL].given)
        run->solver_options.kernel = "cuda";
    if (made->against == REC_AGAINST_BITS && made->max_difference < 0)
        return rec_fail(error, REC_USAGE,
                        "the %s solver works in double and has other bits than the "
                        "float32 reference; --compare with it needs --max-difference D", name);
    if (!given[OPTION_ITERATIONS].given && !made->against)
        run->iterations = REC_ENDLESS; /* for it, the limit */
    const int limit = made->headless && run->iterations == REC_ENDLESS;
    if (made->headless && given[OPTION_EVERY].given)
        return rec_fail(error, REC_USAGE, "-k has no effect: the %s solver takes one step", name);
    const int starts = made->start != REC_START_EDGES && !rec_problem_frees_mean(&run->problem);
    if (limit && (starts || given[OPTION_OMEGA].given) && !given[OPTION_FRAMES].given)
        return rec_fail(error, REC_USAGE,
                        "--%s has no effect on the exact picture, only on iterates (-n N)",
                        starts ? "start" : "omega");
    return REC_OK;
}

/* Names of files, as they are. A list with -o PICTURE.pgm would make a folder of that name. */
static rec_status set_files(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const char *folder = given[OPTION_OUTPUT_DIR].text, *checkpoint = given[OPTION_CHECKPOINT].text;
    made->files_from = given[OPTION_FILES_FROM].text;
    made->list = line->operand_count != 1;
    made->parents = given[OPTION_PARENTS].given;
    made->output = folder ? folder : given[OPTION_OUTPUT].text;
    made->output_is_folder =
        made->output && (folder || made->list || rec_path_is_folder(made->output));
    made->checkpoint = checkpoint;
    made->checkpoint_is_folder = checkpoint && (made->output_is_folder || made->list);
    made->journals = line->journals.at;
    made->journal_count = line->journals.count;
    made->stencils = line->stencils.at;
    made->stencil_count = line->stencils.count;
    made->resume = given[OPTION_RESUME].given || (made->list && checkpoint);
    made->threads = given[OPTION_JOBS].count;
    made->report = given[OPTION_REPORT].text;
    made->original = given[OPTION_REFERENCE].text;
    made->film = given[OPTION_FRAMES].text;
    if (made->resume && !made->journal_count && !(made->list && checkpoint) &&
        !rec_path_is_regular(made->report))
        return rec_fail(error, REC_USAGE, "--resume: the report to %s cannot be read again; "
                        "--resume FILE.jsonl names one that can", rec_output_name(made->report));
    const rec_write_options usual = {.maxval = 255};
    return !made->list || !made->output || folder || rec_path_is_folder(made->output) ||
                   rec_write_check(made->output, 0, &usual, NULL)
               ? REC_OK
               : rec_fail(error, REC_USAGE, "-o %s: several inputs need a folder: -o FOLDER/",
                          made->output);
}

/* A window takes a JPEG for a picture, unless an option says that the input is edges. */
static int speaks_of_edges(const option_value *given)
{
    return given[OPTION_HEADLESS].given || given[OPTION_REFERENCE].given ||
           given[OPTION_ZERO_LEVEL].given || given[OPTION_MEAN].given ||
           given[OPTION_BALANCE].given;
}

/* I/N */
static rec_status set_shard(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *shard = &line->option[OPTION_SHARD];
    made->shards = 1;
    if (!shard->given)
        return REC_OK;
    const char *at;
    uint64_t own, all;
    if (!option_read_count(shard->text, &at, &own) || *at != '/' ||
        !option_read_count(at + 1, &at, &all) || *at || own >= all)
        return rec_fail(error, REC_USAGE, "--shard %s: must be I/N with I from 0 to N - 1",
                        shard->text);
    made->shard = own;
    made->shards = all;
    return REC_OK;
}

static rec_status set_frames(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    made->frames = !given[OPTION_FRAMES].given      ? REC_FRAMES_NONE
                   : given[OPTION_FRAMES_AT].given  ? REC_FRAMES_AT
                   : given[OPTION_FRAMES_LOG].given ? REC_FRAMES_LOG
                                                    : REC_FRAMES_EVERY;
    if (made->frames == REC_FRAMES_EVERY && !made->run.every)
        made->run.every = REC_DEFAULT_EVERY;
    return made->frames == REC_FRAMES_AT
               ? frames_at_parse(made, given[OPTION_FRAMES_AT].text, error) : REC_OK;
}

/* Work that needs the whole image is left to the first rank. */
static rec_status share_among_ranks(rec_settings *made, rec_status status, rec_error *error)
{
    double number = 0;
    if (rec_ranks_own()) /* the first rank writes it */
        made->report = NULL;
    status = rec_ranks_agree(status, error);
    if (status || rec_solver_type_jumps(made->run.solver))
        return status;
    const rec_operator *operators = made->run.problem.operators;
    if (made->reading.role == REC_PICTURE && (!operators || operators->is_inverse))
        return rec_fail(error, REC_USAGE, "--picture -n: several ranks take no edges; "
                                          "`reconstruct edges` makes them");
    while (rec_solver_at((size_t)number) != made->run.solver)
        number++;
    if (rec_ranks_most(number) + rec_ranks_most(-number) != 0)
        return rec_fail(error, REC_UNAVAILABLE, "some ranks have a device, and others have none; "
                                                "--solver cpu works on all");
    made->reading.shared = 1;
    if (!strcmp(rec_solver_type_name(made->run.solver), "cuda"))
        rec_devices_share(&made->run.solver_options);
    return REC_OK;
}

rec_status settings_parse(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const int headless = given[OPTION_HEADLESS].given;
    const option_value *compare = &given[OPTION_COMPARE];
    /* Each may look at what those before it have set. */
    static rec_status (*const steps[])(rec_settings *, const command_line *, rec_error *) = {
        settings_set_edit, set_operators, set_boundary, set_tone, set_pace, set_start, set_frames,
        set_shard, set_solver};
    *made = (rec_settings){
        .reading = {.role = given[OPTION_PICTURE].given ? REC_PICTURE
                            : speaks_of_edges(given)    ? REC_EDGES
                                                        : REC_EITHER,
                    .zero_level_given = given[OPTION_ZERO_LEVEL].given,
                    .zero_level = given[OPTION_ZERO_LEVEL].number},
        .writing = {.maxval = (unsigned)option_number(&given[OPTION_MAXVAL], 255)},
        .headless = headless,
        .against = !compare->given ? REC_AGAINST_NOTHING
                   : compare->count == 1 ? REC_AGAINST_LIMIT
                                         : REC_AGAINST_BITS,
        .max_difference = option_number(&given[OPTION_MAX_DIFFERENCE], -1),
        .progress = given[OPTION_QUIET].given ? NULL : stderr,
        .begin = rec_now(),
        .run = {.iterations = choose_iterations(given, headless),
                .tolerance = option_number(&given[OPTION_TOLERANCE], 0),
                .every = given[OPTION_EVERY].count,
                .solver_options = {.kernel = given[OPTION_KERNEL].text},
                .checkpoint_every =
                    option_number(&given[OPTION_CHECKPOINT_EVERY], DEFAULT_CHECKPOINT_SECONDS),
                .stop = &rec_signal_received},
    };
    rec_status status = conflicts_check(line, error);
    if (!status)
        status = set_files(made, line, error);
    if (!status)
        status = choose_format(line, &made->writing, error);
    for (size_t i = 0; !status && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](made, line, error);
    if (rec_ranks_count() > 1)
        status = share_among_ranks(made, status, error);
    /* A warning, which -q keeps: without a number one expects the exact picture. */
    if (!status && headless && !given[OPTION_ITERATIONS].given &&
        made->run.iterations == DEFAULT_ITERATIONS)
        fprintf(stderr, "warning: neither -n nor -t was given: the result is iterate %d, not the "
                        "exact picture\n", DEFAULT_ITERATIONS);
    if (status)
        settings_destroy(made);
    return status;
}

void settings_destroy(rec_settings *settings)
{
    rec_free((void *)settings->run.problem.operators);
    settings->run.problem.operators = NULL;
    rec_free(settings->frames_at);
    settings->frames_at = NULL;
}
