#include <limits.h>
#include <math.h>

#include "view/window/window.h"

#define PAN_SHARE 8       /* a key pans by this part of the area */
#define STEP 1.25         /* a key changes gamma or contrast by this factor */
#define MOST_STEPS 8      /* of gamma, up or down; contrast has twice as many */
#define LARGEST_RADIUS 1000.0 /* of the brush, pixels of the image */

void rec_window_size_brush(rec_window *w, int larger)
{
    double *const radius = &w->wanted.radius;
    *radius = fmin(fmax(fabs(*radius) * (larger ? STEP : 1 / STEP), 0.5), LARGEST_RADIUS);
    w->text_time = 0;
}

static void change_tool(rec_window *w, int argument)
{
    w->wanted.radius = -w->wanted.radius;
    w->text_time = 0;
}

enum { EARLIER, LATER, START, LIMIT };

static void seek(rec_window *w, int where)
{
    const uint64_t next = rec_scale_step(w->slider.iteration, where == LATER);
    rec_slider_seek(&w->slider, where == START ? 0 : where == LIMIT ? REC_LIMIT_ITERATION : next,
                    w->worker);
}

/* ---- what is seen ---- */

static void show(rec_window *w, int scene)
{
    w->wanted.scene = (rec_scene)scene;
    w->text_time = 0;
}

/* Until a key is let go. */
static void hold_scene(rec_window *w, int scene)
{
    w->held = w->held ? w->held : (int)w->wanted.scene + 1;
    show(w, scene);
}

/* The next one that can be shown: some need a reference. */
static void next_scene(rec_window *w, int step)
{
    int next = (int)w->wanted.scene;
    do
        next = (next + step) % REC_SCENES;
    while (rec_layers[rec_scenes[next].layer].source == REC_SOURCE_REFERENCE &&
           !w->state.has_original);
    show(w, next);
}

/* The cursor, or the middle if the cursor is elsewhere. */
static SDL_Point fixed_point(const rec_window *w)
{
    return rec_window_is_over_area(w) ? w->mouse
                                      : (SDL_Point){w->canvas.width / 2, w->canvas.rows / 2};
}

void rec_window_zoom(rec_window *w, int way)
{
    const SDL_Point at = fixed_point(w);
    if (rec_window_has_image(w))
        rec_viewport_zoom(&w->wanted.viewport, w->state.size, way, at.x, at.y);
}

void rec_window_fit(rec_window *w, int fit)
{
    const SDL_Point at = fixed_point(w);
    if (rec_window_has_image(w) && fit)
        w->wanted.viewport.fit = 1;
    else if (rec_window_has_image(w))
        rec_viewport_set_scale(&w->wanted.viewport, w->state.size, 1, at.x, at.y);
}

void rec_window_pan(rec_window *w, int x, int y)
{
    if (rec_window_has_image(w))
        rec_viewport_pan(&w->wanted.viewport, w->state.size, x, y);
}

static void pan(rec_window *w, int code)
{
    const int step = SDL_min(w->canvas.width, w->canvas.rows) / PAN_SHARE + 1;
    rec_window_pan(w, step * ((code == SDLK_LEFT) - (code == SDLK_RIGHT)),
                   step * ((code == SDLK_UP) - (code == SDLK_DOWN)));
}

/* ---- the tone ---- */

static void next_tone(rec_window *w, int step)
{
    w->wanted.tone = (rec_tone)(((int)w->wanted.tone + step) % REC_TONE_NAMES);
}

static void plain_tone(rec_window *w, int argument)
{
    w->wanted.gamma = 1;
    w->wanted.contrast = 1;
    w->wanted.shift = 0;
}

/* A factor one step up or down, if it is within so many steps of 1. */
static double step_factor(double now, int more, int most)
{
    const double next = now * (more ? STEP : 1 / STEP), end = pow(STEP, most + 0.5);
    return next > end || next < 1 / end ? now : fabs(next - 1) < 0.01 ? 1 : next;
}

static void add_gamma(rec_window *w, int more)
{
    w->wanted.gamma = step_factor(w->wanted.gamma, more, MOST_STEPS);
}

static void add_contrast(rec_window *w, int more)
{
    w->wanted.contrast = (float)step_factor((double)w->wanted.contrast, more, 2 * MOST_STEPS);
}

/* ---- what is over the picture ---- */

enum { VALUES, LEVELS, OUTLINE, PLOT, HELP };

/* To the next of its states, of which 0 is off. Drawing closes the help after its last page. */
static void toggle(rec_window *w, int what)
{
    int *const shown[] = {&w->values, &w->wanted.levels, &w->outlined, &w->plot, &w->help};
    static const int states[] = {2, 2, 2, REC_PLOTS, INT_MAX};
    *shown[what] = (*shown[what] + 1) % states[what];
}

static int is_full_screen(const rec_window *w)
{
    return (sdl.GetWindowFlags(w->window) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
}

static void full_screen(rec_window *w, int argument)
{
    sdl.SetWindowFullscreen(w->window, is_full_screen(w) ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

/* ---- closed, and left ---- */

/* One thing at a time, the uppermost first. It never leaves: Escape is pressed too often. */
static void step_back(rec_window *w, int argument)
{
    if (w->asks)
        return; /* that is over with any answer */
    if (w->help)
        w->help = 0;
    else if (w->plot)
        w->plot = REC_PLOT_NONE;
    else if (w->wanted.levels)
        toggle(w, LEVELS);
    else if (is_full_screen(w))
        full_screen(w, 0);
    else if (w->slider.jumped)
        rec_worker_post(w->worker, (rec_request){.act = rec_worker_go_back});
}

/* The worker knows of the last stroke; but it may wait for an input for ever. */
void rec_window_leave(rec_window *w, int argument)
{
    if ((w->state.painted || w->state.unsaved) && !w->asks)
        rec_worker_post(w->worker, (rec_request){.act = rec_worker_ask});
    else
        rec_worker_ask_to_leave(w->worker);
}

/* ---- the table ---- */

const char *const rec_key_groups[REC_KEY_GROUPS] = {"See", "Move", "Time", "Paint",
                                                       "Files", "Not saved yet"};

#define SHIFT (1u << 31) /* a key together with Shift */
#define CTRL (1u << 29)  /* with Ctrl; without it Ctrl makes a key another, but with: */
#define EITHER (1u << 28)
#define KEY(repeats, group, name, function, argument, help, ...) \
    {{__VA_ARGS__}, repeats, REC_KEYS_##group, name, help, NULL, argument, .press = function}
#define ASK(repeats, group, name, function, argument, help, ...) \
    {{__VA_ARGS__}, repeats, REC_KEYS_##group, name, help, NULL, argument, \
     .act = rec_worker_##function}

#define SCENE_KEY(key, scene, left, right, name, plain, painted, help) \
    {{SDLK_##key}, 0, REC_KEYS_SEE, #key, help, painted, REC_SCENE_##scene, .press = show},

/* Of two rows with the same key the one with Shift comes first. */
const rec_key rec_keys[] = {
    REC_SCENE_ROWS(SCENE_KEY)
    ASK(0, SEE,   "b",           turn, 0, "the brush, and back", SDLK_b),
    KEY(1, SEE,   "Tab",         next_scene, 1, "next view", SDLK_TAB),
    KEY(0, SEE,   "t",           next_tone, 1, "next tone", SDLK_t),
    KEY(1, SEE,   "G",           add_gamma, 0, "darker: less gamma", SHIFT | SDLK_g),
    KEY(1, SEE,   "g",           add_gamma, 1, "brighter: more gamma", SDLK_g),
    KEY(1, SEE,   "C",           add_contrast, 0, "less contrast", SHIFT | SDLK_c),
    KEY(1, SEE,   "c",           add_contrast, 1, "more contrast", SDLK_c),
    KEY(0, SEE,   "d",           plain_tone, 0, "reset gamma, contrast", SDLK_d),
    KEY(0, SEE,   "p",           toggle, PLOT, "plot: small, large, off", SDLK_p),
    KEY(0, SEE,   "H",           toggle, LEVELS, "histogram with limits", SHIFT | SDLK_h),
    KEY(0, SEE,   "v",           toggle, VALUES, "values of pixels", SDLK_v),
    KEY(1, MOVE,  "+, =, z",     rec_window_zoom, 1, "zoom in (wheel)",
        EITHER | SDLK_PLUS, EITHER | SDLK_KP_PLUS, EITHER | SDLK_EQUALS, SDLK_z),
    KEY(1, MOVE,  "-, x",        rec_window_zoom, 0, "zoom out",
        EITHER | SDLK_MINUS, EITHER | SDLK_KP_MINUS, SDLK_x),
    KEY(0, MOVE,  "0",           rec_window_fit, 1, "whole picture", EITHER | SDLK_0),
    KEY(0, MOVE,  "o",           rec_window_fit, 0, "1:1 (double click)", SDLK_o),
    KEY(1, MOVE,  "Arrows",      pan, SDLK_LEFT, "pan (drag)", SDLK_LEFT),
    KEY(1, MOVE,  "Arrows",      pan, SDLK_RIGHT, NULL, SDLK_RIGHT),
    KEY(1, MOVE,  "Arrows",      pan, SDLK_UP, NULL, SDLK_UP),
    KEY(1, MOVE,  "Arrows",      pan, SDLK_DOWN, NULL, SDLK_DOWN),
    KEY(0, MOVE,  "f, F11",      full_screen, 0, "full screen", SDLK_f, SDLK_F11),
    ASK(0, TIME,  "Space",       play_pause, 0, "pause, continue", SDLK_SPACE),
    ASK(1, TIME,  "n",           step, 0, "one batch", SDLK_n),
    ASK(1, TIME,  "i",           step, 1, "one iteration", SDLK_i),
    ASK(0, TIME,  "r",           restart, 0, "restart", SDLK_r),
    ASK(1, TIME,  "K",           change_every, 1, "double the batch, K", SHIFT | SDLK_k),
    ASK(0, TIME,  "k",           change_every, 0, "K as at the start", SDLK_k),
    ASK(1, TIME,  "m, }",        change_pace, 1, "double the pace",
        SDLK_m, SHIFT | SDLK_RIGHTBRACKET),
    ASK(1, TIME,  "l, {",        change_pace, -1, "halve the pace",
        SDLK_l, SHIFT | SDLK_LEFTBRACKET),
    ASK(0, TIME,  "a, \\",       change_pace, 0, "full speed", SDLK_a, SDLK_BACKSLASH),
    KEY(1, TIME,  "Comma",       seek, EARLIER, "earlier iterate", SDLK_COMMA),
    KEY(1, TIME,  "Period, ;",   seek, LATER, "later iterate", SDLK_PERIOD, SDLK_SEMICOLON),
    KEY(0, TIME,  "Home",        seek, START, "the start", SDLK_HOME),
    KEY(0, TIME,  "End",         seek, LIMIT, "the exact picture", SDLK_END),
    KEY(1, PAINT, "[",           rec_window_size_brush, 0, "smaller brush", SDLK_LEFTBRACKET),
    KEY(1, PAINT, "]",           rec_window_size_brush, 1, "larger brush", SDLK_RIGHTBRACKET),
    KEY(1, PAINT, "Ctrl+Down",   rec_window_size_brush, 0, "smaller: Ctrl+wheel", CTRL | SDLK_DOWN),
    KEY(1, PAINT, "Ctrl+Up",     rec_window_size_brush, 1, "larger: Ctrl+wheel", CTRL | SDLK_UP),
    KEY(0, PAINT, "w",           change_tool, 0, "lasso (right: erases), brush", SDLK_w),
    ASK(0, PAINT, "e",           change_rule, 1, "filling (Ctrl+click: from)", SDLK_e),
    ASK(0, PAINT, "Backspace",   next_source,  0, "another place, please", SDLK_BACKSPACE),
    ASK(0, PAINT, "Delete",      clear, 0, "clear the mask", SDLK_DELETE),
    ASK(1, PAINT, "Ctrl+Y",      undo, 1, "redo it (Ctrl+Shift+Z)",
        CTRL | SHIFT | SDLK_z, CTRL | SDLK_y),
    ASK(1, PAINT, "Ctrl+Z",      undo, 0, "undo a stroke", CTRL | SDLK_z),
    KEY(0, PAINT, "y",           hold_scene, REC_SCENE_EDGES, "the original, while held", SDLK_y),
    KEY(0, PAINT, "u",           toggle, OUTLINE, "outline of the mask", SDLK_u),
    ASK(0, PAINT, "j",           toggle_jacobi, 0, "watch it being filled", SDLK_j),
    ASK(0, FILES, "PgDn",        change_input, 1, "next input", SDLK_PAGEDOWN),
    ASK(0, FILES, "PgUp",        change_input, -1, "previous input", SDLK_PAGEUP),
    KEY(0, FILES, "Ctrl+O",      rec_window_ask_file, 0, "open a file (or drop it)", CTRL | SDLK_o),
    KEY(0, FILES, "Enter",       rec_window_open_sample, 0, "open the sample",
        SDLK_RETURN, SDLK_KP_ENTER),
    ASK(0, FILES, "e",           make_edges,   0, "a picture: take its edges", SDLK_e),
    ASK(0, FILES, "S",           save, 1, "save the view", SHIFT | SDLK_s),
    ASK(0, FILES, "s, Ctrl+S",   save, 0, "save the picture", SDLK_s, CTRL | SDLK_s),
    KEY(0, FILES, "h, ?, F1",    toggle, HELP, "help: all keys",
        SDLK_h, SHIFT | SDLK_SLASH, SDLK_QUESTION, SDLK_F1),
    KEY(0, FILES, "Escape",      step_back, 0, "close what is open", SDLK_ESCAPE),
    KEY(0, FILES, "q, Ctrl+Q",   rec_window_leave, 1, "leave, write the result",
        SDLK_q, CTRL | SDLK_q, CTRL | SDLK_w),
    KEY(0, FILES, "q, Ctrl+Q",   rec_window_leave, 0, "leave; asks if not saved",
        SDLK_q, CTRL | SDLK_q, CTRL | SDLK_w),
    ASK(0, LEAVE, "s, Ctrl+S",   save_and_leave, 0, "save it, and leave", SDLK_s, CTRL | SDLK_s),
    KEY(0, LEAVE, "Enter",       rec_window_leave, 0, "leave without saving",
        SDLK_RETURN, SDLK_KP_ENTER),
    KEY(0, LEAVE, "Escape",      step_back, 0, "stay", SDLK_ESCAPE),
    {.name = NULL},
};

int rec_key_works(const rec_key *key, rec_abilities abilities)
{
    const int of_time = key->group == REC_KEYS_TIME ||
                        (key->press == show && key->argument == REC_SCENE_CHANGE);
    const int replaced = key->act == rec_worker_make_edges;
    return abilities.asks || key->group == REC_KEYS_LEAVE
               ? abilities.asks && key->group == REC_KEYS_LEAVE
           : key->press == rec_window_leave ? key->argument == abilities.output
           : key->group == REC_KEYS_PAINT   ? abilities.paint
           : of_time && abilities.fills     ? 0
           : key->press == seek             ? abilities.slider
                                            : !(abilities.paint && replaced);
}

static const rec_key *find(SDL_Keycode code, Uint16 modifiers, rec_abilities abilities)
{
    for (const rec_key *key = rec_keys; key->name; key++)
        for (int i = 0; i < REC_KEY_CODES && key->codes[i]; i++)
            if (rec_key_works(key, abilities) &&
                (key->codes[i] & ~(SHIFT | CTRL | EITHER)) == (Uint32)code &&
                (!(key->codes[i] & SHIFT) || modifiers & KMOD_SHIFT) &&
                (key->codes[i] & EITHER ||
                 !(key->codes[i] & CTRL) == !(modifiers & KMOD_CTRL)))
                return key;
    return NULL;
}

/* Russian, Greek, Hebrew and others have none. */
static int layout_has_latin_letters(void)
{
    for (int place = SDL_SCANCODE_A; place <= SDL_SCANCODE_Z; place++) {
        const SDL_Keycode code = sdl.GetKeyFromScancode((SDL_Scancode)place);
        if (code >= SDLK_a && code <= SDLK_z)
            return 1;
    }
    return 0;
}

/* On layouts whose digit keys have other characters (French) they count as digits, too; on those
 * without Latin letters all keys count as what they are in the United States. */
const rec_key *rec_keys_find(const SDL_KeyboardEvent *event, rec_abilities abilities)
{
    static const char american[] = "abcdefghijklmnopqrstuvwxyz1234567890\r\x1b\b\t -=[]\\#;'`,./";
    const SDL_Keysym *keysym = &event->keysym;
    const int place = (int)keysym->scancode - SDL_SCANCODE_A;
    const int is_digit =
        keysym->scancode >= SDL_SCANCODE_1 && keysym->scancode <= SDL_SCANCODE_0;
    if (keysym->mod & (KMOD_ALT | KMOD_GUI | KMOD_MODE))
        return NULL;
    const rec_key *key = find(keysym->sym, keysym->mod, abilities), *there = NULL;
    if (place >= 0 && place < (int)sizeof american - 1)
        there = find(american[place], keysym->mod, abilities);
    if (there && (is_digit ? !key : !layout_has_latin_letters()))
        key = there; /* before Greek's semicolon, which is at q */
    return key && event->repeat && !key->repeats ? NULL : key;
}
