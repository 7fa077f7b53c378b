/* The window: its state, its keys, and what its files share. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "view/draw/draw.h"
#include "view/view.h"

typedef struct rec_abilities { /* what a window has, for some of the keys */
    int slider, paint, output; /* output: a file of -o */
    int asks;                  /* whether to leave: only its answers count */
    int fills;                 /* what is painted is filled at once: no time passes */
} rec_abilities;

enum rec_plot_size { REC_PLOT_NONE, REC_PLOT_SMALL, REC_PLOT_LARGE, REC_PLOTS };
enum rec_drag {
    REC_DRAG_NOTHING,
    REC_DRAG_PICTURE,
    REC_DRAG_BRUSH,
    REC_DRAG_ERASER,
    REC_DRAG_SOURCE, /* of a clone, or where a healing takes from */
    REC_DRAG_DIVIDER,
    REC_DRAG_SLIDER,
    REC_DRAG_BLACK, /* the handles of the histogram */
    REC_DRAG_WHITE
};

typedef struct rec_watchdog {
    pthread_t thread, window_thread;
    pthread_mutex_t lock; /* of `ended`, and kept for ever by a watchdog that ends the process */
    pthread_cond_t woken;
    int ended;              /* the window has closed */
    atomic_int worker_runs; /* or has left */
    atomic_int connection;  /* to the compositor; -1: not Wayland */
    atomic_int lost;        /* the display is gone */
} rec_watchdog;

typedef struct rec_window {
    rec_jobs *jobs;
    rec_watchdog watchdog;
    SDL_Window *window;
    SDL_Renderer *renderer;
    rec_canvas canvas;
    rec_picture picture[REC_LAYERS];
    rec_bar bar;
    rec_slider slider;
    rec_worker *worker;
    rec_wanted wanted, told; /* told: what the worker knows of it */
    rec_view_state state; /* the newest from the worker */
    double desktop_scale; /* of text, in output pixels */
    int hidden;           /* minimised: nothing is drawn */
    int sized;            /* the first input or the user has given the window its size */
    int help;             /* the page that is shown, 0: none */
    int asks;             /* something is unsaved: what to do is asked, in place of the help */
    int plot;             /* rec_plot_size */
    int values;           /* the values of pixels are shown */
    rec_outline outline;  /* of the mask */
    int outlined;         /* it is shown */
    double last_x, last_y; /* where the last stroke ended, a point of the image, ... */
    size_t stroked;       /* ... of input stroked - 1; 0: there is none */
    int dirty;            /* what is on the screen is old */
    double text_time;     /* rec_now() of the last look at the numbers */
    double rest_time;     /* rec_now() when the worker was last seen at work */
    enum rec_drag drag;   /* what the mouse holds */
    SDL_Point mouse;      /* of the output; -1: it is not in the window */
    int held;             /* the scene + 1 that comes back when a key is let go; 0: none */
    int third_level;      /* the last key was pressed with AltGr */
    int dropped;          /* files of one drop so far */
    FILE *dialog;         /* the desktop's, which asks for a file; NULL: none */
    char name[4096];      /* of that file, as far as it is known; the bar's prompt: it is typed */
    unsigned frames;      /* snapshots of the scene since: */
    double frames_time, frame_rate; /* rec_now(); those a second, 0: not known */
} rec_window;

/* ---- opened and closed: window.c ---- */

/* REC_UNAVAILABLE; close it in any case. */
rec_status rec_window_open(rec_window *w, rec_error *error);
void rec_window_close(rec_window *w);

/* ---- the end, whatever the display does: watchdog.c ---- */

/* A signal ends the process, even if its display stalls, and so does a lost one. REC_LIMIT. */
rec_status rec_watchdog_start(rec_window *w, rec_error *error);
void rec_watchdog_end(rec_window *w);
/* The window is open: its connection is watched. */
void rec_watchdog_watch(rec_window *w);
/* 1 if the display is gone; then the process is about to end. */
int rec_watchdog_misses_display(rec_window *w);
/* How it all went, from the worker's status and message: also a lost display, or a signal. */
rec_status rec_window_conclude(rec_window *w, rec_status status, rec_error *error);

/* ---- what follows from the state: window.c ---- */

/* Output pixels for each of the window's own: 2 on many HiDPI displays. */
double rec_window_density(const rec_window *w);
int rec_window_divider(const rec_window *w); /* the left edge of its line, or the end */
/* Takes the output's size, and sets all that follows from it. */
void rec_window_measure(rec_window *w);
/* The window takes a size that suits the first input. */
void rec_window_suit_input(rec_window *w);

/* Tells the worker what the window wants to see, if that has changed: after each event, before a
 * request of the next one, and after each look at the worker's state. */
void rec_window_tell(rec_window *w);

/* The grey levels that are shown black and white; 0: the tone has none. */
int rec_window_limits(const rec_window *w, rec_limits *limits);
/* Their places; empty: it is not shown. In a narrow window the plot stands above the histogram;
 * without room for both there is only the plot. */
void rec_window_panels(const rec_window *w, SDL_Rect *histogram, SDL_Rect *plot);

int rec_window_has_image(const rec_window *w); /* and an area to see it in */
int rec_window_is_over_area(const rec_window *w); /* the cursor is */
rec_abilities rec_window_abilities(const rec_window *w);

/* ---- the keys: keys.c ---- */

/* One table for handling, help, manual page and tests. A new key is a row with its function. */
typedef enum rec_key_group { /* what a key is about: the parts of the help */
    REC_KEYS_SEE,
    REC_KEYS_MOVE,
    REC_KEYS_TIME,
    REC_KEYS_PAINT, /* a mask */
    REC_KEYS_FILES,
    REC_KEYS_LEAVE, /* answers */
    REC_KEY_GROUPS
} rec_key_group;

extern const char *const rec_key_groups[REC_KEY_GROUPS]; /* for people */

enum { REC_KEY_CODES = 4 }; /* keys of a row, at most */

typedef struct rec_key {
    Uint32 codes[REC_KEY_CODES]; /* SDL's; with bit 31 only together with Shift, with bit 29 only
                                    with Ctrl; or 0 */
    int repeats;         /* while it is held down */
    rec_key_group group; /* rows of a group stand together */
    const char *name;    /* of all its keys, for people */
    const char *help;    /* what it does; NULL: the row before says it */
    const char *painted; /* the same where something is painted; NULL: no other words */
    int argument;        /* of one of these: */
    void (*press)(rec_window *w, int argument);
    rec_act *act;        /* asked of the worker */
} rec_key;

extern const rec_key rec_keys[]; /* ends with a row of zeros */

static inline const char *rec_key_help(const rec_key *key, rec_abilities abilities)
{
    return abilities.paint && key->painted ? key->painted : key->help;
}

int rec_key_works(const rec_key *key, rec_abilities abilities); /* 0: it does nothing there */

/* The row of a key that went down; NULL: it has none, or it does not repeat. */
const rec_key *rec_keys_find(const SDL_KeyboardEvent *event, rec_abilities abilities);

/* 1: the picture as large as it can be; 0: 1:1, at the cursor. */
void rec_window_fit(rec_window *w, int fit);
void rec_window_size_brush(rec_window *w, int larger);
void rec_window_leave(rec_window *w, int argument); /* or asks */
/* Where a straight stroke to the pointer begins, on the output; 0: there was no stroke. */
int rec_window_last_stroke(const rec_window *w, SDL_Point *place);
/* At the cursor, or in the middle if it is elsewhere. */
void rec_window_zoom(rec_window *w, int way);
void rec_window_pan(rec_window *w, int x, int y); /* by (x, y) pixels */

/* ---- a file to open: open_file.c ---- */

void rec_window_ask_file(rec_window *w, int argument);
void rec_window_open_sample(rec_window *w, int argument);
void rec_window_accept_file(rec_window *w); /* the dialog's answer: to be called now and then */
/* 1: the event belongs to the name of a file, which is typed. */
int rec_window_type_name(rec_window *w, const SDL_Event *event);

/* ---- what the user does: window_input.c ---- */

void rec_window_handle(rec_window *w, const SDL_Event *event);

/* ---- drawn from the back to the front: window_draw.c ---- */

void rec_window_draw(rec_window *w);

/* The keys and what they do, over the picture: help.c. Draws page `page`, from 1, in as many
 * columns as the area has room for, and on several pages where that is not enough: the keys that
 * work. Returns how many pages there are: beyond them nothing is drawn. */
int rec_help_draw(const rec_canvas *canvas, rec_abilities abilities, int page);
/* The key whose row is at a point of that page; NULL: there is none. */
const rec_key *rec_help_find(const rec_canvas *canvas, rec_abilities abilities, int page,
                             SDL_Point point);
