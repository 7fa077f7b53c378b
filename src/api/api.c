/* The library's functions: they turn arrays and codes of the caller into problems for solvers. */
#include "api/api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/team.h"

_Static_assert((int)REC_CODE_MISSED == (int)REC_NO && (int)REC_CODE_USAGE == (int)REC_USAGE &&
                   (int)REC_CODE_INPUT == (int)REC_BAD_INPUT &&
                   (int)REC_CODE_UNAVAILABLE == (int)REC_UNAVAILABLE &&
                   (int)REC_CODE_FAULT == (int)REC_FAULT && (int)REC_CODE_MEMORY == (int)REC_LIMIT,
               "the codes are those of the program");

_Thread_local rec_error rec_api_failure;

/* ---- what belongs to the caller ---- */

rec_api_caller rec_api_enter(const rec_poisson *p)
{
    rec_api_caller before = {.locale = rec_use_plain_numbers(), .device = rec_device_current(),
                             .threads = rec_team_size()};
    failure.message[failure.advice = 0] = '\0';
    fegetenv(&before.arithmetic);
    fesetenv(FE_DFL_ENV);
    if (p && p->threads)
        rec_team_set_size(p->threads);
    return before;
}

/* Options of the command line are no advice to a program. */
int rec_api_leave(rec_api_caller before, rec_status status)
{
    failure.message[failure.advice] = '\0';
    rec_device_choose(before.device);
    uselocale(before.locale);
    fesetenv(&before.arithmetic);
    if (rec_team_size() != before.threads)
        rec_team_set_size(before.threads);
    return (int)status;
}

rec_status rec_api_check(const rec_poisson *p)
{
    const int foreign = p && p->device != REC_PROCESSOR && p->maker != getpid();
    return !p        ? rec_fail(&failure, REC_USAGE, "there is no solver")
           : foreign ? rec_fail(&failure, REC_UNAVAILABLE,
                                "a solver on a device works only in the process that made it")
                     : REC_OK;
}

void rec_api_copy(const rec_array *array, const rec_image *image, int out)
{
    for (size_t plane = 0; plane < image->planes; plane++)
        for (size_t y = 0; y < image->height; y++) {
            float *row = rec_image_row(image, plane, y);
            float *at = array->data + (ptrdiff_t)plane * array->plane + (ptrdiff_t)y * array->down;
            if (array->across == 1)
                memcpy(out ? at : row, out ? row : at, image->width * sizeof *row);
            for (size_t x = 0; array->across != 1 && x < image->width; x++, at += array->across)
                if (out)
                    *at = row[x];
                else
                    row[x] = *at;
        }
}

rec_status rec_api_resolve(const rec_array *array, size_t width, size_t height, rec_array *full)
{
    if (!array || !array->data)
        return rec_fail(&failure, REC_USAGE, "an array without samples");
    *full = *array;
    full->across = full->across ? full->across : 1;
    full->down = full->down ? full->down : (ptrdiff_t)width;
    full->plane = full->plane ? full->plane : (ptrdiff_t)(width * height);
    return REC_OK;
}

/* *on_device: it is in the memory of the solver's device, which a processor's does not ask for. */
static rec_status resolve(const rec_poisson *p, const rec_array *array, rec_array *full,
                          int *on_device)
{
    REC_TRY(rec_api_resolve(array, p->width, p->height, full));
    const int device = p->device != REC_PROCESSOR ? rec_device_of(array->data) : -1;
    *on_device = device >= 0;
    if (*on_device && device != p->device)
        return rec_fail(&failure, REC_USAGE, "the samples are on device %d, the solver is on %d",
                        device, p->device);
    if (*on_device && (full->across != 1 || full->down < (ptrdiff_t)p->width || full->plane < 0))
        return rec_fail(&failure, REC_USAGE, "samples on a device need across = 1, down of at "
                        "least the width, and plane above 0");
    return REC_OK;
}

/* ---- a problem ---- */

rec_status rec_api_boundary(const char *name, float value, rec_boundary *to)
{
    char names[REC_BOUNDARY_LIST];
    if (!(fabs((double)value) <= (double)(float)REC_MAX_MAGNITUDE))
        return rec_fail(&failure, REC_USAGE, "the value %g: it must be a number of at most %g in "
                        "magnitude", (double)value, REC_MAX_MAGNITUDE);
    while (to->kind < REC_BOUNDARIES && strcmp(rec_boundaries[to->kind].name, name))
        to->kind++;
    if (to->kind == REC_BOUNDARIES || !(rec_boundaries[to->kind].uses & rec_problem_use(NULL)))
        return rec_fail(&failure, REC_USAGE, "unknown boundary '%s'; use %s", name,
                        rec_boundary_list(names, rec_problem_use(NULL)));
    to->value = rec_boundary_has_constant(to->kind) ? value : 0;
    return REC_OK;
}

static rec_status create(rec_poisson *p, const char *boundary, float value)
{
    rec_boundary *to = &p->problem.boundary;
    REC_TRY(rec_api_boundary(boundary, value, to));
    to->mean_count = rec_boundary_frees_mean(to->kind);
    for (int i = 0; i < 3; i++)
        to->means[i] = (double)value;
    if (p->device != REC_PROCESSOR && !rec_device_available(p->device, &failure))
        return REC_UNAVAILABLE;
    if (p->device != REC_PROCESSOR)
        REC_TRY(rec_device_begin(p->device, &failure));
    const rec_status made =
        rec_image_create(&p->own[EDGES], p->width, p->height, p->planes, &failure);
    return made == REC_BAD_INPUT ? REC_USAGE : made;
}

API int rec_poisson_create(rec_poisson **made, size_t width, size_t height, size_t planes,
                           const char *boundary, float value, int device)
{
    const rec_api_caller before = rec_api_enter(NULL);
    rec_poisson *p = calloc(1, sizeof *p);
    rec_status status =
        !made || !boundary ? rec_fail(&failure, REC_USAGE, "the solver or the boundary is NULL")
        : !p               ? rec_fail(&failure, REC_LIMIT, "out of memory for a solver")
                           : REC_OK;
    if (!status) {
        *p = (rec_poisson){.width = width, .height = height, .planes = planes, .device = device,
                           .maker = getpid(), .shown = WAYS};
        status = create(p, boundary, value);
    }
    if (status)
        rec_poisson_destroy(p);
    if (made)
        *made = status ? NULL : p;
    return rec_api_leave(before, status);
}

API void rec_poisson_destroy(rec_poisson *p)
{
    if (!p)
        return;
    const int device = rec_device_current();
    for (int way = 0; way < WAYS; way++)
        rec_solver_destroy(p->solver[way]);
    for (int i = 0; i < IMAGES; i++)
        rec_image_destroy(&p->own[i]);
    rec_mask_destroy(&p->mask);
    rec_image_destroy(&p->mass);
    free(p);
    rec_device_choose(device);
}

/* The library's own memory is used for what a device's solver cannot read there. */
static rec_status load_array(rec_poisson *p, const rec_array *given, int which)
{
    rec_image *own = &p->own[which];
    rec_array array;
    int on_device;
    REC_TRY(resolve(p, given, &array, &on_device));
    if (on_device && !p->mask.unknown && !rec_boundaries[p->problem.boundary.kind].side &&
        (p->planes == 1 || array.plane == array.down * (ptrdiff_t)p->height)) {
        p->problem.on_device = 1;
        p->problem.stream = array.stream;
        p->used[which] = (rec_image){.width = p->width, .height = p->height, .planes = p->planes,
                                     .stride = (size_t)array.down, .data = array.data};
        return REC_OK;
    }
    if (!own->data)
        REC_TRY(rec_image_create(own, p->width, p->height, p->planes, &failure));
    for (size_t plane = 0; on_device && plane < p->planes; plane++)
        REC_TRY(rec_device_copy(rec_image_row(own, plane, 0), own->stride,
                                array.data + (ptrdiff_t)plane * array.plane, (size_t)array.down,
                                p->width, p->height, array.stream, array.stream, &failure));
    if (!on_device)
        rec_api_copy(&array, own, 0);
    p->used[which] = *own;
    for (size_t i = 0; p->mask.unknown && i < p->planes * p->height * p->width; i++) {
        float *sample = own->data + i / p->width * own->stride + i % p->width;
        if (p->mask.unknown[i % (p->height * p->width)] == (which == START) &&
            !(fabsf(*sample) <= (float)REC_MAX_MAGNITUDE))
            *sample = 0; /* it is not used, and may be no number */
    }
    if (!(rec_image_largest(own) <= (double)(float)REC_MAX_MAGNITUDE))
        return rec_fail(&failure, REC_BAD_INPUT,
                        "samples must be numbers of at most %g in magnitude", REC_MAX_MAGNITUDE);
    return REC_OK;
}

ENTRY(rec_poisson_load, (rec_poisson *p, const rec_array *edges, const rec_array *start),
      (p, edges, start))
{
    p->problem.input = p->problem.start = NULL;
    p->problem.on_device = p->loaded[ITERATES] = p->loaded[EXACT] = 0;
    p->shown = WAYS;
    REC_TRY(load_array(p, edges, EDGES));
    if (start)
        REC_TRY(load_array(p, start, START));
    rec_problem made = p->problem;
    made.start = start ? &p->used[START] : NULL;
    made.input = &p->used[EDGES];
    made.stays = p->mask.unknown && !made.on_device; /* until a solver is renewed */
    if (!made.on_device)
        REC_TRY(rec_problem_check(&made, &failure));
    if (!made.on_device && rec_problem_frees_mean(&made))
        REC_TRY(rec_check_balance(made.input, 1, &failure));
    p->problem = made;
    return REC_OK;
}

ENTRY(rec_poisson_mask_at, (rec_poisson *p, const unsigned char *unknown, ptrdiff_t across,
                            ptrdiff_t down), (p, unknown, across, down))
{
    p->problem.input = NULL;
    p->problem.mask = NULL;
    p->shown = WAYS;
    rec_mask_destroy(&p->mask);
    for (int way = 0; way < WAYS; way++) {
        rec_solver_destroy(p->solver[way]);
        p->solver[way] = NULL;
    }
    if (!unknown)
        return REC_OK;
    REC_TRY(rec_mask_create(&p->mask, p->width, p->height, &failure));
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++)
            p->mask.unknown[y * p->width + x] =
                unknown[(ptrdiff_t)y * down + (ptrdiff_t)x * across] != 0;
    rec_mask_measure(&p->mask);
    p->problem.mask = &p->mask;
    return REC_OK;
}

ENTRY_CALLS(rec_poisson_mask, (rec_poisson *p, const unsigned char *unknown, ptrdiff_t down),
            rec_poisson_mask_at_body(p, unknown, 1, down ? down : (ptrdiff_t)p->width))

/* ---- solving ---- */

/* The exact picture is approached to a tolerance. */
static int nears(const rec_poisson *p)
{
    return p->mask.unknown || (p->device == REC_PROCESSOR && !REC_HAVE_FFTW);
}

static rec_status prepare(rec_poisson *p, int way, double tolerance)
{
    const rec_solver_type *type;
    const int on_host = p->device == REC_PROCESSOR, by_steps = nears(p);
    const rec_solver_options options = {
        .devices = {on_host ? 0 : p->device},
        .kernel = way == ITERATES ? NULL : !on_host ? "cuda" : by_steps ? "host" : "fftw",
        .tolerance = tolerance};
    if (!p->problem.input)
        return rec_fail(&failure, REC_USAGE, "no edges were loaded");
    if (p->loaded[way])
        return REC_OK;
    REC_TRY(rec_solver_find(way == EXACT ? by_steps ? "multigrid" : "spectral"
                            : on_host    ? "cpu" : "cuda", &type, &failure));
    const rec_status status =
        rec_solver_renew(&p->solver[way], type, &p->problem, &options, &failure);
    p->loaded[way] = !status;
    if (status && p->shown == way) /* there is no solver any more */
        p->shown = WAYS;
    return status;
}

/* Looks at what is shown now. */
static rec_status show(rec_poisson *p, int way, double *distance)
{
    rec_look look = {.missed = 0};
    p->shown = way;
    if (distance || nears(p))
        REC_TRY(rec_solver_advance(p->solver[way], 0, REC_LOOK_DISTANCE, &look, &failure));
    if (distance)
        *distance = look.distance_rms;
    return look.missed ? rec_fail(&failure, REC_NO, "the distance is %g, above the tolerance",
                                  look.distance_max)
                       : REC_OK;
}

static rec_status watch(const rec_poisson *p, uint64_t done)
{
    return p->watch && p->watch(p->user, done)
               ? rec_fail(&failure, REC_STOPPED, "stopped by the caller")
               : REC_OK;
}

#define PATIENCE 0.05 /* seconds between two calls of the caller, about */

ENTRY(rec_poisson_iterate, (rec_poisson *p, uint64_t n, double *distance), (p, n, distance))
{
    uint64_t most = p->watch ? 32 : n;
    REC_TRY(prepare(p, ITERATES, 0));
    for (uint64_t done = 0, now; done < n; done += now) {
        const double before = rec_now();
        REC_TRY(watch(p, done));
        now = most < n - done ? most : n - done;
        REC_TRY(rec_solver_advance(p->solver[ITERATES], now, 0, NULL, &failure));
        if (rec_now() - before < PATIENCE)
            most *= 2;
    }
    return show(p, ITERATES, distance);
}

ENTRY(rec_poisson_solve, (rec_poisson *p, double tolerance, double *distance),
      (p, tolerance, distance))
{
    if (!(tolerance >= 0))
        return rec_fail(&failure, REC_USAGE, "the tolerance is %g; it must be at least 0",
                        tolerance);
    if (nears(p) && p->problem.input && !(tolerance > 0))
        tolerance = fmin(REC_USUAL_TOLERANCE, (p->mask.unknown ? 1e-6 : 1e-4) *
                                                  rec_problem_magnitude(&p->problem));
    if (nears(p) && tolerance != p->tolerance)
        p->loaded[EXACT] = 0;
    p->tolerance = tolerance;
    REC_TRY(prepare(p, EXACT, tolerance));
    REC_TRY(watch(p, 0));
    const int looks = p->watch && nears(p); /* at the caller now and then */
    for (int reached = !looks; !reached;) {
        const double before = rec_now();
        REC_TRY(rec_solver_solve(p->solver[EXACT], PATIENCE, &reached, &failure));
        if (!reached && rec_now() - before < PATIENCE)
            break; /* it comes no closer */
        REC_TRY(watch(p, 0));
    }
    if (!looks && (distance || !p->problem.on_device))
        REC_TRY(rec_solver_jump(p->solver[EXACT], REC_LIMIT_ITERATION, &failure));
    return show(p, EXACT, distance);
}

ENTRY(rec_poisson_read, (rec_poisson *p, const rec_array *given), (p, given))
{
    rec_owned_image copy = {0};
    rec_array array;
    int on_device;
    REC_TRY(resolve(p, given, &array, &on_device));
    if (p->shown == WAYS)
        return rec_fail(&failure, REC_USAGE, "there is no picture before iterate or solve");
    if (p->shown == EXACT && p->problem.on_device) { /* it is computed where it is wanted */
        const int fits = on_device &&
                         (p->planes == 1 || array.plane == array.down * (ptrdiff_t)p->height);
        p->problem.result = fits ? array.data : NULL;
        p->problem.result_stride = (size_t)array.down;
        p->problem.stream = on_device ? array.stream : p->problem.stream;
        p->loaded[EXACT] = 0;
        REC_TRY(prepare(p, EXACT, p->tolerance));
        p->loaded[EXACT] = 0; /* once: the memory is the caller's */
        p->problem.result = NULL;
        REC_TRY(rec_solver_jump(p->solver[EXACT], REC_LIMIT_ITERATION, &failure));
    }
    rec_solver *solver = p->solver[p->shown];
    const int direct = array.across == 1 && array.down >= (ptrdiff_t)p->width;
    for (size_t plane = 0; direct && plane < p->planes; plane++) {
        float *to = array.data + (ptrdiff_t)plane * array.plane;
        const size_t stride = (size_t)array.down;
        REC_TRY(on_device
                    ? rec_solver_read_there(solver, plane, to, stride, array.stream, &failure)
                    : rec_solver_read(solver, plane, 0, 0, p->width, p->height, to, stride,
                                      &failure));
    }
    if (direct)
        return REC_OK;
    REC_TRY(rec_solver_read_image(solver, &copy, &failure));
    rec_api_copy(&array, &copy, 1);
    return REC_OK;
}

API const char *rec_error_text(void) { return failure.message; }

API const char *rec_version_text(void) { return rec_version; }
