/* Watches a step in C. Compiled in front of the user's file with -O0 -fsanitize=thread, which calls
 * the functions at the end before each load and store. OpenMP's threads are played one by one, to
 * see races on every machine: two touch an address between the same barriers, one to store. */
#define _GNU_SOURCE
#include "kernels/ladder/host/seen.h"

#include <dlfcn.h>

#define free(memory) ((void)(memory)) /* or the next thread would get what this one had */

enum { WATCH_TEAM = 4, WATCH_CELLS = 1 << 18, WATCH_WIDTH = 67, WATCH_HEIGHT = 37 };
extern char __ehdr_start[] __attribute__((visibility("hidden"))); /* this library */

typedef struct watch_who {
    unsigned epoch, thread; /* epoch: of a parallel region and of the barriers in it */
    const void *at;
} watch_who;
static struct watch_cell {
    const void *address;
    watch_who store, loads[2]; /* of two threads, if there are two */
} *watch_cells; /* NULL: nothing is watched */
static int watch_alone, watch_team; /* alone: in a critical section */
static size_t watch_used;
static char *watch_frame; /* of the region: what lies below belongs to a thread; NULL: no region */
static watch_who watch_now;
static _Thread_local char watch_local; /* beside the user's own such variables */

SEEN_BARE static int watch_meets(const watch_who *other)
{
    return other->epoch == watch_now.epoch && other->thread != watch_now.thread;
}

SEEN_BARE static void seen_access(const void *address, size_t size, int store, const void *at)
{
    const char *const place = (const char *)address;
    char here;
    long index;
    if (!watch_cells)
        return;
    seen_touch(address, size, store, at);
    if (!watch_frame || watch_alone || (place < watch_frame && place > &here) ||
        labs(place - &watch_local) < 4096 || watch_used > WATCH_CELLS / 2)
        return;
    size_t i = ((uintptr_t)address >> 2) * 2654435761u % WATCH_CELLS;
    while (watch_cells[i].address && watch_cells[i].address != address)
        i = (i + 1) % WATCH_CELLS;
    struct watch_cell *cell = &watch_cells[i];
    watch_used += !cell->address;
    cell->address = address;
    watch_now.at = at;
    const watch_who *met = watch_meets(&cell->store)             ? &cell->store
                           : store && watch_meets(&cell->loads[0]) ? &cell->loads[0]
                           : store && watch_meets(&cell->loads[1]) ? &cell->loads[1]
                                                                 : NULL;
    if (met) {
        const char *plane = seen_plane(address, &index);
        char name[80] = "a variable that all threads share (declare it within the loop)";
        if (plane)
            snprintf(name, sizeof name, "%s[%ld]", plane, index);
        seen_fault(at, met->at, "%s %s, which another thread %s",
                   store ? "stores to" : "loads", name, met == &cell->store ? "stores" : "loads");
    }
    *(store ? &cell->store : &cell->loads[watch_meets(&cell->loads[0])]) = watch_now;
}

/* ---- what the program calls ---- */

SEEN_BARE static int watch_line(const void *at)
{
    Dl_info info;
    char command[64], text[4096] = "";
    dladdr(__ehdr_start, &info);
    setenv("WATCHED", info.dli_fname, 1);
    snprintf(command, sizeof command, "addr2line -e \"$WATCHED\" %#tx",
             (const char *)at - 1 - __ehdr_start);
    FILE *lines = popen(command, "r");
    const char *colon = lines && fgets(text, sizeof text, lines) ? strrchr(text, ':') : NULL;
    if (lines)
        pclose(lines);
    return colon ? atoi(colon + 1) : 0;
}

SEEN_BARE const char *fibre_trace(const void *mine, Take *take, int together, FILE *to,
                                  double *bytes)
{
    static char says[512];
    int nan;
    double squares = 0;
    watch_cells = calloc(WATCH_CELLS, sizeof *watch_cells);
    seen_take(mine, take, WATCH_WIDTH, WATCH_HEIGHT, WATCH_WIDTH + 2, 1, together, &squares, &nan);
    watch_cells = NULL;
    if (!seen.at)
        return NULL;
    const int length = snprintf(says, sizeof says, "line %d %s", watch_line(seen.at), seen.says);
    if (seen.other)
        snprintf(says + length, sizeof says - (size_t)length, " at line %d, with no barrier "
                 "between: a race", watch_line(seen.other));
    return says;
}

/* ---- what the compiler calls ---- */

SEEN_BARE void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    if (watch_frame) { /* within another one: alone */
        body(data);
        return;
    }
    const unsigned epoch = (watch_now.epoch | 0xfff) + 1;
    watch_team = threads ? (int)threads : WATCH_TEAM;
    watch_frame = (char *)__builtin_frame_address(0);
    for (int i = 0; i < watch_team; i++) {
        watch_now.thread = (unsigned)i;
        watch_now.epoch = epoch;
        body(data);
    }
    watch_frame = NULL;
    watch_now.thread = 0;
}
SEEN_BARE void GOMP_barrier(void) { watch_now.epoch++; }
SEEN_BARE _Bool GOMP_single_start(void) { return !watch_now.thread; }
#define WATCH_ALONE(name, ...)                                                                     \
    SEEN_BARE void GOMP_##name##_start(__VA_ARGS__) { watch_alone++; }                             \
    SEEN_BARE void GOMP_##name##_end(__VA_ARGS__) { watch_alone--; }
WATCH_ALONE(critical, void)
WATCH_ALONE(critical_name, void **name)
WATCH_ALONE(atomic, void)
SEEN_BARE int omp_get_thread_num(void) { return (int)watch_now.thread; }
SEEN_BARE int omp_get_num_threads(void) { return watch_frame ? watch_team : 1; }
SEEN_BARE int omp_get_max_threads(void) { return WATCH_TEAM; }
SEEN_BARE int omp_get_num_procs(void) { return WATCH_TEAM; }
SEEN_BARE int omp_in_parallel(void) { return watch_frame != NULL; }
SEEN_BARE void omp_set_num_threads(int threads) {}

#define WATCH_ATOMIC(bits, type)                                                                   \
    SEEN_BARE type __tsan_atomic##bits##_load(const volatile void *at, int order)                  \
    {                                                                                              \
        return *(const volatile type *)at;                                                         \
    }                                                                                              \
    SEEN_BARE type __tsan_atomic##bits##_fetch_add(volatile void *at, type by, int order)          \
    {                                                                                              \
        return (*(volatile type *)at += by) - by;                                                  \
    }                                                                                              \
    SEEN_BARE type __tsan_atomic##bits##_compare_exchange_val(volatile void *at, type from,        \
                                                              type to, int order, int otherwise)   \
    {                                                                                              \
        const type was = *(volatile type *)at;                                                     \
        *(volatile type *)at = was == from ? to : was;                                             \
        return was;                                                                                \
    }
WATCH_ATOMIC(32, unsigned)
WATCH_ATOMIC(64, unsigned long)
