/* The roofline as a picture: how fast each rung could be for the bytes that it moves, and how fast
 * it is. Two roofs: the measured copy, and the arithmetic (every float32 lane doing nothing but the
 * update's three instructions, at the measured clock; a
 * convolution has an fma for every two operations). A rung below the first roof wastes
 * bandwidth; the way up and to the right is to move fewer bytes.
 *
 * Plain SVG with its own card behind it, readable on light and dark pages; colours of a dark
 * page where the viewer says so. Left out: rungs whose bytes nobody counted, and of several
 * blocks all but the best one's name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bench/results.h"

enum { WIDTH = 960, HEIGHT = 560, LEFT = 78, RIGHT = 930, TOP = 66, BOTTOM = 496 };
enum { CLUSTER = 40, LABEL_HEIGHT = 15 }; /* pixels */
enum { MOST_POINTS = 256 };

typedef struct point {
    const bench_result *result;
    double intensity, rate; /* operations a byte, operations a second */
    double x, y;            /* in the picture */
    double label_y;
    int named;
} point;

typedef struct plot {
    point points[MOST_POINTS];
    size_t count;
    double copy, peak;      /* bytes a second, operations a second; peak 0: not known */
    double low_x, high_x;   /* log2 of operations a byte */
    double low_y, high_y;   /* log10 of operations a second */
} plot;

/* ---- what is in it ---- */

static int belongs(const bench_result *result, size_t width, size_t height, int device)
{
    return result->outcome == BENCH_TIMED && result->rung->bytes > 0 && result->width == width &&
           result->height == height && result->rung->device == (unsigned)device &&
           result->rung->check != BENCH_COPY && result->rung->check != BENCH_SUM;
}

/* From the left, and in a column from the top. */
static int by_place(const void *a, const void *b)
{
    const point *one = a, *other = b;
    if (one->intensity != other->intensity)
        return one->intensity > other->intensity ? 1 : -1;
    return (one->rate < other->rate) - (one->rate > other->rate);
}

static void collect(plot *made, const bench_report *report, size_t width, size_t height, int device)
{
    const bench_result *best = NULL; /* of the blocks */
    for (size_t i = 0; i < report->count; i++) {
        const bench_result *result = &report->results[i];
        if (!belongs(result, width, height, device) ||
            made->count == MOST_POINTS)
            continue;
        if (result->rung->sweeps && (!best || result->median < best->median))
            best = result;
        made->points[made->count++] = (point){.result = result,
                                              .intensity = bench_operations(result) /
                                                           result->rung->bytes,
                                              .rate = bench_rate(result) *
                                                      bench_operations(result)};
    }
    for (size_t i = 0; i < made->count; i++)
        made->points[i].named = !made->points[i].result->rung->sweeps ||
                                made->points[i].result == best;
    qsort(made->points, made->count, sizeof *made->points, by_place);
}

static double place_x(const plot *of, double intensity)
{
    return LEFT + (RIGHT - LEFT) * (log2(intensity) - of->low_x) / (of->high_x - of->low_x);
}

static double place_y(const plot *of, double rate)
{
    return BOTTOM - (BOTTOM - TOP) * (log10(rate) - of->low_y) / (of->high_y - of->low_y);
}

static void scale(plot *of)
{
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (size_t i = 0; i < of->count; i++) {
        low_x = fmin(low_x, log2(of->points[i].intensity));
        high_x = fmax(high_x, log2(of->points[i].intensity));
        low_y = fmin(low_y, log10(of->points[i].rate));
        high_y = fmax(high_y, log10(of->points[i].rate));
    }
    if (of->peak > 0) { /* the ridge, and a little of the flat roof */
        high_x = fmax(high_x, log2(of->peak / of->copy));
        high_y = fmax(high_y, log10(of->peak));
    }
    of->low_x = low_x - 1.1;
    of->high_x = high_x + 0.6;
    if (!(of->peak > 0)) /* the slope alone, to its end */
        high_y = fmax(high_y, log10(of->copy * exp2(of->high_x)));
    of->low_y = low_y - 0.25;
    of->high_y = high_y + 0.2;
    for (size_t i = 0; i < of->count; i++) {
        of->points[i].x = place_x(of, of->points[i].intensity);
        of->points[i].y = place_y(of, of->points[i].rate);
    }
}

/* ---- drawing ---- */

static const char style[] =
    "<style>\n"
    "text{font-family:-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    ".label{stroke:#ffffff;stroke-width:3;paint-order:stroke}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".card{fill:#0d1117;stroke:#30363d}.text{fill:#e6edf3}.soft{fill:#9198a1}\n"
    ".label{fill:#e6edf3;stroke:#0d1117}\n"
    ".grid{stroke:#21262d}.roof{stroke:#4493f8}.roofname{fill:#4493f8}\n"
    ".leader{stroke:#6e7681}.rung{fill:#db6d28}.shipped{fill:#3fb950}}\n"
    "</style>\n";

static void draw_frame(FILE *stream, const plot *of, const bench_report *report, size_t width,
                       size_t height, int device)
{
    const bench_machine *machine = &report->machine;
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\" aria-label=\"Roofline of the ladder\">\n%s"
            "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\" "
            "fill=\"#ffffff\" stroke=\"#d1d9e0\"/>\n"
            "<text class=\"text\" x=\"%d\" y=\"30\" font-size=\"16\" font-weight=\"600\" "
            "fill=\"#1f2328\">The ladder on one %s, %zu x %zu</text>\n"
            "<text class=\"soft\" x=\"%d\" y=\"50\" font-size=\"12\" fill=\"#59636e\">GFLOP a "
            "second against FLOP a byte that the kernel moves; both axes logarithmic</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, style, WIDTH - 1, HEIGHT - 1, LEFT,
            device ? machine->device.name : machine->host, width, height, LEFT);
    for (double power = ceil(of->low_x); power <= of->high_x; power++) {
        const double x = place_x(of, exp2(power));
        char name[32];
        snprintf(name, sizeof name, power < 0 ? "1/%g" : "%g", exp2(fabs(power)));
        fprintf(stream,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" "
                "stroke=\"#e6eaef\"/><text class=\"soft\" x=\"%.1f\" y=\"%d\" font-size=\"12\" "
                "fill=\"#59636e\" text-anchor=\"middle\">%s</text>\n",
                x, TOP, x, BOTTOM, x, BOTTOM + 18, name);
    }
    for (double power = ceil(of->low_y); power <= of->high_y; power++) {
        const double y = place_y(of, pow(10, power));
        fprintf(stream,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" "
                "stroke=\"#e6eaef\"/><text class=\"soft\" x=\"%d\" y=\"%.1f\" font-size=\"12\" "
                "fill=\"#59636e\" text-anchor=\"end\">%g</text>\n",
                LEFT, y, RIGHT, y, LEFT - 8, y + 4, pow(10, power - 9));
    }
    fprintf(stream,
            "<text class=\"soft\" x=\"%d\" y=\"%d\" font-size=\"12\" fill=\"#59636e\" "
            "text-anchor=\"middle\">FLOP a byte</text>\n"
            "<text class=\"soft\" transform=\"translate(22 %d) rotate(-90)\" font-size=\"12\" "
            "fill=\"#59636e\" text-anchor=\"middle\">GFLOP a second</text>\n",
            (LEFT + RIGHT) / 2, BOTTOM + 42, (TOP + BOTTOM) / 2);
}

static void draw_roofs(FILE *stream, const plot *of)
{
    /* From the left edge, or from where the slope rises above the bottom. */
    const double first = fmax(exp2(of->low_x), pow(10, of->low_y) / of->copy);
    double last = fmin(exp2(of->high_x), pow(10, of->high_y) / of->copy);
    if (of->peak > 0)
        last = fmin(last, of->peak / of->copy);
    fprintf(stream, "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1f", place_x(of, first),
            place_y(of, first * of->copy), place_x(of, last), place_y(of, last * of->copy));
    if (of->peak > 0)
        fprintf(stream, "H%d", RIGHT);
    fputs("\" fill=\"none\" stroke=\"#0969da\" stroke-width=\"2\"/>\n", stream);
    char copy[32]; /* the slope's name runs along its upper half */
    const double dx = place_x(of, last) - place_x(of, first);
    const double dy = place_y(of, last * of->copy) - place_y(of, first * of->copy);
    fprintf(stream,
            "<text class=\"roofname\" transform=\"translate(%.1f %.1f) rotate(%.1f)\" "
            "font-size=\"12\" fill=\"#0969da\" text-anchor=\"middle\">a copy: %s/s</text>\n",
            place_x(of, first) + 0.72 * dx - 4, place_y(of, first * of->copy) + 0.72 * dy - 7,
            atan2(dy, dx) * 45 / atan(1), rec_format_bytes(copy, of->copy));
    if (of->peak > 0)
        fprintf(stream,
                "<text class=\"roofname\" x=\"%d\" y=\"%.1f\" font-size=\"12\" fill=\"#0969da\" "
                "text-anchor=\"end\">arithmetic: %.0f</text>\n",
                RIGHT - 4, place_y(of, of->peak) - 7, of->peak * 1e-9);
}

static void draw_label(FILE *stream, double x, double y, const char *anchor, const char *text)
{
    fprintf(stream,
            "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" font-size=\"12\" fill=\"#1f2328\" "
            "text-anchor=\"%s\">%s</text>\n",
            x, y, anchor, text);
}

/* Labels of points that stand close together in x, first..end-1 of the order by place, get a column
 * of their own beside them: each near its point, none on another. */
static void draw_cluster(FILE *stream, plot *of, size_t first, size_t end, int to_left)
{
    point *column[MOST_POINTS];
    size_t count = 0;
    double edge = of->points[first].x;
    for (size_t i = first; i < end; i++) {
        edge = to_left ? fmin(edge, of->points[i].x) : fmax(edge, of->points[i].x);
        if (of->points[i].named)
            column[count++] = &of->points[i];
    }
    for (size_t i = 1; i < count; i++) /* from the top down; few */
        for (size_t j = i; j > 0 && column[j]->y < column[j - 1]->y; j--) {
            point *swapped = column[j];
            column[j] = column[j - 1];
            column[j - 1] = swapped;
        }
    /* Pushed down where too close, then all pushed up again where the last one left the picture,
     * and so on: half of every overlap to either side. */
    for (size_t i = 0; i < count; i++)
        column[i]->label_y = column[i]->y;
    for (int pass = 0; pass < 200; pass++)
        for (size_t i = 1; i < count; i++) {
            const double over = LABEL_HEIGHT - (column[i]->label_y - column[i - 1]->label_y);
            if (over > 0) {
                column[i - 1]->label_y -= over / 2;
                column[i]->label_y += over / 2;
            }
        }
    if (count == 1) { /* alone: below, where the roof is not */
        draw_label(stream, column[0]->x + 6, column[0]->y + 15, "start", column[0]->result->label);
        return;
    }
    const double side = to_left ? -1 : 1, x = edge + side * 22;
    for (size_t i = 0; i < count; i++) {
        fprintf(stream,
                "<path class=\"leader\" d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#b6bec7\" "
                "fill=\"none\"/>\n",
                column[i]->x, column[i]->y, x - side * 3, column[i]->label_y);
        draw_label(stream, x, column[i]->label_y + 4, to_left ? "end" : "start",
                   column[i]->result->label);
    }
}

static int is_shipped(const point *at)
{
    return !strcmp(at->result->rung->type->group, "shipped");
}

static void draw_points(FILE *stream, plot *of)
{
    for (size_t first = 0, end; first < of->count; first = end) {
        end = first + 1;
        while (end < of->count && of->points[end].x - of->points[end - 1].x < CLUSTER)
            end++;
        draw_cluster(stream, of, first, end, first == 0 && end < of->count);
    }
    for (int shipped = 0; shipped < 2; shipped++) /* these on top */
        for (size_t i = 0; i < of->count; i++)
            if (is_shipped(&of->points[i]) == shipped)
                fprintf(stream,
                        "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"/>\n",
                        shipped ? "shipped" : "rung", of->points[i].x, of->points[i].y,
                        of->points[i].named ? "4.5" : "2.5", shipped ? "#1a7f37" : "#bc4c00");
}

rec_status bench_write_svg(FILE *stream, const bench_report *report, size_t width, size_t height,
                           rec_error *error)
{
    plot *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for the plot");
    int device = 1;
    collect(made, report, width, height, device);
    if (!made->count)
        collect(made, report, width, height, device = 0);
    if (!made->count) {
        free(made);
        return rec_fail(error, REC_NO, "no rung to plot: none that counts its bytes was timed");
    }
    made->copy = device ? report->machine.device.copy_rate : report->machine.host_copy;
    /* An update is five operations in three instructions; an fma of a convolution is two in one. */
    made->peak = device ? report->machine.peak * (made->points[0].result->radius ? 6 : 5) : 0;
    scale(made);
    draw_frame(stream, made, report, width, height, device);
    draw_roofs(stream, made);
    draw_points(stream, made);
    fputs("</svg>\n", stream);
    free(made);
    return REC_OK;
}
