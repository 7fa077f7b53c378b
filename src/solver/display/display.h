/* What is shown of a solver: snapshots, layers, marks, the reference picture, the probe and the
 * comparison. A solver only says where its planes are; this is written once for each kind of memory
 * that they can be in. For the files of src/solver/ alone. */
#ifndef REC_SOLVER_DISPLAY_H
#define REC_SOLVER_DISPLAY_H

#include "solver/display/double_buffer.h"

/* Where a solver keeps the current iterate: its own rows, without the halo and without rows that
 * belong to others. */
typedef struct rec_planes {
    size_t width, height, planes; /* pixels; height in own rows */
    size_t pitch;       /* floats from row to row, of m and f */
    size_t step;        /* floats from plane to plane, of m and f */
    const float *m;     /* the first own pixel of M_N */
    const float *f;     /* of -E / 4, with what was folded; NULL: the edges are not at hand */
    rec_boundary_kind boundary; /* set by display.c: rec_boundary_folded */
    uint64_t iteration; /* N */
    int threads;        /* host: that the rows are shared out among */
    int on_device;
    int device;         /* its number, */
    void *stream;       /* and the cudaStream_t on which the planes change */
} rec_planes;

/* One kind of memory. Each function gets the `state` that `create` made; sizes and layers are
 * checked, and the functions do what solver.h says of rec_solver_... of that name. */
typedef struct rec_memory {
    rec_status (*create)(void **state, const rec_planes *planes, rec_error *error);
    void (*destroy)(void *state);
    size_t (*device_bytes)(const void *state); /* taken on the device now */
    rec_status (*mark)(void *state, const rec_planes *planes, rec_error *error);
    void (*unmark)(void *state);
    rec_status (*set_reference)(void *state, const rec_planes *planes, const rec_image *reference,
                                rec_error *error);
    rec_status (*compare)(void *state, const rec_planes *planes, double *mean_square,
                          rec_error *error);
    /* Fills what is there; the rest is NaN before. */
    rec_status (*probe)(void *state, const rec_planes *planes, size_t x, size_t y,
                        rec_probe *probe, rec_error *error);
    /* Begins a snapshot in buffer `index`: sets its pixels, and low and high if they are known. */
    rec_status (*show)(void *state, const rec_planes *planes, int index, rec_snapshot *snapshot,
                       rec_error *error);
    rec_buffer_arrived *arrived; /* reader's thread */
} rec_memory;

extern const rec_memory rec_memory_host;
#if REC_HAVE_CUDA
extern const rec_memory rec_memory_cuda;
#endif

typedef struct rec_display {
    const rec_memory *memory;
    void *state;
    int used;          /* something was marked, compared or shown */
    int has_reference;
    rec_double_buffer buffers;
} rec_display;

/* 1: the given edges differ from f. Whoever shows them takes a copy of f and unfolds its first and
 * its last column: column x, `stride` floats from row to row. */
int rec_display_unfolds(const rec_planes *planes);
void rec_display_unfold(const rec_planes *planes, size_t x, float *terms, size_t stride);

rec_status rec_display_create(rec_display *display, const rec_planes *planes, rec_error *error);
void rec_display_destroy(rec_display *display);

#endif
