#include "problem/mask.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

rec_status rec_mask_create(rec_mask *mask, size_t width, size_t height, rec_error *error)
{
    *mask = (rec_mask){.width = width, .height = height};
    return rec_allocate_zeroed(&mask->unknown, width, height, "a mask", error);
}

void rec_mask_destroy(rec_mask *mask)
{
    rec_free(mask->unknown);
    *mask = (rec_mask){0};
}

void rec_mask_measure(rec_mask *mask)
{
    size_t left = mask->width, right = 0, top = mask->height, bottom = 0;
    mask->count = 0;
    for (size_t y = 0; y < mask->height; y++) {
        const unsigned char *row = mask->unknown + y * mask->width;
        const unsigned char *first = memchr(row, 1, mask->width);
        if (!first)
            continue;
        size_t end = mask->width;
        while (!row[end - 1])
            end--;
        left = rec_smaller(left, (size_t)(first - row));
        right = rec_larger(right, end);
        top = rec_smaller(top, y);
        bottom = y + 1;
        for (size_t x = 0; x < mask->width; x++)
            mask->count += row[x];
    }
    mask->x = mask->count ? left : 0;
    mask->y = mask->count ? top : 0;
    mask->box_width = mask->count ? right - left : 0;
    mask->box_height = mask->count ? bottom - top : 0;
}

uint64_t rec_mask_hash(const rec_mask *mask, uint64_t hash)
{
    const uint64_t size[] = {mask->width, mask->height};
    return rec_hash(rec_hash(hash, size, sizeof size), mask->unknown, mask->width * mask->height);
}
