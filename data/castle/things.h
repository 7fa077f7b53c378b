/* Everything that stands singly: grass, flowers, trees, the fence, birds. They are put into one
 * list in the order of painting, and then painted wherever a row meets them. */
#pragma once

#include "land.h"

enum look {
    DAISY, POPPY, CORNFLOWER, BUTTERCUP, COSMOS, FLOWERS, /* the flowers first */
    GRASS = FLOWERS, BARK, LEAF, BUSH, WOOD, BIRD, FAR_FIR, NEAR_FIR
};

static const struct {
    rgb dark, light; /* of a flower: its middle, its petals */
    double size;     /* of a flower, and its petals */
    unsigned petals;
} looks[] = {
    [DAISY] = {{1.0, .70, .12}, {1.0, .98, .94}, 1.00, 11},
    [POPPY] = {{.10, .03, .06}, {.92, .16, .10}, 1.15, 4},
    [CORNFLOWER] = {{.98, .86, .36}, {.42, .40, .92}, 0.80, 7},
    [BUTTERCUP] = {{.80, .48, .08}, {1.0, .82, .18}, 0.70, 5},
    [COSMOS] = {{.60, .16, .30}, {.96, .62, .74}, 0.95, 8},
    [GRASS] = {{.04, .09, .04}, {.70, .74, .30}, 0, 0},
    [BARK] = {{.05, .04, .06}, {.52, .36, .26}, 0, 0},
    [LEAF] = {{.07, .10, .06}, {.74, .64, .22}, 0, 0},
    [BUSH] = {{.04, .07, .07}, {.50, .54, .26}, 0, 0},
    [WOOD] = {{.12, .09, .09}, {.86, .70, .54}, 0, 0},
    [BIRD] = {{.06, .06, .10}, {.06, .06, .10}, 0, 0},
    [FAR_FIR] = {{.12, .17, .20}, {.46, .44, .36}, 0, 0},
    [NEAR_FIR] = {{.04, .08, .09}, {.40, .40, .22}, 0, 0},
};

struct thing;
typedef void painter(const struct thing *t, double y);

static struct things {
    struct thing {
        painter *paints;
        enum look look;
        double x, y, x1, y1;           /* from, to */
        double r, r1;                  /* half widths there; of round things radius and squash */
        double left, right, high, low; /* bounds */
        uint32_t seed;
    } *list;
    size_t count, room;
} things;

static void put(painter *paints, enum look look, double x, double y, double x1, double y1,
                double r, double r1, double reach, uint32_t seed)
{
    const struct thing t = {paints, look, x, y, x1, y1, r, r1, fmin(x, x1) - reach,
                            fmax(x, x1) + reach, fmin(y, y1) - reach - view.px,
                            fmax(y, y1) + reach + view.px, seed};
    if (t.right < view.left || t.left > view.right || t.low < view.top || t.high > view.bottom)
        return;
    if (things.count == things.room) {
        things.room = 2 * things.room + 4096;
        things.list = realloc(things.list, things.room * sizeof t);
        if (!things.list)
            fail(71, "out of memory");
    }
    things.list[things.count++] = t;
}

/* A blade of grass, or with r1 a stalk as thick above as below. */
static void paint_blade(const struct thing *b, double y)
{
    const double t = (b->y - y) / (b->y - b->y1), x = lerp(b->x, b->x1, t * t);
    const double r = b->r1 > 0 ? b->r : b->r * (1 - t * t);
    const rgb tip = scale(looks[b->look].light, 0.3 + 0.8 * square(hash(b->seed, 0, 610)));
    if (t > 0 && t < 1)
        for SPAN(i, x - r, x + r)
            paint(i, mix(looks[b->look].dark, tip, t), line(x_of(i) - x, r));
}

static void paint_stroke(const struct thing *b, double y)
{
    const double dx = b->x1 - b->x, dy = b->y1 - b->y, length = sqrt(dx * dx + dy * dy);
    for SPAN(i, b->left, b->right) {
        const double ax = x_of(i) - b->x, ay = y - b->y;
        const double t = clamp((ax * dx + ay * dy) / (length * length)), r = lerp(b->r, b->r1, t);
        const double side = (ax * dy - ay * dx) / (length * r) * (dy < 0 ? 1 : -1);
        const double bark = noise(side * 4 + 50, t * length * 60, b->seed) - 0.5;
        const double light = clamp(0.35 + 0.75 * side + 0.4 * bark);
        paint(i, mix(looks[b->look].dark, looks[b->look].light, light),
              line(sqrt(square(ax - t * dx) + square(ay - t * dy)), r));
    }
}

static void paint_flower(const struct thing *f, double y)
{
    const double size = f->r * f->r1, dy = (y - f->y) / size;
    for SPAN(i, f->left, f->right) {
        const double dx = (x_of(i) - f->x) / f->r, d = sqrt(dx * dx + dy * dy) + 1e-9;
        double c = 1, s = 0; /* cosine and sine of the angle times the number of petals */
        for (unsigned k = 0; k < looks[f->look].petals; k++) {
            const double turned = (c * dx - s * dy) / d;
            s = (c * dy + s * dx) / d;
            c = turned;
        }
        const double gap = 0.5 - 0.5 * c, rim = 1 - 0.42 * gap * gap;
        const double tone = (0.72 + 0.28 * step(0.2, 0.9, d)) * (1 - 0.35 * gap) * (1 - 0.16 * dx);
        paint(i, scale(looks[f->look].light, tone), inside((d - rim) * size));
        paint(i, scale(looks[f->look].dark, 1 - 0.35 * (dx + dy)), inside((d - 0.30) * size));
    }
}

static void paint_foliage(const struct thing *f, double y)
{
    const double dy = (y - f->y) / (f->r * f->r1);
    for SPAN(i, f->left, f->right) {
        const double dx = (x_of(i) - f->x) / f->r;
        const double leaf = clouds(dx * 5 + 40, dy * f->r1 * 5 + 40, 4, f->seed) - 0.5;
        const double light = 0.46 - 0.50 * dx - 0.42 * dy + 1.5 * leaf;
        paint(i, mix(looks[f->look].dark, looks[f->look].light, clamp(light)),
              inside((sqrt(dx * dx + dy * dy) - 0.9 - 0.9 * leaf) * f->r));
    }
}

static void paint_fir(const struct thing *f, double y)
{
    const double high = f->y1 - f->y, down = clamp((y - f->y) / high);
    for SPAN(i, f->left, f->right) {
        const double x = x_of(i) - f->x, tier = fraction((down + 0.10 * fabs(x) / high) * 6.5);
        const double w = 0.29 * high * down * (0.62 + 0.42 * tier);
        const double needles = noise(x / high * 26 + 99, down * 40, f->seed) - 0.5;
        const double light = 0.30 - 0.55 * x / (w + 1e-9) + 0.35 * needles -
                             0.30 * step(0.6, 0.1, tier);
        paint(i, mix(looks[f->look].dark, looks[f->look].light, clamp(light)),
              inside(fabs(x) - w * (1 + 0.7 * needles)) * inside(y - f->y1) * inside(f->y - y));
    }
}

static void put_branch(double x, double y, double dx, double dy, double r, int depth, uint32_t seed)
{
    const double bend = 0.10 * (hash(seed, 1, 500) - 0.5), mx = x + 0.5 * dx, my = y + 0.5 * dy;
    const double ex = x + dx - bend * dy, ey = y + dy + bend * dx;
    put(paint_stroke, BARK, x, y, mx, my, r, 0.86 * r, r, seed);
    put(paint_stroke, BARK, mx, my, ex, ey, 0.86 * r, 0.72 * r, r, seed);
    for (int k = 0; depth > 0 && k < 2 + (hash(seed, 2, 500) > 0.7); k++) {
        const uint32_t next = seed * 3 + (uint32_t)k + 1;
        /* A turn by the angle whose half has the tangent t, in rationals. */
        const double t = (k == 0 ? -1 : k == 1 ? 1 : 0.1) * (0.12 + 0.22 * hash(next, 3, 500));
        const double shrink = (0.66 + 0.16 * hash(next, 4, 500)) / (1 + t * t);
        const double c = shrink * (1 - t * t), s = shrink * 2 * t;
        const double nx = c * dx - s * dy, ny = c * dy + s * dx;
        put_branch(ex, ey, nx, ny - 0.16 * fabs(nx), /* upwards, to the light */
                   r * (0.60 + 0.14 * hash(next, 5, 500)), depth - 1, next);
    }
    for (int k = depth; k < 2; k++) {
        const double size = 0.006 + 0.007 * hash(seed, 10 + k, 500);
        put(paint_foliage, LEAF, ex + 0.03 * (hash(seed, 6 + k, 500) - 0.5),
            ey + 0.03 * (hash(seed, 8 + k, 500) - 0.5), ex, ey, size, 0.8, 1.3 * size, seed);
    }
}

static void put_birds(void)
{
    static const struct {
        double x, y, size;
    } birds[] = {{.330, .130, .020}, {.385, .105, .015}, {.290, .185, .014}, {.415, .155, .012},
                 {.250, .120, .011}, {.900, .200, .013}, {.935, .175, .010}};
    for (size_t k = 0; k < sizeof birds / sizeof *birds; k++)
        for (int part = 0; part < 16; part++) {
            const double a = part / 2 / 8.0, b = a + 0.125, x = birds[k].x, y = birds[k].y;
            const double s = birds[k].size, wing = part % 2 ? s : -s;
            put(paint_stroke, BIRD, x + wing * a, y - s * a * (1.5 - 1.25 * a), x + wing * b,
                y - s * b * (1.5 - 1.25 * b), s * 0.09 * (1.05 - a), s * 0.09 * (1.05 - b),
                s * 0.1, 0);
        }
}

static void put_firs(enum look look, double apart, double tall, uint32_t seed)
{
    const int behind = look == FAR_FIR;
    for (int64_t k = (int64_t)(view.left / apart) - 3; (double)k * apart < view.right + 0.1; k++) {
        const double x = ((double)k + hash(k, 1, seed)) * apart;
        const double foot = ground_top(x) + (behind ? 0.02 : 0.006 + 0.045 * hash(k, 2, seed));
        const double high = tall * (0.55 + 0.75 * hash(k, 3, seed));
        if (hash(k, 4, seed) < clouds(x * 4, 2, 2, seed) + (behind ? 0.35 : -0.1) &&
            (behind || fabs(x - 0.585) > 0.29))
            put(paint_fir, look, x, foot - high, x, foot, 0, 0, 0.40 * high, seed + (uint32_t)k);
    }
}

static void put_fence(void)
{
    double x = 0.347, y = 0.795, h = 0.05;
    for (int64_t k = 0; x > view.left; k++) {
        const double x1 = x - 0.052, y1 = 0.795 + 0.012 * wave(0.13 * (double)k);
        const double h1 = 0.047 + 0.006 * hash(k, 0, 700);
        for (int rail = 0; k && rail < 2; rail++)
            put(paint_stroke, WOOD, x, y - h * (0.82 - 0.42 * rail), x1,
                y1 - h1 * (0.80 - 0.40 * rail), 0.0024, 0.0024, 0.003, (uint32_t)k);
        put(paint_stroke, WOOD, x1, y1, x1 + 0.004 * (hash(k, 1, 700) - 0.5), y1 - h1, 0.0044,
            0.0040, 0.005, (uint32_t)k);
        x = x1, y = y1, h = h1;
    }
}

/* Bushes along the foot of the walls, but not before the gate. */
static void put_bushes(void)
{
    for (int k = 0; k < 60; k++) {
        const double x = 0.312 + 0.0095 * (k + hash(k, 1, 720)), y = ground_top(x) + 0.004;
        const double r = 0.006 + 0.009 * hash(k, 2, 720);
        if (fabs(x - 0.592) > 0.045 && hash(k, 3, 720) < 0.75)
            put(paint_foliage, BUSH, x, y, x, y, r, 0.85, 1.3 * r, 730u + (uint32_t)k);
    }
}

/* Grass and flowers, row by row towards us and ever larger; fence and tree stand among them. */
static void put_meadow(void)
{
    double last = 0, s;
    for (double foot = 0.625; foot < view.bottom + 0.12; last = foot, foot += 0.167 * s) {
        s = 0.36 * fmax(foot - 0.66, 0.06);
        const int64_t row = (int64_t)(foot * 1e4);
        const double blade = 0.055 * s, head = 0.42 * s, end = view.right + s;
        if (last < 0.80 && foot >= 0.80)
            put_fence();
        if (last < 0.90 && foot >= 0.90)
            put_branch(0.063, 0.90, 0.000, -0.083, 0.0110, 8, 12);
        for (int64_t k = (int64_t)(view.left / blade) - 20; (double)k * blade < end; k++) {
            const double x = ((double)k + hash(k, row, 600)) * blade;
            const double y = foot + 0.2 * s * hash(k, row, 601);
            const double bare = path_half(y) * (0.92 + 0.3 * hash(k, row, 602));
            if (fabs(x - path_middle(y)) < bare || y < ground_top(x) + 0.004)
                continue;
            const double h = s * (0.22 + 0.36 * hash(k, row, 603));
            put(paint_blade, GRASS, x, y, x + h * 0.9 * (hash(k, row, 605) - 0.4), y - h, 0.013 * s,
                0, 0.02 * s, (uint32_t)(row + 977 * k));
        }
        if (foot < 0.718)
            continue; /* grass alone on the hill */
        for (int64_t k = (int64_t)(view.left / head) - 3; (double)k * head < end; k++) {
            const double x = ((double)k + hash(k, row, 610)) * head;
            const double y = foot + 0.25 * s * hash(k, row, 611);
            if (fabs(x - path_middle(y)) < path_half(y) * 1.15 ||
                hash(k, row, 612) > 1.5 * clouds(x * 4, foot * 9, 2, 613) - 0.16)
                continue;
            const double drift = noise(x * 3, foot * 7, 614) + 0.32 * hash(k, row, 615) - 0.66;
            const enum look look = (enum look)(FLOWERS * clamp(0.5 + 2.2 * drift) * 0.9999);
            const double r = 0.135 * s * looks[look].size, squash = 0.62 + 0.3 * hash(k, row, 618);
            const double high = s * (0.40 + 0.32 * hash(k, row, 616)), top = y - high;
            const double lean = x + 0.35 * high * (hash(k, row, 617) - 0.4);
            put(paint_blade, GRASS, x, y, lean, top, 0.011 * s, 1, 0.02 * s, (uint32_t)k);
            put(paint_flower, look, lean, top, lean, top, r, squash, r, 0);
        }
    }
}

static void paint_things(double y, size_t from, size_t to)
{
    for (const struct thing *t = things.list + from; t < things.list + to; t++)
        if (y >= t->high && y <= t->low)
            t->paints(t, y);
}
