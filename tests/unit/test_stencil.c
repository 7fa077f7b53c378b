/* Stencils: the named ones have the weights that they are known by, files are read as libvips
 * writes them, and damaged ones are refused with their line. */
#include "image/stencil.h"
#include "tests/unit/problems.h"

static rec_stencil make(const char *text, size_t radius, int normalise, int flip)
{
    rec_stencil stencil;
    const rec_stencil_options options = {radius, normalise, flip};
    SUCCEEDS(rec_stencil_make(&stencil, text, &options, &error));
    return stencil;
}

static void assert_weights(const rec_stencil *stencil, size_t width, size_t height, double scale,
                           const double *weights)
{
    assert_int_equal(stencil->width, width);
    assert_int_equal(stencil->height, height);
    assert_true(fabs(stencil->scale - scale) <= 1e-12 * scale);
    for (size_t i = 0; i < width * height; i++)
        if (fabs(stencil->weights[i] - weights[i]) > 1e-12)
            fail_msg("%s: weight %zu is %g instead of %g", stencil->name, i, stencil->weights[i],
                     weights[i]);
}

TEST(names_have_their_weights)
{
    const struct {
        const char *name;
        size_t radius;
        double scale, weights[25];
    } cases[] = {
        {"laplace", 0, 1, {0, 1, 0, 1, -4, 1, 0, 1, 0}},
        {"laplace", 1, 1, {0, 1, 0, 1, -4, 1, 0, 1, 0}},
        {"laplace9", 0, 1, {1, 4, 1, 4, -20, 4, 1, 4, 1}},
        {"laplace8", 0, 1, {1, 1, 1, 1, -8, 1, 1, 1, 1}},
        {"sharpen", 0, 1, {0, -1, 0, -1, 5, -1, 0, -1, 0}},
        {"box", 0, 9, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {"binomial", 0, 16, {1, 2, 1, 2, 4, 2, 1, 2, 1}},
        {"binomial", 2, 256, {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6,
                              4, 16, 24, 16, 4, 1, 4, 6, 4, 1}},
        {"sobel-x", 0, 1, {-1, 0, 1, -2, 0, 2, -1, 0, 1}},
        {"sobel-y", 0, 1, {-1, -2, -1, 0, 0, 0, 1, 2, 1}},
        {"sobel-x", 2, 1, {-1, -2, 0, 2, 1, -4, -8, 0, 8, 4, -6, -12, 0, 12, 6,
                           -4, -8, 0, 8, 4, -1, -2, 0, 2, 1}},
        {"course", 0, 1, {0, 0.2, 0.4, 0.1, 0.3, 0.5, 0.2, 0.4, 0.6}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rec_stencil stencil = make(cases[i].name, cases[i].radius, 0, 0);
        const size_t side = 2 * (cases[i].radius ? cases[i].radius : 1) + 1;
        assert_weights(&stencil, side, side, cases[i].scale, cases[i].weights);
        assert_string_equal(stencil.name, cases[i].name);
    }
    const rec_stencil gaussian = make("gaussian:1.5", 0, 0, 0), log = make("log:1", 0, 0, 0);
    const rec_stencil unsharp = make("unsharp:0.8", 2, 0, 0);
    assert_int_equal(gaussian.width, 11);
    assert_true(gaussian.weights[60] == 1 && gaussian.scale == rec_stencil_sum(&gaussian));
    assert_true(fabs(gaussian.weights[59] - exp(-1 / 4.5)) < 1e-15);
    assert_true(fabs(rec_stencil_sum(&log)) < 1e-12 && fabs(log.weights[24] + 0.318) < 0.01);
    assert_true(fabs(rec_stencil_sum(&unsharp) / unsharp.scale - 1) < 1e-14);
    assert_true(make("gaussian:31", 0, 0, 0).width == 63);
    assert_true(fabs(make("binomial", 31, 0, 0).scale - 0x1p62) < 0x1p20);
    for (size_t i = 0; rec_stencil_name_at(i); i++) {
        char text[32];
        snprintf(text, sizeof text, "%s%s", rec_stencil_name_at(i)->name,
                 rec_stencil_name_at(i)->parameter ? ":2" : "");
        make(text, 0, 0, 0);
    }
}

TEST(stencils_are_flipped_and_normalised)
{
    const rec_stencil course = make("course", 0, 1, 1);
    assert_weights(&course, 3, 3, 2.7, (double[]){0.6, 0.4, 0.2, 0.5, 0.3, 0.1, 0.4, 0.2, 0});
}

TEST(factors_are_found_where_there_are_some)
{
    rec_factors factors;
    const rec_operator box = filter_of("binomial", 2), laplace = filter_of("laplace", 0);
    rec_operator ten = {.taps = {.width = 3, .height = 3, .scale = 1,
                                 .weights = {0, 0, 0, 6, -9, 0, -4, 6, 0}}};
    const float *const across = factors.across[0], *const down = factors.down[0];
    rec_operator_factors(&box, &factors);
    assert_true(factors.terms == 1 && across[2] == 6 && down[0] == 1);
    rec_operator_factors(&laplace, &factors);
    assert_int_equal(factors.terms, 2);
    rec_operator_factors(&ten, &factors);
    assert_true(factors.terms == 1 && across[0] == 2 && across[1] == -3 && down[1] == 3 &&
                down[2] == -2 && down[0] == 0);
    memset(ten.taps.weights, 0, sizeof ten.taps.weights);
    rec_operator_factors(&ten, &factors);
    assert_int_equal(factors.terms, 0);
}

/* ---- files ---- */

static const char path[] = "./stencil";

static void write_file(const char *text) { write_bytes(path, text, strlen(text)); }

TEST_IN_FOLDER(files_are_read_as_libvips_writes_them)
{
    const char *const texts[] = {
        "3 1 4 0.5\n1 2 -1\n", "3,1,4,0.5\r\n1,2,-1\r\n", "\"3\"\t\"1\" 4;.5\n 1e0\t2.0,-1 \n\n \n",
        "3 1 4 0.5\n+1 2 -1", "\357\273\2773 1 4 0.5\n1 2 -1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(texts[i]);
        const rec_stencil stencil = make(path, 0, 0, 0);
        assert_weights(&stencil, 3, 1, 4, (double[]){1, 2, -1});
        assert_true(stencil.offset == 0.5);
        assert_string_equal(stencil.name, strrchr(path, '/') + 1);
    }
    write_file("1 1\n7\n");
    const rec_stencil stencil = make(path, 0, 0, 0);
    assert_true(stencil.scale == 1 && stencil.offset == 0 && stencil.weights[0] == 7);
}

static void assert_refused(const char *text, rec_stencil_options options, rec_status expected,
                           const char *why)
{
    rec_stencil stencil;
    FAILS(rec_stencil_make(&stencil, text, &options, &error), expected, why);
}

TEST_IN_FOLDER(damaged_files_are_refused_with_the_line)
{
    const struct {
        const char *text, *why;
    } cases[] = {
        {"", "line 1: the file is empty"},
        {"\n", "line 1: 0 numbers instead of 2"},
        {"3\n1 2 3\n", "line 1: 1 number instead of 2"},
        {"3 1 1 0 9\n1 2 3\n", "line 1: more than 4 numbers"},
        {"2 1\n1 2\n", "line 1: a width of 2; it must be an odd number up to 63"},
        {"1 4\n1\n1\n1\n1\n", "line 1: a height of 4"},
        {"65 1\n", "line 1: a width of 65"},
        {"3 -1\n", "line 1: a height of -1"},
        {"1.5 1\n1\n", "line 1: a width of 1.5"},
        {"1 1 0\n1\n", "line 1: a scale of 0"},
        {"1 1 1e-300\n1\n", "line 1: a scale of 0"},
        {"1 1 nan\n1\n", "line 1: 'nan' is not a number"},
        {"3 3\n1 2 3\n4 5\n6 7 8\n", "line 3: 2 numbers instead of 3"},
        {"3 3\n1 2 3\n4 5 6 7\n7 8 9\n", "line 3: more than 3 numbers"},
        {"3 3\n1 2 3\n4 five 6\n7 8 9\n", "line 3: 'five' is not a number"},
        {"3 3\n1 2 3\n4 5 6\n7 8 1e31\n", "line 4: '1e31' is not a number of at most 1e+30"},
        {"3 3\n1 2 3\n4 5 0x6\n7 8 9\n", "line 3: '0x6' is not"},
        {"3 3\n1 2 3\n4 5 6\n", "line 4: the file ends before row 3 of 3"},
        {"1 1\n1\n\n2\n", "line 4: more rows than the first line says"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(cases[i].text);
        assert_refused(path, (rec_stencil_options){0}, REC_BAD_INPUT, cases[i].why);
    }
    unlink(path);
    assert_refused("/dev/zero", (rec_stencil_options){0}, REC_BAD_INPUT,
                   "/dev/zero, line 1: is longer than 1048576 bytes");
    assert_refused(path, (rec_stencil_options){0}, REC_NO_INPUT, "no file has that name");
    assert_refused("/tmp", (rec_stencil_options){0}, REC_NO_INPUT, "/tmp: is a folder");
    assert_refused("/proc/self/mem", (rec_stencil_options){0}, REC_IO, "cannot be read");
}

TEST(what_a_stencil_does_not_take_is_refused)
{
    const rec_stencil_options plain = {0}, wide = {.radius = 2}, normal = {.normalise = 1};
    assert_refused("laplace", wide, REC_USAGE, "laplace is 3 x 3");
    assert_refused("./box", wide, REC_USAGE, "size of its weights");
    assert_refused("box", (rec_stencil_options){.radius = 32}, REC_USAGE, "at most 31");
    assert_refused("box:3", plain, REC_USAGE, "no parameter");
    assert_refused("gaussian", plain, REC_USAGE, "gaussian:1.5");
    assert_refused("gaussian:", plain, REC_USAGE, "sigma must be");
    assert_refused("log:0", plain, REC_USAGE, "sigma must be");
    assert_refused("log:1x", plain, REC_USAGE, "log:1x");
    assert_refused("unsharp:nan", plain, REC_USAGE, "sigma must be");
    assert_refused("laplace", normal, REC_USAGE, "sum to 0");
    assert_refused("log:1.3", normal, REC_USAGE, "sum to 0");
    assert_refused("sobel-x", normal, REC_USAGE, "sum to 0");
    assert_refused("blur", plain, REC_NO_INPUT, "--stencil list");
}
