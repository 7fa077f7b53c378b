/* The land: sky, mountains, and the ground with its path. */
#pragma once

#include "brush.h"

static const double sun_x = 0.205, sun_y = 0.400;

static rgb sky(double x, double y)
{
    rgb c = mix((rgb){.10, .17, .40}, (rgb){.36, .52, .78}, step(-0.35, 0.20, y));
    c = mix(c, (rgb){.78, .72, .76}, step(0.08, 0.44, y));
    c = mix(c, (rgb){1.0, .80, .58}, step(0.30, 0.60, y));
    const double dx = x - sun_x, dy = y - sun_y, d2 = dx * dx + dy * dy;
    c = mix(c, (rgb){1.0, .78, .42}, 0.62 / (1 + d2 / 0.030));
    /* Clouds, drawn out sideways; brighter where there is less of them towards the sun. */
    double u = x * 2.3 + 5.35, v = y * 5.6 - 0.25 * x;
    const double warp = clouds(u * 1.3, v * 1.1, 3, 90);
    u += 0.7 * warp, v += 0.5 * warp;
    const double here = clouds(u, v, 6, 70);
    const double there = clouds(u - 0.12 * clamp(4 * dx), v + 0.22, 4, 70);
    const rgb shade = mix((rgb){.30, .33, .50}, (rgb){.80, .56, .52}, step(0.05, 0.5, y));
    const rgb light = mix((rgb){.94, .90, .93}, (rgb){1.0, .86, .66}, step(0.1, 0.5, y));
    c = mix(c, mix(shade, light, clamp(0.5 + 3.2 * (here - there))),
            0.88 * step(0.42, 0.62, here) * step(0.60, 0.40, y));
    const double glare = 0.95 / (1 + square(d2 / 0.0042));
    return mix(c, (rgb){1.0, .98, .90}, fmax(glare, inside(sqrt(d2) - 0.036)));
}

static void paint_sky(double y)
{
    for (size_t i = 0; i < view.columns; i++)
        if (!hidden(FAR - 1, i, y))
            view.row[i] = sky(x_of(i), y);
}

static const struct range {
    double foot, height, pitch; /* of the crest, in scene units; peaks a unit */
    rgb shade, light;
} ranges[] = {
    [FAR] = {.600, .46, 1.9, {.50, .50, .68}, {1.0, .90, .84}},
    [MIDDLE] = {.640, .30, 2.9, {.33, .37, .54}, {.84, .73, .69}},
    [NEAR] = {.690, .16, 4.0, {.19, .26, .35}, {.54, .53, .46}},
};

static double crest(int k, double x)
{
    const struct range *m = &ranges[k];
    const double peaks = ridges(x * m->pitch + 5.3 * k, 0.5, 6, 200u + 10u * (uint32_t)k);
    return m->foot - m->height * (peaks - 0.25);
}

static void paint_range(int k, double y)
{
    const struct range *m = &ranges[k];
    for (size_t i = 0; i < view.columns; i++) {
        const double x = x_of(i), below = y - view.tops[k][i];
        if (below < -view.px || hidden(k, i, y))
            continue;
        const double u = x * m->pitch * 3.0 + 9, v = y * m->pitch * 1.9;
        const double slope = ridges(u - 0.05, v, 5, 300) - ridges(u + 0.05, v + 0.02, 5, 300);
        rgb c = mix(m->shade, m->light, clamp(0.34 + 3.2 * slope));
        c = mix(c, (rgb){.94, .77, .64}, 0.72 * step(0.02, 0.19, below));
        c = mix(c, (rgb){1.0, .84, .58},
                0.55 / (1 + (square(x - sun_x) + square(y - sun_y)) / 0.02));
        paint(i, c, inside(-below));
    }
}

static double ground_top(double x)
{
    const double meadow = 0.731 - 0.030 * noise(x * 1.7, 3.1, 400), off = x - 0.59;
    const double hill = step(0.56, 0.19, fabs(off) * (off > 0 ? 1.06 : 1));
    const double bumps = clouds(x * 9, 1.5, 4, 410) - 0.5;
    return lerp(meadow, 0.608 + 0.55 * square(off), hill) - 0.010 * bumps;
}

/* The path winds through these points from the gate down to us. */
static double path_middle(double y)
{
    static const double knots[] = {.590, .596, .640, .618, .490, .372, .395, .520,
                                   .600, .585, .500, .400, .300, .200, .100, 0};
    const double t = clamp((y - 0.58) / 0.50) * 12.999, f = fraction(t);
    const double *k = knots + (int)t, a = k[t < 1 ? 0 : -1], b = k[0], c = k[1], d = k[2];
    return b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
}

static double path_half(double y)
{
    return 0.012 + 0.016 * step(0.62, 0.74, y) + 0.26 * square(fmax(0, y - 0.66)) +
           0.10 * fmax(0, y - 0.72);
}

static void paint_ground(double y)
{
    const double near = clamp((y - 0.70) / 0.30), size = 0.018 + 0.10 * near;
    const double middle = path_middle(y), half = path_half(y);
    for (size_t i = 0; i < view.columns; i++) {
        const double x = x_of(i), below = y - view.tops[GROUND][i], off = fabs(x - 0.59);
        if (below < -view.px)
            continue;
        const double grain = clouds(x / (0.5 * size), y / (0.22 * size), 4, 420) - 0.5;
        const double hill = step(0.80, 0.66, y) * step(0.60, 0.35, off);
        double light = 0.22 + 0.55 * clouds(x * 3.1 + 7, y * 9, 3, 430) + grain;
        light += hill * (-1.1 * (x - 0.50) * step(0.66, 0.70, y) - 0.16);
        light -= 0.35 * step(0.035, 0, below) * step(0.28, 0.22, off); /* at the walls' foot */
        light += 0.20 * step(0.020, 0, below) * (1 - hill);
        const double sun = step(0.78, 0.68, y) * (1 - hill) * step(0.75, 0.1, fabs(x - sun_x));
        rgb c = mix(mix((rgb){.16, .22, .16}, (rgb){.05, .12, .06}, near),
                    mix((rgb){.70, .70, .34}, (rgb){.42, .50, .16}, near),
                    clamp(light * (1 - 0.35 * near)));
        c = mix(c, (rgb){.98, .82, .56}, 0.55 * sun);
        const double across = fabs(x - middle) / half;
        const double rag = 0.26 * (clouds(y / (0.3 * half), x < middle, 3, 440) - 0.5);
        const double edge = (across + rag - 1) * half, soft = 0.06 * half + view.px;
        const double pebbles = noise(x / (0.10 * half), y / (0.045 * half), 450);
        const double bare = 0.74 + 0.6 * grain - 0.16 * step(0.2, 0, fabs(across - 0.5)) -
                            0.25 * near - 0.25 * step(0.5, 1, across) +
                            0.20 * step(0.62, 0.76, pebbles) - 0.25 * step(0.64, 0.62, y);
        const rgb sand = mix((rgb){.24, .17, .14}, (rgb){1.0, .86, .62}, clamp(bare));
        c = scale(c, 1 - 0.45 * step(0.35 * half, 0, edge));
        paint(i, mix(c, sand, step(soft, -soft, edge)), inside(-below));
    }
}
