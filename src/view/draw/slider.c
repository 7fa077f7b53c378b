#include "view/draw/draw.h"

/* In the window's own pixels, to be scaled as the text is. */
#define GROOVE_TOP 12 /* of its middle, below the strip's line */
#define LABEL_TOP 17
#define LABEL_GAP 12  /* at least, between two numbers */
#define KNOB_WIDTH 5
#define KNOB_HEIGHT 13

static const char *const first_label = "0", *const limit_label = "limit";

int rec_slider_height(const rec_slider *slider, const rec_canvas *canvas)
{
    return slider->present ? canvas->line + (LABEL_TOP + 1) * canvas->scale : 0;
}

void rec_slider_arrange(rec_slider *slider, const rec_canvas *canvas, int width, int top)
{
    const int margin = REC_MARGIN * canvas->scale;
    slider->strip = (SDL_Rect){0, top, width, rec_slider_height(slider, canvas)};
    slider->left = margin + rec_text_width(canvas, first_label) / 2;
    slider->length = width - slider->left - margin - rec_text_width(canvas, limit_label) / 2;
    if (slider->length < 1)
        slider->length = 1;
}

int rec_slider_follow(rec_slider *slider, const rec_view_state *state)
{
    const rec_slider old = *slider;
    slider->enabled = slider->present && rec_phase_is_open(state->phase);
    if (!slider->enabled)
        slider->jumped = 0;
    /* Numbers grow, and begin again after the largest. */
    slider->waiting = (int)(state->answered - slider->asked) < 0;
    if (!slider->waiting) {
        slider->jumped = state->phase == REC_PHASE_JUMPED;
        slider->iteration = slider->jumped                          ? state->jump
                            : state->run.stop == REC_STOP_LIMIT     ? REC_LIMIT_ITERATION
                            : state->phase == REC_PHASE_LOADING     ? 0
                                                                    : state->run.iterations;
    }
    const double way = rec_scale_place(slider->iteration) - rec_scale_place(old.iteration);
    return slider->enabled != old.enabled || slider->jumped != old.jumped ||
           way * slider->length >= 0.5 || way * slider->length <= -0.5;
}

/* ---- moving ---- */

static void seek(rec_slider *slider, uint64_t iteration, rec_exchange *exchange)
{
    if (slider->jumped && slider->iteration == iteration)
        return;
    const unsigned number = rec_exchange_post(
        exchange, (rec_request){.action = REC_ACTION_SEEK, .iteration = iteration});
    if (!number)
        return;
    slider->asked = number;
    slider->jumped = 1;
    slider->iteration = iteration;
}

int rec_slider_is_over(const rec_slider *slider, int x, int y)
{
    const SDL_Point point = {x, y};
    return slider->enabled && SDL_PointInRect(&point, &slider->strip);
}

void rec_slider_drag(rec_slider *slider, int x, rec_exchange *exchange)
{
    seek(slider, rec_scale_iteration((double)(x - slider->left) / slider->length), exchange);
}

void rec_slider_move(rec_slider *slider, rec_slider_step step, rec_exchange *exchange)
{
    if (!slider->enabled)
        return;
    seek(slider,
         step == REC_SLIDER_FIRST   ? 0
         : step == REC_SLIDER_LIMIT ? REC_LIMIT_ITERATION
                                    : rec_scale_step(slider->iteration, step == REC_SLIDER_LATER),
         exchange);
}

/* ---- drawing ---- */

/* The middle of an iterate's place, output pixels. */
static int place(const rec_slider *slider, uint64_t iteration)
{
    return slider->left + (int)(rec_scale_place(iteration) * slider->length + 0.5);
}

/* A tick for the start, each decade and the limit, with a number where there is room for one: at
 * every decade, or at 1, 1k, 1M, 1G. */
static void draw_ticks(const rec_slider *slider, const rec_canvas *canvas)
{
    const int scale = canvas->scale, middle = slider->strip.y + GROOVE_TOP * scale;
    const int top = slider->strip.y + LABEL_TOP * scale;
    const int decade_width = slider->length / (REC_SCALE_DECADES + 1);
    const int step = decade_width > rec_text_width(canvas, "100M") + LABEL_GAP * scale ? 1 : 3;
    const int at_limit = slider->jumped && slider->iteration == REC_LIMIT_ITERATION;
    const int limit_left =
        slider->left + slider->length - rec_text_width(canvas, limit_label) / 2;
    char label[16];
    uint64_t power = 1;
    for (int decade = 0; decade <= REC_SCALE_DECADES; decade++, power *= 10) {
        const int reach = (decade % step ? 2 : 4) * scale, x = place(slider, power);
        rec_fill(canvas, rec_colors.tick, x - scale / 2, middle - reach, scale,
                 2 * reach + scale);
        const int half = rec_text_width(canvas, rec_decades_write(label, decade)) / 2;
        if (decade % step == 0 && x + half + LABEL_GAP * scale / 2 < limit_left)
            rec_text_draw(canvas, REC_MIDDLE, x, top, rec_colors.dim, label);
    }
    const uint64_t ends[] = {0, REC_LIMIT_ITERATION};
    for (int i = 0; i < 2; i++) {
        const int x = place(slider, ends[i]);
        rec_fill(canvas, rec_colors.tick, x - scale / 2, middle - 4 * scale, scale, 9 * scale);
        rec_text_draw(canvas, REC_MIDDLE, x, top,
                  i && at_limit ? rec_colors.amber : rec_colors.dim,
                  i ? limit_label : first_label);
    }
}

void rec_slider_draw(const rec_slider *slider, const rec_canvas *canvas, int is_touched)
{
    if (!slider->present)
        return;
    const SDL_Rect *strip = &slider->strip;
    const int scale = canvas->scale, at = place(slider, slider->iteration);
    const int middle = strip->y + GROOVE_TOP * scale;
    rec_fill(canvas, rec_colors.bar, strip->x, strip->y, strip->w, strip->h);
    rec_fill(canvas, rec_colors.border, strip->x, strip->y, strip->w, scale);
    rec_fill(canvas, rec_colors.groove, slider->left, middle, slider->length, scale);
    draw_ticks(slider, canvas);
    if (!slider->enabled)
        return;
    rec_fill(canvas, slider->jumped ? rec_colors.amber_dark : rec_colors.done, slider->left,
             middle, at - slider->left, scale);
    const int wide = (KNOB_WIDTH + 2 * is_touched) * scale;
    const int tall = KNOB_HEIGHT * scale, x = at - wide / 2, y = middle - tall / 2;
    const SDL_Rect handle = {x, y, wide, tall};
    rec_fill(canvas, rec_colors.bar, x - scale, y, wide + 2 * scale, tall);
    rec_fill_rounded(canvas, slider->jumped ? rec_colors.amber : rec_colors.knob, handle);
}
