/* reconstruct edges: the forward operator. */
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "commands/commands.h"

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
    if (line->operand_count != 1)
        return rec_fail(error, REC_USAGE, "edges takes one picture, not %zu",
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
        status = conflicts_check_files(line, 1, error);
    if (!status)
        status = make_edges(line->operands[0], &problem, &picture, &edges, error);
    if (!status)
        status = rec_image_write(output, &edges, &writing, error);
    /* stdout may have the edges on it */
    if (!status && loses_mean(&problem))
        print_means(strcmp(output, "-") ? stdout : stderr, &picture);
    rec_image_destroy(&picture);
    rec_image_destroy(&edges);
    free((void *)problem.operators);
    return status;
}
