/* Text in the window. Strings are UTF-8; of it Latin-1 is shown, and what is not in it, or not in
 * the font (font.h), is a question mark. Leaves out styles and other scripts on purpose. */
#ifndef REC_VIEW_GLYPHS_H
#define REC_VIEW_GLYPHS_H

#include <SDL.h>

#include "base/status.h"

typedef struct rec_text rec_text;

/* Not while another thread is inside libnetpbm, whose state is the process's. REC_UNAVAILABLE. */
rec_status rec_text_create(rec_text **text, SDL_Renderer *renderer, rec_error *error);
void rec_text_destroy(rec_text *text); /* NULL is fine */

/* The size of the letters: 1 at first, at most 16. */
void rec_text_set_scale(rec_text *text, int scale);
int rec_text_scale(const rec_text *text);

int rec_text_height(const rec_text *text); /* of a line */
int rec_text_width(const rec_text *text, const char *string);

/* (x, y) is the upper left corner, in output pixels. */
void rec_text_draw(rec_text *text, int x, int y, SDL_Color color, const char *string);

/* The same in lines of at most `width`, broken at spaces where there are any. Returns the height;
 * draw = 0 only measures. */
int rec_text_paragraph(rec_text *text, int x, int y, int width, SDL_Color color,
                       const char *string, int draw);

#endif
