/* The sample image, which comes with the program. */
#ifndef REC_VIEW_SAMPLE_H
#define REC_VIEW_SAMPLE_H

#include <stddef.h>

/* Its path, where the program was installed or built; 0: it is not there. */
int rec_sample_find(char *path, size_t size);

#endif
