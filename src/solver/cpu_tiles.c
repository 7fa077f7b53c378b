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
    LEAST_ROWS = 32,  /* fewer, and threads look at each other more often than they work */
    GROUP = 2,        /* strips that a thread makes at a time */
    PATIENCE = 2000   /* looks at a neighbour's progress before others may have the processor */
};

/* How far a band is: strips made, tiles->strips of them for a pass. A cache line each. */
typedef struct rec_cpu_progress {
    _Alignas(REC_ALIGNMENT) atomic_size_t strips;
} progress;

/* The passes of an advance. */
typedef struct passes {
    size_t count;
    int depth, last;   /* iterations of each but the last, and of the last */
    size_t waves;      /* from the beginning of one to the next one's */
} passes;

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
    const size_t team = threads > 1 ? 2 * threads : 1;
    const size_t bands = ((height - 1) / (team * MOST_ROWS) + 1) * team;
    const size_t most = (height - 1) / LEAST_ROWS + 1;
    *tiles = (rec_cpu_tiles){.loops = loops};
    tiles->bands = bands < most ? bands : most;
    const size_t rows = height / tiles->bands;
    tiles->depth = choose_depth(loops, host->width, rows);
    tiles->strips = strips_of(tiles, host->width, tiles->depth);
    tiles->group = threads > 1 ? GROUP : tiles->strips;
    tiles->thread_size = rec_cpu_band_memory(loops, tiles->depth);
    tiles->carry_size = rec_cpu_band_carry(tiles->depth, rows + (size_t)tiles->depth + 3);
    tiles->handed_size = tiles->strips * rec_cpu_band_handed(loops, tiles->depth);
    void *progress_of_all = NULL;
    const size_t all = host->planes * tiles->bands;
    rec_status status = rec_allocate(&tiles->memory, threads, tiles->thread_size * sizeof(float),
                                     "the threads' blocks", error);
    if (!status)
        status = rec_allocate(&tiles->carry, all, tiles->carry_size * sizeof(float),
                              "the bands' columns", error);
    if (!status)
        status = rec_allocate(&tiles->handed, all, tiles->handed_size * sizeof(float),
                              "the bands' rows", error);
    if (!status)
        status = rec_allocate(&progress_of_all, all, sizeof(progress), "the bands' progress",
                              error);
    tiles->progress = progress_of_all;
    return status;
}

void rec_cpu_tiles_destroy(rec_cpu_tiles *tiles)
{
    rec_free(tiles->memory);
    rec_free(tiles->carry);
    rec_free(tiles->handed);
    rec_free(tiles->progress);
    *tiles = (rec_cpu_tiles){0};
}

/* As alike as passes can be that end a stage where they may. */
static passes share_out(const rec_cpu_tiles *tiles, const rec_host *host, uint64_t n)
{
    const uint64_t most = (uint64_t)tiles->depth, levels = (uint64_t)tiles->loops->levels;
    const uint64_t even = (n - 1) / ((n - 1) / most + 1) + 1;
    const uint64_t rounded = (even + levels - 1) / levels * levels;
    const uint64_t depth = rounded < n ? rounded : n;
    passes all = {.count = (size_t)((n - 1) / depth + 1), .depth = (int)depth};
    all.last = (int)(n - (all.count - 1) * depth);
    /* What a tile reads of the pass before was made in earlier waves. */
    const size_t groups = (strips_of(tiles, host->width, all.depth) - 1) / tiles->group + 1;
    const size_t right = ((depth - 1) / tiles->loops->width + 1) / tiles->group + 1;
    const size_t down = depth / (host->height / tiles->bands) + 2;
    all.waves = groups > right + down ? groups : right + down + 1;
    return all;
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

/* The last band that makes rows of the pass before which this one reads. */
static size_t last_read(const rec_cpu_tiles *tiles, size_t height, const rec_cpu_band *band,
                        size_t number, int depth)
{
    while (number + 1 < tiles->bands &&
           top_of(tiles, height, depth, number + 1) - depth < band->bottom)
        number++;
    return number;
}

/* A group of strips of a band, each as soon as there is what it reads: what the strip on the left
 * leaves; what the band above hands down; and of the pass before the same rows and columns, which
 * this band and those below it have made, the last of them later than the others. That they are so
 * far means too that nobody reads any more what this writes. */
static void make_group(const rec_cpu_tiles *tiles, const rec_host *host, const passes *all,
                       size_t wave, size_t index, float *memory)
{
    const size_t plane = index / tiles->bands, number = index % tiles->bands;
    if (wave < number)
        return;
    const size_t pass = (wave - number) / all->waves, group = (wave - number) % all->waves;
    const int odd = pass % 2, depth = pass + 1 < all->count ? all->depth : all->last;
    const size_t strips = strips_of(tiles, host->width, depth);
    const size_t first = group * tiles->group;
    if (pass >= all->count || first >= strips)
        return;
    float *const handed = (float *)tiles->handed + index * tiles->handed_size;
    const rec_cpu_band band = {
        .loops = tiles->loops,
        .m = odd ? host->other[plane].cells : host->m[plane].cells,
        .f = host->f[plane],
        .other = odd ? host->m[plane].cells : host->other[plane].cells,
        .stride = (ptrdiff_t)host->stride,
        .width = (ptrdiff_t)host->width,
        .height = (ptrdiff_t)host->height,
        .top = top_of(tiles, host->height, depth, number),
        .bottom = top_of(tiles, host->height, depth, number + 1),
        .depth = depth,
        .above = number > 0 ? handed - tiles->handed_size : NULL,
        .below = number + 1 < tiles->bands ? handed : NULL,
        .carry = (float *)tiles->carry + index * tiles->carry_size,
        .memory = memory,
    };
    progress *const own = &tiles->progress[index];
    progress *const last =
        own + (last_read(tiles, host->height, &band, number, all->depth) - number);
    const size_t begin = pass * tiles->strips;
    const size_t ahead = ((size_t)all->depth - 1) / tiles->loops->width + 2;
    wait_for(own, begin + first);
    for (size_t s = first; s < first + tiles->group && s < strips; s++) {
        if (number > 0)
            wait_for(own - 1, begin + s + 1);
        if (pass > 0)
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
    const passes all = share_out(tiles, host, n);
    const size_t bands = host->planes * tiles->bands;
    const size_t waves = all.count * all.waves + tiles->bands;
    for (size_t i = 0; i < bands; i++)
        atomic_init(&tiles->progress[i].strips, 0);
    atomic_size_t next = 0;
#pragma omp parallel num_threads(host->threads)
    {
        size_t thread = 0;
#ifdef _OPENMP
        thread = (size_t)omp_get_thread_num();
#endif
        float *const memory = (float *)tiles->memory + thread * tiles->thread_size;
        for (size_t i; i = atomic_fetch_add(&next, 1), i < waves * bands;)
            make_group(tiles, host, &all, i / bands, i % bands, memory);
    }
    for (size_t p = 0; all.count % 2 && p < host->planes; p++) {
        const rec_plane m = host->m[p];
        host->m[p] = host->other[p];
        host->other[p] = m;
    }
    host->iterations += n;
}
