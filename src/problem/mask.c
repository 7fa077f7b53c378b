#include "problem/mask.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"

rec_status rec_mask_create(rec_mask *mask, size_t width, size_t height, rec_error *error)
{
    return rec_mask_create_for(mask, width, height, 0, error);
}

rec_status rec_mask_create_for(rec_mask *mask, size_t width, size_t height, int sparse,
                               rec_error *error)
{
    *mask = (rec_mask){.width = width, .height = height};
    return sparse ? rec_sparse_create(&mask->sparse, width, height, 1, error)
                  : rec_allocate_sparse(&mask->unknown, width, height, "a mask", error);
}

void rec_mask_destroy(rec_mask *mask)
{
    rec_free(mask->unknown);
    rec_sparse_destroy(mask->sparse);
    *mask = (rec_mask){0};
}

void rec_mask_read(const rec_mask *mask, size_t x, size_t y, size_t count, unsigned char *unknown)
{
    const size_t end = x + count;
    for (size_t some; x < end; x += some, unknown += some) {
        const unsigned char *run = rec_mask_run(mask, x, y, end, &some);
        if (run)
            memcpy(unknown, run, some);
        else
            memset(unknown, 0, some);
    }
}

/* A page that nobody writes takes no memory. */
rec_status rec_mask_write(const rec_mask *mask, size_t x, size_t y, size_t count,
                          const unsigned char *unknown, rec_error *error)
{
    if (mask->sparse)
        return rec_sparse_write(mask->sparse, x, y, count, unknown, error);
    unsigned char *to = mask->unknown + y * mask->width + x;
    if (memcmp(to, unknown, count))
        memcpy(to, unknown, count);
    return REC_OK;
}

REC_TASK(measure_rows, const rec_mask *mask; rec_mask *all)
{
    rec_mask own = *job->mask;
    rec_mask_measure_in(&own, (rec_area){0, first, own.width, end - first});
    rec_team_lock();
    job->all->count += own.count;
    job->all->box = rec_area_join(job->all->box, own.box);
    rec_team_unlock();
}

void rec_mask_measure(rec_mask *mask)
{
    rec_mask all = {0};
    REC_SHARE_ROWS(mask->width, mask->height, measure_rows, mask, &all);
    mask->count = all.count;
    mask->box = all.box;
}

/* Adds what is unknown in an area, of a sparse mask of one square. */
static void measure_square(rec_mask *mask, rec_area area)
{
    size_t left = mask->width, right = 0, top = mask->height, bottom = 0, count;
    for (size_t y = area.y; y < area.y + area.height; y++) {
        const unsigned char *row = rec_mask_run(mask, area.x, y, area.x + area.width, &count);
        const unsigned char *first = row ? memchr(row, 1, count) : NULL;
        if (!row)
            return;
        if (!first)
            continue;
        while (!row[count - 1])
            count--;
        left = rec_smaller(left, area.x + (size_t)(first - row));
        right = rec_larger(right, area.x + count);
        top = rec_smaller(top, y);
        bottom = y + 1;
        for (size_t x = 0; x < count; x++)
            mask->count += row[x];
    }
    if (bottom)
        mask->box = rec_area_join(mask->box, (rec_area){left, top, right - left, bottom - top});
}

void rec_mask_measure_in(rec_mask *mask, rec_area area)
{
    const size_t right = area.x + area.width, below = area.y + area.height;
    const size_t side = mask->sparse ? REC_SQUARE : SIZE_MAX / 2;
    mask->count = 0;
    mask->box = (rec_area){0};
    for (size_t y = area.y, next_y; y < below; y = next_y) {
        next_y = rec_smaller(y - y % side + side, below);
        for (size_t x = area.x, next_x; x < right; x = next_x) {
            next_x = rec_smaller(x - x % side + side, right);
            measure_square(mask, (rec_area){x, y, next_x - x, next_y - y});
        }
    }
}

/* Where the part of a shape that lies within `most` begins, in both; returns its length. */
static size_t overlap(ptrdiff_t at, size_t length, size_t most, size_t *from, size_t *to)
{
    const ptrdiff_t begin = at > 0 ? at : 0, behind = at + (ptrdiff_t)length;
    const ptrdiff_t end = behind < (ptrdiff_t)most ? behind : (ptrdiff_t)most;
    *from = (size_t)(begin - at);
    *to = (size_t)begin;
    return end > begin ? (size_t)(end - begin) : 0;
}

static void add_value(rec_mask_values *found, double value)
{
    if (value == found->low || value == found->high)
        return;
    found->count += found->count < 3;
    found->low = fmin(value, found->low);
    found->high = fmax(value, found->high);
}

enum { COLUMNS = 2048 };

/* Some columns at a time, of which most are of one value. */
REC_TASK(paste_rows, const rec_mask *mask; const rec_samples *samples; double white;
         ptrdiff_t x, y; rec_mask_values *found; rec_error *failed)
{
    const rec_samples *from = job->samples;
    const size_t planes = from->planes, together = rec_samples_together(from);
    rec_owned_cache cache = {0};
    float samples[3 * COLUMNS];
    unsigned char zero[COLUMNS];
    rec_error error;
    rec_status status = REC_OK;
    const double white = job->white, half = white * (double)planes;
    rec_mask_values own = {INFINITY, -INFINITY, 0, 0};
    unsigned char unknown[COLUMNS];
    for (size_t left = 0, i = 0, width, count; left < from->width && !status;
         i = (i + count) % ((end - first) * width), left += i ? 0 : width) {
        width = rec_smaller(together, from->width - left);
        const size_t x = left + i % width, row = first + i / width;
        count = rec_smaller(COLUMNS, left + width - x);
        int flat = 1;
        for (size_t p = 0; p < planes && !status; p++) {
            float *own_plane = samples + p * COLUMNS;
            status = rec_samples_read(from, &(rec_stretch){p, x, row, count, .floats = own_plane,
                                                          .found = white > 0 ? NULL : zero,
                                                          .cache = &cache}, &error);
            flat &= !memcmp(own_plane, own_plane + 1, (count - 1) * sizeof *samples) &&
                    (white > 0 || !memcmp(zero, zero + 1, count - 1));
        }
        if (status)
            break;
        const size_t alike = flat ? count : 1;
        for (size_t k = 0; k < count; k += alike) {
            double sum = 0;
            for (size_t p = 0; p < planes; p++) {
                const double sample = (double)samples[p * COLUMNS + k];
                own.between += sample > white / 4 && sample < 3 * white / 4 ? alike : 0;
                sum += sample;
            }
            add_value(&own, sum / (double)planes);
            unknown[k] = white > 0 ? 2 * sum >= half : !zero[k];
        }
        memset(unknown, unknown[0], flat ? count : 0);
        size_t from_x, from_y, to_x, to_y;
        const size_t columns = overlap(job->x + (ptrdiff_t)x, count, job->mask->width, &from_x,
                                       &to_x);
        if (!columns || !overlap(job->y + (ptrdiff_t)row, 1, job->mask->height, &from_y, &to_y))
            continue;
        status = rec_mask_write(job->mask, to_x, to_y, columns, unknown + from_x, &error);
    }
    rec_team_lock();
    add_value(job->found, own.low);
    add_value(job->found, own.high);
    job->found->count = rec_larger(job->found->count, own.count);
    job->found->between += own.between;
    rec_team_unlock();
    if (status)
        rec_team_fail(job->failed, &error);
}

rec_status rec_mask_paste(rec_mask *mask, const rec_samples *samples, double white, ptrdiff_t x,
                          ptrdiff_t y, rec_mask_values *found, rec_error *error)
{
    rec_error failed = {0};
    *found = (rec_mask_values){INFINITY, -INFINITY, 0, 0};
    REC_SHARE_ROWS(samples->width, samples->height, paste_rows, mask, samples, white, x, y, found,
                   &failed);
    rec_mask_measure(mask);
    return rec_team_failed(&failed, error);
}

void rec_mask_place(rec_mask *mask, const rec_mask *shape, ptrdiff_t x, ptrdiff_t y)
{
    size_t from_x, from_y, to_x, to_y;
    const size_t columns = overlap(x, shape->width, mask->width, &from_x, &to_x);
    const size_t all = overlap(y, shape->height, mask->height, &from_y, &to_y);
    const size_t rows = columns ? all : 0;
    for (size_t row = mask->box.y; row < mask->box.y + mask->box.height; row++)
        memset(mask->unknown + row * mask->width + mask->box.x, 0, mask->box.width);
    for (size_t row = 0; row < rows; row++)
        rec_mask_read(shape, from_x, from_y + row, columns,
                      mask->unknown + (to_y + row) * mask->width + to_x);
    rec_mask_measure_in(mask, (rec_area){to_x, to_y, columns, rows});
}

rec_status rec_mask_grow(rec_mask *grown, const rec_mask *mask, const rec_mask *through,
                         int wraps_x, int wraps_y, rec_error *error)
{
    const size_t width = mask->width, height = mask->height;
    rec_owned size_t *reached = NULL;
    size_t count = 0;
    REC_TRY(rec_allocate(&reached, mask->count + through->count, sizeof *reached,
                         "the way through a mask", error));
    memcpy(grown->unknown, mask->unknown, width * height);
    for (size_t y = mask->box.y; y < mask->box.y + mask->box.height; y++)
        for (size_t x = mask->box.x; x < mask->box.x + mask->box.width; x++)
            if (mask->unknown[y * width + x])
                reached[count++] = y * width + x;
    while (count) {
        const size_t at = reached[--count], x = at % width, y = at / width, row = at - x;
        const size_t around[] = {x ? at - 1 : wraps_x ? row + width - 1 : at,
                                 x + 1 < width ? at + 1 : wraps_x ? row : at,
                                 y ? at - width : wraps_y ? (height - 1) * width + x : at,
                                 y + 1 < height ? at + width : wraps_y ? x : at};
        for (size_t i = 0; i < 4; i++)
            if (through->unknown[around[i]] && !grown->unknown[around[i]]) {
                grown->unknown[around[i]] = 1;
                reached[count++] = around[i];
            }
    }
    rec_mask_measure(grown);
    return REC_OK;
}

void rec_mask_spread(const unsigned char *in, size_t stride, size_t width, size_t height,
                     size_t radius, unsigned char *work, unsigned char *out)
{
    for (size_t y = 0; y < height; y++)
        memcpy(work + y * width, in + y * stride, width);
    for (size_t k = 1; k <= radius && k < width; k++)
        for (size_t y = 0; y < height; y++) {
            const unsigned char *from = in + y * stride;
            unsigned char *to = work + y * width;
            for (size_t x = 0; x < width - k; x++)
                to[x] |= from[x + k];
            for (size_t x = k; x < width; x++)
                to[x] |= from[x - k];
        }
    memcpy(out, work, width * height);
    for (size_t k = 1; k <= radius && k < height; k++) {
        for (size_t i = 0; i < (height - k) * width; i++)
            out[i] |= work[i + k * width];
        for (size_t i = k * width; i < height * width; i++)
            out[i] |= work[i - k * width];
    }
}

/* In tiles: most of the mask may be far from all unknown pixels. */
rec_status rec_mask_widen(rec_mask *wider, const rec_mask *mask, size_t radius, rec_error *error)
{
    const rec_area box = mask->box;
    const size_t tile = rec_larger(REC_SQUARE, 4 * rec_smaller(radius, REC_MAX_SIDE));
    const size_t most = rec_smaller(2 * tile, box.width + tile / 2) *
                        rec_smaller(2 * tile, box.height + tile / 2);
    rec_owned unsigned char *in = NULL;
    REC_TRY(rec_mask_create_for(wider, mask->width, mask->height, mask->sparse != NULL, error));
    REC_TRY(rec_allocate(&in, most, 3, "a mask", error));
    for (size_t i = 0; i < box.height; i += tile)
        for (size_t k = 0; k < box.width; k += tile) {
            rec_mask part = *mask;
            rec_mask_measure_in(&part, (rec_area){box.x + k, box.y + i,
                                                  rec_smaller(tile, box.width - k),
                                                  rec_smaller(tile, box.height - i)});
            const rec_area area = rec_area_grow(part.box, radius, mask->width, mask->height);
            const size_t pixels = area.width * area.height;
            unsigned char *out = in + 2 * pixels, *work = in + pixels;
            for (size_t y = 0; part.count && y < area.height; y++)
                rec_mask_read(mask, area.x, area.y + y, area.width, in + y * area.width);
            if (part.count)
                rec_mask_spread(in, area.width, area.width, area.height, radius, work, out);
            for (size_t y = 0; part.count && y < area.height; y++) {
                unsigned char *row = out + y * area.width;
                rec_mask_read(wider, area.x, area.y + y, area.width, work);
                for (size_t x = 0; x < area.width; x++)
                    row[x] |= work[x];
                REC_TRY(rec_mask_write(wider, area.x, area.y + y, area.width, row, error));
            }
        }
    rec_mask_measure(wider);
    return REC_OK;
}
