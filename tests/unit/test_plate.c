/* The plate of NVIDIA's tutorial, against a serial loop in double that is written out here. The
 * solver of a device that is not there is skipped. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "tests/unit/problems.h"

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

/* What the plate prints: the norm after iterations 1, 26, ..., and how many there were. */
static void read_norms(char *text, plate_norms *norms)
{
    char *line = strtok(text, "\n");
    for (size_t i; sscanf(line, "%zu", &i) == 1; line = strtok(NULL, "\n")) {
        assert_in_range(i, norms->count + 1, MOST_PLATE);
        assert_int_equal(sscanf(line, "%*u %lf", &norms->norm[norms->count = i]), 1);
    }
    assert_int_equal(
        sscanf(line, "plate %*u x %*u: reached 1e-4 after %zu iterations in %*f s, norm %lf",
               &norms->count, &norms->norm[0]), 2);
    assert_true(norms->norm[0] <= 1e-4);
    norms->norm[norms->count] = norms->norm[0];
}

TEST_EACH(the_plate_cools_as_in_a_serial_loop, "reference", "cpu", "cuda")
{
    static const size_t sides[] = {5, 17, 64, 129};
    const rec_solver_type *type = solver_or_skip(*state);
    rec_error error = {0};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        plate_norms serial = {{0}, 0}, found = {{0}, 0};
        char *text;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        serial_plate(sides[s], &serial);
        assert_succeeded(bench_plate(sides[s], MOST_PLATE, type, NULL, stream, &error), &error);
        fclose(stream);
        read_norms(text, &found);
        free(text);
        if (labs((long)found.count - (long)serial.count) > 1)
            fail_msg("%s, N = %zu: %zu iterations instead of %zu", (const char *)*state,
                     sides[s], found.count, serial.count);
        for (size_t i = 1; i <= found.count && i <= serial.count; i++)
            if (found.norm[i] > 0 &&
                !(fabs(found.norm[i] - serial.norm[i]) <= 1e-4 * serial.norm[i]))
                fail_msg("%s, N = %zu: norm %.9g instead of %.9g at iteration %zu",
                         (const char *)*state, sides[s], found.norm[i], serial.norm[i], i);
        if (sides[s] == 64) /* what NVIDIA's program in float prints */
            assert_in_range(found.count, 554, 556);
    }
}
