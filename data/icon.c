/* Draws the program's icon: a castle on its hill, on the left as its edges, on the right as the
 * picture that comes of them.
 *
 * One table of shapes makes both halves: on the left each is outlined over the night, on the right
 * filled. A shape is the data of an SVG path, so the SVG has it as it stands; for pixels the same
 * text is read here, into polygons, and sampled. Few and large shapes: they must bear 16 pixels.
 * Left out on purpose: path commands that the table does not use, and ends of lines that are not
 * round. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 64,    /* of the drawing, in its own units; and of the pixels for the window's icon */
    SAMPLES = 8,  /* of a pixel, across and down */
    CURVE = 12,   /* pieces of a curve */
    POINTS = 128, /* of a shape, at most */
    MOST = 1024   /* pixels a side */
};

/* ---- what is drawn ---- */

typedef struct color {
    double r, g, b; /* 0..255 */
} color;

typedef struct paint { /* along a line from (x0, y0) to (x1, y1), constant beyond */
    const char *name;
    double x0, y0, x1, y1;
    color from, to;
} paint;

enum paint_id { NIGHT, SKY, RANGE, TOWER, WALL, KEEP, ROOF, FLAG, GATE, GLOW, GRASS, PATH, PAINTS };

static const paint paints[PAINTS] = {
    [NIGHT] = {"night", 0, 2, 0, 62, {34, 42, 78}, {13, 17, 36}},
    [SKY] = {"sky", 0, 4, 0, 46, {66, 128, 206}, {255, 218, 160}},
    [RANGE] = {"range", 0, 30, 0, 50, {150, 142, 190}, {206, 170, 172}},
    [TOWER] = {"tower", 43, 0, 54, 0, {255, 238, 208}, {178, 140, 126}},
    [WALL] = {"wall", 32, 0, 46, 0, {238, 214, 184}, {172, 138, 128}},
    [KEEP] = {"keep", 30, 0, 39, 0, {244, 222, 194}, {170, 138, 140}},
    [ROOF] = {"roof", 30, 0, 56, 0, {226, 86, 58}, {158, 44, 52}},
    [FLAG] = {"flag", 32, 0, 42, 0, {214, 40, 40}, {240, 98, 62}},
    [GATE] = {"gate", 0, 38, 0, 50, {44, 26, 34}, {104, 62, 40}},
    [GLOW] = {"glow", 0, 24, 0, 44, {255, 246, 190}, {255, 198, 92}},
    [GRASS] = {"grass", 0, 46, 0, 62, {134, 176, 74}, {44, 102, 56}},
    [PATH] = {"path", 0, 48, 0, 62, {244, 218, 168}, {208, 164, 106}},
};

static const struct shape {
    enum paint_id paint;
    const char *path; /* M L H V Q Z, absolute, one number after the other */
} shapes[] = {
    {SKY, "M2 2H62V62H2Z"},
    {RANGE, "M-4 50L7 37L16 45L32 34L50 45L58 35L68 48V64H-4Z"},
    {FLAG, "M32 2.5L41 5.2L32 8Z"},
    {KEEP, "M26 20H38V50H26Z"},
    {ROOF, "M23.5 21L32 6L40.5 21Z"},
    {GLOW, "M34 25H36V29H34Z"},
    {WALL, "M14 52V32H18.4V35H22.8V32H27.2V35H31.6V32H36V35H41.2V32H50V52Z"},
    {TOWER, "M10 29H20V54H10Z"},
    {TOWER, "M44 29H54V54H44Z"},
    {ROOF, "M7.5 30L15 16L22.5 30Z"},
    {ROOF, "M41.5 30L49 16L56.5 30Z"},
    {GLOW, "M47.4 35.5H50.6V41H47.4Z"},
    {GATE, "M26.5 52V45Q26.5 39 32 39Q37.5 39 37.5 45V52Z"},
    {GRASS, "M-4 56Q14 48 32 48Q50 48 68 56V68H-4Z"},
    {PATH, "M28 48H36Q35 52 39 55Q42 58 42 66H20Q20 58 25 55Q29 52 28 48Z"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The two halves of a tile with round corners, and the line between them. */
static const char left_half[] = "M32 2H16Q2 2 2 16V48Q2 62 16 62H32Z";
static const char right_half[] = "M32 2H48Q62 2 62 16V48Q62 62 48 62H32Z";
static const char between[] = "M32 2V62";
static const color outline = {222, 234, 255}, divider = {255, 255, 255};
static const double outline_width = 1.6, divider_width = 1.2;

/* ---- as SVG ---- */

static void print_color(const char *before, color c)
{
    printf("%s#%02x%02x%02x", before, (unsigned)c.r, (unsigned)c.g, (unsigned)c.b);
}

static void print_svg(void)
{
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
           "height=\"%d\">\n<title>reconstruct</title>\n<defs>\n", SIDE, SIDE, SIDE, SIDE);
    for (int i = 0; i < PAINTS; i++) {
        const paint *p = &paints[i];
        printf("<linearGradient id=\"%s\" gradientUnits=\"userSpaceOnUse\" x1=\"%g\" y1=\"%g\" "
               "x2=\"%g\" y2=\"%g\">", p->name, p->x0, p->y0, p->x1, p->y1);
        print_color("<stop offset=\"0\" stop-color=\"", p->from);
        print_color("\"/><stop offset=\"1\" stop-color=\"", p->to);
        puts("\"/></linearGradient>");
    }
    printf("<clipPath id=\"left\"><path d=\"%s\"/></clipPath>\n"
           "<clipPath id=\"right\"><path d=\"%s\"/></clipPath>\n</defs>\n", left_half, right_half);
    print_color("<g clip-path=\"url(#left)\" fill=\"url(#night)\" stroke=\"", outline);
    printf("\" stroke-width=\"%g\" stroke-linejoin=\"round\">\n", outline_width);
    for (int i = 0; i < SHAPES; i++)
        printf("<path d=\"%s\"%s/>\n", shapes[i].path, i ? "" : " stroke=\"none\"");
    puts("</g>\n<g clip-path=\"url(#right)\">");
    for (int i = 0; i < SHAPES; i++)
        printf("<path d=\"%s\" fill=\"url(#%s)\"/>\n", shapes[i].path,
               paints[shapes[i].paint].name);
    printf("</g>\n<path d=\"%s\" stroke-width=\"%g\"", between, divider_width);
    print_color(" stroke=\"", divider);
    puts("\"/>\n</svg>");
}

/* ---- as pixels ---- */

typedef struct point {
    double x, y;
} point;

typedef struct polygon {
    point at[POINTS];
    int count, closed;
} polygon;

static _Noreturn void fail(int code, const char *message)
{
    fprintf(stderr, "icon: %s\n", message);
    exit(code);
}

static void put(polygon *p, double x, double y)
{
    if (p->count == POINTS)
        fail(70, "a shape of too many points");
    p->at[p->count++] = (point){x, y};
}

static polygon read_path(const char *path)
{
    polygon p = {.count = 0};
    while (*path) {
        const char command = *path++;
        double n[4];
        const int wanted = command == 'Q' ? 4 : command == 'M' || command == 'L' ? 2
                         : command == 'H' || command == 'V' ? 1 : 0;
        for (int i = 0; i < wanted; i++) {
            char *end;
            n[i] = strtod(path, &end);
            path = end + (*end == ' ');
        }
        const point last = p.count ? p.at[p.count - 1] : (point){0, 0};
        switch (command) {
        case 'M':
        case 'L': put(&p, n[0], n[1]); break;
        case 'H': put(&p, n[0], last.y); break;
        case 'V': put(&p, last.x, n[0]); break;
        case 'Q':
            for (int i = 1; i <= CURVE; i++) {
                const double t = (double)i / CURVE, u = 1 - t;
                put(&p, u * u * last.x + 2 * u * t * n[0] + t * t * n[2],
                    u * u * last.y + 2 * u * t * n[1] + t * t * n[3]);
            }
            break;
        case 'Z': p.closed = 1; break;
        default: fail(70, "a path with a command that is not read here");
        }
    }
    return p;
}

/* Even and odd crossings of the ray to the left. */
static int is_inside(const polygon *p, point s)
{
    int inside = 0;
    for (int i = 0, j = p->count - 1; i < p->count; j = i++) {
        const point a = p->at[i], b = p->at[j];
        if ((a.y > s.y) != (b.y > s.y) && s.x > a.x + (b.x - a.x) * (s.y - a.y) / (b.y - a.y))
            inside = !inside;
    }
    return inside;
}

static int is_on_line(const polygon *p, point s, double width)
{
    for (int i = p->closed ? 0 : 1; i < p->count; i++) {
        const point a = p->at[i ? i - 1 : p->count - 1], b = p->at[i];
        const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
        double t = length > 0 ? ((s.x - a.x) * dx + (s.y - a.y) * dy) / length : 0;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        const double x = a.x + t * dx - s.x, y = a.y + t * dy - s.y;
        if (4 * (x * x + y * y) <= width * width)
            return 1;
    }
    return 0;
}

static color color_at(enum paint_id id, point s)
{
    const paint *p = &paints[id];
    const double dx = p->x1 - p->x0, dy = p->y1 - p->y0;
    double t = ((s.x - p->x0) * dx + (s.y - p->y0) * dy) / (dx * dx + dy * dy);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return (color){p->from.r + t * (p->to.r - p->from.r), p->from.g + t * (p->to.g - p->from.g),
                   p->from.b + t * (p->to.b - p->from.b)};
}

static polygon polygons[SHAPES], left, right, middle;

/* 0 outside the tile. */
static int sample(point s, color *c)
{
    const int on_left = is_inside(&left, s);
    if (!on_left && !is_inside(&right, s))
        return 0;
    for (int i = SHAPES - 1; i >= 0; i--) /* the topmost that is there */
        if (on_left && i && is_on_line(&polygons[i], s, outline_width)) {
            *c = outline;
            break;
        } else if (is_inside(&polygons[i], s)) {
            *c = color_at(on_left ? NIGHT : shapes[i].paint, s);
            break;
        }
    if (is_on_line(&middle, s, divider_width))
        *c = divider;
    return 1;
}

/* Red, green, blue and alpha, by which they are not multiplied, of one of side * side pixels. */
static void pixel(int column, int row, int side, unsigned char out[4])
{
    const double step = (double)SIDE / side / SAMPLES;
    color sum = {0, 0, 0};
    int covered = 0;
    for (int k = 0; k < SAMPLES * SAMPLES; k++) {
        const point s = {(column * SAMPLES + k % SAMPLES + 0.5) * step,
                         (row * SAMPLES + k / SAMPLES + 0.5) * step};
        color c = {0, 0, 0};
        if (!sample(s, &c))
            continue;
        covered++;
        sum = (color){sum.r + c.r, sum.g + c.g, sum.b + c.b};
    }
    const double weight = covered ? covered : 1;
    out[0] = (unsigned char)(sum.r / weight + 0.5);
    out[1] = (unsigned char)(sum.g / weight + 0.5);
    out[2] = (unsigned char)(sum.b / weight + 0.5);
    out[3] = (unsigned char)(255.0 * covered / (SAMPLES * SAMPLES) + 0.5);
}

static void print_pixels(int side, int as_c)
{
    for (int i = 0; i < SHAPES; i++)
        polygons[i] = read_path(shapes[i].path);
    left = read_path(left_half);
    right = read_path(right_half);
    middle = read_path(between);
    if (as_c)
        printf("/* Made by data/icon.c. */\n#include \"view/draw/draw.h\"\n\n"
               "const unsigned char rec_icon[4 * REC_ICON_SIDE * REC_ICON_SIDE] = {\n");
    else
        printf("P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", side,
               side);
    for (int i = 0; i < side * side; i++) {
        unsigned char p[4];
        pixel(i % side, i / side, side, p);
        if (as_c)
            printf("%d,%d,%d,%d,%s", p[0], p[1], p[2], p[3], i % 4 == 3 ? "\n" : "");
        else
            fwrite(p, 1, sizeof p, stdout);
    }
    if (as_c)
        puts("};");
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    const long side = count == 3 ? strtol(arguments[2], NULL, 10) : SIDE;
    if (count == 2 && !strcmp(what, "svg"))
        print_svg();
    else if (count == 2 && !strcmp(what, "c"))
        print_pixels(SIDE, 1);
    else if ((count == 2 || count == 3) && !strcmp(what, "pam") && side >= 1 && side <= MOST)
        print_pixels((int)side, 0);
    else
        fail(64, "usage: icon svg | c | pam [PIXELS, 1 to 1024] > FILE");
    if (ferror(stdout) || fclose(stdout))
        fail(74, strerror(errno));
    return 0;
}
