#include "view/draw/draw.h"

/* A texture of the snapshot's size: the one that is there, or a new one in its place. */
static int prepare_texture(rec_picture *picture, SDL_Renderer *renderer,
                           const rec_snapshot *snapshot)
{
    if (picture->texture && picture->shows.width == snapshot->width &&
        picture->shows.height == snapshot->height)
        return 1;
    SDL_Texture *texture =
        SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING,
                          (int)snapshot->width, (int)snapshot->height);
    if (!texture)
        return 0;
    SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_NONE);
    SDL_DestroyTexture(picture->texture);
    picture->texture = texture;
    return 1;
}

void rec_picture_accept(rec_picture *picture, SDL_Renderer *renderer, const rec_snapshot *snapshot,
                        rec_size image, const Uint32 palette[REC_PALETTE_SIZE])
{
    void *pixels;
    int pitch;
    if (!prepare_texture(picture, renderer, snapshot))
        return;
    picture->shows = *snapshot;
    picture->image = image;
    if (SDL_LockTexture(picture->texture, NULL, &pixels, &pitch))
        return;
    for (size_t y = 0; y < snapshot->height; y++) {
        Uint32 *const row = (Uint32 *)(void *)((char *)pixels + y * (size_t)pitch);
        for (size_t x = 0; x < snapshot->width; x++)
            row[x] = rec_scene_color(snapshot, palette, x, y);
    }
    SDL_UnlockTexture(picture->texture);
}

/* `count` pixels of a texture are drawn at *at, *length long. Returns the first of those between
 * `begin` and `end`, and how many they are; *at and *length become theirs. */
static SDL_Point crop(int count, int *at, int *length, int begin, int end)
{
    const Sint64 all = *length, texels = count;
    const Sint64 from = SDL_max(begin - *at, 0), to = SDL_min((Sint64)end - *at, all);
    const Sint64 first = from * texels / all, last = (to * texels + all - 1) / all;
    *length = (int)(last * all / texels - first * all / texels);
    *at += (int)(first * all / texels);
    return (SDL_Point){(int)first, (int)(last - first)};
}

/* Only the part that is seen: SDL's software renderer would magnify all of the texture. */
void rec_picture_draw(const rec_picture *picture, SDL_Renderer *renderer,
                      const rec_viewport *viewport, SDL_Rect clip)
{
    const rec_view *view = &picture->shows.view;
    if (!picture->texture || clip.w <= 0 || clip.h <= 0)
        return;
    const rec_place place = rec_viewport_place(viewport, picture->image, view->x, view->y,
                                               view->width, view->height);
    SDL_Rect to = {place.x, place.y, place.width, place.height};
    const SDL_Point x = crop((int)picture->shows.width, &to.x, &to.w, clip.x, clip.x + clip.w);
    const SDL_Point y = crop((int)picture->shows.height, &to.y, &to.h, clip.y, clip.y + clip.h);
    const SDL_Rect from = {x.x, y.x, x.y, y.y};
    if (from.w <= 0 || from.h <= 0)
        return;
    SDL_RenderSetClipRect(renderer, &clip);
    SDL_RenderCopy(renderer, picture->texture, &from, &to);
    SDL_RenderSetClipRect(renderer, NULL);
}

void rec_picture_destroy(rec_picture *picture)
{
    SDL_DestroyTexture(picture->texture);
    *picture = (rec_picture){.texture = NULL};
}
