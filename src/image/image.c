/* The image: planes of float32, their memory and their identity. Sizes are checked here, before any
 * memory is taken, for every reader and for every result. */
#include "image/image.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/team.h"
#include "base/text.h"

#define ROW_FLOATS (REC_ALIGNMENT / sizeof(float)) /* rows start on a cache line */
enum { SOME_ROWS = 1024 };

rec_status rec_image_create(rec_image *image, size_t width, size_t height, size_t planes,
                            rec_error *error)
{
    memset(image, 0, sizeof *image);
    if (!width || !height || width > REC_MAX_SIDE || height > REC_MAX_SIDE)
        return rec_fail(error, REC_BAD_INPUT,
                        "an image of %zu x %zu pixels: each side must be 1 to %d", width, height,
                        REC_MAX_SIDE);
    if (planes != 1 && planes != 3)
        return rec_fail(error, REC_BAD_INPUT,
                        "an image of %zu planes: it must have 1 (grey) or 3 (colour)", planes);
    const size_t stride = (width + ROW_FLOATS - 1) / ROW_FLOATS * ROW_FLOATS;
    char what[96];
    void *data;
    snprintf(what, sizeof what, "a %zu x %zu image of %zu plane%s", width, height, planes,
             rec_plural(planes));
    const rec_status status =
        rec_allocate_zeroed(&data, planes * height, stride * sizeof(float), what, error);
    if (!status)
        *image = (rec_image){width, height, planes, stride, data, 0, 0};
    return status;
}

void rec_image_destroy(rec_image *image)
{
    rec_free(image->data);
    memset(image, 0, sizeof *image);
}

rec_status rec_image_copy(rec_image *copy, const rec_image *image, rec_error *error)
{
    const rec_status status =
        rec_image_create(copy, image->width, image->height, image->planes, error);
    if (status)
        return status;
    const size_t rows = image->planes * image->height;
#pragma omp parallel for if (rows * image->width > REC_WORTH_A_TEAM)
    for (size_t i = 0; i < rows; i++)
        memcpy(copy->data + i * copy->stride, image->data + i * image->stride,
               image->width * sizeof(float));
    copy->above = image->above;
    copy->below = image->below;
    return REC_OK;
}

void rec_image_fill(rec_image *image, float value)
{
    const size_t rows = image->planes * image->height;
#pragma omp parallel for if (rows * image->width > REC_WORTH_A_TEAM)
    for (size_t i = 0; i < rows; i++)
        for (size_t x = 0; x < image->width; x++)
            image->data[i * image->stride + x] = value;
}

/* Every row has a hash of its own, by whichever thread, and they are folded in their order. */
static uint64_t hash_plane(const rec_image *image, size_t plane, uint64_t hash)
{
    uint64_t hashes[SOME_ROWS];
    for (size_t first = 0; first < image->height; first += SOME_ROWS) {
        const size_t left = image->height - first, rows = left < SOME_ROWS ? left : SOME_ROWS;
#pragma omp parallel for if (rows * image->width > REC_WORTH_A_TEAM)
        for (size_t i = 0; i < rows; i++)
            hashes[i] = rec_hash(REC_HASH_START, rec_image_row(image, plane, first + i),
                                 image->width * sizeof(float));
        for (size_t i = 0; i < rows; i++)
            hash = rec_hash(hash, &hashes[i], sizeof *hashes);
    }
    return hash;
}

uint64_t rec_image_hash(const rec_image *image)
{
    const uint64_t shape[] = {image->width, rec_image_full_height(image), image->planes};
    uint64_t hash = rec_hash(REC_HASH_START, shape, sizeof shape);
    for (size_t p = 0; p < image->planes; p++) {
        rec_image_take_turn(image, &hash, sizeof hash);
        hash = hash_plane(image, p, hash);
        rec_image_give_turn(image, &hash, sizeof hash);
    }
    return hash;
}
