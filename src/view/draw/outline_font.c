#include <stdlib.h>
#include <string.h>

#include "view/draw/draw.h"

#if REC_HAVE_TTF
#include <SDL_ttf.h>
#include <fontconfig/fontconfig.h>

#define USUAL_SIZE 13 /* pixels to an em, at a scale of 1 */

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
        found = strdup((const char *)file);
    if (match)
        FcPatternDestroy(match);
    FcPatternDestroy(wanted);
    return found;
}

static void *open_font(void)
{
    if (!rec_libraries_open_fonts() || !FcInit() || TTF_Init())
        return NULL;
    char *file = find_file();
    TTF_Font *font = file ? TTF_OpenFont(file, USUAL_SIZE) : NULL;
    free(file);
    if (!font) {
        TTF_Quit();
        return NULL;
    }
    TTF_SetFontHinting(font, TTF_HINTING_NORMAL); /* whole pixels: stems are crisp */
    TTF_SetFontKerning(font, 0);
    return font;
}

static void close_font(void *font)
{
    TTF_CloseFont(font);
    TTF_Quit();
}

/* Control characters are no text. */
static int is_printed(TTF_Font *font, int code)
{
    return code >= ' ' && (code < 0x7f || code > 0x9f) &&
           TTF_GlyphIsProvided32(font, (Uint32)code);
}

/* Sets the cells' sizes and every advance. All figures have the advance of the widest, so that
 * numbers do not jump about while they change. */
static void measure(TTF_Font *font, int scale, rec_cells *cells)
{
    int widest_figure = 0, widest = 0;
    cells->bleed = 0;
    for (int code = 0; code < REC_GLYPHS; code++) {
        int left, right, below, above, advance;
        cells->advance[code] = 0;
        if (!is_printed(font, code) || TTF_GlyphMetrics32(font, (Uint32)code, &left, &right,
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
    cells->height = (TTF_FontHeight(font) + scale - 1) / scale * scale; /* whole points */
}

static void paint_glyph(TTF_Font *font, int code, const rec_cells *cells)
{
    const SDL_Color white = {255, 255, 255, 255};
    int left, advance;
    SDL_Surface *glyph = TTF_RenderGlyph32_Blended(font, (Uint32)code, white);
    if (!glyph || TTF_GlyphMetrics32(font, (Uint32)code, &left, NULL, NULL, NULL, &advance)) {
        SDL_FreeSurface(glyph);
        return;
    }
    /* A glyph that begins before its place starts at the surface's left edge; a narrow figure
     * stands in the middle. */
    const int reach = left < 0 ? left : 0, room = cells->advance[code] - advance;
    SDL_Rect to = rec_cells_place(cells, code);
    to.x += cells->bleed + reach + room / 2;
    SDL_SetSurfaceBlendMode(glyph, SDL_BLENDMODE_NONE);
    SDL_BlitSurface(glyph, NULL, cells->sheet, &to);
    SDL_FreeSurface(glyph);
}

static int paint(void *font, int scale, rec_cells *cells)
{
    if (TTF_SetFontSize(font, USUAL_SIZE * scale))
        return 0;
    measure(font, scale, cells);
    if (!cells->advance['0'] || !cells->advance['?'] || !rec_cells_create(cells))
        return 0;
    for (int code = 0; code < REC_GLYPHS; code++)
        if (cells->advance[code])
            paint_glyph(font, code, cells);
    return 1;
}

const rec_font_type rec_outline_font = {open_font, close_font, paint};
#endif
