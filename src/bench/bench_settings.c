/* What the command line asks for: rungs, sizes, outputs; then the ladder or the plate. */
#include <string.h>

#include "base/output.h"
#include "bench/rung.h"

enum { MOST_SIDE = 1 << 17, MOST_SIZES = 16, MOST_BLOCKS = 32, MOST_THREADS = 1024 };
enum { DEFAULT_SIDE = 2048, DEFAULT_PLATE = 64, DEFAULT_COURSE = 4096, DEFAULT_ITERATIONS = 1000 };
enum { MOST_RADII = 16, MOST_RADIUS = 31 };
#define DEFAULT_RADII "2,3,5"
#define DEFAULT_SECONDS 0.5
#define MINE_RUNGS "5-14,20-22,28,40,41,43,83,90-92"
#define DEFAULT_BLOCKS "32x8,64x4,128x2,256x1,32x32,8x32,1x256"

/* ---- --rungs ---- */

/* "7", or "5-8" with `between` -, whole. */
static int parse_pair(const char *text, char between, uint64_t *first, uint64_t *second)
{
    *first = 0;
    const int good = option_read_count(text, &text, first);
    *second = *first;
    return good && (*text != between || option_read_count(text + 1, &text, second)) && !*text;
}

static rec_status choose_part(bench_problem problem, const char *text, unsigned char *chosen,
                              rec_error *error)
{
    bench_about rung;
    uint64_t low, high;
    const int range = parse_pair(text, '-', &low, &high);
    int found = 0;
    for (size_t i = 0; bench_rung_about(problem, i, &rung); i++)
        if (range ? (uint64_t)rung.number >= low && (uint64_t)rung.number <= high
                  : !strcmp(text, rung.name) || !strcmp(text, rung.group))
            found = chosen[i] = 1;
    for (size_t i = 0; !found && range && bench_rung_about(!problem, i, &rung); i++)
        if ((uint64_t)rung.number == low)
            return rec_fail(error, REC_USAGE, "--rungs %s: rung %d is one of --problem %s", text,
                            rung.number, problem ? "ladder" : "convolution");
    if (!found)
        return rec_fail(error, REC_USAGE,
                        "--rungs %s: unknown rung; `reconstruct bench --help` lists them%s", text,
                        REC_HAVE_CUDA ? "" : " (this build has no CUDA: the GPU's are missing)");
    return REC_OK;
}

rec_status bench_parse_rungs(bench_problem problem, const char *text,
                       unsigned char chosen[BENCH_MOST_RUNGS], rec_error *error)
{
    bench_about rung;
    memset(chosen, 0, BENCH_MOST_RUNGS);
    for (size_t i = 0; !text && bench_rung_about(problem, i, &rung); i++)
        chosen[i] = !rung.asked;
    while (text) {
        char part[OPTION_PART];
        REC_TRY(option_next_part("rungs", &text, part, error));
        REC_TRY(choose_part(problem, part, chosen, error));
    }
    return REC_OK;
}

/* ---- --size, --blocks, --width ---- */

rec_status bench_parse_sizes(bench_option option, const char *text, size_t least, size_t most,
                       bench_size *sizes, size_t capacity, size_t *count, rec_error *error)
{
    const char *name = bench_option_rows[option].name;
    for (*count = 0; text; ++*count) {
        char part[OPTION_PART];
        uint64_t width, height;
        REC_TRY(option_next_part(name, &text, part, error));
        if (!parse_pair(part, 'x', &width, &height))
            return rec_fail(error, REC_USAGE, "--%s %s: not a whole number%s", name, part,
                            option == BENCH_RADII ? "" : ", nor WxH");
        if (width < least || height < least || width > most || height > most)
            return rec_fail(error, REC_USAGE, "--%s %s: must be %zu to %zu", name, part, least,
                            most);
        if (*count == capacity)
            return rec_fail(error, REC_USAGE, "--%s: at most %zu of them", name, capacity);
        sizes[*count] = (bench_size){width, height};
    }
    return REC_OK;
}

/* ---- the rest ---- */

/* Some options are only for some problems. */
static rec_status check_combination(const option_value *given, rec_error *error)
{
    const option_value *problem = &given[BENCH_PROBLEM];
    for (size_t i = 0; i < BENCH_OPTIONS; i++) {
        if (given[i].given && !(bench_option_rows[i].commands >> problem->count & 1))
            return rec_fail(error, REC_USAGE, "--%s has no meaning for --problem %s",
                            bench_option_rows[i].name, problem->given ? problem->text : "ladder");
    }
    return REC_OK;
}

static rec_status parse_blocks(const char *text, bench_size blocks[MOST_BLOCKS], size_t *count,
                               rec_error *error)
{
    REC_TRY(bench_parse_sizes(BENCH_BLOCKS, text, 1, MOST_THREADS, blocks, MOST_BLOCKS, count,
                              error));
    for (size_t i = 0; i < *count; i++)
        if (blocks[i].width * blocks[i].height > MOST_THREADS)
            return rec_fail(error, REC_USAGE, "--blocks %zux%zu: a block has at most %d threads",
                            blocks[i].width, blocks[i].height, MOST_THREADS);
    return REC_OK;
}

static rec_status parse_radii(const char *text, size_t radii[MOST_RADII], size_t *count,
                              rec_error *error)
{
    bench_size list[MOST_RADII];
    REC_TRY(bench_parse_sizes(BENCH_RADII, text, 1, MOST_RADIUS, list, MOST_RADII, count, error));
    for (size_t i = 0; i < *count; i++) {
        radii[i] = list[i].width;
        if (list[i].height != radii[i] || (i && radii[i - 1] >= radii[i]))
            return rec_fail(error, REC_USAGE,
                            "--width %s: must be radii, each above the one "
                            "before",
                            text);
    }
    return REC_OK;
}

/* A reference file belongs to one size and one stencil. */
static rec_status set_course(bench_settings *made, size_t radii[MOST_RADII],
                             const option_value *given, rec_error *error)
{
    made->radii = radii;
    made->reference = given[BENCH_COURSE_REFERENCE].text;
    made->new_reference = given[BENCH_CREATE_REFERENCE].text;
    const char *list = given[BENCH_RADII].text;
    REC_TRY(parse_radii(list ? list : DEFAULT_RADII, radii, &made->radius_count, error));
    if (made->reference && made->new_reference)
        return rec_fail(error, REC_USAGE, "--reference reads a file and --create-reference writes "
                        "one: use only one of them");
    if ((made->reference || made->new_reference) &&
        (made->radius_count > 1 || made->size_count > 1))
        return rec_fail(error, REC_USAGE, "a reference file is for one --width and one --size");
    for (size_t i = 0; i < made->size_count; i++)
        if (made->sizes[i].width != made->sizes[i].height)
            return rec_fail(error, REC_USAGE, "--size: the course's image is a square");
    return REC_OK;
}

/* The same options for the process that loads what was compiled. Unless rungs are given, those that
 * do one iteration a pass and some of the fastest. */
static rec_status run_mine(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const char *path = given[BENCH_MINE].text, *words[2 * BENCH_OPTIONS];
    char names[BENCH_OPTIONS][16];
    size_t count = 0;
    for (size_t i = 0; i < BENCH_OPTIONS; i++)
        if (given[i].given && i != BENCH_MINE) {
            snprintf(names[i], sizeof names[i], "--%s", bench_option_rows[i].name);
            words[count++] = names[i];
            words[count++] = given[i].text;
        }
    if (!given[BENCH_RUNGS].given) {
        words[count++] = "--rungs";
        words[count++] = strstr(path, ".cu") ? MINE_RUNGS : "1-4,33";
    }
    return bench_mine_run(path, words, count, error);
}

static rec_status run_ladder(const command_line *line, bench_problem problem, rec_error *error)
{
    const option_value *given = line->option;
    const char *list = given[BENCH_BLOCKS].text;
    const size_t side = problem == BENCH_COURSE ? DEFAULT_COURSE : DEFAULT_SIDE;
    bench_size sizes[MOST_SIZES] = {{side, side}}, blocks[MOST_BLOCKS];
    size_t radii[MOST_RADII];
    bench_settings made = {
        .problem = problem,
        .sizes = sizes,
        .size_count = 1,
        .blocks = blocks,
        .seconds = option_number(&given[BENCH_TIME], DEFAULT_SECONDS),
        .json = given[BENCH_JSON].text,
        .mine = given[BENCH_MINE].text,
        .table = option_is_stdout(&given[BENCH_JSON]) ? stderr : stdout,
    };
    REC_TRY(bench_parse_rungs(problem, given[BENCH_RUNGS].text, made.chosen, error));
    REC_TRY(option_read_place(&given[BENCH_DEVICE], &given[BENCH_SLABS], &made.place, error));
    if (given[BENCH_SIZE].given)
        REC_TRY(bench_parse_sizes(BENCH_SIZE, given[BENCH_SIZE].text, 1, MOST_SIDE, sizes,
                                  MOST_SIZES, &made.size_count, error));
    REC_TRY(parse_blocks(list ? list : DEFAULT_BLOCKS, blocks, &made.block_count, error));
    size_t grids;
    if (given[BENCH_GRID].given)
        REC_TRY(bench_parse_sizes(BENCH_GRID, given[BENCH_GRID].text, 1, MOST_SIDE, &made.grid, 1,
                            &grids, error));
    if (problem == BENCH_COURSE)
        REC_TRY(set_course(&made, radii, given, error));
    if (made.json)
        REC_TRY(rec_output_check(made.json, error));
    const char *ending = made.mine ? strrchr(made.mine, '.') : NULL;
    return made.mine && !(ending && !strcmp(ending, ".so")) ? run_mine(line, error)
                                                            : bench_ladder(&made, error);
}

static rec_status solve_plate(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const char *name = given[BENCH_SOLVER].text;
    bench_size size = {DEFAULT_PLATE, DEFAULT_PLATE};
    size_t count;
    const rec_solver_type *type;
    rec_solver_options options = {.kernel = given[BENCH_KERNEL].text};
    REC_TRY(option_read_place(&given[BENCH_DEVICE], &given[BENCH_SLABS], &options, error));
    if (given[BENCH_SIZE].given)
        REC_TRY(bench_parse_sizes(BENCH_SIZE, given[BENCH_SIZE].text, 3, MOST_SIDE, &size, 1,
                                  &count, error));
    if (size.width != size.height)
        return rec_fail(error, REC_USAGE, "--size %s: the plate is a square",
                        given[BENCH_SIZE].text);
    REC_TRY(rec_solver_find(name ? name : "auto", &type, error));
    const double most = option_number(&given[BENCH_ITERATIONS], DEFAULT_ITERATIONS);
    return bench_plate(size.width, (uint64_t)most, type, &options, stdout, error);
}

rec_status bench_execute(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const uint64_t problem = given[BENCH_PROBLEM].count;
    if (line->operand_count)
        return rec_fail(error, REC_USAGE, "bench takes options only, not %s", line->operands[0]);
    REC_TRY(check_combination(given, error));
    return problem == 1 ? solve_plate(line, error)
                        : run_ladder(line, problem ? BENCH_COURSE : BENCH_LADDER, error);
}
