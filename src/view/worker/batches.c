/* How a run is iterated: in batches, at a pace, in pieces, and measured on the way. */
#include <math.h>

#include "view/worker/worker_type.h"

#define PIECE_SECONDS 0.1          /* of a piece: so long an action waits at most */
#define BATCH_SECONDS (1.0 / 120)  /* of a batch where K is automatic: two a picture */
#define FIRST_GUESS 1e8            /* updates a second, before anything was measured: a slow core */
#define LARGEST_EVERY (UINT64_C(1) << 40)
#define WHOLE_PASSES 32            /* iterations that one pass over memory does at most */
#define LEAST_PIECE 8              /* iterations, if they take less than a second */
#define LOOK_SECONDS 0.2           /* between two looks where K is automatic: a look costs time */
#define DISTANCE_SECONDS 0.2       /* between two distances, at least: each is an extra pass */
#define DISTANCE_SHARE 50          /* and at least this multiple of the last one's time */
#define SCREEN_SECONDS (0.8 / 60)  /* between two pictures at least: 60 a second, and room for a
                                      batch that ends a little early */
#define HOST_SECONDS (1.0 / 30)    /* the same where drawing takes the solver's own processors */
#define PICTURE_SECONDS 1.0        /* a batch that takes longer shows its pieces */
#define SHOW_SHARE 10              /* and this multiple of the solver's time for the last one */
#define DEVICE_SHARE 60            /* the same on a device */
#define AHEAD_STEP 1.5             /* from one distance that is ahead to the next: times */
#define AHEAD_SECONDS 0.25         /* the exact picture takes no longer */
#define SMOOTHING 0.2              /* of the time that a snapshot takes */
#define RUN_SECONDS 20.0           /* of a run at the usual pace, if the solver is fast enough */
#define LEAST_DECADES 5.0          /* small pictures need fewer, and are done sooner */
#define EDGES_SECONDS 0.5          /* before the first iteration: the edges are shown */
#define SLOWEST_PACE 1000.0        /* seconds a decade */
#define FASTEST_PACE 0.01

static uint64_t iterations(const rec_session *session)
{
    return rec_run_get_state(session->run)->iterations;
}

/* ---- the pace ---- */

static double usual_pace(const rec_session *session)
{
    return RUN_SECONDS / fmax(log10(rec_run_usual_end(session->run)), LEAST_DECADES);
}

static void begin_pace(rec_session *session)
{
    session->pace_time = rec_now() + (iterations(session) ? 0 : EDGES_SECONDS);
    session->pace_from = fmax((double)iterations(session), 1);
}

/* How many iterations the pace allows now; steps do not wait for it. */
static double allowed(const rec_session *session)
{
    const double pace = session->numbers.pace, seconds = rec_now() - session->pace_time;
    return pace <= 0 || session->single
               ? INFINITY
               : session->pace_from * pow(10, seconds / pace) - (double)iterations(session);
}

/* A batch of a user's K is never cut. */
int rec_session_is_early(const rec_session *session)
{
    return allowed(session) < (session->every ? (double)session->batch_left : 1);
}

/* From full speed it goes back to the usual pace. */
rec_outcome rec_worker_change_pace(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    const int more = request->argument;
    const double now = session->numbers.pace;
    if (!session->run)
        return rec_nothing;
    const double pace = !more ? 0 : more > 0 ? now / 2 : now > 0 ? 2 * now : usual_pace(session);
    session->numbers.pace = pace < FASTEST_PACE ? 0 : fmin(pace, SLOWEST_PACE);
    begin_pace(session);
    return rec_nothing;
}

/* ---- batches ---- */

static uint64_t batch_size(const rec_session *session)
{
    if (session->every)
        return session->every;
    const uint64_t every = (uint64_t)fmax(BATCH_SECONDS * session->speed, REC_DEFAULT_EVERY);
    return every - every % WHOLE_PASSES;
}

static void fill_batch(rec_session *session)
{
    session->batch_left = session->single ? session->single : batch_size(session);
    session->fresh_batch = 1;
}

void rec_session_begin_batch(rec_session *session, uint64_t single)
{
    session->phase = REC_PHASE_ITERATING;
    session->single = single;
    session->steps = single > 0;
    fill_batch(session);
    begin_pace(session);
}

void rec_session_begin(rec_session *session)
{
    const rec_settings *settings = session->job->settings;
    const rec_size size = session->size;
    session->speed = FIRST_GUESS / ((double)size.width * (double)size.height *
                                    (double)session->planes);
    session->numbers.pace = settings->pace < 0 ? usual_pace(session) : settings->pace;
    session->numbers.end =
        fmin(rec_run_usual_end(session->run), (double)settings->run.iterations);
    const uint64_t expected = rec_run_get_state(session->run)->expected;
    if (expected)
        session->numbers.end = fmin(session->numbers.end, (double)expected);
    rec_session_begin_batch(session, 0);
}

void rec_session_resume(rec_session *session)
{
    if (session->steps)
        session->phase = REC_PHASE_PAUSED;
    session->steps = 0;
    if (session->phase == REC_PHASE_ITERATING)
        rec_session_begin_batch(session, 0);
}

static void begin_step(rec_session *session, uint64_t size)
{
    if (rec_run_get_state(session->run)->stop)
        rec_run_continue(session->run, size);
    rec_session_begin_batch(session, size);
}

void rec_session_step(rec_session *session, int singly)
{
    const uint64_t size = singly ? 1 : session->every ? session->every : REC_DEFAULT_EVERY;
    if (session->steps && session->single == size)
        session->steps++;
    else
        begin_step(session, size);
}

rec_outcome rec_worker_change_every(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    const int more = request->argument;
    if (!session->run)
        return rec_nothing;
    const uint64_t now = batch_size(session);
    session->every = !more                      ? session->job->settings->run.every
                     : !session->every          ? REC_DEFAULT_EVERY
                     : now <= LARGEST_EVERY / 2 ? 2 * now
                                                : now;
    if (!session->single)
        fill_batch(session);
    return rec_nothing;
}

static void keep_distance(rec_session *session, const rec_look *look, double begin, double end)
{
    session->numbers.distance = look->distance_rms;
    session->numbers.history.measured = look->measured;
    session->numbers.measured_at = iterations(session);
    session->numbers.measured_time = end;
    session->next_distance = end + fmax(DISTANCE_SHARE * (end - begin), DISTANCE_SECONDS);
}

/* ---- advancing ---- */

/* Iterations until the user's actions are looked at again, or up to the next frame. */
static uint64_t choose_piece(rec_session *session)
{
    const double room = fmax(allowed(session), 1);
    if (!session->every && room < (double)session->batch_left) { /* a batch is what is allowed */
        const uint64_t whole = (uint64_t)room;
        session->batch_left = whole > 2 * WHOLE_PASSES ? whole - whole % WHOLE_PASSES : whole;
    }
    const double least = fmin(LEAST_PIECE, fmax(session->speed, 1));
    const double quick = fmax(PIECE_SECONDS * session->speed, least);
    const uint64_t done = iterations(session), left = session->batch_left;
    const uint64_t piece = quick < (double)left ? (uint64_t)quick : left;
    uint64_t number;
    const uint64_t frame = rec_film_next(&session->job->film, done, &number) - done;
    return frame < piece ? frame : piece;
}

/* Marks the iterate at the begin of a batch whose change is shown. */
static rec_status mark(rec_session *session, rec_error *error)
{
    const int begins = session->fresh_batch;
    session->fresh_batch = 0;
    if (!begins || !session->marking)
        return REC_OK;
    const rec_status status = rec_solver_mark(rec_run_solver(session->run), error);
    session->marked = session->marking = !status;
    return status;
}

/* Learns the speed from a piece. On a device the first piece after a snapshot waits for it: the
 * time that it takes longer is what the snapshot cost, but at most half of its time. */
static void note_time(rec_session *session, uint64_t done, int looked, double seconds)
{
    const int behind_snapshot = session->just_shown;
    session->just_shown = 0;
    if (!done || !(seconds > 0))
        return;
    const double speed = (double)done / seconds, longer = seconds - (double)done / session->speed;
    if (behind_snapshot && !looked)
        session->device_seconds += SMOOTHING * (fmin(fmax(longer, 0), seconds / 2) -
                                                session->device_seconds);
    /* A look hides the speed. But each piece may have one, and none shall be too long. */
    if (!looked || seconds > PIECE_SECONDS)
        session->speed = looked || behind_snapshot ? fmin(session->speed, 2 * speed) : speed;
}

/* One piece: a batch, or a part of a batch that takes about a tenth of a second, and at most up to
 * the next frame. *ended: the piece ended a batch, and the next batch begins. *rests: it was the
 * last step, or the end of the run. */
static rec_status advance(rec_session *session, int *ended, int *rests, rec_error *error)
{
    const double before = rec_now();
    const uint64_t done_before = iterations(session);
    const uint64_t piece = choose_piece(session);
    /* With a user's K, and for a step, each batch ends with a look; otherwise looks come at
     * intervals of time. The distance is only computed at a look. */
    const int waits = session->every || session->single ? piece < session->batch_left
                                                        : before < session->next_look;
    const unsigned looks = waits                              ? REC_LOOK_LATER
                           : before >= session->next_distance ? REC_LOOK_DISTANCE
                                                              : 0;
    REC_TRY(rec_run_step(session->run, piece, looks, error));
    const double now = rec_now();
    const rec_run_state *state = rec_run_get_state(session->run);
    const uint64_t done = state->iterations - done_before;
    const int looked = !(looks & REC_LOOK_LATER) || state->stop;
    const int measured = looks & REC_LOOK_DISTANCE || state->stop;
    if (looked)
        session->next_look = now + LOOK_SECONDS;
    if (measured) /* what it took beside the iterations */
        keep_distance(session, &state->look,
                      fmin(before + (double)done / session->speed, now), now);
    note_time(session, done, looked, now - before);
    if (looked && done)
        rec_history_add(&session->numbers.history, state->iterations, state->look.change_rms,
                        measured ? state->look.distance_rms : NAN);
    session->batch_left = session->batch_left > done ? session->batch_left - done : 0;
    *ended = !session->batch_left || state->stop;
    *rests = state->stop && !session->steps;
    if (*ended)
        fill_batch(session);
    if (*ended && session->steps) {
        const unsigned left = --session->steps;
        *rests = !left;
        if (left)
            begin_step(session, session->single);
        session->steps = left;
    }
    return measured ? rec_session_compare(session, error) : REC_OK;
}

/* Beside a distance that was measured just now: one more that is ahead, by a jump, if that takes
 * little time. */
static void look_ahead(rec_session *session)
{
    rec_series *ahead = &session->numbers.history.ahead;
    const rec_run_state *run = rec_run_get_state(session->run);
    const double last = ahead->count ? (double)ahead->point[ahead->count - 1].iteration : 0;
    const double at = fmax(last + 1, AHEAD_STEP * last);
    rec_look look;
    if (session->numbers.measured_at != run->iterations || !session->numbers.history.measured ||
        run->limit_seconds > AHEAD_SECONDS || at > rec_run_usual_end(session->run) ||
        (run->jumped && run->jumped_to == REC_LIMIT_ITERATION))
        return;
    rec_status status = rec_session_open_jumper(session, NULL);
    REC_THEN(status, rec_solver_jump(session->jumper, (uint64_t)at, NULL));
    REC_THEN(status, rec_solver_advance(session->jumper, 0, REC_LOOK_DISTANCE, &look, NULL));
    if (!status)
        rec_series_add(ahead, (uint64_t)at, look.distance_rms);
}

/* Whether the screen wants a new picture after this piece. */
static int wants_picture(const rec_session *session, int batch_ended)
{
    rec_solver_info info;
    rec_solver_get_info(rec_session_solver(session), &info);
    const double pause =
        fmax(SHOW_SHARE * session->shown_seconds, DEVICE_SHARE * session->device_seconds);
    const double least = !batch_ended        ? PICTURE_SECONDS
                         : info.costs.device_bytes ? SCREEN_SECONDS
                                             : HOST_SECONDS;
    return rec_now() - session->shown_time >= fmax(pause, least);
}

/* If a frame cannot be written, the run pauses, and tries again when it goes on. */
static rec_outcome not_recorded(rec_worker *worker, const rec_error *error)
{
    rec_worker_keep_failure(worker, error);
    return rec_told(REC_PAUSE | REC_BAD, "%s; Space tries again", error->message);
}

rec_outcome rec_worker_iterate(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_outcome outcome = rec_nothing;
    rec_error error;
    int batch_ended, rests;
    if (rec_session_is_early(session) || rec_session_paints(session)) {
        if (session->shown_at != iterations(session) && wants_picture(session, 1))
            outcome.follow = REC_SHOW_NEWEST;
        return outcome;
    }
    if (rec_job_between_batches(session->job, &error))
        return not_recorded(worker, &error);
    if (rec_job_can_hand_over(session->job)) {
        rec_worker_detach(worker); /* nobody may poll the solver while its successor takes over */
        rec_job_hand_over(session->job);
        session->marked = 0;
        session->fresh_batch = 1;
        rec_session_give_reference(session, rec_run_solver(session->run), NULL); /* had room */
    }
    rec_status status = mark(session, &error);
    if (status == REC_LIMIT) { /* the change is only not shown */
        outcome = rec_told(REC_SHOW_NEWEST | REC_BAD, "no change can be shown: %s", error.message);
        status = REC_OK;
    }
    REC_THEN(status, advance(session, &batch_ended, &rests, &error));
    if (status)
        return (rec_outcome){.error = error};
    if (worker->wanted.plot)
        look_ahead(session);
    if (rec_job_between_batches(session->job, &error))
        return not_recorded(worker, &error);
    outcome.follow |= rests                                 ? REC_REST
                      : wants_picture(session, batch_ended) ? REC_SHOW_NEWEST
                                                            : 0;
    return outcome;
}

rec_status rec_session_measure(rec_session *session, rec_error *error)
{
    session->next_levels = 0; /* they shall be those of the last iterate, too */
    if (isnan(session->numbers.distance) || session->numbers.measured_at != iterations(session)) {
        rec_look look;
        const double before = rec_now();
        REC_TRY(
            rec_solver_advance(rec_run_solver(session->run), 0, REC_LOOK_DISTANCE, &look, error));
        keep_distance(session, &look, before, rec_now());
        rec_history_add(&session->numbers.history, iterations(session),
                        rec_run_get_state(session->run)->look.change_rms, look.distance_rms);
    }
    return rec_session_compare(session, error);
}
