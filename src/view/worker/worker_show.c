/* What the worker gives the window to see: snapshots of the scene's layers, the pixel under the
 * cursor, the history. */
#include "base/clock.h"
#include "view/worker/worker_type.h"

#define VALUES_SECONDS 0.1

void rec_worker_make_due(rec_worker *worker, int moving)
{
    const rec_session *session = &worker->session;
    const unsigned still = moving ? REC_LAYER_BIT(REC_LAYER_EDGES) : 0;
    const unsigned layers = rec_scenes[worker->wanted.scene].layers;
    worker->now.missing = 0;
    if (!session->run)
        return;
    for (rec_layer layer = 0; layer < REC_LAYERS; layer++)
        if (layers & REC_LAYER_BIT(layer) && !rec_session_solver_of(session, layer))
            worker->now.missing |= REC_LAYER_BIT(layer);
    /* Before the first batch that was marked there is no change: the next one shows it. */
    const unsigned unknown = session->marked ? 0 : layers & REC_LAYER_BIT(REC_LAYER_CHANGE);
    if (!worker->active || !session->marking)
        worker->now.missing |= unknown;
    worker->due |= layers & ~worker->now.missing & ~unknown & ~still;
}

void rec_worker_show_solvers(rec_worker *worker)
{
    rec_session *session = &worker->session;
    rec_solver *shown = rec_session_solver(session), *run = rec_run_solver(session->run);
    worker->due = 0;
    worker->run =
        rec_exchange_set_solvers(worker->exchange, shown, run == shown ? NULL : run,
                                 worker->now.size);
    rec_session_mark(session, worker->wanted.scene == REC_SCENE_CHANGE);
    rec_worker_make_due(worker, 0);
    rec_worker_publish(worker);
}

/* The numbers in the pixels; while it iterates ten times a second. */
static void look_at_values(rec_worker *worker)
{
    const double now = rec_now();
    rec_error ignored; /* then there are none */
    if (!worker->wanted.values || (worker->active && now - worker->values_time < VALUES_SECONDS))
        return;
    if (rec_values_read(&worker->values, &worker->session, &worker->wanted, &ignored))
        worker->values.width = worker->values.height = 0;
    worker->values_time = now;
    worker->now.values++;
    rec_exchange_publish_values(worker->exchange, &worker->values);
}

void rec_worker_show(rec_worker *worker)
{
    const rec_size area = worker->wanted.viewport.area;
    rec_session *session = &worker->session;
    rec_view_state *now = &worker->now;
    rec_error error;
    if (!area.width || !area.height)
        worker->due = 0; /* until the window is seen again */
    for (rec_layer layer = 0; layer < REC_LAYERS; layer++) {
        rec_shot shot = {.run = worker->run, .image = worker->now.size};
        int begun;
        if (!(worker->due & REC_LAYER_BIT(layer)))
            continue;
        if (rec_session_show(session, &worker->wanted, layer, &shot.view, &begun, &error)) {
            rec_worker_give_up(worker, &error);
            return;
        }
        if (!begun)
            continue;
        shot.iteration =
            rec_session_shown_by(session, rec_session_solver_of(session, layer));
        now->begun[layer] = shot;
        now->tone = session->tone;
        now->levels = session->levels;
        worker->due &= ~REC_LAYER_BIT(layer);
        if (layer == rec_scenes[worker->wanted.scene].layer)
            look_at_values(worker);
        rec_worker_publish(worker);
    }
}

void rec_worker_probe(rec_worker *worker)
{
    const rec_wanted *wanted = &worker->wanted;
    rec_probed *probed = &worker->now.probed;
    const int known = probed->known;
    rec_error error;
    probed->known = worker->session.run && wanted->probing &&
                    wanted->column < worker->now.size.width &&
                    wanted->row < worker->now.size.height &&
                    !rec_session_probe(&worker->session, wanted->column, wanted->row,
                                       &probed->values, &error);
    probed->column = wanted->column;
    probed->row = wanted->row;
    worker->probe_time = rec_now();
    if (known || probed->known)
        rec_worker_publish(worker);
}

void rec_worker_take_wanted(rec_worker *worker, unsigned changed)
{
    worker->wanted = rec_exchange_wanted(worker->exchange);
    if (changed & REC_CHANGED_PICTURE && worker->session.run) {
        rec_session_mark(&worker->session, worker->wanted.scene == REC_SCENE_CHANGE);
        rec_worker_make_due(worker, 0);
        rec_worker_publish(worker);
    }
    if (changed & REC_CHANGED_PROBE)
        rec_worker_probe(worker);
}

void rec_worker_publish_history(rec_worker *worker)
{
    rec_exchange_publish_history(worker->exchange, &worker->session.history);
    worker->now.points++;
}

void rec_worker_rest(rec_worker *worker)
{
    rec_error error;
    worker->active = 0;
    worker->stepping = 0;
    if (rec_session_look(&worker->session, &error)) {
        rec_worker_give_up(worker, &error);
        return;
    }
    rec_worker_note_numbers(worker);
    worker->now.phase = worker->now.stop ? REC_PHASE_STOPPED : REC_PHASE_PAUSED;
    rec_worker_make_due(worker, 1);
    rec_worker_publish_history(worker);
    rec_worker_probe(worker);
    rec_worker_publish(worker);
}
