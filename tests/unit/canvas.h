/* A surface to draw on with what the window draws with; no display is needed. For builds with
 * SDL. */
#pragma once

#include <SDL.h>

#include "tests/unit/cm.h"
#include "view/draw/draw.h"

#define BEHIND 0xff20c040u /* what the picture is made of here: nothing else looks like it */

typedef struct canvas {
    SDL_Surface *surface;
    SDL_Renderer *renderer;
    rec_canvas on;
    int scale;
} canvas;

#define owned_canvas __attribute__((cleanup(destroy_canvas))) canvas

static inline void wipe(canvas *c) { SDL_FillRect(c->surface, NULL, BEHIND); }

/* Of that size at scale 1. */
static inline canvas make_canvas(int width, int height, int scale)
{
    rec_error error;
    canvas c = {.scale = scale};
    assert_int_equal(rec_libraries_open(&error), REC_OK);
    c.surface = SDL_CreateRGBSurfaceWithFormat(0, width * scale, height * scale, 32,
                                               SDL_PIXELFORMAT_ARGB8888);
    assert_non_null(c.surface);
    c.renderer = SDL_CreateSoftwareRenderer(c.surface);
    assert_non_null(c.renderer);
    assert_int_equal(rec_canvas_create(&c.on, c.renderer, &error), REC_OK);
    rec_canvas_set_scale(&c.on, scale);
    c.on.width = c.surface->w;
    c.on.rows = c.on.height = c.surface->h;
    wipe(&c);
    return c;
}

static inline void destroy_canvas(canvas *c)
{
    rec_font_close(&c->on.font);
    SDL_DestroyRenderer(c->renderer);
    SDL_FreeSurface(c->surface);
}

static inline Uint32 at(const canvas *c, int x, int y)
{
    const char *row = (const char *)c->surface->pixels + (size_t)y * (size_t)c->surface->pitch;
    return ((const Uint32 *)(const void *)row)[x];
}

/* A panel covers all of the place, and the picture is as it was around it. */
static inline void assert_only_in(const canvas *c, SDL_Rect place)
{
    for (int y = 0; y < c->surface->h; y++)
        for (int x = 0; x < c->surface->w; x++) {
            const SDL_Point point = {x, y};
            if (SDL_PointInRect(&point, &place) != (at(c, x, y) != BEHIND))
                fail_msg("(%d, %d) is %08x", x, y, at(c, x, y));
        }
}
