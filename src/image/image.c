/* The image: planes of float32, their memory, their identity and their parts. Sizes are checked
 * here, before any memory is taken, for every reader and for every result. */
#include "image/image_files.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/team.h"
#include "base/text.h"

#define ROW_FLOATS (REC_ALIGNMENT / sizeof(float)) /* rows start on a cache line */
enum { SOME_ROWS = 1024 };

rec_status rec_image_check_size(size_t width, size_t height, size_t planes, rec_error *error)
{
    if (!width || !height || width > REC_MAX_SIDE || height > REC_MAX_SIDE)
        return rec_fail(error, REC_BAD_INPUT,
                        "an image of %zu x %zu pixels: each side must be 1 to %d", width, height,
                        REC_MAX_SIDE);
    if (planes != 1 && planes != 3)
        return rec_fail(error, REC_BAD_INPUT,
                        "an image of %zu planes: it must have 1 (grey) or 3 (colour)", planes);
    return REC_OK;
}

rec_status rec_image_create(rec_image *image, size_t width, size_t height, size_t planes,
                            rec_error *error)
{
    memset(image, 0, sizeof *image);
    REC_TRY(rec_image_check_size(width, height, planes, error));
    const size_t stride = (width + ROW_FLOATS - 1) / ROW_FLOATS * ROW_FLOATS;
    char what[96];
    void *data;
    snprintf(what, sizeof what, "a %zu x %zu image of %zu plane%s", width, height, planes,
             rec_plural(planes));
    REC_TRY(rec_allocate_zeroed(&data, planes * height, stride * sizeof(float), what, error));
    *image = (rec_image){width, height, planes, stride, data, 0, 0};
    return REC_OK;
}

void rec_image_destroy(rec_image *image)
{
    rec_free(image->data);
    memset(image, 0, sizeof *image);
}

REC_TASK(copy_rows, float *to; const float *from; size_t to_stride, from_stride, width)
{
    for (size_t y = first; y < end; y++)
        memcpy(job->to + y * job->to_stride, job->from + y * job->from_stride,
               job->width * sizeof *job->to);
}

void rec_copy_rows(float *to, size_t to_stride, const float *from, size_t from_stride,
                   size_t width, size_t rows)
{
    REC_SHARE_ROWS(width, rows, copy_rows, to, from, to_stride, from_stride, width);
}

void rec_extras_destroy(rec_extras *extras)
{
    rec_image_destroy(&extras->alpha);
    rec_image_destroy(&extras->valid);
    for (size_t i = 0; i < extras->band_count; i++) {
        rec_image_destroy(&extras->bands[i]);
        if (extras->filled)
            rec_image_destroy(&extras->filled[i]);
    }
    rec_free(extras->bands);
    rec_free(extras->filled);
    rec_free(extras->profile);
    *extras = (rec_extras){0};
}

void rec_image_divide(const rec_image *image, const rec_extras *extras)
{
    for (size_t i = 0; extras->associated && i < image->planes * image->height; i++)
        for (size_t x = 0; x < image->width; x++) {
            const double part = (double)rec_image_row(&extras->alpha, 0, i % image->height)[x];
            float *sample = image->data + i * image->stride + x;
            *sample = part > 0 ? (float)((double)*sample * extras->maxval / part) : *sample;
        }
}

rec_status rec_image_copy(rec_image *copy, const rec_image *image, rec_error *error)
{
    REC_TRY(rec_image_create(copy, image->width, image->height, image->planes, error));
    rec_copy_rows(copy->data, copy->stride, image->data, image->stride, image->width,
                  image->planes * image->height);
    copy->above = image->above;
    copy->below = image->below;
    return REC_OK;
}

REC_TASK(fill_rows, const rec_image *image; float value)
{
    for (size_t i = first; i < end; i++)
        for (size_t x = 0; x < job->image->width; x++)
            job->image->data[i * job->image->stride + x] = job->value;
}

void rec_image_fill(rec_image *image, float value)
{
    const size_t rows = image->planes * image->height;
    REC_SHARE_ROWS(image->width, rows, fill_rows, image, value);
}

REC_TASK(hash_rows, uint64_t *hashes; const rec_image *image; size_t plane, top)
{
    for (size_t i = first; i < end; i++)
        job->hashes[i] =
            rec_hash(REC_HASH_START, rec_image_row(job->image, job->plane, job->top + i),
                     job->image->width * sizeof(float));
}

/* Every row has a hash of its own, by whichever thread, and they are folded in their order. */
uint64_t rec_image_hash(const rec_image *image)
{
    const uint64_t shape[] = {image->width, rec_image_full_height(image), image->planes};
    uint64_t hash = rec_hash(REC_HASH_START, shape, sizeof shape), hashes[SOME_ROWS];
    for (size_t p = 0; p < image->planes; p++) {
        rec_image_reduce_begin(image, &hash, sizeof hash);
        for (size_t first = 0; first < image->height; first += SOME_ROWS) {
            const size_t rows = rec_smaller(image->height - first, SOME_ROWS);
            REC_SHARE_ROWS(image->width, rows, hash_rows, hashes, image, p, first);
            for (size_t i = 0; i < rows; i++)
                hash = rec_hash(hash, &hashes[i], sizeof *hashes);
        }
        rec_image_reduce_end(image, &hash, sizeof hash);
    }
    return hash;
}

/* ---- parts, of which every rank has some rows ---- */

rec_status rec_image_create_part(rec_image *image, size_t width, size_t height, size_t planes,
                                 rec_error *error)
{
    const size_t ranks = rec_ranks_count(), own = rec_ranks_own();
    const size_t most = height < REC_ROWS_TOGETHER ? 1 : height / REC_ROWS_TOGETHER;
    memset(image, 0, sizeof *image);
    if (most < ranks)
        return rec_fail(error, REC_USAGE,
                        "an image of %zu row%s has work for at most %zu rank%s, not for %zu",
                        height, rec_plural(height), most, rec_plural(most), ranks);
    const size_t first = rec_cut(height, ranks, own), end = rec_cut(height, ranks, own + 1);
    REC_TRY(rec_image_create(image, width, end - first, planes, error));
    image->above = first;
    image->below = height - end;
    return REC_OK;
}

/* The rows of each rank, from the first rank's whole image to the parts, or back. */
static void move_rows(const rec_image *whole, const rec_image *part, int back)
{
    const size_t ranks = rec_ranks_count(), row = part->stride * sizeof(float);
    for (size_t p = 0; p < part->planes; p++) {
        float *own = rec_image_row(part, p, 0);
        if (rec_ranks_own()) {
            if (back)
                rec_ranks_send(0, own, part->height * row);
            else
                rec_ranks_receive(0, own, part->height * row);
            continue;
        }
        float *first = rec_image_row(whole, p, 0);
        memcpy(back ? first : own, back ? own : first, part->height * row);
        for (size_t i = 1; i < ranks; i++) {
            const size_t begin = rec_cut(whole->height, ranks, i);
            const size_t bytes = (rec_cut(whole->height, ranks, i + 1) - begin) * row;
            if (back)
                rec_ranks_receive(i, rec_image_row(whole, p, begin), bytes);
            else
                rec_ranks_send(i, rec_image_row(whole, p, begin), bytes);
        }
    }
}

rec_status rec_image_scatter(rec_image *image, rec_error *error)
{
    size_t sides[] = {image->width, image->height, image->planes};
    rec_image part;
    rec_ranks_share(sides, sizeof sides);
    const rec_status status = rec_ranks_agree(
        rec_image_create_part(&part, sides[0], sides[1], sides[2], error), error);
    if (!status)
        move_rows(image, &part, 0);
    else
        rec_image_destroy(&part);
    rec_image_destroy(image);
    *image = part;
    return status;
}

rec_status rec_image_gather(const rec_image *part, rec_image *whole, rec_error *error)
{
    memset(whole, 0, sizeof *whole);
    const size_t height = rec_image_full_height(part);
    rec_status status = REC_OK;
    if (!rec_ranks_own())
        status = rec_image_create(whole, part->width, height, part->planes, error);
    status = rec_ranks_agree(status, error);
    if (!status)
        move_rows(whole, part, 1);
    else
        rec_image_destroy(whole);
    return status;
}
