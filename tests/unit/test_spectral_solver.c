/* The solver around the spectral computation: jumps, reads, snapshots. */
#include "base/team.h"
#include "tests/unit/problems.h"

static int asked; /* for a device, */
static int fakes; /* and told that it is there */

LISTEN(int, rec_device_available, (int device, rec_error *reason))
{
    asked++;
    return fakes || __real_rec_device_available(device, reason);
}

/* Looking for one starts the driver, which takes longer than a small picture, and than a larger one
 * where there are more threads. */
TEST(a_device_is_looked_for_where_it_pays)
{
    static const struct {
        size_t width, height, problems;
        const char *kernel;
        int asks;
        size_t threads;
        int shown;
    } rows[] = {
        {4096, 7168, 0, NULL, 1, 2, 0}, {4096, 7167, 0, NULL, 0, 2, 0},
        {4096, 7168, 0, NULL, 0, 3, 0}, {4096, 3584, 0, NULL, 1, 3, 1},
        {256, 256, 448, NULL, 1, 2, 0}, {256, 256, 447, NULL, 0, 2, 0},
        {255, 256, 999, NULL, 0, 2, 0}, {9999, 9999, 0, "fftw", 0, 2, 0},
        {8, 8, 0, "cuda", 1, 2, 0},
    };
    if (!REC_HAVE_FFTW || !REC_HAVE_CUDA)
        skip();
    const rec_solver_type *spectral = solver_or_skip("spectral");
    const rec_solver_type *multigrid = solver_or_skip("multigrid");
    owned_image edges = problem_noise(64, 64, 1, 100, 1);
    const size_t usual = rec_team_size();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rec_image size = {.width = rows[i].width, .height = rows[i].height, .planes = 1};
        const rec_problem problem = {.input = &size};
        const rec_solver_options options = {.problems = rows[i].problems, .kernel = rows[i].kernel,
                                            .shown = rows[i].shown};
        rec_team_set_size(rows[i].threads);
        asked = 0;
        rec_solver_type_memory(spectral, &problem, &options);
        assert_int_equal(asked, rows[i].asks);
    }
    for (int asks = 0; asks < 2; asks++) { /* 6 M samples, or one picture less */
        const rec_problem problem = {.input = &edges};
        const rec_solver_options options = {.problems = asks ? 1536 : 1535};
        asked = 0;
        rec_solver_destroy(solver_for(multigrid, &problem, &options));
        assert_int_equal(asked > 0, asks);
    }
    rec_team_set_size(usual);
}

static rec_status has_no_room(void *state, const rec_problem *problem, const rec_slab *slab,
                              const rec_solver_options *options, rec_error *error)
{
    return rec_fail(error, REC_LIMIT, "%zu pixels; no room\v--kernel host has some",
                    problem->input->width);
}

/* What is advised when the host does not take over has happened. */
TEST(the_host_says_why_it_takes_over)
{
    const rec_solver_type *multigrid = solver_or_skip("multigrid");
    rec_solver_type either = *multigrid;
    own_type device;
    owned_image edges = problem_noise(16, 8, 1, 100, 1);
    const rec_problem problem = {.input = &edges};
    own_type_make(&device, multigrid->host);
    device.memory.create = has_no_room;
    either.device = &device.type;
    either.device_samples.per_thread = 0;
    fakes = 1;
    owned_solver *solver = solver_for(&either, &problem, NULL);
    fakes = 0;
    assert_string_equal(info_of(solver).note, "the processor solves it: 16 pixels; no room");
}

/* Its bytes are in test_layers.c. */
static void check_snapshot(rec_solver *solver, uint64_t iteration)
{
    const rec_snapshot *seen = solver_show(solver, &(rec_view){.x = 3, .y = 5, .width = 40,
                                                               .height = 30, .out_width = 40,
                                                               .out_height = 30});
    assert_true(seen->iteration == iteration);
    rec_solver_release(solver, seen);
}

TEST_EACH(solver_jumps, "fftw", "cuda")
{
    const char *kernel = *state;
    kernel_or_skip("spectral", kernel);
    owned_image picture = problem_picture(100, 63, 3, 9);
    owned_image edges = problem_edges_in(&picture, REC_BOUNDARY_HALO, 12);
    const rec_problem problem = {.input = &edges, .boundary.value = 12};
    owned_solver *solver = solver_of_kernel("spectral", kernel, &problem);
    owned_solver *other = solver_of_kernel("spectral", kernel, &problem);
    owned_image start = solver_image(solver);
    assert_same_bits(&edges, &start, "before the first iteration");
    solver_advance(solver, 30, 0);
    check_snapshot(solver, 30);
    solver_advance(solver, 70, 0);
    SUCCEEDS(rec_solver_jump(other, 500, &error));
    SUCCEEDS(rec_solver_jump(other, 100, &error)); /* back again */
    owned_image a = solver_image(solver), b = solver_image(other);
    assert_same_bits(&a, &b, "30 and 70 iterations are 100");
    const rec_look look = solver_advance(other, 0, REC_LOOK_DISTANCE | REC_LOOK_CHANGE);
    /* It is the worst plane's. */
    assert_true(look.distance_rms >= difference_of(&picture, &a).rms);
    assert_true(isnan(look.change_rms));
    check_snapshot(other, 100); /* not of the limit, which the distance took */
    owned_image limit = solver_image_at(other, REC_LIMIT_ITERATION);
    check_snapshot(other, REC_LIMIT_ITERATION);
    const rec_look at_limit = solver_advance(other, 5, REC_LOOK_DISTANCE);
    assert_true(at_limit.distance_rms < 1e-4);
    assert_true(difference_of(&picture, &limit).maximum < 1e-3);
}

/* ---- the limit shared by devices, or by slabs of one ---- */

static rec_solver *solve_in_place(const rec_image *edges, size_t slabs)
{
    const rec_problem problem = {.input = edges, .boundary.value = 9, .in_place = 1};
    const rec_solver_options options = {.kernel = "cuda", .slabs = slabs};
    rec_solver *solver = solver_for(solver_or_skip("spectral"), &problem, &options);
    assert_int_equal(info_of(solver).slabs, slabs);
    SUCCEEDS(rec_solver_jump(solver, REC_LIMIT_ITERATION, &error));
    return solver;
}

TEST(slabs_share_the_limit)
{
    /* Rows that keep their width, that are cut, and that are longer. */
    static const size_t sizes[][2] = {{255, 64}, {256, 100}, {230, 161}, {1023, 999}, {2049, 515}};
    kernel_or_skip("spectral", "cuda");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        owned_image edges = problem_noise(sizes[i][0], sizes[i][1], 1 + 2 * (i % 2), 100, 1);
        owned_solver *one = solve_in_place(&edges, 1);
        owned_image expected = solver_image(one);
        const rec_look look = solver_advance(one, 0, REC_LOOK_DISTANCE);
        assert_true(look.distance_rms == ldexp(rec_image_largest(&expected), -23));
        for (size_t slabs = 2; slabs < 6 && slabs <= sizes[i][1] / 32; slabs++) {
            owned_solver *several = solve_in_place(&edges, slabs);
            owned_image found = solver_image(several);
            assert_same_bits(&expected, &found, "slabs");
            const rec_look other = solver_advance(several, 0, REC_LOOK_DISTANCE);
            assert_true(other.distance_rms == look.distance_rms);
            FAILS(rec_solver_jump(several, 7, &error), REC_USAGE, "only the exact picture");
            owned_image start = solver_image_at(several, 0);
            assert_same_bits(&edges, &start, "slabs, the start");
            owned_image again = solver_image_at(several, REC_LIMIT_ITERATION);
            assert_same_bits(&expected, &again, "slabs, once more");
        }
    }
}
