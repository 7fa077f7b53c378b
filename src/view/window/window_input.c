/* What the user does: keys, the mouse, files that are dropped. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/window/window.h"

#define GRIP 6 /* around the divider, at a scale of 1 */

/* What a key does, or a click on its row of the help. */
static void use(rec_window *w, const rec_key *key, int repeats)
{
    if (!key)
        return;
    w->dirty = 1;
    /* A key that is held down asks again only when the last request is done. */
    if (key->press)
        key->press(w, key->argument);
    else if (!repeats || w->state.phase == REC_PHASE_PAUSED ||
             w->state.phase == REC_PHASE_STOPPED)
        rec_worker_post(w->worker, (rec_request){.act = key->act, .argument = key->argument});
    w->asks = 0;
}

/* ---- the histogram's handles ---- */

/* The nearer one, wherever the histogram was pressed; the white one if both are equally near. */
static enum rec_drag find_handle(const rec_window *w)
{
    const rec_levels *levels = &w->state.numbers.levels;
    rec_limits limits;
    if (!levels->known || !rec_window_limits(w, &limits))
        return REC_DRAG_NOTHING;
    const double level = rec_histogram_level(&w->canvas, levels, w->mouse.x);
    const double black = fmax(limits.black, (double)levels->first); /* where they are drawn */
    const double white = fmin(limits.white, (double)levels->last);
    return fabs(level - black) < fabs(level - white) ? REC_DRAG_BLACK : REC_DRAG_WHITE;
}

/* The tone becomes clamp, with the contrast and shift that show the range between both levels. */
static void move_limit(rec_window *w)
{
    const rec_levels *levels = &w->state.numbers.levels;
    const double least = ((double)levels->last - (double)levels->first) / REC_LEVEL_BINS;
    rec_limits limits;
    SDL_Rect histogram, plot;
    rec_window_panels(w, &histogram, &plot);
    if (SDL_RectEmpty(&histogram) || !levels->known || !rec_window_limits(w, &limits))
        return;
    const double level = rec_histogram_level(&w->canvas, levels, w->mouse.x);
    if (w->drag == REC_DRAG_BLACK)
        limits.black = fmin(level, limits.white - least);
    else
        limits.white = fmax(level, limits.black + least);
    w->wanted.tone = REC_TONE_CLAMP;
    w->wanted.contrast = (float)(255 / (limits.white - limits.black));
    w->wanted.shift = (float)(127.5 - (limits.white + limits.black) / 2);
}

/* ---- painting ---- */

/* What a button does with the picture. */
static enum rec_drag find_tool(const rec_window *w, Uint8 button)
{
    const rec_edit_kind painted = w->state.painted;
    const int takes = painted == REC_EDIT_CLONE || sdl.GetModState() & KMOD_CTRL;
    return !painted || button == SDL_BUTTON_MIDDLE ? REC_DRAG_PICTURE
           : button == SDL_BUTTON_LEFT             ? takes ? REC_DRAG_SOURCE : REC_DRAG_BRUSH
           : takes                                 ? REC_DRAG_NOTHING
                                                   : REC_DRAG_ERASER;
}

/* From where the pointer was. */
static void draw_stroke(const rec_window *w, int across, int down)
{
    const rec_viewport *viewport = &w->wanted.viewport;
    rec_request request = {.act = w->drag == REC_DRAG_SOURCE ? rec_worker_move_source
                                                             : rec_worker_paint,
                           .stroke = {.radius = w->wanted.radius,
                                      .unknown = w->drag == REC_DRAG_BRUSH}};
    rec_stroke *stroke = &request.stroke;
    rec_viewport_point(viewport, w->state.size, w->mouse.x - across, w->mouse.y - down, &stroke->x,
                       &stroke->y);
    rec_viewport_point(viewport, w->state.size, w->mouse.x, w->mouse.y, &stroke->to_x,
                       &stroke->to_y);
    rec_worker_post(w->worker, request);
}

/* ---- the mouse ---- */

/* What is pressed, the uppermost first. */
static enum rec_drag find_drag(const rec_window *w, Uint8 button)
{
    const rec_scene_row *scene = &rec_scenes[w->wanted.scene];
    const int over_divider = scene->right != scene->layer &&
                             abs(w->mouse.x - rec_window_divider(w)) <= GRIP * w->canvas.scale;
    SDL_Rect histogram, plot;
    rec_window_panels(w, &histogram, &plot);
    return rec_slider_has(&w->slider, &w->canvas, w->mouse) ? REC_DRAG_SLIDER
           : !rec_window_is_over_area(w)              ? REC_DRAG_NOTHING
           : SDL_PointInRect(&w->mouse, &histogram)         ? find_handle(w)
           : over_divider                             ? REC_DRAG_DIVIDER
                                                      : find_tool(w, button);
}

static void drag(rec_window *w, int across, int down)
{
    switch (w->drag) {
    case REC_DRAG_DIVIDER:
        w->wanted.divider = fmin(fmax((w->mouse.x + 0.5) / w->canvas.width, 0), 1);
        break;
    case REC_DRAG_BLACK:
    case REC_DRAG_WHITE:
        move_limit(w);
        break;
    case REC_DRAG_SLIDER:
        if (w->slider.jumped) /* until a jump is refused */
            rec_slider_drag(&w->slider, &w->canvas, w->mouse.x, w->worker);
        w->dirty = 1;
        break;
    case REC_DRAG_PICTURE:
        rec_window_pan(w, across, down);
        break;
    case REC_DRAG_BRUSH:
    case REC_DRAG_ERASER:
    case REC_DRAG_SOURCE:
        draw_stroke(w, across, down);
        break;
    case REC_DRAG_NOTHING:
        break;
    }
}

static int is_stroke(enum rec_drag drag)
{
    return drag == REC_DRAG_BRUSH || drag == REC_DRAG_ERASER;
}

static const rec_key *find_typed(const rec_window *w, char typed)
{
    const SDL_KeyboardEvent key = {.keysym.sym = typed};
    return rec_keys_find(&key, rec_window_abilities(w));
}

static void begin_drag(rec_window *w, const SDL_MouseButtonEvent *button, double density)
{
    w->mouse = (SDL_Point){(int)(button->x * density), (int)(button->y * density)};
    const enum rec_drag found = find_drag(w, button->button);
    const int is_left = button->button == SDL_BUTTON_LEFT;
    const int page = w->asks ? 1 : w->help;
    const rec_key *row = page && is_left
                             ? rec_help_find(&w->canvas, rec_window_abilities(w), page, w->mouse)
                             : NULL;
    if (w->asks && !row)
        return;
    if (row || (button->button == SDL_BUTTON_RIGHT && found != REC_DRAG_ERASER)) {
        use(w, row ? row : find_typed(w, 'h'), 0);
        return;
    }
    if (found == REC_DRAG_PICTURE && button->clicks == 2 && is_left) {
        rec_window_fit(w, !w->wanted.viewport.fit);
        return;
    }
    w->drag = found == REC_DRAG_SLIDER && !is_left ? REC_DRAG_NOTHING : found;
    if (w->drag == REC_DRAG_SLIDER)
        rec_slider_drag(&w->slider, &w->canvas, w->mouse.x, w->worker);
    sdl.CaptureMouse(w->drag ? SDL_TRUE : SDL_FALSE);
    SDL_Point from = w->mouse;
    if (is_stroke(w->drag) && sdl.GetModState() & KMOD_SHIFT)
        rec_window_last_stroke(w, &from); /* a straight one */
    if (w->drag != REC_DRAG_DIVIDER) /* it is held beside its line */
        drag(w, w->mouse.x - from.x, w->mouse.y - from.y);
}

static void end_drag(rec_window *w)
{
    if (is_stroke(w->drag) || w->drag == REC_DRAG_SOURCE)
        rec_worker_post(w->worker, (rec_request){.act = rec_worker_lift});
    if (is_stroke(w->drag)) {
        rec_viewport_point(&w->wanted.viewport, w->state.size, w->mouse.x, w->mouse.y, &w->last_x,
                           &w->last_y);
        w->stroked = w->state.index + 1;
    }
    w->drag = REC_DRAG_NOTHING;
    w->dirty = 1;
    sdl.CaptureMouse(SDL_FALSE);
}

static void move(rec_window *w, int x, int y)
{
    const int across = x - w->mouse.x, down = y - w->mouse.y;
    w->mouse = (SDL_Point){x, y};
    w->dirty |= w->state.painted != REC_EDIT_NONE; /* the brush */
    drag(w, across, down);
}

/* ---- all ---- */

static void handle_window_event(rec_window *w, Uint8 event)
{
    switch (event) {
    case SDL_WINDOWEVENT_RESIZED: /* by the user, or the window manager */
        w->sized = 1;
        break;
    case SDL_WINDOWEVENT_SIZE_CHANGED:
    case SDL_WINDOWEVENT_EXPOSED:
        rec_window_measure(w);
        break;
    case SDL_WINDOWEVENT_MINIMIZED:
    case SDL_WINDOWEVENT_HIDDEN:
    case SDL_WINDOWEVENT_RESTORED:
    case SDL_WINDOWEVENT_MAXIMIZED:
    case SDL_WINDOWEVENT_SHOWN:
        w->hidden = event == SDL_WINDOWEVENT_MINIMIZED || event == SDL_WINDOWEVENT_HIDDEN;
        rec_window_measure(w);
        break;
    case SDL_WINDOWEVENT_LEAVE:
        if (!w->drag) /* else the mouse is captured, and its moves tell */
            move(w, -1, -1);
        break;
    }
}

void rec_window_handle(rec_window *w, const SDL_Event *event)
{
    const double density = rec_window_density(w);
    if (rec_window_type_name(w, event))
        return;
    switch (event->type) {
    case SDL_QUIT:
        if (!rec_watchdog_misses_display(w) && !w->asks) /* Wayland says that by it, too */
            rec_window_leave(w, 0);
        break;
    case SDL_KEYDOWN:
        w->third_level = event->key.keysym.mod & (KMOD_RALT | KMOD_MODE);
        use(w, rec_keys_find(&event->key, rec_window_abilities(w)), event->key.repeat);
        break;
    case SDL_KEYUP:
        if (w->held)
            w->wanted.scene = (rec_scene)(w->held - 1);
        w->held = 0;
        break;
    case SDL_TEXTINPUT: /* what has a key on one layout is typed by AltGr on another */
        if (w->third_level)
            use(w, find_typed(w, event->text.text[0]), 0);
        break;
    case SDL_MOUSEMOTION:
        move(w, (int)(event->motion.x * density), (int)(event->motion.y * density));
        break;
    case SDL_MOUSEBUTTONDOWN:
        if (event->button.button <= SDL_BUTTON_RIGHT)
            begin_drag(w, &event->button, density);
        break;
    case SDL_MOUSEBUTTONUP:
        if (w->drag && event->button.button <= SDL_BUTTON_RIGHT)
            end_drag(w);
        break;
    case SDL_MOUSEWHEEL:
        for (int notch = 0; notch < abs(event->wheel.y); notch++)
            if (w->state.painted && sdl.GetModState() & (KMOD_CTRL | KMOD_ALT))
                rec_window_size_brush(w, event->wheel.y > 0);
            else
                rec_window_zoom(w, REC_ZOOM_WHEEL | (event->wheel.y > 0));
        break;
    case SDL_DROPBEGIN:
        w->dropped = 0;
        break;
    case SDL_DROPFILE:
        if (!rec_worker_post(w->worker, (rec_request){rec_worker_add, !w->dropped++,
                                                      .path = event->drop.file}))
            fprintf(stderr, "reconstruct: %s: too many files at once\n", event->drop.file);
        sdl.free(event->drop.file);
        break;
    case SDL_DROPTEXT:
        sdl.free(event->drop.file);
        break;
    case SDL_WINDOWEVENT:
        handle_window_event(w, event->window.event);
        break;
    }
    rec_window_tell(w);
}
