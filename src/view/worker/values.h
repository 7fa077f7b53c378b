/* The values of the pixels that are seen, for numbers in them: where so few are seen that each has
 * room for one. */
#ifndef REC_VIEW_VALUES_H
#define REC_VIEW_VALUES_H

#include "view/worker/session.h"

enum { REC_MOST_VALUES = 6144 }; /* of all planes */

typedef struct rec_values {
    rec_scene scene;
    uint64_t iteration;         /* as snapshots have it */
    size_t x, y, width, height; /* of the image; 0 x 0: there are none */
    size_t planes;
    float value[REC_MOST_VALUES]; /* rows of the planes, one plane after the other */
} rec_values;

/* Those in the viewport: of what is shown, of the edges, or of the difference. */
rec_status rec_values_read(rec_values *values, rec_session *session, const rec_wanted *wanted,
                           rec_error *error);

#endif
