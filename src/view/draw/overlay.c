#include "view/draw/draw.h"

/* In pixels at a scale of 1. */
#define PADDING 9
#define TAG_PADDING 6
#define WIDTH 220    /* of the legend */
#define BAR 8        /* height of the bar of colours */
#define LABEL_GAP 3  /* between the bar and the labels */

SDL_Rect rec_legend_draw(const rec_canvas *canvas, const Uint32 palette[REC_PALETTE_SIZE],
                         const char *const labels[3])
{
    const int s = canvas->scale, padding = PADDING * s;
    const SDL_Rect place = rec_panel_place(canvas, 0, WIDTH * s,
                                           canvas->line + (2 * PADDING + BAR + LABEL_GAP) * s);
    if (SDL_RectEmpty(&place))
        return place;
    const int left = place.x + padding, width = place.w - 2 * padding, top = place.y + padding;
    const int y = top + (BAR + LABEL_GAP) * s;
    rec_panel_begin(canvas, place);
    for (int x = 0; x < width; x++) {
        const Uint32 c = palette[x * (REC_PALETTE_SIZE - 1) / (width - 1)];
        const SDL_Color color = {(Uint8)(c >> 16), (Uint8)(c >> 8), (Uint8)c, 255};
        rec_fill(canvas, color, left + x, top, 1, BAR * s);
    }
    rec_text_draw(canvas, REC_LEFT, left, y, rec_colors.bright, labels[0]);
    rec_text_draw(canvas, REC_RIGHT, left + width, y, rec_colors.bright, labels[2]);
    rec_text_draw(canvas, REC_MIDDLE, left + width / 2, y, rec_colors.bright, labels[1]);
    rec_panel_end(canvas);
    return place;
}

void rec_overlay_tag(const rec_canvas *canvas, const char *line)
{
    const int padding = TAG_PADDING * canvas->scale, margin = REC_MARGIN * canvas->scale;
    const int at = margin + padding, most = SDL_max(canvas->width - 2 * at, 1);
    const int width = SDL_min(rec_text_width(canvas, line), most);
    const int height = rec_text_paragraph(canvas, at, at, width, rec_colors.bright, line, 0);
    rec_panel_begin(canvas, (SDL_Rect){margin, margin, width + 2 * padding, height + 2 * padding});
    rec_text_paragraph(canvas, at, at, width, rec_colors.bright, line, 1);
    rec_panel_end(canvas);
}

void rec_overlay_notice(const rec_canvas *canvas, const char *notice, int is_bad)
{
    const int width = SDL_min(rec_text_width(canvas, notice), canvas->width * 4 / 5);
    const SDL_Color color = is_bad ? rec_colors.red : rec_colors.calm;
    const int height = rec_text_paragraph(canvas, 0, 0, width, color, notice, 0);
    rec_text_paragraph(canvas, (canvas->width - width) / 2, (canvas->rows - height) / 3, width,
                       color, notice, 1);
}
