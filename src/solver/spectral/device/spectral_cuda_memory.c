#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "solver/cuda/cuda_status.h"
#include "solver/spectral/device/spectral_cuda.h"

static size_t pitch_of(size_t width) { return (width + 31) / 32 * 32; }

static size_t floats_bytes(const rec_cuda_engine *e)
{
    return e->shape->planes * e->shape->height * e->pitch * sizeof(float);
}
static size_t plane_bytes(const rec_cuda_engine *e)
{
    return e->shape->height * e->double_pitch * sizeof(double);
}
size_t rec_spectral_cuda_modes_bytes(const rec_cuda_engine *e)
{
    return e->shape->width * e->column_pitch * sizeof(double);
}
static size_t scratch_bytes(const rec_cuda_engine *e)
{
    return !e->shape->tridiagonal
               ? 0
               : rec_columns_scratch(e->shape->width, e->shape->height) * sizeof(double);
}

#if REC_HAVE_FFTW
#define HOST_INSTEAD "; --kernel fftw uses the host's memory instead"
#else
#define HOST_INSTEAD ""
#endif

rec_status rec_spectral_cuda_check(const rec_cuda_engine *e, double wanted, const char *what,
                                   rec_error *error)
{
    size_t there = 0, all = 0;
    char needs[32], has[32];
    const cudaError_t result = cudaMemGetInfo(&there, &all);
    if (result != cudaSuccess)
        return rec_cuda_status(result, "asking for its memory", error);
    if (wanted <= (double)there)
        return REC_OK;
    return rec_fail(error, REC_LIMIT,
                    "%s of a %zu x %zu image of %zu plane%s needs %s on device %d (%s), and %s is "
                    "free; iterations (-n N) need less, and devices can share them "
                    "(--device all)" HOST_INSTEAD,
                    what, e->shape->width, e->shape->height, e->shape->planes,
                    rec_plural(e->shape->planes), rec_format_bytes(needs, wanted), e->device,
                    e->info->device, rec_format_bytes(has, (double)there));
}

cudaError_t rec_spectral_cuda_take(rec_cuda_engine *e, void **memory, size_t bytes)
{
    const cudaError_t result = cudaMalloc(memory, bytes);
    if (result == cudaSuccess)
        e->info->device_bytes += bytes;
    return result;
}

static rec_status allocate(rec_cuda_engine *e, int own_start, rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const rec_status status = rec_spectral_cuda_check(
        e, (own_start ? 3.0 : 2.0) * (double)floats_bytes(e) +
               (double)plane_bytes(e) + (double)scratch_bytes(e) +
               (double)(e->along_x.table_bytes + e->along_x.z_bytes),
        "the limit", error);
    if (status)
        return status;
    cudaError_t result = rec_spectral_cuda_take(e, (void **)&e->edges, floats_bytes(e));
    if (own_start)
        REC_FIRST_FAILURE(rec_spectral_cuda_take(e, (void **)&e->start, floats_bytes(e)));
    REC_FIRST_FAILURE(rec_spectral_cuda_take(e, (void **)&e->result, floats_bytes(e)));
    REC_FIRST_FAILURE(rec_spectral_cuda_take(e, (void **)&e->plane, plane_bytes(e)));
    if (shape->tridiagonal)
        REC_FIRST_FAILURE(rec_spectral_cuda_take(e, (void **)&e->scratch, scratch_bytes(e)));
    return rec_cuda_status(result, "taking memory on the device", error);
}

/* ---- creation ---- */

static rec_status start_device(rec_cuda_engine *e, rec_error *error)
{
    const rec_status status =
        rec_cuda_start(e->device, e->info->device, &e->info->seconds_start, error);
    cudaError_t result = cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking);
    REC_FIRST_FAILURE(cudaEventCreate(&e->begun));
    REC_FIRST_FAILURE(cudaEventCreate(&e->ended));
    return status ? status : rec_cuda_status(result, "starting the device", error);
}

static cudaError_t upload(rec_cuda_engine *e, float *to, const rec_image *image)
{
    return rec_cuda_upload(&e->transfer, to, e->pitch, image->data, image->stride, image->width,
                           image->height * image->planes, e->stream);
}

rec_status rec_spectral_cuda_load(void *state, const rec_problem *problem, rec_error *error)
{
    rec_cuda_engine *e = state;
    const double before = rec_now();
    e->prepared = 0;
    cudaError_t result = cudaSetDevice(e->device);
    REC_FIRST_FAILURE(upload(e, e->edges, problem->edges));
    if (problem->start)
        REC_FIRST_FAILURE(upload(e, e->start, problem->start));
    REC_FIRST_FAILURE(cudaStreamSynchronize(e->stream));
    e->info->seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "copying the image to the device", error);
}

void rec_spectral_cuda_destroy(void *state)
{
    rec_cuda_engine *e = state;
    cudaSetDevice(e->device);
    if (e->stream)
        cudaStreamSynchronize(e->stream);
    rec_cuda_transfer_destroy(&e->transfer);
    void *const memory[] = {e->edges, e->start,   e->result,  e->plane,          e->scratch,
                            e->modes, e->symbols, e->space.z, e->along_x.tables, e->along_y.tables};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        cudaFree(memory[i]);
    for (int p = 0; p < REC_MOST_PLANES; p++) {
        cudaFree(e->edge_modes[p]);
        cudaFree(e->start_modes[p]);
    }
    if (e->begun)
        cudaEventDestroy(e->begun);
    if (e->ended)
        cudaEventDestroy(e->ended);
    if (e->stream)
        cudaStreamDestroy(e->stream);
    free(e);
}

/* Complex rows that go through the FFT together: enough to fill the device, and not more than keeps
 * everything within 6 planes of doubles. */
static size_t choose_chunk(const rec_cuda_engine *e, int own_start)
{
    const size_t enough = (size_t)128 << 20;
    const size_t most = own_start ? plane_bytes(e) / 5 : plane_bytes(e) / 8 * 7;
    return most < enough ? most : enough;
}

/* ---- transforms ---- */

enum { MOST_PAIRS = 32768 }; /* of a launch: a grid's second dimension ends at 65535 */

/* What the transforms of `rows` rows will take, `chunk_bytes` of complex rows at a time, at least
 * two rows. */
static rec_status plan_transform(rec_device_transform *made, const rec_spectral_axis *axis,
                                 size_t rows, size_t chunk_bytes, rec_error *error)
{
    const size_t pairs = (rows + 1) / 2, row_bytes = 2 * axis->length * sizeof(double);
    *made = (rec_device_transform){.axis = {.basis = axis->basis,
                                            .n = axis->n,
                                            .period = axis->period,
                                            .length = axis->length},
                                   .pairs = pairs,
                                   .table_bytes = axis->doubles * sizeof(double) + 2 * row_bytes};
    const rec_status status = rec_cuda_status(rec_spectral_choose_inner(&made->axis),
                                              "preparing the transforms", error);
    if (status || made->axis.log == made->axis.inner)
        return status;
    size_t most = chunk_bytes / row_bytes;
    if (most > MOST_PAIRS)
        most = MOST_PAIRS;
    if (most < 1)
        most = 1;
    const size_t chunks = (pairs + most - 1) / most;
    made->pairs = (pairs + chunks - 1) / chunks; /* all of about the same size */
    made->z_bytes = made->pairs * row_bytes;
    return REC_OK;
}

/* What the workspace held is lost. */
static cudaError_t reserve(rec_cuda_engine *e, size_t bytes)
{
    if (bytes <= e->space.bytes)
        return cudaSuccess;
    cudaFree(e->space.z);
    e->info->device_bytes -= e->space.bytes;
    e->space = (rec_device_workspace){0};
    const cudaError_t result = rec_spectral_cuda_take(e, (void **)&e->space.z, bytes);
    if (result == cudaSuccess)
        e->space.bytes = bytes;
    return result;
}

static rec_status create_transform(rec_cuda_engine *e, rec_device_transform *planned,
                                   const rec_spectral_axis *axis, rec_error *error)
{
    rec_device_axis *on_device = &planned->axis;
    cudaError_t result = rec_spectral_cuda_take(e, (void **)&planned->tables, planned->table_bytes);
    const double before = rec_now();
    on_device->roots = planned->tables;
    on_device->response = on_device->roots + 2 * axis->length;
    double *const block = on_device->response + 2 * axis->length;
    on_device->turn = block;
    on_device->chirp = block + (axis->chirp - axis->turn);
    on_device->low = block + (axis->low - axis->turn);
    on_device->high = block + (axis->high - axis->turn);
    on_device->ones = block + (axis->ones - axis->turn);
    REC_FIRST_FAILURE(reserve(e, planned->z_bytes));
    REC_FIRST_FAILURE(cudaMemcpyAsync(block, axis->block, axis->doubles * sizeof(double),
                                      cudaMemcpyHostToDevice, e->stream));
    REC_FIRST_FAILURE(rec_launch_response(on_device, e->space.z, e->stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(e->stream));
    e->info->seconds_plan += rec_now() - before;
    return rec_cuda_status(result, "preparing the transforms", error);
}

rec_status rec_spectral_cuda_prepare_columns(rec_cuda_engine *e, double more, const char *what,
                                             rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const size_t modes = e->modes ? 0 : rec_spectral_cuda_modes_bytes(e);
    const rec_device_transform *along_y = &e->along_y;
    const size_t tables = along_y->tables ? 0 : along_y->table_bytes + along_y->z_bytes;
    rec_status status =
        rec_spectral_cuda_check(e, more + (double)modes + (double)tables, what, error);
    if (!status && tables)
        status = create_transform(e, &e->along_y, &shape->y, error);
    if (!status && modes)
        status = rec_cuda_status(rec_spectral_cuda_take(e, (void **)&e->modes, modes),
                                 "taking memory on the device", error);
    return status;
}

/* The symbol of a stencil, for all modes. */
static rec_status upload_symbols(rec_cuda_engine *e, rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const size_t bytes = rec_spectral_cuda_modes_bytes(e);
    void *symbols;
    const rec_status status = rec_allocate(&symbols, bytes, 1, "a stencil's symbol", error);
    if (status)
        return status;
#pragma omp parallel for
    for (size_t q = 0; q < shape->width; q++)
        rec_symbol_row(shape->symbol, q, (double *)symbols + q * e->column_pitch, NULL);
    cudaError_t result = rec_spectral_cuda_take(e, (void **)&e->symbols, bytes);
    REC_FIRST_FAILURE(cudaMemcpy(e->symbols, symbols, bytes, cudaMemcpyHostToDevice));
    rec_free(symbols);
    return rec_cuda_status(result, "copying a stencil's symbol to the device", error);
}

rec_status rec_spectral_cuda_create(void **state, const rec_spectral_shape *shape,
                                    const rec_problem *problem, int device,
                                    rec_spectral_info *info, rec_error *error)
{
    rec_cuda_engine *e = calloc(1, sizeof *e);
    if (!e)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    e->shape = shape;
    e->device = device;
    e->info = info;
    e->pitch = e->double_pitch = pitch_of(shape->width);
    e->column_pitch = pitch_of(shape->height);
    const size_t chunk = choose_chunk(e, problem->start != NULL);
    rec_status status = start_device(e, error);
    if (!status)
        status = plan_transform(&e->along_x, &shape->x, shape->height, chunk, error);
    if (!status)
        status = plan_transform(&e->along_y, &shape->y, shape->width, chunk, error);
    if (!status)
        status = allocate(e, problem->start != NULL, error);
    if (!status)
        status = rec_cuda_status(rec_cuda_transfer_create(&e->transfer, problem->edges->width,
                                                          problem->edges->height * shape->planes),
                                 "taking memory on the device", error);
    if (!status)
        status = rec_spectral_cuda_load(e, problem, error);
    if (!status)
        status = create_transform(e, &e->along_x, &shape->x, error);
    const size_t symbols = shape->symbol ? rec_spectral_cuda_modes_bytes(e) : 0;
    if (!status && !shape->tridiagonal)
        status = rec_spectral_cuda_prepare_columns(e, (double)symbols, "the limit", error);
    if (!status && symbols)
        status = upload_symbols(e, error);
    if (status)
        rec_spectral_cuda_destroy(e);
    else
        *state = e;
    return status;
}
