/* The specification: the serial Jacobi iteration, one pixel after the other, with nothing done for
 * speed. Every other stencil solver must give these bits. */
#include <stdlib.h>

#include "kernels/stencil.h"
#include "solver/cpu/host.h"

/* out = J(in). The cells around the plane hold the halo, so that no pixel is a special case. */
static void iterate_rows(const rec_plane *out, const rec_plane *in, const float *f, size_t width,
                         size_t first, size_t end)
{
    for (size_t y = first; y < end; y++) {
        const float *row = in->cells + y * in->stride;
        const float *up = row - in->stride, *down = row + in->stride, *term = f + y * in->stride;
        float *next = out->cells + y * out->stride;
        for (ptrdiff_t x = 0; x < (ptrdiff_t)width; x++)
            next[x] = rec_update(up[x], row[x - 1], row[x + 1], down[x], term[x]);
    }
}

static rec_status create(void **state, const rec_problem *problem, const rec_slab *slab,
                         const rec_solver_options *options, rec_error *error)
{
    (void)options;
    rec_host *host = calloc(1, sizeof *host);
    if (!host)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    const rec_status status = rec_host_create(host, problem, slab, iterate_rows, 1, error);
    if (status)
        free(host);
    else
        *state = host;
    return status;
}

static void get_info(const void *state, rec_solver_info *info)
{
    rec_host_get_info(state, info);
    info->kernel = "serial";
}

const rec_solver_type rec_solver_reference = {
    .name = "reference",
    .summary = "the specification: serial C, pixel by pixel",
    .kernels = (const char *const[]){NULL},
    .layers = REC_ALL_LAYERS,
    .create = create,
    .load = rec_host_load,
    .destroy = rec_host_free,
    .get_info = get_info,
    .advance = rec_host_advance,
    .distance = rec_host_distance,
    .collect = rec_host_collect,
    .trade = rec_host_trade,
    .planes = rec_host_planes,
    .convolution = &rec_convolution_reference,
};
