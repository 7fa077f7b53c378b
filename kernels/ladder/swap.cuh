// One thread a pixel with the pointers swapped, for the rungs that change something around it.
#ifndef REC_KERNELS_LADDER_SWAP_CUH
#define REC_KERNELS_LADDER_SWAP_CUH

#include "kernels/ladder/rung.cuh"

// n iterations in blocks of planes->block threads.
cudaError_t launch_swap(rec_planes *planes, uint64_t n);

#endif
