#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "run/progress.h"

static const double terminal_period = 0.1, log_period = 5.0; /* seconds */

rec_progress rec_progress_begin(FILE *stream, size_t inputs)
{
    rec_progress progress = {.stream = stream, .name = "", .target = REC_ENDLESS, .columns = 80,
                             .inputs = inputs};
    if (stream && isatty(fileno(stream))) {
        struct winsize size;
        progress.terminal = 1;
        if (!ioctl(fileno(stream), TIOCGWINSZ, &size) && size.ws_col)
            progress.columns = size.ws_col;
    }
    progress.last = progress.list_begin = rec_now();
    return progress;
}

/* Of the iterations that are expected until the tolerance is reached, while there are any left. */
static uint64_t target_of(const rec_progress *progress, const rec_run_state *state)
{
    return state->expected > state->iterations && state->expected < progress->target
               ? state->expected : progress->target;
}

/* "450000 of 1000000 iterations, 12.3 G updates/s, 0:04 left" */
static void describe(FILE *text, const rec_progress *progress, const rec_run_state *state)
{
    char rate[32], left[32];
    const uint64_t target = target_of(progress, state);
    const int bounded = target != REC_ENDLESS;
    fprintf(text, "%" PRIu64, state->iterations);
    if (bounded)
        fprintf(text, " of %s%" PRIu64, target == progress->target ? "" : "about ", target);
    fprintf(text, " iteration%s, %s updates/s", rec_plural(bounded ? target : state->iterations),
            rec_format_rate(rate, state->updates_per_second));
    if (progress->tolerance > 0 && !isnan(state->look.distance_rms))
        fprintf(text, ", distance %.3g, tolerance %.3g", state->look.distance_rms,
                progress->tolerance);
    const double elapsed = rec_now() - progress->begin;
    if (bounded && state->iterations > progress->first && elapsed > 0)
        fprintf(text, ", %s left",
                rec_format_seconds(left, elapsed * (double)(target - state->iterations) /
                                             (double)(state->iterations - progress->first)));
}

static void draw_bar(rec_progress *progress, double part, const char *text, const char *name)
{
    enum { WIDTH = 20 };
    char bar[WIDTH + 1] = "", line[640];
    const int filled = part < 1 ? (int)(part * WIDTH) : WIDTH;
    if (part >= 0) {
        memset(bar, '.', WIDTH);
        memset(bar, '#', (size_t)filled);
    }
    snprintf(line, sizeof line, "%s%s%s%s  %s", part >= 0 ? "[" : "", bar, part >= 0 ? "] " : "",
             text, name);
    /* One column stays free: a terminal that wraps would scroll. */
    fputc('\r', progress->stream);
    rec_say(progress->stream, "%.*s", progress->columns - 1, line);
    fputs("\033[K", progress->stream);
    progress->drawn = 1;
}

static int is_time(rec_progress *progress)
{
    const double now = rec_now();
    if (!progress->stream ||
        now - progress->last < (progress->terminal ? terminal_period : log_period))
        return 0;
    progress->last = now;
    return 1;
}

/* Of a list: all ("12 of 10000 inputs, 350 inputs/s, 0:25 left"), and an input that takes long. */
static void show_progress(rec_progress *progress, const rec_run_state *state)
{
    char text[512] = "";
    double part = -1;
    FILE *stream = fmemopen(text, sizeof text, "w");
    if (!stream)
        return;
    if (progress->inputs) {
        char rate[32], left[32];
        const double elapsed = rec_now() - progress->list_begin;
        const double worked = (double)(progress->done - progress->passed);
        const double open = (double)(progress->inputs - progress->done);
        fprintf(stream, "%zu of %zu inputs", progress->done, progress->inputs);
        if (worked > 0 && elapsed > 0)
            fprintf(stream, ", %s inputs/s, %s left", rec_format_rate(rate, worked / elapsed),
                    rec_format_seconds(left, elapsed * open / worked));
        part = (double)progress->done / (double)progress->inputs;
        const double slowest = rec_now() - progress->slowest_begin;
        if (!state || rec_now() - progress->begin < log_period / 2)
            state = NULL;
        else
            fprintf(stream, "; %.100s: ", progress->name);
        if (!state && progress->slowest && slowest > log_period / 2)
            fprintf(stream, "; %.100s takes %s so far", progress->slowest,
                    rec_format_seconds(left, slowest));
    } else if (progress->target && target_of(progress, state) != REC_ENDLESS) {
        part = (double)state->iterations / (double)target_of(progress, state);
    }
    if (state)
        describe(stream, progress, state);
    fclose(stream);
    const char *name = progress->inputs ? "" : progress->name;
    if (progress->terminal)
        draw_bar(progress, part, text, name);
    else
        rec_say(progress->stream, "%s%s%s\n", name, *name ? ": " : "", text);
    fflush(progress->stream);
}

void rec_progress_update(rec_progress *progress, const rec_run_state *state)
{
    if (progress->begin == 0) {
        progress->begin = rec_now();
        progress->first = state->iterations;
    }
    if (is_time(progress))
        show_progress(progress, state);
}

void rec_progress_next(rec_progress *progress, const char *name, uint64_t target, double tolerance)
{
    if (progress->done < progress->begun)
        progress->done = progress->begun;
    progress->begun++;
    progress->name = name;
    progress->target = target;
    progress->tolerance = tolerance;
    progress->begin = 0;
}

void rec_progress_count(rec_progress *progress, size_t done, size_t passed)
{
    progress->done = done;
    progress->passed = passed;
    if (progress->inputs && is_time(progress))
        show_progress(progress, NULL);
}

void rec_progress_end(rec_progress *progress)
{
    if (!progress->drawn)
        return;
    fputs("\r\033[K", progress->stream);
    fflush(progress->stream);
    progress->drawn = 0;
}
