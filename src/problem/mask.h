/* A mask: which pixels are unknown. All others are known and keep their samples. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct rec_mask {
    size_t width, height;
    unsigned char *unknown; /* [y * width + x]: 1 unknown, 0 known */
    size_t count;           /* unknown pixels */
    size_t x, y, box_width, box_height; /* the smallest box that holds them; 0: there are none */
} rec_mask;

/* All pixels are known. REC_LIMIT if the mask does not fit into memory. */
rec_status rec_mask_create(rec_mask *mask, size_t width, size_t height, rec_error *error);
void rec_mask_destroy(rec_mask *mask);

/* Sets count and box from `unknown`: to be called after each change, before the mask is used. */
void rec_mask_measure(rec_mask *mask);

/* Continues a hash by the size and by which pixels are unknown. */
uint64_t rec_mask_hash(const rec_mask *mask, uint64_t hash);
