/* reconstruct bench: the ladder of kernels, or the plate. */
#include "bench/bench.h"

#include <string.h>

#include "base/output.h"
#include "commands/bench_lists.h"
#include "commands/commands.h"
#include "base/paths.h"

enum { MOST_SIDE = 65535, MOST_SIZES = 16, MOST_BLOCKS = 32, MOST_THREADS = 1024 };
enum { DEFAULT_SIDE = 2048, DEFAULT_PLATE = 64, DEFAULT_ITERATIONS = 1000 };
#define DEFAULT_SECONDS 0.5
#define DEFAULT_BLOCKS "32x8,64x4,128x2,256x1,32x32,8x32,1x256"

/* The text of an option, `otherwise` where it was not given. */
static const char *text_of(const option_value *value, const char *otherwise)
{
    return value->given ? value->text : otherwise;
}

static rec_status check_combination(const option_value *given, int plate, rec_error *error)
{
    static const struct {
        option_id option;
        int plate;
    } rows[] = {{OPTION_RUNGS, 0},    {OPTION_BLOCKS, 0}, {OPTION_TIME, 0},   {OPTION_JSON, 0},
                {OPTION_BASELINE, 0}, {OPTION_SVG, 0},    {OPTION_SOLVER, 1}, {OPTION_KERNEL, 1},
                {OPTION_ITERATIONS, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (given[rows[i].option].given && rows[i].plate != plate)
            return rec_fail(error, REC_USAGE, "--%s needs --problem %s",
                            option_table[rows[i].option].name, plate ? "ladder" : "plate");
    return REC_OK;
}

/* The table goes where no file goes. */
static rec_status set_outputs(bench_settings *made, const option_value *given, rec_error *error)
{
    made->json = text_of(&given[OPTION_JSON], NULL);
    made->svg = text_of(&given[OPTION_SVG], NULL);
    const int json_out = made->json && !strcmp(made->json, "-");
    const int svg_out = made->svg && !strcmp(made->svg, "-");
    if ((json_out && svg_out) || (made->json && made->svg && rec_path_is_one_file(made->json, made->svg)))
        return rec_fail(error, REC_USAGE, "--json and --svg cannot both go to %s", made->json);
    made->table = json_out || svg_out ? stderr : stdout;
    rec_status status = made->json ? rec_output_check(made->json, error) : REC_OK;
    if (!status && made->svg)
        status = rec_output_check(made->svg, error);
    return status;
}

static rec_status parse_blocks(const char *text, bench_size blocks[MOST_BLOCKS], size_t *count,
                               rec_error *error)
{
    const rec_status status =
        parse_sizes("blocks", text, 1, MOST_THREADS, blocks, MOST_BLOCKS, count, error);
    for (size_t i = 0; !status && i < *count; i++)
        if (blocks[i].width * blocks[i].height > MOST_THREADS)
            return rec_fail(error, REC_USAGE, "--blocks %zux%zu: a block has at most %d threads",
                            blocks[i].width, blocks[i].height, MOST_THREADS);
    return status;
}

static rec_status climb_ladder(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    bench_size sizes[MOST_SIZES] = {{DEFAULT_SIDE, DEFAULT_SIDE}}, blocks[MOST_BLOCKS];
    bench_settings made = {
        .sizes = sizes,
        .size_count = 1,
        .blocks = blocks,
        .seconds = given[OPTION_TIME].given ? given[OPTION_TIME].number : DEFAULT_SECONDS,
        .baseline = text_of(&given[OPTION_BASELINE], NULL),
    };
    rec_status status = parse_rungs(text_of(&given[OPTION_RUNGS], NULL), made.chosen, error);
    if (!status)
        status = choose_devices(line, &made.place, error);
    if (!status && given[OPTION_SIZE].given)
        status = parse_sizes("size", given[OPTION_SIZE].text, 1, MOST_SIDE, sizes, MOST_SIZES,
                             &made.size_count, error);
    if (!status)
        status = parse_blocks(text_of(&given[OPTION_BLOCKS], DEFAULT_BLOCKS), blocks,
                              &made.block_count, error);
    if (!status)
        status = set_outputs(&made, given, error);
    return status ? status : bench_ladder(&made, error);
}

static rec_status solve_plate(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    bench_size size = {DEFAULT_PLATE, DEFAULT_PLATE};
    size_t count;
    const rec_solver_type *type;
    const option_value *most = &given[OPTION_ITERATIONS];
    rec_solver_options options = {.kernel = given[OPTION_KERNEL].text};
    rec_status status = choose_devices(line, &options, error);
    if (!status && given[OPTION_SIZE].given)
        status = parse_sizes("size", given[OPTION_SIZE].text, 3, MOST_SIDE, &size, 1, &count,
                             error);
    if (!status && size.width != size.height)
        status = rec_fail(error, REC_USAGE, "--size %s: the plate is a square",
                          given[OPTION_SIZE].text);
    if (!status)
        status = rec_solver_find(text_of(&given[OPTION_SOLVER], "auto"), &type, error);
    return status ? status : bench_plate(size.width, most->given ? most->count : DEFAULT_ITERATIONS,
                                         type, &options, stdout, error);
}

rec_status command_bench(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const char *problem = text_of(&given[OPTION_PROBLEM], "ladder");
    const int plate = !strcmp(problem, "plate");
    if (line->operand_count)
        return rec_fail(error, REC_USAGE, "bench takes options only, not %s", line->operands[0]);
    if (!plate && strcmp(problem, "ladder"))
        return rec_fail(error, REC_USAGE, "--problem %s: must be ladder or plate", problem);
    const rec_status status = check_combination(given, plate, error);
    if (status)
        return status;
    return plate ? solve_plate(line, error) : climb_ladder(line, error);
}
