/* Stencils as data: the weights of a convolution, by name or from a file. */
#pragma once

#include <stddef.h>

#include "base/status.h"

enum { REC_STENCIL_SIDE = 63, REC_STENCIL_RADIUS = REC_STENCIL_SIDE / 2 };

/* A pixel becomes the sum of weight * sample over the stencil, divided by the scale, plus the
 * offset. It is a correlation: the first weight belongs to the sample above and to the left. */
typedef struct rec_stencil {
    char name[48];        /* for messages and reports: as it was asked for */
    size_t width, height; /* odd, at most REC_STENCIL_SIDE */
    double scale, offset; /* the scale is not 0 */
    double weights[REC_STENCIL_SIDE * REC_STENCIL_SIDE]; /* height rows of width, from the top */
} rec_stencil;

typedef struct rec_stencil_options {
    size_t radius; /* of a stencil that has a choice; 0: the usual radius */
    int normalise; /* the scale becomes the sum of the weights */
    int flip;      /* turned by 180 degrees: a convolution instead of a correlation */
} rec_stencil_options;

/* Makes the stencil of the name `text`, as "box" or "gaussian:1.5", or reads the file `text`
 * REC_USAGE for a radius or a parameter that it does not take, and for
 * normalisation by 0; REC_NO_INPUT if there is neither; REC_BAD_INPUT for a damaged file. */
rec_status rec_stencil_make(rec_stencil *stencil, const char *text,
                            const rec_stencil_options *options, rec_error *error);

/* The stencils with names, for a list; index 0.., NULL behind the last. */
typedef struct rec_stencil_name {
    const char *name;      /* without the parameter */
    const char *parameter; /* the name of the parameter, or NULL */
    const char *summary;
} rec_stencil_name;
const rec_stencil_name *rec_stencil_name_at(size_t index);

/* Reads a file as rec_stencil_make does; the stencil's name is not set. */
rec_status rec_stencil_read(rec_stencil *stencil, const char *path, rec_error *error);

double rec_stencil_sum(const rec_stencil *stencil); /* of the weights */

/* 1 if the weights sum to 0 up to their rounding to float32: edges do not have the picture's mean,
 * and the stencil cannot be normalised. */
int rec_stencil_loses_mean(const rec_stencil *stencil);
