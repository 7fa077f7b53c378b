/* What the files of labels share: several sources for a part, a label for each of its pixels. */
#pragma once

#include <stdatomic.h>

#include "problem/level.h"

/* ---- a choice among labels for each pixel of a field, by graph cuts: cut.c ----
 *
 * Whole numbers alone, so that every machine chooses the same. */

/* Comparisons of samples that may still be made; another thread may stop them. */
typedef struct rec_work {
    uint64_t left;
    atomic_int stopped;
} rec_work;

static inline int rec_work_is_left(const rec_work *of)
{
    return of->left && !atomic_load_explicit(&of->stopped, memory_order_relaxed);
}

enum {
    REC_CUT_SIGNALS = 5,
    REC_CUT_GONE = INT16_MIN,  /* a signal that is compared nowhere */
    REC_CUT_NEVER = 1 << 20    /* what a label costs that a pixel must not take */
};

typedef struct rec_field {
    size_t count, labels;
    int32_t *next[4]; /* of each pixel the one on the right, below, left, above; -1: none */
    int16_t *value;   /* [label][pixel][signal] */
    int32_t *cost;    /* [label][pixel] */
    int32_t seam;     /* of two neighbours with two labels, besides what differs at both */
    int32_t *label;   /* of each pixel */
} rec_field;

/* All costs and seams: what is to be small. */
int64_t rec_field_energy(const rec_field *field, const int32_t *label);

/* Begins with the labels, and offers each label to all pixels at once, `sweeps` times: those take
 * it for which all comes cheapest. A cut with too little work left changes nothing. REC_LIMIT. */
rec_status rec_field_expand(rec_field *field, int sweeps, rec_work *work, rec_error *error);

/* ---- places ---- */

typedef struct rec_place {
    ptrdiff_t x, y; /* how far away */
} rec_place;

enum {
    REC_PLACES = 192,      /* labels of a part, at most; */
    REC_PLACES_SECTOR = 6, /* of a sector, unless a part has many pieces */
    REC_SECTORS = 8,
    REC_SECTOR_RING = 5, /* pixels around a part that are compared, at the size of the graph */
    REC_LABEL_NEAR = 4   /* pixels around one's own that decide where a place moves */
};

/* All of a signal at a pixel that counts: REC_CUT_GONE outside, and where it touches a pixel that
 * is unknown. Gradients count double. */
static inline int rec_level_knows(const rec_level *of, ptrdiff_t x, ptrdiff_t y)
{
    return x >= 0 && y >= 0 && x < (ptrdiff_t)of->width && y < (ptrdiff_t)of->height &&
           !of->blocked[y * (ptrdiff_t)of->width + x];
}

/* A source: the gradients around it touch nothing that is blocked, such as what is to go. */
static inline int rec_level_gives(const rec_level *of, ptrdiff_t x, ptrdiff_t y)
{
    const ptrdiff_t width = (ptrdiff_t)of->width, at = y * width + x;
    return rec_level_knows(of, x, y) && !(x && of->blocked[at - 1]) &&
           !(x + 1 < width && of->blocked[at + 1]) && !(y && of->blocked[at - width]) &&
           !(y + 1 < (ptrdiff_t)of->height && of->blocked[at + width]);
}

static inline int16_t rec_level_signal(const rec_level *of, size_t s, ptrdiff_t x, ptrdiff_t y)
{
    if (!rec_level_knows(of, x, y) || (s > 2 && !rec_level_knows(of, x + (s == 3), y + (s == 4))))
        return REC_CUT_GONE;
    return (int16_t)((1 + (s > 2)) * rec_level_sample(of, s, x, y));
}

/* Adds the places that fit best around the pixels that are 1 in `piece`, the best of all sectors
 * first, at most `most` of a sector; `reach`: how far away they may be. REC_LIMIT. */
rec_status rec_sectors_search(const rec_level *level, const unsigned char *piece, ptrdiff_t reach,
                              size_t most, rec_place places[REC_PLACES], size_t *count,
                              rec_work *work, rec_error *error);

/* ---- a labelling at one size after the other: labels.c ---- */

typedef struct rec_labelling {
    const rec_level *level;
    rec_area box;       /* of the part, which has: */
    unsigned char *map; /* [y * box.width + x]: the number of a place, from 1; 0: not of it */
    rec_place place[REC_PLACES];
    size_t places;
    rec_work *work;
} rec_labelling;

rec_area rec_labelling_box(const rec_level *level); /* of the part */

/* The smallest graph: all places, all pixels. `owner`: a piece for each of them, from 1; `reach`
 * and `usual`: of each piece. REC_LIMIT. */
rec_status rec_labelling_begin(rec_labelling *all, const unsigned char *owner, size_t pieces,
                               const ptrdiff_t *reach, const rec_place *usual, rec_error *error);

/* The map at twice the size. REC_LIMIT. */
rec_status rec_labelling_enlarge(rec_labelling *all, const rec_level *to, rec_error *error);

/* Places move, and pixels near seams and rim choose again. REC_LIMIT. */
rec_status rec_labelling_improve(rec_labelling *all, rec_error *error);
