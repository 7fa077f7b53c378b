/* Options that several commands share, and their meaning. */
#include "commands/commands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define MOST_DEVICE_NUMBER 1023

rec_status choose_stencil(const command_line *line, size_t index, rec_stencil *stencil,
                          rec_error *error)
{
    const option_value *given = line->option;
    const rec_stencil_options options = {.radius = given[OPTION_WIDTH].count,
                                         .normalise = given[OPTION_NORMALISE].given,
                                         .flip = given[OPTION_FLIP].given};
    return rec_stencil_make(stencil, line->stencils.at[index], &options, error);
}

rec_status choose_filters(const command_line *line, rec_problem *problem, rec_error *error)
{
    rec_stencil stencil;
    rec_operator *filters;
    const size_t count = problem->operator_count = line->stencils.count;
    REC_TRY(rec_allocate_zeroed(&filters, count, sizeof *filters, "the stencils", error));
    problem->operators = filters;
    for (size_t i = 0; i < count; i++) {
        REC_TRY(choose_stencil(line, i, &stencil, error));
        rec_operator_filter(&filters[i], &stencil);
    }
    return REC_OK;
}

/* The five-point Laplacian, in double, which is rounded once. */
int is_five_point(const command_line *line)
{
    const rec_boundary_row *boundary = &rec_boundaries[line->option[OPTION_BOUNDARY].count];
    return !line->stencils.count ||
           (line->stencils.count == 1 && !strcmp(line->stencils.at[0], "laplace") &&
            boundary->uses & REC_FOR_UPDATES &&
            !line->option[OPTION_NORMALISE].given && !line->option[OPTION_WIDTH].given);
}

int has_slopes(const command_line *line)
{
    return line->option[OPTION_NORMALS].given || line->option[OPTION_SLOPES].given;
}

rec_status choose_boundary(const command_line *line, rec_problem *problem, rec_error *error)
{
    const option_value *kind = &line->option[OPTION_BOUNDARY], *halo = &line->option[OPTION_HALO];
    const unsigned use = rec_problem_use(problem->operators);
    const int opens = line->command == COMMAND_HEAL || line->command == COMMAND_CLONE ||
                      has_slopes(line);
    const int is_free = opens && !kind->given && !halo->given; /* no fringe at a picture's side */
    rec_boundary *boundary = &problem->boundary;
    *boundary = (rec_boundary){.kind = is_free ? REC_BOUNDARY_MIRROR
                                               : (rec_boundary_kind)kind->count,
                               .value = (float)option_number(halo, 0)};
    if (!(rec_boundaries[boundary->kind].uses & use)) {
        char names[REC_BOUNDARY_LIST];
        return rec_fail(error, REC_USAGE, "--boundary %s: must be %s", kind->text,
                        rec_boundary_list(names, use));
    }
    if (has_slopes(line) && !rec_boundary_frees_mean(boundary->kind))
        return rec_fail(error, REC_USAGE, "--boundary %s: nothing is known around a height field; "
                        "it must be mirror or wrap", rec_boundaries[boundary->kind].name);
    if (!rec_boundary_has_constant(boundary->kind) && halo->given)
        return rec_fail(error, REC_USAGE,
                        "--halo is the constant around the picture; --boundary %s has no constant",
                        rec_boundaries[boundary->kind].name);
    if (halo->given && fabs(halo->number) > REC_MAX_MAGNITUDE)
        return rec_fail(error, REC_BAD_INPUT, "--halo %s: must be at most %g in magnitude",
                        halo->text, REC_MAX_MAGNITUDE);
    return REC_OK;
}

static rec_status read_devices(const char *text, rec_solver_options *options, rec_error *error)
{
    for (const char *at = text; at;) {
        char part[OPTION_PART];
        const char *end;
        uint64_t device;
        REC_TRY(option_next_part(OPTION_DEVICE, &at, part, error));
        if (!option_read_count(part, &end, &device) || *end || device > MOST_DEVICE_NUMBER)
            return rec_fail(error, REC_USAGE,
                            "--device %s: must be numbers from 0 to %d with commas, or all", text,
                            MOST_DEVICE_NUMBER);
        if (options->device_count == REC_MOST_DEVICES)
            return rec_fail(error, REC_USAGE, "--device %s: at most %d devices share an image",
                            text, REC_MOST_DEVICES);
        for (size_t i = 0; i < options->device_count; i++)
            if (options->devices[i] == (int)device)
                return rec_fail(error, REC_USAGE, "--device %s: names device %s twice", text, part);
        options->devices[options->device_count++] = (int)device;
    }
    return REC_OK;
}

rec_status choose_devices(const command_line *line, rec_solver_options *options, rec_error *error)
{
    const option_value *device = &line->option[OPTION_DEVICE];
    options->slabs = (size_t)line->option[OPTION_SLABS].count;
    if (!device->given)
        return REC_OK;
    if (strcmp(device->text, "all"))
        return read_devices(device->text, options, error);
    size_t count;
    rec_devices(NULL, 0, 0, &count, error);
    while (options->device_count < count && options->device_count < REC_MOST_DEVICES) {
        options->devices[options->device_count] = (int)options->device_count;
        options->device_count++;
    }
    return count ? REC_OK : REC_UNAVAILABLE;
}

rec_status choose_format(const command_line *line, rec_write_options *options, rec_error *error)
{
    const option_value *format = &line->option[OPTION_FORMAT];
    char list[REC_FORMAT_LIST];
    options->format = format->given ? rec_format_find(format->text) : NULL;
    if (format->given && !options->format)
        return rec_fail(error, REC_USAGE, "--format %s: unknown format; use %s", format->text,
                        rec_format_list(list, REC_FORMAT_NAMES, 0));
    return REC_OK;
}
