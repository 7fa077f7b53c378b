#include "view/session.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "view/save.h"

#define PIECE_SECONDS 0.1          /* how long an action may have to wait */
#define BATCH_SECONDS 0.01         /* a batch where K is left open: its look takes some 0.1 ms */
#define FIRST_GUESS 2e9            /* updates a second, before anything was measured */
#define LEAST_PIECE 8              /* iterations: each piece ends with the norms, which cost time */
#define DISTANCE_SECONDS 0.25      /* between two distances, which cost an extra pass */
#define DISTANCE_SHARE 5           /* and at least so many times as long as the last one took */
#define RATE_SECONDS 1.0           /* the rate is the mean of so long */
#define FIRST_RATE_SECONDS 0.25    /* and the first one of so long */
#define SCREEN_SECONDS (1.0 / 60)  /* between two pictures at least */
#define PICTURE_SECONDS 1.0        /* a batch that takes longer shows its pieces */
#define SNAPSHOT_SECONDS 10.0      /* no snapshot takes so long: the device is lost */

rec_status rec_session_open(rec_session *session, const rec_view_options *options, size_t index,
                            int restart, rec_error *error)
{
    *session = (rec_session){.options = options, .index = index, .distance = NAN};
    const rec_status status = options->open(options->context, index, restart, &session->run,
                                            &session->input, error);
    if (status) {
        session->run = NULL;
        return status;
    }
    const rec_view_input *input = &session->input;
    session->speed =
        FIRST_GUESS / ((double)input->width * (double)input->height * (double)input->planes);
    rec_session_begin_batch(session, 0);
    return REC_OK;
}

void rec_session_close(rec_session *session)
{
    rec_session_close_jumper(session);
    rec_run_destroy(session->run);
    session->run = NULL;
}

static uint64_t iterations(const rec_session *session)
{
    return rec_run_get_state(session->run)->iterations;
}

uint64_t rec_session_shown(const rec_session *session)
{
    return session->jumped ? session->jump
                           : iterations(session) - rec_run_get_state(session->run)->begin;
}

static uint64_t batch(const rec_session *session)
{
    if (session->options->every)
        return session->options->every;
    const double many = session->step ? 0 : BATCH_SECONDS * session->speed;
    return many > REC_DEFAULT_EVERY ? (uint64_t)many : REC_DEFAULT_EVERY;
}

void rec_session_begin_batch(rec_session *session, int step)
{
    session->step = step;
    session->batch_left = batch(session);
    session->rate = 0;
    session->rate_time = rec_now();
    session->rate_from = iterations(session);
}

static void measure_rate(rec_session *session, double now)
{
    const rec_view_input *input = &session->input;
    const double seconds = now - session->rate_time;
    const int first = session->rate <= 0;
    if (seconds < (first ? FIRST_RATE_SECONDS : RATE_SECONDS))
        return;
    const uint64_t done = iterations(session) - session->rate_from;
    session->rate = (double)input->width * (double)input->height * (double)input->planes *
                    (double)done / seconds;
    session->rate_time = now;
    session->rate_from = iterations(session);
}

static void take_distance(rec_session *session, double distance, double begin, double end)
{
    const double pause = DISTANCE_SHARE * (end - begin);
    session->distance = distance;
    session->distance_at = iterations(session);
    session->next_distance = end + (pause > DISTANCE_SECONDS ? pause : DISTANCE_SECONDS);
}

/* How many iterations to do before the user's actions are looked at again. */
static uint64_t choose_piece(const rec_session *session)
{
    const rec_view_options *options = session->options;
    double quick = PIECE_SECONDS * session->speed;
    if (quick < LEAST_PIECE)
        quick = LEAST_PIECE;
    const uint64_t piece =
        quick < (double)session->batch_left ? (uint64_t)quick : session->batch_left;
    if (!options->next_frame)
        return piece;
    const uint64_t done = iterations(session);
    const uint64_t frame =
        options->next_frame(options->context, session->index, done + 1) - done;
    return frame < piece ? frame : piece;
}

/* The frame that the run's current iterate is, if it is one. */
static rec_status record(rec_session *session, rec_error *error)
{
    const rec_view_options *options = session->options;
    return options->record ? options->record(options->context, session->index, session->run, error)
                           : REC_OK;
}

rec_status rec_session_advance(rec_session *session, int *ended, rec_error *error)
{
    rec_status status = record(session, error); /* the start's, and where a jump went */
    const double before = rec_now();
    const uint64_t done_before = iterations(session);
    const unsigned looks = before >= session->next_distance ? REC_LOOK_DISTANCE : 0;
    if (!status)
        status = rec_run_step(session->run, choose_piece(session), looks, error);
    const double now = rec_now();
    if (!status)
        status = record(session, error);
    if (status)
        return status;
    const rec_run_state *state = rec_run_get_state(session->run);
    const uint64_t done = state->iterations - done_before;
    if (looks || state->stop)
        take_distance(session, state->look.distance_rms, before, now);
    else if (done && now > before)
        session->speed = (double)done / (now - before);
    measure_rate(session, now);
    session->batch_left = session->batch_left > done ? session->batch_left - done : 0;
    *ended = !session->batch_left || state->stop;
    if (*ended)
        session->batch_left = batch(session);
    return REC_OK;
}

rec_status rec_session_look(rec_session *session, rec_error *error)
{
    if (!isnan(session->distance) && session->distance_at == iterations(session))
        return REC_OK;
    rec_look look;
    const double before = rec_now();
    const rec_status status = rec_solver_advance(rec_run_solver(session->run), 0,
                                                 REC_LOOK_DISTANCE, &look, error);
    if (!status)
        take_distance(session, look.distance_rms, before, rec_now());
    return status;
}

/* ---- jumps ---- */

rec_status rec_session_seek(rec_session *session, uint64_t iteration, rec_error *error)
{
    const rec_view_options *options = session->options;
    rec_status status = REC_OK;
    if (!session->jumper)
        status = options->open_jumper(options->context, session->index, &session->jumper, error);
    if (status) {
        session->jumper = NULL;
        return status;
    }
    status = rec_solver_jump(session->jumper, iteration, error);
    if (status)
        return status;
    session->jumped = 1;
    session->jump = iteration;
    return REC_OK;
}

void rec_session_return(rec_session *session) { session->jumped = 0; }

void rec_session_close_jumper(rec_session *session)
{
    rec_solver_destroy(session->jumper);
    session->jumper = NULL;
    session->jumped = 0;
}

rec_status rec_session_play(rec_session *session, rec_error *error)
{
    const rec_view_options *options = session->options;
    rec_image image;
    rec_status status = rec_solver_read_image(session->jumper, &image, error);
    if (status)
        return status;
    status = options->jump(options->context, session->index, session->run, session->jump, &image,
                           error);
    rec_image_destroy(&image);
    if (!status) {
        session->jumped = 0;
        session->distance = NAN;
    }
    return status;
}

rec_solver *rec_session_solver(const rec_session *session)
{
    return session->jumped ? session->jumper : rec_run_solver(session->run);
}

rec_status rec_session_read(rec_session *session, rec_image *image, rec_error *error)
{
    return session->jumped ? rec_solver_read_image(session->jumper, image, error)
                           : rec_run_read_image(session->run, image, error);
}

int rec_session_wants_picture(const rec_session *session, int batch_ended)
{
    return rec_now() - session->shown_time >= (batch_ended ? SCREEN_SECONDS : PICTURE_SECONDS);
}

rec_status rec_session_show(rec_session *session, rec_size area, rec_size *size, int *begun,
                            rec_error *error)
{
    const rec_size whole = {session->input.width, session->input.height};
    const rec_size fitted = rec_fit(whole, area);
    size->width = fitted.width < whole.width ? fitted.width : whole.width;
    size->height = fitted.height < whole.height ? fitted.height : whole.height;
    const rec_view view = {.width = whole.width,
                           .height = whole.height,
                           .out_width = size->width,
                           .out_height = size->height,
                           .tone = session->options->tone};
    const rec_status status =
        rec_solver_snapshot(rec_session_solver(session), &view, begun, error);
    if (!status && *begun)
        session->shown_time = rec_now();
    return status;
}

static void nap(void)
{
    const struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

rec_status rec_session_copy_view(rec_session *session, rec_size area, rec_image *view,
                                 rec_error *error)
{
    rec_solver *solver = rec_session_solver(session);
    const double deadline = rec_now() + SNAPSHOT_SECONDS;
    if (!area.width || !area.height)
        area = (rec_size){session->input.width, session->input.height};
    rec_size size;
    for (int begun = 0; rec_now() < deadline; nap()) {
        if (!begun) {
            const rec_status status = rec_session_show(session, area, &size, &begun, error);
            if (status)
                return status;
        }
        const rec_snapshot *snapshot = rec_solver_poll(solver);
        if (!snapshot)
            continue;
        rec_status status = REC_OK;
        const int wanted = begun && snapshot->iteration == rec_session_shown(session) &&
                           snapshot->width == size.width && snapshot->height == size.height;
        if (wanted)
            status = rec_save_copy_view(snapshot, view, error);
        rec_solver_release(solver, snapshot);
        if (wanted)
            return status;
    }
    return rec_fail(error, REC_UNAVAILABLE, "the device gave no picture within %.0f s",
                    SNAPSHOT_SECONDS);
}
