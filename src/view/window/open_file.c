/* A file to open: the desktop asks for it, or its name is typed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "view/window/window.h"

static void open_file(rec_window *w)
{
    char *const name = w->name;
    const char *const home = getenv("HOME");
    char path[2 * sizeof w->name];
    name[w->name_length] = '\0';
    name[strcspn(name, "\n")] = '\0';
    const int in_home = !strncmp(name, "~/", 2) && home;
    snprintf(path, sizeof path, "%.4095s%s", in_home ? home : "", in_home ? name + 1 : name);
    if (*path)
        rec_worker_post(w->worker, (rec_request){rec_worker_add, 1, .path = path});
}

void rec_window_ask_file(rec_window *w, int argument)
{
    if (w->dialog)
        return;
    w->name_length = 0;
    w->name[0] = '\0';
    w->dialog = rec_desktop_ask_file();
    w->typing = !w->dialog;
    w->bar.prompt = w->typing ? w->name : NULL;
    w->text_time = 0;
}

void rec_window_take_file(rec_window *w)
{
    const size_t room = sizeof w->name - 1 - w->name_length;
    const ssize_t got = w->dialog ? read(w->dialog, w->name + w->name_length, room) : -1;
    if (got > 0)
        w->name_length += (size_t)got;
    if (got > 0 || !w->dialog || (got < 0 && errno == EAGAIN))
        return;
    close(w->dialog);
    w->dialog = 0;
    waitpid(-1, NULL, WNOHANG);
    open_file(w);
}

int rec_window_type_name(rec_window *w, const SDL_Event *event)
{
    const SDL_Keycode key = event->type == SDL_KEYDOWN ? event->key.keysym.sym : 0;
    if (!w->typing || (event->type != SDL_KEYDOWN && event->type != SDL_TEXTINPUT))
        return 0;
    const size_t more = key ? 0 : strlen(event->text.text);
    if (more < sizeof w->name - w->name_length)
        memcpy(w->name + w->name_length, event->text.text, more);
    w->name_length += more < sizeof w->name - w->name_length ? more : 0;
    while (key == SDLK_BACKSPACE && w->name_length) /* a whole character of UTF-8 */
        if ((w->name[--w->name_length] & 0xc0) != 0x80)
            break;
    w->name[w->name_length] = '\0';
    w->typing = key != SDLK_ESCAPE && key != SDLK_RETURN && key != SDLK_KP_ENTER;
    if (!w->typing)
        w->bar.prompt = NULL;
    if (!w->typing && key != SDLK_ESCAPE)
        open_file(w);
    w->text_time = 0;
    return 1;
}
