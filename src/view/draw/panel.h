/* A quiet dark panel over the picture, and the strokes that are drawn on one: by the plot, and by the
 * legend of a palette. All lengths are in output pixels. */
#ifndef REC_VIEW_PANEL_H
#define REC_VIEW_PANEL_H

#include <SDL.h>

#include "view/draw/text.h"

extern const SDL_Color rec_panel_bright, rec_panel_dim; /* of text on a panel */

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

void rec_panel_fill(SDL_Renderer *renderer, SDL_Color color, int x, int y, int width, int height);

typedef enum rec_align { REC_ALIGN_LEFT, REC_ALIGN_MIDDLE, REC_ALIGN_RIGHT } rec_align;

/* Draws the string so that its left end, middle or right end is at x, its top at y. */
void rec_panel_write(rec_text *text, rec_align align, int x, int y, SDL_Color color,
                     const char *string);

#endif
