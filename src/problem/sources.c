/* The sources of a mask's pixels, and its parts. */
#include "problem/sources.h"

#include <string.h>

#include "base/memory.h"

enum {
    RING = 8,  /* pixels around a part that decide which source fits it */
    PIECE = 4, /* times its width: the length of a piece of a long part */
    SPLITS = 5
};

rec_status rec_sources_create(rec_sources *sources, size_t width, size_t height, rec_error *error)
{
    return rec_sources_create_for(sources, &(rec_mask){.width = width, .height = height}, error);
}

rec_status rec_sources_create_for(rec_sources *sources, const rec_mask *mask, rec_error *error)
{
    const size_t bytes = sizeof *sources->label;
    *sources = (rec_sources){.width = mask->width, .height = mask->height};
    return mask->sparse ? rec_sparse_create(&sources->sparse, mask->width, mask->height, bytes,
                                            error)
                        : rec_allocate_sparse(&sources->label, mask->width * mask->height, bytes,
                                              "the sources of a mask", error);
}

void rec_sources_drop_labels(rec_sources *sources)
{
    rec_free(sources->label);
    rec_sparse_destroy(sources->sparse);
    sources->label = NULL;
    sources->sparse = NULL;
}

void rec_sources_destroy(rec_sources *sources)
{
    rec_sources_drop_labels(sources);
    rec_free(sources->at);
    *sources = (rec_sources){0};
}

rec_status rec_sources_add(rec_sources *sources, const rec_patch *source, uint16_t *label,
                           rec_error *error)
{
    if (sources->count == sources->capacity && sources->capacity < REC_MOST_SOURCES) {
        const size_t capacity = rec_smaller(2 * sources->capacity + 15, REC_MOST_SOURCES);
        rec_patch *larger;
        REC_TRY(rec_allocate(&larger, capacity, sizeof *larger, "the sources of a mask", error));
        if (sources->count)
            memcpy(larger, sources->at, sources->count * sizeof *larger);
        rec_free(sources->at);
        sources->at = larger;
        sources->capacity = capacity;
    }
    if (sources->count < sources->capacity)
        sources->at[sources->count++] = *source;
    *label = (uint16_t)sources->count;
    return REC_OK;
}

void rec_sources_measure_group(rec_sources *sources, const rec_mask *mask, uint16_t group,
                               rec_area area)
{
    for (rec_patch *at = sources->at; at < sources->at + sources->count; at++)
        if (!group || at->group == group) {
            area = rec_area_join(area, at->box);
            at->box = (rec_area){0};
            at->count = 0;
        }
    const size_t end = area.x + area.width;
    for (size_t y = area.y; y < area.y + area.height; y++)
        for (size_t x = area.x, count; x < end; x += count) {
            uint16_t *label = rec_sources_run(sources, x, y, end, &count);
            for (size_t i = 0, one; label && i < count; i++) {
                if (!label[i]) /* a page that nobody writes takes no memory */
                    continue;
                const unsigned char *unknown = rec_mask_run(mask, x + i, y, end, &one);
                rec_patch *patch = &sources->at[label[i] - 1];
                if (!unknown || !*unknown) {
                    label[i] = 0;
                } else if (!group || patch->group == group) {
                    patch->box = rec_area_join(patch->box, (rec_area){x + i, y, 1, 1});
                    patch->count++;
                }
            }
        }
}

void rec_sources_measure(rec_sources *sources, const rec_mask *mask)
{
    const rec_area near = rec_area_grow(mask->box, RING, mask->width, mask->height);
    rec_sources_measure_group(sources, mask, 0, near);
}

/* ---- connected parts ---- */

typedef struct region { /* the mask, and what is around it */
    rec_mask near;   /* 1: within RING of a pixel of the mask, down and across; more: walked */
    size_t *reached; /* pixels in the order in which they were walked; room for two walks */
} region;

static void drop_region(region *area)
{
    rec_mask_destroy(&area->near);
    rec_free(area->reached);
}

/* Near the mask there is one. */
static uint16_t *label_at(const rec_sources *sources, size_t at)
{
    size_t one;
    const size_t x = at % sources->width;
    return rec_sources_run(sources, x, at / sources->width, x + 1, &one);
}

/* Far from the mask there may be none. */
static unsigned char *near_at(const region *area, size_t at)
{
    size_t one;
    const size_t x = at % area->near.width;
    return rec_mask_run(&area->near, x, at / area->near.width, x + 1, &one);
}

/* All that is connected with a pixel, the nearest first: their labels, from `label` on, another one
 * after each `piece` steps, but at most `last`. Returns how many steps there are; *count: pixels,
 * in area->reached. `now`: what near becomes, which is 1 less; SPLITS: of its own label alone. */
static size_t walk(const region *area, rec_sources *sources, size_t at, unsigned char now,
                   size_t label, size_t piece, size_t last, size_t *count)
{
    const uint16_t own = *label_at(sources, at);
    const size_t width = sources->width;
    size_t steps = 0, end = 1;
    *count = 1;
    area->reached[0] = at;
    *near_at(area, at) = now;
    for (size_t done = 0; done < *count; done++) {
        if (done == end) {
            steps++;
            end = *count;
        }
        const size_t here = area->reached[done], x = here % width, y = here / width;
        const size_t around[] = {x ? here - 1 : here, x + 1 < width ? here + 1 : here,
                                 y ? here - width : here,
                                 y + 1 < sources->height ? here + width : here};
        *label_at(sources, here) = (uint16_t)rec_smaller(label + steps / piece, last);
        for (size_t i = 0; i < 4; i++) {
            unsigned char *near = near_at(area, around[i]);
            if (near && *near == now - 1 &&
                (now < SPLITS || *label_at(sources, around[i]) == own)) {
                *near = now;
                area->reached[(*count)++] = around[i];
            }
        }
    }
    return steps + 1;
}

/* A part that is much longer than it is wide, such as a wire, is cut into pieces along its length,
 * from one end to the other; where it has branches, each into its own. */
static rec_status label_part(const region *area, rec_sources *sources, size_t at, rec_error *error)
{
    rec_patch smooth = {.smooth = 1};
    region behind = *area;
    uint16_t first, last;
    size_t count;
    REC_TRY(rec_sources_add(sources, &smooth, &first, error));
    walk(area, sources, at, 2, first, SIZE_MAX, first, &count);
    const size_t end = area->reached[count - 1];
    const size_t length = walk(area, sources, end, 3, first, SIZE_MAX, first, &count);
    const size_t width = count / length + 1, pieces = length / (PIECE * width);
    if (pieces < 2)
        return REC_OK;
    last = sources->at[first - 1].group = smooth.group = first;
    for (size_t i = 1; i < pieces; i++)
        REC_TRY(rec_sources_add(sources, &smooth, &last, error));
    walk(area, sources, end, 4, first, length / pieces + 1, last, &count);
    behind.reached += count;
    for (size_t i = 0, all = count; i < all; i++) {
        const size_t next = area->reached[i];
        uint16_t label = *label_at(sources, next);
        if (*near_at(area, next) == SPLITS)
            continue;
        if (sources->at[label - 1].count++) /* another branch has it */
            REC_TRY(rec_sources_add(sources, &smooth, &label, error));
        walk(&behind, sources, next, SPLITS, label, SIZE_MAX, label, &count);
    }
    return REC_OK;
}

rec_status rec_sources_part(rec_sources *sources, const rec_mask *mask, rec_error *error)
{
    REC_OWNED(drop_region) region area = {0};
    const rec_area box = mask->box;
    const rec_patch whole = {.smooth = 1, .box = box, .count = mask->count};
    uint16_t label;
    if (!mask->count)
        return REC_OK;
    if (mask->count == box.width * box.height && 2 * mask->count > mask->width * mask->height &&
        box.width < PIECE * box.height && box.height < PIECE * box.width)
        return rec_sources_add(sources, &whole, &label, error); /* each pixel's, if it had one */
    REC_TRY(rec_mask_widen(&area.near, mask, RING, error));
    REC_TRY(rec_allocate(&area.reached, 2 * area.near.count, sizeof *area.reached,
                         "the parts of a mask", error));
    if (mask->sparse)
        REC_TRY(rec_sparse_cover(sources->sparse, area.near.sparse, error));
    const size_t end = mask->box.x + mask->box.width;
    for (size_t y = mask->box.y; y < mask->box.y + mask->box.height; y++)
        for (size_t x = mask->box.x, count; x < end; x += count) {
            const unsigned char *run = rec_mask_run(mask, x, y, end, &count), *at = run;
            for (; at && (at = memchr(at, 1, (size_t)(run + count - at))); at++) {
                const size_t pixel = y * mask->width + x + (size_t)(at - run);
                if (*near_at(&area, pixel) == 1)
                    REC_TRY(label_part(&area, sources, pixel, error));
            }
        }
    rec_sources_measure(sources, mask);
    return REC_OK;
}
