/* The spectral solver: on a device, or on the host. */
#include "solver/spectral/spectral.h"

static int available(rec_error *error) { return REC_HAVE_FFTW || rec_device_available(0, error); }

/* Many pictures share a device's start, unless each is too small to be worth the copies. */
const rec_solver_type rec_solver_spectral = {
    .inverts = 1,
    .summary = "the limit itself, or any iterate, by the sine transform in double",
    .kernels = (const char *const[]){"cuda", "fftw", NULL},
    .available = available,
    .host = REC_HAVE_FFTW ? &rec_spectral_host : NULL,
    .device = REC_HAVE_CUDA ? &rec_spectral_cuda : NULL,
    .device_samples = {.one = 1 << 23, .each = 1 << 16, .all = 1 << 28, .bytes = 13},
    REC_SPECTRAL_SHARED,
};
