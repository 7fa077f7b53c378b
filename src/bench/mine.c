/* A function of the user's own as a rung: compiled by the compiler of its language, then loaded by
 * this program in a process of its own: a crash or an endless loop costs no more than this rung. */
#include "bench/bench.h"

#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/devices.h"

extern char **environ;

enum { NO_COMPILER = 127 };
#define DEVICE_RUNGS "5-14,20-22,28,40,41,43,83,90-92" /* one iteration a pass, and the fastest */
#define HOST_RUNGS "1-4,33"

/* words: a program and its arguments; *ended: as of waitpid. Signals are passed on to it. */
static rec_status run(const char *const *words, int *ended, rec_error *error)
{
    pid_t process;
    const int failed = posix_spawn(&process, words[0], NULL, NULL, (char *const *)words, environ);
    if (failed)
        return rec_fail_system(error, REC_LIMIT, failed, "%s", words[0]);
    while (waitpid(process, ended, 0) < 0)
        if (errno != EINTR)
            return rec_fail_system(error, REC_FAULT, errno, "%s", words[0]);
        else if (rec_signal_received)
            kill(process, rec_signal_received);
    return rec_signal_received ? rec_fail(error, REC_SIGNALLED, "stopped by a signal") : REC_OK;
}

typedef enum build_kind {
    FOR_HOST,
    FOR_DEVICE,
    FOR_FIBRES, /* a .cu file where no GPU is: kernels/ladder/host */
    FOR_WATCH   /* a .c file beside the one FOR_HOST, to be watched: likewise */
} build_kind;

/* The compiler that a variable names, or the first one that is there; its flags, with those of this
 * program, so that the same arithmetic has the same bits, for the processor and the device that are
 * here; the runtime in front of the source. For fibres: -O1 has one instruction for a load of the
 * text; of the sanitizer only the calls are wanted, not its library. */
static const struct build_way {
    const char *variable, *tools[2], *flags, *runtime;
} ways[] = {
    [FOR_HOST] = {"CC", {"cc", "gcc"},
        "-std=gnu11 -O3 -march=native -ffp-contract=off -fPIC -shared", NULL},
    [FOR_DEVICE] = {"NVCC", {"nvcc", "/usr/local/cuda/bin/nvcc"},
        "-std=c++17 -O3 -fmad=false -arch=native -lineinfo -Xcompiler -fPIC -shared", NULL},
    [FOR_FIBRES] = {"CXX", {"g++", "clang++"},
        "-xc++ -std=c++17 -O1 -g1 -march=native -ffp-contract=off -fPIC -shared "
        "-fno-semantic-interposition -fsanitize=thread -nodefaultlibs -U_FORTIFY_SOURCE "
        "-Wl,-Bsymbolic -Wno-attributes -Wno-ignored-attributes", "fibres.cpp"},
    [FOR_WATCH] = {"CC", {"cc", "gcc"},
        "-std=gnu11 -O0 -g1 -Wall -march=native -ffp-contract=off -fPIC -shared -fsanitize=thread "
        "-nodefaultlibs -U_FORTIFY_SOURCE -Wl,-Bsymbolic -Wno-unknown-pragmas", "watch.c"}};

typedef struct build {
    build_kind kind;
    char folder[PATH_MAX], source[PATH_MAX], beside[PATH_MAX], root[PATH_MAX];
    char unit[PATH_MAX + 32], library[PATH_MAX + 32]; /* what is compiled, and what comes out */
    char watched[PATH_MAX + 200], running[PATH_MAX + 200]; /* as BENCH_WATCHED, BENCH_RUNNING */
} build;

/* To sed: launches and shared memory as C++ has them, and the header of the fibres; of OpenMP the
 * loops whose threads are played. */
static const char translation[] =
    "s/([A-Za-z_][A-Za-z_0-9:]*(<[^<>;]*>)?)[[:space:]]*<<<([^;]*)>>>/"
    "fibre_kernel(\"\\1\", [\\&](auto... a) { \\1(a...); }, \\3)/g\n"
    "s/extern[[:space:]]+__shared__([^]]*\\])/extern\\1 __asm__(\"fibre_dynamic\")/g\n"
    "s/__shared__[ \t]([^][;(){}=,\\n]*[ \t])([A-Za-z_][A-Za-z_0-9]*)[ \t]*"
    "((\\[[^];\\n]*[]][ \t]*)+);/fibre_shared(\\1, \\2, \\3);/g\n"
    "s/(#[ \t]*pragma[^\\n]*)schedule[ \t]*\\([^)]*\\)/\\1/g\n"
    "s|cuda_runtime[.]h|kernels/ladder/host/&|g";

/* What the compiler reads: the source, and for the device what its runtime thinks of the step;
 * translated behind a runtime of this program's own. */
static rec_status write_unit(const build *made, rec_error *error)
{
    const char *const runtime = ways[made->kind].runtime;
    const char *const words[] = {"/bin/sh", "-c", "sed -zE \"$0\" \"$1\" >>\"$2\"", translation,
                                 made->source, made->unit, NULL};
    int ended;
    FILE *unit = fopen(made->unit, "w");
    if (!unit)
        return rec_fail_system(error, REC_NO_OUTPUT, errno, "%s", made->unit);
    if (runtime)
        fprintf(unit, "#include \"kernels/ladder/host/%s\"\n#line 1 \"%s\"\n", runtime,
                made->source);
    else
        fprintf(unit, "#include \"%s\"\n", made->source);
    if (made->kind == FOR_DEVICE)
        fputs("extern \"C\" const char *step_failed()\n{\n"
              "    const cudaError_t result = cudaGetLastError();\n"
              "    return result ? cudaGetErrorString(result) : nullptr;\n}\n", unit);
    if (fclose(unit))
        return rec_fail_system(error, REC_IO, errno, "%s", made->unit);
    return runtime ? run(words, &ended, error) : REC_OK;
}

/* To the shell: compiles with the first compiler that is there; CC="gcc -m64" is one, too. $0: the
 * folder of this program. Clang may lack the library of OpenMP. */
static const char find_compiler[] =
    "set -f; for tool in \"$%1$s\" %2$s %3$s; do\n"
    "[ \"$tool\" ] && command -v ${tool%%%% *} >/dev/null || continue\n"
    "case %1$s$tool in CC*clang*) ;; CC*) set -- -fopenmp -Wmaybe-uninitialized \"$@\";; esac\n"
    "exec $tool %4$s -I. -I \"$0\" -I \"$0/..\" -I \"$0/../share/reconstruct\" \"$@\"; done\n"
    "exit 127";

static rec_status compile(const build *made, const char *path, rec_error *error)
{
    const struct build_way *way = &ways[made->kind];
    char script[1024];
    snprintf(script, sizeof script, find_compiler, way->variable, way->tools[0], way->tools[1],
             way->flags);
    const char *const words[] = {"/bin/sh", "-c", script, made->root, "-I", made->beside,
                                 made->unit, "-o",
                                 made->kind == FOR_WATCH ? made->watched : made->library, "-lm",
                                 made->kind == FOR_FIBRES ? "-lstdc++" : NULL, NULL};
    int ended;
    REC_TRY(write_unit(made, error));
    REC_TRY(run(words, &ended, error));
    if (ended == NO_COMPILER << 8)
        return rec_fail(error, REC_UNAVAILABLE,
                        "%s: no compiler: there is neither %s nor %s; %s names one", path,
                        way->tools[0], way->tools[1], way->variable);
    return ended ? rec_fail(error, REC_BAD_INPUT, "%s: does not compile%s", path,
                            made->kind == FOR_FIBRES ? " without a GPU: docs/course.md lists what "
                                                       "CUDA works there" : "")
                 : REC_OK;
}

/* The same command with the library in the place of the source. */
static rec_status run_library(const build *made, const bench_exercise *exercise,
                              const option_value *given, rec_error *error)
{
    const char *rungs = made->kind == FOR_DEVICE ? DEVICE_RUNGS : HOST_RUNGS;
    char rung[16];
    if (exercise) { /* the one that it is measured by; fibres are not timed */
        snprintf(rung, sizeof rung, "%d", exercise->rung);
        rungs = exercise->rung && made->kind != FOR_FIBRES ? rung : "mine";
    }
    const char *words[2 * BENCH_OPTIONS + 4] = {"/proc/self/exe", "--mine", made->library,
                                                "--rungs", rungs};
    char names[BENCH_OPTIONS][16];
    size_t count = 5;
    int ended;
    for (size_t i = 0; i < BENCH_OPTIONS; i++)
        if (given[i].given && i != BENCH_MINE) {
            snprintf(names[i], sizeof names[i], "--%s", bench_option_rows[i].name);
            words[count++] = names[i];
            words[count++] = given[i].text;
        }
    FILE *running = fopen(made->running, "w");
    if (!running || fclose(running))
        return rec_fail_system(error, REC_NO_OUTPUT, errno, "%s", made->running);
    REC_TRY(run(words, &ended, error));
    if (WIFEXITED(ended) && access(made->running, F_OK)) { /* it has said everything */
        error->message[0] = '\0';
        return (rec_status)WEXITSTATUS(ended);
    }
    if (WIFEXITED(ended))
        return rec_fail(error, REC_NO, "mine: it has ended the program, with exit code %d",
                        WEXITSTATUS(ended));
    if (WTERMSIG(ended) == SIGALRM)
        return rec_fail(error, REC_NO, "mine: took too long: does a loop never end?");
    return rec_fail(error, REC_NO, "mine: crashed (%s): which index leads outside the planes?",
                    strsignal(WTERMSIG(ended)));
}

rec_status bench_mine_run(const char *path, const bench_exercise *exercise,
                          const option_value *given, rec_error *error)
{
    build made;
    char link[PATH_MAX + 32];
    const char *temporary = getenv("TMPDIR"), *ending = strrchr(path, '.');
    const int device = ending && !strcmp(ending, ".cu");
    if (!device && !(ending && !strcmp(ending, ".c")))
        return rec_fail(error, REC_USAGE, "--mine %s: must be a .c or .cu file", path);
    if (exercise && device == !exercise->bytes)
        return rec_fail(error, REC_USAGE, "exercise %s is for a .%s file", exercise->name,
                        device ? "c" : "cu");
    made.kind = !device ? FOR_HOST : rec_device_available(0, NULL) ? FOR_DEVICE : FOR_FIBRES;
    if (!realpath(path, made.source))
        return rec_fail_system(error, REC_NO_INPUT, errno, "%s", path);
    const ssize_t length = readlink("/proc/self/exe", made.root, sizeof made.root - 1);
    made.root[length < 0 ? 0 : length] = '\0';
    dirname(made.root);
    snprintf(made.folder, sizeof made.folder, "%.4000s/reconstruct-mine.XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(made.folder))
        return rec_fail_system(error, REC_NO_OUTPUT, errno, "%s", made.folder);
    snprintf(made.unit, sizeof made.unit, "%s/unit%s", made.folder, ending);
    snprintf(made.library, sizeof made.library, "%s/unit.so", made.folder);
    snprintf(made.watched, sizeof made.watched, BENCH_WATCHED, made.library);
    snprintf(made.running, sizeof made.running, BENCH_RUNNING, made.library);
    snprintf(link, sizeof link, "%s/mine%s", made.folder, ending);
    snprintf(made.beside, sizeof made.beside, "%s", made.source);
    dirname(made.beside);
    if (strpbrk(made.source, "\"\\\n") && !symlink(made.source, link)) /* not within an #include */
        strcpy(made.source, link);
    rec_status status = compile(&made, path, error);
    if (!status && made.kind == FOR_HOST) {
        made.kind = FOR_WATCH;
        if (compile(&made, path, error) == REC_SIGNALLED)
            status = REC_SIGNALLED;
        else if (access(made.watched, F_OK))
            fputs("note: races and wrong indices are not looked for: see above\n", stderr);
        made.kind = FOR_HOST;
    }
    if (!status)
        status = run_library(&made, exercise, given, error);
    const char *const files[] = {link, made.unit, made.library, made.watched, made.running};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    rmdir(made.folder);
    return status;
}

rec_status bench_mine_load(rec_ladder_mine *mine, const char *library,
                           const bench_exercise *exercise, rec_error *error)
{
    static const char *const names[] = {"step", "steps", "step_norm"};
    void **const functions[] = {(void **)&mine->step, (void **)&mine->steps,
                                (void **)&mine->step_norm};
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    int found = 0;
    if (!handle)
        return rec_fail(error, REC_BAD_INPUT, "%s", dlerror());
    for (int i = 0; i < 3 && !found; i++)
        if (!exercise || !strcmp(exercise->function, names[i]))
            found = (*functions[i] = dlsym(handle, names[i])) != NULL;
    *(void **)&mine->failed = dlsym(handle, "step_failed");
    *(void **)&mine->trace = dlsym(handle, "fibre_trace");
    return found ? REC_OK
                 : rec_fail(error, REC_BAD_INPUT, "mine: no function %s, which docs/course.md "
                            "describes; in a .cu file it begins with extern \"C\"",
                            exercise ? exercise->function : "step");
}
