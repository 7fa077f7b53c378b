#include "job/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

static uint64_t multiple_from(uint64_t every, uint64_t iteration)
{
    const uint64_t rest = iteration % every;
    if (!rest)
        return iteration;
    return every - rest <= UINT64_MAX - iteration ? iteration + (every - rest) : UINT64_MAX;
}

/* 0, 1, 2, ... 10, 11, 13, 15, 17, 19, 21, 24, ...: some 24 frames a decade. They are few, so that
 * they are counted from the start each time. *number becomes the number of the one it finds. */
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

uint64_t recording_next(const rec_recording *recording, uint64_t iteration)
{
    const uint64_t least = iteration > recording->next ? iteration : recording->next;
    uint64_t number;
    if (!recording->prefix)
        return UINT64_MAX;
    return recording->every ? multiple_from(recording->every, least) : spaced_from(least, &number);
}

uint64_t recording_number(const rec_recording *recording, uint64_t iteration)
{
    uint64_t number;
    if (recording->every)
        return iteration / recording->every + 1;
    spaced_from(iteration, &number);
    return number;
}

static char *path_of(const rec_recording *recording, uint64_t number)
{
    char *path;
    const int length = asprintf(&path, "%s%06" PRIu64 ".%s", recording->prefix, number,
                                recording->ending);
    return length < 0 ? NULL : path;
}

rec_status recording_write_frame(const rec_recording *recording, uint64_t number, rec_run *run,
                                 const rec_write_options *writing, double *seconds,
                                 rec_error *error)
{
    rec_image image;
    char *path = path_of(recording, number);
    if (!path)
        return rec_fail(error, REC_LIMIT, "out of memory for a file name");
    rec_status status = rec_run_read_image(run, &image, error);
    if (!status) {
        const double before = rec_now();
        status = rec_image_write(path, &image, writing, error);
        *seconds += rec_now() - before;
        rec_image_destroy(&image);
    }
    free(path);
    return status;
}

rec_status recording_write(rec_recording *recording, rec_run *run,
                           const rec_write_options *writing, double *seconds, rec_error *error)
{
    const uint64_t iteration = rec_run_get_state(run)->iterations;
    if (recording_next(recording, iteration) != iteration)
        return REC_OK;
    const uint64_t number = recording_number(recording, iteration);
    const rec_status status =
        recording_write_frame(recording, number, run, writing, seconds, error);
    if (status)
        return status;
    recording->next = iteration + 1;
    recording->last = number;
    if (!recording->first)
        recording->first = number;
    return REC_OK;
}

void recording_print(const rec_recording *recording, FILE *stream, const char *input)
{
    if (!recording->prefix || !recording->first)
        return;
    fprintf(stream, "%s: %" PRIu64 " frame%s, %s%06" PRIu64 ".%s to %06" PRIu64, input,
            recording->last - recording->first + 1,
            recording->last == recording->first ? "" : "s", recording->prefix, recording->first,
            recording->ending, recording->last);
    char *behind = path_of(recording, recording->last + 1);
    if (behind && !access(behind, F_OK))
        fputs("; those behind them are of another film", stream);
    fputc('\n', stream);
    free(behind);
}
