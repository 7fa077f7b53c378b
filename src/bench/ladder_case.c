/* The problem of one size, and what its answers are. The reference solver's iterates are the
 * measure; they are worked out once a size, and only if somebody asks. */
#include <string.h>

#include "base/memory.h"
#include "bench/ladder_case.h"
#include "kernels/stencil.h"
#include "solver/solver.h"

#define HALO 17.25f /* not 0: a rung that forgets the halo must not get away with it */
#define AMPLITUDE 1020
#define HUGE_IMAGE ((size_t)1 << 26) /* pixels */

static uint32_t noise(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

rec_status bench_case_create(bench_case *made, size_t width, size_t height, rec_error *error)
{
    *made = (bench_case){.width = width, .height = height, .halo = HALO};
    rec_status status = rec_image_create(&made->edges, width, height, 1, error);
    if (!status)
        status = rec_image_create(&made->terms, width, height, 1, error);
    if (status) {
        bench_case_destroy(made);
        return status;
    }
    uint64_t state = 2026;
    for (size_t y = 0; y < height; y++) {
        float *edges = rec_image_row(&made->edges, 0, y);
        float *terms = rec_image_row(&made->terms, 0, y);
        for (size_t x = 0; x < width; x++) {
            edges[x] = (float)((int)(noise(&state) % (2 * AMPLITUDE + 1)) - AMPLITUDE);
            terms[x] = rec_edge_term(edges[x]);
        }
    }
    return REC_OK;
}

void bench_case_destroy(bench_case *made)
{
    rec_image_destroy(&made->edges);
    rec_image_destroy(&made->terms);
    for (int check = 0; check < BENCH_CHECKS; check++)
        for (int many = 0; many < 2; many++)
            rec_free(made->expected[check][many]);
    *made = (bench_case){0};
}

int32_t bench_first_summand(size_t i) { return (int32_t)(uint32_t)(i * 2654435761u) / 4; }
int32_t bench_second_summand(size_t i) { return (int32_t)(uint32_t)(i * 40503u + 77u) / 4; }

static rec_status expect_stencil(bench_case *of, int many, uint32_t *words, rec_error *error)
{
    const rec_solver_type *type;
    rec_solver *solver = NULL;
    rec_look look = {0};
    const rec_problem problem = {.edges = &of->edges, .boundary.value = of->halo};
    /* A huge image takes the serial reference minutes. The tests hold the cpu solver to its
     * bits. */
    const char *by = of->width * of->height > HUGE_IMAGE ? "cpu" : "reference";
    rec_status status = rec_solver_find(by, &type, error);
    if (!status)
        status = rec_solver_create(&solver, type, &problem, NULL, error);
    if (!status)
        status = rec_solver_advance(solver, many ? BENCH_MANY : BENCH_FEW, REC_LOOK_CHANGE, &look,
                                    error);
    if (!status)
        status = rec_solver_read(solver, 0, 0, 0, of->width, of->height, (float *)words, of->width,
                                 error);
    rec_solver_destroy(solver);
    of->squares[many] = look.change_rms * look.change_rms * (double)of->width * (double)of->height;
    return status;
}

/* The exercise's line of code, a pixel at a time, with the halo asked for at every step. */
static float exercise_cell(const bench_case *of, const float *m, size_t y, size_t x)
{
    return y && y <= of->height && x && x <= of->width ? m[(y - 1) * of->width + x - 1] : of->halo;
}

static rec_status expect_exercise(const bench_case *of, int many, float *m, rec_error *error)
{
    void *memory;
    const size_t pixels = of->width * of->height;
    const rec_status status = rec_allocate(&memory, pixels, sizeof *m, "an iterate", error);
    if (status)
        return status;
    float *next = memory;
    for (size_t y = 0; y < of->height; y++)
        memcpy(m + y * of->width, rec_image_row(&of->edges, 0, y), of->width * sizeof *m);
    for (int n = 0; n < (many ? BENCH_MANY : BENCH_FEW); n++) {
        for (size_t y = 1; y <= of->height; y++)
            for (size_t x = 1; x <= of->width; x++) {
                float sum = exercise_cell(of, m, y, x - 1) + exercise_cell(of, m, y, x + 1);
                sum += exercise_cell(of, m, y - 1, x);
                sum += exercise_cell(of, m, y + 1, x);
                next[(y - 1) * of->width + x - 1] =
                    0.25f * (sum - rec_image_row(&of->edges, 0, y - 1)[x - 1]);
            }
        memcpy(m, next, pixels * sizeof *m);
    }
    rec_free(next);
    return REC_OK;
}

static void expect_start(const bench_case *of, uint32_t *words)
{
    for (size_t y = 0; y < of->height; y++)
        memcpy(words + y * of->width, rec_image_row(&of->edges, 0, y), of->width * sizeof *words);
}

static void expect_sum(const bench_case *of, uint32_t *words)
{
    for (size_t i = 0; i < of->width * of->height; i++)
        words[i] = (uint32_t)(bench_first_summand(i) + bench_second_summand(i));
}

rec_status bench_case_expect(bench_case *of, bench_check check, int many, const uint32_t **words,
                             rec_error *error)
{
    uint32_t **expected = &of->expected[check][!!many];
    rec_status status = REC_OK;
    if (!*expected) {
        void *memory;
        status = rec_allocate(&memory, of->width * of->height, sizeof **expected,
                              "what a rung must give", error);
        if (status)
            return status;
        *expected = memory;
        if (check == BENCH_STENCIL)
            status = expect_stencil(of, !!many, *expected, error);
        else if (check == BENCH_EXERCISE)
            status = expect_exercise(of, !!many, (float *)*expected, error);
        else if (check == BENCH_COPY)
            expect_start(of, *expected);
        else
            expect_sum(of, *expected);
        if (status) {
            rec_free(*expected);
            *expected = NULL;
        }
    }
    *words = *expected;
    return status;
}
