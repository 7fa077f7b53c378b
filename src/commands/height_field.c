/* reconstruct edges --normals, --slopes: the edges of one height field. */
#include "base/output.h"
#include "commands/commands.h"
#include "problem/heights.h"

/* P and Q become the first two planes, signed as edges are. */
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

static rec_status make_edges(const command_line *line, const rec_problem *problem,
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

rec_status command_heights(const command_line *line, const rec_write_options *writing,
                           rec_error *error)
{
    static const option_id of_lists[] = {OPTION_FILES_FROM, OPTION_SHARD, OPTION_OUTPUT_DIR,
                                         OPTION_PARENTS, OPTION_REPORT, OPTION_RESUME, OPTION_JOBS};
    const option_value *given = line->option;
    const size_t wanted = given[OPTION_SLOPES].given ? 2 : 1;
    if (line->operand_count != wanted)
        return rec_fail(error, REC_USAGE, "edges takes %s, not %zu",
                        wanted == 2 ? "two images, P and Q, with --slopes" : "one normal map",
                        line->operand_count);
    for (size_t i = 0; i < sizeof of_lists / sizeof *of_lists; i++)
        if (given[of_lists[i]].given)
            return rec_fail(error, REC_USAGE, "--%s is for lists; a height field is one",
                            option_table[of_lists[i]].name);
    const char *output = given[OPTION_OUTPUT].text;
    rec_write_options chosen = *writing;
    rec_image slopes = {0}, edges = {0};
    rec_problem problem = {.edges = &slopes};
    REC_TRY(conflicts_check(line, error));
    REC_TRY(choose_boundary(line, &problem, error));
    REC_TRY(choose_format(line, &chosen, error));
    REC_TRY(rec_output_check(output, error));
    REC_TRY(rec_write_check(output, 0, &chosen, error));
    REC_TRY(conflicts_check_files(line, wanted, error));
    rec_status status = make_edges(line, &problem, &slopes, &edges, error);
    if (!status)
        status = rec_image_write(output, &edges, &chosen, error);
    rec_image_destroy(&slopes);
    rec_image_destroy(&edges);
    return status;
}
