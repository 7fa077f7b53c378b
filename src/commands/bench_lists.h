/* The lists that `bench` takes: rungs, sizes, blocks. */
#ifndef REC_COMMANDS_BENCH_LISTS_H
#define REC_COMMANDS_BENCH_LISTS_H

#include "bench/bench.h"
#include "commands/options.h"

/* --rungs: numbers, ranges (5-8), names and groups, separated by commas; NULL: all. chosen[index]
 * becomes 1. REC_USAGE naming the part that is wrong. */
rec_status parse_rungs(bench_problem problem, const char *text,
                       unsigned char chosen[BENCH_MOST_RUNGS], rec_error *error);

/* Radii from 1 to most, separated by commas, each above the one before: at most `capacity`. */
rec_status parse_radii(const char *text, size_t most, size_t *radii, size_t capacity, size_t *count,
                       rec_error *error);

/* N or WxH, separated by commas: at most `capacity`, sides least..most. */
rec_status parse_sizes(option_id option, const char *text, size_t least, size_t most,
                       bench_size *sizes, size_t capacity, size_t *count, rec_error *error);

#endif
