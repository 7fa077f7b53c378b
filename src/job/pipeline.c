#include "base/clock.h"
#include "base/team.h"
#include "base/text.h"
#include "job/jobs.h"
#include "run/signals.h"

/* Most threads wait for the disk to have an output (fsync). */
enum { MOST_AT_A_TIME = 64, THREADS_A_SEAT = 4 };

/* Images of up to so many samples are solved side by side: a team would wait for its members. */
#define SMALL ((size_t)1 << 22)

/* Bytes for each sample: edges, a start, an original and a result at most. */
#define EACH (4 * sizeof(float))

struct queue {
    rec_item *first, **last;
};

struct pipeline {
    rec_jobs *jobs;
    rec_progress *progress;    /* of what the caller solves */
    pthread_mutex_t lock;      /* of what follows */
    pthread_cond_t news;       /* for the caller: something is finished, or to be solved */
    pthread_cond_t changed;    /* for threads: there is room to begin, or it is solved */
    pthread_cond_t vacancy;    /* a seat is free */
    size_t next;               /* the first job that nobody has taken yet */
    int stopped;
    rec_item item[MOST_AT_A_TIME];
    struct queue free, large, finished; /* large: for the caller, while nobody else solves */
    int busy;                  /* the caller is solving */
    size_t alive;              /* items that are not free */
    rec_budget budget;         /* of their images, by itself */
    size_t seats, free_seats;  /* so many threads solve at a time */
    rec_solver *kept[MOST_AT_A_TIME]; /* the last solver of each free seat, for equal sizes */
    rec_solver *own;           /* the caller's */
    pthread_t thread[MOST_AT_A_TIME];
    size_t threads;
};

static void put(struct queue *queue, rec_item *item)
{
    item->next = NULL;
    if (!queue->first)
        queue->last = &queue->first;
    *queue->last = item;
    queue->last = &item->next;
}

static rec_item *get(struct queue *queue)
{
    rec_item *item = queue->first;
    if (item)
        queue->first = item->next;
    return item;
}

/* ---- the stages of an item; the caller holds the lock ---- */

/* An item for the next job; NULL: there are no more jobs to begin. */
static rec_item *begin(struct pipeline *pipeline)
{
    rec_item *item = NULL;
    while (!pipeline->stopped && pipeline->next < pipeline->jobs->count &&
           !(item = get(&pipeline->free)))
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    if (!item)
        return NULL;
    *item = (rec_item){.index = pipeline->next++};
    pipeline->alive++;
    return item;
}

static void end(struct pipeline *pipeline, rec_item *item)
{
    pipeline->alive--;
    rec_job_destroy(item->job);
    put(&pipeline->free, item);
    pthread_cond_broadcast(&pipeline->changed);
}

/* Call around I/O that may block: releases the lock, and a signal may interrupt the thread. */
static void begin_to_wait(struct pipeline *pipeline, rec_item *item)
{
    item->thread = pthread_self();
    item->waits = 1;
    pthread_mutex_unlock(&pipeline->lock);
}

static void end_to_wait(struct pipeline *pipeline, rec_item *item)
{
    pthread_mutex_lock(&pipeline->lock);
    item->waits = 0;
}

/* 1: it can be solved. */
static int is_ready(const rec_item *item) { return item->job && !item->status; }

/* Reads it; releases the lock meanwhile. */
static void load(struct pipeline *pipeline, rec_item *item)
{
    rec_jobs *jobs = pipeline->jobs;
    pthread_mutex_unlock(&pipeline->lock);
    item->passed = rec_jobs_pass(jobs, item->index, &item->status);
    if (!item->passed)
        item->status = rec_jobs_create_job(jobs, item->index, &item->job, &item->error);
    pthread_mutex_lock(&pipeline->lock);
    if (!item->job || pipeline->stopped)
        return;
    item->job->budget = &pipeline->budget;
    begin_to_wait(pipeline, item);
    item->status = rec_job_load(item->job, &item->error);
    end_to_wait(pipeline, item);
    const rec_report *report = &item->job->report;
    const rec_file_samples *there = &item->job->samples[0];
    rec_job_hold(item->job, there->memory     ? there->bytes / EACH
                            : there->at.width ? 0
                                              : report->width * report->height * report->planes);
}

static void forget(rec_solver **kept, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rec_solver_destroy(kept[i]);
        kept[i] = NULL;
    }
}

/* On a seat. The caller's solver is freed: memory may not hold it beside those of the seats. */
static void solve_small(struct pipeline *pipeline, rec_item *item)
{
    rec_progress quiet = {0}; /* of several at a time */
    while (!pipeline->stopped && (!pipeline->free_seats || pipeline->busy || pipeline->large.first))
        pthread_cond_wait(&pipeline->vacancy, &pipeline->lock);
    if (pipeline->stopped)
        return;
    forget(&pipeline->own, 1);
    item->kept = pipeline->kept[--pipeline->free_seats];
    item->job->kept = &item->kept;
    item->begin = rec_now();
    pthread_mutex_unlock(&pipeline->lock);
    item->status = rec_job_solve(item->job, &quiet, &item->error);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->kept[pipeline->free_seats++] = item->kept;
    item->solved = 1;
    pthread_cond_signal(pipeline->large.first ? &pipeline->news : &pipeline->vacancy);
}

static int is_done(const rec_item *item) { return !item->status || item->status == REC_NO; }

static void keep_failure(rec_item *item, rec_status status, const rec_error *failure)
{
    if (!status || !is_done(item))
        return;
    item->status = status;
    item->error = *failure;
}

/* Writes its output and its line of the journal; releases the lock meanwhile. */
static void finish(struct pipeline *pipeline, rec_item *item)
{
    rec_error failure = {0};
    rec_job *job = item->job;
    if (job && is_done(item)) {
        pthread_mutex_unlock(&pipeline->lock);
        keep_failure(item, rec_job_write(job, &failure), &failure);
        pthread_mutex_lock(&pipeline->lock);
    }
    if (job && item->status != REC_IN_USE) { /* that run writes a line of its own */
        begin_to_wait(pipeline, item);
        job->report.status = item->status;
        job->report.message = item->status ? item->error.message : NULL;
        keep_failure(item, rec_journal_write(pipeline->jobs->journal, job, &failure), &failure);
        end_to_wait(pipeline, item);
    }
    put(&pipeline->finished, item);
    pthread_cond_signal(&pipeline->news);
}

/* By the caller, with all threads; releases the lock while it solves. */
static void solve_here(struct pipeline *pipeline, rec_item *item)
{
    pipeline->busy = 1;
    forget(pipeline->kept, pipeline->seats);
    item->job->kept = pipeline->jobs->count > 1 ? &pipeline->own : NULL;
    pthread_mutex_unlock(&pipeline->lock);
    item->status = rec_job_solve(item->job, pipeline->progress, &item->error);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->busy = 0;
    item->solved = 1;
    if (!pipeline->threads)
        finish(pipeline, item);
    pthread_cond_broadcast(&pipeline->changed);
    pthread_cond_broadcast(&pipeline->vacancy);
}

/* ---- threads ---- */

static void *work(void *argument)
{
    struct pipeline *pipeline = argument;
    rec_item *item;
    rec_team_limit(1);
    rec_use_plain_numbers();
    REC_HOLD(&pipeline->lock);
    while ((item = begin(pipeline))) {
        load(pipeline, item);
        const int ready = is_ready(item);
        if (ready && pipeline->seats && item->job->held <= SMALL) {
            solve_small(pipeline, item);
        } else if (ready) { /* by the caller */
            put(&pipeline->large, item);
            pthread_cond_signal(&pipeline->news);
            while (!item->solved && (!pipeline->stopped || pipeline->busy))
                pthread_cond_wait(&pipeline->changed, &pipeline->lock);
        }
        if (item->solved || (!ready && item->status != REC_SIGNALLED))
            finish(pipeline, item);
        else
            end(pipeline, item);
    }
    pthread_cond_signal(&pipeline->news);
    return NULL;
}

/* Of those on seats, the one that began first. */
static void name_slowest(struct pipeline *pipeline)
{
    rec_progress *progress = pipeline->progress;
    progress->slowest = NULL;
    for (const rec_item *item = pipeline->item; item < pipeline->item + MOST_AT_A_TIME; item++)
        if (item->begin > 0 && !item->solved &&
            (!progress->slowest || item->begin < progress->slowest_begin)) {
            progress->slowest = item->job->name;
            progress->slowest_begin = item->begin;
        }
}

/* Works until a job is solved or finished (*item, or NULL), or 0.1 s is over. 0: after the last. */
static int next(struct pipeline *pipeline, rec_item **item)
{
    REC_HOLD(&pipeline->lock);
    const int more =
        pipeline->alive || (!pipeline->stopped && pipeline->next < pipeline->jobs->count);
    const int waits = more && !pipeline->finished.first;
    const int solves = waits && !pipeline->stopped && pipeline->free_seats == pipeline->seats;
    rec_item *work = !solves             ? NULL
                     : pipeline->threads ? get(&pipeline->large)
                                         : begin(pipeline);
    if (work && !pipeline->threads) /* it reads the next itself */
        load(pipeline, work);
    if (work && is_ready(work))
        solve_here(pipeline, work);
    else if (work)
        finish(pipeline, work);
    else if (waits)
        rec_condition_wait(&pipeline->news, &pipeline->lock, 0.1);
    *item = get(&pipeline->finished);
    name_slowest(pipeline);
    return more;
}

/* To be repeated: a thread may just have begun to wait for a pipe. */
static void stop(struct pipeline *pipeline)
{
    pipeline->stopped = 1;
    REC_HOLD(&pipeline->budget.lock);
    pipeline->budget.closed = 1;
    pthread_cond_broadcast(&pipeline->budget.changed);
    pthread_cond_broadcast(&pipeline->changed);
    pthread_cond_broadcast(&pipeline->vacancy);
    for (size_t i = 0; i < MOST_AT_A_TIME; i++)
        if (pipeline->item[i].waits)
            rec_signals_interrupt(pipeline->item[i].thread);
}

rec_status rec_jobs_run(rec_jobs *jobs, size_t threads, rec_progress *progress, rec_turn *turn,
                        void *user, rec_error *error)
{
    struct pipeline *pipeline;
    rec_item *item;
    REC_TRY(rec_allocate(&pipeline, 1, sizeof *pipeline, "a list", error));
    *pipeline = (struct pipeline){
        .jobs = jobs, .progress = progress,
        .budget = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                   .most = rec_memory_available() / 4 / EACH},
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
        .vacancy = PTHREAD_COND_INITIALIZER};
    rec_condition_create(&pipeline->news);
    for (size_t i = 0; i < MOST_AT_A_TIME; i++)
        put(&pipeline->free, &pipeline->item[i]);
    if (jobs->count > 1)
        rec_memory_keep();
    const int several = jobs->count > 1 && threads > 1;
    const size_t wanted = several ? rec_smaller(THREADS_A_SEAT * threads, MOST_AT_A_TIME) : 0;
    const size_t team = rec_team_size();
    if (jobs->count >= 2 * team && !jobs->settings->against)
        pipeline->seats = pipeline->free_seats = rec_smaller(team, wanted);
    /* Threads that the system refuses are done without: the caller does their work. */
    while (pipeline->threads < wanted &&
           !pthread_create(&pipeline->thread[pipeline->threads], NULL, work, pipeline))
        pipeline->threads++;
    while (next(pipeline, &item)) {
        const int ends = turn(user, item);
        REC_HOLD(&pipeline->lock);
        if (ends)
            stop(pipeline);
        if (item)
            end(pipeline, item);
    }
    for (size_t i = 0; i < pipeline->threads; i++)
        pthread_join(pipeline->thread[i], NULL);
    forget(pipeline->kept, pipeline->seats);
    forget(&pipeline->own, 1);
    rec_free(pipeline);
    return REC_OK;
}
