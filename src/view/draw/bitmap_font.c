#include <netpbm/pm.h>
#include <netpbm/pbmfont.h>
#include <setjmp.h>

#include "view/draw/draw.h"

#define TRACKING 1 /* the font's pixels between two glyphs: on a screen it is set too tight */

static void keep_quiet(const char *message) { (void)message; }

/* libnetpbm ends the process on an error unless it is given a place to jump to. */
static void *open_font(void)
{
    jmp_buf failed;
    struct font *volatile font = NULL;
    pm_setusererrormsgfn(keep_quiet);
    if (!setjmp(failed)) {
        pm_setjmpbuf(&failed);
        font = pbm_defaultfont("bdf");
    }
    pm_setjmpbuf(NULL);
    pm_setusererrormsgfn(NULL);
    return font;
}

/* libnetpbm cannot free it. */
static void close_font(void *font) { (void)font; }

static void paint_glyph(const struct glyph *glyph, const struct font *font, int code, int scale,
                        const rec_cells *cells)
{
    const SDL_Rect place = rec_cells_place(cells, code);
    const int baseline = (int)font->maxheight + font->y; /* in rows below the cell's top */
    const int left = place.x + glyph->x * scale + cells->bleed;
    const int top = place.y + (baseline - glyph->y - (int)glyph->height) * scale;
    for (int y = 0; y < (int)glyph->height; y++)
        for (int x = 0; x < (int)glyph->width; x++) {
            SDL_Rect square = {left + x * scale, top + y * scale, scale, scale};
            if (glyph->bmap[y * (int)glyph->width + x] &&
                sdl.IntersectRect(&square, &place, &square))
                sdl.FillRect(cells->sheet, &square, 0xffffffff);
        }
}

static int paint(void *opened, int scale, rec_cells *cells)
{
    const struct font *font = opened;
    cells->bleed = font->x < 0 ? -font->x * scale : 0;
    cells->width = (int)font->maxwidth * scale + cells->bleed;
    cells->height = (int)font->maxheight * scale;
    if (!rec_cells_create(cells))
        return 0;
    for (int code = 0; code < REC_GLYPHS; code++) {
        if (!font->glyph[code])
            continue;
        cells->advance[code] = ((int)font->glyph[code]->xadd + TRACKING) * scale;
        paint_glyph(font->glyph[code], font, code, scale, cells);
    }
    return 1;
}

const rec_font_type rec_bitmap_font = {open_font, close_font, paint};
