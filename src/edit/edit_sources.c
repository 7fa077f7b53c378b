/* Where a healing takes its gradients from: a place for each part of its mask. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "edit/edit_type.h"

/* White is above black; data are between their ends. */
static rec_status begin_search(rec_edit *edit, rec_search *search, rec_error *error)
{
    const rec_samples *target = &edit->target;
    const double tones = edit->inputs.picture.white;
    rec_survey ends = {.low = 0};
    if (!(tones > 0))
        REC_TRY(rec_samples_survey(target, edit->problem.mask->unknown, 255, &ends, error));
    const double black = ends.low > ends.high ? 0 : (double)ends.low;
    const double white = tones > 0 ? tones : (double)ends.high;
    *search = (rec_search){.picture = target, .mask = edit->problem.mask,
                           .hidden = &edit->hidden, .sources = &edit->sources,
                           .left = REC_SEARCH_COMPARISONS,
                           .black = black, .white = white > black ? white : black + 1};
    return REC_OK;
}

/* ---- from a file: a line for each source, and behind it one for each run of its pixels; before
 * it, as a comment, which ones belong together ---- */

#define PART "# part %" SCNu16

static rec_status add(rec_sources *sources, const rec_patch *patch, const rec_lines *lines,
                      uint16_t *label, rec_error *error)
{
    return sources->count < REC_MOST_SOURCES
               ? rec_sources_add(sources, patch, label, error)
               : rec_fail(error, REC_BAD_INPUT, "%s, line %zu: more than %d sources", lines->name,
                          lines->number, REC_MOST_SOURCES);
}

static rec_status read_line(rec_edit *edit, const rec_lines *lines, uint16_t *label,
                            uint16_t *group, rec_error *error)
{
    rec_sources *sources = &edit->sources;
    rec_patch patch = {.group = *group};
    size_t y, x, last;
    int end = 0;
    const char *text = lines->line;
    if (*text != '#')
        *group = 0;
    else if (sscanf(text, PART, group) == 1)
        return REC_OK;
    if (text[strspn(text, " \t\r\n")] == '\0' || *text == '#')
        return REC_OK;
    if (sscanf(text, "from %td,%td %n", &patch.x, &patch.y, &end) == 2 && end && !text[end] &&
        imaxabs(patch.x) <= REC_MAX_SIDE && imaxabs(patch.y) <= REC_MAX_SIDE)
        return add(sources, &patch, lines, label, error);
    if (sscanf(text, "%zu %zu..%zu %n", &y, &x, &last, &end) != 3 || !end || text[end] || !*label)
        return rec_fail(error, REC_BAD_INPUT, "%s, line %zu: must be `from DX,DY` or, after one, "
                        "`Y X..LAST`", lines->name, lines->number);
    if (y >= sources->height || x > last || last >= sources->width)
        return rec_fail(error, REC_BAD_INPUT, "%s, line %zu: %s has %zu x %zu pixels", lines->name,
                        lines->number, rec_edit_name(&edit->inputs.picture), sources->width,
                        sources->height);
    for (; x <= last; x++)
        sources->label[y * sources->width + x] = *label;
    return REC_OK;
}

/* What the file leaves out is smooth, and counts so in a pair with what has a source. */
static rec_status label_the_rest(rec_edit *edit, const rec_lines *lines, rec_error *error)
{
    const rec_mask *mask = &edit->mask;
    uint16_t label = 0;
    for (size_t y = mask->box.y; y < mask->box.y + mask->box.height; y++)
        for (size_t x = mask->box.x; x < mask->box.x + mask->box.width; x++) {
            const size_t at = y * mask->width + x;
            if (!mask->unknown[at] || edit->sources.label[at])
                continue;
            if (!label)
                REC_TRY(add(&edit->sources, &(rec_patch){.smooth = 1}, lines, &label, error));
            edit->sources.label[at] = label;
        }
    rec_sources_measure(&edit->sources, mask);
    return REC_OK;
}

static rec_status read_sources(rec_edit *edit, rec_lines *lines, rec_error *error)
{
    uint16_t label = 0, group = 0;
    rec_owned uint16_t *first = NULL; /* label of each group of the file */
    do {
        REC_TRY(rec_lines_next(lines, error));
        if (lines->length)
            REC_TRY(read_line(edit, lines, &label, &group, error));
    } while (lines->length);
    REC_TRY(rec_allocate_zeroed(&first, REC_MOST_SOURCES + 1, sizeof *first, "sources", error));
    for (size_t i = 0; i < edit->sources.count; i++) {
        uint16_t *own = &edit->sources.at[i].group;
        first[*own] = first[*own] ? first[*own] : (uint16_t)(i + 1);
        *own = *own ? first[*own] : 0;
    }
    return label_the_rest(edit, lines, error);
}

int rec_edit_has_sources(const rec_edit *edit)
{
    int some = 0;
    for (size_t i = 0; i < edit->sources.count; i++)
        some |= rec_sources_have_labels(&edit->sources) && !edit->sources.at[i].smooth;
    return some;
}

void rec_edit_write_sources(rec_edit *edit, FILE *stream)
{
    const rec_sources *sources = &edit->sources;
    rec_sources_measure(&edit->sources, &edit->mask);
    for (size_t i = 0; i < sources->count; i++) {
        const rec_patch *patch = &sources->at[i];
        if (patch->smooth || !patch->count)
            continue;
        if (patch->group)
            fprintf(stream, PART "\n", patch->group);
        fprintf(stream, "from %td,%td\n", patch->x, patch->y);
        const size_t right = patch->box.x + patch->box.width;
        for (size_t y = patch->box.y; y < patch->box.y + patch->box.height; y++)
            for (size_t x = patch->box.x; x < right; x++) {
                const size_t first = x;
                while (x < right && sources->label[y * sources->width + x] == i + 1)
                    x++;
                if (x > first)
                    fprintf(stream, "%zu %zu..%zu\n", y, first, x - 1);
            }
    }
}

/* ---- what a healing takes ---- */

static int is_sought(const rec_edit *edit)
{
    const rec_from from = edit->wish.from;
    return from == REC_FROM_AUTO || (from == REC_FROM_USUAL && edit->inputs.picture.white > 0);
}

rec_patch rec_edit_new_patch(const rec_edit *edit)
{
    const rec_edit_wish *wish = &edit->wish;
    return wish->from == REC_FROM_PLACE ? (rec_patch){.x = -wish->x, .y = -wish->y}
                                        : (rec_patch){.smooth = is_sought(edit) ? REC_SOUGHT : 1};
}

/* The last stroke is told by the label of its end, of those it has now. */
static void follow(rec_edit *edit, uint16_t first)
{
    const rec_sources *sources = &edit->sources;
    const uint16_t now = sources->label[edit->at_y * (ptrdiff_t)sources->width + edit->at_x];
    if (now && edit->label && sources->at[now - 1].group == first &&
        (edit->label == first || sources->at[edit->label - 1].group == first))
        edit->label = now;
}

rec_status rec_edit_cut_stroke(rec_edit *edit, uint16_t label, rec_error *error)
{
    rec_sources *sources = &edit->sources;
    REC_OWNED(rec_mask_destroy) rec_mask own = {0};
    REC_OWNED(rec_sources_destroy) rec_sources pieces = {0};
    rec_patch patch = {.smooth = REC_SOUGHT, .group = label};
    uint16_t last = label;
    sources->at[label - 1].group = label; /* also where memory lacks: it is tried once */
    rec_sources_measure(sources, &edit->mask);
    const rec_area box = sources->at[label - 1].box;
    REC_TRY(rec_mask_create(&own, sources->width, sources->height, error));
    REC_TRY(rec_sources_create(&pieces, sources->width, sources->height, error));
    for (size_t y = box.y; y < box.y + box.height; y++)
        for (size_t x = box.x; x < box.x + box.width; x++)
            own.unknown[y * own.width + x] = sources->label[y * own.width + x] == label;
    rec_mask_measure_in(&own, box);
    REC_TRY(rec_sources_part(&pieces, &own, error));
    const size_t before = sources->count;
    for (size_t i = 1; i < pieces.count; i++)
        REC_TRY(rec_sources_add(sources, &patch, &last, error));
    for (size_t y = box.y; y < box.y + box.height; y++)
        for (size_t x = box.x; x < box.x + box.width; x++) {
            const size_t at = y * own.width + x, piece = pieces.label[at];
            if (!own.unknown[at] || piece < 2)
                continue;
            sources->label[at] = (uint16_t)rec_smaller(before + piece - 1, last);
            edit->brush.before[at] = sources->label[at]; /* so the stroke is undone as a whole */
        }
    follow(edit, label);
    sources->at[label - 1].several = 1;
    return REC_OK;
}

rec_status rec_edit_seek_patch(rec_edit *edit, uint16_t label, rec_error *error)
{
    rec_patch *patch = &edit->sources.at[label - 1];
    rec_search search;
    int found;
    patch->smooth = 1; /* also where the search fails: it is tried once */
    REC_TRY(begin_search(edit, &search, error));
    rec_sources_measure(&edit->sources, &edit->mask);
    search.rank = edit->ranked == label ? edit->rank : 0;
    return patch->count < REC_LEAST_PART ? REC_OK
                                         : rec_search_patch(&search, label, patch, &found, error);
}

/* ---- several places, in a thread ---- */

#define LOOK_MICROSECONDS 4000 /* between two looks whether it is done: a stroke waits no longer */

typedef struct rec_edit_seeker {
    rec_label_search *labels;
    uint16_t first;
    unsigned strokes; /* of the edit, when it was last looked whether labels still fit */
    pthread_t thread;
    atomic_int done;
    rec_status status;
} seeker;

static void *seek_labels(void *argument)
{
    seeker *of = argument;
    of->status = rec_labels_find(of->labels, NULL);
    atomic_store(&of->done, 1);
    return NULL;
}

/* The first label of a stroke that lacks them; 0: none does. */
static uint16_t find_lacking(const rec_edit *edit)
{
    size_t i = 0;
    while (i < edit->sources.count && !edit->sources.at[i].several)
        i++;
    return (uint16_t)(i < edit->sources.count ? i + 1 : 0);
}

int rec_edit_lacks_several(const rec_edit *edit) { return edit->seeker || find_lacking(edit); }

void rec_edit_seek_end(rec_edit *edit)
{
    seeker *of = edit->seeker;
    edit->seeker = NULL;
    if (!of)
        return;
    rec_labels_stop(of->labels);
    pthread_join(of->thread, NULL);
    rec_labels_destroy(of->labels);
    rec_free(of);
}

static rec_status begin_seeking(rec_edit *edit, uint16_t first, rec_error *error)
{
    rec_search search;
    rec_label_search *labels = NULL;
    seeker *made = NULL;
    rec_sources_measure(&edit->sources, &edit->mask);
    rec_status status = begin_search(edit, &search, error);
    REC_THEN(status, rec_labels_prepare(&labels, &search, &edit->sources, first, error));
    REC_THEN(status, rec_allocate_zeroed(&made, 1, sizeof *made, "labels", error));
    if (!status && labels) {
        *made = (seeker){.labels = labels, .first = first, .strokes = edit->strokes};
        edit->seeker = made;
        if (!pthread_create(&made->thread, NULL, seek_labels, made))
            return REC_OK;
        edit->seeker = NULL;
        status = rec_fail(error, REC_LIMIT, "the system refused a thread for a search");
    }
    edit->sources.at[first - 1].several = 0; /* too small, smooth, or it failed */
    rec_labels_destroy(labels);
    rec_free(made);
    return status;
}

rec_status rec_edit_seek_several(rec_edit *edit, rec_area *area, rec_error *error)
{
    seeker *of = edit->seeker;
    rec_sources *sources = &edit->sources;
    const uint16_t lacks = find_lacking(edit);
    if (!of)
        return lacks ? begin_seeking(edit, lacks, error) : REC_OK;
    if (!atomic_load(&of->done)) {
        if (of->strokes != edit->strokes && !rec_labels_fit(of->labels, &edit->mask, sources))
            rec_labels_stop(of->labels);
        of->strokes = edit->strokes;
        usleep(LOOK_MICROSECONDS);
        return REC_OK;
    }
    rec_status status = of->status;
    const int fits = !status && rec_labels_fit(of->labels, &edit->mask, sources);
    if (status || fits)
        sources->at[of->first - 1].several = 0; /* else they are sought again */
    if (status)
        rec_fail(error, status, "no memory for the places of a stroke");
    else if (fits)
        status = rec_labels_put(of->labels, &edit->mask, sources, error);
    const rec_area box = edit->mask.box;
    for (size_t y = box.y; fits && y < box.y + box.height; y++)
        for (size_t x = box.x; x < box.x + box.width; x++) {
            const size_t at = y * sources->width + x, label = sources->label[at];
            if (!label || (label != of->first && sources->at[label - 1].group != of->first))
                continue;
            edit->brush.before[at] = sources->label[at]; /* the stroke is undone as a whole */
            *area = rec_area_join(*area, (rec_area){x, y, 1, 1});
        }
    follow(edit, of->first);
    rec_edit_seek_end(edit);
    return status;
}

rec_status rec_edit_find_sources(rec_edit *edit, rec_lines *lines, rec_error *error)
{
    const rec_edit_wish *wish = &edit->wish;
    const int usual = wish->from == REC_FROM_USUAL && wish->holes;
    if (wish->kind != REC_EDIT_HEAL ||
        (wish->from != REC_FROM_FILE && (!is_sought(edit) || usual || !edit->mask.count)))
        return REC_OK;
    REC_TRY(rec_sources_create_for(&edit->sources, &edit->mask, error));
    if (wish->from == REC_FROM_FILE)
        return read_sources(edit, lines, error);
    rec_search search;
    REC_TRY(begin_search(edit, &search, error));
    return rec_search_parts(&search, &edit->mask, &edit->sources, &edit->unsearched, error);
}
