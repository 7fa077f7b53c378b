/* Files that would overwrite others: found by their names before any work. Folders are resolved, so
 * that it does not matter how a file is called; the cost is linear in the number of inputs. */
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "job/parts.h"

typedef struct search {
    const rec_jobs *jobs;
    char *written[2];     /* real names of the folders of outputs and of frames; NULL: none */
    char *folder, *real;  /* resolved last, and its real name: neighbours in a list share it */
} search;

/* Into `real`: the name with the links of its folder resolved. 0 if it is none or too long. */
static int resolve(search *of, const char *path, char real[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char *folder = rec_path_folder(path);
    if (folder && of->folder && !strcmp(folder, of->folder)) {
        free(folder);
    } else {
        free(of->folder);
        free(of->real);
        of->folder = folder;
        of->real = folder ? rec_path_real_folder(folder) : NULL;
    }
    return of->real && strcmp(path, "-") &&
           snprintf(real, PATH_MAX, "%s%s%s", of->real, of->real[1] ? "/" : "",
                    slash ? slash + 1 : path) < PATH_MAX;
}

/* STEM of "FOLDER/STEM.pgm", cut out of the name; NULL: it is elsewhere, or no picture that is
 * written. */
static char *cut_stem(const search *of, const char *folder, char *real)
{
    const rec_format *format = of->jobs->settings->writing.format;
    const size_t length = folder ? strlen(folder) : 0;
    if (!length || strncmp(folder, real, length) || (length > 1 && real[length] != '/'))
        return NULL;
    char *stem = real + length + (length > 1), *dot = strrchr(stem, '.');
    if (!dot || strchr(dot, '/') || (strcmp(dot + 1, rec_output_ending(format, 1)) &&
                                     strcmp(dot + 1, rec_output_ending(format, 3))))
        return NULL;
    *dot = 0;
    return stem;
}

/* Makes "STEM-NNNNNN", of six digits or more, STEM; 0: it is no such name. */
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

/* REC_USAGE if the file is the output of an input, which is not asked with frames_alone, or a frame
 * of its film. */
static rec_status check_file(search *of, const char *path, int frames_alone, rec_error *error)
{
    for (int frames = frames_alone; path && frames < 2; frames++) {
        char real[PATH_MAX];
        char *stem = resolve(of, path, real) ? cut_stem(of, of->written[frames], real) : NULL;
        char **hit = stem && (!frames || cut_number(stem))
                         ? tfind(stem, &of->jobs->used, rec_stem_compare) : NULL;
        if (hit)
            return rec_fail(error, REC_USAGE, "%s: would be overwritten by %s of %s: input and "
                            "output need a file each", path, frames ? "a frame" : "the output",
                            rec_stem_name(of->jobs, *hit));
    }
    return REC_OK;
}

/* A file of one input in a folder: may a frame of another be called so? */
static rec_status check_stem(search *of, const char *folder, const char *stem, rec_error *error)
{
    rec_status status = REC_OK;
    for (size_t planes = 1; !status && folder && of->written[1] && planes <= 3; planes += 2) {
        char *path;
        status = rec_path_join(&path, folder, stem,
                               rec_output_ending(of->jobs->settings->writing.format, planes),
                               error);
        if (!status)
            status = check_file(of, path, 1, error);
        free(path);
    }
    return status;
}

static rec_status check_input(search *of, size_t index, char *const written[2],
                              rec_error *error)
{
    const rec_settings *settings = of->jobs->settings;
    const char *name = of->jobs->names[index], *stem = of->jobs->stems[index];
    char real[PATH_MAX];
    rec_status status = check_file(of, name, 0, error);
    if (!status)
        status = check_stem(of, settings->output_is_folder ? settings->output : NULL, stem, error);
    if (!status)
        status = check_stem(of, settings->original, stem, error);
    for (size_t i = 0; !status && i < 2 && resolve(of, name, real); i++)
        if (written[i] && !strcmp(real, written[i]))
            status = rec_fail(error, REC_USAGE, "%s is input and output; use another output",
                              name);
    return status;
}

rec_status rec_clashes_check(const rec_jobs *jobs, size_t first, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    search of = {.jobs = jobs};
    const char *const files[] = {settings->report, settings->start_file, settings->files_from,
                                 settings->checkpoint_is_folder ? NULL : settings->checkpoint,
                                 settings->original,
                                 settings->output_is_folder ? NULL : settings->output};
    char *written[2] = {NULL}; /* real names of the report and of a single output */
    rec_status status = REC_OK;
    for (size_t i = 0; i < 2; i++)
        written[i] = files[5 * i] ? rec_path_resolve(files[5 * i]) : NULL;
    if (settings->output_is_folder)
        of.written[0] = rec_path_real_folder(settings->output);
    if (settings->film)
        of.written[1] = rec_path_real_folder(settings->film);
    for (size_t i = 0; !status && i < sizeof files / sizeof *files; i++)
        status = check_file(&of, files[i], 0, error);
    for (size_t i = 0; !status && i < settings->journal_count; i++)
        status = check_file(&of, settings->journals[i], 0, error);
    for (size_t i = first; !status && i < jobs->all; i++)
        status = check_input(&of, i, written, error);
    char *const made[] = {of.written[0], of.written[1], of.folder, of.real, written[0], written[1]};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        free(made[i]);
    return status;
}
