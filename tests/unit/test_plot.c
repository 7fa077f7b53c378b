/* The plot over the picture: what it draws, and where. Skipped in a build without SDL. */
#include "tests/unit/cm.h"

#if REC_HAVE_SDL
#include "tests/unit/canvas.h"
#include "view/draw/draw.h"

#define CHANGE 0xfff2c15cu
#define DISTANCE 0xff70b0f4u

typedef struct scene {
    canvas on;
    SDL_Rect plot; /* where a plot belongs */
    int below;     /* the row below its legend */
} scene;

static scene make_scene(int scale)
{
    scene s = {.on = make_canvas(768, 700, scale)};
    s.plot = rec_plot_place(&s.on.on, 0);
    s.below = s.plot.y + 10 * scale + s.on.on.line;
    return s;
}

#define EACH_SCENE(s, scale)                                                                       \
    for (int scale = 1; scale <= 2; scale++)                                                       \
        for (scene s = make_scene(scale); s.on.scale; destroy_canvas(&s.on), s.on.scale = 0)

static void draw(scene *s, const rec_history *history)
{
    wipe(&s->on);
    rec_plot_draw(history, &s->on.on, s->plot);
    SDL_RenderFlush(s->on.renderer);
    assert_only_in(&s->on, s->plot);
}

typedef struct rows {
    int first, last; /* last < 0: there are none */
} rows;

/* The first and the last row below the legend that have the colour in column x. */
static rows find_rows(const scene *s, Uint32 color, int x)
{
    rows found = {0, -1};
    for (int y = s->below; y < s->plot.y + s->plot.h; y++)
        if (at(&s->on, x, y) == color) {
            found.first = found.last < 0 ? y : found.first;
            found.last = y;
        }
    return found;
}

/* Around all that has it. */
static SDL_Rect find_box(const scene *s, Uint32 color)
{
    SDL_Rect box = {0, 0, 0, 0};
    for (int x = s->plot.x; x < s->plot.x + s->plot.w; x++) {
        const rows there = find_rows(s, color, x);
        if (there.last < 0)
            continue;
        const SDL_Rect column = {x, there.first, 1, there.last - there.first + 1};
        if (box.w)
            SDL_UnionRect(&box, &column, &box);
        else
            box = column;
    }
    return box;
}

/* ---- the plot's place ---- */

TEST(it_stands_in_the_lower_right_corner)
{
    owned_canvas c = make_canvas(8, 8, 1);
    for (int scale = 1; scale <= 4; scale++) {
        rec_canvas_set_scale(&c.on, scale);
        for (c.on.width = 0; c.on.width < 3000; c.on.width += 11)
            for (c.on.rows = 0; c.on.rows < 2000; c.on.rows += 13) {
                const SDL_Rect place = rec_plot_place(&c.on, 0), large = rec_plot_place(&c.on, 1);
                const int is_small = c.on.width < 260 * scale || c.on.rows < 152 * scale;
                assert_true(!SDL_RectEmpty(&place) == !is_small);
                assert_true(!SDL_RectEmpty(&large) == !is_small);
                if (is_small)
                    continue;
                assert_true(place.w >= 240 * scale && place.h >= 132 * scale);
                assert_true(place.w <= 340 * scale && place.h <= 220 * scale);
                assert_true(place.x >= 10 * scale && place.y >= 10 * scale);
                assert_true(place.x + place.w == c.on.width - 10 * scale);
                assert_true(place.y + place.h == c.on.rows - 10 * scale);
                assert_true(large.x == 10 * scale && large.w == c.on.width - 20 * scale);
                assert_true(large.y == 10 * scale && large.h == c.on.rows - 20 * scale);
            }
    }
}

/* ---- what is drawn ---- */

TEST(without_points_it_says_so)
{
    rec_history history = {0};
    EACH_SCENE(s, scale) {
        for (int i = 0; i < 2; i++) { /* iterate 0 has no place on the axis */
            draw(&s, &history);
            assert_true(!find_box(&s, CHANGE).w && !find_box(&s, DISTANCE).w);
            const SDL_Rect said = find_box(&s, 0xff8e929au);
            assert_true(said.w >= 40 * scale && said.h >= 5 * scale && said.h <= 20 * scale);
            assert_true(abs(2 * said.x + said.w - 2 * s.plot.x - s.plot.w) <= 8 * scale);
            rec_history_add(&history, 0, NAN, 500);
        }
    }
}

TEST(one_point_is_a_dot_where_it_belongs)
{
    rec_history history = {0};
    rec_history_add(&history, 100000, 0.3, 30);
    EACH_SCENE(s, scale) {
        draw(&s, &history);
        const SDL_Rect change = find_box(&s, CHANGE), distance = find_box(&s, DISTANCE);
        assert_true(change.w == 5 * scale && change.h == 5 * scale);
        assert_true(distance.w == 5 * scale && distance.h == 5 * scale);
        assert_true(change.x == distance.x && change.x < s.plot.x + s.plot.w / 4);
        /* Two decades apart on an axis of three. */
        const int apart = change.y - distance.y;
        assert_true(apart > s.plot.h / 4 && apart < s.plot.h / 2 + 10 * scale);
    }
}

TEST(what_is_ahead_is_a_faint_curve_to_the_end)
{
    rec_history history = {0};
    rec_history_add(&history, 1, NAN, 100);
    rec_series_add(&history.ahead, 1, 100);
    rec_series_add(&history.ahead, 100000, 99);
    EACH_SCENE(s, scale)
    {
        draw(&s, &history);
        const SDL_Rect dot = find_box(&s, DISTANCE);
        const Uint32 color = at(&s.on, dot.x + 2 * dot.w, dot.y + dot.h / 2);
        assert_true(dot.w == 5 * scale && color != DISTANCE && (color & 255) > (color >> 16 & 255));
        assert_true(find_box(&s, color).w > s.plot.w / 2);
    }
}

TEST(a_power_law_is_a_straight_crisp_line)
{
    rec_history sloped = {0}, level = {0};
    for (double n = 1; n <= 1e6; n *= 1.1) {
        const double rounded = floor(n);
        rec_history_add(&sloped, (uint64_t)rounded, 1e3 / rounded, NAN);
        rec_history_add(&level, (uint64_t)rounded, 20, NAN);
    }
    EACH_SCENE(s, scale) {
        draw(&s, &sloped);
        const SDL_Rect box = find_box(&s, CHANGE);
        const int end = box.w - 8 * scale; /* the dot has a shadow */
        const double slope = (double)(find_rows(&s, CHANGE, box.x + end).first - box.y) / end;
        for (int x = 0; x < end; x++) {
            const rows there = find_rows(&s, CHANGE, box.x + x);
            assert_true(there.last >= 0 && fabs(there.first - (box.y + slope * x)) <= 2);
            assert_true(there.last - there.first + 1 <= 2 * scale + 1);
        }
        draw(&s, &level);
        for (int x = 0; x < end; x++) {
            const rows there = find_rows(&s, CHANGE, box.x + x);
            assert_int_equal(there.last - there.first + 1, scale);
        }
    }
}

TEST(zeros_lie_on_a_line_of_their_own_below_all_others)
{
    rec_history history = {0};
    for (uint64_t n = 10; n <= 1000; n += 10)
        rec_history_add(&history, n, n < 100 ? 1e-6 : 0, 100);
    EACH_SCENE(s, scale) {
        draw(&s, &history);
        const SDL_Rect box = find_box(&s, CHANGE);
        const rows above = find_rows(&s, CHANGE, box.x);
        const rows zero = find_rows(&s, CHANGE, box.x + box.w - 10 * scale);
        assert_true(zero.first >= above.last + s.on.on.line); /* both are labelled */
        assert_int_equal(zero.last - zero.first + 1, scale);
        for (int x = box.x; x < box.x + box.w; x++) /* nothing joins them; the dot is lower */
            for (int y = above.last + 1; y < zero.first - 3 * scale; y++)
                assert_int_not_equal(at(&s.on, x, y), CHANGE);
        rec_history only = {0}; /* nothing but zeros */
        rec_history_add(&only, 5, 0, 0);
        rec_history_add(&only, 50, 0, 0);
        draw(&s, &only);
        assert_true(find_box(&s, DISTANCE).w > s.plot.w / 4);
    }
}

TEST(nothing_is_drawn_outside_any_place)
{
    scene s = make_scene(2);
    rec_history history = {0};
    for (uint64_t n = 1; n <= UINT64_C(1000000000000); n += 1 + n / 3)
        rec_history_add(&history, n, 1e3 / (double)n, 1e-200 * (double)n);
    for (int scale = 1; scale <= 3; scale++)
        for (int width = 240 * scale; width < 900; width += width / 3)
            for (int height = 132 * scale; height < 600; height += height / 3) {
                s.plot = (SDL_Rect){20 + width / 3, 30 + height / 5, width, height};
                rec_canvas_set_scale(&s.on.on, scale);
                draw(&s, &history);
                assert_false(SDL_RenderIsClipEnabled(s.on.renderer));
            }
    destroy_canvas(&s.on);
}
#endif
