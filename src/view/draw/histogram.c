#include "view/draw/histogram.h"

#include <math.h>
#include <stdio.h>

#include "view/draw/theme.h"

/* At a scale of 1. */
#define DISTANCE_TO_EDGE 12
#define PADDING 12
#define LABEL_GAP 5
#define BAR 2 /* columns of a bar */
#define WIDTH 280
#define HEIGHT 140
#define HANDLE 7
#define LEAST_GAP 10 /* between two labels */

SDL_Rect rec_histogram_place(const rec_text *text, rec_size area)
{
    const int s = rec_text_scale(text), margin = DISTANCE_TO_EDGE * s;
    const SDL_Rect place = {margin, (int)area.height - margin - HEIGHT * s, WIDTH * s, HEIGHT * s};
    const int fits = (int)area.width >= place.w + 2 * margin && place.y >= margin;
    return fits ? place : (SDL_Rect){0, 0, 0, 0};
}

/* Of the bars, with the line below them. */
static SDL_Rect graph_of(const rec_text *text, SDL_Rect place)
{
    const int s = rec_text_scale(text), padding = PADDING * s, line = rec_text_height(text);
    return (SDL_Rect){place.x + padding, place.y + padding + line + LABEL_GAP * s,
                      place.w - 2 * padding,
                      place.h - 2 * padding - 2 * line - 3 * LABEL_GAP * s};
}

double rec_histogram_level(const rec_text *text, SDL_Rect place, const rec_levels *levels, int x)
{
    const SDL_Rect graph = graph_of(text, place);
    const double along = fmin(fmax((x - graph.x) / (double)graph.w, 0), 1);
    return (double)levels->first + along * ((double)levels->last - (double)levels->first);
}

int rec_histogram_column(const rec_text *text, SDL_Rect place, const rec_levels *levels,
                         double level)
{
    const SDL_Rect graph = graph_of(text, place);
    const double along =
        (level - (double)levels->first) / ((double)levels->last - (double)levels->first);
    return graph.x + (int)(fmin(fmax(along, 0), 1) * graph.w + 0.5);
}

/* How many samples are in the bins that column `bar` of `bars` covers. */
static double count_in(const rec_levels *levels, int bar, int bars)
{
    const int first = bar * REC_LEVEL_BINS / bars, end = (bar + 1) * REC_LEVEL_BINS / bars;
    double sum = 0;
    for (int bin = first; bin < end || bin == first; bin++)
        sum += levels->bin[bin];
    return sum / (end > first ? end - first : 1);
}

/* By the square root, so that what is rare is seen beside what is frequent. */
static void draw_bars(SDL_Renderer *renderer, const rec_text *text, SDL_Rect graph,
                      const rec_levels *levels)
{
    const int step = BAR * rec_text_scale(text), bars = graph.w / step;
    double most = 1;
    for (int bar = 0; bar < bars; bar++)
        most = fmax(most, count_in(levels, bar, bars));
    for (int bar = 0; bar < bars; bar++) {
        const int tall = (int)(sqrt(count_in(levels, bar, bars) / most) * graph.h + 0.5);
        rec_fill(renderer, rec_colors.done, graph.x + bar * step, graph.y + graph.h - tall, step,
                 tall);
    }
}

static void draw_handle(SDL_Renderer *renderer, rec_text *text, SDL_Rect graph, int x)
{
    const int s = rec_text_scale(text), side = HANDLE * s;
    const SDL_Rect handle = {x - side / 2, graph.y + graph.h - side / 2, side, side + 2 * s};
    rec_fill(renderer, rec_colors.amber, x - s / 2, graph.y, s, graph.h);
    rec_fill_rounded(renderer, rec_colors.amber, handle, s);
}

/* A label below a handle, or at an end, within the graph. */
static int label_at(rec_text *text, SDL_Rect graph, int x, int y, SDL_Color color,
                    const char *label, int draw)
{
    const int wide = rec_text_width(text, label);
    int left = x - wide / 2;
    left = left < graph.x ? graph.x : left;
    left = left + wide > graph.x + graph.w ? graph.x + graph.w - wide : left;
    if (draw)
        rec_text_draw(text, left, y, color, label);
    return left;
}

void rec_histogram_draw(SDL_Renderer *renderer, rec_text *text, SDL_Rect place,
                        const rec_levels *levels, const rec_limits *limits)
{
    const int s = rec_text_scale(text);
    const SDL_Rect graph = graph_of(text, place);
    const rec_panel panel = rec_panel_begin(renderer, text, place);
    const int top = place.y + PADDING * s, below = graph.y + graph.h + 2 * LABEL_GAP * s;
    char label[32];
    rec_text_draw(text, graph.x, top, rec_colors.bright, "grey levels");
    if (!levels->known) {
        rec_panel_end(&panel);
        return;
    }
    snprintf(label, sizeof label, "%.4g to %.4g", (double)levels->low, (double)levels->high);
    rec_write(text, REC_ALIGN_RIGHT, graph.x + graph.w, top, rec_colors.dim, label);
    draw_bars(renderer, text, graph, levels);
    rec_fill(renderer, rec_colors.tick, graph.x, graph.y + graph.h, graph.w, s);
    if (limits) {
        const int black = rec_histogram_column(text, place, levels, limits->black);
        const int white = rec_histogram_column(text, place, levels, limits->white);
        char other[32];
        snprintf(label, sizeof label, "%.4g", limits->black);
        snprintf(other, sizeof other, "%.4g", limits->white);
        draw_handle(renderer, text, graph, black);
        draw_handle(renderer, text, graph, white);
        const int left = label_at(text, graph, black, below, rec_colors.amber, label, 1);
        const int right = label_at(text, graph, white, below, rec_colors.amber, other, 0);
        if (left + rec_text_width(text, label) + LEAST_GAP * s <= right)
            label_at(text, graph, white, below, rec_colors.amber, other, 1);
    }
    rec_panel_end(&panel);
}
