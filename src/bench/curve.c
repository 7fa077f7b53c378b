/* The curve over widths as a picture: how many pixels a second each rung of the course makes, for
 * every width of the stencil. Plain SVG on a card of its own. */
#include <math.h>
#include <string.h>

#include "bench/results.h"

enum { WIDTH = 960, HEIGHT = 560, LEFT = 78, RIGHT = 800, TOP = 66, BOTTOM = 496, LABEL = 14 };

typedef struct frame {
    const bench_report *report;
    size_t width, height;
    double low_x, high_x, low_y, high_y; /* sides of stencils; log10 of pixels a second */
} frame;

static int belongs(const frame *of, const bench_result *result)
{
    return result->outcome == BENCH_TIMED && result->radius && result->width == of->width &&
           result->height == of->height;
}

static double side_of(const bench_result *result) { return 2 * (double)result->radius + 1; }

static double place_x(const frame *of, double side)
{
    return LEFT + (RIGHT - LEFT) * (side - of->low_x) / fmax(of->high_x - of->low_x, 1);
}

static double place_y(const frame *of, double rate)
{
    return BOTTOM - (BOTTOM - TOP) * (log10(rate) - of->low_y) / (of->high_y - of->low_y);
}

static void scale(frame *of)
{
    of->low_x = of->low_y = INFINITY;
    of->high_x = of->high_y = -INFINITY;
    for (size_t i = 0; i < of->report->count; i++) {
        const bench_result *result = &of->report->results[i];
        if (!belongs(of, result))
            continue;
        of->low_x = fmin(of->low_x, side_of(result));
        of->high_x = fmax(of->high_x, side_of(result));
        of->low_y = fmin(of->low_y, log10(bench_rate(result)) - 0.1);
        of->high_y = fmax(of->high_y, log10(bench_rate(result)) + 0.1);
    }
}

static void draw_frame(FILE *stream, const frame *of)
{
    const bench_machine *machine = &of->report->machine;
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\" aria-label=\"Convolution over widths\" "
            "font-family=\"Helvetica,Arial,sans-serif\" font-size=\"12\" fill=\"#1f2328\">\n"
            "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" "
            "stroke=\"#d1d9e0\"/>\n"
            "<text x=\"%d\" y=\"30\" font-size=\"16\" font-weight=\"600\">Convolution on one %s, "
            "%zu x %zu</text>\n"
            "<text x=\"%d\" y=\"50\">G pixels a second (logarithmic) against the side of the "
            "stencil</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH - 1, HEIGHT - 1, LEFT,
            machine->has_device ? machine->device.name : machine->host, of->width, of->height,
            LEFT);
    for (double power = ceil(of->low_y); power <= of->high_y; power++) {
        const double y = place_y(of, pow(10, power));
        fprintf(stream,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#e6eaef\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, y, RIGHT, y, LEFT - 8, y + 4, pow(10, power - 9));
    }
}

/* The line of one rung, and its name behind the last point; *label_y keeps names apart. */
static void draw_rung(FILE *stream, const frame *of, const bench_rung *rung, double *label_y)
{
    const bench_result *last = NULL;
    const char *const colour = !strcmp(rung->type->group, "shipped") ? "#1a7f37" : "#bc4c00";
    for (size_t i = 0; i < of->report->count; i++) {
        const bench_result *result = &of->report->results[i];
        if (result->rung != rung || !belongs(of, result))
            continue;
        const double x = place_x(of, side_of(result)), y = place_y(of, bench_rate(result));
        if (last)
            fprintf(stream,
                    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                    "stroke-width=\"1.5\"/>\n",
                    place_x(of, side_of(last)), place_y(of, bench_rate(last)), x, y, colour);
        fprintf(stream,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                x, y, colour, x, BOTTOM + 18, side_of(result));
        last = result;
    }
    if (!last)
        return;
    *label_y = fmax(*label_y + LABEL, TOP);
    const double x = place_x(of, side_of(last)), y = place_y(of, bench_rate(last));
    fprintf(stream,
            "<path d=\"M%.1f %.1fL%d %.1f\" stroke=\"#b6bec7\" fill=\"none\"/>"
            "<text x=\"%d\" y=\"%.1f\">%s</text>\n",
            x, y, RIGHT + 28, *label_y - 4, RIGHT + 32, *label_y, rung->name);
}

/* Names stand in the order of the last points, from the fastest down. */
static const bench_rung *next_rung(const frame *of, double below, double *rate)
{
    const bench_rung *found = NULL;
    *rate = 0;
    for (size_t i = 0; i < of->report->count; i++) {
        const bench_result *result = &of->report->results[i];
        if (belongs(of, result) && side_of(result) == of->high_x && bench_rate(result) < below &&
            bench_rate(result) > *rate) {
            *rate = bench_rate(result);
            found = result->rung;
        }
    }
    return found;
}

rec_status bench_write_curve(FILE *stream, const bench_report *report, size_t width, size_t height,
                             rec_error *error)
{
    frame of = {.report = report, .width = width, .height = height};
    double rate = INFINITY, label_y = TOP - LABEL;
    const bench_rung *rung;
    scale(&of);
    if (!(of.high_x > 0))
        return rec_fail(error, REC_NO, "no rung to plot: none was timed");
    draw_frame(stream, &of);
    while ((rung = next_rung(&of, rate, &rate)))
        draw_rung(stream, &of, rung, &label_y);
    fputs("</svg>\n", stream);
    return REC_OK;
}
