/* An image cut into slabs, in one memory or over several devices: bits, looks and everything that
 * is shown are those of the whole image. RECONSTRUCT_TESTS=small leaves out the longest runs. */
#include "solver/cpu/host.h"
#include "tests/unit/problems.h"

/* A test's text: solver, kernel, boundary, slabs, devices. */
typedef struct way {
    char solver[16], kernel[16];
    rec_boundary_kind boundary;
    size_t slabs, devices;
} way;

static way way_of(const char *text)
{
    way w;
    char boundary[16];
    assert_int_equal(sscanf(text, "%15s %15s %15s %zu %zu", w.solver, w.kernel, boundary, &w.slabs,
                            &w.devices), 5);
    for (w.boundary = 0; strcmp(boundary, rec_boundaries[w.boundary].name);)
        w.boundary++;
    return w;
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
static own_type forgetful;

static rec_solver *make(const way *w, size_t slabs, size_t devices, const rec_image *edges,
                        const rec_image *start)
{
    const rec_problem problem = {
        .given = edges, .start = start, .boundary = {.kind = w->boundary, .value = 3.25f}};
    const rec_solver_options options = {.kernel = strcmp(w->kernel, "any") ? w->kernel : NULL,
                                        .devices = {0, 1}, .device_count = devices, .slabs = slabs};
    const rec_solver_type *type = strcmp(w->solver, "forgetful") ? solver_or_skip(w->solver)
                                                                 : &forgetful.type;
    return solver_for(type, &problem, &options);
}

/* The sums of norms are added in one order, whatever the slabs. */
static void assert_equal_look(const rec_look *a, const rec_look *b, const char *what)
{
    assert_same_look(a, b, what);
    assert_memory_equal(&a->change_rms, &b->change_rms, sizeof(double));
    assert_memory_equal(&a->distance_rms, &b->distance_rms, sizeof(double));
}

/* ---- bits and looks ---- */

/* Advances of all kinds: shorter and longer than an exchange allows, by one, with looks and
 * without. */
static const struct {
    unsigned n, looks;
} steps[] = {{1, 0},
             {1, REC_LOOK_CHANGE}, {3, REC_LOOK_CHANGE | REC_LOOK_DISTANCE}, {65, REC_LOOK_CHANGE},
             {0, REC_LOOK_DISTANCE}, {64, 0}, {130, REC_LOOK_CHANGE | REC_LOOK_DISTANCE},
             {7, REC_LOOK_DISTANCE}, {529, 0},
             {1, REC_LOOK_CHANGE}};

static void check_image(const way *w, size_t width, size_t height, size_t planes)
{
    owned_image edges = problem_noise(width, height, planes, 500, (unsigned)(width + height));
    owned_image start = problem_noise(width, height, planes, 100, 5);
    owned_solver *whole = make(w, 1, 1, &edges, &start);
    owned_solver *cut = make(w, w->slabs, w->devices, &edges, &start);
    const rec_solver_info info = info_of(cut);
    const size_t most = height / 4 > 1 ? height / 4 : 1;
    const size_t wanted = w->slabs > w->devices ? w->slabs : w->devices;
    assert_int_equal(info.slabs, wanted < most ? wanted : most);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char what[128];
        if (tests_are("small") && steps[i].n > 100)
            continue;
        snprintf(what, sizeof what, "%s %s: %zu x %zu, %zu planes, %zu slabs, step %zu", w->solver,
                 w->kernel, width, height, planes, w->slabs, i);
        const rec_look a = solver_advance(whole, steps[i].n, steps[i].looks);
        const rec_look b = solver_advance(cut, steps[i].n, steps[i].looks);
        if (steps[i].looks)
            assert_equal_look(&a, &b, what);
        assert_same_iterate(whole, cut, what);
        if (i % 4 == 2) {
            SUCCEEDS(rec_solver_advance(whole, 77, 0, NULL, &error));
            SUCCEEDS(rec_solver_advance(cut, 77, 0, NULL, &error));
        }
    }
}

static const size_t sizes[][3] = {{1, 1, 1},   {5, 7, 1},     {3, 8, 3},   {97, 9, 1},
                                  {64, 31, 3}, {130, 127, 1}, {33, 129, 3}, {517, 203, 1}};

/* Standstill is seen at the same iteration, and what alternates is counted once. */
static void check_standstill(const way *w)
{
    owned_image edges = problem_noise(23, 37, 3, 9, 4);
    rec_balance(&edges); /* else a mirrored picture drifts for ever */
    owned_solver *whole = make(w, 1, 1, &edges, NULL);
    owned_solver *cut = make(w, w->slabs, w->devices, &edges, NULL);
    for (int i = 0, still = 0; still < 3; i++) {
        assert_true(i < 4000);
        const unsigned n = i % 3 == 0 ? 1 : 25; /* one more than two exchanges of 12 rows */
        const rec_look a = solver_advance(whole, n, REC_LOOK_CHANGE);
        const rec_look b = solver_advance(cut, n, REC_LOOK_CHANGE);
        assert_equal_look(&a, &b, w->solver);
        still += a.standstill;
    }
}

TEST(a_look_needs_no_iterate_that_a_quick_pass_drops)
{
    own_type_make(&forgetful, &rec_solver_reference);
    forgetful.iterate.advance = advance_and_forget;
    check_standstill(&(way){"forgetful", "any", REC_BOUNDARY_HALO, 3, 1});
}

/* ---- what is shown ---- */

static void check_display(const way *w)
{
    owned_image edges = problem_noise(90, 111, 3, 500, 8);
    owned_image reference = problem_noise(90, 111, 3, 255, 9);
    rec_solver *both[] = {make(w, 1, 1, &edges, NULL),
                          make(w, w->slabs, w->devices, &edges, NULL)};
    double squares[2];
    rec_probe probe[2];
    for (int j = 0; j < 2; j++)
        SUCCEEDS(rec_solver_set_reference(both[j], &reference, 0, &error));
    for (int i = 0; i < 3; i++) {
        for (int layer = 0; layer < REC_LAYERS; layer++) {
            const rec_view view = {3, 5, 80, 101, 31, 17, REC_TONE_STRETCH, (rec_layer)layer,
                                   1, 0};
            assert_int_equal(assert_same_view(both[0], both[1], &view), 71 * i);
        }
        for (int j = 0; j < 2; j++) {
            SUCCEEDS(rec_solver_mark(both[j], &error));
            solver_advance(both[j], 71, 0);
            SUCCEEDS(rec_solver_compare(both[j], &squares[j], &error));
            SUCCEEDS(rec_solver_probe(both[j], 7, 60, &probe[j], &error));
        }
        assert_true(fabs(squares[0] - squares[1]) <= 1e-12 * squares[0]);
        assert_memory_equal(&probe[0], &probe[1], sizeof *probe);
    }
    rec_solver_destroy(both[0]);
    rec_solver_destroy(both[1]);
}

/* ---- the ways ---- */

TEST_EACH(slabs_change_nothing, "reference any halo 3 1", "reference any mirror 2 1",
          "cpu any halo 2 1", "cpu any halo 3 1", "cpu any halo 1000 1", "cpu any mirror 5 1",
          "cpu any wrap 2 1", "cpu any sawtooth 4 1", "cuda any wrap 2 1",
          "cuda any sawtooth 4 2", "cuda any halo 2 1", "cuda any halo 5 1",
          "cuda pixel halo 3 1", "cuda stream halo 3 1", "cuda any mirror 3 1",
          "cuda any halo 2 2", "cuda any mirror 5 2", "cuda pixel halo 1000 2",
          "cuda diagonal halo 3 1", "cuda diagonal halo 2 2")
{
    const way w = way_of(*state);
    rec_device devices[2];
    size_t count;
    const int diagonal = !strcmp(w.kernel, "diagonal");
    solver_or_skip(w.solver);
    if ((w.devices > 1 || diagonal) && (rec_devices(devices, 2, 0, &count, NULL) ||
                                        count < w.devices || (diagonal && devices[0].major != 9))) {
        print_message("# this takes %zu devices, of 9.0 for a diagonal\n", w.devices);
        skip();
    }
    if (diagonal) {
        check_image(&w, 801, 1303, tests_are("small") ? 1 : 3);
        return;
    }
    if (!tests_are("small"))
        check_standstill(&w);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += tests_are("small") ? 2 : 1)
        check_image(&w, sizes[i][0], sizes[i][1], sizes[i][2]);
    check_display(&w);
}
