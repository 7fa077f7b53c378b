#include "view/draw/panel.h"

static const SDL_Color ground = {18, 19, 22, 228}, edge = {70, 73, 80, 255};
const SDL_Color rec_panel_bright = {222, 224, 228, 255}, rec_panel_dim = {142, 146, 154, 255};

void rec_panel_fill(SDL_Renderer *renderer, SDL_Color color, int x, int y, int width, int height)
{
    const SDL_Rect rectangle = {x, y, width, height};
    SDL_SetRenderDrawColor(renderer, color.r, color.g, color.b, color.a);
    SDL_RenderFillRect(renderer, &rectangle);
}

rec_panel rec_panel_begin(SDL_Renderer *renderer, const rec_text *text, SDL_Rect place)
{
    const int line = rec_text_scale(text), inside = place.h - 2 * line;
    rec_panel panel = {.renderer = renderer, .was_clipped = SDL_RenderIsClipEnabled(renderer)};
    SDL_RenderGetClipRect(renderer, &panel.clip);
    SDL_GetRenderDrawBlendMode(renderer, &panel.blend_mode);
    SDL_RenderSetClipRect(renderer, &place);
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    rec_panel_fill(renderer, ground, place.x + line, place.y + line, place.w - 2 * line, inside);
    rec_panel_fill(renderer, edge, place.x, place.y, place.w, line);
    rec_panel_fill(renderer, edge, place.x, place.y + place.h - line, place.w, line);
    rec_panel_fill(renderer, edge, place.x, place.y + line, line, inside);
    rec_panel_fill(renderer, edge, place.x + place.w - line, place.y + line, line, inside);
    return panel;
}

void rec_panel_end(const rec_panel *panel)
{
    SDL_RenderSetClipRect(panel->renderer, panel->was_clipped ? &panel->clip : NULL);
    SDL_SetRenderDrawBlendMode(panel->renderer, panel->blend_mode);
}

void rec_panel_write(rec_text *text, rec_align align, int x, int y, SDL_Color color,
                     const char *string)
{
    const int width = align == REC_ALIGN_LEFT ? 0 : rec_text_width(text, string);
    rec_text_draw(text, x - (align == REC_ALIGN_MIDDLE ? width / 2 : width), y, color, string);
}
