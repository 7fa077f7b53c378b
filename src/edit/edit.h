/* An edit: a picture of which some pixels are unknown, what they take their gradients from, and
 * what is painted. It is one owned value: the same edit gives the same samples headless, in the
 * window and in the library. It reads no file, but gets what is in them, and prints nothing.
 *
 * There are two ways out. By rec_edit_solve the unknown pixels are computed from nothing, part by
 * part: all that is written or returned comes from there. By rec_edit_problem the whole is a
 * problem for a solver of the caller's: for a window, and for iterates. */
#pragma once

#include "base/paths.h"
#include "image/image_files.h"
#include "problem/guidance.h"
#include "solver/solver.h"

/* ---- what is wished ---- */

/* What is made inside a mask alone; around it the picture stays as it is. */
typedef enum rec_edit_kind {
    REC_EDIT_NONE, /* no mask: the whole picture */
    REC_EDIT_ONTO, /* the input is edges, and another file the picture */
    REC_EDIT_HEAL, /* the input is the picture, and its own source */
    REC_EDIT_CLONE /* the input is the picture */
} rec_edit_kind;

/* Which of the picture's own samples are unknown, without a mask. */
typedef enum rec_holes {
    REC_HOLES_NONE,
    REC_HOLES_NAN,    /* those that are not finite */
    REC_HOLES_NODATA, /* those that the file says stand for none */
    REC_HOLES_VALUE   /* those of that value */
} rec_holes;

/* Where a healing takes its gradients from. */
typedef enum rec_from {
    REC_FROM_USUAL, /* auto where a picture has tones, else none */
    REC_FROM_AUTO,  /* for each part of the mask the place that fits best */
    REC_FROM_NONE,
    REC_FROM_PLACE, /* (x, y) */
    REC_FROM_FILE   /* as the window saved them */
} rec_from;

typedef struct rec_edit_wish {
    rec_edit_kind kind;
    rec_holes holes;
    double hole;        /* of REC_HOLES_VALUE */
    const char *mask;   /* a file, or a folder of masks; NULL: the source's alpha, or all of it */
    const char *onto;   /* the picture of REC_EDIT_ONTO: a file, or a folder of pictures */
    const char *source; /* of REC_EDIT_CLONE */
    ptrdiff_t x, y;     /* where the source's top left pixel lies in the picture */
    rec_from from;
    const char *sources;  /* of REC_FROM_FILE */
    uint64_t grow;        /* so many pixels more are unknown around the mask, */
    uint64_t stroke_grow; /* and around what is painted */
    rec_gradient rule;
    double keep;        /* above 0: the correction of the source decays over so many pixels */
    double white;       /* of float files: the value that is white; 0: unknown */
} rec_edit_wish;

/* An image that is handed over. */
typedef struct rec_edit_image {
    const char *name;         /* for messages; outlives the edit */
    rec_image *image;         /* becomes the edit's where it keeps it; NULL: there is none, or: */
    rec_samples samples;      /* width 0: none. Of picture and source they outlive the edit; of a
                                 mask without a white: not 0 where pixels are unknown */
    const rec_extras *extras; /* beside it; those of the picture outlive the edit */
    double white;             /* of tones; 0: its samples are data */
} rec_edit_image;

typedef struct rec_edit_inputs {
    rec_edit_image picture;
    rec_edit_image edges;  /* of REC_EDIT_ONTO */
    rec_edit_image source; /* of REC_EDIT_CLONE */
    rec_edit_image mask;   /* unless the wish has holes */
    rec_lines *sources;    /* of REC_FROM_FILE */
    rec_boundary boundary;
    int paints; /* the mask will be painted: it may be empty now */
    int stays;  /* a picture that is nothing but holes stays as it is */
} rec_edit_inputs;

/* ---- the value ---- */

typedef struct rec_edit rec_edit;

/* Takes the inputs; those that nobody keeps stay the caller's. REC_BAD_INPUT for sizes that differ,
 * for a mask that looks like a picture or leaves nothing unknown or nothing known, for a known
 * sample that is no number; REC_USAGE for a mean that known pixels determine. REC_LIMIT. */
rec_status rec_edit_create(rec_edit **edit, const rec_edit_wish *wish,
                           const rec_edit_inputs *inputs, rec_error *error);
void rec_edit_destroy(rec_edit *edit); /* NULL is fine */
/* Frees what solving needs; mask and sources stay to be told. */
void rec_edit_release(rec_edit *edit);

/* What is odd about the inputs: a sentence a line, each with its end; or "". */
const char *rec_edit_notes(const rec_edit *edit);

/* Valid until the edit changes. */
const rec_image *rec_edit_picture(const rec_edit *edit); /* empty where it has samples alone */
/* To the caller, once it is filled: then it can be put, told and destroyed. */
void rec_edit_give_picture(rec_edit *edit, rec_image *picture);
const rec_samples *rec_edit_target(const rec_edit *edit); /* its samples; width 0: released */
const rec_mask *rec_edit_mask(const rec_edit *edit);  /* without what is transparent beside it */
/* Of holes in floats those of each plane, then of each band of the extras; NULL: they share one. */
const rec_mask *rec_edit_own_holes(const rec_edit *edit);
const rec_mask *rec_edit_shape(const rec_edit *edit); /* as it is saved: of a clone its source's */
const rec_sources *rec_edit_sources(const rec_edit *edit); /* of a clone its place */
const rec_guidance *rec_edit_guidance(const rec_edit *edit);
size_t rec_edit_unsearched(const rec_edit *edit); /* parts for which no work was left */
size_t rec_edit_overlap(const rec_edit *edit);    /* pixels whose source lies in the mask */

/* When healing: something has a source; else all is filled smoothly. */
int rec_edit_has_sources(const rec_edit *edit);
/* As --from FILE has them: a line for each source, and behind it one for each run of its pixels. */
void rec_edit_write_sources(rec_edit *edit, FILE *stream);

/* ---- filled, part by part: edit_fill.c ---- */

typedef struct rec_edit_means {
    const rec_solver_type *type; /* of the limit */
    rec_solver_options options;  /* tolerance 0: 0.01; without tones at most a millionth of what is
                                    around a part */
    rec_solver **kept;           /* a solver that may be used again, or NULL; NULL: none */
    rec_status (*watch)(void *user, double share, rec_error *error); /* now and then; or NULL */
    void *user;
} rec_edit_means;

typedef struct rec_edit_filled {
    rec_look look;        /* distances alone, and whether they missed the tolerance */
    rec_solver_info info; /* of the solver of the largest part */
    double seconds;       /* of solving */
} rec_edit_filled;

/* Computes the unknown pixels, and keeps them until the edit changes. The samples depend on edit,
 * build and type alone. REC_BAD_INPUT if a sample beside them is no number; the solver's errors. */
rec_status rec_edit_solve(rec_edit *edit, const rec_edit_means *means, rec_edit_filled *filled,
                         rec_error *error);
/* Puts them into the picture or a copy of it, of any type: integers are rounded and cut off, and so
 * are, if whole, floats that stand for them. Other samples stay. *survey: of them before that. */
rec_status rec_edit_put(const rec_edit *edit, const rec_samples *copy, int whole, unsigned maxval,
                        rec_survey *survey, rec_error *error);

/* ---- as one problem ---- */

/* The picture is its start. The images are the edit's, and change with it. */
rec_status rec_edit_problem(rec_edit *edit, const rec_problem **problem, rec_error *error);

/* Another start of that problem, or the picture itself, gets the picture's known samples. */
void rec_edit_surround(const rec_edit *edit, const rec_image *start);

/* Hidden pixels around the mask, and those in it of alpha 0, get the picture's samples again. */
void rec_edit_restore(const rec_edit *edit, const rec_image *result);

/* ---- painted: edit_strokes.c. Only a HEAL or a CLONE ---- */

typedef struct rec_stroke { /* of the pointer, from one event to the next */
    double x, y, to_x, to_y; /* middles of pixels are whole numbers */
    double radius;           /* so far pixels are painted; below 0: those that the step encloses */
    int unknown;             /* 0: it erases */
} rec_stroke;

/* From now on it can be painted; of_source: it is only painted, and nothing takes gradients. */
rec_status rec_edit_begin(rec_edit *edit, int of_source, rec_error *error);
int rec_edit_is_painted(const rec_edit *edit); /* rec_edit_begin was called; NULL: no */

/* An edit of another picture of the same size, or of another mask, takes what was painted in this
 * one, and how it is undone. Places that were sought for a mask are sought again. REC_LIMIT. */
rec_status rec_edit_carry(rec_edit *fresh, rec_edit *old, rec_error *error);

/* The stroke in hand goes on, or begins: its source was pointed at, or is sought at its end. */
rec_status rec_edit_stroke(rec_edit *edit, const rec_stroke *stroke, rec_error *error);
void rec_edit_lift(rec_edit *edit); /* the stroke, or the move, has ended */
void rec_edit_undo(rec_edit *edit, int forward);
void rec_edit_clear(rec_edit *edit);
/* A clone moves with the stroke. When healing the source of the pixel where it began moves to its
 * end; where nothing is painted, the end is where the next stroke takes from. */
void rec_edit_move_source(rec_edit *edit, const rec_stroke *way);
/* The last stroke takes from the next best of six places. *moved = 0: it has none. REC_LIMIT. */
rec_status rec_edit_next_source(rec_edit *edit, int *moved, rec_error *error);
/* The next rule; 0: without a source there is none. */
int rec_edit_change_rule(rec_edit *edit);
/* The mask of another edit becomes that of this clone's source. */
void rec_edit_copy_shape(rec_edit *edit, const rec_edit *painted);
/* The other way, unless that is all of it. */
void rec_edit_give_shape(const rec_edit *edit, rec_edit *painted);

/* What the eye is told. */
typedef struct rec_edit_state {
    rec_gradient rule;    /* of the last stroke */
    int sought;           /* nothing was painted yet: the source of what is will be sought */
    int aims;             /* the next stroke begins to take from (x, y); else: */
    ptrdiff_t x, y;       /* so far from a pixel it gets its gradients; 0 and 0: from nowhere */
    ptrdiff_t mark_x, mark_y; /* of either: the place, of the last stroke that of its end */
    unsigned strokes;     /* counts the changes of what is unknown, and from where */
} rec_edit_state;
rec_edit_state rec_edit_look(const rec_edit *edit);

/* What is painted is in a file now. */
void rec_edit_keep(rec_edit *edit);
int rec_edit_is_unsaved(const rec_edit *edit);

/* ---- what a solver of the problem has to know, in this order ---- */

/* Looks for the source of a stroke that has ended, if what was painted before is solved. */
rec_status rec_edit_seek(rec_edit *edit, rec_error *error);
int rec_edit_seeks(const rec_edit *edit); /* there is one to be sought */
/* The mask lies where its source does, and the transparent pixels that it reaches are unknown, too.
 * *undone: the last stroke left nothing known, and was undone. REC_LIMIT. */
rec_status rec_edit_settle(rec_edit *edit, int *undone, rec_error *error);
/* The problem gets the edges of what has changed since the last call; *changed: where. */
rec_status rec_edit_update_edges(rec_edit *edit, rec_area *changed, rec_error *error);
