#include "image/samples.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND(name, type, floating, wide, low, high) \
    {sizeof(type), floating, (double)(low), (double)(high)},
const rec_sample_kind rec_sample_kinds[] = {REC_SAMPLE_TYPES(KIND)};

rec_samples rec_samples_of_image(const rec_image *image)
{
    const ptrdiff_t down = (ptrdiff_t)(image->stride * sizeof(float));
    return (rec_samples){.data = image->data, .width = image->width, .height = image->height,
                         .planes = image->planes, .across = sizeof(float), .down = down,
                         .plane = down * (ptrdiff_t)image->height, .type = REC_SAMPLE_F32};
}

/* ---- numbers ---- */

/* 1 for an integer that 64 bits hold, and 2^64: *whole is it. */
static int is_whole(rec_exact exact, __int128 *whole)
{
    if (!(fabs(exact.value) <= 0x1p64) || exact.value != trunc(exact.value))
        return 0;
    *whole = (__int128)exact.value + (__int128)exact.rest;
    return 1;
}

/* The nearest double, and *rest: a + b less that, exactly (Knuth's TwoSum). */
static inline double add(double a, double b, double *rest)
{
    const double sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

/* a + b rounded once: an inexact sum becomes the odd one of its two neighbours, which is no tie. */
static inline float add_to_float(double a, double b)
{
    double rest, sum = add(a, b, &rest);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if ((rest > 0 || rest < 0) && !(bits & 1))
        bits += (rest > 0) == (sum > 0) ? 1 : UINT64_MAX;
    memcpy(&sum, &bits, sizeof sum);
    return (float)sum;
}

static double floating_sample(double value, double level, double most, const rec_exact *avoid)
{
    const int single = most == (double)FLT_MAX;
    double rest, sum = add(value, level, &rest);
    const double sample = single ? (double)add_to_float(value, level) : sum;
    if (!avoid || sample != avoid->value)
        return sample;
    const int below = sum < sample || (sum == sample && rest < 0);
    const int down = sample == most || (sample != -most && below);
    return single ? (double)nextafterf((float)sample, down ? -INFINITY : INFINITY)
                  : nextafter(sample, down ? -INFINITY : INFINITY);
}

static inline __int128 integer_sample(double value, __int128 level, __int128 low, __int128 high,
                                      const __int128 *avoid)
{
    const double near = rint(value > -0x1p70 ? value < 0x1p70 ? value : 0x1p70 : -0x1p70);
    __int128 sum = level + (fabs(near) < 0x1p62 ? (int64_t)near : (__int128)near);
    if (level & 1 && fabs(value - near) == 0.5) /* rint made value even, the sum must be */
        sum += value > near ? 1 : -1;
    const __int128 sample = sum < low ? low : sum > high ? high : sum;
    if (!avoid || sample != *avoid)
        return sample;
    const int below = value < (double)(sum - level);
    return sample + (sample == high || (sample != low && below) ? -1 : 1);
}

/* ---- runs: in memory the whole stretch, in a file as many samples as a buffer holds ---- */

enum { BUFFER = 1 << 13, CACHE = 1 << 16 }; /* bytes */

typedef struct work {
    const rec_samples *samples;
    const rec_stretch *stretch;
    int writes;
    size_t first, count;  /* samples of the stretch */
    uint8_t *at, *buffer; /* the first of them; bytes of the file, */
    uint64_t place;       /* from this one on, */
    size_t bytes;         /* so many; 0 in memory */
} work;

static rec_status transfer(const work *run, int writes, rec_error *error)
{
    const int file = run->samples->descriptor;
    ssize_t some = 0;
    rec_cache *cache = writes ? NULL : run->stretch->cache;
    for (size_t done = 0, left; (left = run->bytes - done); done += some > 0 ? (size_t)some : 0) {
        const uint64_t place = run->place + done;
        errno = 0;
        if (cache && place - cache->place >= cache->held) {
            if (!cache->bytes)
                REC_TRY(rec_allocate(&cache->bytes, 1, CACHE, "a piece of a file", error));
            some = pread(file, cache->bytes, CACHE, (off_t)place);
            cache->held = some > 0 ? (size_t)some : 0;
            cache->place = place;
        }
        if (cache && cache->held) {
            some = (ssize_t)rec_smaller(left, cache->held - (size_t)(place - cache->place));
            memcpy(run->buffer + done, cache->bytes + (place - cache->place), (size_t)some);
        } else if (!cache) {
            some = writes ? pwrite(file, run->buffer + done, left, (off_t)place)
                          : pread(file, run->buffer + done, left, (off_t)place);
        }
        if (!some && !writes)
            return rec_fail(error, REC_IO, "is shorter than it was");
        if (some <= 0 && (errno != EINTR || rec_is_stopped()))
            return rec_fail_system(error, REC_IO, errno,
                                   writes ? "cannot be written" : "cannot be read");
    }
    return REC_OK;
}

static inline void copy(void *to, const void *from, size_t bytes, int swapped)
{
    if (swapped)
        for (size_t i = 0; i < bytes; i++)
            ((uint8_t *)to)[i] = ((const uint8_t *)from)[bytes - 1 - i];
    else
        memcpy(to, from, bytes);
}

/* The statement for each `sample` of a run, number i. Contiguous ones become vectors. */
#define EACH(type, statement) { \
    if (step == (ptrdiff_t)sizeof(type) && !swapped) \
        EACH_AT((ptrdiff_t)sizeof(type), 0, type, statement) \
    else \
        EACH_AT(step, swapped, type, statement) \
}
#define EACH_AT(stride, order, type, statement) \
    for (ptrdiff_t i = 0; i < count; i++) { \
        type sample; \
        copy(&sample, at + i * (stride), sizeof sample, order); \
        statement; \
    }

static void read_run(const work *run)
{
    const rec_stretch *to = run->stretch;
    const uint8_t *at = run->at;
    const ptrdiff_t step = run->samples->across, count = (ptrdiff_t)run->count;
    const int swapped = run->samples->swapped;
    unsigned char *found = to->found ? to->found + run->first : NULL;
    double *doubles = to->doubles ? to->doubles + run->first : NULL;
    float *floats = to->floats ? to->floats + run->first : NULL;
    const double level = to->level.value;
    __int128 whole = 0;
    const int integer = is_whole(to->level, &whole);
    /* A difference of float64 would be rounded to double, and then again to float. */
    switch (run->samples->type) {
#define READ(name, type, floating, wide, low, high) \
    case REC_SAMPLE_##name: { \
        const wide other = floating ? (wide)level : (wide)whole; \
        const int fits = floating ? (double)other == level \
                                  : integer && (sizeof(wide) == 16 || (type)whole == whole); \
        const type same = (type)other; \
        if (found && isnan(level)) \
            EACH(type, found[i] = !isfinite((double)sample)) \
        else if (found) \
            EACH(type, found[i] = fits & (sample == same)) \
        if (doubles) \
            EACH(type, doubles[i] = fits && sizeof(wide) == 16 ? (double)((wide)sample - other) \
                                                               : (double)sample - level) \
        if (floats && fits && sizeof(wide) != sizeof(double) * floating) \
            EACH(type, floats[i] = (float)((wide)sample - other)) \
        else if (floats) \
            EACH(type, floats[i] = add_to_float((double)sample, -level)) \
        break; \
    }
        REC_SAMPLE_TYPES(READ)
    }
}

/* Into up to 16 bits, from floats: doubles are exact then, and rounded to even by what is added. */
#define WRITE_SMALL(type, low, high, step) \
    for (size_t i = 0; i < run->count; i++) { \
        const double value = (double)floats[i] + level, above = value >= (low) ? value : (low); \
        const double near = ((above <= (high) ? above : (high)) + 0x1.8p52) - 0x1.8p52; \
        type sample; \
        memcpy(&sample, at + (ptrdiff_t)i * (step), sizeof sample); \
        sample = !mask || mask[i] ? (type)(int32_t)near : sample; \
        memcpy(at + (ptrdiff_t)i * (step), &sample, sizeof sample); \
    }

static void write_run(const work *run)
{
    const rec_stretch *from = run->stretch;
    const double level = from->level.value;
    uint8_t *at = run->at;
    __int128 whole = 0, avoided = 0;
    const int integer = is_whole(from->level, &whole);
    const __int128 *avoid = from->avoid && is_whole(*from->avoid, &avoided) ? &avoided : NULL;
    const float *floats = from->doubles ? NULL : from->floats + run->first;
    const unsigned char *mask = from->mask ? from->mask + run->first : NULL;
    const int plain = floats && !avoid && fabs(level) < 0x1p24 && !run->samples->swapped;
    switch (run->samples->type) {
#define WRITE(name, type, floating, wide, low, high) \
    case REC_SAMPLE_##name: \
        if (plain && !floating && sizeof(type) <= 2) { \
            if (run->samples->across == (ptrdiff_t)sizeof(type)) \
                WRITE_SMALL(type, (double)(low), (double)(high), (ptrdiff_t)sizeof(type)) \
            else \
                WRITE_SMALL(type, (double)(low), (double)(high), run->samples->across) \
            break; \
        } \
        for (size_t i = run->first; i < run->first + run->count; i++, at += run->samples->across) \
            if (!from->mask || from->mask[i]) { \
                const double value = from->doubles ? from->doubles[i] : (double)from->floats[i]; \
                const type sample = floating \
                    ? (type)floating_sample(value, level, (double)(high), from->avoid) \
                    : (type)integer_sample(integer ? value : value + level, whole, \
                                           (__int128)(low), (__int128)(high), avoid); \
                copy(at, &sample, sizeof sample, run->samples->swapped); \
            } \
        break;
        REC_SAMPLE_TYPES(WRITE)
    }
}

static rec_status do_run(work *run, rec_error *error)
{
    const rec_samples *of = run->samples;
    const rec_stretch *stretch = run->stretch;
    size_t x = stretch->x + run->first, y = stretch->y, plane = stretch->plane;
    uint64_t block = 0;
    if (of->blocks) {
        const size_t across = (of->width + of->block_width - 1) / of->block_width;
        const size_t down = (of->height + of->block_height - 1) / of->block_height;
        const size_t at = (of->apart ? plane * down : 0) + y / of->block_height;
        block = of->blocks[at * across + x / of->block_width];
        x %= of->block_width;
        y %= of->block_height;
        plane = of->apart ? 0 : plane;
    }
    const ptrdiff_t from = (ptrdiff_t)block + (ptrdiff_t)x * of->across + (ptrdiff_t)y * of->down +
                           (ptrdiff_t)plane * of->plane;
    const ptrdiff_t last = (ptrdiff_t)(run->count - 1) * of->across, low = last < 0 ? last : 0;
    run->at = of->data ? (uint8_t *)of->data + from : run->buffer - low;
    run->place = of->offset + (uint64_t)(from + low);
    run->bytes = of->data ? 0 : (size_t)llabs(last) + rec_sample_kinds[of->type].bytes;
    const size_t bytes = rec_sample_kinds[of->type].bytes;
    if (!run->writes || !stretch->mask || of->across != (ptrdiff_t)bytes ||
        memchr(stretch->mask + run->first, 0, run->count)) /* else all bytes are new */
        REC_TRY(transfer(run, 0, error));
    (run->writes ? write_run : read_run)(run);
    return run->writes ? transfer(run, 1, error) : REC_OK;
}

/* If rows overlap, a run is one sample: other threads may write what is beside it. */
static rec_status each_run(work run, rec_error *error)
{
    uint8_t buffer[BUFFER];
    const rec_samples *of = run.samples;
    const unsigned char *mask = run.writes ? run.stretch->mask : NULL;
    const size_t reach = rec_larger((size_t)llabs(of->across), 1), end = run.stretch->count;
    const size_t together = rec_samples_together(of);
    const int mixed = of->height > 1 && together * reach > (size_t)llabs(of->down);
    const size_t fit = 1 + (BUFFER - rec_sample_kinds[of->type].bytes) / reach;
    for (run.buffer = buffer; run.first < end; run.first += run.count) {
        run.count = rec_smaller(end - run.first, of->data ? end : mixed ? 1 : fit);
        if (of->blocks)
            run.count = rec_smaller(run.count, together - (run.stretch->x + run.first) % together);
        for (; mask && run.count && !mask[run.first]; run.first++)
            run.count--;
        while (mask && run.count && !mask[run.first + run.count - 1])
            run.count--;
        if (run.count)
            REC_TRY(do_run(&run, error));
    }
    return REC_OK;
}

rec_status rec_samples_read(const rec_samples *samples, const rec_stretch *to, rec_error *error)
{
    return each_run((work){.samples = samples, .stretch = to}, error);
}

rec_status rec_samples_write(const rec_samples *samples, const rec_stretch *from, rec_error *error)
{
    return each_run((work){.samples = samples, .stretch = from, .writes = 1}, error);
}
