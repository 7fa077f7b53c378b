#include <inttypes.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "job/jobs.h"

/* 0, 1, 2, ... 10, 11, 13, 15, 17, 19, 21, 24, ...: some 24 frames a decade. They are so few that
 * they are counted from the start each time. *number: that of the frame found. */
static uint64_t spaced_from(uint64_t iteration, uint64_t *number)
{
    uint64_t at = 0;
    for (*number = 1; at < iteration; ++*number) {
        const uint64_t tenth = at / 10 + (at % 10 > 0), step = tenth ? tenth : 1;
        if (step > UINT64_MAX - at)
            return UINT64_MAX;
        at += step;
    }
    return at;
}

uint64_t rec_film_next(const rec_film *film, uint64_t iteration)
{
    const uint64_t least = iteration > film->next ? iteration : film->next;
    uint64_t number;
    if (!film->ending)
        return UINT64_MAX;
    if (!film->every)
        return spaced_from(least, &number);
    const uint64_t rest = least % film->every, more = rest ? film->every - rest : 0;
    return more <= UINT64_MAX - least ? least + more : UINT64_MAX;
}

uint64_t rec_film_number(const rec_film *film, uint64_t iteration)
{
    uint64_t number;
    if (film->every)
        return iteration / film->every + 1;
    spaced_from(iteration, &number);
    return number;
}

static char *path_of(const rec_film *film, uint64_t number)
{
    char *path;
    const int length = asprintf(&path, "%s-%06" PRIu64 ".%s", film->prefix, number, film->ending);
    return length < 0 ? NULL : path;
}

/* The run's current iterate; reading it back is timed by the run. */
static rec_status write_frame(rec_job *job, const rec_film *film, uint64_t number, rec_error *error)
{
    rec_owned_image image = {0};
    rec_owned char *path = path_of(film, number);
    if (!path)
        return rec_fail(error, REC_LIMIT, "out of memory for a file name");
    REC_TRY(rec_run_read_image(job->run, &image, error));
    const double before = rec_now();
    rec_claim claim = rec_job_claim(job, film->prefix); /* an output of its input is another file */
    rec_write_options writing = job->writing;
    writing.guard = &claim.guard;
    const rec_status status = rec_image_write(path, &image, &writing, error);
    job->save_seconds += rec_now() - before;
    return status;
}

void rec_job_begin_film(rec_job *job)
{
    const rec_settings *settings = job->settings;
    if (settings->frames == REC_FRAMES_NONE || settings->frames == REC_FRAMES_AT)
        return;
    job->film = (rec_film){
        .prefix = job->film.prefix,
        .ending = rec_output_ending(settings->writing.format, job->report.planes),
        .every = settings->frames == REC_FRAMES_EVERY ? settings->run.every : 0,
        .next = rec_run_get_state(job->run)->iterations};
}

rec_status rec_job_between_batches(rec_job *job, rec_error *error)
{
    rec_film *film = &job->film;
    const uint64_t iteration = rec_run_get_state(job->run)->iterations;
    rec_lock_renew(job->lock);
    rec_journal_renew(job->journal);
    if (rec_film_next(film, iteration) != iteration)
        return REC_OK;
    const uint64_t number = rec_film_number(film, iteration);
    const rec_status status = write_frame(job, film, number, error);
    if (status == REC_SIGNALLED) /* the run ends with its checkpoint, if there is one */
        return REC_OK;
    REC_TRY(status);
    film->next = iteration + 1;
    film->last = number;
    if (!film->first)
        film->first = number;
    return REC_OK;
}

rec_status rec_job_write_frames(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const rec_film film = {
        .prefix = job->film.prefix,
        .ending = rec_output_ending(settings->writing.format, job->report.planes), .first = 1,
        .last = settings->frames_count};
    for (size_t i = 0; i < settings->frames_count; i++) {
        if (rec_is_stopped())
            return rec_fail(error, REC_SIGNALLED, "%s: stopped by a signal after %zu of %zu frames",
                            rec_input_name(job->input), i, settings->frames_count);
        REC_TRY(rec_solver_jump(rec_run_solver(job->run), settings->frames_at[i], error));
        REC_TRY(write_frame(job, &film, i + 1, error));
    }
    if (settings->progress)
        rec_film_print(&film, settings->progress, rec_input_name(job->input));
    return REC_OK;
}

void rec_film_print(const rec_film *film, FILE *stream, const char *input)
{
    if (!film->first)
        return;
    rec_say(stream, "%s: %" PRIu64 " frame%s, %s-%06" PRIu64 ".%s to %06" PRIu64, input,
            film->last - film->first + 1, rec_plural(film->last - film->first + 1), film->prefix,
            film->first, film->ending, film->last);
    rec_owned char *behind = path_of(film, film->last + 1);
    if (behind && !access(behind, F_OK))
        fputs("; later frames there are from another run", stream);
    fputc('\n', stream);
}
