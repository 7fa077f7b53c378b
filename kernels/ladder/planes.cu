// The memory of the rungs: filled, timed by two events, and read back. Not a rung.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/ladder/rung.cuh"

namespace {

rec_status check_managed(size_t bytes, int device, rec_error *error)
{
    size_t available, all;
    int supported;
    LADDER_TRY(cudaDeviceGetAttribute(&supported, cudaDevAttrManagedMemory, device));
    LADDER_TRY(cudaMemGetInfo(&available, &all));
    if (!supported)
        return rec_fail(error, REC_UNAVAILABLE, "this device has no managed memory");
    if (bytes > available / 4)
        return rec_fail(error, REC_LIMIT,
                        "managed memory is taken up to a quarter of what is free, no further");
    return REC_OK;
}

rec_status take_plane(rec_planes *planes, int which, float **pixels, rec_error *error)
{
    float **start = &planes->allocation[which];
    const size_t bytes = planes->cells() * sizeof(float);
    if (planes->memory == REC_LADDER_MANAGED)
        LADDER_TRY(cudaMallocManaged(start, bytes));
    else
        LADDER_TRY(cudaMalloc(start, bytes));
    *pixels = *start + 32 + planes->ring * planes->grid.stride;
    return REC_OK;
}

// Halo and pixels together, from an image of the whole plane that is made on the host.
rec_status fill(const rec_planes *planes, float *pixels, const void *words, size_t stride,
                rec_error *error)
{
    const Grid &grid = planes->grid;
    std::vector<float> cells(planes->cells(), planes->halo);
    for (size_t y = 0; y < grid.height; y++)
        memcpy(&cells[32 + (y + planes->ring) * grid.stride], (const float *)words + y * stride,
               grid.width * sizeof(float));
    LADDER_TRY(cudaMemcpy(planes->whole(pixels), cells.data(), cells.size() * sizeof(float),
                          cudaMemcpyDefault));
    return REC_OK;
}

// The weights of the course take the place of f; (height + 2 radius) rows are room enough.
rec_status fill_weights(rec_planes *planes, const float *weights, rec_error *error)
{
    const size_t side = 2 * (size_t)planes->radius + 1;
    planes->f = planes->allocation[2];
    LADDER_TRY(cudaMemcpy(planes->f, weights, side * side * sizeof(float),
                          cudaMemcpyHostToDevice));
    return REC_OK;
}

rec_status take_host(rec_planes *planes, rec_error *error)
{
    const size_t bytes = planes->cells() * sizeof(float);
    if (planes->memory == REC_LADDER_PINNED)
        LADDER_TRY(cudaMallocHost(&planes->host, bytes));
    else if (planes->memory == REC_LADDER_PAGEABLE)
        planes->host = (float *)malloc(bytes);
    else
        return REC_OK;
    if (!planes->host)
        return rec_fail(error, REC_LIMIT, "out of memory for the picture on the host");
    LADDER_TRY(cudaMemcpy(planes->host, planes->whole(planes->m), bytes, cudaMemcpyDefault));
    return REC_OK;
}

rec_status set_up(rec_planes *planes, const rec_ladder_problem *problem, rec_error *error)
{
    LADDER_TRY(cudaSetDevice(planes->device));
    rec_status status = REC_OK;
    if (planes->memory == REC_LADDER_MANAGED)
        status = check_managed(3 * planes->cells() * sizeof(float), planes->device, error);
    float **const pixels[] = {&planes->m, &planes->other, &planes->f};
    const void *const words[] = {problem->m, problem->m, planes->radius ? nullptr : problem->f};
    for (int i = 0; i < 3 && !status; i++) {
        status = take_plane(planes, i, pixels[i], error);
        if (!status)
            status = words[i] ? fill(planes, *pixels[i], words[i], problem->stride, error)
                              : fill_weights(planes, problem->weights, error);
    }
    if (!status)
        status = take_host(planes, error);
    if (status)
        return status;
    LADDER_TRY(cudaMalloc(&planes->squares, 2 * sizeof *planes->squares));
    LADDER_TRY(cudaMemset(planes->squares, 0, 2 * sizeof *planes->squares));
    return planes->open(error);
}

} // namespace

extern "C" rec_status rec_planes_create(rec_planes **planes, const rec_ladder_problem *problem,
                                        rec_error *error)
{
    *planes = new rec_planes();
    const size_t ring = problem->radius ? (size_t)problem->radius : 1;
    (*planes)->grid = {problem->width, problem->height,
                       (problem->width + 2 * ring + 31) / 32 * 32};
    (*planes)->ring = ring;
    (*planes)->halo = problem->halo;
    (*planes)->radius = problem->radius;
    (*planes)->block = dim3(problem->block_columns, problem->block_rows);
    (*planes)->fixed_blocks = dim3(problem->grid_columns, problem->grid_rows);
    (*planes)->memory = problem->memory;
    (*planes)->device = problem->device;
    const rec_status status = set_up(*planes, problem, error);
    if (status) {
        rec_planes_destroy(*planes);
        *planes = nullptr;
    }
    return status;
}

extern "C" rec_status rec_planes_advance(rec_planes *planes, rec_ladder_rung *rung, uint64_t n,
                                         double *seconds, rec_error *error)
{
    return planes->time(seconds, error, [&] { return rung(planes, n, error); });
}

extern "C" rec_status rec_planes_read(rec_planes *planes, void *words, rec_error *error)
{
    const Grid &grid = planes->grid;
    const size_t row = grid.width * sizeof(float);
    LADDER_TRY(cudaMemcpy2D(words, row, planes->m, grid.stride * sizeof(float), row, grid.height,
                            cudaMemcpyDefault));
    return REC_OK;
}

extern "C" rec_status rec_planes_squares(rec_planes *planes, double *squares, rec_error *error)
{
    LADDER_TRY(cudaMemcpy(squares, planes->squares + planes->iterations % 2, sizeof *squares,
                          cudaMemcpyDeviceToHost));
    return REC_OK;
}

extern "C" void rec_planes_get_launch(const rec_planes *planes, rec_ladder_launch *launch)
{
    *launch = planes->launch;
}

extern "C" void rec_planes_destroy(rec_planes *planes)
{
    if (!planes)
        return;
    if (planes->stream)
        cudaStreamSynchronize(planes->stream);
    if (planes->graph)
        cudaGraphExecDestroy(planes->graph);
    for (float *allocation : planes->allocation)
        cudaFree(allocation);
    cudaFree(planes->squares);
    if (planes->memory == REC_LADDER_PINNED)
        cudaFreeHost(planes->host);
    else
        free(planes->host);
    planes->close();
    delete planes;
}
