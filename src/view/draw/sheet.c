#include "view/draw/sheet.h"

#include <stdio.h>
#include <string.h>

#include "view/window/keys.h"

#define PADDING 18 /* in the window's own pixels, to be scaled as the text is */
#define GAP 20
#define COLUMN_GAP 34
#define TAG_PADDING 6
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

static void draw_panel(SDL_Renderer *renderer, const SDL_Rect *panel)
{
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    SDL_SetRenderDrawColor(renderer, 18, 19, 22, 225);
    SDL_RenderFillRect(renderer, panel);
    SDL_SetRenderDrawColor(renderer, 70, 73, 80, 255);
    SDL_RenderDrawRect(renderer, panel);
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_NONE);
}

/* How large the sheet becomes, and how many pages there are of it. */
typedef struct layout {
    int pages, columns, lines;  /* lines of a column at most */
    int keys_width, help_width; /* output pixels */
    int width, height;
} layout;

static int larger(int a, int b) { return a > b ? a : b; }

static int round_up(int count, int parts) { return (count + parts - 1) / parts; }

static layout arrange(const rec_text *text, rec_size area, int slider)
{
    const int scale = rec_text_scale(text), line = rec_text_height(text) + LEADING * scale;
    const int padding = 2 * PADDING * scale, gap = COLUMN_GAP * scale;
    layout made = {0};
    int count = 0;
    char names[96];
    for (const rec_key *key = rec_keys; key->action; key++) {
        if (!is_listed(key, slider))
            continue;
        list_names(key, names, sizeof names);
        made.keys_width = larger(made.keys_width, rec_text_width(text, names));
        made.help_width = larger(made.help_width, rec_text_width(text, key->help));
        count++;
    }
    const int column = made.keys_width + GAP * scale + made.help_width;
    const int columns = larger(((int)area.width - padding + gap) / (column + gap), 1);
    const int lines = larger(((int)area.height - padding + LEADING * scale) / line, 1);
    made.pages = round_up(count, columns * lines);
    const int on_a_page = round_up(count, made.pages);
    made.columns = round_up(on_a_page, lines);
    made.lines = round_up(on_a_page, made.columns);
    made.width = made.columns * (column + gap) - gap + padding;
    made.height = made.lines * line - LEADING * scale + padding;
    return made;
}

/* In smaller letters where it has more than a page; whoever asks sets the scale back. */
static layout fit(rec_text *text, rec_size area, int slider)
{
    layout sheet = arrange(text, area, slider);
    while (rec_text_scale(text) > 1 && sheet.pages > 1) {
        rec_text_set_scale(text, rec_text_scale(text) - 1);
        sheet = arrange(text, area, slider);
    }
    return sheet;
}

int rec_sheet_pages(rec_text *text, rec_size area, int slider)
{
    const int scale = rec_text_scale(text);
    const layout sheet = fit(text, area, slider);
    rec_text_set_scale(text, scale);
    return sheet.pages;
}

void rec_sheet_draw_help(SDL_Renderer *renderer, rec_text *text, rec_size area, int slider, int page)
{
    const int usual_scale = rec_text_scale(text);
    const layout sheet = fit(text, area, slider);
    const int scale = rec_text_scale(text), line = rec_text_height(text) + LEADING * scale;
    const int column = sheet.keys_width + sheet.help_width + (GAP + COLUMN_GAP) * scale;
    const SDL_Rect panel = {larger(((int)area.width - sheet.width) / 2, 0),
                            larger(((int)area.height - sheet.height) / 2, 0), sheet.width,
                            sheet.height};
    draw_panel(renderer, &panel);
    int number = -(page - 1) * sheet.columns * sheet.lines;
    char names[96];
    for (const rec_key *key = rec_keys; key->action; key++) {
        if (!is_listed(key, slider))
            continue;
        const int x = panel.x + PADDING * scale + number / sheet.lines * column;
        const int y = panel.y + PADDING * scale + number % sheet.lines * line;
        list_names(key, names, sizeof names);
        if (number >= 0 && number < sheet.columns * sheet.lines) {
            rec_text_draw(text, x, y, key_color, names);
            rec_text_draw(text, x + sheet.keys_width + GAP * scale, y, bright, key->help);
        }
        number++;
    }
    rec_text_set_scale(text, usual_scale);
}

void rec_sheet_draw_tag(SDL_Renderer *renderer, rec_text *text, int x, int y, const char *line)
{
    const int scale = rec_text_scale(text), padding = TAG_PADDING * scale;
    const SDL_Rect panel = {x * scale, y * scale, rec_text_width(text, line) + 2 * padding,
                            rec_text_height(text) + 2 * padding};
    draw_panel(renderer, &panel);
    rec_text_draw(text, panel.x + padding, panel.y + padding, bright, line);
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
