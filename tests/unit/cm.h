/* cmocka, and tests that stand in no list: one is run because it is written.
 *
 *     TEST(what_holds)
 *     {
 *         assert_true(...);
 *     }
 *
 * A program runs the tests of its one file in the order of their lines; where none is compiled, it
 * says that this build has none of them. */
#pragma once

/* What most tests use, and what cmocka's header needs before it. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* (order matters) */
#include <cmocka.h>

#define TEST(function) TEST_AS(function, NULL, NULL, NULL)
/* With a set-up and its undoing. */
#define TEST_WITH(function, setup, teardown) TEST_AS(function, setup, teardown, NULL)
/* Once for each of the texts: *state is the text. */
#define TEST_EACH(function, ...) TEST_AS(function, NULL, NULL, __VA_ARGS__, NULL)

#define TEST_AS(function, setup, teardown, ...)                                                    \
    static void function(void **state);                                                            \
    __attribute__((constructor)) static void add_##function(void)                                  \
    {                                                                                              \
        static const char *const texts[] = {__VA_ARGS__};                                          \
        add_test(__LINE__, (struct CMUnitTest){#function, function, setup, teardown, NULL},        \
                 texts);                                                                           \
    }                                                                                              \
    static void function(void **state __attribute__((unused)))

/* Before the body of what a function does instead, by the linker's --wrap (tests.mk's LISTEN);
 * __real_NAME is the function itself. */
#define LISTEN(type, name, parameters)                                                             \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters

/* The same of a function of CUDA that does this, and succeeds. */
#define LISTEN_CUDA(name, parameters, ...)                                                         \
    LISTEN(cudaError_t, name, parameters)                                                          \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return cudaSuccess;                                                                        \
    }

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* RECONSTRUCT_TESTS is this: "small", for tools that make everything a hundred times slower, leaves
 * the large sizes out; "full" runs them all. */
int tests_are(const char *extent);

/* For the macros above; texts ends with NULL, and may hold nothing else. */
void add_test(int line, struct CMUnitTest test, const char *const *texts);

/* What main does where a file has none of its own; returns how many failed. */
int run_all_tests(const char *group);
