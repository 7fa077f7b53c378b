/* Tone mapping of one sample to 0..maxval, and of a snapshot's value to 0..255, for the C compiler
 * and for nvcc. Host and device give the same bytes: float32 throughout, each operation correctly
 * rounded, compiled without contraction (see the arithmetic contract in stencil.h). The range of an
 * image is found elsewhere, where the data is.
 *
 * A NaN maps to 0, so that no conversion is ever undefined; images have no NaN. */
#pragma once

#include "kernels/stencil.h"

typedef enum rec_tone {
    REC_TONE_CLAMP,   /* round half away from zero, clamp to 0..maxval */
    REC_TONE_STRETCH, /* min..max of all planes to 0..maxval; a flat image is 0 */
    REC_TONE_EPCC,    /* the exercise's square root of |v|, for maxval 255 alone */
    REC_TONES,        /* that map samples */
    REC_TONE_AUTO = REC_TONES, /* clamp while at most 1% of the samples are cut off, else stretch:
                         rec_tone_choose says which, before samples are mapped */
    REC_TONE_NAMES
} rec_tone;

/* Round half away from zero, clamp to 0..maxval (at most 65535). Not floor(value + 0.5): the sum
 * itself is rounded, and makes 1 of the largest float below a half. */
static inline REC_HD unsigned rec_tone_clamp(float value, unsigned maxval)
{
    const float top = (float)maxval, positive = value > 0.0f ? value : 0.0f;
    const float inside = positive < top ? positive : top;
    const int whole = (int)inside;
    return (unsigned)(whole + (inside - (float)whole >= 0.5f));
}

/* low..high linearly to 0..maxval; values outside are clamped; an empty range gives 0 at low. */
static inline REC_HD unsigned rec_tone_stretch(float value, float low, float high, unsigned maxval)
{
    const float share = (value - low) / (high - low);
    const float scaled = share * (float)maxval;
    return rec_tone_clamp(scaled, maxval);
}

/* The exercise's mapping to 0..255; low and high: of |v| over the image:
 *     t = high > 255 ? (int)(255 |v - low| / (high - low) + 0.5) : (int)(|v| + 0.5)
 *     grey = min(255, (int)(255 sqrt(t / 255)))
 * t is clamped to 255 first, which gives the same grey: then it always fits an int. */
static inline REC_HD unsigned rec_tone_epcc(float value, float low, float high)
{
    const float scaled = 255.0f * fabsf(value - low);
    const float share = scaled / (high - low);
    const unsigned t = rec_tone_clamp(high > 255.0f ? share : fabsf(value), 255);
    const float root = sqrtf((float)t / 255.0f);
    return (unsigned)(int)(255.0f * root);
}

static inline REC_HD unsigned rec_tone_sample(float value, int tone, float low, float high,
                                              unsigned maxval)
{
    return tone == REC_TONE_STRETCH ? rec_tone_stretch(value, low, high, maxval)
           : tone == REC_TONE_EPCC  ? rec_tone_epcc(value, low, high)
                                    : rec_tone_clamp(value, maxval);
}

/* ---- the layers of a snapshot ---- */

/* What a layer is made of beside M_N. Every solver shows the picture, and a reference that it was
 * given; not all keep edges, or a mark. */
typedef enum rec_source {
    REC_SOURCE_PICTURE, /* nothing */
    REC_SOURCE_EDGES,   /* f = -E / 4 instead of M_N: NaN for a known pixel */
    REC_SOURCE_MARK,    /* M at the last rec_solver_mark; without one M_N */
    REC_SOURCE_REFERENCE,
    REC_SOURCES
} rec_source;

/* How values v become bytes, with c the contrast and `most` the largest |v| of the whole image:
 * rounded half away from zero, and clamped to 0..255. Colours and legend follow from it. */
typedef enum rec_scale {
    REC_SCALE_TONE,        /* by the view's tone; then (v + shift - 127.5) c + 127.5 */
    REC_SCALE_SIGNED_TONE, /* by the tone: clamp 128 + c v, stretch 128 + 127 c v / most,
                              epcc as below */
    REC_SCALE_SIGNED,      /* 128 + 127 c sign(v) sqrt(|v| / most) */
    REC_SCALE_MAGNITUDE    /* v >= 0: 255 c sqrt(v / most) */
} rec_scale;

/* All of a layer: ROW(name, source, scale, the function of its value). */
#define REC_LAYER_ROWS(ROW) \
    ROW(PICTURE, PICTURE, TONE, rec_value_picture)           /* M_N */ \
    ROW(EDGES, EDGES, SIGNED_TONE, rec_value_edge)           /* E */ \
    ROW(CHANGE, MARK, MAGNITUDE, rec_value_change)           /* |M_N - mark| */ \
    ROW(DIFFERENCE, REFERENCE, SIGNED, rec_value_difference) /* M_N - reference */

#define REC_LAYER_NAME(name, source, scale, value) REC_LAYER_##name,
typedef enum rec_layer { REC_LAYER_ROWS(REC_LAYER_NAME) REC_LAYERS } rec_layer;

/* What a snapshot shows of a layer, and how. */
typedef struct rec_view {
    size_t x, y, width, height;   /* rectangle of the image, inside it, not empty */
    size_t out_width, out_height; /* pixels to make of it, at most width and height; each output
                                     pixel is the mean of the values in its box of the rectangle */
    rec_tone tone;                /* to 0..255, by the range of the whole image */
    rec_layer layer;
    float contrast;               /* finite, above 0; 0 counts as 1 */
    float shift;                  /* of REC_SCALE_TONE, finite: grey levels */
} rec_view;

/* How a layer becomes bytes. */
typedef struct rec_tone_map {
    rec_scale scale;
    rec_tone tone;
    float contrast;  /* 1: as it is */
    float shift;     /* of REC_SCALE_TONE: added to the grey levels before the contrast */
    float low, high; /* by rec_tone_set_range; 0 where rec_tone_needs_range says no */
} rec_tone_map;

/* 1 if the mapping needs the range of the whole image: of the magnitudes if rec_tone_of_magnitudes,
 * else of the values. */
static inline REC_HD int rec_tone_needs_range(rec_scale scale, rec_tone tone)
{
    return tone != REC_TONE_CLAMP || scale == REC_SCALE_SIGNED || scale == REC_SCALE_MAGNITUDE;
}

static inline REC_HD int rec_tone_of_magnitudes(rec_scale scale, rec_tone tone)
{
    return scale != REC_SCALE_TONE || tone == REC_TONE_EPCC;
}

/* From the range of the image to the ends of the scale: -high..high if it is signed, 0..high for
 * magnitudes. Adding 0 makes a zero of either sign +0. */
static inline REC_HD void rec_tone_set_range(rec_tone_map *map, float low, float high)
{
    map->low = map->scale == REC_SCALE_TONE        ? low + 0.0f
               : map->scale == REC_SCALE_MAGNITUDE ? 0.0f
                                                   : 0.0f - high;
    map->high = high + 0.0f;
}

/* The picture by its tone. Shift and contrast work before clamping: a low contrast shows values
 * that clamp would cut off. With contrast 1 and shift 0 nothing is rounded in between. */
static inline REC_HD unsigned rec_tone_picture(float value, const rec_tone_map *map)
{
    const float low = map->low, high = map->high;
    if (map->contrast == 1.0f && map->shift == 0.0f)
        return rec_tone_sample(value, map->tone, low, high, 255);
    if (map->tone == REC_TONE_STRETCH)
        value = (value - low) / (high - low) * 255.0f;
    else if (map->tone == REC_TONE_EPCC)
        value = (float)rec_tone_epcc(value, low, high);
    return rec_tone_clamp((value + map->shift - 127.5f) * map->contrast + 127.5f, 255);
}

/* -high..high linearly to 1..255, at a contrast of 1. */
static inline REC_HD unsigned rec_tone_signed(float value, const rec_tone_map *map)
{
    const float share = map->high > 0.0f ? value / map->high : 0.0f;
    return rec_tone_clamp(127.0f * map->contrast * share + 128.0f, 255);
}

/* rec_tone_signed by the root of the magnitude: small values stay visible beside large ones. */
static inline REC_HD unsigned rec_tone_signed_root(float value, const rec_tone_map *map)
{
    const float share = map->high > 0.0f ? sqrtf(fabsf(value) / map->high) : 0.0f;
    const float scaled = 127.0f * map->contrast * share;
    return rec_tone_clamp(value < 0.0f ? 128.0f - scaled : 128.0f + scaled, 255);
}

static inline REC_HD unsigned rec_tone_byte(float value, const rec_tone_map *map)
{
    switch (map->scale) {
    case REC_SCALE_TONE:
        return rec_tone_picture(value, map);
    case REC_SCALE_SIGNED_TONE:
        return map->tone == REC_TONE_STRETCH ? rec_tone_signed(value, map)
               : map->tone == REC_TONE_EPCC
                   ? rec_tone_signed_root(value, map)
                   : rec_tone_clamp(map->contrast * value + 128.0f, 255);
    case REC_SCALE_SIGNED:
        return rec_tone_signed_root(value, map);
    case REC_SCALE_MAGNITUDE:
        break;
    }
    /* 0..high by the square root to 0..255, whatever the tone */
    const float share = map->high > 0.0f ? sqrtf(value / map->high) : 0.0f;
    return rec_tone_clamp(255.0f * map->contrast * share, 255);
}

/* ---- the values of a layer ---- */

/* A plane of what a layer is made of: pointers to pixel (0, 0). */
typedef struct rec_layer_plane {
    const float *values; /* M or, of the edges, f */
    const float *minus;  /* the mark, the reference, or NULL */
    size_t pitch;        /* floats from row to row, of both */
    size_t width, height; /* of the image: what lies outside may be no memory */
} rec_layer_plane;

static inline rec_layer_plane rec_layer_plane_at(rec_layer_plane first, size_t offset)
{
    first.values += offset;
    if (first.minus)
        first.minus += offset;
    return first;
}

static inline REC_HD float rec_value_picture(const rec_layer_plane *of, size_t x, size_t y)
{
    return of->values[y * of->pitch + x];
}

/* -4 f is exact. */
static inline REC_HD float rec_value_edge(const rec_layer_plane *of, size_t x, size_t y)
{
    const float f = of->values[y * of->pitch + x];
    return isnan(f) ? 0.0f : -4.0f * f;
}

static inline REC_HD float rec_value_difference(const rec_layer_plane *of, size_t x, size_t y)
{
    return of->values[y * of->pitch + x] - of->minus[y * of->pitch + x];
}

static inline REC_HD float rec_value_change(const rec_layer_plane *of, size_t x, size_t y)
{
    return fabsf(rec_value_difference(of, x, y));
}

/* A layer's value at a pixel of the image. It depends on pixels at most REC_LAYER_REACH away. */
#define REC_LAYER_REACH 1
#define REC_LAYER_VALUE(name, source, scale, value) \
    case REC_LAYER_##name: \
        return value(of, x, y);
static inline REC_HD float rec_layer_value(rec_layer layer, const rec_layer_plane *of, size_t x,
                                           size_t y)
{
    switch (layer) {
        REC_LAYER_ROWS(REC_LAYER_VALUE)
    case REC_LAYERS:
        break;
    }
    return 0.0f;
}

/* ---- one pixel of a snapshot: the mean of a box of a layer, in float32, row by row ---- */

/* Output pixel i of n covers the source pixels rec_box_edge(i)..rec_box_edge(i + 1) - 1 of `size`:
 * at least one if n <= size. */
static inline REC_HD size_t rec_box_edge(size_t i, size_t n, size_t size) { return i * size / n; }

/* The mean of width x height values from pixel (left, top) on. */
static inline REC_HD float rec_box_mean(rec_layer layer, const rec_layer_plane *of, size_t left,
                                        size_t top, size_t width, size_t height)
{
    float sum = 0.0f;
    for (size_t y = 0; y < height; y++) {
        float row = 0.0f;
        for (size_t x = 0; x < width; x++)
            row += rec_layer_value(layer, of, left + x, top + y);
        sum += row;
    }
    return sum / (float)(width * height);
}
