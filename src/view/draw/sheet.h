/* What is written over the picture: the help sheet, a notice in the middle, a small tag. */
#ifndef REC_VIEW_SHEET_H
#define REC_VIEW_SHEET_H

#include "view/draw/fit.h"
#include "view/draw/text.h"

/* The keys and what they do, made from the table of keys; slider: with those of the slider. In as
 * many columns as the area has room for, in smaller letters and then on several pages, 1 and on,
 * where that is not enough. */
int rec_sheet_pages(rec_text *text, rec_size area, int slider);
void rec_sheet_draw_help(SDL_Renderer *renderer, rec_text *text, rec_size area, int slider,
                         int page);

/* One line on a dark panel; (x, y) is its upper left corner, before it is scaled as the text is. */
void rec_sheet_draw_tag(SDL_Renderer *renderer, rec_text *text, int x, int y, const char *line);

/* A few words, or a failure's message, where there is no picture. */
void rec_sheet_draw_notice(rec_text *text, rec_size area, const char *notice, int is_bad);

#endif
