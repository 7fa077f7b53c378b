/* Images of which every rank has some rows. */
#include <string.h>

#include "base/text.h"
#include "image/image.h"

rec_status rec_image_create_part(rec_image *image, size_t width, size_t height, size_t planes,
                                 rec_error *error)
{
    const size_t ranks = rec_ranks_count(), own = rec_ranks_own();
    memset(image, 0, sizeof *image);
    if (height / REC_ROWS_TOGETHER < ranks)
        return rec_fail(error, REC_USAGE,
                        "an image of %zu row%s has work for at most %zu rank%s, not "
                        "for %zu",
                        height, rec_plural(height), height / REC_ROWS_TOGETHER,
                        rec_plural(height / REC_ROWS_TOGETHER), ranks);
    const size_t first = rec_cut(height, ranks, own), end = rec_cut(height, ranks, own + 1);
    const rec_status status = rec_image_create(image, width, end - first, planes, error);
    if (!status) {
        image->above = first;
        image->below = height - end;
    }
    return status;
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
    rec_status status = rec_image_create_part(&part, sides[0], sides[1], sides[2], error);
    status = rec_ranks_agree(status, error);
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
    rec_status status = rec_ranks_own() ? REC_OK
                                        : rec_image_create(whole, part->width,
                                                           rec_image_full_height(part),
                                                           part->planes, error);
    status = rec_ranks_agree(status, error);
    if (!status)
        move_rows(whole, part, 1);
    else
        rec_image_destroy(whole);
    return status;
}
