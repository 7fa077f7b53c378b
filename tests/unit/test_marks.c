/* What a solver compares its picture with: marks, references, single pixels; that they say what
 * they should, are refused with reasons, are counted in memory, and leave the iterates alone. */
#include <sys/resource.h>

#include "tests/unit/problems.h"

static size_t device_bytes(const rec_solver *solver) { return info_of(solver).costs.device_bytes; }

static double compare(rec_solver *solver)
{
    double mean_square = NAN;
    SUCCEEDS(rec_solver_compare(solver, &mean_square, &error));
    return mean_square;
}

static rec_status show(rec_solver *solver, rec_layer layer, float contrast, rec_error *error)
{
    const rec_view view = {.width = 1, .height = 1, .out_width = 1, .out_height = 1,
                           .layer = layer, .contrast = contrast};
    int begun = 0;
    return rec_solver_snapshot(solver, &view, NULL, &begun, error);
}

static void assert_mean_square(rec_solver *solver, const rec_image *reference)
{
    owned_image now = solver_image(solver);
    const rec_difference difference = difference_of(&now, reference);
    const double expected = difference.rms * difference.rms, found = compare(solver);
    assert_true(fabs(found - expected) <= 1e-12 * expected);
    assert_true(compare(solver) == found); /* to the bit */
}

static void assert_probe(rec_solver *solver, const rec_image *edges, const rec_image *reference,
                         size_t x, size_t y)
{
    owned_image now = solver_image(solver);
    rec_probe probe;
    SUCCEEDS(rec_solver_probe(solver, x, y, &probe, &error));
    for (size_t p = 0; p < 3; p++) {
        const int there = p < now.planes;
        if (there)
            assert_true(probe.picture[p] == rec_image_row(&now, p, y)[x]);
        assert_true(there || isnan(probe.picture[p]));
        if (there && edges)
            assert_true(probe.edges[p] == rec_image_row(edges, p, y)[x]);
        assert_true((there && edges) || isnan(probe.edges[p]));
        if (there && reference)
            assert_true(probe.reference[p] == rec_image_row(reference, p, y)[x]);
        assert_true((there && reference) || isnan(probe.reference[p]));
    }
}

/* ---- a reference, pixels ---- */

static void check_reference(rec_solver *solver, const rec_image *edges, size_t planes)
{
    owned_image first = problem_picture(67, 45, planes, 1);
    owned_image second = problem_noise(67, 45, planes, 9, 2);
    const size_t before = device_bytes(solver);
    assert_false(rec_solver_shows(solver, REC_LAYER_DIFFERENCE));
    assert_probe(solver, edges, NULL, 66, 44);

    SUCCEEDS(rec_solver_set_reference(solver, &first, 0, &error));
    const size_t with = device_bytes(solver);
    assert_true(before ? with >= before + planes * 67 * 45 * sizeof(float) : with == 0);
    assert_mean_square(solver, &first);
    assert_probe(solver, edges, &first, 0, 0);
    assert_probe(solver, edges, &first, 66, 0);
    assert_probe(solver, edges, &first, 5, 44);

    owned_image copy = copy_of(&second);
    SUCCEEDS(rec_solver_set_reference(solver, &copy, 0, &error));
    rec_image_fill(&copy, -7); /* the caller's again */
    assert_int_equal(device_bytes(solver), with);
    solver_advance(solver, 3, 0);
    assert_mean_square(solver, &second);
    assert_probe(solver, edges, &second, 31, 17);
    owned_image now = solver_image(solver);
    SUCCEEDS(rec_solver_set_reference(solver, &now, 0, &error));
    assert_true(compare(solver) == 0);
}

TEST_EACH(compares_with_a_reference, "reference", "cpu", "cuda", "spectral fftw", "spectral cuda")
{
    const char *kernel = strncmp(*state, "spectral ", 9) ? NULL : (const char *)*state + 9;
    kernel_or_skip(kernel ? "spectral" : *state, kernel);
    for (size_t planes = 1; planes <= 3; planes += 2) {
        owned_image edges = problem_noise(67, 45, planes, 700, 5);
        const rec_problem problem = {.input = &edges, .boundary.value = 2};
        owned_solver *solver = solver_of_kernel(kernel ? "spectral" : *state, kernel, &problem);
        solver_advance(solver, 5, 0);
        check_reference(solver, kernel ? NULL : &edges, planes);
    }
}

/* But by a solver whose planes lie in other rows. */
TEST(a_reference_that_stays_is_not_copied)
{
    owned_image edges = problem_noise(67, 45, 3, 700, 5), black = problem_noise(67, 45, 3, 0, 1);
    const rec_problem problem = {.input = &edges, .boundary.value = 2};
    for (int borrows = 0; borrows < 2; borrows++) {
        owned_image picture = problem_picture(67, 45, 3, 1);
        owned_solver *solver = solver_of_kernel(borrows ? "multigrid" : "cpu",
                                                borrows ? "host" : NULL, &problem);
        SUCCEEDS(rec_solver_set_reference(solver, &picture, 1, &error));
        const double before = compare(solver);
        assert_mean_square(solver, &picture);
        rec_image_fill(&picture, 5);
        assert_true((compare(solver) == before) == !borrows);
        SUCCEEDS(rec_solver_set_reference(solver, &black, 0, &error));
        rec_image_fill(&picture, 9);
        assert_mean_square(solver, &black);
    }
}

/* ---- snapshots of what has changed ---- */

enum { SEEN_WIDTH = 60, SEEN_HEIGHT = 40 };

/* Each of the two buffers makes up for what it has missed. The picture changes everywhere, which is
 * not said: so old bytes are seen. */
TEST(only_what_has_changed_is_made_anew)
{
    owned_image edges = problem_noise(67, 45, 1, 700, 5);
    const rec_problem problem = {.input = &edges};
    const rec_area none = {0}, areas[] = {{20, 11, 9, 6}, {40, 20, 3, 3}};
    const rec_area both = rec_area_join(areas[0], areas[1]);
    for (size_t box = 1; box <= 2; box++) {
        owned_solver *solver = solver_of_kernel("cpu", NULL, &problem);
        const rec_view view = {.x = 1, .y = 2, .width = SEEN_WIDTH, .height = SEEN_HEIGHT,
                               .out_width = SEEN_WIDTH / box, .out_height = SEEN_HEIGHT / box,
                               .contrast = 0.2f, .shift = 127};
        const size_t bytes = view.out_width * view.out_height;
        uint8_t old[SEEN_WIDTH * SEEN_HEIGHT], now[sizeof old], new[sizeof old];
        int begun;
        SUCCEEDS(rec_solver_snapshot(solver, &view, &none, &begun, &error));  /* whole */
        const rec_snapshot *held = solver_show_changed(solver, &view, &none); /* so is the second */
        memcpy(old, held->pixels, bytes);
        solver_advance(solver, 1, 0);
        SUCCEEDS(rec_solver_snapshot(solver, &view, &areas[0], &begun, &error));
        rec_solver_release(solver, held);
        held = solver_show_changed(solver, &view, &areas[1]);
        memcpy(now, held->pixels, bytes);
        rec_solver_release(solver, held);
        held = solver_show(solver, &view);
        memcpy(new, held->pixels, bytes);
        rec_solver_release(solver, held);
        for (size_t i = 0; i < bytes; i++) {
            const size_t x = view.x + i % view.out_width * box;
            const size_t y = view.y + i / view.out_width * box;
            const int touched = x + box > both.x && x < both.x + both.width && y + box > both.y &&
                                y < both.y + both.height;
            const int near = x + 3 * box > both.x && x < both.x + both.width + 2 * box &&
                             y + 3 * box > both.y && y < both.y + both.height + 2 * box;
            assert_true(touched ? now[i] == new[i] : near || now[i] == old[i]);
        }
        assert_true(memcmp(now, old, bytes) && memcmp(now, new, bytes));
        for (int other = 1; other >= 0; other--) { /* another view, and this one again */
            rec_view beside = view;
            beside.x += (size_t)other;
            held = solver_show_changed(solver, &beside, &none);
            assert_true(!memcmp(held->pixels + bytes / 2, new + bytes / 2, bytes / 2) == !other);
            rec_solver_release(solver, held);
        }
    }
}

/* ---- marks ---- */

/* And one memory of a picture, once. */
TEST_EACH(marks_cost_the_iterates_nothing, "reference", "cpu", "cuda")
{
    const rec_solver_type *type = solver_or_skip(*state);
    owned_image edges = problem_noise(301, 203, 3, 900, 12);
    owned_solver *plain = solver_make(type, &edges, NULL, 1);
    owned_solver *marked = solver_make(type, &edges, NULL, 1);
    const size_t before = device_bytes(marked);
    size_t with = 0;
    for (int i = 0; i < 5; i++) {
        SUCCEEDS(rec_solver_mark(marked, &error));
        assert_true(i == 0 || device_bytes(marked) == with);
        with = device_bytes(marked);
        solver_advance(marked, 37, 0);
        solver_advance(plain, 37, 0);
    }
    assert_true(before ? with >= before + 3 * 301 * 203 * sizeof(float) : with == 0);
    assert_same_iterate(plain, marked, *state);
}

/* Too little memory for a mark: the solver goes on as if nobody had asked. In a process of its own,
 * which is short of addresses once the solver is there. 0 when all is as it should be. */
static int mark_without_memory(void *context)
{
    const rec_image *edges = context;
    const rec_solver_type *type;
    const rec_problem problem = {.input = edges};
    rec_solver *solver;
    rec_error error = {0};
    unsigned long pages = 0;
    float before, after;
    if (rec_solver_find("reference", &type, &error) ||
        rec_solver_create(&solver, type, &problem, NULL, &error) ||
        rec_solver_advance(solver, 1, 0, NULL, &error))
        return 1;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        return 2;
    fclose(file);
    const rlim_t most = pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)8 << 20);
    const struct rlimit limit = {most, most};
    if (setrlimit(RLIMIT_AS, &limit) ||
        rec_solver_read(solver, 0, 7, 8, 1, 1, &before, 1, &error))
        return 3;
    if (rec_solver_mark(solver, &error) != REC_LIMIT || error.status != REC_LIMIT)
        return 4;
    if (rec_solver_set_reference(solver, edges, 0, &error) != REC_LIMIT ||
        rec_solver_shows(solver, REC_LAYER_DIFFERENCE))
        return 5;
    if (rec_solver_read(solver, 0, 7, 8, 1, 1, &after, 1, &error) || before != after ||
        show(solver, REC_LAYER_CHANGE, 1, &error) ||
        rec_solver_advance(solver, 1, 0, NULL, &error))
        return 6;
    rec_solver_destroy(solver);
    return 0;
}

TEST(a_mark_that_does_not_fit_harms_nothing)
{
    if (getenv("SANITIZED")) /* which reserves all addresses there are */
        skip();
    /* more than a thread's heap has reserved */
    owned_image edges = problem_noise(4200, 4100, 1, 9, 1);
    assert_int_equal(in_child(mark_without_memory, &edges), 0);
}
