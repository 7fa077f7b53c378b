/* Solvers repeat the update of kernels/stencil.h and give the same bits for the same N.
 *
 * All calls on one solver come from one thread, its owner, but for rec_solver_poll and
 * rec_solver_release, which one other thread (the window's) may call at any moment. */
#ifndef REC_SOLVER_SOLVER_H
#define REC_SOLVER_SOLVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "image/image.h"

/* ---- what there is ---- */

typedef struct rec_solver_type rec_solver_type;

/* The solvers of this build, in the order of --help; index 0.., NULL behind the last. */
const rec_solver_type *rec_solver_at(size_t index);
const char *rec_solver_type_name(const rec_solver_type *type);    /* "reference", "cpu", "cuda" */
const char *rec_solver_type_summary(const rec_solver_type *type); /* one line for --help */
/* The names of its kernels; index 0.., NULL behind the last. */
const char *rec_solver_type_kernel(const rec_solver_type *type, size_t index);

/* The solver of that name; "auto" is cuda where there is a device, else cpu. REC_USAGE for a name
 * that no solver has, REC_UNAVAILABLE for one that this build or this machine lacks. */
rec_status rec_solver_find(const char *name, const rec_solver_type **type, rec_error *error);

/* ---- one problem ---- */

typedef struct rec_problem {
    const rec_image *edges; /* E */
    const rec_image *start; /* M_0, of the size and planes of E; NULL: E itself */
    float halo;             /* the constant around M; -0 counts as 0 */
    int mirror;             /* the halo repeats the border pixels of each iterate instead: E then
                               leaves the picture's mean free, and its own mean is best 0 (image.h:
                               rec_check_balance) */
    const double *means;    /* mirror: of the planes of the limit; NULL: those of the start */
} rec_problem; /* the images may be destroyed once the solver is created */

typedef struct rec_solver_options {
    int device;         /* cuda: number of the device */
    const char *kernel; /* a kernel by name, NULL: the best for the problem */
} rec_solver_options;

typedef struct rec_solver rec_solver;

/* Gets the device ready ahead of rec_solver_create, which then need not wait for it: for a thread of
 * its own while an image is read. Nothing to do for solvers of the host; what fails is left for
 * rec_solver_create to say. */
void rec_solver_prepare(const rec_solver_type *type, const rec_solver_options *options);

/* REC_LIMIT when the problem does not fit, saying what would; REC_UNAVAILABLE for a device that is
 * not there; REC_USAGE for an unknown kernel. */
rec_status rec_solver_create(rec_solver **solver, const rec_solver_type *type,
                             const rec_problem *problem, const rec_solver_options *options,
                             rec_error *error);
void rec_solver_destroy(rec_solver *solver); /* NULL is fine */

typedef struct rec_solver_info {
    const char *solver;     /* the type's name */
    const char *kernel;     /* "serial", "avx512", "pixel", ... */
    char device[128];       /* the device's or processor's name */
    size_t device_bytes;    /* taken on the device; 0 for solvers of the host */
    double seconds_start;   /* getting the device ready (CUDA's context); 0 on the host */
    double seconds_plan;    /* planning transforms; 0 for stencils */
    double seconds_upload;  /* copies and conversion into the solver's own memory */
} rec_solver_info;
void rec_solver_get_info(const rec_solver *solver, rec_solver_info *info);

/* ---- iterating ---- */

enum {
    REC_LOOK_CHANGE = 1,  /* the norms of the last iteration, and the standstill test */
    REC_LOOK_DISTANCE = 2 /* the bound on the distance to the limit: one more pass */
};

/* What was seen at the end of an advance. Numbers not asked for, or not there yet, are NaN. Of
 * several planes the worst. */
typedef struct rec_look {
    double change_rms;   /* of M_N - M_(N-1), grey levels */
    double change_max;   /* the largest magnitude of it */
    int standstill;      /* M_N equals M_(N-2) bit for bit, everywhere (N >= 2) */
    size_t alternating;  /* pixels that differ between M_N and M_(N-1) */
    double distance_rms; /* |J(J(M_N)) - M_N| / (1 - rho^2) / sqrt(W H), grey levels: never below the
                            true RMS distance to the limit (design: Distance to the limit). With a
                            mirrored border without the mean, which has no limit to be far from */
} rec_look;

/* Does n iterations (n = 0 is allowed: only looks, without change and standstill). When it returns
 * with looks = 0 the work may still be going on; every other call waits for it by itself. `look`
 * may be NULL when looks is 0. Errors: REC_UNAVAILABLE when the device was lost. */
rec_status rec_solver_advance(rec_solver *solver, uint64_t n, unsigned looks, rec_look *look,
                              rec_error *error);

/* Reads plane `plane`, columns x..x+width-1, rows y..y+height-1 of the current iterate. `stride` in
 * floats. REC_FAULT outside the image. */
rec_status rec_solver_read(rec_solver *solver, size_t plane, size_t x, size_t y, size_t width,
                           size_t height, float *values, size_t stride, rec_error *error);

/* The number of the limit, where the number of an iterate is asked for. */
#define REC_LIMIT_ITERATION UINT64_MAX

/* 1 for a solver that can go to any iterate without those between: the spectral one. */
int rec_solver_type_jumps(const rec_solver_type *type);

/* Goes to iterate `iteration`, counted from the solver's creation, forwards or back, or to the limit
 * of all of them. REC_USAGE for a solver that does not jump, and beyond 2^53. */
rec_status rec_solver_jump(rec_solver *solver, uint64_t iteration, rec_error *error);

/* The whole iterate into an image that this call creates. */
rec_status rec_solver_read_image(rec_solver *solver, rec_image *image, rec_error *error);

/* ---- snapshots: the picture as it is shown, made where the data is ---- */

typedef struct rec_view {
    size_t x, y, width, height;   /* rectangle of the image, inside it, not empty */
    size_t out_width, out_height; /* pixels to make of it, at most width and height; each output
                                     pixel is the mean of its box of the rectangle */
    rec_tone tone;                /* to 0..255, by the range of the whole image */
} rec_view;

typedef struct rec_snapshot {
    const uint8_t *pixels;         /* planes * height rows of `stride` bytes */
    size_t width, height, planes;  /* as asked for */
    size_t stride;                 /* bytes */
    rec_view view;                 /* what was asked for */
    uint64_t iteration;            /* N, counted from the solver's creation */
} rec_snapshot;

/* Begins a snapshot of the current iterate without waiting. *begun = 0, and nothing done, while
 * both buffers are in flight or in the reader's hands. Owner's thread. */
rec_status rec_solver_snapshot(rec_solver *solver, const rec_view *view, int *begun,
                               rec_error *error);

/* The newest finished snapshot that was not handed out before, or NULL. It stays valid until
 * rec_solver_release; at most one is out at a time. Reader's thread; never waits. */
const rec_snapshot *rec_solver_poll(rec_solver *solver);
void rec_solver_release(rec_solver *solver, const rec_snapshot *snapshot);

/* ---- devices ---- */

typedef struct rec_device {
    int number;
    char name[128];
    int major, minor;          /* compute capability */
    int multiprocessors;
    size_t memory, available;  /* bytes */
    size_t largest_side;       /* of a square grey image that fits in `available`, headless */
} rec_device;

/* Fills at most `capacity` devices and sets *count to how many there are; a machine or a build
 * without CUDA has 0, and `error` then says why (the status is REC_OK all the same). */
rec_status rec_devices(rec_device *devices, size_t capacity, size_t *count, rec_error *error);

#endif
