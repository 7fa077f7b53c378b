/* The ladder, rung by rung: each one is checked, timed, printed, and compared with those before. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "bench/bench.h"

enum { NOISE_SIDE = 515, MINE_SECONDS = 15, TRACED_SECONDS = 120, QUIET_SECONDS = 5 };
#define MINE_PIXEL_SECONDS 4e-6 /* the check's reference is serial */

const bench_rung *bench_rung_at(bench_problem problem, size_t index)
{
    static const bench_rung *const tables[][5] = {
        {bench_cpu_rungs, bench_gpu_rungs, bench_shipped_rungs, bench_step_rungs},
        {bench_course_cpu_rungs, bench_course_gpu_rungs, bench_course_shipped_rungs}};
    for (int i = 0; tables[problem][i]; i++)
        for (const bench_rung *rung = tables[problem][i]; rung->number; rung++)
            if (!index--)
                return rung;
    return NULL;
}

typedef struct bench_run {
    const bench_settings *settings;
    bench_report report;
    rec_ladder_mine mine, watched; /* watched: the same of C, built to be watched */
    bench_rung own;              /* the rung of it; its number is 0 without --mine */
    double share, bytes, spread; /* of an exercise; 0: not known */
    size_t wrong, timed;
    double begin;
} bench_run;

/* Compares the result with the rungs of this size that were timed before. */
static void compare(const bench_run *run, bench_result *result)
{
    double before = 0, base = 0;
    if (result->outcome != BENCH_TIMED)
        return;
    for (const bench_result *other = run->report.results; other <= result; other++) {
        if (other->outcome != BENCH_TIMED || other->width != result->width ||
            other->height != result->height || other->radius != result->radius)
            continue;
        if (other->rung->number == result->rung->from && (!before || other->median < before))
            before = other->median;
        if (other->rung->base)
            base = other->median;
    }
    result->before = before / result->median;
    if (result->rung->check != BENCH_COPY && result->rung->check != BENCH_SUM)
        result->cpu = base / result->median;
}

/* The verdict on the user's own function; its row, between those of the next slower and faster. */
static void judge_mine(bench_run *run, const bench_result *mine)
{
    const bench_result *all = run->report.results, *slower = NULL, *faster = NULL;
    const bench_settings *settings = run->settings;
    FILE *table = settings->table;
    if (mine->outcome != BENCH_TIMED) {
        fprintf(table, "mine is %s: %s\n", mine->outcome == BENCH_WRONG ? "WRONG" : "skipped",
                mine->reason);
        return;
    }
    for (const bench_result *other = all; other < all + run->report.count; other++) {
        const bench_check check = other->rung->check;
        if (other->outcome != BENCH_TIMED)
            continue;
        if (other == mine || other->rung->number == mine->rung->from)
            run->spread = fmax(run->spread, (other->maximum - other->minimum) / other->median);
        if (other == mine || other->width != mine->width || other->height != mine->height ||
            (check != BENCH_STENCIL && check != BENCH_EXERCISE))
            continue;
        if (other->median > mine->median && (!slower || other->median < slower->median))
            slower = other;
        if (other->median <= mine->median && (!faster || other->median > faster->median))
            faster = other;
    }
    const bench_result *const rows[] = {slower, mine, faster};
    for (int i = 0; i < 3; i++)
        if (rows[i])
            bench_print_result(table, rows[i], &run->report.machine);
    const double of_copy = bench_rate(mine) * mine->rung->bytes /
                           bench_copy_rate(&run->report.machine, mine->rung);
    if (run->spread > BENCH_BUSY)
        fprintf(table, "\nThe machine is busy: times differ by %.0f%%. Run it again when nothing "
                "else runs.\n", 100 * run->spread);
    fprintf(table, "\nmine is right, bit for bit, here and on six small images.\n");
    if (of_copy > 0)
        fprintf(table, "It moves 12 bytes an update at %.1f%% of the speed of a copy, the limit of "
                "an image in memory.\n", 100 * of_copy);
    run->share = settings->exercise && settings->exercise->rung ? mine->before : of_copy;
}

static rec_status add_result(bench_report *report, bench_result **added, rec_error *error)
{
    bench_result *grown = realloc(report->results, (report->count + 1) * sizeof *grown);
    if (!grown)
        return rec_fail(error, REC_LIMIT, "out of memory for the results");
    report->results = grown;
    *added = &grown[report->count++];
    **added = (bench_result){0};
    return REC_OK;
}

/* On a terminal, in a run that takes long: what is measured now; NULL: that is over. */
static void show_progress(const bench_run *run, const bench_rung *rung, const bench_case *problem)
{
    const double seconds = rec_now() - run->begin;
    if (!isatty(STDERR_FILENO) || seconds < QUIET_SECONDS)
        return;
    fputs("\r\033[K", stderr);
    if (rung)
        fprintf(stderr, "after %.0f s: %d %s at %zu x %zu ...", seconds, rung->number, rung->name,
                problem->width, problem->height);
}

static rec_status measure_block(bench_run *run, const bench_rung *rung, bench_case *problem,
                                rec_ladder_block block, rec_error *error)
{
    const rec_solver_options *place = &run->settings->place;
    const size_t side = rec_smaller(problem->width, NOISE_SIDE);
    bench_owned_case noise = {0};
    bench_result *result = NULL;
    rec_status status = add_result(&run->report, &result, error);
    if (status)
        return status;
    show_progress(run, rung, problem);
    if (problem->radius) { /* the input is smooth, so some mistakes in it are small */
        status = bench_case_create(&noise, (bench_size){side, side}, problem->radius, 1, error);
        REC_THEN(status, bench_measure(rung, &noise, rung->block, place, -1, result, error));
        result->width = result->height = problem->width;
    }
    if (result->outcome != BENCH_WRONG)
        REC_THEN(status, bench_measure(rung, problem, block, place, run->settings->seconds, result,
                                       error));
    show_progress(run, NULL, problem);
    if (status)
        return rec_fail_in(error, rung->name);
    compare(run, result);
    run->wrong += result->outcome == BENCH_WRONG;
    run->timed += result->outcome == BENCH_TIMED;
    if (problem->mine)
        judge_mine(run, result);
    else
        bench_print_result(run->settings->table, result, &run->report.machine);
    fflush(run->settings->table);
    return REC_OK;
}

static rec_status measure_rung(bench_run *run, const bench_rung *rung, bench_case *problem,
                               rec_error *error)
{
    const bench_settings *settings = run->settings;
    rec_ladder_block block = rung->block;
    block.grid_columns = (unsigned)settings->grid.at->width;
    block.grid_rows = (unsigned)settings->grid.at->height;
    for (size_t i = 0; i < (rung->sweeps ? settings->blocks.count : 1); i++) {
        if (rung->sweeps) {
            block.columns = (unsigned)settings->blocks.at[i].width;
            block.rows = (unsigned)settings->blocks.at[i].height;
        }
        REC_TRY(measure_block(run, rung, problem, block, error));
    }
    return REC_OK;
}

/* With a reference file to create, that is all. */
static rec_status measure_size(bench_run *run, bench_size size, rec_error *error)
{
    const bench_settings *settings = run->settings;
    const bench_rung *rung;
    for (size_t r = 0; r < settings->radii.count; r++) {
        bench_owned_case problem = {0};
        size_t absent = 0; /* rungs of the device that is not there */
        REC_TRY(bench_case_create(&problem, size, settings->radii.at[r].width, 0, error));
        if (settings->new_reference)
            return bench_case_write(&problem, settings->new_reference, error);
        if (settings->reference)
            REC_TRY(bench_case_read(&problem, settings->reference, error));
        bench_print_head(settings->table, &problem);
        for (size_t i = 0; (rung = bench_rung_at(settings->problem, i)); i++)
            if (settings->chosen[i] && rung->device && !run->report.machine.has_device)
                absent++;
            else if (settings->chosen[i])
                REC_TRY(measure_rung(run, rung, &problem, error));
        if (absent)
            fprintf(settings->table, "    skipped: %zu of the GPU (%s)\n", absent,
                    run->report.machine.no_device);
    }
    return REC_OK;
}

/* The user's own function: what it touches, then what comes out. SIGALRM ends an endless one. */
static rec_status check_mine(bench_run *run, rec_error *error)
{
    enum { TOGETHER = 4 }; /* iterations of a call that is watched */
    bench_result *result = NULL;
    const rec_ladder_mine *watched = run->mine.trace ? &run->mine : &run->watched;
    const char *wrong = NULL;
    REC_TRY(add_result(&run->report, &result, error));
    *result = (bench_result){.rung = &run->own, .label = "mine", .outcome = BENCH_WRONG};
    alarm(run->mine.trace ? TRACED_SECONDS : MINE_SECONDS);
    if (watched->trace)
        wrong = watched->trace(watched, rec_ladder_steps, watched->steps ? TOGETHER : 1,
                               run->settings->table, &run->bytes);
    if (wrong)
        snprintf(result->reason, sizeof result->reason, "%s", wrong);
    else
        REC_TRY(bench_mine_check(&run->mine, &run->settings->place, result, error));
    alarm(0);
    run->wrong = result->outcome == BENCH_WRONG;
    if (run->wrong)
        judge_mine(run, result);
    else
        run->report.count--;
    return REC_OK;
}

static rec_status judge(const bench_run *run, rec_error *error)
{
    if (run->wrong && run->own.number)
        return rec_fail(error, REC_NO, "mine is wrong");
    if (run->wrong)
        return rec_fail(error, REC_NO, "wrong results: %zu; the table names the pixels",
                        run->wrong);
    if (!run->timed)
        return rec_fail(error, REC_UNAVAILABLE, "none of these rungs works on this machine: %s",
                        run->report.count ? run->report.results[0].reason
                                          : run->report.machine.no_device);
    return REC_OK;
}

static rec_status measure_all(bench_run *run, rec_error *error)
{
    const bench_settings *settings = run->settings;
    bench_print_machine(settings->table, &run->report.machine);
    for (size_t i = 0; i < settings->sizes.count; i++)
        REC_TRY(measure_size(run, settings->sizes.at[i], error));
    if (run->timed || run->own.number) {
        fputc('\n', settings->table);
        bench_explain_columns(settings->table, settings->problem);
    }
    /* A crash from here on shall not cost what is measured. */
    if (settings->mine && settings->json && !rec_path_is_standard(settings->json))
        REC_TRY(bench_write_json(settings->json, &run->report, error));
    for (size_t i = 0; i < settings->sizes.count && run->own.number; i++) {
        const bench_size size = settings->sizes.at[i];
        const double updates = (double)(size.width * size.height * run->own.batch);
        bench_owned_case problem = {0};
        REC_TRY(bench_case_create(&problem, size, 0, 0, error));
        problem.mine = &run->mine;
        bench_print_head(settings->table, &problem);
        fflush(settings->table);
        alarm((unsigned)(MINE_SECONDS + 4 * settings->seconds + updates * MINE_PIXEL_SECONDS));
        REC_TRY(measure_block(run, &run->own, &problem, run->own.block, error));
        alarm(0);
    }
    return REC_OK;
}

static rec_status measure_ladder(bench_run *run, rec_error *error)
{
    const bench_settings *settings = run->settings;
    const bench_rung *rung;
    int want_device = 0;
    for (size_t i = 0; (rung = bench_rung_at(settings->problem, i)); i++)
        want_device |= settings->chosen[i] && rung->device;
    if (settings->mine) {
        char watched[PATH_MAX + 200];
        snprintf(watched, sizeof watched, BENCH_WATCHED, settings->mine);
        REC_TRY(bench_mine_load(&run->mine, settings->mine, settings->exercise, error));
        if (!access(watched, F_OK))
            REC_TRY(bench_mine_load(&run->watched, watched, settings->exercise, error));
        run->own = run->mine.failed ? bench_mine_device : bench_mine_host;
        run->own.norm = run->mine.step_norm != NULL;
        if (settings->exercise && settings->exercise->rung)
            run->own.from = settings->exercise->rung;
        if (run->mine.steps) { /* who counts their bytes? */
            run->own.batch = REC_LADDER_STEPS;
            run->own.bytes = 0;
        }
        want_device |= run->own.device;
        if (!run->own.device) /* first: what is wrong is not timed */
            REC_TRY(check_mine(run, error));
        if (run->mine.trace && run->wrong)
            return judge(run, error);
        if (run->mine.trace) { /* where no GPU is */
            fprintf(settings->table, "mine is right, bit for bit, on six small images.\n");
            return settings->picture ? bench_mine_picture(&run->own, &run->mine, settings, error)
                                     : REC_OK;
        }
    }
    if (!run->wrong)
        REC_TRY(bench_machine_look(&run->report.machine, want_device, settings->place.devices[0],
                                   settings->seconds, error));
    if (run->own.device && !run->report.machine.has_device)
        return rec_fail(error, REC_UNAVAILABLE, "mine compiles, but cannot run here: %s",
                        run->report.machine.no_device);
    if (run->own.device)
        REC_TRY(check_mine(run, error));
    run->report.machine.devices = settings->place.device_count;
    run->report.machine.slabs = settings->place.slabs;
    if (!run->wrong && settings->picture)
        return bench_mine_picture(&run->own, &run->mine, settings, error);
    if (!run->wrong)
        REC_TRY(measure_all(run, error));
    if (settings->json)
        REC_TRY(bench_write_json(settings->json, &run->report, error));
    return judge(run, error);
}

rec_status bench_ladder(const bench_settings *settings, rec_error *error)
{
    bench_run run = {.settings = settings, .begin = rec_now()};
    if (settings->new_reference)
        return measure_size(&run, settings->sizes.at[0], error);
    const rec_status status = measure_ladder(&run, error);
    if (settings->exercise && run.own.number && !settings->picture)
        bench_exercise_judge(settings, run.share, run.wrong ? 0 : run.bytes, run.spread);
    free(run.report.results);
    return status;
}
