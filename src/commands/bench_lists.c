/* The lists that `bench` takes. */
#include "commands/commands.h"

#include <string.h>

#ifndef REC_HAVE_CUDA
#define REC_HAVE_CUDA 0
#endif

/* ---- --rungs ---- */

/* "7" or "5-8", whole. */
static int parse_range(const char *text, uint64_t *low, uint64_t *high)
{
    const int good = option_read_count(text, &text, low);
    *high = *low;
    return good && (*text != '-' || option_read_count(text + 1, &text, high)) && !*text;
}

static rec_status choose_part(bench_problem problem, const char *text, unsigned char *chosen,
                              rec_error *error)
{
    bench_about rung;
    uint64_t low = 0, high = 0;
    const int range = parse_range(text, &low, &high);
    int found = 0;
    for (size_t i = 0; bench_rung_about(problem, i, &rung); i++)
        if (range ? (uint64_t)rung.number >= low && (uint64_t)rung.number <= high
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

/* ---- --size, --blocks, --width ---- */

static int parse_size(const char *text, bench_size *size)
{
    uint64_t width = 0, height;
    int good = option_read_count(text, &text, &width);
    height = width;
    if (good && *text == 'x')
        good = option_read_count(text + 1, &text, &height);
    *size = (bench_size){width, height};
    return good && !*text;
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
