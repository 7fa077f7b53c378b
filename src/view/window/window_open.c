#include <stdlib.h>
#include <string.h>

#include "view/window/window.h"

#define NAME_OF_RENDERER 0x1f01 /* GL_RENDERER */

int rec_view_available(void) { return 1; }

static int is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

int rec_view_has_display(void)
{
    return is_set("SDL_VIDEODRIVER") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

/* Without a display SDL would silently take a driver that shows nothing. */
static int start_sdl(void)
{
    if (!is_set("SDL_VIDEODRIVER"))
        SDL_SetHint(SDL_HINT_VIDEODRIVER, is_set("WAYLAND_DISPLAY") ? "x11,wayland" : "x11");
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    return !SDL_InitSubSystem(SDL_INIT_VIDEO);
}

/* ---- the renderer ---- */

/* OpenGL in software (no card, a virtual or remote display) takes several times as long as SDL's
 * own drawing, and the solver may need those processors. */
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

static SDL_Renderer *create_renderer(SDL_Window *window)
{
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "nearest");
    SDL_Renderer *renderer = SDL_CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (renderer && (is_set("SDL_RENDER_DRIVER") || !is_software_gl(renderer)))
        return renderer;
    if (renderer)
        SDL_DestroyRenderer(renderer);
    return SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE);
}

/* ---- the window ---- */

/* For the task bar, if the desktop does not find the installed icon. */
static void set_icon(SDL_Window *window)
{
    SDL_Surface *icon = SDL_CreateRGBSurfaceWithFormatFrom(
        (void *)(uintptr_t)rec_icon, REC_ICON_SIDE, REC_ICON_SIDE, 32, 4 * REC_ICON_SIDE,
        SDL_PIXELFORMAT_RGBA32);
    SDL_SetWindowIcon(window, icon); /* copies it; without one nothing happens */
    SDL_FreeSurface(icon);
}

rec_status rec_window_open(rec_window *w, rec_error *error)
{
    if (!start_sdl())
        return rec_fail(error, REC_UNAVAILABLE,
                        "cannot open a window: %s; --headless -o FILE needs none", SDL_GetError());
    const Uint32 flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_HIDDEN;
    w->window = SDL_CreateWindow("reconstruct", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                 REC_USUAL_SIDE, REC_USUAL_SIDE, flags);
    if (w->window)
        w->renderer = create_renderer(w->window);
    if (!w->renderer)
        return rec_fail(error, REC_UNAVAILABLE,
                        "cannot open a window: %s; --headless -o FILE needs none", SDL_GetError());
    SDL_SetWindowMinimumSize(w->window, REC_LEAST_WIDTH / 2, REC_LEAST_HEIGHT);
    SDL_StopTextInput();
    set_icon(w->window);
    return rec_canvas_create(&w->canvas, w->renderer, error);
}

void rec_window_drop_pictures(rec_window *w)
{
    for (int layer = 0; layer < REC_LAYERS; layer++)
        rec_picture_destroy(&w->picture[layer]);
}

void rec_window_close(rec_window *w)
{
    rec_window_drop_pictures(w);
    rec_canvas_destroy(&w->canvas);
    if (w->renderer)
        SDL_DestroyRenderer(w->renderer);
    if (w->window)
        SDL_DestroyWindow(w->window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}
