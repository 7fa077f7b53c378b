/* The window: a reconstruction shown while it happens. The only user of SDL2. */
#pragma once

#include "job/jobs.h"

/* 1 when built with SDL2. */
int rec_view_available(void);

/* 1 when there is a display to open a window on (SDL_VIDEODRIVER counts: somebody asked for it). */
int rec_view_has_display(void);

/* Shows the inputs until the user leaves, or a signal comes (run.stop of the settings). Inputs may
 * be added meanwhile. What is left is saved; a signal writes the checkpoint instead.
 * REC_UNAVAILABLE without a display or without SDL2, naming --headless; otherwise the failure of
 * that checkpoint, else the first failure of opening, running or saving an input, or REC_OK. The
 * window shows such a failure and the other inputs stay in reach; it closes by itself only if the
 * one input there is cannot be opened. */
rec_status rec_view_show(rec_jobs *jobs, rec_error *error);
