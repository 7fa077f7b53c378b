#include "view/draw/renderer.h"

#include <stdlib.h>
#include <string.h>

#define NAME_OF_RENDERER 0x1f01 /* GL_RENDERER */

/* OpenGL in software (no card, a virtual display, a remote one) costs several times what SDL's own
 * drawing does, and the solver may need those processors. */
static int is_software_gl(SDL_Renderer *renderer)
{
    static const char *const names[] = {"llvmpipe", "softpipe", "swrast", "Software Rasterizer"};
    SDL_RendererInfo info;
    if (SDL_GetRendererInfo(renderer, &info) || strncmp(info.name, "opengl", 6))
        return 0;
    union {
        void *address;
        const unsigned char *(*get_string)(unsigned);
    } gl = {SDL_GL_GetProcAddress("glGetString")};
    const unsigned char *name = gl.address ? gl.get_string(NAME_OF_RENDERER) : NULL;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strstr((const char *)name, names[i]))
            return 1;
    return 0;
}

SDL_Renderer *rec_renderer_create(SDL_Window *window)
{
    const char *wanted = getenv("SDL_RENDER_DRIVER");
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "nearest");
    SDL_Renderer *renderer = SDL_CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (renderer && ((wanted && *wanted) || !is_software_gl(renderer)))
        return renderer;
    if (renderer)
        SDL_DestroyRenderer(renderer);
    return SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE);
}
