#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "solver/spectral/device/spectral_cuda.h"

static size_t floats_bytes(const rec_cuda_spectral *e)
{
    return e->shape->planes * e->rows * e->pitch * sizeof(float);
}
static size_t plane_bytes(const rec_cuda_spectral *e)
{
    return e->rows * e->double_pitch * sizeof(double);
}
static size_t modes_bytes(const rec_cuda_spectral *e)
{
    return e->shape->width * e->column_pitch * sizeof(double);
}

/* ---- transforms ---- */

enum { MOST_PAIRS = 32768 }; /* of a launch: a grid's second dimension ends at 65535 */

/* What the transforms of `rows` rows will take, `chunk_bytes` of complex rows at a time, at least
 * two rows. */
static void plan_transform(rec_device_transform *made, const rec_spectral_axis *host, size_t rows,
                           size_t chunk_bytes, size_t points)
{
    const size_t pairs = (rows + 1) / 2, row_bytes = 2 * host->length * sizeof(double);
    rec_device_axis axis = {
        .basis = host->basis, .n = host->n, .period = host->period, .length = host->length};
    while ((size_t)1 << axis.log < host->length)
        axis.log++;
    axis.inner = axis.log;
    *made = (rec_device_transform){
        .host = host, .pairs = pairs,
        .table_bytes = host->doubles * sizeof(double) + (host->padded ? 2 : 1) * row_bytes};
    if (host->padded && host->length > points) {
        axis.inner = points < 4096 ? 11 : 12; /* two blocks a multiprocessor */
        size_t most = chunk_bytes / row_bytes;
        most = most > MOST_PAIRS ? MOST_PAIRS : most < 1 ? 1 : most;
        const size_t chunks = (pairs + most - 1) / most;
        made->pairs = (pairs + chunks - 1) / chunks; /* all of about the same size */
        made->complex_bytes = made->pairs * row_bytes;
    }
    made->axis = axis;
}

/* What the limit by tridiagonal systems takes or, not `direct`, transforms along both axes. */
static void want(size_t wanted[REC_BLOCKS], const rec_cuda_spectral *e, int direct)
{
    for (int i = 0; i < REC_ALONGS; i++) {
        const rec_device_transform *along = &e->along[i];
        if ((i == REC_ALONG_LIMIT) != direct)
            continue;
        wanted[REC_MEMORY_TABLES + i] = along->table_bytes;
        wanted[REC_MEMORY_COMPLEX] = rec_larger(wanted[REC_MEMORY_COMPLEX], along->complex_bytes);
    }
    wanted[REC_MEMORY_WORK] = direct ? e->rows * e->limit_pitch * sizeof(double)
                                     : plane_bytes(e) + modes_bytes(e);
    if (direct)
        wanted[REC_MEMORY_COLUMNS] =
            rec_columns_scratch(e->along[REC_ALONG_LIMIT].axis.n, e->shape->height) *
            sizeof(double);
}

/* Once its buffers are there. */
static rec_status fill_transform(rec_cuda_spectral *e, int which, rec_error *error)
{
    rec_device_axis *axis = &e->along[which].axis;
    const rec_spectral_axis *host = e->along[which].host;
    if (axis->roots)
        return REC_OK;
    const double before = rec_now();
    axis->roots = e->room.block[REC_MEMORY_TABLES + which];
    double *block = axis->roots + 2 * axis->length;
    if (host->padded) {
        axis->response = block;
        block += 2 * axis->length;
        axis->chirp = block + (host->chirp - host->turn);
    }
    axis->turn = block;
    axis->low = block + (host->low - host->turn);
    axis->high = block + (host->high - host->turn);
    axis->ones = block + (host->ones - host->turn);
    cudaError_t result = cudaMemcpyAsync(block, host->turn, host->doubles * sizeof(double),
                                         cudaMemcpyHostToDevice, e->room.stream);
    REC_FIRST_FAILURE(rec_launch_response(axis, e->room.block[REC_MEMORY_COMPLEX], e->room.stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(e->room.stream));
    e->room.costs->seconds_plan += rec_now() - before;
    return rec_cuda_status(result, "preparing the transforms", error);
}

/* Takes what is wanted and fills the tables that are new. */
static rec_status prepare_memory(rec_cuda_spectral *e, const size_t wanted[REC_BLOCKS],
                                 const char *what, rec_error *error)
{
    REC_TRY(rec_memory_cuda.allocate(&e->room, wanted, what, error));
    for (int i = 0; i < REC_ALONGS; i++)
        if (wanted[REC_MEMORY_TABLES + i])
            REC_TRY(fill_transform(e, i, error));
    e->plane = e->room.block[REC_MEMORY_WORK];
    e->modes = e->plane + e->rows * e->double_pitch;
    if (e->columns.scratch || !wanted[REC_MEMORY_COLUMNS])
        return REC_OK;
    const rec_device_axis *axis = &e->along[REC_ALONG_LIMIT].axis;
    const size_t width = e->shape->width;
    e->columns = (rec_device_columns){
        .width = (unsigned)axis->n, .rows = (unsigned)e->shape->height, .first = (unsigned)e->first,
        .own = (unsigned)e->rows,
        .column = (unsigned)(axis->n < width ? axis->n : axis->n > width ? width + 1 : 0),
        .cut = axis->n < width, .scratch = e->room.block[REC_MEMORY_COLUMNS]};
    return rec_cuda_status(rec_prepare_columns(&e->columns, axis->low, e->room.stream),
                           "preparing the columns", error);
}

rec_status rec_spectral_cuda_prepare(rec_cuda_spectral *e, int direct, size_t kept,
                                     rec_error *error)
{
    size_t wanted[REC_BLOCKS] = {0};
    want(wanted, e, direct);
    for (size_t i = 0; i < kept; i++)
        wanted[REC_MEMORY_KEPT + i] = modes_bytes(e);
    return prepare_memory(e, wanted, direct ? "the limit" : "any iterate", error);
}

/* ---- creation ---- */

rec_status rec_spectral_cuda_load(rec_cuda_spectral *e, const rec_problem *problem,
                                  rec_error *error)
{
    const double before = rec_now();
    cudaError_t result = cudaSetDevice(e->room.device);
    e->hurries = problem->on_device;
    e->edges = e->room.block[REC_MEMORY_EDGES];
    if (e->hurries)
        REC_FIRST_FAILURE(rec_cuda_follow(e->room.stream, problem->stream));
    /* Each copy would take a twentieth of the solution. */
    e->result = problem->result && problem->result_stride == e->pitch
                    ? problem->result
                : e->room.block[REC_MEMORY_RESULT] ? e->room.block[REC_MEMORY_RESULT]
                                                   : e->room.block[REC_MEMORY_EDGES];
    if (e->hurries && problem->input->stride == e->pitch &&
        rec_device_of(problem->input->data) >= 0)
        e->edges = problem->input->data;
    else
        REC_TRY(rec_cuda_room_upload(&e->room, e->room.block[REC_MEMORY_EDGES], problem->input,
                                     e->first, error));
    if (problem->start)
        REC_TRY(rec_cuda_room_upload(&e->room, e->room.block[REC_MEMORY_START], problem->start, 0,
                                     error));
    if (!e->hurries)
        REC_FIRST_FAILURE(cudaStreamSynchronize(e->room.stream));
    e->room.costs->seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "copying the image to the device", error);
}

REC_TASK(find_symbols, const rec_cuda_spectral *e; double *symbols)
{
    for (size_t q = first; q < end; q++)
        rec_symbol_row(job->e->shape->symbol, q, job->symbols + q * job->e->column_pitch, NULL);
}

/* The symbol of a stencil, for all modes. */
static rec_status upload_symbols(rec_cuda_spectral *e, rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    rec_owned double *symbols = NULL;
    REC_TRY(rec_allocate(&symbols, modes_bytes(e), 1, "a stencil's symbol", error));
    REC_SHARE(rec_team_size(), shape->width, find_symbols, e, symbols);
    return rec_cuda_status(cudaMemcpy(e->room.block[REC_MEMORY_SYMBOLS], symbols, modes_bytes(e),
                                      cudaMemcpyHostToDevice),
                           "copying a stencil's symbol to the device", error);
}

rec_status rec_spectral_cuda_create(rec_cuda_spectral *e, const rec_problem *problem,
                                    const rec_slab *slab, rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const int device = slab->device;
    e->first = slab->first;
    e->rows = slab->rows;
    const rec_spectral_axis *limit_x = rec_spectral_limit_x(shape);
    const size_t points = rec_spectral_points(device);
    e->pitch = e->double_pitch = rec_cuda_pitch(shape->width);
    e->column_pitch = rec_cuda_pitch(shape->height);
    e->limit_pitch = rec_cuda_pitch(limit_x->n);
    /* Bytes of complex rows that go through the FFT together: enough to fill the device, and not
     * more than keeps everything within 6 planes of doubles. */
    const size_t chunk = rec_smaller(problem->start ? plane_bytes(e) / 5 : plane_bytes(e) / 8 * 7,
                                     (size_t)128 << 20);
    plan_transform(&e->along[REC_ALONG_X], &shape->x, e->rows, chunk, points);
    plan_transform(&e->along[REC_ALONG_Y], &shape->y, shape->width, chunk, points);
    plan_transform(&e->along[REC_ALONG_LIMIT], limit_x, e->rows, chunk, points);
    size_t wanted[REC_BLOCKS] = {[REC_MEMORY_EDGES] = floats_bytes(e),
                                 [REC_MEMORY_START] = problem->start ? floats_bytes(e) : 0,
                                 [REC_MEMORY_RESULT] = floats_bytes(e),
                                 [REC_PINNED] = REC_LARGEST * sizeof(float),
                                 [REC_MEMORY_SYMBOLS] = shape->symbol ? modes_bytes(e) : 0};
    want(wanted, e, shape->tridiagonal);
    e->room = (rec_room){
        .device = device,
        .costs = &e->head.costs,
        .planes = {.width = shape->width, .height = e->rows, .planes = shape->planes,
                   .pitch = e->pitch, .step = e->rows * e->pitch},
        .instead = REC_HAVE_FFTW ? "--kernel fftw uses the host's memory instead, and iterations "
                                   "(-n N) need less"
                                 : "iterations (-n N) need less",
    };
    REC_TRY(rec_cuda_room_start(&e->room, error));
    /* Then the limit alone is asked for, and may take the place of the edges, plane by plane. */
    if (problem->in_place && !rec_cuda_room_fits(&e->room, wanted))
        wanted[REC_MEMORY_RESULT] = 0;
    REC_TRY(prepare_memory(e, wanted, "the limit", error));
    REC_TRY(rec_spectral_cuda_load(e, problem, error));
    return shape->symbol ? upload_symbols(e, error) : REC_OK;
}
