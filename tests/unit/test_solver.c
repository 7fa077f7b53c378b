/* The arithmetic for processors without FMA, and what every solver does: hands out snapshots,
 * starts again, refuses. Their bits are in test_iterates.c, what they show in
 * test_layers.c. The solvers of a device that is not there are reported as skipped. */
#include "kernels/convolution.h"
#include "kernels/stencil.h"
#include "display/display.h"
#include "tests/unit/problems.h"

static const rec_solver_type *reference(void) { return solver_or_skip("reference"); }

/* The form for processors without FMA, on values of every size. */
TEST(both_forms_of_the_update_agree)
{
    test_random dice = {5};
    for (int i = 0; i < 2000000; i++) {
        float v[5];
        for (int j = 0; j < 5; j++) {
            const int exponent = random_integer(&dice, 0, 63) - (i % 3 ? 32 : 150);
            v[j] = ldexpf((float)(int32_t)random_bits(&dice), exponent % 90 - (i % 7 ? 0 : 60));
        }
        const float a = rec_update(v[0], v[1], v[2], v[3], v[4]);
        const float b = rec_update_without_fma(v[0], v[1], v[2], v[3], v[4]);
        if (memcmp(&a, &b, sizeof a))
            fail_msg("%a and %a from %a %a %a %a %a", (double)a, (double)b, (double)v[0],
                     (double)v[1], (double)v[2], (double)v[3], (double)v[4]);
    }
}

TEST(fma_is_rounded_once)
{
    test_random dice = {7};
    for (int i = 0; i < 2000000; i++) {
        float abc[3];
        for (int k = 0; k < 3; k++) {
            const uint32_t sign = random_bits(&dice) << 31;
            const uint32_t exponent = 127u - 30 + random_bits(&dice) % (i % 2 ? 60 : 4);
            uint32_t bits = sign | exponent << 23 | (random_bits(&dice) & 0x7fffff);
            if (i % 3 == 0)
                bits &= 0xfffff000; /* ties */
            memcpy(&abc[k], &bits, sizeof bits);
        }
        if (i % 5 == 0)
            abc[2] = -(float)((double)abc[0] * (double)abc[1]);
        if (i % 7 == 0)
            abc[0] *= 0x1p-120f;
        if (i % 11 == 0) { /* a tie but for far less than a double tells */
            abc[0] = 0x1.000002p-12f;
            abc[1] = i % 2 ? 0x1.fffffcp-13f : 0x1.000002p-12f;
            abc[2] = i % 4 < 2 ? 0x1.000002p0f : i % 8 < 4 ? 0x1p0f : -0x1.000006p0f;
        }
        const float expected = fmaf(abc[0], abc[1], abc[2]);
        const float found = rec_fma_without_fma(abc[0], abc[1], abc[2]);
        if (memcmp(&expected, &found, sizeof found))
            fail_msg("fma(%a, %a, %a) is %a instead of %a", (double)abc[0], (double)abc[1],
                     (double)abc[2], (double)found, (double)expected);
    }
}

/* ---- reading and snapshots ---- */

/* Which of two snapshots comes first, once they have arrived: bit i says so of buffer i. */
static int has_arrived(void *context, int index, rec_snapshot *snapshot)
{
    return *(const int *)context >> index & 1;
}

TEST(the_newest_snapshot_of_a_layer_comes_first)
{
    rec_double_buffer buffers = {.next = 0};
    int arrived = 0;
    for (uint64_t round = 0; round < 4; round++) {
        const rec_snapshot *seen;
        rec_snapshot older = {.iteration = round}, newer = {.iteration = round + 100};
        older.view.layer = round < 2 ? REC_LAYER_PICTURE : REC_LAYER_EDGES;
        const int first = rec_double_buffer_find_free(&buffers);
        rec_double_buffer_begin(&buffers, first, &older);
        const int second = rec_double_buffer_find_free(&buffers);
        rec_double_buffer_begin(&buffers, second, &newer);
        assert_int_equal(rec_double_buffer_find_free(&buffers), -1);
        arrived = 0;
        assert_null(rec_double_buffer_poll(&buffers, has_arrived, &arrived));
        arrived = 1 << first; /* the older one alone, */
        seen = rec_double_buffer_poll(&buffers, has_arrived, &arrived);
        assert_int_equal(seen->iteration, round);
        assert_null(rec_double_buffer_poll(&buffers, has_arrived, &arrived));
        rec_double_buffer_release(&buffers, seen);
        rec_double_buffer_begin(&buffers, first, &older); /* which is the newer one now, */
        arrived = 3;                                      /* and both */
        seen = rec_double_buffer_poll(&buffers, has_arrived, &arrived);
        assert_int_equal(seen->iteration, round < 2 ? round : round + 100);
        rec_double_buffer_release(&buffers, seen);
        seen = rec_double_buffer_poll(&buffers, has_arrived, &arrived);
        if (round < 2) { /* of one layer: the other was given up */
            assert_null(seen);
            continue;
        }
        assert_int_equal(seen->iteration, round); /* of two: each in turn */
        rec_double_buffer_release(&buffers, seen);
    }
}

TEST_EACH(hands_out_snapshots_in_turn, "cpu", "cuda")
{
    const rec_solver_type *type = solver_or_skip(*state);
    owned_image edges = problem_noise(64, 48, 1, 900, 12);
    owned_solver *solver = solver_make(type, &edges, NULL, 0);
    const rec_view view = {.width = 64, .height = 48, .out_width = 64, .out_height = 48};
    int begun[4];
    assert_null(rec_solver_poll(solver));
    for (int i = 0; i < 3; i++) {
        solver_advance(solver, 1, REC_LOOK_CHANGE); /* waits for the snapshot's kernel too */
        SUCCEEDS(rec_solver_snapshot(solver, &view, NULL, &begun[i], &error));
    }
    assert_true(begun[0] && begun[1] && !begun[2]);
    owned_image all = solver_image(solver);
    usleep(200000); /* both have arrived by then */
    const rec_snapshot *newest = rec_solver_poll(solver);
    assert_non_null(newest);
    assert_int_equal(newest->iteration, 2);
    assert_null(rec_solver_poll(solver)); /* one at a time */
    SUCCEEDS(rec_solver_snapshot(solver, &view, NULL, &begun[3], &error));
    assert_true(begun[3]);
    rec_solver_release(solver, newest);
    float part[2][3];
    SUCCEEDS(rec_solver_read(solver, 0, 5, 6, 3, 2, part[0], 3, &error));
    for (size_t y = 0; y < 2; y++)
        assert_memory_equal(part[y], rec_image_row(&all, 0, 6 + y) + 5, sizeof part[y]);
    assert_int_equal(rec_solver_read(solver, 0, 62, 0, 3, 1, part[0], 3, NULL), REC_FAULT);
}

/* ---- refusals ---- */

/* A solver that is used again has the bits of a new one, whatever it did before, whatever mask it
 * had; of another size it is a new one. */
TEST(a_solver_can_be_used_again)
{
    const rec_solver_type *type;
    for (size_t i = 0; (type = rec_solver_at(i)); i++) {
        owned_solver *kept = NULL;
        if (rec_solver_find(type->name, &type, NULL))
            continue;
        for (unsigned seed = 0; seed < 9; seed++) {
            const uint64_t n = seed == 3 ? 0 : seed == 4 ? 1 : 40 + seed;
            const size_t planes = seed == 5 ? 3 : 1;
            owned_image edges = problem_noise(150, 90, planes, 100, seed);
            owned_mask mask = new_mask(150, 90);
            rec_problem problem = {.input = &edges, .boundary = {.value = 3}};
            for (size_t k = 0; k < 150 * 90; k++)
                mask.unknown[k] = k % (seed + 1) != 2;
            rec_mask_measure(&mask);
            if (seed > 5 && !type->jumps) {
                problem.start = &edges;
                problem.mask = seed < 8 ? &mask : NULL;
            }
            const rec_solver *before = kept;
            SUCCEEDS(rec_solver_renew(&kept, type, &problem, NULL, &error));
            owned_solver *fresh = solver_for(type, &problem, NULL);
            const rec_look look = solver_advance(kept, n, REC_LOOK_CHANGE | REC_LOOK_DISTANCE);
            const rec_look expected = solver_advance(fresh, n, REC_LOOK_CHANGE | REC_LOOK_DISTANCE);
            assert_same_iterate(fresh, kept, type->name);
            assert_true(look.distance_rms == expected.distance_rms);
            assert_true(!n || type->jumps ||
                        look.change_rms == expected.change_rms);
            assert_int_equal(look.standstill, expected.standstill);
            assert_true(seed % 5 == 0 || seed > 5 || kept == before);
        }
    }
}

/* Of the first iterate nobody knows whether it stands still; nor of a solver that is used again. */
TEST_EACH(a_standstill_takes_two_iterations, "reference", "cpu", "cuda")
{
    const rec_solver_type *type = solver_or_skip(*state);
    owned_image edges = problem_noise(9, 50, 1, 0, 1);
    const rec_problem problem = {.input = &edges};
    owned_solver *solver = NULL;
    for (int i = 0; i < 4; i++) {
        if (i % 2 == 0)
            SUCCEEDS(rec_solver_renew(&solver, type, &problem, NULL, &error));
        assert_int_equal(solver_advance(solver, 1, REC_LOOK_CHANGE).standstill, i % 2);
    }
}

TEST(bad_problems_are_refused)
{
    owned_image edges = problem_noise(20, 10, 1, 5, 1), other = problem_noise(10, 20, 1, 5, 1);
    owned_image damaged = problem_noise(20, 10, 1, 5, 1);
    rec_image_row(&damaged, 0, 3)[4] = NAN;
    const struct {
        rec_problem problem;
        const char *why;
    } cases[] = {{{.input = &edges, .start = &other}, "20 x 10"},
                 {{.input = &edges, .boundary.value = INFINITY}, "finite"},
                 {{.input = &damaged}, "finite"}};
    owned_solver *solver;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        FAILS(rec_solver_create(&solver, reference(), &cases[i].problem, NULL, &error),
              REC_BAD_INPUT, cases[i].why);
    /* An edge that is no number counts in the mask alone. */
    unsigned char unknown[200] = {[4 + 3 * 20] = 1};
    rec_mask mask = {20, 10, unknown, .count = 1, .box = {4, 3, 1, 1}};
    const rec_problem masked = {.input = &damaged, .start = &edges, .mask = &mask};
    FAILS(rec_solver_create(&solver, reference(), &masked, NULL, &error), REC_BAD_INPUT, "finite");
    unknown[5 + 3 * 20] = unknown[4 + 3 * 20]--;
    mask.box.x++;
    SUCCEEDS(rec_solver_create(&solver, reference(), &masked, NULL, &error));
    const rec_solver_type *type;
    FAILS(rec_solver_find("gauss", &type, &error), REC_USAGE, "reference");
}
