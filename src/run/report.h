/* What is told of an input: to programs as JSON, one object a line, and to people. */
#pragma once

#include "base/json.h"
#include "base/paths.h"
#include "image/image_files.h"
#include "problem/sources.h"
#include "run/run.h"

typedef struct rec_comparison {
    rec_difference difference;
    double solver_seconds, reference_seconds; /* iterating alone */
} rec_comparison;

typedef struct rec_report {
    const char *input;
    rec_status status;              /* of this input, the exit code that it alone would give */
    const char *message;            /* what failed; NULL when nothing did */
    const char *output;             /* the written file; NULL: none */
    rec_file_mark output_file;      /* 0 and 0: it is none */
    uint64_t id, settings, output_id; /* hashes of the input's name, of what decides the bytes of
                                         the output but for the input, and of the output's path */
    rec_file_mark file;             /* the input; 0 and 0: it is none */
    size_t width, height, planes;   /* 0: it was not read */
    rec_solver_info info;           /* solver NULL: none was created */
    size_t unknown;                 /* pixels of a mask; 0: there is none */
    double keep;                    /* the source's colours, over so many pixels; 0: not */
    const rec_sources *sources;     /* of a healing; NULL: none were looked for */
    const rec_problem *problem;     /* whose stencils are named */
    rec_run_state state;
    rec_difference reference;    /* from the picture of --reference; samples 0: none, or not seen */
    double means[3];                /* of a picture whose edges do not contain them */
    size_t mean_count;
    rec_comparison comparison;      /* samples 0: none was asked for */
    rec_written written;            /* samples 0: no picture was written */
} rec_report;

/* Writes the object and a newline. Unknown numbers are null. The caller checks ferror. */
void rec_report_write(FILE *stream, const rec_report *report);

/* The items of a difference, for an object that the caller opens and closes. */
void rec_report_write_difference(rec_json *json, const rec_difference *difference);

/* On stderr about an input: the warning, and with `notes` what was removed or rounded. */
void rec_notes_print(const char *input, const rec_image_info *info, int notes);
/* The same about an output that is written. */
void rec_written_print(const char *path, const rec_written *found, int notes);

/* Prints how a and b differ, for a person. floats: the distance in units of the last place, too. */
void rec_difference_print(FILE *stream, const rec_difference *difference, int floats,
                          const char *a, const char *b);

/* REC_NO and a message if a difference exceeds `most`; below 0: if a bit differs. */
rec_status rec_difference_judge(const rec_difference *difference, double most, rec_error *error);
