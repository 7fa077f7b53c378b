/* Tones of whole rows; the arithmetic of one sample is kernels/tone.h's, shared with the GPU. */
#include "image/image.h"
#include "kernels/tone.h"

#include <math.h>

#include "base/team.h"

_Static_assert(REC_TONE_CLAMP == REC_TONE_NUMBER_CLAMP &&
               REC_TONE_STRETCH == REC_TONE_NUMBER_STRETCH &&
               REC_TONE_EPCC == REC_TONE_NUMBER_EPCC, "kernels/tone.h counts as rec_tone does");

const char *const rec_tone_names[REC_TONE_NAMES] = {
    [REC_TONE_CLAMP] = "clamp", [REC_TONE_STRETCH] = "stretch", [REC_TONE_EPCC] = "epcc",
    [REC_TONE_AUTO] = "auto"};

rec_tone_range rec_tone_find_range(const rec_image *image, rec_tone tone)
{
    if (tone == REC_TONE_CLAMP)
        return (rec_tone_range){0, 0};
    const size_t rows = image->planes * image->height;
    float low = INFINITY, high = -INFINITY;
#pragma omp parallel for reduction(min : low) reduction(max : high)                                \
    if (rows * image->width > REC_WORTH_A_TEAM)
    for (size_t i = 0; i < rows; i++) {
        const float *row = image->data + i * image->stride;
        for (size_t x = 0; x < image->width; x++) {
            const float value = tone == REC_TONE_EPCC ? fabsf(row[x]) : row[x];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
    }
    if (rec_image_is_part(image)) {
        low = -(float)rec_ranks_most(-low);
        high = (float)rec_ranks_most(high);
    }
    return (rec_tone_range){low, high};
}

/* The choice of tone stands outside the loops, so that the compiler vectorises each of them. */
void rec_tone_row(const float *row, size_t count, rec_tone tone, rec_tone_range range,
                  unsigned maxval, uint16_t *out)
{
    switch (tone) {
    case REC_TONE_STRETCH:
        for (size_t i = 0; i < count; i++)
            out[i] = (uint16_t)rec_tone_stretch(row[i], range.low, range.high, maxval);
        break;
    case REC_TONE_EPCC:
        for (size_t i = 0; i < count; i++)
            out[i] = (uint16_t)rec_tone_epcc(row[i], range.low, range.high);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            out[i] = (uint16_t)rec_tone_clamp(row[i], maxval);
        break;
    }
}
