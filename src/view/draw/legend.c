#include "view/draw/draw.h"

/* In pixels at a scale of 1. */
#define PADDING 9
#define WIDTH 220
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
