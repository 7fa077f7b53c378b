#include "solver/display/slots.h"

enum { SLOT_FREE, SLOT_IN_FLIGHT, SLOT_OUT };

int rec_slots_find_free(rec_slots *slots)
{
    for (int i = 0; i < REC_SLOTS; i++)
        if (atomic_load_explicit(&slots->state[i], memory_order_acquire) == SLOT_FREE)
            return i;
    return -1;
}

void rec_slots_begin(rec_slots *slots, int index, const rec_view *view, size_t planes,
                     size_t stride, const uint8_t *pixels, uint64_t iteration,
                     rec_tone_range range)
{
    slots->snapshot[index] = (rec_snapshot){
        .pixels = pixels,
        .width = view->out_width,
        .height = view->out_height,
        .planes = planes,
        .stride = stride,
        .view = *view,
        .iteration = iteration,
        .low = range.low,
        .high = range.high,
    };
    slots->sequence[index] = slots->next++;
    atomic_store_explicit(&slots->state[index], SLOT_IN_FLIGHT, memory_order_release);
}

/* Of two slots, -1 being none, the one whose snapshot was begun before the other's. */
static int earlier(const rec_slots *slots, int a, int b)
{
    return b < 0 || (a >= 0 && slots->sequence[a] < slots->sequence[b]) ? a : b;
}

const rec_snapshot *rec_slots_poll(rec_slots *slots,
                                   int (*finished)(void *context, int index,
                                                   rec_snapshot *snapshot),
                                   void *context)
{
    int arrived[REC_SLOTS], oldest = -1;
    for (int i = 0; i < REC_SLOTS; i++) {
        const int state = atomic_load_explicit(&slots->state[i], memory_order_acquire);
        if (state == SLOT_OUT)
            return NULL; /* one at a time */
        arrived[i] =
            state == SLOT_IN_FLIGHT && (!finished || finished(context, i, &slots->snapshot[i]));
        if (arrived[i])
            oldest = earlier(slots, i, oldest);
    }
    if (oldest < 0)
        return NULL;
    int chosen = oldest;
    for (int i = 0; i < REC_SLOTS; i++) {
        if (!arrived[i] || i == chosen ||
            slots->snapshot[i].view.layer != slots->snapshot[chosen].view.layer)
            continue;
        const int old = earlier(slots, i, chosen);
        chosen = old == i ? chosen : i;
        atomic_store_explicit(&slots->state[old], SLOT_FREE, memory_order_release);
    }
    atomic_store_explicit(&slots->state[chosen], SLOT_OUT, memory_order_relaxed);
    return &slots->snapshot[chosen];
}

void rec_slots_release(rec_slots *slots, const rec_snapshot *snapshot)
{
    const size_t index = (size_t)(snapshot - slots->snapshot);
    atomic_store_explicit(&slots->state[index], SLOT_FREE, memory_order_release);
}
