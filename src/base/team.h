/* Teams of threads, and the processor. A thread with work to share starts a team, works in the team
 * itself, and continues when all parts are done. It depends on no other thread: parts that no other
 * thread has begun it does itself, and without a second thread it does them all.
 *
 * A waiting thread keeps its processor for some microseconds, and then sleeps. (OpenMP's keep it
 * for milliseconds: a run beside other programs took ten to thirty times as long.) Each thread
 * begins with its own share, the same each time, which is in its cache and in the memory next to
 * it. Then it takes parts of other shares: a thread without a processor delays no other.
 *
 * What a task writes must not depend on which thread takes which part: sums, for example, are kept
 * by row and added up afterwards. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/* Samples of an image: with fewer, one thread is done before a team has started. */
#define REC_WORTH_A_TEAM ((size_t)1 << 17)

/* REC_TASK(name, members) { ... } is a function that does the work on things first..end-1. `job`
 * has the members, with the values of REC_SHARE. `member` numbers the threads of the team, below
 * its size. `follows`: the last things that this member did end where these begin. */
#define REC_TASK(name, ...)                                                                        \
    struct name {                                                                                  \
        __VA_ARGS__;                                                                               \
    };                                                                                             \
    static void name##_part(const struct name *job, size_t first, size_t end, size_t member,       \
                            int follows);                                                          \
    static void name(const void *job, size_t first, size_t end, size_t member, int follows)        \
    {                                                                                              \
        name##_part(job, first, end, member, follows);                                             \
    }                                                                                              \
    static void name##_part(const struct name *job, size_t first, size_t end, size_t member,       \
                            int follows)

/* Does the task on things 0..count-1 by at most `threads` threads, within another task by one; or
 * on the rows of an image, by as many as its samples are worth. */
#define REC_SHARE(threads, count, name, ...)                                                       \
    rec_team_share(threads, count, name, &(struct name){__VA_ARGS__})
#define REC_SHARE_ROWS(width, rows, name, ...)                                                     \
    REC_SHARE(rec_team_for((width) * (rows)), rows, name, __VA_ARGS__)
typedef void rec_team_task(const void *job, size_t first, size_t end, size_t member, int follows);
void rec_team_share(size_t threads, size_t count, rec_team_task *task, const void *job);

/* A lock around a result that all parts of a task share. */
void rec_team_lock(void);
void rec_team_unlock(void);

/* Of a task that can fail: *failed, REC_OK at first, becomes the first failure. Afterwards *error
 * does, which may be NULL; returns its status. */
void rec_team_fail(rec_error *failed, const rec_error *error);
rec_status rec_team_failed(const rec_error *failed, rec_error *error);

/* *least = min(*least, value). */
void rec_team_lower(size_t *least, size_t value);

/* Between two polls for another's result: at once, later after short sleeps. *since begins as 0. */
void rec_team_wait(double *since);

/* The most threads of this thread's teams: as set, else OMP_NUM_THREADS or the processors that it
 * may use, at most OMP_THREAD_LIMIT. */
size_t rec_team_size(void);
void rec_team_set_size(size_t threads);

/* From now on teams of this thread have at most `threads` threads. */
static inline void rec_team_limit(size_t threads)
{
    if (threads < rec_team_size())
        rec_team_set_size(threads);
}

/* Threads for an image of `samples` samples: 1 if it is small. */
static inline size_t rec_team_for(size_t samples)
{
    return samples > REC_WORTH_A_TEAM ? rec_team_size() : 1;
}

/* ---- the processor ---- */

/* The instruction sets that loops are compiled for, the best first; every processor has the last.
 * What stands for each of them: NAME_avx512 and so on. */
#if REC_X86
enum { REC_CPU_AVX512, REC_CPU_AVX2, REC_CPU_BASE, REC_CPU_SETS };
#define REC_OF_CPU_SETS(name) {&name##_avx512, &name##_avx2, &name##_base}
#else
enum { REC_CPU_BASE, REC_CPU_SETS };
#define REC_OF_CPU_SETS(name) {&name##_base}
#endif
int rec_cpu_has(int set);

/* "AMD EPYC, 2 threads" */
void rec_processor_name(char *text, size_t bytes, int threads);
