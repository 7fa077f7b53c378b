/* Names of files that need not exist yet: frames, and outputs in a folder. Folders are resolved, so
 * that it does not matter how a file is named; the time is linear in the number of inputs. */
#include "job/clashes.h"

#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "job/names.h"

struct search {
    const rec_jobs *jobs;
    char *written[2];     /* real names of the folders of outputs and of frames; NULL: none */
    int mixed;            /* frames are in the folder of outputs or of originals */
    void *folders;        /* a tree (tsearch) of those resolved so far: name, NUL, real name */
};

/* Puts the name with the symlinks of its folder resolved into `real`; 0 if that fails or is too
 * long. */
static int resolve(struct search *search, const char *path, char real[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char *folder = rec_path_folder(path), *both = NULL;
    char **known = folder ? tfind(folder, &search->folders, rec_stem_compare) : NULL;
    char *made = folder && !known ? rec_path_real_folder(folder) : NULL;
    if (made && asprintf(&both, "%s%c%s", folder, 0, made) > 0 &&
        !(known = tsearch(both, &search->folders, rec_stem_compare)))
        free(both);
    free(folder);
    free(made);
    const char *place = known ? strchr(*known, 0) + 1 : NULL;
    return place && strcmp(path, "-") &&
           snprintf(real, PATH_MAX, "%s%s%s", place, place[1] ? "/" : "",
                    slash ? slash + 1 : path) < PATH_MAX;
}

/* Cuts "STEM-NNNNNN", of six digits or more, down to STEM; 0 if it is no such name. */
static int cut_number(char *stem)
{
    size_t length = strlen(stem), digits = 0;
    while (digits < length && stem[length - digits - 1] >= '0' && stem[length - digits - 1] <= '9')
        digits++;
    if (digits < 6 || digits + 1 >= length || stem[length - digits - 1] != '-')
        return 0;
    stem[length - digits - 1] = 0;
    return 1;
}

/* REC_USAGE if the file of that stem is the output of an input, or a frame of its film. */
static rec_status check_stem(const struct search *search, const char *file, char *stem, int frames,
                             rec_error *error)
{
    char **hit = !frames || cut_number(stem) ? tfind(stem, &search->jobs->used, rec_stem_compare)
                                             : NULL;
    return hit ? rec_fail(error, REC_USAGE,
                          "%s: would be overwritten by %s of %s: input and "
                          "output need a file each",
                          file, frames ? "a frame" : "the output",
                          rec_jobs_name(search->jobs, *hit))
               : REC_OK;
}

/* The same for a path, if it is in the folder of outputs or of frames and has their extension. */
static rec_status check_file(struct search *search, const char *path, rec_error *error)
{
    const rec_format *format = search->jobs->settings->writing.format;
    for (int frames = 0; path && frames < 2; frames++) {
        char real[PATH_MAX];
        const char *folder = search->written[frames];
        const size_t length = folder && resolve(search, path, real) ? strlen(folder) : 0;
        if (!length || strncmp(folder, real, length) || (length > 1 && real[length] != '/'))
            continue;
        char *stem = real + length + (length > 1), *dot = strrchr(stem, '.');
        if (!dot || strchr(dot, '/') || (strcmp(dot + 1, rec_output_ending(format, 1)) &&
                                         strcmp(dot + 1, rec_output_ending(format, 3))))
            continue;
        *dot = 0;
        REC_TRY(check_stem(search, path, stem, frames, error));
    }
    return REC_OK;
}

static rec_status check_input(struct search *search, size_t index, rec_error *error)
{
    const char *stem = search->jobs->stems[index];
    char real[PATH_MAX], file[2 * PATH_MAX];
    REC_TRY(check_file(search, search->jobs->names[index], error));
    /* Its output or its original may be called as a frame of another. */
    if (search->mixed && snprintf(real, sizeof real, "%s", stem) < PATH_MAX) {
        snprintf(file, sizeof file, "%s/%s", search->written[1], stem);
        REC_TRY(check_stem(search, file, real, 1, error));
    }
    return REC_OK;
}

rec_status rec_clashes_check(const rec_jobs *jobs, size_t first, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    struct search search = {.jobs = jobs};
    const char *const files[] = {settings->report,
                                 settings->output_is_folder ? NULL : settings->output,
                                 settings->checkpoint_is_folder ? NULL : settings->checkpoint,
                                 settings->start_file, settings->files_from, settings->original,
                                 settings->edit.mask, settings->edit.onto, settings->edit.source};
    rec_status status = REC_OK;
    if (settings->output_is_folder)
        search.written[0] = rec_path_real_folder(settings->output);
    if (settings->film)
        search.written[1] = rec_path_real_folder(settings->film);
    char *original = settings->original ? rec_path_real_folder(settings->original) : NULL;
    search.mixed = search.written[1] &&
                   ((search.written[0] && !strcmp(search.written[0], search.written[1])) ||
                    (original && !strcmp(original, search.written[1])));
    for (size_t i = 0; !status && i < sizeof files / sizeof *files; i++)
        status = check_file(&search, files[i], error);
    for (size_t i = 0; !status && i < settings->journal_count; i++)
        status = check_file(&search, settings->journals[i], error);
    for (size_t i = first; !status && settings->film && i < jobs->all; i++)
        status = check_input(&search, i, error);
    tdestroy(search.folders, free);
    free(search.written[0]);
    free(search.written[1]);
    free(original);
    return status;
}
