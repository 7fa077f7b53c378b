/* What the user does: keys, the mouse, files that are dropped. */
#include <math.h>

#include "view/window/keys.h"
#include "view/draw/sheet.h"
#include "view/window/window_type.h"

#define PAN_SHARE 8       /* a key pans by this part of the area */
#define GAMMA_STEP 1.25   /* a key changes them by so much ... */
#define CONTRAST_STEP 1.25f
#define MOST_STEPS 8      /* ... and so many times at most */
#define GRIP 6            /* around the divider, in the window's own pixels */

static rec_size image_size(const rec_window *w) { return w->state.size; }

static int has_image(const rec_window *w)
{
    return image_size(w).width && w->wanted.viewport.area.width && w->wanted.viewport.area.height;
}

static int is_over_area(const rec_window *w)
{
    const rec_size area = w->wanted.viewport.area;
    return w->mouse_x >= 0 && w->mouse_y >= 0 && (size_t)w->mouse_x < area.width &&
           (size_t)w->mouse_y < area.height;
}

void rec_window_probe(rec_window *w)
{
    rec_wanted *wanted = &w->wanted;
    const rec_wanted old = *wanted;
    wanted->probing = w->values && has_image(w) && rec_phase_is_open(w->state.phase) &&
                      rec_viewport_pixel(&wanted->viewport, image_size(w), w->mouse_x, w->mouse_y,
                                         &wanted->column, &wanted->row);
    if (wanted->probing != old.probing || wanted->column != old.column || wanted->row != old.row) {
        rec_exchange_want(&w->exchange, wanted);
        w->dirty = 1;
    }
}

/* ---- what is seen ---- */

static void show_scene(rec_window *w, rec_scene scene)
{
    w->wanted.scene = scene;
    w->text_time = 0;
    rec_window_want(w);
}

/* The next one that can be shown: without a reference there is no difference. */
static void show_next_scene(rec_window *w)
{
    const int has_reference = w->options->reference != NULL;
    rec_scene next = (w->wanted.scene + 1) % REC_SCENES;
    if (next == REC_SCENE_DIFFERENCE && !has_reference)
        next = REC_SCENE_PICTURE;
    show_scene(w, next);
}

/* At the cursor, or in the middle where a key asks and the cursor is elsewhere. */
static void zoom(rec_window *w, int in)
{
    const rec_size area = w->wanted.viewport.area;
    const int at_cursor = is_over_area(w);
    if (!has_image(w))
        return;
    rec_viewport_zoom(&w->wanted.viewport, image_size(w), in,
                      at_cursor ? w->mouse_x : (int)area.width / 2,
                      at_cursor ? w->mouse_y : (int)area.height / 2);
    rec_window_want(w);
}

static void set_fit(rec_window *w, int fit)
{
    const rec_size area = w->wanted.viewport.area;
    if (!has_image(w))
        return;
    if (fit) {
        w->wanted.viewport.fit = 1;
    } else {
        const int at_cursor = is_over_area(w);
        rec_viewport *viewport = &w->wanted.viewport;
        rec_viewport_set_scale(viewport, image_size(w), 1,
                               at_cursor ? w->mouse_x : (int)area.width / 2,
                               at_cursor ? w->mouse_y : (int)area.height / 2);
    }
    rec_window_want(w);
}

static void pan(rec_window *w, int x, int y)
{
    if (!has_image(w) || w->wanted.viewport.fit)
        return;
    rec_viewport_pan(&w->wanted.viewport, image_size(w), x, y);
    rec_window_want(w);
}

static void pan_by_key(rec_window *w, int right, int down)
{
    const rec_size area = w->wanted.viewport.area;
    const int step = (int)(area.width < area.height ? area.width : area.height) / PAN_SHARE + 1;
    pan(w, -right * step, -down * step);
}

/* ---- the tone ---- */

static void change_gamma(rec_window *w, double factor)
{
    const double most = pow(GAMMA_STEP, MOST_STEPS + 0.5), gamma = w->wanted.gamma * factor;
    if (gamma > most || gamma < 1 / most)
        return;
    w->wanted.gamma = fabs(gamma - 1) < 0.01 ? 1 : gamma;
    rec_window_want(w);
}

static void change_contrast(rec_window *w, float factor)
{
    const float most = powf(CONTRAST_STEP, 2 * MOST_STEPS + 0.5f);
    const float contrast = w->wanted.contrast * factor;
    if (contrast > most || contrast < 1 / most)
        return;
    w->wanted.contrast = fabsf(contrast - 1) < 0.01f ? 1 : contrast;
    rec_window_want(w);
}

static void set_tone(rec_window *w, rec_tone tone, int plain)
{
    w->wanted.tone = tone;
    if (plain) {
        w->wanted.gamma = 1;
        w->wanted.contrast = 1;
    }
    rec_window_want(w);
}

/* ---- keys ---- */

static void toggle_full_screen(rec_window *w)
{
    const int full = (SDL_GetWindowFlags(w->window) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
    SDL_SetWindowFullscreen(w->window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

/* The actions of the window itself; 0 for others. */
static int act(rec_window *w, rec_action action)
{
    w->dirty = 1;
    switch (action) {
    case REC_ACTION_EARLIER:
    case REC_ACTION_LATER:
    case REC_ACTION_FIRST:
    case REC_ACTION_LIMIT:
        rec_slider_move(&w->slider, action, &w->exchange);
        return 1;
    case REC_ACTION_SHOW_PICTURE:
    case REC_ACTION_SHOW_EDGES:
    case REC_ACTION_SHOW_SIDES:
    case REC_ACTION_SHOW_CHANGE:
    case REC_ACTION_SHOW_DIFFERENCE:
        show_scene(w, (rec_scene)(action - REC_ACTION_SHOW_PICTURE));
        return 1;
    case REC_ACTION_SHOW_NEXT:
        show_next_scene(w);
        return 1;
    case REC_ACTION_ZOOM_IN:
    case REC_ACTION_ZOOM_OUT:
        zoom(w, action == REC_ACTION_ZOOM_IN);
        return 1;
    case REC_ACTION_FIT:
    case REC_ACTION_ORIGINAL_SIZE:
        set_fit(w, action == REC_ACTION_FIT);
        return 1;
    case REC_ACTION_PAN_LEFT:
    case REC_ACTION_PAN_RIGHT:
        pan_by_key(w, action == REC_ACTION_PAN_RIGHT ? 1 : -1, 0);
        return 1;
    case REC_ACTION_PAN_UP:
    case REC_ACTION_PAN_DOWN:
        pan_by_key(w, 0, action == REC_ACTION_PAN_DOWN ? 1 : -1);
        return 1;
    case REC_ACTION_TONE:
        set_tone(w, (w->wanted.tone + 1) % REC_TONES, 0);
        return 1;
    case REC_ACTION_PLAIN_TONE:
        set_tone(w, w->wanted.tone, 1);
        return 1;
    case REC_ACTION_BRIGHTER:
    case REC_ACTION_DARKER:
        change_gamma(w, action == REC_ACTION_BRIGHTER ? GAMMA_STEP : 1 / GAMMA_STEP);
        return 1;
    case REC_ACTION_MORE_CONTRAST:
    case REC_ACTION_LESS_CONTRAST:
        change_contrast(w, action == REC_ACTION_MORE_CONTRAST ? CONTRAST_STEP
                                                              : 1 / CONTRAST_STEP);
        return 1;
    case REC_ACTION_PLOT:
        w->plot = !w->plot;
        return 1;
    case REC_ACTION_VALUES:
        w->values = !w->values;
        rec_window_probe(w);
        return 1;
    case REC_ACTION_FULL_SCREEN:
        toggle_full_screen(w);
        return 1;
    case REC_ACTION_HELP:
        w->help = w->help < rec_sheet_pages(w->text, w->wanted.viewport.area, w->slider.present)
                      ? w->help + 1
                      : 0;
        return 1;
    default:
        return 0;
    }
}

static void press(rec_window *w, const SDL_KeyboardEvent *key)
{
    const rec_key_time now = w->slider.jumped    ? REC_KEY_JUMPED
                             : w->slider.present ? REC_KEY_SLIDER
                                                 : REC_KEY_ALWAYS;
    const rec_action action = rec_keys_find(key, now);
    if (action == REC_ACTION_NONE || act(w, action))
        return;
    /* A key that is held down does not pile up work: what it asked for is still being done. */
    if (!key->repeat || w->state.phase == REC_PHASE_PAUSED || w->state.phase == REC_PHASE_STOPPED)
        rec_exchange_post(&w->exchange, action);
}

/* ---- the mouse ---- */

static int is_over_divider(const rec_window *w)
{
    const int away = w->mouse_x - rec_window_divider(w);
    const int grip = GRIP * rec_text_scale(w->text);
    return w->wanted.scene == REC_SCENE_SIDES && is_over_area(w) && away >= -grip && away <= grip;
}

static void move_divider(rec_window *w)
{
    const double share = (w->mouse_x + 0.5) / (double)w->wanted.viewport.area.width;
    w->wanted.divider = fmin(fmax(share, 0), 1);
    rec_exchange_want(&w->exchange, &w->wanted); /* no picture must be made anew for it */
    w->dirty = 1;
}

static void begin_drag(rec_window *w, const SDL_MouseButtonEvent *button)
{
    if (!is_over_area(w))
        return;
    if (button->clicks == 2 && button->button == SDL_BUTTON_LEFT && !is_over_divider(w)) {
        set_fit(w, !w->wanted.viewport.fit);
        return;
    }
    w->drag = is_over_divider(w) ? REC_DRAG_DIVIDER : REC_DRAG_PICTURE;
    SDL_CaptureMouse(SDL_TRUE);
}

static void move(rec_window *w, int x, int y)
{
    const int across = x - w->mouse_x, down = y - w->mouse_y;
    w->mouse_x = x;
    w->mouse_y = y;
    if (w->drag == REC_DRAG_DIVIDER)
        move_divider(w);
    else if (w->drag == REC_DRAG_PICTURE)
        pan(w, across, down);
    rec_window_probe(w);
}

static void handle_mouse(rec_window *w, const SDL_Event *event)
{
    const double density = rec_window_density(w);
    const int left_or_middle =
        event->button.button == SDL_BUTTON_LEFT || event->button.button == SDL_BUTTON_MIDDLE;
    switch (event->type) {
    case SDL_MOUSEMOTION:
        move(w, (int)(event->motion.x * density), (int)(event->motion.y * density));
        break;
    case SDL_MOUSEBUTTONDOWN:
        w->mouse_x = (int)(event->button.x * density);
        w->mouse_y = (int)(event->button.y * density);
        if (left_or_middle)
            begin_drag(w, &event->button);
        break;
    case SDL_MOUSEBUTTONUP:
        if (left_or_middle && w->drag) {
            w->drag = REC_DRAG_NOTHING;
            SDL_CaptureMouse(SDL_FALSE);
        }
        break;
    default: /* the wheel: a step a notch */
        for (int notch = 0; notch < SDL_abs(event->wheel.y); notch++)
            zoom(w, event->wheel.y > 0);
        rec_window_probe(w);
    }
}

/* ---- files ---- */

static void take_path(rec_window *w, const char *path)
{
    if (!rec_exchange_post_path(&w->exchange, w->dropped ? REC_ACTION_ADD : REC_ACTION_OPEN, path))
        SDL_LogWarn(SDL_LOG_CATEGORY_APPLICATION, "%s: too many files at once", path);
    w->dropped++;
}

static void handle_drop(rec_window *w, SDL_DropEvent drop)
{
    if (drop.type == SDL_DROPBEGIN)
        w->dropped = 0;
    else if (drop.type == SDL_DROPFILE)
        take_path(w, drop.file);
    SDL_free(drop.file);
}

/* ---- all ---- */

static void handle_window_event(rec_window *w, Uint8 event)
{
    switch (event) {
    case SDL_WINDOWEVENT_RESIZED: /* by the user, or the window manager */
        w->sized = 1;
        break;
    case SDL_WINDOWEVENT_SIZE_CHANGED:
        rec_window_measure(w);
        break;
    case SDL_WINDOWEVENT_MINIMIZED:
    case SDL_WINDOWEVENT_HIDDEN:
        w->hidden = 1;
        rec_window_measure(w);
        break;
    case SDL_WINDOWEVENT_RESTORED:
    case SDL_WINDOWEVENT_MAXIMIZED:
    case SDL_WINDOWEVENT_SHOWN:
        w->hidden = 0;
        rec_window_measure(w);
        break;
    case SDL_WINDOWEVENT_EXPOSED:
        w->dirty = 1;
        break;
    case SDL_WINDOWEVENT_LEAVE:
        w->mouse_x = w->mouse_y = -1;
        rec_window_probe(w);
        break;
    default:
        break;
    }
}

void rec_window_handle(rec_window *w, const SDL_Event *event)
{
    if (rec_slider_handle(&w->slider, event, rec_window_density(w), &w->exchange)) {
        w->dirty = 1;
        if (w->slider.dragging)
            return;
    }
    switch (event->type) {
    case SDL_QUIT:
        rec_exchange_post(&w->exchange, REC_ACTION_LEAVE);
        break;
    case SDL_KEYDOWN:
        press(w, &event->key);
        break;
    case SDL_MOUSEMOTION:
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
    case SDL_MOUSEWHEEL:
        handle_mouse(w, event);
        break;
    case SDL_DROPBEGIN:
    case SDL_DROPFILE:
    case SDL_DROPTEXT:
    case SDL_DROPCOMPLETE:
        handle_drop(w, event->drop);
        break;
    case SDL_WINDOWEVENT:
        handle_window_event(w, event->window.event);
        break;
    default:
        break;
    }
}
