#include <math.h>

#include "view/draw/draw.h"

/* In pixels at a scale of 1. */
#define PADDING 9
#define LABEL_GAP 5     /* between the graph and its labels */
#define COLUMN_GAP 8    /* between two labels */
#define HEADER_GAP 7    /* below the legend */
#define SWATCH 12       /* length of a piece of curve in the legend */
#define LEGEND_GAP 14   /* between two words of the legend */
#define MARKER 5

/* Sizes: a share of the area, within limits. */
#define SHARE_ACROSS 0.42
#define SHARE_DOWN 0.30
#define LEAST_WIDTH 240
#define MOST_WIDTH 340
#define LEAST_HEIGHT 132
#define MOST_HEIGHT 220

typedef struct curve {
    const rec_series *series;
    const char *name; /* NULL: it is not in the legend, and no value of it is the newest */
    SDL_Color color;
} curve;

enum { AHEAD, CHANGE, DISTANCE, CURVES }; /* the first one lies below */

/* What is drawn with, and where. */
typedef struct plot {
    const rec_canvas *canvas;
    SDL_Rect graph; /* output pixels, with the lines of both axes */
    rec_decades x, y;
    int has_zeros;  /* the graph's bottom is 0, y.from is above it */
} plot;

/* ---- the axes ---- */

/* Their decades, around 1 where all is 0; 0 where there is no point. */
static int cover(plot *p, const curve *curves)
{
    double first = INFINITY, last = 0, least = INFINITY, most = 0;
    for (int c = 0; c < CURVES; c++)
        for (size_t i = 0; i < curves[c].series->count; i++) {
            const rec_history_point *point = &curves[c].series->point[i];
            first = fmin(first, (double)point->iteration);
            last = fmax(last, (double)point->iteration);
            p->has_zeros |= point->value == 0;
            least = point->value > 0 ? fmin(least, point->value) : least;
            most = fmax(most, point->value);
        }
    if (!last)
        return 0;
    p->x = rec_decades_cover(first, last);
    p->y = most > 0 ? rec_decades_cover(least, most) : rec_decades_cover(0.1, 1);
    return 1;
}

static int pixel(double place) { return (int)floor(place + 0.5); }

static void draw_level(const plot *p, int y, const char *label)
{
    const int s = p->canvas->scale;
    rec_fill(p->canvas, rec_colors.grid, p->graph.x, y, p->graph.w, s);
    rec_text_draw(p->canvas, REC_RIGHT, p->graph.x - LABEL_GAP * s, y - p->canvas->line / 2,
                  rec_colors.dim, label);
}

/* Decades with a label have a line through the graph. */
static void draw_axes(const plot *p)
{
    const SDL_Rect *g = &p->graph;
    const int s = p->canvas->scale, line = p->canvas->line, bottom = g->y + g->h;
    const int room = rec_text_width(p->canvas, "100M") + COLUMN_GAP * s;
    const int across = rec_decades_step(&p->x, room), down = rec_decades_step(&p->y, line);
    char label[16];
    for (int decade = (int)p->x.low; decade <= p->x.high; decade++) {
        const int x = pixel(rec_decades_place(&p->x, pow(10, decade)));
        if (decade % across)
            continue;
        rec_fill(p->canvas, rec_colors.grid, x, g->y, s, g->h);
        rec_text_draw(p->canvas, REC_MIDDLE, x + s, bottom + line / 2, rec_colors.dim,
                      rec_decades_write(label, decade));
    }
    for (int decade = (int)p->y.low; decade <= p->y.high; decade++)
        if (decade % down == 0)
            draw_level(p, pixel(rec_decades_place(&p->y, pow(10, decade))),
                       rec_decades_write(label, decade));
    if (p->has_zeros)
        draw_level(p, bottom - s, "0");
    rec_text_draw(p->canvas, REC_MIDDLE, g->x + g->w / 2, bottom + line / 2 + line, rec_colors.dim,
                  "iterations");
    rec_fill(p->canvas, rec_colors.tick, g->x, g->y, s, g->h);
    rec_fill(p->canvas, rec_colors.tick, g->x, bottom - s, g->w, s);
}

/* ---- the curves ---- */

/* Between zero and a positive value there is no line: on this axis it would have no end. A dot is
 * on the newest value. */
static void draw_curve(const plot *p, const curve *c)
{
    const int s = p->canvas->scale, side = MARKER * s;
    SDL_Point from, to = {0, 0};
    sdl.SetRenderDrawColor(p->canvas->renderer, c->color.r, c->color.g, c->color.b, c->color.a);
    for (size_t i = 0; i < c->series->count; i++) {
        const rec_history_point *point = &c->series->point[i];
        const int is_joined = i && (point[-1].value > 0) == (point->value > 0);
        const double y = point->value > 0 ? rec_decades_place(&p->y, point->value)
                                          : p->graph.y + p->graph.h - s;
        from = to;
        to.x = pixel(rec_decades_place(&p->x, (double)point->iteration));
        to.y = pixel(y);
        for (int row = 0; row < s && is_joined; row++)
            sdl.RenderDrawLine(p->canvas->renderer, from.x, from.y + row, to.x, to.y + row);
    }
    if (c->series->count && c->name)
        rec_fill(p->canvas, c->color, to.x - side / 2 + s / 2, to.y - side / 2 + s / 2, side, side);
}

/* ---- all of it ---- */

static void draw_legend(const plot *p, const curve *curves, SDL_Rect place)
{
    const int s = p->canvas->scale, middle = p->canvas->line / 2;
    const int y = place.y + PADDING * s;
    int x = place.x + PADDING * s;
    for (int c = AHEAD + 1; c < CURVES; c++) {
        rec_fill(p->canvas, curves[c].color, x, y + middle, SWATCH * s, s);
        x += (SWATCH + LABEL_GAP) * s;
        rec_text_draw(p->canvas, REC_LEFT, x, y, rec_colors.bright, curves[c].name);
        x += rec_text_width(p->canvas, curves[c].name) + LEGEND_GAP * s;
    }
    const char *const unit = "grey levels";
    const int right = place.x + place.w - PADDING * s;
    if (x + rec_text_width(p->canvas, unit) <= right)
        rec_text_draw(p->canvas, REC_RIGHT, right, y, rec_colors.dim, unit);
}

SDL_Rect rec_plot_place(const rec_canvas *canvas, int large)
{
    const int s = canvas->scale, margin = REC_MARGIN * s;
    const SDL_Rect whole = {margin, margin, canvas->width - 2 * margin, canvas->rows - 2 * margin};
    const int across = (int)(canvas->width * SHARE_ACROSS), down = (int)(canvas->rows * SHARE_DOWN);
    return large && whole.w >= LEAST_WIDTH * s && whole.h >= LEAST_HEIGHT * s
               ? whole
               : rec_panel_place(canvas, 1, SDL_clamp(across, LEAST_WIDTH * s, MOST_WIDTH * s),
                                 SDL_clamp(down, LEAST_HEIGHT * s, MOST_HEIGHT * s));
}

void rec_plot_draw(const rec_history *history, const rec_canvas *canvas, SDL_Rect place)
{
    const int s = canvas->scale, line = canvas->line, padding = PADDING * s;
    plot p = {.canvas = canvas};
    const curve curves[CURVES] = {{&history->ahead, NULL, rec_colors.ahead},
                                  {&history->change, "change", rec_colors.amber},
                                  {&history->distance,
                                   history->measured ? "distance" : "distance, at most",
                                   rec_colors.distance}};
    rec_panel_begin(canvas, place);
    draw_legend(&p, curves, place);
    if (!cover(&p, curves)) {
        rec_text_draw(canvas, REC_MIDDLE, place.x + place.w / 2,
                      place.y + (place.h - canvas->line) / 2, rec_colors.dim, "no points yet");
    } else {
        p.graph.x = place.x + padding + rec_text_width(canvas, "1e-100") + LABEL_GAP * s;
        p.graph.y = place.y + padding + line + HEADER_GAP * s;
        p.graph.w = place.x + place.w - 2 * padding - p.graph.x;
        p.graph.h = place.y + place.h - padding - 2 * line - line / 2 - p.graph.y;
        p.x.from = p.graph.x;
        p.x.to = p.graph.x + p.graph.w - s;
        p.y.from = p.graph.y + p.graph.h - s - (p.has_zeros ? line + s : 0);
        p.y.to = p.graph.y;
        draw_axes(&p);
        for (int c = 0; c < CURVES; c++)
            draw_curve(&p, &curves[c]);
    }
    rec_panel_end(canvas);
}
