/* Which part of an image is visible, and what the window asks for. Lengths are in pixels of
 * the output unless said; the picture's area begins at the output's upper left corner. */
#pragma once

#include "solver/solver.h"

/* ---- which part of the image is seen, how large and where: viewport.c ---- */

typedef struct rec_size {
    size_t width, height;
} rec_size;

typedef struct rec_viewport {
    rec_size area;    /* for the picture; 0 x 0: not visible */
    int fit;          /* the whole image, as large as it can be */
    double scale;     /* output pixels for an image pixel; unused while `fit` */
    double x, y;      /* the point in the middle of the area, in shares of the image's sides: it
                         stays where it is on an image of another size */
} rec_viewport;

typedef struct rec_place { /* a rectangle of the output */
    int x, y, width, height;
} rec_place;

/* Output pixels for an image pixel. */
double rec_viewport_scale(const rec_viewport *viewport, rec_size image);

/* Where a rectangle of the image's pixels lies. */
rec_place rec_viewport_place(const rec_viewport *viewport, rec_size image, size_t x, size_t y,
                             size_t width, size_t height);

/* Writes the rectangle and the size into *view with which a snapshot fills the area, which is not
 * empty. Magnified and at 1:1 a snapshot pixel for each image pixel, else the size that
 * rec_viewport_place gives. */
void rec_viewport_part(const rec_viewport *viewport, rec_size image, rec_view *view);

/* The image's pixel under a point of the output; 0 when there is none. */
int rec_viewport_pixel(const rec_viewport *viewport, rec_size image, int x, int y, size_t *column,
                       size_t *row);

/* The image's point under a point of the output, also outside of both: middles of pixels are whole
 * numbers. */
void rec_viewport_point(const rec_viewport *viewport, rec_size image, int x, int y, double *column,
                        double *row);

/* One step nearer (in = 1) or farther away. The image point at (x, y) stays there unless the
 * image's border would move inside the area. */
void rec_viewport_zoom(rec_viewport *viewport, rec_size image, int in, int x, int y);

/* As rec_viewport_zoom, to a given scale. */
void rec_viewport_set_scale(rec_viewport *viewport, rec_size image, double scale, int x, int y);

/* The picture moves by (x, y). */
void rec_viewport_pan(rec_viewport *viewport, rec_size image, int x, int y);

/* The same part of the image in pixels where that can be, after the area or the image changed. */
void rec_viewport_keep(rec_viewport *viewport, rec_size image);

/* ---- scenes ---- */

/* In the order of Tab. ROW(its key, name, layer, layer on the right of the divider, or the same,
 * name in the bar, and where the reference is shown for edges that are not kept, the key's help) */
#define REC_SCENE_ROWS(ROW) \
    ROW(1, PICTURE, PICTURE, PICTURE, "picture", "picture", "reconstruction") \
    ROW(2, EDGES, EDGES, EDGES, "edges", "reference", "edges") \
    ROW(3, SIDES, PICTURE, EDGES, "picture | edges", "picture | reference", \
        "both, with a divider") \
    ROW(4, CHANGE, CHANGE, CHANGE, "what just changed", "what just changed", "what just changed") \
    ROW(5, DIFFERENCE, DIFFERENCE, DIFFERENCE, "difference from the original", \
        "difference from the original", "minus the original")

#define REC_SCENE_NAME(key, name, ...) REC_SCENE_##name,
typedef enum rec_scene { REC_SCENE_ROWS(REC_SCENE_NAME) REC_SCENES } rec_scene;

typedef struct rec_scene_row {
    rec_layer layer, right; /* what is shown; on the right of the divider, if that differs */
    const char *name, *plain;
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
    int values;            /* numbers are shown in the pixels */
    double gamma;          /* 1: as it is; of the bytes, when they are drawn or saved */
    double divider;        /* of REC_SCENE_SIDES: its share of the area's width */
    int probing;           /* the cursor is over pixel (column, row) of the image */
    size_t column, row;
} rec_wanted;

/* ---- colours: palette.c ---- */

#define REC_PALETTE_SIZE 256

/* The colours of a snapshot's bytes: opaque ARGB of 8 bits each. gamma > 0: 1 is linear, more
 * brings out what is near 0. grey = 0: the image has three planes, and each takes its own byte of
 * the entry. Returns 1 if the palette has colours. */
int rec_scene_palette(uint32_t palette[REC_PALETTE_SIZE], rec_layer layer, int grey, double gamma);

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

/* ---- how the grey levels of an iterate are distributed: history.c ---- */

enum { REC_LEVEL_BINS = 128 };

typedef struct rec_limits { /* the grey levels that are shown black and white */
    double black, white;    /* black < white */
} rec_limits;

typedef struct rec_levels {
    int known;
    uint64_t iteration;           /* that they are of, or REC_LIMIT_ITERATION */
    rec_survey survey;            /* of some rows, for a maxval of 255 */
    size_t box;                   /* pixels across and down that the view shows as their mean */
    rec_limits most;              /* all but 0.5% of such means at each end are between them */
    float first, last;            /* the ends of the bins: around low..high and 0..255 */
    unsigned bin[REC_LEVEL_BINS]; /* how many samples are in each */
} rec_levels;

/* The box of a view: 1 unless it is reduced. */
size_t rec_levels_box(double scale, rec_size image);

/* Counts rows of the solver's iterate, evenly spread. Waits for the device. REC_LIMIT,
 * REC_UNAVAILABLE. */
rec_status rec_levels_read(rec_levels *levels, rec_solver *solver, rec_size image, size_t planes,
                           size_t box, rec_error *error);

/* From some rows: all but the box and `most`. */
void rec_levels_count(rec_levels *levels, const rec_image *rows);

/* 1 if the tone `auto` fits the contrast to the levels. Hysteresis, `now` is the last answer: on
 * where clamp would cut off more than 1%, off below 0.1%. */
int rec_levels_fit(int now, const rec_levels *levels);

/* The limits after `seconds` on the way from `now` to `end`. */
rec_limits rec_limits_approach(rec_limits now, rec_limits end, double seconds);

/* ---- decades along a line: decades.c ---- */

typedef struct rec_decades {
    double low, high; /* it goes from 10^low to 10^high; low < high */
    int from, to;     /* the places of low and high, pixels; `to` may be less than `from` */
} rec_decades;

/* Whole decades around the positive values least..most, at least one; `from` and `to` stay 0. */
rec_decades rec_decades_cover(double least, double most);

/* Where a positive value stands, pixels. */
double rec_decades_place(const rec_decades *axis, double value);

/* The decades from label to label, for labels at least `room` pixels apart: multiples of this
 * number are labelled. */
int rec_decades_step(const rec_decades *axis, int room);

/* 10^decade, for counts and levels alike: "0.001", "1", "100", "10k", "1M", ... "100T", and beyond
 * "1e-4", "1e15". Returns text. */
char *rec_decades_write(char text[16], int decade);

/* Of the slider: a stop for 0, the decades from 1 to 10^9, a stop for the limit. The stops are
 * half a decade wide, so that both are easy to find. */
enum { REC_SCALE_DECADES = 9 };

/* The place of an iterate, from 0 to 1; REC_LIMIT_ITERATION has a place; iterates above 10^9 have
 * the place of 10^9. */
double rec_scale_place(uint64_t iteration);

/* The iterate at a place: 0 at 0 and below, REC_LIMIT_ITERATION at 1 and above, never falling. */
uint64_t rec_scale_iteration(double place);

/* The next iterate on the grid of tenths of a decade, forwards or back; at the end of the grid the
 * same iterate. */
uint64_t rec_scale_step(uint64_t iteration, int forward);

/* ---- numbers in the pixels, if each visible pixel has room for one ---- */

enum { REC_MOST_VALUES = 6144 }; /* of all planes */

typedef struct rec_values {
    rec_scene scene;
    size_t x, y, width, height; /* of the image; 0 x 0: there are none */
    size_t planes;
    float value[REC_MOST_VALUES]; /* rows of the planes, one plane after the other */
} rec_values;

/* ---- what has been seen of a run, for the plot: history.c ---- */

enum { REC_HISTORY_CELLS = 32, REC_HISTORY_POINTS = 640 }; /* of a decade; of a series */

typedef struct rec_history_point {
    uint64_t iteration;
    double value; /* grey levels RMS, 0 or more */
} rec_history_point;

typedef struct rec_series { /* iterations rise */
    size_t count;
    rec_history_point point[REC_HISTORY_POINTS];
} rec_series;

typedef struct rec_history { /* all zero: empty */
    rec_series change;   /* of the last iteration */
    rec_series distance; /* to the limit */
} rec_history;

/* Adds the values of an iterate. A value that is negative or not finite is ignored, and so is
 * iterate 0, which has no place on a logarithmic axis. Kept are the newest value and the last value
 * of each cell; cells are evenly spaced in the logarithm of the iterations, as in the plot. After a
 * restart (an iteration below the newest) later points are dropped. */
void rec_history_add(rec_history *history, uint64_t iteration, double change, double distance);
