/* The help over the picture: the keys and what they do, from the table of keys. */
#ifndef REC_VIEW_HELP_H
#define REC_VIEW_HELP_H

#include <SDL.h>

#include "view/draw/glyphs.h"
#include "view/draw/viewport.h"

/* slider: with the keys of the slider. In as many columns as the area has room for, in smaller
 * letters and then on several pages, 1 and on, where that is not enough. */
int rec_help_pages(rec_text *text, rec_size area, int slider);
void rec_help_draw(SDL_Renderer *renderer, rec_text *text, rec_size area, int slider, int page);

#endif
