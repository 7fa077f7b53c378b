/* The matrix of stencil solvers: every solver, kernel and cut into slabs (the ways) on one problem,
 * be it the five-point update, filters or the inverse of one. The reference has the bits of the
 * plain iteration; all others have bits and looks of the reference. A way that does not take a
 * problem refuses it. What the processor, the device or the build lacks is left out. Everything
 * asserts. */
#pragma once

#include "tests/unit/problems.h"

/* RECONSTRUCT_TESTS=small is for tools that make everything a hundred times slower. */
static inline int small(void) { return tests_are("small"); }

/* ---- ways ---- */

typedef struct way {
    const char *solver, *kernel;
    size_t slabs, devices;
} way;

enum { WAYS = 28 };
extern const way ways[WAYS]; /* the first is the reference */
#define ALL_WAYS NULL

/* A solver of that way; NULL where the way is not here, or refuses the problem, as it must. */
rec_solver *solver_by(const way *w, const rec_problem *problem);

/* ---- problems ---- */

rec_boundary_kind kind_named(const char *name);

/* Widths and heights at which strips, vectors, blocks, tiles, slabs and rows of memory begin and
 * end. */
enum { SIZES = 37 };
extern const size_t sizes[SIZES][2];

/* Each pixel is unknown with a probability of `percent`; at least one is, and one is not, unless
 * `percent` is above 100. */
rec_mask scattered(size_t width, size_t height, int percent, test_random *dice);

/* The edges of a picture, with a start. A moving boundary uses no constant: who reads it shows. */
case_of make_case(size_t width, size_t height, size_t planes, rec_boundary_kind kind, float halo,
                  unsigned seed);
/* With a mask, too: the start has the picture's samples at known pixels, and edges there mean
 * nothing. */
case_of make_masked(rec_mask mask, size_t planes, rec_boundary_kind kind);

/* ---- a row of the matrix: one problem, all ways ---- */

enum { BOTH = REC_LOOK_CHANGE | REC_LOOK_DISTANCE, QUICKLY = 4 /* without any look */ };
typedef struct step {
    uint64_t n;
    unsigned looks;
} step;

/* After one iteration, after many, and after many without a look; shorter and longer than an
 * exchange allows, and in every combination of looks. */
enum { ALL_LOOKS = 18 };
extern const step all_looks[ALL_LOOKS];

/* `only`: ways of that solver without slabs, or all. anew: after each step a new solver goes to the
 * same iterate at once, in its fastest way. Returns the ways that could, as bits. */
unsigned check_problem(const rec_problem *problem, const step *steps, size_t count, int anew,
                       const char *only);
unsigned check_case(case_of *of, int masked, int starts, const step *steps, size_t count, int anew,
                    const char *only);
