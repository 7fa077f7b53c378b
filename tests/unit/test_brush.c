/* A mask that is painted: which pixels a stroke takes, and what undoes it. */
#include "tests/unit/support.h"
#include "edit/edit_type.h"

enum { WIDTH = 41, HEIGHT = 33 };

static rec_mask mask;
static rec_sources sources; /* without labels, but in one test */
static rec_brush brush;

static int begin(void **state)
{
    rec_error error;
    return rec_mask_create(&mask, WIDTH, HEIGHT, &error) ||
           rec_brush_create(&brush, &mask, &sources, &error);
}

static int end(void **state)
{
    rec_brush_destroy(&brush);
    rec_mask_destroy(&mask);
    return 0;
}

/* The mask is as it would be measured anew. */
static void assert_measured(void)
{
    rec_mask again = mask;
    rec_mask_measure(&again);
    assert_memory_equal(&again, &mask, sizeof mask);
}

/* Near a stroke is what is near one of many points of it. */
static int is_near(const rec_stroke *s, size_t x, size_t y)
{
    double least = INFINITY;
    for (int i = 0; i <= 20000; i++) {
        const double t = i / 20000.0;
        least = fmin(least, hypot((double)x - s->x - t * (s->to_x - s->x),
                                  (double)y - s->y - t * (s->to_y - s->y)));
    }
    return fabs(least - s->radius) < 1e-3 ? -1 : least < s->radius;
}

/* Inside, over each border, a single point, and outside altogether. */
TEST_WITH(a_stroke_takes_the_discs_along_its_way, begin, end)
{
    const rec_stroke strokes[] = {
        {10, 10, 30, 20, 5.3, 1}, {20, 16, 20, 16, 7.1, 1}, {-9, 5, 12, -4, 6.2, 1},
        {39, 31, 60, 50, 3.4, 1}, {5, 28, 35, 28, 0.2, 1},  {-50, 5, -20, 9, 8.2, 1},
        {20, -30, 22, -9, 9, 1},  {-5, -5, 50, 50, 90, 1},
    };
    for (size_t i = 0; i < sizeof strokes / sizeof *strokes; i++) {
        const rec_area area = rec_brush_stroke(&brush, &strokes[i]);
        EACH_PIXEL(size_t, y, x, HEIGHT, WIDTH) {
            const int wanted = is_near(&strokes[i], x, y), found = mask.unknown[y * WIDTH + x];
            assert_true(wanted < 0 || found == wanted);
            assert_true(!found || (x >= area.x && x < area.x + area.width && y >= area.y &&
                                   y < area.y + area.height));
        }
        assert_measured();
        rec_brush_clear(&brush);
        assert_int_equal(mask.count, 0);
        assert_measured();
    }
}

TEST_WITH(a_disc_holds_the_pixels_at_its_radius, begin, end)
{
    rec_brush_stroke(&brush, &(rec_stroke){20, 16, 20, 16, 1, 1});
    assert_int_equal(mask.count, 5);
    rec_brush_stroke(&brush, &(rec_stroke){20, 16, 20, 16, 0, 0});
    assert_int_equal(mask.count, 4);
    assert_int_equal(mask.unknown[16 * WIDTH + 20], 0);
    rec_brush_stroke(&brush, &(rec_stroke){19, 16, 20, 17, 0.5, 0});
    assert_int_equal(mask.count, 2);
    assert_measured();
    assert_int_equal(mask.box.width, 2);
}

/* What a way encloses: pixels with an odd number of its sides on their right. It crosses itself,
 * and leaves the picture; what was painted before stays. */
TEST_WITH(a_lasso_takes_what_it_encloses, begin, end)
{
    enum { POINTS = 12 };
    srand(3);
    for (int round = 0; round < 90; round++) {
        double x[POINTS + 1], y[POINTS + 1];
        const int unknown = round % 3 > 0;
        rec_brush_stroke(&brush, &(rec_stroke){20, 16, 20, 16, 9, 1});
        rec_brush_end(&brush);
        const size_t before = mask.count, done = brush.done;
        for (int i = 0; i < POINTS; i++) {
            x[i] = rand() % 60 - 9 + (round % 2) * 0.3; /* or a corner is a pixel's middle */
            y[i] = rand() % 50 - 9;
        }
        x[POINTS] = x[0];
        y[POINTS] = y[0];
        for (int i = 0; i + 1 < POINTS; i++)
            rec_brush_stroke(&brush, &(rec_stroke){x[i], y[i], x[i + 1], y[i + 1], -1, unknown});
        EACH_PIXEL(size_t, row, at, HEIGHT, WIDTH) {
            int inside = 0, near = 0;
            for (int k = 0; k < POINTS; k++) {
                const double t = ((double)row - y[k]) / (y[k + 1] - y[k]);
                const double away = x[k] + t * (x[k + 1] - x[k]) - (double)at;
                near |= fabs(away) < 1e-6;
                inside ^= (y[k] <= (double)row) != (y[k + 1] <= (double)row) && away > 0;
            }
            const int was = hypot((double)at - 20, (double)row - 16) <= 9;
            assert_true(near || mask.unknown[row * WIDTH + at] == (inside ? unknown : was));
        }
        assert_measured();
        rec_brush_end(&brush);
        if (brush.done > done)
            rec_brush_undo(&brush, 0);
        assert_int_equal(mask.count, before);
        rec_brush_clear(&brush);
    }
}

/* Random strokes of several parts: back to the begin, forth to the end. */
TEST_WITH(steps_are_undone_and_done_again, begin, end)
{
    enum { STEPS = 300, KEPT = 256, PIXELS = WIDTH * HEIGHT };
    rec_owned unsigned char *seen = calloc(STEPS + 1, PIXELS);
    srand(5);
    for (size_t step = 1; step <= STEPS;) {
        for (int part = rand() % 3; part >= 0; part--)
            rec_brush_stroke(&brush, &(rec_stroke){rand() % 60 - 10, rand() % 60 - 10, rand() % 50,
                                                   rand() % 50, rand() % 9, rand() % 3 > 0});
        rec_brush_end(&brush);
        memcpy(seen + step * PIXELS, mask.unknown, PIXELS);
        step += memcmp(seen + step * PIXELS, seen + (step - 1) * PIXELS, PIXELS) != 0;
    }
    assert_int_equal(brush.steps, KEPT);
    for (size_t i = STEPS; i > STEPS - KEPT; i--) {
        const rec_area area = rec_brush_undo(&brush, 0);
        assert_true(area.width && area.height);
        assert_memory_equal(mask.unknown, seen + (i - 1) * PIXELS, PIXELS);
        assert_measured();
    }
    assert_int_equal(rec_brush_undo(&brush, 0).width, 0);
    for (size_t i = STEPS - KEPT + 1; i <= STEPS; i++) {
        rec_brush_undo(&brush, 1);
        assert_memory_equal(mask.unknown, seen + i * PIXELS, PIXELS);
        assert_measured();
    }
    assert_int_equal(rec_brush_undo(&brush, 1).width, 0);
    rec_brush_clear(&brush);
    assert_int_equal(mask.count, 0);
    rec_brush_undo(&brush, 0);
    assert_memory_equal(mask.unknown, seen + STEPS * PIXELS, PIXELS);
}

TEST_WITH(undoing_ends_the_step_in_hand, begin, end)
{
    const rec_stroke here = {5, 5, 9, 9, 3, 1}, there = {25, 25, 29, 20, 3, 1};
    rec_brush_stroke(&brush, &here);
    rec_brush_end(&brush);
    const size_t count = mask.count;
    rec_brush_stroke(&brush, &there);
    rec_brush_undo(&brush, 0);
    assert_int_equal(mask.count, count);
    rec_brush_stroke(&brush, &here); /* changes nothing, and is no step: the other can come back */
    rec_brush_undo(&brush, 1);
    assert_true(mask.count > count);
    rec_brush_undo(&brush, 0);
    rec_brush_stroke(&brush, &(rec_stroke){15, 5, 15, 9, 1, 1}); /* but after this it is gone */
    assert_int_equal(rec_brush_undo(&brush, 1).width, 0);
    rec_brush_undo(&brush, 0);
    assert_int_equal(mask.count, count);
    rec_brush_undo(&brush, 0);
    assert_int_equal(mask.count, 0);
}

/* A pixel has the label of the last stroke over it; undoing brings labels and sources back. */
TEST_WITH(labels_and_sources_are_undone_with_their_strokes, begin, end)
{
    const rec_patch patch = {.x = 3};
    uint16_t label;
    SUCCEEDS(rec_sources_create(&sources, WIDTH, HEIGHT, &error));
    for (int i = 0; i < 2; i++) {
        SUCCEEDS(rec_sources_add(&sources, &patch, &label, &error));
        brush.label = label;
        rec_brush_stroke(&brush, &(rec_stroke){10, 10, 20 + 10 * i, 10, 4, 1});
        rec_brush_end(&brush);
    }
    const uint16_t *at = &sources.label[10 * WIDTH];
    assert_true(at[12] == 2 && at[30] == 2 && at[35] == 0);
    rec_brush_move(&brush, 1, &(rec_patch){.x = 5});
    rec_brush_move(&brush, 1, &(rec_patch){.x = 7});
    rec_brush_clear(&brush);
    assert_true(!at[12] && !mask.count);
    rec_brush_undo(&brush, 0);
    assert_true(at[12] == 2 && mask.count && sources.at[0].x == 7);
    assert_true(rec_brush_undo(&brush, 0).width && sources.at[0].x == 3);
    rec_brush_undo(&brush, 0);
    assert_true(at[12] == 1 && at[30] == 0);
    rec_brush_undo(&brush, 0);
    assert_true(!at[12] && !mask.count);
    for (int i = 0; i < 3; i++)
        rec_brush_undo(&brush, 1);
    assert_true(at[12] == 2 && sources.at[0].x == 7 && brush.done == 3);
    rec_sources_destroy(&sources);
}
