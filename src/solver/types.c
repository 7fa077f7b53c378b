/* The table of solvers, what each can do, and which type works on a problem. */
#include <string.h>

#include "base/team.h"
#include "base/text.h"
#include "solver/multigrid/multigrid.h"
#include "solver/spectral/spectral.h"

#if REC_HAVE_SPECTRAL
static int has_spectral(rec_error *error)
{
    return REC_HAVE_FFTW || rec_device_available(0, error);
}

/* On a device, or on the host. Many pictures share a device's start, unless each is too small to be
 * worth the copies. */
static const rec_solver_type spectral = {
    .takes = REC_INVERSES,
    .summary = "the limit itself, or any iterate, by the sine transform in double",
    .kernels = (const char *const[]){"cuda", "fftw", NULL},
    .available = has_spectral,
    .host = REC_HAVE_FFTW ? &rec_spectral_host : NULL,
    .device = REC_HAVE_CUDA ? &rec_spectral_cuda : NULL,
    .device_samples = {.each = 1 << 16, .per_thread = 7 << 20, .bytes = 13},
    REC_SPECTRAL_SHARED,
};
#endif

/* It does not iterate. A jump begins from the start; after a change, from the last picture. */
static const rec_solver_type multigrid = {
    .summary = "only the limit, on any mask, by conjugate gradients and multigrid",
    .kernels = (const char *const[]){"cuda", "host", NULL},
    .host = &rec_multigrid_host,
    .device = REC_HAVE_CUDA ? &rec_multigrid_cuda : NULL,
    .device_samples = {.per_thread = 3 << 19, .bytes = 40},
    .takes = REC_MASKS,
    REC_MULTIGRID_SHARED,
};

static const rec_solver_type *const types[] = {
#if REC_HAVE_CUDA
    &rec_solver_cuda,
#endif
    &rec_solver_cpu,       &rec_solver_reference,
#if REC_HAVE_SPECTRAL
    &spectral,
#endif
    &multigrid,            NULL,
};
enum { TYPES = sizeof types / sizeof *types - 1 };
#define WORTH_A_LOOK ((size_t)1 << 28) /* samples: fewer fit on usual devices */

const rec_solver_type *rec_solver_at(size_t index) { return index < TYPES ? types[index] : NULL; }

int rec_solver_type_available(const rec_solver_type *type, rec_error *error)
{
    return type->available ? type->available(error) : 1;
}

const rec_solver_type *rec_solver_with_device(void) { return types[0]->prepare ? types[0] : NULL; }

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
                        "this program was built without CUDA\vmake CUDA=1 adds it; "
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
    const int inverts = operators && operators->is_inverse && type->takes & REC_INVERSES;
    return operators && !inverts ? type->convolution : type;
}

size_t rec_samples_of(const rec_problem *problem)
{
    const rec_mask *mask = problem->mask;
    const rec_image *edges = problem->input;
    const size_t pixels = mask ? mask->box.width * mask->box.height : edges->width * edges->height;
    return pixels * edges->planes;
}

/* While a device starts, the host solves problems that are the larger the more threads it has. A
 * window's device has started, mostly. */
static int pays_on_device(const rec_solver_type *type, size_t samples,
                          const rec_solver_options *options)
{
    const size_t threads = options->shown ? 0 : rec_team_size();
    return samples >= type->device_samples.each &&
           samples * rec_larger(options->problems, 1) >=
               type->device_samples.per_thread * (threads + 2);
}

const rec_solver_type *rec_solver_type_choose(const rec_solver_type *type,
                                              const rec_problem *problem, size_t samples,
                                              const rec_solver_options *options, rec_error *error)
{
    const rec_solver_type *device = type->device;
    const int forced = options->kernel && !strcmp(options->kernel, "cuda");
    if (!type->host && !device)
        return type;
    if ((forced || (device && !options->kernel &&
                    (!type->host || pays_on_device(type, samples, options)))) &&
        (!device || !device->memory->applicable || device->memory->applicable(problem, error)) &&
        rec_device_available(options->devices[0], error))
        return device;
    if (!forced && !type->host)
        rec_fail(error, REC_UNAVAILABLE,
                 "this program was built without FFTW, which the %s solver needs on the CPU",
                 type->name);
    return forced ? NULL : type->host;
}

/* The host takes over what is too large for a device that nobody named. */
int rec_solver_type_falls_back(const rec_solver_type *type, const rec_solver_options *options)
{
    return type->host && type->host->memory->bytes && !options->kernel && !options->device_count;
}

size_t rec_solver_type_memory(const rec_solver_type *type, const rec_problem *problem,
                              const rec_solver_options *options)
{
    type = type_for(type, problem);
    const rec_solver_type *chosen = type;
    const size_t samples = rec_samples_of(problem);
    rec_device first;
    size_t count;
    if (type && type->host && type->host->memory->bytes)
        chosen = rec_solver_type_choose(type, problem, samples, options, NULL);
    if (chosen && chosen != type && chosen == type->device &&
        rec_solver_type_falls_back(type, options) && samples > WORTH_A_LOOK &&
        !rec_devices(&first, 1, 1, &count, NULL) && count &&
        samples > first.available / type->device_samples.bytes)
        chosen = type->host;
    const rec_solver_memory *memory = chosen ? chosen->memory : NULL;
    return memory && memory->bytes ? memory->bytes(problem, options) : 0;
}

int rec_solver_type_shows(const rec_solver_type *type, rec_layer layer)
{
    return layer < REC_LAYERS && (type->shows >> rec_layers[layer].source & 1);
}

/* ---- for a problem ---- */

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

rec_status rec_solver_type_check(const rec_solver_type **type, const rec_problem *problem,
                                 const char *kernel, rec_error *error)
{
    REC_TRY(rec_problem_check(problem, error));
    const char *name = (*type)->name, *names[TYPES];
    char list[128];
    size_t count = 0;
    *type = type_for(*type, problem);
    if (!*type)
        return rec_fail(error, REC_UNAVAILABLE,
                        "the %s solver applies no stencils; cpu, cuda and reference do", name);
    for (size_t i = 0; i < TYPES; i++)
        if (types[i]->takes & REC_MASKS)
            names[count++] = types[i]->name;
    if (problem->mask && !((*type)->takes & REC_MASKS))
        return rec_fail(error, REC_USAGE, "the %s solver takes no mask; these do: %s",
                        (*type)->name, rec_list_words(list, sizeof list, "", names, count, ", "));
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    if (boundary->uses == REC_FOR_LIMITS && !(*type)->jumps)
        return rec_fail(error, REC_USAGE, "the boundary %s is for edits and exact pictures, and "
                        "the %s solver iterates", boundary->name, (*type)->name);
    if (problem->mass && !(*type)->jumps)
        return rec_fail(error, REC_USAGE, "the %s solver iterates, and no iteration keeps colours",
                        (*type)->name);
    return check_kernel(*type, kernel, problem->operators != NULL, error);
}
