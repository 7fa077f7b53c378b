/* What is shown of an iterate: snapshots, layers, marks, the reference picture, the probe and the
 * comparison. A solver only says where its planes are; a rec_memory for each kind of memory does
 * what differs. For src/solver/ alone, whose solver_display.c has the functions of solver.h. */
#pragma once

#include <stdatomic.h>

#include "display/snapshot.h"
#include "image/image.h"
#include "problem/problem.h"

/* ---- the double buffer ----
 *
 * A solver's owner fills one buffer while its one reader shows the other. Nobody waits: without a
 * free buffer there is no new snapshot, without a finished snapshot no new picture. */

enum { REC_BUFFERS = 2 };

typedef struct rec_double_buffer {
    rec_snapshot snapshot[REC_BUFFERS];
    atomic_int state[REC_BUFFERS];     /* free (0), in flight, with the reader */
    uint64_t sequence[REC_BUFFERS];    /* order of the snapshots in flight */
    uint64_t next;                     /* owner's counter */
} rec_double_buffer;

/* Owner: the index of a free buffer, or -1. The buffer stays free until rec_double_buffer_begin. */
int rec_double_buffer_find_free(rec_double_buffer *buffers);

/* Owner: the snapshot is in the buffer once it is finished; then the reader may take it. */
void rec_double_buffer_begin(rec_double_buffer *buffers, int index, const rec_snapshot *snapshot);

/* 1 if a snapshot in flight has arrived; fills in what was not known before (low, high). */
typedef int rec_buffer_arrived(void *context, int index, rec_snapshot *snapshot);

/* Reader: the newest snapshot that has arrived; older snapshots of its layer become free. Of
 * several layers the one that has waited longest comes first. */
const rec_snapshot *rec_double_buffer_poll(rec_double_buffer *buffers, rec_buffer_arrived *arrived,
                                           void *context);
void rec_double_buffer_release(rec_double_buffer *buffers, const rec_snapshot *snapshot);

typedef struct rec_display rec_display;

/* Copies rows, strides in floats, after the queued iterations. */
typedef rec_status rec_memory_copy(const rec_planes *planes, float *to, size_t to_stride,
                                   const float *from, size_t from_stride, size_t width,
                                   size_t height, rec_error *error);

/* One kind of memory: how its planes are reached. */
typedef struct rec_memory {
    /* Waits for queued work; NULL: there is none. */
    rec_status (*wait)(const rec_planes *planes, rec_error *error);
    rec_memory_copy *read;  /* to host memory; waits */
    rec_memory_copy *write; /* from the same memory, or from the host's, which may change then */
    /* Adds (m - reference)^2 to the sums of the planes, first along rows, then row after row: the
     * next rows go on. Waits. `rows` has room for planes * height. */
    rec_status (*compare)(const rec_planes *planes, const float *reference, double *rows,
                          double sums[3], rec_error *error);
    /* The display's state in this kind of memory: */
    rec_status (*create)(rec_display *display, const rec_planes *planes, rec_error *error);
    void (*destroy)(rec_display *display);
    /* Sets the pointer at `place`, of any type; NULL after a failure. */
    rec_status (*take)(rec_display *display, void *place, size_t bytes, const char *what,
                       rec_error *error);
    void (*give_back)(rec_display *display, void *memory); /* NULL is fine */
    /* Begins a snapshot in buffer `index`: sets its pixels, and low and high if they are known.
     * first: of a layer, of the first plane; the others follow as in rec_planes. changed: as in
     * solver.h; what makes all of it anew is right, too. */
    rec_status (*show)(rec_display *display, const rec_planes *planes, const rec_layer_plane *first,
                       const rec_area *changed, int index, rec_snapshot *snapshot,
                       rec_error *error);
    /* Context: the display's state; reader's thread. NULL: snapshots arrive at once. */
    rec_buffer_arrived *arrived;
} rec_memory;

extern const rec_memory rec_memory_host, rec_memory_cuda;

static inline const rec_memory *rec_memory_of(const rec_planes *planes)
{
    return REC_HAVE_CUDA && planes->on_device ? &rec_memory_cuda : &rec_memory_host;
}

/* A solver has one display: all zeros until something is first marked, compared or shown. */
struct rec_display {
    const rec_memory *memory; /* NULL: not created yet */
    void *state;         /* of `memory`, for snapshots */
    rec_costs costs;     /* device_bytes: for all of the display */
    float *mark, *reference; /* copies with the pitch of the planes, or NULL */
    int borrowed;            /* the reference is the caller's own */
    float *edges;        /* -E / 4 as before rec_boundary_fold, or NULL */
    double *rows;        /* for the comparison, if there is a reference */
    size_t kept_bytes;   /* of each copy */
    rec_double_buffer buffers;
};

void rec_display_destroy(rec_display *display);

/* Makes the display's state the first time. */
rec_status rec_display_start(rec_display *display, const rec_planes *planes, rec_error *error);

/* Fills a copy, *kept, plane by plane; takes its memory first if there is none yet, and gives it
 * back after a failure. stride, step: of a row and of a plane of `from`, in floats. */
rec_status rec_display_keep(rec_display *display, const rec_planes *planes, float **kept,
                            const float *from, size_t stride, size_t step, const char *what,
                            rec_error *error);

/* Those rows of the reference from `first` on that the planes have. It may be borrowed if it stays
 * where it is until the display is destroyed. */
rec_status rec_display_set_reference(rec_display *display, const rec_planes *planes,
                                     const rec_image *reference, size_t first, int stays,
                                     const char *what, rec_error *error);

/* The first plane of what *layer is made of. Where edges are not kept, *layer becomes the picture,
 * that of the reference. */
rec_status rec_display_layer(rec_display *display, const rec_planes *planes, rec_layer *layer,
                             rec_layer_plane *first, rec_error *error);

/* Copies a part of a plane to the host, and evaluates the layer there. The part reaches beyond the
 * view as far as values depend on it; at the image's border it ends with the image. */
rec_status rec_display_values(const rec_display *display, const rec_planes *planes,
                              const rec_view *view, rec_layer layer, rec_layer_plane from,
                              float *values, rec_error *error);
