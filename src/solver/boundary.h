/* What lies around the picture: one thing for the problem, the run, the job and its identity. */
#ifndef REC_SOLVER_BOUNDARY_H
#define REC_SOLVER_BOUNDARY_H

#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "kernels/stencil.h"

typedef struct rec_boundary {
    rec_boundary_kind kind;
    float value;       /* halo: the constant */
    size_t mean_count; /* for a kind that leaves the mean free: how many were given, 0 (the limit
                          has those of the start), 1 (for all planes) or 3 */
    double means[3];   /* of the planes of the limit; all three are filled unless the count is 0 */
} rec_boundary;

/* As the option --boundary and messages call them. */
extern const char *const rec_boundary_names[REC_BOUNDARIES];

/* A kernel's boundaries are a set of these. */
#define REC_BOUNDARY_BIT(kind) (1u << (kind))
#define REC_ALL_BOUNDARIES ((1u << REC_BOUNDARIES) - 1)

/* Those of filters, of the pictures that have the edges of a stencil, and of the five-point
 * update. */
#define REC_FILTER_BOUNDARIES                                                                      \
    (REC_BOUNDARY_BIT(REC_BOUNDARY_HALO) | REC_BOUNDARY_BIT(REC_BOUNDARY_MIRROR) |                 \
     REC_BOUNDARY_BIT(REC_BOUNDARY_MIRROR101) | REC_BOUNDARY_BIT(REC_BOUNDARY_REPLICATE) |         \
     REC_BOUNDARY_BIT(REC_BOUNDARY_WRAP))
#define REC_INVERSE_BOUNDARIES                                                                     \
    (REC_BOUNDARY_BIT(REC_BOUNDARY_HALO) | REC_BOUNDARY_BIT(REC_BOUNDARY_MIRROR) |                 \
     REC_BOUNDARY_BIT(REC_BOUNDARY_WRAP))
#define REC_UPDATE_BOUNDARIES                                                                      \
    (REC_BOUNDARY_BIT(REC_BOUNDARY_HALO) | REC_BOUNDARY_BIT(REC_BOUNDARY_MIRROR) |                 \
     REC_BOUNDARY_BIT(REC_BOUNDARY_WRAP) | REC_BOUNDARY_BIT(REC_BOUNDARY_SAWTOOTH))

/* 1: the edges do not determine the picture's mean, and sum to 0. */
int rec_boundary_frees_mean(rec_boundary_kind kind);

/* Subtracts fixed values beside the picture from the border's edges, rounded to float32: solvers
 * have 0 there instead. (A constant halo stays what it is.) */
void rec_boundary_fold(rec_boundary_kind kind, rec_image *edges);

/* What was subtracted from the edge of pixel (x, y) in all planes. It is 0 but for the first and
 * the last column of a kind that is folded. */
float rec_boundary_folded(rec_boundary_kind kind, size_t x, size_t y, size_t width, size_t height);

/* Goes on with a hash by what decides the bits of an iterate and of the limit. */
uint64_t rec_boundary_hash(const rec_boundary *boundary, uint64_t hash);

#endif
