#include "bench/course_case.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "image/stencil.h"

static void fill(rec_image *image, bench_input input)
{
    uint64_t state = 2026;
    for (size_t y = 0; y < image->height; y++)
        for (size_t x = 0; x < image->width; x++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            rec_image_row(image, 0, y)[x] = input == BENCH_RAMP
                                                ? (float)(image->width * y + x)
                                                : (float)(state >> 56);
        }
}

static double convolve(const bench_case *of, size_t y, size_t x)
{
    const rec_taps *taps = &of->filter.taps;
    const size_t r = of->radius;
    double sum = 0;
    for (size_t j = 0; j < (size_t)taps->height; j++)
        for (size_t i = 0; i < (size_t)taps->width; i++)
            if (y + j >= r && y + j - r < of->height && x + i >= r && x + i - r < of->width)
                sum += (double)taps->weights[j * (size_t)taps->width + i] *
                       (double)rec_image_row(&of->edges, 0, y + j - r)[x + i - r];
    return sum;
}

static rec_status work_out(bench_case *of, rec_error *error)
{
    void *memory;
    const rec_status status = rec_allocate(&memory, of->width * of->height, sizeof(float),
                                           "what a rung must give", error);
    if (status)
        return status;
    of->expected[BENCH_CONVOLUTION][0] = memory;
    float *pixels = memory;
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (size_t y = 0; y < of->height; y++)
        for (size_t x = 0; x < of->width; x++)
            pixels[y * of->width + x] = (float)convolve(of, y, x);
    return REC_OK;
}

rec_status bench_course_create(bench_case *made, size_t side, size_t radius, bench_input input,
                               rec_error *error)
{
    const rec_stencil_options options = {.radius = radius};
    rec_stencil stencil;
    *made = (bench_case){.width = side, .height = side, .radius = radius};
    rec_status status = rec_stencil_make(&stencil, "course", &options, error);
    if (status)
        return status;
    rec_operator_filter(&made->filter, &stencil);
    status = rec_image_create(&made->edges, side, side, 1, error);
    if (!status) {
        fill(&made->edges, input);
        status = work_out(made, error);
    }
    if (status)
        bench_case_destroy(made);
    return status;
}

rec_status bench_course_read(bench_case *of, const char *path, rec_error *error)
{
    const size_t pixels = of->width * of->height;
    uint32_t *words = of->expected[BENCH_CONVOLUTION][0];
    FILE *file = fopen(path, "rb");
    if (!file)
        return rec_fail(error, REC_NO_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    rec_status status = REC_OK;
    if (fread(words, sizeof *words, pixels, file) != pixels || fgetc(file) != EOF)
        status = ferror(file)
                     ? rec_fail(error, REC_IO, "%s: cannot be read: %s", path, strerror(errno))
                     : rec_fail(error, REC_BAD_INPUT,
                                "%s: a reference for %zu x %zu pixels has %zu bytes", path,
                                of->width, of->height, pixels * sizeof *words);
    fclose(file);
    return status;
}

rec_status bench_course_write(const bench_case *of, const char *path, rec_error *error)
{
    rec_output *output;
    const rec_status status = rec_output_open(&output, path, error);
    if (status)
        return status;
    fwrite(of->expected[BENCH_CONVOLUTION][0], sizeof(float), of->width * of->height,
           rec_output_stream(output));
    return rec_output_commit(output, error);
}
