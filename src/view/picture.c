#include "view/picture.h"

#define OPAQUE UINT32_C(0xff000000)

/* One row of grey or of three planes to the texture's ARGB. */
static void convert_row(Uint32 *to, const rec_snapshot *snapshot, size_t y)
{
    const size_t plane_size = snapshot->height * snapshot->stride;
    const uint8_t *red = snapshot->pixels + y * snapshot->stride;
    if (snapshot->planes != 3) {
        for (size_t x = 0; x < snapshot->width; x++)
            to[x] = OPAQUE | red[x] * UINT32_C(0x010101);
        return;
    }
    const uint8_t *green = red + plane_size, *blue = green + plane_size;
    for (size_t x = 0; x < snapshot->width; x++)
        to[x] = OPAQUE | (Uint32)red[x] << 16 | (Uint32)green[x] << 8 | blue[x];
}

/* A texture of the snapshot's size: the one that is there, or a new one in its place. */
static int prepare_texture(rec_picture *picture, rec_size size)
{
    if (picture->texture && picture->size.width == size.width &&
        picture->size.height == size.height)
        return 1;
    SDL_Texture *texture =
        SDL_CreateTexture(picture->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING,
                          (int)size.width, (int)size.height);
    if (!texture)
        return 0;
    SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_NONE);
    SDL_DestroyTexture(picture->texture);
    picture->texture = texture;
    picture->size = size;
    return 1;
}

void rec_picture_accept(rec_picture *picture, const rec_snapshot *snapshot, const rec_shot *shot)
{
    void *pixels;
    int pitch;
    picture->shot = *shot;
    if (!prepare_texture(picture, shot->size) ||
        SDL_LockTexture(picture->texture, NULL, &pixels, &pitch))
        return;
    for (size_t y = 0; y < snapshot->height; y++)
        convert_row((Uint32 *)(void *)((char *)pixels + y * (size_t)pitch), snapshot, y);
    SDL_UnlockTexture(picture->texture);
    picture->image = (rec_size){snapshot->view.width, snapshot->view.height};
}

void rec_picture_draw(const rec_picture *picture, rec_size area)
{
    if (!picture->texture || !area.width || !area.height)
        return;
    const rec_size size = rec_fit(picture->image, area);
    const SDL_Rect to = {(int)(area.width - size.width) / 2, (int)(area.height - size.height) / 2,
                         (int)size.width, (int)size.height};
    SDL_RenderCopy(picture->renderer, picture->texture, NULL, &to);
}

void rec_picture_destroy(rec_picture *picture)
{
    SDL_DestroyTexture(picture->texture);
    picture->texture = NULL;
}
