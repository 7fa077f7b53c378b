/* What all solvers share: creation, jumps, and what is shown. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/trace.h"
#include "problem/guidance.h"
#include "solver/type.h"

/* Known pixels have NaN for edges: the stencil solvers see the mask there. */
static rec_status fold(rec_problem *problem, int known, rec_image *folded, rec_error *error)
{
    const rec_image *edges = problem->input;
    REC_TRY(rec_image_copy(folded, edges, error));
    rec_boundary_fold(problem->boundary.kind, folded);
    problem->input = folded;
    problem->start = problem->start ? problem->start : edges;
    if (rec_boundaries[problem->boundary.kind].side)
        problem->boundary.value = 0;
    for (size_t y = 0; known && y < edges->height * edges->planes; y++)
        for (size_t x = 0; x < edges->width; x++)
            if (!problem->mask->unknown[y % edges->height * edges->width + x])
                folded->data[y * folded->stride + x] = NAN;
    return REC_OK;
}

static rec_status make(rec_solver **solver, const rec_solver_type *type, const rec_problem *problem,
                       const rec_solver_options *options, rec_error *error)
{
    rec_solver *made;
    rec_error own = {0};
    REC_OWNED(rec_parts_destroy) rec_parts parts = {0};
    const double before = rec_now();
    error = error ? error : &own; /* a refusal becomes a note */
    REC_TRY(rec_parts_create(&parts, type->host ? type->host : type, problem, error));
    const rec_solver_type *chosen =
        rec_solver_type_choose(type, problem, rec_parts_samples(&parts), options, error);
    if (!chosen)
        return REC_UNAVAILABLE;
    REC_TRY(rec_allocate(&made, 1, sizeof *made, "a solver", error));
    *made = (rec_solver){.type = chosen,
                         .seconds_choosing = chosen == type ? 0 : rec_now() - before,
                         .width = problem->input->width, .height = problem->input->height,
                         .planes = problem->input->planes, .boundary = problem->boundary.kind,
                         .above = problem->input->above, .below = problem->input->below,
                         .starts = problem->start != NULL, .masked = problem->mask != NULL,
                         .tolerance = options->tolerance};
    made->parts = parts;
    parts.at = NULL;
    if (!(chosen->takes & REC_PARTS))
        rec_parts_destroy(&made->parts);
    const rec_problem first = rec_parts_now(&made->parts);
    rec_status status = rec_slabs_create(made, &first, options, error);
    if (!status) {
        *solver = made;
        return REC_OK;
    }
    rec_solver_destroy(made);
    if (status != REC_LIMIT || chosen == type || chosen != type->device ||
        !rec_solver_type_falls_back(type, options) ||
        type->host->memory->bytes(problem, options) > rec_memory_available())
        return status;
    const rec_error refusal = *error;
    rec_solver_options by_host = *options;
    by_host.kernel = type->host->kernels[0];
    REC_TRY(make(solver, type, problem, &by_host, error));
    snprintf((*solver)->note, sizeof made->note, "the processor solves it: %.*s",
             (int)refusal.advice, refusal.message);
    return REC_OK;
}

/* The memory and the plans are those that the problem takes, and nothing was shown of another
 * one. */
static int fits(const rec_solver *solver, const rec_solver_type *type, const rec_problem *problem,
                double tolerance)
{
    const rec_image *edges = problem->input;
    const rec_solver_type *made = solver->type;
    return (made == type || made == type->host || made == type->device) && made->memory->load &&
           solver->count == 1 && !problem->operators && !solver->display.compute &&
           !rec_image_is_part(edges) && solver->width == edges->width &&
           solver->height == edges->height && solver->planes == edges->planes &&
           solver->starts == (problem->start != NULL) &&
           solver->masked == (problem->mask != NULL) &&
           (made->jumps != REC_TO_LIMIT || solver->tolerance == tolerance);
}

static rec_status load(rec_solver *solver, const rec_problem *problem, rec_error *error)
{
    rec_parts_destroy(&solver->parts);
    REC_TRY(rec_parts_create(&solver->parts, solver->type, problem, error));
    const rec_problem first = rec_parts_now(&solver->parts);
    solver->iterations = 0;
    solver->renewed = 1;
    solver->measures = 0;
    solver->bound = rec_bound_of(&first);
    return solver->type->memory->load(solver->state[0], &first, error);
}

rec_status rec_solver_renew(rec_solver **solver, const rec_solver_type *type,
                            const rec_problem *problem, const rec_solver_options *options,
                            rec_error *error)
{
    rec_problem solved = *problem;
    rec_owned_image folded = {0};
    options = options ? options : &(const rec_solver_options){0};
    rec_status status = rec_solver_type_check(&type, problem, options->kernel, error);
    solved.boundary.value += 0.0f; /* -0 is +0 for every solver: kernels may make it by 0 * s */
    const int known = solved.mask && !type->jumps;
    if (!status && (known || rec_boundaries[solved.boundary.kind].side))
        status = fold(&solved, known, &folded, error);
    status = rec_image_agree(problem->input, status, error);
    solved.in_place = solved.in_place && !folded.data;
    solved.stays = solved.stays && !folded.data;
    const int kept = !status && *solver && fits(*solver, type, &solved, options->tolerance);
    if (kept)
        status = load(*solver, &solved, error);
    if (kept && !status)
        return REC_OK;
    rec_solver_destroy(*solver);
    *solver = NULL;
    return status ? status : make(solver, type, &solved, options, error);
}

rec_status rec_solver_create(rec_solver **solver, const rec_solver_type *type,
                             const rec_problem *problem, const rec_solver_options *options,
                             rec_error *error)
{
    *solver = NULL;
    return rec_solver_renew(solver, type, problem, options, error);
}

void rec_solver_destroy(rec_solver *solver)
{
    if (!solver)
        return;
    rec_display_destroy(&solver->display);
    rec_limits_destroy(solver);
    rec_slabs_destroy(solver);
    rec_free(solver);
}

static rec_status go_to(rec_solver *solver, uint64_t iteration, double seconds, int *reached,
                        rec_error *error)
{
    const rec_solver_type *type = solver->type;
    if (iteration != REC_LIMIT_ITERATION && type->jumps != REC_ANYWHERE)
        return rec_fail(error, REC_USAGE, "the %s solver gives only the limit, no iterates",
                        type->name);
    solver->iterations = iteration;
    *reached = 1;
    REC_TRACE("iterate", iteration);
    return rec_parts_jump(solver, iteration, seconds, reached, error);
}

rec_status rec_solver_jump(rec_solver *solver, uint64_t iteration, rec_error *error)
{
    int reached;
    return go_to(solver, iteration, INFINITY, &reached, error);
}

rec_status rec_solver_solve(rec_solver *solver, double seconds, int *reached, rec_error *error)
{
    return go_to(solver, REC_LIMIT_ITERATION, seconds, reached, error);
}

rec_status rec_solver_change(rec_solver *solver, const rec_problem *problem, rec_area area,
                             rec_error *error)
{
    rec_problem solved = *problem;
    rec_owned_image folded = {0};
    if (rec_boundaries[solved.boundary.kind].side)
        REC_TRY(fold(&solved, 0, &folded, error));
    return rec_parts_change(solver, &solved, area, error);
}

rec_status rec_solver_read_there(rec_solver *solver, size_t plane, float *values, size_t stride,
                                 void *stream, rec_error *error)
{
    rec_planes at;
    REC_TRY(rec_slabs_planes(solver, &at, error));
    return rec_device_copy(values, stride, at.m + plane * at.step, at.pitch, at.width, at.height,
                           at.on_device ? at.stream : stream, stream, error);
}

/* ---- the forward operator: what a picture's edges are ---- */

rec_status rec_make_edges(const rec_image *picture, const rec_problem *problem, rec_image *made,
                          rec_error *error)
{
    const rec_boundary *boundary = &problem->boundary;
    rec_problem filtering = *problem;
    const rec_solver_type *type;
    rec_owned_solver *solver = NULL;
    if (!problem->operators)
        return rec_laplacian(picture, boundary->kind, boundary->value, made, error);
    filtering.input = picture;
    REC_TRY(rec_solver_find("cpu", &type, error));
    REC_TRY(rec_solver_create(&solver, type, &filtering, NULL, error));
    REC_TRY(rec_solver_advance(solver, 1, 0, NULL, error)); /* applies them in turn */
    return rec_solver_read_image(solver, made, error);
}

/* ---- what is shown ---- */

int rec_solver_shows(const rec_solver *solver, rec_layer layer)
{
    return rec_solver_type_shows(solver->type, layer) &&
           (rec_layers[layer].source != REC_SOURCE_REFERENCE || solver->display.reference);
}

/* ---- devices ---- */

void rec_devices_share(rec_solver_options *options)
{
    rec_device devices[REC_MOST_DEVICES];
    uint64_t mine[REC_MOST_DEVICES] = {0};
    const int given = options->device_count > 0;
    size_t count, index;
    if (rec_devices(devices, REC_MOST_DEVICES, 0, &count, NULL))
        count = 0;
    if (count > REC_MOST_DEVICES)
        count = REC_MOST_DEVICES;
    for (size_t i = 0; !given && i < count; i++)
        options->devices[options->device_count++] = (int)i;
    for (size_t i = 0; i < options->device_count; i++)
        mine[i] = (size_t)options->devices[i] < count ? devices[options->devices[i]].id : 0;
    const size_t ranks = rec_ranks_alike(mine, sizeof mine, &index);
    const size_t all = options->device_count;
    if (!all)
        return;
    const size_t first = all >= ranks ? all * index / ranks : index % all;
    options->device_count = all >= ranks ? all * (index + 1) / ranks - first : 1;
    memmove(options->devices, options->devices + first,
            options->device_count * sizeof *options->devices);
    options->shares_device = index >= all;
}
