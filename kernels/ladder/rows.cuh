// One thread a row, for the two rungs that have it: 06 with the picture on the host, 07 without.
#ifndef REC_KERNELS_LADDER_ROWS_CUH
#define REC_KERNELS_LADDER_ROWS_CUH

#include "kernels/ladder/rung.cuh"

// other = J(m)
cudaError_t launch_row(rec_planes *planes);

#endif
