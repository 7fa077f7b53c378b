/* The levels of the host's V-cycle in memory, and which of their cells are unknown. */
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "solver/multigrid/multigrid_host.h"

/* A row of the diagonal and of its inverse. */
static void set_diagonal(const rec_cycle_grid *grid, size_t row, int missing, const float *mass)
{
    for (size_t x = 0; x < grid->width; x++) {
        const size_t cell = rec_cell_of(grid, x), at = row * grid->pitch + cell;
        const float diagonal = (float)(4 - missing - rec_missing(&grid->level.x, (int)x)) +
                               (mass ? mass[cell] : 0);
        grid->diagonal[at] = diagonal;
        grid->inverse[at] = diagonal > 0 ? 1 / diagonal : 0;
    }
}

static rec_status grid_create(rec_cycle_grid *grid, const rec_multigrid_level *level, int finest,
                              int has_mass, rec_error *error)
{
    *grid = (rec_cycle_grid){.level = *level, .width = (size_t)level->x.cells,
                             .height = (size_t)level->y.cells};
    grid->half = (grid->width + 1) / 2;
    grid->blocks = (grid->half + REC_BLOCK - 1) / REC_BLOCK;
    grid->odd = rec_half_width(grid) + 16;
    grid->pitch = 2 * grid->odd;
    const size_t groups = (grid->height + REC_GROUP - 1) / REC_GROUP;
    const size_t cells = (finest ? 0 : grid->height) * grid->pitch;
    const size_t diagonals = (has_mass ? grid->height : 3) * grid->pitch;
    const size_t masses = has_mass ? diagonals : 0;
    REC_TRY(rec_allocate_zeroed(&grid->unknown, grid->height, 2 * rec_half_width(grid), "a level",
                                error));
    REC_TRY(rec_allocate_zeroed(&grid->active, groups, grid->blocks, "a level", error));
    REC_TRY(rec_allocate_zeroed(&grid->b, 3 * cells + 2 * diagonals + masses, sizeof(float),
                                "a level", error));
    grid->z = grid->b + cells;
    grid->corrected = grid->z + cells;
    grid->inverse = grid->corrected + cells;
    grid->diagonal = grid->inverse + diagonals;
    grid->mass = has_mass ? grid->diagonal + diagonals : NULL;
    for (int missing = 0; !has_mass && missing < 3; missing++)
        set_diagonal(grid, (size_t)missing, missing, NULL);
    return REC_OK;
}

/* A coarse cell is unknown if all its children are; beyond a side that is not known there is no
 * child. */
REC_TASK(coarsen_rows, const rec_cycle_grid *fine, *coarse)
{
    const rec_cycle_grid *fine = job->fine, *coarse = job->coarse;
    const int beyond_x = fine->level.x.high != REC_FIXED,
              beyond_y = fine->level.y.high != REC_FIXED;
    for (size_t y = first; y < end; y++) {
        const int below = 2 * y + 1 < fine->height;
        for (size_t x = 0; x < coarse->width; x++) {
            int all = below || beyond_y;
            for (size_t row = 2 * y; row <= 2 * y + (below ? 1 : 0); row++)
                all &= rec_unknown_of(fine, row, 0)[x] &
                       (2 * x + 1 < fine->width ? rec_unknown_of(fine, row, 1)[x] : beyond_x);
            rec_unknown_of(coarse, y, x & 1)[x / 2] = (unsigned char)all;
        }
    }
}

/* The masses of coarse cells, and the diagonals; on the finest level, without `fine`, these alone.
 */
REC_TASK(weigh_rows, const rec_cycle_grid *fine, *grid)
{
    const rec_cycle_grid *fine = job->fine, *grid = job->grid;
    for (size_t y = first; y < end; y++) {
        float *mass = grid->mass + y * grid->pitch;
        for (size_t x = 0; fine && x < grid->width; x++) {
            float sum = 0;
            for (size_t row = 2 * y; row < rec_smaller(2 * y + 2, fine->height); row++)
                for (size_t i = 2 * x; i < rec_smaller(2 * x + 2, fine->width); i++)
                    sum += fine->mass[row * fine->pitch + rec_cell_of(fine, i)];
            mass[rec_cell_of(grid, x)] = fine->level.weight * sum;
        }
        set_diagonal(grid, y, rec_missing(&grid->level.y, (int)y), mass);
    }
}

/* A block of a group is active if one of its cells is unknown. */
static void find_active(const rec_cycle_grid *grid)
{
    memset(grid->active, 0, (grid->height + REC_GROUP - 1) / REC_GROUP * grid->blocks);
    for (size_t y = 0; y < grid->height; y++)
        for (size_t k = 0; k < 2 * grid->blocks; k++)
            if (memchr(rec_unknown_of(grid, y, 0) + k * REC_BLOCK, 1, REC_BLOCK))
                grid->active[y / REC_GROUP * grid->blocks + k % grid->blocks] = 1;
}

rec_status rec_cycle_create(rec_cycle *cycle, const rec_multigrid_shape *shape, rec_error *error)
{
    static const rec_multigrid_loops *const loops[] = REC_OF_CPU_SETS(rec_multigrid_loops);
    int set = 0;
    while (!rec_cpu_has(set))
        set++;
    *cycle = (rec_cycle){.loops = loops[set], .levels = shape->levels};
    for (size_t l = 0; l < cycle->levels; l++) {
        REC_TRY(grid_create(&cycle->grid[l], &shape->level[l], l == 0, shape->has_mass, error));
        const size_t rows = 10 * rec_multigrid_sweeps(l) + 3; /* of a band */
        cycle->ring_floats = rec_larger(cycle->ring_floats, rows * cycle->grid[l].pitch);
    }
    const rec_cycle_grid *finest = &cycle->grid[0];
    cycle->threads = rec_team_for(finest->width * finest->height);
    REC_TRY(rec_allocate_zeroed(&cycle->sums, finest->height, sizeof *cycle->sums, "sums", error));
    return rec_allocate(&cycle->ring, cycle->threads * cycle->ring_floats, sizeof(float),
                        "rows of the smoother", error);
}

void rec_cycle_coarsen(rec_cycle *cycle)
{
    for (size_t l = 0; l < cycle->levels; l++) {
        if (l > 0)
            REC_SHARE_ROWS(cycle->grid[l].width, cycle->grid[l].height, coarsen_rows,
                           &cycle->grid[l - 1], &cycle->grid[l]);
        if (cycle->grid[l].mass)
            REC_SHARE_ROWS(cycle->grid[l].width, cycle->grid[l].height, weigh_rows,
                           l ? &cycle->grid[l - 1] : NULL, &cycle->grid[l]);
        find_active(&cycle->grid[l]);
        if (l > 0) /* what an inactive block has stays 0 */
            memset(cycle->grid[l].z, 0,
                   2 * cycle->grid[l].height * cycle->grid[l].pitch * sizeof(float));
    }
}

void rec_cycle_destroy(rec_cycle *cycle)
{
    for (rec_cycle_grid *grid = cycle->grid; grid < cycle->grid + cycle->levels; grid++) {
        rec_free(grid->unknown);
        rec_free(grid->active);
        rec_free(grid->b);
    }
    rec_free(cycle->ring);
    rec_free(cycle->sums);
    *cycle = (rec_cycle){0};
}
