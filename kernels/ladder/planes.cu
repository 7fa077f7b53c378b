// The memory of the rungs: filled, timed by two events, and read back. Not a rung.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/ladder/rung.cuh"

// Halo and pixels together, from an image of the whole plane that is made on the host. Without
// words: the weights of the course in the place of f; (height + 2 radius) rows are room enough.
static rec_status make_plane(rec_ladder_planes *planes, float **start, float **pixels,
                             const void *words, rec_error *error)
{
    const Grid &grid = planes->grid;
    const size_t side = 2 * (size_t)planes->problem.radius + 1;
    if (planes->problem.memory == REC_LADDER_MANAGED)
        LADDER_TRY(cudaMallocManaged(start, planes->bytes()));
    else
        LADDER_TRY(cudaMalloc(start, planes->bytes()));
    *pixels = *start + (words ? 32 + planes->ring * grid.stride : 0);
    std::vector<float> cells(words ? planes->cells() : 0, planes->problem.halo);
    for (size_t y = 0; words && y < grid.height; y++)
        memcpy(&cells[32 + (y + planes->ring) * grid.stride],
               (const float *)words + y * planes->problem.stride, grid.width * sizeof(float));
    LADDER_TRY(cudaMemcpy(*start, words ? cells.data() : planes->problem.weights,
                          words ? planes->bytes() : side * side * sizeof(float),
                          cudaMemcpyDefault));
    return REC_OK;
}

static rec_status set_up(rec_ladder_planes *planes, rec_error *error)
{
    const rec_ladder_problem &problem = planes->problem;
    const bool managed = problem.memory == REC_LADDER_MANAGED;
    size_t available, all;
    int supported;
    LADDER_TRY(cudaSetDevice(problem.device));
    LADDER_TRY(cudaDeviceGetAttribute(&planes->multiprocessors, cudaDevAttrMultiProcessorCount,
                                      problem.device));
    LADDER_TRY(cudaDeviceGetAttribute(&supported, cudaDevAttrManagedMemory, problem.device));
    LADDER_TRY(cudaMemGetInfo(&available, &all));
    if (managed && !supported)
        return rec_fail(error, REC_UNAVAILABLE, "this device has no managed memory");
    if (managed && 3 * planes->bytes() > available / 4)
        return rec_fail(error, REC_LIMIT, "managed memory uses at most a quarter of what is free");
    float **const pixels[] = {&planes->m, &planes->other, &planes->f};
    const void *const words[] = {problem.m, problem.m, problem.radius ? nullptr : problem.f};
    for (int i = 0; i < 3; i++)
        REC_TRY(make_plane(planes, &planes->allocation[i], pixels[i], words[i], error));
    if (problem.memory == REC_LADDER_PINNED)
        LADDER_TRY(cudaMallocHost(&planes->host, planes->bytes()));
    if (problem.memory == REC_LADDER_PAGEABLE && !(planes->host = (float *)malloc(planes->bytes())))
        return rec_fail(error, REC_LIMIT, "out of memory for the picture on the host");
    if (planes->host)
        LADDER_TRY(cudaMemcpy(planes->host, planes->whole(planes->m), planes->bytes(),
                              cudaMemcpyDefault));
    LADDER_TRY(cudaMalloc(&planes->squares, 2 * sizeof *planes->squares));
    LADDER_TRY(cudaMemset(planes->squares, 0, 2 * sizeof *planes->squares));
    return planes->open(error);
}

extern "C" rec_status rec_ladder_create(void **state, const rec_ladder_problem *problem,
                                        rec_error *error)
{
    rec_ladder_planes *const planes = new rec_ladder_planes();
    planes->problem = *problem;
    planes->ring = problem->radius ? (size_t)problem->radius : 1;
    planes->grid = {problem->width, problem->height,
                    (problem->width + 2 * planes->ring + 31) / 32 * 32};
    const rec_status status = set_up(planes, error);
    if (status)
        rec_ladder_destroy(planes);
    *state = status ? nullptr : planes;
    return status;
}

extern "C" rec_status rec_ladder_advance(void *state, uint64_t n, rec_ladder_launch *launch,
                                         rec_error *error)
{
    rec_ladder_planes *const planes = (rec_ladder_planes *)state;
    const rec_status status = planes->time(&planes->launch.seconds, error, [&] {
        return planes->problem.rung(planes, n, error);
    });
    *launch = planes->launch;
    return status;
}

extern "C" rec_status rec_ladder_read(void *state, void *words, double *squares, rec_error *error)
{
    const rec_ladder_planes *const planes = (rec_ladder_planes *)state;
    const Grid &grid = planes->grid;
    const size_t row = grid.width * sizeof(float);
    LADDER_TRY(cudaMemcpy2D(words, row, planes->m, grid.stride * sizeof(float), row, grid.height,
                            cudaMemcpyDefault));
    if (squares)
        LADDER_TRY(cudaMemcpy(squares, planes->squares + planes->iterations % 2, sizeof *squares,
                              cudaMemcpyDeviceToHost));
    return REC_OK;
}

extern "C" void rec_ladder_destroy(void *state)
{
    rec_ladder_planes *const planes = (rec_ladder_planes *)state;
    if (planes->stream)
        cudaStreamSynchronize(planes->stream);
    if (planes->graph)
        cudaGraphExecDestroy(planes->graph);
    for (float *allocation : planes->allocation)
        cudaFree(allocation);
    cudaFree(planes->squares);
    if (planes->problem.memory == REC_LADDER_PINNED)
        cudaFreeHost(planes->host);
    else
        free(planes->host);
    delete planes;
}

// The step launches into the default stream: that one and the planes' stream wait for each other.
RUNG(own)
{
    const Grid &grid = planes->grid;
    const rec_ladder_mine &mine = *planes->problem.mine;
    for (uint64_t done; n; n -= done, planes->iterations += done) {
        double *const squares = planes->squares + (planes->iterations + 1) % 2;
        if (mine.step_norm)
            LADDER_TRY(cudaMemsetAsync(squares, 0, sizeof *squares, cudaStreamLegacy));
        done = rec_ladder_steps(&mine, n, &planes->m, &planes->other, planes->f, (int)grid.width,
                                (int)grid.height, (int)grid.stride, squares);
        if (!done)
            return rec_fail(error, REC_FAULT, "it returned neither `out` nor `in`");
    }
    const char *const failed = mine.failed();
    return failed ? rec_fail(error, REC_FAULT, "after a step: %s", failed) : REC_OK;
}
