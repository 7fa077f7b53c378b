/* A job: one input of the run command on its way from file to file. The headless loop and the window
 * use the same pieces. */
#ifndef REC_COMMANDS_JOB_H
#define REC_COMMANDS_JOB_H

#include <pthread.h>

#include "commands/commands.h"
#include "job/recording.h"
#include "image/image.h"
#include "run/progress.h"
#include "run/report.h"
#include "run/run.h"

/* A device that gets ready while the first input is read. */
typedef struct rec_preparation {
    pthread_t thread;
    int running; /* it was not waited for yet */
    const rec_solver_type *solver;
    rec_solver_options options;
} rec_preparation;

void preparation_start(rec_preparation *preparation, const rec_run_options *options);
void preparation_await(rec_preparation *preparation); /* NULL is fine */

/* What the options say, the same for every input. */
typedef struct rec_settings {
    const command_line *line;
    rec_run_options run;          /* but for checkpoint and identity, which are an input's own */
    rec_read_options reading;
    rec_write_options writing;    /* format NONE: by each output's name */
    enum { START_EDGES, START_VALUE, START_FILE } start;
    float start_value;
    int balance;
    int headless;
    enum { COMPARE_NOTHING, COMPARE_REFERENCE, COMPARE_LIMIT } compare;
    enum { FRAMES_NONE, FRAMES_EVERY, FRAMES_LOG, FRAMES_AT } frames; /* AT: by jumps */
    int several;                  /* not one input: outputs and checkpoints are files in folders */
    FILE *progress;               /* NULL: quiet */
    double find_seconds;          /* it took to find the solver, which may start a driver */
    rec_preparation *preparation; /* of the solver's device; NULL: none */
} rec_settings;

typedef struct rec_job {
    const rec_settings *settings;
    char *input;
    char *stem;                   /* of it: how its files in folders are called */
    char *output, *checkpoint;    /* paths; NULL: none. Without its ending while the number of planes,
                                     which decides between .pgm and .ppm, is not known */
    int output_needs_ending;
    char *frames;                 /* how the paths of frames begin; NULL: none */
    rec_recording recording;      /* of the frames on its way; those of FRAMES_AT are not */
    char *reference_path;         /* the picture to compare with; NULL: none */
    char *finished;               /* of several inputs with checkpoints: the record that this one's
                                     output is written; NULL: none is kept */
    char finished_text[64];       /* of that record */
    int was_finished;             /* by an earlier run of the same command: nothing to do */
    double begin;                 /* rec_now() */
    double load_seconds, wait_seconds, save_seconds; /* wait: for the device */
    rec_image edges, start;       /* kept after loading only where they are needed again: by a
                                     comparison, or by the window and they come from a pipe */
    rec_image reference;          /* headless, and its samples' largest value */
    double peak;
    uint64_t identity;            /* of the input as it was opened; 0: not known */
    rec_image_info info;
    rec_run *run;
    rec_report report;
    rec_comparison comparison;
    rec_difference difference;    /* from the reference */
} rec_job;

/* The inputs: those of the command line, and in the window those that were dropped on it. */
typedef struct rec_jobs {
    const rec_settings *settings;
    int into_folder;              /* outputs are files in a folder */
    pthread_mutex_t lock;         /* of what follows, for whom another thread asks */
    rec_job **at;                 /* each stays where it is while they become more */
    size_t count;
} rec_jobs;

/* Everything that can be refused before an input is opened. `made` stays where it is. */
rec_status settings_make(rec_settings *made, const command_line *line, rec_error *error);

/* One job an operand, with output and checkpoint paths; makes the folders of several. REC_USAGE for
 * two inputs with one output name. Free with jobs_destroy; after a failure there is nothing. */
rec_status jobs_make(rec_jobs *jobs, const rec_settings *settings, rec_error *error);
void jobs_destroy(rec_jobs *jobs);

/* Another input while there may be others in work: *index is its number, its old one where it is
 * there already. Either way it is read once, whole, to see that it can be. Its output and its
 * checkpoint are in a folder or nowhere. After a failure all is as it was. One thread at a time. */
rec_status jobs_add(rec_jobs *jobs, const char *path, size_t *index, rec_error *error);
rec_job *jobs_at(rec_jobs *jobs, size_t index); /* from any thread */

/* Shows them in a window until the user leaves. */
rec_status run_window(rec_jobs *jobs, rec_error *error);

/* Where the picture goes, when it has that many planes: a path in a folder gets its ending. A new
 * string; NULL after a failure. */
rec_status job_output_path(const rec_job *job, size_t planes, char **path, rec_error *error);

/* "pgm", "ppm", ...: the ending of a name in a folder. */
const char *job_ending(const rec_format *format, size_t planes);

/* Refuses a list of iterates that job_write_frames could not follow. */
rec_status frames_check(const char *text, rec_error *error);
/* The pictures of --frames-at, by jumps; the run itself goes on from its start. */
rec_status job_write_frames(rec_job *job, rec_error *error);

/* Reads the input and creates its run; fresh: without the checkpoint. Headless, no
 * run is created, and was_finished is set, where the same command has written the output before. */
rec_status job_open(rec_job *job, int fresh, rec_error *error);

/* Reads the input and drops it again: can it be opened? */
rec_status job_check(rec_job *job, rec_error *error);

/* The same of one that may be open: nothing of the job changes. */
rec_status job_check_again(const rec_job *job, rec_error *error);

/* Writes the frame that the run's current iterate is, if it is one. */
rec_status job_record(rec_job *job, rec_run *run, rec_error *error);

/* reference.c: the path of the picture that --reference means for this input, a new string (NULL:
 * REC_LIMIT); that picture, which this call creates, and the largest value that its samples can
 * have; and how far the run is from it, as it stands, into job->difference. REC_BAD_INPUT where its
 * size is not the input's, which must have been opened. */
rec_status job_find_reference(const rec_job *job, char **path, rec_error *error);
rec_status job_read_reference(const rec_job *job, rec_image *reference, double *peak,
                              rec_error *error);
rec_status job_measure(rec_job *job, rec_error *error);

/* For the window's slider. The problem is loaded again where it is not kept, and refused when it is
 * not what it was. A spectral solver, on the device of the run where that has one; and the run goes
 * on from a jump (rec_run_jump). */
rec_status job_open_jumper(rec_job *job, rec_solver **jumper, rec_error *error);
rec_status job_jump(rec_job *job, rec_run *run, uint64_t iteration, const rec_image *image,
                    rec_error *error);

/* Reads the result back, writes it where -o says, and removes the checkpoint. */
rec_status job_save(rec_job *job, rec_error *error);

/* The reference from the same start for the same N, or the limit, beside the result; fills
 * job->comparison. */
rec_status job_compare(rec_job *job, rec_error *error);

/* After a stop by a signal: writes the checkpoint (REC_STOPPED) where there is one, else
 * REC_SIGNALLED. */
rec_status job_interrupt(rec_job *job, rec_error *error);

/* What decides the bits of iterate N: the edges, the start and the border. While they are loaded. */
uint64_t job_identity(const rec_job *job);

/* finished.c: the line that a record of this job is, whether it is there, and writing it. */
void job_describe_finished(const rec_job *job, char text[64]);
int job_is_finished(const rec_job *job);
rec_status job_record_finished(const rec_job *job, rec_error *error);

/* All inputs are done: the records that some were are of no use any more. */
void jobs_forget_finished(const rec_jobs *jobs);

/* Ends the job: frees the run and the images, keeps what the report needs. */
void job_close(rec_job *job);

#endif
