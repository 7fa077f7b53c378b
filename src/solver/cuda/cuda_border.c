/* Ghost rows of slabs in other ranks. A border has two strips, each with room for the rows that go
 * one way. Where the devices of two ranks reach each other, each rank opens the neighbour's strips
 * (CUDA IPC): it fills its own, tells the neighbour that the event behind that is queued, and
 * copies from the neighbour's. The processes wait for each other's word only; the devices wait for
 * the events. The strips take turns: whoever fills one again has seen the event of the trade in
 * between, which the neighbour queued behind its copy. Elsewhere MPI carries the first strip to the
 * neighbour's second: from device to device where the library can, else from pinned memory. */
#include "solver/cuda/cuda_solver.h"

/* A smaller piece of memory would be shared together with what else is in its block. */
enum { BLOCK = 2 << 20 };

/* What neighbours tell each other when they meet, in floats, which MPI leaves as they are. */
typedef union card {
    struct {
        cudaIpcMemHandle_t strips;
        cudaIpcEventHandle_t filled[2];
        size_t host;
        cudaError_t result;
    } of;
    float floats[64];
} card;

static size_t floats_of(const rec_cuda_border *border)
{
    const rec_grid *grid = &border->slab->iterates.grid;
    return grid->planes * border->at.rows * grid->pitch;
}

/* ---- meeting ---- */

static card introduce(rec_cuda_border *border)
{
    card own = {.of.host = rec_ranks_host()};
    const size_t bytes = 2 * floats_of(border) * sizeof(float);
    cudaError_t result = cudaSetDevice(border->slab->device);
    REC_FIRST_FAILURE(
        cudaMalloc((void **)&border->strips, (bytes + BLOCK - 1) / BLOCK * BLOCK));
    REC_FIRST_FAILURE(cudaIpcGetMemHandle(&own.of.strips, border->strips));
    for (int i = 0; i < 2; i++) {
        REC_FIRST_FAILURE(cudaEventCreateWithFlags(
            &border->filled[i], cudaEventDisableTiming | cudaEventInterprocess));
        REC_FIRST_FAILURE(cudaIpcGetEventHandle(&own.of.filled[i], border->filled[i]));
    }
    own.of.result = result;
    return own;
}

static card open_theirs(rec_cuda_border *border, const card *own, const card *theirs)
{
    cudaError_t result = own->of.result == cudaSuccess ? theirs->of.result : own->of.result;
    if (own->of.host != theirs->of.host)
        result = cudaErrorPeerAccessUnsupported;
    REC_FIRST_FAILURE(cudaSetDevice(border->slab->device));
    REC_FIRST_FAILURE(cudaIpcOpenMemHandle((void **)&border->theirs, theirs->of.strips,
                                           cudaIpcMemLazyEnablePeerAccess));
    for (int i = 0; i < 2; i++)
        REC_FIRST_FAILURE(
            cudaIpcOpenEventHandle(&border->theirs_filled[i], theirs->of.filled[i]));
    return (card){.of.result = result};
}

static void close_theirs(rec_cuda_border *border)
{
    for (int i = 0; i < 2; i++)
        if (border->theirs_filled[i])
            cudaEventDestroy(border->theirs_filled[i]);
    if (border->theirs)
        cudaIpcCloseMemHandle(border->theirs);
    border->theirs = NULL;
    border->theirs_filled[0] = border->theirs_filled[1] = NULL;
}

void rec_cuda_border_destroy(rec_cuda_border *border)
{
    close_theirs(border);
    if (border->way == REC_TRADES_HOST)
        cudaFreeHost(border->strips);
}

static cudaError_t choose_way(rec_cuda_border *border, int both_opened)
{
    cudaGetLastError(); /* what cannot be opened is no failure */
    border->way = both_opened                      ? REC_TRADES_DIRECT
                  : rec_ranks_take_device_memory() ? REC_TRADES_MPI
                                                   : REC_TRADES_HOST;
    if (both_opened)
        return cudaSuccess;
    close_theirs(border);
    const size_t bytes = 2 * floats_of(border) * sizeof(float);
    return border->way == REC_TRADES_HOST ? cudaMallocHost((void **)&border->strips, bytes)
           : border->strips               ? cudaSuccess
                                          : cudaErrorMemoryAllocation;
}

static void trade_cards(rec_cuda_border *const border[2], card own[2], card theirs[2])
{
    rec_strip strips[2] = {{0}};
    for (int i = 0; i < 2; i++)
        if (border[i]->slab)
            strips[i] = (rec_strip){own[i].floats, theirs[i].floats,
                                    sizeof own->floats / sizeof *own->floats};
    rec_ranks_trade(strips);
}

static cudaError_t meet(rec_cuda_border *const border[2])
{
    card own[2], theirs[2], opened[2], seen[2];
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < 2; i++)
        if (border[i]->slab)
            own[i] = introduce(border[i]);
    trade_cards(border, own, theirs);
    for (int i = 0; i < 2; i++)
        if (border[i]->slab)
            opened[i] = open_theirs(border[i], &own[i], &theirs[i]);
    trade_cards(border, opened, seen);
    for (int i = 0; i < 2; i++)
        if (border[i]->slab)
            REC_FIRST_FAILURE(choose_way(border[i], opened[i].of.result == cudaSuccess &&
                                                        seen[i].of.result == cudaSuccess));
    return result;
}

/* ---- trading ---- */

/* Queues the copy of all planes' rows, from `row` on, to a strip or from it. */
static cudaError_t copy(const rec_cuda_border *border, rec_field field, size_t row, float *to,
                        const float *from)
{
    const rec_cuda *slab = border->slab;
    const rec_grid *grid = &slab->iterates.grid;
    const size_t floats = border->at.rows * grid->pitch;
    cudaError_t result = cudaSuccess;
    for (size_t p = 0; p < grid->planes; p++) {
        float *const rows = rec_cuda_row(slab, field, p, row);
        REC_FIRST_FAILURE(cudaMemcpyAsync(to ? to + p * floats : rows,
                                          to ? rows : from + p * floats, floats * sizeof(float),
                                          cudaMemcpyDefault, slab->solving));
    }
    return result;
}

/* Fills the own strip; what goes by MPI must be there, else a word is enough. */
static cudaError_t offer(rec_cuda_border *border, rec_field field, rec_strip *strip)
{
    const size_t floats = floats_of(border);
    float *const own = border->strips + border->turn * floats;
    cudaError_t result = cudaSetDevice(border->slab->device);
    REC_FIRST_FAILURE(copy(border, field, border->at.own, own, NULL));
    if (border->way == REC_TRADES_DIRECT) {
        REC_FIRST_FAILURE(cudaEventRecord(border->filled[border->turn], border->slab->solving));
        *strip = (rec_strip){&border->words[0], &border->words[1], 1};
    } else {
        REC_FIRST_FAILURE(cudaStreamSynchronize(border->slab->solving));
        *strip = (rec_strip){own, own + floats, floats};
    }
    return result;
}

static cudaError_t take(rec_cuda_border *border, rec_field field)
{
    const size_t floats = floats_of(border);
    const float *strip = border->strips + floats;
    cudaError_t result = cudaSetDevice(border->slab->device);
    if (border->way == REC_TRADES_DIRECT) {
        strip = border->theirs + border->turn * floats;
        REC_FIRST_FAILURE(
            cudaStreamWaitEvent(border->slab->solving, border->theirs_filled[border->turn], 0));
        border->turn = !border->turn;
    }
    REC_FIRST_FAILURE(copy(border, field, border->at.ghosts, NULL, strip));
    return result;
}

cudaError_t rec_cuda_trade_with_ranks(rec_cuda *first, rec_cuda *last, rec_field field)
{
    rec_cuda_border *const border[2] = {&first->borders[0], &last->borders[1]};
    rec_strip strips[2] = {{0}};
    cudaError_t result = cudaSuccess;
    if (field == REC_FIELD_TERMS) { /* the first of all trades */
        border[0]->at = rec_border_above(&first->slab);
        border[0]->slab = border[0]->at.rows ? first : NULL;
        border[1]->at = rec_border_below(&last->slab);
        border[1]->slab = border[1]->at.rows ? last : NULL;
        result = meet(border);
    }
    for (int i = 0; i < 2; i++)
        if (border[i]->slab)
            REC_FIRST_FAILURE(offer(border[i], field, &strips[i]));
    if (result == cudaSuccess)
        rec_ranks_trade(strips);
    for (int i = 0; i < 2; i++)
        if (border[i]->slab)
            REC_FIRST_FAILURE(take(border[i], field));
    return result;
}
