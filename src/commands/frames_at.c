/* --frames-at LIST: the iterates that become frames. */
#include <math.h>
#include <string.h>

#include "base/memory.h"

#include "commands/commands.h"

#define MOST_FRAMES 1000000

static rec_status append_iterate(rec_settings *made, uint64_t iterate, rec_error *error)
{
    if (made->frames_count == MOST_FRAMES)
        return rec_fail(error, REC_USAGE, "--frames-at: more than %d frames", MOST_FRAMES);
    made->frames_at[made->frames_count++] = iterate;
    return REC_OK;
}

/* Appends `count` iterates from first to last, each the same factor above the one before; whole
 * numbers are close at the beginning, and iterates that round to the same one make one frame. */
static rec_status append_range(rec_settings *made, uint64_t first, uint64_t last, uint64_t count,
                               rec_error *error)
{
    const double growth = log((double)last / (double)first) / (double)(count - 1);
    for (uint64_t i = 0; i < count; i++) {
        const double between = (double)first * exp(growth * (double)i);
        const uint64_t iterate = i + 1 == count ? last : (uint64_t)(between + 0.5);
        if (i == 0 || iterate != made->frames_at[made->frames_count - 1])
            REC_TRY(append_iterate(made, iterate, error));
    }
    return REC_OK;
}

/* One entry: N, FIRST..LAST:COUNT, or limit. */
static rec_status parse_entry(rec_settings *made, const char *text, rec_error *error)
{
    uint64_t first, last, count;
    const char *at;
    if (!strcmp(text, "limit"))
        return append_iterate(made, REC_LIMIT_ITERATION, error);
    if (option_read_count(text, &at, &first) && !*at)
        return append_iterate(made, first, error);
    if (strncmp(at, "..", 2) || !option_read_count(at + 2, &at, &last) || *at != ':' ||
        !option_read_count(at + 1, &at, &count) || *at || first < 1 || last <= first ||
        count < 2 || count > MOST_FRAMES)
        return rec_fail(error, REC_USAGE,
                        "--frames-at %s: must be a number of iterations, limit, or "
                        "FIRST..LAST:COUNT with FIRST at least 1 and COUNT from 2 to %d", text,
                        MOST_FRAMES);
    return append_range(made, first, last, count, error);
}

rec_status frames_at_parse(rec_settings *made, const char *text, rec_error *error)
{
    char part[OPTION_PART];
    REC_TRY(rec_allocate(&made->frames_at, MOST_FRAMES, sizeof *made->frames_at, "--frames-at",
                         error)); /* unused pages cost nothing */
    while (text) {
        REC_TRY(option_next_part(OPTION_FRAMES_AT, &text, part, error));
        REC_TRY(parse_entry(made, part, error));
    }
    return REC_OK;
}
