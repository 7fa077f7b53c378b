#include "solver/slots.h"

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

const rec_snapshot *rec_slots_poll(rec_slots *slots,
                                   int (*finished)(void *context, int index,
                                                   rec_snapshot *snapshot),
                                   void *context)
{
    int newest = -1;
    for (int i = 0; i < REC_SLOTS; i++) {
        const int state = atomic_load_explicit(&slots->state[i], memory_order_acquire);
        if (state == SLOT_OUT)
            return NULL; /* one at a time */
        if (state != SLOT_IN_FLIGHT ||
            (finished && !finished(context, i, &slots->snapshot[i])))
            continue;
        int old = i;
        if (newest < 0 || slots->sequence[i] > slots->sequence[newest]) {
            old = newest;
            newest = i;
        }
        if (old >= 0)
            atomic_store_explicit(&slots->state[old], SLOT_FREE, memory_order_release);
    }
    if (newest < 0)
        return NULL;
    atomic_store_explicit(&slots->state[newest], SLOT_OUT, memory_order_relaxed);
    return &slots->snapshot[newest];
}

void rec_slots_release(rec_slots *slots, const rec_snapshot *snapshot)
{
    const size_t index = (size_t)(snapshot - slots->snapshot);
    atomic_store_explicit(&slots->state[index], SLOT_FREE, memory_order_release);
}
