/* A file to open: the desktop asks for it, or its name is typed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "view/window/window.h"

static void open_file(rec_window *w)
{
    w->name[strcspn(w->name, "\n")] = '\0';
    if (*w->name)
        rec_worker_post(w->worker, (rec_request){rec_worker_add, 1, .path = w->name});
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

void rec_window_take_file(rec_window *w)
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
