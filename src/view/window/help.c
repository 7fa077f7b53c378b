/* The keys and what they do, from the table of keys. */
#include "view/window/window.h"

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

static void list_lines(layout *made, rec_abilities abilities)
{
    int group = -1;
    for (const rec_key *key = rec_keys; key->name && made->lines + 2 <= MOST_LINES; key++) {
        if (!key->help || !rec_key_works(key, abilities))
            continue;
        if ((int)key->group != group)
            made->line[made->lines++] = (line){.heading = rec_key_groups[key->group]};
        group = (int)key->group;
        made->line[made->lines++] = (line){.key = key};
    }
}

static int lines_of_group(const layout *made, int heading)
{
    int end = heading + 1;
    while (end < made->lines && !made->line[end].heading)
        end++;
    return end - heading;
}

/* Sets the lines into columns of at most `rows`. A group that does not fit into the rest of a
 * column begins the next. Returns the number of columns. */
static int flow(layout *made, int rows)
{
    int column = 0, row = 0;
    made->rows = 0;
    for (int i = 0; i < made->lines; i++) {
        const int is_heading = row && made->line[i].heading;
        if (row == rows || (is_heading && rows - row - 1 < lines_of_group(made, i))) {
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

static int row_height(const rec_canvas *canvas) { return canvas->line + LEADING * canvas->scale; }

static void arrange(layout *made, const rec_canvas *canvas)
{
    const int scale = canvas->scale, height = row_height(canvas);
    const int padding = 2 * PADDING * scale, gap = COLUMN_GAP * scale;
    made->keys_width = made->help_width = 0;
    for (const line *now = made->line; now < made->line + made->lines; now++)
        if (!now->heading) {
            made->keys_width = SDL_max(made->keys_width, rec_text_width(canvas, now->key->name));
            made->help_width = SDL_max(made->help_width, rec_text_width(canvas, now->key->help));
        }
    const int column = made->keys_width + GAP * scale + made->help_width;
    const int across = SDL_max((canvas->width - padding + gap) / (column + gap), 1);
    const int most = SDL_max((canvas->rows - padding + LEADING * scale) / height, 2);
    const int columns = flow(made, most);
    made->columns = SDL_min(columns, across);
    made->pages = (columns + made->columns - 1) / made->columns;
    made->width = made->columns * (column + gap) - gap + padding;
    made->height = made->rows * height - LEADING * scale + padding;
}

static void lay_out(layout *made, const rec_canvas *canvas, rec_abilities abilities)
{
    *made = (layout){0};
    list_lines(made, abilities);
    arrange(made, canvas);
}

static SDL_Rect place_of(const layout *help, const rec_canvas *canvas)
{
    return (SDL_Rect){SDL_max((canvas->width - help->width) / 2, 0),
                      SDL_max((canvas->rows - help->height) / 2, 0), help->width, help->height};
}

/* Of a line on its page; without the gap to the next column. */
static SDL_Rect row_of(const layout *help, const rec_canvas *canvas, const line *now)
{
    const SDL_Rect place = place_of(help, canvas);
    const int scale = canvas->scale, width = help->keys_width + GAP * scale + help->help_width;
    return (SDL_Rect){place.x + PADDING * scale +
                          now->column % help->columns * (width + COLUMN_GAP * scale),
                      place.y + PADDING * scale + now->row * row_height(canvas), width,
                      row_height(canvas)};
}

static void draw_page(const layout *help, const rec_canvas *canvas, int page)
{
    rec_panel_begin(canvas, place_of(help, canvas));
    for (const line *now = help->line; now < help->line + help->lines; now++) {
        const SDL_Rect row = row_of(help, canvas, now);
        if (now->column / help->columns != page - 1)
            continue;
        rec_text_draw(canvas, REC_LEFT, row.x, row.y,
                      now->heading ? rec_colors.dim : rec_colors.amber,
                      now->heading ? now->heading : now->key->name);
        if (!now->heading)
            rec_text_draw(canvas, REC_LEFT, row.x + help->keys_width + GAP * canvas->scale, row.y,
                          rec_colors.bright, now->key->help);
    }
    rec_panel_end(canvas);
}

int rec_help_draw(const rec_canvas *canvas, rec_abilities abilities, int page)
{
    layout help;
    lay_out(&help, canvas, abilities);
    if (page <= help.pages)
        draw_page(&help, canvas, page);
    return help.pages;
}

const rec_key *rec_help_find(const rec_canvas *canvas, rec_abilities abilities, int page,
                             SDL_Point point)
{
    layout help;
    lay_out(&help, canvas, abilities);
    for (const line *now = help.line; now < help.line + help.lines; now++) {
        const SDL_Rect row = row_of(&help, canvas, now);
        if (now->column / help.columns == page - 1 && SDL_PointInRect(&point, &row))
            return now->key;
    }
    return NULL;
}
