/* The window: a reconstruction shown while it happens. The only user of SDL2. */
#pragma once

#include "job/jobs.h"

/* 1 if there is a display for a window, or if SDL_VIDEODRIVER is set. */
int rec_view_has_display(void);

/* Shows the inputs until the user leaves, or a signal comes (rec_is_stopped). Inputs may
 * be added meanwhile. On leaving, results are saved; after a signal, or where the display goes
 * away, the checkpoint is written instead, and the process may end in here: a display may keep the
 * caller's thread for ever. REC_UNAVAILABLE without a display or without SDL2, naming --headless;
 * otherwise the failure of that checkpoint, else the first failure of opening, running or saving an
 * input, else REC_SIGNALLED or REC_OK. The window shows a failure, and the other inputs stay in
 * reach; it closes by itself only if its only input cannot be opened. */
rec_status rec_view_show(rec_jobs *jobs, rec_error *error);
