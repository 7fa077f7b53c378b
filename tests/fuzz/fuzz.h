/* What the fuzz targets share. A target is LLVMFuzzerTestOneInput of libFuzzer: `make fuzz` feeds
 * it with inputs of all kinds, the tests with those of tests/fuzz/corpus (replay.c). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file in memory that has these bytes: valid until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* What must hold for any input. */
#define FUZZ_REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort(); \
        } \
    } while (0)
