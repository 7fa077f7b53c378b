/* Where the window's letters come from: a font of the machine, or else the one that libnetpbm
 * carries. For canvas.c alone. */
#ifndef REC_VIEW_FONT_H
#define REC_VIEW_FONT_H

#include <SDL.h>

enum { REC_GLYPHS = 256, REC_GLYPH_COLUMNS = 16 }; /* Latin-1; of the sheet, 16 rows of as many */

/* All glyphs at one size, in cells of the same size; lengths in output pixels. */
typedef struct rec_cells {
    SDL_Surface *sheet;      /* white, with the glyphs in its alpha */
    int width, height;       /* of a cell; height: of a line */
    int bleed;               /* a glyph may begin so many pixels before its place */
    int advance[REC_GLYPHS]; /* to the next glyph; 0: the font has none */
} rec_cells;

typedef struct rec_font_type {
    void *(*open)(void); /* NULL: there is none */
    void (*close)(void *font);
    int (*paint)(void *font, int scale, rec_cells *cells); /* at so many times the usual size; 0: it
                                                              cannot */
} rec_font_type;

#if REC_HAVE_TTF
/* A scalable sans of the machine; its figures all have one width. */
extern const rec_font_type rec_outline_font;
#endif
/* Its pixels become squares. Not while another thread is inside libnetpbm, whose state is the
 * process's. */
extern const rec_font_type rec_bitmap_font;

/* A clear sheet for the cells; 0: no memory. */
int rec_cells_create(rec_cells *cells);
/* The place of a glyph in the sheet. */
SDL_Rect rec_cells_place(const rec_cells *cells, int code);

#endif
