/* The ladder: every rung gives the reference's bits, a wrong one is not timed, and what comes out
 * can be read back. The rungs of a device that is not there are skipped. */
#include "bench/bench.h"
#include "commands/commands.h"
#include "tests/unit/support.h"

/* ---- bits ---- */

static const bench_size sizes[] = {{1, 1}, {1, 9}, {9, 1}, {31, 33}, {203, 117}, {130, 300}};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const rec_solver_options here = {0};

/* Steps that add up to FEW or MANY: the split must not matter. */
static void check_words(const bench_rung *rung, bench_case *problem, rec_ladder_block block,
                        int many)
{
    static const uint64_t steps[2][4] = {{1, 2}, {1, 8, 25, 1}};
    const size_t pixels = problem->width * problem->height;
    rec_error error = {0};
    void *state = NULL;
    rec_ladder_launch launch;
    double sum;
    rec_status status = rung->type->create(&state, rung, problem, block, &here, &error);
    if (status == REC_UNAVAILABLE || status == REC_USAGE) {
        if (state)
            rung->type->destroy(state);
        return; /* a kernel that this processor lacks */
    }
    assert_succeeded(status, &error);
    for (size_t i = 0; i < 4; i++)
        if (steps[many][i])
            assert_succeeded(rung->type->advance(state, steps[many][i], &launch, &error), &error);
    const uint32_t *expected;
    assert_succeeded(bench_case_expect(problem, rung->check, many, &expected, &error), &error);
    rec_owned uint32_t *found = malloc(pixels * sizeof *found);
    assert_non_null(found);
    assert_succeeded(rung->type->read(state, found, rung->norm ? &sum : NULL, &error), &error);
    for (size_t i = 0; i < pixels; i++)
        if (found[i] != expected[i])
            fail_msg("%s, %zu x %zu, block %u x %u: %08x instead of %08x at column %zu, row %zu",
                     rung->name, problem->width, problem->height, block.columns, block.rows,
                     found[i], expected[i], i % problem->width, i / problem->width);
    if (rung->norm && !(fabs(sum - problem->squares[many]) <= 1e-12 * problem->squares[many]))
        fail_msg("%s: the norm's sum is %.17g instead of %.17g", rung->name, sum,
                 problem->squares[many]);
    rung->type->destroy(state);
}

static void check_group(int device)
{
    static const rec_ladder_block blocks[] = {
        {64, 4, 0, 0}, {16, 16, 0, 0}, {1, 256, 0, 0}, {256, 1, 0, 0}};
    const bench_rung *rung;
    size_t checked = 0;
    for (size_t s = 0; s < SIZES; s++) {
        REC_OWNED(bench_case_destroy) bench_case problem;
        SUCCEEDS(bench_case_create(&problem, sizes[s], 0, 0, &error));
        for (size_t i = 0; (rung = bench_rung_at(BENCH_LADDER, i)); i++) {
            if (rung->device != (unsigned)device)
                continue;
            for (int many = 0; many < 2; many++)
                for (size_t b = 0; b < (rung->sweeps ? 4 : 1); b++)
                    check_words(rung, &problem, rung->sweeps ? blocks[b] : rung->block, many);
            checked++;
        }
    }
    assert_true(checked >= 4 * SIZES);
}

TEST(cpu_rungs_are_right) { check_group(0); }

TEST(gpu_rungs_are_right)
{
    bench_machine machine;
    SUCCEEDS(bench_machine_look(&machine, 1, 0, 0, &error));
    if (!machine.has_device) {
        print_message("# %s\n", machine.no_device);
        skip();
    }
    assert_true(machine.device.copy_rate > 1e9 && machine.peak > 1e9 &&
                machine.device.clock_measured > 1e8);
    check_group(1);
}

/* Odd and even, and far enough that a standstill would show. */
TEST(problem_moves)
{
    REC_OWNED(bench_case_destroy) bench_case problem;
    const uint32_t *few, *many;
    SUCCEEDS(bench_case_create(&problem, (bench_size){40, 30}, 0, 0, &error));
    SUCCEEDS(bench_case_expect(&problem, BENCH_STENCIL, 0, &few, &error));
    SUCCEEDS(bench_case_expect(&problem, BENCH_STENCIL, 1, &many, &error));
    assert_true(problem.squares[0] > 1 && problem.squares[1] > 1);
    assert_memory_not_equal(few, many, 40 * 30 * sizeof *few);
}

/* ---- a rung that is wrong ---- */

static const bench_rung *rung_named(const char *name)
{
    const bench_rung *rung;
    for (size_t i = 0; (rung = bench_rung_at(BENCH_LADDER, i)); i++)
        if (!strcmp(rung->name, name))
            return rung;
    fail_msg("there is no rung %s", name);
    return NULL;
}

static rec_status read_one_bit_off(void *state, void *words, double *squares, rec_error *error)
{
    const rec_status status = rung_named("cpu-swap")->type->read(state, words, squares, error);
    ((uint32_t *)words)[5 * 20 + 7] ^= 1;
    return status;
}

static rec_status squares_too_large(void *state, void *words, double *squares, rec_error *error)
{
    *squares = 1e300;
    return rung_named("cpu-swap")->type->read(state, words, NULL, error);
}

TEST(wrong_rungs_are_not_timed)
{
    REC_OWNED(bench_case_destroy) bench_case problem;
    bench_result result;
    SUCCEEDS(bench_case_create(&problem, (bench_size){20, 10}, 0, 0, &error));
    bench_type type = *rung_named("cpu-swap")->type;
    bench_rung rung = *rung_named("cpu-swap");
    rung.type = &type;
    const rec_ladder_block none = {0};

    SUCCEEDS(bench_measure(&rung, &problem, none, &here, 0, &result, &error));
    assert_int_equal(result.outcome, BENCH_TIMED);
    assert_true(result.minimum > 0 && result.minimum <= result.median &&
                result.median <= result.maximum && result.samples >= 3);

    type.read = read_one_bit_off;
    SUCCEEDS(bench_measure(&rung, &problem, none, &here, 0, &result, &error));
    assert_int_equal(result.outcome, BENCH_WRONG);
    assert_non_null(strstr(result.reason, "1 of 200 pixels differ"));
    assert_non_null(strstr(result.reason, "column 7, row 5"));
    assert_true(result.median == 0 && result.samples == 0);

    type.read = squares_too_large;
    rung.norm = 1;
    SUCCEEDS(bench_measure(&rung, &problem, none, &here, 0, &result, &error));
    assert_int_equal(result.outcome, BENCH_WRONG);
    assert_non_null(strstr(result.reason, "norm"));
}

/* ---- options ---- */

static size_t chosen_by(const char *text)
{
    unsigned char chosen[BENCH_MOST_RUNGS];
    size_t count = 0;
    SUCCEEDS(bench_parse_rungs(BENCH_LADDER, text, chosen, &error));
    for (size_t i = 0; i < BENCH_MOST_RUNGS; i++)
        count += chosen[i];
    return count;
}

#if REC_HAVE_CUDA
TEST(every_kernel_of_the_cuda_solver_has_a_rung)
{
    const rec_solver_type *type;
    for (size_t i = 0; (type = rec_solver_at(i)); i++)
        if (!strcmp(type->name, "cuda"))
            break;
    assert_non_null(type);
    for (const char *const *kernel = type->kernels; *kernel; kernel++) {
        char name[64];
        snprintf(name, sizeof name, "cuda/%s", *kernel);
        rung_named(name);
    }
}
#endif

TEST(rungs_are_chosen)
{
    size_t all = 0, asked = 0;
    for (const bench_rung *rung; (rung = bench_rung_at(BENCH_LADDER, all)); all++) {
        for (size_t i = 0; i < all; i++) {
            assert_true(bench_rung_at(BENCH_LADDER, i)->number < rung->number);
            assert_string_not_equal(bench_rung_at(BENCH_LADDER, i)->name, rung->name);
        }
        asked += rung->asked;
    }
    assert_true(all <= BENCH_MOST_RUNGS);
    assert_int_equal(chosen_by(NULL), all - asked);
    assert_int_equal(chosen_by("masked"), asked);
    assert_int_equal(chosen_by("1"), 1);
    assert_int_equal(chosen_by("1-4"), 4);
    assert_int_equal(chosen_by("cpu"), 4);
    assert_int_equal(chosen_by("cpu-rows,2-3,1"), 3);
    static const char *const bad[] = {"", ",", "1,", "0", "99", "4-", "4-1", "rows", "1x", "-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unsigned char chosen[BENCH_MOST_RUNGS];
        FAILS(bench_parse_rungs(BENCH_LADDER, bad[i], chosen, &error), REC_USAGE, "--rungs");
    }
}

TEST(sizes_are_parsed)
{
    bench_sizes list;
    SUCCEEDS(bench_parse_sizes(BENCH_BLOCKS, "16,100x3", 3, &list, &error));
    assert_int_equal(list.count, 2);
    assert_true(list.at[0].width == 16 && list.at[0].height == 16);
    assert_true(list.at[1].width == 100 && list.at[1].height == 3);
    static const char *const bad[] = {"", "x", "3x", "x3", "0", "1025", "5x1025", "3y4", "3x4x5",
                                      "1,2,3,4", " 3", "-3", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        FAILS(bench_parse_sizes(BENCH_BLOCKS, bad[i], 3, &list, &error), REC_USAGE, "--blocks");
}

/* ---- what comes out ---- */

/* Four results, of which the second is wrong. */
static void write_report(const char *path)
{
    bench_result results[4] = {{0}};
    for (size_t i = 0; i < 4; i++) {
        results[i].rung = rung_named(i == 0 ? "cpu-exercise" : i == 1 ? "cpu-rows" : "cpu-swap");
        snprintf(results[i].label, sizeof results[i].label, "%s", results[i].rung->name);
        results[i].width = 100;
        results[i].height = i == 3 ? 60 : 50;
        results[i].samples = 3;
        results[i].iterations = 8;
        results[i].median = 1e-3 / (double)(i + 1);
        results[i].minimum = 0.9e-3 / (double)(i + 1);
        results[i].maximum = 1.1e-3 / (double)(i + 1);
    }
    results[1].outcome = BENCH_WRONG;
    snprintf(results[1].reason, sizeof results[1].reason, "a \"reason\" with \\,\n\xc3\xa9\xff");
    bench_report report = {.results = results, .count = 4};
    snprintf(report.machine.host, sizeof report.machine.host, "a host");
    report.machine.host_copy = 2e10;
    rec_error error = {0};
    assert_succeeded(bench_write_json(path, &report, &error), &error);
}

TEST_IN_FOLDER(json_is_escaped)
{
    write_report("r.json");
    owned_text *text = read_bytes("r.json", NULL);
    assert_non_null(strstr(text, "\"outcome\": \"wrong\", \"reason\": "
                                 "\"a \\\"reason\\\" with \\\\,\\u000a\xc3\xa9\\ufffd\"},\n"));
    assert_non_null(strstr(text, "\"host\": {\"name\": \"a host\", "
                                 "\"copy_bytes_per_second\": 20000000000},\n \"devices\": 0, "
                                 "\"slabs\": 1,\n \"device\": null,\n"));
    assert_non_null(strstr(text, "\"times_before\": null"));
}

TEST(times_are_readable)
{
    char text[32];
    assert_string_equal(bench_format_seconds(text, 2.5), "2.500 s");
    assert_string_equal(bench_format_seconds(text, 0.0421), "42.10 ms");
    assert_string_equal(bench_format_seconds(text, 3.21e-6), "3.210 us");
    assert_string_equal(bench_format_seconds(text, 4.0e-8), "0.040 us");
}
