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
    *sources = (rec_sources){.width = width, .height = height};
    return rec_allocate_sparse(&sources->label, width * height, sizeof *sources->label,
                               "the sources of a mask", error);
}

void rec_sources_destroy(rec_sources *sources)
{
    rec_free(sources->label);
    rec_free(sources->at);
    *sources = (rec_sources){0};
}

rec_status rec_sources_add(rec_sources *sources, const rec_patch *source, uint16_t *label,
                           rec_error *error)
{
    if (sources->count == sources->room && sources->room < REC_MOST_SOURCES) {
        const size_t room = rec_smaller(2 * sources->room + 15, REC_MOST_SOURCES);
        rec_patch *larger;
        REC_TRY(rec_allocate(&larger, room, sizeof *larger, "the sources of a mask", error));
        if (sources->count)
            memcpy(larger, sources->at, sources->count * sizeof *larger);
        rec_free(sources->at);
        sources->at = larger;
        sources->room = room;
    }
    if (sources->count < sources->room)
        sources->at[sources->count++] = *source;
    *label = (uint16_t)sources->count;
    return REC_OK;
}

void rec_sources_measure(rec_sources *sources, const rec_mask *mask)
{
    for (size_t i = 0; i < sources->count; i++) {
        sources->at[i].box = (rec_area){0};
        sources->at[i].count = 0;
    }
    const rec_area area = rec_area_grow(mask->box, RING, mask->width, mask->height);
    for (size_t y = area.y; y < area.y + area.height; y++)
        for (size_t x = area.x; x < area.x + area.width; x++) {
            uint16_t *label = &sources->label[y * mask->width + x];
            if (!*label) /* a page that nobody writes takes no memory */
                continue;
            if (!mask->unknown[y * mask->width + x]) {
                *label = 0;
                continue;
            }
            rec_patch *patch = &sources->at[*label - 1];
            patch->box = rec_area_join(patch->box, (rec_area){x, y, 1, 1});
            patch->count++;
        }
}

/* ---- connected parts ---- */

typedef struct region { /* the box of the mask, and what is around it */
    size_t x, y, width, height;
    unsigned char *near; /* 1: within RING of a pixel of the mask, down and across; more: walked */
    size_t *reached;     /* pixels in the order in which they were walked; room for two walks */
} region;

static void drop_region(region *area)
{
    rec_free(area->near);
    rec_free(area->reached);
}

/* In tiles: most of the box may be far from all unknown pixels, and its pages take no memory. */
static rec_status find_region(region *made, const rec_mask *mask, rec_error *error)
{
    enum { TILE = 64, SIDE = TILE + 2 * RING };
    const rec_area box = rec_area_grow(mask->box, RING, mask->width, mask->height);
    unsigned char work[SIDE * SIDE], near[SIDE * SIDE];
    size_t count = 0;
    *made = (region){.x = box.x, .y = box.y, .width = box.width, .height = box.height};
    REC_TRY(rec_allocate_sparse(&made->near, box.width, box.height, "the parts of a mask", error));
    for (size_t i = 0; i < box.height; i += TILE)
        for (size_t k = 0; k < box.width; k += TILE) {
            rec_mask tile = *mask;
            rec_mask_measure_in(&tile, (rec_area){box.x + k, box.y + i,
                                                  rec_smaller(TILE, box.width - k),
                                                  rec_smaller(TILE, box.height - i)});
            if (!tile.count)
                continue;
            const rec_area area = rec_area_grow(tile.box, RING, mask->width, mask->height);
            rec_mask_spread(mask->unknown + area.y * mask->width + area.x, mask->width, area.width,
                            area.height, RING, work, near);
            for (size_t y = 0; y < area.height; y++) {
                unsigned char *to = made->near + (area.y - box.y + y) * box.width + area.x - box.x;
                for (size_t x = 0; x < area.width; x++) {
                    count += near[y * area.width + x] && !to[x];
                    to[x] |= near[y * area.width + x];
                }
            }
        }
    return rec_allocate(&made->reached, 2 * count, sizeof *made->reached, "the parts of a mask",
                        error);
}

static uint16_t *label_at(const region *area, const rec_sources *sources, size_t at)
{
    return &sources->label[(area->y + at / area->width) * sources->width + area->x +
                           at % area->width];
}

/* All that is connected with a pixel, the nearest first: their labels, from `label` on, another one
 * after each `piece` steps, but at most `last`. Returns how many steps there are; *count: pixels,
 * in area->reached. `now`: what near becomes, which is 1 less; SPLITS: of its own label alone. */
static size_t walk(const region *area, rec_sources *sources, size_t at, unsigned char now,
                   size_t label, size_t piece, size_t last, size_t *count)
{
    const uint16_t own = *label_at(area, sources, at);
    size_t steps = 0, end = 1;
    *count = 1;
    area->reached[0] = at;
    area->near[at] = now;
    for (size_t done = 0; done < *count; done++) {
        if (done == end) {
            steps++;
            end = *count;
        }
        const size_t here = area->reached[done], x = here % area->width, y = here / area->width;
        const size_t around[] = {x ? here - 1 : here, x + 1 < area->width ? here + 1 : here,
                                 y ? here - area->width : here,
                                 y + 1 < area->height ? here + area->width : here};
        *label_at(area, sources, here) = (uint16_t)rec_smaller(label + steps / piece, last);
        for (size_t i = 0; i < 4; i++)
            if (area->near[around[i]] == now - 1 &&
                (now < SPLITS || *label_at(area, sources, around[i]) == own)) {
                area->near[around[i]] = now;
                area->reached[(*count)++] = around[i];
            }
    }
    return steps + 1;
}

/* A part that is much longer than it is wide, such as a wire, is cut into pieces along its length,
 * from one end to the other; where it has branches, each into its own. */
static rec_status label_part(const region *area, rec_sources *sources, size_t at,
                             rec_error *error)
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
        uint16_t label = *label_at(area, sources, next);
        if (area->near[next] == SPLITS)
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
    if (!mask->count)
        return REC_OK;
    REC_TRY(find_region(&area, mask, error));
    for (size_t y = mask->box.y; y < mask->box.y + mask->box.height; y++) {
        const unsigned char *row = mask->unknown + y * mask->width, *x = row + mask->box.x;
        for (; (x = memchr(x, 1, (size_t)(row + mask->box.x + mask->box.width - x))); x++) {
            const size_t at = (y - area.y) * area.width + (size_t)(x - row) - area.x;
            if (area.near[at] == 1)
                REC_TRY(label_part(&area, sources, at, error));
        }
    }
    rec_sources_measure(sources, mask);
    return REC_OK;
}
