#include "view/draw/font.h"

#if REC_HAVE_TTF
#include <SDL_ttf.h>
#include <fontconfig/fontconfig.h>
#include <stdlib.h>

#define USUAL_SIZE 13 /* pixels to an em, at a scale of 1 */

struct rec_outline_font {
    TTF_Font *font;
};

/* The file of the machine's usual sans, for free(); NULL: there is none. */
static char *find_file(void)
{
    FcPattern *wanted = FcNameParse((const FcChar8 *)"sans-serif:lang=en:scalable=true");
    FcChar8 *file = NULL;
    char *found = NULL;
    FcResult result;
    FcConfigSubstitute(NULL, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    FcPattern *match = FcFontMatch(NULL, wanted, &result);
    if (match && FcPatternGetString(match, FC_FILE, 0, &file) == FcResultMatch)
        found = SDL_strdup((const char *)file);
    if (match)
        FcPatternDestroy(match);
    FcPatternDestroy(wanted);
    return found;
}

rec_outline_font *rec_outline_font_open(void)
{
    rec_outline_font *made = calloc(1, sizeof *made);
    if (!made || !FcInit() || TTF_Init()) {
        free(made);
        return NULL;
    }
    char *file = find_file();
    made->font = file ? TTF_OpenFont(file, USUAL_SIZE) : NULL;
    SDL_free(file);
    if (!made->font) {
        rec_outline_font_close(made);
        return NULL;
    }
    TTF_SetFontHinting(made->font, TTF_HINTING_NORMAL); /* whole pixels: stems are crisp */
    TTF_SetFontKerning(made->font, 0);
    return made;
}

void rec_outline_font_close(rec_outline_font *font)
{
    if (!font)
        return;
    if (font->font)
        TTF_CloseFont(font->font);
    TTF_Quit();
    free(font);
}

/* Control characters are no text. */
static int is_printed(const rec_outline_font *font, int code)
{
    return code >= ' ' && (code < 0x7f || code > 0x9f) &&
           TTF_GlyphIsProvided32(font->font, (Uint32)code);
}

/* Sets the cells' sizes and every advance: that of figures is the widest one's, so that numbers do
 * not jump about while they change. */
static void measure(const rec_outline_font *font, int scale, rec_cells *cells)
{
    int widest_figure = 0, widest = 0;
    cells->bleed = 0;
    for (int code = 0; code < REC_GLYPHS; code++) {
        int left, right, below, above, advance;
        cells->advance[code] = 0;
        if (!is_printed(font, code) || TTF_GlyphMetrics32(font->font, (Uint32)code, &left, &right,
                                                          &below, &above, &advance))
            continue;
        cells->advance[code] = advance;
        cells->bleed = -left > cells->bleed ? -left : cells->bleed;
        widest = right > widest ? right : widest;
        widest = advance > widest ? advance : widest;
        if (code >= '0' && code <= '9' && advance > widest_figure)
            widest_figure = advance;
    }
    for (int code = '0'; code <= '9'; code++)
        cells->advance[code] = cells->advance[code] ? widest_figure : 0;
    cells->width = cells->bleed + widest + 1;
    cells->height = (TTF_FontHeight(font->font) + scale - 1) / scale * scale; /* whole points */
}

static void paint_glyph(const rec_outline_font *font, int code, const rec_cells *cells)
{
    const SDL_Color white = {255, 255, 255, 255};
    int left, advance;
    SDL_Surface *glyph = TTF_RenderGlyph32_Blended(font->font, (Uint32)code, white);
    if (!glyph || TTF_GlyphMetrics32(font->font, (Uint32)code, &left, NULL, NULL, NULL, &advance)) {
        SDL_FreeSurface(glyph);
        return;
    }
    /* What reaches back of its place begins at the surface's left edge; a narrow figure stands in
     * the middle. */
    const int reach = left < 0 ? left : 0, room = cells->advance[code] - advance;
    SDL_Rect to = {code % REC_GLYPH_COLUMNS * cells->width + cells->bleed + reach + room / 2,
                   code / REC_GLYPH_COLUMNS * cells->height, 0, 0};
    SDL_SetSurfaceBlendMode(glyph, SDL_BLENDMODE_NONE);
    SDL_BlitSurface(glyph, NULL, cells->sheet, &to);
    SDL_FreeSurface(glyph);
}

int rec_outline_font_paint(rec_outline_font *font, int scale, rec_cells *cells)
{
    if (TTF_SetFontSize(font->font, USUAL_SIZE * scale))
        return 0;
    measure(font, scale, cells);
    if (!cells->advance['0'] || !cells->advance['?'] || !rec_cells_create(cells))
        return 0;
    for (int code = 0; code < REC_GLYPHS; code++)
        if (cells->advance[code])
            paint_glyph(font, code, cells);
    return 1;
}

#else

rec_outline_font *rec_outline_font_open(void) { return NULL; }
void rec_outline_font_close(rec_outline_font *font) { (void)font; }

int rec_outline_font_paint(rec_outline_font *font, int scale, rec_cells *cells)
{
    (void)font;
    (void)scale;
    (void)cells;
    return 0;
}
#endif
