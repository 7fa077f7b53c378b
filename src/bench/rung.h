/* What the files of this folder share. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "bench/bench.h"
#include "kernels/ladder/ladder.h"
#include "problem/operator.h"

/* ---- what options ask for: bench_settings.c ---- */

/* --rungs: numbers, ranges (5-8), names and groups, separated by commas; NULL: all. Sets
 * chosen[index] = 1. REC_USAGE with the unknown part. */
rec_status bench_parse_rungs(bench_problem problem, const char *text,
                             unsigned char chosen[BENCH_MOST_RUNGS], rec_error *error);
/* N or WxH, separated by commas: at most `capacity`, sides least..most. */
rec_status bench_parse_sizes(bench_option option, const char *text, size_t least, size_t most,
                             bench_size *sizes, size_t capacity, size_t *count, rec_error *error);

/* ---- the problem of one size, and the expected result of each kind of rung: ladder_case.c ---- */

/* What a rung's result must be, word for word. */
typedef enum bench_check {
    BENCH_STENCIL,  /* the reference solver's iterate */
    BENCH_EXERCISE, /* the iterate by the exercise's own order of additions */
    BENCH_COPY,     /* the start */
    BENCH_SUM,      /* edges plus terms, their words added as integers */
    BENCH_CONVOLUTION, /* the course's, within its tolerance */
    BENCH_CHECKS
} bench_check;

/* The iterations of a check: an odd number, so that both iterates are examined. Deep rungs are
 * checked after more, so that the deepest blocking and a remainder are included. */
enum { BENCH_FEW = 3, BENCH_MANY = 35 };

typedef enum bench_input {
    BENCH_INTEGERS, /* -1020 to 1020, with a halo of 17.25: the ladder's, which does not come to a
                       standstill */
    BENCH_RAMP,     /* the course's: width * row + column */
    BENCH_GREYS     /* 0 to 255 */
} bench_input;

/* A function of the user's own. */
typedef struct bench_mine {
    rec_ladder_step *step;
    const char *(*failed)(void); /* what the device says after it; NULL: it runs on the host */
} bench_mine;

typedef struct bench_case {
    size_t width, height;
    float halo;      /* the course has 0 */
    size_t radius;   /* of the filter; 0: the ladder's problem */
    size_t ignored;  /* pixels at the border that are not compared */
    rec_operator filter; /* weights 0.1 * row + 0.2 * column over 2 radius + 1 rows and columns */
    rec_image edges; /* E, and the start; of the course the input */
    rec_image terms; /* f, of the ladder alone */
    uint32_t *expected[BENCH_CHECKS][2]; /* after FEW and after MANY; NULL: not worked out yet */
    double squares[2]; /* sum of squared changes of the reference's last iteration, likewise */
    const bench_mine *mine; /* NULL: none */
} bench_case;

rec_status bench_case_create(bench_case *made, bench_size size, size_t radius, bench_input input,
                             rec_error *error);
void bench_case_destroy(bench_case *made);

/* Of an iterate the pixel in row y and column x, from 1 on; the halo around it. */
static inline float bench_cell(const bench_case *problem, const float *m, size_t y, size_t x)
{
    return y - 1 < problem->height && x - 1 < problem->width ? m[(y - 1) * problem->width + x - 1]
                                                             : problem->halo;
}

/* The expected words, width * height; computed once. */
rec_status bench_case_expect(bench_case *problem, bench_check check, int many,
                             const uint32_t **words, rec_error *error);

/* The course's reference file: width * height float32 without a header, in the machine's byte
 * order. What it says is expected, but for the border as wide as the stencil reaches: the course's
 * own loops leave it 0. REC_BAD_INPUT for a file of another size. */
rec_status bench_case_read(bench_case *problem, const char *path, rec_error *error);
rec_status bench_case_write(bench_case *problem, const char *path, rec_error *error);

/* ---- a rung is a row of a table: set-up, run, result ---- */

typedef struct bench_rung bench_rung;

typedef struct bench_type {
    const char *group; /* "cpu", "gpu", "shipped": the name of all rungs of the group in --rungs */
    /* *state is NULL at first. Unless it stays NULL the caller destroys it, also after failures. */
    rec_status (*create)(void **state, const bench_rung *rung, const bench_case *problem,
                         rec_ladder_block block, const rec_solver_options *place, rec_error *error);
    /* Does n iterations and waits for them; *seconds: their time. */
    rec_status (*advance)(void *state, uint64_t n, double *seconds, rec_error *error);
    rec_status (*read)(void *state, void *words, rec_error *error);
    /* The sum of squared changes of the last iteration, for rungs with a norm. */
    rec_status (*squares)(void *state, double *squares, rec_error *error);
    /* How the last advance was launched; NULL: no launch, or not known. */
    void (*get_launch)(const void *state, rec_ladder_launch *launch);
    void (*destroy)(void *state);
} bench_type;

struct bench_rung {
    int number;
    int from;        /* the number of the rung that this rung changes; 0: none */
    const char *name, *idea;
    bench_check check;
    double bytes;    /* that an update moves in the memory of its side, by the kernel's own count;
                        0: not counted */
    unsigned batch;  /* iterations that are timed together, as a multiple of `batch`; above 1 it is
                        checked after BENCH_MANY */
    rec_ladder_block block; /* of threads, where it can be chosen; else 0 */
    unsigned device : 1; /* works on the GPU */
    unsigned sweeps : 1; /* timed once for every block that is asked for */
    unsigned gridded : 1; /* takes the grid that is asked for */
    unsigned norm : 1;   /* makes the sum of squared changes in every iteration */
    unsigned asked : 1;  /* only where --rungs names it */
    unsigned base : 1;   /* the column CPU compares with this rung */
    const bench_type *type;
    const void *way; /* the rung's data, for its type */
};

/* The tables, in the order of the numbers; each ends with a number 0. Empty in a build without
 * CUDA: those of the GPU. */
extern const bench_rung bench_cpu_rungs[], bench_gpu_rungs[], bench_shipped_rungs[],
    bench_step_rungs[];
extern const bench_rung bench_course_cpu_rungs[], bench_course_gpu_rungs[],
    bench_course_shipped_rungs[];

/* Rung 0.. of the problem, NULL behind the last. */
const bench_rung *bench_rung_at(bench_problem problem, size_t index);

/* ---- the machine that they run on: machine.c ---- */

typedef struct bench_machine {
    char host[128];
    double host_copy;         /* bytes read and written a second by all threads of the host */
    int has_device;
    size_t devices, slabs;    /* for the shipped solvers; 0: one */
    char no_device[256];      /* the reason, without a device */
    rec_ladder_device device;
    double peak;              /* updates a second, if every lane did nothing but the update's three
                                 instructions: lanes * multiprocessors * measured clock / 3 */
} bench_machine;

/* Looks for a device only if want_device; a machine without one is no failure. Measures the host's
 * copy for `seconds`, but at least once. */
rec_status bench_machine_look(bench_machine *machine, int want_device, int device, double seconds,
                              rec_error *error);

/* The rate of a copy in the memory in which the rung works. */
static inline double bench_copy_rate(const bench_machine *machine, const bench_rung *rung)
{
    return rung->device ? machine->device.copy_rate : machine->host_copy;
}

/* ---- one rung at one size, checked and then timed: measure.c ---- */

typedef struct bench_result {
    const bench_rung *rung;
    char label[48];    /* the rung's name, with the block where several were tried */
    size_t width, height;
    enum { BENCH_TIMED, BENCH_WRONG, BENCH_SKIPPED } outcome;
    char reason[512];  /* if it is not timed */
    size_t samples;
    uint64_t iterations; /* of each sample */
    double median, mean, minimum, maximum; /* seconds an iteration */
    size_t radius;       /* of the filter; 0: the ladder's problem */
    rec_ladder_launch launch; /* as of the last kernel */
    /* Speed relative to the rung that it changes (best block), and to the base rung; 0: nothing to
     * compare with. */
    double before, cpu;
} bench_result;

/* Checks the rung, and when it is right, times it for about `seconds`. A wrong result is an
 * outcome, not an error; a status other than REC_OK is a failure of the machine, or a signal.
 * `seconds` below 0: the check alone. */
rec_status bench_measure(const bench_rung *rung, bench_case *problem, rec_ladder_block block,
                         const rec_solver_options *place, double seconds, bench_result *result,
                         rec_error *error);

/* Floating-point operations of a pixel: an update's five, or a multiplication and an addition for
 * each weight. */
static inline double bench_operations(const bench_result *result)
{
    const double side = 2 * (double)result->radius + 1;
    return result->radius ? 2 * side * side : 5;
}

static inline double bench_rate(const bench_result *result) /* updates a second */
{
    return (double)result->width * (double)result->height / result->median;
}

/* ---- what a ladder gives ---- */

typedef struct bench_report {
    bench_machine machine;
    bench_result *results;
    size_t count;
} bench_report;

/* ladder_table.c: for people. */
void bench_print_machine(FILE *stream, const bench_machine *machine);
void bench_print_head(FILE *stream, const bench_case *problem);
void bench_print_result(FILE *stream, const bench_result *result, const bench_machine *machine);
char *bench_format_seconds(char text[32], double seconds);

/* ladder_json.c: for programs. */
void bench_write_json(FILE *stream, const bench_report *report);

/* ---- `--mine`, a function of the user's own as a rung: mine.c, mine_check.c ---- */

/* Loads a compiled one into this process, where it stays. REC_BAD_INPUT. */
rec_status bench_mine_load(bench_mine *mine, const char *library, rec_error *error);

/* The rung on the host, and the one on the device. */
extern const bench_rung bench_mine_host, bench_mine_device;

/* One step on images of odd sizes, whose result is explained if it is wrong; then many. A fault of
 * the device is a wrong result, too. */
rec_status bench_mine_check(const bench_rung *rung, const bench_mine *mine,
                            const rec_solver_options *place, bench_result *result,
                            rec_error *error);
