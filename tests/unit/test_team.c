/* Work that is shared is done once, and completely, whichever of the threads are there. */
#include "base/team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "tests/unit/support.h"

/* What the system does when it is asked for a thread: it refuses; it says yes, and the thread never
 * gets a processor; or it starts one. */
typedef enum manner { REFUSES, NEVER_RUNS, STARTS } manner;
static manner manner_of_system = STARTS;
static int asked;

LISTEN(int, pthread_create,
       (pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
        void *argument))
{
    asked++;
    return manner_of_system == STARTS
               ? __real_pthread_create(thread, attributes, start, argument)
               : (manner_of_system == REFUSES ? EAGAIN : 0);
}

/* ---- all things once ---- */

enum { MOST = 3000 };
static const size_t counts[] = {0, 1, 2, 3, 7, 64, 65, 1000, MOST};
enum { COUNTS = sizeof counts / sizeof *counts };

REC_TASK(count_things, atomic_int *const times; size_t threads)
{
    for (size_t i = first; i < end; i++)
        job->times[i] += member < job->threads ? 1 : 100;
}

static int all_once(void *context)
{
    const size_t threads = *(const size_t *)context;
    int wrong = 0;
    rec_team_set_size(threads);
    for (size_t i = 0; i < COUNTS; i++) {
        atomic_int times[MOST] = {0};
        REC_SHARE(threads, counts[i], count_things, times, threads);
        for (size_t t = 0; t < MOST; t++)
            wrong |= times[t] != (t < counts[i]);
    }
    return wrong;
}

/* Each in a process of its own, where no thread is there yet. */
TEST(threads_that_never_run_are_done_without)
{
    manner_of_system = NEVER_RUNS;
    assert_int_equal(in_child(all_once, &(size_t){4}), 0);
    manner_of_system = STARTS;
}

static int ask_twice(void *context) { return all_once(context) || all_once(context) || asked != 1; }

TEST(threads_that_are_refused_are_done_without_and_not_asked_for_again)
{
    manner_of_system = REFUSES;
    assert_int_equal(in_child(ask_twice, &(size_t){9}), 0);
    manner_of_system = STARTS;
}

TEST(all_things_are_done_once)
{
    for (size_t threads = 1; threads < 300; threads = 2 * threads + 1)
        assert_int_equal(all_once(&threads), 0);
}

/* The parent's threads are not here. */
TEST(a_child_of_a_team_works_alone)
{
    assert_int_equal(all_once(&(size_t){4}), 0);
    assert_int_equal(in_child(all_once, &(size_t){4}), 0);
}

static void *start_teams(void *wrong)
{
    for (int i = 0; i < 20; i++)
        *(int *)wrong |= all_once(&(size_t){3});
    return NULL;
}

TEST(many_threads_start_teams_at_a_time)
{
    enum { STARTERS = 12 };
    pthread_t threads[STARTERS];
    int wrong[STARTERS] = {0};
    for (int i = 0; i < STARTERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, start_teams, &wrong[i]), 0);
    for (int i = 0; i < STARTERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}

/* ---- in a task ---- */

/* Where a part follows the last one of its thread, this has left its end. The caller begins after
 * the helper. */
REC_TASK(follow, atomic_size_t *const ends; atomic_int *const wrong; atomic_int *const helped)
{
    while (!member && !*job->helped)
        sched_yield();
    *job->helped |= (int)member;
    *job->wrong |= follows ? job->ends[member] != first : first && job->ends[member] == first;
    job->ends[member] = end;
}

TEST(a_part_knows_what_it_follows)
{
    rec_team_set_size(2);
    for (int i = 0; i < 100; i++) {
        atomic_size_t ends[2] = {0};
        atomic_int wrong = 0, helped = 0;
        REC_SHARE(2, 100, follow, ends, &wrong, &helped);
        assert_false(wrong);
    }
}

REC_TASK(start_another, atomic_int *const times; atomic_int *const wrong)
{
    for (size_t i = first; i < end; i++) {
        atomic_int own[10] = {0};
        *job->wrong |= rec_team_size() != 1;
        REC_SHARE(4, 10, count_things, own, 1); /* by one thread: member 0 */
        for (int t = 0; t < 10; t++)
            job->times[10 * i + t] += own[t];
    }
}

TEST(a_team_within_a_team_is_one_thread)
{
    atomic_int times[1000] = {0}, wrong = 0;
    rec_team_set_size(4);
    REC_SHARE(4, 100, start_another, times, &wrong);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(times[i], 1);
    assert_int_equal(wrong, 0);
    assert_int_equal(rec_team_size(), 4);
}

/* The caller begins after the helper, whose first part ends after all others. */
REC_TASK(stand_still, atomic_size_t *const done; atomic_size_t *const held; size_t count)
{
    while (!member && !*job->held)
        sched_yield();
    if (member && !*job->held) {
        *job->held = end - first;
        while (*job->done < job->count - (end - first))
            sched_yield();
    }
    *job->done += end - first;
}

TEST(a_thread_that_stands_still_holds_up_nothing_but_a_small_part)
{
    atomic_size_t done = 0, held = 0;
    rec_team_set_size(2);
    REC_SHARE(2, 100, stand_still, &done, &held, 100);
    assert_int_equal(done, 100);
    assert_true(held <= 10);
}

REC_TASK(look_at_signals, atomic_int *const helped; atomic_int *const open)
{
    sigset_t blocked;
    while (!member && !*job->helped)
        sched_yield();
    if (member) {
        pthread_sigmask(SIG_SETMASK, NULL, &blocked);
        *job->open |= !sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGUSR1);
        *job->helped = 1;
    }
}

TEST(signals_are_for_others)
{
    atomic_int helped = 0, open = 0;
    rec_team_set_size(2);
    REC_SHARE(2, 2, look_at_signals, &helped, &open);
    assert_int_equal(open, 0);
}

/* ---- how many ---- */

static void *tell_size(void *size)
{
    *(size_t *)size = rec_team_size();
    return NULL;
}

/* Of a new thread. */
static size_t size_with(const char *threads, const char *limit)
{
    size_t size = 0;
    pthread_t thread;
    setenv("OMP_NUM_THREADS", threads, 1);
    setenv("OMP_THREAD_LIMIT", limit, 1);
    assert_int_equal(pthread_create(&thread, NULL, tell_size, &size), 0);
    pthread_join(thread, NULL);
    return size;
}

TEST(the_environment_says_how_many)
{
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    const size_t processors = (size_t)CPU_COUNT(&all);
    assert_int_equal(size_with("3", ""), 3);
    assert_int_equal(size_with(" 5,2", ""), 5);
    assert_int_equal(size_with("7", "4"), 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(size_with((const char *[]){"", "0", "-2", "many"}[i], ""), processors);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(size_with("", ""), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    rec_team_set_size(6);
    rec_team_limit(9);
    assert_int_equal(rec_team_size(), 6);
    rec_team_limit(2);
    assert_int_equal(rec_team_size(), 2);
}
