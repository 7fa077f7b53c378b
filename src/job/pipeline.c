#include "job/pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/team.h"

/* Most threads wait for the disk to have an output (fsync). */
enum { MOST_AT_A_TIME = 64, THREADS_A_SEAT = 4 };

/* Images of so many samples at most are solved side by side, a thread each, once there are enough
 * of them: a team would spend its time on waiting for its members. */
#define SMALL ((size_t)1 << 22)

typedef struct queue {
    rec_item *first, **last;
} queue;

struct rec_pipeline {
    rec_jobs *jobs;
    rec_solve *solve;
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
};

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

static size_t samples_of(const rec_item *item)
{
    const rec_report *report = &item->job->report;
    return report->width * report->height * report->planes;
}

/* ---- what happens to an item, under the lock but where it says so ---- */

/* Edges, a start, an original and a result at most. Before it is read, an input is taken to have a
 * byte a sample. */
static void count_bytes(rec_pipeline *pipeline, rec_item *item, size_t samples)
{
    pipeline->bytes -= item->bytes;
    item->bytes = 4 * sizeof(float) * samples;
    pipeline->bytes += item->bytes;
}

/* An item for the next job; NULL: there are no more jobs to begin. */
static rec_item *begin(rec_pipeline *pipeline)
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

static void end(rec_pipeline *pipeline, rec_item *item)
{
    count_bytes(pipeline, item, 0);
    pipeline->alive--;
    rec_job_destroy(item->job);
    put(&pipeline->free, item);
    pthread_cond_broadcast(&pipeline->changed);
}

/* Reads it, without the lock meanwhile. */
static void load(rec_pipeline *pipeline, rec_item *item)
{
    rec_jobs *jobs = pipeline->jobs;
    pthread_mutex_unlock(&pipeline->lock);
    item->passed = rec_jobs_pass(jobs, item->index, &item->status);
    if (!item->passed)
        item->status = rec_jobs_create_job(jobs, item->index, &item->job, &item->error);
    pthread_mutex_lock(&pipeline->lock);
    if (!item->job)
        return;
    const size_t expected = (size_t)item->job->report.input_bytes;
    while (pipeline->bytes && pipeline->bytes / 16 + expected > pipeline->budget / 16 &&
           !pipeline->stopped)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    if (pipeline->stopped)
        return;
    count_bytes(pipeline, item, expected);
    pthread_mutex_unlock(&pipeline->lock);
    item->status = rec_job_load(item->job, &item->error);
    pthread_mutex_lock(&pipeline->lock);
    count_bytes(pipeline, item, samples_of(item));
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

/* On a seat. There may be no room for the caller's solver beside these, nor the other way round. */
static void solve_small(rec_pipeline *pipeline, rec_item *item)
{
    while (!pipeline->stopped &&
           (!pipeline->free_seats || pipeline->busy || pipeline->large.first))
        pthread_cond_wait(&pipeline->vacancy, &pipeline->lock);
    if (pipeline->stopped)
        return;
    forget(&pipeline->own, 1);
    item->job->kept = pipeline->seat[--pipeline->free_seats];
    pthread_mutex_unlock(&pipeline->lock);
    item->status = pipeline->solve(item->job, &item->error);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->seat[pipeline->free_seats++] = item->job->kept;
    item->solved = 1;
    pthread_cond_signal(pipeline->large.first ? &pipeline->news : &pipeline->vacancy);
}

/* By the caller. */
static void solve_large(rec_pipeline *pipeline, rec_item *item)
{
    put(&pipeline->large, item);
    pthread_cond_signal(&pipeline->news);
    while (!item->solved && (!pipeline->stopped || pipeline->busy))
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
}

static int is_done(const rec_item *item) { return !item->status || item->status == REC_NO; }

/* Writes what there is of it, without the lock meanwhile. */
static void finish(rec_pipeline *pipeline, rec_item *item)
{
    rec_error failure = {0};
    rec_job *job = item->job;
    pthread_mutex_unlock(&pipeline->lock);
    for (int journal = 0; job && journal < 2; journal++) {
        rec_status status = REC_OK;
        if (journal) {
            job->report.status = item->status;
            job->report.message = item->status ? item->error.message : NULL;
            status = rec_journal_write(pipeline->jobs, job, &failure);
        } else if (is_done(item)) {
            status = rec_job_write(job, &failure);
        }
        if (status && is_done(item)) {
            item->status = status;
            item->error = failure;
            item->wrote = 1;
        }
    }
    pthread_mutex_lock(&pipeline->lock);
    item->finished = 1;
    put(&pipeline->finished, item);
    pthread_cond_signal(&pipeline->news);
}

/* ---- threads ---- */

static void *work(void *argument)
{
    rec_pipeline *pipeline = argument;
    rec_item *item;
    rec_team_limit(1);
    pthread_mutex_lock(&pipeline->lock);
    while ((item = begin(pipeline))) {
        load(pipeline, item);
        const int ready = is_ready(item);
        if (ready && pipeline->seats && samples_of(item) <= SMALL)
            solve_small(pipeline, item);
        else if (ready)
            solve_large(pipeline, item);
        if (!ready || item->solved)
            finish(pipeline, item);
        else
            end(pipeline, item);
    }
    pthread_cond_signal(&pipeline->news);
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

/* Without threads: until there is something to be solved. */
static rec_item *read_here(rec_pipeline *pipeline)
{
    rec_item *item = pipeline->threads ? NULL : begin(pipeline);
    if (!item)
        return NULL;
    load(pipeline, item);
    if (is_ready(item))
        return item;
    finish(pipeline, item);
    return get(&pipeline->finished);
}

/* ---- the interface ---- */

rec_status rec_pipeline_create(rec_pipeline **made, rec_jobs *jobs, size_t threads,
                               rec_solve *solve, rec_error *error)
{
    rec_pipeline *pipeline = calloc(1, sizeof *pipeline);
    *made = pipeline;
    if (!pipeline)
        return rec_fail(error, REC_LIMIT, "out of memory for a list");
    pipeline->jobs = jobs;
    pipeline->solve = solve;
    pipeline->budget = rec_memory_available() / 4;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->news, &clock);
    pthread_condattr_destroy(&clock);
    pthread_cond_init(&pipeline->changed, NULL);
    pthread_cond_init(&pipeline->vacancy, NULL);
    for (size_t i = 0; i < MOST_AT_A_TIME; i++)
        put(&pipeline->free, &pipeline->item[i]);
    if (jobs->count > 1)
        rec_memory_keep();
    size_t wanted = jobs->count > 1 && threads > 1 ? THREADS_A_SEAT * threads : 0;
    if (wanted > MOST_AT_A_TIME)
        wanted = MOST_AT_A_TIME;
    const size_t team = rec_team_size();
    if (jobs->count >= 2 * team && !jobs->settings->against)
        pipeline->seats = team < wanted ? team : wanted;
    while (pipeline->free_seats < pipeline->seats) {
        pipeline->seat[pipeline->free_seats] = &pipeline->kept[pipeline->free_seats];
        pipeline->free_seats++;
    }
    /* What the system does not give is done without, by the caller. */
    while (pipeline->threads < wanted &&
           !pthread_create(&pipeline->thread[pipeline->threads], NULL, work, pipeline))
        pipeline->threads++;
    return REC_OK;
}

int rec_pipeline_next(rec_pipeline *pipeline, rec_item **item)
{
    struct timespec until;
    int over = 0, waited = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&pipeline->lock);
    while (!(*item = get(&pipeline->finished)) && !over && !waited) {
        if (!pipeline->stopped && pipeline->free_seats == pipeline->seats)
            *item = pipeline->large.first ? get(&pipeline->large) : read_here(pipeline);
        if (*item)
            break;
        over = !pipeline->alive &&
               (pipeline->stopped || pipeline->next >= pipeline->jobs->count);
        if (!over)
            waited = pthread_cond_timedwait(&pipeline->news, &pipeline->lock, &until);
    }
    if (*item && !(*item)->finished) {
        pipeline->busy = 1;
        forget(pipeline->kept, pipeline->seats);
        (*item)->job->kept = pipeline->jobs->count > 1 ? &pipeline->own : NULL;
    }
    pthread_mutex_unlock(&pipeline->lock);
    return !over;
}

void rec_pipeline_solved(rec_pipeline *pipeline, rec_item *item)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->busy = 0;
    item->solved = 1;
    if (!pipeline->threads)
        finish(pipeline, item);
    pthread_cond_broadcast(&pipeline->changed);
    pthread_cond_broadcast(&pipeline->vacancy);
    pthread_mutex_unlock(&pipeline->lock);
}

void rec_pipeline_drop(rec_pipeline *pipeline, rec_item *item)
{
    pthread_mutex_lock(&pipeline->lock);
    end(pipeline, item);
    pthread_mutex_unlock(&pipeline->lock);
}

void rec_pipeline_stop(rec_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->stopped = 1;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_cond_broadcast(&pipeline->vacancy);
    pthread_mutex_unlock(&pipeline->lock);
}

void rec_pipeline_destroy(rec_pipeline *pipeline)
{
    if (!pipeline)
        return;
    rec_pipeline_stop(pipeline);
    for (size_t i = 0; i < pipeline->threads; i++)
        pthread_join(pipeline->thread[i], NULL);
    forget(pipeline->kept, pipeline->seats);
    forget(&pipeline->own, 1);
    pthread_mutex_destroy(&pipeline->lock);
    pthread_cond_destroy(&pipeline->news);
    pthread_cond_destroy(&pipeline->changed);
    pthread_cond_destroy(&pipeline->vacancy);
    free(pipeline);
}
