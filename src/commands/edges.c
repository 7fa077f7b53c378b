/* reconstruct edges: the forward operator, by the jobs of the run command; and the edges of one
 * height field. reconstruct heights: the heights with these edges. */
#include "base/text.h"
#include "commands/commands.h"

/* P and Q become the first two planes, signed as edges are. */
static rec_status read_slopes(char *const *inputs, rec_image *slopes, rec_error *error)
{
    REC_OWNED(rec_extras_destroy) rec_extras beside = {0}; /* an alpha is not used */
    const rec_read_options reading = {.role = REC_EDGES, .extras = &beside};
    for (size_t i = 0; i < 2; i++) {
        rec_owned_image plane = {0};
        REC_TRY(rec_image_read(inputs[i], &reading, &plane, NULL, error));
        if (plane.planes != 1 ||
            (i && (plane.width != slopes->width || plane.height != slopes->height)))
            return rec_fail(error, REC_BAD_INPUT, "%s: slopes are two grey images of one size",
                            inputs[i]);
        if (!i)
            REC_TRY(rec_image_create(slopes, plane.width, plane.height, 3, error));
        rec_copy_rows(rec_image_row(slopes, i, 0), slopes->stride, plane.data, plane.stride,
                      plane.width, plane.height);
    }
    return REC_OK;
}

static void choose_green(const command_line *line, const char *name, rec_image *slopes)
{
    const rec_green wished = (rec_green)line->option[OPTION_GREEN].count;
    rec_green green = wished;
    double curls[2];
    if (!rec_slopes_turn(slopes, &green, curls))
        rec_say(stderr, "warning: %s: it is unclear where green points: the curl is %.3g with "
                        "green up, which is used, and %.3g with green down; --green decides\n",
                rec_input_name(name), curls[0], curls[1]);
    else if (wished == REC_GREEN_AUTO && !line->option[OPTION_QUIET].given)
        rec_say(stderr, "note: %s: green points %s: the curl is %.3g with green up, and %.3g with "
                "green down\n", rec_input_name(name), green == REC_GREEN_DOWN ? "down" : "up",
                curls[0], curls[1]);
}

static rec_status read_heights(const command_line *line, rec_image *slopes, rec_error *error)
{
    /* An alpha holds a height or a gloss, and is not used. */
    REC_OWNED(rec_extras_destroy) rec_extras beside = {0};
    const rec_read_options reading = {.role = REC_PICTURE, .unchecked = 1, .extras = &beside};
    const option_value *given = line->option;
    const char *input = line->operands[0];
    rec_image_info info;
    if (line->option[OPTION_SLOPES].given)
        return read_slopes(line->operands, slopes, error);
    REC_TRY(rec_image_read(input, &reading, slopes, &info, error));
    rec_notes_print(input, &info, 0);
    const int is_map = rec_has_tones(info.format);
    const double white = is_map ? info.maxval : beside.largest > 0 ? beside.largest : 1;
    if (slopes->planes != 3 || (!is_map && white > 32767))
        return rec_fail(error, REC_BAD_INPUT, "%s: a normal map is in colour, of integers of 8 or "
                        "16 bits, or floats of -1 to 1", input);
    if (info.format->lossy)
        rec_say(stderr, "warning: %s: JPEG changes normals, which bends their heights\n",
                rec_input_name(input));
    const double away = given[OPTION_FLAT].given ? (double)given[OPTION_FLAT].count - 1 : 0;
    const double zero = is_map ? (white + away) / 2 : 0;
    double flat;
    if (rec_normals_to_slopes(slopes, zero, white, &flat) && !given[OPTION_QUIET].given)
        rec_say(stderr, "note: %s: blue is never above its middle, so it is computed from red and "
                        "green\n", rec_input_name(input));
    if (!given[OPTION_QUIET].given && flat < zero)
        rec_say(stderr, "note: %s: %g is flat in red and green; --flat sets what stands for 0\n",
                rec_input_name(input), flat);
    choose_green(line, input, slopes);
    return REC_OK;
}

/* The heights whose mean is 0. */
static rec_status solve(const rec_settings *settings, rec_image *edges, rec_error *error)
{
    rec_problem problem = settings->run.problem;
    rec_owned_solver *solver = NULL;
    problem.input = edges;
    problem.boundary.mean_count = 3;
    REC_TRY(rec_solver_create(&solver, settings->run.solver, &problem,
                              &settings->run.solver_options, error));
    REC_TRY(rec_solver_jump(solver, REC_LIMIT_ITERATION, error));
    rec_image_destroy(edges);
    return rec_solver_read_image(solver, edges, error);
}

rec_status command_edges(const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    const char *name = line->command == COMMAND_HEIGHTS ? "heights" : "edges";
    const size_t wanted = given[OPTION_SLOPES].given ? 2 : 1;
    REC_OWNED(settings_destroy) rec_settings settings = {0};
    rec_owned_image slopes = {0}, edges = {0};
    if (!given[OPTION_OUTPUT].given && !given[OPTION_OUTPUT_DIR].given)
        return rec_fail(error, REC_USAGE, "%s needs -o, the file for the %s", name, name);
    if (!has_slopes(line))
        return command_run(line, error);
    if (line->operand_count != wanted)
        return rec_fail(error, REC_USAGE, "%s takes %s, not %zu", name,
                        wanted == 2 ? "two images, P and Q, with --slopes" : "one normal map",
                        line->operand_count);
    REC_TRY(settings_parse(&settings, line, error));
    if (ANY_GIVEN(line, OPTION_FILES_FROM, OPTION_SHARD, OPTION_OUTPUT_DIR, OPTION_PARENTS,
                  OPTION_REPORT, OPTION_RESUME, OPTION_JOBS))
        return rec_fail(error, REC_USAGE, "heights are computed one field at a time, without the "
                                          "options of lists, such as --files-from and --report");
    if (!given[OPTION_MAXVAL].given && line->command == COMMAND_HEIGHTS &&
        rec_write_check(settings.output, 1, &settings.writing, NULL)) /* such as JPEG */
        settings.writing.maxval = 255;
    REC_TRY(conflicts_check_files(line, &settings.writing, error));
    REC_TRY(read_heights(line, &slopes, error));
    REC_TRY(rec_slopes_make_edges(&slopes, settings.run.problem.boundary.kind, &edges, error));
    if (line->command == COMMAND_HEIGHTS)
        REC_TRY(solve(&settings, &edges, error));
    return rec_image_write(settings.output, &edges, &settings.writing, error);
}
