#include "job/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Reading waits for little but the disk, and writing for the disk to have it (fsync): a few threads
 * overlap these waits. */
enum { MOST_READERS = 2, MOST_WRITERS = 16, MOST_AT_A_TIME = 64 };

typedef struct queue {
    rec_item *first, **last;
} queue;

struct rec_pipeline {
    rec_jobs *jobs;
    pthread_mutex_t lock;           /* of what follows */
    pthread_cond_t changed;
    size_t next;                    /* the first job that nobody has taken yet */
    int stopped;
    rec_item item[MOST_AT_A_TIME];
    queue free, loaded, solved, finished;
    size_t reading, writing;        /* being read now; given and not yet finished */
    size_t alive;                   /* items that exist */
    size_t bytes, budget;           /* of the images of these items; as many at a time */
    int closed;                     /* nothing will be given any more */
    pthread_t thread[MOST_READERS + MOST_WRITERS];
    size_t readers, threads;        /* readers come first */
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

/* Edges, a start, an original and a result at most. */
static size_t bytes_of(const rec_item *item)
{
    const rec_report *report = item->job ? &item->job->report : NULL;
    return report ? 4 * sizeof(float) * report->width * report->height * report->planes : 0;
}

/* ---- what happens to an item ---- */

static void load(rec_pipeline *pipeline, rec_item *item)
{
    rec_jobs *jobs = pipeline->jobs;
    item->passed = rec_jobs_pass(jobs, item->index, &item->status);
    if (item->passed)
        return;
    item->status = rec_jobs_create_job(jobs, item->index, &item->error);
    item->job = jobs->at[item->index];
    if (!item->status)
        item->status = rec_job_load(item->job, &item->error);
}

static void finish(rec_pipeline *pipeline, rec_item *item)
{
    rec_error failure = {0};
    rec_job *job = item->job;
    if (item->passed || !job)
        return;
    if (!item->status || item->status == REC_NO) {
        const rec_status written = rec_job_write(job, &failure);
        if (written) {
            item->status = written;
            item->error = failure;
            item->wrote = 1;
        }
    }
    job->report.status = item->status;
    job->report.message = item->status ? item->error.message : NULL;
    const rec_status noted = rec_journal_write(pipeline->jobs, job, &failure);
    if (noted && (!item->status || item->status == REC_NO)) {
        item->status = noted;
        item->error = failure;
        item->wrote = 1;
    }
}

/* ---- threads ---- */

static int may_read(const rec_pipeline *pipeline)
{
    return !pipeline->alive ||
           (pipeline->alive < MOST_AT_A_TIME && pipeline->bytes < pipeline->budget);
}

/* An item for the next job, under the lock; NULL: there are no more jobs to begin. */
static rec_item *begin(rec_pipeline *pipeline)
{
    if (pipeline->stopped || pipeline->next >= pipeline->jobs->count)
        return NULL;
    rec_item *item = get(&pipeline->free);
    *item = (rec_item){.index = pipeline->next++};
    pipeline->alive++;
    pipeline->reading++;
    return item;
}

static void end_reading(rec_pipeline *pipeline, rec_item *item)
{
    pipeline->reading--;
    pipeline->bytes += bytes_of(item);
    if (item->passed || (item->status && !item->job))
        put(&pipeline->finished, item);
    else
        put(&pipeline->loaded, item);
    pthread_cond_broadcast(&pipeline->changed);
}

static void *read_jobs(void *argument)
{
    rec_pipeline *pipeline = argument;
    pthread_mutex_lock(&pipeline->lock);
    for (;;) {
        while (!pipeline->stopped && pipeline->next < pipeline->jobs->count &&
               !may_read(pipeline))
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
        rec_item *item = begin(pipeline);
        if (!item)
            break;
        pthread_mutex_unlock(&pipeline->lock);
        load(pipeline, item);
        pthread_mutex_lock(&pipeline->lock);
        end_reading(pipeline, item);
    }
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

static void *write_jobs(void *argument)
{
    rec_pipeline *pipeline = argument;
    pthread_mutex_lock(&pipeline->lock);
    for (;;) {
        rec_item *item = get(&pipeline->solved);
        if (!item && pipeline->closed)
            break;
        if (!item) {
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
            continue;
        }
        pthread_mutex_unlock(&pipeline->lock);
        finish(pipeline, item);
        pthread_mutex_lock(&pipeline->lock);
        pipeline->writing--;
        put(&pipeline->finished, item);
        pthread_cond_broadcast(&pipeline->changed);
    }
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

/* ---- the interface ---- */

rec_status rec_pipeline_create(rec_pipeline **made, rec_jobs *jobs, size_t threads,
                               rec_error *error)
{
    rec_pipeline *pipeline = calloc(1, sizeof *pipeline);
    *made = pipeline;
    if (!pipeline)
        return rec_fail(error, REC_LIMIT, "out of memory for a list");
    pipeline->jobs = jobs;
    pipeline->budget = rec_memory_available() / 4;
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->changed, NULL);
    for (size_t i = 0; i < MOST_AT_A_TIME; i++)
        put(&pipeline->free, &pipeline->item[i]);
    const size_t readers = jobs->count > 1 && threads > 1 ? 1 + (threads > 8) : 0;
    const size_t writers = readers ? 2 * threads < MOST_WRITERS ? 2 * threads : MOST_WRITERS : 0;
    /* What the system does not give is done without, by the caller. */
    while (pipeline->readers < readers &&
           !pthread_create(&pipeline->thread[pipeline->readers], NULL, read_jobs, pipeline))
        pipeline->readers++;
    pipeline->threads = pipeline->readers;
    while (pipeline->readers && pipeline->threads < pipeline->readers + writers &&
           !pthread_create(&pipeline->thread[pipeline->threads], NULL, write_jobs, pipeline))
        pipeline->threads++;
    return REC_OK;
}

rec_item *rec_pipeline_take(rec_pipeline *pipeline)
{
    rec_item *item;
    pthread_mutex_lock(&pipeline->lock);
    if (!pipeline->readers) {
        item = begin(pipeline);
        if (item) {
            load(pipeline, item);
            end_reading(pipeline, item);
            item = get(&pipeline->loaded);
        }
    } else {
        while (!(item = get(&pipeline->loaded)) && !pipeline->finished.first &&
               (pipeline->reading || (!pipeline->stopped &&
                                      pipeline->next < pipeline->jobs->count)))
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    }
    pthread_mutex_unlock(&pipeline->lock);
    return item;
}

void rec_pipeline_give(rec_pipeline *pipeline, rec_item *item)
{
    const int here = pipeline->threads == pipeline->readers;
    if (here)
        finish(pipeline, item);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->writing += !here;
    put(here ? &pipeline->finished : &pipeline->solved, item);
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

rec_item *rec_pipeline_finished(rec_pipeline *pipeline, int wait)
{
    rec_item *item;
    pthread_mutex_lock(&pipeline->lock);
    while (!(item = get(&pipeline->finished)) && wait && pipeline->writing)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    pthread_mutex_unlock(&pipeline->lock);
    return item;
}

void rec_pipeline_drop(rec_pipeline *pipeline, rec_item *item)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->bytes -= bytes_of(item);
    pipeline->alive--;
    rec_jobs_drop_job(pipeline->jobs, item->index);
    put(&pipeline->free, item);
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

void rec_pipeline_stop(rec_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->stopped = 1;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

void rec_pipeline_destroy(rec_pipeline *pipeline)
{
    if (!pipeline)
        return;
    rec_pipeline_stop(pipeline);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->closed = 1;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    for (size_t i = 0; i < pipeline->threads; i++)
        pthread_join(pipeline->thread[i], NULL);
    pthread_mutex_destroy(&pipeline->lock);
    pthread_cond_destroy(&pipeline->changed);
    free(pipeline);
}
