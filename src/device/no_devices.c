/* The devices of a build without CUDA: none. */
#include "device/devices.h"

rec_status rec_devices(rec_device *devices, size_t capacity, int start, size_t *count,
                       rec_error *error)
{
    *count = 0;
    rec_device_available(0, error);
    return REC_OK;
}

int rec_device_available(int device, rec_error *error)
{
    rec_fail(error, REC_UNAVAILABLE, "this program was built without CUDA");
    return 0;
}

rec_status rec_device_begin(int device, rec_error *error) { return REC_UNAVAILABLE; }
int rec_device_of(const void *memory) { return -1; }
int rec_device_current(void) { return -1; }
void rec_device_choose(int device) {}

rec_status rec_device_copy(float *to, size_t to_stride, const float *from, size_t from_stride,
                           size_t width, size_t height, void *stream, void *user, rec_error *error)
{
    rec_device_available(0, error);
    return REC_UNAVAILABLE;
}
