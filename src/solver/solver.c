/* The table of solvers, and the checks that all of them share. */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/trace.h"
#include "solver/type.h"

static const rec_solver_type *const types[] = {
#if REC_HAVE_CUDA
    &rec_solver_cuda,
#endif
    &rec_solver_cpu,       &rec_solver_reference,
#if REC_HAVE_SPECTRAL
    &rec_solver_spectral,
#endif
    &rec_solver_multigrid, NULL,
};
enum { TYPES = sizeof types / sizeof *types - 1 };

const rec_solver_type *rec_solver_at(size_t index) { return index < TYPES ? types[index] : NULL; }
const char *rec_solver_type_name(const rec_solver_type *type) { return type->name; }
const char *rec_solver_type_summary(const rec_solver_type *type) { return type->summary; }

const char *const *rec_solver_type_kernels(const rec_solver_type *type) { return type->kernels; }

int rec_solver_type_available(const rec_solver_type *type, rec_error *error)
{
    return type->available ? type->available(error) : 1;
}

const rec_solver_type *rec_solver_with_device(void) { return types[0]->prepare ? types[0] : NULL; }

static rec_status check_kernel(const rec_solver_type *type, const char *kernel, int stencil,
                               rec_error *error)
{
    char names[128];
    size_t count = 0;
    while (kernel && type->kernels[count] && strcmp(kernel, type->kernels[count]))
        count++;
    if (!kernel || type->kernels[count])
        return REC_OK;
    if (!count)
        return rec_fail(error, REC_USAGE, "the %s solver has no kernels to choose from",
                        type->name);
    return rec_fail(error, REC_USAGE, "the %s solver has no kernel '%s'%s; it has %s", type->name,
                    kernel, stencil ? " for a stencil" : "",
                    rec_list_words(names, sizeof names, "", type->kernels, count, ", "));
}

rec_status rec_solver_find(const char *name, const rec_solver_type **type, rec_error *error)
{
    const int any = !strcmp(name, "auto"); /* the cpu solver is available everywhere */
    *type = NULL;
    for (size_t i = 0; i < TYPES; i++) {
        if (!any && strcmp(name, types[i]->name))
            continue;
        if (rec_solver_type_available(types[i], any ? NULL : error) > 0) {
            *type = types[i];
            return REC_OK;
        }
        if (!any)
            return REC_UNAVAILABLE;
    }
    if (!REC_HAVE_CUDA && !strcmp(name, "cuda"))
        return rec_fail(error, REC_UNAVAILABLE,
                        "this program was built without CUDA; make CUDA=1 adds it; "
                        "--solver cpu works here");
    if (!REC_HAVE_SPECTRAL && !strcmp(name, "spectral"))
        return rec_fail(error, REC_UNAVAILABLE,
                        "the spectral solver needs FFTW or CUDA, and this program was built "
                        "without both");
    char list[128];
    const char *names[TYPES + 1] = {"auto"};
    for (size_t i = 0; i < TYPES; i++)
        names[i + 1] = types[i]->name;
    return rec_fail(error, REC_USAGE, "unknown solver '%s'; use %s", name,
                    rec_list_words(list, sizeof list, "", names, TYPES + 1, ", "));
}

static const rec_solver_type *type_for(const rec_solver_type *type, const rec_problem *problem)
{
    const rec_operator *operators = problem->operators;
    return operators && !(type->inverts && operators->is_inverse) ? type->convolution : type;
}

static int pays_on_device(const rec_solver_type *type, const rec_problem *problem,
                          const rec_solver_options *options)
{
    const rec_mask *mask = problem->mask;
    const rec_image *edges = problem->edges;
    const size_t pixels = mask ? mask->box_width * mask->box_height : edges->width * edges->height;
    const size_t samples = pixels * edges->planes;
    return samples >= type->device_samples.one ||
           (samples >= type->device_samples.each &&
            samples * options->problems >= type->device_samples.all);
}

/* The type itself, or of its two types the one that the kernel names; else a device's, if there is
 * one and it is faster. NULL: REC_UNAVAILABLE. */
static const rec_solver_type *choose(const rec_solver_type *type, const rec_problem *problem,
                                     const rec_solver_options *options, rec_error *error)
{
    const rec_solver_type *device = type->device;
    const int forced = options->kernel && !strcmp(options->kernel, "cuda");
    if (!type->host && !device)
        return type;
    if ((forced || (device && !options->kernel &&
                    (!type->host || pays_on_device(type, problem, options)))) &&
        (!device || !device->takes || device->takes(problem, error)) &&
        rec_device_available(options->devices[0], error))
        return device;
    if (!forced && !type->host)
        rec_fail(error, REC_UNAVAILABLE,
                 "this program was built without FFTW, which the %s solver needs on the CPU",
                 type->name);
    return forced ? NULL : type->host;
}

size_t rec_solver_type_memory(const rec_solver_type *type, const rec_problem *problem,
                              const rec_solver_options *options)
{
    type = type_for(type, problem);
    if (type && type->host && type->host->memory)
        type = choose(type, problem, options, NULL);
    return type && type->memory ? type->memory(problem, options) : 0;
}

int rec_solver_type_jumps(const rec_solver_type *type) { return type->look != NULL; }
int rec_solver_type_any_iterate(const rec_solver_type *type) { return type->any_iterate; }
int rec_solver_type_masks(const rec_solver_type *type) { return type->masks; }

const char *rec_solver_type_own_bits(const rec_solver_type *type, const char *kernel)
{
    const rec_solver_type *filters = type->convolution ? type->convolution : type;
    return kernel && filters->own_bits && !strcmp(kernel, filters->own_bits) ? kernel : NULL;
}

/* Known pixels have NaN for edges: the stencil solvers see the mask there. */
static rec_status fold(rec_problem *problem, int known, rec_image *folded, rec_error *error)
{
    const rec_image *edges = problem->edges;
    REC_TRY(rec_image_copy(folded, edges, error));
    rec_boundary_fold(problem->boundary.kind, folded);
    problem->edges = folded;
    problem->start = problem->start ? problem->start : edges;
    if (rec_boundaries[problem->boundary.kind].side)
        problem->boundary.value = 0;
    for (size_t y = 0; known && y < edges->height * edges->planes; y++)
        for (size_t x = 0; x < edges->width; x++)
            if (!problem->mask->unknown[y % edges->height * edges->width + x])
                folded->data[y * folded->stride + x] = NAN;
    return REC_OK;
}

static rec_status refuse_mask(const rec_solver_type *type, rec_error *error)
{
    char list[128];
    const char *names[TYPES];
    size_t count = 0;
    for (size_t i = 0; i < TYPES; i++)
        if (types[i]->masks)
            names[count++] = types[i]->name;
    return rec_fail(error, REC_USAGE, "the %s solver takes no mask; these do: %s", type->name,
                    rec_list_words(list, sizeof list, "", names, count, ", "));
}

/* *type: becomes that of its part that does convolutions, if the problem is one. */
static rec_status check_all(const rec_solver_type **type, const rec_problem *problem,
                            const char *kernel, rec_error *error)
{
    REC_TRY(rec_problem_check(problem, error));
    const char *name = (*type)->name;
    *type = type_for(*type, problem);
    if (!*type)
        return rec_fail(error, REC_UNAVAILABLE,
                        "the %s solver applies no stencils; cpu, cuda and reference do", name);
    if (problem->mask && !(*type)->masks)
        return refuse_mask(*type, error);
    return check_kernel(*type, kernel, problem->operators != NULL, error);
}

static rec_status make(rec_solver **solver, const rec_solver_type *type, const rec_problem *problem,
                       const rec_solver_options *options, rec_error *error)
{
    rec_solver *made;
    const double before = rec_now();
    type = choose(type, problem, options, error);
    if (!type)
        return REC_UNAVAILABLE;
    REC_TRY(rec_allocate(&made, 1, sizeof *made, "a solver", error));
    *made = (rec_solver){
        .type = type,
        .seconds_choosing = rec_now() - before,
        .width = problem->edges->width,
        .height = problem->edges->height,
        .planes = problem->edges->planes,
        .boundary = problem->boundary.kind,
        .above = problem->edges->above,
        .below = problem->edges->below,
        .starts = problem->start != NULL,
        .masked = problem->mask != NULL,
    };
    const rec_status status = rec_slabs_create(made, problem, options, error);
    if (status)
        rec_solver_destroy(made);
    else
        *solver = made;
    return status;
}

/* The memory and the plans are those that the problem takes, and nothing was shown of another
 * one. */
static int fits(const rec_solver *solver, const rec_solver_type *type, const rec_problem *problem)
{
    const rec_image *edges = problem->edges;
    const rec_solver_type *made = solver->type;
    return (made == type || made == type->host || made == type->device) && made->load &&
           solver->count == 1 && !problem->operators && !solver->display.memory &&
           !rec_image_is_part(edges) && solver->width == edges->width &&
           solver->height == edges->height && solver->planes == edges->planes &&
           solver->starts == (problem->start != NULL) && solver->masked == (problem->mask != NULL);
}

rec_status rec_solver_renew(rec_solver **solver, const rec_solver_type *type,
                            const rec_problem *problem, const rec_solver_options *options,
                            rec_error *error)
{
    const rec_solver_options defaults = {0};
    rec_problem given = *problem;
    rec_image folded = {0};
    options = options ? options : &defaults;
    rec_status status = check_all(&type, problem, options->kernel, error);
    given.boundary.value += 0.0f; /* -0 is +0 for every solver: kernels may make it by 0 * s */
    const int known = given.mask && !rec_solver_type_jumps(type);
    if (!status && (known || rec_boundaries[given.boundary.kind].side))
        status = fold(&given, known, &folded, error);
    status = rec_image_agree(problem->edges, status, error);
    given.in_place = given.in_place && !folded.data;
    const int kept = !status && *solver && fits(*solver, type, &given);
    if (kept)
        status = (*solver)->type->load((*solver)->state[0], &given, error);
    if (!kept || status) {
        rec_solver_destroy(*solver);
        *solver = NULL;
    }
    if (kept && !status) {
        (*solver)->iterations = 0;
        (*solver)->seconds_choosing = 0;
    }
    if (!kept && !status)
        status = make(solver, type, &given, options, error);
    rec_image_destroy(&folded);
    return status;
}

rec_status rec_solver_create(rec_solver **solver, const rec_solver_type *type,
                             const rec_problem *problem, const rec_solver_options *options,
                             rec_error *error)
{
    *solver = NULL;
    return rec_solver_renew(solver, type, problem, options, error);
}

void rec_solver_prepare(const rec_solver_type *type, const rec_solver_options *options)
{
    if (type->prepare)
        type->prepare(options);
}

void rec_solver_destroy(rec_solver *solver)
{
    if (!solver)
        return;
    rec_display_destroy(&solver->display);
    rec_slabs_destroy(solver);
    rec_free(solver);
}

static rec_status go_to(rec_solver *solver, uint64_t iteration, double seconds, int *reached,
                        rec_error *error)
{
    const rec_solver_type *type = solver->type;
    if (iteration != REC_LIMIT_ITERATION && !type->any_iterate)
        return rec_fail(error, REC_USAGE, "the %s solver has the limit alone, no iterates",
                        type->name);
    solver->iterations = iteration;
    *reached = 1;
    rec_trace_push(REC_TRACE_ITERATE, iteration);
    const rec_status status = type->jump(solver->state[0], iteration, seconds, reached, error);
    rec_trace_pop();
    return status;
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

rec_status rec_solver_change(rec_solver *solver, const rec_problem *problem, size_t x, size_t y,
                             size_t width, size_t height, rec_error *error)
{
    rec_problem given = *problem;
    rec_image folded = {0};
    rec_status status = REC_OK;
    if (rec_boundaries[given.boundary.kind].side)
        status = fold(&given, 0, &folded, error);
    if (!status)
        status = solver->type->change(solver->state[0], &given, x, y, width, height, error);
    rec_image_destroy(&folded);
    return status;
}

rec_status rec_solver_read_there(rec_solver *solver, size_t plane, float *values, size_t stride,
                                 void *stream, rec_error *error)
{
    rec_planes at;
    REC_TRY(rec_slabs_planes(solver, &at, error));
    return rec_device_copy(values, stride, at.m + plane * at.step, at.pitch, at.width, at.height,
                           at.on_device ? at.stream : stream, stream, error);
}

/* ---- what is shown: the display, with the planes of the current iterate ---- */

int rec_solver_type_shows(const rec_solver_type *type, rec_layer layer)
{
    return layer < REC_LAYERS && (type->shows >> rec_layers[layer].source & 1);
}

int rec_solver_shows(const rec_solver *solver, rec_layer layer)
{
    return rec_solver_type_shows(solver->type, layer) &&
           (rec_layers[layer].source != REC_SOURCE_REFERENCE || solver->display.reference);
}

/* rec_solver_NAME does what rec_display_NAME does. */
#define SHOW(name, parameters, ...) \
    rec_status rec_solver_##name parameters \
    { \
        rec_planes planes; \
        REC_TRY(rec_slabs_planes(solver, &planes, error)); \
        return rec_display_##name(&solver->display, &planes, __VA_ARGS__); \
    }
SHOW(mark, (rec_solver *solver, rec_error *error), error)
SHOW(set_reference, (rec_solver * solver, const rec_image *reference, int stays, rec_error *error),
     reference, stays, error)
SHOW(compare, (rec_solver *solver, double *mean_square, rec_error *error), mean_square, error)
SHOW(probe, (rec_solver *solver, size_t x, size_t y, rec_probe *probe, rec_error *error),
     x, y, probe, error)
SHOW(values, (rec_solver *solver, const rec_view *view, float *values, rec_error *error),
     view, values, error)
SHOW(snapshot, (rec_solver *solver, const rec_view *view, int *begun, rec_error *error),
     view, begun, error)

const rec_snapshot *rec_solver_poll(rec_solver *solver)
{
    return rec_display_poll(&solver->display);
}

void rec_solver_release(rec_solver *solver, const rec_snapshot *snapshot)
{
    rec_double_buffer_release(&solver->display.buffers, snapshot);
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
