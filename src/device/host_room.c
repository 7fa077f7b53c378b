/* Memory of the host. */
#include "base/memory.h"
#include "base/trace.h"
#include "device/room.h"

static void give_back(rec_room *room, int block)
{
    rec_free(room->block[block]);
    room->block[block] = NULL;
    room->bytes[block] = 0;
}

static rec_status allocate(rec_room *room, const size_t wanted[REC_BLOCKS], const char *what,
                           rec_error *error)
{
    for (int i = 0; i < REC_BLOCKS; i++) {
        void *larger;
        if (wanted[i] <= room->bytes[i])
            continue;
        REC_TRACE("allocate", wanted[i]);
        REC_TRY(rec_allocate(&larger, wanted[i], 1, what, error));
        give_back(room, i);
        room->block[i] = larger;
        room->bytes[i] = wanted[i];
    }
    return REC_OK;
}

static void destroy(rec_room *room)
{
    for (int i = 0; i < REC_BLOCKS; i++)
        give_back(room, i);
}

static rec_status wait_for(const rec_planes *planes, rec_error *error) { return REC_OK; }

/* Each thread writes the rows that it will read later. */
static rec_status copy(const rec_planes *planes, float *to, size_t to_stride, const float *from,
                       size_t from_stride, size_t width, size_t height, rec_error *error)
{
    rec_copy_rows(to, to_stride, from, from_stride, width, height);
    return REC_OK;
}

const rec_memory rec_memory_host = {.allocate = allocate, .give_back = give_back,
                                    .destroy = destroy, .wait = wait_for, .read = copy,
                                    .write = copy};
