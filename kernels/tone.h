/* Tone mapping of one sample to 0..maxval, for the C compiler and for nvcc, with the same bytes
 * from both: float32 throughout, each operation correctly rounded, compiled without contraction
 * (see the arithmetic contract in stencil.h). Finding the range of an image is not here: it belongs
 * to where the data is.
 *
 * A NaN maps to 0, so that no conversion is ever undefined; images have none. */
#ifndef REC_KERNELS_TONE_H
#define REC_KERNELS_TONE_H

#include <math.h>

#include "kernels/host_device.h"

/* The values of rec_tone in image/image.h, which this header must not include. */
#define REC_TONE_NUMBER_CLAMP 0
#define REC_TONE_NUMBER_STRETCH 1
#define REC_TONE_NUMBER_EPCC 2

/* Rounds half up, 0 <= value < 2^24. Not floor(value + 0.5): that sum rounds by itself, and takes
 * the largest float below a half to 1. */
static inline REC_HD unsigned rec_tone_round(float value)
{
    const int whole = (int)value;
    return (unsigned)(whole + (value - (float)whole >= 0.5f));
}

/* Round half away from zero, clamp to 0..maxval (at most 65535). */
static inline REC_HD unsigned rec_tone_clamp(float value, unsigned maxval)
{
    const float top = (float)maxval;
    const float positive = value > 0.0f ? value : 0.0f;
    return rec_tone_round(positive < top ? positive : top);
}

/* low..high linearly to 0..maxval; outside it clamped, and 0 at low of an empty range. */
static inline REC_HD unsigned rec_tone_stretch(float value, float low, float high, unsigned maxval)
{
    const float share = (value - low) / (high - low);
    const float scaled = share * (float)maxval;
    return rec_tone_clamp(scaled, maxval);
}

/* The exercise's mapping to 0..255, low and high being those of |v|:
 *     t = high > 255 ? (int)(255 |v - low| / (high - low) + 0.5) : (int)(|v| + 0.5)
 *     grey = min(255, (int)(255 sqrt(t / 255)))
 * t above 255 gives 255 as 255 does, so that it is clamped first: then it always fits an int. */
static inline REC_HD unsigned rec_tone_epcc(float value, float low, float high)
{
    const float scaled = 255.0f * fabsf(value - low);
    const float share = scaled / (high - low);
    const unsigned t = rec_tone_clamp(high > 255.0f ? share : fabsf(value), 255);
    const float root = sqrtf((float)t / 255.0f);
    return (unsigned)(int)(255.0f * root);
}

static inline REC_HD unsigned rec_tone_sample(float value, int tone, float low, float high,
                                              unsigned maxval)
{
    switch (tone) {
    case REC_TONE_NUMBER_STRETCH:
        return rec_tone_stretch(value, low, high, maxval);
    case REC_TONE_NUMBER_EPCC:
        return rec_tone_epcc(value, low, high);
    default:
        return rec_tone_clamp(value, maxval);
    }
}

#endif
