#include "view/save.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* The input's name without folders and ending: its length goes to *length. */
static const char *find_stem(const char *input, int *length)
{
    if (!strcmp(input, "-"))
        input = "stdin";
    const char *slash = strrchr(input, '/');
    const char *name = slash ? slash + 1 : input;
    const char *dot = strrchr(name, '.');
    *length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
    return name;
}

/* A dangling link counts as well: writing would follow it. */
static int is_taken(const char *path)
{
    struct stat info;
    return !lstat(path, &info);
}

rec_status rec_save_find_names(rec_save_names *names, const char *input, uint64_t iteration,
                               size_t planes, rec_error *error)
{
    int length;
    const char *stem = find_stem(input, &length);
    const char *ending = planes == 3 ? "ppm" : "pgm";
    const int room = (int)sizeof names->view;
    char at[24] = "limit";
    if (iteration != REC_LIMIT_ITERATION)
        snprintf(at, sizeof at, "%" PRIu64, iteration);
    for (unsigned number = 1; number < 10000; number++) {
        char suffix[16] = "";
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%u", number);
        const int view = snprintf(names->view, sizeof names->view, "%.*s-%s-view%s.%s",
                                  length, stem, at, suffix, ending);
        const int result = snprintf(names->result, sizeof names->result, "%.*s-%s%s.pfm",
                                    length, stem, at, suffix);
        if (view >= room || result >= room)
            break;
        if (!is_taken(names->view) && !is_taken(names->result))
            return REC_OK;
    }
    return rec_fail(error, REC_NO_OUTPUT, "no free name to save %.*s under", length, stem);
}

rec_status rec_save_copy_view(const rec_snapshot *snapshot, rec_image *view, rec_error *error)
{
    const rec_status status =
        rec_image_create(view, snapshot->width, snapshot->height, snapshot->planes, error);
    if (status)
        return status;
    for (size_t plane = 0; plane < snapshot->planes; plane++)
        for (size_t y = 0; y < snapshot->height; y++) {
            const uint8_t *from =
                snapshot->pixels + (plane * snapshot->height + y) * snapshot->stride;
            float *to = rec_image_row(view, plane, y);
            for (size_t x = 0; x < snapshot->width; x++)
                to[x] = from[x];
        }
    return REC_OK;
}

rec_status rec_save_write(const rec_save_names *names, const rec_image *view,
                          const rec_image *result, rec_error *error)
{
    const rec_write_options options = {.maxval = 255, .tone = REC_TONE_CLAMP};
    const rec_status status = rec_image_write(names->result, result, &options, error);
    return status ? status : rec_image_write(names->view, view, &options, error);
}
