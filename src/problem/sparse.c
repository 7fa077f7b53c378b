#include "problem/sparse.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"

enum { LOG_TOGETHER = 11, TOGETHER = 1 << LOG_TOGETHER }; /* squares that are allocated at once */

rec_status rec_sparse_create(rec_sparse **sparse, size_t width, size_t height, size_t bytes,
                             rec_error *error)
{
    const size_t across = (width + REC_SQUARE - 1) / REC_SQUARE;
    const size_t count = across * ((height + REC_SQUARE - 1) / REC_SQUARE);
    REC_TRY(rec_allocate_zeroed(sparse, 1, sizeof **sparse + count * sizeof *(*sparse)->square,
                                "a mask", error));
    **sparse = (rec_sparse){.width = width, .height = height, .bytes = bytes,
                            .across = across, .count = count};
    return rec_allocate(&(*sparse)->chunk, count / TOGETHER + LOG_TOGETHER + 1,
                        sizeof *(*sparse)->chunk, "a mask", error);
}

void rec_sparse_destroy(rec_sparse *sparse)
{
    for (size_t i = 0; sparse && i < sparse->chunks; i++)
        rec_free(sparse->chunk[i]);
    rec_free(sparse ? sparse->chunk : NULL);
    rec_free(sparse);
}

void *rec_sparse_run(const rec_sparse *sparse, size_t x, size_t y, size_t end, size_t *count)
{
    const size_t column = x % REC_SQUARE, at = y / REC_SQUARE * sparse->across + x / REC_SQUARE;
    unsigned char *square = __atomic_load_n(&sparse->square[at], __ATOMIC_ACQUIRE);
    *count = rec_smaller(end - x, REC_SQUARE - column);
    return square ? square + (y % REC_SQUARE * REC_SQUARE + column) * sparse->bytes : NULL;
}

/* Memory comes in larger and larger chunks: the last ones are huge pages. */
static rec_status supply(rec_sparse *sparse, size_t at, rec_error *error)
{
    const size_t bytes = REC_SQUARE * REC_SQUARE * sparse->bytes;
    rec_status status = REC_OK;
    rec_team_lock();
    if (!sparse->square[at] && !sparse->left) {
        const size_t count = rec_smaller(sparse->used + 1, TOGETHER);
        status = rec_allocate_zeroed(&sparse->next, count, bytes, "a mask", error);
        sparse->left = status ? 0 : count;
        sparse->chunk[sparse->chunks] = sparse->next;
        sparse->chunks += !status;
    }
    if (!sparse->square[at] && !status) {
        __atomic_store_n(&sparse->square[at], sparse->next, __ATOMIC_RELEASE);
        sparse->next += bytes;
        sparse->left--;
        sparse->used++;
    }
    rec_team_unlock();
    return status;
}

static int is_zero(const unsigned char *bytes, size_t count)
{
    return !*bytes && !memcmp(bytes, bytes + 1, count - 1);
}

rec_status rec_sparse_write(rec_sparse *sparse, size_t x, size_t y, size_t count, const void *from,
                            rec_error *error)
{
    const unsigned char *in = from;
    size_t end = x + count, some;
    for (; x < end; x += some, in += some * sparse->bytes) {
        void *to = rec_sparse_run(sparse, x, y, end, &some);
        if (!to && is_zero(in, some * sparse->bytes))
            continue;
        if (!to)
            REC_TRY(supply(sparse, y / REC_SQUARE * sparse->across + x / REC_SQUARE, error));
        to = rec_sparse_run(sparse, x, y, end, &some);
        memcpy(to, in, some * sparse->bytes);
    }
    return REC_OK;
}

rec_status rec_sparse_cover(rec_sparse *sparse, const rec_sparse *other, rec_error *error)
{
    for (size_t i = 0; i < other->count; i++)
        if (other->square[i])
            REC_TRY(supply(sparse, i, error));
    return REC_OK;
}
