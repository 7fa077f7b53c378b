/* What is drawn, from the back to the front. */
#include <math.h>
#include <stdio.h>

#include "view/window/window.h"

#define TAG_PADDING 6     /* at a scale of 1 */
#define LONG_SECONDS 21.0 /* a run at the usual pace takes 20, if the solver is fast enough */

/* ---- the picture ---- */

/* In the columns from..to of the area. */
static void draw_layer(rec_window *w, rec_layer layer, int from, int to)
{
    const SDL_Rect clip = {from, 0, to - from, w->canvas.rows};
    rec_picture_draw(&w->picture[layer], w->renderer, &w->wanted.viewport,
                     (SDL_Point){0, 0}, clip);
}

/* Why nothing shows a layer of this source. */
static const char *find_reason(const rec_window *w, rec_source source)
{
    const rec_problem *problem = &w->jobs->settings->run.problem;
    if (source == REC_SOURCE_REFERENCE)
        return w->state.has_original
                   ? "This picture has no reference to compare with."
                   : "There is nothing to compare with. Use --reference PICTURE, or --picture.";
    if (source == REC_SOURCE_MARK)
        return !rec_solver_type_shows(w->jobs->settings->run.solver, REC_LAYER_CHANGE)
                   ? "This solver does not show what just changed."
               : w->state.phase == REC_PHASE_JUMPED
                   ? "A jump has no change to show. Space iterates on from here, "
                     "Escape returns to the run."
                   : "No batch has run since this view was opened. n runs one.";
    return problem->operators && !problem->operators->is_inverse
               ? "A filter has no edges: it begins with the picture itself."
               : "This solver keeps no edges.";
}

/* The text in place of a picture; NULL: there is a picture. */
static const char *find_notice(const rec_window *w)
{
    const rec_phase phase = w->state.phase;
    const rec_scene_row *scene = &rec_scenes[w->wanted.scene];
    if (phase == REC_PHASE_FAILED)
        return w->state.failure;
    if (phase == REC_PHASE_EMPTY)
        return "Drop a photograph or an edge image here, or press Ctrl+O to open one, Enter for "
               "the sample. b is the brush, which paints things away.";
    if (phase == REC_PHASE_LOADING && !w->picture[scene->layer].texture)
        return "loading ...";
    if (!(w->state.missing & scene->layers))
        return NULL;
    const int is_left = (w->state.missing & REC_LAYER_BIT(scene->layer)) != 0;
    return find_reason(w, rec_layers[is_left ? scene->layer : scene->right].source);
}

static void draw_picture(rec_window *w)
{
    const char *notice = find_notice(w);
    const rec_canvas *canvas = &w->canvas;
    const rec_scene_row *scene = &rec_scenes[w->wanted.scene];
    const int scale = canvas->scale, rows = canvas->rows, at = rec_window_divider(w);
    if (notice && (w->help || w->asks))
        return; /* it would shine through */
    if (notice) { /* in the middle of the area */
        const SDL_Color color = w->state.phase == REC_PHASE_FAILED ? rec_colors.red
                                                                   : rec_colors.calm;
        const int width = SDL_min(rec_text_width(canvas, notice), canvas->width * 4 / 5);
        const int height = rec_text_paragraph(canvas, 0, 0, width, color, notice, 0);
        rec_text_paragraph(canvas, (canvas->width - width) / 2, (rows - height) / 3, width, color,
                           notice, 1);
        return;
    }
    draw_layer(w, scene->layer, 0, at);
    if (scene->right != scene->layer) {
        const int knob = 14 * scale;
        draw_layer(w, scene->right, at, canvas->width);
        rec_fill(canvas, rec_colors.amber, at - scale / 2, 0, scale, rows);
        rec_fill(canvas, rec_colors.amber, at - 2 * scale, (rows - knob) / 2, 4 * scale, knob);
    }
}

/* ---- over it ---- */

/* What a layer's colours mean; of a picture in colour the brightness of each of them. */
static void draw_legend(rec_window *w)
{
    const rec_layer layer = rec_scenes[w->wanted.scene].layer;
    const rec_picture *picture = &w->picture[layer];
    const rec_scale scale = rec_layers[layer].scale;
    const int is_signed = scale == REC_SCALE_SIGNED;
    Uint32 palette[REC_PALETTE_SIZE];
    char most[24], least[sizeof most + 1];
    if ((scale != REC_SCALE_MAGNITUDE && !is_signed) || !picture->texture ||
        w->state.missing & REC_LAYER_BIT(layer))
        return;
    const double end = fmax(fabs((double)picture->shows.low), fabs((double)picture->shows.high)) /
                       (w->wanted.contrast * w->wanted.contrast);
    const char *const labels[] = {is_signed ? least : "0", is_signed ? "0" : "", most};
    snprintf(most, sizeof most, end < 99.5 ? "%.2g" : "%.0f", end);
    snprintf(least, sizeof least, "%s%s", end > 0 ? "-" : "", most);
    rec_scene_palette(palette, layer, picture->shows.planes == 1, w->wanted.gamma);
    rec_legend_draw(&w->canvas, palette, labels);
}

/* "x 1  y 2   value 12.5   edge 4"; three numbers each if it has colours. In the upper left corner;
 * several lines where it is too long for one. */
static void draw_probe(rec_window *w)
{
    const rec_probed *probed = &w->state.probed;
    const rec_probe *values = &probed->values;
    const struct { const char *name; const float *value; } parts[] = {
        {"value", values->picture}, {"edge", values->edges},
        {w->state.painted ? "before" : w->state.of_limit ? "limit" : "reference",
         values->reference}};
    char tag[256];
    if (!probed->known || !w->wanted.probing || probed->column != w->wanted.column ||
        probed->row != w->wanted.row || w->plot == REC_PLOT_LARGE ||
        (w->state.exact && !w->wanted.values)) /* who paints sees it where pixels have values */
        return;
    int used = snprintf(tag, sizeof tag, "x %zu  y %zu", probed->column, probed->row);
    for (size_t part = 0; part < 3; part++) {
        if (isnan(parts[part].value[0]))
            continue;
        used += snprintf(tag + used, sizeof tag - (size_t)used, "   %s", parts[part].name);
        for (size_t i = 0; i < w->state.planes && i < 3; i++)
            used += snprintf(tag + used, sizeof tag - (size_t)used, " %.6g",
                             (double)parts[part].value[i]);
    }
    const rec_canvas *canvas = &w->canvas;
    const int padding = TAG_PADDING * canvas->scale, margin = REC_MARGIN * canvas->scale;
    const int at = margin + padding, most = SDL_max(canvas->width - 2 * at, 1);
    const int width = SDL_min(rec_text_width(canvas, tag), most);
    const int height = rec_text_paragraph(canvas, at, at, width, rec_colors.bright, tag, 0);
    rec_panel_begin(canvas, (SDL_Rect){margin, margin, width + 2 * padding, height + 2 * padding});
    rec_text_paragraph(canvas, at, at, width, rec_colors.bright, tag, 1);
    rec_panel_end(canvas);
}

/* A number in each pixel where it fits, a line for each plane; of both sides on the left one: "12",
 * "12.3", or, if that does not fit, "12" again. */
static void draw_numbers(rec_window *w)
{
    static const SDL_Color white = {255, 255, 255, 255};
    static const SDL_Color colors[] = {{255, 170, 160, 255}, {160, 240, 160, 255},
                                       {170, 200, 255, 255}};
    const rec_values *v = &w->state.values;
    const rec_area area = v->area;
    const int line = w->canvas.line, gap = 2 * w->canvas.scale;
    const int right = rec_window_divider(w);
    if (!w->wanted.values || v->scene != w->wanted.scene)
        return;
    for (size_t i = 0; i < area.width * area.height; i++) {
        const rec_area pixel = {area.x + i % area.width, area.y + i / area.width, 1, 1};
        const rec_place place = rec_viewport_place(&w->wanted.viewport, w->state.size, pixel);
        const int middle = place.x + place.width / 2;
        int y = place.y + (place.height - (int)v->planes * line) / 2;
        for (size_t p = 0; p < v->planes; p++, y += line) {
            char number[24];
            const double value = (double)v->value[p * area.width * area.height + i];
            const int small = value != 0 && fabs(value) < 0.05;
            const int whole = fabs(value - nearbyint(value)) < 1e-3;
            snprintf(number, sizeof number, small ? "%.0e" : whole ? "%.0f" : "%.1f", value);
            if (rec_text_width(&w->canvas, number) + gap > place.width)
                snprintf(number, sizeof number, "%.0f", value);
            if (rec_text_width(&w->canvas, number) + gap > place.width ||
                place.x + place.width > right)
                continue;
            rec_text_draw(&w->canvas, REC_MIDDLE, middle + gap / 2, y + gap / 2, rec_colors.ground,
                          number);
            rec_text_draw(&w->canvas, REC_MIDDLE, middle, y,
                          v->planes == 1 ? white : colors[p % 3], number);
        }
    }
}

/* A circle about the pointer, dark outside and bright inside: seen on any ground. */
static void draw_ring(rec_window *w, double radius)
{
    const int wide = w->canvas.scale, dots = SDL_max((int)(6.3 * (radius + wide) / wide), 8);
    for (int i = 0; i < 2 * dots; i++) {
        const double angle = 6.283185307179586 * i / dots, r = radius + (i < dots ? wide : 0);
        rec_fill(&w->canvas, i < dots ? rec_colors.ground : rec_colors.bright,
                 w->mouse.x + (int)floor(r * cos(angle) + 0.5),
                 w->mouse.y + (int)floor(r * sin(angle) + 0.5), wide, wide);
    }
}

/* What is at `source`, inside of the brush: where the next stroke takes from, or the one that is
 * held. With Ctrl it is what is there, which a click takes. */
static void draw_source(rec_window *w, double radius, SDL_Point source)
{
    const SDL_Point shift = {w->mouse.x - source.x, w->mouse.y - source.y};
    const int rows = w->canvas.rows - w->mouse.y;
    for (int y = SDL_max((int)-radius, -w->mouse.y); y <= radius && y < rows; y++) {
        const int half = (int)sqrt(radius * radius - y * y);
        const SDL_Rect line = {w->mouse.x - half, w->mouse.y + y, 2 * half + 1, 1};
        rec_picture_draw(&w->picture[REC_LAYER_PICTURE], w->renderer, &w->wanted.viewport, shift,
                         line);
    }
}

/* Where the last stroke takes from, or the next one will; dark and bright, as the brush. */
static void draw_cross(const rec_canvas *canvas, int x, int y)
{
    const int wide = canvas->scale, arm = 5 * wide;
    for (int i = 1; i >= 0; i--) {
        const SDL_Color color = i ? rec_colors.ground : rec_colors.amber;
        const int out = i * wide, thick = wide + 2 * out, length = 2 * (arm + out) + wide;
        rec_fill(canvas, color, x - arm - out, y - out, length, thick);
        rec_fill(canvas, color, x - out, y - arm - out, thick, length);
    }
}

/* The mask's outline, the brush, and where the gradients come from. */
static void draw_painting(rec_window *w)
{
    const rec_view_state *state = &w->state;
    const rec_viewport *viewport = &w->wanted.viewport;
    const int wide = w->canvas.scale;
    const SDL_Color amber = rec_colors.amber;
    SDL_Point last;
    double x, y;
    if (state->painted && w->outlined && w->outline.place.w)
        sdl.RenderCopy(w->renderer, w->outline.texture, &w->outline.place, &w->outline.place);
    if (state->painted != REC_EDIT_HEAL || !viewport->area.height)
        return;
    const double scale = rec_viewport_scale(viewport, state->size);
    const double radius = (fmax(w->wanted.radius, 0) + 0.5) * scale;
    rec_viewport_point(viewport, state->size, w->mouse.x, w->mouse.y, &x, &y);
    const int at_x = w->mouse.x + (int)floor(((double)state->edit.mark_x - x) * scale + 0.5);
    const int at_y = w->mouse.y + (int)floor(((double)state->edit.mark_y - y) * scale + 0.5);
    if (state->edit.aims || (w->outlined && (state->edit.x || state->edit.y)))
        draw_cross(&w->canvas, at_x, at_y);
    if (!rec_window_is_over_area(w))
        return;
    const int aims = state->edit.aims && !w->drag && !(sdl.GetModState() & KMOD_CTRL);
    const int takes = w->drag == REC_DRAG_BRUSH && (state->edit.x || state->edit.y);
    const int from_x = takes ? w->mouse.x + (int)lround((double)state->edit.x * scale) : at_x;
    const int from_y = takes ? w->mouse.y + (int)lround((double)state->edit.y * scale) : at_y;
    if ((aims || takes) && w->wanted.scene == REC_SCENE_PICTURE)
        draw_source(w, radius - wide, (SDL_Point){from_x, from_y});
    draw_ring(w, radius);
    if (sdl.GetModState() & KMOD_SHIFT && !w->drag && rec_window_last_stroke(w, &last)) {
        sdl.SetRenderDrawColor(w->renderer, amber.r, amber.g, amber.b, amber.a);
        sdl.RenderDrawLine(w->renderer, last.x, last.y, w->mouse.x, w->mouse.y);
    }
}

void rec_window_draw(rec_window *w)
{
    const SDL_Color ground = rec_colors.ground;
    SDL_Rect histogram, plot;
    rec_limits limits;
    sdl.SetRenderDrawColor(w->renderer, ground.r, ground.g, ground.b, ground.a);
    sdl.RenderClear(w->renderer);
    draw_picture(w);
    const int page = w->asks ? 1 : w->help;
    if (rec_phase_is_open(w->state.phase) && !page) { /* likewise */
        draw_painting(w);
        draw_numbers(w);
        draw_legend(w);
        rec_window_panels(w, &histogram, &plot);
        if (!SDL_RectEmpty(&histogram))
            rec_histogram_draw(&w->canvas, &w->state.numbers.levels,
                               rec_window_limits(w, &limits) ? &limits : NULL);
        if (!SDL_RectEmpty(&plot))
            rec_plot_draw(&w->state.numbers.history, &w->canvas, plot);
        draw_probe(w);
    }
    const int pages = page ? rec_help_draw(&w->canvas, rec_window_abilities(w), page) : 0;
    /* Behind its last page it is closed: what it hid comes next. */
    w->dirty = w->help > pages && !w->asks;
    if (w->dirty)
        w->help = 0;
    rec_slider_draw(&w->slider, &w->canvas);
    const int is_long = w->slider.enabled && rec_bar_seconds_left(&w->state) > LONG_SECONDS;
    rec_bar_draw(&w->bar, &w->canvas,
                 w->bar.prompt                        ? "Enter opens   Escape closes"
                 : w->asks                            ? "s saves   Enter leaves   Escape stays"
                 : w->help && w->help < pages         ? "h next page   Esc closes"
                 : w->help                            ? "h closes"
                 : w->state.phase == REC_PHASE_JUMPED ? "Space continues   Esc returns   h help"
                 : is_long                            ? "End: the finished picture now   h help"
                 : w->state.turned                    ? "b back   h help"
                 : w->state.painted == REC_EDIT_CLONE ? "b paints its mask   h help"
                 : w->state.painted                   ? "h help"
                                                      : "b brush   h help");
    sdl.RenderPresent(w->renderer);
}
