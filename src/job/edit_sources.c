/* Where a healing takes its gradients from: a place for each part of its mask. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "job/job.h"

enum { MOST_LINES = 10 };

/* White is above black; data are between their ends. */
static rec_search begin_search(const rec_job *job, const rec_image *around)
{
    const int tones = rec_has_tones(job->info.format);
    const rec_survey survey = tones ? (rec_survey){0} : rec_image_survey(around, 255);
    const double black = (double)survey.low, white = tones ? job->info.maxval : (double)survey.high;
    return (rec_search){.picture = around, .mask = job->problem.mask, .hidden = &job->hidden,
                        .sources = &job->sources, .left = REC_SEARCH_COMPARISONS,
                        .black = black, .white = white > black ? white : white + 1};
}

/* ---- from a file: a line for each source, and behind it one for each run of its pixels ---- */

static rec_status read_line(rec_job *job, const rec_lines *lines, uint16_t *label, rec_error *error)
{
    rec_sources *sources = &job->sources;
    rec_patch patch = {0};
    size_t y, x, last;
    int end = 0;
    const char *text = lines->line;
    if (text[strspn(text, " \t\r\n")] == '\0' || *text == '#')
        return REC_OK;
    if (sscanf(text, "from %td,%td %n", &patch.x, &patch.y, &end) == 2 && end && !text[end] &&
        imaxabs(patch.x) <= REC_MAX_SIDE && imaxabs(patch.y) <= REC_MAX_SIDE)
        return rec_sources_add(sources, &patch, label, error);
    if (sscanf(text, "%zu %zu..%zu %n", &y, &x, &last, &end) != 3 || !end || text[end] || !*label)
        return rec_fail(error, REC_BAD_INPUT, "%s, line %zu: must be `from DX,DY` or, after one, "
                        "`Y X..LAST`", lines->name, lines->number);
    if (y >= sources->height || x > last || last >= sources->width)
        return rec_fail(error, REC_BAD_INPUT, "%s, line %zu: %s has %zu x %zu pixels", lines->name,
                        lines->number, rec_input_name(job->input), sources->width,
                        sources->height);
    for (; x <= last; x++)
        sources->label[y * sources->width + x] = *label;
    return REC_OK;
}

static rec_status read_sources(rec_job *job, rec_error *error)
{
    rec_owned_lines lines = {.name = job->settings->edit.sources};
    uint16_t label = 0;
    REC_TRY(rec_path_open(&lines.stream, lines.name, NULL, error));
    do {
        REC_TRY(rec_lines_next(&lines, error));
        if (lines.length)
            REC_TRY(read_line(job, &lines, &label, error));
    } while (lines.length);
    rec_sources_measure(&job->sources, &job->mask);
    return REC_OK;
}

int rec_edit_has_sources(const rec_job *job)
{
    int some = 0;
    for (size_t i = 0; i < job->sources.count; i++)
        some |= job->sources.label && !job->sources.at[i].smooth;
    return some;
}

rec_status rec_edit_write_sources(rec_job *job, const char *path, rec_error *error)
{
    const rec_sources *sources = &job->sources;
    rec_output *output;
    rec_sources_measure(&job->sources, &job->mask);
    REC_TRY(rec_output_open(&output, path, 0, error));
    FILE *stream = rec_output_stream(output);
    for (size_t i = 0; i < sources->count; i++) {
        const rec_patch *patch = &sources->at[i];
        if (patch->smooth || !patch->count)
            continue;
        fprintf(stream, "from %td,%td\n", patch->x, patch->y);
        const size_t right = patch->box.x + patch->box.width;
        for (size_t y = patch->box.y; y < patch->box.y + patch->box.height; y++)
            for (size_t x = patch->box.x; x < right; x++) {
                const uint16_t *row = sources->label + y * sources->width;
                const size_t first = x;
                while (x < right && row[x] == i + 1)
                    x++;
                if (x > first)
                    fprintf(stream, "%zu %zu..%zu\n", y, first, x - 1);
            }
    }
    return rec_output_commit(output, REC_OK, NULL, error);
}

/* ---- what a healing takes ---- */

static int is_sought(const rec_job *job)
{
    const rec_from from = job->settings->edit.from;
    return from == REC_FROM_AUTO || (from == REC_FROM_USUAL && rec_has_tones(job->info.format));
}

rec_patch rec_edit_new_patch(const rec_job *job)
{
    const rec_edit *edit = &job->settings->edit;
    return edit->from == REC_FROM_PLACE ? (rec_patch){.x = -edit->x, .y = -edit->y}
                                        : (rec_patch){.smooth = is_sought(job) ? REC_SOUGHT : 1};
}

rec_status rec_edit_begin_sources(rec_job *job, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const rec_image *size = &job->start;
    const rec_patch place = {.x = edit->x, .y = edit->y}, patch = rec_edit_new_patch(job);
    uint16_t label = 0;
    if (edit->kind == REC_EDIT_CLONE) {
        rec_sources_destroy(&job->sources);
        return rec_sources_add(&job->sources, &place, &label, error);
    }
    if (job->sources.label)
        return REC_OK;
    REC_TRY(rec_sources_create(&job->sources, size->width, size->height, error));
    if (job->mask.count)
        REC_TRY(rec_sources_add(&job->sources, &patch, &label, error));
    for (size_t i = 0; label && i < size->width * size->height; i++)
        job->sources.label[i] = job->mask.unknown[i] ? label : 0;
    return REC_OK;
}

rec_status rec_edit_seek(rec_job *job, uint16_t label, rec_error *error)
{
    rec_patch *patch = &job->sources.at[label - 1];
    rec_search search = begin_search(job, &job->start);
    int found;
    rec_sources_measure(&job->sources, &job->mask);
    patch->smooth = 1;
    return patch->count < REC_LEAST_PART ? REC_OK
                                     : rec_search_patch(&search, label, patch, &found, error);
}

rec_status rec_edit_find_sources(rec_job *job, const rec_image *around, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    rec_sources_destroy(&job->sources);
    job->unsearched = 0;
    if (edit->kind != REC_EDIT_HEAL ||
        (edit->from != REC_FROM_FILE && (!is_sought(job) || !edit->mask)))
        return REC_OK;
    REC_TRY(rec_sources_create(&job->sources, around->width, around->height, error));
    if (edit->from == REC_FROM_FILE)
        return read_sources(job, error);
    rec_search search = begin_search(job, around);
    return rec_search_parts(&search, &job->mask, &job->sources, &job->unsearched, error);
}

void rec_edit_print_sources(const rec_job *job)
{
    const char *name = rec_input_name(job->input);
    size_t lines = 0, more = 0;
    for (size_t i = 0; i < job->sources.count; i++) {
        const rec_patch *patch = &job->sources.at[i];
        if (patch->count < REC_LEAST_PART || lines == MOST_LINES - 2) {
            more++;
            continue;
        }
        lines++;
        rec_say(stderr, "note: %s: %zu pixels at %zu,%zu ", name, patch->count, patch->box.x,
                patch->box.y);
        if (patch->smooth)
            fputs("are filled smoothly\n", stderr);
        else
            fprintf(stderr, "are filled --from %td,%td\n", patch->x, patch->y);
    }
    if (more)
        rec_say(stderr, "note: %s: and %zu more part%s, which --report lists\n", name, more,
                rec_plural(more));
    if (job->unsearched)
        rec_say(stderr, "note: %s: no time was left to search for %zu part%s, filled smoothly\n",
                name, job->unsearched, rec_plural(job->unsearched));
}
