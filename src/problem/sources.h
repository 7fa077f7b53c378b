/* Where the pixels of a mask take their gradients from in the same picture: each has a label, and
 * the pixels of a label have one source; and the search for the source that fits best. */
#pragma once

#include "image/samples.h"
#include "problem/mask.h"

typedef struct rec_patch {
    ptrdiff_t x, y; /* pixel (a, b) takes its gradients from (a + x, b + y) */
    int smooth;     /* from nowhere: they are 0; REC_SOUGHT: until a place has been looked for */
    uint16_t group; /* the first label of a part or stroke that has several; 0: it has one */
    rec_area box;   /* of what was searched for; else empty */
    size_t count;   /* its pixels */
    int several;    /* of a group's first: each pixel may still get a place of its own */
} rec_patch;

enum {
    REC_MOST_SOURCES = 65535,
    REC_LEAST_PART = 64, /* pixels: smaller ones have no texture */
    REC_SOUGHT = 2
};

typedef struct rec_sources {
    size_t width, height;
    uint16_t *label;  /* [y * width + x]: 0: no source of its own; else a number in `at`, from 1;
                         NULL: it is in: */
    rec_sparse *sparse; /* or both are */
    rec_patch *at;
    size_t count, capacity;
} rec_sources;

/* All labels are 0, and there is no source. REC_LIMIT. */
rec_status rec_sources_create(rec_sources *sources, size_t width, size_t height, rec_error *error);
/* The same with memory for the labels of some of a picture's pixels, if the mask is sparse. */
rec_status rec_sources_create_for(rec_sources *sources, const rec_mask *mask, rec_error *error);
void rec_sources_drop_labels(rec_sources *sources);
void rec_sources_destroy(rec_sources *sources);
static inline int rec_sources_have_labels(const rec_sources *sources)
{
    return sources->label || sources->sparse;
}

/* The label of pixel (x, y), with *count - 1 to its right, up to pixel end - 1; NULL: all 0. */
static inline uint16_t *rec_sources_run(const rec_sources *sources, size_t x, size_t y, size_t end,
                                        size_t *count)
{
    *count = end - x;
    return sources->sparse ? rec_sparse_run(sources->sparse, x, y, end, count)
                           : sources->label + y * sources->width + x;
}
static inline uint16_t rec_sources_label(const rec_sources *sources, size_t x, size_t y)
{
    size_t one;
    const uint16_t *label = rec_sources_run(sources, x, y, x + 1, &one);
    return label ? *label : 0;
}

/* *label: that of one more source; the last one if there are too many. REC_LIMIT. */
rec_status rec_sources_add(rec_sources *sources, const rec_patch *source, uint16_t *label,
                           rec_error *error);

/* Boxes and counts of all labels; known pixels near the mask's box lose theirs. */
void rec_sources_measure(rec_sources *sources, const rec_mask *mask);
/* The same of those of a group alone (0: all), whose pixels are in their boxes and this one. */
void rec_sources_measure_group(rec_sources *sources, const rec_mask *mask, uint16_t group,
                               rec_area area);

/* ---- the parts of a mask: sources.c ---- */

/* Gives each part of the mask a label, with its box, and smooth: parts whose surroundings touch go
 * together, and a long one is cut into pieces. A rectangle that is more than half of the picture
 * has no labels, since nothing else can be its source. REC_LIMIT. */
rec_status rec_sources_part(rec_sources *sources, const rec_mask *mask, rec_error *error);

/* ---- the search: search.c ---- */

typedef struct rec_search {
    const rec_samples *picture;
    const rec_mask *mask;        /* no source lies in it, */
    const rec_mask *hidden;      /* nor in this one; `unknown` may be NULL */
    const rec_sources *sources;
    double black, white;         /* of the picture's samples */
    size_t rank;               /* so many better places are passed over; after six the best again */
    int defers;                  /* a part whose surroundings have grain alone stays sought */
    uint64_t left;               /* how many comparisons of samples may still be made: work is
                                    bounded by them, not by a clock, so that every machine chooses
                                    the same */
} rec_search;

/* About two seconds on two processors. */
#define REC_SEARCH_COMPARISONS ((uint64_t)6 << 30)

/* Changes the patch, whose box is set, of the pixels of a label: to the place whose pixels fit
 * best around them, or to none where their surroundings are smooth or no place fits. *found = 0:
 * too little was left. REC_LIMIT. */
rec_status rec_search_patch(rec_search *search, uint16_t label, rec_patch *patch, int *found,
                             rec_error *error);

/* Several places for a part whose first label this is: for each of its pixels one, of those that
 * fit on one side of it or another, so that little differs across seams and rim. Pieces that are
 * smooth stay so. The labels of the part have it as their group. Whole numbers alone. REC_LIMIT. */
rec_status rec_search_labels(rec_search *search, rec_sources *sources, uint16_t first,
                             rec_error *error);
#define REC_LABEL_COMPARISONS ((uint64_t)6 << 30)

/* The same in steps, of which finding may be another thread's: it needs neither picture nor
 * sources. *made = NULL: there is nothing to find. The sources get the labels if the part, what is
 * unknown near it and its own sources are still what they were, as rec_labels_fit says. To be
 * destroyed also after a failure; NULL is fine. REC_LIMIT. */
typedef struct rec_label_search rec_label_search;
rec_status rec_labels_prepare(rec_label_search **made, const rec_search *search,
                              const rec_sources *sources, uint16_t first, rec_error *error);
rec_status rec_labels_find(rec_label_search *labels, rec_error *error);
void rec_labels_stop(rec_label_search *labels); /* it ends soon, and is of no use then */
int rec_labels_fit(const rec_label_search *labels, const rec_mask *mask,
                   const rec_sources *sources);
rec_status rec_labels_put(const rec_label_search *labels, const rec_mask *mask,
                          rec_sources *sources, rec_error *error);
void rec_labels_destroy(rec_label_search *labels);

/* The parts of a mask, and a search for each that is large enough to have a texture. *unsearched:
 * those for which too little was left. REC_LIMIT. */
rec_status rec_search_parts(rec_search *search, const rec_mask *mask, rec_sources *sources,
                            size_t *unsearched, rec_error *error);
