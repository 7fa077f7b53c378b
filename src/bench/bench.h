/* The parts of `reconstruct bench`. A rung of the ladder is a row of a table: how to set it up,
 * run it and read it back. Every rung is checked first and timed only if it is right. */
#ifndef REC_COMMANDS_BENCH_H
#define REC_COMMANDS_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include "commands/options.h"
#include "image/image.h"

/* ---- the problem of one size: bench_case.c ---- */

/* What a rung's result must be, word for word. */
typedef enum bench_check {
    BENCH_STENCIL,  /* the reference solver's iterate */
    BENCH_EXERCISE, /* the iterate by the exercise's own order of additions */
    BENCH_COPY,     /* the start */
    BENCH_SUM,      /* of two matrices of integers */
    BENCH_CHECKS
} bench_check;

/* A rung is checked after so many iterations: odd, so that both iterates are looked at; the deep
 * ones after more, so that the deepest blocking and a rest are in it. */
enum { BENCH_FEW = 3, BENCH_MANY = 35 };

typedef struct bench_case {
    size_t width, height;
    float halo;
    rec_image edges; /* E, and the start: noise of whole numbers, so that nothing stands still */
    rec_image terms; /* f */
    uint32_t *expected[BENCH_CHECKS][2]; /* after FEW and after MANY; NULL: nobody asked yet */
    double squares[2]; /* sum of squared changes of the reference's last iteration, likewise */
} bench_case;

rec_status bench_case_create(bench_case *made, size_t width, size_t height, rec_error *error);
void bench_case_destroy(bench_case *made);

/* The words that a rung must give, width * height of them; worked out once. */
rec_status bench_case_expect(bench_case *of, bench_check check, int many, const uint32_t **words,
                             rec_error *error);

/* The summands of BENCH_SUM at pixel i of row-major order. */
int32_t bench_first_summand(size_t i);
int32_t bench_second_summand(size_t i);

/* ---- rungs: bench_rungs.c, and a file for each kind ---- */

typedef struct bench_block {
    unsigned columns, rows; /* threads */
} bench_block;

typedef struct bench_rung bench_rung;

typedef struct bench_type {
    const char *group; /* "cpu", "gpu", "shipped": what --rungs calls all of them */
    rec_status (*create)(void **state, const bench_rung *rung, const bench_case *problem,
                         bench_block block, int device, rec_error *error);
    /* n iterations, all of them done when it returns, and their seconds. */
    rec_status (*advance)(void *state, uint64_t n, double *seconds, rec_error *error);
    rec_status (*read)(void *state, void *words, rec_error *error);
    /* Of the last iteration's changes, for rungs with a norm. */
    rec_status (*squares)(void *state, double *squares, rec_error *error);
    void (*destroy)(void *state);
} bench_type;

struct bench_rung {
    int number;
    int from;        /* number of the rung that it changes, "the rung before"; 0: none */
    const char *name, *idea;
    bench_check check;
    double bytes;    /* that an update moves in the memory of its side, by the kernel's own count;
                        0: not counted */
    unsigned batch;  /* iterations that belong together: timed in multiples of it */
    bench_block block; /* of threads, where it can be chosen; else 0 */
    unsigned device : 1; /* works on the GPU */
    unsigned sweeps : 1; /* timed once for every block that is asked for */
    unsigned deep : 1;   /* several iterations at once: checked after BENCH_MANY */
    unsigned norm : 1;   /* makes the sum of squared changes in every iteration */
    unsigned base : 1;   /* the one that "against the CPU" means */
    const bench_type *type;
    const void *way; /* what the type has to know of this rung */
};

extern const bench_rung bench_cpu_rungs[];  /* bench_cpu.c; all end with a number 0 */
extern const bench_rung bench_gpu_rungs[];  /* bench_gpu.c; empty in a build without CUDA */
extern const bench_rung bench_shipped_rungs[]; /* bench_shipped.c */

/* Rung 0.. of all, NULL behind the last. */
const bench_rung *bench_rung_at(size_t index);

enum { BENCH_MOST_RUNGS = 64 };

/* --rungs: numbers, ranges (5-8), names and groups, with commas; NULL: all. chosen[index]
 * becomes 1. REC_USAGE naming what is wrong. */
rec_status bench_choose(const char *text, unsigned char chosen[BENCH_MOST_RUNGS], rec_error *error);

/* --size: N or WxH with commas; --blocks: CxR with commas. At most `capacity` of them. */
typedef struct bench_size {
    size_t width, height;
} bench_size;
rec_status bench_parse_sizes(const char *option, const char *text, size_t least, size_t most,
                             bench_size *sizes, size_t capacity, size_t *count, rec_error *error);

/* For --help. */
void bench_print_rungs(FILE *stream);

/* ---- measuring: bench_measure.c ---- */

typedef struct bench_result {
    const bench_rung *rung;
    char label[48];    /* the rung's name, with the block where several were tried */
    size_t width, height;
    enum { BENCH_TIMED, BENCH_WRONG, BENCH_SKIPPED } outcome;
    char reason[512];  /* of what is not timed */
    size_t samples;
    uint64_t iterations; /* of each sample */
    double median, minimum, maximum; /* seconds an iteration */
    /* How many times as fast as the rung that it changes (its best block), as the base rung, as the
     * same in the baseline; 0: there is nothing to compare. */
    double before, cpu, baseline;
} bench_result;

/* Checks the rung, and when it is right, times it for about `seconds`. What is wrong with the
 * rung is the result's outcome; a failure is one of the machine, or a signal. */
rec_status bench_measure(const bench_rung *rung, bench_case *problem, bench_block block, int device,
                         double seconds, bench_result *result, rec_error *error);

static inline double bench_rate(const bench_result *result) /* updates a second */
{
    return (double)result->width * (double)result->height / result->median;
}

/* ---- the machine: bench_machine.c ---- */

typedef struct bench_machine {
    char host[128];
    double host_copy;         /* bytes read and written a second by all threads of the host */
    int has_device;
    char no_device[256];      /* why not */
    char device[128];
    int number, major, minor, multiprocessors, lanes;
    size_t memory, l2;
    double start_seconds, clock, clock_measured, memory_clock, device_copy;
    double peak;              /* updates a second, if every lane did nothing but the update's three
                                 instructions: lanes * multiprocessors * measured clock / 3 */
} bench_machine;

/* With a device only where want_device; the lack of one is no failure. */
rec_status bench_machine_look(bench_machine *machine, int want_device, int device,
                              rec_error *error);

/* The copy that a rung is measured by: its side's. */
static inline double bench_copy_rate(const bench_machine *machine, const bench_rung *rung)
{
    return rung->device ? machine->device_copy : machine->host_copy;
}

/* ---- what comes out ---- */

typedef struct bench_report {
    bench_machine machine;
    bench_result *results;
    size_t count;
} bench_report;

/* bench_table.c: for people. */
void bench_print_machine(FILE *stream, const bench_machine *machine);
void bench_print_head(FILE *stream, size_t width, size_t height, int baseline);
void bench_print_result(FILE *stream, const bench_result *result, const bench_machine *machine,
                        int baseline);
char *bench_format_seconds(char text[32], double seconds);

/* bench_json.c: for programs, bench_baseline.c among them. */
void bench_write_json(FILE *stream, const bench_report *report);

typedef struct bench_baseline {
    struct bench_baseline_row {
        char label[48];
        size_t width, height;
        double median;
    } *rows;
    size_t count;
} bench_baseline;

/* Reads what bench_write_json wrote (bench_baseline.c). REC_NO_INPUT, REC_BAD_INPUT with the
 * line. */
rec_status bench_read_baseline(const char *path, bench_baseline *baseline, rec_error *error);
void bench_baseline_destroy(bench_baseline *baseline);
/* Seconds an iteration, 0 where it has no such row. */
double bench_baseline_find(const bench_baseline *baseline, const bench_result *result);

/* bench_svg.c: the roofline of one size's rungs; of the device's where it has any, else the host's.
 * REC_NO where nothing was timed. */
rec_status bench_write_svg(FILE *stream, const bench_report *report, size_t width, size_t height,
                           rec_error *error);

/* ---- the plate: bench_plate.c ---- */

/* `bench --problem plate`: NVIDIA's tutorial, on any solver. */
rec_status bench_plate(const command_line *line, rec_error *error);

#endif
