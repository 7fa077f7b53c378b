#include "view/draw/glyphs.h"

#include <stdlib.h>

#include "view/draw/font.h"

enum { MOST_SCALE = 16 }; /* twice as large as a screen of 8640 rows has it */

typedef struct size { /* the letters at one scale */
    SDL_Texture *glyphs; /* NULL: not painted yet */
    rec_cells cells;     /* without their sheet */
} size;

struct rec_text {
    SDL_Renderer *renderer;
    rec_outline_font *outlines; /* NULL: ... */
    const rec_bitmap_font *bitmap;
    size size[MOST_SCALE + 1];  /* by scale, from 1; painted when it is first asked for */
    int scale;
};

/* Without memory for this size the letters stay as they are. */
static int paint(rec_text *text, int scale)
{
    size *made = &text->size[scale];
    if (made->glyphs)
        return 1;
    if (!(text->outlines ? rec_outline_font_paint(text->outlines, scale, &made->cells)
                         : rec_bitmap_font_paint(text->bitmap, scale, &made->cells)))
        return 0;
    made->glyphs = SDL_CreateTextureFromSurface(text->renderer, made->cells.sheet);
    SDL_FreeSurface(made->cells.sheet);
    if (made->glyphs)
        SDL_SetTextureBlendMode(made->glyphs, SDL_BLENDMODE_BLEND);
    return made->glyphs != NULL;
}

rec_status rec_text_create(rec_text **text, SDL_Renderer *renderer, rec_error *error)
{
    rec_text *made = calloc(1, sizeof *made);
    *text = made;
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for the window's text");
    made->renderer = renderer;
    made->scale = 1;
    made->outlines = rec_outline_font_open();
    if (made->outlines && paint(made, 1))
        return REC_OK;
    rec_outline_font_close(made->outlines);
    made->outlines = NULL;
    made->bitmap = rec_bitmap_font_open();
    if (made->bitmap && paint(made, 1))
        return REC_OK;
    rec_text_destroy(made);
    *text = NULL;
    return rec_fail(error, REC_UNAVAILABLE, "there is no font for the window's text");
}

void rec_text_destroy(rec_text *text)
{
    if (!text)
        return;
    for (int scale = 1; scale <= MOST_SCALE; scale++)
        SDL_DestroyTexture(text->size[scale].glyphs);
    rec_outline_font_close(text->outlines);
    free(text);
}

void rec_text_set_scale(rec_text *text, int scale)
{
    const int wanted = scale < MOST_SCALE ? scale : MOST_SCALE;
    if (paint(text, wanted))
        text->scale = wanted;
}

int rec_text_scale(const rec_text *text) { return text->scale; }
int rec_text_height(const rec_text *text) { return text->size[text->scale].cells.height; }

static int advance(const rec_text *text, int code)
{
    return text->size[text->scale].cells.advance[code];
}

/* The next code point of a UTF-8 string, '?' for what the font cannot show; 0 at the end. */
static int next_code(const rec_text *text, const char **string)
{
    const unsigned char *bytes = (const unsigned char *)*string;
    int code = *bytes++;
    if (!code)
        return 0;
    if (code >= 0xc2 && code <= 0xc3 && (*bytes & 0xc0) == 0x80)
        code = (code & 3) << 6 | (*bytes++ & 0x3f); /* two bytes that mean Latin-1 */
    else if (code >= 0x80) {
        code = '?';
        while ((*bytes & 0xc0) == 0x80)
            bytes++;
    }
    *string = (const char *)bytes;
    return advance(text, code) ? code : '?';
}

int rec_text_width(const rec_text *text, const char *string)
{
    int width = 0;
    for (int code; (code = next_code(text, &string));)
        width += advance(text, code);
    return width;
}

/* Draws up to `end`; returns where the next glyph would stand. */
static int draw_span(rec_text *text, int x, int y, const char *string, const char *end)
{
    const size *now = &text->size[text->scale];
    const rec_cells *cells = &now->cells;
    while (string < end) {
        const int code = next_code(text, &string);
        if (!code)
            break;
        const SDL_Rect from = {code % REC_GLYPH_COLUMNS * cells->width,
                               code / REC_GLYPH_COLUMNS * cells->height, cells->width,
                               cells->height};
        const SDL_Rect to = {x - cells->bleed, y, cells->width, cells->height};
        SDL_RenderCopy(text->renderer, now->glyphs, &from, &to);
        x += advance(text, code);
    }
    return x;
}

static void set_color(rec_text *text, SDL_Color color)
{
    SDL_Texture *glyphs = text->size[text->scale].glyphs;
    SDL_SetTextureColorMod(glyphs, color.r, color.g, color.b);
    SDL_SetTextureAlphaMod(glyphs, color.a);
}

void rec_text_draw(rec_text *text, int x, int y, SDL_Color color, const char *string)
{
    set_color(text, color);
    draw_span(text, x, y, string, string + SDL_strlen(string));
}

/* The end of the line that fits into `width`: at a space, or where a word itself is too long. */
static const char *line_end(const rec_text *text, const char *string, int width)
{
    const char *end = string, *space = NULL;
    for (int x = 0;;) {
        const char *before = end;
        const int code = next_code(text, &end);
        if (!code)
            return before;
        x += advance(text, code);
        if (x > width && before > string)
            return space ? space : before;
        if (code == ' ')
            space = before;
    }
}

int rec_text_paragraph(rec_text *text, int x, int y, int width, SDL_Color color,
                       const char *string, int draw)
{
    const int top = y;
    set_color(text, color);
    while (*string) {
        const char *end = line_end(text, string, width);
        if (draw)
            draw_span(text, x, y, string, end);
        y += rec_text_height(text);
        string = end + (*end == ' ');
    }
    return y - top;
}
