/* libreconstruct: Poisson's equation on a grid of pixels, exactly or by Jacobi's iteration, on
 * the processor or on an NVIDIA GPU.
 *
 * A picture M has the edges
 *
 *     E(x, y) = M(x, y-1) + M(x, y+1) + M(x-1, y) + M(x+1, y) - 4 M(x, y)
 *
 * and a boundary around it. A solver finds M from E. Samples are float32; three planes, such as
 * red, green and blue, are solved each on its own.
 *
 * Functions return 0 or one of the codes below; rec_error_text() describes the failure. They
 * print nothing and never end the process. Threads may each use their own solvers; only one
 * thread at a time may use a solver. A child of fork() can use solvers of the processor, but no
 * device if the parent has used one. The caller's rounding and traps change no bits, and stay. */
#ifndef RECONSTRUCT_H
#define RECONSTRUCT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* REC_CODE_MISSED: the result is there, but above the tolerance. REC_CODE_USAGE: wrong arguments,
 * such as NULL or a width of 0. REC_CODE_INPUT: samples that are no numbers or too large; a problem
 * without a solution. REC_CODE_UNAVAILABLE: no such device, or not in this build. REC_CODE_FAULT: a
 * bug in the library. REC_CODE_MEMORY: out of memory. REC_CODE_STOPPED: by the caller's `watch`. */
enum {
    REC_CODE_OK = 0,
    REC_CODE_MISSED = 1,
    REC_CODE_USAGE = 64,
    REC_CODE_INPUT = 65,
    REC_CODE_UNAVAILABLE = 69,
    REC_CODE_FAULT = 70,
    REC_CODE_MEMORY = 71,
    REC_CODE_STOPPED = 75
};

/* The header's version; rec_version_text() returns the library's. */
#define REC_VERSION_MAJOR @MAJOR@
#define REC_VERSION_MINOR @MINOR@
#define REC_VERSION_PATCH @PATCH@

/* In place of a device's number: the processor. */
#define REC_PROCESSOR (-1)

/* Samples in the caller's memory: sample (x, y) of plane p is data[x * across + y * down + p *
 * plane]. Strides count floats, and may be negative in ordinary memory. A stride of 0 stands for
 * the usual one: across 1, down the width, plane the width times the height. Rows of interleaved
 * colours have across = 3 and plane = 1.
 *
 * The memory may be the solver's device's: then across is 1, the strides are positive, and
 * `stream` is the cudaStream_t on which the samples are made or will be used: reading waits for
 * the work queued there, and work queued there later waits for writing. */
typedef struct rec_array {
    float *data;
    ptrdiff_t across, down, plane;
    void *stream;
} rec_array;

/* A solver with its memory. */
typedef struct rec_poisson rec_poisson;

/* Makes a solver for pictures of width x height with 1 or 3 planes. The boundary is "halo" (`value`
 * is around the picture; Dirichlet), "mirror" (the outermost pixels are repeated; Neumann), "wrap"
 * (periodic), "sawtooth", or "cylinder" (x wraps, y is mirrored; it has no iterates). With mirror,
 * wrap and cylinder, unless a mask leaves pixels known, the edges must sum to 0 within rounding
 * (else REC_CODE_INPUT; unchecked on a device), and `value` is the mean of the exact picture, which
 * they do not determine. `value` is at most 1e30 in magnitude. `device` is REC_PROCESSOR or the
 * number of a CUDA device. *made is NULL after a failure. */
int rec_poisson_create(rec_poisson **made, size_t width, size_t height, size_t planes,
                       const char *boundary, float value, int device);

/* Frees the solver; NULL is fine. */
void rec_poisson_destroy(rec_poisson *solver);

/* Copies the edges, and the picture that iterations start from (start NULL: the edges; a mask needs
 * a start). Samples must be numbers of at most 1e30 in magnitude, except the start of unknown and
 * the edges of known pixels; on a device this is unchecked. Device memory is read when iterations
 * or a solution need it: leave it unchanged until the next rec_poisson_load. */
int rec_poisson_load(rec_poisson *solver, const rec_array *edges, const rec_array *start);

/* Sets the unknown pixels: those whose unknown[x + y * down] is not 0. All others keep the values
 * of the start, and their edges are ignored. Copies ordinary memory; call rec_poisson_load after
 * it. NULL: all pixels are unknown, as at first. */
int rec_poisson_mask(rec_poisson *solver, const unsigned char *unknown, ptrdiff_t down);

/* Iterates n times more. The bits depend only on the number of iterations, not on the device or on
 * the division among calls. *distance, unless NULL: an upper bound of the RMS distance from the
 * exact picture, in the samples' unit. */
int rec_poisson_iterate(rec_poisson *solver, uint64_t n, double *distance);

/* Computes the exact picture: in closed form, or on a mask by multigrid until the estimated
 * distance of every pixel is at most `tolerance`. 0 stands for 0.01 or, if that is smaller, a
 * millionth of the largest magnitude of known pixels, and of an eighth of unknown pixels'
 * edges. *distance, unless NULL: as above. Later iterations continue from the last iterate. With
 * edges in device memory, rec_poisson_read computes the picture, straight into its array. */
int rec_poisson_solve(rec_poisson *solver, double tolerance, double *distance);

/* Copies the picture of the last rec_poisson_iterate or rec_poisson_solve to the array. Does not
 * wait for the device if the array is in its memory. */
int rec_poisson_read(rec_poisson *solver, const rec_array *picture);

/* Computes the edges of a picture, with the solver's size and boundary. Both arrays are in ordinary
 * memory, and may be the same. */
int rec_poisson_edges(const rec_poisson *solver, const rec_array *picture, const rec_array *edges);

/* Gradients for rec_poisson_guide: the source of width x height pixels, whose top left pixel lies
 * at (x, y) of the target, and the rule that makes a pair's difference of the source's and the
 * target's: "source", "mixed" (the larger of both), "average" or "monochrome" (of the source's
 * luminance, in three planes). If source.data is NULL, each part of the mask that was set uses the
 * place of the target that fits best around it, or a smooth fill if its surroundings are smooth;
 * `white` is the samples' white (0: their largest). keep > 0: the picture's difference from the
 * source decays over so many pixels inside the mask, with "source" and "monochrome". It applies to
 * later solutions, until gradients are made again. */
typedef struct rec_gradients_of {
    rec_array source;
    size_t width, height;
    ptrdiff_t x, y;
    const char *rule;
    double white, keep;
} rec_gradients_of;

/* Computes the edges of the picture that has these gradients and the known pixels of the target.
 * Pairs with a pixel outside the source, or with a NaN, have the difference 0. The target at an
 * offset as its own source heals a mask; another source is cloned. All arrays are in ordinary
 * memory. */
int rec_poisson_guide(rec_poisson *solver, const rec_gradients_of *gradients,
                      const rec_array *target, const rec_array *edges);

/* Computes the edges of a height field, one plane, from two planes of slopes, to the right and
 * downwards. A NaN is an unknown slope. All arrays are in ordinary memory. */
int rec_poisson_slopes(const rec_poisson *solver, const rec_array *slopes, const rec_array *edges);

/* As rec_poisson_mask, with unknown[x * across + y * down]. */
int rec_poisson_mask_at(rec_poisson *solver, const unsigned char *unknown, ptrdiff_t across,
                        ptrdiff_t down);

/* Calls `watch` about 20 times a second while the solver iterates, with the iterations of this
 * call, and while it solves on a mask, with 0; once before other solutions. If `watch` does not
 * return 0, the call ends with REC_CODE_STOPPED. NULL: nobody watches. */
int rec_poisson_watch(rec_poisson *solver, int (*watch)(void *user, uint64_t done), void *user);

/* Sets how many threads this solver uses. 0: as many as processors, or OMP_NUM_THREADS. */
int rec_poisson_threads(rec_poisson *solver, size_t threads);

/* The types of samples, in this order. */
enum {
    REC_UINT8, REC_INT8, REC_UINT16, REC_INT16, REC_UINT32, REC_INT32, REC_UINT64, REC_INT64,
    REC_FLOAT32, REC_FLOAT64
};

/* Samples of any type in the caller's memory: sample (x, y) of plane p is x * across + y * down + p
 * * plane bytes behind `data`. Strides may be negative; 0 stands for the usual one, as in
 * rec_array. swapped: the bytes of a sample are in the other order than the processor's. float32
 * may be in the memory of a device, as in rec_array, with its stream. */
typedef struct rec_pixels {
    void *data;
    int type, swapped;
    size_t width, height, planes;
    ptrdiff_t across, down, plane;
    void *stream;
} rec_pixels;

/* An edit of a picture: what is unknown, and what it is filled with. Zeros stand for the usual
 * value of each member.
 *
 * Unknown are the pixels of `mask` that are not 0: of one plane, for all planes of the picture, or
 * of as many, each for one. Without a mask: those of the whole source or, where there is none
 * either, the samples that are not finite, plane by plane. Known samples keep their bits. With a
 * source (of as many planes, or of one or three for one or three), whose top left pixel lies at (x,
 * y), it is pasted; a mask then has the source's size. Without one `from` says how the picture is
 * healed: "none", the usual one, is the smoothest fill; "auto" takes for each part of the mask the
 * gradients of the place that fits best around it, or none if it is smooth there; "place" those so
 * many pixels to the right and below as x and y say.
 *
 * `rule` and keep are those of rec_gradients_of, boundary and value those of rec_poisson_create,
 * usually "source" and "mirror". grow: so many pixels more around the mask are unknown. white: of
 * the samples; usually the largest value of unsigned integers, and the largest known sample of
 * others. tolerance: of each pixel by estimate; usually 0.01, of floats 0.01 or a millionth of what
 * is around the part, less its level. threads: as in rec_poisson_threads. Several times a second
 * `watch` gets the share of the work that is done, 0 to 1; if it does not return 0, the call ends
 * with REC_CODE_STOPPED. */
typedef struct rec_edit_of {
    rec_pixels picture, mask, source;
    ptrdiff_t x, y;
    const char *from, *rule, *boundary;
    float value;
    double keep, white, tolerance;
    size_t grow, threads;
    int on_device, device; /* on_device 0: on the processor */
    int (*watch)(void *user, double share);
    void *user;
} rec_edit_of;

/* Fills the unknown pixels of the picture, in place. 1 or 3 planes with one mask are one picture;
 * of others each is one: any number, which are shared among the threads and have the same bits for
 * any number of these. `watch` is called by the caller's thread. Integers are rounded and clipped
 * to their range. *distance, unless NULL: the estimated distance of the worst pixel from the exact
 * picture. After a failure the picture is unchanged, or some of its planes are filled where each is
 * a picture. */
int rec_edit_fill(const rec_edit_of *edit, double *distance);

/* Computes the edges of the height field, one plane, that has these normals: a map of three planes,
 * as 0 to the largest value of unsigned integers, or numbers of -1 to 1. `green` says where
 * positive y points: "up" (OpenGL), "down" (DirectX) or "auto", the one whose slopes are more
 * nearly those of a surface. Where blue is never above its middle it is computed from the others.
 * All arrays are in ordinary memory. */
int rec_poisson_normals(const rec_poisson *solver, const rec_pixels *normals, const char *green,
                        const rec_array *edges);

/* How many CUDA devices there are; 0 without a driver. */
int rec_device_count(void);

/* Describes the last failure in this thread. Valid until the thread's next call. */
const char *rec_error_text(void);

/* The version of the library, such as "1.0.0". */
const char *rec_version_text(void);

#ifdef __cplusplus
}
#endif
#endif
