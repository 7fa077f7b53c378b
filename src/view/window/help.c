#include "view/window/help.h"

#include <stdio.h>
#include <string.h>

#include "view/draw/theme.h"
#include "view/window/keys.h"

/* At a scale of 1. */
#define PADDING 12
#define GAP 12        /* between a key and what it does */
#define COLUMN_GAP 24
#define LEADING 3     /* between two lines */
#define MOST_LINES 96 /* of the table, with its headings */

/* A line of the help: a heading, or a key. Empty lines between groups are only counted. */
typedef struct line {
    const char *heading; /* NULL: it is a key */
    const rec_key *key;
    int column, row;     /* columns go on from page to page */
} line;

typedef struct layout {
    line line[MOST_LINES];
    int lines;
    int columns, pages;         /* columns of a page */
    int rows;                   /* of the longest column */
    int keys_width, help_width; /* output pixels */
    int width, height;
} layout;

/* The names of the keys with the meaning of `key`, which has the help: "Page Down, ]". */
static void list_names(const rec_key *key, char *names, size_t size)
{
    size_t used = (size_t)snprintf(names, size, "%s", key->name);
    for (const rec_key *other = key + 1; other->name && !other->help; other++)
        if (strcmp(other->name, other[-1].name) && used < size)
            used += (size_t)snprintf(names + used, size - used, ", %s", other->name);
}

static int is_listed(const rec_key *key, int slider)
{
    return key->help && (slider || !rec_key_is_of_slider(key));
}

static void list_lines(layout *made, int slider)
{
    int group = -1;
    made->lines = 0;
    for (const rec_key *key = rec_keys; key->name && made->lines + 2 <= MOST_LINES; key++) {
        if (!is_listed(key, slider))
            continue;
        if ((int)key->group != group)
            made->line[made->lines++] = (line){.heading = rec_key_groups[key->group]};
        made->line[made->lines++] = (line){.key = key};
        group = (int)key->group;
    }
}

static int lines_of_group(const layout *made, int heading)
{
    int end = heading + 1;
    while (end < made->lines && !made->line[end].heading)
        end++;
    return end - heading;
}

/* Into columns of at most `rows`: a group that does not fit into the rest of one begins the next.
 * Returns how many there are. */
static int flow(layout *made, int rows)
{
    int column = 0, row = 0;
    made->rows = 0;
    for (int i = 0; i < made->lines; i++) {
        const int room = rows - row - 1, is_heading = made->line[i].heading != NULL;
        if (row && is_heading && room < lines_of_group(made, i)) {
            column++;
            row = 0;
        } else if (row == rows) {
            column++;
            row = 0;
        } else if (row && is_heading) {
            row++;
        }
        made->line[i].column = column;
        made->line[i].row = row++;
        made->rows = rec_larger(made->rows, row);
    }
    return column + 1;
}

static int row_height(const rec_text *text)
{
    return rec_text_height(text) + LEADING * rec_text_scale(text);
}

static layout arrange(const rec_text *text, rec_size area, int slider)
{
    const int scale = rec_text_scale(text), height = row_height(text);
    const int padding = 2 * PADDING * scale, gap = COLUMN_GAP * scale;
    layout made = {0};
    char names[96];
    list_lines(&made, slider);
    for (int i = 0; i < made.lines; i++) {
        if (!made.line[i].key)
            continue;
        list_names(made.line[i].key, names, sizeof names);
        made.keys_width = rec_larger(made.keys_width, rec_text_width(text, names));
        made.help_width =
            rec_larger(made.help_width, rec_text_width(text, made.line[i].key->help));
    }
    const int column = made.keys_width + GAP * scale + made.help_width;
    const int across = rec_larger(((int)area.width - padding + gap) / (column + gap), 1);
    const int most = rec_larger(((int)area.height - padding + LEADING * scale) / height, 2);
    int rows = rec_smaller((made.lines + across - 1) / across, most);
    int columns = flow(&made, rows);
    while (columns > across && rows < most)
        columns = flow(&made, ++rows);
    made.columns = rec_smaller(columns, across);
    made.pages = (columns + made.columns - 1) / made.columns;
    made.width = made.columns * (column + gap) - gap + padding;
    made.height = made.rows * height - LEADING * scale + padding;
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
    const int scale = rec_text_scale(text);
    const int column = help.keys_width + help.help_width + (GAP + COLUMN_GAP) * scale;
    const SDL_Rect place = {rec_larger(((int)area.width - help.width) / 2, 0),
                            rec_larger(((int)area.height - help.height) / 2, 0), help.width,
                            help.height};
    const rec_panel panel = rec_panel_begin(renderer, text, place);
    char names[96];
    for (int i = 0; i < help.lines; i++) {
        const line *now = &help.line[i];
        const int x = place.x + PADDING * scale + now->column % help.columns * column;
        const int y = place.y + PADDING * scale + now->row * row_height(text);
        if (now->column / help.columns != page - 1)
            continue;
        if (now->heading) {
            rec_text_draw(text, x, y, rec_colors.dim, now->heading);
            continue;
        }
        list_names(now->key, names, sizeof names);
        rec_text_draw(text, x, y, rec_colors.amber, names);
        rec_text_draw(text, x + help.keys_width + GAP * scale, y, rec_colors.bright,
                      now->key->help);
    }
    rec_panel_end(&panel);
    rec_text_set_scale(text, usual_scale);
}
