/* What a step must not touch, seen before it happens: a cell beyond its planes, one of the halo, or
 * of what it only reads; and a crash. For C and C++. The first fault is kept. */
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEN_BARE __attribute__((no_sanitize("thread"), unused))
enum { SEEN_GUARD = 1 << 16 }; /* cells around each plane, where a wrong index does no harm */
typedef uint64_t Take(const void *mine, uint64_t n, float **in, float **out, const float *edges,
                      int width, int height, int stride, double *squares); /* rec_ladder_steps */

static struct {
    float *memory;
    long width, height, stride, before, cells; /* of a plane; before: cells before pixel (0, 0) */
    int together; /* steps of a call: above 1 both planes are its own */
    const void *last, *at, *other; /* instructions, from behind: of the fault, of what it meets */
    char says[256];
    sigjmp_buf out;
} seen;

SEEN_BARE static void seen_fault(const void *at, const void *other, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!seen.at)
        vsnprintf(seen.says, sizeof seen.says, format, list);
    va_end(list);
    seen.other = seen.at ? seen.other : other;
    seen.at = seen.at ? seen.at : at;
}

/* The plane that has the address, or whose guard has, and the index from pixel (0, 0) on; NULL. */
SEEN_BARE static const char *seen_plane(const void *address, long *index)
{
    static const char *const names[] = {"out", "in", "edges"};
    const uintptr_t cell = ((uintptr_t)address - (uintptr_t)seen.memory) / sizeof(float);
    const uintptr_t each = (uintptr_t)(seen.cells + 2 * SEEN_GUARD);
    *index = (long)(cell % each) - SEEN_GUARD - seen.before;
    return seen.memory && cell / each < 3 ? names[cell / each] : NULL;
}

SEEN_BARE static void seen_touch(const void *address, size_t size, int store, const void *at)
{
    long index, end = seen.cells - seen.before;
    const char *const name = seen_plane(address, &index), *const does = store ? "stores to"
                                                                              : "loads";
    const long cell = index + 1 + SEEN_GUARD * seen.stride; /* above 0: / rounds down */
    const long y = cell / seen.stride - SEEN_GUARD, x = cell % seen.stride - 1;
    seen.last = at;
    if (!name || seen.at)
        return;
    if (index < -seen.before || index + (long)((size + 3) / sizeof(float)) > end)
        seen_fault(at, NULL, "%s %s[%ld], row %ld, column %ld: outside of %ld x %ld pixels and "
                   "their halo", does, name, index, y, x, seen.width, seen.height);
    else if (store && (*name == 'e' || (*name == 'i' && seen.together == 1)))
        seen_fault(at, NULL, "stores to %s[%ld]: a step reads `in` and `edges`, and writes `out`",
                   name, index);
    else if (store && seen.together == 1 && y >= -1 && y <= seen.height && x <= seen.width &&
             (y < 0 || y == seen.height || x < 0 || x == seen.width))
        seen_fault(at, NULL, "stores to %s[%ld], row %ld, column %ld: the halo, which keeps "
                   "its value. Pixels are y * stride + x, x < width: a row has stride cells",
                   name, index, y, x);
}

SEEN_BARE static void seen_crashed(int number) { siglongjmp(seen.out, number); }

SEEN_BARE static void seen_catch(void (*handler)(int))
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL};
    static char other[1 << 16];
    stack_t stack = {};
    struct sigaction action = {};
    stack.ss_sp = other;
    stack.ss_size = sizeof other;
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaltstack(&stack, NULL);
    for (int i = 0; i < 5; i++)
        sigaction(signals[i], &action, NULL);
}

/* A step, or several by a call, on planes of 0. Returns how many; *nan: whether one came out. */
SEEN_BARE static uint64_t seen_take(const void *mine, Take *take, int width, int height, int stride,
                                    int left, int together, double *squares, int *nan)
{
    const long before = stride + left, cells = before + (long)stride * (height + 1) + left;
    const size_t bytes = (size_t)(cells + 2 * SEEN_GUARD) * 3 * sizeof(float);
    float *planes[3], *const memory = (float *)aligned_alloc(256, (bytes + 255) / 256 * 256);
    volatile uint64_t steps = 0;
    memset(memory, 0, bytes);
    for (int i = 0; i < 3; i++)
        planes[i] = memory + i * (cells + 2 * SEEN_GUARD) + SEEN_GUARD + before;
    seen.memory = memory, seen.width = width, seen.height = height, seen.stride = stride;
    seen.before = before, seen.cells = cells, seen.together = together;
    seen_catch(seen_crashed);
    const int number = sigsetjmp(seen.out, 1);
    if (number)
        seen_fault(seen.last, NULL, "is the last that ran: %s", strsignal(number));
    else
        steps = take(mine, (uint64_t)together, &planes[1], &planes[0], planes[2], width, height,
                     stride, squares);
    seen_catch(SIG_DFL);
    for (long i = *nan = 0; i < (long)stride * height; i++)
        *nan |= i % stride < width && planes[1][i] != planes[1][i];
    seen.memory = NULL;
    free(memory);
    return steps;
}

/* ---- what the compiler calls before a load or store of the user's file ---- */

SEEN_BARE static void seen_access(const void *address, size_t size, int store, const void *at);
#define SEEN_CALL(name, store, size, ...)                                                          \
    SEEN_BARE void __tsan_##name(void *address __VA_ARGS__)                                        \
    {                                                                                              \
        seen_access(address, size, store, __builtin_return_address(0));                            \
    }
#define SEEN_SIZE(size)                                                                            \
    SEEN_CALL(read##size, 0, size)                                                                 \
    SEEN_CALL(write##size, 1, size)                                                                \
    SEEN_CALL(unaligned_read##size, 0, size)                                                       \
    SEEN_CALL(unaligned_write##size, 1, size)
#ifdef __cplusplus
extern "C" {
#endif
SEEN_SIZE(1) SEEN_SIZE(2) SEEN_SIZE(4) SEEN_SIZE(8) SEEN_SIZE(16)
SEEN_CALL(read_range, 0, size, , size_t size)
SEEN_CALL(write_range, 1, size, , size_t size)
SEEN_BARE void __tsan_init(void) {}
SEEN_BARE void __tsan_func_entry(void *caller) {}
SEEN_BARE void __tsan_func_exit(void *caller) {}
#ifdef __cplusplus
}
#endif
