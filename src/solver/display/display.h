/* What is shown of a solver: snapshots, layers, marks, the reference picture, the probe and the
 * comparison. A solver only says where its planes are. Everything but the access to them is in
 * display.c; that is written once for each kind of memory that they can be in. For the files of
 * src/solver/ alone. */
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
    uint64_t iteration; /* N */
    int threads;        /* host: that the rows are shared out among */
    int on_device;
    int device;         /* its number, */
    void *stream;       /* the cudaStream_t on which the planes change, */
    struct rec_cuda_transfer *transfer; /* and what brings them to the host */
} rec_planes;

/* A layer, as kernels/tone.h has it: the first pixels of planes that lie as rec_planes says. */
typedef struct rec_layer_planes {
    const float *of, *minus;
} rec_layer_planes;

typedef struct rec_display rec_display;

/* Copies rows, strides in floats, behind the iterations that are queued. */
typedef rec_status rec_memory_copy(const rec_planes *planes, float *to, size_t to_stride,
                                   const float *from, size_t from_stride, size_t width,
                                   size_t height, rec_error *error);

/* One kind of memory: how its planes are reached. */
typedef struct rec_memory {
    /* For what is queued; NULL: nothing ever is. */
    rec_status (*wait)(const rec_planes *planes, rec_error *error);
    rec_memory_copy *copy;  /* within the memory */
    rec_memory_copy *read;  /* to the host's; waits */
    rec_memory_copy *write; /* from the host's, which may change afterwards */
    /* *sum: of (m - reference)^2, within rows and then over rows and planes; waits. `sums` has room
     * for 1 + planes * height. */
    rec_status (*compare)(const rec_planes *planes, const float *reference, double *sums,
                          double *sum, rec_error *error);
    /* For a display, which has a state of its own in each kind of memory. */
    rec_status (*create)(rec_display *display, const rec_planes *planes, rec_error *error);
    void (*destroy)(rec_display *display);
    rec_status (*take)(rec_display *display, void **memory, size_t bytes, const char *what,
                       rec_error *error);
    void (*give_back)(rec_display *display, void *memory, size_t bytes); /* NULL is fine */
    /* Begins a snapshot in buffer `index`: sets its pixels, and low and high if they are known. */
    rec_status (*show)(rec_display *display, const rec_planes *planes,
                       const rec_layer_planes *layer, int index, rec_snapshot *snapshot,
                       rec_error *error);
    rec_buffer_arrived *arrived; /* of the display's state; reader's thread */
} rec_memory;

extern const rec_memory rec_memory_host;
#if REC_HAVE_CUDA
extern const rec_memory rec_memory_cuda;
#endif

static inline const rec_memory *rec_memory_of(const rec_planes *planes)
{
#if REC_HAVE_CUDA
    if (planes->on_device)
        return &rec_memory_cuda;
#endif
    (void)planes;
    return &rec_memory_host;
}

/* Of a solver, which zeros begin: it is made when something is marked, compared or shown for the
 * first time. */
struct rec_display {
    const rec_memory *memory; /* NULL: not made yet */
    void *state;         /* the memory's, for snapshots */
    size_t device_bytes; /* taken on the device for all of this */
    /* Copies that lie as the planes do, or NULL; of the edges -E / 4, where the planes' f has
     * something folded into it. */
    float *mark, *reference, *edges;
    double *sums;        /* there with the reference, for the comparison */
    size_t kept_bytes, sums_bytes; /* of each of these */
    rec_double_buffer buffers;
};

void rec_display_destroy(rec_display *display);

#endif
