/* Where the window's letters come from: a font of the machine, or else the one that libnetpbm
 * carries. For glyphs.c alone. */
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

/* A scalable sans of the machine; its figures all have one width. NULL: there is none, or this
 * build does without. */
typedef struct rec_outline_font rec_outline_font;
rec_outline_font *rec_outline_font_open(void);
void rec_outline_font_close(rec_outline_font *font); /* NULL is fine */
/* At `scale` times the usual size. 0: it cannot. */
int rec_outline_font_paint(rec_outline_font *font, int scale, rec_cells *cells);

/* The bitmap font, which stays until the program ends. NULL: there is none. Not while another thread
 * is inside libnetpbm, whose state is the process's. */
typedef struct rec_bitmap_font rec_bitmap_font;
const rec_bitmap_font *rec_bitmap_font_open(void);
/* Each of its pixels becomes `scale` x `scale`. 0: it cannot. */
int rec_bitmap_font_paint(const rec_bitmap_font *bitmap, int scale, rec_cells *cells);

/* A clear sheet for the cells; 0: no memory. */
int rec_cells_create(rec_cells *cells);
/* The upper left pixel of a cell; rows are *pitch pixels apart. */
Uint32 *rec_cells_at(const rec_cells *cells, int code, size_t *pitch);

#endif
