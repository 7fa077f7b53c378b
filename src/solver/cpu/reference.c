/* The specification: the serial Jacobi iteration, one pixel after the other, with nothing done for
 * speed. Every other stencil solver must give these bits. */
#include "solver/cpu/host.h"

/* out = J(in). The cells around the plane hold the halo, so that no pixel is a special case. */
static void iterate_rows(float *out, const float *in, const float *f, size_t stride, size_t width,
                         size_t first, size_t end)
{
    for (size_t y = first; y < end; y++) {
        const float *row = in + y * stride, *up = row - stride, *down = row + stride;
        const float *term = f + y * stride;
        float *next = out + y * stride;
        for (ptrdiff_t x = 0; x < (ptrdiff_t)width; x++)
            next[x] = rec_is_known(term[x])
                          ? row[x]
                          : rec_update(up[x], row[x - 1], row[x + 1], down[x], term[x]);
    }
}

static rec_status reference_create(void *state, const rec_problem *problem, const rec_slab *slab,
                                   const rec_solver_options *options, rec_error *error)
{
    return rec_host_create(state, problem, slab, "serial", iterate_rows, 1, error);
}

const rec_solver_type rec_solver_reference = {
    .name = "reference",
    .summary = "the specification: serial C, pixel by pixel",
    .kernels = (const char *const[]){NULL},
    .convolution = &rec_convolution_reference,
    REC_HOST_FUNCTIONS(rec_host, reference_create, rec_host_destroy, rec_host_advance),
};
