/* The newest snapshot as a texture. It stays until the next one comes, whatever happens to the
 * window meanwhile: nothing flashes. */
#ifndef REC_VIEW_PICTURE_H
#define REC_VIEW_PICTURE_H

#include <SDL.h>

#include "view/fit.h"
#include "view/state.h"

typedef struct rec_picture {
    SDL_Renderer *renderer;
    SDL_Texture *texture; /* NULL: no picture yet */
    rec_size size;        /* of the texture */
    rec_size image;       /* of the image that it shows: its aspect */
    rec_shot shot;        /* what it shows */
} rec_picture;

/* Takes over the pixels of a snapshot. Without a texture for it the old picture stays. */
void rec_picture_accept(rec_picture *picture, const rec_snapshot *snapshot, const rec_shot *shot);

/* Draws it in the middle of the area at the window's upper left corner: 1:1 where it was made for
 * this area, else scaled without smoothing. */
void rec_picture_draw(const rec_picture *picture, rec_size area);

void rec_picture_destroy(rec_picture *picture);

#endif
