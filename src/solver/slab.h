/* A slab: consecutive rows of an image, which one state of a solver works on. Ghost rows above and
 * below it belong to its neighbours. They are copied from there every so many iterations; between
 * two such trades the ghost rows become wrong from the outside inwards, a row an iteration, so that
 * the slab's own rows always have the bits that a solver of the whole image gives them. A whole
 * image is one slab without neighbours. For the files of src/solver/ alone. */
#ifndef REC_SOLVER_SLAB_H
#define REC_SOLVER_SLAB_H

#include <stddef.h>

#include "base/ranks.h"

typedef struct rec_slab {
    size_t first, rows;  /* its own rows of the image, or of the part that this rank has */
    size_t above, below; /* ghost rows */
    int rank_above, rank_below; /* these are another rank's */
    int device;          /* that it is on, where the solver has devices */
} rec_slab;

/* What rows are of. */
typedef enum rec_field { REC_FIELD_PICTURE, REC_FIELD_TERMS /* -E / 4 */ } rec_field;

static inline size_t rec_slab_height(const rec_slab *slab) /* ghost rows included */
{
    return slab->above + slab->rows + slab->below;
}

#endif
