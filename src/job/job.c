/* The life of a job. After any step a failure or a signal leaves by close and destroy: the work
 * that is done is then in the output or in the checkpoint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "job/jobs.h"

#define DEVICE_SECONDS 10 /* after which a start is told to take long */

/* ---- creation: the paths of its files ---- */

/* A file that the command line names is the first input's: what was dropped has only folders. */
static rec_status set_paths(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const char *stem = job->entry->stem;
    if (settings->output && !settings->output_is_folder && !job->dropped)
        REC_TRY(rec_path_copy(&job->output, settings->output, error));
    if (settings->checkpoint && settings->checkpoint_is_folder)
        REC_TRY(rec_path_join(&job->checkpoint, settings->checkpoint, stem, "checkpoint", error));
    else if (settings->checkpoint && !job->dropped)
        REC_TRY(rec_path_copy(&job->checkpoint, settings->checkpoint, error));
    if (settings->film)
        REC_TRY(rec_path_join(&job->film.prefix, settings->film, stem, NULL, error));
    REC_TRY(rec_job_find_file(job, &job->original_path, settings->original, error));
    REC_TRY(rec_job_find_file(job, &job->mask_path, settings->edit.mask, error));
    return rec_job_find_file(job, &job->onto_path, settings->edit.onto, error);
}

rec_status rec_job_create(rec_job **made, rec_jobs *jobs, const rec_settings *settings,
                          const rec_entry *entry, int dropped, rec_error *error)
{
    REC_TRY(rec_allocate_zeroed(made, 1, sizeof **made, entry->name, error));
    rec_job *job = *made;
    const int every = settings->frames == REC_FRAMES_EVERY;
    *job = (rec_job){.settings = settings, .jobs = jobs, .entry = entry, .input = entry->name,
                     .name = rec_input_name(entry->name), .dropped = dropped,
                     .begin = rec_now(), .report.input = entry->name,
                     .reading = settings->reading, .problem = settings->run.problem,
                     .writing = settings->writing,
                     .film = {.every = every ? settings->run.every : 0,
                              .next = every || settings->frames == REC_FRAMES_LOG ? 0 : UINT64_MAX},
                     .others = rec_hash_folder_files(settings, entry)};
    const rec_status status = set_paths(job, error);
    /* If the limit alone is needed, the picture takes the place of the edges, or of the start. */
    job->problem.in_place = settings->headless && settings->run.solver->jumps &&
                            settings->run.iterations == REC_ENDLESS && !settings->frames &&
                            !settings->against && !job->checkpoint && !settings->reading.shared &&
                            !settings->edit.kind;
    if (!status)
        return REC_OK;
    rec_job_destroy(job);
    *made = NULL;
    return status;
}

/* In a folder the extension is known after reading; before an hour's work the target is checked. */
static rec_status complete_output(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    if (settings->output && settings->output_is_folder && !job->output) {
        REC_TRY(rec_output_path(settings, job->writing.format, job->entry->stem,
                                job->report.planes, &job->output, error));
        if (settings->headless && !settings->makes_edges && !settings->run.solver->jumps)
            REC_TRY(rec_output_check(job->output, 0, error));
    }
    return job->output ? rec_write_check(job->output, job->report.planes, &job->writing, error)
                       : REC_OK;
}

/* ---- opening ---- */

/* Between steps that take a second each, of a large image. Ranks see signals each at its time. */
static rec_status look_at_signals(const rec_job *job, rec_error *error)
{
    return rec_is_stopped() && !job->settings->reading.shared
               ? rec_fail(error, REC_SIGNALLED, "%s: stopped by a signal", job->name) : REC_OK;
}

void rec_job_await_device(rec_job *job)
{
    const double before = rec_now();
    if (job->settings == job->jobs->settings) /* a brush needs none */
        rec_warmup_await(job->jobs->warmup);
    job->wait_seconds += rec_now() - before;
}

/* Another list that ends removes a folder that is empty. */
static rec_status acquire_lock(rec_job *job, rec_error *error)
{
    const int in_folder = job->settings->checkpoint_is_folder;
    rec_owned char *folder = in_folder ? rec_path_folder(job->checkpoint) : NULL;
    rec_status status = REC_NO_OUTPUT;
    for (int tries = 0; status == REC_NO_OUTPUT && tries < 3; tries++) {
        if (folder)
            REC_TRY(rec_path_make_folder(folder, 1, error));
        status = rec_lock_acquire(&job->lock, job->checkpoint, error);
    }
    return status;
}

static rec_status create_run(rec_job *job, int fresh, rec_error *error)
{
    rec_status status = look_at_signals(job, error);
    REC_THEN(status, rec_job_set_problem(job, error));
    if (!status && job->checkpoint && !job->lock && !rec_ranks_own())
        status = acquire_lock(job, error);
    REC_TRY(rec_image_agree(&job->loaded, status, error));
    rec_run_options options = job->settings->run;
    if (job->settings->successor)
        options.successor = job->jobs->warmup;
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
    status = rec_run_create(&job->run, &options, job->problem.input, job->problem.start, error);
    /* Messages of checkpoint and start name their file; others, and a stop, are of this input. */
    return status && (status == REC_SIGNALLED || !strstr(error->message, ": "))
               ? rec_fail_in(error, job->name) : status;
}

rec_status rec_job_load(rec_job *job, rec_error *error)
{
    if (rec_job_is_loaded(job))
        return REC_OK;
    rec_status status =
        job->entry->refused ? rec_job_refuse(job, error) : rec_job_read_images(job, error);
    if (!status) {
        const rec_samples size =
            job->edit ? *rec_edit_target(job->edit) : rec_samples_of_image(&job->loaded);
        job->report.width = size.width;
        job->report.height = job->edit ? size.height : rec_image_full_height(&job->loaded);
        job->report.planes = size.planes;
        if (!job->edit)
            job->doubt = job->reading.role == REC_EDGES
                             ? rec_edges_doubt(&job->loaded, job->info.zero_level)
                             : REC_DOUBT_NONE;
        status = complete_output(job, error);
    }
    if (!status && rec_job_reads_picture(job) && !job->original_path)
        status = rec_path_copy(&job->original_path, job->name, error);
    /* With --parents a file may be in a folder below that of the option. */
    const char *const paths[] = {job->output, job->checkpoint, job->film.prefix};
    const int below = strchr(job->entry->stem, '/') != NULL;
    for (size_t i = 0; !status && below && i < sizeof paths / sizeof *paths; i++) {
        rec_owned char *folder = paths[i] ? rec_path_folder(paths[i]) : NULL;
        if (folder)
            status = rec_path_make_folder(folder, 1, error);
    }
    /* Before the work: an hour's iterations are not lost to another picture's name. */
    if (!status && job->settings->headless && job->original_path && !job->original.data)
        status = rec_job_read_original(job, &job->original, error);
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
        rec_say(job->settings->progress, "%s: the stencil %s: %s\n", job->name,
                job->settings->run.problem.operators->stencil.name, job->report.info.inverse);
    if (*job->report.info.note && job->settings->progress && !job->settings->list)
        rec_say(job->settings->progress, "note: %s: %s\n", job->name, job->report.info.note);
    if (job->film.next < UINT64_MAX)
        job->film.next = rec_run_get_state(job->run)->iterations;
    job->film.first = job->film.last = 0;
    rec_job_release_images(job);
    return REC_OK;
}

/* ---- another solver ---- */

int rec_job_can_hand_over(rec_job *job)
{
    rec_error error;
    const int can = rec_run_can_hand_over(job->run);
    rec_warmup *warmup = job->settings->successor ? job->jobs->warmup : NULL;
    if (rec_warmup_complains(warmup, DEVICE_SECONDS, &error))
        rec_say(stderr, "warning: the processor computes alone: %s\n", error.message);
    if (!rec_run_has_successor(job->run))
        rec_job_release_images(job);
    return can;
}

void rec_job_hand_over(rec_job *job)
{
    rec_error ignored; /* it complains */
    if (!rec_run_hand_over(job->run, job->problem.input, &ignored))
        rec_solver_get_info(rec_run_solver(job->run), &job->report.info);
}

void rec_job_close(rec_job *job)
{
    if (job->run) {
        job->report.state = *rec_run_get_state(job->run);
        rec_run_destroy(job->run);
        job->run = NULL;
    }
    if (job->settings->headless || (!rec_job_is_piped(job) && !job->stays))
        rec_job_drop_images(job);
    if (!job->settings->headless) /* else the result may still be written */
        rec_lock_release(&job->lock, NULL);
}

void rec_job_destroy(rec_job *job)
{
    if (!job)
        return;
    rec_job_destroy(job->brush);
    rec_job_close(job);
    rec_lock_release(&job->lock, NULL);
    job->puts = 0;
    rec_job_drop_images(job);
    rec_edit_destroy(job->edit);
    rec_image_destroy(&job->result);
    char *const paths[] = {job->output, job->checkpoint, job->film.prefix, job->original_path,
                           job->mask_path, job->onto_path};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        free(paths[i]);
    rec_extras_destroy(&job->extras);
    rec_job_hold(job, 0);
    rec_free(job);
}
