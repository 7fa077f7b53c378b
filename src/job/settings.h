/* What is to be done with every input: options parsed and checked. Their texts outlive them. */
#pragma once

#include "edit/edit.h"
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

#define REC_PACE_USUAL (-1.0) /* a run takes about 20 s */

typedef struct rec_settings {
    rec_run_options run;        /* but for checkpoint, fresh and identity, which differ by input */
    const rec_solver_type *successor; /* takes over once its device is ready; NULL: none */
    rec_read_options reading;
    rec_write_options writing;  /* format NULL: by each output's name */
    int own_white;              /* 1: an edited picture is written with the maxval of its file */
    rec_edit_wish edit;
    rec_tone shown;             /* the window's tone at first */
    int headless;
    double pace;                /* the window's: seconds for ten times the iterations; 0: max */
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
    const char *original;       /* the picture to measure the distance from, or a folder; or NULL */
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

#define REC_LIMIT_NAME "limit" /* of an original: the exact picture, and no file */

/* The name of the solver of exact pictures: inside a mask it is another one. */
static inline const char *rec_limit_solver(const rec_settings *settings)
{
    const rec_solver_type *type;
    const int closed = settings->run.problem.operators || !rec_solver_find("spectral", &type, NULL);
    return settings->edit.kind || !closed ? "multigrid" : "spectral";
}

/* 1: the window jumps, by the spectral solver, which computes any iterate, but not of a filter. */
static inline int rec_jumper_available(const rec_settings *settings)
{
    const rec_solver_type *type;
    const rec_operator *operators = settings->run.problem.operators;
    return (!operators || operators->is_inverse) && !settings->edit.kind &&
           !rec_solver_find("spectral", &type, NULL);
}
