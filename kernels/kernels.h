/* The launchers: plain C functions around the kernels, and all that other folders use of this one.
 *
 * A plane on the device has rows of `pitch` floats (a multiple of 32, at least width); from plane
 * to plane are height * pitch floats. Columns width..pitch-1 of the iterates and of f, the margins,
 * hold the halo. rec_launch_margins fills them; all kernels rely on the margins and keep them.
 * Every launcher works on all planes, queues its work on `stream` without waiting, and returns the
 * launch's error. A plan is for the current device. */
#pragma once

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
    size_t first, rows; /* the rows of a look. `first` is a multiple of REC_SUM_ROWS; so is `rows`,
                           unless the rows end with the plane */
    rec_beyond beyond_x, beyond_y; /* stream, diagonal and resident: fixed alone */
    int masked;   /* f is NaN where a pixel is known: rec_launch_pixel, _change and _distance */
} rec_grid;

/* Fills the margins. elementwise.cu */
cudaError_t rec_launch_margins(const rec_grid *grid, float *plane, cudaStream_t stream);

/* A copy of rows first..first+rows-1 of the grid in other memory that the device can reach. */
typedef struct rec_band {
    float *cells;       /* the copy's first row; rows have the grid's pitch */
    size_t first, rows;
    size_t step;        /* floats from plane to plane of the copy */
} rec_band;
/* Copies one or two bands to a plane of the grid or, `into` 0, from the plane. elementwise.cu */
cudaError_t rec_launch_bands(const rec_grid *grid, float *plane, const rec_band *bands, int count,
                             int into, cudaStream_t stream);

/* out = J(m), one pass over memory. pixel.cu. It and the looks can do these pairs of rules: */
int rec_pixel_can(rec_beyond x, rec_beyond y);
cudaError_t rec_launch_pixel(const rec_grid *grid, float *out, const float *m, const float *f,
                             cudaStream_t stream);

/* levels * stages iterations in one pass over memory, for any size: `levels` is 6 or 8, `stages` 1
 * up to the plan's. A plan has 0 stages if the device lacks the shared memory. stream.cu */
typedef struct rec_stream {
    int levels, stages;
    int processors;
    double nanoseconds; /* of a pass over one plane on an H200, estimated */
} rec_stream;
cudaError_t rec_stream_plan(const rec_grid *grid, int levels, rec_stream *made);
cudaError_t rec_launch_stream(const rec_stream *plan, int stages, const rec_grid *grid, float *out,
                              const float *m, const float *f, cudaStream_t stream);

/* Passes of REC_DIAGONAL_DEPTH iterations over planes that are stored by antidiagonals, for large
 * images on compute capability 9.0. A plan has 0 processors if the image or the device is
 * unsuitable. diagonal.cu */
enum { REC_DIAGONAL_DEPTH = 32, REC_DIAGONAL_BLOCKS = 160 };
/* The smallest sides; an image with one shorter side is padded to a square. */
enum { REC_DIAGONAL_WIDTH = 752, REC_DIAGONAL_HEIGHT = 416 };
typedef struct rec_torus {
    int wide, tall;    /* distance to the next copy of the image, to the right and below */
    int rows, columns; /* of a stored plane: 2 tall, wide / 2 */
    int seam;          /* the last cell of row s is followed by the first one of row s + seam */
    int length;        /* rows of a strip: all rows; or half, with twice the columns */
} rec_torus;
typedef struct rec_share { /* rows from..to-1, counted through all strips */
    int from, to;
} rec_share;
typedef struct rec_diagonal {
    int processors;
    rec_torus torus;
    rec_share share[REC_DIAGONAL_BLOCKS]; /* of each block */
    double nanoseconds;                   /* as in rec_stream */
} rec_diagonal;
cudaError_t rec_diagonal_plan(const rec_grid *grid, rec_diagonal *made);
static inline size_t rec_diagonal_cells(const rec_diagonal *plan) /* of a stored plane */
{
    return (size_t)plan->torus.rows * (size_t)plan->torus.columns;
}
/* Copies one or two bands into planes stored by antidiagonals or, `into` 0, out of these planes.
 * Rows 0..torus.tall-1 include the halo. */
cudaError_t rec_launch_rotate(const rec_diagonal *plan, const rec_grid *grid, float *rotated,
                              const rec_band *bands, int count, int into, cudaStream_t stream);
/* `flags` has plan->processors words on the device, as for the resident kernel. */
cudaError_t rec_launch_diagonal(const rec_diagonal *plan, const rec_grid *grid, float *out,
                                const float *m, const float *f, unsigned *flags, unsigned *raised,
                                cudaStream_t stream);

/* An even number of iterations in one launch, for images that fit into the registers of all
 * multiprocessors. The result is in `other` if rec_resident_rounds is odd, else in m. Of the second
 * buffer the margins are kept, and the pixels are undefined. `flags` has rec_resident_flags(plan)
 * words on the device, all equal to *raised (0 at first), which each launch increases. A plan has 0
 * planes if the image does not fit. resident.cu */
typedef struct rec_resident {
    int shape;            /* of the tiles: an index of the table in resident_shapes.h */
    int depth;            /* iterations between two exchanges, even */
    int tiles_x, tiles_y; /* of a plane */
    int planes;           /* on the device at the same time */
} rec_resident;
cudaError_t rec_resident_plan(const rec_grid *grid, rec_resident *made);
cudaError_t rec_launch_resident(const rec_resident *plan, const rec_grid *grid, float *m,
                                float *other, const float *f, int iterations, unsigned *flags,
                                unsigned *raised, cudaStream_t stream);
static inline int rec_resident_rounds(const rec_resident *plan, int iterations)
{
    return (iterations + plan->depth - 1) / plan->depth;
}
/* A flag has 128 bytes of its own, because nine threads of every tile read flags at once. */
enum { REC_FLAG_WORDS = 32 };
static inline size_t rec_resident_flags(const rec_resident *plan)
{
    return (size_t)plan->tiles_x * (size_t)plan->tiles_y * (size_t)plan->planes * REC_FLAG_WORDS;
}

/* How M_N differs from the last two iterates, in one plane. */
typedef struct rec_device_norms {
    double maximum;     /* of |M_N - M_(N-1)| */
    uint64_t alternating, moving; /* pixels that differ from M_(N-1), from M_(N-2) */
} rec_device_norms;

/* Squares are summed over groups of REC_SUM_ROWS rows, in an order that depends only on the width.
 * The sums of the groups, added from the top down, do not depend on how the image is cut. */
enum { REC_SUM_ROWS = 4 };
static inline size_t rec_sums_of(const rec_grid *grid) /* of one plane */
{
    return (grid->rows + REC_SUM_ROWS - 1) / REC_SUM_ROWS;
}

/* Bytes on the device that the next three functions need as `scratch`: zeros before the first call,
 * and unchanged between two calls. */
size_t rec_norms_scratch_bytes(const rec_grid *grid);

/* norms[planes] and squares[planes][rec_sums_of(grid)] are memory that the device can reach.
 *
 * The last iteration with its norms: out = J(m). On entry `out` holds M_(N-2), or with `behind`
 * M_(N-3): the kernel then makes one more update of it. pixel.cu */
cudaError_t rec_launch_change(const rec_grid *grid, float *out, const float *m, const float *f,
                              int behind, void *scratch, rec_device_norms *norms, double *squares,
                              cudaStream_t stream);

/* Two iterations, and the norms of the second: out = J(J(m)), only in the rows of the look.
 * norms.cu */
cudaError_t rec_launch_look(const rec_grid *grid, float *out, const float *m, const float *f,
                            void *scratch, rec_device_norms *norms, double *squares,
                            cudaStream_t stream);

/* The squares of J(J(m)) - m. norms.cu */
cudaError_t rec_launch_distance(const rec_grid *grid, const float *m, const float *f,
                                void *scratch, double *squares, cudaStream_t stream);

/* Planes of a picture: without ghost rows, and without the border of convolutions. */
typedef struct rec_device_planes {
    size_t width, height, planes;
    size_t pitch, step; /* floats from row to row, from plane to plane */
} rec_device_planes;

/* The view of a layer, which begins with plane `first`, as bytes, row after row and plane after
 * plane. ends[0] and ends[1] become the low and the high end of the scale. range: two words, which
 * get the range of the whole image if the mapping needs it and they do not have it already. All
 * are memory of the device. snapshot.cu */
cudaError_t rec_launch_snapshot(const rec_device_planes *planes, const rec_view *view,
                                const rec_layer_plane *first, unsigned *range, int range_known,
                                float *ends, uint8_t *pixels, cudaStream_t stream);

/* rows[i] = sum of (m - reference)^2 along a row in double, for all rows of all planes: memory of
 * the device. elementwise.cu */
cudaError_t rec_launch_compare(const rec_device_planes *planes, const float *m,
                               const float *reference, double *rows, cudaStream_t stream);

/* ---- convolutions: convolution*.cu, elementwise.cu ----
 *
 * These planes have a border. Pointers are to the first pixel; all rows are aligned to 16 bytes.
 * The border has 32 floats on the left, 36 on the right, as many rows above and below as the kernel
 * reaches, and 4 more rows below. */
enum { REC_BORDER_LEFT = 32, REC_BORDER_RIGHT = 36, REC_BORDER_BELOW = 4 };

/* The number of rows and columns beyond the picture that the kernel for these weights reads. */
int rec_convolution_reach(const rec_taps *taps, int separable);

/* out = taps * m + f; f is NULL for filters. */
cudaError_t rec_launch_convolution(const rec_device_planes *planes, const rec_taps *taps,
                                   const float *m, const float *f, float *out, cudaStream_t stream);
/* rec_launch_convolution in two passes, across and down, by one kernel; of `taps` only the scale,
 * the offset and the sides are used. */
cudaError_t rec_launch_separable(const rec_device_planes *planes, const rec_taps *taps,
                                 const rec_factors *factors, const float *m, float *out,
                                 cudaStream_t stream);

/* REC_TEMPORAL_DEPTH applications of a stencil of at most 3 x 3 in one pass over memory, with any
 * rule of filters but REC_MIRRORED_101, the same for both axes. `constant` is that of REC_FIXED. */
enum { REC_TEMPORAL_DEPTH = 4 };
int rec_temporal_can(rec_beyond rule, const rec_taps *taps);
cudaError_t rec_launch_temporal(const rec_device_planes *planes, rec_beyond rule, float constant,
                                const rec_taps *taps, const float *m, const float *f, float *out,
                                cudaStream_t stream);

/* Sets count floats to `value`. */
cudaError_t rec_launch_fill(float *to, size_t count, float value, cudaStream_t stream);
/* Copies pixels into the border, by one rule for both axes; a fixed border stays as it is. */
cudaError_t rec_launch_border(const rec_device_planes *planes, rec_beyond rule, int radius,
                              float *m, cudaStream_t stream);
/* f = gain * (E - level), in place or not, in double and rounded once. */
cudaError_t rec_launch_terms(const rec_device_planes *planes, double gain, double level, float *f,
                             const float *edges, cudaStream_t stream);
/* How each row of M_N, `now`, differs from M_(N-1), `last`, and M_(N-2), `before`. */
cudaError_t rec_launch_row_changes(const rec_device_planes *planes, const float *now,
                                   const float *last, const float *before, rec_row_change *rows,
                                   cudaStream_t stream);

#ifdef __cplusplus
}

/* Asks the current device for its attributes; `result`: the first failure. */
struct rec_asked {
    int device = 0;
    cudaError_t result = cudaGetDevice(&device);

    int operator()(cudaDeviceAttr what)
    {
        int value = 0;
        result = result ? result : cudaDeviceGetAttribute(&value, what, device);
        return value;
    }
};
#endif
