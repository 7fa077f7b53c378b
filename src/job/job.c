/* The steps of a job: create (names), load (images), open (a run), take the result, write it. After
 * any step a failure or a signal leaves by the same two functions, close and destroy: the work done
 * is then in the output or in the checkpoint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "job/jobs.h"

#define DEVICE_SECONDS 10 /* after which a start is told to take long */

/* ---- creation: the paths of its files ---- */

/* An input that was dropped on the window has files only in folders: a file that is named on the
 * command line belongs to the first input. */
static rec_status set_paths(rec_job *job, int dropped, rec_error *error)
{
    const rec_settings *settings = job->settings;
    if (settings->output && !settings->output_is_folder && !dropped)
        REC_TRY(rec_path_copy(&job->output, settings->output, error));
    if (settings->checkpoint && settings->checkpoint_is_folder)
        REC_TRY(
            rec_path_join(&job->checkpoint, settings->checkpoint, job->stem, "checkpoint", error));
    else if (settings->checkpoint && !dropped)
        REC_TRY(rec_path_copy(&job->checkpoint, settings->checkpoint, error));
    if (settings->film)
        REC_TRY(rec_path_join(&job->film.prefix, settings->film, job->stem, NULL, error));
    const struct {
        const char *given;
        char **path;
    } read[] = {{settings->original, &job->original_path},
                {settings->edit.mask, &job->mask_path},
                {settings->edit.onto, &job->onto_path}};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (read[i].given) {
            REC_TRY(rec_path_find(read[i].path, read[i].given, job->stem, error));
            REC_TRY(rec_files_add(job->files, *read[i].path, error)); /* one of a folder, perhaps */
        }
    return REC_OK;
}

rec_status rec_job_create(rec_job **made, const rec_settings *settings, rec_files *files,
                          const rec_entry *entry, int dropped, rec_error *error)
{
    REC_TRY(rec_allocate_zeroed(made, 1, sizeof **made, entry->name, error));
    rec_job *job = *made;
    job->settings = settings;
    job->files = files;
    job->begin = rec_now();
    job->entry = entry;
    job->dropped = dropped;
    job->report.input = job->input = entry->name;
    job->stem = entry->stem;
    job->refused = entry->refused;
    job->reading = settings->reading;
    job->problem = settings->run.problem;
    job->writing = settings->writing;
    job->others = rec_hash_folder_files(settings, job->stem);
    const rec_status status = set_paths(job, dropped, error);
    /* If the limit alone is needed, the picture takes the place of the edges, or of the start. */
    job->problem.in_place = settings->headless && rec_solver_type_jumps(settings->run.solver) &&
                            settings->run.iterations == REC_ENDLESS && !settings->frames &&
                            !settings->against && !job->checkpoint && !settings->reading.shared &&
                            !settings->edit.kind;
    if (!status)
        return REC_OK;
    rec_job_destroy(job);
    *made = NULL;
    return status;
}

/* With a folder output the extension is known only after reading. An hour of iterations is not lost
 * to a target that cannot be written: it is checked now. */
static rec_status complete_output(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    if (settings->output && settings->output_is_folder && !job->output) {
        REC_TRY(rec_output_path(settings, job->writing.format, job->stem, job->report.planes,
                                &job->output, error));
        if (settings->headless && !settings->makes_edges &&
            !rec_solver_type_jumps(settings->run.solver))
            REC_TRY(rec_output_check(job->output, 0, error));
    }
    return job->output ? rec_write_check(job->output, job->report.planes, &job->writing, error)
                       : REC_OK;
}

rec_status rec_job_renew(rec_job **fresh, const rec_job *job, rec_error *error)
{
    REC_TRY(rec_job_create(fresh, job->settings, job->files, job->entry, job->dropped, error));
    (*fresh)->warmup = job->warmup;
    (*fresh)->journal = job->journal;
    (*fresh)->reading.role = job->reading.role;
    return REC_OK;
}

/* ---- opening ---- */

/* Between steps that take a second each, of a large image. Ranks see signals each at its time. */
static rec_status look_at_signals(const rec_job *job, rec_error *error)
{
    return rec_is_stopped() && !job->settings->reading.shared
               ? rec_fail(error, REC_SIGNALLED, "%s: stopped by a signal",
                          rec_input_name(job->input))
               : REC_OK;
}

/* With its images, or those of its edit. */
static rec_status take_problem(rec_job *job, rec_error *error)
{
    const rec_problem *edited;
    job->problem.given = &job->given;
    if (job->edit) {
        REC_TRY(rec_edit_problem(job->edit, &edited, error));
        job->problem = *edited;
        if (job->settings->headless && !rec_job_fills(job)) /* else it may become known again */
            rec_edit_surround(job->edit, rec_edit_picture(job->edit));
    }
    if (job->start.data)
        job->problem.start = &job->start;
    return REC_OK;
}

static rec_status create_run(rec_job *job, int fresh, rec_error *error)
{
    rec_status status = look_at_signals(job, error);
    REC_THEN(status, take_problem(job, error));
    if (!status && job->checkpoint && !job->lock && !rec_ranks_own())
        status = rec_lock_take(&job->lock, job->checkpoint, error);
    REC_TRY(rec_image_agree(&job->given, status, error));
    rec_run_options options = job->settings->run;
    if (job->settings->successor)
        options.successor = job->warmup;
    else
        rec_job_await_device(job);
    options.problem = job->problem;
    options.checkpoint = job->checkpoint;
    options.lock = job->lock;
    options.fresh = fresh;
    options.kept = job->kept;
    options.solver_options.shown = !job->settings->headless;
    /* The window may load the input again, and must know it then. */
    job->identity = job->checkpoint || !job->settings->headless ? rec_job_identify(job) : 0;
    options.identity = job->identity;
    /* A grey level is 1, but floats have any unit. */
    options.solver_options.tolerance = options.tolerance;
    if (!(options.tolerance > 0) && job->info.format && job->info.format->samples == REC_FLOATS)
        options.solver_options.tolerance =
            fmin(REC_USUAL_TOLERANCE, 1e-6 * rec_problem_magnitude(&job->problem));
    status = rec_run_create(&job->run, &options, job->problem.given, job->problem.start, error);
    /* A checkpoint's and a start's messages name their file; the others are about this input, and
     * a stop is, whatever was read when it came. */
    return status && (status == REC_SIGNALLED || !strstr(error->message, ": "))
               ? rec_fail_in(error, rec_input_name(job->input))
               : status;
}

rec_status rec_job_load(rec_job *job, rec_error *error)
{
    if (rec_job_is_loaded(job))
        return REC_OK;
    rec_status status = job->refused ? rec_job_refuse(job, error) : rec_job_read_images(job, error);
    if (!status) {
        const rec_samples size = job->edit ? *rec_edit_target(job->edit) : (rec_samples){0};
        job->report.width = job->edit ? size.width : job->given.width;
        job->report.height = job->edit ? size.height : rec_image_full_height(&job->given);
        job->report.planes = job->edit ? size.planes : job->given.planes;
        if (!job->edit)
            job->doubt = job->reading.role == REC_EDGES
                             ? rec_edges_doubt(&job->given, job->info.zero_level)
                             : REC_DOUBT_NONE;
        status = complete_output(job, error);
    }
    if (!status && rec_job_takes_edges(job) && !job->original_path)
        status = rec_path_copy(&job->original_path, rec_input_name(job->input), error);
    /* With --parents a file may be in a folder below that of the option. */
    const char *const paths[] = {job->output, job->checkpoint, job->film.prefix};
    for (size_t i = 0; !status && strchr(job->stem, '/') && i < sizeof paths / sizeof *paths; i++) {
        rec_owned char *folder = paths[i] ? rec_path_folder(paths[i]) : NULL;
        if (folder)
            status = rec_path_make_folder(folder, 1, error);
    }
    /* Before the work: an hour's iterations are not lost to another picture's name. */
    if (!status && job->settings->headless && job->original_path && !job->original.data)
        status = rec_job_take_original(job, &job->original, &job->peak, error);
    REC_THEN(status, look_at_signals(job, error));
    if (job->settings->reading.shared)
        status = rec_ranks_agree(status, error);
    if (status)
        rec_job_close(job);
    return status;
}

rec_status rec_job_open(rec_job *job, int fresh, rec_error *error)
{
    REC_TRY(rec_job_load(job, error));
    rec_status status = create_run(job, fresh, error);
    if (status) {
        rec_job_close(job);
        return status;
    }
    rec_solver_get_info(rec_run_solver(job->run), &job->report.info);
    job->report.problem = &job->problem;
    if (*job->report.info.inverse && job->settings->progress)
        rec_say(job->settings->progress, "%s: the stencil %s: %s\n", rec_input_name(job->input),
                job->settings->run.problem.operators->stencil.name, job->report.info.inverse);
    if (*job->report.info.note && job->settings->progress && !job->settings->list)
        rec_say(job->settings->progress, "note: %s: %s\n", rec_input_name(job->input),
                job->report.info.note);
    rec_job_begin_film(job);
    rec_job_release_images(job);
    return REC_OK;
}

/* ---- another solver ---- */

int rec_job_can_hand_over(rec_job *job)
{
    rec_error error;
    const int can = rec_run_can_hand_over(job->run);
    if (rec_warmup_complains(job->settings->successor ? job->warmup : NULL, DEVICE_SECONDS, &error))
        rec_say(stderr, "warning: the processor computes alone: %s\n", error.message);
    if (!rec_run_has_successor(job->run))
        rec_job_release_images(job);
    return can;
}

void rec_job_hand_over(rec_job *job)
{
    rec_error ignored; /* it complains */
    if (!rec_run_hand_over(job->run, job->problem.given, &ignored))
        rec_solver_get_info(rec_run_solver(job->run), &job->report.info);
}

static void take_state(rec_job *job)
{
    rec_run_state *state = &job->report.state;
    *state = *rec_run_get_state(job->run);
    state->seconds.load = job->load_seconds;
    state->seconds.device_start += job->wait_seconds;
}

static rec_status unlock(rec_job *job, rec_error *error)
{
    rec_lock *lock = job->lock;
    job->lock = NULL;
    return rec_lock_release(lock, error);
}

void rec_job_close(rec_job *job)
{
    if (job->run) {
        take_state(job);
        rec_run_destroy(job->run);
        job->run = NULL;
    }
    if (job->settings->headless || (!rec_job_is_piped(job) && !job->stays))
        rec_job_drop_images(job);
    if (!job->settings->headless) /* else the result may still be written */
        unlock(job, NULL);
}

void rec_job_destroy(rec_job *job)
{
    if (!job)
        return;
    rec_job_destroy(job->brush);
    rec_job_close(job);
    unlock(job, NULL);
    job->puts = 0;
    rec_job_drop_images(job);
    rec_edit_destroy(job->edit);
    rec_image_destroy(&job->result);
    free(job->output);
    free(job->checkpoint);
    free(job->film.prefix);
    free(job->original_path);
    free(job->mask_path);
    free(job->onto_path);
    rec_extras_destroy(&job->extras);
    rec_free(job);
}

/* ---- leaving ---- */

rec_status rec_job_take_result(rec_job *job, rec_error *error)
{
    rec_status status = REC_OK;
    if (rec_job_fills(job)) {
        if (job->output || !job->run)
            status = rec_job_fill(job, NULL, job->output ? &job->result : NULL, error);
    } else if (job->output && job->report.info.in_place) {
        job->result = job->given;
        job->given = (rec_image){0};
    } else if (job->output) {
        status = rec_run_read_image(job->run, &job->result, error);
        if (!status && job->edit)
            rec_edit_restore(job->edit, &job->result);
    }
    if (job->run)
        take_state(job);
    if (status || !job->settings->run.problem.operators || !job->result.data ||
        isfinite(rec_image_largest(&job->result)))
        return status;
    rec_image_destroy(&job->result);
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: the result is not finite: each iteration makes it larger\vtake fewer "
                    "(-n), or %s", rec_input_name(job->input),
                    job->settings->run.problem.operators->is_inverse ? "a smaller --omega"
                                                                     : "--normalise");
}

/* Keeps the work in the checkpoint when the output failed, and says so in the message. Returns the
 * status; REC_STOPPED instead of REC_SIGNALLED if the checkpoint was written. */
static rec_status keep_work(const rec_job *job, rec_error *error)
{
    const rec_error failure = *error;
    rec_error ignored;
    if (!job->checkpoint || rec_solver_type_jumps(job->settings->run.solver) ||
        rec_lock_check(job->lock, NULL) ||
        rec_checkpoint_write(job->checkpoint, &job->report.state, job->identity, &job->result,
                             &ignored))
        return failure.status;
    return rec_fail(error, failure.status == REC_SIGNALLED ? REC_STOPPED : failure.status,
                    "%.700s; the work is kept in %s, the same command continues from there",
                    failure.message, job->checkpoint);
}

rec_status rec_job_write(rec_job *job, rec_error *error)
{
    const double before = rec_now();
    rec_write_options writing = job->writing;
    rec_status status = REC_OK;
    rec_file_mark mark = {0};
    rec_claim claim = rec_job_claim(job, job->input);
    char doubt[REC_DOUBT_TEXT], advice[REC_DOUBT_TEXT + 32];
    claim.guard.mark = &mark;
    if (job->settings->headless && !job->settings->force &&
        !(job->settings->edit.kind && rec_has_tones(job->origin.format)) &&
        job->report.state.stop == REC_STOP_LIMIT) { /* an iterate may be on its way */
        snprintf(advice, sizeof advice, "%s; --force writes it", *rec_job_doubt(job, doubt) ? doubt
                 : job->edit ? "TIFF, NumPy and PFM hold any value" : "--maxval 65535 or --tone "
                 "stretch keeps more; --picture takes a picture's edges");
        writing.if_cut = advice;
    }
    writing.written = writing.exact ? NULL : &job->report.written; /* nothing is cut off */
    writing.guard = &claim.guard;
    if (job->settings->edit.kind && !job->settings->report && rec_has_tones(job->origin.format) &&
        job->extras.maxval <= writing.maxval) /* nobody asks for the range */
        writing.alone = &rec_edit_mask(job->edit)->box;
    const int written = job->result.data || job->puts;
    if (job->puts)
        status = rec_job_put(job, &writing, error);
    else if (job->result.data)
        status = rec_image_write(job->output, &job->result, &writing, error);
    if (status) {
        job->report.written = (rec_written){0};
        status = keep_work(job, error);
    } else {
        if (written) {
            job->report.output = job->output;
            job->report.output_bytes = mark.bytes;
            job->report.output_time = mark.time;
            rec_written_print(job->output, &job->report.written,
                              job->settings->progress && !job->settings->list);
        }
        if (job->checkpoint)
            rec_checkpoint_remove(job->checkpoint, job->identity);
        if (job->settings->headless) /* before its line in the journal: a kill leaves nothing */
            status = unlock(job, error);
    }
    rec_image_destroy(&job->result);
    job->save_seconds += rec_now() - before;
    return status;
}

rec_status rec_job_save(rec_job *job, rec_error *error)
{
    const rec_status status = rec_job_take_result(job, error);
    return status ? status : rec_job_write(job, error);
}

rec_status rec_job_interrupt(rec_job *job, rec_error *error)
{
    const unsigned long long iterations = rec_run_get_state(job->run)->iterations;
    if (!job->checkpoint)
        return rec_fail(error, REC_SIGNALLED,
                        "%s: stopped by a signal after %llu iteration%s; nothing was written "
                        "(--checkpoint keeps the work)", rec_input_name(job->input), iterations,
                        rec_plural(iterations));
    REC_TRY(rec_run_save_checkpoint(job->run, error));
    return rec_fail(error, REC_STOPPED,
                    "%s: stopped by a signal after %llu iteration%s; the checkpoint %s is written, "
                    "the same command continues from there", rec_input_name(job->input), iterations,
                    rec_plural(iterations), job->checkpoint);
}
