/* The plate of NVIDIA's tutorial on Jacobi's method: Laplace's equation on an N x N grid whose
 * rim is held at waves of sines. The unknowns are the (N-2)^2 cells inside; the rim enters
 * through the edges: E is minus the sum of a cell's neighbours on the rim, the halo is 0. So
 * every solver solves it. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/text.h"
#include "bench/bench.h"

#define TOLERANCE 1e-4
enum { PRINT_EVERY = 25 };

/* The rim at row i, column j of the whole grid: the rows win at the corners. */
static double rim(size_t side, size_t i, size_t j)
{
    const double turn = 8 * atan(1) / (double)(side - 1);
    if (i == 0 || i == side - 1)
        return (float)sin(turn * (double)j);
    if (j == 0 || j == side - 1)
        return (float)sin(turn * (double)i);
    return 0;
}

rec_status bench_plate(size_t side, uint64_t most, const rec_solver_type *type,
                       const rec_solver_options *options, rec_error *error)
{
    const size_t inside = side - 2;
    rec_owned_image edges = {0};
    rec_owned_image start = {0};
    rec_owned_solver *solver = NULL;
    rec_solver_info info;
    double norm = INFINITY;
    uint64_t done = 0;
    if (type->jumps)
        return rec_fail(error, REC_USAGE, "the plate needs a solver that iterates; %s goes to the "
                        "result at once", type->name);
    REC_TRY(rec_image_create(&edges, inside, inside, 1, error));
    REC_TRY(rec_image_create(&start, inside, inside, 1, error));
    for (size_t i = 1; i <= inside; i++)
        for (size_t j = 1; j <= inside; j++)
            rec_image_row(&edges, 0, i - 1)[j - 1] =
                (float)-(rim(side, i - 1, j) + rim(side, i + 1, j) + rim(side, i, j - 1) +
                         rim(side, i, j + 1));
    const rec_problem problem = {.input = &edges, .start = &start, .boundary.value = 0};
    REC_TRY(rec_solver_create(&solver, type, &problem, options, error));
    const double before = rec_now();
    while (norm > TOLERANCE && done < most) {
        rec_look look;
        if (rec_signal_received)
            return rec_fail(error, REC_SIGNALLED, "stopped by a signal");
        REC_TRY(rec_solver_advance(solver, 1, REC_LOOK_CHANGE, &look, error));
        /* The tutorial divides by all N^2 cells, the rim's among them. */
        norm = look.change_rms * (double)inside / (double)side;
        if (++done % PRINT_EVERY == 1)
            printf("%6" PRIu64 "  %.9g\n", done, norm);
    }
    const int reached = norm <= TOLERANCE;
    rec_solver_get_info(solver, &info);
    printf("plate %zu x %zu: %s after %" PRIu64 " iteration%s in %.3g s, norm %.9g (%s, %s, %s)\n",
           side, side, reached ? "reached 1e-4" : "stopped", done, rec_plural(done),
           rec_now() - before, norm, info.solver, info.kernel, info.costs.device);
    if (!reached)
        return rec_fail(error, REC_NO, "the plate did not converge: norm %.3g after %" PRIu64
                        " iterations, above the tolerance of 1e-4", norm, done);
    return REC_OK;
}
