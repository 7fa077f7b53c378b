/* Solvers find the picture that has the given edges, and show it. The stencil solvers repeat the
 * update of kernels/stencil.h and give the same bits for the same N; the spectral solver computes
 * any iterate in closed form.
 *
 * One thread, the owner, makes all calls on a solver, but for rec_solver_poll and
 * rec_solver_release: one other thread (the window's) may call these two at any time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "device/devices.h"
#include "display/snapshot.h"
#include "problem/problem.h"

/* ---- what there is ---- */

typedef struct rec_solver_options rec_solver_options;

/* A solver, as it is and as the files of src/solver/ use it. */
typedef struct rec_solver_type {
    const char *name, *summary;  /* "reference", "cpu", "cuda"; one line for --help */
    const char *const *kernels;  /* their names, ending with NULL */
    const char *own_bits; /* the kernel that has other bits than the reference; NULL: none has */
    unsigned shows;       /* bits 1 << rec_source: what it shows layers of */
    enum { REC_ITERATES, REC_TO_LIMIT, REC_ANYWHERE } jumps; /* without iterates; anywhere: to any
                                                                of them, without the earlier ones */
    enum { REC_MASKS = 1, REC_PARTS = 2, REC_INVERSES = 4 } takes; /* type.h says more */
    int (*available)(rec_error *error); /* as rec_solver_type_available; NULL: always */
    /* Starts the device, for a thread beside which the run begins; rec_solver_create reports a
     * failure. NULL: there is none. */
    void (*prepare)(const rec_solver_options *options);
    const struct rec_solver_type *convolution, *host, *device;
    struct {
        size_t each, per_thread; /* the device pays from so many of each problem, and of all
                                    problems for each thread of the host and two more */
        size_t bytes;            /* of device memory for a sample */
    } device_samples;
    const struct rec_solver_memory *memory;
    const struct rec_solver_iterator *iterate;
    const struct rec_solver_jumper *jump;
} rec_solver_type;

/* The solvers of this build, in the order of --help; index 0.., NULL behind the last. */
const rec_solver_type *rec_solver_at(size_t index);

/* Above 0: the solver can work on this machine. With `error` filled: 0 if the machine lacks what it
 * needs, -1 if that fails, such as a driver. */
int rec_solver_type_available(const rec_solver_type *type, rec_error *error);
/* The solver with a device that "auto" takes if this machine has one; NULL: none in this build. */
const rec_solver_type *rec_solver_with_device(void);

/* The solver of that name; "auto": cuda if there is a device, else cpu. REC_USAGE for an unknown
 * name, REC_UNAVAILABLE for a solver that this build or this machine lacks. */
rec_status rec_solver_find(const char *name, const rec_solver_type **type, rec_error *error);

/* ---- one problem ---- */

/* *found: the parts of a mask that are cheaper to solve each by itself, with their boxes and
 * counts; known pixels lie between two boxes. To be freed. REC_LIMIT. */
rec_status rec_mask_parts(const rec_mask *mask, rec_mask **found, size_t *count, rec_error *error);

/* Creates the edges of a picture, by the problem's filters or the five-point Laplacian. Filters are
 * applied by a solver. */
rec_status rec_make_edges(const rec_image *picture, const rec_problem *problem, rec_image *made,
                          rec_error *error);

enum { REC_MOST_DEVICES = 16 };
#define REC_USUAL_TOLERANCE 0.01 /* of the multigrid solver */

struct rec_solver_options {
    int devices[REC_MOST_DEVICES]; /* their numbers; a solver with one device takes the first */
    size_t device_count;           /* cuda: the number of devices; 0 is 1 */
    int shares_device;  /* another rank uses the same device, and counts it in the report */
    size_t slabs;       /* a rank's rows are cut into this number of slabs: at least one a device,
                           at least 4 rows each. No bit depends on the number */
    size_t problems;    /* expected with these options: they share the start of a device; 0: 1 */
    int shown;          /* by a window: a device leaves memory for a reference */
    double tolerance;   /* multigrid: the largest distance to the limit, sample units; 0: usual */
    const char *kernel; /* by name; NULL: the best for the problem. The spectral solver's kernel is
                           the place where it works */
};

typedef struct rec_solver rec_solver;

/* REC_LIMIT for a problem that does not fit into memory, with the largest size that fits;
 * REC_UNAVAILABLE for a missing device; REC_USAGE for an unknown kernel. */
rec_status rec_solver_create(rec_solver **solver, const rec_solver_type *type,
                             const rec_problem *problem, const rec_solver_options *options,
                             rec_error *error);
void rec_solver_destroy(rec_solver *solver); /* NULL is fine */
static inline void rec_solver_destroy_at(rec_solver **solver) { rec_solver_destroy(*solver); }
#define rec_owned_solver REC_OWNED(rec_solver_destroy_at) rec_solver

/* Makes *solver, which may be NULL, a solver of another problem, with the same type, boundary,
 * operators and options but for the tolerance; if possible in its memory and with its plans. NULL
 * after a failure. */
rec_status rec_solver_renew(rec_solver **solver, const rec_solver_type *type,
                            const rec_problem *problem, const rec_solver_options *options,
                            rec_error *error);

/* How the halo exchange transports rows between GPUs of different ranks. */
typedef enum rec_transport {
    REC_TRANSPORT_NONE,   /* one rank, or no device */
    REC_TRANSPORT_DIRECT, /* from device to device */
    REC_TRANSPORT_MPI,    /* by MPI, from device memory */
    REC_TRANSPORT_HOST    /* by MPI, from host memory */
} rec_transport;

typedef struct rec_solver_info {
    const char *solver;     /* the type's name */
    const char *kernel;     /* "serial", "avx512", "pixel", ... */
    rec_costs costs;        /* device bytes and seconds: summed over all slabs */
    size_t ranks;           /* that share the image; of all ranks: */
    size_t slabs, devices;  /* devices is 0 for solvers of the host */
    rec_transport transport; /* the slowest in use: the largest over all pairs of ranks */
    int in_place;           /* it works in the problem's own images, which must stay */
    char note[256];         /* where it works, if not where one would expect, and why; or empty */
    char inverse[160];      /* how well a stencil's edges determine it, in words; or empty */
} rec_solver_info;
void rec_solver_get_info(const rec_solver *solver, rec_solver_info *info);

/* ---- iterating ---- */

enum {
    REC_LOOK_CHANGE = 1,  /* the norms of the last iteration, and the standstill test */
    REC_LOOK_DISTANCE = 2 /* the bound on the distance to the limit: one more pass */
};

/* The norms after an advance, the maximum over the planes. NaN: not requested, or not known yet. */
typedef struct rec_look {
    double change_rms;   /* of M_N - M_(N-1), grey levels */
    double change_max;   /* the largest magnitude of M_N - M_(N-1) */
    int standstill;      /* M_N equals M_(N-2) bit for bit, everywhere (N >= 2) */
    size_t alternating;  /* pixels that differ between M_N and M_(N-1) */
    double distance_max; /* of any pixel to the limit, an estimate, where the solver has one;
                            infinite before the problem was first solved */
    double distance_rms; /* |J(J(M_N)) - M_N| / (1 - rho^2) / sqrt(W H), grey levels: never below
                            the true RMS distance to the limit. Leaves out a free mean. With a mask:
                            over the unknown pixels, as change_rms. From rec_solver_set_limit
                            on the RMS of M_N - limit */
    int measured;        /* distance_rms is the RMS distance itself, no bound */
    int missed;          /* a solver of the limit alone gave up before its tolerance was reached */
} rec_look;

/* Does n iterations, then the looks (bits), and waits. n = 0: a look alone, without change and
 * standstill. Without looks (`look` may be NULL) iterations take the fastest way: a look one
 * iteration later may know of no standstill. */
rec_status rec_solver_advance(rec_solver *solver, uint64_t n, unsigned looks, rec_look *look,
                              rec_error *error);

/* The exact picture, of which each slab copies its rows to where it is: from now on looks measure
 * the distance from it, the same for every number of slabs. stays_off: what part of the RMS no
 * iteration changes, beside a free mean that drifts; it is left out. NULL, and after a failure:
 * looks have their bound. */
rec_status rec_solver_set_limit(rec_solver *solver, const rec_image *limit,
                                const double stays_off[3], rec_error *error);

/* 0 for a mask whose box has nothing known beside it: no look has a distance (NaN). */
int rec_solver_bounds_distance(const rec_solver *solver);

/* Reads a rectangle of a plane of the current iterate. `stride` in floats. REC_FAULT outside the
 * image. */
rec_status rec_solver_read(rec_solver *solver, size_t plane, size_t x, size_t y, size_t width,
                           size_t height, float *values, size_t stride, rec_error *error);

/* Queues the copy of a plane to memory of the solver's device, or of any, behind what is queued on
 * `stream` (a cudaStream_t), whose later work waits for the copy. */
rec_status rec_solver_read_there(rec_solver *solver, size_t plane, float *values, size_t stride,
                                 void *stream, rec_error *error);

/* Bytes of the host's memory that a solver takes at least, beside the problem's images, of which
 * only the sizes need be known. 0: not known. */
size_t rec_solver_type_memory(const rec_solver_type *type, const rec_problem *problem,
                              const rec_solver_options *options);

/* Only for a solver that jumps. Goes to iterate `iteration`, forwards or back, or to the limit.
 * REC_USAGE beyond 2^53, and for an iterate in a solver that has the limit alone. */
rec_status rec_solver_jump(rec_solver *solver, uint64_t iteration, rec_error *error);

/* These two are for the multigrid solver alone. Goes to the limit as rec_solver_jump does, but
 * stops after `seconds`; called again it goes on. *reached: the distance is within the tolerance.
 * If it is not, and time was left, it cannot be reached. */
rec_status rec_solver_solve(rec_solver *solver, double seconds, int *reached, rec_error *error);

/* The problem is another one inside an area of the picture: in its mask, its start or its
 * edges. Size, planes and boundary are the same. Unknown pixels that were unknown keep the current
 * picture, from which the next jump begins; others take the start's samples. The caller has checked
 * the problem; the values in the area are not checked again. */
rec_status rec_solver_change(rec_solver *solver, const rec_problem *problem, rec_area area,
                             rec_error *error);

/* Creates `image` and reads the whole iterate into it. */
rec_status rec_solver_read_image(rec_solver *solver, rec_image *image, rec_error *error);

/* ---- what the picture is compared with ---- */

/* Keeps a copy of the current iterate for REC_SOURCE_MARK, in place of the last copy; does not
 * wait. The first copy takes the memory of a picture; REC_LIMIT leaves the solver as it was. Only
 * for a solver that shows marks. */
rec_status rec_solver_mark(rec_solver *solver, rec_error *error);

/* Copies a picture of the size and the planes of the edges for REC_SOURCE_REFERENCE and
 * rec_solver_compare, in place of the last reference, and waits. stays: it outlives the solver, and
 * is not copied where both lie in host memory, in rows of one pitch. After REC_LIMIT there is no
 * reference. */
rec_status rec_solver_set_reference(rec_solver *solver, const rec_image *reference, int stays,
                                    rec_error *error);

/* The mean of (M_N - reference)^2 over all samples, in double: the same bits in every run of one
 * solver. Needs a reference. Waits. */
rec_status rec_solver_compare(rec_solver *solver, double *mean_square, rec_error *error);

/* Reads a pixel, inside the image. Waits. */
rec_status rec_solver_probe(rec_solver *solver, size_t x, size_t y, rec_probe *probe,
                            rec_error *error);

/* ---- snapshots: what is shown, made where the data is ---- */

/* 1 for a layer whose source the solver has (rec_layers): every solver has the picture, and a
 * reference once it is set. */
int rec_solver_type_shows(const rec_solver_type *type, rec_layer layer);
int rec_solver_shows(const rec_solver *solver, rec_layer layer);

/* Begins a snapshot of the current iterate without waiting; *begun = 0 and nothing is done while
 * both buffers are in use. The view lies in the image, and the solver shows its layer. changed: of
 * the picture, where pixels may differ from those of the last snapshot that was begun, so that the
 * others need not be made again; NULL: everywhere. */
rec_status rec_solver_snapshot(rec_solver *solver, const rec_view *view, const rec_area *changed,
                               int *begun, rec_error *error);

/* Writes the values of the view's layer, of its rectangle pixel by pixel and plane by plane, as a
 * snapshot shows them. Waits. */
rec_status rec_solver_values(rec_solver *solver, const rec_view *view, float *values,
                             rec_error *error);

/* The newest finished snapshot that was not handed out before, or NULL. Layers take turns. It is
 * valid until rec_solver_release; one is handed out at a time. Never waits. */
const rec_snapshot *rec_solver_poll(rec_solver *solver);
void rec_solver_release(rec_solver *solver, const rec_snapshot *snapshot);

/* ---- devices ---- */

/* Leaves this rank its devices, of those in the options or, if these name none, of all. Ranks that
 * see the same devices get different ones as far as they suffice. Collective. */
void rec_devices_share(rec_solver_options *options);
