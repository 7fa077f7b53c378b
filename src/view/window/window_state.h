/* The state of the window, and what follows from it: for the files of this folder alone. */
#ifndef REC_VIEW_WINDOW_STATE_H
#define REC_VIEW_WINDOW_STATE_H

#include <SDL.h>

#include "view/draw/bar.h"
#include "view/draw/histogram.h"
#include "view/draw/picture.h"
#include "view/draw/slider.h"
#include "view/view.h"
#include "view/worker/exchange.h"

enum rec_plot_size { REC_PLOT_NONE, REC_PLOT_SMALL, REC_PLOT_LARGE, REC_PLOTS };
enum rec_drag { REC_DRAG_NOTHING, REC_DRAG_PICTURE, REC_DRAG_DIVIDER, REC_DRAG_BLACK, REC_DRAG_WHITE };

typedef struct rec_window {
    rec_jobs *jobs;
    SDL_Window *window;
    SDL_Renderer *renderer;
    int largest_texture;  /* pixels a side; 0: any */
    rec_text *text;
    rec_picture picture[REC_LAYERS];
    rec_bar bar;
    rec_slider slider;
    rec_exchange exchange;
    rec_wanted wanted;
    rec_view_state state; /* the newest from the worker */
    rec_history history;  /* as of state.points, while the plot is shown */
    unsigned points;
    rec_values numbers;   /* in the pixels, as of state.values */
    unsigned values_seen;
    int width, height;    /* of the output, pixels */
    int hidden;           /* minimised: nothing is drawn */
    int sized;            /* the window has got its size, by the first input or by the user */
    int help;             /* the page that is shown, 0: none */
    unsigned plot;        /* rec_plot_size */
    int values;           /* are shown: of the pixel under the cursor */
    int dirty;            /* what is on the screen is old */
    double text_time;     /* rec_now() of the last look at the numbers */
    char title[512];
    int resting;          /* nothing new will come from the worker by itself */
    enum rec_drag drag;   /* what the mouse holds */
    int mouse_x, mouse_y; /* of the output; -1: it is not in the window */
    int key_is_held;      /* the one that is handled, for a while already */
    int dropped;          /* files of one drop so far */
    unsigned frames;      /* snapshots of the scene since frames_time ... */
    double frames_time;   /* rec_now() */
    double frame_rate;    /* a second; 0: not known */
} rec_window;

int rec_smaller(int a, int b);
int rec_larger(int a, int b);

/* ---- sizes, in output pixels ---- */

/* Output pixels for each of the window's own: 2 on many HiDPI displays. */
double rec_window_density(const rec_window *w);
/* The text grows with an output of width x height. */
void rec_window_scale_text(rec_window *w, int width, int height);
int rec_window_panel_height(const rec_window *w); /* of what is below the picture */
int rec_window_divider(const rec_window *w);      /* the left edge of its line */
/* The output's size and all that follows from it. */
void rec_window_measure(rec_window *w);

/* ---- what the worker is told ---- */

/* The scene, the viewport or the tone changed. */
void rec_window_want(rec_window *w);
/* Which pixel of the image is under the cursor. */
void rec_window_probe(rec_window *w);

/* ---- what is there ---- */

/* The grey levels that are shown black and white; 0: the tone has none. */
int rec_window_limits(const rec_window *w, rec_limits *limits);
SDL_Rect rec_window_histogram(const rec_window *w); /* its place; empty: it is not shown */

int rec_window_has_image(const rec_window *w); /* and an area to see it in */
int rec_window_is_over_area(const rec_window *w); /* the cursor is */

#endif
