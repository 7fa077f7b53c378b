/* What is shown of an iterate: snapshots, layers, marks, the reference picture, the probe and the
 * comparison. A solver only says where its planes are. For src/solver/ alone, whose
 * solver_display.c has the functions of solver.h. */
#pragma once

#include <stdatomic.h>

#include "device/room.h"
#include "display/snapshot.h"

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

/* What is computed where the planes are: the host's and a device's. */
typedef struct rec_display_compute {
    /* Makes what the room has beside memory; NULL: nothing. */
    rec_status (*start)(rec_display *display, rec_error *error);
    /* Adds (m - reference)^2 to the sums of the planes, first along rows, then row after row: the
     * next rows go on. Waits. */
    rec_status (*compare)(const rec_display *display, const rec_planes *planes, double sums[3],
                          rec_error *error);
    /* Begins a snapshot in buffer `index`: sets its pixels, and low and high if they are known.
     * first: of a layer, of the first plane; the others follow as in rec_planes. changed: as in
     * solver.h; what makes all of it anew is right, too. */
    rec_status (*show)(rec_display *display, const rec_planes *planes, const rec_layer_plane *first,
                       const rec_area *changed, int index, rec_snapshot *snapshot,
                       rec_error *error);
    /* Context: the display; reader's thread. NULL: snapshots arrive at once. */
    rec_buffer_arrived *arrived;
} rec_display_compute;

extern const rec_display_compute rec_display_host, rec_display_cuda;

/* The numbers of a display's memory: copies with the pitch of the planes; numbers of the rows, if
 * there is a reference. Those behind them are for `show`. */
enum {
    REC_KEPT_MARK, REC_KEPT_REFERENCE,
    REC_KEPT_EDGES, /* -E / 4 as before rec_boundary_fold */
    REC_KEPT_ROWS, REC_KEPTS
};

/* What the pixels of the host's buffer show, but for what has changed. */
typedef struct rec_shown {
    rec_view view; /* or zeros */
    rec_tone_map map;
    rec_area changed;
} rec_shown;

/* A solver has one display: all zeros until something is first marked, compared or shown. */
struct rec_display {
    const rec_display_compute *compute; /* NULL: not created yet */
    rec_room room;
    rec_costs costs;        /* device_bytes: for all of the display */
    const float *reference; /* kept or the caller's own, or NULL */
    rec_double_buffer buffers;
    int most_edge_known;    /* the largest |E|, which never changes, was found or is queued */
    float most_edge;        /* on the host */
    rec_shown shown[REC_BUFFERS];
};

void rec_display_destroy(rec_display *display);

/* Makes the display's state the first time. */
rec_status rec_display_start(rec_display *display, const rec_planes *planes, rec_error *error);

/* Fills a copy, plane by plane; takes its memory first if there is none yet, and gives it back
 * after a failure. stride, step: of a row and of a plane of `from`, in floats. */
rec_status rec_display_keep(rec_display *display, const rec_planes *planes, int kept,
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
rec_status rec_display_values(const rec_planes *planes, const rec_view *view, rec_layer layer,
                              rec_layer_plane from, float *values, rec_error *error);
