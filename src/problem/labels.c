/* Several sources for one part, such as one across a border: every pixel has the label of a place,
 * so that little differs along seams and rim. The graph of all its pixels is cut where the picture
 * is reduced; at larger sizes places are refined, and pixels near seams choose again. */
#include "problem/labels.h"

#include <stdlib.h>

enum {
    MOST_PIXELS = 2500, /* of a graph of a whole part; its picture is halved until then, */
    MOST_REACH = 190,   /* and until so many offsets away are enough */
    MOST_LEVELS = 8,
    MOST_PIECES = REC_PLACES / REC_SECTORS,
    BAND = 3, /* pixels near a seam or the rim that choose again at larger sizes */
    REFINE = 2,
    NEAR = 4 /* so far a place moves there, as fits pixels so near to its own */
};
#define STEP 32 /* a step of a cut takes as long as so many comparisons */

static rec_area box_of(const rec_level *level)
{
    rec_mask part = {.width = level->width, .height = level->height, .unknown = level->part};
    rec_mask_measure(&part);
    return part.box;
}

/* Each free pixel has its cheapest place before, if `anew`. */
static rec_status choose(rec_labelling *all, const unsigned char *role, int anew,
                         const rec_place *ring, size_t ring_count, const unsigned char *texture,
                         rec_error *error)
{
    REC_OWNED(rec_table_destroy) rec_table made = {0};
    REC_TRY(rec_table_make(&made, all, role, ring, ring_count, texture, error));
    const size_t n = made.field.count;
    for (size_t i = 0; anew && i < n; i++)
        for (size_t a = made.label[i] = 0; a < all->places; a++)
            if (made.cost[a * n + i] < made.cost[(size_t)made.label[i] * n + i])
                made.label[i] = (int32_t)a;
    uint64_t steps = *all->left / STEP;
    const uint64_t before = steps;
    REC_TRY(rec_field_expand(&made.field, anew ? 2 : 1, &steps, error));
    *all->left -= (before - steps) * STEP;
    for (size_t i = 0; i < n; i++)
        all->map[((size_t)made.at[i].y - all->box.y) * all->box.width + (size_t)made.at[i].x -
                 all->box.x] = (unsigned char)(made.label[i] + 1);
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

/* The smallest graph: all places, all pixels. `owner`: a piece for each of them, from 1. */
static rec_status begin(rec_labelling *all, const unsigned char *owner, size_t pieces,
                        const ptrdiff_t *reach, const rec_place *usual, rec_error *error)
{
    const rec_level *of = all->level;
    const size_t size = of->width * of->height,
                 most = rec_larger(
                     rec_smaller(REC_PLACES / REC_SECTORS / pieces, REC_PLACES_SECTOR), 1);
    const rec_area near = rec_area_grow(all->box, NEAR, of->width, of->height);
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
                                       all->left, error));
        if (all->places == before && all->places < REC_PLACES)
            all->place[all->places++] = usual[k];
    }
    REC_TRY(rec_labelling_textures(of, texture, error));
    rec_mask_spread(of->part + at, of->width, near.width, near.height, NEAR, sets + 3 * pixels,
                    sets);
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
        role[i] = all->map[i] ? REC_PIXEL_FREE : REC_PIXEL_OUT;
    }
    REC_TRY(choose(all, role, 1, ring, kept, texture, error));
    compact(all);
    return REC_OK;
}

/* The map at twice the size. */
static rec_status enlarge(rec_labelling *all, const rec_level *to, rec_error *error)
{
    const rec_area from = all->box, box = box_of(to);
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
 * by distance. `sets` has room for two of the box and what is NEAR. */
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
    rec_mask_spread(sets, near->width, near->width, near->height, NEAR, sets + 2 * pixels,
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
            sum += knows ? (uint64_t)rec_labelling_differs(of, x, y, &to) : 0;
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

/* Places move, and pixels near seams and rim choose again. */
static rec_status improve(rec_labelling *all, rec_error *error)
{
    const rec_level *of = all->level;
    const rec_area near = rec_area_grow(all->box, NEAR, of->width, of->height);
    const size_t across = all->box.width, pixels = across * all->box.height;
    rec_owned unsigned char *sets = NULL;
    REC_TRY(rec_allocate(&sets, near.width * near.height, 4, "labels", error));
    for (size_t a = 0; a < all->places; a++)
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
        edge[i] = !all->map[i] || !fixed[i] ? REC_PIXEL_OUT
                  : free[i]                 ? REC_PIXEL_FREE
                                            : REC_PIXEL_FIXED;
    REC_TRY(choose(all, edge, 0, NULL, 0, NULL, error));
    compact(all);
    return REC_OK;
}

/* ---- the labels of the picture ---- */

typedef struct part {
    uint16_t piece[MOST_PIECES];
    size_t pieces, count;
    rec_patch all;
} part;

/* The pieces of a part that are not smooth; more than there is room for: none. */
static part find_pieces(const rec_sources *sources, uint16_t first)
{
    part made = {0};
    for (size_t i = first - (size_t)1; i < sources->count; i++) {
        const rec_patch *patch = &sources->at[i];
        if ((i + 1 != first && patch->group != first) || patch->smooth || !patch->count)
            continue;
        if (made.pieces == MOST_PIECES)
            return (part){0};
        made.piece[made.pieces++] = (uint16_t)(i + 1);
        made.count += patch->count;
        made.all.box = rec_area_join(made.all.box, patch->box);
    }
    return made;
}

/* Pixels whose place is known there get its label; others are smooth. */
static rec_status put(const rec_labelling *all, const rec_mask *mask, rec_sources *sources,
                      const part *given, uint16_t first, const rec_area *crop, rec_error *error)
{
    const size_t across = all->box.width;
    uint16_t label[REC_PLACES + 1];
    for (size_t a = 0; a <= all->places; a++) { /* the last one: smooth */
        const int smooth = a == all->places;
        const rec_patch patch = {smooth ? 0 : all->place[a].x, smooth ? 0 : all->place[a].y,
                                 .smooth = smooth, .group = first};
        if (a < given->pieces)
            sources->at[(label[a] = given->piece[a]) - 1] = patch;
        else
            REC_TRY(rec_sources_add(sources, &patch, &label[a], error));
    }
    for (size_t i = 0; i < across * all->box.height; i++) {
        const size_t x = all->box.x + i % across, y = all->box.y + i / across;
        const rec_place *at = &all->place[rec_larger(all->map[i], 1) - 1];
        const int known = rec_level_knows(all->level, (ptrdiff_t)x + at->x, (ptrdiff_t)y + at->y);
        if (all->map[i])
            sources->label[(crop->y + y) * sources->width + crop->x + x] =
                label[known ? (size_t)all->map[i] - 1 : all->places];
    }
    rec_sources_measure(sources, mask);
    return REC_OK;
}

/* Which piece a pixel of the smallest level is of. */
static rec_status find_owners(const rec_level *of, size_t top, const rec_sources *sources,
                              const part *given, const rec_area *crop, unsigned char **owner,
                              rec_error *error)
{
    REC_TRY(rec_allocate_zeroed(owner, of->width * of->height, 1, "labels", error));
    const rec_area box = given->all.box;
    for (size_t y = box.y; y < box.y + box.height; y++)
        for (size_t x = box.x; x < box.x + box.width; x++) {
            const size_t to_x = (x - crop->x) >> top, to_y = (y - crop->y) >> top;
            for (size_t k = 0; k < given->pieces; k++)
                if (to_x < of->width && to_y < of->height &&
                    sources->label[y * sources->width + x] == given->piece[k])
                    (*owner)[to_y * of->width + to_x] = (unsigned char)(k + 1);
        }
    return REC_OK;
}

struct rec_label_search {
    part given;
    uint16_t first;
    rec_patch patch[MOST_PIECES]; /* of the pieces, as they were */
    rec_area crop;
    rec_level levels[MOST_LEVELS];
    size_t top;
    unsigned char *owner;
    ptrdiff_t reach[MOST_PIECES];
    rec_labelling all;
    uint64_t left;
};

static int is_of(const part *given, uint16_t label)
{
    size_t k = 0;
    while (k < given->pieces && given->piece[k] != label)
        k++;
    return label && k < given->pieces;
}

/* The picture around, in sizes down to that of the graph; count 0: at that there is no part. */
static rec_status reduce(rec_label_search *of, ptrdiff_t most, size_t *count, rec_error *error)
{
    for (*count = of->given.count; (*count > MOST_PIXELS || most >> of->top > MOST_REACH) &&
                                   of->top + 1 < MOST_LEVELS && *count;
         of->top++) {
        rec_level *half = &of->levels[of->top + 1];
        REC_TRY(rec_level_halve(half, &of->levels[of->top], error));
        *count = 0;
        for (size_t i = 0; i < half->width * half->height; i++)
            *count += half->part[i];
    }
    return REC_OK;
}

static rec_status prepare(rec_label_search *of, const rec_search *search,
                          const rec_sources *sources, rec_error *error)
{
    ptrdiff_t most = 0;
    size_t count;
    for (size_t k = 0; k < of->given.pieces; k++) {
        const rec_patch *patch = &sources->at[of->given.piece[k] - 1];
        const size_t size = rec_larger(patch->box.width, patch->box.height);
        of->patch[k] = *patch;
        of->reach[k] = (ptrdiff_t)rec_larger(rec_smaller(rec_larger(3 * size, 64), 900),
                                             size * 3 / 2);
        most = of->reach[k] > most ? of->reach[k] : most;
    }
    const size_t margin = (size_t)most + NEAR;
    const rec_area crop = of->crop = rec_area_grow(of->given.all.box, margin, sources->width,
                                                   sources->height);
    REC_TRY(rec_level_crop(&of->levels[0], search, of->first, &of->given.all, margin, error));
    for (size_t i = 0; i < crop.width * crop.height; i++)
        of->levels[0].part[i] = (unsigned char)is_of(
            &of->given,
            sources->label[(crop.y + i / crop.width) * sources->width + crop.x + i % crop.width]);
    REC_TRY(reduce(of, most, &count, error));
    of->given.pieces = count ? of->given.pieces : 0;
    return find_owners(&of->levels[of->top], of->top, sources, &of->given, &crop, &of->owner,
                       error);
}

rec_status rec_labels_prepare(rec_label_search **made, const rec_search *search,
                              const rec_sources *sources, uint16_t first, rec_error *error)
{
    const part given = find_pieces(sources, first);
    *made = NULL;
    if (given.count < REC_LEAST_PART)
        return REC_OK;
    REC_TRY(rec_allocate_zeroed(made, 1, sizeof **made, "labels", error));
    (*made)->given = given;
    (*made)->first = first;
    (*made)->left = REC_LABEL_COMPARISONS;
    return prepare(*made, search, sources, error);
}

void rec_labels_destroy(rec_label_search *of)
{
    for (size_t i = 0; of && i < MOST_LEVELS; i++)
        rec_level_destroy(&of->levels[i]);
    rec_free(of ? of->owner : NULL);
    rec_free(of ? of->all.map : NULL);
    rec_free(of);
}

rec_status rec_labels_find(rec_label_search *of, rec_error *error)
{
    rec_labelling *all = &of->all;
    const ptrdiff_t scale = (ptrdiff_t)1 << of->top;
    ptrdiff_t reach[MOST_PIECES];
    rec_place usual[MOST_PIECES];
    size_t top = of->top;
    if (!of->given.pieces)
        return REC_OK;
    for (size_t k = 0; k < of->given.pieces; k++) {
        reach[k] = of->reach[k] >> top;
        usual[k] = (rec_place){of->patch[k].x / scale, of->patch[k].y / scale};
    }
    all->left = &of->left;
    all->level = &of->levels[top];
    all->box = box_of(all->level);
    REC_TRY(rec_allocate(&all->map, all->box.width, all->box.height, "labels", error));
    REC_TRY(begin(all, of->owner, of->given.pieces, reach, usual, error));
    while (top--) {
        REC_TRY(enlarge(all, &of->levels[top], error));
        REC_TRY(improve(all, error));
    }
    return REC_OK;
}

int rec_labels_fit(const rec_label_search *of, const rec_mask *mask, const rec_sources *sources)
{
    const rec_area crop = of->crop;
    int fits = 1;
    for (size_t k = 0; k < of->given.pieces; k++) {
        const rec_patch *now = &sources->at[of->given.piece[k] - 1], *was = &of->patch[k];
        fits &= now->x == was->x && now->y == was->y && now->smooth == was->smooth;
    }
    for (size_t i = 0; fits && i < crop.width * crop.height; i++) {
        const size_t at = (crop.y + i / crop.width) * mask->width + crop.x + i % crop.width;
        fits = of->levels[0].part[i] == is_of(&of->given, sources->label[at]) &&
               of->levels[0].blocked[i] >= mask->unknown[at];
    }
    return fits;
}

rec_status rec_labels_put(const rec_label_search *of, const rec_mask *mask, rec_sources *sources,
                          rec_error *error)
{
    return !of->given.pieces || sources->count + of->all.places + 1 > REC_MOST_SOURCES
               ? REC_OK
               : put(&of->all, mask, sources, &of->given, of->first, &of->crop, error);
}

rec_status rec_search_labels(rec_search *search, rec_sources *sources, uint16_t first,
                             rec_error *error)
{
    rec_label_search *of;
    rec_status status = rec_labels_prepare(&of, search, sources, first, error);
    if (of) {
        of->left = search->left;
        REC_THEN(status, rec_labels_find(of, error));
        REC_THEN(status, rec_labels_put(of, search->mask, sources, error));
        search->left = of->left;
    }
    rec_labels_destroy(of);
    return status;
}
