/* --reference: the picture that a reconstruction is compared with. A file is the picture of every
 * input; in a folder each has its own, by its stem. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/files.h"
#include "job/job.h"

static rec_status join_ending(char **path, const char *folder, const char *stem,
                              const char *ending, rec_error *error)
{
    char suffix[16];
    snprintf(suffix, sizeof suffix, ".%s", ending);
    return join_path(path, folder, stem, suffix, error);
}

/* Where the folder has none that could be meant, the first name that it could have had: reading it
 * fails then, and says so. */
static rec_status find_in_folder(const char *folder, const char *stem, char **path,
                                 rec_error *error)
{
    const rec_format *format;
    for (size_t i = 0; (format = rec_format_at(i)); i++) {
        if (!format->read || !format->ending)
            continue;
        const rec_status status = join_ending(path, folder, stem, format->ending, error);
        if (status || !access(*path, F_OK))
            return status;
        free(*path);
    }
    return join_ending(path, folder, stem, rec_format_default(1)->ending, error);
}

rec_status job_find_reference(const rec_job *job, char **path, rec_error *error)
{
    const char *given = job->settings->line->option[OPTION_REFERENCE].text;
    const int folder = is_folder(given);
    char *name = folder ? file_stem(job->input) : strdup(given);
    *path = NULL;
    if (!name)
        return rec_fail(error, REC_LIMIT, "out of memory for a file name");
    if (!folder) {
        *path = name;
        return REC_OK;
    }
    const rec_status status = find_in_folder(given, name, path, error);
    free(name);
    return status;
}

rec_status job_read_reference(const rec_job *job, rec_image *reference, double *peak,
                              rec_error *error)
{
    const rec_read_options reading = {.role = REC_PICTURE};
    const rec_report *input = &job->report;
    rec_image_info info;
    rec_status status = rec_image_read(job->reference_path, &reading, reference, &info, error);
    if (status)
        return status;
    *peak = info.maxval;
    if (reference->width != input->width || reference->height != input->height ||
        reference->planes != input->planes) {
        status = rec_fail(error, REC_BAD_INPUT,
                          "%s: is %zu x %zu of %zu plane%s, and no reference for %s, which is "
                          "%zu x %zu of %zu plane%s", job->reference_path, reference->width,
                          reference->height, reference->planes, reference->planes == 1 ? "" : "s",
                          job->input, input->width, input->height, input->planes,
                          input->planes == 1 ? "" : "s");
        rec_image_destroy(reference);
    }
    return status;
}

rec_status job_measure(rec_job *job, rec_error *error)
{
    rec_image image;
    rec_status status = rec_run_read_image(job->run, &image, error);
    if (status)
        return status;
    status = rec_image_compare(&image, &job->reference, job->peak, &job->difference, error);
    rec_image_destroy(&image);
    if (!status)
        job->report.reference = &job->difference;
    return status;
}
