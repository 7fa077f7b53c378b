/* The trade of ghost rows with the slabs above and below, on the same device or another, in this
 * rank or another.
 *
 * A slab has a border on each side, with two strips for its own rows there. It copies its rows into
 * one, and an event tells when they are there; the neighbour's device waits for that event and
 * copies from the strip. Nobody but the devices waits. The strips take turns: a slab that fills one
 * again has seen the event of the trade in between, which is behind the copy that the neighbour
 * made of it.
 *
 * A neighbour in another rank shares its strips and events (CUDA IPC) where the two devices reach
 * each other, and the ranks tell each other by MPI that an event is queued. Elsewhere MPI carries
 * the rows from the first strip to the neighbour's second: from device to device where the library
 * can, else from pinned memory. */
#include "solver/cuda/cuda_solver.h"

/* A smaller piece of memory would be shared together with what else is in its block. */
enum { BLOCK = 2 << 20 };

/* What ranks tell each other when they meet, in floats, which MPI leaves as they are. */
typedef union card {
    struct {
        cudaIpcMemHandle_t strips;
        cudaIpcEventHandle_t filled[2];
        size_t host;
        cudaError_t result;
    } of;
    float floats[64];
} card;

float *rec_cuda_row(const rec_cuda *solver, rec_field field, size_t plane, size_t y)
{
    const rec_grid *grid = &solver->iterates.grid;
    float *cells = field == REC_FIELD_TERMS ? solver->iterates.f : solver->iterates.m;
    return cells + (plane * grid->height + y) * grid->pitch;
}

/* ---- meeting ---- */

static cudaError_t prepare(rec_cuda_border *border, const rec_cuda *slab, rec_border at)
{
    const rec_grid *grid = &slab->iterates.grid;
    *border = (rec_cuda_border){
        .slab = slab, .at = at, .floats = grid->planes * at.rows * grid->pitch};
    const size_t bytes = 2 * border->floats * sizeof(float);
    const unsigned shared = at.rank ? cudaEventInterprocess : 0;
    cudaError_t result = cudaSetDevice(slab->device);
    REC_FIRST_FAILURE(
        cudaMalloc((void **)&border->strips, (bytes + BLOCK - 1) / BLOCK * BLOCK));
    for (int i = 0; i < 2; i++)
        REC_FIRST_FAILURE(
            cudaEventCreateWithFlags(&border->filled[i], cudaEventDisableTiming | shared));
    return result;
}

static card introduce(const rec_cuda_border *border)
{
    card own = {.of.host = rec_ranks_host()};
    cudaError_t result = cudaSetDevice(border->slab->device);
    REC_FIRST_FAILURE(cudaIpcGetMemHandle(&own.of.strips, border->strips));
    for (int i = 0; i < 2; i++)
        REC_FIRST_FAILURE(cudaIpcGetEventHandle(&own.of.filled[i], border->filled[i]));
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

static void destroy_events(cudaEvent_t events[2])
{
    for (int i = 0; i < 2; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    events[0] = events[1] = NULL;
}

static void close_theirs(rec_cuda_border *border)
{
    destroy_events(border->theirs_filled);
    if (border->theirs)
        cudaIpcCloseMemHandle(border->theirs);
    border->theirs = NULL;
}

/* Another rank may have what is shared with it open until all ranks end: that goes with the
 * process. */
void rec_cuda_border_destroy(rec_cuda_border *border)
{
    if (border->at.rank) {
        close_theirs(border);
    } else {
        cudaFree(border->strips);
        destroy_events(border->filled);
    }
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
    const size_t bytes = 2 * border->floats * sizeof(float);
    return border->way == REC_TRADES_HOST ? cudaMallocHost((void **)&border->strips, bytes)
           : border->strips               ? cudaSuccess
                                          : cudaErrorMemoryAllocation;
}

static void trade_cards(rec_cuda_border *const ends[2], card own[2], card theirs[2])
{
    rec_strip strips[2] = {{0}};
    for (int i = 0; i < 2; i++)
        if (ends[i]->at.rank)
            strips[i] = (rec_strip){own[i].floats, theirs[i].floats,
                                    sizeof own->floats / sizeof *own->floats};
    rec_ranks_trade(strips);
}

static cudaError_t meet_ranks(rec_cuda_border *const ends[2])
{
    card own[2], theirs[2], opened[2], seen[2];
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < 2; i++)
        if (ends[i]->at.rank)
            own[i] = introduce(ends[i]);
    trade_cards(ends, own, theirs);
    for (int i = 0; i < 2; i++)
        if (ends[i]->at.rank)
            opened[i] = open_theirs(ends[i], &own[i], &theirs[i]);
    trade_cards(ends, opened, seen);
    for (int i = 0; i < 2; i++)
        if (ends[i]->at.rank)
            REC_FIRST_FAILURE(choose_way(ends[i], opened[i].of.result == cudaSuccess &&
                                                      seen[i].of.result == cudaSuccess));
    return result;
}

/* Border i of all: from the top to the bottom two of each slab. */
static rec_cuda_border *border_of(rec_cuda *const *slabs, size_t i)
{
    return &slabs[i / 2]->borders[i % 2];
}

static cudaError_t meet(rec_cuda *const *slabs, size_t all)
{
    rec_cuda_border *const ends[2] = {border_of(slabs, 0), border_of(slabs, all - 1)};
    cudaError_t result = cudaSuccess;
    for (size_t i = 0; i < all; i++) {
        const rec_slab *slab = &slabs[i / 2]->slab;
        const rec_border at = i % 2 ? rec_border_below(slab) : rec_border_above(slab);
        const cudaError_t prepared =
            at.rows ? prepare(border_of(slabs, i), slabs[i / 2], at) : cudaSuccess;
        if (!at.rank) /* between ranks there is another way */
            REC_FIRST_FAILURE(prepared);
    }
    for (size_t i = 0; i < all; i++) {
        rec_cuda_border *own = border_of(slabs, i);
        const rec_cuda_border *other = border_of(slabs, (i % 2 ? i + 1 : i + all - 1) % all);
        if (!own->at.rows || own->at.rank)
            continue;
        own->theirs = other->strips;
        own->theirs_filled[0] = other->filled[0];
        own->theirs_filled[1] = other->filled[1];
    }
    REC_FIRST_FAILURE(meet_ranks(ends));
    return result;
}

/* ---- trading ---- */

/* Queues the copy of all planes' rows, from `row` on, to a strip or from it. */
static cudaError_t copy(const rec_cuda_border *border, rec_field field, size_t row, float *to,
                        const float *from)
{
    const rec_cuda *slab = border->slab;
    const size_t planes = slab->iterates.grid.planes, floats = border->floats / planes;
    cudaError_t result = cudaSuccess;
    for (size_t p = 0; p < planes; p++) {
        float *const rows = rec_cuda_row(slab, field, p, row);
        REC_FIRST_FAILURE(cudaMemcpyAsync(to ? to + p * floats : rows,
                                          to ? rows : from + p * floats, floats * sizeof(float),
                                          cudaMemcpyDefault, slab->solving));
    }
    return result;
}

/* What MPI takes must be there. */
static cudaError_t offer(const rec_cuda_border *border, rec_field field)
{
    cudaError_t result = cudaSetDevice(border->slab->device);
    REC_FIRST_FAILURE(copy(border, field, border->at.own,
                           border->strips + border->turn * border->floats, NULL));
    REC_FIRST_FAILURE(border->theirs
                          ? cudaEventRecord(border->filled[border->turn], border->slab->solving)
                          : cudaStreamSynchronize(border->slab->solving));
    return result;
}

static cudaError_t take(rec_cuda_border *border, rec_field field)
{
    const float *strip = border->strips + border->floats;
    cudaError_t result = cudaSetDevice(border->slab->device);
    if (border->theirs) {
        strip = border->theirs + border->turn * border->floats;
        REC_FIRST_FAILURE(
            cudaStreamWaitEvent(border->slab->solving, border->theirs_filled[border->turn], 0));
        border->turn = !border->turn;
    }
    REC_FIRST_FAILURE(copy(border, field, border->at.ghosts, NULL, strip));
    return result;
}

static rec_strip strip_of(rec_cuda_border *border)
{
    const size_t floats = border->at.rank ? border->floats : 0;
    return floats && border->theirs
               ? (rec_strip){&border->words[0], &border->words[1], 1}
               : (rec_strip){border->strips, border->strips + floats, floats};
}

rec_status rec_cuda_trade(void *const *states, size_t count, rec_field field, rec_error *error)
{
    rec_cuda *const *slabs = (rec_cuda *const *)states;
    const size_t all = 2 * count;
    cudaError_t result = cudaSuccess;
    if (field == REC_FIELD_TERMS) /* the first of all trades */
        result = meet(slabs, all);
    for (size_t i = 0; i < all; i++)
        if (border_of(slabs, i)->at.rows)
            REC_FIRST_FAILURE(offer(border_of(slabs, i), field));
    if (result == cudaSuccess)
        rec_ranks_trade((rec_strip[2]){strip_of(border_of(slabs, 0)),
                                       strip_of(border_of(slabs, all - 1))});
    for (size_t i = 0; i < all; i++)
        if (border_of(slabs, i)->at.rows)
            REC_FIRST_FAILURE(take(border_of(slabs, i), field));
    return rec_cuda_status(result, "trading rows between slabs", error);
}
