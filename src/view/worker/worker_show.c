/* What the window gets to see: snapshots, the pixel under the cursor, values of pixels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/worker/worker_type.h"

#define VALUES_SECONDS 0.1         /* between two looks at the values of pixels */
#define EDGES_SHIFT 128.0f         /* grey levels */
#define LEVELS_SECONDS 0.25        /* between two looks at the grey levels, at least */
#define LEVELS_SHARE 50            /* and at least this multiple of the last one's time */

/* ---- before there is a solver ---- */

/* The edges with 0 in mid-grey, or the picture where that is edited, filtered, or soon there again.
 * A reduced one takes the nearest pixel: averaging would take as long as loading. */
void rec_worker_preview(rec_worker *worker, const rec_job *job)
{
    const rec_wanted *wanted = &worker->wanted;
    const int edits = job->settings->edit.kind != REC_EDIT_NONE;
    const int photograph = worker->session->begins_at_limit && job->original.data;
    const rec_image *image = photograph ? &job->original
                             : edits    ? rec_edit_picture(job->edit)
                                        : &job->loaded;
    const float white = (float)worker->session->numbers.levels.white;
    const float middle = photograph || edits || job->settings->run.problem.operators
                             ? white / 2
                             : 127.5f - EDGES_SHIFT;
    const float contrast = wanted->contrast * (image == &job->loaded ? 1 : 255 / white);
    rec_view view = {.layer = wanted->scene == REC_SCENE_EDGES ? REC_LAYER_EDGES
                                                               : REC_LAYER_PICTURE};
    rec_worker_publish(worker, REC_PHASE_LOADING, rec_nothing);
    if (!wanted->viewport.area.width || !wanted->viewport.area.height)
        return;
    rec_viewport_part(&wanted->viewport, worker->session->size, &view);
    const size_t across = view.out_width, down = view.out_height;
    uint8_t *bytes = malloc(image->planes * down * across);
    for (size_t row = 0; bytes && row < image->planes * down; row++) {
        const size_t y = view.y + row % down * view.height / down;
        const float *from = rec_image_row(image, row / down, y) + view.x;
        for (size_t x = 0; x < across; x++) {
            const float value = (from[x * view.width / across] - middle) * contrast + 127.5f;
            bytes[row * across + x] = (uint8_t)(fminf(fmaxf(value, 0), 255) + 0.5f);
        }
    }
    const rec_snapshot preview = {.pixels = bytes, .width = across, .height = down,
                                  .planes = image->planes, .stride = across, .view = view};
    rec_worker_hand_over(worker, NULL, NULL, &preview);
}

/* The run's solver has edges and reference; the jumper may have no room for these. */
static void probe_cursor(rec_worker *worker)
{
    const rec_wanted *wanted = &worker->wanted;
    const rec_session *session = worker->session;
    const size_t column = wanted->column, row = wanted->row;
    rec_probed *probed = &worker->now.probed;
    rec_probe jumped;
    rec_error error;
    probed->known =
        session->run && wanted->probing && column < session->size.width &&
        row < session->size.height &&
        !rec_solver_probe(rec_run_solver(session->run), column, row, &probed->values, &error) &&
        !(session->jumped && rec_solver_probe(session->jumper, column, row, &jumped, &error));
    if (probed->known && session->jumped)
        memcpy(probed->values.picture, jumped.picture, sizeof jumped.picture);
    probed->column = column;
    probed->row = row;
    worker->now.updates++;
}

/* ---- what is due ---- */

/* Where nothing else is compared with, from the first look on it is the exact picture. 1: a solver
 * can show the layer now. */
static int open_limit(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_job *job = session->job;
    const rec_scene scene = worker->wanted.scene;
    rec_error error;
    if ((scene != REC_SCENE_DIFFERENCE && scene != REC_SCENE_SIDES) || job->original_path ||
        !rec_jumper_available(job->settings) ||
        rec_path_copy(&job->original_path, REC_LIMIT_NAME, &error))
        return 0;
    rec_worker_publish(worker, REC_PHASE_PREPARING, rec_nothing);
    rec_status status = rec_session_give_reference(session, rec_run_solver(session->run), &error);
    if (session->jumper)
        REC_THEN(status, rec_session_give_reference(session, session->jumper, &error));
    REC_THEN(status, rec_session_compare(session, &error));
    if (status)
        rec_worker_publish(worker, REC_PHASE_PREPARING,
                           rec_told(REC_BAD, "no reference: %s", error.message));
    return !status;
}

void rec_worker_make_due(rec_worker *worker, int moving)
{
    rec_session *session = worker->session;
    const rec_scene_row *scene = &rec_scenes[worker->wanted.scene];
    worker->now.missing = 0;
    if (session->run && !moving) /* while the change is shown, each batch begins with a mark */
        session->marking = rec_layers[scene->layer].source == REC_SOURCE_MARK &&
                           !session->jumped &&
                           rec_solver_shows(rec_run_solver(session->run), scene->layer);
    for (rec_layer layer = 0; session->run && layer < REC_LAYERS; layer++) {
        const rec_source source = rec_layers[layer].source;
        /* Before the first batch that was marked there is no change: the next one shows it. */
        const int unknown = source == REC_SOURCE_MARK && !session->marked;
        const int waits = rec_session_phase(session) == REC_PHASE_ITERATING && session->marking;
        if (!(scene->layers & REC_LAYER_BIT(layer)))
            continue;
        if ((!rec_session_solver_of(session, layer) && !open_limit(worker)) || (unknown && !waits))
            worker->now.missing |= REC_LAYER_BIT(layer);
        else if (!unknown && !(moving && source == REC_SOURCE_EDGES))
            worker->due |= REC_LAYER_BIT(layer);
    }
    probe_cursor(worker);
}

/* ---- snapshots ---- */

/* Now and then. None after a failure: if the device was lost, the snapshot says so. */
static void measure_levels(rec_session *session, const rec_viewport *viewport)
{
    rec_levels *levels = &session->numbers.levels;
    const uint64_t iteration = rec_session_iterate(session);
    const double before = rec_now();
    const size_t box = rec_levels_box(rec_viewport_scale(viewport, session->size), session->size);
    const int same = levels->known && levels->iteration == iteration && levels->box == box &&
                     session->paint.measured == rec_session_strokes(session);
    const int rests = rec_session_phase(session) != REC_PHASE_ITERATING;
    const int due = rests || before >= session->next_levels;
    if (session->next_levels > 0 && (same || !due))
        return;
    if (rec_levels_read(levels, rec_session_solver(session), session->size, session->planes, box,
                        NULL))
        levels->known = 0;
    levels->iteration = iteration;
    if (rests)
        session->paint.measured = rec_session_strokes(session);
    session->next_levels =
        rec_now() + fmax(LEVELS_SECONDS, LEVELS_SHARE * (rec_now() - before));
    /* Of what is painted in tones, the file has none beyond them. */
    const int cuts = rec_session_edit(session) && rec_has_tones(session->job->info.format);
    session->numbers.fitted =
        levels->known && !cuts && rec_levels_fit(session->numbers.fitted, levels);
}

/* The tones auto and clamp, by contrast and shift. While it iterates they change smoothly. */
static void fit_contrast(rec_session *session, int is_auto, rec_view *view)
{
    const rec_numbers *numbers = &session->numbers;
    const rec_settings *settings = session->job->settings;
    const rec_run_state *run = rec_run_get_state(session->run);
    const int has_mean =
        rec_job_reads_picture(session->job) && rec_problem_frees_mean(&settings->run.problem);
    /* Before the first iteration the iterate is the edges themselves: 0 is shown in mid-grey, as in
     * their own layer. Operators begin with a picture, and so does a run from the limit. */
    const int is_edges = is_auto && !rec_session_iterate(session) && !has_mean &&
                         settings->start == REC_START_EDGES && !settings->run.problem.operators &&
                         (session->jumped || !run->jumped || !run->jumped_to);
    const rec_limits end = is_edges                     ? (rec_limits){-(double)EDGES_SHIFT, 127}
                           : is_auto && numbers->fitted ? numbers->levels.most
                                                        : (rec_limits){0, numbers->levels.white};
    const double now = rec_now();
    const double seconds = rec_session_phase(session) == REC_PHASE_ITERATING
                               ? now - session->limits_time
                               : INFINITY;
    const rec_limits limits = rec_limits_approach(session->limits, end, seconds);
    const double contrast = 255 / (limits.white - limits.black);
    session->limits_time = now;
    session->limits = limits;
    view->shift = (float)(127.5 - (limits.white + limits.black) / 2 +
                          (double)view->shift / contrast);
    view->contrast *= (float)contrast;
}

rec_status rec_session_show(rec_session *session, const rec_wanted *wanted, rec_layer layer,
                            rec_view *view, int *begun, rec_error *error)
{
    rec_solver *solver = rec_session_solver_of(session, layer);
    const int is_picture = layer == REC_LAYER_PICTURE ||
                           (layer == REC_LAYER_EDGES && !rec_solver_shows(solver, layer));
    const int is_auto = wanted->tone == REC_TONE_AUTO;
    if (is_picture && (is_auto || wanted->levels))
        measure_levels(session, &wanted->viewport);
    *view = (rec_view){.tone = is_auto ? REC_TONE_CLAMP : wanted->tone,
                       .layer = layer,
                       .contrast = wanted->contrast,
                       .shift = is_picture ? wanted->shift : 0};
    if (is_picture && view->tone == REC_TONE_CLAMP)
        fit_contrast(session, is_auto, view);
    rec_viewport_part(&wanted->viewport, session->size, view);
    const int paints = layer == REC_LAYER_PICTURE && rec_session_paints(session);
    rec_area changed = session->paint.unseen;
    if (paints) /* and where the solver goes on */
        changed = rec_area_join(changed, session->job->problem.mask->box);
    const double before = rec_now();
    REC_TRY(rec_solver_snapshot(solver, view, paints ? &changed : NULL, begun, error));
    if (*begun) {
        if (paints)
            session->paint.unseen = (rec_area){0};
        session->shown_time = rec_now();
        session->shown_seconds = session->shown_time - before;
        session->just_shown = 1;
        const uint64_t iterations = rec_run_get_state(session->run)->iterations;
        if (iterations > session->shown_at)
            session->between = iterations - session->shown_at;
        session->shown_at = iterations;
    }
    return REC_OK;
}

/* The values in the viewport, of the scene's layer: ten times a second while it iterates. */
static void look_at_values(rec_worker *worker)
{
    const rec_session *session = worker->session;
    const rec_wanted *wanted = &worker->wanted;
    rec_values *values = &worker->now.values;
    rec_view part = {.layer = rec_scenes[wanted->scene].layer};
    const double now = rec_now();
    if (!wanted->values || (rec_session_phase(session) == REC_PHASE_ITERATING &&
                            now - worker->values_time < VALUES_SECONDS))
        return;
    worker->values_time = now;
    rec_viewport_part(&wanted->viewport, session->size, &part);
    *values = (rec_values){.scene = wanted->scene, .planes = session->planes};
    if (part.width * part.height * session->planes > REC_MOST_VALUES ||
        rec_solver_values(rec_session_solver_of(session, part.layer), &part, values->value,
                          NULL)) /* then there are none */
        return;
    values->area = (rec_area){part.x, part.y, part.width, part.height};
}

rec_status rec_worker_show(rec_worker *worker, rec_error *error)
{
    const rec_size area = worker->wanted.viewport.area;
    if (!area.width || !area.height)
        worker->due = 0; /* until the window is seen again */
    for (rec_layer layer = 0; layer < REC_LAYERS; layer++) {
        rec_view view;
        int begun;
        if (!(worker->due & REC_LAYER_BIT(layer)))
            continue;
        REC_TRY(rec_session_show(worker->session, &worker->wanted, layer, &view, &begun, error));
        if (!begun)
            continue;
        worker->due &= ~REC_LAYER_BIT(layer);
        worker->now.updates++;
        if (layer == rec_scenes[worker->wanted.scene].layer)
            look_at_values(worker);
    }
    return REC_OK;
}

void rec_worker_read_wanted(rec_worker *worker)
{
    const rec_wanted old = worker->wanted, *now = &worker->wanted;
    pthread_mutex_lock(&worker->exchange.lock);
    worker->wanted = worker->exchange.wanted;
    worker->exchange.changed = 0;
    pthread_mutex_unlock(&worker->exchange.lock);
    if (now->number != old.number && worker->session->run)
        rec_worker_make_due(worker, 0);
    else if (now->probing != old.probing || now->column != old.column || now->row != old.row)
        probe_cursor(worker);
}
