/* The scenes, and the colours of their layers. */
#include "view/worker/scene.h"

#include <math.h>
#include <stdlib.h>

/* Knots at equal steps of a scale, 0xRRGGBB, so that equal distances look about equally
 * different (in CIE L*a*b*). Heat is for values from 0 up, as the change: lightness rises and
 * colours differ evenly. Below and above are for signed differences: lightness grows evenly on both
 * sides. */
static const uint32_t heat[] = {
    0x060613, 0x12112d, 0x1f1848, 0x3c1f65, 0x632474, 0x8b2776, 0xa8296f, 0xc02d64, 0xd43657,
    0xe3464a, 0xeb5b3c, 0xf07330, 0xf38c29, 0xf5a82a, 0xf7c242, 0xfbda6a, 0xfdea92, 0xfdf5bb,
};
static const uint32_t below[] = {
    0x242424, 0x292b38, 0x2c344f, 0x2d3c65, 0x2c457a, 0x2a4f8d, 0x2659a0, 0x2263b0, 0x1f6ec0,
    0x1c79cf, 0x1a84dd, 0x2090e9, 0x309bf2, 0x46a6f7, 0x5cb1f9, 0x71bdfa, 0x82c8fc,
};
static const uint32_t above[] = {
    0x242424, 0x3b2722, 0x512a20, 0x662c1e, 0x792f1c, 0x8b341b, 0x9a3b1a, 0xa94319, 0xb74c18,
    0xc45516, 0xd16014, 0xdc6c14, 0xe6781a, 0xed8627, 0xf39538, 0xf7a449, 0xfbb259,
};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* The colour at `along`, from 0 to 1, between the knots of a scale. */
static uint32_t between(const uint32_t *knots, int count, double along)
{
    const double place = along * (count - 1);
    const int i = place < count - 2 ? (int)place : count - 2;
    uint32_t color = 0xff000000;
    for (int shift = 0; shift < 24; shift += 8) {
        const double from = knots[i] >> shift & 0xff, to = knots[i + 1] >> shift & 0xff;
        color |= (uint32_t)(from + (place - i) * (to - from) + 0.5) << shift;
    }
    return color;
}

void rec_scene_palette(uint32_t palette[REC_PALETTE_SIZE], rec_layer layer, int grey, double gamma)
{
    const rec_scale scale = grey ? rec_layers[layer].scale : REC_SCALE_TONE;
    const int is_signed = scale == REC_SCALE_SIGNED, is_heat = scale == REC_SCALE_MAGNITUDE;
    for (int i = 0; i < REC_PALETTE_SIZE; i++) {
        /* Of signed differences 128 is 0, and there are 127 steps each way: byte 0 looks like 1. */
        const double share = is_signed ? fmin(abs(i - 128), 127) / 127 : i / 255.0;
        const double along = pow(share, 1 / gamma);
        const uint32_t tone = (uint32_t)(255 * along + 0.5);
        palette[i] = is_heat      ? between(heat, COUNT(heat), along)
                     : !is_signed ? 0xff000000 | tone * 0x010101
                     : i < 128    ? between(below, COUNT(below), along)
                                  : between(above, COUNT(above), along);
    }
}

#define SCENE(key, scene, left, right, name, plain, painted, help) \
    {REC_LAYER_##left, REC_LAYER_##right, name, plain, painted, \
     REC_LAYER_BIT(REC_LAYER_##left) | REC_LAYER_BIT(REC_LAYER_##right)},
const rec_scene_row rec_scenes[REC_SCENES] = {REC_SCENE_ROWS(SCENE)};
