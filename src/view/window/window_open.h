/* The window itself: SDL, the display, the renderer, opened and closed. */
#ifndef REC_VIEW_WINDOW_OPEN_H
#define REC_VIEW_WINDOW_OPEN_H

#include "view/window/window_state.h"

enum {
    REC_USUAL_SIDE = 768,  /* of the picture, before the first input is known and for small ones */
    REC_LEAST_WIDTH = 480, /* of the window: room for the most important numbers */
    REC_LEAST_HEIGHT = 200
};

/* Hidden, and with its text, but not measured. REC_UNAVAILABLE; close it in any case. */
rec_status rec_window_open(rec_window *w, rec_error *error);
void rec_window_close(rec_window *w);

void rec_window_drop_pictures(rec_window *w);

#endif
