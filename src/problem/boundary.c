/* The table of boundaries, and how fixed values beside the picture are folded into the edges. */
#include "problem/boundary.h"

#include "base/text.h"

float rec_sawtooth(size_t y, size_t height, int right)
{
    double v = height > 1 ? 2.0 * (double)y / (double)(height - 1) : 0;
    if (height > 1 && y >= height / 2)
        v = 2 - v;
    return (float)(int)(255 * (right ? v : 1 - v));
}

enum { ALL = REC_FOR_UPDATES | REC_FOR_INVERSES | REC_FOR_FILTERS };

const rec_boundary_row rec_boundaries[REC_BOUNDARIES] = {
    [REC_BOUNDARY_HALO] = {"halo", REC_FIXED, REC_FIXED, ALL, NULL, "the constant of --halo"},
    [REC_BOUNDARY_MIRROR] = {"mirror", REC_MIRRORED, REC_MIRRORED, ALL, NULL, "its border pixels"},
    [REC_BOUNDARY_WRAP] = {"wrap", REC_WRAPPED, REC_WRAPPED, ALL, NULL,
                           "those of the opposite side"},
    [REC_BOUNDARY_SAWTOOTH] = {"sawtooth", REC_FIXED, REC_WRAPPED, REC_FOR_UPDATES, rec_sawtooth,
                               "fixed values left and right, and its opposite side above and "
                               "below"},
    [REC_BOUNDARY_MIRROR101] = {"mirror101", REC_MIRRORED_101, REC_MIRRORED_101, REC_FOR_FILTERS,
                                NULL, "mirror without the border pixels"},
    [REC_BOUNDARY_REPLICATE] = {"replicate", REC_REPLICATED, REC_REPLICATED, REC_FOR_FILTERS, NULL,
                                "the nearest border pixel"},
    [REC_BOUNDARY_CYLINDER] = {"cylinder", REC_WRAPPED, REC_MIRRORED, REC_FOR_LIMITS, NULL,
                               "wrap left and right, mirror above and below: a map of the globe; "
                               "no iterates"},
};

int rec_boundary_has_constant(rec_boundary_kind kind)
{
    const rec_boundary_row *row = &rec_boundaries[kind];
    return (row->x == REC_FIXED || row->y == REC_FIXED) && !row->side;
}

/* Neither axis has anything fixed: a constant picture stays as it is. */
int rec_boundary_frees_mean(rec_boundary_kind kind)
{
    const rec_boundary_row *row = &rec_boundaries[kind];
    return rec_ghost(row->x, 1, 1, 0) == 1 && rec_ghost(row->y, 1, 1, 0) == 1;
}

const char *rec_boundary_list(char text[REC_BOUNDARY_LIST], unsigned uses)
{
    const char *names[REC_BOUNDARIES];
    size_t count = 0;
    for (rec_boundary_kind kind = 0; kind < REC_BOUNDARIES; kind++)
        if (uses ? (rec_boundaries[kind].uses & uses) != 0 : rec_boundary_frees_mean(kind))
            names[count++] = rec_boundaries[kind].name;
    return rec_list_words(text, REC_BOUNDARY_LIST, "", names, count, " or ");
}

float rec_boundary_folded(rec_boundary_kind kind, size_t x, size_t y, size_t width, size_t height)
{
    const rec_boundary_row *row = &rec_boundaries[kind];
    if (!row->side)
        return 0;
    return (x == 0 ? row->side(y, height, 0) : 0) + (x == width - 1 ? row->side(y, height, 1) : 0);
}

void rec_boundary_fold(rec_boundary_kind kind, rec_image *edges)
{
    const rec_boundary_row *row = &rec_boundaries[kind];
    const size_t height = rec_image_full_height(edges);
    for (size_t p = 0; row->side && p < edges->planes; p++)
        for (size_t y = 0; y < edges->height; y++) {
            float *samples = rec_image_row(edges, p, y);
            samples[0] -= row->side(edges->above + y, height, 0);
            samples[edges->width - 1] -= row->side(edges->above + y, height, 1);
        }
}
