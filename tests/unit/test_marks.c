/* What a solver compares its picture with: marks, references, single pixels; that they say what
 * they should, are refused with reasons, are counted in memory, and leave the iterates alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/problems.h"
#include "tests/unit/support.h"

static size_t device_bytes(const rec_solver *solver)
{
    rec_solver_info info;
    rec_solver_get_info(solver, &info);
    return info.device_bytes;
}

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
    return rec_solver_snapshot(solver, &view, &begun, error);
}

static void assert_mean_square(rec_solver *solver, const rec_image *reference)
{
    owned_image now = solver_image(solver);
    rec_difference difference;
    SUCCEEDS(rec_image_compare(&now, reference, 255, &difference, &error));
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
    rec_image narrow = first, fewer = first;
    narrow.width = 66;
    fewer.planes = 4 - planes;
    const size_t before = device_bytes(solver);
    double mean_square;
    rec_error error;
    assert_failed(rec_solver_compare(solver, &mean_square, &error), REC_USAGE, &error, "reference");
    assert_failed(show(solver, REC_LAYER_DIFFERENCE, 1, &error), REC_USAGE, &error, "reference");
    assert_probe(solver, edges, NULL, 66, 44);

    assert_succeeded(rec_solver_set_reference(solver, &first, &error), &error);
    const size_t with = device_bytes(solver);
    assert_true(before ? with >= before + planes * 67 * 45 * sizeof(float) : with == 0);
    assert_mean_square(solver, &first);
    assert_probe(solver, edges, &first, 0, 0);
    assert_probe(solver, edges, &first, 66, 0);
    assert_probe(solver, edges, &first, 5, 44);

    /* A refused one leaves the one that is there. */
    assert_failed(rec_solver_set_reference(solver, &narrow, &error), REC_USAGE, &error, "66 x 45");
    assert_non_null(strstr(error.message, "67 x 45"));
    assert_failed(rec_solver_set_reference(solver, &fewer, &error), REC_USAGE, &error,
                  planes == 1 ? "3 planes" : "1 plane ");
    assert_mean_square(solver, &first);

    owned_image copy;
    assert_succeeded(rec_image_copy(&copy, &second, &error), &error);
    assert_succeeded(rec_solver_set_reference(solver, &copy, &error), &error);
    rec_image_fill(&copy, -7); /* the caller's again */
    assert_int_equal(device_bytes(solver), with);
    solver_advance(solver, 3, 0);
    assert_mean_square(solver, &second);
    assert_probe(solver, edges, &second, 31, 17);
    owned_image now = solver_image(solver);
    assert_succeeded(rec_solver_set_reference(solver, &now, &error), &error);
    assert_true(compare(solver) == 0);

    assert_succeeded(rec_solver_set_reference(solver, NULL, &error), &error);
    assert_succeeded(rec_solver_set_reference(solver, NULL, &error), &error);
    assert_int_equal(device_bytes(solver), before);
    assert_failed(rec_solver_compare(solver, &mean_square, &error), REC_USAGE, &error, "reference");
    assert_probe(solver, edges, NULL, 31, 17);
}

static void check_references(const char *name, const char *kernel)
{
    const rec_solver_type *type = solver_or_skip(name);
    const int has_edges = rec_solver_type_shows(type, REC_LAYER_EDGES);
    for (size_t planes = 1; planes <= 3; planes += 2) {
        rec_image edges = problem_noise(67, 45, planes, 700, 5);
        rec_error error = {0};
        const rec_problem problem = {.edges = &edges, .boundary.value = 2};
        const rec_solver_options options = {.kernel = kernel};
        owned_solver *solver;
        const rec_status status = rec_solver_create(&solver, type, &problem, &options, &error);
        if (status == REC_UNAVAILABLE) {
            print_message("# %s\n", error.message);
            rec_image_destroy(&edges);
            skip();
        }
        assert_succeeded(status, &error);
        solver_advance(solver, 5, 0);
        check_reference(solver, has_edges ? &edges : NULL, planes);
        rec_image_destroy(&edges);
    }
}

TEST(host_compares_with_a_reference)
{
    check_references("reference", NULL);
    check_references("cpu", NULL);
}

TEST(cuda_compares_with_a_reference)
{
    check_references("cuda", NULL);
}

TEST(spectral_compares_with_a_reference_on_the_host)
{
    check_references("spectral", "fftw");
}

TEST(spectral_compares_with_a_reference_on_the_device)
{
    check_references("spectral", "cuda");
}

/* ---- what the spectral solver shows ---- */

/* The difference of a picture has the bytes that a stencil shows of the same picture. */
static void check_spectral(const char *kernel, size_t width, size_t height)
{
    const rec_solver_type *type = solver_or_skip("spectral");
    rec_image edges = problem_noise(width, height, 3, 700, 5);
    rec_image picture = problem_picture(width, height, 3, 1);
    rec_error error = {0};
    const rec_problem problem = {.edges = &edges};
    const rec_solver_options options = {.kernel = kernel};
    rec_solver *solvers[2];
    const rec_status status = rec_solver_create(&solvers[0], type, &problem, &options, &error);
    if (status == REC_UNAVAILABLE) {
        print_message("# %s\n", error.message);
        rec_image_destroy(&edges);
        rec_image_destroy(&picture);
        skip();
    }
    assert_succeeded(status, &error);
    assert_succeeded(rec_solver_jump(solvers[0], 1000, &error), &error);
    owned_image now = solver_image(solvers[0]);
    solvers[1] = solver_make(solver_or_skip("reference"), &edges, &now, 0);
    for (int layer = 0; layer < REC_LAYERS; layer += REC_LAYER_DIFFERENCE)
        for (int tone = 0; tone < REC_TONES; tone++) {
            const rec_view view = {.x = 1, .y = 2, .width = width - 1, .height = height - 2,
                                   .out_width = width / 2, .out_height = height / 3,
                                   .tone = (rec_tone)tone, .layer = (rec_layer)layer,
                                   .contrast = 2.5f};
            const rec_snapshot *seen[2] = {NULL, NULL};
            for (int i = 0; i < 2; i++) {
                int begun = 0;
                assert_succeeded(rec_solver_set_reference(solvers[i], &picture, &error), &error);
                assert_succeeded(rec_solver_snapshot(solvers[i], &view, &begun, &error), &error);
                seen[i] = solver_poll(solvers[i]);
            }
            assert_true(seen[0]->low == seen[1]->low && seen[0]->high == seen[1]->high);
            for (size_t row = 0; row < 3 * view.out_height; row++)
                assert_memory_equal(seen[0]->pixels + row * seen[0]->stride,
                                    seen[1]->pixels + row * seen[1]->stride, view.out_width);
            for (int i = 0; i < 2; i++)
                rec_solver_release(solvers[i], seen[i]);
        }
    assert_failed(show(solvers[0], REC_LAYER_EDGES, 1, &error), REC_USAGE, &error, "'edges'");
    assert_failed(show(solvers[0], REC_LAYER_CHANGE, 1, &error), REC_USAGE, &error, "'change'");
    assert_failed(rec_solver_mark(solvers[0], &error), REC_UNAVAILABLE, &error, "spectral");
    rec_solver_unmark(solvers[0]);
    assert_true(rec_solver_type_shows(type, REC_LAYER_PICTURE) &&
                rec_solver_type_shows(type, REC_LAYER_DIFFERENCE) &&
                !rec_solver_type_shows(type, REC_LAYER_EDGES) &&
                !rec_solver_type_shows(type, REC_LAYER_CHANGE) &&
                !rec_solver_type_shows(type, REC_LAYERS));
    rec_solver_destroy(solvers[0]);
    rec_solver_destroy(solvers[1]);
    rec_image_destroy(&edges);
    rec_image_destroy(&picture);
}

/* One of the two is transposed. */
TEST(spectral_shows_the_difference_on_the_host)
{
    check_spectral("fftw", 64, 101);
    check_spectral("fftw", 101, 64);
}

TEST(spectral_shows_the_difference_on_the_device)
{
    check_spectral("cuda", 64, 101);
    check_spectral("cuda", 101, 64);
}

/* ---- marks ---- */

/* They cost the iterates nothing, and one memory of a picture, once. */
static void check_marks(const char *name)
{
    const rec_solver_type *type = solver_or_skip(name);
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
        if (i == 2) {
            rec_solver_unmark(marked);
            assert_int_equal(device_bytes(marked), before);
        }
    }
    assert_true(before ? with >= before + 3 * 301 * 203 * sizeof(float) : with == 0);
    owned_image a = solver_image(plain), b = solver_image(marked);
    assert_same_bits(&a, &b, name);
}

TEST(host_marks)
{
    check_marks("reference");
    check_marks("cpu");
}

TEST(cuda_marks)
{
    check_marks("cuda");
}

/* Too little memory for a mark: the solver goes on as if nobody had asked. In a process of its own,
 * which is short of addresses once the solver is there. 0 when all is as it should be. */
static int mark_without_memory(void *context)
{
    const rec_image *edges = context;
    const rec_solver_type *type;
    const rec_problem problem = {.edges = edges};
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
    if (rec_solver_set_reference(solver, edges, &error) != REC_LIMIT)
        return 5;
    double mean_square;
    if (rec_solver_compare(solver, &mean_square, &error) != REC_USAGE)
        return 6;
    rec_solver_unmark(solver);
    if (rec_solver_read(solver, 0, 7, 8, 1, 1, &after, 1, &error) || before != after ||
        show(solver, REC_LAYER_CHANGE, 1, &error) ||
        rec_solver_advance(solver, 1, 0, NULL, &error))
        return 7;
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

/* ---- refusals ---- */

static void check_refusals(const char *name)
{
    const rec_solver_type *type = solver_or_skip(name);
    owned_image edges = problem_noise(20, 10, 1, 5, 1);
    owned_solver *solver = solver_make(type, &edges, NULL, 0);
    rec_probe probe;
    FAILS(rec_solver_probe(solver, 20, 0, &probe, &error), REC_FAULT, "(20, 0)");
    FAILS(rec_solver_probe(solver, 0, 10, &probe, &error), REC_FAULT, "20 x 10");
    FAILS(show(solver, REC_LAYERS, 1, &error), REC_FAULT, "layer 4");
    FAILS(show(solver, REC_LAYER_EDGES, -1, &error), REC_FAULT, "-1");
    FAILS(show(solver, REC_LAYER_PICTURE, NAN, &error), REC_FAULT, "contrast");
    FAILS(show(solver, REC_LAYER_PICTURE, INFINITY, &error), REC_FAULT, "inf");
    for (int layer = 0; layer < REC_LAYERS; layer++)
        assert_true(rec_solver_type_shows(type, (rec_layer)layer));
}

TEST(host_refuses_what_makes_no_sense)
{
    check_refusals("reference");
    check_refusals("cpu");
}

TEST(cuda_refuses_what_makes_no_sense)
{
    check_refusals("cuda");
}
