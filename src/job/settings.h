/* What a job is to do, the same for every input: options fully parsed and checked. The texts are
 * names of files and folders, which outlive the settings. */
#pragma once

#include "image/image_files.h"
#include "problem/guidance.h"
#include "run/run.h"

typedef enum rec_start { REC_START_EDGES, REC_START_VALUE, REC_START_FILE } rec_start;

/* What a result is compared with: the bits of the reference solver, or the limit. */
typedef enum rec_against { REC_AGAINST_NOTHING, REC_AGAINST_BITS, REC_AGAINST_LIMIT } rec_against;

typedef enum rec_frames {
    REC_FRAMES_NONE,
    REC_FRAMES_EVERY, /* the multiples of run.every */
    REC_FRAMES_LOG,   /* log-spaced */
    REC_FRAMES_AT     /* those of a list, by jumps */
} rec_frames;

/* What is made inside a mask alone; around it the picture stays as it is. */
typedef enum rec_edit_kind {
    REC_EDIT_NONE, /* no mask: the whole picture */
    REC_EDIT_ONTO, /* the input is edges, and another file the picture */
    REC_EDIT_HEAL, /* the input is the picture, and its own source */
    REC_EDIT_CLONE /* the input is the picture */
} rec_edit_kind;

/* Which of the picture's own samples are unknown, without a mask. */
typedef enum rec_holes {
    REC_HOLES_NONE,
    REC_HOLES_NAN,    /* those that are not finite */
    REC_HOLES_NODATA, /* those that the file says stand for none */
    REC_HOLES_VALUE   /* those of that value */
} rec_holes;

/* Where a healing takes its gradients from. */
typedef enum rec_from {
    REC_FROM_USUAL, /* auto where a picture has tones, else none */
    REC_FROM_AUTO,  /* for each part of the mask the place that fits best */
    REC_FROM_NONE,
    REC_FROM_PLACE, /* (x, y) */
    REC_FROM_FILE   /* as the window saved them */
} rec_from;

typedef struct rec_edit {
    rec_edit_kind kind;
    rec_holes holes;
    double hole;        /* of REC_HOLES_VALUE */
    const char *mask;   /* a file, or a folder of masks; NULL: the source's alpha, or all of it */
    const char *onto;   /* the picture of REC_EDIT_ONTO: a file, or a folder of pictures */
    const char *source; /* of REC_EDIT_CLONE */
    ptrdiff_t x, y;     /* where the source's top left pixel lies in the picture */
    rec_from from;
    const char *sources;  /* of REC_FROM_FILE */
    uint64_t grow;        /* so many pixels more are unknown around the mask, */
    uint64_t stroke_grow; /* and around what is painted */
    rec_gradient rule;
    double keep;        /* above 0: the correction of the source decays over so many pixels */
    double white;       /* of float files: the value that is white; 0: unknown */
} rec_edit;

#define REC_PACE_USUAL (-1.0)

typedef struct rec_settings {
    rec_run_options run;        /* but for checkpoint, fresh and identity, which differ by input */
    const rec_solver_type *successor; /* takes over from run.solver once its device is ready; NULL:
                                         none */
    rec_read_options reading;
    rec_write_options writing;  /* format NULL: by each output's name */
    int own_white;              /* 1: an edited picture is written with the maxval of its file */
    rec_edit edit;
    rec_tone shown;             /* the window's tone at first */
    int headless;
    double pace;                /* the window's: seconds in which the iterations become ten times as
                                   many; 0: full speed; REC_PACE_USUAL: a run takes about 20 s */
    FILE *progress;             /* NULL: quiet */
    int force;                  /* write an exact picture, too, that is cut off nearly everywhere */

    rec_start start;
    float start_value;
    const char *start_file;

    int makes_edges;            /* the result of a job are the edges of its picture */
    int balance;                /* the mean of the edges is subtracted */

    const char *output;         /* file, or folder; NULL: none */
    int output_is_folder;
    const char *checkpoint;     /* file, or folder; NULL: none */
    int checkpoint_is_folder;
    const char *report;         /* the journal; NULL: none */
    const char *original;       /* the picture to measure the distance from, or a folder of such
                                   pictures; NULL: none */
    int list;                   /* a list of inputs, even of one or none */
    int parents;                /* files in folders keep the relative path of their input */
    const char *files_from;     /* where the names of inputs come from; NULL: the command line */
    size_t shard, shards;       /* this process does inputs shard, shard + shards, ... */
    int resume;                 /* inputs that a journal calls done are passed over */
    const char *const *journals; /* to read beside the report */
    size_t journal_count;
    const char *const *stencils; /* names or files */
    size_t stencil_count;
    size_t threads;             /* of the process, at most; 0: as many as there are processors */

    rec_against against;
    double max_difference;      /* so large ones are no failure; below 0: no bit may differ */

    rec_frames frames;
    const char *film;           /* folder of the frames; NULL: none */
    uint64_t *frames_at;        /* REC_FRAMES_AT: the iterates; REC_LIMIT_ITERATION is the limit */
    size_t frames_count;

    double begin;               /* rec_now() when the program started */
    double find_seconds;        /* to find the solver, which may start a driver */
} rec_settings;
