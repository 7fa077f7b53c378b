#include <netpbm/pm.h>
#include <netpbm/pbmfont.h>
#include <setjmp.h>
#include <stddef.h>

#include "view/draw/font.h"

#define TRACKING 1 /* the font's pixels between two glyphs: on a screen it is set too tight */

int rec_cells_create(rec_cells *cells)
{
    cells->sheet = SDL_CreateRGBSurfaceWithFormat(
        0, REC_GLYPH_COLUMNS * cells->width, REC_GLYPHS / REC_GLYPH_COLUMNS * cells->height, 32,
        SDL_PIXELFORMAT_ARGB8888);
    return cells->sheet && !SDL_FillRect(cells->sheet, NULL, 0x00ffffff);
}

Uint32 *rec_cells_at(const rec_cells *cells, int code, size_t *pitch)
{
    *pitch = (size_t)cells->sheet->pitch / sizeof(Uint32);
    return (Uint32 *)cells->sheet->pixels +
           (size_t)(code / REC_GLYPH_COLUMNS * cells->height) * *pitch +
           (size_t)(code % REC_GLYPH_COLUMNS * cells->width);
}

static void keep_quiet(const char *message) { (void)message; }

/* libnetpbm ends the process on an error unless it is given a place to jump to. */
const rec_bitmap_font *rec_bitmap_font_open(void)
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
    return (const rec_bitmap_font *)font;
}

static void paint_glyph(const struct glyph *glyph, const struct font *font, int code, int scale,
                        const rec_cells *cells)
{
    size_t pitch;
    Uint32 *cell = rec_cells_at(cells, code, &pitch);
    const int left = glyph->x * scale + cells->bleed;
    const int baseline = (int)font->maxheight + font->y; /* in rows below the cell's top */
    const int top = (baseline - glyph->y - (int)glyph->height) * scale;
    for (int y = 0; y < (int)glyph->height * scale; y++)
        for (int x = 0; x < (int)glyph->width * scale; x++) {
            const int row = top + y, column = left + x;
            const size_t bit =
                (size_t)(y / scale) * glyph->width + (size_t)(x / scale);
            if (glyph->bmap[bit] && row >= 0 && row < cells->height && column >= 0 &&
                column < cells->width)
                cell[(size_t)row * pitch + (size_t)column] = 0xffffffff;
        }
}

int rec_bitmap_font_paint(const rec_bitmap_font *bitmap, int scale, rec_cells *cells)
{
    const struct font *font = (const struct font *)bitmap;
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
