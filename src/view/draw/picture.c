#include "view/draw/draw.h"

int rec_texture_prepare(SDL_Texture **texture, SDL_Renderer *renderer, int width, int height,
                        SDL_BlendMode mode)
{
    int old_width = 0, old_height = 0;
    if (*texture)
        sdl.QueryTexture(*texture, NULL, NULL, &old_width, &old_height);
    if (old_width == width && old_height == height)
        return 1;
    SDL_Texture *made = sdl.CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888,
                                          SDL_TEXTUREACCESS_STREAMING, width, height);
    if (!made)
        return 0;
    sdl.SetTextureBlendMode(made, mode);
    sdl.DestroyTexture(*texture);
    *texture = made;
    return 1;
}

/* Where a part begins along an axis of a picture that is shown with `out` pixels for `length`; -1:
 * it is no part with `count` such pixels. */
static int find_part(size_t at, size_t length, size_t out, size_t from, size_t size, size_t count)
{
    if (from < at || from + size > at + length)
        return -1;
    const size_t first = ((from - at) * out + length - 1) / length;
    const int fits = first + count <= out && rec_box_edge(first, out, length) == from - at &&
                     rec_box_edge(first + count, out, length) == from - at + size;
    return fits ? (int)first : -1;
}

void rec_picture_accept(rec_picture *picture, SDL_Renderer *renderer, const rec_snapshot *snapshot,
                        rec_size image, const Uint32 palette[REC_PALETTE_SIZE], int parts)
{
    void *pixels;
    int pitch;
    const rec_view *all = &picture->shows.view, *part = &snapshot->view;
    SDL_Rect place = {
        /* of the texture, that the snapshot replaces */
        find_part(all->x, all->width, all->out_width, part->x, part->width, part->out_width),
        find_part(all->y, all->height, all->out_height, part->y, part->height, part->out_height),
        (int)snapshot->width, (int)snapshot->height};
    if (!parts || !picture->texture || place.x < 0 || place.y < 0) {
        if (!rec_texture_prepare(&picture->texture, renderer, place.w, place.h,
                                 SDL_BLENDMODE_NONE))
            return;
        picture->shows = *snapshot;
        picture->image = image;
        place.x = place.y = 0;
    }
    if (sdl.LockTexture(picture->texture, &place, &pixels, &pitch))
        return;
    for (size_t y = 0; y < snapshot->height; y++) {
        Uint32 *const row = (Uint32 *)(void *)((char *)pixels + y * (size_t)pitch);
        for (size_t x = 0; x < snapshot->width; x++)
            row[x] = rec_scene_color(snapshot, palette, x, y);
    }
    sdl.UnlockTexture(picture->texture);
}

enum { CUTS = 4 };

/* Cuts what is seen between `begin` and `end` of a texture that is drawn at `at`, `length` long:
 * its whole pixels, and one at each end of which only a part may be seen. SDL's software renderer
 * misplaces the pixels of what it magnifies and clips. Writes the pixels and places of the cuts. */
static void cut(int pixels[CUTS], int places[CUTS], int count, int at, int length, int begin,
                int end)
{
    const Sint64 from = SDL_max(begin - at, 0);
    const Sint64 to = SDL_max(SDL_min((Sint64)end - at, length), from);
    const int first = (int)(from * count / length);
    const int last = (int)((to * count + length - 1) / length);
    const int cuts[CUTS] = {first, SDL_min(first + 1, last), SDL_max(last - 1, first + 1), last};
    for (int i = 0; i < CUTS; i++) {
        pixels[i] = cuts[i];
        places[i] = at + (int)SDL_clamp((Sint64)cuts[i] * length / count, from, to);
    }
}

void rec_picture_draw(const rec_picture *picture, SDL_Renderer *renderer,
                      const rec_viewport *viewport, SDL_Point shift, SDL_Rect clip)
{
    const rec_view *view = &picture->shows.view;
    int x[CUTS], y[CUTS], across[CUTS], down[CUTS];
    if (!picture->texture)
        return;
    const rec_place place = rec_viewport_place(viewport, picture->image, view->x, view->y,
                                               view->width, view->height);
    cut(x, across, (int)picture->shows.width, place.x + shift.x, place.width, clip.x,
        clip.x + clip.w);
    cut(y, down, (int)picture->shows.height, place.y + shift.y, place.height, clip.y,
        clip.y + clip.h);
    for (int j = 0; j < CUTS - 1; j++)
        for (int i = 0; i < CUTS - 1; i++) {
            const SDL_Rect from = {x[i], y[j], x[i + 1] - x[i], y[j + 1] - y[j]};
            const SDL_Rect to = {across[i], down[j], across[i + 1] - across[i],
                                 down[j + 1] - down[j]};
            if (!SDL_RectEmpty(&from) && !SDL_RectEmpty(&to))
                sdl.RenderCopy(renderer, picture->texture, &from, &to);
        }
}

void rec_picture_destroy(rec_picture *picture)
{
    sdl.DestroyTexture(picture->texture);
    *picture = (rec_picture){.texture = NULL};
}
