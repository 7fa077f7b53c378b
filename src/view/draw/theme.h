/* How the window looks: its colours, its panels, its strokes. Lengths are in output pixels; sizes
 * beside the text's grow with it (rec_text_scale). */
#ifndef REC_VIEW_THEME_H
#define REC_VIEW_THEME_H

#include <SDL.h>

#include "view/draw/glyphs.h"

typedef struct rec_theme {
    SDL_Color ground;                 /* around the picture */
    SDL_Color bar, border;            /* the strips below it, and the line above a strip */
    SDL_Color panel, panel_edge;      /* over it; see-through */
    SDL_Color shade;                  /* beside a line over the picture; see-through */
    SDL_Color bright, dim, calm;      /* text: what counts, what is around it, a notice */
    SDL_Color amber, amber_dark;      /* what the user has touched: a jump, a key, a handle */
    SDL_Color green, red;             /* good, bad */
    SDL_Color change, distance;       /* the curves */
    SDL_Color groove, tick, done, knob, grid;
} rec_theme;

extern const rec_theme rec_colors;

enum { REC_MARGIN = 10 }; /* of what is near the window's border, at a scale of 1 */

void rec_fill(SDL_Renderer *renderer, SDL_Color color, int x, int y, int width, int height);

/* The same, blended with what is there. */
void rec_blend(SDL_Renderer *renderer, SDL_Color color, int x, int y, int width, int height);

/* Without its four corners, each `corner` a side. */
void rec_fill_rounded(SDL_Renderer *renderer, SDL_Color color, SDL_Rect place, int corner);

/* What was set in the renderer before a panel was drawn. */
typedef struct rec_panel {
    SDL_Renderer *renderer;
    SDL_BlendMode blend_mode;
    int was_clipped;
    SDL_Rect clip;
} rec_panel;

/* Draws the panel; until it is ended nothing is drawn outside `place`, which is not empty, and
 * colours are blended. */
rec_panel rec_panel_begin(SDL_Renderer *renderer, const rec_text *text, SDL_Rect place);
void rec_panel_end(const rec_panel *panel);

typedef enum rec_align { REC_ALIGN_LEFT, REC_ALIGN_MIDDLE, REC_ALIGN_RIGHT } rec_align;

/* Draws the string so that its left end, middle or right end is at x, its top at y. */
void rec_write(rec_text *text, rec_align align, int x, int y, SDL_Color color, const char *string);

#endif
