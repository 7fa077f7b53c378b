/* Pictures, their edges, and questions of the tests of the spectral solver. Everything asserts. */
#pragma once

#include "tests/unit/problems.h"

/* RECONSTRUCT_TESTS=full runs the large sizes too. */
int full(void);

typedef enum content { NOISE, SMOOTH, BLACK, WHITE, SLOPE, CONTENTS } content;

rec_image make_picture(content what, size_t width, size_t height, size_t planes, int maxval);

rec_image edges_of(const rec_image *picture, float halo);
