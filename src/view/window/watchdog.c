/* The end of the window, whatever the display does. A display that stalls (over a dead network)
 * keeps the window's thread inside SDL for ever; one that goes away lets Xlib call exit(), and SDL
 * on Wayland spin, or report that the user closed the window. The worker needs no display to write
 * what there is: a thread sees to it that it does, and then ends the process, unless the window's
 * own thread has left in time. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/signals.h"
#include "view/window/window.h"

#define LOOK_SECONDS 0.1
#define GRACE_SECONDS 1.0 /* for the window's thread, once the worker has left */

static rec_window *watched;

/* As after a signal: checkpoints are written, and locks removed. */
static void lose_display(rec_window *w)
{
    rec_signal_received = rec_signal_received ? rec_signal_received : SIGHUP;
    w->watchdog.lost = 1;
}

int rec_watchdog_misses_display(rec_window *w)
{
    struct pollfd connection = {.fd = w->watchdog.connection};
    if (poll(&connection, 1, 0) > 0)
        lose_display(w);
    return w->watchdog.lost;
}

/* Xlib calls exit() from wherever it is called. */
static void stay_in_exit(void)
{
    if (!watched || !pthread_equal(pthread_self(), watched->watchdog.window_thread))
        return;
    lose_display(watched);
    rec_worker_give_back(watched->worker);
    for (;;)
        pause();
}

rec_status rec_window_conclude(rec_window *w, rec_status status, rec_error *error)
{
    const rec_error failure = *error;
    if (w->watchdog.lost)
        return rec_fail(error, REC_UNAVAILABLE, "the display is gone%s%.900s", status ? "; " : "",
                        status ? failure.message : "");
    return status || !rec_is_stopped()
               ? status
               : rec_fail(error, w->jobs->settings->checkpoint ? REC_STOPPED : REC_SIGNALLED,
                          "stopped by a signal");
}

static void end_process(rec_window *w)
{
    rec_error error = {0};
    rec_status status = rec_worker_failure(w->worker, &error);
    status = rec_window_conclude(w, status, &error);
    rec_jobs_destroy(w->jobs);
    fprintf(stderr, "reconstruct: %s\n", error.message);
    if (status == REC_SIGNALLED)
        rec_signals_die();
    _exit((int)status);
}

static void *watch(void *argument)
{
    rec_window *w = argument;
    rec_watchdog *dog = &w->watchdog;
    rec_view_state state;
    double left = INFINITY; /* rec_now() when the worker had left */
    REC_HOLD(&dog->lock);
    while (!dog->ended) {
        rec_condition_wait(&dog->woken, &dog->lock, LOOK_SECONDS);
        if (dog->ended || !(rec_watchdog_misses_display(w) || rec_is_stopped()))
            continue;
        rec_worker_ask_to_leave(w->worker);
        rec_worker_get_state(w->worker, &state);
        if (state.phase == REC_PHASE_LEFT || !dog->worker_runs)
            left = SDL_min(left, rec_now());
        if (rec_now() - left >= GRACE_SECONDS)
            end_process(w);
    }
    return NULL;
}

rec_status rec_watchdog_start(rec_window *w, rec_error *error)
{
    rec_watchdog *dog = &w->watchdog;
    dog->connection = -1;
    dog->window_thread = pthread_self();
    pthread_mutex_init(&dog->lock, NULL);
    rec_condition_create(&dog->woken);
    if (pthread_create(&dog->thread, NULL, watch, w))
        return rec_fail(error, REC_LIMIT, "the system refused a thread for the window");
    watched = w;
    atexit(stay_in_exit);
    return REC_OK;
}

void rec_watchdog_watch(rec_window *w)
{
    static const char *const names[] = {"wl_display_get_fd"};
    int (*get_connection)(struct wl_display *display);
    SDL_SysWMinfo system;
    SDL_VERSION(&system.version);
    if (sdl.GetWindowWMInfo(w->window, &system) && system.subsystem == SDL_SYSWM_WAYLAND &&
        rec_library_open("libwayland-client.so.0", names, 1, &get_connection))
        w->watchdog.connection = get_connection(system.info.wl.display);
}

void rec_watchdog_end(rec_window *w)
{
    rec_watchdog *dog = &w->watchdog;
    if (watched != w)
        return;
    pthread_mutex_lock(&dog->lock);
    dog->ended = 1;
    pthread_cond_signal(&dog->woken);
    pthread_mutex_unlock(&dog->lock);
    pthread_join(dog->thread, NULL);
    watched = NULL;
}
