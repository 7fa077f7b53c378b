#include "problem/guidance.h"

#include <math.h>

#include "base/memory.h"
#include "base/team.h"

/* ---- the rules; the compiler makes vectors of their loops ---- */

#define RULES(ROW) REC_GRADIENT_RULES(ROW) ROW(ZERO, "zero", 0, 0, 0, 0, "none: the smoothest fill")
#define RULE(id, name, value, ...) \
    static void take_##id(size_t count, const double *s, const double *t, double *v) \
    { \
        for (size_t i = 0; i < count; i++) \
            v[i] = value; \
    }
#define ROW(id, name, value, ...) [REC_GRADIENT_##id] = {name, take_##id, __VA_ARGS__},
RULES(RULE)
const rec_gradient_row rec_gradients[REC_GRADIENTS] = {RULES(ROW)};

/* ---- the edges, in strips of some columns, row after row ---- */

enum { COLUMNS = 128 }; /* their rows are on the stack */
enum { CELLS = COLUMNS + 2 }; /* of a row, with one beside each end */

typedef struct strip {
    const rec_guidance *guidance;
    rec_error *failed;      /* the first failure of a file; status REC_OK: none */
    size_t plane, x, count; /* columns x..x+count-1 */
    double *left, *most;    /* of guidance->off: of each row, and of all; NULL: not wanted */
} strip;

/* Samples that are no number, or too large, have no colour. */
static void read_cells(const strip *part, const rec_samples *samples, rec_stretch to)
{
    rec_error error;
    if (rec_samples_read(samples, &to, &error))
        rec_team_fail(part->failed, &error);
    for (size_t i = 0; rec_sample_kinds[samples->type].floating && i < to.count; i++)
        if (!(fabs(to.doubles[i]) <= REC_MAX_MAGNITUDE))
            to.doubles[i] = NAN;
}

/* Cells x..x+count-1 of row y; NaN outside, and where hidden. `level`: less that of the target. */
static void load_row(const strip *part, const rec_samples *samples, const rec_mask *hidden,
                     size_t plane, int grey, int level, double scale, ptrdiff_t x, ptrdiff_t y,
                     size_t count, double *out)
{
    const ptrdiff_t width = samples ? (ptrdiff_t)samples->width : 0, end = x + (ptrdiff_t)count;
    const ptrdiff_t first = x > 0 ? x : 0, last = end < width ? end : width;
    const int some = first < last && y >= 0 && y < (ptrdiff_t)samples->height;
    for (size_t i = 0; i < count && (!some || first > x || last < end); i++)
        out[i] = NAN;
    if (!some)
        return;
    double green[CELLS], blue[CELLS], *const red = out + (first - x);
    rec_stretch row = {.plane = grey ? 0 : plane, .x = (size_t)first, .y = (size_t)y,
                       .count = (size_t)(last - first), .doubles = red};
    if (level)
        row.level = part->guidance->level[plane];
    read_cells(part, samples, row);
    for (size_t p = 1; grey && p < 3; p++) {
        row.plane = p;
        row.doubles = p == 1 ? green : blue;
        read_cells(part, samples, row);
    }
    for (size_t i = 0; grey && i < row.count; i++)
        red[i] = scale * (0.299 * red[i] + 0.587 * green[i] + 0.114 * blue[i]);
    for (size_t i = 0; !grey && scale != 1 && i < row.count; i++)
        red[i] *= scale;
    unsigned char none[CELLS];
    if (hidden)
        rec_mask_read(hidden, row.x, row.y, row.count, none);
    for (size_t i = 0; hidden && i < row.count; i++)
        red[i] = none[i] ? (double)NAN : red[i];
}

/* Row y of the target, and the cells beside its ends. What is beyond a side follows the boundary;
 * NaN if that is a fixed value that does not count. */
static void load_target(const strip *part, ptrdiff_t y, double *out)
{
    const rec_guidance *guidance = part->guidance;
    const rec_samples *target = guidance->target;
    const rec_boundary_row *boundary = &rec_boundaries[guidance->boundary];
    const ptrdiff_t x = (ptrdiff_t)part->x - 1, height = (ptrdiff_t)target->height;
    const ptrdiff_t own = y < 0 ? 0 : y < height ? y : height - 1;
    const double halo = guidance->halo ? (double)*guidance->halo : NAN;
    double opposite[CELLS], end;
    load_row(part, target, guidance->hidden, part->plane, 0, 1, 1, x, own, part->count + 2, out);
    if (y != own) {
        load_row(part, target, guidance->hidden, part->plane, 0, 1, 1, x, height - 1 - own,
                 part->count + 2, opposite);
        for (size_t i = 0; i < part->count + 2; i++)
            out[i] = rec_ghost(boundary->y, out[i], opposite[i], halo);
        return;
    }
    for (int right = 0; right < 2; right++)
        if (right ? part->x + part->count == target->width : part->x == 0) {
            load_row(part, target, guidance->hidden, part->plane, 0, 1, 1,
                     right ? 0 : (ptrdiff_t)target->width - 1, y, 1, &end);
            out[right ? part->count + 1 : 0] =
                rec_ghost(boundary->x, out[right ? part->count : 1], end,
                          guidance->halo && boundary->side
                              ? (double)boundary->side((size_t)y, target->height, right)
                              : halo);
        }
}

/* The source's samples lose the target's level as the target's do. */
static int is_level(const rec_guidance *guidance)
{
    return guidance->source == guidance->target && !rec_gradients[guidance->rule].grey;
}

/* The same of the source, whose top left pixel lies there in the target; NaN beyond the target. */
static void load_source(const strip *part, ptrdiff_t left, ptrdiff_t top, ptrdiff_t y, double *out)
{
    const rec_guidance *guidance = part->guidance;
    const rec_samples *target = guidance->target, *source = guidance->source;
    const int colour = source && source->planes == 3;
    const int grey = colour && (rec_gradients[guidance->rule].grey || target->planes == 1);
    const int seam = y < 0 || y >= (ptrdiff_t)target->height;
    load_row(part, seam ? NULL : source, guidance->source_hidden, colour ? part->plane : 0, grey,
             is_level(guidance), guidance->scale, (ptrdiff_t)part->x - 1 - left, y - top,
             part->count + 2, out);
    if (part->x == 0)
        out[0] = NAN;
    if (part->x + part->count == target->width)
        out[part->count + 1] = NAN;
}

/* From the first of each pair to its second; 0 where one of them is none. */
static void subtract(size_t count, const double *first, const double *second, double *differences)
{
    for (size_t i = 0; i < count; i++) {
        const double difference = second[i] - first[i];
        differences[i] = difference == difference ? difference : 0;
    }
}

/* The labels of a row's cells, as load_row has them; 0 outside. */
static void load_labels(const strip *part, ptrdiff_t y, uint16_t *out)
{
    const rec_sources *sources = part->guidance->sources;
    const ptrdiff_t width = (ptrdiff_t)sources->width, x = (ptrdiff_t)part->x - 1;
    const int there = y >= 0 && y < (ptrdiff_t)sources->height;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)part->count + 2; i++)
        out[i] = there && x + i >= 0 && x + i < width
                     ? rec_sources_label(sources, (size_t)(x + i), (size_t)y) : 0;
}

/* The least label above `last` of some cells; 0: there is none. */
static uint16_t next_label(const uint16_t *labels, size_t count, uint16_t last)
{
    uint16_t next = 0;
    for (size_t i = 0; i < count; i++)
        if (labels[i] > last && (!next || labels[i] < next))
            next = labels[i];
    return next;
}

/* The source's differences of the pairs along row y, or from the row above it (`down`): those of
 * the source of one end, or the mean of both. */
static void find_labelled(const strip *part, ptrdiff_t y, int down, double *differences)
{
    const size_t count = part->count + !down;
    uint16_t label[2][CELLS];
    double row[2][CELLS], own[COLUMNS + 1], ends[COLUMNS + 1];
    load_labels(part, y, label[1]);
    load_labels(part, y - down, label[0]);
    const uint16_t *first = label[0] + down, *second = label[1] + 1;
    for (size_t i = 0; i < count; i++)
        differences[i] = ends[i] = 0;
    for (uint16_t last = 0, above, here;; last = here) {
        above = next_label(first, count, last);
        here = next_label(second, count, last);
        here = !here || (above && above < here) ? above : here;
        if (!here)
            break;
        const rec_patch *source = &part->guidance->sources->at[here - 1];
        if (!source->smooth) {
            load_source(part, -source->x, -source->y, y, row[1]);
            load_source(part, -source->x, -source->y, y - down, row[0]);
        }
        subtract(source->smooth ? 0 : count, row[0] + down, row[1] + 1, own);
        for (size_t i = 0; i < count; i++) {
            const int of = (first[i] == here) + (second[i] == here);
            if (of && !source->smooth)
                differences[i] += of * own[i];
            ends[i] += of;
        }
    }
    for (size_t i = 0; i < count; i++)
        differences[i] /= ends[i] > 1 ? 2 : 1;
}

/* What each pixel of row y has in its own source, as load_source has it; NaN where it has none. */
static void load_labelled(const strip *part, ptrdiff_t y, double *out)
{
    uint16_t label[CELLS];
    double row[CELLS];
    load_labels(part, y, label);
    for (size_t i = 0; i < part->count + 2; i++)
        out[i] = NAN;
    for (uint16_t here = 0; (here = next_label(label, part->count + 2, here));) {
        const rec_patch *source = &part->guidance->sources->at[here - 1];
        if (source->smooth)
            continue;
        load_source(part, -source->x, -source->y, y, row);
        for (size_t i = 0; i < part->count + 2; i++)
            out[i] = label[i] == here ? row[i] : out[i];
    }
}

/* v of the pairs along row y, or from the row above it (`down`); 0 for none: a pair that leaves the
 * target has no difference in the source either. */
static void combine(const strip *part, ptrdiff_t y, int down, const double *source_first,
                    const double *source_second, const double *target_first,
                    const double *target_second, double *v)
{
    const size_t count = part->count + !down;
    if (part->guidance->halo) { /* the source is the target, and there is no pair without v */
        for (size_t i = 0; i < count; i++)
            v[i] = target_second[i] - target_first[i];
        return;
    }
    double s[COLUMNS + 1], t[COLUMNS + 1];
    s[0] = t[0] = 0;
    if (part->guidance->sources)
        find_labelled(part, y, down, s);
    else
        subtract(count, source_first, source_second, s);
    subtract(count, target_first, target_second, t);
    rec_gradients[part->guidance->rule].combine(count, s, t, v);
}

/* Rows first..end-1. Differences to the row below are those of the next row with another sign. */
static void make_strip(const strip *part, size_t first, size_t end, const rec_image *edges)
{
    const rec_guidance *guidance = part->guidance;
    const double keep = fmax(guidance->keep, 1e-3); /* a thousandth of a pixel is none */
    const float mass = rec_gradients[guidance->rule].keeps ? (float)(1 / (keep * keep)) : 0;
    const double level = is_level(guidance) ? 0 : guidance->level[part->plane].value;
    const int mixes = guidance->halo || rec_gradients[guidance->rule].mixes;
    double target[2][CELLS] = {{0}}, source[2][CELLS], down[2][COLUMNS], across[COLUMNS + 1];
    for (size_t i = 0; i <= end - first + 1; i++) {
        const ptrdiff_t y = (ptrdiff_t)(first + i) - 1; /* the row that is loaded */
        double *t = target[i & 1], *s = source[i & 1];
        if (mixes)
            load_target(part, y, t);
        if (guidance->sources)
            load_labelled(part, y, s);
        else if (!guidance->halo)
            load_source(part, guidance->x, guidance->y, y, s);
        if (i)
            combine(part, y, 1, source[~i & 1] + 1, s + 1, target[~i & 1] + 1, t + 1, down[i & 1]);
        if (i > 1) {
            const double *own = source[~i & 1] + 1;
            double pull[COLUMNS] = {0}; /* of the mass; then the edges */
            const size_t row = (size_t)y - 1 - guidance->top, x = part->x - guidance->left;
            float *out = rec_image_row(edges, part->plane, row) + x;
            for (size_t k = 0; guidance->mass && k < part->count; k++) {
                const int there = own[k] == own[k];
                pull[k] = there ? (double)mass * (own[k] - level) : 0;
                if (part->plane == 0)
                    rec_image_row(guidance->mass, 0, row)[x + k] = there ? mass : 0;
            }
            for (size_t k = 0; k < part->count; k++)
                pull[k] = down[i & 1][k] - down[~i & 1][k] - across[k] + across[k + 1] - pull[k];
            for (size_t k = 0; part->left && k < part->count; k++) {
                double *left = &part->left[i - 2];
                pull[k] += *left;
                *left = pull[k] - (double)(float)pull[k];
                *part->most = fmax(*part->most, fabs(*left));
            }
            for (size_t k = 0; k < part->count; k++)
                out[k] = (float)pull[k];
        }
        if (i)
            combine(part, y, 0, s, s + 1, t, t + 1, across);
    }
}

REC_TASK(make_rows, const rec_guidance *guidance; const rec_image *edges; rec_area area;
         rec_error *failed)
{
    const rec_guidance *guidance = job->guidance;
    const rec_area area = job->area;
    double most = 0;
    for (size_t i = first, next; i < end; i = next) {
        const size_t plane = i / area.height, y = area.y + i % area.height;
        double left[COLUMNS] = {0};
        next = rec_smaller(i + COLUMNS, rec_smaller(end, (plane + 1) * area.height));
        for (size_t x = 0; x < area.width; x += COLUMNS) {
            const strip part = {guidance, job->failed, plane, area.x + x,
                                rec_smaller(COLUMNS, area.width - x),
                                guidance->off ? left : NULL, &most};
            make_strip(&part, y, y + (next - i), job->edges);
        }
    }
    rec_team_lock();
    if (guidance->off)
        *guidance->off = fmax(*guidance->off, most);
    rec_team_unlock();
}

rec_status rec_guidance_make(const rec_guidance *guidance, rec_area area, rec_image *edges,
                             rec_error *error)
{
    rec_error failed = {0};
    REC_SHARE_ROWS(area.width, edges->planes * area.height, make_rows, guidance, edges, area,
                   &failed);
    return rec_team_failed(&failed, error);
}

rec_status rec_laplacian(const rec_image *picture, rec_boundary_kind kind, float halo,
                         rec_image *edges, rec_error *error)
{
    const rec_samples samples = rec_samples_of_image(picture);
    const rec_guidance guidance = {.target = &samples, .boundary = kind, .halo = &halo};
    REC_TRY(rec_image_create(edges, picture->width, picture->height, picture->planes, error));
    return rec_guidance_make(&guidance, (rec_area){0, 0, picture->width, picture->height}, edges,
                             error);
}
