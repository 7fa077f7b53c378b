/* The forward operator: what a picture's edges are. */
#include "problem/guidance.h"
#include "solver/solver.h"

rec_status rec_take_edges(const rec_image *picture, const rec_problem *problem, rec_image *made,
                          rec_error *error)
{
    const rec_boundary *boundary = &problem->boundary;
    rec_problem filtering = *problem;
    const rec_solver_type *type;
    rec_solver *solver = NULL;
    if (!problem->operators)
        return rec_laplacian(picture, boundary->kind, boundary->value, made, error);
    filtering.given = picture;
    REC_TRY(rec_solver_find("cpu", &type, error));
    REC_TRY(rec_solver_create(&solver, type, &filtering, NULL, error));
    rec_status status = rec_solver_advance(solver, 1, 0, NULL, error); /* applies them in turn */
    if (!status)
        status = rec_solver_read_image(solver, made, error);
    rec_solver_destroy(solver);
    return status;
}
