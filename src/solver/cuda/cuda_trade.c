/* The trade of ghost rows between slabs, on one device or several, and with other ranks. */
#include "solver/cuda/cuda_solver.h"

float *rec_cuda_row(const rec_cuda *solver, rec_field field, size_t plane, size_t y)
{
    const rec_grid *grid = &solver->iterates.grid;
    float *cells = field == REC_FIELD_TERMS ? solver->iterates.f : solver->iterates.m;
    return cells + (plane * grid->height + y) * grid->pitch;
}

/* Queues the copy of rows, counted in the slabs' memory, behind the iterate that has them. */
static cudaError_t pull(const rec_cuda *to, size_t row, const rec_cuda *from, size_t from_row,
                        size_t rows, rec_field field)
{
    const rec_grid *grid = &to->iterates.grid;
    const size_t bytes = rows * grid->pitch * sizeof(float);
    cudaError_t result = cudaStreamWaitEvent(to->solving, from->made, 0);
    for (size_t p = 0; p < grid->planes; p++) {
        float *target = rec_cuda_row(to, field, p, row);
        const float *source = rec_cuda_row(from, field, p, from_row);
        if (to->device == from->device)
            REC_FIRST_FAILURE(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice,
                                              to->solving));
        else
            REC_FIRST_FAILURE(cudaMemcpyPeerAsync(target, to->device, source, from->device, bytes,
                                                  to->solving));
    }
    return result;
}

/* A neighbour in another rank, by the rows that are traded with it. */
typedef struct border {
    const rec_cuda *slab; /* NULL: there is none */
    size_t own, ghosts;   /* the first of these rows, */
    float *staging;       /* and where they are on the host; NULL: MPI takes them from the device */
} border;

/* Copies the rows of all planes to the host, or the ghost rows back. */
static cudaError_t stage(const border *of, rec_field field, size_t rows, int back)
{
    const rec_grid *grid = &of->slab->iterates.grid;
    const size_t floats = rows * grid->pitch;
    float *host = of->staging + (back ? grid->planes * floats : 0);
    cudaError_t result = cudaSetDevice(of->slab->device);
    for (size_t p = 0; of->staging && p < grid->planes; p++) {
        float *device = rec_cuda_row(of->slab, field, p, back ? of->ghosts : of->own);
        REC_FIRST_FAILURE(cudaMemcpyAsync(back ? device : host + p * floats,
                                          back ? host + p * floats : device,
                                          floats * sizeof(float), cudaMemcpyDefault,
                                          of->slab->solving));
    }
    return back                    ? result
           : result == cudaSuccess ? cudaStreamSynchronize(of->slab->solving)
                                   : result;
}

static rec_strip strip_of(const border *of, rec_field field, size_t plane, size_t rows)
{
    if (!of->slab || !of->staging)
        return of->slab ? (rec_strip){rec_cuda_row(of->slab, field, plane, of->own),
                                      rec_cuda_row(of->slab, field, plane, of->ghosts)}
                        : (rec_strip){NULL, NULL};
    const rec_grid *grid = &of->slab->iterates.grid;
    float *own = of->staging + plane * rows * grid->pitch;
    return (rec_strip){own, own + grid->planes * rows * grid->pitch};
}

static cudaError_t trade_with_ranks(const rec_cuda *first, const rec_cuda *last, rec_field field)
{
    const rec_slab *upper = &first->slab, *lower = &last->slab;
    const rec_grid *grid = &first->iterates.grid;
    const size_t rows = upper->rank_above ? upper->above : lower->below;
    const size_t end = lower->above + lower->rows;
    border borders[2] = {{NULL, rows, 0, first->borders}, {NULL, end - rows, end, last->borders}};
    cudaError_t result = cudaSuccess;
    borders[0].slab = upper->rank_above ? first : NULL;
    borders[1].slab = lower->rank_below ? last : NULL;
    if (last->borders)
        borders[1].staging += 2 * rec_cuda_border_floats(last);
    for (size_t i = 0; i < 2; i++)
        if (borders[i].slab)
            REC_FIRST_FAILURE(stage(&borders[i], field, rows, 0));
    for (size_t p = 0; result == cudaSuccess && p < grid->planes; p++) {
        const rec_strip above = strip_of(&borders[0], field, p, rows);
        const rec_strip below = strip_of(&borders[1], field, p, rows);
        rec_ranks_trade(above.own ? &above : NULL, below.own ? &below : NULL, rows * grid->pitch);
    }
    for (size_t i = 0; i < 2; i++)
        if (borders[i].slab)
            REC_FIRST_FAILURE(stage(&borders[i], field, rows, 1));
    return result;
}

/* Nobody waits but the devices: a slab for its neighbours' iterates, and before it overwrites its
 * own for the neighbours to have read it. */
rec_status rec_cuda_trade(void *const *states, size_t count, rec_field field, rec_error *error)
{
    rec_cuda *const *slabs = (rec_cuda *const *)states;
    cudaError_t result = cudaSuccess;
    for (size_t i = 0; i < count; i++) {
        REC_FIRST_FAILURE(cudaSetDevice(slabs[i]->device));
        REC_FIRST_FAILURE(cudaEventRecord(slabs[i]->made, slabs[i]->solving));
    }
    for (size_t i = 0; i < count; i++) {
        const rec_cuda *const own = slabs[i];
        const rec_cuda *const upper = slabs[(i + count - 1) % count];
        const rec_cuda *const lower = slabs[(i + 1) % count];
        const rec_slab *const at = &own->slab;
        REC_FIRST_FAILURE(cudaSetDevice(own->device));
        if (at->above && !at->rank_above)
            REC_FIRST_FAILURE(pull(own, 0, upper,
                                   upper->slab.above + upper->slab.rows - at->above, at->above,
                                   field));
        if (at->below && !at->rank_below)
            REC_FIRST_FAILURE(
                pull(own, at->above + at->rows, lower, lower->slab.above, at->below, field));
        REC_FIRST_FAILURE(cudaEventRecord(own->traded, own->solving));
    }
    for (size_t i = 0; i < count; i++) {
        const rec_cuda *const upper = slabs[(i + count - 1) % count];
        const rec_cuda *const lower = slabs[(i + 1) % count];
        REC_FIRST_FAILURE(cudaSetDevice(slabs[i]->device));
        REC_FIRST_FAILURE(cudaStreamWaitEvent(slabs[i]->solving, upper->traded, 0));
        REC_FIRST_FAILURE(cudaStreamWaitEvent(slabs[i]->solving, lower->traded, 0));
    }
    REC_FIRST_FAILURE(trade_with_ranks(slabs[0], slabs[count - 1], field));
    return rec_cuda_status(result, "trading rows between slabs", error);
}
