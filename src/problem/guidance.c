#include "problem/guidance.h"

#include <math.h>

#include "base/memory.h"
#include "base/team.h"

/* ---- the rules; the compiler makes vectors of their loops ---- */

#define RULE(name, value) \
    static void name(size_t count, const double *s, const double *t, double *v) \
    { \
        for (size_t i = 0; i < count; i++) \
            v[i] = value; \
    }
RULE(take_source, s[i])
RULE(take_larger, fabs(s[i]) < fabs(t[i]) ? t[i] : s[i])
RULE(take_mean, (s[i] + t[i]) / 2)
RULE(take_none, 0)

const rec_gradient_row rec_gradients[REC_GRADIENTS] = {
    [REC_GRADIENT_SOURCE] = {"source", take_source, 0, "those of SOURCE"},
    [REC_GRADIENT_MIXED] = {"mixed", take_larger, 0, "the larger of both, sample by sample"},
    [REC_GRADIENT_AVERAGE] = {"average", take_mean, 0, "the mean of both"},
    [REC_GRADIENT_MONOCHROME] = {"monochrome", take_source, 1,
                                 "those of the luminance of SOURCE, in every plane"},
    [REC_GRADIENT_ZERO] = {"zero", take_none, 0, "none: the smoothest fill"},
};

/* ---- the edges, in pieces of a row ---- */

enum { PIECE = 256 };

/* Samples of a piece and its neighbours in double: rows y - 1, y, y + 1, columns from x - 1 on. NaN
 * where there is no pixel. */
typedef struct surroundings {
    double at[3][PIECE + 2];
} surroundings;

/* Columns x..x+count-1 of row y, some or all of which may be outside. */
static void load_row(const rec_image *image, size_t plane, int grey, double scale, ptrdiff_t x,
                     ptrdiff_t y, size_t count, double *out)
{
    const ptrdiff_t width = (ptrdiff_t)image->width, end = x + (ptrdiff_t)count;
    const int there = y >= 0 && y < (ptrdiff_t)image->height;
    for (size_t i = 0; i < count; i++)
        out[i] = NAN;
    if (!there)
        return;
    const float *row[3];
    for (size_t p = 0; p < 3; p++)
        row[p] = rec_image_row(image, grey ? p : plane, (size_t)y);
    for (ptrdiff_t i = x > 0 ? x : 0; i < (end < width ? end : width); i++)
        out[i - x] = scale * (grey ? 0.299 * (double)row[0][i] + 0.587 * (double)row[1][i] +
                                         0.114 * (double)row[2][i]
                                   : (double)row[0][i]);
}

/* Beside a wrapped side there is the opposite one. */
static void load_target(const rec_guidance *guidance, size_t plane, size_t x, size_t y,
                        size_t count, surroundings *made)
{
    const rec_image *target = guidance->target;
    const rec_boundary_row *boundary = &rec_boundaries[guidance->boundary];
    const ptrdiff_t width = (ptrdiff_t)target->width, height = (ptrdiff_t)target->height;
    for (ptrdiff_t r = 0; r < 3; r++) {
        ptrdiff_t row = (ptrdiff_t)y + r - 1;
        if (boundary->y == REC_WRAPPED)
            row = (row + height) % height;
        load_row(target, plane, 0, 1, (ptrdiff_t)x - 1, row, count + 2, made->at[r]);
    }
    if (boundary->x == REC_WRAPPED && x == 0)
        load_row(target, plane, 0, 1, width - 1, (ptrdiff_t)y, 1, made->at[1]);
    if (boundary->x == REC_WRAPPED && x + count == target->width)
        load_row(target, plane, 0, 1, 0, (ptrdiff_t)y, 1, &made->at[1][count + 1]);
}

static void load_source(const rec_guidance *guidance, size_t plane, size_t x, size_t y,
                        size_t count, surroundings *made)
{
    const rec_image *target = guidance->target, *source = guidance->source;
    const int colour = source && source->planes == 3;
    const int grey = colour && (rec_gradients[guidance->rule].grey || target->planes == 1);
    for (size_t r = 0; r < 3; r++) {
        const int seam = (y + r == 0) | (y + r > target->height);
        load_row(source && !seam ? source : &(rec_image){0}, colour ? plane : 0, grey,
                 guidance->scale, (ptrdiff_t)x - 1 - guidance->x,
                 (ptrdiff_t)(y + r) - 1 - guidance->y, count + 2, made->at[r]);
    }
    if (x == 0)
        made->at[1][0] = NAN;
    if (x + count == target->width)
        made->at[1][count + 1] = NAN;
}

/* v of `count` pairs, from the first of each pair to its second; 0 for none. */
static void combine(const rec_guidance *guidance, size_t count, const double *source_first,
                    const double *source_second, const double *target_first,
                    const double *target_second, double *v)
{
    double s[PIECE + 1], t[PIECE + 1];
    for (size_t i = 0; i < count; i++) {
        s[i] = source_second[i] - source_first[i];
        s[i] = s[i] == s[i] ? s[i] : 0;
        t[i] = target_second[i] - target_first[i];
    }
    rec_gradients[guidance->rule].combine(count, s, t, v);
    for (size_t i = 0; i < count; i++)
        v[i] = t[i] == t[i] ? v[i] : 0;
}

static void make_piece(const rec_guidance *guidance, size_t plane, size_t x, size_t y, size_t count,
                       float *out)
{
    surroundings source, target;
    double across[PIECE + 1], up[PIECE], down[PIECE];
    load_source(guidance, plane, x, y, count, &source);
    load_target(guidance, plane, x, y, count, &target);
    combine(guidance, count + 1, source.at[1], source.at[1] + 1, target.at[1], target.at[1] + 1,
            across);
    combine(guidance, count, source.at[1] + 1, source.at[0] + 1, target.at[1] + 1, target.at[0] + 1,
            up);
    combine(guidance, count, source.at[1] + 1, source.at[2] + 1, target.at[1] + 1, target.at[2] + 1,
            down);
    for (size_t i = 0; i < count; i++)
        out[i] = (float)(up[i] + down[i] - across[i] + across[i + 1]);
}

REC_TASK(make_rows, const rec_guidance *guidance; const rec_image *edges;
         size_t x, y, width, height)
{
    for (size_t i = first; i < end; i++) {
        const size_t plane = i / job->height, y = job->y + i % job->height;
        float *row = rec_image_row(job->edges, plane, y);
        for (size_t x = job->x; x < job->x + job->width; x += PIECE)
            make_piece(job->guidance, plane, x, y, rec_smaller(PIECE, job->x + job->width - x),
                       row + x);
    }
}

void rec_guidance_make(const rec_guidance *guidance, size_t x, size_t y, size_t width,
                       size_t height, rec_image *edges)
{
    REC_SHARE_ROWS(width, edges->planes * height, make_rows, guidance, edges, x, y, width, height);
}
