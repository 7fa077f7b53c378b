/* The newest snapshot of a layer, its legend, and the outline of a mask over it. */
#include "view/draw/draw.h"

#include <stdlib.h>

#include "base/memory.h"

#define DASH 4 /* pixels of the output */

/* A texture of that size: the one that is there, or a new one in its place. 0: it has no room. */
static int prepare(SDL_Texture **texture, SDL_Renderer *renderer, int width, int height,
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

void rec_picture_accept(rec_picture *picture, SDL_Renderer *renderer, const rec_snapshot *snapshot,
                        rec_size image, double gamma)
{
    Uint32 palette[REC_PALETTE_SIZE];
    void *pixels;
    int pitch;
    if (!prepare(&picture->texture, renderer, (int)snapshot->width, (int)snapshot->height,
                 SDL_BLENDMODE_NONE))
        return;
    picture->shows = *snapshot;
    picture->image = image;
    rec_scene_palette(palette, snapshot->view.layer, snapshot->planes == 1, gamma);
    if (sdl.LockTexture(picture->texture, NULL, &pixels, &pitch))
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
    const rec_place place =
        rec_viewport_place(viewport, picture->image,
                           (rec_area){view->x, view->y, view->width, view->height});
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

/* ---- the legend: in pixels at a scale of 1 ---- */

#define PADDING 9
#define WIDTH 220
#define BAR 8        /* height of the bar of colours */
#define LABEL_GAP 3  /* between the bar and the labels */

SDL_Rect rec_legend_draw(const rec_canvas *canvas, const Uint32 palette[REC_PALETTE_SIZE],
                         const char *const labels[3])
{
    const int s = canvas->scale, padding = PADDING * s;
    const SDL_Rect place = rec_panel_place(canvas, 0, WIDTH * s,
                                           canvas->line + (2 * PADDING + BAR + LABEL_GAP) * s);
    if (SDL_RectEmpty(&place))
        return place;
    const int left = place.x + padding, width = place.w - 2 * padding, top = place.y + padding;
    const int y = top + (BAR + LABEL_GAP) * s;
    rec_panel_begin(canvas, place);
    for (int x = 0; x < width; x++) {
        const Uint32 c = palette[x * (REC_PALETTE_SIZE - 1) / (width - 1)];
        const SDL_Color color = {(Uint8)(c >> 16), (Uint8)(c >> 8), (Uint8)c, 255};
        rec_fill(canvas, color, left + x, top, 1, BAR * s);
    }
    rec_text_draw(canvas, REC_LEFT, left, y, rec_colors.bright, labels[0]);
    rec_text_draw(canvas, REC_RIGHT, left + width, y, rec_colors.bright, labels[2]);
    rec_text_draw(canvas, REC_MIDDLE, left + width / 2, y, rec_colors.bright, labels[1]);
    rec_panel_end(canvas);
    return place;
}

/* ---- the outline ---- */

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
    const rec_place box = rec_viewport_place(viewport, image, mask->box);
    const SDL_Rect whole = {0, 0, (int)area.width, (int)area.height};
    const SDL_Rect boxed = {box.x, box.y, box.width, box.height};
    SDL_Rect *place = &outline->place;
    void *pixels;
    int pitch;
    const int visible = sdl.IntersectRect(&whole, &boxed, place) && mask->count;
    rec_owned size_t *column = visible ? malloc((area.width + area.height + 4) * sizeof *column)
                                       : NULL;
    if (!column || !prepare(&outline->texture, renderer, whole.w, whole.h, SDL_BLENDMODE_BLEND) ||
        sdl.LockTexture(outline->texture, place, &pixels, &pitch)) {
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
}
