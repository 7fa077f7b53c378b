/* What is written over the picture: the help sheet, and a notice in the middle. */
#ifndef REC_VIEW_SHEET_H
#define REC_VIEW_SHEET_H

#include "view/fit.h"
#include "view/text.h"

/* The keys and what they do, made from the table of keys; slider: with those of the slider. */
void rec_sheet_draw_help(SDL_Renderer *renderer, rec_text *text, rec_size area, int slider);

/* A few words, or a failure's message, where there is no picture. */
void rec_sheet_draw_notice(rec_text *text, rec_size area, const char *notice, int is_bad);

#endif
