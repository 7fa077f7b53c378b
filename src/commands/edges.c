/* reconstruct edges: the forward operator. */
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "commands/commands.h"
#include "problem/heights.h"

#define ZERO_LEVEL 32768.0 /* of 16-bit edges, unless --zero-level says otherwise */

/* The means of the picture, in the form of --mean: edges with a free mean do not contain them. */
static void print_means(FILE *stream, const rec_image *picture)
{
    fputs("mean ", stream);
    for (size_t p = 0; p < picture->planes; p++)
        fprintf(stream, "%s%.17g", p ? "," : "", rec_image_mean(picture, p));
    fputc('\n', stream);
}

/* The picture is kept: its mean is printed when its edges are written. */
static rec_status make_edges(const char *input, const rec_problem *problem, rec_image *picture,
                             rec_image *edges, rec_error *error)
{
    const rec_read_options reading = {.role = REC_PICTURE};
    rec_image_info info;
    REC_TRY(rec_image_read(input, &reading, picture, &info, error));
    rec_notes_print(input, &info);
    return rec_problem_take_edges(problem, edges, error);
}

/* P and Q become the first two planes; their samples are signed, as those of edges. */
static rec_status read_slopes(char *const *inputs, rec_image *slopes, rec_error *error)
{
    const rec_read_options reading = {.role = REC_EDGES};
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < 2; i++) {
        rec_image plane;
        status = rec_image_read(inputs[i], &reading, &plane, NULL, error);
        if (!status && (plane.planes != 1 || (i && (plane.width != slopes->width ||
                                                    plane.height != slopes->height))))
            status = rec_fail(error, REC_BAD_INPUT, "%s: slopes are two grey images of one size",
                              inputs[i]);
        if (!status && !i)
            status = rec_image_create(slopes, plane.width, plane.height, 3, error);
        if (!status)
            rec_copy_rows(rec_image_row(slopes, i, 0), slopes->stride, plane.data, plane.stride,
                          plane.width, plane.height);
        rec_image_destroy(&plane);
    }
    return status;
}

static rec_status make_heights(const command_line *line, const rec_problem *problem,
                               rec_image *slopes, rec_image *edges, rec_error *error)
{
    const rec_read_options reading = {.role = REC_PICTURE};
    const char *input = line->operands[0];
    rec_image_info info;
    if (line->option[OPTION_SLOPES].given) {
        REC_TRY(read_slopes(line->operands, slopes, error));
    } else {
        REC_TRY(rec_image_read(input, &reading, slopes, &info, error));
        if (slopes->planes != 3 || info.format->samples != REC_TONES_OF_MAXVAL)
            return rec_fail(error, REC_BAD_INPUT, "%s: a normal map is in colour, of 8 or 16 bits",
                            input);
        rec_normals_to_slopes(slopes, info.maxval, line->option[OPTION_GREEN].count == 1);
    }
    return rec_slopes_take_edges(slopes, problem->boundary.kind, edges, error);
}

/* Edges whose picture has any mean: with a free mean and a stencil that sums to 0. */
static int loses_mean(const rec_problem *problem)
{
    return rec_boundary_frees_mean(problem->boundary.kind) &&
           (!problem->operators || (problem->operator_count == 1 &&
                                    rec_stencil_loses_mean(&problem->operators->stencil)));
}

rec_status command_edges(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const size_t wanted = given[OPTION_SLOPES].given ? 2 : 1;
    if (line->operand_count != wanted)
        return rec_fail(error, REC_USAGE, "edges takes %s, not %zu",
                        wanted == 2 ? "two images, P and Q, with --slopes" : "one picture",
                        line->operand_count);
    if (!given[OPTION_OUTPUT].given)
        return rec_fail(error, REC_USAGE, "edges needs -o, the file for the edges");
    const char *output = given[OPTION_OUTPUT].text;
    rec_write_options writing = {
        .maxval = 65535, .tone = REC_TONE_CLAMP, .exact = 1,
        .offset = option_number(&given[OPTION_ZERO_LEVEL], ZERO_LEVEL)};
    rec_image picture = {0}, edges = {0};
    rec_problem problem = {.edges = &picture};
    rec_status status = conflicts_check(line, error);
    if (!status && !is_five_point(line))
        status = choose_filters(line, &problem, error);
    if (!status)
        status = choose_boundary(line, &problem, error);
    if (!status)
        status = choose_format(line, &writing, error);
    if (!status)
        status = rec_output_check(output, error);
    if (!status)
        status = rec_write_check(output, 0, &writing, error);
    if (!status)
        status = conflicts_check_files(line, wanted, error);
    if (!status)
        status = has_slopes(line)
                     ? make_heights(line, &problem, &picture, &edges, error)
                     : make_edges(line->operands[0], &problem, &picture, &edges, error);
    if (!status)
        status = rec_image_write(output, &edges, &writing, error);
    /* stdout may have the edges on it */
    if (!status && loses_mean(&problem) && !has_slopes(line))
        print_means(strcmp(output, "-") ? stdout : stderr, &picture);
    rec_image_destroy(&picture);
    rec_image_destroy(&edges);
    free((void *)problem.operators);
    return status;
}
