/* What the command line asks for: rungs, sizes, outputs; then the ladder or the plate. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "bench/bench.h"
#include "image/image_files.h"

enum { MOST_THREADS = 1024, DEFAULT_ITERATIONS = 1000 };
#define DEFAULT_SECONDS 0.5

/* "7", or "5-8" with `between` -, whole. */
static int parse_pair(const char *text, char between, uint64_t *first, uint64_t *second)
{
    *first = 0;
    const int good = option_read_count(text, &text, first);
    *second = *first;
    return good && (*text != between || option_read_count(text + 1, &text, second)) && !*text;
}

rec_status bench_parse_rungs(bench_problem problem, const char *text,
                             unsigned char chosen[BENCH_MOST_RUNGS], rec_error *error)
{
    const bench_rung *rung;
    memset(chosen, 0, BENCH_MOST_RUNGS);
    for (size_t i = 0; !text && (rung = bench_rung_at(problem, i)); i++)
        chosen[i] = !rung->asked;
    while (text) {
        char part[OPTION_PART];
        uint64_t low, high;
        REC_TRY(option_next_part("rungs", &text, part, error));
        const int range = parse_pair(part, '-', &low, &high);
        int found = problem == BENCH_LADDER && !strcmp(part, "mine"); /* behind the others */
        for (size_t i = 0; (rung = bench_rung_at(problem, i)); i++)
            if (range ? (uint64_t)rung->number >= low && (uint64_t)rung->number <= high
                      : !strcmp(part, rung->name) || !strcmp(part, rung->type->group))
                found = chosen[i] = 1;
        for (size_t i = 0; !found && range && (rung = bench_rung_at(!problem, i)); i++)
            if ((uint64_t)rung->number == low)
                return rec_fail(error, REC_USAGE, "--rungs %s: rung %d is one of --problem %s",
                                part, rung->number, problem ? "ladder" : "convolution");
        if (!found)
            return rec_fail(error, REC_USAGE,
                            "--rungs %s: unknown rung; `reconstruct bench --help` lists them%s",
                            part, REC_HAVE_CUDA ? ""
                                  : " (this build has no CUDA: the GPU's are missing)");
    }
    return REC_OK;
}

rec_status bench_parse_sizes(bench_option option, const char *text, size_t most, bench_sizes *list,
                             rec_error *error)
{
    const option_row *row = &bench_option_rows[option];
    for (list->count = 0; text; list->count++) {
        char part[OPTION_PART];
        uint64_t width, height;
        REC_TRY(option_next_part(row->name, &text, part, error));
        if (!parse_pair(part, 'x', &width, &height))
            return rec_fail(error, REC_USAGE, "--%s %s: not a whole number%s", row->name, part,
                            option == BENCH_RADII ? "" : ", nor WxH");
        if (rec_smaller(width, height) < row->low || rec_larger(width, height) > row->high)
            return rec_fail(error, REC_USAGE, "--%s %s: must be %g to %.15g", row->name, part,
                            row->low, row->high);
        if (option == BENCH_BLOCKS && width * height > MOST_THREADS)
            return rec_fail(error, REC_USAGE, "--blocks %s: a block has at most %d threads", part,
                            MOST_THREADS);
        if (list->count == most)
            return rec_fail(error, REC_USAGE, "--%s: at most %zu of them", row->name, most);
        list->at[list->count] = (bench_size){width, height};
    }
    return REC_OK;
}

static rec_status read_sizes(const option_value *given, bench_option option, const char *otherwise,
                             size_t most, bench_sizes *list, rec_error *error)
{
    return bench_parse_sizes(option, given[option].given ? given[option].text : otherwise, most,
                             list, error);
}

/* A reference file belongs to one size and one stencil. */
static rec_status check_course(const bench_settings *made, const option_value *given,
                               rec_error *error)
{
    const bench_size *radii = made->radii.at;
    for (size_t i = 0; i < made->radii.count; i++)
        if (radii[i].height != radii[i].width || (i && radii[i - 1].width >= radii[i].width))
            return rec_fail(error, REC_USAGE,
                            "--radius %s: must be radii, each above the one before",
                            given[BENCH_RADII].text);
    if (made->reference && made->new_reference)
        return rec_fail(error, REC_USAGE, "--reference reads a file and --create-reference writes "
                        "one: use only one of them");
    if ((made->reference || made->new_reference) &&
        (made->radii.count > 1 || made->sizes.count > 1))
        return rec_fail(error, REC_USAGE, "a reference file is for one --radius and one --size");
    for (size_t i = 0; i < made->sizes.count; i++)
        if (made->sizes.at[i].width != made->sizes.at[i].height)
            return rec_fail(error, REC_USAGE, "--size: the course's image is a square");
    return REC_OK;
}

static rec_status run_ladder(const command_line *line, bench_problem problem, rec_error *error)
{
    const option_value *given = line->option;
    const int course = problem == BENCH_COURSE;
    bench_settings made = {
        .problem = problem,
        .radii.count = 1,
        .reference = given[BENCH_COURSE_REFERENCE].text,
        .new_reference = given[BENCH_CREATE_REFERENCE].text,
        .seconds = option_number(&given[BENCH_TIME], DEFAULT_SECONDS),
        .json = given[BENCH_JSON].text,
        .mine = given[BENCH_MINE].text,
        .picture = given[BENCH_PICTURE].text,
        .iterations = (uint64_t)option_number(&given[BENCH_ITERATIONS], DEFAULT_ITERATIONS),
        .hints = (size_t)option_number(&given[BENCH_HINTS], 0),
        .table = option_is_stdout(&given[BENCH_JSON]) ? stderr : stdout,
    };
    REC_TRY(bench_parse_rungs(problem, given[BENCH_RUNGS].text, made.chosen, error));
    REC_TRY(option_read_place(&given[BENCH_DEVICE], &given[BENCH_SLABS], &made.place, error));
    REC_TRY(read_sizes(given, BENCH_SIZE, course ? "4096" : "2048", BENCH_MOST_SIZES, &made.sizes,
                       error));
    REC_TRY(read_sizes(given, BENCH_BLOCKS, "32x8,64x4,128x2,256x1,32x32,8x32,1x256",
                       BENCH_MOST_SIZES, &made.blocks, error));
    REC_TRY(read_sizes(given, BENCH_GRID, NULL, 1, &made.grid, error));
    if (course) {
        REC_TRY(read_sizes(given, BENCH_RADII, "2,3,5", BENCH_MOST_SIZES, &made.radii, error));
        REC_TRY(check_course(&made, given, error));
    }
    if (!made.mine && !memchr(made.chosen, 1, sizeof made.chosen))
        return rec_fail(error, REC_USAGE, "--rungs mine: goes with --mine FILE");
    if (made.picture ? !made.mine : given[BENCH_ITERATIONS].given)
        return rec_fail(error, REC_USAGE, "-n and -o go together, with --mine FILE");
    if (given[BENCH_EXERCISE_OF].given ? !made.mine : made.hints)
        return rec_fail(error, REC_USAGE, "--exercise goes with --mine FILE, --hint with it");
    if (given[BENCH_EXERCISE_OF].given)
        REC_TRY(bench_exercise_find(given[BENCH_EXERCISE_OF].text, &made.exercise, error));
    if (made.picture)
        REC_TRY(rec_write_check(made.picture, 1, &(rec_write_options){.maxval = 255}, error));
    if (made.json)
        REC_TRY(rec_output_check(made.json, 1, error));
    const char *ending = made.mine ? strrchr(made.mine, '.') : ".so";
    if (!ending || strcmp(ending, ".so")) { /* hints come at once, and once */
        for (size_t i = 0; i < made.hints; i++)
            fprintf(made.table, "hint %zu: %s\n", i + 1, made.exercise->hints[i]);
        fflush(made.table);
        return bench_mine_run(made.mine, made.exercise, given, error);
    }
    const rec_status status = bench_ladder(&made, error);
    char running[PATH_MAX + 200];
    snprintf(running, sizeof running, BENCH_RUNNING, made.mine ? made.mine : "");
    if (made.mine)
        unlink(running);
    return status;
}

static rec_status solve_plate(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const char *name = given[BENCH_SOLVER].text;
    bench_sizes size;
    const rec_solver_type *type;
    rec_solver_options options = {.kernel = given[BENCH_KERNEL].text};
    REC_TRY(option_read_place(&given[BENCH_DEVICE], &given[BENCH_SLABS], &options, error));
    REC_TRY(read_sizes(given, BENCH_SIZE, "64", 1, &size, error));
    if (size.at->width != size.at->height || size.at->width < 3)
        return rec_fail(error, REC_USAGE, "--size %s: the plate is a square of at least 3 x 3",
                        given[BENCH_SIZE].text);
    REC_TRY(rec_solver_find(name ? name : "auto", &type, error));
    const double most = option_number(&given[BENCH_ITERATIONS], DEFAULT_ITERATIONS);
    return bench_plate(size.at->width, (uint64_t)most, type, &options, error);
}

rec_status bench_execute(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const uint64_t problem = given[BENCH_PROBLEM].count;
    if (line->operand_count)
        return rec_fail(error, REC_USAGE, "bench takes options only, not %s", line->operands[0]);
    for (size_t i = 0; i < BENCH_OPTIONS; i++)
        if (given[i].given && !(bench_option_rows[i].commands >> problem & 1))
            return rec_fail(error, REC_USAGE, "--%s has no meaning for --problem %s",
                            bench_option_rows[i].name,
                            given[BENCH_PROBLEM].given ? given[BENCH_PROBLEM].text : "ladder");
    return problem == 1 ? solve_plate(line, error)
                        : run_ladder(line, problem ? BENCH_COURSE : BENCH_LADDER, error);
}
