/* Boundary conditions: what is around the picture. A boundary is a row of one table; what depends
 * on it looks into the row, or at the rules of its axes (kernels/stencil.h) in a switch without
 * default: a forgotten kind is refused, or does not compile. */
#pragma once

#include <stddef.h>

#include "image/image.h"
#include "kernels/stencil.h"

typedef enum rec_boundary_kind {
    REC_BOUNDARY_HALO, REC_BOUNDARY_MIRROR, REC_BOUNDARY_WRAP, REC_BOUNDARY_SAWTOOTH,
    REC_BOUNDARY_MIRROR101, REC_BOUNDARY_REPLICATE,
    REC_BOUNDARY_CYLINDER, /* kinds are numbers in checkpoints: new ones come last */
    REC_BOUNDARIES
} rec_boundary_kind;

/* Who may have a boundary: bits. */
enum {
    REC_FOR_UPDATES = 1,  /* the five-point update */
    REC_FOR_INVERSES = 2, /* the reconstruction from a stencil's edges */
    REC_FOR_FILTERS = 4,  /* convolutions */
    REC_FOR_LIMITS = 8    /* the limit of the five-point update alone: edits, exact pictures */
};

typedef struct rec_boundary_row {
    const char *name;   /* in --boundary and in messages */
    rec_beyond x, y;    /* the rules of the axes; those of filters have one rule for both */
    unsigned uses;      /* bits: who may have the boundary */
    /* The fixed value left or right of row y = 0..height-1, which is folded into the edges; NULL: a
     * fixed side has the constant of the halo. */
    float (*side)(size_t y, size_t height, int right);
    const char *help;   /* for --help: what it is */
} rec_boundary_row;

extern const rec_boundary_row rec_boundaries[REC_BOUNDARIES];

typedef struct rec_boundary {
    rec_boundary_kind kind;
    float value;       /* the constant, if the kind has one */
    size_t mean_count; /* 0: the limit keeps the start's mean; 1: one mean for all planes; 3: one
                          per plane. Only for kinds that leave the mean free */
    double means[3];   /* by planes; all three are set unless mean_count is 0 */
} rec_boundary;

/* "halo, mirror or wrap": the boundaries for `uses`; 0: the boundaries that leave the mean free. */
enum { REC_BOUNDARY_LIST = 128 };
const char *rec_boundary_list(char text[REC_BOUNDARY_LIST], unsigned uses);

/* 1: the halo is the constant `value`. */
int rec_boundary_has_constant(rec_boundary_kind kind);

/* 1: the edges sum to 0 and do not determine the picture's mean. */
int rec_boundary_frees_mean(rec_boundary_kind kind);

/* Subtracts the fixed values left and right of the picture from the edges beside them. Solvers then
 * have 0 there. Does nothing for kinds without such values. */
void rec_boundary_fold(rec_boundary_kind kind, rec_image *edges);

/* What is subtracted from the edge of pixel (x, y), in the first and the last column; else 0. */
float rec_boundary_folded(rec_boundary_kind kind, size_t x, size_t y, size_t width, size_t height);

/* The fixed value of the boundary `sawtooth` left or right of row y = 0..height-1. With t = 2 y /
 * (height - 1) and v = t above row height / 2, else v = 2 - t: the whole part of 255 (1 - v) left,
 * of 255 v right. */
float rec_sawtooth(size_t y, size_t height, int right);
