/* Numbers of a picture's pixels, of which most are 0, such as a mask's: squares of nothing but 0
 * take no memory. Threads may write different ones at a time. */
#pragma once

#include <stddef.h>

#include "base/status.h"

enum { REC_SQUARE = 64 }; /* pixels: the side of a square */

typedef struct rec_sparse {
    size_t width, height, bytes; /* of a number */
    size_t across, count;        /* squares of a row, and all */
    size_t used, left, chunks;   /* squares that have memory, and for which there is some */
    unsigned char *next, **chunk;
    unsigned char *square[];     /* NULL: it is all 0 */
} rec_sparse;

rec_status rec_sparse_create(rec_sparse **sparse, size_t width, size_t height, size_t bytes,
                             rec_error *error);
void rec_sparse_destroy(rec_sparse *sparse); /* NULL is fine */

/* That of pixel (x, y), with those to its right in the same square, up to pixel end - 1: *count of
 * them. NULL: they are 0. */
void *rec_sparse_run(const rec_sparse *sparse, size_t x, size_t y, size_t end, size_t *count);

/* Sets those of pixels x..x+count-1 of row y. */
rec_status rec_sparse_write(rec_sparse *sparse, size_t x, size_t y, size_t count, const void *from,
                            rec_error *error);

/* From now on there is memory where another one, of the same size, has it. */
rec_status rec_sparse_cover(rec_sparse *sparse, const rec_sparse *other, rec_error *error);
