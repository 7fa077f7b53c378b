/* The shapes of the tiles of resident.cu, which is compiled once for each row of the table: the
 * Makefile reads the first numbers of the rows. */
#pragma once

#include "kernels/kernels.h"

// The first row is taken that covers the image with a tile a multiprocessor: the smaller the tile,
// the faster the iteration, as long as exchanges are few. Several planes share the multiprocessors:
// each plane has fewer and larger tiles. A row has: the side of the square that it is best for on
// an H200; the most and the fewest iterations between two exchanges; columns a lane, rows a warp,
// warps, rows of f in registers, and whether a sweep makes two iterations (resident_warp.cuh).
// Beside it stands the time of an iteration there. The last tile could exchange every 4 iterations,
// for sides of 2408 to 2476, but `diagonal` is faster there.
// clang-format off
#define REC_RESIDENT_SHAPES(SHAPE) \
    SHAPE(256, 16, 14, 4, 12, 4, 12, false)  /* 0.24 us */ \
    SHAPE(512, 20, 12, 4, 16, 4, 16, false)  /* 0.25 us */ \
    SHAPE(768, 24, 12, 4, 10, 8, 10, false)  /* 0.33 us */ \
    SHAPE(1024, 24, 12, 4, 16, 8, 16, false) /* 0.41 us */ \
    SHAPE(1280, 24, 10, 4, 20, 8, 20, false) /* 0.54 us */ \
    SHAPE(1536, 24, 6, 4, 24, 8, 24, false)  /* 0.69 us */ \
    SHAPE(1600, 24, 8, 8, 14, 8, 6, true)    /* slabs of 2048 x 1280 */ \
    SHAPE(1792, 24, 8, 8, 18, 8, 3, true)    /* 0.83 us */ \
    SHAPE(2048, 24, 8, 8, 21, 8, 0, true)    /* 1.10 us */ \
    SHAPE(2304, 24, 6, 8, 24, 8, 1, true)    /* 1.41 us */ \
    SHAPE(2400, 24, 6, 8, 25, 8, 2, true)    /* 1.59 us */
// clang-format on

typedef struct rec_resident_job {
    float *plane[2]; // [0] holds the start; round r = 1, 2, ... writes plane[r & 1]
    const float *f;
    int width, height, pitch; // columns width..pitch-1 of plane[0] and f hold the halo
    float halo;
    int iterations, depth; // in all, and between two exchanges; both even
    int tiles_x, tiles_y;
    unsigned *flags; // one a tile: rounds done, of this launch and all before
    unsigned raised; // of all before
} rec_resident_job;

typedef struct rec_resident_shape {
    void (*kernel)(rec_resident_job);
    int most, least;   // iterations between two exchanges
    int lane, columns; // columns of a lane and of a tile
    int rows, threads; // of a tile
    int shared;        // bytes
} rec_resident_shape;
#define REC_RESIDENT_DECLARE(square, ...) extern const rec_resident_shape rec_resident_##square;
REC_RESIDENT_SHAPES(REC_RESIDENT_DECLARE)
#undef REC_RESIDENT_DECLARE

#ifdef __cplusplus
// Bytes of shared memory that a block can have on an architecture (__CUDA_ARCH__ / 10). A shape
// that needs more compiles to nothing.
REC_HD constexpr int rec_shared_of(int architecture)
{
    return 1024 * (architecture < 80                          ? 64
                   : architecture == 80 || architecture == 87 ? 163
                   : architecture < 90 || architecture >= 120 ? 99
                                                              : 227);
}
#endif

// The start of tile i of n: the first is at `first`, the last at `last`, the others between them at
// multiples of `grain`.
static REC_HD inline int rec_tile_start(int i, int n, int first, int last, int grain)
{
    return n == 1 ? first : first + (int)((long long)(last - first) / grain * i / (n - 1)) * grain;
}
// Tiles begin a lane of halo before the image, and end a lane behind it, or only a column behind it
// if the width is not a whole number of lanes.
static REC_HD inline int rec_tile_x(int lane, int columns, int width, int tiles, int i)
{
    const int end = width % lane ? width + 1 : width + lane;
    return rec_tile_start(i, tiles, -lane, (end - columns + lane - 1) / lane * lane, lane);
}
static REC_HD inline int rec_tile_y(int rows, int height, int tiles, int i)
{
    return rec_tile_start(i, tiles, 0, height - rows, 1);
}
