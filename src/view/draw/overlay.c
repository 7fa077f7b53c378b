#include "view/draw/overlay.h"

#include "view/draw/theme.h"

/* In the window's own pixels, to be scaled as the text is. */
#define PADDING 9
#define TAG_PADDING 6
#define BAR 8        /* height of the bar of colours */
#define LABEL_GAP 3  /* between the bar and the labels */
#define COLUMN_GAP 8 /* at least, between two labels */

int rec_legend_height(const rec_text *text)
{
    return rec_text_height(text) + (2 * PADDING + BAR + LABEL_GAP) * rec_text_scale(text);
}

void rec_legend_draw(const Uint32 palette[REC_PALETTE_SIZE], SDL_Renderer *renderer, rec_text *text,
                     SDL_Rect place, const char *const *labels, size_t count)
{
    if (SDL_RectEmpty(&place))
        return;
    const int scale = rec_text_scale(text), padding = PADDING * scale;
    const int left = place.x + padding, width = place.w - 2 * padding, top = place.y + padding;
    const int y = top + (BAR + LABEL_GAP) * scale, middle = left + width / 2;
    const rec_panel panel = rec_panel_begin(renderer, text, place);
    for (int x = 0; x < width; x++) {
        const Uint32 c = palette[width > 1 ? x * (REC_PALETTE_SIZE - 1) / (width - 1) : 0];
        const SDL_Color color = {(Uint8)(c >> 16), (Uint8)(c >> 8), (Uint8)c, 255};
        rec_fill(renderer, color, left + x, top, 1, BAR * scale);
    }
    rec_write(text, REC_ALIGN_LEFT, left, y, rec_colors.bright, labels[0]);
    rec_write(text, REC_ALIGN_RIGHT, left + width, y, rec_colors.bright, labels[count - 1]);
    if (count == 3) {
        const int half = rec_text_width(text, labels[1]) / 2 + COLUMN_GAP * scale;
        if (left + rec_text_width(text, labels[0]) + half <= middle &&
            left + width - rec_text_width(text, labels[2]) - half >= middle)
            rec_write(text, REC_ALIGN_MIDDLE, middle, y, rec_colors.bright, labels[1]);
    }
    rec_panel_end(&panel);
}

void rec_overlay_tag(SDL_Renderer *renderer, rec_text *text, int x, int y, const char *line)
{
    const int padding = TAG_PADDING * rec_text_scale(text);
    const SDL_Rect place = {x, y, rec_text_width(text, line) + 2 * padding,
                            rec_text_height(text) + 2 * padding};
    const rec_panel panel = rec_panel_begin(renderer, text, place);
    rec_text_draw(text, x + padding, y + padding, rec_colors.bright, line);
    rec_panel_end(&panel);
}

void rec_overlay_notice(rec_text *text, rec_size area, const char *notice, int is_bad)
{
    const int one_line = rec_text_width(text, notice), most = (int)(area.width * 4 / 5);
    const int width = one_line < most ? one_line : most;
    const SDL_Color color = is_bad ? rec_colors.red : rec_colors.calm;
    const int height = rec_text_paragraph(text, 0, 0, width, color, notice, 0);
    rec_text_paragraph(text, ((int)area.width - width) / 2, ((int)area.height - height) / 2, width,
                       color, notice, 1);
}
