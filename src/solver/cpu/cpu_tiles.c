/* A pass makes `depth` iterations of the image. It reads m and f once and writes m once.
 *
 * The image is cut into bands of rows, and a band into strips of columns, which are made from left
 * to right. With each iteration a strip moves one column to the left and a band one row up. So a
 * strip needs only values that the strip on its left and the band above met on their way in the
 * same pass, and left for it. Nothing is made twice. The finished rows of a strip go into m itself:
 * what they overwrite there has been read.
 *
 *     iterate         columns of a band's strips             rows of a strip's bands
 *     depth        _________________________                _________________________
 *                  \       \       \       \                \       \       \       \
 *                   \       \       \       \                \       \       \       \
 *     0              \_______\_______\_______\                \_______\_______\_______\
 *
 * There are more bands than threads. A thread prefers its own, whose rows are in its cache; if they
 * must wait, it works on others. There are no barriers: a band begins the next pass while others
 * are still in the last one. A thread at half the speed of the others, on a core that it shares,
 * makes half as many strips, and nobody waits for it for long. */
#include "solver/cpu/cpu_tiles.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/team.h"
#include "solver/cpu/cpu_strip.h"

enum {
    DEPTH = 72,       /* most iterations of a pass: a third of it is slower, more is no faster */
    BANDS = 2,        /* a thread, at least: others find work while a slow thread holds a band */
    MOST_ROWS = 1024, /* of a band: what its strips leave each other stays in the second cache */
    LEAST_ROWS = 24,  /* of a band: what it leaves the one below is little beside its work */
    PATIENCE = 200    /* times that a thread finds nothing to do before it yields its core */
};

/* How far a band is. A cache line each. */
typedef struct rec_cpu_progress {
    _Alignas(REC_ALIGNMENT) atomic_size_t strips; /* made: tiles->strips in every pass */
    atomic_int taken;                             /* by a thread */
} progress;

/* What an advance is to the threads. */
typedef struct advance {
    const rec_cpu_tiles *tiles;
    const rec_host *host;
    size_t passes;
    int depth, last; /* iterations of every pass but the last, and of the last */
} advance;

static size_t strips_of(const rec_cpu_loops *loops, size_t width, int depth)
{
    return (width + (size_t)depth - 1) / loops->width + 1;
}

/* The depth whose passes cost least an iteration. A pass pays for the strips' columns beyond the
 * image, and for memory about as much as eight iterations. It moves a band up by the rows of two
 * bands at most: with more, the first bands would have less to do than the others. */
static int choose_depth(const rec_cpu_loops *loops, size_t width, size_t rows)
{
    int best = loops->levels;
    double least = HUGE_VAL;
    for (int depth = loops->levels; depth <= DEPTH && (size_t)depth <= 2 * rows;
         depth += loops->levels) {
        const double cost = (double)strips_of(loops, width, depth) * (1 + 8.0 / depth);
        if (cost < least) {
            least = cost;
            best = depth;
        }
    }
    return best;
}

/* The first row of a band in iterate 0. The first band begins with the halo, and the last one ends
 * where the finished iterate reaches the bottom. Over all iterates every band makes as many rows:
 * the first has more in iterate 0, and the last fewer. */
static ptrdiff_t top_of(const rec_cpu_tiles *tiles, size_t height, int depth, size_t band)
{
    if (band == 0)
        return -1;
    if (band == tiles->bands)
        return (ptrdiff_t)height + depth;
    return (ptrdiff_t)(band * height / tiles->bands) + depth / 2;
}

rec_status rec_cpu_tiles_create(rec_cpu_tiles *tiles, const rec_cpu_loops *loops,
                                const rec_host *host, rec_error *error)
{
    const size_t threads = (size_t)host->threads, height = host->height;
    const size_t team = threads > 1 ? BANDS * threads : 1;
    const size_t bands = ((height - 1) / (team * MOST_ROWS) + 1) * team;
    const size_t most = (height - 1) / LEAST_ROWS + 1;
    *tiles = (rec_cpu_tiles){.loops = loops};
    tiles->bands = bands < most ? bands : most;
    const size_t rows = height / tiles->bands;
    tiles->depth = choose_depth(loops, host->width, rows);
    tiles->strips = strips_of(loops, host->width, tiles->depth);
    tiles->thread_size = rec_cpu_band_memory(loops, tiles->depth);
    tiles->carry_size = rec_cpu_band_carry(tiles->depth, rows + (size_t)tiles->depth + 3);
    tiles->handed_size = tiles->strips * rec_cpu_band_handed(loops, tiles->depth);
    const size_t all = host->planes * tiles->bands;
    const size_t floats =
        threads * tiles->thread_size + all * (tiles->carry_size + tiles->handed_size);
    void *block;
    const rec_status status =
        rec_allocate(&block, floats * sizeof(float) + all * sizeof(progress), 1,
                     "the blocks of the threads and what bands leave each other", error);
    if (status)
        return status;
    tiles->progress = block; /* each part begins a cache line */
    tiles->memory = (float *)(void *)(tiles->progress + all);
    tiles->carry = tiles->memory + threads * tiles->thread_size;
    tiles->handed = tiles->carry + all * tiles->carry_size;
    return REC_OK;
}

/* Passes of about the same length, in whole stages as far as possible. */
static advance share_out(const rec_cpu_tiles *tiles, const rec_host *host, uint64_t n)
{
    const uint64_t most = (uint64_t)tiles->depth, levels = (uint64_t)tiles->loops->levels;
    const uint64_t even = (n - 1) / ((n - 1) / most + 1) + 1;
    const uint64_t rounded = (even + levels - 1) / levels * levels;
    const uint64_t depth = rounded < n ? rounded : n, passes = (n - 1) / depth + 1;
    return (advance){
        .tiles = tiles,
        .host = host,
        .passes = (size_t)passes,
        .depth = (int)depth,
        .last = (int)(n - (passes - 1) * depth),
    };
}

static size_t made_of(progress *band)
{
    return atomic_load_explicit(&band->strips, memory_order_acquire);
}

/* 1: everything is there that the next strip of a band reads. That is what the band above hands
 * down, and the same rows and columns of the pass before. Those were made by this band and the ones
 * below it, the lowest of them last. Then nobody reads any more what this strip overwrites,
 * either. */
static int is_ready(const advance *a, progress *own, size_t number, size_t made)
{
    const rec_cpu_tiles *const tiles = a->tiles;
    const size_t height = a->host->height;
    if (number > 0 && made_of(own - 1) <= made)
        return 0;
    if (made < tiles->strips)
        return 1;
    const ptrdiff_t bottom = top_of(tiles, height, a->depth, number + 1);
    while (++number < tiles->bands && top_of(tiles, height, a->depth, number) - a->depth < bottom)
        own++;
    const size_t begin = made - made % tiles->strips;
    const size_t wanted = made + ((size_t)a->depth - 1) / tiles->loops->width + 2;
    return made_of(own) >= (wanted < begin + tiles->strips ? wanted : begin + tiles->strips) -
                               tiles->strips;
}

/* Makes the strips of this pass that are ready, of a band that this thread has taken. */
static void make_strips(const advance *a, size_t index, float *memory)
{
    const rec_cpu_tiles *const tiles = a->tiles;
    const rec_host *const host = a->host;
    progress *const own = &tiles->progress[index];
    const size_t plane = index / tiles->bands, number = index % tiles->bands;
    size_t made = made_of(own);
    const size_t pass = made / tiles->strips, begin = made - made % tiles->strips;
    const int depth = pass + 1 < a->passes ? a->depth : a->last;
    const size_t strips = strips_of(tiles->loops, host->width, depth);
    float *const handed = tiles->handed + index * tiles->handed_size;
    const rec_cpu_band band = {
        .loops = tiles->loops,
        .m = host->m[plane].cells,
        .f = host->f[plane],
        .before = pass + 1 == a->passes ? host->other[plane].cells : NULL,
        .stride = (ptrdiff_t)host->stride,
        .width = (ptrdiff_t)host->width,
        .height = (ptrdiff_t)host->height,
        .top = top_of(tiles, host->height, depth, number),
        .bottom = top_of(tiles, host->height, depth, number + 1),
        .depth = depth,
        .above = number > 0 ? handed - tiles->handed_size : NULL,
        .below = number + 1 < tiles->bands ? handed : NULL,
        .carry = tiles->carry + index * tiles->carry_size,
        .memory = memory,
    };
    rec_cpu_band_fetch(&band, made - begin);
    while (made < begin + strips && is_ready(a, own, number, made)) {
        rec_cpu_band_strip(&band, made - begin);
        /* A pass of fewer strips is done like the others. */
        made = made + 1 < begin + strips ? made + 1 : begin + tiles->strips;
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
        if (made == end)
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

static void wait_a_little(int *times)
{
    if (*times >= PATIENCE) {
        sched_yield();
        return;
    }
    ++*times;
#if REC_X86
    __builtin_ia32_pause();
#endif
}

void rec_cpu_tiles_iterate(const rec_cpu_tiles *tiles, rec_host *host, uint64_t n)
{
    const advance all = share_out(tiles, host, n);
    for (size_t i = 0; i < host->planes * tiles->bands; i++) {
        atomic_init(&tiles->progress[i].strips, 0);
        atomic_init(&tiles->progress[i].taken, 0);
    }
#pragma omp parallel num_threads(host->threads)
    {
        const size_t thread = rec_team_member();
        for (int unfinished = 1, times = 0; unfinished;)
            if (make_some(&all, thread, &unfinished))
                times = 0;
            else
                wait_a_little(&times);
    }
}
