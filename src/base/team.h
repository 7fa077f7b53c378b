/* Teams of threads: a thread that has work to share starts one, works in it itself, and goes on
 * when all is done. It needs nobody: what others have not begun it does.
 *
 * They are not OpenMP's. A thread of OpenMP's that waits keeps its processor for milliseconds. As
 * soon as other programs want the processors, too, it takes them from the threads that it waits
 * for: a run took ten to thirty times as long. How it waits is read from the environment when the
 * library is loaded, so a program cannot choose it, and a library even less. Here:
 *
 * - Who waits keeps a processor for some microseconds, and then sleeps.
 * - Work is taken, part by part, and not dealt: a thread without a processor holds nobody up. Each
 *   thread begins with a share of its own, the same each time, which is in its cache and in the
 *   memory next to it. Then it takes parts of the others' shares.
 * - No thread must be there: where the system gives none, the work is done without it.
 *
 * What a task writes must not depend on who takes which part: sums are kept by row, for example,
 * and added up afterwards. */
#pragma once

#include <stddef.h>

/* Samples of an image: fewer take one thread less time than starting a team. */
#define REC_WORTH_A_TEAM ((size_t)1 << 17)

/* REC_TASK(name, members) { ... } is a function that does the work on things first..end-1. `job`
 * points to the members that REC_SHARE gives it. `member` is below the team's size, and no other
 * thread of the team has the same: what there is for each member is not shared. */
#define REC_TASK(name, ...)                                                                        \
    struct name {                                                                                  \
        __VA_ARGS__;                                                                               \
    };                                                                                             \
    static void name##_part(const struct name *job, size_t first, size_t end, size_t member);      \
    static void name(const void *job, size_t first, size_t end, size_t member)                     \
    {                                                                                              \
        name##_part(job, first, end, member);                                                      \
    }                                                                                              \
    static void name##_part(const struct name *job, size_t first, size_t end, size_t member)

/* The task on things 0..count-1, by at most so many threads; by one in a task of another team. */
#define REC_SHARE(threads, count, name, ...)                                                       \
    rec_team_share(threads, count, name, &(struct name){__VA_ARGS__})
typedef void rec_team_task(const void *job, size_t first, size_t end, size_t member);
void rec_team_share(size_t threads, size_t count, rec_team_task *task, const void *job);

/* For what all parts of a task together find: between these two one thread is at a time. */
void rec_team_lock(void);
void rec_team_unlock(void);

/* *least = value, if that is less. */
void rec_team_lower(size_t *least, size_t value);

/* For a task that waits for what another thread makes, again and again until that is there. *since
 * is 0 at first. It returns after an instant, and later after a nap. */
void rec_team_wait(double *since);

/* The most threads of the teams that this thread starts: the processors that it may use, or
 * OMP_NUM_THREADS, but at most OMP_THREAD_LIMIT, until it sets them. */
size_t rec_team_size(void);
void rec_team_set_size(size_t threads);

/* They are no more than these from now on. */
static inline void rec_team_limit(size_t threads)
{
    if (threads < rec_team_size())
        rec_team_set_size(threads);
}

/* Threads for an image of so many samples: 1 if it is small. */
static inline size_t rec_team_for(size_t samples)
{
    return samples > REC_WORTH_A_TEAM ? rec_team_size() : 1;
}
