#include "view/draw/glyphs.h"

#include <netpbm/pm.h>
#include <netpbm/pbmfont.h>
#include <setjmp.h>
#include <stdlib.h>

#define GLYPHS 256
#define COLUMNS 16 /* of the texture, which has 16 rows of as many glyphs */
#define TRACKING 1 /* the font's pixels between two glyphs: on a screen it is set too tight */

struct rec_text {
    SDL_Renderer *renderer;
    SDL_Texture *glyphs;      /* white on transparent, a cell a code point */
    int cell_width, height;   /* of a cell, the font's pixels */
    int bleed;                /* a glyph may begin so many pixels before its place */
    int advance[GLYPHS];      /* to the next glyph; 0: the font has none */
    int scale;
};

static void keep_quiet(const char *message) { (void)message; }

/* libnetpbm ends the process on an error unless it is given a place to jump to. */
static struct font *load_font(void)
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

/* How far the font's glyphs reach back over the glyph before. */
static int bleed(const struct font *font) { return font->x < 0 ? -font->x : 0; }
static int cell_width(const struct font *font) { return (int)font->maxwidth + bleed(font); }

/* Puts a glyph into the cell that begins at `cell`. */
static void paint_glyph(const struct glyph *glyph, const struct font *font, Uint32 *cell,
                        size_t pitch)
{
    const int left = glyph->x + bleed(font);
    const int baseline = (int)font->maxheight + font->y; /* in rows below the cell's top */
    const int top = baseline - glyph->y - (int)glyph->height;
    for (int y = 0; y < (int)glyph->height; y++)
        for (int x = 0; x < (int)glyph->width; x++) {
            const int row = top + y, column = left + x;
            if (glyph->bmap[(size_t)y * glyph->width + (size_t)x] && row >= 0 &&
                row < (int)font->maxheight && column >= 0 && column < cell_width(font))
                cell[(size_t)row * pitch + (size_t)column] = 0xffffffff;
        }
}

/* All glyphs on one texture. */
static SDL_Texture *paint_font(SDL_Renderer *renderer, const struct font *font)
{
    const size_t width = COLUMNS * (size_t)cell_width(font);
    const size_t height = GLYPHS / COLUMNS * (size_t)font->maxheight;
    Uint32 *pixels = calloc(width * height, sizeof *pixels);
    if (!pixels)
        return NULL;
    for (int code = 0; code < GLYPHS; code++)
        if (font->glyph[code])
            paint_glyph(font->glyph[code], font,
                        pixels + (size_t)(code / COLUMNS) * font->maxheight * width +
                            (size_t)(code % COLUMNS * cell_width(font)),
                        width);
    SDL_Texture *texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888,
                                             SDL_TEXTUREACCESS_STATIC, (int)width, (int)height);
    if (texture) {
        SDL_UpdateTexture(texture, NULL, pixels, (int)(width * sizeof *pixels));
        SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_BLEND);
    }
    free(pixels);
    return texture;
}

rec_status rec_text_create(rec_text **text, SDL_Renderer *renderer, rec_error *error)
{
    *text = NULL;
    const struct font *font = load_font();
    if (!font)
        return rec_fail(error, REC_UNAVAILABLE, "libnetpbm has no built-in font");
    rec_text *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for the window's text");
    made->renderer = renderer;
    made->cell_width = cell_width(font);
    made->bleed = bleed(font);
    made->height = (int)font->maxheight;
    made->scale = 1;
    for (int code = 0; code < GLYPHS; code++)
        if (font->glyph[code])
            made->advance[code] = (int)font->glyph[code]->xadd + TRACKING;
    made->glyphs = paint_font(renderer, font);
    if (!made->glyphs) {
        free(made);
        return rec_fail(error, REC_LIMIT, "no texture for the window's text: %s", SDL_GetError());
    }
    *text = made;
    return REC_OK;
}

void rec_text_destroy(rec_text *text)
{
    if (!text)
        return;
    SDL_DestroyTexture(text->glyphs);
    free(text);
}

void rec_text_set_scale(rec_text *text, int scale) { text->scale = scale; }
int rec_text_scale(const rec_text *text) { return text->scale; }
int rec_text_height(const rec_text *text) { return text->height * text->scale; }

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
    return text->advance[code] ? code : '?';
}

int rec_text_width(const rec_text *text, const char *string)
{
    int width = 0;
    for (int code; (code = next_code(text, &string));)
        width += text->advance[code] * text->scale;
    return width;
}

/* Draws up to `end`; returns where the next glyph would stand. */
static int draw_span(rec_text *text, int x, int y, const char *string, const char *end)
{
    const int scale = text->scale;
    while (string < end) {
        const int code = next_code(text, &string);
        if (!code)
            break;
        const SDL_Rect from = {code % COLUMNS * text->cell_width, code / COLUMNS * text->height,
                               text->cell_width, text->height};
        const SDL_Rect to = {x - text->bleed * scale, y, from.w * scale, from.h * scale};
        SDL_RenderCopy(text->renderer, text->glyphs, &from, &to);
        x += text->advance[code] * scale;
    }
    return x;
}

static void set_color(rec_text *text, SDL_Color color)
{
    SDL_SetTextureColorMod(text->glyphs, color.r, color.g, color.b);
    SDL_SetTextureAlphaMod(text->glyphs, color.a);
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
        x += text->advance[code] * text->scale;
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
