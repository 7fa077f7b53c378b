/* Problems for the tests of solvers, and short ways to solve them. Everything asserts. */
#pragma once

#include "image/image.h"
#include "image/samples.h"
#include "problem/mask.h"
#include "run/run.h"
#include "solver/convolution/convolution.h"
#include "solver/type.h"
#include "tests/unit/support.h"

/* The boundaries of iterates, and that of limits alone. */
static const rec_boundary_kind kinds[] = {REC_BOUNDARY_HALO, REC_BOUNDARY_MIRROR, REC_BOUNDARY_WRAP,
                                          REC_BOUNDARY_SAWTOOTH, REC_BOUNDARY_CYLINDER};
enum { KINDS = 4, LIMIT_KINDS };

/* owned_solver *name: one that is destroyed where its block ends. */
#define owned_solver rec_owned_solver

#define owned_run __attribute__((cleanup(destroy_run))) rec_run
static inline void destroy_run(rec_run **run) { rec_run_destroy(*run); }

#define owned_mask __attribute__((cleanup(rec_mask_destroy))) rec_mask
rec_mask new_mask(size_t width, size_t height); /* with nothing unknown */

/* A picture, its edges, and what is known of it. */
typedef struct case_of {
    rec_image picture, edges, start;
    rec_image mass; /* where there is one */
    rec_mask mask;
    rec_problem problem;
} case_of;

/* The problem, whose pointers are set anew: the struct may have been copied. */
const rec_problem *problem_of(case_of *of);
void destroy_puzzle(case_of *of);
#define owned_puzzle __attribute__((cleanup(destroy_puzzle))) case_of

rec_stencil stencil_of(const char *text, size_t radius);
rec_operator filter_of(const char *stencil, size_t radius);

/* Integer samples within -amplitude..amplitude from a seeded generator. */
rec_image problem_noise(size_t width, size_t height, size_t planes, int amplitude, unsigned seed);

/* A smooth 8-bit picture with some texture: gradients, a disc, a little noise. */
rec_image problem_picture(size_t width, size_t height, size_t planes, unsigned seed);

rec_solver *solver_for(const rec_solver_type *type, const rec_problem *problem,
                       const rec_solver_options *options);
rec_solver *solver_make(const rec_solver_type *type, const rec_image *edges,
                        const rec_image *start, float halo);
/* With a kernel, or NULL for any; NULL where the kernel is not in this machine or build, or cannot
 * do the problem. */
rec_solver *solver_of_kernel(const char *name, const char *kernel, const rec_problem *problem);
rec_look solver_advance(rec_solver *solver, uint64_t n, unsigned looks);
rec_image solver_image(rec_solver *solver);
rec_image solver_image_at(rec_solver *solver, uint64_t iteration); /* after a jump there */

/* The RMS difference of the planes that differ most, without what no iteration changes: a mean
 * that is free, and where both sides are even and wrap the checkerboard. */
double worst_rms(const rec_image *a, const rec_image *b, rec_boundary_kind kind);

rec_solver_info info_of(const rec_solver *solver);

rec_run *run_make(const rec_run_options *options, const rec_image *edges, const rec_image *start);
rec_image run_image(rec_run *run);

/* The next snapshot, which must come within half a minute; of a view: begun before; of one in which
 * only an area has changed. */
const rec_snapshot *solver_poll(rec_solver *solver);
const rec_snapshot *solver_show(rec_solver *solver, const rec_view *view);
const rec_snapshot *solver_show_changed(rec_solver *solver, const rec_view *view,
                                        const rec_area *changed);

/* Both show the same of the view, range and pixels; returns the second's iterate. */
uint64_t assert_same_view(rec_solver *expected, rec_solver *found, const rec_view *view);

/* Pictures of any maxval, for solvers in double. */
typedef enum content { NOISE, SMOOTH, BLACK, WHITE, SLOPE, CONTENTS } content;
rec_image problem_content(content what, size_t width, size_t height, size_t planes, int maxval);

/* The edges of a picture with the boundary, and with a halo of 0 or another one. */
rec_image problem_edges(const rec_image *picture, rec_boundary_kind kind);
rec_image problem_edges_in(const rec_image *picture, rec_boundary_kind kind, float halo);

/* What both hold now is the same, bit for bit. */
void assert_same_iterate(rec_solver *expected, rec_solver *found, const char *what);

/* Norms to 1e-12, the rest exactly. */
void assert_same_look(const rec_look *expected, const rec_look *found, const char *what);

/* The iteration as it is specified, of any boundary, mask and operators, rounded to float32 as the
 * solvers' is, or in double; with the two iterates before it. */
typedef struct naive {
    const rec_problem *problem;
    int in_double;
    uint64_t done;
    double *m, *before, *older; /* planes with as many cells around each as stencils reach */
    double *f, *next, *memory;  /* the edges' part; scratch; where all of them are */
    long reach;
} naive;
naive naive_of(const rec_problem *problem, int in_double);
void naive_destroy(naive *p);
#define owned_naive __attribute__((cleanup(naive_destroy))) naive
void naive_iterate(naive *p, uint64_t n);
/* Where (x, y) of a plane is, which may be beside it. */
size_t naive_at(const naive *p, size_t plane, long x, long y);
rec_image naive_image(const naive *p);

/* The solver of that name; skips the test, with the reason, where it is not available. */
const rec_solver_type *solver_or_skip(const char *name);

/* A copy of a type, to change functions of it. */
typedef struct own_type {
    rec_solver_type type;
    rec_solver_memory memory;
    rec_solver_iterator iterate;
} own_type;
void own_type_make(own_type *own, const rec_solver_type *type);

/* Skips the test, with the reason, where the solver lacks that kernel. */
void kernel_or_skip(const char *name, const char *kernel);

/* The samples of an image, for a block. */
#define SAMPLES(image) ((const rec_samples[]){rec_samples_of_image(image)})
