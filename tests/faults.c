/* Preloaded, it makes the Nth call of a function fail, counted from the beginning of main:
 *
 *   FAULT=malloc:7   or open, read, write, stat, fsync, rename, pthread_create, and cudaMalloc of a
 *                    program that asks (cuda_faults.c); 7+ for all from there on
 *   FAULT_COUNT=FILE gets the number of calls when the program ends
 *   FAULT_NANS=1     fresh memory is full of NaNs
 *   FAULT_PEAK=FILE gets the most kilobytes of memory that it had
 *
 * A name stands for a family: malloc for all that allocates, read for fread and fgets too, since
 * the C library calls its own read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int armed, onward, nans;
static char family[32];
static long wanted, calls;

static int fails(const char *name)
{
    if (!armed || strcmp(name, family))
        return 0;
    const long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    return call == wanted || (onward && call > wanted);
}

int fault_fails(const char *name) { return fails(name); }

static void peak_at_exit(void)
{
    struct rusage usage;
    FILE *file = fopen(getenv("FAULT_PEAK"), "w");
    if (file && !getrusage(RUSAGE_SELF, &usage))
        fprintf(file, "%ld\n", usage.ru_maxrss);
    if (file)
        fclose(file);
}

static void count_at_exit(void)
{
    armed = 0;
    FILE *file = getenv("FAULT_COUNT") ? fopen(getenv("FAULT_COUNT"), "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", calls);
        fclose(file);
    }
}

static int (*real_main)(int, char **, char **);

static int armed_main(int argc, char **argv, char **environment)
{
    const char *fault = getenv("FAULT");
    char plus = 0;
    nans = getenv("FAULT_NANS") != NULL;
    if (fault && sscanf(fault, "%31[^:]:%ld%c", family, &wanted, &plus) >= 2) {
        onward = plus == '+';
        atexit(count_at_exit);
        armed = 1;
    }
    if (getenv("FAULT_PEAK"))
        atexit(peak_at_exit);
    const int status = real_main(argc, argv, environment);
    armed = 0;
    return status;
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                void (*)(void), void *) = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return real(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- memory ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

#define REFUSE_MEMORY(otherwise) return fails("malloc") ? (errno = ENOMEM, NULL) : (otherwise)
static void *fresh(void *memory, size_t size)
{
    return nans && memory ? memset(memory, 0xff, size) : memory;
}
void *malloc(size_t size) { REFUSE_MEMORY(fresh(__libc_malloc(size), size)); }
void *calloc(size_t count, size_t size) { REFUSE_MEMORY(__libc_calloc(count, size)); }
void *realloc(void *memory, size_t size) { REFUSE_MEMORY(__libc_realloc(memory, size)); }
void *memalign(size_t alignment, size_t size)
{
    REFUSE_MEMORY(fresh(__libc_memalign(alignment, size), size));
}
void *aligned_alloc(size_t alignment, size_t size)
{
    REFUSE_MEMORY(fresh(__libc_memalign(alignment, size), size));
}
int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (fails("malloc"))
        return ENOMEM;
    *memory = fresh(__libc_memalign(alignment, size), size);
    return *memory ? 0 : ENOMEM;
}

/* ---- files ---- */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REFUSE(family, number, failure, otherwise) \
    return fails(family) ? (errno = number, failure) : (otherwise)

static int mode_of(int flags, va_list more)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;
}
#define OPENS(name, parameters, arguments) \
    int name parameters \
    { \
        va_list more; \
        va_start(more, flags); \
        const int mode = mode_of(flags, more); \
        va_end(more); \
        REFUSE("open", EMFILE, -1, REAL(name) arguments); \
    }
OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
FILE *fopen(const char *path, const char *mode)
{
    REFUSE("open", EMFILE, NULL, REAL(fopen)(path, mode));
}
FILE *fopen64(const char *path, const char *mode)
{
    REFUSE("open", EMFILE, NULL, REAL(fopen64)(path, mode));
}

ssize_t read(int file, void *bytes, size_t count)
{
    REFUSE("read", EIO, -1, REAL(read)(file, bytes, count));
}
ssize_t pread(int file, void *bytes, size_t count, off_t at)
{
    REFUSE("read", EIO, -1, REAL(pread)(file, bytes, count, at));
}
ssize_t pread64(int file, void *bytes, size_t count, off64_t at)
{
    REFUSE("read", EIO, -1, REAL(pread64)(file, bytes, count, at));
}
enum { STREAM_ERROR = 0x20 }; /* what ferror looks at, in glibc */
size_t fread(void *bytes, size_t size, size_t count, FILE *stream)
{
    REFUSE("read", (stream->_flags |= STREAM_ERROR, EIO), 0,
           REAL(fread)(bytes, size, count, stream));
}
char *fgets(char *text, int size, FILE *stream)
{
    REFUSE("read", (stream->_flags |= STREAM_ERROR, EIO), NULL, REAL(fgets)(text, size, stream));
}

ssize_t write(int file, const void *bytes, size_t count)
{
    REFUSE("write", ENOSPC, -1, REAL(write)(file, bytes, count));
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at)
{
    REFUSE("write", ENOSPC, -1, REAL(pwrite)(file, bytes, count, at));
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at)
{
    REFUSE("write", ENOSPC, -1, REAL(pwrite64)(file, bytes, count, at));
}
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
    if (stream == stderr || fileno(stream) < 0) /* what says what failed; memory */
        return REAL(fwrite)(bytes, size, count, stream);
    REFUSE("write", (stream->_flags |= STREAM_ERROR, ENOSPC), 0,
           REAL(fwrite)(bytes, size, count, stream));
}
off64_t ftello64(FILE *stream) { REFUSE("lseek", EIO, -1, REAL(ftello64)(stream)); }
int stat(const char *path, struct stat *about) { REFUSE("stat", EIO, -1, REAL(stat)(path, about)); }
int lstat(const char *path, struct stat *about)
{
    REFUSE("stat", EIO, -1, REAL(lstat)(path, about));
}
int fstat(int file, struct stat *about) { REFUSE("stat", EIO, -1, REAL(fstat)(file, about)); }
int fstat64(int file, struct stat64 *about) { REFUSE("stat", EIO, -1, REAL(fstat64)(file, about)); }
int fsync(int file) { REFUSE("fsync", EIO, -1, REAL(fsync)(file)); }
int unlink(const char *path) { REFUSE("unlink", EIO, -1, REAL(unlink)(path)); }
int rename(const char *from, const char *to)
{
    REFUSE("rename", EACCES, -1, REAL(rename)(from, to));
}
int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
    REFUSE("rename", EACCES, -1, REAL(renameat2)(from_at, from, to_at, to, flags));
}

/* FAULT_TERM: a file whose name ends so; a signal to stop comes when it is closed. */
int fclose(FILE *stream)
{
    const char *ending = getenv("FAULT_TERM");
    char link[64], name[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", ending ? fileno(stream) : -1);
    const ssize_t length = ending ? readlink(link, name, sizeof name - 1) : -1;
    name[length > 0 ? length : 0] = 0;
    if (length > 0 && (size_t)length >= strlen(ending) &&
        !strcmp(name + length - strlen(ending), ending))
        raise(SIGTERM);
    return REAL(fclose)(stream);
}

/* FAULT_HOST: another host. */
int gethostname(char *name, size_t length)
{
    const char *host = getenv("FAULT_HOST");
    if (!host)
        return REAL(gethostname)(name, length);
    snprintf(name, length, "%s", host);
    return 0;
}

/* FAULT_LOCKS=0: a file system without record locks. FAULT_CLOCK: seconds that time() is ahead. */
int fcntl(int file, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    const int locks = command == F_OFD_SETLK || command == F_OFD_GETLK;
    return locks && getenv("FAULT_LOCKS") ? (errno = ENOLCK, -1)
                                          : REAL(fcntl)(file, command, argument);
}
time_t time(time_t *now)
{
    const char *ahead = getenv("FAULT_CLOCK");
    const time_t then = REAL(time)(NULL) + (ahead ? atol(ahead) : 0);
    return now ? *now = then : then;
}

/* FAULT_HASTE: so many times as fast goes the clock of durations, and what waits for it. */
static double hasty_since;
static double haste(void)
{
    const char *text = getenv("FAULT_HASTE");
    return text ? atof(text) : 1;
}
static struct timespec moment(double seconds)
{
    return (struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
}
static double seconds_of(const struct timespec *t)
{
    return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
}
int clock_gettime(clockid_t clock, struct timespec *now)
{
    const long failed = syscall(SYS_clock_gettime, clock, now);
    if (failed || clock != CLOCK_MONOTONIC || haste() == 1)
        return (int)failed;
    if (!hasty_since)
        hasty_since = seconds_of(now);
    *now = moment(hasty_since + haste() * (seconds_of(now) - hasty_since));
    return 0;
}
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                           const struct timespec *until)
{
    static const char name[] = "pthread_cond_timedwait";
    void *real = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2"); /* not one of older conditions */
    real = real ? real : dlsym(RTLD_NEXT, name);
    const struct timespec then = moment(hasty_since + (seconds_of(until) - hasty_since) / haste());
    return ((__typeof__(&pthread_cond_timedwait))real)(condition, lock,
                                                       hasty_since > 0 ? &then : until);
}

/* ---- threads ---- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    if (fails("pthread_create"))
        return EAGAIN;
    return REAL(pthread_create)(thread, attributes, start, argument);
}
