/* The keys and what they do, from the table of keys. */
#include <string.h>

#include "view/window/window.h"

/* At a scale of 1. */
#define PADDING 12
#define GAP 12        /* between a key and what it does */
#define COLUMN_GAP 24
#define LEADING 3     /* between two lines */
#define MOST_LINES 96 /* of the table, with its headings */

/* The first page, without and with a brush, which has no headings. The others have all keys. */
enum { FIRST_ROWS = 12 };
static const char *const first_keys[2][FIRST_ROWS + 1] = {
    {"h, ?, F1", "q, Ctrl+Q", "s, Ctrl+S", "Space", "Tab", "+, =, z", "0", "b", "p", "r", "Ctrl+O",
     "End", "m, }" /* without a slider: in place of End */},
    {"h, ?, F1", "q, Ctrl+Q", "s, Ctrl+S", "Ctrl+Z", "Ctrl+Y", "[", "]", "w", "e", "y", "Backspace",
     "+, =, z"}};

/* A line of the help: a heading, or a key. Empty lines between groups are only counted. */
typedef struct line {
    const char *heading; /* NULL: it is a key */
    const rec_key *key;
    int column, row;     /* columns go on from page to page */
    int page;            /* from 1 */
    SDL_Rect place;      /* on it, without the gap to the next column */
} line;

typedef struct layout {
    line line[MOST_LINES];
    int lines, pages;
    int rows;       /* of the longest column */
    int keys_width; /* output pixels, with the gap to what they do */
    SDL_Rect panel;
} layout;

/* Sets the lines into columns of at most `rows`. A group that does not fit into the rest of a
 * column begins the next. Returns the number of columns. */
static int flow(layout *made, int rows)
{
    int column = 0, row = 0;
    made->rows = 0;
    for (int i = 0; i < made->lines; i++) {
        const int is_heading = row && made->line[i].heading;
        int end = i + 1;
        while (end < made->lines && !made->line[end].heading)
            end++;
        if (row == rows || (is_heading && rows - row - 1 < end - i)) {
            column++;
            row = 0;
        } else if (is_heading) {
            row++;
        }
        made->line[i].column = column;
        made->line[i].row = row++;
        made->rows = SDL_max(made->rows, row);
    }
    return column + 1;
}

static int is_first(const rec_key *key, rec_abilities abilities)
{
    const char *const *name = first_keys[abilities.paint != 0];
    for (int i = 0; i < FIRST_ROWS + !abilities.slider; i++)
        if (name[i] && !strcmp(name[i], key->name))
            return 1;
    return 0;
}

/* Returns the number of its pages. */
static int lay_out(layout *made, const rec_canvas *canvas, rec_abilities abilities, int first)
{
    const int scale = canvas->scale, height = canvas->line + LEADING * scale;
    const int padding = PADDING * scale, gap = COLUMN_GAP * scale;
    int help_width = 0, group = -1;
    *made = (layout){0};
    for (const rec_key *key = rec_keys; key->name && made->lines + 2 <= MOST_LINES; key++) {
        if (!key->help || !rec_key_works(key, abilities) || (first && !is_first(key, abilities)))
            continue;
        if ((int)key->group != group && !first)
            made->line[made->lines++] = (line){.heading = rec_key_groups[key->group]};
        group = (int)key->group;
        made->line[made->lines++] = (line){.key = key};
        const int key_width = rec_text_width(canvas, key->name) + GAP * scale;
        made->keys_width = SDL_max(made->keys_width, key_width);
        help_width = SDL_max(help_width, rec_text_width(canvas, rec_key_help(key, abilities)));
    }
    const int column = made->keys_width + help_width;
    const int across = SDL_max((canvas->width - 2 * padding + gap) / (column + gap), 1);
    const int all = flow(made, SDL_max((canvas->rows - 2 * padding + LEADING * scale) / height, 2));
    const int columns = SDL_min(all, across); /* of a page */
    made->pages = (all + columns - 1) / columns;
    made->panel.w = columns * (column + gap) - gap + 2 * padding;
    made->panel.h = made->rows * height - LEADING * scale + 2 * padding;
    made->panel.x = SDL_max((canvas->width - made->panel.w) / 2, 0);
    made->panel.y = SDL_max((canvas->rows - made->panel.h) / 2, 0);
    for (line *now = made->line; now < made->line + made->lines; now++) {
        now->page = now->column / columns + 1;
        now->place = (SDL_Rect){made->panel.x + padding + now->column % columns * (column + gap),
                                made->panel.y + padding + now->row * height, column, height};
    }
    return made->pages;
}

/* Of all pages one: `page` becomes its number in the layout. Returns how many there are. */
static int find_page(layout *made, const rec_canvas *canvas, rec_abilities abilities, int *page)
{
    layout first;
    const int pages = abilities.asks ? 0 : lay_out(&first, canvas, abilities, 1);
    const int others = lay_out(made, canvas, abilities, 0);
    if (*page > pages)
        *page -= pages;
    else
        *made = first;
    return pages + others;
}

int rec_help_draw(const rec_canvas *canvas, rec_abilities abilities, int page)
{
    layout help;
    const int pages = find_page(&help, canvas, abilities, &page);
    if (page > help.pages)
        return pages;
    rec_panel_begin(canvas, help.panel);
    for (const line *now = help.line; now < help.line + help.lines; now++) {
        const SDL_Rect *place = &now->place;
        if (now->page != page)
            continue;
        rec_text_draw(canvas, REC_LEFT, place->x, place->y,
                      now->heading ? rec_colors.dim : rec_colors.amber,
                      now->heading ? now->heading : now->key->name);
        if (!now->heading)
            rec_text_draw(canvas, REC_LEFT, place->x + help.keys_width, place->y, rec_colors.bright,
                          rec_key_help(now->key, abilities));
    }
    rec_panel_end(canvas);
    return pages;
}

const rec_key *rec_help_find(const rec_canvas *canvas, rec_abilities abilities, int page,
                             SDL_Point point)
{
    layout help;
    find_page(&help, canvas, abilities, &page);
    for (const line *now = help.line; now < help.line + help.lines; now++)
        if (now->page == page && SDL_PointInRect(&point, &now->place))
            return now->key;
    return NULL;
}
