#include <stdlib.h>
#include <string.h>

#include "view/draw/draw.h"

#if REC_HAVE_TTF
#include <SDL_ttf.h>
#include <fontconfig/fontconfig.h>

#define TTF_FUNCTIONS(ROW) \
    ROW(CloseFont) ROW(FontHeight) ROW(GlyphIsProvided32) ROW(GlyphMetrics32) ROW(Init) \
    ROW(OpenFont) ROW(Quit) ROW(RenderGlyph32_Blended) ROW(SetFontHinting) ROW(SetFontKerning) \
    ROW(SetFontSize)
#define FC_FUNCTIONS(ROW) \
    ROW(ConfigSubstitute) ROW(DefaultSubstitute) ROW(FontMatch) ROW(Init) ROW(NameParse) \
    ROW(PatternDestroy) ROW(PatternGetString)
#define TTF_POINTER(function) __typeof__(TTF_##function) *function;
#define FC_POINTER(function) __typeof__(Fc##function) *function;
#define TTF_NAME(function) "TTF_" #function,
#define FC_NAME(function) "Fc" #function,
static struct { TTF_FUNCTIONS(TTF_POINTER) } ttf;
static struct { FC_FUNCTIONS(FC_POINTER) } fc;

#define USUAL_SIZE 13 /* pixels to an em, at a scale of 1 */

static int open_libraries(void)
{
    static const char *const of_ttf[] = {TTF_FUNCTIONS(TTF_NAME)};
    static const char *const of_fc[] = {FC_FUNCTIONS(FC_NAME)};
    return rec_library_open("libSDL2_ttf-2.0.so.0", of_ttf, sizeof of_ttf / sizeof *of_ttf, &ttf) &&
           rec_library_open("libfontconfig.so.1", of_fc, sizeof of_fc / sizeof *of_fc, &fc);
}

/* The file of the machine's usual sans, for free(); NULL: there is none. */
static char *find_file(void)
{
    FcPattern *wanted = fc.NameParse((const FcChar8 *)"sans-serif:lang=en:scalable=true");
    FcChar8 *file = NULL;
    char *found = NULL;
    FcResult result;
    fc.ConfigSubstitute(NULL, wanted, FcMatchPattern);
    fc.DefaultSubstitute(wanted);
    FcPattern *match = fc.FontMatch(NULL, wanted, &result);
    if (match && fc.PatternGetString(match, FC_FILE, 0, &file) == FcResultMatch)
        found = strdup((const char *)file);
    if (match)
        fc.PatternDestroy(match);
    fc.PatternDestroy(wanted);
    return found;
}

static void *open_font(void)
{
    if (!open_libraries() || !fc.Init() || ttf.Init())
        return NULL;
    char *file = find_file();
    TTF_Font *font = file ? ttf.OpenFont(file, USUAL_SIZE) : NULL;
    free(file);
    if (!font) {
        ttf.Quit();
        return NULL;
    }
    ttf.SetFontHinting(font, TTF_HINTING_NORMAL); /* whole pixels: stems are crisp */
    ttf.SetFontKerning(font, 0);
    return font;
}

static void close_font(void *font)
{
    ttf.CloseFont(font);
    ttf.Quit();
}

/* Control characters are no text. */
static int is_printed(TTF_Font *font, int code)
{
    return code >= ' ' && (code < 0x7f || code > 0x9f) && ttf.GlyphIsProvided32(font, (Uint32)code);
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
        if (!is_printed(font, code) ||
            ttf.GlyphMetrics32(font, (Uint32)code, &left, &right, &below, &above, &advance))
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
    cells->height = (ttf.FontHeight(font) + scale - 1) / scale * scale; /* whole points */
}

static void paint_glyph(TTF_Font *font, int code, const rec_cells *cells)
{
    const SDL_Color white = {255, 255, 255, 255};
    int left, advance;
    SDL_Surface *glyph = ttf.RenderGlyph32_Blended(font, (Uint32)code, white);
    if (!glyph || ttf.GlyphMetrics32(font, (Uint32)code, &left, NULL, NULL, NULL, &advance)) {
        sdl.FreeSurface(glyph);
        return;
    }
    /* A glyph that begins before its place starts at the surface's left edge; a narrow figure
     * stands in the middle. */
    const int reach = left < 0 ? left : 0, room = cells->advance[code] - advance;
    SDL_Rect to = rec_cells_place(cells, code);
    to.x += cells->bleed + reach + room / 2;
    sdl.SetSurfaceBlendMode(glyph, SDL_BLENDMODE_NONE);
    sdl.UpperBlit(glyph, NULL, cells->sheet, &to);
    sdl.FreeSurface(glyph);
}

static int paint(void *font, int scale, rec_cells *cells)
{
    if (ttf.SetFontSize(font, USUAL_SIZE * scale))
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
