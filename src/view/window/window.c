/* The window opened and closed, and what follows from its state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "view/window/window.h"

#define DISPLAY_SHARE 0.9   /* of the display, that a window takes at most when it opens */
#define USUAL_SIDE 768      /* of the picture, before the first input is known and for small ones */
#define LEAST_WIDTH 480     /* of the window: room for the most important numbers */
#define LEAST_HEIGHT 200
#define LINES_PER_SCALE 540 /* rows of the output for each step of the text's scale */
#define COLUMNS_PER_SCALE 400
#define VALUE_PIXELS 36     /* a side of a pixel that has room for its value, at a scale of 1 */
#define NAME_OF_RENDERER 0x1f01 /* GL_RENDERER */

/* ---- what the desktop has for a window ---- */

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
static int open_desktop(void)
{
    if (!is_set("SDL_VIDEODRIVER"))
        sdl.SetHint(SDL_HINT_VIDEODRIVER, is_set("WAYLAND_DISPLAY") ? "x11,wayland" : "x11");
    sdl.SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    sdl.SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    sdl.SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    return !sdl.InitSubSystem(SDL_INIT_VIDEO);
}

/* By GDK_SCALE and by the resource Xft.dpi, which SDL does not read. */
static double find_scale(void)
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

static SDL_Renderer *create_renderer(SDL_Window *window)
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

/* ---- sizes ---- */

double rec_window_density(const rec_window *w)
{
    int width, height;
    sdl.GetWindowSize(w->window, &width, &height);
    return width > 0 ? (double)w->canvas.width / width : 1;
}

/* By how much the desktop's scale makes a window larger, in its own pixels; at least 1. */
static double enlarged(const rec_window *w)
{
    return fmax(w->desktop_scale / rec_window_density(w), 1);
}

int rec_window_divider(const rec_window *w)
{
    const rec_scene_row *scene = &rec_scenes[w->wanted.scene];
    return scene->right == scene->layer ? w->canvas.width
                                        : (int)(w->wanted.divider * w->canvas.width);
}

/* The text's size for an output of width x height. Returns how high what is below is. */
static int scale_text(rec_window *w, int width, int height)
{
    const int by_size = SDL_min(height / LINES_PER_SCALE, width / COLUMNS_PER_SCALE);
    const int by_density = (int)(rec_window_density(w) * enlarged(w) + 0.5);
    rec_canvas_set_scale(&w->canvas, SDL_max(SDL_max(by_size, by_density), 1));
    return rec_slider_height(&w->slider, &w->canvas) + rec_bar_height(&w->canvas);
}

void rec_window_measure(rec_window *w)
{
    rec_viewport *viewport = &w->wanted.viewport;
    rec_canvas *canvas = &w->canvas;
    sdl.GetRendererOutputSize(w->renderer, &canvas->width, &canvas->height);
    const int below = scale_text(w, canvas->width, canvas->height);
    canvas->rows = SDL_max(canvas->height - below, 0);
    viewport->area = w->hidden ? (rec_size){0, 0}
                               : (rec_size){(size_t)canvas->width, (size_t)canvas->rows};
    if (rec_window_has_image(w))
        rec_viewport_keep(viewport, w->state.size);
    w->dirty = 1;
}

/* The size of a picture when its window opens: 1:1 near the size `usual`; a small picture is
 * magnified by a whole number; a picture larger than `most` is reduced to the largest size of its
 * aspect, at least one pixel each way. */
static rec_size fit_window(rec_size picture, size_t usual, rec_size most)
{
    if (picture.width > most.width || picture.height > most.height) {
        const rec_viewport whole = {.area = most, .fit = 1};
        const rec_place place =
            rec_viewport_place(&whole, picture, (rec_area){0, 0, picture.width, picture.height});
        return (rec_size){(size_t)place.width, (size_t)place.height};
    }
    const size_t times = rec_smaller(rec_smaller(usual, most.width) / picture.width,
                                     rec_smaller(usual, most.height) / picture.height);
    return (rec_size){picture.width * rec_larger(times, 1), picture.height * rec_larger(times, 1)};
}

void rec_window_suit_input(rec_window *w)
{
    const Uint32 flags = sdl.GetWindowFlags(w->window);
    SDL_Rect display;
    w->sized = 1;
    if (flags & (SDL_WINDOW_MAXIMIZED | SDL_WINDOW_FULLSCREEN_DESKTOP) ||
        sdl.GetDisplayUsableBounds(sdl.GetWindowDisplayIndex(w->window), &display))
        return;
    const double dense = rec_window_density(w);
    const int across = SDL_max((int)(display.w * DISPLAY_SHARE * dense), 1);
    const double larger = enlarged(w);
    const size_t usual = (size_t)(USUAL_SIDE * dense * larger);
    int old_width, old_height, width, height;
    sdl.GetWindowSize(w->window, &old_width, &old_height);
    int panel = w->canvas.height - w->canvas.rows;
    for (int pass = 0; pass < 2; pass++) { /* the text below the picture goes by the new size */
        const int down = SDL_max((int)(display.h * DISPLAY_SHARE * dense) - panel, 1);
        const rec_size size =
            fit_window(w->state.size, usual, (rec_size){(size_t)across, (size_t)down});
        width = SDL_max((int)((double)size.width / dense),
                        SDL_min((int)(LEAST_WIDTH * larger), display.w));
        height = SDL_max((int)((double)(size.height + (size_t)panel) / dense), LEAST_HEIGHT);
        panel = scale_text(w, (int)(width * dense), (int)(height * dense));
    }
    if (width == old_width && height == old_height)
        return;
    const int place = (int)SDL_WINDOWPOS_CENTERED_DISPLAY(sdl.GetWindowDisplayIndex(w->window));
    sdl.SetWindowSize(w->window, width, height);
    sdl.SetWindowPosition(w->window, place, place);
}

/* ---- opened and closed ---- */

rec_status rec_window_open(rec_window *w, rec_error *error)
{
    const Uint32 flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_HIDDEN;
    if (open_desktop())
        w->window = sdl.CreateWindow("reconstruct", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                     USUAL_SIDE, USUAL_SIDE, flags);
    if (w->window)
        w->renderer = create_renderer(w->window);
    if (!w->renderer)
        return rec_fail(error, REC_UNAVAILABLE,
                        "cannot open a window: %s\v--headless -o FILE needs none", sdl.GetError());
    rec_watchdog_watch(w);
    w->desktop_scale = find_scale();
    sdl.SetWindowMinimumSize(w->window, LEAST_WIDTH / 2, LEAST_HEIGHT);
    sdl.StopTextInput(); /* of input methods, which take keys */
    sdl.EventState(SDL_TEXTINPUT, SDL_ENABLE);
    /* For the task bar, if the desktop does not find the installed icon. */
    SDL_Surface *icon = sdl.CreateRGBSurfaceWithFormatFrom((void *)(uintptr_t)rec_icon,
                                                           REC_ICON_SIDE, REC_ICON_SIDE, 32,
                                                           4 * REC_ICON_SIDE,
                                                           SDL_PIXELFORMAT_RGBA32);
    sdl.SetWindowIcon(w->window, icon); /* copies it; without one nothing happens */
    sdl.FreeSurface(icon);
    REC_TRY(rec_canvas_create(&w->canvas, w->renderer, error));
    rec_window_measure(w);
    const int panel = (int)((w->canvas.height - w->canvas.rows) / rec_window_density(w));
    const int side = (int)(USUAL_SIDE * enlarged(w));
    sdl.SetWindowSize(w->window, side, side + panel);
    sdl.ShowWindow(w->window);
    rec_window_measure(w);
    return REC_OK;
}

void rec_window_close(rec_window *w)
{
    rec_font_close(&w->canvas.font);
    if (w->renderer)
        sdl.DestroyRenderer(w->renderer); /* and all textures */
    if (w->window)
        sdl.DestroyWindow(w->window);
    sdl.QuitSubSystem(SDL_INIT_VIDEO);
}

/* ---- what the worker is told ---- */

void rec_window_tell(rec_window *w)
{
    rec_wanted *wanted = &w->wanted;
    const int has_image = rec_window_has_image(w);
    const int lines = (int)w->state.planes * w->canvas.line;
    const int room = SDL_max(VALUE_PIXELS * w->canvas.scale, lines);
    wanted->values = w->values && has_image &&
                     rec_viewport_scale(&wanted->viewport, w->state.size) >= room;
    wanted->plot = w->plot != REC_PLOT_NONE;
    wanted->probing = w->values && has_image && rec_phase_is_open(w->state.phase) &&
                      rec_viewport_pixel(&wanted->viewport, w->state.size, w->mouse.x, w->mouse.y,
                                         &wanted->column, &wanted->row);
    if (!memcmp(wanted, &w->told, sizeof *wanted))
        return;
    if (memcmp(wanted, &w->told, offsetof(rec_wanted, divider))) { /* the rest needs no picture */
        wanted->number++;
        w->outline.old = 1;
    }
    w->told = *wanted;
    w->dirty = 1;
    rec_worker_want(w->worker, wanted);
}

/* ---- what is there ---- */

int rec_window_limits(const rec_window *w, rec_limits *limits)
{
    const rec_picture *picture = &w->picture[REC_LAYER_PICTURE];
    const rec_view *view = &picture->shows.view;
    const double contrast = view->contrast > 0 ? (double)view->contrast : 1;
    const double middle = 127.5 - (double)view->shift, half = 127.5 / contrast;
    const double low = (double)picture->shows.low, high = (double)picture->shows.high;
    *limits = (rec_limits){middle - half, middle + half};
    if (view->tone == REC_TONE_STRETCH)
        *limits = (rec_limits){low + limits->black / 255 * (high - low),
                               low + limits->white / 255 * (high - low)};
    return picture->texture && view->tone != REC_TONE_EPCC && limits->black < limits->white;
}

void rec_window_panels(const rec_window *w, SDL_Rect *histogram, SDL_Rect *plot)
{
    static const SDL_Rect none = {0, 0, 0, 0};
    const int has_levels = rec_scenes[w->wanted.scene].layer == REC_LAYER_PICTURE;
    *histogram = w->wanted.levels && has_levels ? rec_histogram_place(&w->canvas) : none;
    *plot = w->plot ? rec_plot_place(&w->canvas, w->plot == REC_PLOT_LARGE) : none;
    const int above = histogram->y - REC_MARGIN * w->canvas.scale - plot->h;
    if (!sdl.HasIntersection(plot, histogram))
        return;
    if (above < 0)
        *histogram = none;
    else
        plot->y = above;
}

rec_abilities rec_window_abilities(const rec_window *w)
{
    return (rec_abilities){w->slider.present && !w->slider.hidden,
                           w->state.painted != REC_EDIT_NONE,
                           w->jobs->settings->output && !w->state.turned, w->asks,
                           w->state.exact};
}

int rec_window_last_stroke(const rec_window *w, SDL_Point *place)
{
    const rec_viewport *viewport = &w->wanted.viewport;
    double x, y;
    if (w->stroked != w->state.index + 1 || !rec_window_has_image(w))
        return 0;
    rec_viewport_point(viewport, w->state.size, 0, 0, &x, &y);
    const double scale = rec_viewport_scale(viewport, w->state.size);
    place->x = (int)lround((w->last_x - x) * scale);
    place->y = (int)lround((w->last_y - y) * scale);
    return 1;
}

int rec_window_has_image(const rec_window *w)
{
    const rec_size area = w->wanted.viewport.area;
    return w->state.size.width && area.width && area.height;
}

int rec_window_is_over_area(const rec_window *w)
{
    return w->mouse.x >= 0 && w->mouse.y >= 0 && w->mouse.x < w->canvas.width &&
           w->mouse.y < w->canvas.rows;
}
