/* reconstruct bench: the ladder, rung by rung, each checked and then timed. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "commands/commands.h"
#include "job/files.h"

enum { DEFAULT_SIDE = 2048, MOST_SIDE = 65535, MOST_SIZES = 16, MOST_BLOCKS = 32 };
#define DEFAULT_SECONDS 0.5
#define DEFAULT_BLOCKS "32x8,64x4,128x2,256x1,32x32,8x32,1x256"

typedef struct bench {
    bench_size sizes[MOST_SIZES], blocks[MOST_BLOCKS];
    size_t size_count, block_count;
    unsigned char chosen[BENCH_MOST_RUNGS];
    int named;               /* the rungs were: one that cannot work here is worth a line */
    double seconds;
    int device;
    const char *json, *svg;  /* paths, NULL: none */
    FILE *table;
    bench_baseline baseline;
    int has_baseline;
    bench_report report;
    size_t wrong, timed;
} bench;

/* ---- options ---- */

static rec_status check_combination(const option_value *given, int plate, rec_error *error)
{
    static const struct {
        option_id option;
        int plate;
    } rows[] = {{OPTION_RUNGS, 0},    {OPTION_BLOCKS, 0}, {OPTION_TIME, 0},   {OPTION_JSON, 0},
                {OPTION_BASELINE, 0}, {OPTION_SVG, 0},    {OPTION_SOLVER, 1}, {OPTION_KERNEL, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (given[rows[i].option].given && rows[i].plate != plate)
            return rec_fail(error, REC_USAGE, "--%s works with --problem %s",
                            option_table[rows[i].option].name, plate ? "ladder" : "plate");
    return REC_OK;
}

static rec_status set_outputs(bench *made, const option_value *given, rec_error *error)
{
    made->json = given[OPTION_JSON].given ? given[OPTION_JSON].text : NULL;
    made->svg = given[OPTION_SVG].given ? given[OPTION_SVG].text : NULL;
    const int json_out = made->json && !strcmp(made->json, "-");
    const int svg_out = made->svg && !strcmp(made->svg, "-");
    if ((json_out && svg_out) || (made->json && made->svg && is_one_file(made->json, made->svg)))
        return rec_fail(error, REC_USAGE, "--json and --svg cannot both go to %s", made->json);
    made->table = json_out || svg_out ? stderr : stdout;
    rec_status status = made->json ? rec_output_check(made->json, error) : REC_OK;
    if (!status && made->svg)
        status = rec_output_check(made->svg, error);
    return status;
}

static rec_status check_blocks(const bench *made, rec_error *error)
{
    for (size_t i = 0; i < made->block_count; i++)
        if (made->blocks[i].width * made->blocks[i].height > 1024)
            return rec_fail(error, REC_USAGE, "--blocks %zux%zu: a block has at most 1024 threads",
                            made->blocks[i].width, made->blocks[i].height);
    return REC_OK;
}

static rec_status bench_make(bench *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    *made = (bench){
        .sizes = {{DEFAULT_SIDE, DEFAULT_SIDE}},
        .size_count = 1,
        .named = given[OPTION_RUNGS].given,
        .seconds = given[OPTION_TIME].given ? given[OPTION_TIME].number : DEFAULT_SECONDS,
        .device = (int)given[OPTION_DEVICE].count,
    };
    rec_status status = bench_choose(given[OPTION_RUNGS].text, made->chosen, error);
    if (!status && given[OPTION_SIZE].given)
        status = bench_parse_sizes("size", given[OPTION_SIZE].text, 1, MOST_SIDE, made->sizes,
                                   MOST_SIZES, &made->size_count, error);
    if (!status)
        status = bench_parse_sizes(
            "blocks", given[OPTION_BLOCKS].given ? given[OPTION_BLOCKS].text : DEFAULT_BLOCKS, 1,
            1024, made->blocks, MOST_BLOCKS, &made->block_count, error);
    if (!status)
        status = check_blocks(made, error);
    if (!status && given[OPTION_BASELINE].given) {
        status = bench_read_baseline(given[OPTION_BASELINE].text, &made->baseline, error);
        made->has_baseline = !status;
    }
    if (!status)
        status = set_outputs(made, given, error);
    return status;
}

/* ---- measuring ---- */

static bench_result *add_result(bench *of, rec_error *error)
{
    bench_report *report = &of->report;
    bench_result *grown = realloc(report->results, (report->count + 1) * sizeof *grown);
    if (!grown) {
        rec_fail(error, REC_LIMIT, "out of memory for the results");
        return NULL;
    }
    report->results = grown;
    return &grown[report->count++];
}

/* Beside the rungs of this size that were there before it. */
static void compare(const bench *of, bench_result *result)
{
    double before = 0, base = 0;
    if (result->outcome != BENCH_TIMED)
        return;
    for (const bench_result *other = of->report.results; other <= result; other++) {
        if (other->outcome != BENCH_TIMED || other->width != result->width ||
            other->height != result->height)
            continue;
        if (other->rung->number == result->rung->from && (!before || other->median < before))
            before = other->median;
        if (other->rung->base)
            base = other->median;
    }
    result->before = before / result->median;
    if (result->rung->check == BENCH_STENCIL || result->rung->check == BENCH_EXERCISE)
        result->cpu = base / result->median;
    result->baseline = bench_baseline_find(&of->baseline, result) / result->median;
}

static rec_status measure_one(bench *of, const bench_rung *rung, bench_case *problem,
                              bench_block block, rec_error *error)
{
    bench_result *result = add_result(of, error);
    if (!result)
        return REC_LIMIT;
    rec_status status = REC_OK;
    if (rung->device && !of->report.machine.has_device) {
        *result = (bench_result){.rung = rung, .width = problem->width, .height = problem->height,
                                 .outcome = BENCH_SKIPPED};
        snprintf(result->label, sizeof result->label, "%s", rung->name);
        snprintf(result->reason, sizeof result->reason, "%s", of->report.machine.no_device);
    } else
        status = bench_measure(rung, problem, block, of->device, of->seconds, result, error);
    if (status)
        return rec_fail_in(error, rung->name);
    compare(of, result);
    of->wrong += result->outcome == BENCH_WRONG;
    of->timed += result->outcome == BENCH_TIMED;
    bench_print_result(of->table, result, &of->report.machine, of->has_baseline);
    fflush(of->table);
    return REC_OK;
}

static rec_status measure_rung(bench *of, const bench_rung *rung, bench_case *problem,
                               rec_error *error)
{
    if (rung->device && !of->report.machine.has_device && !of->named)
        return REC_OK;
    rec_status status = REC_OK;
    if (!rung->sweeps || !of->report.machine.has_device)
        return measure_one(of, rung, problem, rung->block, error);
    for (size_t i = 0; i < of->block_count && !status; i++) {
        const bench_block block = {(unsigned)of->blocks[i].width, (unsigned)of->blocks[i].height};
        status = measure_one(of, rung, problem, block, error);
    }
    return status;
}

static rec_status measure_size(bench *of, bench_size size, rec_error *error)
{
    bench_case problem;
    const bench_rung *rung;
    rec_status status = bench_case_create(&problem, size.width, size.height, error);
    if (status)
        return status;
    bench_print_head(of->table, size.width, size.height, of->has_baseline);
    for (size_t i = 0; (rung = bench_rung_at(i)) && !status; i++)
        if (of->chosen[i])
            status = measure_rung(of, rung, &problem, error);
    bench_case_destroy(&problem);
    return status;
}

/* ---- what comes out ---- */

static rec_status write_json(const bench *of, rec_error *error)
{
    rec_output *output;
    const rec_status status = rec_output_open(&output, of->json, error);
    if (status)
        return status;
    bench_write_json(rec_output_stream(output), &of->report);
    return rec_output_commit(output, error);
}

/* The largest of the sizes. */
static rec_status write_svg(const bench *of, rec_error *error)
{
    bench_size largest = of->sizes[0];
    for (size_t i = 1; i < of->size_count; i++)
        if (of->sizes[i].width * of->sizes[i].height > largest.width * largest.height)
            largest = of->sizes[i];
    rec_output *output;
    rec_status status = rec_output_open(&output, of->svg, error);
    if (status)
        return status;
    status = bench_write_svg(rec_output_stream(output), &of->report, largest.width, largest.height,
                             error);
    if (!status)
        return rec_output_commit(output, error);
    rec_output_abandon(output);
    return status;
}

static rec_status judge(const bench *of, rec_error *error)
{
    if (of->wrong)
        return rec_fail(error, REC_NO, "%zu rung%s wrong, and not timed", of->wrong,
                        of->wrong == 1 ? " is" : "s are");
    if (!of->timed)
        return rec_fail(error, REC_UNAVAILABLE, "none of these rungs works here: %s",
                        of->report.count ? of->report.results[0].reason
                                         : of->report.machine.no_device);
    return REC_OK;
}

static rec_status climb(bench *of, rec_error *error)
{
    const bench_rung *rung;
    int want_device = 0;
    for (size_t i = 0; (rung = bench_rung_at(i)); i++)
        want_device |= of->chosen[i] && rung->device;
    rec_status status = bench_machine_look(&of->report.machine, want_device, of->device, error);
    if (status)
        return status;
    bench_print_machine(of->table, &of->report.machine);
    for (size_t i = 0; i < of->size_count && !status; i++)
        status = measure_size(of, of->sizes[i], error);
    if (!status && of->json)
        status = write_json(of, error);
    if (status)
        return status;
    status = of->svg ? write_svg(of, error) : REC_OK;
    const rec_status judged = judge(of, error); /* weighs more, and so does its message */
    return judged ? judged : status;
}

rec_status command_bench(const command_line *line, rec_error *error)
{
    const option_value *problem = &line->option[OPTION_PROBLEM];
    const int plate = problem->given && !strcmp(problem->text, "plate");
    if (line->operand_count)
        return rec_fail(error, REC_USAGE, "bench takes options alone, no %s", line->operands[0]);
    if (problem->given && !plate && strcmp(problem->text, "ladder"))
        return rec_fail(error, REC_USAGE, "--problem %s: must be ladder or plate", problem->text);
    rec_status status = check_combination(line->option, plate, error);
    if (status || plate)
        return status ? status : bench_plate(line, error);
    bench made;
    status = bench_make(&made, line, error);
    if (!status)
        status = climb(&made, error);
    bench_baseline_destroy(&made.baseline);
    free(made.report.results);
    return status;
}
