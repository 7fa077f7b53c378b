/* There is one team at a time: a thread that would start a second one works alone. Helper threads
 * belong to the process and live until its end. */
#include "base/team.h"

#if REC_X86
#include <cpuid.h>
#endif
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    MOST = 0xfff,   /* threads of a team */
    SHARES = 128,   /* of the work; in larger teams several threads begin with the same */
    PARTS = 8,      /* of a share */
    STACK = 1 << 20 /* bytes, whatever the limit of the process: FFTW takes up to 64 KB at a time */
};
#define SPIN 100e-6 /* seconds: a little more than it takes to sleep and to be woken */
#define NAP 1e-3

/* A share of the things: not yet taken from number `next` on. */
typedef struct share {
    _Alignas(REC_ALIGNMENT) atomic_size_t next;
    size_t end, part;
} share;

static struct work {
    rec_team_task *task;
    const void *job;
    size_t shares;
    share share[SHARES];
} work;

/* 0: there is no team. Else its size and how many helpers are inside, who may enter while it is
 * open; the thread that started it may be asleep until the last of them leaves. */
enum { INSIDE = MOST, ONE_THREAD = MOST + 1, OPEN = 1 << 24, STARTER_ASLEEP = 1 << 25 };
static _Alignas(REC_ALIGNMENT) atomic_int state;

static _Alignas(REC_ALIGNMENT) atomic_int teams; /* so far */
static atomic_int sleeping;                      /* helpers that wait for the next one */
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

/* A small team does not wake all: helpers 1, 2 and 3, 4 to 7, and so on have a bit each. */
static unsigned bit_of(size_t member) { return 1u << (63 - __builtin_clzll(member)); }

/* 0: it is time to sleep. */
static int spin(double *since)
{
    const double now = rec_now();
    *since = *since == 0 ? now : *since;
#if REC_X86
    __builtin_ia32_pause();
#endif
    return now - *since < SPIN;
}

/* Naps as long as it has waited so far: a result is seen after at most twice the time. */
void rec_team_wait(double *since)
{
    if (!spin(since))
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * fmin(rec_now() - *since, NAP))}, NULL);
}

/* ---- working ---- */

static void work_on_parts(size_t member)
{
    size_t last = 0; /* end of a part */
    for (size_t i = 0; i < work.shares; i++) {
        share *const from = &work.share[(member + i) % work.shares];
        size_t first = atomic_load_explicit(&from->next, memory_order_relaxed);
        while (first < from->end) {
            first = atomic_fetch_add_explicit(&from->next, from->part, memory_order_relaxed);
            if (first >= from->end)
                break;
            const size_t most = first + from->part, end = most < from->end ? most : from->end;
            work.task(work.job, first, end, member, first && first == last);
            last = end;
        }
    }
}

static void enter(size_t member)
{
    int seen = atomic_load(&state);
    do
        if (!(seen & OPEN) || member >= (size_t)(seen % OPEN / ONE_THREAD))
            return;
    while (!atomic_compare_exchange_weak(&state, &seen, seen + 1));
    work_on_parts(member);
    if ((atomic_fetch_sub(&state, 1) & (INSIDE | OPEN | STARTER_ASLEEP)) == (STARTER_ASLEEP | 1))
        wake(&state, 1);
}

static void *help(void *number)
{
    const size_t member = (size_t)number;
    int seen = 0;
    size = 1;
    for (double since = 0;; since = 0) {
        while (seen == atomic_load(&teams))
            if (!spin(&since)) {
                atomic_fetch_add(&sleeping, 1);
                sleep_on(&teams, seen, bit_of(member));
                atomic_fetch_sub(&sleeping, 1);
            }
        seen = atomic_load(&teams);
        enter(member);
    }
    return NULL;
}

/* After a failure no thread is created again. Helpers block signals. */
static void create_helpers(size_t wanted)
{
    static int refused;
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (!refused && helpers < wanted) {
        refused = pthread_create(&thread, &attributes, help, (void *)(helpers + 1));
        helpers += !refused;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- starting a team ---- */

void rec_team_share(size_t threads, size_t count, rec_team_task *task, const void *job)
{
    const size_t own = rec_team_size(), most = threads < own ? threads : own;
    const size_t team = most < count ? most : count;
    double since = 0;
    int none = 0;
    if (team < 2 || !atomic_compare_exchange_strong(&state, &none, (int)team * ONE_THREAD)) {
        task(job, 0, count, 0, 0);
        return;
    }
    work.task = task;
    work.job = job;
    work.shares = team < SHARES ? team : SHARES;
    for (size_t i = 0; i < work.shares; i++) {
        share *const its = &work.share[i];
        const size_t first = count * i / work.shares;
        atomic_init(&its->next, first);
        its->end = count * (i + 1) / work.shares;
        its->part = (its->end - first - 1) / PARTS + 1;
    }
    if (helpers < team - 1)
        create_helpers(team - 1);
    size = 1;
    atomic_fetch_or(&state, OPEN);
    atomic_fetch_add(&teams, 1);
    if (atomic_load(&sleeping))
        wake(&teams, 2 * bit_of(team - 1) - 1);
    work_on_parts(0);
    atomic_fetch_and(&state, ~OPEN); /* no helper enters; then it waits for those inside */
    for (int seen; (seen = atomic_load(&state)) & INSIDE;)
        if (!spin(&since) && atomic_compare_exchange_strong(&state, &seen, seen | STARTER_ASLEEP))
            sleep_on(&state, seen | STARTER_ASLEEP, 1);
    atomic_store(&state, 0);
    size = own;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void rec_team_lock(void) { pthread_mutex_lock(&lock); }

void rec_team_unlock(void) { pthread_mutex_unlock(&lock); }

void rec_team_fail(rec_error *failed, const rec_error *error)
{
    rec_team_lock();
    if (!failed->status)
        *failed = *error;
    rec_team_unlock();
}

rec_status rec_team_failed(const rec_error *failed, rec_error *error)
{
    if (failed->status && error)
        *error = *failed;
    return failed->status;
}

void rec_team_lower(size_t *least, size_t value)
{
    rec_team_lock();
    *least = value < *least ? value : *least;
    rec_team_unlock();
}

/* A child of fork() has none of the helpers, and no team that another thread had started. */
static void begin_child(void)
{
    helpers = 0;
    sleeping = 0;
    state = 0;
    rec_team_unlock();
}

static __attribute__((constructor)) void prepare_forks(void)
{
    pthread_atfork(rec_team_lock, rec_team_unlock, begin_child);
}

/* ---- how many ---- */

/* The first number of a list; MOST if there is none. */
static size_t number_in(const char *variable)
{
    const char *text = getenv(variable);
    const long number = text ? strtol(text, NULL, 10) : 0;
    return number > 0 && number < MOST ? (size_t)number : MOST;
}

size_t rec_team_size(void)
{
    if (!size) {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        sched_getaffinity(0, sizeof allowed, &allowed);
        const size_t wanted = number_in("OMP_NUM_THREADS"), most = number_in("OMP_THREAD_LIMIT");
        const size_t processors = CPU_COUNT(&allowed) ? (size_t)CPU_COUNT(&allowed) : 1;
        size = wanted < MOST ? wanted : processors;
        size = size < most ? size : most;
    }
    return size;
}

void rec_team_set_size(size_t threads) { size = threads; }

/* ---- the processor ---- */

int rec_cpu_has(int set)
{
#if REC_X86
    if (set <= REC_CPU_AVX2 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
        return 0;
    if (set == REC_CPU_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
#endif
    return 1;
}

void rec_processor_name(char *text, size_t bytes, int threads)
{
    union {
        unsigned part[3][4];
        char text[49];
    } brand = {0};
#if REC_X86
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002 + i, &brand.part[i][0], &brand.part[i][1], &brand.part[i][2],
                    &brand.part[i][3]);
#endif
    const char *name = brand.text + strspn(brand.text, " ");
    snprintf(text, bytes, "%s, %d thread%s", *name ? name : "processor", threads,
             rec_plural(threads));
}
