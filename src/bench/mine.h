/* `bench --mine`: a function of the user's own as a rung. */
#pragma once

#include "bench/rung.h"

/* Loads a compiled one into this process, where it stays. REC_BAD_INPUT. */
rec_status bench_mine_load(bench_mine *mine, const char *library, rec_error *error);

/* The rung on the host, and the one on the device. */
extern const bench_rung bench_mine_host, bench_mine_device;

/* One step on images of odd sizes, whose result is explained if it is wrong; then many. A fault of
 * the device is a wrong result, too. */
rec_status bench_mine_check(const bench_rung *rung, const bench_mine *mine,
                            const rec_solver_options *place, bench_result *result,
                            rec_error *error);
