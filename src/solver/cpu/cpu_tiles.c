/* A pass makes `depth` iterations of the image. It reads m and f once and writes m once.
 *
 * The image is cut into bands of rows, and a band into strips, which are made from left to right.
 * With each iteration a strip moves one column to the left and a band one row up; and with each row
 * a strip moves one column to the right, which saves half of the work of shifting (cpu_rows.c). So
 * a strip needs only values that the strip on its left and the band above met on their way in the
 * same pass, and left for it. Nothing is made twice. The finished rows of a strip go into m itself:
 * what they overwrite there has been read.
 *
 *     iterate         columns of a band's strips             rows of a strip's bands
 *     depth        _________________________                _________________________
 *                  \       \       \       \                \       \       \       \
 *                   \       \       \       \                \       \       \       \
 *     0              \_______\_______\_______\                \_______\_______\_______\
 *
 * A band's first strips touch the image left of where the band above has any: all bands begin at
 * once.
 *
 * There are more bands than threads. A thread prefers its own, whose rows are in its cache; if they
 * must wait, it works on others. There are no barriers: a band begins the next pass while others
 * are still in the last one. A thread at half the speed of the others, on a core that it shares,
 * makes half as many strips, and nobody waits for it for long. */
#include "solver/cpu/cpu_tiles.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/team.h"

enum {
    DEPTH = 72,       /* most iterations of a pass: a third of it is slower, more is no faster */
    BANDS = 2,        /* a thread, at least: others find work while a slow thread holds a band */
    MOST_ROWS = 512,  /* of a band: what its strips leave each other stays in the second cache */
    LEAST_ROWS = 24,  /* of a band: what it leaves the one below is little beside its work */
    LINE = REC_ALIGNMENT / sizeof(float)
};

/* How far a band is. A cache line each. */
typedef struct rec_cpu_progress {
    _Alignas(REC_ALIGNMENT) atomic_size_t strips; /* tiles->strips for every pass done, and the
                                                     number of this one's next strip */
    atomic_int taken;                             /* by a thread */
} progress;

/* What an advance is to the threads. */
typedef struct advance {
    const rec_cpu_tiles *tiles;
    const rec_host *host;
    size_t passes;
    int depth, last; /* iterations of every pass but the last, and of the last: two at least, a
                        plane for each */
} advance;

/* The first row of a band in iterate 0. The first band begins with the halo, and the last band ends
 * where the finished iterate reaches the bottom. Over a pass all bands make the same number of
 * rows: the first band begins with more rows, the last with fewer. */
static ptrdiff_t top_of(const rec_cpu_tiles *tiles, size_t height, int depth, size_t band)
{
    if (band == 0)
        return -1;
    if (band == tiles->bands)
        return (ptrdiff_t)height + depth;
    return (ptrdiff_t)(band * height / tiles->bands) + depth / 2;
}

/* The place of a band in a pass of `depth`. */
static rec_cpu_band band_of(const rec_cpu_tiles *tiles, const rec_host *host, int depth,
                            size_t number)
{
    return (rec_cpu_band){.tiles = tiles, .stride = (ptrdiff_t)host->stride,
                          .width = (ptrdiff_t)host->width, .height = (ptrdiff_t)host->height,
                          .top = top_of(tiles, host->height, depth, number),
                          .bottom = top_of(tiles, host->height, depth, number + 1), .depth = depth};
}

/* Each part of the memory begins a cache line. */
static size_t whole_lines(size_t floats) { return (floats + LINE - 1) / LINE * LINE; }

rec_status rec_cpu_tiles_create(rec_cpu_tiles *tiles, const rec_cpu_loops *loops,
                                const rec_host *host, rec_error *error)
{
    const size_t threads = (size_t)host->threads, height = host->height;
    const size_t team = threads > 1 ? BANDS * threads : 1;
    const size_t bands = ((height - 1) / (team * MOST_ROWS) + 1) * team;
    const size_t most = (height - 1) / LEAST_ROWS + 1;
    *tiles = (rec_cpu_tiles){.loops = loops};
    tiles->bands = bands < most ? bands : most;
    /* A pass moves a band up by the rows of two bands at most: with more, the first bands would
     * have less to do than the others. */
    const size_t rows = height / tiles->bands, levels = (size_t)loops->deep.levels;
    const size_t depth = (2 * rows < DEPTH ? 2 * rows : DEPTH) / levels * levels;
    tiles->depth = (int)(depth > levels ? depth : levels);
    const size_t across = host->width + (size_t)tiles->depth;
    tiles->strips = (across + height) / loops->width + 1;
    tiles->handing = (across + 2 * (size_t)tiles->depth) / loops->width + 4;
    const size_t values = 2 * (size_t)tiles->depth; /* for all iterates of a row or column */
    tiles->thread_size = REC_CPU_BLOCK + values * loops->width;
    tiles->carry_size = whole_lines(values * (rows + (size_t)tiles->depth + 3));
    tiles->handed_size = tiles->handing * values * loops->width;
    tiles->halo_size = 2 * levels * loops->width;
    const size_t all = host->planes * tiles->bands;
    const size_t margin = whole_lines(loops->width + 2 * levels);
    const size_t floats = threads * tiles->thread_size +
                          all * (tiles->carry_size + tiles->handed_size) + tiles->halo_size +
                          host->width + 2 * margin;
    REC_TRY(rec_allocate(&tiles->progress, floats * sizeof(float) + all * sizeof(progress), 1,
                         "the blocks of the threads and what bands leave each other", error));
    tiles->memory = (float *)(void *)(tiles->progress + all);
    tiles->carry = tiles->memory + threads * tiles->thread_size;
    tiles->handed = tiles->carry + all * tiles->carry_size;
    tiles->halo = tiles->handed + all * tiles->handed_size;
    tiles->outside = (int32_t *)(void *)(tiles->halo + tiles->halo_size);
    tiles->inside = tiles->outside + margin;
    for (ptrdiff_t x = -(ptrdiff_t)margin; x < (ptrdiff_t)(host->width + margin); x++)
        tiles->inside[x] = (size_t)x < host->width ? -1 : 0;
    return REC_OK;
}

static size_t made_of(const progress *band)
{
    return atomic_load_explicit(&band->strips, memory_order_acquire);
}

static int depth_of(const advance *a, size_t pass)
{
    return pass + 1 < a->passes ? a->depth : a->last;
}

/* 1: everything is there that the next strip of a band reads. That is what the band above hands
 * down, and the same rows and columns of the pass before, which this band and those below it made.
 * Then nobody reads any more what this strip overwrites, either. */
static int is_ready(const advance *a, const progress *own, size_t number, size_t made)
{
    const rec_cpu_tiles *const tiles = a->tiles;
    const size_t pass = made / tiles->strips, strip = made % tiles->strips;
    if (number > 0 && made_of(own - 1) <= made) {
        const rec_cpu_band above = band_of(tiles, a->host, depth_of(a, pass), number - 1);
        if (strip >= rec_cpu_band_first(&above))
            return 0;
    }
    if (pass == 0)
        return 1;
    const size_t height = a->host->height;
    const size_t reach = ((size_t)a->depth - 1) / tiles->loops->width + 2; /* strips right of it */
    const size_t until = strip + reach < tiles->strips ? strip + reach : tiles->strips;
    const ptrdiff_t end = top_of(tiles, height, depth_of(a, pass), number + 1) + a->depth;
    while (++number < tiles->bands && top_of(tiles, height, a->depth, number) < end)
        if (made_of(++own) < (pass - 1) * tiles->strips + until)
            return 0;
    return 1;
}

/* Makes the strips of this pass that are ready, of a band that this thread has taken. */
static void make_strips(const advance *a, size_t index, float *memory)
{
    const rec_cpu_tiles *const tiles = a->tiles;
    const rec_host *const host = a->host;
    progress *const own = &tiles->progress[index];
    const size_t plane = index / tiles->bands, number = index % tiles->bands;
    const size_t handed = tiles->handed_size / tiles->handing;
    float *const below = tiles->handed + index * tiles->handed_size;
    size_t made = made_of(own);
    const size_t pass = made / tiles->strips, begin = pass * tiles->strips;
    rec_cpu_band band = band_of(tiles, host, depth_of(a, pass), number);
    band.m = host->m + plane * host->step;
    band.f = host->f + plane * host->step;
    band.before = pass + 1 == a->passes ? host->other + plane * host->step : NULL;
    band.carry = tiles->carry + index * tiles->carry_size;
    band.memory = memory;
    const size_t end = begin + rec_cpu_band_end(&band);
    if (made == begin + rec_cpu_band_first(&band)) /* left of it is the halo */
        for (size_t i = 0; i < tiles->carry_size; i++)
            band.carry[i] = *tiles->halo;
    while (made < end && is_ready(a, own, number, made)) {
        const size_t strip = made - begin, place = strip % tiles->handing * handed;
        band.above = number > 0 ? below - tiles->handed_size + place : NULL;
        band.below = number + 1 < tiles->bands ? below + place : NULL;
        rec_cpu_band_strip(&band, strip);
        if (++made == end) {
            const rec_cpu_band next = band_of(tiles, host, depth_of(a, pass + 1), number);
            made = begin + tiles->strips + rec_cpu_band_first(&next); /* more than end */
        }
        atomic_store_explicit(&own->strips, made, memory_order_release);
    }
}

/* Works on a band that is ready and not taken: the lowest of the thread's own, or else the next one
 * above, which they may be waiting for. Returns 0 if there is none; *unfinished: some band is not
 * finished. */
static int make_some(const advance *a, size_t thread, int *unfinished)
{
    const rec_cpu_tiles *const tiles = a->tiles;
    const size_t all = a->host->planes * tiles->bands, end = a->passes * tiles->strips;
    const size_t behind_own = (thread + 1) * all / (size_t)a->host->threads;
    *unfinished = 0;
    for (size_t step = 1; step <= all; step++) {
        const size_t i = (behind_own + all - step) % all;
        progress *const band = &tiles->progress[i];
        const size_t made = made_of(band);
        if (made >= end)
            continue;
        *unfinished = 1;
        if (atomic_load_explicit(&band->taken, memory_order_relaxed) ||
            !is_ready(a, band, i % tiles->bands, made) ||
            atomic_exchange_explicit(&band->taken, 1, memory_order_acquire))
            continue;
        if (made_of(band) < end)
            make_strips(a, i, tiles->memory + thread * tiles->thread_size);
        atomic_store_explicit(&band->taken, 0, memory_order_release);
        return 1;
    }
    return 0;
}

/* A thread's part of an advance, which is all that others leave. */
REC_TASK(make_all, const advance *all)
{
    double since = 0;
    for (int unfinished = 1; unfinished;)
        if (make_some(job->all, member, &unfinished))
            since = 0;
        else if (unfinished)
            rec_team_wait(&since);
}

void rec_cpu_tiles_iterate(const rec_cpu_tiles *tiles, rec_host *host, uint64_t n)
{
    /* Passes of about the same length, in whole stages as far as possible. */
    const uint64_t most = (uint64_t)tiles->depth, levels = (uint64_t)tiles->loops->deep.levels;
    const uint64_t even = (n - 1) / ((n - 1) / most + 1) + 1;
    const uint64_t rounded = (even + levels - 1) / levels * levels;
    const uint64_t depth = rounded < n ? rounded : n, passes = (n + depth - 2) / depth;
    const uint64_t left = n - (passes - 1) * depth, last = left < depth ? left : depth;
    const advance all = {.tiles = tiles, .host = host, .passes = (size_t)passes,
                         .depth = (int)depth, .last = (int)last};
    for (size_t i = 0; i < tiles->halo_size; i++)
        tiles->halo[i] = host->m[-1];
    for (size_t i = 0; i < host->planes * tiles->bands; i++) {
        const rec_cpu_band band = band_of(tiles, host, depth_of(&all, 0), i % tiles->bands);
        atomic_init(&tiles->progress[i].strips, rec_cpu_band_first(&band));
        atomic_init(&tiles->progress[i].taken, 0);
    }
    REC_SHARE(host->threads, host->threads, make_all, &all);
    if (left > last) /* by one */
        rec_host_iterate(host, 0);
}
