/* What the files of the interface share. */
#pragma once

#include <fenv.h>
#include <sys/types.h>

#include "api/reconstruct.h"
#include "base/text.h"
#include "solver/solver.h"

#define API __attribute__((visibility("default")))

enum { EDGES, START, IMAGES };
enum { ITERATES, EXACT, WAYS };

struct rec_poisson {
    size_t width, height, planes;
    int device;
    pid_t maker; /* CUDA does not work in a child of fork() */
    size_t threads; /* 0: as many as usual */
    int (*watch)(void *user, uint64_t done); /* or NULL */
    void *user;
    rec_problem problem; /* `given` is NULL: nothing is loaded */
    rec_image own[IMAGES], used[IMAGES]; /* copies; these, or the caller's memory on the device */
    rec_mask mask;
    rec_image mass; /* of gradients that are kept */
    rec_solver *solver[WAYS]; /* made when first used */
    int loaded[WAYS]; /* it has the problem */
    int shown;        /* whose picture is read; WAYS: there is none */
    double tolerance; /* that the exact one was made for */
};

extern _Thread_local rec_error rec_api_failure;
#define failure rec_api_failure

/* ---- what belongs to the caller ---- */

typedef struct rec_api_caller {
    locale_t locale;
    int device;
    size_t threads;
    fenv_t arithmetic;
} rec_api_caller;

/* With the usual rounding and no traps, which helper threads inherit. `leave` puts all back. */
rec_api_caller rec_api_enter(const rec_poisson *p);
int rec_api_leave(rec_api_caller before, rec_status status);
/* REC_USAGE for NULL; REC_UNAVAILABLE in a child of fork(). */
rec_status rec_api_check(const rec_poisson *p);

/* A function of the interface: the call, between what is kept for the caller. */
#define ENTRY_CALLS(name, parameters, call)                                                        \
    API int name parameters                                                                        \
    {                                                                                              \
        const rec_api_caller before = rec_api_enter(p);                                            \
        const rec_status status = rec_api_check(p);                                                \
        return rec_api_leave(before, status ? status : call);                                      \
    }
/* ENTRY(name, parameters, arguments) { ... } is one with a body of its own. */
#define ENTRY(name, parameters, arguments)                                                         \
    static rec_status name##_body parameters;                                                      \
    ENTRY_CALLS(name, parameters, name##_body arguments)                                           \
    static rec_status name##_body parameters

/* An image's samples, from an array in ordinary memory or, `out`, into one. */
void rec_api_copy(const rec_array *array, const rec_image *image, int out);
/* *to, of kind 0: the boundary of that name, and its constant. REC_USAGE. */
rec_status rec_api_boundary(const char *name, float value, rec_boundary *to);
/* *full: the array with its strides. */
rec_status rec_api_resolve(const rec_array *array, size_t width, size_t height, rec_array *full);
