// 12: the block first loads its tile and the cells around it into shared memory: one load from
// memory instead of four. Today's first-level caches do the same, and only the costs remain, a
// barrier and the branches at the rim: it is slower than 11. Rung 20 uses shared memory better.
// 87: the same in blocks of 32 x 32: rung 26 without its norm.
#include "kernels/ladder/rung.cuh"

template <int columns, int rows>
static __global__ void ladder_tile(float *__restrict__ out, const float *__restrict__ m,
                                   const float *__restrict__ f, Grid grid)
{
    update_in_tile<columns, rows>(out, m, f, grid); // in rung.cuh
}

constexpr int columns = REC_LADDER_TILE_COLUMNS, rows = REC_LADDER_TILE_ROWS;

RUNG(tile)
{
    return iterate(planes, n, ladder_tile<columns, rows>, planes->pixels({columns, rows}), error);
}
RUNG(tile_32) { return iterate(planes, n, ladder_tile<32, 32>, planes->pixels({32, 32}), error); }
