/* Guidance: every rule against the definition, pair by pair, a plain loop of this file. */
#include "problem/guidance.h"
#include "commands/commands.h"
#include "tests/unit/problems.h"

/* ---- the definition ---- */

static int is_inside(const rec_samples *image, long x, long y)
{
    return x >= 0 && y >= 0 && x < (long)image->width && y < (long)image->height;
}

static double sample(const rec_samples *image, size_t plane, long x, long y)
{
    const char *at = (const char *)image->data + (ptrdiff_t)plane * image->plane;
    return (double)((const float *)(const void *)(at + y * image->down))[x];
}

static int is_hidden(const rec_mask *hidden, const rec_samples *image, long x, long y)
{
    return hidden && hidden->unknown[y * (long)image->width + x];
}

static double source_sample(const rec_guidance *g, size_t plane, long x, long y)
{
    const rec_samples *source = g->source;
    if (source->planes == 1)
        return g->scale * sample(source, 0, x, y);
    if (g->rule == REC_GRADIENT_MONOCHROME || g->target->planes == 1)
        return g->scale * (0.299 * sample(source, 0, x, y) + 0.587 * sample(source, 1, x, y) +
                           0.114 * sample(source, 2, x, y));
    return g->scale * sample(source, plane, x, y);
}

/* v from pixel (x, y) to its neighbour (x + dx, y + dy). */
static double difference(const rec_guidance *g, size_t plane, long x, long y, int dx, int dy)
{
    const rec_samples *target = g->target;
    const long qx = source_index(g->boundary, 0, x + dx, (long)target->width);
    const long qy = source_index(g->boundary, 1, y + dy, (long)target->height);
    const int leaves = !is_inside(target, x + dx, y + dy);
    if (qx < 0 || qy < 0)
        return 0;
    const long sx = x - (long)g->x, sy = y - (long)g->y;
    double s = 0;
    if (g->source && !leaves && is_inside(g->source, sx, sy) &&
        is_inside(g->source, sx + dx, sy + dy) &&
        !is_hidden(g->source_hidden, g->source, sx, sy) &&
        !is_hidden(g->source_hidden, g->source, sx + dx, sy + dy))
        s = source_sample(g, plane, sx + dx, sy + dy) - source_sample(g, plane, sx, sy);
    const int unseen = is_hidden(g->hidden, target, x, y) || is_hidden(g->hidden, target, qx, qy);
    const double t = unseen ? 0 : sample(target, plane, qx, qy) - sample(target, plane, x, y);
    switch (g->rule) {
    case REC_GRADIENT_SOURCE:
    case REC_GRADIENT_MONOCHROME:
        return s;
    case REC_GRADIENT_MIXED:
        return fabs(t) > fabs(s) ? t : s;
    case REC_GRADIENT_AVERAGE:
        return 0.5 * s + 0.5 * t;
    case REC_GRADIENT_ZERO:
    case REC_GRADIENTS:
        break;
    }
    return 0;
}

static double edge(const rec_guidance *g, size_t plane, long x, long y)
{
    return difference(g, plane, x, y, 1, 0) + difference(g, plane, x, y, -1, 0) +
           difference(g, plane, x, y, 0, 1) + difference(g, plane, x, y, 0, -1);
}

/* ---- edges ---- */

static int has_source(const rec_guidance *g, long x, long y)
{
    const long sx = x - (long)g->x, sy = y - (long)g->y;
    return g->source && is_inside(g->source, sx, sy) &&
           !is_hidden(g->source_hidden, g->source, sx, sy);
}

static void check_edges(const rec_guidance *given, const char *what)
{
    const rec_samples *target = given->target;
    const double mass = given->rule == REC_GRADIENT_SOURCE ||
                                given->rule == REC_GRADIENT_MONOCHROME ? (double)(1 / 9.0F) : 0;
    rec_guidance kept = *given, *g = &kept;
    owned_image masses = new_image(target->width, target->height, 1);
    if (target->width % 2) { /* of others without */
        kept.mass = &masses;
        kept.keep = 3;
    }
    owned_image made = new_image(target->width, target->height, target->planes);
    rec_guidance_make(g, (rec_area){0, 0, target->width, target->height}, &made, NULL);
    EACH_SAMPLE(long, p, y, x, target->planes, (long)target->height, (long)target->width) {
        const double there = g->mass && has_source(g, x, y) ? mass : 0;
        const double pull = there > 0 ? there * source_sample(g, p, x - (long)g->x,
                                                              y - (long)g->y) : 0;
        const double wanted = edge(g, p, x, y) - pull, found = rec_image_row(&made, p, y)[x];
        assert_true(rec_image_row(&masses, 0, y)[x] == there);
        if (!(fabs(found - wanted) <= 1e-4))
            fail_msg("%s, %s, at %ld,%ld of plane %zu: %.9g, wanted %.9g", what,
                     rec_gradients[g->rule].name, x, y, p, found, wanted);
    }
}

TEST(edges_are_the_sums_of_differences)
{
    static const struct {
        size_t width, height, source_width, source_height;
        ptrdiff_t x, y;
    } cases[] = {{7, 5, 7, 5, 0, 0},    {9, 8, 4, 3, 2, 2},   {9, 8, 4, 3, -2, -1},
                 {9, 8, 4, 3, 7, 6},    {6, 6, 9, 9, -2, -2}, {5, 5, 3, 3, 9, 9},
                 {1, 1, 3, 3, -1, -1},  {1, 6, 1, 6, 0, 1},   {6, 1, 6, 1, 1, 0},
                 {600, 3, 580, 3, 5, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t planes = 0; planes < 4; planes++)
            for (size_t k = 0; k < LIMIT_KINDS; k++)
                for (int rule = 0; rule < REC_GRADIENTS; rule++) {
                    /* Few values: many ties. */
                    owned_image target = random_image(cases[i].width, cases[i].height,
                                                      planes & 1 ? 3 : 1, 0, 3, 10 + i);
                    owned_image source = random_image(cases[i].source_width, cases[i].source_height,
                                                      planes & 2 ? 3 : 1, 0, 3, 70 + i);
                    const rec_guidance g = {.target = SAMPLES(&target), .source = SAMPLES(&source),
                                            .x = cases[i].x, .y = cases[i].y,
                                            .scale = planes ? 1 : 255.0 / 65535,
                                            .rule = (rec_gradient)rule, .boundary = kinds[k]};
                    check_edges(&g, rec_boundaries[kinds[k]].name);
                    unsigned char hidden[600 * 9], source_hidden[600 * 9];
                    for (size_t at = 0; at < sizeof hidden; at++) {
                        hidden[at] = rand() % 3 == 0;
                        source_hidden[at] = rand() % 3 == 0;
                    }
                    rec_guidance part = g;
                    const rec_mask masks[] = {
                        {.width = target.width, .height = target.height, .unknown = hidden},
                        {.width = source.width, .height = source.height,
                         .unknown = source_hidden}};
                    part.hidden = &masks[0];
                    check_edges(&part, "hidden in the target");
                    part.source_hidden = &masks[1];
                    check_edges(&part, "hidden in both");
                }
}

TEST(without_a_source_its_differences_are_0)
{
    owned_image target = random_image(11, 9, 1, 0, 255, 3);
    for (int rule = 0; rule < REC_GRADIENTS; rule++) {
        const rec_guidance g = {.target = SAMPLES(&target), .scale = 1, .rule = (rec_gradient)rule};
        check_edges(&g, "no source");
    }
}

TEST(edges_outside_the_rectangle_stay)
{
    owned_image target = random_image(300, 9, 3, 0, 255, 4);
    const rec_guidance g = {.target = SAMPLES(&target), .source = SAMPLES(&target), .x = 3,
                            .y = 1, .scale = 1,
                            .rule = REC_GRADIENT_MIXED, .boundary = REC_BOUNDARY_MIRROR};
    owned_image whole = new_image(300, 9, 3), part = new_image(300, 9, 3);
    rec_image_fill(&part, 7);
    rec_guidance_make(&g, (rec_area){0, 0, 300, 9}, &whole, NULL);
    rec_guidance_make(&g, (rec_area){11, 2, 280, 5}, &part, NULL);
    EACH_SAMPLE(size_t, p, y, x, 3, 9, 300) {
        const int there = x >= 11 && x < 291 && y >= 2 && y < 7;
        assert_true(rec_image_row(&part, p, y)[x] == (there ? rec_image_row(&whole, p, y)[x] : 7));
    }
}

/* But for the last one, which is for healing. */
TEST(the_option_has_the_rules_of_the_table)
{
    char help[OPTION_HELP_TEXT];
    option_help(OPTION_GRADIENT, CLONE, help);
    for (int rule = 0; rule < REC_GRADIENTS; rule++) {
        const rec_gradient_row *row = &rec_gradients[rule];
        char *argv[] = {(char *)"clone", (char *)"--gradient", (char *)row->name, NULL};
        command_line line;
        const rec_status status = command_line_parse(&line, COMMAND_CLONE, 3, argv, NULL);
        assert_int_equal(status, rule == REC_GRADIENT_ZERO ? REC_USAGE : REC_OK);
        if (status)
            continue;
        assert_int_equal(line.option[OPTION_GRADIENT].count, rule);
        assert_non_null(strstr(help, row->name));
        assert_non_null(strstr(help, row->help));
    }
}
