/* A job that changes a picture inside a mask alone: the mask, and the edges that guidance makes. */
#pragma once

#include "job/job.h"

/* Reads what the settings' edit names; the input has been read. *around: the picture, from the
 * job's edges if the input is one. The job gets its mask, its edges, and the picture's white.
 * REC_BAD_INPUT for a mask of another size, that looks like a picture, or that leaves nothing
 * unknown or nothing known. */
rec_status rec_edit_prepare(rec_job *job, rec_image *around, rec_error *error);

/* The edit's guidance, whose target is the picture: what made the job's edges, and makes those of
 * another mask or place (rec_guidance_make). The job must have its images. */
rec_guidance rec_edit_guidance(const rec_job *job, const rec_image *around);

/* The job's start gets the picture's samples where pixels are known, or is the picture if there is
 * none. May take the picture. */
rec_status rec_edit_surround(rec_job *job, rec_image *around, rec_error *error);
