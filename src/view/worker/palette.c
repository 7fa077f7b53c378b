/* The scenes, and the colours of their layers. */
#include "view/worker/scene.h"

#include <math.h>

/* CIE L*a*b* for daylight (D65): equal distances look about equally different. */
typedef struct lab {
    double l, a, b;
} lab;

/* Knots at equal steps of a scale; a smooth curve goes through them. */
static const lab heat[] = {
    {2.0, 2.1, -5.6},   {9.9, 15.7, -26.4}, {22.6, 34.7, -36.5}, {35.0, 51.1, -21.6},
    {43.3, 60.0, 1.5},  {50.9, 62.1, 26.1}, {58.6, 52.4, 48.7},  {67.4, 33.6, 64.1},
    {78.6, 11.0, 70.3}, {89.4, -2.8, 54.4}, {96.0, -6.2, 29.3},
};
static const lab below[] = {
    {14, 0, 0}, {30, 8.2, -33.0}, {46, 7.0, -49.5}, {62, 0.0, -52.0}, {78, -8.7, -32.0},
};
static const lab above[] = {
    {14, 0, 0}, {30, 31.2, 28.1}, {46, 41.1, 49.0}, {62, 37.0, 64.1}, {78, 17.9, 55.2},
};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- colours ---- */

/* Catmull and Rom's cubic from b (t = 0) to c (t = 1). */
static double cubic(double a, double b, double c, double d, double t)
{
    return b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

/* The colour at `along`, 0 to 1, of a scale of knots, which goes on straight beyond its ends. */
static lab between(const lab *knots, int count, double along)
{
    const double place = along * (count - 1);
    const int i = place < count - 2 ? (int)place : count - 2;
    const double t = place - i;
    const lab b = knots[i], c = knots[i + 1];
    const lab a = i ? knots[i - 1] : (lab){2 * b.l - c.l, 2 * b.a - c.a, 2 * b.b - c.b};
    const lab d = i + 2 < count ? knots[i + 2] : (lab){2 * c.l - b.l, 2 * c.a - b.a, 2 * c.b - b.b};
    return (lab){cubic(a.l, b.l, c.l, d.l, t), cubic(a.a, b.a, c.a, d.a, t),
                 cubic(a.b, b.b, c.b, d.b, t)};
}

static double uncompress(double f) /* the inverse of CIE's cube root */
{
    const double delta = 6.0 / 29;
    return f > delta ? f * f * f : 3 * delta * delta * (f - 4.0 / 29);
}

static uint32_t to_srgb(double linear) /* a byte */
{
    const double inside = fmin(fmax(linear, 0), 1);
    const double value =
        inside <= 0.0031308 ? 12.92 * inside : 1.055 * pow(inside, 1 / 2.4) - 0.055;
    return (uint32_t)(255 * value + 0.5);
}

static uint32_t to_argb(lab color)
{
    const double f = (color.l + 16) / 116;
    const double x = 0.95047 * uncompress(f + color.a / 500), y = uncompress(f);
    const double z = 1.08883 * uncompress(f - color.b / 200);
    const uint32_t red = to_srgb(3.2404542 * x - 1.5371385 * y - 0.4985314 * z);
    const uint32_t green = to_srgb(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z);
    const uint32_t blue = to_srgb(0.0556434 * x - 0.2040259 * y + 1.0572252 * z);
    return 0xff000000 | red << 16 | green << 8 | blue;
}

void rec_palette_grey(uint32_t palette[REC_PALETTE_SIZE], double gamma)
{
    for (int i = 0; i < REC_PALETTE_SIZE; i++) {
        const uint32_t grey = (uint32_t)(255 * pow(i / 255.0, 1 / gamma) + 0.5);
        palette[i] = 0xff000000 | grey * 0x010101;
    }
}

void rec_palette_heat(uint32_t palette[REC_PALETTE_SIZE], double gamma)
{
    for (int i = 0; i < REC_PALETTE_SIZE; i++)
        palette[i] = to_argb(between(heat, COUNT(heat), pow(i / 255.0, 1 / gamma)));
}

void rec_palette_diverging(uint32_t palette[REC_PALETTE_SIZE], double gamma)
{
    for (int step = 0; step < REC_PALETTE_SIZE / 2; step++) {
        const double along = pow(step / 127.0, 1 / gamma);
        palette[128 - step] = to_argb(between(below, COUNT(below), along));
        palette[128 + step] = to_argb(between(above, COUNT(above), along));
    }
    palette[0] = palette[1];
}

/* ---- scenes ---- */

void rec_scene_palette(uint32_t palette[256], rec_layer layer, int grey, double gamma)
{
    if (grey && layer == REC_LAYER_CHANGE)
        rec_palette_heat(palette, gamma);
    else if (grey && layer == REC_LAYER_DIFFERENCE)
        rec_palette_diverging(palette, gamma);
    else
        rec_palette_grey(palette, gamma);
}

#define PICTURE REC_LAYER_BIT(REC_LAYER_PICTURE)
#define EDGES REC_LAYER_BIT(REC_LAYER_EDGES)
#define CHANGE REC_LAYER_BIT(REC_LAYER_CHANGE)
#define DIFFERENCE REC_LAYER_BIT(REC_LAYER_DIFFERENCE)

const rec_scene_row rec_scenes[REC_SCENES] = {
    [REC_SCENE_PICTURE] = {"picture", REC_LAYER_PICTURE, PICTURE},
    [REC_SCENE_EDGES] = {"edges", REC_LAYER_EDGES, EDGES},
    [REC_SCENE_SIDES] = {"picture | edges", REC_LAYER_PICTURE, PICTURE | EDGES},
    [REC_SCENE_CHANGE] = {"change of a batch", REC_LAYER_CHANGE, CHANGE},
    [REC_SCENE_DIFFERENCE] = {"minus the reference", REC_LAYER_DIFFERENCE, DIFFERENCE},
};
