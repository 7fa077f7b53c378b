#include "view/draw/draw.h"

const rec_theme rec_colors = {
    .ground = {18, 18, 20, 255},
    .bar = {27, 28, 31, 255},
    .border = {52, 54, 60, 255},
    .panel = {18, 19, 22, 228},
    .panel_edge = {70, 73, 80, 255},
    .bright = {222, 224, 228, 255},
    .dim = {142, 146, 154, 255},
    .calm = {170, 174, 182, 255},
    .amber = {242, 193, 92, 255},
    .amber_dark = {164, 131, 66, 255},
    .green = {137, 204, 137, 255},
    .red = {244, 122, 108, 255},
    .distance = {112, 176, 244, 255},
    .tick = {92, 96, 105, 255},
    .knob = {196, 199, 206, 255},
    .grid = {126, 131, 141, 40},
};

void rec_fill(const rec_canvas *canvas, SDL_Color color, int x, int y, int width, int height)
{
    const SDL_Rect rectangle = {x, y, width, height};
    SDL_SetRenderDrawColor(canvas->renderer, color.r, color.g, color.b, color.a);
    SDL_RenderFillRect(canvas->renderer, &rectangle);
}

void rec_strip_draw(const rec_canvas *canvas, int top, int height)
{
    rec_fill(canvas, rec_colors.bar, 0, top, canvas->width, height);
    rec_fill(canvas, rec_colors.border, 0, top, canvas->width, canvas->scale);
}

void rec_panel_begin(const rec_canvas *canvas, SDL_Rect place)
{
    const int line = canvas->scale, inside = place.h - 2 * line;
    const SDL_Color edge = rec_colors.panel_edge;
    SDL_RenderSetClipRect(canvas->renderer, &place);
    rec_fill(canvas, rec_colors.panel, place.x + line, place.y + line, place.w - 2 * line, inside);
    rec_fill(canvas, edge, place.x, place.y, place.w, line);
    rec_fill(canvas, edge, place.x, place.y + place.h - line, place.w, line);
    rec_fill(canvas, edge, place.x, place.y + line, line, inside);
    rec_fill(canvas, edge, place.x + place.w - line, place.y + line, line, inside);
}

void rec_panel_end(const rec_canvas *canvas) { SDL_RenderSetClipRect(canvas->renderer, NULL); }

SDL_Rect rec_panel_place(const rec_canvas *canvas, int is_right, int width, int height)
{
    const int margin = REC_MARGIN * canvas->scale;
    const SDL_Rect place = {is_right ? canvas->width - margin - width : margin,
                            canvas->rows - margin - height, width, height};
    const int fits = width + 2 * margin <= canvas->width && place.y >= margin;
    return fits ? place : (SDL_Rect){0, 0, 0, 0};
}
