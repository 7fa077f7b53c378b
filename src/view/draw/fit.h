/* How large a picture is shown in an area. */
#ifndef REC_VIEW_FIT_H
#define REC_VIEW_FIT_H

#include <stddef.h>

typedef struct rec_size {
    size_t width, height;
} rec_size;

/* The largest size of the picture's aspect inside the area, at least one pixel each way. */
rec_size rec_fit(rec_size picture, rec_size area);

/* The size of the part of the screen that a picture of that size asks for when its window opens: at
 * 1:1 when it is near `usual`, magnified by a whole number when it is small, reduced to `most` when
 * it is large. */
rec_size rec_fit_window(rec_size picture, rec_size usual, rec_size most);

#endif
