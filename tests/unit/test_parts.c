/* The parts of a mask are solved one after the other, and again only where they change. */
#include <math.h>

#include "solver/type.h"
#include "tests/unit/problems.h"

enum { WIDTH = 900, HEIGHT = 600 };

static const struct {
    size_t x, y, width, height;
    int unknown;
    size_t parts, waiting; /* then */
} changes[] = {
    {500, 30, 40, 40, 1, 4, 1},   /* a new part, */
    {540, 50, 20, 20, 1, 4, 1},   /* which grows */
    {0, 0, 5, 5, 0, 4, 1},        /* of another one some is known again, */
    {500, 30, 60, 40, 0, 3, 0},   /* and all of one */
    {10, 200, 880, 3, 1, 4, 1},   /* between them */
    {150, 150, 3, 162, 1, 3, 1},   /* a cross takes two together */
    {0, 0, 900, 600, 0, 0, 0},    /* all is known */
    {860, 560, 40, 40, 1, 1, 1},
    {0, 0, 20, 20, 1, 2, 1},
};

static void set(const rec_mask *mask, const rec_image *start, const rec_image *picture, size_t x,
                size_t y, size_t width, size_t height, int unknown)
{
    for (size_t i = 0; i < width * height; i++)
        mask->unknown[(y + i / width) * WIDTH + x + i % width] = (unsigned char)unknown;
    for (size_t i = 0; i < start->planes * width * height; i++) {
        const size_t p = i / width / height, row = y + i / width % height, at = x + i % width;
        rec_image_row(start, p, row)[at] = unknown ? 77 : rec_image_row(picture, p, row)[at];
    }
}

/* The picture is there, within the tolerance that it is said to have. */
static void judge(rec_solver *solver, const rec_mask *mask, const rec_image *picture)
{
    rec_look look;
    int reached = 0;
    for (int i = 0; !reached && i < 1000; i++) /* in the smallest steps */
        SUCCEEDS(rec_solver_solve(solver, 0, &reached, &error));
    assert_true(reached);
    SUCCEEDS(rec_solver_advance(solver, 0, REC_LOOK_DISTANCE, &look, &error));
    assert_true(look.distance_max <= REC_USUAL_TOLERANCE && !look.missed);
    assert_true(look.distance_rms <= look.distance_max);
    owned_image found = solver_image(solver);
    double largest = 0;
    for (size_t p = 0; p < found.planes; p++)
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
            const double off = fabs((double)rec_image_row(&found, p, i / WIDTH)[i % WIDTH] -
                                    (double)rec_image_row(picture, p, i / WIDTH)[i % WIDTH]);
            if (off > (mask->unknown[i] ? 0.01 : 0))
                fail_msg("%g off at %zu, %zu", off, i % WIDTH, i / WIDTH);
            largest = fmax(largest, off);
        }
    assert_true(largest <= look.distance_max + 1e-4);
}

TEST(parts_of_a_mask_are_solved_each_in_its_box)
{
    const rec_solver_options options = {.kernel = "host"};
    owned_mask mask = {0};
    rec_solver *owned = NULL;
    owned_image picture = problem_picture(WIDTH, HEIGHT, 3, 3);
    owned_image edges = problem_edges(&picture, REC_BOUNDARY_MIRROR), start = {0};
    const rec_problem problem = {.given = &edges, .start = &start, .mask = &mask, .stays = 1,
                                 .boundary.kind = REC_BOUNDARY_MIRROR};
    SUCCEEDS(rec_image_copy(&start, &picture, &error));
    SUCCEEDS(rec_mask_create(&mask, WIDTH, HEIGHT, &error));
    set(&mask, &start, &picture, 0, 0, 30, 30, 1); /* these are nearer than a box is worth, */
    set(&mask, &start, &picture, 31, 31, 3, 3, 1);
    set(&mask, &start, &picture, 128, 300, 256, 300, 1); /* these touch, in a far larger one, */
    set(&mask, &start, &picture, 384, 590, 400, 10, 1);
    set(&mask, &start, &picture, 880, 10, 20, 20, 1); /* and this is far away */
    rec_mask_measure(&mask);
    SUCCEEDS(rec_solver_create(&owned, solver_or_skip("multigrid"), &problem, &options, &error));
    owned_solver *solver = owned;
    assert_int_equal(solver->parts.count, 3);
    judge(solver, &mask, &picture);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t waiting = 0;
        set(&mask, &start, &picture, changes[i].x, changes[i].y, changes[i].width,
            changes[i].height, changes[i].unknown);
        rec_mask_measure(&mask);
        SUCCEEDS(rec_solver_change(solver, &problem, changes[i].x, changes[i].y, changes[i].width,
                                   changes[i].height, &error));
        for (size_t k = 0; k < solver->parts.count; k++)
            waiting += !solver->parts.at[k].done;
        assert_int_equal(solver->parts.count, changes[i].parts);
        assert_int_equal(waiting, changes[i].waiting);
        judge(solver, &mask, &picture);
    }
}

/* Beside one that was not given time yet. */
TEST(a_part_that_waits_is_solved_later)
{
    const rec_solver_options options = {.kernel = "host"};
    owned_mask mask = {0};
    rec_solver *owned = NULL;
    owned_image picture = problem_picture(WIDTH, HEIGHT, 1, 3);
    owned_image edges = problem_edges(&picture, REC_BOUNDARY_MIRROR), start = {0};
    rec_problem problem = {.given = &edges, .start = &start, .mask = &mask, .stays = 1,
                           .boundary.kind = REC_BOUNDARY_MIRROR};
    SUCCEEDS(rec_image_copy(&start, &picture, &error));
    SUCCEEDS(rec_mask_create(&mask, WIDTH, HEIGHT, &error));
    set(&mask, &start, &picture, 10, 10, 30, 30, 1);
    set(&mask, &start, &picture, 800, 500, 40, 40, 1);
    rec_mask_measure(&mask);
    SUCCEEDS(rec_solver_create(&owned, solver_or_skip("multigrid"), &problem, &options, &error));
    owned_solver *solver = owned;
    set(&mask, &start, &picture, 400, 10, 9, 9, 1);
    rec_mask_measure(&mask);
    SUCCEEDS(rec_solver_change(solver, &problem, 400, 10, 9, 9, &error));
    judge(solver, &mask, &picture);
    problem.boundary.kind = REC_BOUNDARY_WRAP; /* pixels of opposite sides are neighbours */
    SUCCEEDS(rec_solver_renew(&owned, solver_or_skip("multigrid"), &problem, &options, &error));
    assert_null(solver->parts.at);
}
