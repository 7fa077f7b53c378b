#include "view/sheet.h"

#include <stdio.h>
#include <string.h>

#include "view/keys.h"

#define PADDING 18 /* in the window's own pixels, to be scaled as the text is */
#define GAP 20
#define LEADING 4  /* between two lines */

static const SDL_Color bright = {226, 228, 232, 255}, key_color = {242, 193, 92, 255};
static const SDL_Color calm = {170, 174, 182, 255}, red = {244, 122, 108, 255};

/* The names of the keys for the action of `key`, which has its help text: "Right, Page Down, ]". */
static void list_names(const rec_key *key, char *names, size_t size)
{
    size_t used = (size_t)snprintf(names, size, "%s", key->name);
    for (const rec_key *other = key + 1; other->action && !other->help; other++)
        if (strcmp(other->name, other[-1].name) && used < size)
            used += (size_t)snprintf(names + used, size - used, ", %s", other->name);
}

static int is_listed(const rec_key *key, int slider)
{
    return key->help && (slider || key->time == REC_KEY_ALWAYS);
}

void rec_sheet_draw_help(SDL_Renderer *renderer, rec_text *text, rec_size area, int slider)
{
    const int scale = rec_text_scale(text), padding = PADDING * scale;
    const int line = rec_text_height(text) + LEADING * scale;
    int keys_width = 0, help_width = 0, lines = 0;
    char names[96];
    for (const rec_key *key = rec_keys; key->action; key++) {
        if (!is_listed(key, slider))
            continue;
        list_names(key, names, sizeof names);
        const int names_width = rec_text_width(text, names);
        const int width = rec_text_width(text, key->help);
        keys_width = names_width > keys_width ? names_width : keys_width;
        help_width = width > help_width ? width : help_width;
        lines++;
    }
    const int width = keys_width + GAP * scale + help_width + 2 * padding;
    const int height = lines * line - LEADING * scale + 2 * padding;
    const SDL_Rect sheet = {((int)area.width - width) / 2, ((int)area.height - height) / 2, width,
                            height};
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    SDL_SetRenderDrawColor(renderer, 18, 19, 22, 225);
    SDL_RenderFillRect(renderer, &sheet);
    SDL_SetRenderDrawColor(renderer, 70, 73, 80, 255);
    SDL_RenderDrawRect(renderer, &sheet);
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_NONE);
    int y = sheet.y + padding;
    for (const rec_key *key = rec_keys; key->action; key++) {
        if (!is_listed(key, slider))
            continue;
        list_names(key, names, sizeof names);
        rec_text_draw(text, sheet.x + padding, y, key_color, names);
        rec_text_draw(text, sheet.x + padding + keys_width + GAP * scale, y, bright, key->help);
        y += line;
    }
}

void rec_sheet_draw_notice(rec_text *text, rec_size area, const char *notice, int is_bad)
{
    const int one_line = rec_text_width(text, notice), most = (int)(area.width * 4 / 5);
    const int width = one_line < most ? one_line : most;
    const SDL_Color color = is_bad ? red : calm;
    const int height = rec_text_paragraph(text, 0, 0, width, color, notice, 0);
    rec_text_paragraph(text, ((int)area.width - width) / 2, ((int)area.height - height) / 2, width,
                       color, notice, 1);
}
