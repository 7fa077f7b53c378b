/* What the desktop has for a window. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
int rec_desktop_open(void)
{
    if (!is_set("SDL_VIDEODRIVER"))
        sdl.SetHint(SDL_HINT_VIDEODRIVER, is_set("WAYLAND_DISPLAY") ? "x11,wayland" : "x11");
    sdl.SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    sdl.SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    sdl.SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    return !sdl.InitSubSystem(SDL_INIT_VIDEO);
}

/* By GDK_SCALE and by the resource Xft.dpi, which SDL does not read. */
double rec_desktop_scale(void)
{
    static const char *const names[] = {"XOpenDisplay", "XGetDefault", "XCloseDisplay"};
    struct {
        void *(*open)(const char *name);
        const char *(*get_default)(void *display, const char *program, const char *option);
        int (*close)(void *display);
    } x;
    const char *gdk = getenv("GDK_SCALE");
    double scale = gdk ? strtod(gdk, NULL) : 1;
    void *const display = !strcmp(sdl.GetCurrentVideoDriver(), "x11") &&
                                  rec_library_open("libX11.so.6", names, 3, &x)
                              ? x.open(NULL)
                              : NULL;
    const char *dpi = display ? x.get_default(display, "Xft", "dpi") : NULL;
    scale = dpi ? fmax(scale, strtod(dpi, NULL) / 96) : scale;
    if (display)
        x.close(display);
    return fmin(fmax(scale, 1), 8);
}

/* OpenGL in software (no GPU, a virtual or remote display) takes several times as long as SDL's
 * own drawing, and the solver may need those processors. */
static int is_software_gl(SDL_Renderer *renderer)
{
    static const char *const names[] = {"llvmpipe", "softpipe", "swrast", "Software Rasterizer"};
    SDL_RendererInfo info;
    if (sdl.GetRendererInfo(renderer, &info) || strncmp(info.name, "opengl", 6))
        return 0;
    union {
        void *address;
        const unsigned char *(*get_string)(unsigned);
    } gl = {sdl.GL_GetProcAddress("glGetString")};
    const unsigned char *name = gl.address ? gl.get_string(NAME_OF_RENDERER) : NULL;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strstr((const char *)name, names[i]))
            return 1;
    return 0;
}

SDL_Renderer *rec_desktop_renderer(SDL_Window *window)
{
    sdl.SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    sdl.SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "nearest");
    SDL_Renderer *renderer = sdl.CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (renderer && (is_set("SDL_RENDER_DRIVER") || !is_software_gl(renderer)))
        return renderer;
    if (renderer)
        sdl.DestroyRenderer(renderer);
    SDL_Renderer *software = sdl.CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE);
    return software ? software /* SDL has none on Wayland */
                    : sdl.CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC);
}
