/* A file to open: by the desktop's dialog, by a name that is typed, or the sample. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "view/window/window.h"

/* Also "~/NAME", and "file:///NAME", in which %20 is a blank, as file managers copy it. */
static void open_file(rec_window *w)
{
    char path[2 * sizeof w->name] = "";
    const char *from = w->name, *home = getenv("HOME");
    const int is_address = !strncmp(from, "file://", 7);
    w->name[strcspn(from, "\n")] = '\0';
    if (is_address)
        from += 7 + strcspn(from + 7, "/"); /* a host */
    if (home && !strncmp(from, "~/", 2)) {
        strncat(path, home, sizeof w->name);
        from++;
    }
    for (char *to = path + strlen(path); *from; to++) {
        unsigned byte;
        int read = 1;
        *to = is_address && sscanf(from, "%%%2x%n", &byte, &read) == 1 ? (char)byte : *from;
        from += read;
    }
    if (*path)
        rec_worker_post(w->worker, (rec_request){rec_worker_add, 1, .path = path});
}

void rec_window_ask_file(rec_window *w, int argument)
{
    if (w->dialog || w->bar.prompt)
        return;
    w->name[0] = '\0';
    w->dialog = popen("for dialog in 'zenity --file-selection' 'kdialog --getopenfilename'; do "
                      "command -v ${dialog%% *} >/dev/null && exec $dialog; done; exit 127", "re");
    if (w->dialog)
        fcntl(fileno(w->dialog), F_SETFL, O_NONBLOCK);
}

void rec_window_accept_file(rec_window *w)
{
    const size_t used = strlen(w->name);
    const ssize_t got =
        w->dialog ? read(fileno(w->dialog), w->name + used, sizeof w->name - 1 - used) : 0;
    w->name[used + (size_t)SDL_max(got, 0)] = '\0';
    if (!w->dialog || got > 0 || (got < 0 && errno == EAGAIN))
        return;
    const int status = pclose(w->dialog);
    w->dialog = NULL;
    w->bar.prompt = WEXITSTATUS(status) == 127 ? w->name : NULL;
    w->text_time = 0;
    open_file(w);
}

int rec_window_type_name(rec_window *w, const SDL_Event *event)
{
    const SDL_Keycode key = event->type == SDL_KEYDOWN ? event->key.keysym.sym : 0;
    size_t used = strlen(w->name);
    if (!w->bar.prompt || (!key && event->type != SDL_TEXTINPUT))
        return 0;
    if (!key)
        strncat(w->name, event->text.text, sizeof w->name - 1 - used);
    while (key == SDLK_BACKSPACE && used && (w->name[--used] & 0xc0) == 0x80) /* of UTF-8 */
        continue;
    if (key == SDLK_BACKSPACE)
        w->name[used] = '\0';
    const int enter = key == SDLK_RETURN || key == SDLK_KP_ENTER;
    if (enter || key == SDLK_ESCAPE)
        w->bar.prompt = NULL;
    if (enter)
        open_file(w);
    w->text_time = 0;
    return 1;
}

/* The sample image: where the program was built, or, the last place, where it was installed. If it
 * is in neither, the worker's message names that. */
void rec_window_open_sample(rec_window *w, int argument)
{
    static const char *const places[] = {"data", "../data", "../share/reconstruct"};
    char path[PATH_MAX];
    if (w->state.phase != REC_PHASE_EMPTY)
        return;
    char *folder = sdl.GetBasePath(); /* of the program, with a slash */
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s/castle-edges.pgm", folder ? folder : "", places[i]);
        if (!access(path, R_OK))
            break;
    }
    sdl.free(folder);
    rec_worker_post(w->worker, (rec_request){rec_worker_add, 1, .path = path});
}
