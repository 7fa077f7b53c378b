/* An input: its jumper and its reference, and what is shown of it. */
#include <math.h>

#include "view/worker/worker_type.h"

rec_status rec_session_open_jumper(rec_session *session, rec_error *error)
{
    if (session->jumper)
        return REC_OK;
    REC_TRY(rec_job_open_jumper(session->job, &session->jumper, error));
    rec_session_give_reference(session, session->jumper, NULL); /* else: no difference to show */
    return REC_OK;
}

void rec_session_close_jumper(rec_session *session)
{
    rec_solver_destroy(session->jumper);
    session->jumper = NULL;
    session->jumped = 0;
}

/* ---- its reference ---- */

rec_status rec_session_give_reference(rec_session *session, rec_solver *solver, rec_error *error)
{
    rec_owned_image reference = {0};
    const rec_edit *edit = rec_session_edit(session);
    if (edit) /* before and after */
        return rec_solver_set_reference(solver, rec_edit_picture(edit), 1, error);
    if (!session->job->original_path)
        return REC_OK;
    REC_TRY(rec_job_read_original(session->job, &reference, error));
    return rec_solver_set_reference(solver, &reference, 0, error);
}

rec_status rec_session_compare(rec_session *session, rec_error *error)
{
    double mean_square;
    rec_solver *solver = rec_session_solver(session);
    session->numbers.psnr = session->numbers.equal = NAN;
    if (!session->job->original_path || !rec_solver_shows(solver, REC_LAYER_DIFFERENCE))
        return REC_OK;
    REC_TRY(rec_solver_compare(solver, &mean_square, error));
    session->numbers.psnr = rec_psnr(session->job->peak, sqrt(mean_square));
    return REC_OK;
}

void rec_session_count_equal(rec_session *session)
{
    rec_solver *solver = rec_session_solver(session);
    rec_owned_image original = {0}, ours = {0};
    size_t equal = 0;
    int known = session->job->original_path && !rec_job_has_limit(session->job) &&
                rec_solver_shows(solver, REC_LAYER_DIFFERENCE) &&
                !rec_job_read_original(session->job, &original, NULL) &&
                !rec_solver_read_image(solver, &ours, NULL);
    for (size_t y = 0; known && y < ours.height; y++)
        for (size_t x = 0; x < ours.width; x++) {
            int same = 1;
            for (size_t p = 0; p < ours.planes; p++) {
                const float wanted = rec_image_row(&original, p, y)[x];
                same &= fabsf(rec_image_row(&ours, p, y)[x] - wanted) < 0.5f;
                known &= wanted == rintf(wanted);
            }
            equal += (size_t)same;
        }
    session->numbers.equal = known ? (double)equal : NAN;
}

/* ---- what is shown ---- */

rec_solver *rec_session_solver(const rec_session *session)
{
    return session->jumped ? session->jumper : rec_run_solver(session->run);
}

rec_solver *rec_session_solver_of(const rec_session *session, rec_layer layer)
{
    rec_solver *run = rec_run_solver(session->run), *shown = rec_session_solver(session);
    if (layer == REC_LAYER_EDGES && session->paint.waiting) /* what was there before */
        return rec_run_solver(session->paint.waiting);
    if (rec_solver_shows(shown, layer))
        return shown;
    return layer != REC_LAYER_EDGES                          ? NULL
           : rec_solver_shows(run, layer)                   ? run
           : rec_solver_shows(shown, REC_LAYER_DIFFERENCE) ? shown /* its reference instead */
                                                            : NULL;
}

rec_edit *rec_session_edit(const rec_session *session)
{
    return session->run && rec_edit_is_painted(session->job->edit) ? session->job->edit : NULL;
}

unsigned rec_session_strokes(const rec_session *session)
{
    const rec_edit *edit = rec_session_edit(session);
    return edit ? rec_edit_look(edit).strokes : 0;
}

int rec_session_paints(const rec_session *session)
{
    return rec_session_edit(session) && !session->paint.waiting;
}

int rec_session_is_unsaved(const rec_session *session)
{
    return rec_edit_is_unsaved(rec_session_edit(session));
}

rec_phase rec_session_phase(const rec_session *session)
{
    return !session->job    ? REC_PHASE_EMPTY
           : !session->run  ? REC_PHASE_FAILED
           : session->jumped ? REC_PHASE_JUMPED
                             : session->phase;
}

uint64_t rec_session_iterate(const rec_session *session)
{
    const rec_run_state *run = rec_run_get_state(session->run);
    const int limit = run->stop == REC_STOP_LIMIT || rec_session_paints(session);
    return session->jumped ? session->jump : limit ? REC_LIMIT_ITERATION : run->iterations;
}

const char *rec_session_rule(const rec_session *session)
{
    static const char *const healing[REC_GRADIENTS] = {
        [REC_GRADIENT_SOURCE] = "the texture there", [REC_GRADIENT_MIXED] = "the stronger of both",
        [REC_GRADIENT_AVERAGE] = "the mean of both",
        [REC_GRADIENT_MONOCHROME] = "the grey texture there", [REC_GRADIENT_ZERO] = "smooth"};
    const rec_edit_state state = rec_edit_look(session->job->edit);
    return rec_session_clones(session) ? rec_gradients[state.rule].name
           : state.sought              ? "auto"
                                       : healing[state.rule];
}
