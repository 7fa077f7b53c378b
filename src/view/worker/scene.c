#include "view/worker/scene.h"

#include "view/draw/palette.h"

#define PICTURE REC_LAYER_BIT(REC_LAYER_PICTURE)
#define EDGES REC_LAYER_BIT(REC_LAYER_EDGES)
#define CHANGE REC_LAYER_BIT(REC_LAYER_CHANGE)
#define DIFFERENCE REC_LAYER_BIT(REC_LAYER_DIFFERENCE)

const rec_scene_row rec_scenes[REC_SCENES] = {
    [REC_SCENE_PICTURE] = {"picture", REC_LAYER_PICTURE, PICTURE},
    [REC_SCENE_EDGES] = {"edges", REC_LAYER_EDGES, EDGES},
    [REC_SCENE_SIDES] = {"picture | edges", REC_LAYER_PICTURE, PICTURE | EDGES},
    [REC_SCENE_CHANGE] = {"change of a batch", REC_LAYER_CHANGE, CHANGE},
    [REC_SCENE_DIFFERENCE] = {"minus the reference", REC_LAYER_DIFFERENCE, DIFFERENCE},
};

void rec_scene_palette(uint32_t palette[256], rec_layer layer, int grey, double gamma)
{
    if (grey && layer == REC_LAYER_CHANGE)
        rec_palette_heat(palette, gamma);
    else if (grey && layer == REC_LAYER_DIFFERENCE)
        rec_palette_diverging(palette, gamma);
    else
        rec_palette_grey(palette, gamma);
}
