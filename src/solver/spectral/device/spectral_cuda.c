/* The spectral solver on a CUDA device, on the plan of spectral_host.c: solving. */
#include "solver/spectral/device/spectral_cuda.h"

#include <math.h>

static rec_device_rows doubles_of(const rec_cuda_spectral *e)
{
    return (rec_device_rows){.cells = e->plane, .pitch = e->double_pitch, .count = e->rows,
                             .width = e->shape->width};
}

static double *kept(const rec_cuda_spectral *e, size_t i)
{
    return e->room.block[REC_MEMORY_KEPT + i];
}

static rec_device_rows columns_at(const rec_cuda_spectral *e, double *modes)
{
    return (rec_device_rows){.cells = modes, .pitch = e->column_pitch, .count = e->shape->width,
                             .width = e->shape->height};
}

static rec_device_rows floats_of(const rec_cuda_spectral *e, int buffer, size_t plane)
{
    float *floats = buffer == REC_MEMORY_EDGES    ? e->edges
                    : buffer == REC_MEMORY_RESULT ? e->result
                                                  : e->room.block[buffer];
    return (rec_device_rows){.floats = floats + plane * e->rows * e->pitch, .pitch = e->pitch,
                             .count = e->rows, .width = e->shape->width};
}

/* to = scale * transforms of the rows of `from`, or `back`, + offset. */
static cudaError_t transform_rows(const rec_cuda_spectral *e, int which, int back,
                                  const rec_device_rows *to, const rec_device_rows *from,
                                  double scale, double offset)
{
    const rec_device_transform *along = &e->along[which];
    return rec_launch_rows(&along->axis, back, to, from, scale, offset,
                           e->room.block[REC_MEMORY_COMPLEX], along->pairs, e->room.stream);
}

static cudaError_t turn(const rec_cuda_spectral *e, const rec_device_rows *to,
                        const rec_device_rows *from)
{
    return rec_launch_transpose(to->cells, to->pitch, from->cells, from->pitch, from->width,
                                from->count, e->room.stream);
}

static cudaError_t wait_for_all(const rec_cuda_spectral *e)
{
    cudaError_t result = cudaSuccess;
    for (size_t i = 0; i < e->parts; i++) {
        const rec_room *room = &e->part[i]->room;
        REC_FIRST_FAILURE(cudaSetDevice(room->device));
        REC_FIRST_FAILURE(cudaEventRecord(room->event[REC_ENDED], room->stream));
    }
    for (size_t i = 0; i < e->parts; i++)
        for (size_t k = 0; k < e->parts; k++)
            if (i != k)
                REC_FIRST_FAILURE(cudaStreamWaitEvent(e->part[i]->room.stream,
                                                      e->part[k]->room.event[REC_ENDED], 0));
    return result;
}

/* Queues that each part gets what the others made in a stage of the columns. */
static cudaError_t share(const rec_cuda_spectral *e, int stage)
{
    cudaError_t result = wait_for_all(e);
    for (size_t i = 0; i < e->parts; i++) {
        const rec_cuda_spectral *to = e->part[i];
        REC_FIRST_FAILURE(cudaSetDevice(to->room.device));
        for (size_t k = 0; k < e->parts; k++) {
            const rec_device_columns *from = &e->part[k]->columns;
            double *pieces[2];
            const size_t bytes = sizeof(double) * rec_columns_shared(from, stage, pieces);
            for (int j = 0; j < 2 && i != k && pieces[j]; j++)
                REC_FIRST_FAILURE(
                    cudaMemcpyAsync(to->columns.scratch + (pieces[j] - from->scratch), pieces[j],
                                    bytes, cudaMemcpyDefault, to->room.stream));
        }
    }
    REC_FIRST_FAILURE(wait_for_all(e)); /* the next stage overwrites what was copied */
    return result;
}

/* Rows of another width than the picture's end in a column with charges (spectral_columns.cu). */
static rec_status solve_limit(const rec_cuda_spectral *e, size_t plane, rec_error *error)
{
    cudaError_t result = cudaSuccess;
    for (size_t i = 0; i < e->parts; i++)
        REC_TRY(rec_spectral_cuda_prepare(e->part[i], 1, 0, error));
    const int stages = rec_columns_stages(&e->columns), first = -1;
    for (int stage = first; stage <= stages; stage++) {
        if (stage > 0 && stage < stages && e->parts > 1)
            REC_FIRST_FAILURE(share(e, stage - 1));
        for (size_t i = 0; i < e->parts; i++) {
            const rec_cuda_spectral *part = e->part[i];
            const double halo = e->shape->halo;
            const size_t modes = part->along[REC_ALONG_LIMIT].axis.n;
            rec_device_rows edges = floats_of(part, REC_MEMORY_EDGES, plane);
            rec_device_rows limit = floats_of(part, REC_MEMORY_RESULT, plane);
            const rec_device_rows rows = {
                .cells = part->plane, .pitch = part->limit_pitch, .count = part->rows,
                .width = modes};
            if (modes < edges.width)
                edges.width = limit.width = modes;
            REC_FIRST_FAILURE(cudaSetDevice(part->room.device));
            REC_FIRST_FAILURE(
                stage == first    ? transform_rows(part, REC_ALONG_LIMIT, 0, &rows, &edges, 1, 0)
                : stage == stages ? transform_rows(part, REC_ALONG_LIMIT, 1, &limit, &rows, 1, halo)
                                  : rec_launch_columns(&part->columns, stage, &rows, &edges, &limit,
                                                       halo, part->room.stream));
        }
    }
    return rec_cuda_status(result, "solving for the limit", error);
}

/* modes = the modes of a plane of floats. */
static rec_status transform(const rec_cuda_spectral *e, int buffer, size_t plane, double *modes,
                            rec_error *error)
{
    const rec_device_rows from = floats_of(e, buffer, plane);
    const rec_device_rows rows = doubles_of(e), columns = columns_at(e, modes);
    cudaError_t result = transform_rows(e, REC_ALONG_X, 0, &rows, &from, 1, 0);
    REC_FIRST_FAILURE(turn(e, &columns, &rows));
    REC_FIRST_FAILURE(transform_rows(e, REC_ALONG_Y, 0, &columns, &columns, 1, 0));
    return rec_cuda_status(result, "finding the modes", error);
}

/* The modes of all planes of the edges, and of a start of its own: iterates are made of them. */
static rec_status keep_modes(rec_cuda_spectral *e, rec_error *error)
{
    const size_t planes = e->shape->planes, count = (e->head.own_start ? 2 : 1) * planes;
    if (e->head.prepared)
        return REC_OK;
    REC_TRY(rec_spectral_cuda_prepare(e, 0, count, error));
    for (size_t i = 0; i < count; i++)
        REC_TRY(transform(e, i < planes ? REC_MEMORY_EDGES : REC_MEMORY_START, i % planes,
                          kept(e, i), error));
    e->head.prepared = 1;
    return REC_OK;
}

/* From the kept modes, or the limit from those of the edges alone, made anew. */
static rec_status solve_modes(const rec_cuda_spectral *e, size_t plane, uint64_t iteration,
                              rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const rec_device_rows rows = doubles_of(e), columns = columns_at(e, e->modes);
    const rec_device_rows picture = floats_of(e, REC_MEMORY_RESULT, plane);
    const int limit = iteration == REC_LIMIT_ITERATION;
    const double *edges = limit ? e->modes : kept(e, plane);
    const double *start = e->head.own_start && !limit ? kept(e, shape->planes + plane) : edges;
    if (limit)
        REC_TRY(transform(e, REC_MEMORY_EDGES, plane, e->modes, error));
    cudaError_t result = rec_launch_modes(
        &e->along[REC_ALONG_X].axis, &e->along[REC_ALONG_Y].axis, e->room.block[REC_MEMORY_SYMBOLS],
        shape->symbol ? &shape->symbol->terms : NULL, e->modes, edges, start, e->column_pitch,
        shape->halo, rec_spectral_count(iteration), (int)(iteration & 1), e->room.stream);
    if (shape->free_mean)
        REC_FIRST_FAILURE(cudaMemsetAsync(e->modes, 0, sizeof *e->modes, e->room.stream));
    REC_FIRST_FAILURE(transform_rows(e, REC_ALONG_Y, 1, &columns, &columns, 1 / shape->y.norm, 0));
    REC_FIRST_FAILURE(turn(e, &rows, &columns));
    REC_FIRST_FAILURE(transform_rows(e, REC_ALONG_X, 1, &picture, &rows, 1 / shape->x.norm,
                                     rec_spectral_offset(shape, plane, iteration)));
    return rec_cuda_status(result, "solving from the modes", error);
}

/* The pixels alone: the floats behind each row were never written. */
static cudaError_t copy_start(const rec_cuda_spectral *e, size_t plane)
{
    const rec_device_rows to = floats_of(e, REC_MEMORY_RESULT, plane);
    const rec_device_rows start =
        floats_of(e, e->head.own_start ? REC_MEMORY_START : REC_MEMORY_EDGES, plane);
    const size_t pitch_bytes = to.pitch * sizeof(float);
    return cudaMemcpy2DAsync(to.floats, pitch_bytes, start.floats, pitch_bytes,
                             to.width * sizeof(float), to.count, cudaMemcpyDeviceToDevice,
                             e->room.stream);
}

static rec_status fetch(const rec_cuda_spectral *e, rec_image *image, rec_error *error)
{
    return rec_memory_cuda.read(&e->room.planes, image->data, image->stride, e->result, e->pitch,
                                image->width, image->height * image->planes, error);
}

static rec_status cuda_solve(void *state, uint64_t iteration, rec_image *image, rec_error *error)
{
    rec_cuda_spectral *e = state;
    double seconds = 0;
    if (e->parts > 1 && iteration && iteration != REC_LIMIT_ITERATION)
        return rec_fail(error, REC_USAGE, "several devices can share only the exact picture");
    e->head.solved = 0;
    if (iteration && iteration != REC_LIMIT_ITERATION)
        REC_TRY(keep_modes(e, error));
    cudaError_t result = cudaSetDevice(e->room.device);
    REC_FIRST_FAILURE(cudaEventRecord(e->room.event[REC_BEGUN], e->room.stream));
    REC_TRY(rec_cuda_status(result, "choosing the device", error));
    const int direct = iteration == REC_LIMIT_ITERATION && e->shape->tridiagonal;
    for (size_t p = 0; p < e->shape->planes; p++) {
        if (iteration)
            REC_TRY(direct ? solve_limit(e, p, error) : solve_modes(e, p, iteration, error));
        for (size_t i = 0; i < e->parts && !iteration; i++)
            REC_FIRST_FAILURE(copy_start(e->part[i], p));
    }
    if (e->parts > 1)
        REC_FIRST_FAILURE(wait_for_all(e));
    for (size_t i = 1; i < e->parts; i++) {
        e->part[i]->head.iteration = iteration;
        e->part[i]->head.solved = result == cudaSuccess;
    }
    REC_FIRST_FAILURE(cudaSetDevice(e->room.device));
    REC_FIRST_FAILURE(cudaEventRecord(e->room.event[REC_ENDED], e->room.stream));
    if (result == cudaSuccess && image)
        REC_TRY(fetch(e, image, error));
    if (!e->hurries)
        REC_FIRST_FAILURE(rec_cuda_room_elapsed(&e->room, &seconds));
    e->head.costs.seconds_jump = seconds;
    return rec_cuda_status(result, "solving", error);
}

/* ---- the type ---- */

static rec_status cuda_fetch(void *state, rec_error *error)
{
    rec_cuda_spectral *e = state;
    rec_image *picture = &e->head.picture;
    if (!picture->data)
        REC_TRY(
            rec_image_create(picture, e->shape->width, e->shape->height, e->shape->planes, error));
    return fetch(e, picture, error);
}

static rec_status cuda_largest(void *state, double *largest, rec_error *error)
{
    const rec_cuda_spectral *e = state;
    cudaError_t result = cudaSuccess;
    for (size_t i = 0; i < e->parts; i++) {
        rec_device_rows rows = floats_of(e->part[i], REC_MEMORY_RESULT, 0);
        rows.count *= e->shape->planes; /* behind each other */
        REC_FIRST_FAILURE(cudaSetDevice(e->part[i]->room.device));
        REC_FIRST_FAILURE(rec_launch_largest(&rows, e->part[i]->room.block[REC_PINNED],
                                             e->part[i]->room.stream));
    }
    for (size_t i = 0; i < e->parts; i++) {
        const float *found = e->part[i]->room.block[REC_PINNED];
        REC_FIRST_FAILURE(cudaStreamSynchronize(e->part[i]->room.stream));
        for (size_t k = 0; result == cudaSuccess && k < REC_LARGEST; k++)
            if (!(found[k] <= *largest))
                *largest = isfinite(found[k]) ? (double)found[k] : INFINITY;
    }
    return rec_cuda_status(result, "measuring the picture", error);
}

/* In place nothing but the limit is asked for: slabs have its rows transformed where they are. */
static int applicable(const rec_problem *problem, rec_error *error)
{
    if (!problem->operators || rec_symbol_is_plain(problem->operators, &problem->boundary))
        return problem->in_place && problem->boundary.kind == REC_BOUNDARY_HALO &&
                       !problem->operators && !problem->start
                   ? 2
                   : 1;
    rec_fail(error, REC_UNAVAILABLE,
             "this stencil's edges need the processor (--kernel fftw, without --device)");
    return 0;
}

static rec_status cuda_create(void *state, const rec_problem *problem, const rec_slab *slab,
                              const rec_solver_options *options, rec_error *error)
{
    rec_cuda_spectral *e = state;
    e->head.solve = cuda_solve;
    e->head.fetch = cuda_fetch;
    e->head.largest = cuda_largest;
    e->shape = &e->head.shape;
    e->head.own_start = problem->start != NULL;
    REC_TRY(rec_spectral_shape_make(&e->head.shape, problem, rec_spectral_points(slab->device),
                                    error));
    rec_spectral_load(&e->head, problem);
    e->part[0] = e;
    e->parts = 1;
    return rec_spectral_cuda_create(e, problem, slab, error);
}

static void cuda_destroy(void *state)
{
    rec_cuda_spectral *e = state;
    rec_memory_cuda.destroy(&e->room);
    rec_spectral_destroy(&e->head);
}

static void cuda_join(void *const *states, size_t count)
{
    rec_cuda_spectral *first = states[0];
    for (size_t i = 0; i < count; i++) {
        first->part[i] = states[i];
        for (size_t k = 0; k < count; k++)
            rec_cuda_reach(first->part[i]->room.device,
                           ((rec_cuda_spectral *)states[k])->room.device);
    }
    first->parts = count;
}

static rec_status cuda_load(void *state, const rec_problem *problem, rec_error *error)
{
    rec_cuda_spectral *e = state;
    rec_spectral_load(&e->head, problem);
    return rec_spectral_cuda_load(e, problem, error);
}

static rec_status cuda_planes(void *state, rec_planes *shown, rec_error *error)
{
    rec_cuda_spectral *e = state;
    REC_TRY(rec_spectral_solve(&e->head, error));
    *shown = e->room.planes;
    shown->m = e->result;
    return REC_OK;
}

const rec_solver_type rec_spectral_cuda = {
    .kernels = (const char *const[]){"cuda", NULL},
    .memory = &(const rec_solver_memory){
        .size = sizeof(rec_cuda_spectral), .applicable = applicable, .join = cuda_join,
        .create = cuda_create, .load = cuda_load, .destroy = cuda_destroy,
        .get_info = rec_spectral_get_info, .planes = cuda_planes},
    REC_SPECTRAL_SHARED,
};
