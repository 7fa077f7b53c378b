/* A room on a device that need not be here: the linker leads what CUDA gives and takes back to
 * here, where each call in turn fails, and where only so much memory is free. */
#include "tests/unit/cm.h"

#if REC_HAVE_CUDA
#include "device/cuda_room.h"
#include "tests/unit/support.h"

static int calls, failing; /* so far; the one that fails, from 1 */
static int held;           /* things that were given and not taken back */
static size_t available;
static int current; /* device */

static cudaError_t give(void *place, size_t bytes)
{
    if (++calls == failing)
        return cudaErrorMemoryAllocation;
    void *given = malloc(bytes);
    memcpy(place, &given, sizeof given);
    held++;
    return cudaSuccess;
}

static cudaError_t take_back(void *given)
{
    held -= given != NULL;
    free(given);
    return cudaSuccess;
}

LISTEN(cudaError_t, cudaMalloc, (void **memory, size_t bytes)) { return give(memory, bytes); }
LISTEN(cudaError_t, cudaMallocHost, (void **memory, size_t bytes)) { return give(memory, bytes); }
LISTEN(cudaError_t, cudaStreamCreateWithFlags, (cudaStream_t *made, unsigned flags))
{
    return give(made, 1);
}
LISTEN(cudaError_t, cudaEventCreate, (cudaEvent_t *made)) { return give(made, 1); }
LISTEN(cudaError_t, cudaEventCreateWithFlags, (cudaEvent_t *made, unsigned flags))
{
    return give(made, 1);
}
LISTEN(cudaError_t, cudaFree, (void *memory)) { return take_back(memory); }
LISTEN(cudaError_t, cudaFreeHost, (void *memory)) { return take_back(memory); }
LISTEN(cudaError_t, cudaStreamDestroy, (cudaStream_t stream)) { return take_back(stream); }
LISTEN(cudaError_t, cudaEventDestroy, (cudaEvent_t event)) { return take_back(event); }
LISTEN_CUDA(cudaStreamSynchronize, (cudaStream_t stream), )
LISTEN_CUDA(cudaSetDevice, (int device), current = device)
LISTEN_CUDA(cudaGetDeviceCount, (int *count), *count = 4)
LISTEN_CUDA(cudaGetDeviceProperties, (struct cudaDeviceProp *about, int device),
            strcpy(about->name, "a device"))
LISTEN_CUDA(cudaMemGetInfo, (size_t *there, size_t *all), *there = *all = available)

static rec_status fill(rec_room *room, rec_costs *costs, rec_error *error)
{
    const size_t wanted[REC_BLOCKS] = {100, 0, 200, [REC_PINNED] = 50, [REC_PINNED + 1] = 60};
    *room = (rec_room){.device = 3, .costs = costs, .instead = "do without",
                       .planes = {.width = 7, .height = 5, .planes = 3, .pitch = 32}};
    REC_TRY(rec_cuda_room_start(room, error));
    current = 0;
    REC_TRY(rec_memory_cuda.allocate(room, wanted, "everything", error));
    return rec_memory_cuda.allocate(room, (const size_t[REC_BLOCKS]){[2] = 300, [5] = 1}, "more",
                                    error);
}

TEST(a_room_is_given_back_whichever_call_fails)
{
    rec_room room = {0};
    rec_costs costs = {0};
    rec_memory_cuda.destroy(&room);
    available = 1000;
    failing = calls = 0;
    SUCCEEDS(fill(&room, &costs, &error));
    assert_string_equal(costs.device, "a device");
    assert_int_equal(costs.device_bytes, 100 + 300 + 1);
    assert_true(room.block[0] && !room.block[1] && room.bytes[2] == 300 && room.bytes[5] == 1);
    assert_ptr_equal(room.planes.stream, room.stream);
    assert_int_equal(current, 3);
    rec_memory_cuda.destroy(&room);
    assert_int_equal(held, 0);
    const int all = calls;
    assert_int_equal(all, 3 + 4 + 4 + 2);
    for (failing = 1; failing <= all; failing++) {
        calls = 0;
        costs = (rec_costs){0};
        assert_int_equal(fill(&room, &costs, NULL), REC_LIMIT);
        rec_memory_cuda.destroy(&room);
        assert_int_equal(held, 0);
        assert_int_equal(costs.device_bytes, 0);
    }
}

TEST(nothing_is_lost_where_more_does_not_fit)
{
    rec_room room = {0};
    rec_costs costs = {0};
    failing = 0;
    available = 1000;
    SUCCEEDS(fill(&room, &costs, &error));
    void *const block = room.block[2];
    available = 99;
    const size_t fits[REC_BLOCKS] = {[0] = 100, [2] = 300, [7] = 99},
                 wanted[REC_BLOCKS] = {[2] = 400};
    assert_true(rec_cuda_room_fits(&room, fits) && !rec_cuda_room_fits(&room, wanted));
    SUCCEEDS(rec_memory_cuda.allocate(&room, fits, "the last bytes", &error));
    assert_ptr_equal(room.block[2], block);
    FAILS(rec_memory_cuda.allocate(&room, wanted, "this", &error), REC_LIMIT,
          "this needs 100 bytes on device 3 for 7 x 5 pixels in 3 planes, and 99 bytes is free, "
          "enough to iterate on a square grey image of 0 x 0; do without");
    assert_ptr_equal(room.block[2], block);
    assert_int_equal(costs.device_bytes, 100 + 300 + 1 + 99);
    rec_memory_cuda.give_back(&room, 7);
    assert_int_equal(costs.device_bytes, 100 + 300 + 1);
    rec_memory_cuda.destroy(&room);
    assert_int_equal(held, 0);
}
#endif
