/* The place of a picture that fits best under a part of a mask. What is compared are 8-bit samples,
 * and all sums are whole numbers, so that every machine finds the same place. First all offsets of
 * a reduced picture are looked at, then those near the best at twice its size, up to full size. */
#include <math.h>
#include <stdlib.h>

#include "base/team.h"
#include "problem/level.h"

enum {
    LEAST_REACH = 64, /* pixels around a part where its source may be, */
    MOST_REACH = 900, /* or 1.5 times its size if that is more */
    REACH = 4,        /* times its size */
    MOST_LEVELS = 8,
    CANDIDATES = 24,  /* the best of all offsets, half as many on each level below, */
    FINEST = 6,       /* but so many on the last, and in turn when another place is asked for */
    RING = 8,         /* pixels around a part at full size that are compared, */
    LEAST_RING = 4,   /* and on reduced levels */
    MOST_BLOCKED = 50 /* one in so many of the ring's pixels may be compared with a blocked one */
};
#define COMPARISONS ((uint64_t)1 << 28) /* at most, of all offsets of one part */
#define NOISE 0.25          /* squares of differences that rounding to bytes makes, */
#define LEAST_SLOPE 1.0     /* of gradients, */
#define LEAST_VARIANCE 16.0 /* and the variance of colours: beyond them differences count */
#define TEXTURE 1.0         /* weights: of gradients and variance, */
#define COLOUR 0.5          /* of the mean colour, */
#define DISTANCE 0.05       /* and of the distance in sizes of the part */

/* What is summed over spans, from the left of a row on. */
enum { COLOURS, SQUARES = 3, SLOPES = 6, BLOCKED = 8, TABLES };

/* ---- scores: the worse a place fits, the higher; INFINITY: it cannot be taken ---- */

typedef struct candidate {
    ptrdiff_t x, y; /* how far away */
    double score;
} candidate;

/* About the square of the logarithm of a / b, of sums, products and quotients alone: these have the
 * same bits on every machine. */
static double apart(double a, double b, double least)
{
    const double x = fmax(a, 0) + least, y = fmax(b, 0) + least;
    return (x - y) * (x - y) / (x * y);
}

/* The sums of the differences in the ring, and of a place's pixels. */
static double judge(const rec_level *of, const candidate *place, const double *shift, double square,
                    double slope, const double *sum)
{
    const double n = (double)of->ring.pixels, m = (double)of->own.pixels;
    const double each = 1.0 / (double)of->planes;
    double seam = square, texture = 0, colour = 0;
    for (size_t p = 3 - of->planes; p < 3; p++) {
        const double mean = sum[COLOURS + p] / m, away = mean - of->mean[p];
        const double variance = sum[SQUARES + p] / m - mean * mean;
        seam -= shift[p] * shift[p] / n;
        colour += each * away * away / (fmax(of->variance[p], 0) + LEAST_VARIANCE);
        texture += 0.5 * each * apart(variance, of->variance[p], LEAST_VARIANCE);
    }
    for (size_t i = 0; i < 2; i++)
        texture += apart(sum[SLOPES + i] / m, of->slope[i], LEAST_SLOPE);
    seam = fmax(each * seam, 0) / n + slope / n + NOISE;
    const double size = (double)rec_larger(of->box.width, of->box.height);
    const double distance = sqrt((double)(place->x * place->x + place->y * place->y)) / size;
    return seam * (1 + TEXTURE * texture + COLOUR * colour + DISTANCE * distance);
}

enum { MOST_AT_ONCE = 256, AROUND = 5 }; /* places of a row; across and down around a candidate */

/* Places (x, y) to (x + across - 1, y + down - 1) away, and the pixels that they need. */
typedef struct places {
    const rec_level *of;
    ptrdiff_t x, y, left, top;
    size_t across, down, width, height;
    int16_t *sample; /* of each row, of each signal */
    uint32_t *sum;   /* of each row, of each table, width + 1 values: sums from the left */
    candidate *score;
} places;

REC_TASK(tabulate, const places *from)
{
    const places *from = job->from;
    const rec_level *of = from->of;
    for (size_t i = first; i < end; i++) {
        const ptrdiff_t y = from->top + (ptrdiff_t)i;
        int16_t *samples = from->sample + i * REC_LEVEL_SIGNALS * from->width;
        uint32_t *sums = from->sum + i * TABLES * (from->width + 1);
        for (size_t t = 0; t < TABLES; t++)
            sums[t * (from->width + 1)] = 0;
        for (size_t k = 0; k < from->width; k++) {
            const ptrdiff_t x = from->left + (ptrdiff_t)k;
            uint32_t value[TABLES] = {0};
            for (size_t s = 3 - of->planes; s < REC_LEVEL_SIGNALS; s++) {
                const int now = rec_level_sample(of, s, x, y);
                samples[s * from->width + k] = (int16_t)now;
                value[SQUARES + s] = (uint32_t)(now * now); /* SLOPES are behind them */
                if (s < 3)
                    value[COLOURS + s] = (uint32_t)now;
            }
            value[BLOCKED] = x >= 0 && y >= 0 && x < (ptrdiff_t)of->width &&
                             y < (ptrdiff_t)of->height && of->blocked[y * (ptrdiff_t)of->width + x];
            for (size_t t = 0; t < TABLES; t++)
                sums[t * (from->width + 1) + k + 1] = sums[t * (from->width + 1) + k] + value[t];
        }
    }
}

/* Adds a table's sums over the spans, of `count` places from (x, y) on. */
static void add_spans(const places *from, const rec_spans *set, size_t table, ptrdiff_t x,
                      ptrdiff_t y, size_t count, double *sums)
{
    for (size_t i = 0; i < set->count; i++) {
        const rec_span *at = &set->at[i];
        const uint32_t *row = from->sum + ((size_t)(at->y + y - from->top) * TABLES + table) *
                                              (from->width + 1);
        const uint32_t *begin = row + (at->x + x - from->left);
        const uint32_t *behind = row + (at->end + x - from->left);
        for (size_t k = 0; k < count; k++)
            sums[k] += (double)(int32_t)(behind[k] - begin[k]);
    }
}

/* The squares of the differences of a span, whose own samples these are; `other`: of the first of
 * `count` places. Few places are looked at along the span, many beside each other. */
static void add_span_squares(const int16_t *own, const int16_t *other, size_t length, size_t count,
                             double *squares)
{
    uint32_t sum[MOST_AT_ONCE];
    for (size_t k = 0; k < count; k++)
        sum[k] = 0;
    for (size_t k = 0; count <= AROUND && k < count; k++)
        for (size_t i = 0; i < length; i++) {
            const int16_t difference = (int16_t)(other[i + k] - own[i]);
            sum[k] += (uint32_t)(difference * difference);
        }
    for (size_t i = 0; count > AROUND && i < length; i++)
        for (size_t k = 0; k < count; k++) {
            const int16_t difference = (int16_t)(other[i + k] - own[i]);
            sum[k] += (uint32_t)(difference * difference);
        }
    for (size_t k = 0; k < count; k++)
        squares[k] += sum[k];
}

static void add_squares(const places *from, size_t signal, ptrdiff_t x, ptrdiff_t y, size_t count,
                        double *squares)
{
    const rec_spans *ring = &from->of->ring;
    const int16_t *own = from->of->ring_sample + signal * ring->pixels;
    for (size_t i = 0; i < ring->count; i++) {
        const rec_span *at = &ring->at[i];
        const size_t line = (size_t)(at->y + y - from->top) * REC_LEVEL_SIGNALS + signal;
        const size_t length = (size_t)(at->end - at->x);
        add_span_squares(own, from->sample + line * from->width + (at->x + x - from->left), length,
                         count, squares);
        own += length;
    }
}

/* At most MOST_AT_ONCE places of a row. */
static void look_along(const places *from, ptrdiff_t x, ptrdiff_t y, size_t count, candidate *out)
{
    const rec_level *of = from->of;
    double square[MOST_AT_ONCE] = {0}, slope[MOST_AT_ONCE] = {0}, shift[3][MOST_AT_ONCE] = {{0}};
    double blocked[2][MOST_AT_ONCE] = {{0}}, sum[TABLES][MOST_AT_ONCE] = {{0}};
    for (size_t s = 3 - of->planes; s < REC_LEVEL_SIGNALS; s++)
        add_squares(from, s, x, y, count, s < 3 ? square : slope);
    for (size_t p = 3 - of->planes; p < 3; p++)
        add_spans(from, &of->ring, COLOURS + p, x, y, count, shift[p]);
    add_spans(from, &of->ring, BLOCKED, x, y, count, blocked[0]);
    add_spans(from, &of->skin, BLOCKED, x, y, count, blocked[1]);
    for (size_t t = 0; t < BLOCKED; t++)
        add_spans(from, &of->own, t, x, y, count, sum[t]);
    for (size_t k = 0; k < count; k++) {
        const ptrdiff_t to_x = x + (ptrdiff_t)k;
        const ptrdiff_t left = (ptrdiff_t)of->box.x + to_x, top = (ptrdiff_t)of->box.y + y;
        const double shifts[] = {shift[0][k] - of->ring_sum[0], shift[1][k] - of->ring_sum[1],
                                 shift[2][k] - of->ring_sum[2]};
        double sums[TABLES];
        for (size_t t = 0; t < TABLES; t++)
            sums[t] = sum[t][k];
        out[k] = (candidate){to_x, y, INFINITY};
        if (left >= 0 && left + (ptrdiff_t)of->box.width <= (ptrdiff_t)of->width && top >= 0 &&
            top + (ptrdiff_t)of->box.height <= (ptrdiff_t)of->height && blocked[1][k] == 0 &&
            blocked[0][k] * MOST_BLOCKED <= (double)of->ring.pixels)
            out[k].score = judge(of, &out[k], shifts, square[k], slope[k], sums);
    }
}

REC_TASK(look_at_rows, const places *from)
{
    const places *from = job->from;
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < from->across; k += MOST_AT_ONCE)
            look_along(from, from->x + (ptrdiff_t)k, from->y + (ptrdiff_t)i,
                       rec_smaller(MOST_AT_ONCE, from->across - k),
                       from->score + i * from->across + k);
}

/* Creates the scores; *scores was NULL. */
static rec_status look(const rec_level *of, ptrdiff_t x, ptrdiff_t y, size_t across, size_t down,
                       candidate **scores, rec_error *error)
{
    const ptrdiff_t margin = (ptrdiff_t)of->radius;
    const size_t width = of->box.width + 2 * of->radius + across;
    const size_t height = of->box.height + 2 * of->radius + down;
    rec_owned int16_t *samples = NULL;
    rec_owned uint32_t *sums = NULL;
    REC_TRY(rec_allocate(&samples, width * height, REC_LEVEL_SIGNALS * sizeof *samples, "a search",
                         error));
    REC_TRY(rec_allocate(&sums, (width + 1) * height, TABLES * sizeof *sums, "a search", error));
    REC_TRY(rec_allocate(scores, across * down, sizeof **scores, "a search", error));
    const places all = {of, x, y, (ptrdiff_t)of->box.x - margin + x,
                        (ptrdiff_t)of->box.y - margin + y, across, down, width, height, samples,
                        sums, *scores};
    REC_SHARE_ROWS(width, height, tabulate, &all);
    REC_SHARE(rec_team_for(across * down * of->ring.pixels), down, look_at_rows, &all);
    return REC_OK;
}

/* The best, none of them beside a better one; by score, then from the top, then from the left. */
static size_t choose(candidate *all, size_t count, candidate *best, size_t most)
{
    size_t chosen = 0;
    for (; chosen < most; chosen++) {
        const candidate *next = NULL;
        for (size_t i = 0; i < count; i++) {
            const candidate *a = &all[i], *b = next;
            if (isfinite(a->score) &&
                (!b || a->score < b->score ||
                 (a->score == b->score && (a->y < b->y || (a->y == b->y && a->x < b->x)))))
                next = a;
        }
        if (!next)
            break;
        best[chosen] = *next;
        for (size_t i = 0; i < count; i++)
            if (labs(all[i].x - best[chosen].x) < 2 && labs(all[i].y - best[chosen].y) < 2)
                all[i].score = INFINITY;
    }
    return chosen;
}

/* The best candidate of the levels; *count = 0: there is none. */
static rec_status descend(const rec_level *levels, size_t top, ptrdiff_t reach, candidate *best,
                          size_t *count, rec_error *error)
{
    const ptrdiff_t most = reach >> top;
    const size_t side = (size_t)(2 * most + 1);
    candidate around[CANDIDATES];
    rec_owned candidate *all = NULL;
    REC_TRY(look(&levels[top], -most, -most, side, side, &all, error));
    *count = choose(all, side * side, best, CANDIDATES);
    for (size_t i = top; i--;) {
        size_t found = 0;
        for (size_t k = 0; k < *count; k++) {
            rec_owned candidate *scores = NULL;
            REC_TRY(look(&levels[i], 2 * best[k].x - AROUND / 2, 2 * best[k].y - AROUND / 2, AROUND,
                         AROUND, &scores, error));
            found += choose(scores, AROUND * AROUND, &around[found], 1);
        }
        *count = choose(around, found, best, rec_larger(FINEST, *count / 2));
    }
    return REC_OK;
}

static size_t radius_of(size_t i)
{
    return i ? rec_larger(LEAST_RING, (RING >> i) + 2) : RING;
}

/* What all offsets of a patch cost where the picture is reduced so often. */
static uint64_t cost_of(const rec_patch *patch, size_t reach, size_t top)
{
    const uint64_t across = 2 * (reach >> top) + 1, radius = radius_of(top);
    const uint64_t sides = 2 * ((patch->box.width + patch->box.height) >> top) + 4 * radius;
    return REC_LEVEL_SIGNALS * radius * sides * across * across;
}

/* Describes the picture around a patch alone. */
static rec_status look_around(const rec_search *search, uint16_t label, const rec_patch *patch,
                              rec_smoothness *smoothness, rec_error *error)
{
    REC_OWNED(rec_level_destroy) rec_level around = {0};
    REC_TRY(rec_level_crop(&around, search, label, patch, REC_LEVEL_WIDER * RING + 1, error));
    REC_TRY(rec_level_describe(&around, RING, error));
    *smoothness = around.ring.pixels ? rec_level_smoothness(&around) : REC_FLAT;
    return REC_OK;
}

rec_status rec_search_patch(rec_search *search, uint16_t label, rec_patch *patch, int *found,
                            rec_error *error)
{
    const size_t size = rec_larger(patch->box.width, patch->box.height);
    const size_t usual = rec_smaller(rec_larger(REACH * size, LEAST_REACH), MOST_REACH);
    const size_t reach = rec_larger(usual, size + size / 2);
    rec_level levels[MOST_LEVELS] = {{0}};
    candidate best[CANDIDATES];
    size_t top = 0, count = 0;
    *found = patch->smooth = 1;
    if (2 * patch->count > search->mask->width * search->mask->height)
        return REC_OK; /* it lies on itself wherever it is moved to */
    while (cost_of(patch, reach, top) > COMPARISONS && top + 1 < MOST_LEVELS)
        top++;
    rec_smoothness smoothness;
    REC_TRY(look_around(search, label, patch, &smoothness, error));
    if (smoothness == REC_GRAINED && search->defers)
        patch->smooth = REC_SOUGHT;
    if (smoothness == REC_FLAT || patch->smooth == REC_SOUGHT)
        return REC_OK;
    const uint64_t cost = cost_of(patch, reach, top);
    *found = search->left >= cost;
    if (!*found)
        return REC_OK;
    search->left -= cost;
    const size_t margin = reach + (REC_LEVEL_WIDER * radius_of(top) << top);
    rec_status status = rec_level_crop(&levels[0], search, label, patch, margin, error);
    for (size_t i = 1; i <= top && !status; i++)
        status = rec_level_halve(&levels[i], &levels[i - 1], error);
    int compares = 1;
    for (size_t i = 0; i <= top && !status; i++) {
        status = rec_level_describe(&levels[i], radius_of(i), error);
        compares &= levels[i].ring.pixels > 0;
    }
    if (!status && compares)
        status = descend(levels, top, (ptrdiff_t)reach, best, &count, error);
    if (!status && count) {
        patch->smooth = 0;
        const candidate *place = &best[search->rank % rec_smaller(count, FINEST)];
        patch->x = place->x;
        patch->y = place->y;
    }
    for (size_t i = 0; i < MOST_LEVELS; i++)
        rec_level_destroy(&levels[i]);
    return status;
}

typedef struct total {
    size_t count, y, x;
    uint16_t first;
} total;

static int compare_totals(const void *a, const void *b)
{
    const total *x = a, *y = b;
    const size_t of[][2] = {{y->count, x->count}, {x->y, y->y}, {x->x, y->x}, {x->first, y->first}};
    size_t i = 0;
    while (i < 3 && of[i][0] == of[i][1])
        i++;
    return of[i][0] < of[i][1] ? -1 : of[i][0] > of[i][1];
}

/* The largest part first, whatever is left for others. */
static rec_status label_parts(rec_search *search, rec_sources *sources, rec_error *error)
{
    const size_t count = sources->count;
    rec_owned total *totals = NULL;
    REC_TRY(rec_allocate_zeroed(&totals, count, sizeof *totals, "labels", error));
    for (size_t i = 0; i < count; i++) {
        const rec_patch *patch = &sources->at[i];
        const size_t first = patch->group ? patch->group : i + 1;
        totals[first - 1].count += patch->smooth ? 0 : patch->count;
        totals[i].first = (uint16_t)(i + 1);
        totals[i].y = patch->box.y;
        totals[i].x = patch->box.x;
    }
    qsort(totals, count, sizeof *totals, compare_totals);
    search->left = REC_LABEL_COMPARISONS;
    for (size_t i = 0; i < count && totals[i].count >= REC_LEAST_PART; i++)
        REC_TRY(rec_search_labels(search, sources, totals[i].first, error));
    return REC_OK;
}

rec_status rec_search_parts(rec_search *search, const rec_mask *mask, rec_sources *sources,
                            size_t *unsearched, rec_error *error)
{
    REC_TRY(rec_sources_part(sources, mask, error));
    for (size_t i = 0; i < 2 * sources->count; i++) { /* grain alone comes last */
        rec_patch *patch = &sources->at[i % sources->count];
        int found = 1;
        search->defers = i < sources->count;
        if (search->defers ? patch->count >= REC_LEAST_PART : patch->smooth == REC_SOUGHT)
            REC_TRY(rec_search_patch(search, (uint16_t)(patch - sources->at + 1), patch, &found,
                                     error));
        *unsearched += search->defers && !found;
    }
    return label_parts(search, sources, error);
}
