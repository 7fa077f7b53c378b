/* SDL2 is opened when a window is: a program that needs none starts without it. */
#include <dlfcn.h>
#include <string.h>

#include "view/draw/draw.h"

struct rec_sdl sdl;

int rec_library_open(const char *file, const char *const *names, size_t count, void *functions)
{
    void *const library = dlopen(file, RTLD_NOW);
    int complete = library != NULL;
    for (size_t i = 0; complete && i < count; i++) {
        void *const function = dlsym(library, names[i]);
        memcpy((char *)functions + i * sizeof function, &function, sizeof function);
        complete = function != NULL;
    }
    return complete;
}

#define NAME(function) "SDL_" #function,

rec_status rec_libraries_open(rec_error *error)
{
    static const char *const names[] = {REC_SDL_FUNCTIONS(NAME)};
    return rec_library_open("libSDL2-2.0.so.0", names, sizeof names / sizeof *names, &sdl)
               ? REC_OK
               : rec_fail(error, REC_UNAVAILABLE, "%s\v--headless works; the window needs libSDL2",
                          dlerror());
}
