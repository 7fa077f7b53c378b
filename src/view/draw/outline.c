/* The outline of a mask, over the picture. */
#include "view/draw/draw.h"

#include <stdlib.h>

#include "base/memory.h"

#define DASH 4 /* pixels of the output */

/* What is under each output pixel of a line of the place, and of one more on each side: the number
 * of the image's column or row, or of the nearest one. */
static void find_pixels(size_t *pixel, int begin, int count, const rec_viewport *viewport,
                        rec_size image, int is_down)
{
    const size_t last = (is_down ? image.height : image.width) - 1;
    for (int i = -1; i <= count; i++) {
        double across, down;
        rec_viewport_point(viewport, image, begin + i, begin + i, &across, &down);
        const double at = (is_down ? down : across) + 0.5;
        pixel[i + 1] = at < 0 ? 0 : rec_smaller((size_t)at, last);
    }
}

void rec_outline_make(rec_outline *outline, SDL_Renderer *renderer, const rec_mask *mask,
                      const rec_viewport *viewport)
{
    const rec_size image = {mask->width, mask->height}, area = viewport->area;
    const rec_place box = rec_viewport_place(viewport, image, mask->x, mask->y, mask->box_width,
                                             mask->box_height);
    const SDL_Rect whole = {0, 0, (int)area.width, (int)area.height};
    const SDL_Rect boxed = {box.x, box.y, box.width, box.height};
    SDL_Rect *place = &outline->place;
    void *pixels;
    int pitch;
    const int visible = sdl.IntersectRect(&whole, &boxed, place) && mask->count;
    size_t *column = visible ? malloc((area.width + area.height + 4) * sizeof *column) : NULL;
    if (!column ||
        !rec_texture_prepare(&outline->texture, renderer, whole.w, whole.h, SDL_BLENDMODE_BLEND) ||
        sdl.LockTexture(outline->texture, place, &pixels, &pitch)) {
        free(column);
        *place = (SDL_Rect){0, 0, 0, 0};
        return;
    }
    size_t *row = column + place->w + 2;
    find_pixels(column, place->x, place->w, viewport, image, 0);
    find_pixels(row, place->y, place->h, viewport, image, 1);
    for (int y = 0; y < place->h; y++) {
        Uint32 *const out = (Uint32 *)(void *)((char *)pixels + y * pitch);
        const unsigned char *above = mask->unknown + row[y] * mask->width;
        const unsigned char *here = mask->unknown + row[y + 1] * mask->width;
        const unsigned char *below = mask->unknown + row[y + 2] * mask->width;
        for (int x = 0; x < place->w; x++) { /* unknown pixels beside a known one; dashed */
            const size_t at = column[x + 1];
            const int inside = above[at] && below[at] && here[column[x]] && here[column[x + 2]];
            const int bright = (place->x + x + place->y + y) / DASH % 2;
            out[x] = !here[at] || inside ? 0 : bright ? 0xffffffff : 0xff000000;
        }
    }
    sdl.UnlockTexture(outline->texture);
    free(column);
}

void rec_outline_draw(const rec_outline *outline, SDL_Renderer *renderer)
{
    if (outline->texture && outline->place.w)
        sdl.RenderCopy(renderer, outline->texture, &outline->place, &outline->place);
}

void rec_outline_destroy(rec_outline *outline)
{
    sdl.DestroyTexture(outline->texture);
    *outline = (rec_outline){.texture = NULL};
}
