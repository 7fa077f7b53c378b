/* Convolutions in memory of the host: the reference, and the cpu solver with its kernels. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "solver/convolution/convolution.h"
#include "solver/cpu/host.h"

/* Floats between a row and the border of the next one: room for what is written behind a row. */
#define GAP REC_CONVOLUTION_OVER
/* Floats of a cache line. A row is an odd number of lines, as in cpu/host.c. */
#define LINE (REC_ALIGNMENT / sizeof(float))
/* Bytes of a picture and its result that processors may keep in their caches. Results of larger
 * pictures go past the caches, which saves reading what they replace. */
#define NEAR ((size_t)16 << 20)

/* The number of its own memory. */
enum { RINGS = REC_CONVOLUTION_OWN };

typedef struct host_convolution {
    rec_convolution shared;
    size_t margin; /* floats of a row to the left of its first pixel */
    size_t radius; /* rows above the first one */
    size_t ring;   /* rows of a thread in the rings */
    int streams, threads;
    const rec_convolution_loops *loops;
} host_convolution;

/* ---- creation ---- */

/* Fills the border of a plane with the constant, and copies the image, unless it is NULL. */
REC_TASK(fill_rows, const host_convolution *c; float *cells; const rec_image *image; size_t plane)
{
    const host_convolution *c = job->c;
    const rec_planes *planes = &c->shared.room.planes;
    for (size_t i = first; i < end; i++) {
        const size_t y = i - c->radius; /* far too large above the first */
        const size_t inside = y < planes->height ? planes->width : 0;
        float *row = job->cells + ((ptrdiff_t)i - (ptrdiff_t)c->radius) * (ptrdiff_t)planes->pitch;
        for (size_t x = 0; x < c->margin; x++)
            row[(ptrdiff_t)x - (ptrdiff_t)c->margin] = c->shared.halo;
        for (size_t x = inside; x < planes->pitch - c->margin; x++)
            row[x] = c->shared.halo;
        if (inside && job->image)
            memcpy(row, rec_image_row(job->image, job->plane, y), planes->width * sizeof *row);
    }
}

REC_TASK(fill_terms, const rec_convolution *c; float *cells; const rec_image *image; size_t plane)
{
    const rec_planes *planes = &job->c->room.planes;
    const rec_operator *op = &job->c->filters->op;
    for (size_t y = first; y < end; y++) {
        const float *edge = rec_image_row(job->image, job->plane, y);
        for (size_t x = 0; x < planes->width; x++)
            job->cells[y * planes->pitch + x] = (float)(op->gain * ((double)edge[x] - op->level));
    }
}

static rec_status host_load(rec_convolution *shared, const rec_problem *problem,
                            const rec_image *start, rec_error *error)
{
    const host_convolution *c = (host_convolution *)shared;
    const rec_planes *planes = &shared->room.planes;
    for (int i = 0; i < REC_SETS; i++)
        for (size_t p = 0; p < planes->planes; p++)
            REC_SHARE(c->threads, planes->height + 2 * c->radius, fill_rows, c,
                      shared->sets[i] + p * planes->step, i ? NULL : start, p);
    for (size_t p = 0; shared->f && p < planes->planes; p++)
        REC_SHARE(c->threads, planes->height, fill_terms, shared, shared->f + p * planes->step,
                  problem->input, p);
    return REC_OK;
}

/* ---- iterating ---- */

REC_TASK(fill_sides, const host_convolution *c; float *cells; ptrdiff_t reach)
{
    const rec_convolution *c = &job->c->shared;
    const rec_beyond rule = c->beyond;
    const ptrdiff_t width = (ptrdiff_t)c->room.planes.width;
    for (size_t y = first; y < end; y++) {
        float *row = job->cells + y * c->room.planes.pitch;
        for (ptrdiff_t i = 1; i <= job->reach; i++) {
            row[-i] = row[rec_boundary_index(rule, -i, width)];
            row[width - 1 + i] = row[rec_boundary_index(rule, width - 1 + i, width)];
        }
    }
}

/* A thing of this task is as many rows as the loops make side by side. */
REC_TASK(apply_rows, const host_convolution *c; size_t filter, plane; int from, to, compares)
{
    const host_convolution *c = job->c;
    const rec_convolution *shared = &c->shared;
    const rec_planes *planes = &shared->room.planes;
    const size_t height = planes->height, stride = planes->pitch, at = job->plane * planes->step;
    const size_t top = c->loops->rows * first, bottom = rec_smaller(c->loops->rows * end, height);
    const rec_filter *filter = &shared->filters[job->filter];
    float *const out = shared->sets[job->to] + at, *const rings = shared->room.block[RINGS];
    const float *last = shared->sets[shared->now] + at;
    const float *before = shared->sets[(shared->now + 1) % REC_SETS] + at;
    const rec_convolution_task task = {
        .taps = &filter->op.taps, .factors = &filter->factors, .out = out,
        .in = shared->sets[job->from] + at, .f = shared->f ? shared->f + at : NULL,
        .stride = stride, .width = planes->width,
        .ring = rings ? rings + member * c->ring * stride : NULL, .follows = follows,
        .streams = c->streams && !job->compares};
    const int separate = rec_convolution_separates(shared, job->filter);
    (separate ? c->loops->separable : c->loops->direct)(&task, top, bottom);
    for (size_t y = top; job->compares && y < bottom; y++)
        shared->row_changes[job->plane * height + y] = rec_host_compare(
            out + y * stride, last + y * stride, before + y * stride, planes->width);
}

static rec_status host_apply(rec_convolution *shared, size_t i, int from, int to, int compares,
                             rec_error *error)
{
    const host_convolution *c = (host_convolution *)shared;
    const rec_planes *planes = &shared->room.planes;
    const rec_taps *taps = &shared->filters[i].op.taps;
    const rec_beyond rule = shared->beyond;
    const ptrdiff_t height = (ptrdiff_t)planes->height, stride = (ptrdiff_t)planes->pitch;
    const ptrdiff_t reach = taps->width / 2;
    const size_t bytes = (planes->width + 2 * (size_t)reach) * sizeof(float);
    for (size_t p = 0; p < planes->planes; p++) {
        float *cells = shared->sets[from] + p * planes->step, *first = cells - reach;
        /* The border: first the columns beside all rows, then copies of whole rows. */
        if (rule != REC_FIXED)
            REC_SHARE(c->threads, planes->height, fill_sides, c, cells, reach);
        for (ptrdiff_t y = 1; rule != REC_FIXED && y <= taps->height / 2; y++) {
            memcpy(first - y * stride, first + rec_boundary_index(rule, -y, height) * stride,
                   bytes);
            memcpy(first + (height - 1 + y) * stride,
                   first + rec_boundary_index(rule, height - 1 + y, height) * stride, bytes);
        }
        REC_SHARE(c->threads, (planes->height - 1) / c->loops->rows + 1, apply_rows, c, i, p, from,
                  to, compares);
    }
    return REC_OK;
}

static const rec_convolution_compute compute = {.load = host_load, .apply = host_apply};

/* With a row more, into which what is read behind the last one may reach. */
static rec_status allocate(host_convolution *c, rec_error *error)
{
    rec_room *room = &c->shared.room;
    const size_t row_bytes = room->planes.pitch * sizeof(float);
    const size_t sets[REC_BLOCKS] = {
        [REC_CONVOLUTION_SETS] = rec_convolution_floats(&c->shared) * sizeof(float) + row_bytes};
    const size_t rings[REC_BLOCKS] = {[RINGS] = (size_t)c->threads * c->ring * row_bytes};
    const size_t changes[REC_BLOCKS] = {
        [REC_CONVOLUTION_CHANGES] = rec_convolution_changes(&c->shared)};
    REC_TRY(rec_memory_host.allocate(room, sets, "the picture, three times", error));
    REC_TRY(rec_memory_host.allocate(room, rings, "rows of a separable stencil", error));
    return rec_memory_host.allocate(room, changes, "norms", error);
}

/* `kernel`: its name; it has these loops. */
static rec_status host_create(host_convolution *c, const rec_problem *problem, const char *kernel,
                              const rec_convolution_loops *loops, int threads, rec_error *error)
{
    rec_convolution *shared = &c->shared;
    rec_planes *planes = &shared->room.planes;
    *c = (host_convolution){.shared = {.compute = &compute, .kernel = kernel}, .loops = loops,
                            .threads = threads};
    rec_processor_name(shared->costs.device, sizeof shared->costs.device, threads);
    REC_TRY(rec_convolution_begin(shared, problem,
                                  !loops->separable             ? REC_ONE_PASS
                                  : strcmp(kernel, "separable") ? REC_ANY_PASSES
                                                                : REC_TWO_PASSES, error));
    for (size_t i = 0; i < shared->count; i++) {
        const rec_taps *taps = &shared->filters[i].op.taps;
        const int side = taps->width > taps->height ? taps->width : taps->height;
        c->radius = rec_larger(c->radius, (size_t)side / 2);
        c->ring = rec_larger(c->ring, rec_ring_rows(&shared->filters[i]));
    }
    c->margin = (c->radius + LINE - 1) / LINE * LINE;
    planes->pitch = ((c->margin + planes->width + c->radius + GAP + LINE - 1) / LINE | 1) * LINE;
    planes->step = (planes->height + 2 * c->radius + REC_CONVOLUTION_ROWS) * planes->pitch;
    c->streams = 2 * planes->planes * planes->step * sizeof(float) > NEAR;
    REC_TRY(allocate(c, error));
    return rec_convolution_load(shared, problem, c->radius * planes->pitch + c->margin, error);
}

/* ---- the reference: one pixel after the other ---- */

static void serial_rows(const rec_convolution_task *task, size_t first, size_t end)
{
    const rec_taps *taps = task->taps;
    const ptrdiff_t stride = (ptrdiff_t)task->stride;
    for (size_t y = first; y < end; y++)
        for (size_t x = 0; x < task->width; x++) {
            const float *sample = task->in + (ptrdiff_t)y * stride + (ptrdiff_t)x;
            float acc = task->f ? task->f[(ptrdiff_t)y * stride + (ptrdiff_t)x] : 0.0f;
            for (int row = 0; row < taps->height; row++)
                for (int column = 0; column < taps->width; column++) {
                    const float weight = taps->weights[row * taps->width + column];
                    if (weight != 0)
                        acc = fmaf(
                            weight,
                            sample[(row - taps->height / 2) * stride + column - taps->width / 2],
                            acc);
                }
            task->out[y * task->stride + x] = rec_convolution_end(acc, taps->scale,
                                                                              taps->offset);
        }
}

static rec_status create_reference(void *state, const rec_problem *problem, const rec_slab *slab,
                                   const rec_solver_options *options, rec_error *error)
{
    static const rec_convolution_loops serial = {.rows = 1, .direct = serial_rows};
    return host_create(state, problem, "serial", &serial, 1, error);
}

const rec_solver_type rec_convolution_reference = {
    .name = "reference",
    .kernels = (const char *const[]){NULL},
    REC_CONVOLUTION_FUNCTIONS(host_convolution, create_reference, rec_convolution_advance),
};

/* ---- the cpu solver ---- */

static const rec_convolution_loops *const loops[] = REC_OF_CPU_SETS(rec_convolution_loops);

static const char *const kernels[] = {
#if REC_X86
    "avx512", "avx2",
#endif
    "base",   "separable", NULL,
};

/* The kernel separable has the loops of the best set. */
static rec_status create_cpu(void *state, const rec_problem *problem, const rec_slab *slab,
                             const rec_solver_options *options, rec_error *error)
{
    const char *const name = options->kernel;
    const int separable = name && !strcmp(name, "separable");
    const size_t team = rec_team_size(), height = problem->input->height;
    int i = 0;
    while (name && !separable ? strcmp(name, kernels[i]) != 0 : !rec_cpu_has(i))
        i++;
    if (!rec_cpu_has(i))
        return rec_fail(error, REC_UNAVAILABLE, "this processor has no %s", name);
    return host_create(state, problem, separable ? name : kernels[i], loops[i],
                       (int)rec_smaller(team, height), error);
}

const rec_solver_type rec_convolution_cpu = {
    .name = "cpu",
    .kernels = kernels,
    REC_CONVOLUTION_FUNCTIONS(host_convolution, create_cpu, rec_convolution_advance),
};
