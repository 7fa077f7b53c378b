/* The window's own thread: SDL, the events, drawing. It never waits for the worker, which does all
 * the rest (worker.h), nor is it woken by it: SDL's events from another thread travel through the
 * display server and may find the window gone. Leaves out on purpose what a full viewer has: zoom,
 * pan, other views. */
#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "view/bar.h"
#include "view/exchange.h"
#include "view/fit.h"
#include "view/keys.h"
#include "view/picture.h"
#include "view/renderer.h"
#include "view/sheet.h"
#include "view/slider.h"
#include "view/text.h"
#include "view/view.h"
#include "view/worker.h"

#define USUAL_SIDE 768      /* of the picture, before the first input is known and for small ones */
#define LEAST_WIDTH 480     /* of the window: room for the most important numbers */
#define LEAST_HEIGHT 200
#define DISPLAY_SHARE 0.8   /* of the display, that a window takes at most when it opens */
#define LINES_PER_SCALE 540 /* the text grows by one for so many rows of the output */
#define COLUMNS_PER_SCALE 400
#define TEXT_SECONDS 0.1    /* between two looks at the numbers */
#define DRAG_MILLISECONDS 1   /* between two looks at what the worker has while it is dragged */
#define BUSY_MILLISECONDS 5   /* between two looks at what the worker has */
#define IDLE_MILLISECONDS 100 /* the same while it rests: for a signal, and messages that fade */

typedef struct window {
    const rec_view_options *options;
    SDL_Window *window;
    SDL_Renderer *renderer;
    int largest_texture;  /* pixels a side; 0: any */
    rec_text *text;
    rec_picture picture;
    rec_bar bar;
    rec_slider slider;
    rec_exchange exchange;
    rec_view_state state; /* the newest from the worker */
    int width, height;    /* of the output, pixels */
    rec_size area;        /* of the output without slider and bar */
    int hidden;           /* minimised: nothing is drawn */
    int sized;            /* the window has got its size, by the first input or by the user */
    int help;             /* the sheet is open */
    int dirty;            /* what is on the screen is old */
    double text_time;     /* rec_now() of the last look at the numbers */
    size_t titled;        /* index + 1 of the input that the title names */
    int resting;          /* nothing new will come from the worker by itself */
} window;

int rec_view_available(void) { return 1; }

static int is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

/* Without a display SDL would take a driver that shows nothing, and tell nobody. */
static int start_sdl(void)
{
    const int x11 = is_set("DISPLAY"), wayland = is_set("WAYLAND_DISPLAY");
    if (!is_set("SDL_VIDEODRIVER")) {
        if (!x11 && !wayland) {
            SDL_SetError("there is no display");
            return 0;
        }
        SDL_SetHint(SDL_HINT_VIDEODRIVER, !wayland ? "x11" : !x11 ? "wayland" : "x11,wayland");
    }
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    return !SDL_InitSubSystem(SDL_INIT_VIDEO);
}

int rec_view_has_display(void)
{
    if (is_set("SDL_VIDEODRIVER"))
        return 1;
    const int has = start_sdl();
    if (has)
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    return has;
}

/* ---- sizes ---- */

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

/* Output pixels for each of the window's own: 2 on many HiDPI displays. */
static double density(const window *w)
{
    int width, height;
    SDL_GetWindowSize(w->window, &width, &height);
    return width > 0 ? (double)w->width / width : 1;
}

/* What is below the picture, output pixels. */
static int panel_height(const window *w)
{
    return rec_slider_height(&w->slider, w->text) + rec_bar_height(w->text);
}

/* The output's size and all that follows from it. */
static void measure(window *w)
{
    SDL_GetRendererOutputSize(w->renderer, &w->width, &w->height);
    const int by_size =
        smaller(w->height / LINES_PER_SCALE, w->width / COLUMNS_PER_SCALE);
    rec_text_set_scale(w->text, larger(larger(by_size, (int)(density(w) + 0.5)), 1));
    const int rows = w->height - panel_height(w);
    rec_slider_arrange(&w->slider, w->text, w->width, rows);
    w->area = (rec_size){(size_t)larger(w->width, 0), (size_t)larger(rows, 0)};
    rec_size most = w->hidden ? (rec_size){0, 0} : w->area;
    if (w->largest_texture && most.width > (size_t)w->largest_texture)
        most.width = (size_t)w->largest_texture;
    if (w->largest_texture && most.height > (size_t)w->largest_texture)
        most.height = (size_t)w->largest_texture;
    rec_exchange_set_area(&w->exchange, most);
    w->dirty = 1;
}

/* The window takes a size that suits the first input. */
static void suit_input(window *w)
{
    const Uint32 flags = SDL_GetWindowFlags(w->window);
    SDL_Rect display;
    w->sized = 1;
    if (flags & (SDL_WINDOW_MAXIMIZED | SDL_WINDOW_FULLSCREEN_DESKTOP) ||
        SDL_GetDisplayUsableBounds(SDL_GetWindowDisplayIndex(w->window), &display))
        return;
    const double dense = density(w);
    const int panel = panel_height(w);
    const int across = larger((int)(display.w * DISPLAY_SHARE * dense), 1);
    const int down = larger((int)(display.h * DISPLAY_SHARE * dense) - panel, 1);
    const size_t usual = (size_t)(USUAL_SIDE * dense);
    const rec_size size = rec_fit_window(w->state.size, (rec_size){usual, usual},
                                         (rec_size){(size_t)across, (size_t)down});
    const int width = larger((int)((double)size.width / dense), LEAST_WIDTH);
    const int height = larger((int)((double)(size.height + (size_t)panel) / dense), LEAST_HEIGHT);
    int old_width, old_height;
    SDL_GetWindowSize(w->window, &old_width, &old_height);
    if (width == old_width && height == old_height)
        return;
    const int place = (int)SDL_WINDOWPOS_CENTERED_DISPLAY(SDL_GetWindowDisplayIndex(w->window));
    SDL_SetWindowSize(w->window, width, height);
    SDL_SetWindowPosition(w->window, place, place);
}

/* ---- events ---- */

static void press(window *w, const SDL_KeyboardEvent *key)
{
    const rec_key_time now = w->slider.jumped    ? REC_KEY_JUMPED
                             : w->slider.present ? REC_KEY_SLIDER
                                                 : REC_KEY_ALWAYS;
    const rec_action action = rec_keys_find(key, now);
    const int full = (SDL_GetWindowFlags(w->window) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
    switch (action) {
    case REC_ACTION_NONE:
        break;
    case REC_ACTION_FULL_SCREEN:
        SDL_SetWindowFullscreen(w->window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
        break;
    case REC_ACTION_HELP:
        w->help = !w->help;
        w->dirty = 1;
        break;
    case REC_ACTION_EARLIER:
    case REC_ACTION_LATER:
    case REC_ACTION_FIRST:
    case REC_ACTION_LIMIT:
        rec_slider_move(&w->slider, action, &w->exchange);
        w->dirty = 1;
        break;
    default:
        /* A key that is held down does not pile up work: what it asked for is still being done. */
        if (!key->repeat || w->state.phase == REC_PHASE_PAUSED ||
            w->state.phase == REC_PHASE_STOPPED)
            rec_exchange_post(&w->exchange, action);
    }
}

static void handle_window_event(window *w, Uint8 event)
{
    switch (event) {
    case SDL_WINDOWEVENT_RESIZED: /* by the user, or the window manager */
        w->sized = 1;
        break;
    case SDL_WINDOWEVENT_SIZE_CHANGED:
        measure(w);
        break;
    case SDL_WINDOWEVENT_MINIMIZED:
    case SDL_WINDOWEVENT_HIDDEN:
        w->hidden = 1;
        measure(w);
        break;
    case SDL_WINDOWEVENT_RESTORED:
    case SDL_WINDOWEVENT_MAXIMIZED:
    case SDL_WINDOWEVENT_SHOWN:
        w->hidden = 0;
        measure(w);
        break;
    case SDL_WINDOWEVENT_EXPOSED:
        w->dirty = 1;
        break;
    default:
        break;
    }
}

static void handle(window *w, const SDL_Event *event)
{
    if (event->type == SDL_QUIT)
        rec_exchange_post(&w->exchange, REC_ACTION_LEAVE);
    else if (event->type == SDL_KEYDOWN)
        press(w, &event->key);
    else if (event->type == SDL_WINDOWEVENT)
        handle_window_event(w, event->window.event);
    w->dirty |= rec_slider_handle(&w->slider, event, density(w), &w->exchange);
}

/* ---- drawing ---- */

static const char *name_of_input(const window *w)
{
    const rec_view_options *options = w->options;
    return options->inputs ? rec_bar_name(options->name(options->context, w->state.index)) : "";
}

static void draw(window *w)
{
    const rec_view_state *state = &w->state;
    const int failed = state->phase == REC_PHASE_FAILED;
    SDL_SetRenderDrawColor(w->renderer, 18, 18, 20, 255);
    SDL_RenderClear(w->renderer);
    if (failed) {
        rec_sheet_draw_notice(w->text, w->area, state->failure, 1);
    } else if (w->picture.texture) {
        rec_picture_draw(&w->picture, w->area);
    } else {
        char notice[256];
        snprintf(notice, sizeof notice, "loading %s ...",
                 name_of_input(w));
        rec_sheet_draw_notice(w->text, w->area, notice, 0);
    }
    if (w->help)
        rec_sheet_draw_help(w->renderer, w->text, w->area, w->slider.present);
    rec_slider_draw(&w->slider, w->renderer, w->text);
    rec_bar_draw(&w->bar, w->renderer, w->text, w->width, w->height);
    SDL_RenderPresent(w->renderer);
    w->dirty = 0;
}

static void accept(void *context, const rec_snapshot *snapshot, const rec_shot *shot)
{
    window *w = context;
    rec_picture_accept(&w->picture, snapshot, shot);
    w->dirty = 1;
}

static void set_title(window *w)
{
    char title[512];
    if (w->titled == w->state.index + 1 || !w->options->inputs)
        return;
    snprintf(title, sizeof title, "%s - reconstruct", name_of_input(w));
    SDL_SetWindowTitle(w->window, title);
    w->titled = w->state.index + 1;
}

/* Takes what the worker has to tell. The numbers change many times a second: they are written ten
 * times, but at once where more than numbers changed. */
static void look(window *w)
{
    const double now = rec_now();
    const rec_view_state old = w->state;
    rec_exchange_poll(&w->exchange, accept, w);
    w->resting = rec_exchange_get_state(&w->exchange, &w->state);
    set_title(w);
    if (!w->sized && w->state.size.width)
        suit_input(w);
    w->dirty |= rec_slider_follow(&w->slider, &w->state);
    const int urgent = w->state.phase != old.phase || w->state.index != old.index ||
                       w->state.messages != old.messages || w->state.jump != old.jump;
    if (!urgent && now - w->text_time < TEXT_SECONDS)
        return;
    w->text_time = now;
    w->dirty |= rec_bar_update(&w->bar, &w->state, name_of_input(w), w->options->inputs, now);
    w->dirty |= w->state.phase != old.phase;
    if (w->state.phase == REC_PHASE_FAILED)
        rec_picture_destroy(&w->picture); /* it was another input's */
}

/* A snapshot was begun that is not on the screen yet. */
static int is_pending(const window *w)
{
    const rec_shot *begun = &w->state.begun, *shown = &w->picture.shot;
    return !w->hidden && w->state.phase >= REC_PHASE_ITERATING &&
           w->state.phase <= REC_PHASE_STOPPED &&
           (begun->run != shown->run || begun->iteration != shown->iteration ||
            begun->size.width != shown->size.width || begun->size.height != shown->size.height);
}

static void run_events(window *w)
{
    const volatile sig_atomic_t *stop = w->options->stop;
    while (w->state.phase != REC_PHASE_LEFT) {
        SDL_Event event;
        const int pending = is_pending(w);
        const int wait = w->slider.waiting || (pending && w->slider.jumped) ? DRAG_MILLISECONDS
                         : w->resting && !pending                           ? IDLE_MILLISECONDS
                                                                            : BUSY_MILLISECONDS;
        if (SDL_WaitEventTimeout(&event, wait))
            do
                handle(w, &event);
            while (SDL_PollEvent(&event));
        if (stop && *stop)
            rec_exchange_post(&w->exchange, REC_ACTION_LEAVE);
        look(w);
        if (w->dirty && !w->hidden)
            draw(w);
    }
}

/* ---- the whole ---- */

static rec_status open_window(window *w, rec_error *error)
{
    const Uint32 flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_HIDDEN;
    w->window = SDL_CreateWindow("reconstruct", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                 USUAL_SIDE, USUAL_SIDE, flags);
    if (w->window)
        w->renderer = rec_renderer_create(w->window);
    if (!w->renderer)
        return rec_fail(error, REC_UNAVAILABLE,
                        "cannot open a window: %s; --headless works without one", SDL_GetError());
    SDL_RendererInfo info;
    if (!SDL_GetRendererInfo(w->renderer, &info))
        w->largest_texture = smaller(info.max_texture_width, info.max_texture_height);
    SDL_SetWindowMinimumSize(w->window, LEAST_WIDTH / 2, LEAST_HEIGHT);
    SDL_StopTextInput();
    w->picture.renderer = w->renderer;
    return rec_text_create(&w->text, w->renderer, error);
}

static void close_window(window *w)
{
    rec_picture_destroy(&w->picture);
    rec_text_destroy(w->text);
    if (w->renderer)
        SDL_DestroyRenderer(w->renderer);
    if (w->window)
        SDL_DestroyWindow(w->window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

rec_status rec_view_show(const rec_view_options *options, rec_error *error)
{
    window w = {.options = options, .slider.present = options->open_jumper != NULL};
    if (!start_sdl())
        return rec_fail(error, REC_UNAVAILABLE,
                        "cannot open a window: %s; --headless works without one", SDL_GetError());
    rec_exchange_init(&w.exchange);
    rec_status status = open_window(&w, error);
    if (!status) {
        /* The worker starts after the text has its font: both use libnetpbm, one at a time. */
        rec_worker *worker;
        measure(&w);
        SDL_SetWindowSize(w.window, USUAL_SIDE,
                          USUAL_SIDE + (int)(panel_height(&w) / density(&w)));
        SDL_ShowWindow(w.window);
        measure(&w);
        look(&w);
        draw(&w);
        status = rec_worker_create(&worker, options, &w.exchange, error);
        if (!status) {
            run_events(&w);
            status = rec_worker_join(worker, error);
        }
    }
    close_window(&w);
    rec_exchange_destroy(&w.exchange);
    return status;
}
