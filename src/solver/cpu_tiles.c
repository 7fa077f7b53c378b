/* A pass takes the image `depth` iterations on, reading m and f once and writing `other` once.
 *
 * It is made in bands of rows and each of these in strips of columns, from left to right. With each
 * iteration a strip moves one column to the left and a band one row up, so that a tile, a strip of
 * a band, needs of its neighbours only what the one on its left and the one above it have come by:
 *
 *     iterate         columns of a band's strips             rows of a strip's bands
 *     depth        _________________________                _________________________
 *                  \       \       \       \                \       \       \       \
 *                   \       \       \       \                \       \       \       \
 *     0              \_______\_______\_______\                \_______\_______\_______\
 *
 * They leave it where it is found: nothing is made twice. A thread takes a band and makes its strips
 * one after the other, at least one behind whoever makes the band above. The first bands of the
 * next pass begin as soon as what they read is there: threads never meet, and who was held up finds
 * the others some strips further on, not waiting. They only wait where a neighbour is too near. */
#include "solver/cpu_tiles.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/memory.h"
#include "solver/cpu_strip.h"

enum {
    DEPTH = 48,       /* iterations of a pass at most: half of it is slower, twice it no faster */
    MOST_ROWS = 1024, /* of a band: more, and what its strips leave each other leaves the second
                         cache; */
    LEAST_ROWS = 16,  /* fewer, and threads look at each other more often than they work */
    PATIENCE = 2000   /* looks at a neighbour's progress before others may have the processor */
};

/* How far a band is: strips made, tiles->strips of them for a pass. A cache line each. */
typedef struct rec_cpu_progress {
    _Alignas(REC_ALIGNMENT) atomic_size_t strips;
} progress;

/* A thread's place in the sequence of passes. */
typedef struct pass {
    size_t number;
    uint64_t left;     /* iterations, this pass's included */
    int depth, before; /* iterations of this pass and of the one before */
} pass;

/* Of all depths the one whose passes cost least an iteration: the strips' columns beyond the image
 * against memory, which costs a pass about as much as eight iterations. A band's first row of the
 * finished iterate is not above the band before last's. */
static int choose_depth(const rec_cpu_loops *loops, size_t width, size_t rows)
{
    int best = loops->levels;
    double least = HUGE_VAL;
    for (int depth = loops->levels; depth <= DEPTH && (size_t)depth <= 2 * rows;
         depth += loops->levels) {
        const size_t strips = (width + (size_t)depth + loops->width - 1) / loops->width;
        const double cost = (double)strips * (1 + 8.0 / depth);
        if (cost < least) {
            least = cost;
            best = depth;
        }
    }
    return best;
}

static size_t strips_of(const rec_cpu_tiles *tiles, size_t width, int depth)
{
    return (width + (size_t)depth + tiles->loops->width - 1) / tiles->loops->width;
}

/* The first row of a band in iterate 0. The first band begins with the halo; it has rows more, and
 * the last, which goes on until the finished iterate is at the bottom, fewer: all have as many in
 * all iterates. */
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
    const size_t per_thread = (height - 1) / (threads * MOST_ROWS) + 1;
    const size_t most = (height - 1) / LEAST_ROWS + 1;
    *tiles = (rec_cpu_tiles){.loops = loops};
    tiles->bands = threads * per_thread < most ? threads * per_thread : most;
    tiles->depth = choose_depth(loops, host->width, height / tiles->bands);
    tiles->strips = strips_of(tiles, host->width, tiles->depth);
    tiles->handed_size = tiles->strips * rec_cpu_band_handed(loops, tiles->depth);
    tiles->thread_size = rec_cpu_band_size(loops, tiles->depth,
                                           height / tiles->bands + (size_t)tiles->depth + 3);
    void *bands = NULL;
    rec_status status = rec_allocate(&tiles->memory, threads * tiles->thread_size, sizeof(float),
                                     "the threads' blocks", error);
    if (!status)
        status = rec_allocate(&tiles->handed, host->planes * (tiles->bands - 1) + 1,
                              tiles->handed_size * sizeof(float), "the bands' rows", error);
    if (!status)
        status = rec_allocate(&bands, host->planes * tiles->bands, sizeof(progress),
                              "the bands' progress", error);
    tiles->progress = bands;
    return status;
}

void rec_cpu_tiles_destroy(rec_cpu_tiles *tiles)
{
    rec_free(tiles->memory);
    rec_free(tiles->handed);
    rec_free(tiles->progress);
    *tiles = (rec_cpu_tiles){0};
}

/* The iterations of the next pass: as alike as passes can be that end a stage where they may. */
static int next_depth(const rec_cpu_tiles *tiles, uint64_t left)
{
    const uint64_t most = (uint64_t)tiles->depth, levels = (uint64_t)tiles->loops->levels;
    const uint64_t passes = (left - 1) / most + 1;
    const uint64_t even = (left - 1) / passes + 1;
    const uint64_t depth = (even + levels - 1) / levels * levels;
    return (int)(depth < left ? depth : left);
}

static void next_pass(const rec_cpu_tiles *tiles, pass *now)
{
    now->number++;
    now->before = now->depth;
    now->left -= (uint64_t)now->depth;
    now->depth = now->left ? next_depth(tiles, now->left) : 0;
}

static void wait_for(progress *band, size_t strips)
{
    for (int looks = 0; atomic_load_explicit(&band->strips, memory_order_acquire) < strips; looks++)
        if (looks >= PATIENCE)
            sched_yield();
#if REC_X86
        else
            __builtin_ia32_pause();
#endif
}

/* A band of the pass, strip after strip, each as soon as there is what it reads: what the band
 * above hands down; and of the pass before the same rows, which it and those below it have made, the
 * last of them later than the others. That they are so far means too that nobody reads any more
 * what this writes. */
static void make_band(const rec_cpu_tiles *tiles, const rec_host *host, const pass *now,
                      size_t plane, size_t number, float *memory)
{
    const int odd = now->number % 2;
    const size_t index = plane * tiles->bands + number;
    float *const handed =
        (float *)tiles->handed + (plane * (tiles->bands - 1) + number) * tiles->handed_size;
    rec_cpu_band band = {
        .loops = tiles->loops,
        .m = odd ? host->other[plane].cells : host->m[plane].cells,
        .f = host->f[plane],
        .other = odd ? host->m[plane].cells : host->other[plane].cells,
        .stride = (ptrdiff_t)host->stride,
        .width = (ptrdiff_t)host->width,
        .height = (ptrdiff_t)host->height,
        .top = top_of(tiles, host->height, now->depth, number),
        .bottom = top_of(tiles, host->height, now->depth, number + 1),
        .depth = now->depth,
        .above = number > 0 ? handed - tiles->handed_size : NULL,
        .below = number + 1 < tiles->bands ? handed : NULL,
    };
    rec_cpu_band_begin(&band, memory);
    progress *const own = &tiles->progress[index], *last = own;
    for (size_t i = number + 1; i < tiles->bands && now->number > 0 &&
         top_of(tiles, host->height, now->before, i) - now->before < band.bottom; i++)
        last = &tiles->progress[plane * tiles->bands + i];
    const size_t strips = strips_of(tiles, host->width, now->depth);
    const size_t begin = now->number * tiles->strips;
    const size_t ahead = ((size_t)now->before - 1) / tiles->loops->width + 2;
    wait_for(own, begin);
    for (size_t s = 0; s < strips; s++) {
        if (number > 0)
            wait_for(own - 1, begin + s + 1);
        if (now->number > 0)
            wait_for(last, begin - tiles->strips +
                               (s + ahead < tiles->strips ? s + ahead : tiles->strips));
        rec_cpu_band_strip(&band, s);
        /* A pass of fewer strips is done like the others. */
        atomic_store_explicit(&own->strips, begin + (s + 1 < strips ? s + 1 : tiles->strips),
                              memory_order_release);
    }
}

void rec_cpu_tiles_iterate(const rec_cpu_tiles *tiles, rec_host *host, uint64_t n)
{
    const size_t bands = host->planes * tiles->bands;
    for (size_t i = 0; i < bands; i++)
        atomic_init(&tiles->progress[i].strips, 0);
    /* Bands are taken in the order in which they need each other: the first of those at hand never
     * waits for one that nobody has. */
    atomic_size_t next = 0;
    int odd = 0;
#pragma omp parallel num_threads(host->threads)
    {
        size_t thread = 0;
#ifdef _OPENMP
        thread = (size_t)omp_get_thread_num();
#endif
        float *const memory = (float *)tiles->memory + thread * tiles->thread_size;
        pass now = {.left = n, .depth = next_depth(tiles, n)};
        while (now.left > 0) {
            const size_t band = atomic_fetch_add(&next, 1);
            while (now.left > 0 && now.number < band / bands)
                next_pass(tiles, &now);
            if (now.left > 0)
                make_band(tiles, host, &now, band % bands / tiles->bands, band % tiles->bands,
                          memory);
        }
#pragma omp master
        odd = now.number % 2;
    }
    for (size_t p = 0; odd && p < host->planes; p++) {
        const rec_plane m = host->m[p];
        host->m[p] = host->other[p];
        host->other[p] = m;
    }
    host->iterations += n;
}
