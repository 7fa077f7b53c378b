/* Saving by key: into the current folder, under names that nothing has yet. */
#ifndef REC_VIEW_SAVE_H
#define REC_VIEW_SAVE_H

#include <stdint.h>

#include "base/status.h"
#include "image/image.h"
#include "view/worker/scene.h"
#include "view/worker/session.h"

typedef struct rec_save_names {
    char view[512];   /* NAME-ITERATION-view.pgm, or .ppm; NAME-limit-view.pgm of the limit */
    char result[512]; /* NAME-ITERATION.pfm */
} rec_save_names;

/* NAME is the input's, without folders and ending; -2, -3, ... is added to both names while either
 * is taken. REC_NO_OUTPUT when no name is free or it would be too long. */
rec_status rec_save_find_names(rec_save_names *names, const char *input, uint64_t iteration,
                               size_t planes, rec_error *error);

/* What the window shows, zoomed and toned and coloured as it is there, as an image of bytes which
 * this call creates; magnified by nothing: a pixel of the image is one. REC_UNAVAILABLE for a scene
 * that has nothing to show now. Nobody else may poll the solvers meanwhile. */
rec_status rec_save_make_view(rec_session *session, const rec_wanted *wanted, rec_image *view,
                              rec_error *error);

/* Writes both; the view's samples are already in 0..255. */
rec_status rec_save_write(const rec_save_names *names, const rec_image *view,
                          const rec_image *result, rec_error *error);

#endif
