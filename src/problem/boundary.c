/* The boundaries' names, and how a fixed one is folded into the edges. */
#include "problem/boundary.h"

#include <string.h>

#include "base/hash.h"
#include "problem/laplacian.h"

const char *const rec_boundary_names[REC_BOUNDARIES] = {
    [REC_BOUNDARY_HALO] = "halo",
    [REC_BOUNDARY_MIRROR] = "mirror",
    [REC_BOUNDARY_WRAP] = "wrap",
    [REC_BOUNDARY_SAWTOOTH] = "sawtooth",
    [REC_BOUNDARY_MIRROR101] = "mirror101",
    [REC_BOUNDARY_REPLICATE] = "replicate",
};

int rec_boundary_frees_mean(rec_boundary_kind kind)
{
    return rec_beyond_x(kind) != REC_FIXED && rec_beyond_y(kind) != REC_FIXED;
}

float rec_boundary_folded(rec_boundary_kind kind, size_t x, size_t y, size_t width, size_t height)
{
    if (kind != REC_BOUNDARY_SAWTOOTH)
        return 0;
    return (x == 0 ? rec_sawtooth(y, height, 0) : 0) +
           (x == width - 1 ? rec_sawtooth(y, height, 1) : 0);
}

void rec_boundary_fold(rec_boundary_kind kind, rec_image *edges)
{
    const size_t height = rec_image_full_height(edges);
    for (size_t p = 0; kind == REC_BOUNDARY_SAWTOOTH && p < edges->planes; p++)
        for (size_t y = 0; y < edges->height; y++) {
            float *row = rec_image_row(edges, p, y);
            row[0] -= rec_sawtooth(edges->above + y, height, 0);
            row[edges->width - 1] -= rec_sawtooth(edges->above + y, height, 1);
        }
}

uint64_t rec_boundary_hash(const rec_boundary *boundary, uint64_t hash)
{
    if (boundary->kind == REC_BOUNDARY_HALO)
        return rec_hash(hash, &boundary->value, sizeof boundary->value);
    const char *name = rec_boundary_names[boundary->kind];
    const uint64_t named = rec_hash(hash, name, strlen(name) + 1);
    return boundary->mean_count ? rec_hash(named, boundary->means, sizeof boundary->means) : named;
}
