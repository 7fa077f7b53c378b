/* The charts of a ladder. The roofline: how fast each rung could be for the bytes that it moves,
 * and how fast it is. Two roofs: the measured copy, and the arithmetic (every float32 lane doing
 * nothing but the update's three instructions, at the measured clock; a convolution has an fma for
 * every two operations). A rung below the first roof wastes bandwidth; the way up and to the right
 * is to move fewer bytes. And the curve: how many pixels a second the course's rungs make for every
 * width of the stencil.
 *
 * Plain SVG with its own card behind it, readable on light and dark pages. Left out of the
 * roofline: rungs whose bytes nobody counted, and of several blocks all but the best. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bench/rung.h"

enum { WIDTH = 960, HEIGHT = 560, LEFT = 78, RIGHT = 930, TOP = 66, BOTTOM = 496 };
enum { NAME_WIDTH = 80, NAME_HEIGHT = 15 }; /* pixels */
enum { MOST_POINTS = 256 };

typedef struct point {
    const bench_result *result;
    double across, up; /* on the axes */
    double name_y;     /* in the picture; 0: it has no name */
} point;

typedef struct bench_chart {
    FILE *stream;
    point points[MOST_POINTS]; /* in the order of the results */
    size_t count;
    /* The ends of the axes. Up: log10 of operations a second, of the curve pixels a second. Across:
     * log2 of operations a byte, of the curve the side of the stencil. */
    double low_x, high_x, low_y, high_y;
    double copy, peak; /* the roofs: bytes a second, operations a second; peak 0: not known */
} bench_chart;

/* ---- what the chart shows ---- */

/* Once the axes have their ends. */
static double place_x(const bench_chart *chart, double across)
{
    return LEFT + (RIGHT - LEFT) * (across - chart->low_x) / (chart->high_x - chart->low_x);
}

static double place_y(const bench_chart *chart, double up)
{
    return BOTTOM - (BOTTOM - TOP) * (up - chart->low_y) / (chart->high_y - chart->low_y);
}

/* The axes begin and end at the outermost points. */
static void add_point(bench_chart *chart, const bench_result *result, double across, double up)
{
    if (chart->count == MOST_POINTS)
        return;
    chart->low_x = fmin(chart->low_x, across);
    chart->high_x = fmax(chart->high_x, across);
    chart->low_y = fmin(chart->low_y, up);
    chart->high_y = fmax(chart->high_y, up);
    chart->points[chart->count++] = (point){.result = result, .across = across, .up = up};
}

static int is_of(const bench_result *result, bench_size size)
{
    return result->outcome == BENCH_TIMED && result->width == size.width &&
           result->height == size.height;
}

/* Of the blocks that its rung has tried at this size. */
static int is_best(const bench_report *report, const bench_result *result, bench_size size)
{
    int best = 1;
    for (size_t i = 0; i < report->count; i++)
        best &= report->results[i].rung != result->rung || !is_of(&report->results[i], size) ||
                report->results[i].median >= result->median;
    return best;
}

/* The curve shows all rungs; the roofline shows the rungs of one side, device or host. */
static void collect_points(bench_chart *made, const bench_report *report, bench_size size,
                           int curve, int device)
{
    for (size_t i = 0; i < report->count; i++) {
        const bench_result *result = &report->results[i];
        const bench_rung *rung = result->rung;
        const double operations = bench_operations(result), rate = bench_rate(result);
        if (!is_of(result, size))
            continue;
        if (curve)
            add_point(made, result, 2 * (double)result->radius + 1, log10(rate));
        else if (rung->bytes > 0 && rung->device == (unsigned)device &&
                 rung->check != BENCH_COPY && rung->check != BENCH_SUM &&
                 is_best(report, result, size))
            add_point(made, result, log2(operations / rung->bytes), log10(rate * operations));
    }
}

/* ---- drawing ---- */

static const char style[] =
    "<style>\n"
    "svg{font:12px -apple-system,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    ".card{fill:#ffffff;stroke:#d1d9e0}.soft{fill:#59636e}\n"
    ".title{fill:#1f2328;font-size:16px;font-weight:600}\n"
    ".name{fill:#1f2328}\n"
    ".grid{stroke:#e6eaef}.roof{stroke:#0969da;stroke-width:2;fill:none}.roofname{fill:#0969da}\n"
    ".leader{stroke:#b6bec7}.rung{fill:#bc4c00}.shipped{fill:#1a7f37}\n"
    "line.rung{stroke:#bc4c00;stroke-width:1.5}line.shipped{stroke:#1a7f37;stroke-width:1.5}\n"
    "</style>\n";

/* turn: in degrees, about the anchor. */
__attribute__((format(printf, 7, 8))) static void draw_text(const bench_chart *chart,
                                                            const char *class, const char *anchor,
                                                            double x, double y, double turn,
                                                            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(chart->stream, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", class, x,
            y, anchor);
    if (turn)
        fprintf(chart->stream, " transform=\"rotate(%.1f %.1f %.1f)\"", turn, x, y);
    fputc('>', chart->stream);
    vfprintf(chart->stream, format, arguments);
    fputs("</text>\n", chart->stream);
    va_end(arguments);
}

static void draw_line(const bench_chart *chart, const char *class, double x1, double y1, double x2,
                      double y2)
{
    fprintf(chart->stream, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            class, x1, y1, x2, y2);
}

/* The card with its title, and the axis of the rates. */
static void open_card(const bench_chart *chart, const char *title, const char *machine,
                      const char *axes)
{
    const bench_result *any = chart->points->result;
    fprintf(chart->stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\" aria-label=\"%s\">\n%s"
            "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, title, style, WIDTH - 1, HEIGHT - 1);
    draw_text(chart, "title", "start", LEFT, 30, 0, "%s on one %s, %zu x %zu", title, machine,
              any->width, any->height);
    draw_text(chart, "soft", "start", LEFT, 50, 0, "%s", axes);
    for (double power = ceil(chart->low_y); power <= chart->high_y; power++) {
        const double y = place_y(chart, power);
        draw_line(chart, "grid", LEFT, y, RIGHT, y);
        draw_text(chart, "soft", "end", LEFT - 8, y + 4, 0, "%g", pow(10, power - 9));
    }
}

static void draw_column(const bench_chart *chart, double across, const char *name)
{
    const double x = place_x(chart, across);
    draw_line(chart, "grid", x, TOP, x, BOTTOM);
    draw_text(chart, "soft", "middle", x, BOTTOM + 18, 0, "%s", name);
}

static const char *class_of(const point *at)
{
    return strcmp(at->result->rung->type->group, "shipped") ? "rung" : "shipped";
}

static int by_height(const void *a, const void *b)
{
    const point *one = a, *other = b;
    return (one->up < other->up) - (one->up > other->up);
}

/* A name stands beside its point, or below the names that are there already; a line leads to it. */
static void draw_points(bench_chart *chart)
{
    qsort(chart->points, chart->count, sizeof *chart->points, by_height);
    for (point *at = chart->points; at < chart->points + chart->count; at++) {
        if (!at->name_y)
            continue;
        const double x = place_x(chart, at->across);
        for (const point *other = chart->points; other < at; other++)
            if (fabs(place_x(chart, other->across) - x) < NAME_WIDTH)
                at->name_y = fmax(at->name_y, other->name_y + NAME_HEIGHT);
        draw_line(chart, "leader", x, place_y(chart, at->up), x + 14, at->name_y);
        draw_text(chart, "name", "start", x + 16, at->name_y + 4, 0, "%s",
                  at->result->radius ? at->result->rung->name : at->result->label);
    }
    for (const point *at = chart->points; at < chart->points + chart->count; at++)
        fprintf(chart->stream, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
                class_of(at), place_x(chart, at->across), place_y(chart, at->up));
}

/* ---- the roofline ---- */

/* log10 of the operations a second that the roofs allow. */
static double roof_at(const bench_chart *chart, double across)
{
    const double slope = log10(chart->copy) + across * log10(2);
    return chart->peak > 0 ? fmin(slope, log10(chart->peak)) : slope;
}

/* Where the slope ends. */
static double ridge_of(const bench_chart *chart)
{
    return chart->peak > 0 ? log2(chart->peak / chart->copy) : chart->high_x;
}

static void place_roofs(bench_chart *chart)
{
    chart->low_x -= 1.1;
    chart->high_x = fmax(chart->high_x, ridge_of(chart)) + 0.6;
    chart->low_y = fmin(chart->low_y, roof_at(chart, chart->low_x)) - 0.25;
    chart->high_y = fmax(chart->high_y, roof_at(chart, chart->high_x)) + 0.2;
}

static void draw_roofs(const bench_chart *chart)
{
    const double ridge = ridge_of(chart), top = place_y(chart, roof_at(chart, ridge));
    const double y = place_y(chart, roof_at(chart, chart->low_x));
    const double dx = place_x(chart, ridge) - LEFT, dy = top - y;
    char rate[32];
    fprintf(chart->stream, "<path class=\"roof\" d=\"M%d %.1fl%.1f %.1fH%d\"/>\n", LEFT, y, dx, dy,
            RIGHT);
    /* the slope's name runs along its upper half */
    draw_text(chart, "roofname", "middle", LEFT + 0.72 * dx - 4, y + 0.72 * dy - 7,
              atan2(dy, dx) * 45 / atan(1), "a copy: %s/s", rec_format_bytes(rate, chart->copy));
    if (chart->peak > 0)
        draw_text(chart, "roofname", "end", RIGHT - 4, top - 7, 0, "arithmetic: %.0f",
                  chart->peak * 1e-9);
}

static void draw_roofline(bench_chart *chart, const char *machine)
{
    place_roofs(chart);
    open_card(chart, "The ladder", machine,
              "GFLOP a second against FLOP a byte that the kernel moves; both axes logarithmic");
    for (double power = ceil(chart->low_x); power <= chart->high_x; power++) {
        char name[32];
        snprintf(name, sizeof name, power < 0 ? "1/%g" : "%g", exp2(fabs(power)));
        draw_column(chart, power, name);
    }
    draw_text(chart, "soft", "middle", (LEFT + RIGHT) / 2, BOTTOM + 42, 0, "FLOP a byte");
    draw_text(chart, "soft", "middle", 22, (TOP + BOTTOM) / 2, -90, "GFLOP a second");
    draw_roofs(chart);
    for (size_t i = 0; i < chart->count; i++)
        chart->points[i].name_y = place_y(chart, chart->points[i].up);
}

/* ---- the curve ---- */

/* A line for each rung from width to width, its name behind the last point. */
static void draw_curve(bench_chart *chart, const char *machine)
{
    chart->high_x += 0.2 * fmax(chart->high_x - chart->low_x, 1); /* for the names */
    chart->low_y -= 0.1;
    chart->high_y += 0.1;
    open_card(chart, "Convolution", machine,
              "G pixels a second (logarithmic) against the side of the stencil");
    for (size_t i = 0; i < chart->count; i++) {
        point *at = &chart->points[i];
        size_t next = i + 1;
        while (next < chart->count && chart->points[next].result->rung != at->result->rung)
            next++;
        if (!i || at->across > at[-1].across) {
            char side[32];
            snprintf(side, sizeof side, "%g", at->across);
            draw_column(chart, at->across, side);
        }
        if (next < chart->count)
            draw_line(chart, class_of(at), place_x(chart, at->across), place_y(chart, at->up),
                      place_x(chart, chart->points[next].across),
                      place_y(chart, chart->points[next].up));
        else
            at->name_y = place_y(chart, at->up);
    }
}

rec_status bench_write_svg(FILE *stream, const bench_report *report, bench_size size, int curve,
                           rec_error *error)
{
    const bench_machine *machine = &report->machine;
    bench_chart *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for the chart");
    int device = machine->has_device;
    *made = (bench_chart){.stream = stream,
                          .low_x = INFINITY,
                          .high_x = -INFINITY,
                          .low_y = INFINITY,
                          .high_y = -INFINITY};
    collect_points(made, report, size, curve, device);
    if (!made->count && device && !curve)
        collect_points(made, report, size, 0, device = 0);
    if (!made->count) {
        free(made);
        return rec_fail(error, REC_NO, "no rung to plot: none that counts its bytes was timed");
    }
    made->copy = device ? machine->device.copy_rate : machine->host_copy;
    /* An update is five operations in three instructions; an fma of a convolution is two in one. */
    made->peak = device ? machine->peak * (made->points[0].result->radius ? 6 : 5) : 0;
    (curve ? draw_curve : draw_roofline)(made, device ? machine->device.name : machine->host);
    draw_points(made);
    fputs("</svg>\n", stream);
    free(made);
    return REC_OK;
}
