/* What is right for one size: the reference solver's iterates, computed once, if needed. */
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "base/output.h"
#include "base/paths.h"
#include "bench/bench.h"
#include "image/stencil.h"
#include "kernels/stencil.h"

#define HALO 17.25f /* not 0: a rung that forgets the halo must not get away with it */
#define AMPLITUDE 1020
#define HUGE_IMAGE ((size_t)1 << 26) /* pixels */

rec_status bench_case_create(bench_case *made, bench_size size, size_t radius, int noise,
                             rec_error *error)
{
    const rec_stencil_options options = {.radius = radius};
    const unsigned span = noise ? 256 : 2 * AMPLITUDE + 1;
    const int least = noise ? 0 : -AMPLITUDE;
    uint64_t state = 2026;
    rec_stencil stencil;
    *made = (bench_case){.width = size.width, .height = size.height, .radius = radius,
                         .halo = radius ? 0 : HALO};
    REC_TRY(rec_image_create(&made->edges, size.width, size.height, 1, error));
    if (radius) {
        REC_TRY(rec_stencil_make(&stencil, "course", &options, error));
        rec_operator_filter(&made->filter, &stencil);
    } else
        REC_TRY(rec_image_create(&made->terms, size.width, size.height, 1, error));
    for (size_t y = 0; y < size.height; y++)
        for (size_t x = 0; x < size.width; x++) {
            float *const edge = rec_image_row(&made->edges, 0, y) + x;
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            *edge = radius && !noise ? (float)(size.width * y + x)
                                     : (float)((int)((state >> 33) % span) + least);
            if (!radius)
                rec_image_row(&made->terms, 0, y)[x] = rec_edge_term(*edge);
        }
    return REC_OK;
}

void bench_case_destroy(bench_case *made)
{
    rec_image_destroy(&made->edges);
    rec_image_destroy(&made->start);
    rec_image_destroy(&made->terms);
    for (int check = 0; check < BENCH_CHECKS; check++)
        for (int many = 0; many < 2; many++)
            rec_free(made->expected[check][many]);
    *made = (bench_case){0};
}

static rec_status expect_stencil(bench_case *problem, int many, void *words, rec_error *error)
{
    const rec_solver_type *type;
    rec_owned_solver *solver = NULL;
    rec_look look = {0};
    const rec_problem solved = {.input = &problem->edges, .start = bench_case_start(problem),
                                .boundary.value = problem->halo};
    /* The serial reference takes minutes for a huge image; the tests hold cpu to its bits. */
    const char *by = problem->width * problem->height > HUGE_IMAGE ? "cpu" : "reference";
    REC_TRY(rec_solver_find(by, &type, error));
    REC_TRY(rec_solver_create(&solver, type, &solved, NULL, error));
    REC_TRY(rec_solver_advance(solver, many ? BENCH_MANY : BENCH_FEW, REC_LOOK_CHANGE, &look,
                               error));
    problem->squares[many] = look.change_rms * look.change_rms * (double)problem->width *
                             (double)problem->height;
    return rec_solver_read(solver, 0, 0, 0, problem->width, problem->height, words, problem->width,
                           error);
}

static rec_status expect_start(bench_case *problem, int many, void *words, rec_error *error)
{
    rec_copy_rows(words, problem->width, problem->edges.data, problem->edges.stride,
                  problem->width, problem->height);
    return REC_OK;
}

/* The exercise's line of code, a pixel at a time, with a test for the halo at every step. */
static rec_status expect_exercise(bench_case *problem, int many, void *words, rec_error *error)
{
    float *m = words;
    rec_owned float *next = NULL;
    const size_t pixels = problem->width * problem->height;
    REC_TRY(rec_allocate(&next, pixels, sizeof *m, "an iterate", error));
    expect_start(problem, many, m, error);
    for (int n = 0; n < (many ? BENCH_MANY : BENCH_FEW); n++) {
        for (size_t y = 1; y <= problem->height; y++)
            for (size_t x = 1; x <= problem->width; x++) {
                float sum = bench_cell(problem, m, y, x - 1) + bench_cell(problem, m, y, x + 1);
                sum += bench_cell(problem, m, y - 1, x);
                sum += bench_cell(problem, m, y + 1, x);
                next[(y - 1) * problem->width + x - 1] =
                    0.25f * (sum - rec_image_row(&problem->edges, 0, y - 1)[x - 1]);
            }
        memcpy(m, next, pixels * sizeof *m);
    }
    return REC_OK;
}

static rec_status expect_sum(bench_case *problem, int many, void *words, rec_error *error)
{
    expect_start(problem, many, words, error);
    for (size_t i = 0; i < problem->width * problem->height; i++) {
        uint32_t term;
        memcpy(&term, rec_image_row(&problem->terms, 0, i / problem->width) + i % problem->width,
               sizeof term);
        ((uint32_t *)words)[i] += term;
    }
    return REC_OK;
}

static double convolve(const bench_case *problem, size_t y, size_t x)
{
    const rec_taps *taps = &problem->filter.taps;
    const size_t r = problem->radius;
    double sum = 0;
    for (size_t j = 0; j < (size_t)taps->height; j++)
        for (size_t i = 0; i < (size_t)taps->width; i++)
            if (y + j >= r && y + j - r < problem->height && x + i >= r &&
                x + i - r < problem->width)
                sum += (double)taps->weights[j * (size_t)taps->width + i] *
                       (double)rec_image_row(&problem->edges, 0, y + j - r)[x + i - r];
    return sum;
}

REC_TASK(expect_rows, const bench_case *problem; float *pixels)
{
    const size_t width = job->problem->width;
    for (size_t y = first; y < end; y++)
        for (size_t x = 0; x < width; x++)
            job->pixels[y * width + x] = (float)convolve(job->problem, y, x);
}

static rec_status expect_convolution(bench_case *problem, int many, void *words, rec_error *error)
{
    REC_SHARE(rec_team_size(), problem->height, expect_rows, problem, words);
    return REC_OK;
}

rec_status bench_case_expect(bench_case *problem, bench_check check, int many,
                             const uint32_t **words, rec_error *error)
{
    static rec_status (*const expect[BENCH_CHECKS])(bench_case *, int, void *, rec_error *) = {
        [BENCH_STENCIL] = expect_stencil, [BENCH_EXERCISE] = expect_exercise,
        [BENCH_COPY] = expect_start,      [BENCH_SUM] = expect_sum,
        [BENCH_CONVOLUTION] = expect_convolution};
    uint32_t **expected = &problem->expected[check][!!many];
    if (!*expected) {
        rec_owned uint32_t *made = NULL;
        REC_TRY(rec_allocate(&made, problem->width * problem->height, sizeof *made,
                             "what a rung must give", error));
        REC_TRY(expect[check](problem, !!many, made, error));
        *expected = made;
        made = NULL;
    }
    *words = *expected;
    return REC_OK;
}

rec_status bench_case_read(bench_case *problem, const char *path, rec_error *error)
{
    const size_t pixels = problem->width * problem->height;
    uint32_t **words = &problem->expected[BENCH_CONVOLUTION][0];
    rec_owned_stream *file = NULL;
    REC_TRY(rec_path_open(&file, path, NULL, error));
    REC_TRY(rec_allocate(words, pixels, sizeof **words, "a reference", error));
    problem->ignored = problem->radius;
    if (fread(*words, sizeof **words, pixels, file) == pixels && fgetc(file) == EOF)
        return REC_OK;
    return ferror(file) ? rec_read_failed(path, error)
                        : rec_fail(error, REC_BAD_INPUT,
                                   "%s: a reference for %zu x %zu pixels has %zu bytes", path,
                                   problem->width, problem->height, pixels * sizeof **words);
}

rec_status bench_case_write(bench_case *problem, const char *path, rec_error *error)
{
    const uint32_t *words;
    rec_output *output;
    REC_TRY(bench_case_expect(problem, BENCH_CONVOLUTION, 0, &words, error));
    REC_TRY(rec_output_open(&output, path, 0, error));
    fwrite(words, sizeof *words, problem->width * problem->height, rec_output_stream(output));
    return rec_output_commit(output, REC_OK, NULL, error);
}
