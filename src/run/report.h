/* The report: one JSON object an input, one object a line. */
#ifndef REC_RUN_REPORT_H
#define REC_RUN_REPORT_H

#include <stdio.h>

#include "base/json.h"
#include "image/image.h"
#include "run/run.h"

typedef struct rec_comparison {
    rec_difference difference;
    double solver_seconds, reference_seconds; /* iterating alone */
} rec_comparison;

typedef struct rec_report {
    const char *input;
    rec_status status;              /* of this input, the exit code that it alone would give */
    const char *message;            /* what failed; NULL when nothing did */
    const char *output;             /* that was written; NULL: none */
    uint64_t output_bytes;          /* its size; 0: it is no file */
    uint64_t id, settings;          /* hashes of the input's name, and of what decides the bytes of
                                       the output but for the input */
    uint64_t input_bytes, input_time; /* of the file, ns since 1970; 0 and 0: it is none */
    size_t width, height, planes;   /* 0: it was not read */
    rec_solver_info info;           /* solver NULL: none was created */
    const rec_operator *operators;  /* whose stencils are named; so many */
    size_t operator_count;
    rec_run_state state;
    const rec_difference *reference;  /* from the picture of --reference; NULL: none, or not
                                         looked at */
    const rec_comparison *comparison; /* NULL: none was asked for */
    const rec_written *written;       /* NULL: no picture was written */
} rec_report;

/* Writes the object and a newline. Numbers that are not there are null. Errors of the stream are
 * left to the caller's ferror. */
void rec_report_write(FILE *stream, const rec_report *report);

/* Its items, into an object that the caller opens and closes. */
void rec_report_write_difference(rec_json *json, const rec_difference *difference);

#endif
