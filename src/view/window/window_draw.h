/* All of the window, drawn from the back to the front. */
#ifndef REC_VIEW_WINDOW_DRAW_H
#define REC_VIEW_WINDOW_DRAW_H

#include "view/window/window_state.h"

void rec_window_draw(rec_window *w);

#endif
