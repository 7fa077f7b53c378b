/* --reference: the original, a picture that the distance of a result is measured from. A file is
 * the original of every input; a folder has one for each, by its stem. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"
#include "job/parts.h"

static rec_status join(char **path, const rec_job *job, const rec_format *format,
                       rec_error *error)
{
    char suffix[16];
    snprintf(suffix, sizeof suffix, ".%s", format->ending);
    return rec_path_join(path, job->settings->original, job->stem, suffix, error);
}

/* Of a folder without one the first name that it could have: reading it fails, and says so. */
rec_status rec_original_find(const rec_job *job, char **path, rec_error *error)
{
    const char *given = job->settings->original;
    if (!rec_path_is_folder(given)) {
        *path = strdup(given);
        return *path ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for a file name");
    }
    const rec_format *format;
    for (size_t i = 0; (format = rec_format_at(i)); i++) {
        if (!format->read || !format->ending)
            continue;
        const rec_status status = join(path, job, format, error);
        if (status || !access(*path, F_OK))
            return status;
        free(*path);
    }
    return join(path, job, rec_format_default(1), error);
}

rec_status rec_job_read_original(const rec_job *job, rec_image *original, double *peak,
                                 rec_error *error)
{
    const rec_read_options reading = {.role = REC_PICTURE,
                                      .shared = job->settings->reading.shared};
    const rec_report *input = &job->report;
    rec_image_info info;
    rec_status status = rec_image_read(job->original_path, &reading, original, &info, error);
    if (status)
        return status;
    *peak = info.maxval;
    const size_t height = rec_image_full_height(original);
    if (original->width != input->width || height != input->height ||
        original->planes != input->planes) {
        status = rec_fail(error, REC_BAD_INPUT,
                          "%s: is %zu x %zu of %zu plane%s, and %s is %zu x %zu of %zu plane%s",
                          job->original_path, original->width, height,
                          original->planes, rec_plural(original->planes), job->input,
                          input->width, input->height, input->planes,
                          rec_plural(input->planes));
        rec_image_destroy(original);
    }
    return status;
}

rec_status rec_job_measure(rec_job *job, rec_error *error)
{
    rec_image image;
    rec_status status = rec_run_read_image(job->run, &image, error);
    if (status)
        return status;
    status = rec_image_compare(&image, &job->original, job->peak, &job->difference, error);
    rec_image_destroy(&image);
    if (!status)
        job->report.reference = &job->difference;
    return status;
}
