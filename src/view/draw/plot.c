#include <math.h>

#include "view/draw/draw.h"

/* In pixels at a scale of 1. */
#define PADDING 9
#define LABEL_GAP 5     /* between the graph and its labels, and at least between two of these */
#define COLUMN_GAP 8
#define HEADER_GAP 7    /* below the legend */
#define SWATCH 12       /* length of a piece of curve in the legend */
#define LEGEND_GAP 14   /* between two words of the legend */
#define TICK 3
#define MARKER 5
#define LEAST_TITLED 80 /* height of a graph that the title of its axis may be taken from */
#define FINE_DECADE 40  /* decades of that many pixels have ticks at 2, 3, ... 9 */

/* Sizes: a share of the area, within limits. */
#define SHARE_ACROSS 0.42
#define SHARE_DOWN 0.30
#define LEAST_WIDTH 240
#define MOST_WIDTH 340
#define LEAST_HEIGHT 132
#define MOST_HEIGHT 220

typedef struct curve {
    const rec_series *series;
    const char *name;
    SDL_Color color;
} curve;

enum { CURVES = 2 };

/* What is drawn with, and where. */
typedef struct plot {
    const rec_canvas *canvas;
    SDL_Rect graph; /* output pixels, with the lines of both axes */
    rec_decades x, y;
    int has_zeros;  /* the graph's bottom is 0, y.from is above it */
    int has_title;  /* there is room for that of the iterations */
} plot;

/* ---- what is in it ---- */

/* The axes' decades; 0 where there is no point. Without a positive value the levels are those
 * around 1. */
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

static int widest_label(const plot *p, const rec_decades *axis)
{
    char label[16];
    int widest = 0;
    for (int decade = axis->low; decade <= axis->high; decade++)
        widest = SDL_max(widest, rec_text_width(p->canvas, rec_decades_write(label, decade)));
    return widest;
}

/* The graph's place within the panel. */
static void arrange(plot *p, SDL_Rect place)
{
    const int s = p->canvas->scale, line = p->canvas->line, padding = PADDING * s;
    const int right = SDL_max(widest_label(p, &p->x) / 2, MARKER * s); /* of the last label */
    p->graph.x = place.x + padding + widest_label(p, &p->y) + LABEL_GAP * s;
    p->graph.y = place.y + padding + line + HEADER_GAP * s;
    p->graph.w = place.x + place.w - padding - right - p->graph.x;
    p->graph.h = place.y + place.h - padding - line - line / 2 - s - p->graph.y;
    p->has_title = p->graph.h - line >= LEAST_TITLED * s;
    p->graph.h -= p->has_title ? line : 0;
    p->x.from = p->graph.x;
    p->x.to = p->graph.x + p->graph.w - s;
    p->y.from = p->graph.y + p->graph.h - s - (p->has_zeros ? line + s : 0);
    p->y.to = p->graph.y;
}

/* ---- the axes ---- */

static int pixel(double place) { return (int)floor(place + 0.5); }

/* Decades with a label have a line through the graph. */
static void draw_counts(const plot *p)
{
    const int s = p->canvas->scale, bottom = p->graph.y + p->graph.h, line = p->canvas->line;
    const int step = rec_decades_step(&p->x, widest_label(p, &p->x) + COLUMN_GAP * s);
    const int is_fine = p->graph.w / (p->x.high - p->x.low) >= FINE_DECADE * s;
    char label[16];
    for (int decade = p->x.low; decade <= p->x.high; decade++) {
        const double power = pow(10, decade);
        const int x = pixel(rec_decades_place(&p->x, power));
        rec_fill(p->canvas, rec_colors.tick, x, bottom - s, s, (TICK + 1) * s);
        for (int digit = 2; digit < 10 && is_fine && decade < p->x.high; digit++)
            rec_fill(p->canvas, rec_colors.tick, pixel(rec_decades_place(&p->x, digit * power)),
                     bottom, s, s);
        if (decade % step)
            continue;
        if (decade > p->x.low)
            rec_fill(p->canvas, rec_colors.grid, x, p->graph.y, s, p->graph.h - s);
        rec_text_draw(p->canvas, REC_MIDDLE, x + s, bottom + line / 2, rec_colors.dim,
                      rec_decades_write(label, decade));
    }
}

static void draw_level(const plot *p, int y, const char *label)
{
    const int s = p->canvas->scale;
    rec_fill(p->canvas, rec_colors.tick, p->graph.x - (TICK - 1) * s, y, TICK * s, s);
    if (!label)
        return;
    if (y < p->graph.y + p->graph.h - s)
        rec_fill(p->canvas, rec_colors.grid, p->graph.x + s, y, p->graph.w - s, s);
    rec_text_draw(p->canvas, REC_RIGHT, p->graph.x - LABEL_GAP * s, y - p->canvas->line / 2,
                  rec_colors.dim, label);
}

static void draw_levels(const plot *p)
{
    const int step = rec_decades_step(&p->y, p->canvas->line);
    char label[16];
    for (int decade = p->y.low; decade <= p->y.high; decade++)
        draw_level(p, pixel(rec_decades_place(&p->y, pow(10, decade))),
                   decade % step ? NULL : rec_decades_write(label, decade));
    if (p->has_zeros)
        draw_level(p, p->graph.y + p->graph.h - p->canvas->scale, "0");
}

static void draw_axes(const plot *p)
{
    const SDL_Rect *g = &p->graph;
    const int s = p->canvas->scale, line = p->canvas->line;
    draw_counts(p);
    draw_levels(p);
    if (p->has_title)
        rec_text_draw(p->canvas, REC_MIDDLE, g->x + g->w / 2, g->y + g->h + line / 2 + line,
                        rec_colors.dim, "iterations");
    rec_fill(p->canvas, rec_colors.tick, g->x, g->y, s, g->h);
    rec_fill(p->canvas, rec_colors.tick, g->x, g->y + g->h - s, g->w, s);
}

/* ---- the curves ---- */

static SDL_FPoint place_of(const plot *p, const rec_history_point *point)
{
    const double y = point->value > 0 ? rec_decades_place(&p->y, point->value)
                                      : p->graph.y + p->graph.h - p->canvas->scale;
    return (SDL_FPoint){(float)rec_decades_place(&p->x, (double)point->iteration), (float)y};
}

/* A line from left to right, one of the text's units thick: in each column the rows that it comes
 * through, each row once, so that it is crisp at any slope. */
static void draw_line(const plot *p, SDL_Color color, SDL_FPoint a, SDL_FPoint b)
{
    const int first = pixel(a.x), last = pixel(b.x), end = pixel(b.y);
    int row = pixel(a.y);
    for (int column = first; column <= last; column++) {
        const double along = column < last ? (column + 1 - a.x) / (b.x - a.x) : 1;
        const int next = column < last ? pixel(a.y + along * (b.y - a.y)) : end;
        const int top = next > row ? row : next < row ? next + 1 : row;
        const int rows = next > row ? next - row : next < row ? row - next : 1;
        rec_fill(p->canvas, color, column, top, p->canvas->scale, rows - 1 + p->canvas->scale);
        row = next;
    }
}

/* Between zero and a positive value there is no line: on this axis it would have no end. */
static void draw_curve(const plot *p, const curve *c)
{
    for (size_t i = 0; i < c->series->count; i++) {
        const rec_history_point *point = &c->series->point[i];
        const int is_joined = i && (point[-1].value > 0) == (point->value > 0);
        draw_line(p, c->color, place_of(p, point - is_joined), place_of(p, point));
    }
}

/* A dot on the newest value. */
static void mark_newest(const plot *p, const curve *c)
{
    if (!c->series->count)
        return;
    const SDL_FPoint place = place_of(p, &c->series->point[c->series->count - 1]);
    const int s = p->canvas->scale, side = MARKER * s;
    const int x = pixel(place.x) - side / 2 + s / 2, y = pixel(place.y) - side / 2 + s / 2;
    rec_fill_rounded(p->canvas, rec_colors.ground,
                     (SDL_Rect){x - s, y - s, side + 2 * s, side + 2 * s});
    rec_fill_rounded(p->canvas, c->color, (SDL_Rect){x, y, side, side});
}

/* ---- all of it ---- */

static void draw_legend(const plot *p, const curve *curves, SDL_Rect place)
{
    const int s = p->canvas->scale, middle = p->canvas->line / 2;
    const int y = place.y + PADDING * s;
    int x = place.x + PADDING * s;
    for (int c = 0; c < CURVES; c++) {
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
    plot p = {.canvas = canvas};
    const curve curves[CURVES] = {
        {&history->change, "change", rec_colors.amber},
        {&history->distance, "distance, at most", rec_colors.distance}};
    rec_panel_begin(canvas, place);
    draw_legend(&p, curves, place);
    if (!cover(&p, curves)) {
        rec_text_draw(canvas, REC_MIDDLE, place.x + place.w / 2,
                      place.y + (place.h - canvas->line) / 2, rec_colors.dim, "no points yet");
    } else {
        arrange(&p, place);
        draw_axes(&p);
        for (int c = 0; c < CURVES; c++)
            draw_curve(&p, &curves[c]);
        for (int c = 0; c < CURVES; c++)
            mark_newest(&p, &curves[c]);
    }
    rec_panel_end(canvas);
}
