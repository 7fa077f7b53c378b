/* The plate of NVIDIA's tutorial, against a serial loop in double that is written out here. The
 * solver of a device that is not there is skipped. */
#include <math.h>
#include <stdlib.h>

#include "bench/plate.h"
#include "tests/unit/support.h"

enum { MOST_PLATE = 1000 };

typedef struct plate_norms {
    double norm[MOST_PLATE + 1]; /* after iteration i */
    size_t count;
} plate_norms;

/* The tutorial's serial loop over the whole grid, rim and all, in double. */
static void serial_plate(size_t n, plate_norms *norms)
{
    double *a = calloc(n * n, sizeof *a), *b = calloc(n * n, sizeof *b);
    assert_non_null(a);
    assert_non_null(b);
    const double pi = 3.14159265358979323846;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double value = 0;
            if (i == 0 || i == n - 1)
                value = sin(2 * pi * (double)j / (double)(n - 1));
            else if (j == 0 || j == n - 1)
                value = sin(2 * pi * (double)i / (double)(n - 1));
            a[i * n + j] = b[i * n + j] = value;
        }
    double norm = 1;
    for (norms->count = 0; norm > 1e-4 && norms->count < MOST_PLATE;) {
        double squares = 0;
        for (size_t i = 1; i + 1 < n; i++)
            for (size_t j = 1; j + 1 < n; j++) {
                const double *at = a + i * n + j;
                const double now = 0.25 * (at[1] + at[-1] + at[n] + *(at - n));
                squares += (now - *at) * (now - *at);
                b[i * n + j] = now;
            }
        double *other = a;
        a = b;
        b = other;
        norm = sqrt(squares / (double)(n * n));
        norms->norm[++norms->count] = norm;
    }
    free(a);
    free(b);
}

static void keep_norm(uint64_t iteration, double norm, void *context)
{
    plate_norms *norms = context;
    assert_int_equal(iteration, norms->count + 1);
    norms->norm[++norms->count] = norm;
}

TEST_EACH(the_plate_cools_as_in_a_serial_loop, "reference", "cpu", "cuda")
{
    static const size_t sides[] = {5, 17, 64, 129};
    const rec_solver_type *type;
    rec_error error = {0};
    if (rec_solver_find(*state, &type, &error)) {
        print_message("# %s\n", error.message);
        skip();
    }
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        plate_norms serial = {{0}, 0}, found = {{0}, 0};
        bench_plate_result result;
        serial_plate(sides[s], &serial);
        assert_succeeded(bench_plate_solve(sides[s], MOST_PLATE, type, NULL, keep_norm, &found,
                                           &result, &error), &error);
        assert_true(result.reached && result.norm <= 1e-4);
        assert_int_equal(result.iterations, found.count);
        if (labs((long)found.count - (long)serial.count) > 1)
            fail_msg("%s, N = %zu: %zu iterations instead of %zu", (const char *)*state,
                     sides[s], found.count, serial.count);
        for (size_t i = 1; i <= found.count && i <= serial.count; i++)
            if (!(fabs(found.norm[i] - serial.norm[i]) <= 1e-4 * serial.norm[i]))
                fail_msg("%s, N = %zu: norm %.9g instead of %.9g at iteration %zu",
                         (const char *)*state, sides[s], found.norm[i], serial.norm[i], i);
        if (sides[s] == 64) /* what NVIDIA's program in float prints */
            assert_in_range(found.count, 554, 556);
    }
}

TEST(plate_stops_after_the_most)
{
    const rec_solver_type *type;
    bench_plate_result result;
    SUCCEEDS(rec_solver_find("cpu", &type, &error));
    SUCCEEDS(bench_plate_solve(64, 10, type, NULL, NULL, NULL, &result, &error));
    assert_int_equal(result.iterations, 10);
    assert_true(!result.reached && result.norm > 1e-4);
}

/* It would stop at once, with no norm. */
TEST(plate_needs_iterations)
{
    const rec_solver_type *type;
    bench_plate_result result;
    rec_error error = {0};
    if (rec_solver_find("spectral", &type, &error)) {
        print_message("# %s\n", error.message);
        skip();
    }
    assert_failed(bench_plate_solve(64, 10, type, NULL, NULL, NULL, &result, &error), REC_USAGE,
                  &error, "spectral");
}
