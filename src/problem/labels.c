/* Several sources for one part, such as one across a border: every pixel has the label of a place,
 * so that little differs along seams and rim. The graph of all its pixels is cut where the picture
 * is reduced; at larger sizes places are refined, and pixels near seams choose again. */
#include "problem/labels.h"

#include <stdlib.h>

enum {
    BAND = 3,         /* pixels near a seam or the rim that choose again at larger sizes */
    REFINE = 2,       /* so far a place moves there, as fits pixels near its own */
    RIM = 2,          /* what differs at the rim counts so often, as at both ends of a seam */
    SEAM = 4,         /* a seam between two pixels costs that besides what differs: few seams */
    OUTSIDE = 1500,   /* a source at the rim, beside which nothing is known */
    TEXTURE = 6,      /* each doubling by which a source's gradients miss what is around, */
    MOST_TEXTURE = 4  /* but not of more than so many; all three in colour */
};

rec_area rec_labelling_box(const rec_level *level)
{
    rec_mask part = {.width = level->width, .height = level->height, .unknown = level->part};
    rec_mask_measure(&part);
    return part.box;
}

/* How far a pixel is from one so far away: the sum over all signals that count at both. */
static int differs(const rec_level *of, ptrdiff_t x, ptrdiff_t y, const rec_place *from)
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

/* Of each pixel, from 7 x 7 pixels: sums across, then down. */
static rec_status find_textures(const rec_level *of, unsigned char *texture, rec_error *error)
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

enum { PIXEL_OUT, PIXEL_FIXED, PIXEL_FREE };

static void drop_field(rec_field *made)
{
    rec_free(made->next[0]);
    rec_free(made->cost);
    rec_free(made->value);
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
                        ? RIM * differs(of, to_x, to_y, from) : OUTSIDE * share / 5;
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

/* What pixels of the box that are not PIXEL_OUT pay for every place. `texture`: NULL, or theirs
 * should be that of the known pixels `ring`. */
static rec_status make_field(rec_field *made, const rec_labelling *all, const unsigned char *role,
                             const rec_place *ring, size_t ring_count,
                             const unsigned char *texture, rec_error *error)
{
    const rec_level *of = all->level;
    const size_t across = all->box.width, pixels = across * all->box.height;
    rec_owned int32_t *index = NULL;
    size_t n = 0;
    REC_TRY(rec_allocate(&index, pixels, sizeof *index, "labels", error));
    for (size_t i = 0; i < pixels; i++)
        index[i] = role[i] == PIXEL_OUT ? -1 : (int32_t)n++;
    *made = (rec_field){.count = n, .labels = all->places,
                        .seam = SEAM * ((int32_t)of->planes + 2) / 5};
    REC_TRY(rec_allocate(&made->next[0], n, 5 * sizeof *made->label, "labels", error));
    REC_TRY(rec_allocate(&made->cost, n * all->places, sizeof *made->cost, "labels", error));
    REC_TRY(rec_allocate(&made->value, n * all->places, REC_CUT_SIGNALS * sizeof *made->value,
                         "labels", error));
    for (size_t d = 1; d < 4; d++)
        made->next[d] = made->next[0] + d * n;
    made->label = made->next[0] + 4 * n;
    for (size_t i = 0; i < pixels; i++) {
        if (index[i] < 0)
            continue;
        const size_t at = (size_t)index[i], x = i % across;
        made->next[0][at] = x + 1 < across ? index[i + 1] : -1;
        made->next[1][at] = i + across < pixels ? index[i + across] : -1;
        made->next[2][at] = x ? index[i - 1] : -1;
        made->next[3][at] = i >= across ? index[i - across] : -1;
        made->label[at] = all->map[i] - 1;
        const rec_place pixel = {(ptrdiff_t)(all->box.x + x), (ptrdiff_t)(all->box.y + i / across)};
        const int wanted = texture ? wanted_at(of, &pixel, ring, ring_count, texture) : 0;
        for (size_t a = 0; a < all->places; a++) {
            const rec_place *from = &all->place[a];
            int16_t *value = made->value + (a * n + at) * REC_CUT_SIGNALS;
            for (size_t s = 0; s < REC_CUT_SIGNALS; s++)
                value[s] = s < 3 - of->planes ? 0 : rec_level_signal(of, s, pixel.x + from->x,
                                                                     pixel.y + from->y);
            made->cost[a * n + at] = made->label[at] == (int32_t)a ? 0 : REC_CUT_NEVER;
            if (role[i] == PIXEL_FREE)
                made->cost[a * n + at] = cost_of(all, &pixel, from, texture, wanted);
        }
    }
    return REC_OK;
}

/* Each free pixel has its cheapest place before, if `anew`. */
static rec_status choose(rec_labelling *all, const unsigned char *role, int anew,
                         const rec_place *ring, size_t ring_count, const unsigned char *texture,
                         rec_error *error)
{
    REC_OWNED(drop_field) rec_field made = {0};
    REC_TRY(make_field(&made, all, role, ring, ring_count, texture, error));
    const size_t n = made.count;
    for (size_t i = 0; anew && i < n; i++)
        for (size_t a = made.label[i] = 0; a < all->places; a++)
            if (made.cost[a * n + i] < made.cost[(size_t)made.label[i] * n + i])
                made.label[i] = (int32_t)a;
    REC_TRY(rec_field_expand(&made, anew ? 2 : 1, all->work, error));
    for (size_t i = 0, k = 0; k < n; i++)
        if (role[i] != PIXEL_OUT)
            all->map[i] = (unsigned char)(made.label[k++] + 1);
    return REC_OK;
}

/* Places that no pixel has go, those that are equal become one. */
static void compact(rec_labelling *all)
{
    const size_t pixels = all->box.width * all->box.height;
    unsigned char to[REC_PLACES + 1] = {0};
    size_t count = 0;
    for (size_t i = 0; i < pixels; i++)
        to[all->map[i]] = 1;
    to[0] = 0;
    for (size_t a = 0; a < all->places; a++) {
        size_t same = 0;
        if (!to[a + 1])
            continue;
        while (same < count &&
               (all->place[same].x != all->place[a].x || all->place[same].y != all->place[a].y))
            same++;
        all->place[same] = all->place[a];
        count += same == count;
        to[a + 1] = (unsigned char)(same + 1);
    }
    all->places = count;
    for (size_t i = 0; i < pixels; i++)
        all->map[i] = to[all->map[i]];
}

/* ---- sizes ---- */

rec_status rec_labelling_begin(rec_labelling *all, const unsigned char *owner, size_t pieces,
                               const ptrdiff_t *reach, const rec_place *usual, rec_error *error)
{
    const rec_level *of = all->level;
    const size_t size = of->width * of->height, each = REC_PLACES / REC_SECTORS / pieces;
    const size_t most = rec_larger(rec_smaller(each, REC_PLACES_SECTOR), 1);
    const rec_area near = rec_area_grow(all->box, REC_LABEL_NEAR, of->width, of->height);
    const size_t pixels = near.width * near.height, at = near.y * of->width + near.x;
    rec_owned unsigned char *sets = NULL, *texture = NULL;
    rec_owned rec_place *ring = NULL;
    size_t count = 0, kept = 0;
    REC_TRY(rec_allocate(&texture, size, 2, "labels", error));
    REC_TRY(rec_allocate(&sets, pixels, 4, "labels", error));
    REC_TRY(rec_allocate(&ring, pixels, sizeof *ring, "labels", error));
    for (size_t k = 0; k < pieces; k++) {
        size_t some = 0, before = all->places;
        for (size_t i = 0; i < size; i++)
            some += texture[size + i] = owner[i] == k + 1;
        if (some)
            REC_TRY(rec_sectors_search(of, texture + size, reach[k], most, all->place, &all->places,
                                       all->work, error));
        if (all->places == before && all->places < REC_PLACES)
            all->place[all->places++] = usual[k];
    }
    REC_TRY(find_textures(of, texture, error));
    rec_mask_spread(of->part + at, of->width, near.width, near.height, REC_LABEL_NEAR,
                    sets + 3 * pixels, sets);
    rec_mask_spread(of->blocked + at, of->width, near.width, near.height, 1, sets + 3 * pixels,
                    sets + pixels);
    for (size_t i = 0; i < pixels; i++)
        count += sets[i] && !sets[pixels + i];
    const size_t every = count / 400 + 1;
    for (size_t i = 0, seen = 0; i < pixels; i++)
        if (sets[i] && !sets[pixels + i] && seen++ % every == 0)
            ring[kept++] = (rec_place){(ptrdiff_t)(near.x + i % near.width),
                                       (ptrdiff_t)(near.y + i / near.width)};
    rec_owned unsigned char *role = NULL;
    REC_TRY(rec_allocate(&role, all->box.width, all->box.height, "labels", error));
    for (size_t i = 0; i < all->box.width * all->box.height; i++) {
        all->map[i] = of->part[(all->box.y + i / all->box.width) * of->width + all->box.x +
                               i % all->box.width];
        role[i] = all->map[i] ? PIXEL_FREE : PIXEL_OUT;
    }
    REC_TRY(choose(all, role, 1, ring, kept, texture, error));
    compact(all);
    return REC_OK;
}

rec_status rec_labelling_enlarge(rec_labelling *all, const rec_level *to, rec_error *error)
{
    const rec_area from = all->box, box = rec_labelling_box(to);
    unsigned char *map, last = 1;
    REC_TRY(rec_allocate(&map, box.width, box.height, "labels", error));
    for (size_t y = 0; y < box.height; y++)
        for (size_t x = 0; x < box.width; x++) {
            const size_t column = rec_smaller((box.x + x) / 2 - from.x, from.width - 1);
            const size_t row = rec_smaller((box.y + y) / 2 - from.y, from.height - 1);
            const unsigned char label = all->map[row * from.width + column];
            const int own = to->part[(box.y + y) * to->width + box.x + x];
            last = own && label ? label : last; /* beside an odd end there may be none */
            map[y * box.width + x] = own ? last : 0;
        }
    rec_free(all->map);
    all->map = map;
    all->box = box;
    all->level = to;
    for (size_t a = 0; a < all->places; a++)
        all->place[a] = (rec_place){2 * all->place[a].x, 2 * all->place[a].y};
    return REC_OK;
}

/* Moves a place by up to REFINE pixels to where the known pixels near its own are most alike; ties
 * by distance. `sets` has room for two of the box and what is REC_LABEL_NEAR. */
static void refine(rec_labelling *all, size_t a, const rec_area *near, unsigned char *sets)
{
    const rec_level *of = all->level;
    const size_t pixels = near->width * near->height;
    const rec_place first = all->place[a];
    uint64_t best = UINT64_MAX, best_count = 1;
    ptrdiff_t best_away = 0;
    for (size_t i = 0; i < pixels; i++) {
        const size_t x = near->x + i % near->width - all->box.x;
        const size_t y = near->y + i / near->width - all->box.y;
        sets[i] = x < all->box.width && y < all->box.height &&
                  all->map[y * all->box.width + x] == a + 1;
    }
    rec_mask_spread(sets, near->width, near->width, near->height, REC_LABEL_NEAR, sets + 2 * pixels,
                    sets + pixels);
    for (ptrdiff_t k = 0; k < (2 * REFINE + 1) * (2 * REFINE + 1); k++) {
        const ptrdiff_t dx = k % (2 * REFINE + 1) - REFINE, dy = k / (2 * REFINE + 1) - REFINE;
        const rec_place to = {first.x + dx, first.y + dy};
        uint64_t sum = 0, count = 0, known = 0, own = 0, bad = 0;
        for (size_t i = 0; i < pixels; i++) {
            if (!sets[pixels + i])
                continue;
            const ptrdiff_t x = (ptrdiff_t)(near->x + i % near->width);
            const ptrdiff_t y = (ptrdiff_t)(near->y + i / near->width);
            const int knows = rec_level_knows(of, x + to.x, y + to.y);
            own += sets[i];
            bad += sets[i] && !knows;
            if (!rec_level_knows(of, x, y))
                continue;
            known++;
            count += (uint64_t)knows;
            sum += knows ? (uint64_t)differs(of, x, y, &to) : 0;
        }
        const ptrdiff_t away = dx * dx + dy * dy;
        if (known < 13 || 2 * count < known || 50 * bad > own)
            continue;
        if (best < UINT64_MAX && (sum * best_count > best * count ||
                                  (sum * best_count == best * count && away >= best_away)))
            continue;
        best = sum;
        best_count = count;
        best_away = away;
        all->place[a] = to;
    }
}

rec_status rec_labelling_improve(rec_labelling *all, rec_error *error)
{
    const rec_level *of = all->level;
    const rec_area near = rec_area_grow(all->box, REC_LABEL_NEAR, of->width, of->height);
    const size_t across = all->box.width, pixels = across * all->box.height;
    rec_owned unsigned char *sets = NULL;
    REC_TRY(rec_allocate(&sets, near.width * near.height, 4, "labels", error));
    for (size_t a = 0; a < all->places && !all->work->stopped; a++)
        refine(all, a, &near, sets);
    compact(all);
    unsigned char *edge = sets, *free = sets + pixels, *fixed = sets + 2 * pixels;
    for (size_t i = 0; i < pixels; i++) {
        const size_t x = i % across;
        const unsigned char own = all->map[i];
        edge[i] = own &&
                  ((x && all->map[i - 1] != own) || (x + 1 < across && all->map[i + 1] != own) ||
                   (i >= across && all->map[i - across] != own) ||
                   (i + across < pixels && all->map[i + across] != own) || !x || x + 1 == across ||
                   i < across || i + across >= pixels);
    }
    rec_mask_spread(edge, across, across, all->box.height, BAND, sets + 3 * pixels, free);
    rec_mask_spread(free, across, across, all->box.height, 1, sets + 3 * pixels, fixed);
    for (size_t i = 0; i < pixels; i++)
        edge[i] = !all->map[i] || !fixed[i] ? PIXEL_OUT
                  : free[i]                 ? PIXEL_FREE
                                            : PIXEL_FIXED;
    REC_TRY(choose(all, edge, 0, NULL, 0, NULL, error));
    compact(all);
    return REC_OK;
}
