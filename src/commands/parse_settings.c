/* From options to settings: everything that can be refused without a look at the inputs. */
#include "commands/commands.h"

#include <math.h>

#include "base/clock.h"

#define DEFAULT_ITERATIONS 1000        /* headless without -n and -t */
#define DEFAULT_COMPARED_ITERATIONS 100
#define DEFAULT_CHECKPOINT_SECONDS 60
#define EDGES_ZERO_LEVEL 32768 /* of 16-bit edges, unless --zero-level says otherwise */
#define USUAL_GROW 2 /* pixels around a stroke */
#define MOST_FRAMES 1000000

/* What is only copied: the type of a member decides which part of the value it gets. */
static void copy_given(rec_settings *made, const option_value *given)
{
    const option_value *value;
#define NOWHERE
#define INTO(member) \
    made->member = _Generic(made->member, int: 1, unsigned: (unsigned)value->count, \
                            uint64_t: value->count, float: (float)value->number, \
                            double: value->number, const char *: value->text);
#define ROW(id, into, ...) \
    value = &given[OPTION_##id]; \
    if (value->given) { \
        into \
    }
#include "commands/option_rows.h"
}

/* A window takes a JPEG for a picture, unless an option says that the input is edges. */
static rec_role choose_role(const command_line *line)
{
    if (line->command != COMMAND_RUN || line->option[OPTION_PICTURE].given)
        return REC_PICTURE;
    const int is_edges =
        line->option[OPTION_HEADLESS].given == 1 ||
        ANY_GIVEN(line, OPTION_REFERENCE, OPTION_ZERO_LEVEL, OPTION_MEAN, OPTION_BALANCE);
    return is_edges ? REC_EDGES : REC_EITHER;
}

/* Without -n. */
static uint64_t choose_iterations(const command_line *line)
{
    const option_value *given = line->option;
    if (line->command == COMMAND_CONVOLVE || line->command == COMMAND_EDGES)
        return 1;
    if (given[OPTION_COMPARE].given)
        return given[OPTION_TOLERANCE].given ? REC_ENDLESS : DEFAULT_COMPARED_ITERATIONS;
    return given[OPTION_HEADLESS].given && !ANY_GIVEN(line, OPTION_TOLERANCE, OPTION_FRAMES_LOG)
               ? DEFAULT_ITERATIONS : REC_ENDLESS;
}

/* Names of files, as they are. A list with -o PICTURE.pgm would make a folder of that name. */
static rec_status set_files(rec_settings *made, const command_line *line, rec_error *error)
{
    const int folder = line->option[OPTION_OUTPUT_DIR].given;
    made->list = line->operand_count != 1 && !line->option[OPTION_SLOPES].given; /* P and Q: one */
    made->output_is_folder =
        made->output && (folder || made->list || rec_path_is_folder(made->output));
    made->checkpoint_is_folder = made->checkpoint && (made->output_is_folder || made->list);
    made->journals = line->journals.at;
    made->journal_count = line->journals.count;
    made->stencils = line->texts.at;
    made->stencil_count = line->texts.count;
    made->resume |= made->list && made->checkpoint;
    if (made->resume && !made->journal_count && !(made->list && made->checkpoint) &&
        !rec_path_is_regular(made->report))
        return rec_fail(error, REC_USAGE, "--resume: the report to %s cannot be read again\v"
                        "--resume FILE.jsonl names one that can", rec_output_name(made->report));
    if (made->list && made->output && !folder && !rec_path_is_folder(made->output) &&
        !rec_write_check(made->output, 0, &(rec_write_options){.maxval = 255}, NULL))
        return rec_fail(error, REC_USAGE, "-o %s: several inputs need a folder: -o FOLDER/",
                        made->output);
    return choose_format(line, &made->writing, error);
}

rec_status choose_format(const command_line *line, rec_write_options *options, rec_error *error)
{
    const option_value *format = &line->option[OPTION_FORMAT];
    char list[REC_FORMAT_LIST];
    options->format = format->given ? rec_format_find(format->text) : NULL;
    if (format->given && !options->format)
        return rec_fail(error, REC_USAGE, "--format %s: unknown format; use %s", format->text,
                        rec_format_list(list, REC_FORMAT_NAMES, 0));
    return REC_OK;
}

/* --mask nan, nodata or =VALUE names no file. */
static rec_status set_holes(rec_edit_wish *edit, rec_error *error)
{
    const char *text = edit->mask;
    edit->holes = !strcmp(text, "nan")      ? REC_HOLES_NAN
                  : !strcmp(text, "nodata") ? REC_HOLES_NODATA
                  : *text == '='            ? REC_HOLES_VALUE
                                            : REC_HOLES_NONE;
    if (edit->holes == REC_HOLES_VALUE && !option_read_numbers(text + 1, HUGE_VAL, &edit->hole, 1))
        return rec_fail(error, REC_USAGE, "--mask %s: must be a number after the =", text);
    if (edit->holes)
        edit->mask = NULL;
    return REC_OK;
}

static rec_status set_from(rec_edit_wish *edit, const char *text, rec_error *error)
{
    double place[2] = {0};
    edit->from = !text                   ? REC_FROM_USUAL
                 : !strcmp(text, "auto") ? REC_FROM_AUTO
                 : !strcmp(text, "none") ? REC_FROM_NONE
                 : !access(text, F_OK)   ? REC_FROM_FILE
                                         : REC_FROM_PLACE;
    if (edit->from == REC_FROM_NONE)
        edit->rule = REC_GRADIENT_ZERO;
    if (edit->from == REC_FROM_FILE)
        edit->sources = text;
    if (edit->from != REC_FROM_PLACE)
        return REC_OK;
    if (!option_read_whole(text, REC_MAX_SIDE, place))
        return rec_fail(error, REC_USAGE, "--from %s: must be auto, none, a file of sources, or "
                        "two whole numbers with a comma, at most %d in magnitude", text,
                        REC_MAX_SIDE);
    edit->x = -(ptrdiff_t)place[0];
    edit->y = -(ptrdiff_t)place[1];
    return edit->x || edit->y ? REC_OK
                              : rec_fail(error, REC_USAGE, "--from 0,0: this source is the damage "
                                                           "itself");
}

/* What is edited inside a mask: --mask with --onto, heal, clone. */
static rec_status set_edit(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    rec_edit_wish *edit = &made->edit;
    const int heals = edit->kind == REC_EDIT_HEAL;
    const double *place = given[OPTION_AT].place;
    if (!edit->kind)
        return REC_OK;
    edit->source = line->source;
    if (edit->mask)
        REC_TRY(set_holes(edit, error));
    edit->x = (ptrdiff_t)place[0];
    edit->y = (ptrdiff_t)place[1];
    edit->stroke_grow = given[OPTION_GROW].given ? edit->grow : USUAL_GROW;
    if (heals)
        REC_TRY(set_from(edit, given[OPTION_FROM].given ? given[OPTION_FROM].text : NULL, error));
    made->own_white = !given[OPTION_MAXVAL].given;
    return REFUSE(error,
        {heals && !edit->mask && !edit->holes && made->headless,
         "heal needs --mask MASK, an image that is white where to heal, or nan for holes in data",
         NULL},
        {edit->keep > 0 && edit->rule == REC_GRADIENT_ZERO && made->headless,
         "--keep needs a source, whose colours it keeps: --from DX,DY", NULL},
        {edit->keep > 0 && edit->rule != REC_GRADIENT_ZERO && !rec_gradients[edit->rule].keeps,
         "--keep: the pixels of --gradient %s have no colours of their own",
         rec_gradients[edit->rule].name},
        {edit->kind == REC_EDIT_ONTO && !edit->onto,
         "--mask needs --onto PICTURE, the picture around the mask", NULL},
        {rec_ranks_count() > 1, "--mask works on one rank only", NULL},
        {given[OPTION_TONE].given && given[OPTION_TONE].count != REC_TONE_CLAMP,
         "--tone %s changes the samples around the mask", given[OPTION_TONE].text});
}

static rec_status set_start(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *start = &line->option[OPTION_START];
    double value;
    if (!start->given || !strcmp(start->text, "edges"))
        return REC_OK;
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

/* I/N */
static rec_status set_shard(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *shard = &line->option[OPTION_SHARD];
    const char *at;
    uint64_t own = 0, all = 1;
    if (shard->given &&
        (!option_read_count(shard->text, &at, &own) || *at != '/' ||
         !option_read_count(at + 1, &at, &all) || *at || own >= all))
        return rec_fail(error, REC_USAGE, "--shard %s: must be I/N with I from 0 to N - 1",
                        shard->text);
    made->shard = own;
    made->shards = all;
    return REC_OK;
}

static rec_status append_frame(rec_settings *made, uint64_t iterate, rec_error *error)
{
    if (made->frames_count == MOST_FRAMES)
        return rec_fail(error, REC_USAGE, "--frames-at: more than %d frames", MOST_FRAMES);
    made->frames_at[made->frames_count++] = iterate;
    return REC_OK;
}

/* N, FIRST..LAST:COUNT, or limit. In a range each iterate is the same factor above the one before;
 * whole numbers are close at the beginning, and those that round to the same one make one frame. */
static rec_status append_frames(rec_settings *made, const char *text, rec_error *error)
{
    uint64_t first, last, count;
    const char *at;
    if (!strcmp(text, "limit"))
        return append_frame(made, REC_LIMIT_ITERATION, error);
    if (option_read_count(text, &at, &first) && !*at)
        return append_frame(made, first, error);
    if (strncmp(at, "..", 2) || !option_read_count(at + 2, &at, &last) || *at != ':' ||
        !option_read_count(at + 1, &at, &count) || *at || first < 1 || last <= first ||
        count < 2 || count > MOST_FRAMES)
        return rec_fail(error, REC_USAGE, "--frames-at %s: must be a number of iterations, limit, "
                        "or FIRST..LAST:COUNT with FIRST at least 1 and COUNT from 2 to %d", text,
                        MOST_FRAMES);
    const double growth = log((double)last / (double)first) / (double)(count - 1);
    for (uint64_t i = 0; i < count; i++) {
        const double between = (double)first * exp(growth * (double)i);
        const uint64_t iterate = i + 1 == count ? last : (uint64_t)(between + 0.5);
        if (i == 0 || iterate != made->frames_at[made->frames_count - 1])
            REC_TRY(append_frame(made, iterate, error));
    }
    return REC_OK;
}

rec_status frames_at_parse(rec_settings *made, const char *text, rec_error *error)
{
    char part[OPTION_PART];
    REC_TRY(rec_allocate(&made->frames_at, MOST_FRAMES, sizeof *made->frames_at, "--frames-at",
                         error)); /* unused pages cost nothing */
    while (text) {
        REC_TRY(option_next_part(option_table[OPTION_FRAMES_AT].name, &text, part, error));
        REC_TRY(append_frames(made, part, error));
    }
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

/* Without a mean the grey levels have an unknown offset: stretch shows all of them. */
static rec_status set_tone(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *tone = &line->option[OPTION_TONE];
    const rec_problem *problem = &made->run.problem;
    const int free_mean = rec_problem_frees_mean(problem) && !problem->boundary.mean_count &&
                          made->reading.role != REC_PICTURE && !made->edit.kind;
    if (free_mean && !tone->given)
        made->writing.tone = REC_TONE_STRETCH;
    made->shown = tone->given || free_mean ? made->writing.tone : REC_TONE_AUTO;
    if (made->writing.tone == REC_TONE_EPCC && made->writing.maxval != 255)
        return rec_fail(error, REC_USAGE, "--tone epcc is defined only for --maxval 255");
    return REC_OK;
}

static rec_status read_steps(rec_settings *made, const command_line *line, rec_error *error)
{
    REC_TRY(conflicts_check(line, error));
    const char *solver = choose_solver(line, made);
    REC_TRY(set_files(made, line, error));
    REC_TRY(set_edit(made, line, error));
    REC_TRY(set_start(made, line, error));
    REC_TRY(set_shard(made, line, error));
    REC_TRY(set_frames(made, line, error));
    REC_TRY(settings_set_operators(made, line, solver, error));
    REC_TRY(settings_set_boundary(made, line, error)); /* operators have some boundaries only */
    REC_TRY(set_tone(made, line, error)); /* depends on whether the boundary leaves the mean free */
    return settings_set_solver(made, line, solver, error); /* refuses what it cannot do of that */
}

rec_status settings_parse(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option, *compare = &given[OPTION_COMPARE];
    const int edges = line->command == COMMAND_EDGES, heights = line->command == COMMAND_HEIGHTS;
    *made = (rec_settings){
        .reading = {.role = choose_role(line), .zero_level_given = given[OPTION_ZERO_LEVEL].given},
        .writing = {.maxval = edges || heights ? 65535 : 255, .exact = edges, .stops = 1,
                    .tone = heights ? REC_TONE_STRETCH : REC_TONE_CLAMP,
                    .offset = edges ? option_number(&given[OPTION_ZERO_LEVEL], EDGES_ZERO_LEVEL)
                                    : 0},
        .headless = is_headless(line), .makes_edges = edges,
        .edit.kind = line->command == COMMAND_HEAL    ? REC_EDIT_HEAL
                     : line->command == COMMAND_CLONE ? REC_EDIT_CLONE
                     : given[OPTION_MASK].given       ? REC_EDIT_ONTO
                                                      : REC_EDIT_NONE,
        .pace = given[OPTION_EVERY].given ? 0 : REC_PACE_USUAL, .max_difference = -1,
        .against = !compare->given  ? REC_AGAINST_NOTHING
                   : compare->count ? REC_AGAINST_LIMIT
                                    : REC_AGAINST_BITS,
        .progress = given[OPTION_QUIET].given ? NULL : stderr, .begin = rec_now(),
        .run = {.iterations = choose_iterations(line),
                .checkpoint_every = DEFAULT_CHECKPOINT_SECONDS},
    };
    copy_given(made, given);
    rec_status status = read_steps(made, line, error);
    if (rec_ranks_count() > 1)
        status = settings_share(made, status, error);
    /* A warning, which -q keeps: without a number one expects the exact picture. */
    if (!status && made->headless && !given[OPTION_ITERATIONS].given &&
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
    rec_free(settings->frames_at);
    *settings = (rec_settings){0};
}
