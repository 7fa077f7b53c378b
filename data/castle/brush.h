/* How the sample picture is painted: numbers, noise, and samples with their coverage.
 *
 * Every compiler and machine must find the same bytes. So noise is an integer hash, all the rest is
 * + - * / and sqrt in double (no sin, exp or pow, whose last bits differ from library to library),
 * nothing is contracted (-ffp-contract=off), and rounding to 8 or 16 bit is the very last step. */
#pragma once

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(FLT_EVAL_METHOD == 0, "double must be evaluated as double");

typedef struct rgb {
    double r, g, b;
} rgb;

enum layer { FAR, MIDDLE, NEAR, GROUND, LAYERS };

static struct view {
    double left, right, top, bottom; /* what the picture shows, in scene units */
    double px;                       /* the side of a sample, in scene units */
    size_t columns;                  /* samples in a row */
    rgb *row;                        /* the row of samples in hand */
    double *tops[LAYERS];            /* upper edge of each layer, for every column */
} view;

static _Noreturn void fail(int code, const char *message)
{
    fprintf(stderr, "castle: %s\n", message);
    exit(code);
}

/* ---- numbers and noise ----------------------------------------------------------------------- */

static double clamp(double v) { return v < 0 ? 0 : v > 1 ? 1 : v; }
static double lerp(double a, double b, double t) { return a + (b - a) * t; }
static double whole(double v) { return (double)((int64_t)v - (v < (double)(int64_t)v)); }
static double fraction(double v) { return v - whole(v); }
static double square(double v) { return v * v; }
static double bow(double u) { return sqrt(fmax(0, 1 - u * u)); }
static rgb scale(rgb a, double s) { return (rgb){a.r * s, a.g * s, a.b * s}; }
static rgb add(rgb a, rgb b) { return (rgb){a.r + b.r, a.g + b.g, a.b + b.b}; }

static rgb mix(rgb a, rgb b, double t)
{
    return (rgb){lerp(a.r, b.r, t), lerp(a.g, b.g, t), lerp(a.b, b.b, t)};
}

/* 0 at a, 1 at b, smooth between and constant outside; falls where a > b. */
static double step(double a, double b, double v)
{
    const double t = clamp((v - a) / (b - a));
    return t * t * (3 - 2 * t);
}

/* Near enough a sine of period 1. */
static double wave(double v)
{
    const double t = 2 * fraction(v) - 1;
    return -4 * t * (1 - fabs(t));
}

/* In [0, 1), for a lattice point. */
static double hash(int64_t x, int64_t y, uint32_t seed)
{
    uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca77u ^ seed * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (h ^ h >> 15) * (1.0 / 4294967296.0);
}

static double noise(double x, double y, uint32_t seed)
{
    const int64_t i = (int64_t)whole(x), j = (int64_t)whole(y);
    const double u = x - (double)i, v = y - (double)j;
    const double s = u * u * u * (u * (u * 6 - 15) + 10);
    return lerp(lerp(hash(i, j, seed), hash(i + 1, j, seed), s),
                lerp(hash(i, j + 1, seed), hash(i + 1, j + 1, seed), s),
                v * v * v * (v * (v * 6 - 15) + 10));
}

/* Noise of several octaves, each turned against the last: clouds, or with creases mountains. */
static double octaves(double x, double y, int count, int creased, uint32_t seed)
{
    double sum = 0, weight = 0.5, all = 0;
    for (; count > 0; count--, weight *= 0.5) {
        const double n = noise(x, y, seed++), turned = 1.6 * x + 1.2 * y + 0.19;
        sum += weight * (creased ? 1 - fabs(2 * n - 1) : n);
        all += weight;
        y = 1.6 * y - 1.2 * x + 0.37;
        x = turned;
    }
    return sum / all;
}

static double clouds(double x, double y, int n, uint32_t seed) { return octaves(x, y, n, 0, seed); }
static double ridges(double x, double y, int n, uint32_t seed) { return octaves(x, y, n, 1, seed); }

/* ---- samples --------------------------------------------------------------------------------- */

static double x_of(size_t column) { return view.left + ((double)column + 0.5) * view.px; }

static size_t column_of(double x)
{
    const double at = (x - view.left) / view.px;
    return at <= 0 ? 0 : at >= (double)view.columns ? view.columns : (size_t)at;
}

/* for every sample of the row between x0 and x1 */
#define SPAN(i, x0, x1) \
    (size_t i = column_of((x0) - view.px), end = column_of((x1) + view.px); i < end; i++)

/* How much of a sample lies within an edge at signed distance d, negative inside; and within a line
 * of half width r whose middle is at distance d, be it ever so thin. */
static double inside(double d) { return clamp(0.5 - d / view.px); }
static double line(double d, double r) { return inside(fabs(d) - r) - inside(fabs(d) + r); }

static void paint(size_t i, rgb colour, double cover)
{
    view.row[i] = mix(view.row[i], colour, cover);
}

/* Whether a later layer covers this sample wholly. */
static int hidden(int layer, size_t i, double y)
{
    while (++layer < LAYERS)
        if (y > view.tops[layer][i] + view.px)
            return 1;
    return 0;
}
