/* The palettes of the window: what is 0, what is most, and that lightness goes the right way, which
 * is worked out here on its own; and their legend. Skipped in a build without SDL. */
#include "tests/unit/cm.h"

#if REC_HAVE_SDL
#include "tests/unit/canvas.h"
#include "view/draw/draw.h"

static const double gammas[] = {0.4, 1, 1.8, 2.2, 4};
#define GAMMAS (sizeof gammas / sizeof *gammas)

static int part(Uint32 color, int shift) { return (int)(color >> shift & 255); }

static double linear(int byte)
{
    const double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double root(double t) { return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116; }

/* CIE L*a*b* of an sRGB colour, white being daylight. */
static void to_lab(Uint32 color, double lab[3])
{
    const double r = linear(part(color, 16)), g = linear(part(color, 8));
    const double b = linear(part(color, 0));
    const double x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    const double y = root(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const double z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.0890);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double lightness(Uint32 color)
{
    double lab[3];
    to_lab(color, lab);
    return lab[0];
}

static void assert_opaque(const Uint32 *palette)
{
    for (int i = 0; i < REC_PALETTE_SIZE; i++)
        assert_int_equal(part(palette[i], 24), 255);
}

/* From..to, either way: never less light than before but for the rounding to bytes, and over
 * eight steps surely more. */
static void assert_lighter(const Uint32 *palette, int from, int to, int step)
{
    for (int i = from; i != to; i += step)
        assert_true(lightness(palette[i + step]) > lightness(palette[i]) - 0.2);
    for (int i = from; (to - i) * step >= 8; i += step)
        assert_true(lightness(palette[i + 8 * step]) > lightness(palette[i]) + 0.5);
}

TEST(grey_is_the_byte_bent_by_gamma)
{
    Uint32 palette[REC_PALETTE_SIZE];
    rec_scene_palette(palette, REC_LAYER_PICTURE, 1, 1);
    for (Uint32 i = 0; i < REC_PALETTE_SIZE; i++)
        assert_int_equal(palette[i], 0xff000000 | i << 16 | i << 8 | i);
    for (size_t g = 0; g < GAMMAS; g++) {
        rec_scene_palette(palette, REC_LAYER_PICTURE, 1, gammas[g]);
        assert_opaque(palette);
        assert_true(palette[0] == 0xff000000 && palette[255] == 0xffffffff);
        for (int i = 0; i < REC_PALETTE_SIZE; i++) {
            const int grey = part(palette[i], 0);
            assert_true(part(palette[i], 8) == grey && part(palette[i], 16) == grey);
            assert_true(fabs(grey - 255 * pow(i / 255.0, 1 / gammas[g])) <= 0.5 + 1e-9);
            assert_true(!i || grey >= part(palette[i - 1], 0));
        }
    }
}

TEST(heat_goes_evenly_from_black_to_pale_yellow)
{
    Uint32 palette[REC_PALETTE_SIZE];
    double shortest = INFINITY, longest = 0, a[3], b[3];
    rec_scene_palette(palette, REC_LAYER_CHANGE, 1, 1);
    assert_opaque(palette);
    assert_lighter(palette, 0, 255, 1);
    assert_true(lightness(palette[0]) < 5 && lightness(palette[255]) > 90);
    assert_true(part(palette[255], 16) > part(palette[255], 0)); /* not blue */
    for (int i = 0; i + 15 < REC_PALETTE_SIZE; i += 15) {
        to_lab(palette[i], a);
        to_lab(palette[i + 15], b);
        const double step = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                 (a[2] - b[2]) * (a[2] - b[2]));
        shortest = fmin(shortest, step);
        longest = fmax(longest, step);
    }
    assert_true(longest < 1.25 * shortest);
    const Uint32 straight[] = {palette[0], palette[127], palette[255]};
    rec_scene_palette(palette, REC_LAYER_CHANGE, 1, 2);
    assert_true(palette[0] == straight[0] && palette[255] == straight[2]);
    assert_true(fabs(lightness(palette[64]) - lightness(straight[1])) < 1);
}

TEST(diverging_is_symmetric_about_a_dark_grey)
{
    Uint32 palette[REC_PALETTE_SIZE], ends[2] = {0, 0};
    for (size_t g = 0; g < GAMMAS; g++) {
        rec_scene_palette(palette, REC_LAYER_DIFFERENCE, 1, gammas[g]);
        assert_opaque(palette);
        const int grey = part(palette[128], 8);
        assert_true(abs(part(palette[128], 16) - grey) <= 1);
        assert_true(abs(part(palette[128], 0) - grey) <= 1);
        assert_true(lightness(palette[128]) > 5 && lightness(palette[128]) < 25);
        for (int step = 1; step <= 127; step++)
            assert_true(fabs(lightness(palette[128 + step]) -
                             lightness(palette[128 - step])) < 0.6);
        assert_true(palette[0] == palette[1]);
        if (!g) {
            ends[0] = palette[0];
            ends[1] = palette[255];
        }
        assert_true(palette[0] == ends[0] && palette[255] == ends[1]);
    }
    rec_scene_palette(palette, REC_LAYER_DIFFERENCE, 1, 1);
    assert_lighter(palette, 128, 255, 1);
    assert_lighter(palette, 128, 1, -1);
    for (int step = 8; step <= 127; step++) { /* blue below, orange above */
        const Uint32 low = palette[128 - step], high = palette[128 + step];
        assert_true(part(low, 0) > part(low, 8) && part(low, 8) > part(low, 16) - 8);
        assert_true(part(high, 16) > part(high, 8) && part(high, 8) > part(high, 0) - 8);
    }
}

/* ---- the legend of a palette ---- */

static SDL_Rect draw_legend(canvas *c, const Uint32 *palette, const char *const labels[3])
{
    wipe(c);
    const SDL_Rect place = rec_legend_draw(&c->on, palette, labels);
    SDL_RenderFlush(c->renderer);
    assert_only_in(c, place);
    return place;
}

TEST(the_legend_shows_every_colour_from_end_to_end)
{
    Uint32 palette[REC_PALETTE_SIZE];
    const char *const labels[] = {"-12", "", "12 grey levels"};
    rec_scene_palette(palette, REC_LAYER_CHANGE, 1, 1);
    for (int scale = 1; scale <= 2; scale++) {
        owned_canvas c = make_canvas(400, 120, scale);
        c.on.rows = 110 * scale;
        const SDL_Rect place = draw_legend(&c, palette, labels);
        assert_true(place.x == 10 * scale && place.y + place.h == 100 * scale);
        const int left = place.x + 9 * scale, right = place.x + place.w - 9 * scale - 1;
        for (int y = place.y + 9 * scale; y < place.y + 17 * scale; y++) {
            assert_int_equal(at(&c, left, y), palette[0]);
            assert_int_equal(at(&c, right, y), palette[255]);
            for (int x = left, index = 0; x <= right; x++) {
                while (index < 255 && at(&c, x, y) != palette[index])
                    index++;
                assert_int_equal(at(&c, x, y), palette[index]);
            }
        }
        c.on.width = 230;
        assert_int_equal(draw_legend(&c, palette, labels).w, 0);
    }
}
#endif
