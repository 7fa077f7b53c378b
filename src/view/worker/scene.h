/* What the window can show of an input, and what it wants from the worker. */
#ifndef REC_VIEW_SCENE_H
#define REC_VIEW_SCENE_H

#include "view/draw/viewport.h"

typedef enum rec_scene {
    REC_SCENE_PICTURE,
    REC_SCENE_EDGES,
    REC_SCENE_SIDES, /* the picture on the left of a divider, the edges on the right */
    REC_SCENE_CHANGE,
    REC_SCENE_DIFFERENCE,
    REC_SCENES
} rec_scene;

typedef struct rec_scene_row {
    const char *name; /* for the bar */
    rec_layer layer;  /* what is shown; of the sides the left one */
    unsigned layers;  /* bits (1 << layer) that it takes */
} rec_scene_row;

extern const rec_scene_row rec_scenes[REC_SCENES];

#define REC_LAYER_BIT(layer) (1u << (layer))

typedef struct rec_wanted {
    unsigned number;       /* grows whenever a picture must be made anew for what follows */
    rec_viewport viewport;
    rec_scene scene;
    rec_tone tone;
    int tone_auto;         /* instead: clamp, or stretch while that would cut off much */
    float contrast;        /* 1: as it is */
    float shift;           /* grey levels, before the contrast; 0: as it is */
    int levels;            /* the histogram is shown */
    int values;            /* numbers are shown in the pixels */
    double gamma;          /* 1: as it is; of the bytes, when they are drawn or saved */
    double divider;        /* of REC_SCENE_SIDES: its share of the area's width */
    int probing;           /* the cursor is over pixel (column, row) of the image */
    size_t column, row;
} rec_wanted;

/* What a byte of a layer is drawn as, ARGB; `grey`: the image has one plane. Of colour every plane
 * takes its own byte of the entry. */
void rec_scene_palette(uint32_t palette[256], rec_layer layer, int grey, double gamma);

#endif
