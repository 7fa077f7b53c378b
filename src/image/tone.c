/* Tones of whole rows; the arithmetic of one sample is kernels/tone.h's, shared with the GPU. */
#include "image/image.h"

#include <math.h>

const char *const rec_tone_names[REC_TONE_NAMES] = {
    [REC_TONE_CLAMP] = "clamp", [REC_TONE_STRETCH] = "stretch", [REC_TONE_EPCC] = "epcc",
    [REC_TONE_AUTO] = "auto"};

rec_tone_range rec_tone_range_of(const rec_survey *survey, rec_tone tone)
{
    return tone == REC_TONE_STRETCH ? (rec_tone_range){survey->low, survey->high}
           : tone == REC_TONE_EPCC
               ? (rec_tone_range){survey->nearest, fmaxf(-survey->low, survey->high)}
               : (rec_tone_range){0, 0};
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
