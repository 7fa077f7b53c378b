/* What the labels of a part cost: seams with known pixels, and texture. */
#include <stdlib.h>

#include "problem/labels.h"

enum {
    RIM = 2,          /* what differs at the rim counts so often, as at both ends of a seam */
    SEAM = 4,         /* a seam between two pixels costs that besides what differs: few seams */
    OUTSIDE = 1500,   /* a source at the rim, beside which nothing is known */
    TEXTURE = 6,      /* each doubling by which a source's gradients miss what is around, */
    MOST_TEXTURE = 4  /* but not of more than so many; all three in colour */
};

int rec_labelling_differs(const rec_level *of, ptrdiff_t x, ptrdiff_t y, const rec_place *from)
{
    int sum = 0;
    for (size_t s = 3 - of->planes; s < REC_LEVEL_SIGNALS; s++) {
        const int a = rec_level_signal(of, s, x, y);
        const int b = rec_level_signal(of, s, x + from->x, y + from->y);
        sum += a == REC_CUT_GONE || b == REC_CUT_GONE ? 0 : abs(a - b);
    }
    return sum;
}

/* ---- texture: the logarithm of the mean square of known gradients nearby, in eighths ---- */

static unsigned char eighths(uint64_t sum, uint64_t count)
{
    static const unsigned steps[] = {279, 304, 332, 362, 395, 431, 470};
    uint64_t value = 256 + (count ? (sum << 8) / count : 0);
    unsigned char made = 0;
    for (; value >= 512; value >>= 1)
        made += 8;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        made += value >= steps[i];
    return made;
}

/* In 7 x 7 pixels: sums across, then down. */
rec_status rec_labelling_textures(const rec_level *of, unsigned char *texture, rec_error *error)
{
    const ptrdiff_t width = (ptrdiff_t)of->width, height = (ptrdiff_t)of->height;
    rec_owned uint32_t *sums = NULL;
    REC_TRY(rec_allocate_zeroed(&sums, of->width * of->height, 4 * sizeof *sums, "labels", error));
    uint32_t *const row = sums + 2 * width * height;
    for (ptrdiff_t i = 0; i < width * height; i++)
        for (size_t s = 3; s < 5; s++) {
            const int value = rec_level_signal(of, s, i % width, i / width);
            sums[2 * i] += value == REC_CUT_GONE ? 0 : (uint32_t)(value * value / 4);
            sums[2 * i + 1] += s == 4 && value != REC_CUT_GONE;
        }
    for (ptrdiff_t i = 0; i < width * height; i++)
        for (ptrdiff_t k = -3; k <= 3; k++)
            for (ptrdiff_t n = 0; n < 2 && i % width + k >= 0 && i % width + k < width; n++)
                row[2 * i + n] += sums[2 * (i + k) + n];
    for (ptrdiff_t i = 0; i < width * height; i++) {
        uint64_t sum[2] = {0};
        for (ptrdiff_t k = -3; k <= 3; k++)
            for (ptrdiff_t n = 0; n < 2 && i / width + k >= 0 && i / width + k < height; n++)
                sum[n] += row[2 * (i + k * width) + n];
        texture[i] = eighths(sum[0], sum[1]);
    }
    return REC_OK;
}

/* ---- the graph of some of the pixels ---- */

void rec_table_destroy(rec_table *made)
{
    rec_free(made->next);
    rec_free(made->cost);
    rec_free(made->value);
    rec_free(made->at);
}

/* What a free pixel pays for a place; 0 <= wanted: its texture. */
static int32_t cost_of(const rec_labelling *all, const rec_place *pixel, const rec_place *from,
                       const unsigned char *texture, int wanted)
{
    const rec_level *of = all->level;
    const ptrdiff_t x = pixel->x + from->x, y = pixel->y + from->y;
    const int share = (int)of->planes + 2;
    int32_t cost = 0;
    if (!rec_level_gives(of, x, y))
        return REC_CUT_NEVER;
    for (int d = 0; d < 4; d++) {
        const ptrdiff_t to_x = pixel->x + (d == 0) - (d == 2);
        const ptrdiff_t to_y = pixel->y + (d == 1) - (d == 3);
        if (rec_level_knows(of, to_x, to_y))
            cost += rec_level_knows(of, to_x + from->x, to_y + from->y)
                        ? RIM * rec_labelling_differs(of, to_x, to_y, from) : OUTSIDE * share / 5;
    }
    if (texture) {
        const int miss = abs(texture[y * (ptrdiff_t)of->width + x] - wanted);
        cost += TEXTURE * share * (miss < 8 * MOST_TEXTURE ? miss : 8 * MOST_TEXTURE) / 40;
    }
    return cost;
}

/* The texture of known pixels around, by inverse squares of distances. */
static int wanted_at(const rec_level *of, const rec_place *pixel, const rec_place *ring,
                     size_t count, const unsigned char *texture)
{
    int64_t sum = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t x = ring[i].x - pixel->x, y = ring[i].y - pixel->y;
        const int64_t weight = ((int64_t)1 << 30) / (x * x + y * y + 1);
        sum += weight * texture[ring[i].y * (ptrdiff_t)of->width + ring[i].x];
        weights += weight;
    }
    return weights ? (int)(sum / weights) : 0;
}

/* `role`: of each pixel of the box. */
rec_status rec_table_make(rec_table *made, const rec_labelling *all, const unsigned char *role,
                             const rec_place *ring, size_t ring_count,
                             const unsigned char *texture, rec_error *error)
{
    const rec_level *of = all->level;
    const size_t across = all->box.width, pixels = across * all->box.height;
    rec_owned int32_t *index = NULL;
    size_t n = 0;
    REC_TRY(rec_allocate(&index, pixels, sizeof *index, "labels", error));
    for (size_t i = 0; i < pixels; i++)
        index[i] = role[i] == REC_PIXEL_OUT ? -1 : (int32_t)n++;
    REC_TRY(rec_allocate(&made->next, n, 5 * sizeof *made->next, "labels", error));
    REC_TRY(rec_allocate(&made->cost, n * all->places, sizeof *made->cost, "labels", error));
    REC_TRY(rec_allocate(&made->value, n * all->places, REC_CUT_SIGNALS * sizeof *made->value,
                         "labels", error));
    REC_TRY(rec_allocate(&made->at, n, sizeof *made->at, "labels", error));
    made->label = made->next + 4 * n;
    made->field = (rec_field){.count = n, .labels = all->places, .value = made->value,
                              .cost = made->cost, .label = made->label,
                              .seam = SEAM * ((int32_t)of->planes + 2) / 5};
    for (size_t i = 0; i < pixels; i++) {
        if (index[i] < 0)
            continue;
        const size_t at = (size_t)index[i], x = i % across;
        made->next[at] = x + 1 < across ? index[i + 1] : -1;
        made->next[n + at] = i + across < pixels ? index[i + across] : -1;
        made->next[2 * n + at] = x ? index[i - 1] : -1;
        made->next[3 * n + at] = i >= across ? index[i - across] : -1;
        made->label[at] = all->map[i] - 1;
        const rec_place pixel = {(ptrdiff_t)(all->box.x + x), (ptrdiff_t)(all->box.y + i / across)};
        const int wanted = texture ? wanted_at(of, &pixel, ring, ring_count, texture) : 0;
        made->at[at] = pixel;
        for (size_t a = 0; a < all->places; a++) {
            const rec_place *from = &all->place[a];
            int16_t *value = made->value + (a * n + at) * REC_CUT_SIGNALS;
            for (size_t s = 0; s < REC_CUT_SIGNALS; s++)
                value[s] = s < 3 - of->planes ? 0 : rec_level_signal(of, s, pixel.x + from->x,
                                                                     pixel.y + from->y);
            made->cost[a * n + at] = made->label[at] == (int32_t)a ? 0 : REC_CUT_NEVER;
            if (role[i] == REC_PIXEL_FREE)
                made->cost[a * n + at] = cost_of(all, &pixel, from, texture, wanted);
        }
    }
    for (size_t d = 0; d < 4; d++)
        made->field.next[d] = made->next + d * n;
    return REC_OK;
}
