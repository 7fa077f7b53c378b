/* Whether a function of the user's own is right: its steps on images of odd sizes, and its norm. */
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "image/image_files.h"

enum { TRACED_STEPS = 6 }; /* the fibres are slow */

/* Steps of a new state until one is wrong, but at most n: one a call, or 1, 2, 3, 4, 5, 1, ... */
static rec_status walk(const bench_rung *rung, const bench_case *problem,
                       const rec_solver_options *place, uint64_t n, float *found, double *squares,
                       bench_mine_look *at, rec_error *error)
{
    void *state = NULL;
    rec_ladder_launch launch;
    int differs = 0;
    uint64_t together = 0;
    rec_status status = rung->type->create(&state, rung, problem, rung->block, place, error);
    for (uint64_t i = 0; !status && i < n && !differs; i += together) {
        together = problem->mine->steps ? rec_smaller(together % 5 + 1, n - i) : 1;
        status = rung->type->advance(state, together, &launch, error);
        if (rec_signal_received)
            REC_THEN(status, rec_fail(error, REC_SIGNALLED, "stopped by a signal"));
        if (at)
            REC_THEN(status, rung->type->read(state, found, squares, error));
        differs = at && !status && bench_mine_differs(at, together, rung->norm);
    }
    REC_THEN(status, rung->type->read(state, found, squares, error));
    if (state)
        rung->type->destroy(state);
    return status;
}

static void judge_norm(bench_mine_look *at, bench_result *result)
{
    const size_t pixels = at->problem->width * at->problem->height;
    const double right = at->right, found = at->squares[0], near = 1e-9;
    double changes = 0, sizes = 0, values = 0;
    if (bench_norm_fits(found, right, pixels))
        return;
    for (size_t i = 0; i < pixels; i++) {
        const double now = (double)at->planes[MINE_RIGHT][i];
        const double change = now - (double)at->planes[MINE_IN][i];
        changes += change;
        sizes += fabs(change);
        values += now * now;
    }
    const struct {
        double value, near;
        const char *says;
    } sums[] = {
        {0, 0, "nothing was added to *squares"},
        {at->before > 0 ? right + at->before : NAN, near,
         "it has the sums of the calls before: is it kept, too?"},
        {sqrt(right), near, "the root was taken: the program does that"},
        {right / (double)pixels, near, "it was divided by the number of pixels"},
        {changes, near, "the changes were added, not their squares"},
        {sizes, near, "the changes' sizes were added, not their squares"},
        {values, near, "the squares of the new pixels were added, not those of their changes"},
        {fabs(found - at->squares[1]) > near * fabs(found) ? found : NAN, 0,
         at->blocks ? "two runs differ: a race. Blocks meet in atomicAdd, threads at a barrier"
                    : "two runs differ: a race (reduction(+ : sum)?), or a variable that is kept"},
        {right, 1e-4, "it is rounded: changes, squares and sums should be double"},
        {0, 0, found < right ? "too little: is every pixel's share added, and every thread's?"
                                 : "too much: is something outside of the image added?"}};
    size_t i = 0;
    while (i + 1 < sizeof sums / sizeof *sums &&
           !(fabs(found - sums[i].value) <= sums[i].near * fabs(sums[i].value)))
        i++;
    result->outcome = BENCH_WRONG;
    snprintf(result->reason, sizeof result->reason, "%zu x %zu, step %d: the pixels are right, the "
             "sum of the squares of their changes is %.17g instead of %.17g\n      %s",
             at->problem->width, at->problem->height, at->step, found, right, sums[i].says);
}

static rec_status check_size(bench_case *problem, const rec_solver_options *place,
                             bench_result *result, rec_error *error)
{
    const bench_rung *rung = result->rung;
    const size_t width = problem->width, pixels = width * problem->height;
    bench_mine_look at = {.problem = problem, .blocks = rung->device || problem->mine->trace};
    rec_owned float *memory = NULL;
    float **planes = at.planes;
    REC_TRY(rec_image_create(&problem->start, width, problem->height, 1, error));
    REC_TRY(rec_allocate(&memory, MINE_PLANES * pixels, sizeof *memory, "steps", error));
    for (int i = 0; i < MINE_PLANES; i++)
        planes[i] = memory + (size_t)i * pixels;
    /* Integers are added without rounding, in any order; and a start that is E would hide that one
     * is taken for the other. */
    for (size_t i = 0, turned = pixels; turned-- > 0; i++) {
        float *edge = &rec_image_row(&problem->edges, 0, i / width)[i % width];
        planes[MINE_IN][turned] = 0.3f * *edge;
        planes[MINE_HELD][turned] = rung->device ? 0.3f * *edge : problem->halo;
        rec_image_row(&problem->start, 0, turned / width)[turned % width] = 0.3f * *edge;
        planes[MINE_EDGES][i] = *edge *= 0.7f;
    }
    const uint64_t most = problem->mine->trace ? TRACED_STEPS : BENCH_MANY;
    REC_TRY(walk(rung, problem, place, most, planes[MINE_FOUND], &at.squares[0], &at, error));
    REC_TRY(walk(rung, problem, place, (uint64_t)at.step, planes[MINE_AGAIN], &at.squares[1], NULL,
                 error));
    bench_mine_judge(&at, result);
    if (rung->norm && result->outcome != BENCH_WRONG)
        judge_norm(&at, result);
    return REC_OK;
}

rec_status bench_mine_check(const rec_ladder_mine *mine, const rec_solver_options *place,
                            bench_result *result, rec_error *error)
{
    static const bench_size sizes[] = {{211, 113}, {31, 37}, {130, 307}, {1, 9}, {9, 1}, {1, 1}};
    rec_status status = REC_OK;
    result->outcome = BENCH_TIMED;
    for (size_t i = 0;
         i < sizeof sizes / sizeof *sizes && !status && result->outcome != BENCH_WRONG; i++) {
        bench_owned_case problem = {0};
        REC_TRY(bench_case_create(&problem, sizes[i], 0, 0, error));
        problem.mine = mine;
        status = check_size(&problem, place, result, error);
    }
    if (status != REC_FAULT)
        return status;
    result->outcome = BENCH_WRONG;
    snprintf(result->reason, sizeof result->reason, "%.511s", error->message);
    return REC_OK;
}

rec_status bench_mine_picture(const bench_rung *rung, const rec_ladder_mine *mine,
                              const bench_settings *settings, rec_error *error)
{
    /* Where the program was built, or where it was installed. */
    static const char *const places[] = {".", "data", "../share/reconstruct"};
    char program[PATH_MAX], path[PATH_MAX] = "";
    bench_owned_case problem = {.mine = mine};
    rec_owned float *pixels = NULL;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    dirname(program);
    for (size_t i = 0; i < sizeof places / sizeof *places && access(path, R_OK); i++)
        snprintf(path, sizeof path, "%.4000s/%s/castle-edges.pgm", program, places[i]);
    REC_TRY(rec_image_read(path, &(rec_read_options){.role = REC_EDGES}, &problem.edges, NULL,
                           error));
    const size_t width = problem.width = problem.edges.width;
    const size_t height = problem.height = problem.edges.height;
    REC_TRY(rec_allocate(&pixels, width * height, sizeof *pixels, "a picture", error));
    REC_TRY(walk(rung, &problem, &settings->place, settings->iterations, pixels, NULL, NULL,
                 error));
    rec_copy_rows(problem.edges.data, problem.edges.stride, pixels, width, width, height);
    REC_TRY(rec_image_write(settings->picture, &problem.edges,
                            &(rec_write_options){.maxval = 255}, error));
    fputs("mine is right, bit for bit; the picture is written\n", settings->table);
    return REC_OK;
}
