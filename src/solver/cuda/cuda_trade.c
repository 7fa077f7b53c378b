/* The trade of ghost rows between the slabs of this rank, on one device or several. */
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

/* Nobody waits but the devices: a slab for its neighbours' iterates, and before it overwrites its
 * own for the neighbours to have read it. */
static cudaError_t trade(rec_cuda *const *slabs, size_t count, rec_field field)
{
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
    return result;
}

rec_status rec_cuda_trade(void *const *states, size_t count, rec_field field, rec_error *error)
{
    rec_cuda *const *slabs = (rec_cuda *const *)states;
    cudaError_t result = count > 1 ? trade(slabs, count, field) : cudaSuccess;
    REC_FIRST_FAILURE(rec_cuda_trade_with_ranks(slabs[0], slabs[count - 1], field));
    return rec_cuda_status(result, "trading rows between slabs", error);
}
