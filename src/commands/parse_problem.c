/* What is solved, and by which solver. */
#include "commands/commands.h"

#include <math.h>

#include "base/clock.h"

/* ---- operators ---- */

/* 1 without --stencil, or if it is the five-point Laplacian: the update in double, rounded once. */
static int is_five_point(const command_line *line)
{
    const option_value *given = line->option;
    return !line->texts.count ||
           (line->texts.count == 1 && !strcmp(line->texts.at[0], "laplace") &&
            rec_boundaries[given[OPTION_BOUNDARY].count].uses & REC_FOR_UPDATES &&
            !ANY_GIVEN(line, OPTION_NORMALISE, OPTION_WIDTH) &&
            option_number(&given[OPTION_OMEGA], 1) == 1);
}

/* The operator that finds the picture of the stencil's edges. */
static rec_status make_inverse(rec_operator *made, const rec_stencil *stencil,
                               const command_line *line, const char *solver, rec_error *error)
{
    const option_value *given = line->option;
    const int iterates =
        ANY_GIVEN(line, OPTION_ITERATIONS, OPTION_FRAMES_AT) || strcmp(solver, "spectral");
    double omega = option_number(&given[OPTION_OMEGA], 1);
    if (line->texts.count > 1)
        return rec_fail(error, REC_USAGE, "the edges must be of one --stencil, not of %zu",
                        line->texts.count);
    if (given[OPTION_TOLERANCE].given)
        return rec_fail(error, REC_USAGE, "-t cannot be used with --stencil: without -n the "
                                          "picture is found at once");
    if (!given[OPTION_OMEGA].given && iterates)
        REC_TRY(rec_operator_choose_omega(stencil, &omega, error));
    rec_operator_iteration(made, stencil, omega);
    made->force = given[OPTION_FORCE].given;
    return REC_OK;
}

/* Filters, or for edges of another stencil than the five-point Laplacian its inverse. */
rec_status settings_set_operators(rec_settings *made, const command_line *line, const char *solver,
                                  rec_error *error)
{
    const option_value *given = line->option;
    const rec_stencil_options options = {.radius = given[OPTION_WIDTH].count,
                                         .normalise = given[OPTION_NORMALISE].given,
                                         .flip = given[OPTION_FLIP].given};
    rec_problem *problem = &made->run.problem;
    rec_stencil stencil;
    rec_operator *operators;
    if (line->command != COMMAND_CONVOLVE && is_five_point(line))
        return REC_OK;
    REC_TRY(rec_allocate_zeroed(&operators, line->texts.count, sizeof *operators,
                                "the stencils", error));
    problem->operators = operators;
    problem->operator_count = line->texts.count;
    for (size_t i = 0; i < line->texts.count; i++) {
        REC_TRY(rec_stencil_make(&stencil, line->texts.at[i], &options, error));
        if (line->command == COMMAND_RUN)
            REC_TRY(make_inverse(&operators[i], &stencil, line, solver, error));
        else
            rec_operator_filter(&operators[i], &stencil);
    }
    return REC_OK;
}

/* ---- the boundary ---- */

int has_slopes(const command_line *line)
{
    return line->command == COMMAND_HEIGHTS || ANY_GIVEN(line, OPTION_NORMALS, OPTION_SLOPES);
}

rec_status settings_set_boundary(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option, *halo = &given[OPTION_HALO];
    const option_value *mean = &given[OPTION_MEAN];
    rec_problem *problem = &made->run.problem;
    rec_boundary *boundary = &problem->boundary;
    const unsigned use = rec_problem_use(problem->operators);
    char names[REC_BOUNDARY_LIST];
    if ((EDITS >> line->command & 1 || has_slopes(line)) &&
        !ANY_GIVEN(line, OPTION_BOUNDARY, OPTION_HALO))
        boundary->kind = REC_BOUNDARY_MIRROR; /* there is no fringe at a picture's side */
    const char *name = rec_boundaries[boundary->kind].name;
    if (!(rec_boundaries[boundary->kind].uses & use))
        return rec_fail(error, REC_USAGE, "--boundary %s: must be %s", name,
                        rec_boundary_list(names, use));
    const int needs_free = mean->given || given[OPTION_BALANCE].given;
    REC_TRY(REFUSE(error,
        {has_slopes(line) && !rec_boundary_frees_mean(boundary->kind),
         "--boundary %s: nothing is known around a height field; it must be mirror, wrap or "
         "cylinder", name},
        {halo->given && !rec_boundary_has_constant(boundary->kind),
         "--halo is the constant around the picture; --boundary %s has no constant", name},
        {needs_free && !rec_problem_frees_mean(problem),
         mean->given ? "--mean needs --boundary %s" : "--balance needs --boundary %s",
         rec_boundary_list(names, 0)}));
    if (fabs(option_number(halo, 0)) > REC_MAX_MAGNITUDE)
        return rec_fail(error, REC_BAD_INPUT, "--halo %s: must be at most %g in magnitude",
                        halo->text, REC_MAX_MAGNITUDE);
    if (!mean->given)
        return REC_OK;
    /* One number for all planes, or one for each of three. */
    boundary->mean_count = option_read_numbers(mean->text, REC_MAX_MAGNITUDE, boundary->means, 3);
    if (boundary->mean_count != 1 && boundary->mean_count != 3)
        return rec_fail(error, REC_USAGE, "--mean %s: must be a number, or for colour three with "
                        "commas, at most %g in magnitude", mean->text, REC_MAX_MAGNITUDE);
    for (size_t p = boundary->mean_count; p < 3; p++)
        boundary->means[p] = boundary->means[0];
    return REC_OK;
}

/* ---- the solver ---- */

int is_headless(const command_line *line)
{
    return line->option[OPTION_HEADLESS].given || (EDGES | HEIGHTS) >> line->command & 1;
}

const char *choose_solver(const command_line *line, const rec_settings *settings)
{
    const option_value *given = line->option;
    const rec_solver_type *type;
    const int other = given[OPTION_STENCIL].given && !is_five_point(line);
    const char *exact = other ? "spectral" : rec_limit_solver(settings);
    /* Headless, or painted, without what needs iterates. Inside a mask -t says how exact. */
    const int wants_the_limit = (EDITS >> line->command & 1 || is_headless(line)) &&
                                line->command != COMMAND_CONVOLVE &&
                                (settings->edit.kind || !given[OPTION_TOLERANCE].given) &&
                                !ANY_GIVEN(line, OPTION_ITERATIONS, OPTION_COMPARE, OPTION_KERNEL,
                                           OPTION_FRAMES);
    if (given[OPTION_SOLVER].given)
        return given[OPTION_SOLVER].text;
    if (given[OPTION_FRAMES_AT].given)
        return "spectral";
    return wants_the_limit && !rec_solver_find(exact, &type, NULL) ? exact : "auto";
}

/* By name or --device. auto begins on the processor, unless all iterations need one solver. */
static rec_status find_solver(rec_settings *made, const command_line *line, const char *name,
                              rec_error *error)
{
    const option_value *given = line->option;
    const int must_not_hand_over =
        ANY_GIVEN(line, OPTION_KERNEL, OPTION_SLABS, OPTION_COMPARE) || rec_ranks_count() > 1;
    REC_TRY(option_read_place(&given[OPTION_DEVICE], &given[OPTION_SLABS],
                              &made->run.solver_options, error));
    if (given[OPTION_DEVICE].given && (!strcmp(name, "cpu") || !strcmp(name, "reference")))
        return rec_fail(error, REC_USAGE, "--device names a GPU, but the %s solver uses none",
                        name);
    if (given[OPTION_DEVICE].given && !strcmp(name, "auto"))
        name = "cuda";
    if (!strcmp(name, "auto") && !must_not_hand_over) {
        made->successor = rec_solver_with_device();
        name = "cpu";
    }
    return rec_solver_find(name, &made->run.solver, error);
}

rec_status settings_set_solver(rec_settings *made, const command_line *line, const char *solver,
                               rec_error *error)
{
    const option_value *given = line->option;
    const double before = rec_now();
    if (made->makes_edges) /* none is created; a journal tells solvers apart only if they jump */
        return rec_solver_find("cpu", &made->run.solver, error);
    const rec_status status = find_solver(made, line, solver, error);
    made->find_seconds = rec_now() - before;
    if (status)
        return status;
    rec_run_options *run = &made->run;
    const char *name = run->solver->name;
    const int jumps = run->solver->jumps; /* in one step */
    const int any = run->solver->jumps == REC_ANYWHERE, at = given[OPTION_FRAMES_AT].given;
    if (jumps && given[OPTION_DEVICE].given && !given[OPTION_KERNEL].given)
        run->solver_options.kernel = "cuda";
    if (jumps && !given[OPTION_ITERATIONS].given && !made->against)
        run->iterations = REC_ENDLESS; /* for it, the limit */
    const int exact = jumps && made->headless && run->iterations == REC_ENDLESS && !made->frames;
    return REFUSE(error,
        {jumps && made->frames && !at,
         "--frames without --frames-at LIST writes a stencil's iterates; the %s solver has none",
         name},
        {at && jumps && !any,
         "--frames-at needs --solver spectral, which jumps; %s gives only the limit", name},
        {at && !jumps, "--frames-at needs --solver spectral, which jumps; %s iterates", name},
        {made->edit.keep > 0 && !jumps, "--keep: the %s solver iterates, and no iteration keeps "
         "colours; without -n, -s, --kernel and --compare the picture is exact", name},
        {jumps && !any && given[OPTION_ITERATIONS].given,
         "-n: the %s solver gives only the limit", name},
        {run->problem.boundary.mean_count && (!jumps || given[OPTION_ITERATIONS].given),
         "--mean applies to the limit (--solver spectral without -n); an iterate keeps the mean of "
         "its start, which --start VALUE chooses", NULL},
        {jumps && made->against == REC_AGAINST_BITS && made->max_difference < 0,
         "the %s solver works in double, and its bits differ from those of the float32 reference; "
         "--compare with it needs --max-difference D", name},
        {jumps && made->headless && given[OPTION_EVERY].given,
         "-k has no effect: the %s solver takes one step", name},
        {exact && made->start != REC_START_EDGES && !rec_problem_frees_mean(&run->problem),
         "--start has no effect on the exact picture, only on iterates (-n N)", NULL},
        {exact && given[OPTION_OMEGA].given,
         "--omega has no effect on the exact picture, only on iterates (-n N)", NULL});
}

/* Work that needs the whole image is left to the first rank. */
rec_status settings_share(rec_settings *made, rec_status status, rec_error *error)
{
    double number = 0;
    if (rec_ranks_own()) /* the first rank writes it */
        made->report = NULL;
    status = rec_ranks_agree(status, error);
    if (status || made->run.solver->jumps)
        return status;
    const rec_operator *operators = made->run.problem.operators;
    if (made->reading.role == REC_PICTURE && (!operators || operators->is_inverse))
        return rec_fail(error, REC_USAGE, "--picture -n: several ranks cannot compute "
                                          "edges\v`reconstruct edges` makes them");
    while (rec_solver_at((size_t)number) != made->run.solver)
        number++;
    if (rec_ranks_most(number) + rec_ranks_most(-number) != 0)
        return rec_fail(error, REC_UNAVAILABLE, "some ranks have a device, and others have none\v"
                                                "--solver cpu works on all");
    made->reading.shared = 1;
    if (!strcmp(made->run.solver->name, "cuda"))
        rec_devices_share(&made->run.solver_options);
    return REC_OK;
}
