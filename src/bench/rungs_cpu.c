/* The rungs of the CPU: one thread, the plain loops. Each is also compiled for AVX2 and AVX-512 and
 * chosen at run time, so that the comparison with the GPU is fair; threads and blocking belong to
 * the cpu solver (rung 30 and up). Also the course's loops on convolution, 50 and 51. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "bench/bench.h"
#include "kernels/stencil.h"

/* From pixel (0, 0) on, within the halo; rows without a gap, as in the exercise's arrays. */
typedef struct planes {
    size_t width, height, stride;
    float *m, *other, *f; /* f: the edges themselves for the exercise's own loop */
    void *memory[3];
    const rec_taps *taps; /* of the course, whose result is `other`; else NULL */
    const rec_ladder_mine *mine; /* --mine, which may do several of the iterations left at once */
    uint64_t left;
    double squares; /* of its last one */
    void (*iterate)(struct planes *planes);
} planes;

/* ---- the loops ---- */

#define INLINE static inline __attribute__((always_inline))

/* The exercise's loop: its own order of additions, from in[][] to out[][], and a copy back. */
INLINE void exercise_loops(planes *p)
{
    const size_t s = p->stride;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++) {
            const float *m = p->m + y * s + x;
            const float edge = p->f[y * s + x];
            p->other[y * s + x] = 0.25f * (m[-1] + m[1] + m[-(ptrdiff_t)s] + m[s] - edge);
        }
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++)
            p->m[y * s + x] = p->other[y * s + x];
}

INLINE float update(const planes *p, size_t i, int fused)
{
    const float *m = p->m + i;
    const float up = m[-(ptrdiff_t)p->stride], down = m[p->stride];
    return fused ? rec_update(up, m[-1], m[1], down, p->f[i])
                 : rec_update_without_fma(up, m[-1], m[1], down, p->f[i]);
}

/* The wrong order: the inner loop jumps from row to row, so every load is in another cache line and
 * soon in another page. The pointers may alias, so the compiler cannot swap the loops. */
INLINE void column_loops(planes *p, int fused)
{
    const size_t s = p->stride;
    for (size_t x = 0; x < p->width; x++)
        for (size_t y = 0; y < p->height; y++)
            p->other[y * s + x] = update(p, y * s + x, fused);
    for (size_t x = 0; x < p->width; x++)
        for (size_t y = 0; y < p->height; y++)
            p->m[y * s + x] = p->other[y * s + x];
}

INLINE void update_rows(planes *p, int fused)
{
    const planes now = *p; /* a copy of the pointers, which the stores cannot change */
    for (size_t y = 0; y < now.height; y++) {
        const size_t first = y * now.stride;
        float *restrict out = now.other + first;
        for (size_t x = 0; x < now.width; x++)
            out[x] = update(&now, first + x, fused);
    }
}

INLINE void row_loops(planes *p, int fused)
{
    update_rows(p, fused);
    for (size_t y = 0; y < p->height; y++)
        memcpy(p->m + y * p->stride, p->other + y * p->stride, p->width * sizeof *p->m);
}

INLINE void swap_loops(planes *p, int fused)
{
    update_rows(p, fused);
    float *m = p->m;
    p->m = p->other;
    p->other = m;
}

/* The course's loop: from m to the second array. As in the course, the output holds the sum. */
REC_TASK(convolve_rows, const planes *p)
{
    const planes *p = job->p;
    const size_t side = (size_t)p->taps->width, r = side / 2;
    for (size_t y = first; y < end; y++)
        for (size_t x = 0; x < p->width; x++) {
            const float *corner = p->m + y * p->stride + x - r * (p->stride + 1);
            float *sum = p->other + y * p->stride + x;
            *sum = 0;
            for (size_t j = 0; j < side; j++)
                for (size_t i = 0; i < side; i++)
                    *sum += p->taps->weights[j * side + i] * corner[j * p->stride + i];
        }
}

static void convolve(planes *p) { REC_SHARE(1, p->height, convolve_rows, p); }

static void convolve_by_all_threads(planes *p)
{
    REC_SHARE(rec_team_size(), p->height, convolve_rows, p);
}

static void advance_once(planes *p)
{
    p->squares = 0;
    const uint64_t done = rec_ladder_steps(p->mine, p->left, &p->m, &p->other, p->f, (int)p->width,
                                           (int)p->height, (int)p->stride, &p->squares);
    p->left = done ? p->left - done + 1 : 0;
}

/* ---- for every processor ---- */

#define LOOPS(isa, target, fused)                                                                  \
    target static void exercise_##isa(planes *p) { exercise_loops(p); }                            \
    target static void columns_##isa(planes *p) { column_loops(p, fused); }                        \
    target static void rows_##isa(planes *p) { row_loops(p, fused); }                              \
    target static void swap_##isa(planes *p) { swap_loops(p, fused); }

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || !REC_X86
LOOPS(base, , 1)
#else
LOOPS(base, , 0)
#endif
#if REC_X86
LOOPS(avx2, __attribute__((target("avx2,fma"))), 1)
LOOPS(avx512, __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma"))), 1)
#endif

#define ANY(loops) {[0 ... REC_CPU_SETS - 1] = loops}

typedef void (*const loops)(planes *p);
static loops exercise[] = REC_OF_CPU_SETS(exercise), columns[] = REC_OF_CPU_SETS(columns),
             rows[] = REC_OF_CPU_SETS(rows), swapped[] = REC_OF_CPU_SETS(swap),
             serial[] = ANY(convolve), threaded[] = ANY(convolve_by_all_threads),
             mine[] = ANY(advance_once);

static void cpu_rung_destroy(void *state)
{
    planes *p = state;
    for (int i = 0; i < 3; i++)
        free(p->memory[i]);
    rec_free(p);
}

static rec_status cpu_rung_create(void **state, const bench_rung *rung, const bench_case *problem,
                                  rec_ladder_block block, const rec_solver_options *place,
                                  rec_error *error)
{
    loops *way = rung->way;
    REC_TRY(rec_allocate_zeroed(state, 1, sizeof(planes), "a rung", error));
    planes *p = *state;
    int set = 0;
    while (!rec_cpu_has(set))
        set++;
    *p = (planes){.width = problem->width, .height = problem->height, .mine = problem->mine,
                  .taps = problem->radius ? &problem->filter.taps : NULL,
                  .iterate = way[set]};
    const size_t halo = problem->radius ? problem->radius : 1;
    const int as_device = problem->mine && problem->mine->trace; /* as planes.cu has them */
    p->stride = as_device ? (problem->width + 2 + 31) / 32 * 32 : problem->width + 2 * halo;
    const size_t left = as_device ? 32 : halo, cells = left + p->stride * (p->height + 2 * halo);
    float **const pixels[] = {&p->m, &p->other, &p->f};
    for (int i = 0; i < 3; i++) {
        /* As the exercise takes its arrays; ours lie on huge pages, where these loops run a third
         * faster than they do as they are taught. */
        p->memory[i] = aligned_alloc(as_device ? 256 : 16, (cells + 63) / 64 * 64 * sizeof(float));
        if (!p->memory[i])
            return rec_fail(error, REC_LIMIT, "out of memory for a plane of %zu cells", cells);
        float *plane = p->memory[i];
        for (size_t c = 0; c < cells; c++)
            plane[c] = problem->halo;
        *pixels[i] = plane + halo * p->stride + left;
    }
    const int edges = way == exercise || problem->radius || problem->mine;
    const rec_image *m = bench_case_start(problem), *f = edges ? &problem->edges : &problem->terms;
    rec_copy_rows(p->m, p->stride, m->data, m->stride, p->width, p->height);
    rec_copy_rows(p->f, p->stride, f->data, f->stride, p->width, p->height);
    return REC_OK;
}

static rec_status cpu_rung_advance(void *state, uint64_t n, rec_ladder_launch *launch,
                                   rec_error *error)
{
    planes *p = state;
    const double before = rec_now();
    for (p->left = n; p->left; p->left--) {
        p->iterate(p);
        if (!p->left)
            return rec_fail(error, REC_FAULT, "it returned neither `out` nor `in`");
    }
    launch->seconds = rec_now() - before;
    return REC_OK;
}

static rec_status read_back(void *state, void *words, double *squares, rec_error *error)
{
    const planes *p = state;
    if (squares)
        *squares = p->squares;
    rec_copy_rows(words, p->width, p->taps ? p->other : p->m, p->stride, p->width, p->height);
    return REC_OK;
}

static const bench_type type = {"cpu", cpu_rung_create, cpu_rung_advance, read_back,
                                cpu_rung_destroy};

#define RUNG(what, moves, name) \
    .check = BENCH_##what, .bytes = moves, .batch = 1, .type = &type, .way = name

const bench_rung bench_cpu_rungs[] = {
    {1, 0, "cpu-exercise", "the exercise's serial loop: new picture, then copied back", .base = 1,
     RUNG(EXERCISE, 20, exercise)},
    {2, 1, "cpu-columns", "the loops in the wrong order: down the columns",
     RUNG(STENCIL, 20, columns)},
    {3, 2, "cpu-rows", "the right order: along the rows", RUNG(STENCIL, 20, rows)},
    {4, 3, "cpu-swap", "pointers swapped, nothing copied back", RUNG(STENCIL, 12, swapped)},
    {0},
};

const bench_rung bench_course_cpu_rungs[] = {
    {50, 0, "serial", "the course's serial loops, the sum in memory", .base = 1,
     RUNG(CONVOLUTION, 8, serial)},
    {51, 50, "threads", "the rows shared among all threads", RUNG(CONVOLUTION, 8, threaded)},
    {0},
};

const bench_rung bench_mine_host = {99, 4, "mine", "--mine", RUNG(STENCIL, 12, mine)};
