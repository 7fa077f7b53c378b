/* REC_HD: for functions that the C compiler and nvcc both read, and that run on both sides. */
#pragma once

#ifdef __CUDACC__
#define REC_HD __host__ __device__
#else
#define REC_HD
#endif
