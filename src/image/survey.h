/* Tones of 8 and 16 bits, and what an image's samples say as a whole: survey.c. */
#pragma once

#include "image/samples.h"
#include "kernels/tone.h"

/* ---- 8- and 16-bit tones ---- */

extern const char *const rec_tone_names[REC_TONE_NAMES]; /* "clamp", "stretch", "epcc", "auto" */

/* Minimum and maximum of v over the whole image, for epcc of |v|; clamp does not need them. */
typedef struct rec_tone_range {
    float low, high;
} rec_tone_range;

/* count samples of a row: out[i] in 0..maxval. */
void rec_tone_row(const float *row, size_t count, rec_tone tone, rec_tone_range range,
                  unsigned maxval, uint16_t *out);

/* ---- the whole of an image ---- */

typedef struct rec_survey {
    float low, high; /* the smallest and the largest sample */
    float nearest;   /* the smallest magnitude */
    size_t outside;  /* samples that the tone clamp cuts off: they round to below 0, above maxval */
    size_t samples;
} rec_survey;

rec_survey rec_image_survey_in(const rec_image *image, rec_area area, unsigned maxval);
static inline rec_survey rec_image_survey(const rec_image *image, unsigned maxval)
{
    return rec_image_survey_in(image, (rec_area){0, 0, image->width, image->height}, maxval);
}

void rec_survey_merge(rec_survey *all, rec_survey part);
/* Of samples of any type, as float32. left_out: NULL, or [y * width + x] not 0: no sample of the
 * pixel counts, and none that is no number. Errors as of rec_samples_read. */
rec_status rec_samples_survey(const rec_samples *samples, const unsigned char *left_out,
                              unsigned maxval, rec_survey *survey, rec_error *error);

/* The tone, with auto resolved; and the range that a tone needs. */
rec_tone rec_tone_choose(rec_tone tone, const rec_survey *survey);
rec_tone_range rec_tone_range_of(const rec_survey *survey, rec_tone tone);

/* What is odd about edges: they are a picture, magnitudes without a sign, or not about 0. */
typedef enum rec_doubt { REC_DOUBT_NONE, REC_DOUBT_PICTURE, REC_DOUBT_UNSIGNED, REC_DOUBT_LEVEL }
    rec_doubt;

/* zero_level: that was subtracted from the file's. Files with negative samples have no doubt. */
rec_doubt rec_edges_doubt(const rec_image *edges, double zero_level);
