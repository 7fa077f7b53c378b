/* What the window asks for: a scene, how it is shown, and of which part of the image. */
#pragma once

#include "view/worker/viewport.h"

/* In the order of Tab. ROW(its key, name, layer, layer on the right of the divider, or the same,
 * name in the bar, where the reference is shown for edges that are not kept, and where something is
 * painted, the key's help) */
#define REC_SCENE_ROWS(ROW) \
    ROW(1, PICTURE, PICTURE, PICTURE, "picture", "picture", "picture", "reconstruction") \
    ROW(2, EDGES, EDGES, EDGES, "edges", "reference", "before", "edges") \
    ROW(3, SIDES, PICTURE, EDGES, "picture | edges", "picture | reference", "after | before", \
        "both, with a divider") \
    ROW(4, CHANGE, CHANGE, CHANGE, "what just changed", "what just changed", \
        "what just changed", "what just changed") \
    ROW(5, DIFFERENCE, DIFFERENCE, DIFFERENCE, "difference from the original", \
        "difference from the original", "difference from before", "minus the original, or limit")

#define REC_SCENE_NAME(key, name, ...) REC_SCENE_##name,
typedef enum rec_scene { REC_SCENE_ROWS(REC_SCENE_NAME) REC_SCENES } rec_scene;

typedef struct rec_scene_row {
    rec_layer layer, right; /* what is shown; on the right of the divider, if that differs */
    const char *name, *plain, *painted;
    unsigned layers;        /* bits (1 << layer) that it takes */
} rec_scene_row;

extern const rec_scene_row rec_scenes[REC_SCENES];

#define REC_LAYER_BIT(layer) (1u << (layer))

typedef struct rec_wanted {
    unsigned number;       /* grows whenever what follows needs a new picture */
    rec_viewport viewport;
    rec_scene scene;
    rec_tone tone;         /* auto: clamp, or fitted to the levels while that would cut off much */
    float contrast;        /* 1: as it is */
    float shift;           /* grey levels, before the contrast; 0: as it is */
    int levels;            /* the histogram is shown */
    int plot;              /* and so is the plot */
    int values;            /* numbers are shown in the pixels */
    double gamma;          /* 1: as it is; of the bytes, when they are drawn or saved */
    /* From here on nothing needs a new picture. */
    double divider;        /* of a scene with two sides: its share of the width */
    double radius;         /* of the brush, pixels of the image; below 0: the lasso */
    int probing;           /* the cursor is over pixel (column, row) of the image */
    size_t column, row;
} rec_wanted;

/* ---- colours: palette.c ---- */

#define REC_PALETTE_SIZE 256

/* The colours of a snapshot's bytes: opaque ARGB of 8 bits each. gamma > 0: 1 is linear, more
 * brings out what is near 0. grey = 0: the image has three planes, and each takes its own byte of
 * the entry. */
void rec_scene_palette(uint32_t palette[REC_PALETTE_SIZE], rec_layer layer, int grey, double gamma);

/* The colour of a snapshot's pixel. */
static inline uint32_t rec_scene_color(const rec_snapshot *snapshot, const uint32_t *palette,
                                       size_t x, size_t y)
{
    const size_t plane = snapshot->height * snapshot->stride;
    const uint8_t *at = snapshot->pixels + y * snapshot->stride + x;
    return snapshot->planes != 3 ? palette[*at]
                                 : (palette[at[0]] & 0xffff0000) | (palette[at[plane]] & 0xff00) |
                                       (palette[at[2 * plane]] & 0xff);
}

/* ---- numbers in the pixels, if each visible pixel has room for one ---- */

enum { REC_MOST_VALUES = 6144 }; /* of all planes */

typedef struct rec_values {
    rec_scene scene;
    rec_area area; /* of the image; empty: there are none */
    size_t planes;
    float value[REC_MOST_VALUES]; /* rows of the planes, one plane after the other */
} rec_values;
