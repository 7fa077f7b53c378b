#include "bench/rung.h"
const bench_rung bench_course_gpu_rungs[] = {{0}};
