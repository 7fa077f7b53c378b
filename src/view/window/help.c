#include "view/window/help.h"

#include <stdio.h>
#include <string.h>

#include "view/draw/theme.h"
#include "view/window/keys.h"

#define PADDING 18 /* in the window's own pixels, to be scaled as the text is */
#define GAP 20
#define COLUMN_GAP 34
#define LEADING 4  /* between two lines */

/* The names of the keys for the action of `key`, which has its help text: "Right, Page Down, ]". */
static void list_names(const rec_key *key, char *names, size_t size)
{
    size_t used = (size_t)snprintf(names, size, "%s", key->name);
    for (const rec_key *other = key + 1; other->name && !other->help; other++)
        if (strcmp(other->name, other[-1].name) && used < size)
            used += (size_t)snprintf(names + used, size - used, ", %s", other->name);
}

static int is_listed(const rec_key *key, int slider)
{
    return key->help && (slider || key->time == REC_KEY_ALWAYS);
}

/* How large the help becomes, and how many pages there are of it. */
typedef struct layout {
    int pages, columns, lines;  /* lines of a column at most */
    int keys_width, help_width; /* output pixels */
    int width, height;
} layout;

static int round_up(int count, int parts) { return (count + parts - 1) / parts; }

static layout arrange(const rec_text *text, rec_size area, int slider)
{
    const int scale = rec_text_scale(text), line = rec_text_height(text) + LEADING * scale;
    const int padding = 2 * PADDING * scale, gap = COLUMN_GAP * scale;
    layout made = {0};
    int count = 0;
    char names[96];
    for (const rec_key *key = rec_keys; key->name; key++) {
        if (!is_listed(key, slider))
            continue;
        list_names(key, names, sizeof names);
        made.keys_width = rec_larger(made.keys_width, rec_text_width(text, names));
        made.help_width = rec_larger(made.help_width, rec_text_width(text, key->help));
        count++;
    }
    const int column = made.keys_width + GAP * scale + made.help_width;
    const int columns = rec_larger(((int)area.width - padding + gap) / (column + gap), 1);
    const int lines = rec_larger(((int)area.height - padding + LEADING * scale) / line, 1);
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
    layout help = arrange(text, area, slider);
    while (rec_text_scale(text) > 1 && help.pages > 1) {
        rec_text_set_scale(text, rec_text_scale(text) - 1);
        help = arrange(text, area, slider);
    }
    return help;
}

int rec_help_pages(rec_text *text, rec_size area, int slider)
{
    const int scale = rec_text_scale(text);
    const layout help = fit(text, area, slider);
    rec_text_set_scale(text, scale);
    return help.pages;
}

void rec_help_draw(SDL_Renderer *renderer, rec_text *text, rec_size area, int slider, int page)
{
    const int usual_scale = rec_text_scale(text);
    const layout help = fit(text, area, slider);
    const int scale = rec_text_scale(text), line = rec_text_height(text) + LEADING * scale;
    const int column = help.keys_width + help.help_width + (GAP + COLUMN_GAP) * scale;
    const SDL_Rect place = {rec_larger(((int)area.width - help.width) / 2, 0),
                            rec_larger(((int)area.height - help.height) / 2, 0), help.width,
                            help.height};
    const rec_panel panel = rec_panel_begin(renderer, text, place);
    int number = -(page - 1) * help.columns * help.lines;
    char names[96];
    for (const rec_key *key = rec_keys; key->name; key++) {
        if (!is_listed(key, slider))
            continue;
        const int x = place.x + PADDING * scale + number / help.lines * column;
        const int y = place.y + PADDING * scale + number % help.lines * line;
        list_names(key, names, sizeof names);
        if (number >= 0 && number < help.columns * help.lines) {
            rec_text_draw(text, x, y, rec_colors.amber, names);
            rec_text_draw(text, x + help.keys_width + GAP * scale, y, rec_colors.bright, key->help);
        }
        number++;
    }
    rec_panel_end(&panel);
    rec_text_set_scale(text, usual_scale);
}
