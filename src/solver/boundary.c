#include "solver/boundary.h"

#include <string.h>

#include "base/hash.h"

const char *const rec_boundary_names[REC_BOUNDARIES] = {
    [REC_BOUNDARY_HALO] = "halo",
    [REC_BOUNDARY_MIRROR] = "mirror",
    [REC_BOUNDARY_WRAP] = "wrap",
    [REC_BOUNDARY_MIRROR101] = "mirror101",
    [REC_BOUNDARY_REPLICATE] = "replicate",
};

int rec_boundary_frees_mean(rec_boundary_kind kind) { return kind == REC_BOUNDARY_MIRROR; }

uint64_t rec_boundary_hash(const rec_boundary *boundary, uint64_t hash)
{
    if (boundary->kind == REC_BOUNDARY_HALO)
        return rec_hash(hash, &boundary->value, sizeof boundary->value);
    const char *name = rec_boundary_names[boundary->kind];
    const uint64_t named = rec_hash(hash, name, strlen(name) + 1);
    return boundary->mean_count ? rec_hash(named, boundary->means, sizeof boundary->means) : named;
}
