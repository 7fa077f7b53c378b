#include "view/draw/theme.h"

const rec_theme rec_colors = {
    .ground = {18, 18, 20, 255},
    .bar = {27, 28, 31, 255},
    .border = {52, 54, 60, 255},
    .panel = {18, 19, 22, 228},
    .panel_edge = {70, 73, 80, 255},
    .shade = {18, 19, 22, 110},
    .bright = {222, 224, 228, 255},
    .dim = {142, 146, 154, 255},
    .calm = {170, 174, 182, 255},
    .amber = {242, 193, 92, 255},
    .amber_dark = {164, 131, 66, 255},
    .green = {137, 204, 137, 255},
    .red = {244, 122, 108, 255},
    .change = {242, 193, 92, 255},
    .distance = {112, 176, 244, 255},
    .groove = {66, 69, 77, 255},
    .tick = {92, 96, 105, 255},
    .done = {126, 131, 141, 255},
    .knob = {196, 199, 206, 255},
    .grid = {126, 131, 141, 40},
};

void rec_fill(SDL_Renderer *renderer, SDL_Color color, int x, int y, int width, int height)
{
    const SDL_Rect rectangle = {x, y, width, height};
    SDL_SetRenderDrawColor(renderer, color.r, color.g, color.b, color.a);
    SDL_RenderFillRect(renderer, &rectangle);
}

void rec_blend(SDL_Renderer *renderer, SDL_Color color, int x, int y, int width, int height)
{
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    rec_fill(renderer, color, x, y, width, height);
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_NONE);
}

void rec_fill_rounded(SDL_Renderer *renderer, SDL_Color color, SDL_Rect place, int corner)
{
    rec_fill(renderer, color, place.x, place.y + corner, place.w, place.h - 2 * corner);
    rec_fill(renderer, color, place.x + corner, place.y, place.w - 2 * corner, corner);
    rec_fill(renderer, color, place.x + corner, place.y + place.h - corner, place.w - 2 * corner,
             corner);
}

rec_panel rec_panel_begin(SDL_Renderer *renderer, const rec_text *text, SDL_Rect place)
{
    const int line = rec_text_scale(text), inside = place.h - 2 * line;
    rec_panel panel = {.renderer = renderer, .was_clipped = SDL_RenderIsClipEnabled(renderer)};
    SDL_RenderGetClipRect(renderer, &panel.clip);
    SDL_GetRenderDrawBlendMode(renderer, &panel.blend_mode);
    SDL_RenderSetClipRect(renderer, &place);
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    const SDL_Color edge = rec_colors.panel_edge;
    rec_fill(renderer, rec_colors.panel, place.x + line, place.y + line, place.w - 2 * line,
             inside);
    rec_fill(renderer, edge, place.x, place.y, place.w, line);
    rec_fill(renderer, edge, place.x, place.y + place.h - line, place.w, line);
    rec_fill(renderer, edge, place.x, place.y + line, line, inside);
    rec_fill(renderer, edge, place.x + place.w - line, place.y + line, line, inside);
    return panel;
}

void rec_panel_end(const rec_panel *panel)
{
    SDL_RenderSetClipRect(panel->renderer, panel->was_clipped ? &panel->clip : NULL);
    SDL_SetRenderDrawBlendMode(panel->renderer, panel->blend_mode);
}

void rec_write(rec_text *text, rec_align align, int x, int y, SDL_Color color, const char *string)
{
    const int width = align == REC_ALIGN_LEFT ? 0 : rec_text_width(text, string);
    rec_text_draw(text, x - (align == REC_ALIGN_MIDDLE ? width / 2 : width), y, color, string);
}
