#include "view/worker/values.h"

/* One after the other: they are few, and only of scenes that rest. */
static rec_status probe_all(rec_values *values, rec_session *session, rec_error *error)
{
    const size_t plane_size = values->width * values->height;
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < plane_size; i++) {
        rec_probe probe;
        status = rec_session_probe(session, values->x + i % values->width,
                                   values->y + i / values->width, &probe, error);
        for (size_t p = 0; !status && p < values->planes; p++)
            values->value[p * plane_size + i] = values->scene == REC_SCENE_EDGES
                                                    ? probe.edges[p]
                                                    : probe.picture[p] - probe.reference[p];
    }
    return status;
}

rec_status rec_values_read(rec_values *values, rec_session *session, const rec_wanted *wanted,
                           rec_error *error)
{
    rec_view part;
    rec_solver *solver = rec_session_solver(session);
    rec_viewport_part(&wanted->viewport, session->size, &part);
    *values = (rec_values){.scene = wanted->scene,
                           .iteration = rec_session_shown_by(session, solver),
                           .planes = session->planes};
    if (wanted->scene == REC_SCENE_CHANGE ||
        part.width * part.height * session->planes > REC_MOST_VALUES)
        return REC_OK;
    values->x = part.x;
    values->y = part.y;
    values->width = part.width;
    values->height = part.height;
    if (wanted->scene == REC_SCENE_EDGES || wanted->scene == REC_SCENE_DIFFERENCE)
        return probe_all(values, session, error);
    rec_status status = REC_OK;
    for (size_t p = 0; !status && p < session->planes; p++)
        status = rec_solver_read(solver, p, part.x, part.y, part.width, part.height,
                                 values->value + p * part.width * part.height, part.width, error);
    return status;
}
