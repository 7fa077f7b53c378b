#include "problem/level.h"

#include <math.h>

#include "base/team.h"

/* Squares of gradients, and of their change from pixel to pixel, in smooth surroundings: half of
 * the pixels are flat, or three in ten lie on a slope that goes on, as in clouds. */
#define FLAT 1
#define EVEN 3
/* Across a border: levels of luminance, the square of a gradient, one in so many pixels. */
enum { RANGE = 20, STEEP = 64, STEEP_SHARE = 200 };

/* ---- levels: loops over bytes have all that they need in variables of their own, since a byte
 * that is written may be any other memory ---- */

static rec_status create_level(rec_level *made, size_t width, size_t height, size_t planes,
                               rec_error *error)
{
    const size_t pixels = width * height;
    *made = (rec_level){.width = width, .height = height, .planes = planes};
    REC_TRY(rec_allocate(&made->blocked, pixels, planes == 1 ? 3 : 6, "a search", error));
    made->part = made->blocked + pixels;
    for (size_t p = 0; p < 4; p++)
        made->plane[p] = made->part + (planes == 1 ? 1 : p + 1) * pixels;
    return REC_OK;
}

void rec_level_destroy(rec_level *made)
{
    rec_free(made->blocked);
    rec_free(made->own.at);
    rec_free(made->skin.at);
    rec_free(made->ring.at);
    rec_free(made->ring_sample);
}

static void add_luminance(const rec_level *made, size_t first, size_t end)
{
    const unsigned char *red = made->plane[0], *green = made->plane[1], *blue = made->plane[2];
    unsigned char *luminance = made->plane[3];
    if (made->planes == 1)
        return;
    for (size_t i = first; i < end; i++)
        luminance[i] = (unsigned char)((red[i] + 2 * green[i] + blue[i] + 2) >> 2);
}

enum { COLUMNS = 512 };

REC_TASK(take_rows, const rec_level *made; const rec_search *search; size_t x, y; uint16_t label;
         rec_error *failed)
{
    const rec_level *made = job->made;
    const rec_search *search = job->search;
    const unsigned char *hidden = search->hidden ? search->hidden->unknown : NULL;
    const float scale = (float)(255 / (search->white - search->black));
    rec_error error;
    float row[COLUMNS];
    const size_t width = made->width, planes = made->planes;
    for (size_t y = first; y < end; y++) {
        const size_t at = (job->y + y) * search->mask->width + job->x, to = y * width;
        unsigned char *blocked = made->blocked + to, *part = made->part + to;
        for (size_t i = 0, count; i < planes * width; i += count) {
            const size_t p = i / width, begin = i % width;
            unsigned char *plane = made->plane[p] + to + begin;
            count = rec_smaller(COLUMNS, width - begin);
            const rec_stretch stretch = {p, job->x + begin, job->y + y, count, .floats = row,
                                         .level = {search->black, 0}};
            if (rec_samples_read(search->picture, &stretch, &error)) {
                rec_team_fail(job->failed, &error);
                return;
            }
            for (size_t x = 0; x < count; x++) {
                const float value = row[x] * scale + 0.5f;
                const float above = value > 0 ? value : 0;
                plane[x] = (unsigned char)(int)(above < 255 ? above : 255);
            }
        }
        add_luminance(made, to, to + width);
        for (size_t x = 0, count; x < width; x += count) {
            const uint16_t *label = rec_sources_run(search->sources, job->x + x, job->y + y,
                                                    job->x + width, &count);
            for (size_t i = 0; i < count; i++)
                part[x + i] = label && label[i] == job->label;
        }
        rec_mask_read(search->mask, job->x, job->y + y, width, blocked);
        for (size_t x = 0; hidden && x < width; x++)
            blocked[x] |= hidden[at + x];
    }
}

rec_status rec_level_crop(rec_level *made, const rec_search *search, uint16_t label,
                       const rec_patch *patch, size_t margin, rec_error *error)
{
    const rec_area area =
        rec_area_grow(patch->box, margin, search->mask->width, search->mask->height);
    REC_TRY(create_level(made, area.width, area.height, search->picture->planes, error));
    rec_error failed = {0};
    REC_SHARE_ROWS(made->width, made->height, take_rows, made, search, area.x, area.y, label,
                   &failed);
    return rec_team_failed(&failed, error);
}

REC_TASK(halve_rows, const rec_level *from; const rec_level *made)
{
    const rec_level *from = job->from, *made = job->made;
    const size_t width = made->width;
    for (size_t y = first; y < end; y++) {
        const size_t at = 2 * y * from->width, below = at + from->width, to = y * width;
        for (size_t p = 0; p < made->planes; p++) {
            const unsigned char *a = from->plane[p] + at, *b = from->plane[p] + below;
            unsigned char *plane = made->plane[p] + to;
            for (size_t x = 0; x < width; x++)
                plane[x] = (unsigned char)((a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 2)
                                           >> 2);
        }
        add_luminance(made, to, to + width);
        for (size_t i = 0; i < 2; i++) {
            const unsigned char *a = (i ? from->part : from->blocked) + at, *b = a + from->width;
            unsigned char *set = (i ? made->part : made->blocked) + to;
            for (size_t x = 0; x < width; x++)
                set[x] = a[2 * x] | a[2 * x + 1] | b[2 * x] | b[2 * x + 1];
        }
    }
}

rec_status rec_level_halve(rec_level *half, const rec_level *level, rec_error *error)
{
    REC_TRY(create_level(half, level->width / 2, level->height / 2, level->planes, error));
    REC_SHARE_ROWS(half->width, half->height, halve_rows, level, half);
    return REC_OK;
}

/* ---- the sets of pixels of a level ---- */

static rec_status list_spans(rec_spans *made, const unsigned char *set, const rec_area *box,
                             rec_error *error)
{
    const size_t width = box->width, pixels = width * box->height;
    size_t count = 0;
    for (size_t i = 0; i < pixels; i++)
        count += set[i] && (i % width == 0 || !set[i - 1]);
    REC_TRY(rec_allocate(&made->at, count, sizeof *made->at, "a search", error));
    for (size_t i = 0; i < pixels; i++) {
        const ptrdiff_t x = (ptrdiff_t)(box->x + i % width), y = (ptrdiff_t)(box->y + i / width);
        if (set[i] && (i % width == 0 || !set[i - 1]))
            made->at[made->count++] = (rec_span){y, x, x};
        if (set[i])
            made->at[made->count - 1].end++;
        made->pixels += set[i];
    }
    return REC_OK;
}

static void fill_blocked(rec_level *made)
{
    const unsigned char *blocked = made->blocked;
    const size_t pixels = made->width * made->height;
    for (size_t p = 3 - made->planes; p < 3; p++) {
        for (size_t i = 0; i < made->ring.count; i++)
            for (ptrdiff_t x = made->ring.at[i].x; x < made->ring.at[i].end; x++)
                made->ring_sum[p] += rec_level_sample(made, p, x, made->ring.at[i].y);
        const double mean = made->ring_sum[p] / (double)made->ring.pixels;
        unsigned char *plane = made->plane[p];
        for (size_t i = 0; i < pixels; i++)
            plane[i] = blocked[i] ? (unsigned char)mean : plane[i];
    }
    add_luminance(made, 0, pixels);
}

static rec_status sample_ring(rec_level *made, rec_error *error)
{
    const rec_spans *ring = &made->ring;
    REC_TRY(rec_allocate(&made->ring_sample, ring->pixels,
                         REC_LEVEL_SIGNALS * sizeof *made->ring_sample, "a search", error));
    for (size_t s = 3 - made->planes, to; s < REC_LEVEL_SIGNALS; s++) {
        to = s * ring->pixels;
        for (size_t i = 0; i < ring->count; i++)
            for (ptrdiff_t x = ring->at[i].x; x < ring->at[i].end; x++)
                made->ring_sample[to++] = (int16_t)rec_level_sample(made, s, x, ring->at[i].y);
    }
    return REC_OK;
}

static void measure(rec_level *made, const unsigned char *wider, const rec_area *box)
{
    double n = 0, sum[REC_LEVEL_SIGNALS] = {0}, square[REC_LEVEL_SIGNALS] = {0};
    for (size_t i = 0; i < box->width * box->height; i++)
        for (size_t s = made->planes == 1 ? 2 : 0; wider[i] && s < REC_LEVEL_SIGNALS; s++) {
            const int value = rec_level_sample(made, s, (ptrdiff_t)(box->x + i % box->width),
                                     (ptrdiff_t)(box->y + i / box->width));
            n += s == 2;
            sum[s] += value;
            square[s] += value * value;
        }
    for (size_t s = 0; s < 3; s++) {
        made->mean[s] = sum[s] / n;
        made->variance[s] = square[s] / n - made->mean[s] * made->mean[s];
    }
    made->slope[0] = square[3] / n;
    made->slope[1] = square[4] / n;
}

rec_status rec_level_describe(rec_level *made, size_t radius, rec_error *error)
{
    rec_mask part = {.width = made->width, .height = made->height, .unknown = made->part};
    rec_mask_measure(&part);
    made->box = part.box;
    if (!part.count)
        return REC_OK;
    const size_t reach = REC_LEVEL_WIDER * radius;
    const rec_area box = rec_area_grow(part.box, reach, made->width, made->height);
    const size_t width = box.width, height = box.height;
    const size_t pixels = width * height, at = box.y * made->width + box.x;
    const struct { const unsigned char *from; size_t radius; } kinds[] = {
        {made->blocked + at, 1}, {made->part + at, 0}, {made->part + at, 1},
        {made->part + at, radius}, {made->part + at, reach}};
    rec_owned unsigned char *sets = NULL;
    made->radius = radius;
    REC_TRY(rec_allocate(&sets, pixels, 6, "a search", error));
    for (size_t i = 0; i < 5; i++)
        rec_mask_spread(kinds[i].from, made->width, width, height, kinds[i].radius,
                        sets + 5 * pixels, sets + i * pixels);
    for (size_t i = 0; i < 2 * pixels; i++)
        sets[3 * pixels + i] &= !sets[i % pixels];
    REC_TRY(list_spans(&made->own, sets + pixels, &box, error));
    REC_TRY(list_spans(&made->skin, sets + 2 * pixels, &box, error));
    REC_TRY(list_spans(&made->ring, sets + 3 * pixels, &box, error));
    if (made->ring.pixels) {
        fill_blocked(made);
        REC_TRY(sample_ring(made, error));
        /* Something that stands out further away is no texture of the part. */
        measure(made, sets + 3 * pixels, &box);
        const rec_level near = *made;
        measure(made, sets + 4 * pixels, &box);
        for (size_t p = 0; p < 3; p++)
            made->variance[p] = fmin(made->variance[p], near.variance[p]);
        for (size_t i = 0; i < 2; i++)
            made->slope[i] = fmin(made->slope[i], near.slope[i]);
    }
    return REC_OK;
}

/* 1: a border crosses the ring: some of its pixels are steep, and less the plane that fits best its
 * luminance has a wide range, of which a twentieth is left out at each end. */
static int has_border(const rec_level *made)
{
    double sum[4][4] = {{0}}, across = 0, down = 0;
    size_t count[4 * 256] = {0}, steep = 0, below = 0, within = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < made->ring.count; i++)
            for (ptrdiff_t x = made->ring.at[i].x; x < made->ring.at[i].end; x++) {
                const ptrdiff_t y = made->ring.at[i].y;
                const int dx = rec_level_sample(made, 3, x, y);
                const int dy = rec_level_sample(made, 4, x, y);
                const size_t at = (size_t)y * made->width + (size_t)x;
                const double v[] = {1, (double)x, (double)y, made->plane[3][at]};
                for (int a = 0; !pass && a < 4; a++)
                    for (int b = 0; b < 4; b++)
                        sum[a][b] += v[a] * v[b];
                steep += !pass && dx * dx + dy * dy > STEEP;
                double rest = v[3] - sum[0][3] / sum[0][0] + 2 * 256;
                rest -= across * (v[1] - sum[0][1] / sum[0][0]);
                rest -= down * (v[2] - sum[0][2] / sum[0][0]);
                count[(size_t)fmin(fmax(rest, 0), 4 * 256 - 1)] += (size_t)pass;
            }
        const double n = sum[0][0], *first = sum[0];
        const double xx = n * sum[1][1] - first[1] * first[1];
        const double yy = n * sum[2][2] - first[2] * first[2];
        const double xy = n * sum[1][2] - first[1] * first[2];
        const double xl = n * sum[1][3] - first[1] * first[3];
        const double yl = n * sum[2][3] - first[2] * first[3], all = xx * yy - xy * xy;
        across = all > 0 ? (xl * yy - yl * xy) / all : 0;
        down = all > 0 ? (yl * xx - xl * xy) / all : 0;
    }
    for (size_t i = 0; i < 4 * 256; i++) { /* steps of the range between the ends */
        below += count[i];
        within += 20 * below >= made->ring.pixels && 20 * below <= 19 * made->ring.pixels;
    }
    return within > RANGE && STEEP_SHARE * steep >= made->ring.pixels;
}

rec_smoothness rec_level_smoothness(const rec_level *made)
{
    size_t equal = 0, flat = 0, slope = 0;
    for (size_t i = 0; i < made->ring.count; i++)
        for (ptrdiff_t x = made->ring.at[i].x; x < made->ring.at[i].end; x++) {
            const ptrdiff_t y = made->ring.at[i].y;
            const int across = rec_level_sample(made, 3, x, y);
            const int down = rec_level_sample(made, 4, x, y);
            const int bend = across - rec_level_sample(made, 3, x - 1, y);
            const int dip = down - rec_level_sample(made, 4, x, y - 1);
            const int square = across * across + down * down, change = bend * bend + dip * dip;
            equal += !square;
            flat += square <= FLAT;
            slope += square > FLAT && change <= EVEN && square >= 2 * change;
        }
    if ((2 * flat < made->ring.pixels && 10 * slope < 3 * made->ring.pixels) || has_border(made))
        return REC_TEXTURED;
    return 2 * equal < made->ring.pixels ? REC_GRAINED : REC_FLAT;
}
