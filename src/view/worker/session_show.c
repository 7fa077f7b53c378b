/* What a session gives to see: snapshots, pixels, copies of what is shown. */
#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "view/worker/session.h"
#include "view/worker/state.h"

#define SCREEN_SECONDS (0.8 / 60)  /* between two pictures at least: 60 a second, and room for a
                                      batch that ends a little early */
#define HOST_SECONDS (1.0 / 30)    /* the same where drawing takes the solver's own processors */
#define PICTURE_SECONDS 1.0        /* a batch that takes longer shows its pieces */
#define SHOW_SHARE 10              /* and so many times as long as the last one took the solver */
#define DEVICE_SHARE 60            /* ... or the device */
#define EDGES_SHIFT 128.0f         /* grey levels */
#define LEVELS_SECONDS 0.25        /* between two looks at the grey levels, */
#define LEVELS_SHARE 50            /* and so many times as long as the last one took */
#define SNAPSHOT_SECONDS 10.0      /* no snapshot takes so long: the device is lost */

rec_solver *rec_session_solver_of(const rec_session *session, rec_layer layer)
{
    rec_solver *run = rec_run_solver(session->run), *shown = rec_session_solver(session);
    const int has_reference =
        session->jumped ? session->jumper_has_reference : session->has_reference;
    if (layer == REC_LAYER_DIFFERENCE && !has_reference)
        return NULL;
    if (rec_solver_shows(shown, layer))
        return shown;
    return layer == REC_LAYER_EDGES && rec_solver_shows(run, layer) ? run : NULL;
}

int rec_session_wants_picture(const rec_session *session, int batch_ended)
{
    rec_solver_info info;
    rec_solver_get_info(rec_session_solver(session), &info);
    const double pause =
        fmax(SHOW_SHARE * session->shown_seconds, DEVICE_SHARE * session->device_seconds);
    const double least = !batch_ended        ? PICTURE_SECONDS
                         : info.device_bytes ? SCREEN_SECONDS
                                             : HOST_SECONDS;
    return rec_now() - session->shown_time >= (pause > least ? pause : least);
}

/* Now and then while it iterates. Where it fails there are none: if the device was lost, the
 * snapshot says so. */
static void take_levels(rec_session *session)
{
    rec_solver *solver = rec_session_solver(session);
    const uint64_t iteration = rec_session_shown_by(session, solver);
    const double before = rec_now();
    rec_error ignored;
    if (before < session->next_levels ||
        (session->levels.known && session->levels.iteration == iteration))
        return;
    if (rec_levels_read(&session->levels, solver, session->size, session->planes, &ignored))
        session->levels.known = 0;
    session->levels.iteration = iteration;
    session->next_levels =
        rec_now() + fmax(LEVELS_SECONDS, LEVELS_SHARE * (rec_now() - before));
    session->auto_tone = rec_levels_choose(session->auto_tone, &session->levels);
}

/* What is shown are the edges themselves: as in their own layer 0 is mid-grey, not black. What
 * operators are applied to is a picture. */
static int begins_as_edges(const rec_session *session)
{
    const rec_settings *settings = session->job->settings;
    return !rec_session_shown_by(session, rec_session_solver(session)) &&
           settings->start == REC_START_EDGES && !settings->run.operators;
}

rec_status rec_session_show(rec_session *session, const rec_wanted *wanted, rec_layer layer,
                            rec_view *view, int *begun, rec_error *error)
{
    const int is_picture = layer == REC_LAYER_PICTURE;
    if (is_picture && (wanted->tone_auto || wanted->levels))
        take_levels(session);
    const int is_edges = is_picture && wanted->tone_auto && begins_as_edges(session);
    const rec_tone by_levels =
        is_picture && !is_edges ? session->auto_tone : REC_TONE_CLAMP;
    *view = (rec_view){.tone = wanted->tone_auto ? by_levels : wanted->tone,
                       .layer = layer,
                       .contrast = wanted->contrast,
                       .shift = !is_picture ? 0 : is_edges ? EDGES_SHIFT : wanted->shift};
    session->tone = is_picture ? view->tone : session->tone;
    rec_viewport_part(&wanted->viewport, session->size, view);
    const double before = rec_now();
    const rec_status status =
        rec_solver_snapshot(rec_session_solver_of(session, layer), view, begun, error);
    if (!status && *begun) {
        session->shown_time = rec_now();
        session->shown_seconds = session->shown_time - before;
        session->just_shown = 1;
        session->shown_at = rec_run_get_state(session->run)->iterations;
    }
    return status;
}

void rec_session_mark(rec_session *session, int marking)
{
    session->marking = marking && !session->jumped &&
                       rec_solver_shows(rec_run_solver(session->run), REC_LAYER_CHANGE);
}

rec_status rec_session_probe(rec_session *session, size_t column, size_t row, rec_probe *probe,
                             rec_error *error)
{
    const rec_status status =
        rec_solver_probe(rec_session_solver(session), column, row, probe, error);
    if (status || !session->jumped)
        return status;
    rec_probe of_run;
    const rec_status also =
        rec_solver_probe(rec_run_solver(session->run), column, row, &of_run, error);
    for (int i = 0; !also && i < 3; i++) {
        probe->edges[i] = of_run.edges[i];
        probe->reference[i] = of_run.reference[i];
    }
    return also;
}

static void nap(void)
{
    const struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

static rec_status copy_bytes(const rec_snapshot *snapshot, rec_image *bytes, rec_error *error)
{
    const rec_status status =
        rec_image_create(bytes, snapshot->width, snapshot->height, snapshot->planes, error);
    for (size_t row = 0; !status && row < snapshot->planes * snapshot->height; row++) {
        const uint8_t *from = snapshot->pixels + row * snapshot->stride;
        for (size_t x = 0; x < snapshot->width; x++)
            bytes->data[row * bytes->stride + x] = from[x];
    }
    return status;
}

rec_status rec_session_copy_layer(rec_session *session, const rec_wanted *wanted, rec_layer layer,
                                  rec_image *bytes, rec_error *error)
{
    rec_solver *solver = rec_session_solver_of(session, layer);
    const double deadline = rec_now() + SNAPSHOT_SECONDS;
    rec_shot shot = {.iteration = 0};
    for (int begun = 0; rec_now() < deadline; nap()) {
        if (!begun) {
            const rec_status status =
                rec_session_show(session, wanted, layer, &shot.view, &begun, error);
            if (status)
                return status;
            shot.iteration = rec_session_shown_by(session, solver);
        }
        const rec_snapshot *snapshot = rec_solver_poll(solver);
        if (!snapshot)
            continue;
        rec_status status = REC_OK;
        const rec_shot arrived = {0, snapshot->iteration, snapshot->view, shot.image};
        const int is_it = begun && rec_shot_equals(&arrived, &shot);
        if (is_it)
            status = copy_bytes(snapshot, bytes, error);
        rec_solver_release(solver, snapshot);
        if (is_it)
            return status;
    }
    return rec_fail(error, REC_UNAVAILABLE, "the device returned no picture within %.0f s",
                    SNAPSHOT_SECONDS);
}
