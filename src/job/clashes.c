/* Files that would overwrite others: found by their names before any work. Folders are resolved, so
 * that it does not matter how a file is called; the cost is linear in the number of inputs. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "job/parts.h"

typedef struct search {
    const rec_jobs *jobs;
    char *output, *film;    /* real names of the folders; NULL: none */
    char folder[PATH_MAX];  /* resolved last, */
    char real[PATH_MAX];    /* and its real name: neighbours in a list share it */
} search;

/* Into `real`: the name with the links of its folder resolved. 0 if it is none or too long. */
static int resolve(search *of, const char *path, char real[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (!strcmp(path, "-") || length >= sizeof of->folder)
        return 0;
    if (!of->real[0] || strncmp(of->folder, path, length) || of->folder[length]) {
        char name[PATH_MAX + 2];
        snprintf(name, sizeof name, "%.*sx", (int)length, path);
        char *found = rec_path_resolve(name);
        of->real[0] = 0;
        if (!found)
            return 0;
        found[strlen(found) - 1] = 0; /* the x */
        snprintf(of->real, sizeof of->real, "%s", found);
        memcpy(of->folder, path, length);
        of->folder[length] = 0;
        free(found);
    }
    const size_t before = strlen(of->real), behind = strlen(path + length);
    if (before + behind >= PATH_MAX)
        return 0;
    memcpy(real, of->real, before);
    memcpy(real + before, path + length, behind + 1);
    return 1;
}

/* What stands behind the folder in the name, NULL: it is elsewhere. */
static const char *below(const char *folder, const char *real)
{
    const size_t length = folder ? strlen(folder) : 0;
    if (!length || strncmp(folder, real, length))
        return NULL;
    return real[length] == '/' ? real + length + 1 : folder[length - 1] == '/' ? real + length
                                                                               : NULL;
}

/* Pictures that are written have this ending. */
static int is_written_ending(const rec_settings *settings, const char *ending)
{
    const rec_format *format = settings->writing.format;
    if (format)
        return !strcmp(ending, format->ending);
    return !strcmp(ending, rec_format_default(1)->ending) ||
           !strcmp(ending, rec_format_default(3)->ending);
}

/* The length of the name without ".pgm"; 0: it is no name of a picture that is written. */
static size_t picture_stem(const search *of, const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && !strchr(dot, '/') && is_written_ending(of->jobs->settings, dot + 1)
               ? (size_t)(dot - name) : 0;
}

/* The length of STEM in "STEM-NNNNNN", of six digits or more; 0: it is no such name. */
static size_t frame_stem(const char *name, size_t length)
{
    size_t digits = 0;
    while (digits < length && name[length - digits - 1] >= '0' && name[length - digits - 1] <= '9')
        digits++;
    return digits >= 6 && digits + 1 < length && name[length - digits - 1] == '-'
               ? length - digits - 1 : 0;
}

static size_t find_stem(const search *of, const char *stem, size_t length)
{
    return length ? rec_table_find(&of->jobs->table, rec_text_hash(stem, length), of->jobs->stems,
                                   stem, length)
                  : REC_NO_NUMBER;
}

/* The input whose output the file is. */
static size_t output_hit(const search *of, const char *real)
{
    const char *rest = below(of->output, real);
    return find_stem(of, rest, rest ? picture_stem(of, rest) : 0);
}

/* The input of whose film the file is a frame. */
static size_t frame_hit(const search *of, const char *real)
{
    const char *rest = below(of->film, real);
    return find_stem(of, rest, frame_stem(rest, rest ? picture_stem(of, rest) : 0));
}

static rec_status refuse(const search *of, const char *path, size_t hit, const char *what,
                         rec_error *error)
{
    return rec_fail(error, REC_USAGE, "%s: would be overwritten by %s of %s: input and output need "
                                      "a file each", path, what, of->jobs->names[hit]);
}

/* A file that is read, or written by something else. */
static rec_status check_file(search *of, const char *path, rec_error *error)
{
    char real[PATH_MAX];
    size_t hit;
    if (!path || !resolve(of, path, real))
        return REC_OK;
    if ((hit = output_hit(of, real)) != REC_NO_NUMBER)
        return refuse(of, path, hit, "the output", error);
    if ((hit = frame_hit(of, real)) != REC_NO_NUMBER)
        return refuse(of, path, hit, "a frame", error);
    return REC_OK;
}

/* A file of one input in a folder: may a frame of another be called so? */
static rec_status check_stem(search *of, const char *folder, const char *stem, rec_error *error)
{
    if (!folder || !of->film || !frame_stem(stem, strlen(stem)))
        return REC_OK;
    const char *endings[] = {rec_output_ending(of->jobs->settings->writing.format, 1),
                             rec_output_ending(of->jobs->settings->writing.format, 3)};
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < 2; i++) {
        char suffix[16], real[PATH_MAX], *path;
        snprintf(suffix, sizeof suffix, ".%s", endings[i]);
        status = rec_path_join(&path, folder, stem, suffix, error);
        const size_t hit =
            !status && resolve(of, path, real) ? frame_hit(of, real) : REC_NO_NUMBER;
        if (hit != REC_NO_NUMBER)
            status = refuse(of, path, hit, "a frame", error);
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
    rec_status status = check_file(of, name, error);
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
        of.output = rec_path_real_folder(settings->output);
    if (settings->film)
        of.film = rec_path_real_folder(settings->film);
    for (size_t i = 0; !status && i < sizeof files / sizeof *files; i++)
        status = check_file(&of, files[i], error);
    for (size_t i = 0; !status && i < settings->journal_count; i++)
        status = check_file(&of, settings->journals[i], error);
    for (size_t i = first; !status && i < jobs->all; i++)
        status = check_input(&of, i, written, error);
    free(of.output);
    free(of.film);
    free(written[0]);
    free(written[1]);
    return status;
}
