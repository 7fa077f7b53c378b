/* The forward operator: what a picture's edges are. */
#include "problem/guidance.h"
#include "solver/solver.h"

/* Filters: one iteration applies them in turn. */
static rec_status apply_filters(const rec_image *picture, const rec_problem *problem,
                                rec_image *made, rec_error *error)
{
    rec_problem filtering = *problem;
    filtering.given = picture;
    const rec_solver_type *type;
    rec_solver *solver = NULL;
    rec_status status = rec_solver_find("cpu", &type, error);
    if (!status)
        status = rec_solver_create(&solver, type, &filtering, NULL, error);
    if (!status)
        status = rec_solver_advance(solver, 1, 0, NULL, error);
    if (!status)
        status = rec_solver_read_image(solver, made, error);
    rec_solver_destroy(solver);
    return status;
}

rec_status rec_take_edges(const rec_image *picture, const rec_problem *problem, rec_image *made,
                          rec_error *error)
{
    const rec_boundary *boundary = &problem->boundary;
    return problem->operators
               ? apply_filters(picture, problem, made, error)
               : rec_laplacian(picture, boundary->kind, boundary->value, made, error);
}
