/* What is around the picture. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "kernels/stencil.h"

typedef struct rec_boundary {
    rec_boundary_kind kind;
    float value;       /* halo: the constant */
    size_t mean_count; /* if the kind leaves the mean free: how many means of the limit were given,
                          0 (the limit has those of the start), 1 (for all planes) or 3 */
    double means[3];   /* by planes; all three are set unless the count is 0 */
} rec_boundary;

/* The names in --boundary and in messages. */
extern const char *const rec_boundary_names[REC_BOUNDARIES];

/* Sets of boundaries are made of these bits. */
#define REC_BOUNDARY_BIT(kind) (1u << (kind))
#define REC_ALL_BOUNDARIES ((1u << REC_BOUNDARIES) - 1)

/* The boundaries of filters, of the five-point update, and of the reconstruction from a stencil's
 * edges. */
#define REC_FILTER_BOUNDARIES (REC_ALL_BOUNDARIES & ~REC_BOUNDARY_BIT(REC_BOUNDARY_SAWTOOTH))
#define REC_UPDATE_BOUNDARIES                                                                      \
    (REC_ALL_BOUNDARIES & ~(REC_BOUNDARY_BIT(REC_BOUNDARY_MIRROR101) |                             \
                            REC_BOUNDARY_BIT(REC_BOUNDARY_REPLICATE)))
#define REC_INVERSE_BOUNDARIES (REC_FILTER_BOUNDARIES & REC_UPDATE_BOUNDARIES)

/* 1: the edges sum to 0 and do not determine the picture's mean. */
int rec_boundary_frees_mean(rec_boundary_kind kind);

/* Sawtooth: subtracts the fixed values left and right of the picture from the edges beside them,
 * rounded to float32. Solvers then have 0 there. Does nothing for other kinds. */
void rec_boundary_fold(rec_boundary_kind kind, rec_image *edges);

/* What rec_boundary_fold subtracts from the edge of pixel (x, y) in each plane: it is not 0 only in
 * the first and the last column. */
float rec_boundary_folded(rec_boundary_kind kind, size_t x, size_t y, size_t width, size_t height);

/* Continues a hash by all that decides the bits of an iterate and of the limit. */
uint64_t rec_boundary_hash(const rec_boundary *boundary, uint64_t hash);
