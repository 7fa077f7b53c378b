/* The histogram over the picture: how often which grey level is there, and two handles on the levels
 * that are shown black and white. */
#ifndef REC_VIEW_HISTOGRAM_H
#define REC_VIEW_HISTOGRAM_H

#include <SDL.h>

#include "view/draw/glyphs.h"
#include "view/draw/viewport.h"
#include "view/worker/levels.h"

typedef struct rec_limits {
    double black, white; /* the grey levels that are shown so; black < white */
} rec_limits;

/* Its place in the lower left corner of an area; empty where there is no room. */
SDL_Rect rec_histogram_place(const rec_text *text, rec_size area);

/* `limits`: NULL where the tone has none. */
void rec_histogram_draw(SDL_Renderer *renderer, rec_text *text, SDL_Rect place,
                        const rec_levels *levels, const rec_limits *limits);

/* The grey level at column x of the output, and back. */
double rec_histogram_level(const rec_text *text, SDL_Rect place, const rec_levels *levels, int x);
int rec_histogram_column(const rec_text *text, SDL_Rect place, const rec_levels *levels,
                         double level);

#endif
