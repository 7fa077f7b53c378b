/* The parts of a mask are solved one after the other, and again only where they change. */
#include <math.h>

#include "tests/unit/multigrid_puzzles.h"

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

static case_of all_known(size_t planes)
{
    case_of made = make_puzzle(WIDTH, HEIGHT, planes, REC_BOUNDARY_MIRROR, ALL, 0);
    made.problem.stays = 1;
    made.problem.boundary.mean_count = 0;
    set_unknown(&made, 0, 0, WIDTH, HEIGHT, 0);
    return made;
}

static rec_solver *make(case_of *of)
{
    return solver_for(solver_or_skip("multigrid"), problem_of(of),
                      &(rec_solver_options){.kernel = "host"});
}

/* The picture is there, within the tolerance that it is said to have. */
static void judge(rec_solver *solver, const case_of *of)
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
    size_t wrong;
    assert_true(largest_error(&found, of, &wrong) <= look.distance_max + 1e-4);
    assert_int_equal(wrong, 0);
}

TEST(parts_of_a_mask_are_solved_each_in_its_box)
{
    owned_puzzle of = all_known(3);
    set_unknown(&of, 0, 0, 30, 30, 1); /* these are nearer than a box is worth, */
    set_unknown(&of, 31, 31, 3, 3, 1);
    set_unknown(&of, 128, 300, 256, 300, 1); /* these touch, in a far larger one, */
    set_unknown(&of, 384, 590, 400, 10, 1);
    set_unknown(&of, 880, 10, 20, 20, 1); /* and this is far away */
    owned_solver *solver = make(&of);
    assert_int_equal(solver->parts.count, 3);
    assert_int_equal(rec_parts_samples(&solver->parts), 3 * (34 * 34 + 656 * 300 + 20 * 20));
    judge(solver, &of);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t waiting = 0;
        const rec_area area = {changes[i].x, changes[i].y, changes[i].width, changes[i].height};
        set_unknown(&of, area.x, area.y, area.width, area.height, changes[i].unknown);
        SUCCEEDS(rec_solver_change(solver, &of.problem, area, &error));
        for (size_t k = 0; k < solver->parts.count; k++)
            waiting += !solver->parts.at[k].done;
        assert_int_equal(solver->parts.count, changes[i].parts);
        assert_int_equal(waiting, changes[i].waiting);
        judge(solver, &of);
    }
}

/* Beside one that was not given time yet. */
TEST(a_part_that_waits_is_solved_later)
{
    owned_puzzle of = all_known(1);
    set_unknown(&of, 10, 10, 30, 30, 1);
    set_unknown(&of, 800, 500, 40, 40, 1);
    owned_solver *solver = make(&of);
    set_unknown(&of, 400, 10, 9, 9, 1);
    SUCCEEDS(rec_solver_change(solver, &of.problem, (rec_area){400, 10, 9, 9}, &error));
    judge(solver, &of);
    of.problem.boundary.kind = REC_BOUNDARY_WRAP; /* pixels of opposite sides are neighbours */
    SUCCEEDS(rec_solver_renew(&solver, solver_or_skip("multigrid"), &of.problem,
                              &(rec_solver_options){.kernel = "host"}, &error));
    assert_null(solver->parts.at);
}

/* Specks that far apart are parts by themselves; nearer ones of a row, or too many, go together. */
TEST(specks_are_parts_up_to_a_number)
{
    const struct { size_t apart, across, parts; } cases[] = {
        {34, 90, 8100}, {32, 9, 9}, {34, 92, 49}};
    const rec_solver_type type = {.takes = REC_PARTS};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t apart = cases[i].apart, side = apart * cases[i].across;
        owned_mask mask = new_mask(side, side);
        for (size_t y = 0; y < side; y += apart)
            for (size_t x = 0; x < side; x += apart)
                mask.unknown[y * side + x] = 1;
        rec_mask_measure(&mask);
        const rec_problem problem = {.mask = &mask, .stays = 1};
        REC_OWNED(rec_parts_destroy) rec_parts parts = {0};
        SUCCEEDS(rec_parts_create(&parts, &type, &problem, &error));
        assert_int_equal(parts.count, cases[i].parts);
    }
}
