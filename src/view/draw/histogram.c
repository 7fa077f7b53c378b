#include <math.h>
#include <stdio.h>

#include "view/draw/draw.h"

/* At a scale of 1. */
#define PADDING 12
#define LABEL_GAP 5
#define BAR 2 /* columns of a bin */
#define WIDTH (REC_LEVEL_BINS * BAR + 2 * PADDING)
#define HEIGHT 140
#define HANDLE 7
#define ROUNDING 1e-6 /* of a level, as a part of the graph */

SDL_Rect rec_histogram_place(const rec_canvas *canvas)
{
    return rec_panel_place(canvas, 0, WIDTH * canvas->scale, HEIGHT * canvas->scale);
}

/* Of the bars, with the line below them. */
static SDL_Rect graph_of(const rec_canvas *canvas)
{
    const SDL_Rect place = rec_histogram_place(canvas);
    const int s = canvas->scale, padding = PADDING * s, line = canvas->line;
    return (SDL_Rect){place.x + padding, place.y + padding + line + LABEL_GAP * s,
                      place.w - 2 * padding,
                      place.h - 2 * padding - 2 * line - 3 * LABEL_GAP * s};
}

double rec_histogram_level(const rec_canvas *canvas, const rec_levels *levels, int x)
{
    const SDL_Rect graph = graph_of(canvas);
    const double along = fmin(fmax((x - graph.x) / (double)graph.w, 0), 1);
    return (double)levels->first + along * ((double)levels->last - (double)levels->first);
}

/* A handle, and its level below the graph. */
static void draw_handle(const rec_canvas *canvas, SDL_Rect graph, const rec_levels *levels,
                        double level, rec_align align)
{
    const int s = canvas->scale, side = HANDLE * s;
    const double along =
        (level - (double)levels->first) / ((double)levels->last - (double)levels->first);
    const int x = graph.x + (int)(fmin(fmax(along, 0), 1) * graph.w + 0.5);
    char label[32];
    snprintf(label, sizeof label, "%.5g", fabs(along) < ROUNDING ? (double)levels->first : level);
    rec_fill(canvas, rec_colors.amber, x - s / 2, graph.y, s, graph.h);
    rec_fill(canvas, rec_colors.amber, x - side / 2, graph.y + graph.h - side / 2, side, side);
    rec_text_draw(canvas, align, align == REC_LEFT ? graph.x : graph.x + graph.w,
                  graph.y + graph.h + 2 * LABEL_GAP * s, rec_colors.amber, label);
}

void rec_histogram_draw(const rec_canvas *canvas, const rec_levels *levels,
                        const rec_limits *limits)
{
    const SDL_Rect place = rec_histogram_place(canvas), graph = graph_of(canvas);
    const int s = canvas->scale, top = place.y + PADDING * s;
    double most = 1;
    char label[32];
    rec_panel_begin(canvas, place);
    rec_text_draw(canvas, REC_LEFT, graph.x, top, rec_colors.bright, "grey levels");
    if (levels->known) {
        snprintf(label, sizeof label, "%.5g to %.5g", (double)levels->survey.low,
                 (double)levels->survey.high);
        rec_text_draw(canvas, REC_RIGHT, graph.x + graph.w, top, rec_colors.dim, label);
        for (int bin = 0; bin < REC_LEVEL_BINS; bin++)
            most = fmax(most, levels->bin[bin]);
        /* Heights are square roots of the counts: rare levels are seen beside frequent ones. */
        for (int bin = 0; bin < REC_LEVEL_BINS; bin++) {
            const int tall = (int)(sqrt(levels->bin[bin] / most) * graph.h + 0.5);
            rec_fill(canvas, rec_colors.dim, graph.x + bin * BAR * s, graph.y + graph.h - tall,
                     BAR * s, tall);
        }
        rec_fill(canvas, rec_colors.tick, graph.x, graph.y + graph.h, graph.w, s);
    }
    if (levels->known && limits) {
        draw_handle(canvas, graph, levels, limits->black, REC_LEFT);
        draw_handle(canvas, graph, levels, limits->white, REC_RIGHT);
    }
    rec_panel_end(canvas);
}
