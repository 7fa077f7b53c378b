#include <math.h>

#include "view/draw/draw.h"

/* In pixels at a scale of 1. */
#define GROOVE_TOP 12 /* of its middle, below the strip's line */
#define LABEL_TOP 17
#define LABEL_GAP 12  /* between two numbers, at least */
#define KNOB_WIDTH 5
#define KNOB_HEIGHT 13

static const char *const first_label = "0", *const limit_label = "limit";

int rec_slider_height(const rec_slider *slider, const rec_canvas *canvas)
{
    return slider->present ? canvas->line + (LABEL_TOP + 1) * canvas->scale : 0;
}

/* The line that the knob moves on, from the middle of the first label to that of the last. */
static SDL_Rect track(const rec_canvas *canvas)
{
    const int margin = REC_MARGIN * canvas->scale;
    const int left = margin + rec_text_width(canvas, first_label) / 2;
    const int right = margin + rec_text_width(canvas, limit_label) / 2;
    return (SDL_Rect){left, canvas->rows + GROOVE_TOP * canvas->scale,
                      SDL_max(canvas->width - left - right, 1), canvas->scale};
}

int rec_slider_follow(rec_slider *slider, const rec_canvas *canvas, const rec_view_state *state)
{
    const rec_slider old = *slider;
    slider->hidden = state->turned;
    slider->enabled = slider->present && !slider->hidden && rec_phase_is_open(state->phase);
    if (!slider->enabled)
        slider->jumped = 0;
    slider->waiting = state->answered < slider->asked;
    if (!slider->waiting) {
        slider->jumped = state->phase == REC_PHASE_JUMPED;
        slider->iteration = slider->jumped                          ? state->jump
                            : state->run.stop == REC_STOP_LIMIT     ? REC_LIMIT_ITERATION
                            : state->phase == REC_PHASE_LOADING     ? 0
                                                                    : state->run.iterations;
    }
    const double way = rec_scale_place(slider->iteration) - rec_scale_place(old.iteration);
    return slider->enabled != old.enabled || slider->jumped != old.jumped ||
           fabs(way) * canvas->width >= 0.5;
}

void rec_slider_seek(rec_slider *slider, uint64_t iteration, rec_worker *worker)
{
    if (!slider->enabled || (slider->jumped && slider->iteration == iteration))
        return;
    const uint64_t number = rec_worker_post(
        worker, (rec_request){.act = rec_worker_seek, .iteration = iteration});
    if (!number)
        return;
    slider->asked = number;
    slider->jumped = 1;
    slider->iteration = iteration;
}

int rec_slider_has(const rec_slider *slider, const rec_canvas *canvas, SDL_Point point)
{
    const SDL_Rect strip = {0, canvas->rows, canvas->width, rec_slider_height(slider, canvas)};
    return slider->enabled && SDL_PointInRect(&point, &strip);
}

void rec_slider_drag(rec_slider *slider, const rec_canvas *canvas, int x, rec_worker *worker)
{
    const SDL_Rect along = track(canvas);
    rec_slider_seek(slider, rec_scale_iteration((double)(x - along.x) / along.w), worker);
}

/* The middle of an iterate's place, output pixels. */
static int place(const rec_canvas *canvas, uint64_t iteration)
{
    const SDL_Rect along = track(canvas);
    return along.x + (int)(rec_scale_place(iteration) * along.w + 0.5);
}

/* A tick, and below it a label unless that is NULL. */
static void draw_tick(const rec_canvas *canvas, uint64_t iteration, const char *label,
                      SDL_Color color)
{
    const int scale = canvas->scale, x = place(canvas, iteration), reach = label ? 4 : 2;
    rec_fill(canvas, rec_colors.tick, x - scale / 2, track(canvas).y - reach * scale, scale,
             (2 * reach + 1) * scale);
    if (label)
        rec_text_draw(canvas, REC_MIDDLE, x, canvas->rows + LABEL_TOP * scale, color, label);
}

void rec_slider_draw(const rec_slider *slider, const rec_canvas *canvas)
{
    if (!slider->present)
        return;
    const SDL_Rect groove = track(canvas);
    const int scale = canvas->scale, at = place(canvas, slider->iteration);
    rec_strip_draw(canvas, canvas->rows, rec_slider_height(slider, canvas));
    if (slider->hidden)
        return;
    rec_fill(canvas, rec_colors.panel_edge, groove.x, groove.y, groove.w, scale);
    /* A tick for the start, each decade and the limit; decades have numbers where there is room for
     * them, or 1, 1k and 1M alone. The last decade is nearer to the limit. */
    const int room = rec_text_width(canvas, "100M") + LABEL_GAP * scale;
    const int apart = groove.w / (REC_SCALE_DECADES + 1), step = apart > room ? 1 : 3;
    const int at_limit = slider->jumped && slider->iteration == REC_LIMIT_ITERATION;
    char label[16];
    uint64_t power = 1;
    for (int decade = 0; decade <= REC_SCALE_DECADES; decade++, power *= 10) {
        const int is_labelled = decade % step == 0 &&
                                (decade < REC_SCALE_DECADES || 4 * apart > 5 * room);
        draw_tick(canvas, power, is_labelled ? rec_decades_write(label, decade) : NULL,
                  rec_colors.dim);
    }
    draw_tick(canvas, 0, first_label, rec_colors.dim);
    draw_tick(canvas, REC_LIMIT_ITERATION, limit_label,
              at_limit ? rec_colors.amber : rec_colors.dim);
    if (!slider->enabled)
        return;
    rec_fill(canvas, slider->jumped ? rec_colors.amber_dark : rec_colors.dim, groove.x, groove.y,
             at - groove.x, scale);
    const int wide = KNOB_WIDTH * scale, tall = KNOB_HEIGHT * scale;
    rec_fill(canvas, slider->jumped ? rec_colors.amber : rec_colors.knob, at - wide / 2,
             groove.y - tall / 2, wide, tall);
}
