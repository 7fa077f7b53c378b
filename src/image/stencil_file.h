/* Reading a stencil: for stencil.c alone. */
#ifndef REC_IMAGE_STENCIL_FILE_H
#define REC_IMAGE_STENCIL_FILE_H

#include "image/stencil.h"

/* All but the name; see rec_stencil_make. */
rec_status rec_stencil_read(rec_stencil *stencil, const char *path, rec_error *error);

#endif
