/* A mask that is painted: discs along the way of the pointer, and what undoes them. Coordinates are
 * pixels of the mask; what lies outside of it is left out. */
#pragma once

#include "edit/edit.h"

typedef struct rec_step rec_step;

typedef struct rec_brush {
    rec_mask *mask;        /* measured after each change */
    rec_sources *sources;  /* labels are 0 exactly where the mask is; if none, it has 1 and 0 */
    uint16_t label;        /* of what is painted; at least 1 */
    uint16_t *before;      /* the labels when the last step ended */
    rec_area changed;      /* since then */
    int encloses;          /* since then, from (x, y) on */
    double x, y;
    uint16_t moving;       /* a label whose source has moved since then; 0: none */
    rec_patch was;         /* the source before */
    rec_step *step;        /* what each one changes: undoing it is doing it again */
    size_t done, steps;    /* steps that are done; those behind them are undone */
    unsigned first, last;  /* numbers: of the state before all steps, and of the newest */
} rec_brush;

/* Mask and sources outlive the brush. To be destroyed also after a failure. REC_LIMIT. */
rec_status rec_brush_create(rec_brush *brush, rec_mask *mask, rec_sources *sources,
                            rec_error *error);
/* Takes the mask, which somebody else has changed, as it is. */
void rec_brush_renew(rec_brush *brush);
void rec_brush_destroy(rec_brush *brush);

/* These return the pixels that may have changed. Strokes belong to one step until that ends. */
rec_area rec_brush_stroke(rec_brush *brush, const rec_stroke *stroke);
rec_area rec_brush_clear(rec_brush *brush); /* all pixels become known: a step */
/* The source of a label moves, like a stroke; all that belongs together has that label then. */
void rec_brush_move(rec_brush *brush, uint16_t label, const rec_patch *to);
/* Ends the step in hand; undoes the last one that is done, or (forward) does it again. */
rec_area rec_brush_undo(rec_brush *brush, int forward);

/* The number of what is painted, to which undoing comes back: 1 at the begin, 0 within a step. */
unsigned rec_brush_state(const rec_brush *brush);

/* 1: somebody has moved the source of that label, and that is not undone. */
int rec_brush_has_moved(const rec_brush *brush, size_t label);

/* Ends the step. Without memory for it it cannot be undone, nor those before it. */
void rec_brush_end(rec_brush *brush);
