/* An input: opened, compared with its reference, and described. */
#include <limits.h>
#include <math.h>

#include "job/job.h"
#include "view/worker/worker_type.h"

rec_status rec_session_load(rec_session *session, rec_job *job, rec_error *error)
{
    *session = (rec_session){.job = job, .numbers = {.distance = NAN, .psnr = NAN, .equal = NAN},
                             .every = job->settings->run.every, .between = 1,
                             .stamp = rec_job_stamp(job)};
    session->new_stamp = session->stamp;
    REC_TRY(rec_job_load(job, error));
    session->size = (rec_size){job->given.width, job->given.height};
    session->planes = job->given.planes;
    session->numbers.levels.white =
        job->reading.role == REC_PICTURE ? job->info.maxval : 255;
    return REC_OK;
}

rec_status rec_session_open(rec_session *session, int restart, rec_error *error)
{
    rec_job *job = session->job;
    const rec_edit_kind kind = job->settings->edit.kind;
    REC_TRY(rec_job_open(job, restart, error));
    session->run = job->run;
    if ((kind != REC_EDIT_HEAL && kind != REC_EDIT_CLONE) ||
        !rec_solver_type_jumps(job->settings->run.solver))
        return REC_OK; /* its mask cannot change: nothing can be painted */
    REC_TRY(rec_edit_begin_sources(job, error));
    session->paint.guidance = rec_edit_guidance(job, &job->start);
    session->paint.measured = UINT_MAX; /* the mask of a file is still to be filled */
    return rec_brush_create(&session->paint.brush, &job->mask, &job->sources, error);
}

const rec_patch *rec_session_patch(const rec_session *session)
{
    static const rec_patch smooth = {.smooth = 1};
    const rec_sources *sources = &session->job->sources;
    return session->paint.guidance.rule == REC_GRADIENT_ZERO || !session->paint.label
               ? &smooth : &sources->at[session->paint.label - 1];
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
    rec_brush_destroy(&session->paint.brush);
    session->paint = (rec_paint){.strokes = 0};
    if (session->run)
        rec_job_close(session->job);
    session->run = NULL;
}

/* ---- its reference ---- */

rec_status rec_session_give_reference(rec_session *session, rec_solver *solver, rec_error *error)
{
    rec_owned_image reference = {0};
    if (session->paint.brush.mask) /* before and after */
        return rec_solver_set_reference(solver, &session->job->start, 1, error);
    if (!session->job->original_path)
        return REC_OK;
    REC_TRY(rec_job_take_original(session->job, &reference, &session->peak, error));
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
    session->numbers.psnr = rec_psnr(session->peak, sqrt(mean_square));
    return REC_OK;
}

void rec_session_count_equal(rec_session *session)
{
    rec_solver *solver = rec_session_solver(session);
    rec_owned_image original = {0}, ours = {0};
    size_t equal = 0;
    int known = session->job->original_path && rec_solver_shows(solver, REC_LAYER_DIFFERENCE) &&
                !rec_job_take_original(session->job, &original, &session->peak, NULL) &&
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

int rec_session_paints(const rec_session *session)
{
    return session->run && session->paint.brush.mask && !session->paint.waiting;
}

int rec_session_is_unsaved(const rec_session *session)
{
    const rec_paint *paint = &session->paint;
    return session->run && paint->brush.mask && paint->strokes != paint->saved &&
           (session->job->mask.count || rec_session_clones(session));
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
    rec_gradient rule = session->paint.guidance.rule;
    if (session->paint.aims)
        rule = rule == REC_GRADIENT_ZERO ? REC_GRADIENT_SOURCE : rule;
    else if (session->job->settings->edit.kind == REC_EDIT_HEAL)
        rule = rec_session_patch(session)->smooth ? REC_GRADIENT_ZERO : rule;
    return rec_session_clones(session) ? rec_gradients[rule].name : healing[rule];
}

void rec_session_describe(const rec_session *session, rec_view_state *now)
{
    const rec_paint *paint = &session->paint;
    if (session->size.width) { /* else it is still that of the input before */
        now->size = session->size;
        now->planes = session->planes;
    }
    now->doubt[0] = '\0';
    now->has_original = 0;
    now->painted = REC_EDIT_NONE;
    now->filled = 0;
    if (!session->run) {
        now->run = (rec_run_state){.look.change_rms = NAN};
        now->numbers = (rec_numbers){.distance = NAN, .psnr = NAN, .equal = NAN};
        return;
    }
    now->run = *rec_run_get_state(session->run);
    rec_job_doubt(session->job, now->doubt);
    now->has_original = session->job->original_path || session->paint.brush.mask;
    now->numbers = session->numbers;
    now->jump = session->jump;
    now->every = session->every ? session->every : session->between;
    now->every_is_automatic = !session->every;
    now->painted = paint->brush.mask ? session->job->settings->edit.kind : REC_EDIT_NONE;
    now->filled = rec_session_paints(session);
    if (now->filled)
        now->run.stop = REC_STOP_LIMIT;
    now->unknown = session->job->mask.count;
    now->strokes = paint->strokes;
    now->rule = paint->of_source ? NULL : rec_session_rule(session);
    now->aims = paint->aims;
    const int clones = rec_session_clones(session);
    const rec_patch *patch = rec_session_patch(session);
    const rec_sources *sources = &session->job->sources; /* a stroke may be undone, or erased */
    const int takes = paint->brush.mask && !patch->smooth && !clones &&
                      sources->label[paint->at_y * (ptrdiff_t)sources->width + paint->at_x] ==
                          paint->label;
    now->from_x = paint->aims ? paint->x : clones ? -paint->guidance.x : takes ? patch->x : 0;
    now->from_y = paint->aims ? paint->y : clones ? -paint->guidance.y : takes ? patch->y : 0;
    now->mark_x = now->from_x + (takes && !paint->aims ? paint->at_x : 0);
    now->mark_y = now->from_y + (takes && !paint->aims ? paint->at_y : 0);
    now->plain = 0;
    if (!rec_run_solver(session->run))
        return;
    rec_solver_get_info(rec_run_solver(session->run), &now->info);
    const rec_solver *edges = rec_session_solver_of(session, REC_LAYER_EDGES);
    now->plain = !edges || !rec_solver_shows(edges, REC_LAYER_EDGES);
}
