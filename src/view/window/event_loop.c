/* The window's own thread: SDL, the events, drawing. It never waits for the worker, which does all
 * the rest (worker.h). It asks the worker for news by itself, since SDL's events from another
 * thread travel through the display server and may find the window gone. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/text.h"
#include "job/job.h"
#include "view/window/window.h"

#define TEXT_SECONDS 0.1    /* between two looks at the numbers */
#define FRAMES_SECONDS 1.0  /* the rate of frames is the mean of so long */
#define DRAG_MILLISECONDS 1   /* between two looks at what the worker has while it is dragged */
#define BUSY_MILLISECONDS 4   /* between two looks at what the worker has */
#define IDLE_MILLISECONDS 16  /* while it rests: as long as a picture of the screen */
#define USUAL_RADIUS 20.0     /* of the brush, pixels of the image */
#define IDLE_SECONDS 0.3      /* of rest before that: by then the last snapshot has arrived */

/* ---- the worker's news ---- */

static void accept_snapshot(void *context, const rec_snapshot *snapshot, rec_size image)
{
    rec_window *w = context;
    const rec_layer layer = snapshot->view.layer;
    rec_picture_accept(&w->picture[layer], w->renderer, snapshot, image, w->wanted.gamma);
    w->frames += layer == rec_scenes[w->wanted.scene].layer;
    w->dirty = 1;
}

/* The outline follows the mask and the viewport. */
static void follow_mask(rec_window *w)
{
    const rec_viewport *viewport = &w->wanted.viewport;
    if (!w->outline.old || !w->state.painted || !viewport->area.width || !viewport->area.height)
        return;
    const rec_mask *mask = rec_worker_borrow_mask(w->worker);
    if (!mask)
        return;
    w->outline.old = 0;
    rec_outline_make(&w->outline, w->renderer, mask, viewport);
    rec_worker_give_back(w->worker);
    w->dirty = 1;
}

/* "42% castle.pgm - reconstruct" while it is known how many iterations there are to do. */
static void set_title(rec_window *w)
{
    const rec_view_state *state = &w->state;
    const uint64_t all = w->jobs->settings->run.iterations;
    const int goes_on = state->phase == REC_PHASE_ITERATING && all && all != REC_ENDLESS &&
                        state->run.iterations < all;
    char progress[16] = "", title[512] = "reconstruct";
    if (goes_on)
        snprintf(progress, sizeof progress, "%" PRIu64 "%% ",
                 (uint64_t)(100 * (double)state->run.iterations / (double)all));
    if (state->phase != REC_PHASE_EMPTY)
        snprintf(title, sizeof title, "%s%s%s - reconstruct", progress,
                 state->unsaved ? "*" : "", rec_path_name(rec_input_name(state->name)));
    if (strcmp(title, sdl.GetWindowTitle(w->window)))
        sdl.SetWindowTitle(w->window, title);
}

/* Numbers change many times a second and are written ten times; other changes are shown at once. */
static void read_news(rec_window *w)
{
    const double now = rec_now();
    const rec_view_state old = w->state;
    rec_window_accept_file(w);
    rec_worker_poll(w->worker, accept_snapshot, w);
    if (!rec_worker_get_state(w->worker, &w->state))
        w->rest_time = now;
    const int other_size = w->state.size.width != old.size.width ||
                           w->state.size.height != old.size.height || w->state.planes != old.planes;
    if (other_size && w->wanted.viewport.area.width && w->wanted.viewport.area.height)
        rec_viewport_keep(&w->wanted.viewport, w->state.size);
    if (!w->sized && w->state.size.width)
        rec_window_suit_input(w);
    w->outline.old |= other_size || w->state.turned != old.turned ||
                      w->state.index != old.index || w->state.edit.strokes != old.edit.strokes;
    w->asks |= w->state.questions != old.questions;
    rec_window_tell(w);
    follow_mask(w);
    w->dirty |= rec_slider_follow(&w->slider, &w->canvas, &w->state);
    w->dirty |= w->state.updates != old.updates;
    if (now - w->frames_time >= FRAMES_SECONDS) { /* pictures a second, while it iterates */
        const int moves = w->state.phase == REC_PHASE_ITERATING || w->state.painted;
        w->frame_rate = moves ? w->frames / (now - w->frames_time) : 0;
        w->frames = 0;
        w->frames_time = now;
    }
    /* What a request has done, above all. */
    const int urgent = w->state.answered != old.answered || w->state.phase != old.phase ||
                       w->state.messages != old.messages || w->state.missing != old.missing ||
                       w->state.numbers.fitted != old.numbers.fitted;
    if (!urgent && now - w->text_time < TEXT_SECONDS)
        return;
    w->text_time = now;
    set_title(w);
    w->dirty |= rec_bar_update(&w->bar, &w->state, &w->wanted, w->frame_rate, now) || urgent;
    for (int layer = 0; w->state.phase == REC_PHASE_FAILED && layer < REC_LAYERS; layer++) {
        sdl.DestroyTexture(w->picture[layer].texture); /* it was another input's */
        w->picture[layer].texture = NULL;
    }
}

/* SDL_WaitEventTimeout is of no use: on X11 each event makes it send the window another. */
static void run_events(rec_window *w)
{
    while (w->state.phase != REC_PHASE_LEFT) {
        SDL_Event event;
        const int is_idle = rec_now() - w->rest_time > IDLE_SECONDS;
        const int wait = w->slider.waiting || w->drag == REC_DRAG_SLIDER ? DRAG_MILLISECONDS
                         : is_idle                                       ? IDLE_MILLISECONDS
                                                                         : BUSY_MILLISECONDS;
        if (!sdl.PollEvent(&event))
            sdl.Delay((Uint32)wait);
        else
            do
                rec_window_handle(w, &event);
            while (!rec_is_stopped() && sdl.PollEvent(&event)); /* there may be very many */
        read_news(w);
        if (w->dirty && !w->hidden)
            rec_window_draw(w);
    }
}

/* ---- the whole ---- */

rec_status rec_view_show(rec_jobs *jobs, rec_error *error)
{
    rec_window w = {
        .jobs = jobs,
        .slider.present = rec_jumper_available(jobs->settings),
        .wanted = {.viewport = {.fit = 1},
                   .tone = jobs->settings->shown,
                   .contrast = 1,
                   .gamma = 1,
                   .divider = 0.5,
                   .radius = USUAL_RADIUS},
        .values = 1,
        .outlined = 1,
        .mouse = {-1, -1},
    };
    REC_TRY(rec_libraries_open(error));
    REC_TRY(rec_worker_create(&w.worker, jobs, error));
    rec_status status = rec_watchdog_start(&w, error);
    REC_THEN(status, rec_window_open(&w, error));
    if (!status) {
        read_news(&w);
        rec_window_draw(&w);
        /* Not before the text has its font: the window is there when the worker tells of it. */
        w.watchdog.worker_runs = 1;
        status = rec_worker_start(w.worker, error);
        if (!status) {
            run_events(&w);
            status = rec_worker_join(w.worker, error);
            status = rec_window_conclude(&w, status, error);
        }
    }
    rec_window_close(&w);
    rec_watchdog_end(&w);
    rec_worker_destroy(w.worker);
    return status;
}
