#include "tests/unit/iterates.h"

#include "solver/cpu/host.h"

/* ---- ways ---- */

const way ways[WAYS] = {
    {"reference", NULL, 0, 0},
    {"cpu", NULL, 0, 0},
    {"cpu", "avx512", 0, 0},
    {"cpu", "avx2", 0, 0},
    {"cpu", "base", 0, 0},
    {"cpu", "avx512-rows", 0, 0},
    {"cpu", "avx2-rows", 0, 0},
    {"cpu", "base-rows", 0, 0},
    {"cuda", NULL, 0, 0},
    {"cuda", "pixel", 0, 0},
    {"cuda", "stream", 0, 0},
    {"cuda", "resident", 0, 0},
    {"cuda", "diagonal", 0, 0},
    {"cuda", "direct", 0, 0},
    {"cuda", "temporal", 0, 0},
    {"forgetful", NULL, 3, 0}, /* each behind the same way without slabs */
    {"cpu", NULL, 2, 0},
    {"cpu", NULL, 5, 0},
    {"cpu", NULL, 1000, 0},
    {"cuda", NULL, 2, 0},
    {"cuda", NULL, 5, 0},
    {"cuda", "pixel", 3, 0},
    {"cuda", "stream", 3, 0},
    {"cuda", "diagonal", 3, 0},
    {"cuda", NULL, 2, 2},
    {"cuda", NULL, 5, 2},
    {"cuda", "pixel", 1000, 2},
    {"cuda", "diagonal", 2, 2},
};

/* It goes down the rows or through tiles in time, which takes no mask and no other boundary. */
static int blocks_in_time(const way *w)
{
    return w->kernel && strcmp(w->kernel, "pixel") && !strstr(w->kernel, "-rows");
}

/* A pass that ends quickly need not keep M_(N-1): passes of the GPU do not, nor does this one. */
static rec_status advance_and_forget(void *state, uint64_t n, int compares, rec_error *error)
{
    rec_host *host = state;
    REC_TRY(rec_host_advance(host, n, compares, error));
    for (size_t y = 0; !compares && y < host->height; y++)
        memset(host->other + y * host->stride, 0xff, host->width * sizeof(float));
    return REC_OK;
}

static const rec_solver_type *type_of(const way *w)
{
    static own_type forgetful;
    const rec_solver_type *type = NULL;
    if (!strcmp(w->solver, "forgetful")) {
        own_type_make(&forgetful, &rec_solver_reference);
        forgetful.iterate.advance = advance_and_forget;
        return &forgetful.type;
    }
    return rec_solver_find(w->solver, &type, NULL) ? NULL : type;
}

/* Convolutions are not cut, and of a solver's kernels some are for them alone. */
static int has_kernel(const way *w, const rec_solver_type *type, const rec_problem *problem)
{
    const char *const *kernel = (problem->operators ? type->convolution : type)->kernels;
    while (w->kernel && *kernel && strcmp(*kernel, w->kernel))
        kernel++;
    return !(problem->operators && w->slabs) && (!w->kernel || *kernel);
}

static size_t devices(void)
{
    static size_t count = SIZE_MAX;
    rec_device found[2];
    if (count == SIZE_MAX && rec_devices(found, 2, 0, &count, NULL))
        count = 0;
    return count;
}

rec_solver *solver_by(const way *w, const rec_problem *problem)
{
    const rec_solver_type *type = type_of(w);
    const rec_solver_options options = {.kernel = w->kernel, .devices = {0, 1},
                                        .device_count = w->devices, .slabs = w->slabs};
    const int refuses = !problem->operators && blocks_in_time(w) &&
                        (problem->mask || problem->boundary.kind);
    const size_t height = problem->input->height, most = height < 8 ? 1 : height / 4;
    rec_solver *solver;
    rec_error error = {0};
    char instead[24];
    if (!type || w->devices > devices() || !has_kernel(w, type, problem))
        return NULL;
    const rec_status status = rec_solver_create(&solver, type, problem, &options, &error);
    if (refuses) {
        assert_int_equal(status, problem->mask ? REC_USAGE : REC_UNAVAILABLE);
        snprintf(instead, sizeof instead, "%s-rows", w->kernel);
        assert_non_null(strstr(error.message, strcmp(w->solver, "cpu") ? "pixel" : instead));
        return NULL;
    }
    if (status) {
        if (!w->kernel || !strstr(error.message, w->kernel) ||
            !(status == REC_UNAVAILABLE || !strncmp(w->kernel, "avx", 3)))
            fail_msg("%s %s: %s", w->solver, w->kernel ? w->kernel : "", error.message);
        return NULL;
    }
    const rec_solver_info info = info_of(solver);
    if (problem->operators) /* which of them it is to be decides the next iteration */
        return solver;
    if (w->kernel)
        assert_string_equal(info.kernel, w->kernel);
    else if (!strcmp(w->solver, "cuda") && (problem->mask || problem->boundary.kind))
        assert_string_equal(info.kernel, "pixel");
    assert_int_equal(info.slabs, w->slabs > most ? most : w->slabs ? w->slabs : 1);
    return solver;
}

/* ---- problems ---- */

rec_mask scattered(size_t width, size_t height, int percent, test_random *dice)
{
    rec_mask mask = new_mask(width, height);
    for (size_t i = 0; i < width * height; i++)
        mask.unknown[i] = random_integer(dice, 1, 100) <= percent;
    if (percent <= 100) {
        const size_t some = random_bits(dice) % (width * height);
        mask.unknown[(some + 1) % (width * height)] = 0;
        mask.unknown[some] = 1;
    }
    rec_mask_measure(&mask);
    return mask;
}

case_of make_case(size_t width, size_t height, size_t planes, rec_boundary_kind kind, float halo,
                  unsigned seed)
{
    case_of made = {.picture = problem_noise(width, height, planes, 255, seed),
                    .start = problem_noise(width, height, planes, 99, seed + 1),
                    .problem.boundary = {.kind = kind, .value = kind ? 12345 : halo}};
    made.edges = problem_edges_in(&made.picture, kind, halo);
    return made;
}

case_of make_masked(rec_mask mask, size_t planes, rec_boundary_kind kind)
{
    case_of made = make_case(mask.width, mask.height, planes, kind, 0, 3);
    const size_t pixels = mask.width * mask.height;
    made.mask = mask;
    for (size_t i = 0; i < planes * pixels; i++)
        if (!mask.unknown[i % pixels]) {
            *sample_of(&made.start, i) = *sample_of(&made.picture, i);
            *sample_of(&made.edges, i) = 1e29f;
        }
    return made;
}

/* ---- a row of the matrix: one problem, all ways ---- */

static rec_look advance(rec_solver *solver, const step *s)
{
    if (s->looks != QUICKLY)
        return solver_advance(solver, s->n, s->looks);
    SUCCEEDS(rec_solver_advance(solver, s->n, 0, NULL, &error));
    return (rec_look){0};
}

/* The norms of the last iteration, and the standstill; several operators keep no M_(N-2). */
static void assert_change(const naive *p, const rec_look *look, const char *what)
{
    const rec_image *edges = p->problem->input;
    const rec_mask *mask = p->problem->mask;
    const double pixels = mask ? (double)mask->count : (double)(edges->width * edges->height);
    double squares[3] = {0}, rms = 0, most = 0;
    size_t alternating = 0;
    int standstill = p->done > 1 && p->problem->operator_count < 2;
    EACH_SAMPLE(size_t, k, y, x, edges->planes, edges->height, edges->width) {
        const size_t i = naive_at(p, k, (long)x, (long)y);
        const double change = p->m[i] - p->before[i];
        squares[k] += change * change;
        rms = fmax(rms, sqrt(squares[k] / pixels));
        most = fmax(most, fabs(change));
        alternating += p->m[i] != p->before[i];
        standstill &= p->m[i] == p->older[i];
    }
    if (!(fabs(look->change_rms - rms) <= 1e-12 * rms) || look->change_max != most ||
        look->alternating != alternating || look->standstill != standstill)
        fail_msg("%s: change %.17g, %.17g, %zu, standstill %d instead of %.17g, %.17g, %zu, %d",
                 what, look->change_rms, look->change_max, look->alternating, look->standstill,
                 rms, most, alternating, standstill);
}

unsigned check_problem(const rec_problem *problem, const step *steps, size_t count, int anew,
                       const char *only)
{
    const rec_image *edges = problem->input;
    const int specified = edges->width * edges->height * edges->planes <
                          (problem->operators ? 40000 : 10000);
    owned_naive wanted = naive_of(problem, 0);
    owned_solver *expected = solver_by(&ways[0], problem);
    rec_solver *found[WAYS] = {NULL};
    rec_look looks[WAYS];
    uint64_t done = 0;
    unsigned here = 0;
    for (size_t i = 0; i < count; i++) {
        const rec_look look = advance(expected, &steps[i]);
        char what[200];
        done += steps[i].n;
        const int end = snprintf(what, sizeof what, "%s: %zu x %zu, %zu planes, halo %g, %zu "
                                 "unknown, %zu operators, step %zu, N = %d: ",
                                 rec_boundaries[problem->boundary.kind].name, edges->width,
                                 edges->height, edges->planes, (double)problem->boundary.value,
                                 problem->mask ? problem->mask->count : 0, problem->operator_count,
                                 i, (int)done);
        if (specified) {
            snprintf(what + end, sizeof what - (size_t)end, "reference");
            naive_iterate(&wanted, steps[i].n);
            owned_image a = naive_image(&wanted), b = solver_image(expected);
            assert_same_bits(&a, &b, what);
            if (steps[i].n && steps[i].looks & REC_LOOK_CHANGE)
                assert_change(&wanted, &look, what);
        }
        for (int k = 1; k < WAYS; k++) {
            const way *w = &ways[k];
            if (only && (w->slabs || strcmp(w->solver, only)))
                continue;
            if (!i || (anew && found[k])) {
                rec_solver_destroy(found[k]);
                found[k] = solver_by(w, problem);
            }
            if (!found[k])
                continue;
            here |= 1u << k;
            snprintf(what + end, sizeof what - (size_t)end, "%s %s, %zu slabs", w->solver,
                     w->kernel ? w->kernel : "", w->slabs);
            looks[k] = advance(found[k], anew ? &(step){done, QUICKLY} : &steps[i]);
            assert_same_iterate(expected, found[k], what);
            if (anew || !(steps[i].looks & BOTH))
                continue;
            assert_same_look(&look, &looks[k], what);
            for (int j = 1; j < k; j++) /* norms are added in one order, whatever the slabs */
                if (w->slabs && found[j] && !ways[j].slabs && !strcmp(ways[j].solver, w->solver) &&
                    ways[j].kernel == w->kernel) {
                    assert_memory_equal(&looks[j].change_rms, &looks[k].change_rms, sizeof(double));
                    assert_memory_equal(&looks[j].distance_rms, &looks[k].distance_rms,
                                        sizeof(double));
                }
        }
    }
    for (int k = 0; k < WAYS; k++)
        rec_solver_destroy(found[k]);
    return here;
}

unsigned check_case(case_of *of, int masked, int starts, const step *steps, size_t count, int anew,
                    const char *only)
{
    problem_of(of);
    if (!masked)
        of->problem.mask = NULL;
    if (!starts)
        of->problem.start = NULL;
    return check_problem(&of->problem, steps, count, anew, only);
}

const size_t sizes[SIZES][2] = {
    {1, 1},   {1, 2},    {1, 7},    {7, 1},    {2, 2},    {2, 1},    {5, 7},     {3, 8},
    {15, 33}, {16, 16},  {17, 64},  {31, 5},   {32, 32},  {33, 12},  {33, 65},   {33, 2},
    {47, 3},  {49, 130}, {63, 40},  {64, 31},  {64, 97},  {65, 31},  {79, 1},    {81, 2},
    {97, 9},  {111, 64}, {112, 33}, {113, 100}, {128, 129}, {129, 12}, {130, 77}, {192, 70},
    {3, 1100}, {403, 57}, {192, 256}, {517, 203}, {1003, 517}};

const step all_looks[ALL_LOOKS] = {
    {0, REC_LOOK_DISTANCE}, {1, REC_LOOK_CHANGE}, {1, BOTH}, {0, REC_LOOK_CHANGE}, {2, 0},
    {1, REC_LOOK_CHANGE}, {9, BOTH}, {8, 0}, {2, REC_LOOK_DISTANCE}, {3, BOTH}, {60, 0}, {1, BOTH},
    {1, 0}, {49, BOTH}, {77, QUICKLY}, {3, BOTH}, {64, 0}, {130, BOTH}};

rec_boundary_kind kind_named(const char *name)
{
    rec_boundary_kind kind = 0;
    while (strcmp(name, rec_boundaries[kind].name))
        kind++;
    return kind;
}
