/* What a solver is made of: for the files of src/solver/ alone. */
#pragma once

#include "display/display.h"
#include "solver/solver.h"

/* A slab: consecutive rows of an image, which one state of a solver works on. Above and below are
 * ghost rows: copies of the neighbouring slabs' rows. Each iteration makes one more of them wrong,
 * from the outside inwards; before own rows would be, they are copied again: a halo exchange. So
 * own rows always have the bits of a solver of the whole image, which is one slab. */
typedef struct rec_slab {
    size_t first, rows;  /* own rows, counted in the image or in this rank's part */
    size_t above, below; /* the number of ghost rows */
    int rank_above, rank_below; /* the neighbour belongs to another rank */
    int device;          /* its device, if the solver has devices */
} rec_slab;

/* Halo exchange with one neighbour: rows of the slab's memory. */
typedef struct rec_border {
    size_t rows;        /* sent, and as many received; 0: no neighbour */
    size_t own, ghosts; /* the first row sent, and the first row received */
    int rank;           /* the neighbour belongs to another rank */
} rec_border;

static inline rec_border rec_border_of(const rec_slab *slab, int below)
{
    const size_t end = slab->above + slab->rows;
    return below ? (rec_border){slab->below, end - slab->below, end, slab->rank_below}
                 : (rec_border){slab->above, slab->above, 0, slab->rank_above};
}

static inline size_t rec_slab_height(const rec_slab *slab) /* ghost rows included */
{
    return slab->above + slab->rows + slab->below;
}

/* ---- norms: norms.c ---- */

/* The constants of the bound of a problem. With a mask rho is that of the box around the unknown
 * pixels: fewer unknown pixels have no larger one. If the boundary leaves the mean of M free, an
 * iteration adds the mean of f = -E / 4 to the mean of M. So the mean of J(J(M)) - M is known, and
 * the bound leaves it out. The checkerboard mode has no part in J(J(M)) - M. */
typedef struct rec_bound {
    double pixels;   /* the unknown ones */
    double factor;   /* 1 / (1 - rho^2); NaN: a mask's box has nothing known beside it */
    double drift[3]; /* the mean of J(J(M)) - M, by planes */
} rec_bound;
rec_bound rec_bound_of(const rec_problem *problem);

/* The sums of a look: over the own rows of all slabs, from the top down. */
typedef struct rec_sums {
    double change[3], distance[3]; /* squares of M_N - M_(N-1) and of J(J(M_N)) - M_N, by planes */
    double maximum;                /* of |M_N - M_(N-1)| */
    size_t alternating, moving;    /* pixels */
    int moving_known;              /* M_(N-2) was available */
} rec_sums;

/* Adds the rows of a plane, from the top down, to the change, the distance or both. */
void rec_sums_add_rows(rec_sums *sums, size_t plane, const rec_row_change *rows, size_t height,
                       int change, int distance);

/* Makes the look from the sums over the whole image. Norms that were not requested, or that need an
 * earlier iterate than there is, are NaN. */
rec_look rec_look_of(const rec_sums *sums, const rec_bound *bound, int change, int distance,
                     size_t planes);

/* ---- a solver ---- */

/* The planes that are exchanged. */
typedef enum rec_trade { REC_FIELD_PICTURE, REC_FIELD_TERMS /* -E / 4, or known */ } rec_trade;

enum { REC_ROWS_APART = 32 };

/* The parts of a rec_solver_type. It takes problems with a mask (REC_MASKS), and then the parts of
 * the mask one after the other, by changes (REC_PARTS). REC_INVERSES: inverse operators by itself;
 * for problems with other operators it has the type `convolution`, or NULL.
 *
 * A solver that works on the host or on a device has a type for each, with all but `available`;
 * NULL: not in this build. The host has what is too large for a device that the user did not name.
 * With fewer samples than `one` the host has the picture before a device is ready, unless pictures
 * of at least `each` samples, with `all` together, share its start. `bytes` are what a device needs
 * for a sample, about.
 *
 * The callers check the arguments. A `state` belongs to one slab. */
typedef struct rec_solver_memory {
    size_t size;                                       /* of a state, all zeros before create */
    size_t (*bytes)(const rec_problem *problem, const rec_solver_options *options); /* or NULL */
    /* Of a solver that jumps, on a device: 0 if not, with `error` filled; 2 if the problem can be
     * cut into slabs of REC_ROWS_APART rows or a multiple, without ghost rows; else 1. NULL: 1. */
    int (*applicable)(const rec_problem *problem, rec_error *error);
    void (*join)(void *const *states, size_t count); /* the first, which leads, knows the others */
    /* Sets the own rows. The caller exchanges the ghost rows, and destroys the state, also after a
     * failure. */
    rec_status (*create)(void *state, const rec_problem *problem, const rec_slab *slab,
                         const rec_solver_options *options, rec_error *error);
    /* Reuses the state of one slab for a problem of the same shape and boundary; or NULL. */
    rec_status (*load)(void *state, const rec_problem *problem, rec_error *error);
    void (*destroy)(void *state);
    void (*get_info)(const void *state, rec_solver_info *info); /* all but the solver's name */
    /* Where the own rows are; all but boundary and iteration. On a device users queue behind the
     * work on the same stream. */
    rec_status (*planes)(void *state, rec_planes *planes, rec_error *error);
} rec_solver_memory;

typedef struct rec_solver_iterator {
    /* A hint: n iterations follow without a look in between. NULL: not used. */
    void (*expect)(void *state, uint64_t n);
    /* Does n > 0 iterations, or queues them. compares: the own rows of M_N and M_(N-1), for
     * `collect`; ghost rows must then be exchanged before the next ones. */
    rec_status (*advance)(void *state, uint64_t n, int compares, rec_error *error);
    /* Queues the measurement of the own rows' distance to the limit; two ghost rows are right.
     * NULL: there is no limit. */
    rec_status (*distance)(void *state, rec_error *error);
    /* Adds the measured norms to the sums over the slabs above. The queued work is done. */
    void (*collect)(const void *state, int change, int distance, rec_sums *sums);
    /* Halo exchange between all slabs, done or queued; NULL: it takes whole images only. */
    rec_status (*exchange)(void *const *states, size_t count, rec_trade field, rec_error *error);
    /* The ghost cells and the ghost rows a side for the fastest iterations. */
    size_t exchange_cells, exchange_rows;
} rec_solver_iterator;

typedef struct rec_solver_jumper {
    rec_status (*look)(void *state, unsigned looks, rec_look *look, rec_error *error);
    /* Of rec_solver_jump and rec_solver_solve: *reached is 1 before. With REC_TO_LIMIT it is to the
     * limit, and `seconds` may be finite. */
    rec_status (*to)(void *state, uint64_t iteration, double seconds, int *reached,
                     rec_error *error);
    /* Of rec_solver_change; NULL: it cannot. */
    rec_status (*change)(void *state, const rec_problem *problem, rec_area area, rec_error *error);
} rec_solver_jumper;

/* A part of a mask. */
typedef struct rec_part {
    rec_mask mask; /* the problem's, with the part's box and count */
    rec_look look; /* the distance, once it was measured */
    int done;      /* it is solved, or comes no nearer */
} rec_part;

typedef struct rec_parts {
    rec_part *at;        /* NULL: the mask is solved as one, or there is none */
    size_t tile;         /* pixels: nearer ones may be in one box */
    size_t count, now;   /* the one that the state has; `count`: none */
    rec_problem problem; /* with the whole mask */
    rec_mask none;       /* of the same size, empty */
} rec_parts;

struct rec_solver {
    const rec_solver_type *type;
    size_t width, height, planes; /* of the image, or of the part that this rank has */
    size_t above, below; /* rows of other ranks */
    rec_boundary_kind boundary;
    int starts, masked;    /* there is a start beside the edges; a mask */
    double tolerance;      /* of the options */
    size_t count, devices; /* the number of slabs; of devices in use */
    int shares_device;   /* with another rank, which counts it in the report */
    rec_slab *slab;
    void **state;        /* the type's, a slab each */
    rec_parts parts;     /* of the mask */
    size_t depth;        /* ghost rows a side: as many iterations go between two exchanges */
    size_t stale;        /* iterations since the last exchange */
    uint64_t iterations; /* N, or REC_LIMIT_ITERATION */
    double seconds_choosing; /* between host and device: looking for devices starts the driver */
    int renewed;             /* the device was ready when it got the problem */
    char note[256];          /* as in rec_solver_info */
    rec_bound bound;
    rec_display *limits;     /* for each slab; their references are the limit's rows. NULL: none */
    int measures;            /* the distance from them, instead of the bound, but for: */
    double stays_off[3];     /* as of rec_solver_set_limit */
    rec_image picture, terms; /* several slabs: M_N and -E / 4 on the host, for the display */
    uint64_t gathered;   /* N of the picture */
    rec_display display;
};

/* types.c. Checks the problem and the kernel's name; *type becomes that of its part that does
 * convolutions, if the problem is one. Then the type itself is chosen, or of its host's and its
 * device's the one that the kernel names; else the device's, if there is one and it is faster for
 * so many samples. NULL: REC_UNAVAILABLE. */
rec_status rec_solver_type_check(const rec_solver_type **type, const rec_problem *problem,
                                 const char *kernel, rec_error *error);
const rec_solver_type *rec_solver_type_choose(const rec_solver_type *type,
                                              const rec_problem *problem, size_t samples,
                                              const rec_solver_options *options, rec_error *error);
size_t rec_samples_of(const rec_problem *problem); /* in the box of a mask */
int rec_solver_type_falls_back(const rec_solver_type *type, const rec_solver_options *options);

/* slabs.c: cuts the image as the options say. To be destroyed also after a failure. */
rec_status rec_slabs_create(rec_solver *solver, const rec_problem *problem,
                            const rec_solver_options *options, rec_error *error);
void rec_slabs_destroy(rec_solver *solver);

/* The planes of the only slab, or a copy of all slabs on the host. */
rec_status rec_slabs_planes(rec_solver *solver, rec_planes *planes, rec_error *error);

void rec_limits_destroy(rec_solver *solver); /* before the slabs: display.c */

/* parts.c: finds the parts of the problem's mask, if the type solves them one after the other; the
 * largest is the first. To be destroyed. REC_LIMIT. */
rec_status rec_parts_create(rec_parts *parts, const rec_solver_type *type,
                            const rec_problem *problem, rec_error *error);
void rec_parts_destroy(rec_parts *parts);
rec_problem rec_parts_now(const rec_parts *parts); /* the problem of the one in hand */
size_t rec_parts_samples(const rec_parts *parts);  /* in the boxes of all of them */

/* Those of the solver's type, for all parts together. */
rec_status rec_parts_jump(rec_solver *solver, uint64_t iteration, double seconds, int *reached,
                          rec_error *error);
rec_status rec_parts_look(const rec_solver *solver, unsigned looks, rec_look *look,
                          rec_error *error);
rec_status rec_parts_change(rec_solver *solver, const rec_problem *problem, rec_area changed,
                            rec_error *error);

#define REC_ALL_SOURCES ((1u << REC_SOURCES) - 1)

extern const rec_solver_type rec_solver_reference, rec_solver_cpu;
extern const rec_solver_type rec_convolution_reference, rec_convolution_cpu;
extern const rec_solver_type rec_solver_cuda, rec_convolution_cuda;
#define REC_HAVE_SPECTRAL (REC_HAVE_FFTW || REC_HAVE_CUDA)
