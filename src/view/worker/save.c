/* Saving by key: the picture with the exact iterate, or the view, as they are now. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"
#include "base/paths.h"
#include "base/text.h"
#include "view/worker/worker_type.h"

#define MOST_BYTES 200u       /* of an input's name in the names of files: they have 255 */
#define SNAPSHOT_SECONDS 10.0 /* no snapshot takes so long: the device is lost */

/* The paths of one save: NAME-ITERATION.png or NAME-limit.png, and the exact iterate in .pfm; or of
 * what is painted NAME-healed, NAME-cloned or NAME-recovered, NAME-mask.png and NAME-sources.txt.
 * Empty: there is none. */
typedef char file_names[3][PATH_MAX];

/* PNG, in a build without it PGM or PPM. */
static const rec_format *usual_format(size_t planes)
{
    const rec_format *png = rec_format_find("png");
    return png && png->write ? png : rec_format_default(planes);
}

/* NAME is the input's, without folders and ending, and cut where a name would be too long; -2, -3,
 * ... is added to the names while one is taken. REC_NO_OUTPUT when no name is free. */
static rec_status find_names(file_names names, const rec_session *session, const char *what,
                             const rec_format *format, int with_second, rec_error *error)
{
    const char *input = session->job->input;
    const uint64_t iteration = rec_session_iterate(session);
    const char *folder = session->folder ? session->folder : "";
    size_t length;
    const char *stem = rec_path_stem(rec_path_is_standard(input) ? "stdin" : input, &length);
    const int painted = rec_session_paints(session);
    const char *ending[] = {format->ending, painted ? usual_format(1)->ending : "pfm", "txt"};
    const char *name[] = {"limit", painted ? "mask" : "limit", "sources"};
    const int is_there[] = {1, with_second, with_second && painted &&
                                            rec_edit_has_sources(session->job->edit)};
    char at[24];
    snprintf(at, sizeof at, "%" PRIu64, iteration);
    if (painted)
        name[0] = session->folder               ? "recovered"
                  : rec_session_clones(session) ? "cloned"
                                                : "healed";
    else if (iteration != REC_LIMIT_ITERATION)
        name[0] = name[1] = at;
    for (length = rec_smaller(length, MOST_BYTES); length && (stem[length] & 0xc0) == 0x80;)
        length--; /* of UTF-8 */
    for (unsigned number = 1; number < 10000; number++) {
        struct stat info;
        char suffix[16] = "";
        int taken = 0;
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%u", number);
        for (int i = 0; i < 3; i++) {
            snprintf(names[i], sizeof names[i], "%s%s%.*s-%s%s%s.%s", folder,
                     *rec_path_name(folder) ? "/" : "", (int)length, stem, name[i], i ? "" : what,
                     suffix, ending[i]);
            names[i][0] = is_there[i] ? names[i][0] : '\0';
            taken |= !lstat(names[i], &info); /* also a link to nothing: it is followed */
        }
        if (!taken)
            return REC_OK;
    }
    return rec_fail(error, REC_NO_OUTPUT, "%.*s: every name to save it under is taken",
                    (int)length, stem);
}

/* What is painted is written onto its file: all else stays. Where that has changed since, or is
 * gone, there is nothing to write onto. */
static int has_original(const rec_session *session)
{
    const rec_image_origin *origin = &session->job->origin;
    rec_file_mark now;
    return rec_file_note(origin->path, &now) && !memcmp(&now, &origin->file, sizeof now);
}

/* That of -o, else the input's, if it can have the image: of a JPEG with what is painted into it,
 * and not with what is recovered, which loses nothing. Else PNG. Of a view only one of bytes. */
static const rec_format *choose_format(const rec_session *session, size_t planes, int is_view)
{
    const rec_job *job = session->job;
    const rec_format *own = job->origin.format, *format = job->settings->writing.format;
    const int painted = rec_session_paints(session);
    if (!format && job->output && rec_format_of_path(job->output, planes, &format, NULL))
        format = NULL;
    if (format && format->lossy && session->folder)
        format = NULL;
    if (!format && own && !is_view && !job->extras.fixed &&
        (painted || own->samples != REC_INTEGERS) &&
        (!own->lossy || (painted && !session->folder && has_original(session))))
        format = own;
    const int suits = format && format->write && (planes == 3 ? format->colour : format->grey) &&
                      (!is_view || rec_has_tones(format));
    return suits ? format : usual_format(planes);
}

/* ---- the view ---- */

/* Copies a snapshot as it is drawn, from column `first` on. */
static void copy_view(const rec_snapshot *snapshot, double gamma, size_t first, rec_image *view)
{
    uint32_t palette[REC_PALETTE_SIZE];
    rec_scene_palette(palette, snapshot->view.layer, snapshot->planes == 1, gamma);
    for (size_t y = 0; y < view->height; y++)
        for (size_t x = first; x < view->width; x++) {
            const uint32_t color = rec_scene_color(snapshot, palette, x, y);
            for (size_t p = 0; p < view->planes; p++)
                rec_image_row(view, p, y)[x] = (float)(color >> (16 - 8 * p) & 0xff);
        }
}

/* Begins a snapshot of the layer, waits for it and copies it. Earlier ones, which may show another
 * part or have another tone, are dropped. */
static rec_status copy_layer(rec_session *session, const rec_wanted *wanted, rec_layer layer,
                             size_t first, rec_image *view, rec_error *error)
{
    const struct timespec millisecond = {0, 1000000};
    rec_solver *solver = rec_session_solver_of(session, layer);
    const double deadline = rec_now() + SNAPSHOT_SECONDS;
    rec_view asked;
    rec_status status = REC_OK;
    if (!solver || (rec_layers[layer].source == REC_SOURCE_MARK && !session->marked))
        return rec_fail(error, REC_UNAVAILABLE, "there is nothing to save in this view");
    /* Once two have begun, both buffers have lost what was in them. */
    for (int ours = 0, done = 0; !done && !status; nanosleep(&millisecond, NULL)) {
        int begun = 0;
        if (rec_now() > deadline)
            return rec_fail(error, REC_UNAVAILABLE, "the device returned no picture within %.0f s",
                            SNAPSHOT_SECONDS);
        if (ours < 2)
            status = rec_session_show(session, wanted, layer, &asked, &begun, error);
        ours += begun;
        const rec_snapshot *snapshot = status ? NULL : rec_solver_poll(solver);
        if (!snapshot)
            continue;
        done = ours == 2 && !memcmp(&snapshot->view, &asked, sizeof asked);
        if (done)
            copy_view(snapshot, wanted->gamma, first, view);
        rec_solver_release(solver, snapshot);
    }
    return status;
}

/* ---- the files ---- */

/* As shown, but not magnified. REC_UNAVAILABLE if the scene has nothing to show now. */
static rec_status save_view(rec_worker *worker, file_names names, rec_error *error)
{
    rec_session *session = worker->session;
    rec_wanted seen = worker->wanted;
    rec_owned_image view = {0};
    if (!seen.viewport.area.width || !seen.viewport.area.height)
        seen.viewport = (rec_viewport){.area = session->size, .fit = 1};
    const rec_scene_row *scene = &rec_scenes[seen.scene];
    const int coloured = rec_layers[scene->layer].scale >= REC_SCALE_SIGNED ||
                         rec_layers[scene->right].scale >= REC_SCALE_SIGNED;
    rec_view part;
    rec_viewport_part(&seen.viewport, session->size, &part);
    REC_TRY(rec_image_create(&view, part.out_width, part.out_height,
                             session->planes > 1 || coloured ? 3 : 1, error));
    pthread_mutex_lock(&worker->exchange.handover); /* nobody else may poll the solvers */
    rec_status status = copy_layer(session, &seen, scene->layer, 0, &view, error);
    if (!status && scene->right != scene->layer) {
        const rec_place place =
            rec_viewport_place(&seen.viewport, session->size,
                               (rec_area){part.x, part.y, part.width, part.height});
        const double divider = seen.divider * (double)seen.viewport.area.width - place.x;
        const double column = ceil(divider * (double)part.out_width / place.width - 0.5);
        const size_t first = (size_t)fmin(fmax(column, 0), (double)part.out_width);
        status = copy_layer(session, &seen, scene->right, first, &view, error);
    }
    pthread_mutex_unlock(&worker->exchange.handover);
    rec_worker_make_due(worker, 0); /* a picture on its way to the screen may be lost now */
    const rec_write_options options = {.maxval = 255, .tone = REC_TONE_CLAMP,
                                       .format = choose_format(session, view.planes, 1)};
    REC_TRY(status);
    REC_TRY(find_names(names, session, "-view", options.format, 0, error));
    return rec_image_write(names[0], &view, &options, error);
}

/* White where pixels are unknown: as --mask takes it. */
static rec_status save_mask(const rec_mask *mask, const char *path, rec_error *error)
{
    const rec_write_options options = {.maxval = 255, .format = usual_format(1)};
    rec_owned_image image = {0};
    REC_TRY(rec_image_create(&image, mask->width, mask->height, 1, error));
    for (size_t y = 0; y < mask->height; y++)
        for (size_t x = 0; x < mask->width; x++)
            rec_image_row(&image, 0, y)[x] = mask->unknown[y * mask->width + x] ? 255 : 0;
    return rec_image_write(path, &image, &options, error);
}

/* The whole picture as -o would write it, with 16 bits where the input or the reference has them,
 * and the exact iterate beside it; or what is painted. */
static rec_status save_picture(rec_session *session, file_names names, rec_error *error)
{
    const rec_write_options exact = {.maxval = 255, .format = rec_format_find("pfm")};
    rec_job *job = session->job;
    const int painted = rec_session_paints(session);
    const int is_picture = job->reading.role == REC_PICTURE;
    const double peak = fmax(job->peak, is_picture ? (double)job->info.maxval : 0);
    rec_write_options options = job->writing;
    rec_written written = {0};
    options.written = &written;
    options.stops = 0; /* what was painted is kept after a signal, too */
    rec_owned_image result = {0};
    rec_output *output;
    options.format = choose_format(session, session->planes, 0);
    if (!has_original(session))
        options.origin = NULL;
    const rec_format *own = job->origin.format;
    if (painted && own && own->samples == REC_FLOATS && !strcmp(own->title, options.format->title))
        options.format = own;
    if (peak > 255 && peak <= 65535 && options.maxval == 255 && options.tone != REC_TONE_EPCC)
        options.maxval = options.format->widest ? options.format->widest : (unsigned)peak;
    REC_TRY(find_names(names, session, "", options.format,
                       painted || options.format != exact.format, error));
    if (painted) /* before what takes time, and may fail */
        REC_TRY(save_mask(rec_edit_shape(job->edit), names[1], error));
    if (names[2][0]) {
        REC_TRY(rec_output_open(&output, names[2], 0, error));
        rec_edit_write_sources(job->edit, rec_output_stream(output));
        REC_TRY(rec_output_commit(output, REC_OK, NULL, error));
    }
    REC_TRY(painted ? rec_job_fill(job, options.format, &result, error)
            : session->jumped ? rec_solver_read_image(session->jumper, &result, error)
                              : rec_run_read_image(session->run, &result, error));
    if (!painted && job->edit)
        rec_edit_restore(job->edit, &result);
    if (!painted && names[1][0])
        REC_TRY(rec_image_write(names[1], &result, &exact, error));
    REC_TRY(rec_image_write(names[0], &result, &options, error));
    rec_written_print(names[0], &written, 0);
    if (painted)
        rec_edit_keep(job->edit);
    return REC_OK;
}

/* As a shell takes it. */
static void print_word(const char *word)
{
    const char *end;
    const int plain = !strpbrk(word, " !\"#$&'()*;<>?[\\]^`{|}~");
    for (rec_say(stderr, plain ? " " : " '"); (end = strchr(word, '\'')); word = end + 1)
        rec_say(stderr, "%.*s'\\''", (int)(end - word), word);
    rec_say(stderr, plain ? "%s" : "%s'", word);
}

/* The command that makes the same picture of the saved mask. */
static void print_command(const rec_session *session, const file_names names)
{
    const rec_guidance *guidance = rec_edit_guidance(session->job->edit);
    const rec_edit_wish *wish = &session->job->settings->edit;
    const int clones = rec_session_clones(session);
    const int fills = clones || (names[2][0] && guidance->rule != REC_GRADIENT_ZERO);
    char at[48];
    rec_say(stderr, "reconstruct %s", clones ? "clone" : "heal");
    if (clones)
        print_word(wish->source);
    print_word(session->job->input);
    rec_say(stderr, " --mask");
    print_word(names[1]);
    snprintf(at, sizeof at, "%td,%td", guidance->x, guidance->y);
    rec_say(stderr, clones ? " --at" : " --from");
    print_word(clones ? at : fills ? names[2] : "none");
    if (fills && guidance->rule != REC_GRADIENT_SOURCE)
        rec_say(stderr, " --gradient %s", rec_gradients[guidance->rule].name);
    if (guidance->keep > 0)
        rec_say(stderr, " --keep %.9g", guidance->keep);
    if (wish->white > 0)
        rec_say(stderr, " --white %.9g", wish->white);
    rec_say(stderr, " -o");
    print_word(names[0]);
    rec_say(stderr, "\n");
}

rec_outcome rec_worker_save(rec_worker *worker, const rec_request *request)
{
    rec_session *const shown = worker->session;
    const int is_view = request->argument;
    file_names names = {0};
    rec_error error;
    if (shown->paint.of_source && !is_view)
        rec_worker_leave_brush(worker); /* the clone is saved with it */
    rec_session *session = worker->session;
    const rec_outcome filled = rec_worker_finish_filling(worker);
    worker->session = shown;
    if (!session->run || (filled.error.status && !session->folder)) /* the mask may be kept */
        return filled;
    rec_worker_publish(worker, rec_session_phase(session), rec_told(0, "saving ..."));
    if (is_view ? save_view(worker, names, &error) : save_picture(session, names, &error))
        return rec_told(filled.follow | REC_BAD, "not saved: %s", error.message);
    if (!is_view && rec_session_paints(session))
        print_command(session, names);
    return rec_told(filled.follow, "saved %s%s%s", names[0], names[1][0] ? " and " : "",
                    names[1]);
}

rec_outcome rec_worker_recover_shown(rec_worker *worker)
{
    rec_session *const session = worker->session;
    rec_owned char *beside = rec_path_folder(session->job->input);
    const char *temporary = getenv("TMPDIR");
    const char *const folders[] = {"", beside, getenv("HOME"), temporary ? temporary : "/tmp"};
    rec_outcome outcome = {.follow = REC_BAD};
    for (size_t i = 0; i < 4 && outcome.follow & REC_BAD; i++)
        if ((session->folder = folders[i]))
            outcome = rec_worker_save(worker, &(rec_request){.argument = 0});
    session->folder = NULL;
    return outcome;
}

/* Saves what is painted without an output, or recovers it: with one, or all. */
static rec_outcome save_unsaved(rec_worker *worker, int recovers, int all)
{
    rec_session *const shown = worker->session;
    rec_outcome outcome = rec_nothing;
    rec_worker_leave_brush(worker);
    for (size_t i = 0; i < rec_worker_rooms(worker); i++) {
        rec_session *const session = worker->session = &worker->sessions[i];
        if (!rec_session_is_unsaved(session) || (!recovers && outcome.follow & REC_BAD) ||
            (!all && recovers != (session->job->output != NULL)))
            continue;
        rec_worker_end_jacobi(worker);
        outcome = recovers ? rec_worker_recover_shown(worker)
                           : rec_worker_save(worker, &(rec_request){.argument = 0});
        if (recovers)
            rec_say(stderr, "reconstruct: %s: %s\n", rec_input_name(session->job->input),
                    outcome.error.message);
    }
    worker->session = shown;
    return outcome;
}

void rec_worker_recover(rec_worker *worker, int all) { save_unsaved(worker, 1, all); }

rec_outcome rec_worker_save_and_leave(rec_worker *worker, const rec_request *request)
{
    const rec_outcome outcome = save_unsaved(worker, 0, 0);
    if (!outcome.error.status && !(outcome.follow & REC_BAD))
        rec_worker_ask_to_leave(worker);
    return outcome;
}

rec_outcome rec_worker_ask(rec_worker *worker, const rec_request *request)
{
    if (worker->now.unsaved)
        worker->now.questions++;
    else
        rec_worker_ask_to_leave(worker);
    return rec_nothing;
}
