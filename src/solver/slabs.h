/* The slabs of one image, or of the part that this rank has: cutting it, iterating them together,
 * and what is asked of the whole. */
#ifndef REC_SOLVER_SLABS_H
#define REC_SOLVER_SLABS_H

#include "solver/display/display.h"
#include "solver/norms.h"
#include "solver/slab.h"

typedef struct rec_slabs {
    const rec_solver_type *type;
    size_t width, height, planes; /* of the image or the part */
    int shared;          /* it is a part: the other ranks do the same with theirs */
    size_t count, devices;
    int shares_device;   /* which another rank counts */
    rec_slab *slab;
    void **state;        /* the solver's, a slab each */
    size_t depth;        /* ghost rows, which allow as many iterations between two trades */
    size_t stale;        /* iterations since the last trade */
    uint64_t iterations; /* N; not for a solver that jumps */
    rec_bound bound;
    rec_image picture, terms; /* several slabs: M_N and -E / 4 on the host, for the display */
    uint64_t gathered;        /* N of the picture; meaningless while that has no memory */
} rec_slabs;

/* Cuts the image as the options say. A solver of whole images takes the first device; several slabs
 * of it are REC_USAGE. */
rec_status rec_slabs_create(rec_slabs *slabs, const rec_solver_type *type,
                            const rec_problem *problem, const rec_solver_options *options,
                            rec_error *error);
/* Begins anew with other images of the same size; of one slab, whose solver can. */
rec_status rec_slabs_load(rec_slabs *slabs, const rec_problem *problem, rec_error *error);
void rec_slabs_destroy(rec_slabs *slabs);
void rec_slabs_get_info(const rec_slabs *slabs, rec_solver_info *info);

/* As rec_solver_advance, _pass, _read. */
rec_status rec_slabs_advance(rec_slabs *slabs, uint64_t n, unsigned looks, rec_look *look,
                             rec_error *error);
rec_status rec_slabs_pass(rec_slabs *slabs, uint64_t n, rec_error *error);
rec_status rec_slabs_read(rec_slabs *slabs, size_t plane, size_t x, size_t y, size_t width,
                          size_t height, float *values, size_t stride, rec_error *error);

/* Where the current iterate is, or will be once rec_slabs_settle has put it there: the planes of
 * one slab, or the host's copy of several. */
void rec_slabs_planes(const rec_slabs *slabs, rec_planes *planes);
rec_status rec_slabs_settle(rec_slabs *slabs, rec_error *error);

#endif
