/* Halo exchange: ghost rows from the slabs above and below, on the same device or another, in this
 * rank or another.
 *
 * A slab has a border on each side, and for each border two strips of memory, used in turn. In an
 * exchange one kernel copies the rows of both borders into a strip of each neighbour, and an event
 * is recorded after that kernel. The neighbour's stream waits for the event, and a kernel there
 * copies the rows out of the strip. The host does not wait. A strip is filled again two exchanges
 * later. By then the slab's stream has waited for the neighbour's event of the exchange in between,
 * and that event was recorded after the neighbour's copy. Rows are sent, not fetched: stores need
 * not wait for answers. Devices without peer access have the strips in pinned memory.
 *
 * A neighbour in another rank opens the strips and the events (CUDA IPC) where its device reaches
 * this one. Each exchange then sends one word by MPI, so that an event is recorded before the
 * neighbour's stream waits for it. Elsewhere MPI sends the rows, out of the first strip into the
 * neighbour's second: from device to device where the library can, else from pinned memory. */
#include "base/team.h"
#include "solver/cuda/cuda_solver.h"

/* CUDA shares memory with another process by blocks of this size: a strip has its own. */
enum { BLOCK = 2 << 20 };

/* What two ranks tell each other before the first exchange. Sent as floats. */
typedef union ipc_handles {
    struct {
        cudaIpcMemHandle_t strips;
        cudaIpcEventHandle_t packed[2];
        size_t host;
        cudaError_t result;
    };
    float floats[64];
} ipc_handles;

/* ---- connecting ---- */

static cudaError_t allocate_pinned(rec_cuda_border *border)
{
    border->pinned = 1;
    return cudaMallocHost((void **)&border->strips, 2 * border->floats * sizeof(float));
}

/* `writer`: the neighbour's device, unless it is in another rank. */
static cudaError_t allocate_strips(const rec_cuda *slab, rec_cuda_border *border, rec_border at,
                                   int writer)
{
    const rec_grid *grid = &slab->iterates.grid;
    int reaches = 1;
    *border = (rec_cuda_border){.at = at, .floats = grid->planes * at.rows * grid->pitch};
    const size_t bytes = 2 * border->floats * sizeof(float);
    cudaError_t result = cudaSetDevice(slab->room.device);
    if (!at.rank && writer != slab->room.device)
        REC_FIRST_FAILURE(cudaDeviceCanAccessPeer(&reaches, writer, slab->room.device));
    REC_FIRST_FAILURE(
        reaches ? cudaMalloc((void **)&border->strips, (bytes + BLOCK - 1) / BLOCK * BLOCK)
                : allocate_pinned(border));
    return result;
}

/* `packed` is for slabs of this rank, `shared` for other ranks: a driver crashed when another
 * device of this process waited for an event that processes can share. `shared` is NULL where the
 * system has no such events. */
static cudaError_t prepare_events(rec_cuda *slab)
{
    const int others = slab->slab.rank_above || slab->slab.rank_below;
    cudaError_t result = cudaSetDevice(slab->room.device);
    for (int i = 0; i < 2; i++) {
        REC_FIRST_FAILURE(cudaEventCreateWithFlags(&slab->packed[i], cudaEventDisableTiming));
        if (others && cudaEventCreateWithFlags(&slab->shared[i],
                                               cudaEventDisableTiming | cudaEventInterprocess))
            slab->shared[i] = NULL;
    }
    return result;
}

static ipc_handles export_strips(const rec_cuda *slab, const rec_cuda_border *border)
{
    ipc_handles own = {.host = rec_ranks_host()};
    cudaError_t result = cudaSetDevice(slab->room.device);
    REC_FIRST_FAILURE(cudaIpcGetMemHandle(&own.strips, border->strips));
    for (int i = 0; i < 2; i++)
        REC_FIRST_FAILURE(slab->shared[i] ? cudaIpcGetEventHandle(&own.packed[i], slab->shared[i])
                                          : cudaErrorNotSupported);
    own.result = result;
    return own;
}

static ipc_handles open_neighbour(int device, rec_cuda_border *border, const ipc_handles *own,
                                  const ipc_handles *other)
{
    cudaError_t result = own->result == cudaSuccess ? other->result : own->result;
    if (own->host != other->host)
        result = cudaErrorPeerAccessUnsupported;
    REC_FIRST_FAILURE(cudaSetDevice(device));
    REC_FIRST_FAILURE(cudaIpcOpenMemHandle((void **)&border->neighbour, other->strips,
                                           cudaIpcMemLazyEnablePeerAccess));
    for (int i = 0; i < 2; i++)
        REC_FIRST_FAILURE(cudaIpcOpenEventHandle(&border->neighbour_packed[i], other->packed[i]));
    return (ipc_handles){.result = result};
}

static void destroy_events(cudaEvent_t events[2])
{
    for (int i = 0; i < 2; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    events[0] = events[1] = NULL;
}

static void close_neighbour(rec_cuda_border *border)
{
    destroy_events(border->neighbour_packed);
    if (border->neighbour)
        cudaIpcCloseMemHandle(border->neighbour);
    border->neighbour = NULL;
}

/* Strips and events that another rank may still have open are freed by the end of the process. */
void rec_cuda_borders_destroy(rec_cuda *slab)
{
    for (int i = 0; i < 2; i++) {
        rec_cuda_border *border = &slab->borders[i];
        if (border->at.rank)
            close_neighbour(border);
        if (border->pinned)
            cudaFreeHost(border->strips);
        else if (!border->at.rank)
            cudaFree(border->strips);
    }
    destroy_events(slab->packed);
}

static cudaError_t choose_transport(rec_cuda_border *border, int both_opened)
{
    cudaGetLastError(); /* of what could not be opened: there is another way */
    border->transport = both_opened                      ? REC_TRANSPORT_DIRECT
                        : rec_ranks_accept_device_memory() ? REC_TRANSPORT_MPI
                                                         : REC_TRANSPORT_HOST;
    if (both_opened)
        return cudaSuccess;
    close_neighbour(border);
    return border->transport == REC_TRANSPORT_HOST ? allocate_pinned(border)
           : border->strips                        ? cudaSuccess
                                                   : cudaErrorMemoryAllocation;
}

static void exchange_handles(rec_cuda_border *const ends[2], ipc_handles own[2],
                             ipc_handles others[2])
{
    rec_strip strips[2] = {{0}};
    for (int i = 0; i < 2; i++)
        if (ends[i]->at.rank)
            strips[i] = (rec_strip){own[i].floats, others[i].floats,
                                    sizeof own->floats / sizeof *own->floats};
    rec_ranks_exchange(strips);
}

static cudaError_t connect_ranks(rec_cuda *const slabs[2], rec_cuda_border *const ends[2])
{
    ipc_handles own[2], others[2], opened[2], seen[2];
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < 2; i++)
        if (ends[i]->at.rank)
            own[i] = export_strips(slabs[i], ends[i]);
    exchange_handles(ends, own, others);
    for (int i = 0; i < 2; i++)
        if (ends[i]->at.rank)
            opened[i] = open_neighbour(slabs[i]->room.device, ends[i], &own[i], &others[i]);
    exchange_handles(ends, opened, seen);
    for (int i = 0; i < 2; i++)
        if (ends[i]->at.rank)
            REC_FIRST_FAILURE(choose_transport(ends[i], opened[i].result == cudaSuccess &&
                                                            seen[i].result == cudaSuccess));
    return result;
}

static cudaError_t connect_slabs(rec_cuda *const *slabs, size_t count)
{
    rec_cuda *const last[2] = {slabs[0], slabs[count - 1]};
    rec_cuda_border *const ends[2] = {&slabs[0]->borders[0], &slabs[count - 1]->borders[1]};
    cudaError_t result = cudaSuccess;
    for (size_t i = 0; i < 2 * count; i++) {
        rec_cuda *slab = slabs[i / 2];
        const rec_cuda *other = slabs[(i % 2 ? i / 2 + 1 : i / 2 + count - 1) % count];
        const rec_border at = rec_border_of(&slab->slab, i % 2);
        if (i % 2 == 0)
            REC_FIRST_FAILURE(prepare_events(slab));
        const cudaError_t prepared = at.rows ? allocate_strips(slab, &slab->borders[i % 2], at,
                                                               other->room.device)
                                             : cudaSuccess;
        if (!at.rank) /* between ranks MPI can send the rows */
            REC_FIRST_FAILURE(prepared);
    }
    for (size_t i = 0; i < 2 * count; i++) {
        rec_cuda_border *own = &slabs[i / 2]->borders[i % 2];
        const rec_cuda *other = slabs[(i % 2 ? i / 2 + 1 : i / 2 + count - 1) % count];
        if (!own->at.rows || own->at.rank)
            continue;
        own->neighbour = other->borders[i % 2 ? 0 : 1].strips;
        own->neighbour_packed[0] = other->packed[0];
        own->neighbour_packed[1] = other->packed[1];
    }
    REC_FIRST_FAILURE(connect_ranks(last, ends));
    return result;
}

/* ---- exchanging ---- */

/* The rows that the slab sends or, with `come`, receives, into strips or out of them. */
static cudaError_t copy_rows(const rec_cuda *slab, rec_trade field, int come)
{
    const rec_cuda_iterates *iterates = &slab->iterates;
    rec_band bands[2];
    int count = 0;
    for (int i = 0; i < 2; i++) {
        const rec_cuda_border *border = &slab->borders[i];
        float *strips = !come && border->neighbour ? border->neighbour : border->strips;
        const int strip = border->neighbour ? slab->next_strip : come;
        if (border->at.rows)
            bands[count++] = (rec_band){strips + (size_t)strip * border->floats,
                                        come ? border->at.ghosts : border->at.own, border->at.rows,
                                        border->floats / iterates->grid.planes};
    }
    return field == REC_FIELD_PICTURE && iterates->m_is_rotated
               ? rec_launch_rotate(&slab->plan.diagonal, &iterates->grid, iterates->rotated[0],
                                   bands, count, come, slab->room.stream)
               : rec_launch_bands(&iterates->grid,
                                  field == REC_FIELD_TERMS ? iterates->f : iterates->m, bands,
                                  count, come, slab->room.stream);
}

/* Copies rows into strips, and waits for that where MPI sends them. */
static cudaError_t send_rows(rec_cuda *slab, rec_trade field)
{
    cudaError_t result = cudaSetDevice(slab->room.device);
    REC_FIRST_FAILURE(copy_rows(slab, field, 0));
    REC_FIRST_FAILURE(cudaEventRecord(slab->packed[slab->next_strip], slab->room.stream));
    if (slab->shared[slab->next_strip])
        REC_FIRST_FAILURE(cudaEventRecord(slab->shared[slab->next_strip], slab->room.stream));
    for (int i = 0; i < 2; i++)
        if (slab->borders[i].at.rows && !slab->borders[i].neighbour)
            REC_FIRST_FAILURE(cudaStreamSynchronize(slab->room.stream));
    return result;
}

static cudaError_t receive_rows(rec_cuda *slab, rec_trade field)
{
    cudaError_t result = cudaSetDevice(slab->room.device);
    for (int i = 0; i < 2; i++)
        if (slab->borders[i].neighbour)
            REC_FIRST_FAILURE(cudaStreamWaitEvent(
                slab->room.stream, slab->borders[i].neighbour_packed[slab->next_strip], 0));
    REC_FIRST_FAILURE(copy_rows(slab, field, 1));
    slab->next_strip = !slab->next_strip;
    return result;
}

static rec_strip strip_of(rec_cuda_border *border)
{
    if (!border->at.rank)
        return (rec_strip){0};
    return border->neighbour
               ? (rec_strip){&border->words[0], &border->words[1], 1}
               : (rec_strip){border->strips, border->strips + border->floats, border->floats};
}

typedef cudaError_t trade_step(rec_cuda *slab, rec_trade field);

REC_TASK(queue, rec_cuda *const *slabs; trade_step *const step; cudaError_t *const failed;
         rec_trade field)
{
    for (size_t i = first; i < end; i++) {
        const cudaError_t result = job->step(job->slabs[i], job->field);
        if (result != cudaSuccess)
            __atomic_store_n(job->failed, result, __ATOMIC_RELAXED);
    }
}

/* A thread for each device queues its work. */
static cudaError_t for_all(rec_cuda *const *slabs, size_t count, rec_trade field, trade_step *step)
{
    size_t devices = 1;
    cudaError_t failed = cudaSuccess;
    for (size_t i = 1; i < count; i++)
        devices += slabs[i]->room.device != slabs[i - 1]->room.device;
    REC_SHARE(devices, count, queue, slabs, step, &failed, field);
    return failed;
}

rec_status rec_cuda_exchange(void *const *states, size_t count, rec_trade field, rec_error *error)
{
    rec_cuda *const *slabs = (rec_cuda *const *)states;
    cudaError_t result = cudaSuccess;
    if (field == REC_FIELD_TERMS) /* the first exchange of all */
        result = connect_slabs(slabs, count);
    REC_FIRST_FAILURE(for_all(slabs, count, field, send_rows));
    if (result == cudaSuccess)
        rec_ranks_exchange((rec_strip[2]){strip_of(&slabs[0]->borders[0]),
                                          strip_of(&slabs[count - 1]->borders[1])});
    REC_FIRST_FAILURE(for_all(slabs, count, field, receive_rows));
    return rec_cuda_status(result, "exchanging rows between slabs", error);
}
