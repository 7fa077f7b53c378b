/* REC_HD: for functions that the C compiler and nvcc both read, and that run on both sides. */
#ifndef REC_KERNELS_HOST_DEVICE_H
#define REC_KERNELS_HOST_DEVICE_H

#ifdef __CUDACC__
#define REC_HD __host__ __device__
#else
#define REC_HD
#endif

#endif
