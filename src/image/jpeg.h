/* What the files for JPEG share. */
#pragma once

#include "image/exif.h"

/* Takes pictures out of a marker, which would go on showing what was changed. *size: of the marker,
 * and what is left of it; 0: nothing. Returns what to call them, or NULL: there are none.
 * jpeg_previews.c */
const char *rec_previews_drop(int marker, unsigned char *data, size_t *size);
