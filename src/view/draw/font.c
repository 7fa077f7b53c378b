/* Where the letters come from: SDL_ttf and a scalable sans of the machine, or the font of
 * libnetpbm, whose pixels become squares. */
#include <netpbm/pm.h>
#include <netpbm/pbmfont.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "view/draw/draw.h"

#define TRACKING 1 /* pixels of libnetpbm's font between two glyphs: on a screen it is too tight */

SDL_Rect rec_cells_place(const rec_cells *cells, int code)
{
    return (SDL_Rect){code % REC_GLYPH_COLUMNS * cells->width,
                      code / REC_GLYPH_COLUMNS * cells->height, cells->width, cells->height};
}

/* ---- libnetpbm ---- */

static void keep_quiet(const char *message) { (void)message; }

/* libnetpbm ends the process on an error, or jumps. It cannot free a font. */
static const struct font *open_bitmap(void)
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

static void measure_bitmap(const struct font *font, int scale, rec_cells *cells)
{
    cells->bleed = font->x < 0 ? -font->x * scale : 0;
    cells->width = (int)font->maxwidth * scale + cells->bleed;
    cells->height = (int)font->maxheight * scale;
    for (int code = 0; code < REC_GLYPHS; code++)
        if (font->glyph[code])
            cells->advance[code] = ((int)font->glyph[code]->xadd + TRACKING) * scale;
}

static void paint_bitmap(const struct font *font, int code, int scale, const rec_cells *cells)
{
    const struct glyph *glyph = font->glyph[code];
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

/* ---- SDL_ttf ---- */

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

/* Control characters are no text. */
static int is_printed(TTF_Font *font, int code)
{
    return code >= ' ' && (code < 0x7f || code > 0x9f) && ttf.GlyphIsProvided32(font, (Uint32)code);
}

static void close_outline(TTF_Font *font)
{
    if (font)
        ttf.CloseFont(font);
    ttf.Quit();
}

static TTF_Font *open_outline(void)
{
    static const char *const of_ttf[] = {TTF_FUNCTIONS(TTF_NAME)};
    static const char *const of_fc[] = {FC_FUNCTIONS(FC_NAME)};
    if (!rec_library_open("libSDL2_ttf-2.0.so.0", of_ttf, sizeof of_ttf / sizeof *of_ttf, &ttf) ||
        !rec_library_open("libfontconfig.so.1", of_fc, sizeof of_fc / sizeof *of_fc, &fc) ||
        !fc.Init() || ttf.Init())
        return NULL;
    char *file = find_file();
    TTF_Font *font = file ? ttf.OpenFont(file, USUAL_SIZE) : NULL;
    free(file);
    if (font && is_printed(font, '0') && is_printed(font, '?')) {
        ttf.SetFontHinting(font, TTF_HINTING_NORMAL); /* whole pixels: stems are crisp */
        ttf.SetFontKerning(font, 0);
        return font;
    }
    close_outline(font);
    return NULL;
}

/* Figures have the advance of the widest, so that numbers do not jump about. */
static void measure_outline(TTF_Font *font, int scale, rec_cells *cells)
{
    int widest_figure = 0, widest = 0;
    ttf.SetFontSize(font, USUAL_SIZE * scale);
    for (int code = 0; code < REC_GLYPHS; code++) {
        int left, right, below, above, advance;
        if (!is_printed(font, code) ||
            ttf.GlyphMetrics32(font, (Uint32)code, &left, &right, &below, &above, &advance))
            continue;
        cells->advance[code] = advance;
        cells->bleed = SDL_max(cells->bleed, -left);
        widest = SDL_max(widest, SDL_max(right, advance));
        if (code >= '0' && code <= '9')
            widest_figure = SDL_max(widest_figure, advance);
    }
    for (int code = '0'; code <= '9'; code++)
        cells->advance[code] = cells->advance[code] ? widest_figure : 0;
    cells->width = cells->bleed + widest + 1;
    cells->height = (ttf.FontHeight(font) + scale - 1) / scale * scale; /* whole points */
}

static void paint_outline(TTF_Font *font, int code, const rec_cells *cells)
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

#else
typedef void TTF_Font;
static TTF_Font *open_outline(void) { return NULL; }
static void close_outline(TTF_Font *font) {}
static void measure_outline(TTF_Font *font, int scale, rec_cells *cells) {}
static void paint_outline(TTF_Font *font, int code, const rec_cells *cells) {}
#endif

/* ---- the one that is there ---- */

int rec_font_open(rec_font *font)
{
    *font = (rec_font){.outline = open_outline()};
    if (!font->outline)
        font->bitmap = open_bitmap();
    return font->outline || font->bitmap;
}

void rec_font_close(rec_font *font)
{
    if (font->outline)
        close_outline(font->outline);
}

int rec_font_paint(const rec_font *font, int scale, rec_cells *cells)
{
    *cells = (rec_cells){.sheet = NULL};
    if (font->outline)
        measure_outline(font->outline, scale, cells);
    else
        measure_bitmap(font->bitmap, scale, cells);
    cells->sheet = sdl.CreateRGBSurfaceWithFormat(0, REC_GLYPH_COLUMNS * cells->width,
                                                  REC_GLYPHS / REC_GLYPH_COLUMNS * cells->height,
                                                  32, SDL_PIXELFORMAT_ARGB8888);
    if (!cells->sheet || sdl.FillRect(cells->sheet, NULL, 0x00ffffff))
        return 0;
    for (int code = 0; code < REC_GLYPHS; code++) {
        if (cells->advance[code] && font->outline)
            paint_outline(font->outline, code, cells);
        else if (cells->advance[code])
            paint_bitmap(font->bitmap, code, scale, cells);
    }
    return 1;
}
