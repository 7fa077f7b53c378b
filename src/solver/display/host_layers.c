/* What the solvers of the host compare the picture with: an iterate that they remember and a
 * reference that they are given, both kept as the iterates are, without a halo. */
#include <string.h>

#include "base/memory.h"
#include "base/trace.h"
#include "solver/cpu/host.h"

static size_t plane_size(const rec_host *host) { return host->height * host->stride; }

/* Memory for all planes, once. */
static rec_status take(const rec_host *host, float **planes, const char *what, rec_error *error)
{
    void *memory;
    if (*planes)
        return REC_OK;
    rec_trace_push(REC_TRACE_ALLOCATE, host->planes * plane_size(host) * sizeof(float));
    /* The product fits: the solver has as much for its iterates. */
    const rec_status status =
        rec_allocate(&memory, host->planes * plane_size(host), sizeof(float), what, error);
    rec_trace_pop();
    if (!status)
        *planes = memory;
    return status;
}

/* Plane p from rows that are `stride` floats apart; the threads write the rows that they will
 * read. */
static void copy_plane(const rec_host *host, float *planes, size_t p, const float *rows,
                       size_t stride)
{
    float *plane = planes + p * plane_size(host);
#pragma omp parallel for schedule(static) num_threads(host->threads)
    for (size_t y = 0; y < host->height; y++)
        memcpy(plane + y * host->stride, rows + y * stride, host->width * sizeof *plane);
}

rec_status rec_host_mark(void *state, rec_error *error)
{
    rec_host *host = state;
    const rec_status status = take(host, &host->mark, "the iterate to compare with", error);
    for (size_t p = 0; !status && p < host->planes; p++)
        copy_plane(host, host->mark, p, host->m[p].cells, host->m[p].stride);
    return status;
}

void rec_host_unmark(void *state)
{
    rec_host *host = state;
    rec_free(host->mark);
    host->mark = NULL;
}

rec_status rec_host_set_reference(void *state, const rec_image *reference, rec_error *error)
{
    rec_host *host = state;
    if (!reference) {
        rec_free(host->reference);
        host->reference = NULL;
        return REC_OK;
    }
    const rec_status status = take(host, &host->reference, "the reference", error);
    for (size_t p = 0; !status && p < host->planes; p++)
        copy_plane(host, host->reference, p, rec_image_row(reference, p, 0), reference->stride);
    return status;
}

/* Summed as the norms are: within rows, and then over rows and planes. */
rec_status rec_host_compare(void *state, double *mean_square, rec_error *error)
{
    (void)error;
    const rec_host *host = state;
    double sum = 0;
    for (size_t p = 0; p < host->planes; p++) {
        const float *reference = host->reference + p * plane_size(host);
#pragma omp parallel for schedule(static) num_threads(host->threads)
        for (size_t y = 0; y < host->height; y++) {
            const float *m = host->m[p].cells + y * host->stride;
            const float *r = reference + y * host->stride;
            double squares = 0;
            for (size_t x = 0; x < host->width; x++) {
                const double d = (double)m[x] - (double)r[x];
                squares += d * d;
            }
            host->row_sums[y] = squares;
        }
        for (size_t y = 0; y < host->height; y++)
            sum += host->row_sums[y];
    }
    *mean_square = sum / ((double)host->planes * (double)host->height * (double)host->width);
    return REC_OK;
}

rec_status rec_host_probe(void *state, size_t x, size_t y, rec_probe *probe, rec_error *error)
{
    (void)error;
    const rec_host *host = state;
    const size_t at = y * host->stride + x;
    for (size_t p = 0; p < host->planes; p++) {
        probe->picture[p] = host->m[p].cells[at];
        if (host->f[p])
            probe->edges[p] = -4.0f * host->f[p][at];
        if (host->reference)
            probe->reference[p] = host->reference[p * plane_size(host) + at];
    }
    return REC_OK;
}
