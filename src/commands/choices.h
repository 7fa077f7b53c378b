/* What several commands read out of the command line: stencils, boundaries, devices, formats. */
#ifndef REC_COMMANDS_CHOICES_H
#define REC_COMMANDS_CHOICES_H

#include "commands/options.h"
#include "image/stencil.h"
#include "solver/boundary.h"
#include "solver/operator.h"
#include "solver/solver.h"

/* The stencil of the option --stencil number `index`. */
rec_status choose_stencil(const command_line *line, size_t index, rec_stencil *stencil,
                          rec_error *error);

/* 1 when the stencil is the five-point Laplacian, or none is given. */
int is_five_point(const command_line *line);

/* The filters that the options ask for, line->stencils.count of them, into an array to be freed. */
rec_status choose_filters(const command_line *line, rec_operator **filters, rec_error *error);

/* What --device and --slabs say; REC_USAGE for what is no list of devices, REC_UNAVAILABLE for
 * `all` where there are none. */
rec_status choose_devices(const command_line *line, rec_solver_options *options, rec_error *error);

/* What --boundary and --halo say; REC_USAGE for a kind that is none of `kinds`, and for --halo with
 * one that has no constant, REC_BAD_INPUT for too large a constant. */
rec_status choose_boundary(const command_line *line, unsigned kinds, rec_boundary *boundary,
                           rec_error *error);

/* The format that -o and --format ask for; REC_USAGE naming what there is. planes 0: not known. */
struct rec_write_options;
rec_status choose_format(const command_line *line, const char *path, size_t planes,
                         struct rec_write_options *options, rec_error *error);

#endif
