/* Uses the installed library as others do; test_library.sh compiles and runs it.
 *
 *     library arrays WIDTH HEIGHT   strides of all kinds give the same samples
 *     library masks                 known pixels, and a free mean
 *     library guided                a texture, and what is none with a white
 *     library threads               solvers in several threads, with a comma in numbers
 *     library stack                 pictures of their own, shared among threads
 *     library refused               what is wrong is said, and nothing ends
 *     library forked                children of a process whose threads plan and compute
 *     library environment           the caller's rounding mode, subnormals and traps
 *     library pfm N SIDE            noise and its iterate N, as noise.pfm and iterate.pfm
 *     library speed SIDE            the exact picture beside FFTW called by hand */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <reconstruct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void check(int code)
{
    if (code)
        fprintf(stderr, "library: %d, %s\n", code, rec_error_text()), exit(1);
}

static void claim(int truth, const char *what)
{
    if (!truth)
        fprintf(stderr, "library: not true: %s\n", what), exit(1);
}
#define CLAIM(truth) claim(truth, #truth)

/* It sums to 0. */
static float *noise(size_t count, unsigned seed)
{
    float *made = calloc(count, sizeof *made);
    for (size_t i = 0; i < count / 2; i++) {
        made[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 16 & 0xff) - 127.5f;
        made[count - 1 - i] = -made[i];
    }
    return made;
}

static rec_poisson *make(size_t width, size_t height, size_t planes, const char *boundary)
{
    rec_poisson *made;
    check(rec_poisson_create(&made, width, height, planes, boundary, 3, REC_PROCESSOR));
    return made;
}

/* The iterate 7 and the exact picture, one behind the other. */
static float *solve(rec_poisson *solver, const float *edges, size_t count)
{
    float *made = malloc(2 * count * sizeof *made);
    check(rec_poisson_load(solver, &(rec_array){.data = (float *)edges}, NULL));
    check(rec_poisson_iterate(solver, 3, NULL));
    check(rec_poisson_iterate(solver, 4, NULL));
    check(rec_poisson_read(solver, &(rec_array){.data = made}));
    check(rec_poisson_solve(solver, 0, NULL));
    check(rec_poisson_read(solver, &(rec_array){.data = made + count}));
    return made;
}

/* Interleaved colours, from the last row to the first. */
static void arrays(size_t width, size_t height)
{
    const size_t count = 3 * width * height;
    const ptrdiff_t row = (ptrdiff_t)(3 * width + 5);
    rec_poisson *solver = make(width, height, 3, "halo");
    const float *edges = noise(count, 1), *usual = solve(solver, edges, count);
    float *memory = calloc((size_t)row * height, sizeof *memory);
    size_t *at = malloc(count * sizeof *at); /* where each sample is in it */
    const rec_array turned = {.data = memory + row * (ptrdiff_t)(height - 1), .across = 3,
                              .down = -row, .plane = 1};
    double distance = -1;
    for (size_t i = 0; i < count; i++) {
        const size_t x = i % width, y = i / width % height, p = i / width / height;
        at[i] = (size_t)row * (height - 1 - y) + 3 * x + p;
        memory[at[i]] = edges[i];
    }
    check(rec_poisson_load(solver, &turned, NULL));
    check(rec_poisson_solve(solver, 0, &distance));
    CLAIM(distance >= 0 && distance < 0.1);
    check(rec_poisson_read(solver, &turned));
    for (size_t i = 0; i < count; i++)
        CLAIM(memory[at[i]] == usual[count + i]);
    check(rec_poisson_edges(solver, &turned, &turned)); /* come back */
    for (size_t i = 0; i < count; i++)
        CLAIM(fabsf(memory[at[i]] - edges[i]) < 0.01f);
    check(rec_poisson_iterate(solver, 7, &distance)); /* goes on from the start */
    CLAIM(distance > 1);
    rec_poisson_destroy(solver);
}

/* Known pixels keep their values, whatever their edges are; unknown ones get their edges. And where
 * nothing is known, the mean is the one that was asked for. */
static void masks(void)
{
    enum { SIDE = 400, COUNT = SIDE * SIDE, DOWN = SIDE + 3 };
    static unsigned char unknown[SIDE * DOWN];
    float *edges = noise(COUNT, 2), *start = noise(COUNT, 3), made[COUNT], again[COUNT];
    rec_poisson *solver = make(SIDE, SIDE, 1, "mirror");
    const rec_array to = {.data = made};
    double distance = -1, rough = -1, mean = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        unknown[i / SIDE * DOWN + i % SIDE] = i % SIDE > 5 && i / SIDE > 9 && i / SIDE < 30 ? 7 : 0;
    const float edge = edges[0];
    edges[0] = NAN; /* of a known pixel */
    start[10 * SIDE + 6] = INFINITY;
    check(rec_poisson_mask(solver, unknown, DOWN));
    CLAIM(rec_poisson_load(solver, &(rec_array){.data = edges}, NULL) == REC_CODE_INPUT);
    for (int exact = 0; exact < 2; exact++) {
        check(rec_poisson_load(solver, &(rec_array){.data = edges}, &(rec_array){.data = start}));
        if (exact) /* first roughly: the second is nearer */
            check(rec_poisson_solve(solver, 100, &rough));
        check(exact ? rec_poisson_solve(solver, 1e-4, &distance)
                    : rec_poisson_iterate(solver, 50, NULL));
        check(rec_poisson_read(solver, &to));
        check(rec_poisson_edges(solver, &to, &(rec_array){.data = again}));
        for (int i = 0; i < COUNT; i++)
            if (!unknown[i / SIDE * DOWN + i % SIDE])
                CLAIM(made[i] == start[i]);
            else if (exact)
                CLAIM(fabsf(again[i] - edges[i]) < 1e-2f);
    }
    CLAIM(distance >= 0 && distance <= 1e-4 && rough > 1e-2);
    struct rlimit usual; /* no memory (malloc() must keep none) for another tolerance: no picture */
    getrlimit(RLIMIT_AS, &usual);
    setrlimit(RLIMIT_AS, &(struct rlimit){0, usual.rlim_max});
    CLAIM(rec_poisson_solve(solver, 1e-3, NULL) == REC_CODE_MEMORY);
    setrlimit(RLIMIT_AS, &usual);
    CLAIM(rec_poisson_read(solver, &to) == REC_CODE_USAGE);
    edges[0] = edge;
    check(rec_poisson_mask(solver, NULL, 0)); /* which needs other edges */
    CLAIM(rec_poisson_read(solver, &to) == REC_CODE_USAGE);
    CLAIM(rec_poisson_solve(solver, 0, NULL) == REC_CODE_USAGE);
    check(rec_poisson_load(solver, &(rec_array){.data = edges}, NULL));
    check(rec_poisson_solve(solver, 0, NULL));
    check(rec_poisson_read(solver, &to));
    for (int i = 0; i < COUNT; i++)
        mean += (double)made[i] / COUNT;
    CLAIM(fabs(mean - 3) < 1e-3);
    rec_poisson_destroy(solver);
}

/* Stripes of one step are nothing between 0 and a white; between their own ends, a texture. */
static void guided(void)
{
    enum { SIDE = 64, COUNT = SIDE * SIDE, MIDDLE = 25 * SIDE + 30 };
    unsigned char unknown[COUNT];
    float picture[COUNT], edges[COUNT];
    rec_poisson *solver = make(SIDE, SIDE, 1, "mirror");
    for (int i = 0; i < COUNT; i++) {
        picture[i] = (float)(200 + i % 2);
        unknown[i] = i / SIDE > 19 && i / SIDE < 30 && i % SIDE > 19 && i % SIDE < 40;
    }
    check(rec_poisson_mask(solver, unknown, 0));
    for (int given = 0; given < 2; given++) {
        const rec_gradients_of from = {.rule = "source", .white = given ? 65535 : 0};
        check(rec_poisson_guide(solver, &from, &(rec_array){.data = picture},
                                &(rec_array){.data = edges}));
        CLAIM(edges[MIDDLE] == (given ? 0 : 2));
    }
    float bends[COUNT];
    for (int i = 0; i < COUNT; i++)
        bends[i] = (float)(3 * (i % SIDE) * (i % SIDE));
    const rec_gradients_of other = {.source = {.data = bends}, .width = SIDE, .height = SIDE,
                                    .rule = "source", .white = 255};
    check(rec_poisson_guide(solver, &other, &(rec_array){.data = picture},
                            &(rec_array){.data = edges}));
    CLAIM(edges[MIDDLE] == 6);
    rec_poisson_destroy(solver);
}

enum { SIZES = 6 };
static const float *made_alone[SIZES];

static void *work(void *result)
{
    static const char *const boundaries[] = {"halo", "mirror", "wrap"};
    for (size_t i = 0; i < SIZES; i++) {
        const size_t width = 97 + 61 * i, height = 203 - 11 * i, count = width * height;
        rec_poisson *solver = make(width, height, 1, boundaries[i % 3]);
        float *edges = noise(count, (unsigned)i);
        const float *made = solve(solver, edges, count);
        if (!result)
            made_alone[i] = made;
        else
            CLAIM(!memcmp(made, made_alone[i], 2 * count * sizeof *made));
        rec_poisson_destroy(solver);
        for (size_t wrong = 0; wrong < 3000; wrong++) { /* what is said is this thread's */
            char wanted[64];
            snprintf(wanted, sizeof wanted, "0 x %zu", (size_t)&wanted % 9973 + wrong);
            rec_poisson_create(&solver, 0, (size_t)&wanted % 9973 + wrong, 1, "halo", 0, -1);
            CLAIM(strstr(rec_error_text(), wanted) != NULL);
        }
        free(edges);
    }
    return NULL;
}

static void threads(void)
{
    enum { THREADS = 6 };
    pthread_t thread[THREADS];
    char before[16], after[16];
    setlocale(LC_ALL, "");
    snprintf(before, sizeof before, "%.1f", 0.5);
    work(NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, thread);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    snprintf(after, sizeof after, "%.1f", 0.5);
    CLAIM(!strcmp(before, after)); /* the caller's locale is the caller's */
}

static int count_calls(void *calls, double share)
{
    ++*(int *)calls;
    return !(share >= 0 && share <= 1);
}

static int stop_at_once(void *thread, double share)
{
    (void)share;
    return pthread_equal(*(pthread_t *)thread, pthread_self());
}

/* Each plane has holes of its own, by NaN or by a mask: what is known stays, and what is filled is
 * that of the plane alone, by any number of threads. */
static void stack(void)
{
    enum { WIDTH = 61, HEIGHT = 47, PLANES = 9, EACH = WIDTH * HEIGHT, ALL = EACH * PLANES };
    static float given[ALL], alone[ALL], made[2][ALL];
    static unsigned char unknown[ALL];
    for (size_t i = 0; i < ALL; i++) {
        const size_t p = i / EACH, x = i % WIDTH, y = i % EACH / WIDTH;
        unknown[i] = x > 5 + p && x < 30 + p && y > 9 && y < 20 + 2 * p;
        given[i] = (float)((x * 7 + y * y + 13 * p * x) % 101);
    }
    for (int by_mask = 0; by_mask < 2; by_mask++) {
        int calls = 0;
        rec_edit_of edit = {.picture = {.type = REC_FLOAT32, .width = WIDTH, .height = HEIGHT},
                            .mask = {.type = REC_UINT8, .width = WIDTH, .height = HEIGHT}};
        for (size_t i = 0; i < ALL; i++)
            alone[i] = made[0][i] = made[1][i] = unknown[i] && !by_mask ? NAN : given[i];
        for (size_t p = 0; p <= PLANES + 1; p++) { /* each, and all by 1 and by 4 threads */
            const size_t at = p < PLANES ? p * EACH : 0;
            edit.picture.data = p < PLANES ? alone + at : made[p - PLANES];
            edit.mask.data = by_mask ? unknown + at : NULL;
            edit.picture.planes = edit.mask.planes = p < PLANES ? 1 : PLANES;
            edit.threads = p > PLANES ? 4 : 1;
            edit.watch = p > PLANES ? count_calls : NULL;
            edit.user = &calls;
            check(rec_edit_fill(&edit, NULL));
        }
        CLAIM(calls >= 1);
        CLAIM(!memcmp(made[0], alone, sizeof alone));
        CLAIM(!memcmp(made[1], alone, sizeof alone));
        for (size_t i = 0; i < ALL; i++)
            CLAIM(unknown[i] ? isfinite(alone[i]) : alone[i] == given[i]);
        for (size_t i = 7 * EACH; i < 8 * EACH; i++)
            by_mask ? (void)(unknown[i] = 1) : (void)(made[1][i] = NAN);
        CLAIM(rec_edit_fill(&edit, NULL) == REC_CODE_INPUT);
        CLAIM(strstr(rec_error_text(), "picture 8 of 9: ") && !strstr(rec_error_text(), "--"));
        pthread_t self = pthread_self();
        edit.watch = stop_at_once;
        edit.user = &self;
        CLAIM(rec_edit_fill(&edit, NULL) == REC_CODE_STOPPED);
        edit.mask.planes = 4;
        CLAIM(!by_mask || rec_edit_fill(&edit, NULL) == REC_CODE_USAGE);
    }
}

static void refused(void)
{
    static const float values[] = {NAN, INFINITY, -1e31f};
    float four[4] = {1, NAN, 3, 4};
    const rec_array array = {.data = four}, none = {.data = NULL};
    rec_poisson *solver = NULL;
    for (int i = 0; i < 3; i++)
        CLAIM(rec_poisson_create(&solver, 2, 2, 1, "wrap", values[i], -1) == REC_CODE_USAGE);
    CLAIM(rec_poisson_create(NULL, 2, 2, 1, "halo", 0, -1) == REC_CODE_USAGE);
    CLAIM(rec_poisson_create(&solver, 2, 2, 1, NULL, 0, -1) == REC_CODE_USAGE && !solver);
    CLAIM(rec_poisson_create(&solver, 0, 2, 1, "halo", 0, -1) == REC_CODE_USAGE);
    CLAIM(rec_poisson_load(NULL, &array, NULL) == REC_CODE_USAGE && *rec_error_text());
    CLAIM(rec_poisson_mask(NULL, NULL, 0) == REC_CODE_USAGE);
    CLAIM(rec_poisson_iterate(NULL, 1, NULL) == REC_CODE_USAGE);
    CLAIM(rec_poisson_solve(NULL, 0, NULL) == REC_CODE_USAGE);
    CLAIM(rec_poisson_read(NULL, &array) == REC_CODE_USAGE);
    CLAIM(rec_poisson_edges(NULL, &array, &array) == REC_CODE_USAGE);
    CLAIM(rec_poisson_create(&solver, 2, 2, 1, "edge", 0, REC_PROCESSOR) == REC_CODE_USAGE);
    CLAIM(strstr(rec_error_text(), "halo, mirror, wrap, sawtooth or cylinder") && !solver);
    CLAIM(rec_poisson_create(&solver, 2, 2, 2, "halo", 0, REC_PROCESSOR) == REC_CODE_USAGE);
    CLAIM(rec_poisson_create(&solver, 2, 2, 1, "halo", 0, 99) == REC_CODE_UNAVAILABLE);
    CLAIM(*rec_error_text() && !strstr(rec_error_text(), "--")); /* no options of a program */
    solver = make(2, 2, 1, "halo");
    CLAIM(rec_poisson_iterate(solver, 1, NULL) == REC_CODE_USAGE);
    CLAIM(rec_poisson_read(solver, &array) == REC_CODE_USAGE);
    CLAIM(rec_poisson_load(solver, &none, NULL) == REC_CODE_USAGE);
    CLAIM(rec_poisson_load(solver, NULL, NULL) == REC_CODE_USAGE);
    CLAIM(rec_poisson_load(solver, &array, NULL) == REC_CODE_INPUT);
    CLAIM(rec_poisson_solve(solver, 0, NULL) == REC_CODE_USAGE);
    four[1] = 2;
    CLAIM(rec_poisson_load(solver, &array, NULL) == 0 && !*rec_error_text());
    CLAIM(rec_poisson_solve(solver, 0, NULL) == 0);
    CLAIM(rec_poisson_read(solver, &none) == REC_CODE_USAGE);
    rec_poisson_destroy(solver);
    rec_poisson_destroy(NULL);
    solver = make(2, 2, 1, "cylinder");
    four[3] = -6;
    check(rec_poisson_load(solver, &array, NULL));
    check(rec_poisson_solve(solver, 0, NULL));
    CLAIM(rec_poisson_iterate(solver, 1, NULL) == REC_CODE_USAGE);
    CLAIM(strstr(rec_error_text(), "cylinder is for edits and exact pictures") != NULL);
    CLAIM(rec_poisson_solve(solver, -1, NULL) == REC_CODE_USAGE);
    CLAIM(rec_poisson_solve(solver, (double)NAN, NULL) == REC_CODE_USAGE);
    rec_poisson_destroy(solver);
    four[3] = 4;
    for (int wrap = 0; wrap < 2; wrap++) { /* edges of no picture, unless something is known */
        const unsigned char unknown[4] = {1, 1, 1, 0};
        solver = make(2, 2, 1, wrap ? "wrap" : "mirror");
        CLAIM(rec_poisson_load(solver, &array, NULL) == REC_CODE_INPUT);
        CLAIM(strstr(rec_error_text(), "sum to 10") && !strpbrk(rec_error_text(), ";-"));
        CLAIM(rec_poisson_iterate(solver, 1, NULL) == REC_CODE_USAGE);
        check(rec_poisson_mask(solver, unknown, 0));
        check(rec_poisson_load(solver, &array, &array));
        rec_poisson_destroy(solver);
    }
}

static volatile int enough;

/* Plans and teams of all sizes, until there is enough. */
static void *keep_solving(void *seed)
{
    for (size_t i = 0; !enough; i++) {
        const size_t side = 20 + (i * 7 + (size_t)seed) % 60;
        rec_poisson *solver = make(side, side, 1, "halo");
        float *edges = noise(side * side, 1);
        free(solve(solver, edges, side * side));
        free(edges);
        rec_poisson_destroy(solver);
    }
    return NULL;
}

static void forked(void)
{
    enum { SIDE = 370, COUNT = SIDE * SIDE }; /* worth a team */
    pthread_t thread[2];
    rec_poisson *solver = make(SIDE, SIDE, 1, "halo");
    const float *edges = noise(COUNT, 4), *made = solve(solver, edges, COUNT);
    for (size_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, keep_solving, (void *)i);
    for (int i = 0; i < 40; i++) {
        int result;
        usleep(1000 + i * 13 % 2000);
        const pid_t child = fork();
        if (!child) {
            alarm(10);
            _exit(memcmp(solve(make(SIDE, SIDE, 1, "halo"), edges, COUNT), made,
                         2 * COUNT * sizeof *made) != 0);
        }
        waitpid(child, &result, 0);
        CLAIM(result == 0);
    }
    enough = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    CLAIM(!memcmp(solve(solver, edges, COUNT), made, 2 * COUNT * sizeof *made));
}

static void environment(void)
{
    enum { SIDE = 500, COUNT = SIDE * SIDE };
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO};
    float *edges = noise(COUNT, 4);
    for (int i = 0; i < COUNT; i++)
        edges[i] *= i < COUNT / 2 ? 1 : 1e-42f; /* subnormal */
    edges[7] = 1;
    rec_poisson *solver = make(SIDE, SIDE, 1, "halo");
    const float *made = solve(solver, edges, COUNT);
    for (int i = 0; i < 2; i++) {
        fesetround(modes[i]);
#if __x86_64__
        const unsigned flush = 0x8040;
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | flush);
        feenableexcept(FE_ALL_EXCEPT & ~FE_INEXACT);
#endif
        rec_poisson *other = make(SIDE, SIDE, 1, "halo");
        const float *again = solve(other, edges, COUNT);
        edges[7] = NAN;
        CLAIM(rec_poisson_load(other, &(rec_array){.data = edges}, NULL) == REC_CODE_INPUT);
        edges[7] = 1;
        CLAIM(fegetround() == modes[i]);
#if __x86_64__
        CLAIM((__builtin_ia32_stmxcsr() & flush) == flush);
        CLAIM(fedisableexcept(FE_ALL_EXCEPT) == (FE_ALL_EXCEPT & ~FE_INEXACT));
#endif
        CLAIM(!memcmp(made, again, 2 * COUNT * sizeof *made));
    }
}

static void write_pfm(const char *path, const float *samples, int side)
{
    FILE *file = fopen(path, "wb");
    fprintf(file, "Pf\n%d %d\n-1.0\n", side, side);
    for (int y = side - 1; y >= 0; y--)
        fwrite(samples + y * side, sizeof *samples, (size_t)side, file);
    CLAIM(!fclose(file));
}

static void pfm(uint64_t n, int side)
{
    const size_t count = (size_t)side * (size_t)side;
    rec_poisson *solver = make((size_t)side, (size_t)side, 1, "halo");
    float *edges = noise(count, 9), *made = malloc(count * sizeof *made);
    write_pfm("noise.pfm", edges, side);
    check(rec_poisson_load(solver, &(rec_array){.data = edges}, NULL));
    check(rec_poisson_iterate(solver, n, NULL));
    check(rec_poisson_read(solver, &(rec_array){.data = made}));
    write_pfm("iterate.pfm", made, side);
    rec_poisson_destroy(solver);
}

#if HAVE_FFTW
#include <fftw3.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* As programs do that write it by hand: two transforms of the plane, and a division between. */
static void speed(int side)
{
    const size_t count = (size_t)side * (size_t)side;
    const double angle = acos(-1) / (side + 1);
    float *edges = noise(count, 5), *made = malloc(count * sizeof *made);
    double *plane = fftw_malloc(count * sizeof *plane), best[2] = {INFINITY, INFINITY};
    rec_poisson *solver = make((size_t)side, (size_t)side, 1, "halo");
    fftw_plan plan =
        fftw_plan_r2r_2d(side, side, plane, plane, FFTW_RODFT00, FFTW_RODFT00, FFTW_ESTIMATE);
    for (int round = 0; round < 3; round++) {
        double begin = now();
        check(rec_poisson_load(solver, &(rec_array){.data = edges}, NULL));
        check(rec_poisson_solve(solver, 0, NULL));
        check(rec_poisson_read(solver, &(rec_array){.data = made}));
        best[0] = fmin(best[0], now() - begin);
        begin = now();
        for (size_t i = 0; i < count; i++)
            plane[i] = (double)edges[i];
        fftw_execute(plan);
        for (int q = 0; q < side; q++)
            for (int p = 0; p < side; p++)
                plane[q * side + p] /= (2 * cos((p + 1) * angle) + 2 * cos((q + 1) * angle) - 4) *
                                       4 * (side + 1) * (side + 1);
        fftw_execute(plan);
        best[1] = fmin(best[1], now() - begin);
    }
    for (size_t i = 0; i < count; i++)
        CLAIM(fabs((double)made[i] - plane[i] - 3) < 1e-2);
    printf("%d x %d: libreconstruct %.4f s, FFTW by hand, one thread, %.4f s\n", side, side,
           best[0], best[1]);
    rec_poisson_destroy(solver);
}
#endif

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
#define RUN(function, ...)                                                                         \
    if (!strcmp(what, #function))                                                                  \
    return function(__VA_ARGS__), 0
    RUN(arrays, (size_t)atoi(argv[2]), (size_t)atoi(argv[3]));
    RUN(masks);
    RUN(guided);
    RUN(threads);
    RUN(stack);
    RUN(refused);
    RUN(forked);
    RUN(environment);
    RUN(pfm, (uint64_t)atoi(argv[2]), atoi(argv[3]));
#if HAVE_FFTW
    RUN(speed, atoi(argv[2]));
#endif
    return 64;
}
