/* What a result is measured against. */
#pragma once

#include "job/job.h"

/* The original, an image that this call creates, or takes if it is loaded, and the largest value
 * that its samples can have. The input must have been opened; REC_BAD_INPUT if its size is another
 * one. */
rec_status rec_job_take_original(rec_job *job, rec_image *original, double *peak,
                                 rec_error *error);

/* Puts the distance of the run's iterate from the original into the report. */
rec_status rec_job_measure(rec_job *job, rec_error *error);

/* Runs the reference solver from the same start for the same N, or finds the limit, and compares
 * the result with it; fills the comparison of the report. */
rec_status rec_job_compare(rec_job *job, rec_error *error);
