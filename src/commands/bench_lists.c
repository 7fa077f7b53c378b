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

typedef struct rung_list {
    bench_problem problem;
    unsigned char *chosen;
} rung_list;

static rec_status choose_part(const char *text, void *context, rec_error *error)
{
    const rung_list *list = context;
    bench_about rung;
    long low = 0, high = 0;
    const int range = parse_range(text, &low, &high);
    int found = 0;
    for (size_t i = 0; bench_rung_about(list->problem, i, &rung); i++)
        if (range ? rung.number >= low && rung.number <= high
                  : !strcmp(text, rung.name) || !strcmp(text, rung.group))
            found = list->chosen[i] = 1;
    if (!found)
        return rec_fail(error, REC_USAGE,
                        "--rungs %s: unknown rung; `reconstruct bench --help` lists them%s", text,
                        REC_HAVE_CUDA ? "" : " (this build has no CUDA: the GPU's are missing)");
    return REC_OK;
}

/* Calls `one` with each part of a list with commas. */
static rec_status each_part(const char *option, const char *text,
                            rec_status (*one)(const char *part, void *context, rec_error *error),
                            void *context, rec_error *error)
{
    for (const char *at = text;; at++) {
        char part[64];
        const size_t length = strcspn(at, ",");
        if (!length || length >= sizeof part)
            return rec_fail(error, REC_USAGE, "--%s %s: not a list separated by commas", option,
                            text);
        memcpy(part, at, length);
        part[length] = 0;
        const rec_status status = one(part, context, error);
        if (status)
            return status;
        at += length;
        if (!*at)
            return REC_OK;
    }
}

rec_status parse_rungs(bench_problem problem, const char *text,
                       unsigned char chosen[BENCH_MOST_RUNGS], rec_error *error)
{
    rung_list list = {problem, chosen};
    memset(chosen, 0, BENCH_MOST_RUNGS);
    if (text)
        return each_part("rungs", text, choose_part, &list, error);
    bench_about rung;
    for (size_t i = 0; bench_rung_about(problem, i, &rung); i++)
        chosen[i] = 1;
    return REC_OK;
}

/* ---- --size, --blocks ---- */

typedef struct size_list {
    const char *option;
    size_t least, most;
    bench_size *sizes;
    size_t capacity, count;
} size_list;

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

static rec_status parse_size(const char *part, void *context, rec_error *error)
{
    size_list *list = context;
    bench_size size;
    const char *at = part;
    int good = parse_side(&at, &size.width);
    size.height = size.width;
    if (good && *at == 'x') {
        at++;
        good = parse_side(&at, &size.height);
    }
    if (!good || *at)
        return rec_fail(error, REC_USAGE, "--%s %s: must be a number or WxH", list->option, part);
    if (size.width < list->least || size.height < list->least || size.width > list->most ||
        size.height > list->most)
        return rec_fail(error, REC_USAGE, "--%s %s: sides must be %zu to %zu", list->option, part,
                        list->least, list->most);
    if (list->count == list->capacity)
        return rec_fail(error, REC_USAGE, "--%s: at most %zu of them", list->option,
                        list->capacity);
    list->sizes[list->count++] = size;
    return REC_OK;
}

rec_status parse_sizes(const char *option, const char *text, size_t least, size_t most,
                       bench_size *sizes, size_t capacity, size_t *count, rec_error *error)
{
    size_list list = {option, least, most, sizes, capacity, 0};
    const rec_status status = each_part(option, text, parse_size, &list, error);
    *count = list.count;
    return status;
}

/* ---- --width ---- */

typedef struct radius_list {
    size_t most, *radii, capacity, count;
} radius_list;

static rec_status parse_radius(const char *part, void *context, rec_error *error)
{
    radius_list *list = context;
    size_t radius;
    const char *at = part;
    if (!parse_side(&at, &radius) || *at || !radius || radius > list->most)
        return rec_fail(error, REC_USAGE, "--width %s: must be a radius from 1 to %zu", part,
                        list->most);
    if (list->count == list->capacity || (list->count && list->radii[list->count - 1] >= radius))
        return rec_fail(error, REC_USAGE, "--width: at most %zu radii, each above the one before",
                        list->capacity);
    list->radii[list->count++] = radius;
    return REC_OK;
}

rec_status parse_radii(const char *text, size_t most, size_t *radii, size_t capacity, size_t *count,
                       rec_error *error)
{
    radius_list list = {most, radii, capacity, 0};
    const rec_status status = each_part("width", text, parse_radius, &list, error);
    *count = list.count;
    return status;
}
