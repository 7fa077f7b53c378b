/* Helper threads belong to the process and live until its end. They look for work in the slots,
 * where any thread may post it. */
#include "base/team.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

enum {
    MOST = 0xfff,    /* threads */
    SHARES = 128,    /* of a work at most; beyond, threads have the same */
    PARTS = 8,       /* of a share */
    SLOTS = 8,       /* works at a time; beyond, threads work alone */
    STACK = 1 << 20, /* bytes, whatever the process's limit: FFTW takes 64 KB at a time */
    NAP = 50000      /* nanoseconds */
};
#define SPIN 50e-6 /* seconds: about what it takes to sleep and to be woken */

/* A share of the things: not yet taken from number `next` on. */
typedef struct share {
    _Alignas(REC_ALIGNMENT) atomic_size_t next;
    size_t end, part;
} share;

typedef struct work {
    rec_team_task *task;
    const void *job;
    size_t shares;
    share share[SHARES];
} work;

/* A slot's state: 0, or the threads of its work, those of them inside, and two marks. */
enum { INSIDE = MOST, THREADS = MOST + 1, OPEN = 1 << 24, ASLEEP = 1 << 25 };
static struct slot {
    _Alignas(REC_ALIGNMENT) atomic_int state;
    work *work; /* on the stack of the thread that waits until nobody is inside */
} slots[SLOTS];

static _Alignas(REC_ALIGNMENT) atomic_int posted; /* works so far */
static atomic_int sleeping;                       /* threads that wait for another */
static atomic_size_t helpers;
static _Thread_local size_t size;

/* ---- waiting ---- */

static void sleep_on(atomic_int *word, int seen, unsigned set)
{
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen, NULL, NULL, set);
}

static void wake(atomic_int *word, unsigned set)
{
    syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, set);
}

/* 0: it is time to sleep. */
static int spin(double *since)
{
    const double now = rec_now();
    if (*since == 0)
        *since = now;
#if REC_X86
    __builtin_ia32_pause();
#endif
    return now - *since < SPIN;
}

void rec_team_wait(double *since)
{
    if (!spin(since))
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
}

/* Small works wake few threads: those from number 1 on, from 2 on, 4 on, 8 on have a bit each. */
static unsigned bit_of(size_t member) { return 1u << (63 - __builtin_clzll(member)); }

/* ---- working ---- */

static void take_parts(work *shared, size_t member)
{
    for (size_t i = 0; i < shared->shares; i++) {
        share *const from = &shared->share[(member + i) % shared->shares];
        size_t first = atomic_load_explicit(&from->next, memory_order_relaxed);
        while (first < from->end) {
            first = atomic_fetch_add_explicit(&from->next, from->part, memory_order_relaxed);
            const size_t end = first + from->part;
            if (first < from->end)
                shared->task(shared->job, first, end < from->end ? end : from->end, member);
        }
    }
}

static void help_in(struct slot *slot, size_t member)
{
    int state = atomic_load(&slot->state);
    do
        if (!(state & OPEN) || member >= (size_t)(state % OPEN / THREADS))
            return;
    while (!atomic_compare_exchange_weak(&slot->state, &state, state + 1));
    take_parts(slot->work, member);
    if ((atomic_fetch_sub(&slot->state, 1) & ~(MOST * THREADS)) == ASLEEP + 1)
        wake(&slot->state, 1);
}

static void *help(void *number)
{
    const size_t member = (size_t)number;
    double since = 0;
    size = 1;
    for (int seen = 0, now;;) {
        while ((now = atomic_load(&posted)) == seen)
            if (!spin(&since)) {
                atomic_fetch_add(&sleeping, 1);
                sleep_on(&posted, seen, bit_of(member));
                atomic_fetch_sub(&sleeping, 1);
            }
        seen = now;
        for (size_t i = 0; i < SLOTS; i++)
            help_in(&slots[i], member);
        since = 0;
    }
    return NULL;
}

/* After a failure no thread is created again. Helpers block signals. */
static void get_helpers(size_t wanted)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    static int refused;
    size_t have = atomic_load(&helpers);
    if (have >= wanted || pthread_mutex_trylock(&making))
        return;
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (!refused && (have = atomic_load(&helpers)) < wanted) {
        refused = pthread_create(&thread, &attributes, help, (void *)(have + 1));
        atomic_fetch_add(&helpers, !refused);
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_unlock(&making);
}

/* ---- starting a team ---- */

static void share_out(work *shared, size_t threads, size_t count)
{
    shared->shares = threads < SHARES ? threads : SHARES;
    for (size_t i = 0; i < shared->shares; i++) {
        share *const own = &shared->share[i];
        const size_t first = count * i / shared->shares;
        atomic_init(&own->next, first);
        own->end = count * (i + 1) / shared->shares;
        own->part = (own->end - first - 1) / PARTS + 1;
    }
}

static struct slot *claim(size_t threads)
{
    for (size_t i = 0; i < SLOTS; i++) {
        int none = 0;
        if (!atomic_load(&slots[i].state) &&
            atomic_compare_exchange_strong(&slots[i].state, &none, (int)threads * THREADS))
            return &slots[i];
    }
    return NULL;
}

/* Closes the work to new threads, then waits for the threads inside. */
static void close_slot(struct slot *slot)
{
    double since = 0;
    atomic_fetch_and(&slot->state, ~OPEN);
    for (int state; (state = atomic_load(&slot->state)) & INSIDE;)
        if (!spin(&since) && atomic_compare_exchange_strong(&slot->state, &state, state | ASLEEP))
            sleep_on(&slot->state, state | ASLEEP, 1);
    atomic_store(&slot->state, 0);
}

void rec_team_share(size_t threads, size_t count, rec_team_task *task, const void *job)
{
    const size_t own = rec_team_size(), most = threads < own ? threads : own;
    const size_t team = most < count ? most : count;
    struct slot *const slot = team > 1 ? claim(team) : NULL;
    if (!slot) {
        task(job, 0, count, 0);
        return;
    }
    work shared;
    shared.task = task;
    shared.job = job;
    share_out(&shared, team, count);
    get_helpers(team - 1);
    size = 1;
    slot->work = &shared;
    atomic_fetch_or(&slot->state, OPEN);
    atomic_fetch_add(&posted, 1);
    if (atomic_load(&sleeping))
        wake(&posted, 2 * bit_of(team - 1) - 1);
    take_parts(&shared, 0);
    close_slot(slot);
    size = own;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void rec_team_lock(void) { pthread_mutex_lock(&lock); }

void rec_team_unlock(void) { pthread_mutex_unlock(&lock); }

void rec_team_lower(size_t *least, size_t value)
{
    rec_team_lock();
    *least = value < *least ? value : *least;
    rec_team_unlock();
}

/* ---- how many ---- */

/* The first number of a list; MOST if there is none. */
static size_t number_in(const char *variable)
{
    const char *text = getenv(variable);
    const long number = text ? strtol(text, NULL, 10) : 0;
    return number > 0 && number < MOST ? (size_t)number : MOST;
}

static size_t count_processors(void)
{
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors)
               ? (size_t)sysconf(_SC_NPROCESSORS_ONLN)
               : (size_t)CPU_COUNT(&processors);
}

size_t rec_team_size(void)
{
    if (!size) {
        const size_t wanted = number_in("OMP_NUM_THREADS"), most = number_in("OMP_THREAD_LIMIT");
        size = wanted < MOST ? wanted : count_processors();
        size = size < most ? size : most;
    }
    return size;
}

void rec_team_set_size(size_t threads) { size = threads; }
