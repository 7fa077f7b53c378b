/* Where a healing takes its gradients from: a place for each part of its mask. */
#include "base/text.h"
#include "job/job.h"

enum { MOST_LINES = 10 };

/* *white > *black; data are between their ends. */
static void find_white(const rec_job *job, const rec_image *around, double *black, double *white)
{
    const int tones = job->info.format->samples == REC_TONES_OF_MAXVAL;
    const rec_survey survey = tones ? (rec_survey){0} : rec_image_survey(around, 255);
    *black = tones ? 0 : (double)survey.low;
    *white = tones ? job->info.maxval : (double)survey.high;
    *white += *white > *black ? 0 : 1;
}

rec_status rec_edit_find_sources(rec_job *job, const rec_image *around, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const int finds = edit->from == REC_FROM_AUTO ||
                      (edit->from == REC_FROM_USUAL && edit->mask &&
                       job->info.format->samples == REC_TONES_OF_MAXVAL);
    rec_sources_destroy(&job->sources);
    job->unsearched = 0;
    if (edit->kind != REC_EDIT_HEAL || !finds)
        return REC_OK;
    REC_TRY(rec_sources_create(&job->sources, around->width, around->height, error));
    rec_search search = {.picture = around, .mask = job->problem.mask, .hidden = &job->hidden,
                         .sources = &job->sources, .left = REC_SEARCH_COMPARISONS};
    find_white(job, around, &search.black, &search.white);
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
        rec_say(stderr, "note: %s: %zu pixels at %zu,%zu ", name, patch->count, patch->left,
                patch->top);
        if (patch->smooth)
            fputs("are filled smoothly\n", stderr);
        else
            fprintf(stderr, "are filled --from %td,%td\n", patch->x, patch->y);
    }
    if (more)
        rec_say(stderr, "note: %s: and %zu more part%s, which --report tells\n", name, more,
                rec_plural(more));
    if (job->unsearched)
        rec_say(stderr, "note: %s: no time was left to search for %zu part%s, filled smoothly\n",
                name, job->unsearched, rec_plural(job->unsearched));
}
