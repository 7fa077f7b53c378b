/* Samples of every type, byte order and layout, in memory and in a file, against long double. */
#include "image/samples.h"
#include "tests/unit/support.h"

#include <errno.h>

/* The system reads and writes in pieces, and every other call is interrupted. */
static int calls;
#define IN_PIECES(name, type) \
    LISTEN(ssize_t, name, (int file, type bytes, size_t count, off_t at)) \
    { \
        errno = EINTR; \
        return calls++ % 2 ? __real_##name(file, bytes, rec_smaller(count, 1000), at) : -1; \
    }
IN_PIECES(pread, void *)
IN_PIECES(pwrite, const void *)

enum { W = 4201, H = 2, P = 4, BEFORE = 13, ALL = BEFORE + (W * H * P + 2) * 8 };
#define TYPE(name, ...) name = REC_SAMPLE_##name,
enum { REC_SAMPLE_TYPES(TYPE) TYPES };
static unsigned char bytes[ALL], expected[ALL], mask[W], found[W], infinite[W];
static double doubles[W];
static float floats[W];

/* 64 bits of 2^62 and more, floating point of 2 to 8: as doubles differences are exact. */
static void fill(size_t size, int swapped, test_random *source)
{
    for (size_t i = BEFORE; i + size <= ALL; i += size) {
        const uint64_t bits = random_bits(source) >> 8 | UINT64_C(0x4000000040000000);
        for (size_t k = 0; k < size; k++)
            bytes[i + (swapped ? size - 1 - k : k)] = (unsigned char)(bits >> 8 * k);
    }
}

static long double number(const rec_samples *of, const unsigned char *at)
{
#define MEMBER(name, type, ...) type as_##name;
#define NUMBER(name, ...) case REC_SAMPLE_##name: return (long double)sample.as_##name;
    union { unsigned char bytes[8]; REC_SAMPLE_TYPES(MEMBER) } sample;
    const size_t size = rec_sample_kinds[of->type].bytes;
    for (size_t k = 0; k < size; k++)
        sample.bytes[k] = at[of->swapped ? size - 1 - k : k];
    switch (of->type) { REC_SAMPLE_TYPES(NUMBER) }
    return NAN;
}

#define PLACE(of, row, i) ((of).offset + ((row).x + (i)) * (size_t)(of).across + \
                           (row).y * (size_t)(of).down + (row).plane * (size_t)(of).plane)
#define SAME(a, b) assert_true((a) == (b) || (isnan(a) && isnan(b)))
static void check_reading(const rec_samples *of, rec_stretch row)
{
    const long double level = (long double)row.level.value + (long double)row.level.rest;
    rec_owned_cache cache = {0};
    row.doubles = doubles;
    row.floats = floats;
    row.found = found;
    SUCCEEDS(rec_samples_read(of, &row, &error));
    row = (rec_stretch){row.plane, row.x, row.y, row.count, .found = infinite, .level = {NAN, 0},
                        .cache = &cache};
    SUCCEEDS(rec_samples_read(of, &row, &error));
    for (size_t i = 0; i < row.count; i++) {
        const long double sample = number(of, bytes + PLACE(*of, row, i));
        SAME(doubles[i], (double)(sample - level));
        SAME(floats[i], (float)(sample - level));
        assert_int_equal(found[i], sample == level);
        assert_int_equal(infinite[i], !isfinite(sample));
    }
}

static rec_exact exact_of(const rec_samples *of, size_t plane, size_t x, size_t y)
{
    double value = 0, rest = 0;
    rec_stretch one = {plane, x, y, 1, .doubles = &value};
    SUCCEEDS(rec_samples_read(of, &one, &error));
    one = (rec_stretch){plane, x, y, 1, .doubles = &rest, .level = {value, 0}};
    SUCCEEDS(rec_samples_read(of, &one, &error));
    return (rec_exact){value, rec_sample_kinds[of->type].floating ? 0 : rest};
}

/* Strides, and where the first sample is, in samples. The last has two more between its rows. */
static const ptrdiff_t layouts[][4] = {
    {1, W, W * H, 0}, {P, W * P, 1, 0}, {H, 1, W * H, 0},
    {-1, -W, -W * H, W * H * P - 1}, {P, -W * P - 2, 1, W * P + 2}};

/* From planes 0 and 1 to planes 2 and 3, row 0 as a whole and row 1 by a mask. */
TEST_IN_FOLDER(every_type_order_and_layout_comes_back)
{
    test_random source = {7};
    for (int i = 0; i < TYPES * 20; i++, calls = 0) {
        const int type = i / 20, in_file = i / 2 % 2;
        const ptrdiff_t *at = layouts[i / 4 % 5], step = (ptrdiff_t)rec_sample_kinds[type].bytes;
        const size_t size = (size_t)step, first = BEFORE + (size_t)at[3] * size;
        fill(size, i % 2, &source);
        memcpy(expected, bytes, ALL);
        write_bytes("file", bytes, ALL);
        const rec_samples of = {in_file ? NULL : bytes + first, open("file", O_RDWR), first, W, H,
                                P, at[0] * step, at[1] * step, at[2] * step,
                                (rec_sample_type)type, .swapped = i % 2};
        for (size_t k = 0; k < H * 2; k++) {
            rec_stretch row = {k / H, 3, k % H, W - 5, .doubles = size > 2 ? doubles : NULL,
                               .floats = floats, .mask = k % H ? mask : NULL};
            row.level = exact_of(&of, row.plane, 3, row.y);
            check_reading(&of, row);
            assert_int_equal(found[0], 1);
            for (size_t x = 0; x < row.count; x++) {
                mask[x] = x > 700 && x < W - 700 && random_bits(&source) % 4;
                if (!row.mask || mask[x])
                    memcpy(expected + PLACE(of, row, x) + 2 * of.plane, bytes + PLACE(of, row, x),
                           size);
            }
            row.plane += 2;
            SUCCEEDS(rec_samples_write(&of, &row, &error));
        }
        assert_int_equal(calls > 10 * W, in_file && at == layouts[2]); /* no other row is touched */
        close(of.descriptor);
        owned_text *file = read_bytes("file", NULL);
        assert_memory_equal(in_file ? file : (char *)bytes, expected, ALL);
    }
}

static const struct { /* a value plus a level becomes the sample, which must not be `avoid` */
    int type;
    double value;
    long double level, sample, avoid;
} rows[] = {
    {U8, 2.5, 0, 2, NAN}, {U8, .5, 1, 2, NAN}, {U8, -.5, 3, 2, NAN}, {U8, 1e300, 0, 255, NAN},
    {U8, -9, 3, 0, NAN}, {U8, 6, .75, 7, NAN}, {U8, -.49999999999999994, 1, 1, NAN},
    {U8, 2.9, .1, 3, NAN}, {U8, -0x1p31, 0x1p31 + 1, 1, NAN}, {I8, -0x1p40, 0x1p40 - 1, -1, NAN},
    {I16, NAN, 0, -32768, NAN}, {I64, -.5, 0x1p63L - 1, 0x1p63L - 2, NAN}, {F32, 0, .1, .1f, NAN},
    {I64, 3, 0x1p63L - 1, 0x1p63L - 1, NAN}, {I64, -0x1p64, 0x1p63L - 1, -0x1p63L, NAN},
    {I64, 1, 0x1p53, 0x1p53L + 1, NAN}, {U64, -2, 0x1p64L - 1, 0x1p64L - 3, NAN}, {U8, 7, 0, 8, 7},
    {U64, 0x1p63, 1, 0x1p63L + 1, NAN}, {F32, 0x1p-24, 1, 1, NAN}, {F64, 0x1p-53, 1, 1, NAN},
    {F32, -INFINITY, .1, -INFINITY, NAN}, {F32, 1 + 0x1p-24, 0x1p-60, 1 + 0x1p-23, NAN},
    {F32, 1 + 0x1p-24, -0x1p-60, 1, NAN}, {F32, 0x1p24 + 1, -1, 0x1p24, NAN}, {U8, 1.2, 6, 8, 7},
    {F32, -1 - 0x1p-24, -0x1p-60, -1 - 0x1p-23, NAN}, {F64, NAN, 0, NAN, NAN}, {U8, 6.8, 0, 6, 7},
    {F32, 1 + 0x1p-24 + 0x1p-52, -0x1p-60, 1 + 0x1p-23, NAN}, {U8, 2.5, 0, 3, 2}, {U8, .5, 1, 1, 2},
    {F64, 1 + 0x1p-24, -0x1p-60, 1 + 0x1p-24, NAN}, {U8, 300, 0, 254, 255}, {U8, -.2, 0, 1, 0},
    {U8, 7, 0, 7, 7.5}, {I64, 1, 0x1p63L - 2, 0x1p63L - 2, 0x1p63L - 1},
    {F32, 1, 0, 1 + 0x1p-23, 1}, {F32, 1 - 0x1p-26, 0, 1 - 0x1p-24, 1},
    {F32, -1e30, -FLT_MAX, 0x1p104f - FLT_MAX, -FLT_MAX}, {F64, -0x1p-60, 1, 1 - 0x1p-53, 1},
    {F64, 0, DBL_MAX, DBL_MAX - 0x1p971, DBL_MAX},
};

#define EXACT(n) {(double)(n), (double)((n) - (long double)(double)(n))}
TEST(numbers_are_rounded_once)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rec_samples one = {.data = bytes, .type = (rec_sample_type)rows[i].type};
        const rec_exact avoid = EXACT(rows[i].avoid), level = EXACT(rows[i].level);
        rec_stretch row = {.count = 1, .doubles = doubles, .level = level, .avoid = &avoid};
        doubles[0] = rows[i].value;
        SUCCEEDS(rec_samples_write(&one, &row, &error));
        SAME(number(&one, bytes), rows[i].sample);
        check_reading(&one, row);
        row.level = exact_of(&one, 0, 0, 0);
        SAME((long double)row.level.value + (long double)row.level.rest, rows[i].sample);
    }
}

TEST_IN_FOLDER(what_a_file_lacks_is_told)
{
    write_bytes("file", bytes, 20);
    const rec_samples of = {NULL, open("file", O_RDONLY), 4, 4, 1, 1, 4, 16, 16,
                            .type = REC_SAMPLE_F32};
    rec_stretch row = {.count = 4, .floats = floats};
    SUCCEEDS(rec_samples_read(&of, &row, &error));
    assert_int_equal(truncate("file", 19), 0);
    FAILS(rec_samples_read(&of, &row, &error), REC_IO, "is shorter than it was");
    row.mask = memcpy(mask, "\1\0\1", 4);
    FAILS(rec_samples_write(&of, &row, &error), REC_IO, "cannot be written: Bad file descriptor");
    rec_signal_received = SIGTERM;
    FAILS(rec_samples_read(&of, &row, &error), REC_SIGNALLED, "cannot be read: stopped");
    rec_signal_received = 0;
    close(of.descriptor);
}

TEST(an_image_is_a_view)
{
    owned_image image = random_image(7, 5, 3, -9, 9, 1);
    const rec_samples of = rec_samples_of_image(&image);
    SUCCEEDS(rec_samples_read(&of, &(rec_stretch){2, 1, 3, 6, .floats = floats}, &error));
    assert_memory_equal(floats, rec_image_row(&image, 2, 3) + 1, 6 * sizeof *floats);
}
