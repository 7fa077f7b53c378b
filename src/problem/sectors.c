/* Places that fit on one side of a part each: around it there are eight sectors, and of each the
 * known pixels nearby are compared with those around every place within reach. */
#include <math.h>

#include "base/team.h"
#include "problem/labels.h"

enum {
    WAY = 256,        /* places of a row that are looked at together */
    MOST_RING = 512,  /* pixels of a sector that are compared: of more every second, third ... */
    LEAST_RING = 13, LEAST_PART = 5, /* pixels of a sector, else it is ignored */
    APART = 2         /* no place is as near to a better one, across and down */
};

typedef struct point {
    ptrdiff_t x, y;
    int16_t own[REC_LEVEL_SIGNALS];
} point;

typedef struct sector {
    const rec_level *of;
    point ring[MOST_RING];
    size_t compared, pixels; /* of the ring; of the piece, in: */
    rec_span *span;
    size_t spans;
    ptrdiff_t reach;
    ptrdiff_t left, top;     /* of the grid; beyond the level nothing is known */
    size_t width, height;
    int16_t *signal, *known; /* [row][signal][column]; known: 0 or -1 */
    uint32_t *unknown;       /* [row][column]: before it */
    double *score;
} sector;

/* Directions of about 22.5, 67.5 ... degrees, whose length is 13. */
static const int direction[REC_SECTORS][2] = {{12, 5}, {5, 12}, {-5, 12}, {-12, 5},
                                              {-12, -5}, {-5, -12}, {5, -12}, {12, -5}};

/* Within about 36 degrees of it: the square of the cosine is 0.655. (x, y): from the middle. */
static int is_within(int k, int64_t x, int64_t y)
{
    const int64_t along = x * direction[k][0] + y * direction[k][1];
    return along > 0 && along * along * 1000 >= (x * x + y * y) * 169 * 655;
}

REC_TASK(tabulate_rows, const sector *of)
{
    const sector *of = job->of;
    for (size_t i = first; i < end; i++) {
        const ptrdiff_t y = of->top + (ptrdiff_t)i;
        uint32_t *unknown = of->unknown + i * (of->width + 1);
        *unknown = 0;
        for (size_t k = 0; k < of->width; k++) {
            const ptrdiff_t x = of->left + (ptrdiff_t)k;
            unknown[k + 1] = unknown[k] + !rec_level_knows(of->of, x, y);
            for (size_t s = 3 - of->of->planes; s < REC_LEVEL_SIGNALS; s++) {
                const int16_t value = rec_level_signal(of->of, s, x, y);
                const size_t at = (i * REC_LEVEL_SIGNALS + s) * of->width + k;
                of->known[at] = value == REC_CUT_GONE ? 0 : -1;
                of->signal[at] = value == REC_CUT_GONE ? 0 : value;
            }
        }
    }
}

static void add_point(const int16_t *other, const int16_t *known, int16_t own, size_t count,
                      uint32_t *square, int32_t *shift)
{
    for (size_t k = 0; k < count; k++) {
        const int16_t away = (int16_t)((other[k] - own) & known[k]);
        square[k] += (uint32_t)(away * away);
        shift[k] += away;
    }
}

/* The mean square of the differences, most of a constant one left out. */
static void look_along(const sector *of, ptrdiff_t x, ptrdiff_t y, size_t count, double *score)
{
    uint32_t square[WAY] = {0}, blocked[WAY] = {0};
    int32_t shift[REC_LEVEL_SIGNALS][WAY] = {{0}}, known[WAY] = {0};
    for (size_t i = 0; i < of->compared; i++) {
        const point *p = &of->ring[i];
        const size_t row = (size_t)(p->y + y - of->top) * REC_LEVEL_SIGNALS;
        const size_t column = (size_t)(p->x + x - of->left);
        for (size_t s = 3 - of->of->planes; s < REC_LEVEL_SIGNALS; s++)
            if (p->own[s] != REC_CUT_GONE)
                add_point(of->signal + (row + s) * of->width + column,
                          of->known + (row + s) * of->width + column, p->own[s], count, square,
                          shift[s]);
        const int16_t *knows = of->known + (row + 2) * of->width + column;
        for (size_t k = 0; k < count; k++)
            known[k] -= knows[k];
    }
    for (size_t i = 0; i < of->spans; i++) {
        const rec_span *at = &of->span[i];
        const uint32_t *row = of->unknown + (size_t)(at->y + y - of->top) * (of->width + 1) +
                              (at->x + x - of->left);
        for (size_t k = 0; k < count; k++)
            blocked[k] += row[k + (size_t)(at->end - at->x)] - row[k];
    }
    for (size_t k = 0; k < count; k++) {
        const double n = known[k];
        double sum = 10 * n * square[k];
        for (size_t s = 3 - of->of->planes; s < 3; s++)
            sum -= 7.0 * shift[s][k] * shift[s][k];
        const int fits = 100 * (uint64_t)blocked[k] <= 15 * of->pixels &&
                         10 * n >= 7 * (double)of->compared;
        score[k] = fits ? sum / (10 * n * n) : INFINITY;
    }
}

REC_TASK(look_at_rows, const sector *of)
{
    const sector *of = job->of;
    const size_t side = (size_t)(2 * of->reach + 1);
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < side; k += WAY)
            look_along(of, (ptrdiff_t)k - of->reach, (ptrdiff_t)i - of->reach,
                       rec_smaller(WAY, side - k), of->score + i * side + k);
}

/* The best, from the top, then from the left. */
static size_t choose(const sector *of, size_t most, rec_place *best)
{
    const ptrdiff_t side = 2 * of->reach + 1;
    size_t found = 0;
    for (; found < most; found++) {
        ptrdiff_t at = 0;
        for (ptrdiff_t i = 1; i < side * side; i++)
            at = of->score[i] < of->score[at] ? i : at;
        if (!isfinite(of->score[at]))
            break;
        const ptrdiff_t x = at % side, y = at / side;
        best[found] = (rec_place){x - of->reach, y - of->reach};
        for (ptrdiff_t b = -APART; b <= APART; b++)
            for (ptrdiff_t a = -APART; a <= APART; a++)
                if (x + a >= 0 && x + a < side && y + b >= 0 && y + b < side)
                    of->score[(y + b) * side + x + a] = INFINITY;
    }
    return found;
}

/* The pixels of a sector; 0: there are too few. `ring`: 1 where pixels are compared. */
static int gather(sector *of, const unsigned char *piece, const unsigned char *ring, int k,
                  const rec_area *box, const int64_t middle[2])
{
    size_t count = 0, seen = 0;
    of->spans = of->pixels = of->compared = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < box->width * box->height; i++) {
            const ptrdiff_t x = (ptrdiff_t)(box->x + i % box->width);
            const ptrdiff_t y = (ptrdiff_t)(box->y + i / box->width);
            const size_t at = (size_t)y * of->of->width + (size_t)x;
            if ((!ring[i] && !piece[at]) || !is_within(k, 8 * x - middle[0], 8 * y - middle[1]))
                continue;
            if (!pass && piece[at]) {
                rec_span *last = of->spans ? &of->span[of->spans - 1] : NULL;
                of->pixels++;
                if (last && last->y == y && last->end == x)
                    last->end++;
                else
                    of->span[of->spans++] = (rec_span){y, x, x + 1};
            } else if (!pass) {
                count++;
            } else if (ring[i] && seen++ % (count / MOST_RING + 1) == 0) {
                point *p = &of->ring[of->compared++];
                *p = (point){.x = x, .y = y};
                for (size_t s = 3 - of->of->planes; s < REC_LEVEL_SIGNALS; s++)
                    p->own[s] = rec_level_signal(of->of, s, x, y);
            }
        }
    return of->compared >= LEAST_RING && of->pixels >= LEAST_PART;
}

static void add_place(const rec_place *place, rec_place *places, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (places[i].x == place->x && places[i].y == place->y)
            return;
    if (*count < REC_PLACES)
        places[(*count)++] = *place;
}

rec_status rec_sectors_search(const rec_level *level, const unsigned char *piece, ptrdiff_t reach,
                              size_t most, rec_place places[REC_PLACES], size_t *count,
                              rec_work *work, rec_error *error)
{
    rec_mask part = {.width = level->width, .height = level->height,
                     .unknown = (unsigned char *)piece};
    rec_mask_measure(&part);
    const rec_area box = rec_area_grow(part.box, REC_SECTOR_RING, level->width, level->height);
    const size_t pixels = box.width * box.height, side = (size_t)(2 * reach + 1);
    const size_t at = box.y * level->width + box.x;
    const size_t width = box.width + 2 * (size_t)reach, height = box.height + 2 * (size_t)reach;
    const size_t grid = width * height;
    rec_owned unsigned char *sets = NULL;
    rec_owned int16_t *signals = NULL;
    rec_owned uint32_t *unknown = NULL;
    rec_owned double *score = NULL;
    rec_owned rec_span *spans = NULL;
    rec_place best[REC_SECTORS][REC_PLACES_SECTOR];
    size_t found[REC_SECTORS] = {0};
    REC_TRY(rec_allocate(&sets, pixels, 3, "a search", error));
    REC_TRY(rec_allocate_zeroed(&signals, grid, 2 * REC_LEVEL_SIGNALS * sizeof *signals,
                                "a search", error));
    REC_TRY(rec_allocate(&unknown, grid + height, sizeof *unknown, "a search", error));
    REC_TRY(rec_allocate(&score, side * side, sizeof *score, "a search", error));
    REC_TRY(rec_allocate(&spans, part.count, sizeof *spans, "a search", error));
    sector all = {.of = level, .reach = reach, .left = (ptrdiff_t)box.x - reach,
                  .top = (ptrdiff_t)box.y - reach, .width = width, .height = height,
                  .signal = signals, .known = signals + REC_LEVEL_SIGNALS * grid,
                  .unknown = unknown, .score = score, .span = spans};
    rec_mask_spread(piece + at, level->width, box.width, box.height, REC_SECTOR_RING,
                    sets + 2 * pixels, sets);
    rec_mask_spread(level->blocked + at, level->width, box.width, box.height, 1, sets + 2 * pixels,
                    sets + pixels);
    for (size_t i = 0; i < pixels; i++)
        sets[i] &= !sets[pixels + i];
    REC_SHARE_ROWS(width, height, tabulate_rows, &all);
    int64_t middle[2] = {0};
    for (size_t i = 0; i < level->width * level->height; i++) {
        middle[0] += piece[i] * 8 * (int64_t)(i % level->width);
        middle[1] += piece[i] * 8 * (int64_t)(i / level->width);
    }
    middle[0] /= (int64_t)part.count;
    middle[1] /= (int64_t)part.count;
    for (int k = 0; k < REC_SECTORS; k++) {
        const int some = gather(&all, piece, sets, k, &box, middle);
        const uint64_t cost = REC_LEVEL_SIGNALS * all.compared * side * side;
        if (!some || cost > work->left || work->stopped)
            continue;
        work->left -= cost;
        REC_SHARE(rec_team_for(cost), side, look_at_rows, &all);
        found[k] = choose(&all, most, best[k]);
    }
    for (size_t i = 0; i < most; i++)
        for (int k = 0; k < REC_SECTORS; k++)
            if (i < found[k])
                add_place(&best[k][i], places, count);
    return REC_OK;
}
