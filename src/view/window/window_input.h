/* What the user does with the window. */
#ifndef REC_VIEW_WINDOW_INPUT_H
#define REC_VIEW_WINDOW_INPUT_H

#include "view/window/window_state.h"

void rec_window_handle(rec_window *w, const SDL_Event *event);

#endif
