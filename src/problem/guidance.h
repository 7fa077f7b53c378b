/* Guidance: the edges that a picture shall have where pixels are unknown. For each pair of
 * neighbours p, q in the target, which is the picture around them, a rule makes one difference v
 * (M_q - M_p) from the source's difference and the target's. The edge of p is the sum of v over its
 * neighbours, whether these are known or not. */
#pragma once

#include <stddef.h>

#include "image/samples.h"
#include "problem/boundary.h"
#include "problem/sources.h"

/* The rules that --gradient names, a row each: v of the source's difference s[i] and the target's
 * t[i], which changes its sign with them; 1: t counts; 1: a colour source counts with its
 * luminance, in every plane; 1: the picture can keep near the source's samples; what v is. */
#define REC_GRADIENT_RULES(ROW) \
    ROW(SOURCE, "source", s[i], 0, 0, 1, "those of SOURCE") \
    ROW(MIXED, "mixed", fabs(s[i]) < fabs(t[i]) ? t[i] : s[i], 1, 0, 0, \
        "the larger of both, sample by sample") \
    ROW(AVERAGE, "average", (s[i] + t[i]) / 2, 1, 0, 0, "the mean of both") \
    ROW(MONOCHROME, "monochrome", s[i], 0, 1, 1, "those of the luminance of SOURCE, in every plane")

#define REC_GRADIENT_ID(id, ...) REC_GRADIENT_##id,
typedef enum rec_gradient {
    REC_GRADIENT_RULES(REC_GRADIENT_ID)
    REC_GRADIENT_ZERO, /* behind those of the option: where there is no source */
    REC_GRADIENTS
} rec_gradient;

#define REC_GRADIENT_WORD(id, name, ...) "|" name
#define REC_GRADIENT_WORDS (&REC_GRADIENT_RULES(REC_GRADIENT_WORD)[1]) /* by their numbers */

typedef struct rec_gradient_row {
    const char *name;
    void (*combine)(size_t count, const double *s, const double *t, double *v);
    int mixes, grey, keeps;
    const char *help;
} rec_gradient_row;

extern const rec_gradient_row rec_gradients[REC_GRADIENTS];

typedef struct rec_guidance {
    const rec_samples *target;
    const rec_samples *source; /* NULL: all its differences are 0. One plane counts for every plane
                                of the target, and three count with their luminance for one */
    ptrdiff_t x, y;          /* where the source's top left pixel lies in the target; the source's
                                difference of a pair that is not wholly in it is 0 */
    const rec_sources *sources; /* not NULL: the source is the target, and each pixel has its place
                                in it; a pair takes that of its end that has one, or the mean of
                                both; x and y do not count */
    double scale;            /* of the source's samples: the target's white over the source's */
    const rec_mask *hidden, *source_hidden; /* pixels of target and source whose colours do not
                                count, and whose pairs have difference 0; NULL: there are none. So
                                it is with samples that are NaN */
    rec_gradient rule;
    rec_boundary_kind boundary; /* a pair that leaves the target has v = 0, unless its side wraps:
                                   across that seam there is no source */
    const rec_image *mass; /* NULL, or one plane of the target's size, for rec_problem.mass: written
                              with the edges. What the picture has more than the source decays */
    double keep;           /* over so many pixels: a pixel with a source S gets the mass
                              1 / keep^2, and its edge loses mass S; others get 0 */
    size_t left, top;      /* where in the target the first pixel of the edges and the mass lies */
    rec_exact level[3];    /* what the picture of the edges has less, by planes */
    double *off;         /* not NULL: what rounding takes from an edge the next one of its row gets,
                            so that it does not add up in an area; *off, at least what it was: the
                            most of it */
    const float *halo;   /* not NULL: the source is the target, and a pair that leaves it counts,
                            too; a fixed side has this value */
} rec_guidance;

/* Makes the edges of an area of the target, in double, rounded once. Other edges stay as they
 * are. Fails where samples are in a file, as rec_samples_read. */
rec_status rec_guidance_make(const rec_guidance *guidance, rec_area area, rec_image *edges,
                             rec_error *error);

/* Creates the edges of a whole picture, up + down + left + right - 4 * centre, whose reconstruction
 * with the same boundary is the picture. `halo` is the constant of the boundary halo. */
rec_status rec_laplacian(const rec_image *picture, rec_boundary_kind kind, float halo,
                         rec_image *edges, rec_error *error);

/* ---- heights: the edges of those whose slopes are known, such as of a normal map ---- */

/* Makes slopes of a normal map of three planes, in place: its samples `zero` and `white` stand for
 * 0 and 1, the first becomes the slope to the right, the second that downwards, NaN where the
 * surface is too steep to have one. Green samples count upwards (OpenGL). *flat: red and green of
 * flat pixels: zero, or if that is between two samples the one that this map has. 1: no normal
 * points upwards: the map has two channels, and the third follows from these. */
int rec_normals_to_slopes(rec_image *normals, double zero, double white, double *flat);

/* Where green points, of which the option has these words. Turns the slopes downwards if they are
 * those of green down, or auto tells so by its curls, the RMS around four pixels and what it would
 * be if they were turned: heights have none. 0: auto cannot tell, and takes green up. */
#define REC_GREEN_WORDS "auto|up|down"
typedef enum rec_green { REC_GREEN_AUTO, REC_GREEN_UP, REC_GREEN_DOWN } rec_green;
int rec_slopes_turn(rec_image *slopes, rec_green *green, double curls[2]);

/* The edges of the heights with the slopes of the first two planes. The heights of two neighbours
 * differ by the mean of their slopes, or by the only one, or not at all. A pair that leaves the
 * image counts where its side wraps alone. `edges` is created, with one plane. */
rec_status rec_slopes_make_edges(const rec_image *slopes, rec_boundary_kind kind, rec_image *edges,
                                 rec_error *error);
