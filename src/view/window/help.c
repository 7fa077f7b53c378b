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
    const char *name, *help;
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

static void list_lines(layout *made, int slider)
{
    int group = -1;
    for (const rec_key *key = rec_keys; key->name && made->lines + 2 <= MOST_LINES; key++) {
        if (!key->help || (!slider && rec_key_is_of_slider(key)))
            continue;
        if ((int)key->group != group)
            made->line[made->lines++] = (line){.heading = rec_key_groups[key->group]};
        group = (int)key->group;
        made->line[made->lines++] = (line){.name = key->name, .help = key->help};
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
            made->keys_width = SDL_max(made->keys_width, rec_text_width(canvas, now->name));
            made->help_width = SDL_max(made->help_width, rec_text_width(canvas, now->help));
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

static void draw_page(const layout *help, const rec_canvas *canvas, int page)
{
    const int scale = canvas->scale;
    const int column = help->keys_width + help->help_width + (GAP + COLUMN_GAP) * scale;
    const SDL_Rect place = {SDL_max((canvas->width - help->width) / 2, 0),
                            SDL_max((canvas->rows - help->height) / 2, 0), help->width,
                            help->height};
    rec_panel_begin(canvas, place);
    for (const line *now = help->line; now < help->line + help->lines; now++) {
        const int x = place.x + PADDING * scale + now->column % help->columns * column;
        const int y = place.y + PADDING * scale + now->row * row_height(canvas);
        if (now->column / help->columns != page - 1)
            continue;
        rec_text_draw(canvas, REC_LEFT, x, y, now->heading ? rec_colors.dim : rec_colors.amber,
                      now->heading ? now->heading : now->name);
        if (now->help)
            rec_text_draw(canvas, REC_LEFT, x + help->keys_width + GAP * scale, y,
                          rec_colors.bright, now->help);
    }
    rec_panel_end(canvas);
}

int rec_help_draw(const rec_canvas *canvas, int slider, int page)
{
    layout help = {0};
    list_lines(&help, slider);
    arrange(&help, canvas);
    if (page <= help.pages)
        draw_page(&help, canvas, page);
    return help.pages;
}
