/* Draws the sample picture: a castle on its hill above a meadow of flowers, at any size, in grey
 * or in colour, the same bytes from every compiler and machine (castle/brush.h says how).
 *
 * The scene is composed for the unit square, x to the right and y down; a wide picture shows more
 * land on both sides, a tall one more sky and some more meadow. One row of samples is painted at
 * a time, back to front, each shape into its own span; an edge counts by how much of a sample it
 * covers, and a pixel is the mean of several samples, so that no detail falls between them.
 * Left out on purpose: options of the scene, threads, and whatever needs more than one row. */
#include "castle/brush.h"
#include "castle/land.h"
#include "castle/things.h"
#include "castle/walls.h"

#include <errno.h>
#include <string.h>

static _Noreturn void usage(void)
{
    fail(64, "usage: castle WIDTH HEIGHT [--colour] [--maxval 1..65535] > FILE\n"
             "castle: WIDTH and HEIGHT are numbers from 1 to 1000000");
}

static size_t number(const char *text, size_t most)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value < 1 || value > most)
        usage();
    return (size_t)value;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        fail(71, "out of memory");
    return memory;
}

/* What the picture shows, and how finely it is sampled. Beyond 8 : 1 it is a strip of the scene. */
static size_t set_view(size_t width, size_t height)
{
    const double w = (double)width, h = (double)height, unit = fmax(fmin(w, h), fmax(w, h) / 8);
    const double samples = fmin(4, fmax(unit < 3072 ? 2 : 1, whole(1535 / unit) + 1));
    view.px = 1 / (unit * samples);
    view.left = 0.5 - 0.5 * w / unit;
    view.right = 0.5 + 0.5 * w / unit;
    view.bottom = h < unit ? 0.5 + 0.5 * h / unit : 1 + fmin(0.38 * (h / unit - 1), 0.35);
    view.top = view.bottom - h / unit;
    view.columns = width * (size_t)samples;
    view.row = allocate(view.columns, sizeof *view.row);
    for (int k = 0; k < LAYERS; k++) {
        view.tops[k] = allocate(view.columns, sizeof *view.tops[k]);
        for (size_t i = 0; i < view.columns; i++)
            view.tops[k][i] = k == GROUND ? ground_top(x_of(i)) : crest(k, x_of(i));
    }
    return (size_t)samples;
}

static void paint_row(double y, size_t behind)
{
    paint_sky(y);
    for (int k = FAR; k <= NEAR; k++)
        paint_range(k, y);
    paint_things(y, 0, behind);
    paint_castle(y);
    paint_ground(y);
    paint_things(y, behind, things.count);
}

static unsigned char *store(unsigned char *at, double value, size_t maxval)
{
    const double v = clamp(value), toned = lerp(v, v * v * (3 - 2 * v), 0.3);
    const unsigned sample = (unsigned)(toned * (double)maxval + 0.5);
    if (maxval > 255)
        *at++ = (unsigned char)(sample >> 8);
    *at++ = (unsigned char)sample;
    return at;
}

int main(int count, char **arguments)
{
    size_t sides[2], given = 0, maxval = 255;
    int colour = 0;
    for (int k = 1; k < count; k++)
        if (!strcmp(arguments[k], "--colour"))
            colour = 1;
        else if (!strcmp(arguments[k], "--maxval") && k + 1 < count)
            maxval = number(arguments[++k], 65535);
        else if (given++ < 2)
            sides[given - 1] = number(arguments[k], 1000000);
    if (given != 2)
        usage();
    const size_t width = sides[0], height = sides[1], samples = set_view(width, height);
    rgb *sums = allocate(width, sizeof *sums);
    unsigned char *out = allocate(width, 6);
    put_birds();
    put_firs(FAR_FIR, 0.011, 0.075, 800);
    const size_t behind = things.count;
    put_bushes();
    put_firs(NEAR_FIR, 0.020, 0.105, 810);
    put_meadow();
    printf("P%d\n%zu %zu\n%zu\n", colour ? 6 : 5, width, height, maxval);
    for (size_t row = 0; row < height; row++) {
        memset(sums, 0, width * sizeof *sums);
        for (size_t k = row * samples; k < (row + 1) * samples; k++) {
            paint_row(view.top + ((double)k + 0.5) * view.px, behind);
            for (size_t i = 0; i < view.columns; i++)
                sums[i / samples] = add(sums[i / samples], view.row[i]);
        }
        unsigned char *at = out;
        for (size_t x = 0; x < width; x++) {
            const rgb c = scale(sums[x], 1 / (double)(samples * samples));
            at = store(at, colour ? c.r : 0.299 * c.r + 0.587 * c.g + 0.114 * c.b, maxval);
            if (colour)
                at = store(store(at, c.g, maxval), c.b, maxval);
        }
        if (fwrite(out, 1, (size_t)(at - out), stdout) != (size_t)(at - out))
            fail(74, strerror(errno));
    }
    free(sums);
    free(out);
    if (ferror(stdout) || fclose(stdout))
        fail(74, strerror(errno));
    return 0;
}
