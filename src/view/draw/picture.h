/* The newest snapshot of a layer as a texture. It stays until the next one comes, whatever happens
 * to the window meanwhile, and is drawn where the viewport has its part of the image: zooming and
 * panning answer at once, and nothing flashes. */
#ifndef REC_VIEW_PICTURE_H
#define REC_VIEW_PICTURE_H

#include <SDL.h>

#include "view/worker/state.h"
#include "view/draw/viewport.h"

typedef struct rec_picture {
    SDL_Texture *texture; /* NULL: no picture yet */
    rec_size size;        /* of the texture */
    rec_shot shot;        /* what it shows */
    size_t planes;
    float low, high;      /* of the snapshot */
} rec_picture;

/* Takes over the pixels of a snapshot; the palette is that of rec_scene_palette. Without a texture
 * for it the old picture stays. */
void rec_picture_accept(rec_picture *picture, SDL_Renderer *renderer, const rec_snapshot *snapshot,
                        const rec_shot *shot, const Uint32 palette[256]);

/* Draws it where it belongs, and nothing outside `clip`, output pixels. */
void rec_picture_draw(const rec_picture *picture, SDL_Renderer *renderer,
                      const rec_viewport *viewport, SDL_Rect clip);

void rec_picture_destroy(rec_picture *picture);

#endif
