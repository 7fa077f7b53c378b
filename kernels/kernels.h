/* The launchers of this folder: plain C functions around the kernels. Nothing else leaves it.
 *
 * Device planes are rows of `pitch` floats (a multiple of 32, at least width), one plane behind the
 * other, height * pitch floats apart. Columns width..pitch-1 of the iterates and of f hold the
 * halo: rec_launch_margins fills them, no kernel changes them, and the blocking ones rely on them.
 * Every launcher works on all planes, queues its work on `stream` and returns the launch's error;
 * none waits. The plans ask the current device and are for it alone; they wait for nothing
 * either. */
#ifndef REC_KERNELS_KERNELS_H
#define REC_KERNELS_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/convolution.h"
#include "kernels/stencil.h"
#include "kernels/tone.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rec_grid {
    size_t width, height, planes;
    size_t pitch; /* floats */
    float halo;   /* the constant around every plane */
    size_t first, rows; /* those that a look is about: `first` is a multiple of REC_SUM_ROWS, and
                           either `rows` is or they end with the planes */
    rec_boundary_kind boundary; /* rec_launch_stream and _resident have the constant alone */
} rec_grid;

/* f = -E / 4, in place or not. elementwise.cu */
cudaError_t rec_launch_edge_terms(const rec_grid *grid, float *f, const float *edges,
                                  cudaStream_t stream);

/* The columns beyond the width become halo. elementwise.cu */
cudaError_t rec_launch_margins(const rec_grid *grid, float *plane, cudaStream_t stream);

/* Rows of the grid in a place of their own, of the grid's pitch, which the device can reach. */
typedef struct rec_band {
    float *cells;       /* the first one's */
    size_t first, rows; /* of the grid */
    size_t step;        /* floats from plane to plane */
} rec_band;
/* Copies one or two bands into a plane of the grid or, `into` 0, out of it. elementwise.cu */
cudaError_t rec_launch_bands(const rec_grid *grid, float *plane, const rec_band *bands, int count,
                             int into, cudaStream_t stream);

/* out = J(m), one pass over memory. pixel.cu */
cudaError_t rec_launch_pixel(const rec_grid *grid, float *out, const float *m, const float *f,
                             cudaStream_t stream);

/* Many iterations in one pass over memory, any size: `levels` (6 or 8) times `stages` (1 up to the
 * plan's) of them. `stages` of a plan is 0 where the device cannot. stream.cu */
typedef struct rec_stream {
    int levels, stages;
    int processors;
    double nanoseconds; /* that a plane of this grid takes on an H200, by a model of the shares */
} rec_stream;
cudaError_t rec_stream_plan(const rec_grid *grid, int levels, rec_stream *made);
cudaError_t rec_launch_stream(const rec_stream *plan, int stages, const rec_grid *grid, float *out,
                              const float *m, const float *f, cudaStream_t stream);

/* Passes of REC_DIAGONAL_DEPTH iterations over planes that are stored by antidiagonals, for large
 * images on compute capability 9.0. `processors` of a plan is 0 where it cannot. diagonal.cu */
enum { REC_DIAGONAL_DEPTH = 32, REC_DIAGONAL_BLOCKS = 160 };
/* An image with a shorter side is worked on as a square. */
enum { REC_DIAGONAL_WIDTH = 752, REC_DIAGONAL_HEIGHT = 416 };
typedef struct rec_torus {
    int wide, tall;    /* from an image to its copy beside it, and below it */
    int rows, columns; /* as it is stored: 2 tall, wide / 2 */
    int seam;          /* behind the last cell of a row comes the first of one so much further */
    int length;        /* of the long column's strips: all rows; or half of them, twice as wide */
} rec_torus;
typedef struct rec_diagonal {
    int processors;
    rec_torus torus;
    int cut[REC_DIAGONAL_BLOCKS + 1]; /* where the shares of its blocks begin */
    double nanoseconds;               /* as rec_stream has it */
} rec_diagonal;
cudaError_t rec_diagonal_plan(const rec_grid *grid, rec_diagonal *made);
static inline size_t rec_diagonal_cells(const rec_diagonal *plan) /* of a stored plane */
{
    return (size_t)plan->torus.rows * (size_t)plan->torus.columns;
}
/* Brings one or two bands into such planes, or out of them. With the rows from 0 to torus.tall the
 * halo, too, is brought in. */
cudaError_t rec_launch_turn(const rec_diagonal *plan, const rec_grid *grid, float *rotated,
                            const rec_band *bands, int count, int into, cudaStream_t stream);
cudaError_t rec_launch_diagonal(const rec_diagonal *plan, const rec_grid *grid, float *out,
                                const float *m, const float *f, cudaStream_t stream);

/* An even number of iterations in one launch, for images that fit into the registers of all
 * multiprocessors. The result is in `other` when rec_resident_rounds is odd, else in m; the margins
 * apart, the plane that does not have it is left with parts of earlier iterates. `flags` is
 * rec_resident_flags(plan) words of the device, zeros at first and then as a launch leaves them;
 * *raised, 0 at first, is how high it has them. `planes` of a plan is 0 where the image does not
 * fit. resident.cu */
typedef struct rec_resident {
    int way;              /* the shape of the tiles, an index */
    int depth;            /* iterations between two trades, even */
    int tiles_x, tiles_y; /* of a plane */
    int planes;           /* that are on the chip together */
} rec_resident;
cudaError_t rec_resident_plan(const rec_grid *grid, rec_resident *made);
cudaError_t rec_launch_resident(const rec_resident *plan, const rec_grid *grid, float *m,
                                float *other, const float *f, int iterations, unsigned *flags,
                                unsigned *raised, cudaStream_t stream);
static inline int rec_resident_rounds(const rec_resident *plan, int iterations)
{
    return (iterations + plan->depth - 1) / plan->depth;
}
/* A flag has 128 bytes to itself: nine threads of every tile ask at the same moment. */
enum { REC_FLAG_WORDS = 32 };
static inline size_t rec_resident_flags(const rec_resident *plan)
{
    return (size_t)plan->tiles_x * (size_t)plan->tiles_y * (size_t)plan->planes * REC_FLAG_WORDS;
}

/* What is seen of a change in one plane. */
typedef struct rec_device_norms {
    double maximum;     /* of |M_N - M_(N-1)| */
    uint64_t alternating, moving; /* pixels unequal to M_(N-1), to M_(N-2) */
} rec_device_norms;

/* Squares are summed over so many rows each, in an order that depends on the width alone: who adds
 * these sums up in their order has the same number however the rows were shared out. */
enum { REC_SUM_ROWS = 4 };
static inline size_t rec_sums_of(const rec_grid *grid) /* of one plane */
{
    return (grid->rows + REC_SUM_ROWS - 1) / REC_SUM_ROWS;
}

/* Room that the next three need on the device: zeros at first, whatever they leave from then on. */
size_t rec_norms_scratch_bytes(const rec_grid *grid);

/* In what follows norms[planes] and squares[planes][sums of a plane] are memory that the device can
 * reach.
 *
 * The last iteration with its norms: out = J(m), having held M_(N-2) or, `behind`, M_(N-3), from
 * which M_(N-2) is made again. pixel.cu */
cudaError_t rec_launch_change(const rec_grid *grid, float *out, const float *m, const float *f,
                              int behind, void *scratch, rec_device_norms *norms, double *squares,
                              cudaStream_t stream);

/* The last two iterations with the norms of the last: out = J(J(m)), in the rows of the look alone.
 * norms.cu */
cudaError_t rec_launch_look(const rec_grid *grid, float *out, const float *m, const float *f,
                            void *scratch, rec_device_norms *norms, double *squares,
                            cudaStream_t stream);

/* The squares of J(J(m)) - m. norms.cu */
cudaError_t rec_launch_distance(const rec_grid *grid, const float *m, const float *f,
                                void *scratch, double *squares, cudaStream_t stream);

/* Planes of a picture that are shown: own rows of it alone. */
typedef struct rec_device_planes {
    size_t width, height, planes;
    size_t pitch, step; /* floats from row to row, from plane to plane */
} rec_device_planes;

/* What a snapshot is made of, on the device: as rec_layer_value has it, first pixels of planes. */
typedef struct rec_device_layer {
    const float *of, *minus;
    unsigned *range; /* two words for the range of the whole image; used by mappings that need it */
    int range_known; /* it is in there already */
} rec_device_layer;

/* The view as bytes, row after row and plane after plane. ends[0], ends[1]: its low and high, on
 * the device as `pixels`. snapshot.cu */
cudaError_t rec_launch_snapshot(const rec_device_planes *planes, const rec_view *view,
                                const rec_device_layer *layer, float *ends, uint8_t *pixels,
                                cudaStream_t stream);

/* sums[0] = sum of (m - reference)^2 over all planes in double; `sums` has room for 1 + planes *
 * height doubles of the device. elementwise.cu */
cudaError_t rec_launch_compare(const rec_device_planes *planes, const float *m,
                               const float *reference, double *sums, cudaStream_t stream);

/* ---- convolutions: convolution.cu, convolution_temporal.cu, elementwise.cu ----
 *
 * Of planes with a border: pointers are to the first pixel and aligned to 16 bytes, as rows are;
 * to the left there is room for 32 floats, to the right for 36, above and below for rows as many as
 * the kernel reaches, and 4 more below. */
enum { REC_BORDER_LEFT = 32, REC_BORDER_RIGHT = 36, REC_BORDER_BELOW = 4 };

/* How many rows and columns beyond the picture the kernel for these weights reads. */
int rec_convolution_reach(const rec_taps *taps, int separable);

/* out = taps * m + f, f NULL for filters. */
cudaError_t rec_launch_convolution(const rec_device_planes *planes, const rec_taps *taps,
                                   const float *m, const float *f, float *out,
                                   cudaStream_t stream);
/* The same in two passes, as one kernel; `taps` has the scale, the offset and the sides. */
cudaError_t rec_launch_separable(const rec_device_planes *planes, const rec_taps *taps,
                                 const rec_factors *of, const float *m, float *out,
                                 cudaStream_t stream);

/* REC_TEMPORAL_DEPTH applications of a stencil of at most 3 x 3 in one pass over memory; `constant`
 * is the halo. A mirror that does not repeat the border is not for it. */
enum { REC_TEMPORAL_DEPTH = 4 };
int rec_temporal_can(rec_boundary_kind kind, const rec_taps *taps);
cudaError_t rec_launch_temporal(const rec_device_planes *planes, rec_boundary_kind kind,
                                float constant, const rec_taps *taps, const float *m,
                                const float *f, float *out, cudaStream_t stream);

/* count floats become `value`. */
cudaError_t rec_launch_fill(float *to, size_t count, float value, cudaStream_t stream);
/* The border becomes copies of pixels; nothing to do for the constant. */
cudaError_t rec_launch_border(const rec_device_planes *planes, rec_boundary_kind kind, int radius,
                              float *m, cudaStream_t stream);
/* f = gain * (E - level), in place, in double and rounded once. */
cudaError_t rec_launch_terms(const rec_device_planes *planes, double gain, double level, float *f,
                             cudaStream_t stream);
/* How every row of M_N, `now`, differs from M_(N-1) and M_(N-2). */
cudaError_t rec_launch_row_changes(const rec_device_planes *planes, const float *now,
                                   const float *last, const float *before, rec_row_change *rows,
                                   cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
