/* What is drawn. Lengths are in output pixels; sizes grow with the text. */
#pragma once

#include <SDL.h>
#undef SDL_VIDEO_DRIVER_X11 /* its part of the next one would need headers of X11 */
#include <SDL_syswm.h>

#include "view/worker/decades.h"
#include "view/worker/worker.h"

/* ---- libraries.c ---- */

/* What is called of SDL2, as sdl.CreateWindow(...): a further function is a name here. */
#define REC_SDL_FUNCTIONS(ROW) \
    ROW(CaptureMouse) ROW(CreateRenderer) ROW(CreateRGBSurfaceWithFormat) \
    ROW(CreateRGBSurfaceWithFormatFrom) ROW(CreateTexture) ROW(CreateTextureFromSurface) \
    ROW(CreateWindow) ROW(Delay) ROW(DestroyRenderer) ROW(DestroyTexture) ROW(DestroyWindow) \
    ROW(EventState) ROW(FillRect) ROW(free) ROW(FreeSurface) ROW(GetBasePath) \
    ROW(GetCurrentVideoDriver) ROW(GetDisplayUsableBounds) ROW(GetError) ROW(GetKeyFromScancode) \
    ROW(GetModState) ROW(GetRendererInfo) ROW(GetRendererOutputSize) ROW(GetWindowDisplayIndex) \
    ROW(GetWindowFlags) ROW(GetWindowSize) ROW(GetWindowTitle) ROW(GetWindowWMInfo) \
    ROW(GL_GetProcAddress) ROW(HasIntersection) ROW(InitSubSystem) ROW(IntersectRect) \
    ROW(LockTexture) ROW(PollEvent) ROW(QueryTexture) ROW(QuitSubSystem) ROW(RenderClear) \
    ROW(RenderCopy) ROW(RenderDrawLine) ROW(RenderFillRect) ROW(RenderPresent) \
    ROW(RenderSetClipRect) ROW(SetHint) ROW(SetRenderDrawBlendMode) ROW(SetRenderDrawColor) \
    ROW(SetSurfaceBlendMode) ROW(SetTextureAlphaMod) ROW(SetTextureBlendMode) \
    ROW(SetTextureColorMod) ROW(SetWindowFullscreen) ROW(SetWindowIcon) ROW(SetWindowMinimumSize) \
    ROW(SetWindowPosition) ROW(SetWindowSize) ROW(SetWindowTitle) ROW(ShowWindow) \
    ROW(StopTextInput) ROW(UnlockTexture) ROW(UpperBlit)
#define REC_SDL_POINTER(function) __typeof__(SDL_##function) *function;
extern struct rec_sdl { REC_SDL_FUNCTIONS(REC_SDL_POINTER) } sdl;

/* Opens SDL2: before, nothing of it may be called. REC_UNAVAILABLE, naming what is missing. */
rec_status rec_libraries_open(rec_error *error);

/* Opens a library and writes the addresses of its functions, a pointer each, to *functions. 0: it
 * is not here, or an older one; dlerror() tells. */
int rec_library_open(const char *file, const char *const *names, size_t count, void *functions);

/* ---- where the letters come from: font.c ---- */

enum { REC_GLYPHS = 256, REC_GLYPH_COLUMNS = 16 }; /* Latin-1; of the sheet, 16 rows of as many */

/* All glyphs at one size, in cells of the same size; lengths in output pixels. */
typedef struct rec_cells {
    SDL_Surface *sheet;      /* white, with the glyphs in its alpha */
    int width, height;       /* of a cell; height: of a line */
    int bleed;               /* pixels that a glyph may begin before its place */
    int advance[REC_GLYPHS]; /* to the next glyph; 0: the font has none */
} rec_cells;

/* The place of a glyph in the sheet. */
SDL_Rect rec_cells_place(const rec_cells *cells, int code);

typedef struct rec_font { /* the library's: */
    void *outline;        /* of SDL_ttf, or NULL; else: */
    const void *bitmap;   /* of libnetpbm */
} rec_font;

/* 0: there is none. Not while another thread is inside libnetpbm, whose state is the process's. */
int rec_font_open(rec_font *font);
void rec_font_close(rec_font *font); /* all zero is fine */
/* At `scale` times the usual size; 0: no memory. */
int rec_font_paint(const rec_font *font, int scale, rec_cells *cells);

/* ---- the canvas, and text on it: canvas.c ---- */

/* What everything is drawn on. Strings are UTF-8. Characters outside of Latin-1 or of the font
 * become question marks; styles and other scripts are left out on purpose. */
typedef struct rec_canvas {
    SDL_Renderer *renderer;       /* blends */
    int scale;                    /* size of the letters: 1 at first */
    int line;                     /* height of a line */
    int width, height;            /* of the output */
    int rows;                     /* of it, the upper ones: the picture's area */
    rec_font font;
    SDL_Texture *glyphs;
    rec_cells cells;              /* of the scale; without their sheet */
} rec_canvas;

/* As rec_font_open: rec_font_close ends it, but for a texture of the renderer. REC_UNAVAILABLE. */
rec_status rec_canvas_create(rec_canvas *canvas, SDL_Renderer *renderer, rec_error *error);
void rec_canvas_set_scale(rec_canvas *canvas, int scale);

int rec_text_width(const rec_canvas *canvas, const char *string);
/* From one of its parts on, with three blanks between: the longest that has room, or the last. */
const char *rec_text_fit(const rec_canvas *canvas, const char *string, int room);

/* The string's left end, middle or right end is at x, its top at y. */
typedef enum rec_align { REC_LEFT, REC_MIDDLE, REC_RIGHT } rec_align;
void rec_text_draw(const rec_canvas *canvas, rec_align align, int x, int y, SDL_Color color,
                   const char *string);

/* In lines of at most `width`, broken at spaces. Returns the height; draw = 0 only measures. */
int rec_text_paragraph(const rec_canvas *canvas, int x, int y, int width, SDL_Color color,
                       const char *string, int draw);

/* ---- colours, rectangles and panels: canvas.c ---- */

#define REC_COLORS(ROW) \
    ROW(ground, 18, 18, 20, 255)         /* around the picture */ \
    ROW(bar, 27, 28, 31, 255)            /* the strips below it, and the line above a strip */ \
    ROW(border, 52, 54, 60, 255) \
    ROW(panel, 18, 19, 22, 228)          /* over it; see-through */ \
    ROW(panel_edge, 70, 73, 80, 255) \
    ROW(bright, 222, 224, 228, 255)      /* text: values, the words around them, notices */ \
    ROW(dim, 142, 146, 154, 255) \
    ROW(calm, 170, 174, 182, 255) \
    ROW(amber, 242, 193, 92, 255)        /* what the user has touched: a jump, a key, a handle */ \
    ROW(amber_dark, 164, 131, 66, 255) \
    ROW(green, 137, 204, 137, 255)       /* good, bad */ \
    ROW(red, 244, 122, 108, 255) \
    ROW(distance, 112, 176, 244, 255)    /* of its curve; the curve of the change is amber */ \
    ROW(ahead, 112, 176, 244, 110)       /* the same, as it will be */ \
    ROW(tick, 92, 96, 105, 255) \
    ROW(knob, 196, 199, 206, 255) \
    ROW(grid, 126, 131, 141, 40)
#define REC_COLOR(name, ...) SDL_Color name;
extern const struct rec_theme { REC_COLORS(REC_COLOR) } rec_colors;

enum { REC_MARGIN = 10 }; /* of what is near the window's border, at a scale of 1 */

void rec_fill(const rec_canvas *canvas, SDL_Color color, int x, int y, int width, int height);

/* Draws the ground of a strip below the picture, with a line above it. */
void rec_strip_draw(const rec_canvas *canvas, int top, int height);

/* Draws a panel over a place that is not empty; nothing is drawn outside until it is ended. */
void rec_panel_begin(const rec_canvas *canvas, SDL_Rect place);
void rec_panel_end(const rec_canvas *canvas);

/* A panel's place in a lower corner of the picture's area; empty where it has no room. */
SDL_Rect rec_panel_place(const rec_canvas *canvas, int is_right, int width, int height);

/* ---- the window's icon: made by data/icon.c ---- */

enum { REC_ICON_SIDE = 64 }; /* pixels across and down */

/* Red, green, blue and alpha of each pixel, row by row; alpha is not multiplied in. */
extern const unsigned char rec_icon[4 * REC_ICON_SIDE * REC_ICON_SIDE];

/* ---- the newest snapshot of a layer as a texture: picture.c ---- */

/* It stays until the next one comes, and is drawn where its part of the image is in the viewport:
 * so zooming and panning answer at once, and nothing flashes. */
typedef struct rec_picture {
    SDL_Texture *texture; /* NULL: no picture yet */
    rec_snapshot shows;   /* but for its pixels, which are gone */
    rec_size image;       /* the size of its input */
} rec_picture;

/* gamma: of rec_scene_palette. Without memory the old picture stays. */
void rec_picture_accept(rec_picture *picture, SDL_Renderer *renderer, const rec_snapshot *snapshot,
                        rec_size image, double gamma);

/* Draws it where it belongs, moved by `shift`, and nothing outside `clip`. */
void rec_picture_draw(const rec_picture *picture, SDL_Renderer *renderer,
                      const rec_viewport *viewport, SDL_Point shift, SDL_Rect clip);

/* A bar of all colours of a layer in the lower left corner, with labels of its left end, its middle
 * and its right end; nothing where it has no room. Returns its place. */
SDL_Rect rec_legend_draw(const rec_canvas *canvas, const Uint32 palette[REC_PALETTE_SIZE],
                         const char *const labels[3]);

/* The outline of what is painted. */
typedef struct rec_outline {
    SDL_Texture *texture; /* of the area's size; NULL: none yet */
    SDL_Rect place;       /* of the mask's box in it and on the output; empty: nothing is drawn */
    int old;              /* mask or viewport have changed since */
} rec_outline;

/* The mask is measured. If no texture can be made there is no outline. */
void rec_outline_make(rec_outline *outline, SDL_Renderer *renderer, const rec_mask *mask,
                      const rec_viewport *viewport);

/* ---- the time machine's slider, a thin strip above the bar: slider.c ---- */

/* Its knob shows how far the run is. Moved by the mouse or by keys, it asks for that iterate. */
typedef struct rec_slider {
    int present;        /* there is one in this window */
    int hidden;         /* its strip is empty */
    int enabled;        /* an input is open */
    int jumped;         /* an iterate of its own is shown, or asked for */
    uint64_t iteration; /* under the knob; REC_LIMIT_ITERATION */
    uint64_t asked;     /* number of the newest request; 0: none */
    int waiting;        /* for what was asked */
} rec_slider;

int rec_slider_height(const rec_slider *slider, const rec_canvas *canvas); /* 0: none */

/* Follows the state once what was asked for is done. Returns 1 when it looks different. */
int rec_slider_follow(rec_slider *slider, const rec_canvas *canvas, const rec_view_state *state);

/* The point is on it, and an input is open. */
int rec_slider_has(const rec_slider *slider, const rec_canvas *canvas, SDL_Point point);

/* Asks for an iterate, or for that at column x. */
void rec_slider_seek(rec_slider *slider, uint64_t iteration, rec_worker *worker);
void rec_slider_drag(rec_slider *slider, const rec_canvas *canvas, int x, rec_worker *worker);

void rec_slider_draw(const rec_slider *slider, const rec_canvas *canvas);

/* ---- the two lines at the bottom: bar.c ---- */

/* Which input and how it is shown; how far, how fast and how near the run is. */
enum { REC_BAR_FIELDS = 14 };

typedef struct rec_bar_texts {
    /* "before TAB value TAB after": the value stands out from what is around it. */
    char field[REC_BAR_FIELDS][256];
    char state[96];       /* on the right: "paused", ...; a sentence once the run has ended */
    SDL_Color state_color;
    char message[512];    /* in place of fields for a while; "": none */
    int message_is_bad;
} rec_bar_texts;

typedef struct rec_bar {
    rec_bar_texts now;
    unsigned messages;       /* of rec_view_state, when the message was taken */
    double message_until;    /* rec_now() */
    double solving_since;    /* the same, while what is painted is solved */
    const char *prompt;      /* a line that is typed, in place of messages; NULL: none */
    int slot[REC_BAR_FIELDS]; /* the widest that a field has been at this scale: none jumps about */
    int scale;
} rec_bar;

/* 1 when a text changed. frame_rate: pictures a second; 0: not known. `now`: rec_now(). */
int rec_bar_update(rec_bar *bar, const rec_view_state *state, const rec_wanted *wanted,
                   double frame_rate, double now);

/* How many seconds the run will iterate yet, at its pace and speed; 0: it is not known. */
double rec_bar_seconds_left(const rec_view_state *state);

int rec_bar_height(const rec_canvas *canvas);

/* Draws it at the bottom, with a hint at its right end. Without room for all fields the less
 * important are left out; a long message takes the place of both lines. */
void rec_bar_draw(rec_bar *bar, const rec_canvas *canvas, const char *hint);

/* ---- the plot: plot.c ---- */

/* The change and the distance to the limit against the iterations, both axes logarithmic. Its
 * place is all of the picture's area if it is large, else the lower right corner; empty without
 * room. */
SDL_Rect rec_plot_place(const rec_canvas *canvas, int large);

/* Draws it there, which is not empty. Zeros have a line of their own below the decades. */
void rec_plot_draw(const rec_history *history, const rec_canvas *canvas, SDL_Rect place);

/* ---- the histogram: histogram.c ---- */

/* How often each grey level occurs, with handles on the levels that are shown black and white. */
SDL_Rect rec_histogram_place(const rec_canvas *canvas); /* empty where there is no room */

/* Draws it in its place, which is not empty. `limits`: NULL where the tone has none. */
void rec_histogram_draw(const rec_canvas *canvas, const rec_levels *levels,
                        const rec_limits *limits);

/* The grey level at column x of the output. */
double rec_histogram_level(const rec_canvas *canvas, const rec_levels *levels, int x);
