/* The states of the two buffers, which are all that the two threads share. */
#include "solver/display/display.h"

enum { FREE, IN_FLIGHT, WITH_READER };

int rec_double_buffer_find_free(rec_double_buffer *buffers)
{
    for (int i = 0; i < REC_BUFFERS; i++)
        if (atomic_load_explicit(&buffers->state[i], memory_order_acquire) == FREE)
            return i;
    return -1;
}

void rec_double_buffer_begin(rec_double_buffer *buffers, int index, const rec_snapshot *snapshot)
{
    buffers->snapshot[index] = *snapshot;
    buffers->sequence[index] = buffers->next++;
    atomic_store_explicit(&buffers->state[index], IN_FLIGHT, memory_order_release);
}

const rec_snapshot *rec_double_buffer_poll(rec_double_buffer *buffers, rec_buffer_arrived *arrived,
                                           void *context)
{
    int here[REC_BUFFERS];
    for (int i = 0; i < REC_BUFFERS; i++) {
        const int state = atomic_load_explicit(&buffers->state[i], memory_order_acquire);
        if (state == WITH_READER)
            return NULL; /* one at a time */
        here[i] = state == IN_FLIGHT && arrived(context, i, &buffers->snapshot[i]);
    }
    if (!here[0] && !here[1])
        return NULL;
    int chosen = here[1];
    if (here[0] && here[1]) {
        const int newer = buffers->sequence[1] > buffers->sequence[0];
        const int same = buffers->snapshot[0].view.layer == buffers->snapshot[1].view.layer;
        chosen = same ? newer : !newer;
        if (same)
            atomic_store_explicit(&buffers->state[!newer], FREE, memory_order_release);
    }
    atomic_store_explicit(&buffers->state[chosen], WITH_READER, memory_order_relaxed);
    return &buffers->snapshot[chosen];
}

void rec_double_buffer_release(rec_double_buffer *buffers, const rec_snapshot *snapshot)
{
    const size_t index = (size_t)(snapshot - buffers->snapshot);
    atomic_store_explicit(&buffers->state[index], FREE, memory_order_release);
}
