#include "commands/bench_lists.h"

#include <stdlib.h>
#include <string.h>

#ifndef REC_HAVE_CUDA
#define REC_HAVE_CUDA 0
#endif

/* ---- --rungs ---- */

/* "7" or "5-8", whole. */
static int parse_range(const char *text, long *low, long *high)
{
    char *end;
    if (*text < '0' || *text > '9')
        return 0;
    *low = *high = strtol(text, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        *high = strtol(end + 1, &end, 10);
    return !*end;
}

static rec_status choose_part(bench_problem problem, const char *text, unsigned char *chosen,
                              rec_error *error)
{
    bench_about rung;
    long low = 0, high = 0;
    const int range = parse_range(text, &low, &high);
    int found = 0;
    for (size_t i = 0; bench_rung_about(problem, i, &rung); i++)
        if (range ? rung.number >= low && rung.number <= high
                  : !strcmp(text, rung.name) || !strcmp(text, rung.group))
            found = chosen[i] = 1;
    if (!found)
        return rec_fail(error, REC_USAGE,
                        "--rungs %s: unknown rung; `reconstruct bench --help` lists them%s", text,
                        REC_HAVE_CUDA ? "" : " (this build has no CUDA: the GPU's are missing)");
    return REC_OK;
}

rec_status parse_rungs(bench_problem problem, const char *text,
                       unsigned char chosen[BENCH_MOST_RUNGS], rec_error *error)
{
    bench_about rung;
    memset(chosen, 0, BENCH_MOST_RUNGS);
    for (size_t i = 0; !text && bench_rung_about(problem, i, &rung); i++)
        chosen[i] = 1;
    while (text) {
        char part[OPTION_PART];
        rec_status status = option_next_part(OPTION_RUNGS, &text, part, error);
        if (!status)
            status = choose_part(problem, part, chosen, error);
        if (status)
            return status;
    }
    return REC_OK;
}

/* ---- --size, --blocks ---- */

static int parse_side(const char **at, size_t *side)
{
    char *end;
    if (**at < '0' || **at > '9')
        return 0;
    const unsigned long long value = strtoull(*at, &end, 10);
    *at = end;
    *side = value;
    return value <= REC_MAX_SIDE;
}

static int parse_size(const char *at, bench_size *size)
{
    int good = parse_side(&at, &size->width);
    size->height = size->width;
    if (good && *at == 'x') {
        at++;
        good = parse_side(&at, &size->height);
    }
    return good && !*at;
}

rec_status parse_sizes(option_id option, const char *text, size_t least, size_t most,
                       bench_size *sizes, size_t capacity, size_t *count, rec_error *error)
{
    const char *name = option_table[option].name;
    for (*count = 0; text; ++*count) {
        char part[OPTION_PART];
        bench_size size;
        const rec_status status = option_next_part(option, &text, part, error);
        if (status)
            return status;
        if (!parse_size(part, &size))
            return rec_fail(error, REC_USAGE, "--%s %s: must be a number or WxH", name, part);
        if (size.width < least || size.height < least || size.width > most || size.height > most)
            return rec_fail(error, REC_USAGE, "--%s %s: sides must be %zu to %zu", name, part,
                            least, most);
        if (*count == capacity)
            return rec_fail(error, REC_USAGE, "--%s: at most %zu of them", name, capacity);
        sizes[*count] = size;
    }
    return REC_OK;
}

rec_status parse_radii(const char *text, size_t most, size_t *radii, size_t capacity, size_t *count,
                       rec_error *error)
{
    for (*count = 0; text; ++*count) {
        char part[OPTION_PART];
        const rec_status status = option_next_part(OPTION_RADII, &text, part, error);
        const char *at = part;
        size_t radius;
        if (status)
            return status;
        if (!parse_side(&at, &radius) || *at || !radius || radius > most)
            return rec_fail(error, REC_USAGE, "--width %s: must be a radius from 1 to %zu", part,
                            most);
        if (*count == capacity || (*count && radii[*count - 1] >= radius))
            return rec_fail(error, REC_USAGE,
                            "--width: at most %zu radii, each above the one before", capacity);
        radii[*count] = radius;
    }
    return REC_OK;
}
