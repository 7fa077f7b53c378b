/* The search for the labels of a part: what it needs of picture and sources, the sizes of the
 * picture, and what comes of it. */
#include "problem/labels.h"

enum {
    MOST_PIXELS = 2500, /* of a graph of a whole part; its picture is halved until then, */
    MOST_REACH = 190,   /* and until so many offsets away are enough */
    MOST_LEVELS = 8,
    MOST_PIECES = REC_PLACES / REC_SECTORS
};

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

struct rec_label_search {
    part given;
    uint16_t first;
    rec_patch patch[MOST_PIECES]; /* of the pieces, as they were */
    rec_area crop;
    rec_level levels[MOST_LEVELS];
    size_t top;
    unsigned char *piece_of, *owner; /* of a label, of a pixel of the smallest level */
    size_t labels;
    ptrdiff_t reach[MOST_PIECES];
    rec_labelling all;
    rec_work work;
};

/* The piece that a label is, from 1; 0: of none. */
static unsigned char piece_of(const rec_label_search *of, uint16_t label)
{
    return (unsigned char)(label < of->labels ? of->piece_of[label] : 0);
}

/* Which piece a pixel of the smallest level is of. */
static rec_status find_owners(rec_label_search *of, const rec_sources *sources, rec_error *error)
{
    const rec_level *level = &of->levels[of->top];
    const rec_area box = of->given.all.box;
    REC_TRY(rec_allocate_zeroed(&of->owner, level->width * level->height, 1, "labels", error));
    for (size_t y = box.y; y < box.y + box.height; y++)
        for (size_t x = box.x; x < box.x + box.width; x++) {
            const size_t to_x = (x - of->crop.x) >> of->top, to_y = (y - of->crop.y) >> of->top;
            const unsigned char piece = piece_of(of, rec_sources_label(sources, x, y));
            if (to_x < level->width && to_y < level->height && piece)
                of->owner[to_y * level->width + to_x] = piece;
        }
    return REC_OK;
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

rec_status rec_labels_prepare(rec_label_search **made, const rec_search *search,
                              const rec_sources *sources, uint16_t first, rec_error *error)
{
    const part given = find_pieces(sources, first);
    ptrdiff_t most = 0;
    size_t count;
    *made = NULL;
    if (given.count < REC_LEAST_PART)
        return REC_OK;
    REC_TRY(rec_allocate_zeroed(made, 1, sizeof **made, "labels", error));
    rec_label_search *of = *made;
    of->given = given;
    of->first = first;
    of->work.left = REC_LABEL_COMPARISONS;
    of->labels = sources->count + 1;
    REC_TRY(rec_allocate_zeroed(&of->piece_of, of->labels, 1, "labels", error));
    for (size_t k = 0; k < of->given.pieces; k++) {
        of->piece_of[of->given.piece[k]] = (unsigned char)(k + 1);
        const rec_patch *patch = &sources->at[of->given.piece[k] - 1];
        const size_t size = rec_larger(patch->box.width, patch->box.height);
        of->patch[k] = *patch;
        of->reach[k] = (ptrdiff_t)rec_larger(rec_smaller(rec_larger(3 * size, 64), 900),
                                             size * 3 / 2);
        most = of->reach[k] > most ? of->reach[k] : most;
    }
    const size_t margin = (size_t)most + REC_LABEL_NEAR;
    const rec_area crop = of->crop = rec_area_grow(of->given.all.box, margin, sources->width,
                                                   sources->height);
    REC_TRY(rec_level_crop(&of->levels[0], search, of->first, &of->given.all, margin, error));
    for (size_t i = 0; i < crop.width * crop.height; i++)
        of->levels[0].part[i] = piece_of(of, rec_sources_label(sources, crop.x + i % crop.width,
                                                               crop.y + i / crop.width)) > 0;
    REC_TRY(reduce(of, most, &count, error));
    of->given.pieces = count ? of->given.pieces : 0;
    return find_owners(of, sources, error);
}

void rec_labels_stop(rec_label_search *of) { of->work.stopped = 1; }

void rec_labels_destroy(rec_label_search *of)
{
    for (size_t i = 0; of && i < MOST_LEVELS; i++)
        rec_level_destroy(&of->levels[i]);
    rec_free(of ? of->piece_of : NULL);
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
    all->work = &of->work;
    all->level = &of->levels[top];
    all->box = rec_labelling_box(all->level);
    REC_TRY(rec_allocate(&all->map, all->box.width, all->box.height, "labels", error));
    REC_TRY(rec_labelling_begin(all, of->owner, of->given.pieces, reach, usual, error));
    while (top-- && !of->work.stopped) {
        REC_TRY(rec_labelling_enlarge(all, &of->levels[top], error));
        REC_TRY(rec_labelling_improve(all, error));
    }
    return REC_OK;
}

int rec_labels_fit(const rec_label_search *of, const rec_mask *mask, const rec_sources *sources)
{
    const rec_area crop = of->crop;
    int fits = !of->work.stopped;
    for (size_t k = 0; k < of->given.pieces; k++) {
        const rec_patch *now = &sources->at[of->given.piece[k] - 1], *was = &of->patch[k];
        fits &= now->x == was->x && now->y == was->y && now->smooth == was->smooth;
    }
    for (size_t i = 0; fits && i < crop.width * crop.height; i++) {
        const size_t x = crop.x + i % crop.width, y = crop.y + i / crop.width;
        fits = of->levels[0].part[i] == (piece_of(of, rec_sources_label(sources, x, y)) > 0) &&
               of->levels[0].blocked[i] >= mask->unknown[y * mask->width + x];
    }
    return fits;
}

/* Pixels whose place may be a source get its label; others are smooth. */
rec_status rec_labels_put(const rec_label_search *of, const rec_mask *mask, rec_sources *sources,
                          rec_error *error)
{
    const rec_labelling *all = &of->all;
    const part *given = &of->given;
    const size_t across = all->box.width;
    size_t one;
    uint16_t label[REC_PLACES + 1];
    if (!given->pieces || sources->count + all->places + 1 > REC_MOST_SOURCES)
        return REC_OK;
    for (size_t a = 0; a <= all->places; a++) { /* the last one: smooth */
        const int smooth = a == all->places;
        const rec_patch patch = {smooth ? 0 : all->place[a].x, smooth ? 0 : all->place[a].y,
                                 .smooth = smooth, .group = of->first};
        if (a < given->pieces)
            sources->at[(label[a] = given->piece[a]) - 1] = patch;
        else
            REC_TRY(rec_sources_add(sources, &patch, &label[a], error));
    }
    for (size_t i = 0; i < across * all->box.height; i++) {
        const size_t x = all->box.x + i % across, y = all->box.y + i / across;
        const rec_place *at = &all->place[rec_larger(all->map[i], 1) - 1];
        const int gives = rec_level_gives(all->level, (ptrdiff_t)x + at->x, (ptrdiff_t)y + at->y);
        if (all->map[i])
            *rec_sources_run(sources, of->crop.x + x, of->crop.y + y, sources->width, &one) =
                label[gives ? (size_t)all->map[i] - 1 : all->places];
    }
    rec_sources_measure_group(sources, mask, of->first, given->all.box);
    return REC_OK;
}

rec_status rec_search_labels(rec_search *search, rec_sources *sources, uint16_t first,
                             rec_error *error)
{
    rec_label_search *of;
    rec_status status = rec_labels_prepare(&of, search, sources, first, error);
    if (of) {
        of->work.left = search->left;
        REC_THEN(status, rec_labels_find(of, error));
        REC_THEN(status, rec_labels_put(of, search->mask, sources, error));
        search->left = of->work.left;
    }
    rec_labels_destroy(of);
    return status;
}
