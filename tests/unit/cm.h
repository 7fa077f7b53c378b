/* cmocka with the headers that it wants before it. */
#ifndef TESTS_CM_H
#define TESTS_CM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* (order matters) */
#include <cmocka.h>

#endif
