#include <string.h>

#include "view/draw/draw.h"

/* Without memory for this size the letters keep their old size. */
void rec_canvas_set_scale(rec_canvas *canvas, int scale)
{
    rec_cells cells;
    if (scale == canvas->scale || !rec_font_paint(&canvas->font, scale, &cells))
        return;
    SDL_Texture *glyphs = sdl.CreateTextureFromSurface(canvas->renderer, cells.sheet);
    sdl.FreeSurface(cells.sheet);
    if (!glyphs)
        return;
    sdl.SetTextureBlendMode(glyphs, SDL_BLENDMODE_BLEND);
    sdl.DestroyTexture(canvas->glyphs);
    canvas->glyphs = glyphs;
    canvas->cells = cells;
    canvas->scale = scale;
    canvas->line = cells.height;
}

rec_status rec_canvas_create(rec_canvas *canvas, SDL_Renderer *renderer, rec_error *error)
{
    *canvas = (rec_canvas){.renderer = renderer};
    sdl.SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    if (rec_font_open(&canvas->font))
        rec_canvas_set_scale(canvas, 1);
    return canvas->scale ? REC_OK
                         : rec_fail(error, REC_UNAVAILABLE,
                                    "there is no font for the window's text");
}

/* The next code point of a UTF-8 string, '?' for what the font cannot show; 0 at the end. */
static int next_code(const rec_canvas *canvas, const char **string)
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
    return canvas->cells.advance[code] ? code : '?';
}

int rec_text_width(const rec_canvas *canvas, const char *string)
{
    int width = 0;
    for (int code; (code = next_code(canvas, &string));)
        width += canvas->cells.advance[code];
    return width;
}

const char *rec_text_fit(const rec_canvas *canvas, const char *string, int room)
{
    const char *const next = strstr(string, "   ");
    return next && rec_text_width(canvas, string) > room ? rec_text_fit(canvas, next + 3, room)
                                                         : string;
}

/* Draws up to `end`. */
static void draw_span(const rec_canvas *canvas, int x, int y, SDL_Color color, const char *string,
                      const char *end)
{
    const rec_cells *cells = &canvas->cells;
    SDL_Texture *glyphs = canvas->glyphs;
    sdl.SetTextureColorMod(glyphs, color.r, color.g, color.b);
    sdl.SetTextureAlphaMod(glyphs, color.a);
    while (string < end) {
        const int code = next_code(canvas, &string);
        if (!code)
            break;
        const SDL_Rect from = rec_cells_place(cells, code);
        const SDL_Rect to = {x - cells->bleed, y, cells->width, cells->height};
        sdl.RenderCopy(canvas->renderer, glyphs, &from, &to);
        x += cells->advance[code];
    }
}

void rec_text_draw(const rec_canvas *canvas, rec_align align, int x, int y, SDL_Color color,
                   const char *string)
{
    const int width = align == REC_LEFT ? 0 : rec_text_width(canvas, string);
    draw_span(canvas, x - (align == REC_MIDDLE ? width / 2 : width), y, color, string,
              string + strlen(string));
}

/* The end of the line that fits into `width`: at a space, or where a word itself is too long. */
static const char *line_end(const rec_canvas *canvas, const char *string, int width)
{
    const char *end = string, *space = NULL;
    for (int x = 0;;) {
        const char *before = end;
        const int code = next_code(canvas, &end);
        if (!code)
            return before;
        x += canvas->cells.advance[code];
        if (x > width && before > string)
            return space ? space : before;
        if (code == ' ')
            space = before;
    }
}

int rec_text_paragraph(const rec_canvas *canvas, int x, int y, int width, SDL_Color color,
                       const char *string, int draw)
{
    const int top = y;
    while (*string) {
        const char *end = line_end(canvas, string, width);
        if (draw)
            draw_span(canvas, x, y, color, string, end);
        y += canvas->line;
        string = end + (*end == ' ');
    }
    return y - top;
}

/* ---- colours, rectangles and panels ---- */

#define COLOR(name, ...) {__VA_ARGS__},
const struct rec_theme rec_colors = {REC_COLORS(COLOR)};

void rec_fill(const rec_canvas *canvas, SDL_Color color, int x, int y, int width, int height)
{
    const SDL_Rect rectangle = {x, y, width, height};
    sdl.SetRenderDrawColor(canvas->renderer, color.r, color.g, color.b, color.a);
    sdl.RenderFillRect(canvas->renderer, &rectangle);
}

void rec_strip_draw(const rec_canvas *canvas, int top, int height)
{
    rec_fill(canvas, rec_colors.bar, 0, top, canvas->width, height);
    rec_fill(canvas, rec_colors.border, 0, top, canvas->width, canvas->scale);
}

void rec_panel_begin(const rec_canvas *canvas, SDL_Rect place)
{
    const int line = canvas->scale, inside = place.h - 2 * line;
    const SDL_Color edge = rec_colors.panel_edge;
    sdl.RenderSetClipRect(canvas->renderer, &place);
    rec_fill(canvas, rec_colors.panel, place.x + line, place.y + line, place.w - 2 * line, inside);
    rec_fill(canvas, edge, place.x, place.y, place.w, line);
    rec_fill(canvas, edge, place.x, place.y + place.h - line, place.w, line);
    rec_fill(canvas, edge, place.x, place.y + line, line, inside);
    rec_fill(canvas, edge, place.x + place.w - line, place.y + line, line, inside);
}

void rec_panel_end(const rec_canvas *canvas) { sdl.RenderSetClipRect(canvas->renderer, NULL); }

SDL_Rect rec_panel_place(const rec_canvas *canvas, int is_right, int width, int height)
{
    const int margin = REC_MARGIN * canvas->scale;
    const SDL_Rect place = {is_right ? canvas->width - margin - width : margin,
                            canvas->rows - margin - height, width, height};
    const int fits = width + 2 * margin <= canvas->width && place.y >= margin;
    return fits ? place : (SDL_Rect){0, 0, 0, 0};
}
