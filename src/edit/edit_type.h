/* What the files of an edit share. */
#pragma once

#include "base/text.h"
#include "edit/edit.h"

/* ---- the brush: discs along the pointer's way, cut off at the mask; and what undoes them ---- */

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

/* ---- the edit ---- */

/* A part of what is unknown, computed. */
typedef struct rec_edit_part {
    rec_mask mask;   /* of the edit, with the part's box and count */
    size_t plane;    /* the first of those in: */
    rec_image found; /* of the size of the box, less: */
    rec_exact level[3];
    rec_look look;   /* distances alone, and whether they missed the tolerance */
} rec_edit_part;

struct rec_edit {
    rec_edit_wish wish;
    rec_edit_inputs inputs;       /* names, extras and whites; without the images */
    char notes[640];
    rec_samples target, from;     /* the picture and a clone's source: of the caller, or of: */
    rec_image picture;            /* the start of the problem */
    rec_image edges;              /* of the problem: a file's, or made when it is asked for */
    rec_image mass;               /* of the problem, where colours are kept */
    rec_image source;             /* of a clone */
    rec_mask mask;                /* what is unknown by wish or painted */
    rec_mask *own_holes;          /* rec_edit_own_holes; then a part has one plane */
    size_t own_count;
    rec_mask hidden, source_hidden; /* pixels of an alpha below a half; `unknown` is NULL: none */
    rec_mask covered;             /* the mask, and what is hidden beside it; or unused */
    rec_mask shape;               /* of a clone that is painted: the whole mask, in the source */
    rec_sources sources;
    size_t unsearched, overlap;
    rec_problem problem;
    rec_guidance guidance;

    rec_edit_part *part;          /* what was filled */
    size_t parts;

    /* What is painted. */
    rec_brush brush;              /* on the mask; mask NULL: nothing is */
    size_t begun;                 /* sources when painting began, */
    uint64_t begun_mask;          /* and a hash of the mask */
    rec_area changed;             /* since the problem was told */
    int of_source;                /* of a clone: it is only painted */
    int moved;                    /* so has a source, or the rule, since the problem was told */
    int aims;                     /* Ctrl+click chose (x, y); the next stroke fixes the offset */
    ptrdiff_t x, y;
    int aiming;                   /* a Ctrl+drag has begun */
    int paints;                   /* a stroke has begun, and has its label */
    uint16_t drags;               /* the label whose source is dragged, from (x, y) on; 0: none */
    uint16_t label;               /* the last one that was painted or dragged; 0: none */
    ptrdiff_t at_x, at_y;         /* a pixel of it: where the stroke ended, or the drag began */
    uint16_t ranked;              /* the label that got another place, */
    size_t rank;                  /* and so many better ones were passed over */
    struct rec_edit_seeker *seeker; /* of several places for a stroke, in its own thread; or NULL */
    unsigned strokes;             /* changes */
    unsigned saved;               /* the brush's state that is in a file, 0: none, */
    rec_gradient saved_rule;      /* with this rule */
};

static inline int rec_edit_clones(const rec_edit *edit)
{
    return edit->wish.kind == REC_EDIT_CLONE;
}

static inline const char *rec_edit_name(const rec_edit_image *image)
{
    return rec_input_name(image->name);
}

/* Adds a sentence to the notes. */
void rec_edit_note(rec_edit *edit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* edit_problem.c: after a change of the mask: what the problem has. REC_LIMIT. */
rec_status rec_edit_grow(rec_edit *edit, rec_error *error);
/* From the wish and what there is. */
void rec_edit_set_guidance(rec_edit *edit);
/* Forgets what was filled. */
void rec_edit_empty(rec_edit *edit);
/* Of what is painted on: of a clone in its source. */
uint64_t rec_edit_hash_mask(const rec_edit *edit);

/* edit_mask.c: from the inputs. */
rec_status rec_edit_make_mask(rec_edit *edit, const rec_edit_inputs *inputs, rec_error *error);

/* edit_box.c: 1: the part is a rectangle with known sides, worth a transform. Then it can be solved
 * so, from its edges and a start whose rows are the known left, right, above and below: *found,
 * created or in the place of the edges; *filled: look and solver. Errors of the spectral solver. */
int rec_edit_is_box(const rec_problem *problem, const rec_mask *part);
rec_status rec_edit_solve_box(const rec_problem *problem, const rec_solver_options *options,
                              rec_image *edges, rec_image *found, rec_edit_filled *filled,
                              rec_error *error);

/* edit_sources.c: where a healing takes its gradients from, the parts of its mask. */
rec_status rec_edit_find_sources(rec_edit *edit, rec_lines *lines, rec_error *error);
/* The next stroke's source; the pieces of a long one, which are sought; the search for a source. */
rec_patch rec_edit_new_patch(const rec_edit *edit);
rec_status rec_edit_cut_stroke(rec_edit *edit, uint16_t label, rec_error *error);
rec_status rec_edit_seek_patch(rec_edit *edit, uint16_t label, rec_error *error);
/* Several places for strokes that have their pieces' own ones: sought by a thread while painting
 * goes on, and taken if nothing has changed there; *area: where. rec_edit_seek_end forgets them. */
rec_status rec_edit_seek_several(rec_edit *edit, rec_area *area, rec_error *error);
void rec_edit_seek_end(rec_edit *edit);
int rec_edit_lacks_several(const rec_edit *edit);
