/* The ladder: the same iteration written many times, each rung one idea away from the one before,
 * to see what each idea is worth. The losers stand beside the winners, out of the shipped path. No
 * CUDA here: the command that times the rungs is plain C.
 *
 * Rungs 1 to 49 and from 80 on do exactly the arithmetic of kernels/stencil.h. Rungs 50 to 66 are
 * the course on convolution: out = stencil * in, with zeros around the image. A file of this folder
 * has the rungs of one question; rung.cuh, device.cu and planes.cu are what they share. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/status.h"

/* ---- the device: device.cu ---- */

typedef struct rec_ladder_device {
    char name[128];
    int number, major, minor; /* compute capability */
    int multiprocessors;
    int lanes;                /* float32 instructions a multiprocessor starts each cycle */
    size_t memory, l2;        /* bytes */
    double start_seconds;     /* from the first call to a context that works */
    double clock, memory_clock; /* Hz, as the driver has them: the highest */
    double clock_measured;    /* Hz, of the multiprocessors at work: cycles over nanoseconds */
    double copy_rate;         /* bytes read and written a second by a large copy on the device */
} rec_ladder_device;

/* Starts the device and measures its copy. REC_UNAVAILABLE where there is none. */
rec_status rec_ladder_device_open(int number, rec_ladder_device *about, rec_error *error);

/* What lies between 1 and 0 is what a profiler started with --profile-from-start off sees. */
void rec_ladder_profile(int on);

/* ---- what a rung works on: planes.cu ---- */

typedef enum rec_ladder_memory {
    REC_LADDER_DEVICE,   /* device memory, nothing on the host */
    REC_LADDER_PAGEABLE, /* and the picture in the host's ordinary memory */
    REC_LADDER_PINNED,   /* and the picture in page-locked host memory */
    REC_LADDER_MANAGED   /* one address for both sides, the pages wander */
} rec_ladder_memory;

/* Two iterates and the edge term on the device, each with a halo around it, of one cell or of the
 * course's radius: no pixel is a special case. */
typedef struct rec_ladder_planes rec_ladder_planes;

/* A rung: queues n iterations, and waits only where its idea makes it wait. */
typedef rec_status rec_ladder_rung(rec_ladder_planes *planes, uint64_t n, rec_error *error);

/* Iterations that were done together: their time, and the last kernel of them. */
typedef struct rec_ladder_launch {
    double seconds;
    size_t blocks, threads; /* threads: of a block; blocks 0: no launch, or not known */
    double waves; /* blocks over those that all multiprocessors hold at once; 0: not known */
} rec_ladder_launch;

typedef struct rec_ladder_block {
    unsigned columns, rows;           /* threads of a block, where the rung leaves the choice */
    unsigned grid_columns, grid_rows; /* blocks, likewise; 0: the rung's own choice */
} rec_ladder_block;

/* The function of `bench --mine`, one of three: an iteration, which exercise.cu describes; n of
 * them, which returns whichever plane has the result (`in` may be overwritten, too); and an
 * iteration that adds the squares of its changes to *squares, which is 0 before. */
typedef struct rec_ladder_mine rec_ladder_mine;
struct rec_ladder_mine {
    void (*step)(float *out, const float *in, const float *edges, int width, int height,
                 int stride);
    float *(*steps)(float *out, float *in, const float *edges, int width, int height, int stride,
                    int n);
    void (*step_norm)(float *out, const float *in, const float *edges, int width, int height,
                      int stride, double *squares);
    const char *(*failed)(void); /* what the device says after it; NULL: it runs on the host */
    /* Of a kernel that runs by fibres (fibres.cpp), and of what is watched (watch.c), else NULL:
     * prints what its step does with memory, and how many bytes an update that is. Returns what is
     * wrong, or NULL. together: iterations of a call. */
    const char *(*trace)(const rec_ladder_mine *mine,
                         uint64_t (*take)(const rec_ladder_mine *, uint64_t, float **, float **,
                                          const float *, int, int, int, double *),
                         int together, FILE *stream, double *bytes);
};

enum { REC_LADDER_STEPS = 8 }; /* at most, at once */

/* At most n iterations from *in to *out, which then change places. Returns how many; 0: the
 * function returned neither of the two. */
static inline uint64_t rec_ladder_steps(const rec_ladder_mine *mine, uint64_t n, float **in,
                                        float **out, const float *edges, int width, int height,
                                        int stride, double *squares)
{
    float *made = *out, *const before = *in;
    const uint64_t most = mine->steps ? (uint64_t)REC_LADDER_STEPS : 1;
    const uint64_t count = n < most ? n : most;
    if (mine->steps)
        made = mine->steps(*out, *in, edges, width, height, stride, (int)count);
    else if (mine->step_norm)
        mine->step_norm(*out, *in, edges, width, height, stride, squares);
    else
        mine->step(*out, *in, edges, width, height, stride);
    if (made == *out) {
        *in = made;
        *out = before;
    }
    return made == *in ? count : 0;
}

typedef struct rec_ladder_problem {
    rec_ladder_rung *rung;
    size_t width, height, stride; /* pixels; stride: 32-bit words from row to row of the arrays */
    const void *m, *f; /* height rows: the start, and the edge term */
    float halo;
    int radius;           /* of the course's stencil, up to 31; 0: the ladder */
    const float *weights; /* 2 radius + 1 rows of as many; then there is no f */
    rec_ladder_block block;
    int device;
    rec_ladder_memory memory;
    const rec_ladder_mine *mine; /* for the rung of that name; f is E then */
} rec_ladder_problem;

/* REC_LIMIT where the memory is not there; managed memory is never asked for beyond a quarter of
 * what the device has free. *state is of the functions below. */
rec_status rec_ladder_create(void **state, const rec_ladder_problem *problem, rec_error *error);
/* n iterations and their time on the device, by events. */
rec_status rec_ladder_advance(void *state, uint64_t n, rec_ladder_launch *launch, rec_error *error);
/* The current iterate or the convolution, width words a row, row after row. *squares: the sum of
 * squared changes of the last iteration, for rungs that make it; NULL: not wanted. */
rec_status rec_ladder_read(void *state, void *words, double *squares, rec_error *error);
void rec_ladder_destroy(void *state);

/* ---- the rungs; their numbers and blocks are in src/bench/rungs_gpu.c ---- */

rec_ladder_rung rec_ladder_copy, rec_ladder_handout, rec_ladder_row, rec_ladder_column,
    rec_ladder_pixel, rec_ladder_swap, rec_ladder_tile, rec_ladder_norm_atomic,
    rec_ladder_norm_shuffle, rec_ladder_norm_cub, rec_ladder_look, rec_ladder_managed,
    rec_ladder_prefetch, rec_ladder_graph, rec_ladder_temporal2, rec_ladder_temporal4,
    rec_ladder_temporal8, rec_ladder_add_wrong, rec_ladder_add_right, rec_ladder_swap_host,
    rec_ladder_tile_norm, rec_ladder_add_prefetch, rec_ladder_grid, rec_ladder_managed_cpu,
    rec_ladder_copy_host, rec_ladder_copy_kernel, rec_ladder_pixel_wrong, rec_ladder_add_look,
    rec_ladder_tile_32, rec_ladder_strip_2, rec_ladder_strip_8, rec_ladder_pipeline,
    rec_ladder_own;
rec_ladder_rung rec_ladder_course_row, rec_ladder_course_pixel, rec_ladder_course_block,
    rec_ladder_course_vector, rec_ladder_course_warp, rec_ladder_course_register,
    rec_ladder_course_unrolled, rec_ladder_course_tile, rec_ladder_course_gang_columns,
    rec_ladder_course_gang_rows, rec_ladder_course_gang_warp;

/* The bytes that an update moves by the kernel's own count: what its blocks load and store, each
 * word of a block once. 12 without tiles: M, f and M'. */
enum { REC_LADDER_TILE_COLUMNS = 64, REC_LADDER_TILE_ROWS = 4, REC_LADDER_REGION = 64 };
#define REC_LADDER_TILE_BYTES                                                                      \
    (12 + 8.0 * (REC_LADDER_TILE_COLUMNS + REC_LADDER_TILE_ROWS) /                                 \
              (REC_LADDER_TILE_COLUMNS * REC_LADDER_TILE_ROWS))
#define REC_LADDER_USEFUL(depth) ((REC_LADDER_REGION - 2.0 * (depth)) / REC_LADDER_REGION)
#define REC_LADDER_TEMPORAL_BYTES(depth)                                                           \
    ((8 / (REC_LADDER_USEFUL(depth) * REC_LADDER_USEFUL(depth)) + 4) / (depth))
/* Of 90 to 92: the columns that a strip of 128 loses on each side, and the rows that a block makes.
 * It loads a quarter more. */
#define REC_LADDER_STRIP_LOST(depth) (((depth) + 3) / 4 * 4)
#define REC_LADDER_STRIP_ROWS(depth) (8 * (depth))
#define REC_LADDER_STRIP_BYTES(depth) \
    ((8 * 1.25 * 128 / (128 - 2 * REC_LADDER_STRIP_LOST(depth)) + 4) / (depth))

/* Iterations between two looks of the host in 16, 17 and 18, and in the graph of 19: even, so that
 * after it the pointers are where they were. */
enum { REC_LADDER_LOOK_EVERY = 25, REC_LADDER_GRAPH = 32 };

#ifdef __cplusplus
}
#endif
