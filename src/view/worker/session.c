/* An input: opened, compared with its reference, and described. */
#include <limits.h>
#include <math.h>

#include "view/worker/worker_type.h"

rec_status rec_session_load(rec_session *session, rec_job *job, rec_error *error)
{
    *session = (rec_session){.job = job, .numbers = {.distance = NAN, .psnr = NAN, .equal = NAN},
                             .every = job->settings->run.every, .between = 1,
                             .stamp = rec_job_stamp(job)};
    session->new_stamp = session->stamp;
    REC_TRY(rec_job_load(job, error));
    session->size = (rec_size){job->report.width, job->report.height};
    session->planes = job->report.planes;
    session->numbers.levels.white =
        job->reading.role == REC_PICTURE ? job->info.maxval : 255;
    return REC_OK;
}

rec_status rec_session_open(rec_session *session, int restart, rec_error *error)
{
    rec_job *job = session->job;
    REC_TRY(rec_job_open(job, restart, error));
    session->run = job->run;
    session->paint.measured = UINT_MAX; /* the mask of a file is still to be filled */
    /* Of edges the mask is a file's. */
    return rec_job_fills(job) && job->settings->edit.kind != REC_EDIT_ONTO
               ? rec_edit_begin(job->edit, session->paint.of_source, error) : REC_OK;
}

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

void rec_session_close(rec_session *session)
{
    rec_session_close_jumper(session);
    if (session->paint.waiting) {
        rec_run_destroy(session->run);
        session->run = session->job->run = session->paint.waiting;
    }
    session->paint = (rec_paint){.waiting = NULL};
    if (session->run)
        rec_job_close(session->job);
    session->run = NULL;
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
    REC_TRY(rec_job_take_original(session->job, &reference, error));
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
                !rec_job_take_original(session->job, &original, NULL) &&
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
    const rec_edit *edit = rec_session_edit(session);
    return edit && rec_edit_is_unsaved(edit);
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

void rec_session_describe(const rec_session *session, rec_view_state *now)
{
    const rec_edit *edit = rec_session_edit(session);
    if (session->size.width) { /* else it is still that of the input before */
        now->size = session->size;
        now->planes = session->planes;
    }
    now->doubt[0] = '\0';
    now->has_original = now->filled = now->plain = 0;
    now->painted = REC_EDIT_NONE;
    now->numbers = session->numbers;
    now->run = (rec_run_state){.look.change_rms = NAN};
    if (!session->run)
        return;
    now->run = *rec_run_get_state(session->run);
    rec_job_doubt(session->job, now->doubt);
    now->has_original = session->job->original_path || edit;
    now->of_limit = rec_job_has_limit(session->job);
    now->jump = session->jump;
    now->every = session->every ? session->every : session->between;
    now->every_is_automatic = !session->every;
    now->unknown = session->job->edit ? rec_edit_mask(session->job->edit)->count : 0;
    if (edit) {
        now->painted = session->job->settings->edit.kind;
        now->edit = rec_edit_look(edit);
        now->rule = session->paint.of_source ? NULL : rec_session_rule(session);
    }
    now->filled = rec_session_paints(session);
    if (now->filled)
        now->run.stop = REC_STOP_LIMIT;
    if (!rec_run_solver(session->run))
        return;
    rec_solver_get_info(rec_run_solver(session->run), &now->info);
    const rec_solver *edges = rec_session_solver_of(session, REC_LAYER_EDGES);
    now->plain = !edges || !rec_solver_shows(edges, REC_LAYER_EDGES);
}
