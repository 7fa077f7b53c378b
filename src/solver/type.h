/* What a solver is made of: for the files of src/solver/ alone. */
#ifndef REC_SOLVER_TYPE_H
#define REC_SOLVER_TYPE_H

#include "solver/slabs.h"

/* One solver's functions, as solver.h describes them. solver.c checks the arguments. A `state` is
 * that of one slab; rows are counted from its first own one, `read` sees no others. */
struct rec_solver_type {
    const char *name, *summary;
    unsigned layers; /* that it shows: a bit 1 << rec_layer each; marks come with the change */
    const char *(*kernel)(size_t index); /* their names; NULL: there is no choice */
    int (*available)(rec_error *error); /* 0, with `error` filled, when it cannot work here */
    void (*prepare)(const rec_solver_options *options); /* NULL: nothing to do */
    /* From the own rows; the ghost rows are traded before they are needed. */
    rec_status (*create)(void **state, const rec_problem *problem, const rec_slab *slab,
                         const rec_solver_options *options, rec_error *error);
    /* Begins anew with a problem that differs from the one of `create` in its images alone, of one
     * slab; NULL: it cannot. */
    rec_status (*load)(void *state, const rec_problem *problem, rec_error *error);
    void (*destroy)(void *state);
    void (*get_info)(const void *state, rec_solver_info *info);
    /* Does n > 0 iterations, or queues them; with REC_LOOK_CHANGE the own rows of the last are
     * compared with those before, for `collect`. Ghost rows may be left with anything. */
    rec_status (*advance)(void *state, uint64_t n, unsigned looks, rec_error *error);
    /* The same in the quickest way, with what ghost rows are still right; NULL: advance. */
    rec_status (*pass)(void *state, uint64_t n, rec_error *error);
    rec_status (*wait)(void *state, rec_error *error); /* for what is queued; NULL: nothing is */
    /* Begins the distance of the own rows from the limit; two ghost rows are right. */
    rec_status (*distance)(void *state, rec_error *error);
    /* Waits, and adds what was seen to the sums over the slabs above. */
    rec_status (*collect)(void *state, int change, int distance, rec_sums *sums,
                          rec_error *error);
    /* In place of the last two, for a solver with looks of its own. */
    rec_status (*look)(void *state, unsigned looks, rec_look *look, rec_error *error);
    /* Copies the neighbours' own rows of a field to the ghost rows of all slabs of an image, or
     * queues that; NULL: the solver takes whole images. */
    rec_status (*trade)(void *const *states, size_t count, rec_field field, rec_error *error);
    /* How many ghost cells a side are worth a trade: with fewer more time goes into trades, with
     * more into updates that the neighbour makes too. About sqrt(latency * updates a second *
     * width). */
    size_t trade_cells;
    rec_status (*jump)(void *state, uint64_t iteration, rec_error *error); /* NULL: it iterates */
    rec_status (*read)(void *state, rec_field field, size_t plane, size_t x, size_t y,
                       size_t width, size_t height, float *values, size_t stride,
                       rec_error *error);
    /* Where the current iterate is, or will be. For planes on a device nobody waits: whoever uses
     * them queues behind the work on their stream. */
    void (*planes)(const void *state, rec_planes *planes);
    /* Makes the current iterate if it is not in the planes yet; NULL: it always is. */
    rec_status (*settle)(void *state, rec_error *error);
    /* What does it when the problem has operators; NULL: nothing. */
    const rec_solver_type *convolution;
    int inverts; /* it does itself the iteration towards the picture that has a stencil's edges */
};

struct rec_solver {
    const rec_solver_type *type;
    size_t width, height, planes;
    rec_boundary_kind boundary;
    size_t above, below; /* rows of other ranks */
    int starts; /* it was given a start beside the edges */
    rec_slabs slabs;
    rec_display display;
};

#define REC_ALL_LAYERS ((1u << REC_LAYERS) - 1)

extern const rec_solver_type rec_solver_reference, rec_solver_cpu;
extern const rec_solver_type rec_convolution_reference, rec_convolution_cpu;
#if REC_HAVE_FFTW || REC_HAVE_CUDA
#define REC_HAVE_SPECTRAL 1
extern const rec_solver_type rec_solver_spectral;
#endif
#if REC_HAVE_CUDA
extern const rec_solver_type rec_solver_cuda, rec_convolution_cuda;
#endif

#endif
