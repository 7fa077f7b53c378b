/* What a solver is made of: for the files of src/solver/ alone. */
#pragma once

#include "base/ranks.h"
#include "display/display.h"
#include "solver/norms.h"

/* A slab: consecutive rows of an image, which one state of a solver works on. Ghost rows above and
 * below it belong to its neighbours. Every so many iterations they are copied from there: an
 * exchange. Between two exchanges one more ghost row becomes wrong with each iteration, from the
 * outside inwards, so the slab's own rows always have the bits that a solver of the whole image
 * gives them. A whole image is one slab without neighbours. */
typedef struct rec_slab {
    size_t first, rows;  /* its own rows, counted in the image or in this rank's part of it */
    size_t above, below; /* the number of ghost rows */
    int rank_above, rank_below; /* the neighbour belongs to another rank */
    int device;          /* its device, if the solver has devices */
} rec_slab;

/* The exchange with the slab above or below: rows of the slab's memory. */
typedef struct rec_border {
    size_t rows;        /* the number that goes each way; 0: no neighbour */
    size_t own, ghosts; /* the first row that goes, and the first that comes */
    int rank;           /* the neighbour belongs to another rank */
} rec_border;

static inline rec_border rec_border_above(const rec_slab *slab)
{
    return (rec_border){slab->above, slab->above, 0, slab->rank_above};
}

static inline rec_border rec_border_below(const rec_slab *slab)
{
    const size_t end = slab->above + slab->rows;
    return (rec_border){slab->below, end - slab->below, end, slab->rank_below};
}

static inline size_t rec_slab_height(const rec_slab *slab) /* ghost rows included */
{
    return slab->above + slab->rows + slab->below;
}

/* Which planes rows belong to. */
typedef enum rec_field { REC_FIELD_PICTURE, REC_FIELD_TERMS /* -E / 4 */ } rec_field;

/* How iterations end. */
typedef enum rec_ending {
    REC_END_QUICKLY,  /* as many ghost rows stay right as can; the other two endings spoil them */
    REC_END_KEEPING,  /* M_(N-1) is kept, so that a look one iteration later detects a standstill */
    REC_END_COMPARING /* the own rows are compared with those of M_(N-1), for `collect` */
} rec_ending;

/* The functions of a solver. The callers check the arguments. A `state` belongs to one slab. */
struct rec_solver_type {
    const char *name, *summary;
    const char *const *kernels; /* their names, and NULL behind them */
    unsigned layers; /* that it can show: bits 1 << rec_layer. Marks need the layer of the change */
    int (*available)(rec_error *error); /* 0, with `error` filled, if it cannot work on this
                                           machine; NULL: it always can */
    void (*prepare)(const rec_solver_options *options); /* NULL: nothing to do */
    size_t size;                                        /* of a state, which is all zeros before */
    /* Sets the own rows; the ghost rows are exchanged before they are needed. After a failure the
     * state is destroyed, too. */
    rec_status (*create)(void *state, const rec_problem *problem, const rec_slab *slab,
                         const rec_solver_options *options, rec_error *error);
    /* Begins again with another problem of one slab, which differs from that of `create` only in
     * its images; NULL: it cannot. */
    rec_status (*load)(void *state, const rec_problem *problem, rec_error *error);
    void (*destroy)(void *state);
    void (*get_info)(const void *state, rec_solver_info *info); /* but for the solver's name */
    /* Says that n iterations will come in advances that end quickly, without a look before the last
     * one. NULL: it makes no difference. */
    void (*expect)(void *state, uint64_t n);
    /* Does n > 0 iterations, or queues them. */
    rec_status (*advance)(void *state, uint64_t n, rec_ending ending, rec_error *error);
    /* Queues the measurement of the own rows' distance from the limit; at least two ghost rows are
     * right. NULL: there is no limit. */
    rec_status (*distance)(void *state, rec_error *error);
    /* Adds what was measured to the sums over the slabs above it. The queued work is done. */
    void (*collect)(const void *state, int change, int distance, rec_sums *sums);
    /* Replaces the last two in a solver with looks of its own. */
    rec_status (*look)(void *state, unsigned looks, rec_look *look, rec_error *error);
    /* Copies the neighbours' own rows of a field to the ghost rows of all slabs of an image, or
     * queues that; NULL: the solver takes whole images. */
    rec_status (*exchange)(void *const *states, size_t count, rec_field field, rec_error *error);
    /* The ghost cells and the ghost rows a side with which iterations are fastest: fewer need more
     * exchanges; more need more updates that the neighbour makes, too. */
    size_t exchange_cells, exchange_rows;
    rec_status (*jump)(void *state, uint64_t iteration, rec_error *error); /* NULL: it iterates */
    /* Where the own rows of the current iterate are. On a device the work on them may not be done
     * yet: users queue behind it on the same stream. A solver that jumps sets the iteration,
     * too. */
    rec_status (*planes)(void *state, rec_planes *planes, rec_error *error);
    const rec_solver_type *convolution; /* for problems with operators; NULL: there is none */
    int inverts; /* it reconstructs from the edges of a stencil itself, not by `convolution` */
};

struct rec_solver {
    const rec_solver_type *type;
    size_t width, height, planes; /* of the image, or of the part that this rank has */
    size_t above, below; /* rows of other ranks, which do the same with theirs */
    rec_boundary_kind boundary;
    int starts;          /* it was given a start beside the edges */
    size_t count, devices; /* of slabs; and how many devices they are on */
    int shares_device;   /* with another rank, which counts it */
    rec_slab *slab;
    void **state;        /* the type's, a slab each */
    size_t depth;        /* ghost rows a side: as many iterations go between two exchanges */
    size_t stale;        /* iterations since the last exchange */
    uint64_t iterations; /* N; not for a solver that jumps */
    rec_bound bound;
    rec_image picture, terms; /* several slabs: M_N and -E / 4 on the host, for the display */
    uint64_t gathered;   /* N of the picture */
    rec_display display;
};

/* slabs.c: cuts the image as the options say. REC_USAGE for several slabs of a solver that takes
 * whole images, on the first device. After a failure it must be destroyed, too. */
rec_status rec_slabs_create(rec_solver *solver, const rec_problem *problem,
                            const rec_solver_options *options, rec_error *error);
void rec_slabs_destroy(rec_solver *solver);

/* Where the current iterate is: the planes of the only slab, or a copy of several on the host. */
rec_status rec_slabs_planes(rec_solver *solver, rec_planes *planes, rec_error *error);

#define REC_ALL_LAYERS ((1u << REC_LAYERS) - 1)

extern const rec_solver_type rec_solver_reference, rec_solver_cpu;
extern const rec_solver_type rec_convolution_reference, rec_convolution_cpu;
extern const rec_solver_type rec_solver_cuda, rec_convolution_cuda;
extern const rec_solver_type rec_solver_spectral;
#define REC_HAVE_SPECTRAL (REC_HAVE_FFTW || REC_HAVE_CUDA)
