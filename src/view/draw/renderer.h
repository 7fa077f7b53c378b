/* What draws the window: the graphics card where there is one, else the processor, and then in the
 * cheapest way. */
#ifndef REC_VIEW_RENDERER_H
#define REC_VIEW_RENDERER_H

#include <SDL.h>

/* NULL when there is none: SDL_GetError says why. Obeys SDL_RENDER_DRIVER. */
SDL_Renderer *rec_renderer_create(SDL_Window *window);

#endif
