/* SDL2, SDL2_ttf and fontconfig, opened when a window is: a program that needs none starts without
 * them. Each function of a row is defined here under its own name, so that callers look as usual
 * and the libraries' headers check the rows; it calls what the library has. */
#include <dlfcn.h>

#include "view/draw/draw.h"

#if REC_HAVE_TTF
#include <SDL_ttf.h>
#include <fontconfig/fontconfig.h>
#define FONT_FUNCTIONS(ROW)                                                                        \
    ROW(TTF, void, TTF_CloseFont, (TTF_Font *f), (f))                                              \
    ROW(TTF, int, TTF_FontHeight, (const TTF_Font *f), (f))                                        \
    ROW(TTF, int, TTF_GlyphIsProvided32, (TTF_Font *f, Uint32 c), (f, c))                          \
    ROW(TTF, int, TTF_GlyphMetrics32, (TTF_Font *f, Uint32 c, int *x, int *xx, int *y, int *yy,    \
                                       int *advance), (f, c, x, xx, y, yy, advance))               \
    ROW(TTF, int, TTF_Init, (void), ())                                                            \
    ROW(TTF, TTF_Font *, TTF_OpenFont, (const char *file, int size), (file, size))                 \
    ROW(TTF, void, TTF_Quit, (void), ())                                                           \
    ROW(TTF, SDL_Surface *, TTF_RenderGlyph32_Blended, (TTF_Font *f, Uint32 c, SDL_Color color),   \
        (f, c, color))                                                                             \
    ROW(TTF, void, TTF_SetFontHinting, (TTF_Font *f, int hinting), (f, hinting))                   \
    ROW(TTF, void, TTF_SetFontKerning, (TTF_Font *f, int allowed), (f, allowed))                   \
    ROW(TTF, int, TTF_SetFontSize, (TTF_Font *f, int size), (f, size))                             \
    ROW(FC, FcBool, FcConfigSubstitute, (FcConfig *c, FcPattern *p, FcMatchKind k), (c, p, k))     \
    ROW(FC, void, FcDefaultSubstitute, (FcPattern *p), (p))                                        \
    ROW(FC, FcPattern *, FcFontMatch, (FcConfig *c, FcPattern *p, FcResult *r), (c, p, r))         \
    ROW(FC, FcBool, FcInit, (void), ())                                                            \
    ROW(FC, FcPattern *, FcNameParse, (const FcChar8 *name), (name))                               \
    ROW(FC, void, FcPatternDestroy, (FcPattern *p), (p))                                           \
    ROW(FC, FcResult, FcPatternGetString, (const FcPattern *p, const char *name, int n,            \
                                           FcChar8 **string), (p, name, n, string))
#else
#define FONT_FUNCTIONS(ROW)
#endif

#define FUNCTIONS(ROW)                                                                             \
    ROW(SDL, int, SDL_CaptureMouse, (SDL_bool on), (on))                                           \
    ROW(SDL, SDL_Surface *, SDL_CreateRGBSurfaceWithFormat,                                        \
        (Uint32 flags, int w, int h, int depth, Uint32 format), (flags, w, h, depth, format))      \
    ROW(SDL, SDL_Surface *, SDL_CreateRGBSurfaceWithFormatFrom,                                    \
        (void *pixels, int w, int h, int depth, int pitch, Uint32 format),                         \
        (pixels, w, h, depth, pitch, format))                                                      \
    ROW(SDL, SDL_Renderer *, SDL_CreateRenderer, (SDL_Window *w, int i, Uint32 f), (w, i, f))      \
    ROW(SDL, SDL_Texture *, SDL_CreateTexture,                                                     \
        (SDL_Renderer *r, Uint32 format, int access, int w, int h), (r, format, access, w, h))     \
    ROW(SDL, SDL_Texture *, SDL_CreateTextureFromSurface, (SDL_Renderer *r, SDL_Surface *s),       \
        (r, s))                                                                                    \
    ROW(SDL, SDL_Window *, SDL_CreateWindow,                                                       \
        (const char *title, int x, int y, int w, int h, Uint32 flags), (title, x, y, w, h, flags)) \
    ROW(SDL, void, SDL_Delay, (Uint32 ms), (ms))                                                   \
    ROW(SDL, void, SDL_DestroyRenderer, (SDL_Renderer *r), (r))                                    \
    ROW(SDL, void, SDL_DestroyTexture, (SDL_Texture *t), (t))                                      \
    ROW(SDL, void, SDL_DestroyWindow, (SDL_Window *w), (w))                                        \
    ROW(SDL, int, SDL_FillRect, (SDL_Surface *s, const SDL_Rect *r, Uint32 color), (s, r, color))  \
    ROW(SDL, void, SDL_free, (void *p), (p))                                                       \
    ROW(SDL, void, SDL_FreeSurface, (SDL_Surface *s), (s))                                         \
    ROW(SDL, char *, SDL_GetBasePath, (void), ())                                                  \
    ROW(SDL, const char *, SDL_GetCurrentVideoDriver, (void), ())                                  \
    ROW(SDL, int, SDL_GetDisplayUsableBounds, (int i, SDL_Rect *r), (i, r))                        \
    ROW(SDL, const char *, SDL_GetError, (void), ())                                               \
    ROW(SDL, SDL_Keymod, SDL_GetModState, (void), ())                                              \
    ROW(SDL, int, SDL_GetRendererInfo, (SDL_Renderer *r, SDL_RendererInfo *i), (r, i))             \
    ROW(SDL, int, SDL_GetRendererOutputSize, (SDL_Renderer *r, int *w, int *h), (r, w, h))         \
    ROW(SDL, int, SDL_GetWindowDisplayIndex, (SDL_Window *w), (w))                                 \
    ROW(SDL, Uint32, SDL_GetWindowFlags, (SDL_Window *w), (w))                                     \
    ROW(SDL, void, SDL_GetWindowSize, (SDL_Window *window, int *w, int *h), (window, w, h))        \
    ROW(SDL, const char *, SDL_GetWindowTitle, (SDL_Window *w), (w))                               \
    ROW(SDL, void *, SDL_GL_GetProcAddress, (const char *name), (name))                            \
    ROW(SDL, SDL_bool, SDL_HasIntersection, (const SDL_Rect *a, const SDL_Rect *b), (a, b))        \
    ROW(SDL, int, SDL_InitSubSystem, (Uint32 flags), (flags))                                      \
    ROW(SDL, SDL_bool, SDL_IntersectRect, (const SDL_Rect *a, const SDL_Rect *b, SDL_Rect *r),     \
        (a, b, r))                                                                                 \
    ROW(SDL, int, SDL_LockTexture, (SDL_Texture *t, const SDL_Rect *r, void **p, int *pitch),      \
        (t, r, p, pitch))                                                                          \
    ROW(SDL, int, SDL_PollEvent, (SDL_Event *e), (e))                                              \
    ROW(SDL, void, SDL_QuitSubSystem, (Uint32 flags), (flags))                                     \
    ROW(SDL, int, SDL_RenderClear, (SDL_Renderer *r), (r))                                         \
    ROW(SDL, int, SDL_RenderCopy, (SDL_Renderer *r, SDL_Texture *t, const SDL_Rect *from,          \
                                   const SDL_Rect *to), (r, t, from, to))                          \
    ROW(SDL, int, SDL_RenderDrawLine, (SDL_Renderer *r, int x, int y, int xx, int yy),             \
        (r, x, y, xx, yy))                                                                         \
    ROW(SDL, int, SDL_RenderFillRect, (SDL_Renderer *r, const SDL_Rect *to), (r, to))              \
    ROW(SDL, void, SDL_RenderPresent, (SDL_Renderer *r), (r))                                      \
    ROW(SDL, int, SDL_RenderSetClipRect, (SDL_Renderer *r, const SDL_Rect *to), (r, to))           \
    ROW(SDL, SDL_bool, SDL_SetHint, (const char *name, const char *value), (name, value))          \
    ROW(SDL, int, SDL_SetRenderDrawBlendMode, (SDL_Renderer *r, SDL_BlendMode m), (r, m))          \
    ROW(SDL, int, SDL_SetRenderDrawColor, (SDL_Renderer *to, Uint8 r, Uint8 g, Uint8 b, Uint8 a),  \
        (to, r, g, b, a))                                                                          \
    ROW(SDL, int, SDL_SetSurfaceBlendMode, (SDL_Surface *s, SDL_BlendMode m), (s, m))              \
    ROW(SDL, int, SDL_SetTextureAlphaMod, (SDL_Texture *t, Uint8 alpha), (t, alpha))               \
    ROW(SDL, int, SDL_SetTextureBlendMode, (SDL_Texture *t, SDL_BlendMode m), (t, m))              \
    ROW(SDL, int, SDL_SetTextureColorMod, (SDL_Texture *t, Uint8 r, Uint8 g, Uint8 b),             \
        (t, r, g, b))                                                                              \
    ROW(SDL, int, SDL_SetWindowFullscreen, (SDL_Window *w, Uint32 flags), (w, flags))              \
    ROW(SDL, void, SDL_SetWindowIcon, (SDL_Window *w, SDL_Surface *icon), (w, icon))               \
    ROW(SDL, void, SDL_SetWindowMinimumSize, (SDL_Window *window, int w, int h), (window, w, h))   \
    ROW(SDL, void, SDL_SetWindowPosition, (SDL_Window *w, int x, int y), (w, x, y))                \
    ROW(SDL, void, SDL_SetWindowSize, (SDL_Window *window, int w, int h), (window, w, h))          \
    ROW(SDL, void, SDL_SetWindowTitle, (SDL_Window *w, const char *title), (w, title))             \
    ROW(SDL, void, SDL_ShowWindow, (SDL_Window *w), (w))                                           \
    ROW(SDL, void, SDL_StopTextInput, (void), ())                                                  \
    ROW(SDL, void, SDL_UnlockTexture, (SDL_Texture *t), (t))                                       \
    ROW(SDL, int, SDL_UpperBlit,                                                                   \
        (SDL_Surface *s, const SDL_Rect *from, SDL_Surface *d, SDL_Rect *to), (s, from, d, to))    \
    FONT_FUNCTIONS(ROW)

#define AT(library, type, name, parameters, arguments) AT_##name,
enum { FUNCTIONS(AT) COUNT };
static void *found[COUNT];

#define CALL(library, type, name, parameters, arguments)                                           \
    type name parameters { return ((__typeof__(name) *)found[AT_##name]) arguments; }
FUNCTIONS(CALL)

enum library { SDL, TTF, FC };
#define NAME(library, type, name, parameters, arguments) {library, #name},
static const struct {
    enum library library;
    const char *name;
} functions[] = {FUNCTIONS(NAME)};

/* dlerror() tells what is missing. */
static int open_library(enum library library, const char *file)
{
    void *const handle = dlopen(file, RTLD_NOW);
    int complete = handle != NULL;
    for (size_t i = 0; complete && i < COUNT; i++)
        if (functions[i].library == library)
            complete = (found[i] = dlsym(handle, functions[i].name)) != NULL;
    return complete;
}

rec_status rec_libraries_open(rec_error *error)
{
    return open_library(SDL, "libSDL2-2.0.so.0")
               ? REC_OK
               : rec_fail(error, REC_UNAVAILABLE,
                          "%s; --headless works; the window needs libSDL2", dlerror());
}

int rec_libraries_open_fonts(void)
{
    return open_library(TTF, "libSDL2_ttf-2.0.so.0") && open_library(FC, "libfontconfig.so.1");
}
