/* The castle: a table of its parts, painted in their order, and how each kind is painted. */
#pragma once

#include "brush.h"

enum part_kind { ROOFED, FLAGGED, CROWNED, WALL, WINDOW, SLIT, GATE };

static const struct part {
    enum part_kind kind;
    double x, half, top, bottom; /* middle, half width, and height of the straight part */
    double tip, haze;            /* of the roof; how much air is before it, 0 to 1 */
} parts[] = {
    {ROOFED, .668, .021, .280, .60, .165, .12}, {FLAGGED, .590, .043, .245, .60, .092, .06},
    {SLIT, .577, .0050, .305, .325, 0, 0},      {WINDOW, .599, .0070, .292, .312, 0, 0},
    {FLAGGED, .487, .028, .315, .60, .190, .08}, {WINDOW, .485, .0055, .352, .368, 0, 0},
    {ROOFED, .716, .034, .350, .60, .215, .06}, {WINDOW, .711, .0065, .395, .412, 0, 0},
    {WALL, .597, .098, .385, .60, 0, .04},      {WINDOW, .537, .0075, .420, .440, 0, 0},
    {WINDOW, .577, .0075, .420, .440, 0, 0},    {WINDOW, .617, .0075, .420, .440, 0, 0},
    {WINDOW, .657, .0075, .420, .440, 0, 0},    {WALL, .590, .235, .500, .68, 0, 0},
    {SLIT, .432, .0032, .540, .560, 0, 0},      {SLIT, .472, .0032, .540, .560, 0, 0},
    {SLIT, .712, .0032, .540, .560, 0, 0},      {SLIT, .752, .0032, .540, .560, 0, 0},
    {FLAGGED, .362, .042, .425, .70, .275, 0},  {WINDOW, .358, .0070, .480, .500, 0, 0},
    {SLIT, .372, .0035, .550, .570, 0, 0},      {FLAGGED, .815, .047, .405, .70, .240, 0},
    {WINDOW, .806, .0075, .465, .486, 0, 0},    {WINDOW, .824, .0065, .540, .558, 0, 0},
    {CROWNED, .538, .029, .475, .68, 0, 0},     {CROWNED, .642, .029, .475, .68, 0, 0},
    {WALL, .590, .040, .500, .68, 0, 0},        {SLIT, .536, .0035, .530, .550, 0, 0},
    {SLIT, .638, .0035, .530, .550, 0, 0},      {GATE, .590, .0235, .572, .640, 0, 0},
};
static const struct part *const parts_end = parts + sizeof parts / sizeof *parts;

/* Air between us and what is far away. */
static rgb veil(rgb c, double haze) { return mix(c, (rgb){.92, .76, .64}, haze); }

/* Masonry, s along the wall: courses of stones, each of its own grey, with joints between. */
static rgb stone(double s, double y, double light, double haze)
{
    const double high = 0.0092, wide = 0.0200, course = whole(y / high);
    const double fy = y / high - course, along = s / wide + hash((int64_t)course, 7, 1);
    const double joint = fmax(line((0.5 - fabs(fy - 0.5)) * high, 0.0005),
                              line((0.5 - fabs(fraction(along) - 0.5)) * wide, 0.0005));
    const double tone = 0.84 + 0.26 * hash((int64_t)whole(along), (int64_t)course, 2) +
                        0.14 * (0.5 - fy) + 0.10 * (noise(s * 420, y * 420, 3) - 0.5) +
                        0.22 * (clouds(s * 22, y * 22, 3, 4) - 0.5);
    const rgb c = mix((rgb){.13, .13, .24}, (rgb){1.08, .95, .75}, clamp(light));
    return veil(scale(c, tone * (1 - 0.42 * joint)), haze);
}

/* Light on a round thing at u = -1 (left) to 1: the sun from the left, some sky from the right. */
static double sunlit(double u)
{
    return 0.56 * bow(u) - 0.84 * u + 0.08 + (u > 0 ? 0.34 * u * u * u * u : 0);
}

/* The way around to u, in radii: near enough an arcsine. */
static double around(double u) { return u * (1 + 0.22 * u * u + 0.30 * square(u * u * u)); }

/* A wall's upper edge with merlons every `pitch` along s. */
static double battlement(double s, double y, double top, double pitch)
{
    const double merlon = inside((fabs(fraction(s / pitch) - 0.5) - 0.29) * pitch);
    return fmax(inside(top - y), merlon * inside(top - 0.62 * pitch - y));
}

static void paint_flag(const struct part *p, double y)
{
    const double top = p->tip - 0.052;
    if (y > top - 0.01 && y < p->tip + 0.012)
        for SPAN(i, p->x - 0.002, p->x + 0.052) {
            const double x = x_of(i) - p->x, t = clamp(x / 0.052), phase = 1.35 * t + 5 * p->x;
            const double off = y - top - 0.012 - 0.004 * t - 0.0042 * t * wave(phase);
            const double fold = 0.5 + 0.5 * wave(phase + 0.25);
            paint(i, (rgb){.10, .09, .12}, line(x, 0.0011) * inside(top - 0.004 - y));
            paint(i, mix((rgb){.50, .05, .08}, (rgb){.95, .26, .16}, fold),
                  inside(fabs(off) - 0.0125 * (1 - t)) * inside(-x));
        }
}

static void paint_roof(const struct part *p, size_t i, double x, double y, double bend)
{
    const double down = (y - p->tip) / (p->top - p->tip);
    const double w = 1.36 * p->half * down * (0.70 + 0.30 * down), u = x / fmax(w, 1e-6);
    if (fabs(u) > 1 && fabs(x) > w + view.px)
        return;
    const double at = y + 1.1 * bend * down * bow(u), course = at / 0.0072;
    const double along = 11 * around(u) + 0.5 * whole(course);
    const double own = hash((int64_t)whole(along), (int64_t)whole(course), 5);
    const double gap = step(0.38, 0.50, fabs(fraction(along) - 0.5));
    const double tone = (0.72 + 0.36 * own) * (1 - 0.3 * gap) *
                        (1 - 0.45 * step(0.55, 1.0, fraction(course)));
    const rgb c = mix((rgb){.15, .09, .17}, (rgb){.86, .33, .25}, clamp(sunlit(u)));
    paint(i, veil(scale(c, tone), p->haze),
          inside(fabs(x) - w) * inside(at - p->top - 0.12 * p->half));
}

static void paint_tower(const struct part *p, double y)
{
    const double r = p->half, collar = 1.14 * r, pitch = 0.46 * r, belt = p->top + 0.50 * r;
    const double bend = 0.42 * (0.84 - y) * r;
    const int roofed = p->kind != CROWNED;
    if (p->kind == FLAGGED)
        paint_flag(p, y);
    if (y > p->bottom || y < (roofed ? p->tip : p->top - r))
        return;
    for SPAN(i, p->x - 1.36 * r, p->x + 1.36 * r) {
        /* Circles above the eye show as arches: `at` is where this one meets the tower's side. */
        const double x = x_of(i) - p->x, u = x / r, v = x / collar;
        double at = y + bend * bow(u), s = r * around(u);
        double light = sunlit(u) * (1 - 0.62 * step(belt + 0.85 * r, belt + 0.05 * r, at));
        light *= 0.72 + 0.28 * step(0.64, 0.48, y);
        paint(i, stone(s + p->x, at, light, p->haze), inside(fabs(x) - r) * inside(belt - at));
        at = y + bend * bow(v), s = collar * around(v);
        const double corbel = bow(2.4 * (fraction(1.5 * s / pitch) - 0.5));
        const double foot = belt + r * (0.06 + 0.20 * (1 - corbel) * bow(v));
        const double ring = inside(fabs(x) - collar) * inside(at - foot);
        light = sunlit(v) * (roofed ? 1 - 0.7 * step(p->top + 0.55 * r, p->top, at) : 1);
        light += 0.16 * line(at - belt, 0.0016) - 0.15 * line(at - belt - 0.003, 0.0012);
        paint(i, stone(s + p->x + 0.3, at, light, p->haze),
              ring * (roofed ? inside(p->top - at) : battlement(s, at, p->top, pitch)));
        if (roofed)
            paint_roof(p, i, x, y, bend);
    }
}

static void paint_wall(const struct part *p, double y)
{
    const double pitch = 0.0205, under = y - p->top;
    if (under < -pitch || y > p->bottom)
        return;
    for SPAN(i, p->x - p->half, p->x + p->half) {
        const double x = x_of(i);
        double light = 0.50 - 0.36 * (x - p->x);
        /* The towers before it throw their shadows on it, to their right. */
        for (const struct part *t = p + 1; t < parts_end; t++)
            if (t->kind <= CROWNED && t->haze <= p->haze && x > t->x && y > t->top)
                light *= 1 - 0.55 * step(1.0, 0.3, (x - t->x - t->half) / (0.9 * t->half));
        light *= 1 - 0.40 * step(0.030, 0.012, under) * step(0.0085, 0.0115, under);
        light = (light + 0.22 * line(under - 0.008, 0.0024)) * (0.66 + 0.34 * step(0.64, 0.52, y));
        paint(i, stone(x, y, light, p->haze),
              inside(fabs(x - p->x) - p->half) * battlement(x - p->x, y, p->top, pitch));
    }
}

/* Windows and the gate: a round arch on straight sides, framed with stones, and what is behind. */
static void paint_opening(const struct part *p, double y)
{
    const double w = p->half, reach = p->kind == SLIT ? w : 5 * w, up = y - p->top;
    if (up < -reach || y > p->bottom + reach)
        return;
    for SPAN(i, p->x - reach, p->x + reach) {
        const double x = x_of(i) - p->x, side = fabs(x), away = (x * x + up * up) / (w * w);
        const double d = up < 0 ? sqrt(away) * w - w : fmax(side - w, y - p->bottom);
        rgb c = {.03, .03, .05};
        if (p->kind != SLIT) {
            const double turn = up < 0 ? 4.5 * side / (side - up) : 4.5 + up / (0.4 * w);
            const double block = 0.75 + 0.5 * hash((int64_t)(turn + 0.5), x < 0, 11);
            const double glow = clamp(1.2 / (1 + square(fmax(d, 0) / w)) - 0.08);
            view.row[i] = add(view.row[i], scale((rgb){.30, .17, .05}, glow));
            paint(i, scale((rgb){.66, .55, .47}, block), 0.9 * inside(d - 0.36 * w));
            paint(i, (rgb){.10, .07, .09}, inside(d - 0.10 * w));
        }
        if (p->kind == WINDOW) {
            const double pane = 0.9 * w, cross = (fraction(up / pane) - 0.5) * pane;
            c = mix((rgb){1.0, .95, .66}, (rgb){1.0, .66, .22}, clamp(0.1 + 0.35 * away));
            c = mix(c, (rgb){.16, .08, .06}, fmax(line(x, 0.09 * w), line(cross, 0.07 * w)));
        } else if (p->kind == GATE) {
            const double mesh = 0.34 * w, down = up / w;
            const double bars = fmax(line((fraction(x / mesh + 0.5) - 0.5) * mesh, 0.0011),
                                     line((fraction(up / mesh) - 0.5) * mesh, 0.0009));
            const double lamp = step(2.4, -0.3, down) * step(1.3, 0.2, side / w);
            c = mix(c, (rgb){.95, .58, .24}, 0.75 * lamp * step(-1.4, 0.6, down));
            c = mix(c, (rgb){.05, .04, .05}, bars * inside(up - 0.55 * w));
        }
        paint(i, c, inside(d));
    }
}

static void paint_castle(double y)
{
    for (const struct part *p = parts; p < parts_end; p++)
        if (p->kind <= CROWNED)
            paint_tower(p, y);
        else if (p->kind == WALL)
            paint_wall(p, y);
        else
            paint_opening(p, y);
}
