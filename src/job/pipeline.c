/* Works through a list of jobs with several threads. */
#include "job/job.h"

#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/team.h"

/* Most threads wait for the disk to have an output (fsync). */
enum { MOST_AT_A_TIME = 64, THREADS_A_SEAT = 4 };

/* Images of up to so many samples are solved side by side, one thread each, if there are enough of
 * them: a team would spend its time waiting for its members. */
#define SMALL ((size_t)1 << 22)

typedef struct queue {
    rec_item *first, **last;
} queue;

typedef struct pipeline {
    rec_jobs *jobs;
    rec_pipeline_owner owner;
    pthread_mutex_t lock;      /* of what follows */
    pthread_cond_t news;       /* for the caller: something is finished, or to be solved */
    pthread_cond_t changed;    /* for threads: there is room to begin or to read, or it is solved */
    pthread_cond_t vacancy;    /* a seat is free */
    size_t next;               /* the first job that nobody has taken yet */
    int stopped;
    rec_item item[MOST_AT_A_TIME];
    queue free, large, finished; /* large: for the caller, who solves one while nobody else does */
    int busy;                  /* he does */
    size_t alive;              /* items that are not free */
    size_t bytes, budget;      /* of their images; as many at a time */
    size_t seats, free_seats;  /* so many threads solve at a time */
    rec_solver *kept[MOST_AT_A_TIME];  /* of each seat: the last solver, for equal sizes */
    rec_solver **seat[MOST_AT_A_TIME]; /* the free ones come first */
    rec_solver *own;           /* the caller's */
    pthread_t thread[MOST_AT_A_TIME];
    size_t threads;
} pipeline;

static void put(queue *of, rec_item *item)
{
    item->next = NULL;
    if (!of->first)
        of->last = &of->first;
    *of->last = item;
    of->last = &item->next;
}

static rec_item *get(queue *of)
{
    rec_item *item = of->first;
    if (item)
        of->first = item->next;
    return item;
}

/* ---- the stages of an item; the caller holds the lock ---- */

/* Edges, a start, an original and a result at most. Before it is read, an input is taken to have a
 * byte a sample. */
static void count_bytes(pipeline *of, rec_item *item, size_t samples)
{
    of->bytes -= item->bytes;
    item->bytes = 4 * sizeof(float) * samples;
    of->bytes += item->bytes;
}

/* An item for the next job; NULL: there are no more jobs to begin. */
static rec_item *begin(pipeline *of)
{
    rec_item *item = NULL;
    while (!of->stopped && of->next < of->jobs->count && !(item = get(&of->free)))
        pthread_cond_wait(&of->changed, &of->lock);
    if (!item)
        return NULL;
    *item = (rec_item){.index = of->next++};
    of->alive++;
    return item;
}

static void end(pipeline *of, rec_item *item)
{
    count_bytes(of, item, 0);
    of->alive--;
    rec_job_destroy(item->job);
    put(&of->free, item);
    pthread_cond_broadcast(&of->changed);
}

/* Around what may wait for a pipe: outside of the lock, and to be interrupted. */
static void begin_to_wait(pipeline *of, rec_item *item)
{
    item->thread = pthread_self();
    item->waits = 1;
    pthread_mutex_unlock(&of->lock);
}

static void end_to_wait(pipeline *of, rec_item *item)
{
    pthread_mutex_lock(&of->lock);
    item->waits = 0;
}

/* Reads it; releases the lock meanwhile. */
static void load(pipeline *of, rec_item *item)
{
    rec_jobs *jobs = of->jobs;
    pthread_mutex_unlock(&of->lock);
    item->passed = rec_jobs_pass(jobs, item->index, &item->status);
    if (!item->passed)
        item->status = rec_jobs_create_job(jobs, item->index, &item->job, &item->error);
    pthread_mutex_lock(&of->lock);
    if (!item->job)
        return;
    const size_t expected = (size_t)item->job->report.file.bytes;
    while (of->bytes && of->bytes / 16 + expected > of->budget / 16 && !of->stopped)
        pthread_cond_wait(&of->changed, &of->lock);
    if (of->stopped)
        return;
    count_bytes(of, item, expected);
    begin_to_wait(of, item);
    item->status = rec_job_load(item->job, &item->error);
    end_to_wait(of, item);
    const rec_report *report = &item->job->report;
    item->samples = report->width * report->height * report->planes;
    count_bytes(of, item, item->samples);
}

/* 1: it can be solved. */
static int is_ready(const rec_item *item) { return item->job && !item->status; }

static void forget(rec_solver **kept, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rec_solver_destroy(kept[i]);
        kept[i] = NULL;
    }
}

/* On a seat. Memory may not hold the caller's solver beside those of the seats, so one kind is
 * freed before the other works. */
static void solve_small(pipeline *of, rec_item *item)
{
    while (!of->stopped && (!of->free_seats || of->busy || of->large.first))
        pthread_cond_wait(&of->vacancy, &of->lock);
    if (of->stopped)
        return;
    forget(&of->own, 1);
    item->job->kept = of->seat[--of->free_seats];
    pthread_mutex_unlock(&of->lock);
    item->status = of->owner.solve(of->owner.context, item->job, 1, &item->error);
    pthread_mutex_lock(&of->lock);
    of->seat[of->free_seats++] = item->job->kept;
    item->solved = 1;
    pthread_cond_signal(of->large.first ? &of->news : &of->vacancy);
}

/* By the caller. */
static void solve_large(pipeline *of, rec_item *item)
{
    put(&of->large, item);
    pthread_cond_signal(&of->news);
    while (!item->solved && (!of->stopped || of->busy))
        pthread_cond_wait(&of->changed, &of->lock);
}

static int is_done(const rec_item *item) { return !item->status || item->status == REC_NO; }

static void take_status(rec_item *item, rec_status status, const rec_error *failure)
{
    if (!status || !is_done(item))
        return;
    item->status = status;
    item->error = *failure;
}

/* Writes its output and its line of the journal; releases the lock meanwhile. */
static void finish(pipeline *of, rec_item *item)
{
    rec_error failure = {0};
    rec_job *job = item->job;
    if (job && is_done(item)) {
        pthread_mutex_unlock(&of->lock);
        take_status(item, rec_job_write(job, &failure), &failure);
        pthread_mutex_lock(&of->lock);
    }
    if (job) {
        begin_to_wait(of, item);
        job->report.status = item->status;
        job->report.message = item->status ? item->error.message : NULL;
        take_status(item, rec_journal_write(of->jobs, job, &failure), &failure);
        end_to_wait(of, item);
    }
    put(&of->finished, item);
    pthread_cond_signal(&of->news);
}

/* By the caller, with all threads; releases the lock while it solves. */
static void solve_here(pipeline *of, rec_item *item)
{
    of->busy = 1;
    forget(of->kept, of->seats);
    item->job->kept = of->jobs->count > 1 ? &of->own : NULL;
    pthread_mutex_unlock(&of->lock);
    item->status = of->owner.solve(of->owner.context, item->job, 0, &item->error);
    pthread_mutex_lock(&of->lock);
    of->busy = 0;
    item->solved = 1;
    if (!of->threads)
        finish(of, item);
    pthread_cond_broadcast(&of->changed);
    pthread_cond_broadcast(&of->vacancy);
}

/* ---- threads ---- */

static void *work(void *argument)
{
    pipeline *of = argument;
    rec_item *item;
    rec_team_limit(1);
    pthread_mutex_lock(&of->lock);
    while ((item = begin(of))) {
        load(of, item);
        const int ready = is_ready(item);
        if (ready && of->seats && item->samples <= SMALL)
            solve_small(of, item);
        else if (ready)
            solve_large(of, item);
        if (item->solved || (!ready && item->status != REC_SIGNALLED))
            finish(of, item);
        else
            end(of, item);
    }
    pthread_cond_signal(&of->news);
    pthread_mutex_unlock(&of->lock);
    return NULL;
}

/* What the caller shall solve, or NULL; without threads it reads the next. */
static rec_item *find_work(pipeline *of)
{
    if (of->stopped || of->free_seats < of->seats)
        return NULL;
    rec_item *item = of->threads ? get(&of->large) : begin(of);
    if (!item || of->threads)
        return item;
    load(of, item);
    if (is_ready(item))
        return item;
    finish(of, item);
    return NULL;
}

static void wait_for_news(pipeline *of)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_clockwait(&of->news, &of->lock, CLOCK_MONOTONIC, &until);
}

static void take(pipeline *of, rec_item *item)
{
    pthread_mutex_unlock(&of->lock);
    const int stops = of->owner.take(of->owner.context, item);
    pthread_mutex_lock(&of->lock);
    if (item)
        end(of, item);
    if (!stops)
        return;
    of->stopped = 1;
    pthread_cond_broadcast(&of->changed);
    pthread_cond_broadcast(&of->vacancy);
    for (size_t i = 0; i < MOST_AT_A_TIME; i++) /* each time: it may just begin to wait */
        if (of->item[i].waits)
            rec_signals_interrupt(of->item[i].thread);
}

/* Until all is done, or nothing more shall be begun. */
static void run(pipeline *of)
{
    pthread_mutex_lock(&of->lock);
    while (of->alive || (!of->stopped && of->next < of->jobs->count)) {
        rec_item *item = of->finished.first ? NULL : find_work(of);
        if (item)
            solve_here(of, item);
        else if (!of->finished.first)
            wait_for_news(of);
        take(of, get(&of->finished));
    }
    pthread_mutex_unlock(&of->lock);
}

/* ---- the whole ---- */

/* Threads that the system refuses are done without: the caller does their work. */
static void start_threads(pipeline *of, size_t wanted)
{
    const size_t team = rec_team_size();
    if (of->jobs->count >= 2 * team && !of->jobs->settings->against)
        of->seats = team < wanted ? team : wanted;
    for (; of->free_seats < of->seats; of->free_seats++)
        of->seat[of->free_seats] = &of->kept[of->free_seats];
    while (of->threads < wanted && !pthread_create(&of->thread[of->threads], NULL, work, of))
        of->threads++;
}

rec_status rec_pipeline_run(rec_jobs *jobs, size_t threads, const rec_pipeline_owner *owner,
                            rec_error *error)
{
    pipeline *of = malloc(sizeof *of);
    if (!of)
        return rec_fail(error, REC_LIMIT, "out of memory for a list");
    *of = (pipeline){.jobs = jobs, .owner = *owner, .budget = rec_memory_available() / 4,
                     .lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER,
                     .changed = PTHREAD_COND_INITIALIZER, .vacancy = PTHREAD_COND_INITIALIZER};
    for (size_t i = 0; i < MOST_AT_A_TIME; i++)
        put(&of->free, &of->item[i]);
    if (jobs->count > 1)
        rec_memory_keep();
    const size_t wanted = jobs->count > 1 && threads > 1 ? THREADS_A_SEAT * threads : 0;
    start_threads(of, wanted < MOST_AT_A_TIME ? wanted : MOST_AT_A_TIME);
    run(of);
    for (size_t i = 0; i < of->threads; i++)
        pthread_join(of->thread[i], NULL);
    forget(of->kept, of->seats);
    forget(&of->own, 1);
    free(of);
    return REC_OK;
}
