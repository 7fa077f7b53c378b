/* The devices of a build without CUDA: none. */
#include "device/devices.h"

rec_status rec_devices(rec_device *devices, size_t capacity, int start, size_t *count,
                       rec_error *error)
{
    *count = 0;
    rec_fail(error, REC_UNAVAILABLE, "this program was built without CUDA");
    return REC_OK;
}
