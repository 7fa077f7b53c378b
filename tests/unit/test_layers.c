/* What a snapshot shows, byte by byte: every layer by every tone and contrast, reduced and in part,
 * against the formulas of solver.h worked out in double here; and the same bytes from every
 * solver. */
#include "kernels/tone.h"
#include "tests/unit/iterates.h"

/* Everything, a reduction, a part at its own size, a part reduced, a pixel, a corner. */
enum { VIEWS = 6, CONTRASTS = 4 };
static rec_view view_of(size_t index, size_t width, size_t height)
{
    const size_t w = width, h = height;
    const size_t views[VIEWS][6] = {{0, 0, w, h, w, h},
                                    {0, 0, w, h, w / 3 + 1, h / 2 + 1},
                                    {w / 3, h / 5, w - w / 3, h - h / 5, w - w / 3, h - h / 5},
                                    {w / 7, 0, w - w / 4, h, w / 5 + 1, 1},
                                    {w - 1, h - 1, 1, 1, 1, 1},
                                    {w / 2, h / 2, w - w / 2, h - h / 2, 1, h / 4 + 1}};
    const size_t *v = views[index];
    return (rec_view){.x = v[0], .y = v[1], .width = v[2], .height = v[3], .out_width = v[4],
                      .out_height = v[5]};
}
static const float contrasts[CONTRASTS] = {0, 1, 0.3f, 7.5f};
static const float shifts[CONTRASTS] = {0, -30.25f, 12.5f, 400}; /* with them */

/* ---- against the formulas ---- */

typedef struct layer_scene {
    rec_image edges, now, mark, other;
} layer_scene;

/* A solver that has iterated since its mark, and the images that its layers are made of. Of colour
 * the border is folded into what the solver has of the edges: they are shown as they were given. */
static rec_solver *make_scene(layer_scene *scene, const way *w, size_t width, size_t height,
                              size_t planes)
{
    *scene = (layer_scene){0};
    scene->edges = problem_noise(width, height, planes, 900, (unsigned)(width + planes));
    scene->other = problem_picture(width, height, planes, 3);
    const rec_problem problem = {
        .input = &scene->edges,
        .boundary = {planes == 1 ? REC_BOUNDARY_HALO : REC_BOUNDARY_SAWTOOTH, .value = 4}};
    rec_solver *solver = solver_by(w, &problem);
    if (!solver)
        return NULL;
    solver_advance(solver, 3, 0);
    scene->mark = solver_image(solver);
    SUCCEEDS(rec_solver_mark(solver, &error));
    SUCCEEDS(rec_solver_set_reference(solver, &scene->other, 0, &error));
    solver_advance(solver, 4, 0);
    scene->now = solver_image(solver);
    return solver;
}

static void destroy_scene(layer_scene *scene)
{
    rec_image_destroy(&scene->edges);
    rec_image_destroy(&scene->now);
    rec_image_destroy(&scene->mark);
    rec_image_destroy(&scene->other);
}
#define owned_scene REC_OWNED(destroy_scene) layer_scene

static double value_at(const layer_scene *scene, rec_layer layer, size_t p, size_t y, size_t x)
{
    const double m = (double)rec_image_row(&scene->now, p, y)[x];
    switch (layer) {
    case REC_LAYER_EDGES:
        return (double)rec_image_row(&scene->edges, p, y)[x];
    case REC_LAYER_CHANGE:
        return fabs(m - (double)rec_image_row(&scene->mark, p, y)[x]);
    case REC_LAYER_DIFFERENCE:
        return m - (double)rec_image_row(&scene->other, p, y)[x];
    case REC_LAYER_PICTURE:
    case REC_LAYERS:
        break;
    }
    return m;
}

static double mean_of(const layer_scene *scene, rec_layer layer, size_t p, size_t top,
                      size_t bottom, size_t left, size_t right)
{
    double sum = 0;
    for (size_t y = top; y < bottom; y++)
        for (size_t x = left; x < right; x++)
            sum += value_at(scene, layer, p, y, x);
    return sum / (double)((bottom - top) * (right - left));
}

/* What is rounded and clamped, by the formula. */
static double formula(const rec_view *view, double c, double v, double low, double high)
{
    const rec_tone tone = view->tone;
    const double root = copysign(sqrt(fabs(v) / high), v);
    switch (rec_layers[view->layer].scale) {
    case REC_SCALE_SIGNED_TONE:
        return 128 + (tone == REC_TONE_CLAMP     ? c * v
                      : tone == REC_TONE_STRETCH ? 127 * c * v / high
                                                 : 127 * c * root);
    case REC_SCALE_MAGNITUDE:
        return 255 * c * root;
    case REC_SCALE_SIGNED:
        return 128 + 127 * c * root;
    case REC_SCALE_TONE:
        break;
    }
    if (tone == REC_TONE_STRETCH)
        v = 255 * (v - low) / (high - low);
    if (tone == REC_TONE_EPCC) {
        const double t = high > 255 ? floor(255 * fabs(v - low) / (high - low) + 0.5)
                                    : floor(fabs(v) + 0.5);
        v = fmin(255, floor(255 * sqrt(t / 255)));
    }
    return (v + (double)view->shift - 127.5) * c + 127.5;
}

static int byte_of(double v) { return (int)floor(fmin(fmax(v, 0), 255) + 0.5); }

/* What float32 rounded on the way moves a value by a millionth or two of the largest, and may take
 * it over a half. */
static void check_bytes(const layer_scene *scene, const rec_view *view, const rec_snapshot *seen)
{
    const double c = view->contrast > 0 ? (double)view->contrast : 1;
    double low = INFINITY, high = -INFINITY, largest = 0;
    EACH_SAMPLE(size_t, p, y, x, scene->now.planes, scene->now.height, scene->now.width) {
        double v = value_at(scene, view->layer, p, y, x);
        largest = fmax(largest, fabs(v));
        if (view->layer != REC_LAYER_PICTURE || view->tone == REC_TONE_EPCC)
            v = fabs(v);
        low = fmin(low, v);
        high = fmax(high, v);
    }
    if (rec_layers[view->layer].scale == REC_SCALE_MAGNITUDE)
        low = 0;
    else if (view->layer != REC_LAYER_PICTURE)
        low = -high;
    if (view->tone == REC_TONE_CLAMP &&
        (view->layer == REC_LAYER_PICTURE || view->layer == REC_LAYER_EDGES))
        low = high = 0;
    assert_true(fabs((double)seen->low - low) <= 1e-6 * fabs(low));
    assert_true(fabs((double)seen->high - high) <= 1e-6 * fabs(high));
    assert_true((double)seen->view.contrast == c);
    for (size_t p = 0; p < scene->now.planes; p++)
        for (size_t i = 0; i < view->out_width * view->out_height; i++) {
            const size_t row = i / view->out_width, column = i % view->out_width;
            const double v = mean_of(scene, view->layer, p,
                                     view->y + row * view->height / view->out_height,
                                     view->y + (row + 1) * view->height / view->out_height,
                                     view->x + column * view->width / view->out_width,
                                     view->x + (column + 1) * view->width / view->out_width);
            const double slack = 2e-6 * largest;
            const int found = seen->pixels[(p * view->out_height + row) * seen->stride + column];
            int least = 255, most = 0;
            for (int sign = -1; sign <= 1; sign++) {
                const double e = formula(view, c, v + sign * slack, low, high);
                least = byte_of(e - 1e-4 * c) < least ? byte_of(e - 1e-4 * c) : least;
                most = byte_of(e + 1e-4 * c) > most ? byte_of(e + 1e-4 * c) : most;
            }
            if (found < least || found > most)
                fail_msg("layer %d by %s, contrast %g, %zu x %zu of %zu x %zu: %d at plane %zu, "
                         "(%zu, %zu), which is %g: not %d to %d",
                         (int)view->layer, rec_tone_names[view->tone], c, view->out_width,
                         view->out_height, scene->now.width, scene->now.height, found, p, column,
                         row, v, least, most);
        }
}

/* Along the border, too, a pixel has the edge that was given. */
static void check_probes(const layer_scene *scene, rec_solver *solver)
{
    rec_probe probe;
    const size_t width = scene->edges.width, apart = width > 1 ? width - 1 : 1;
    for (size_t y = 0; y < scene->edges.height; y++)
        for (size_t x = 0; x < width; x += apart) {
            SUCCEEDS(rec_solver_probe(solver, x, y, &probe, &error));
            for (size_t p = 0; p < scene->edges.planes; p++)
                assert_true(probe.edges[p] == rec_image_row(&scene->edges, p, y)[x]);
        }
}

/* The numbers of the pixels are those that the layer is made of. */
static void check_values(const layer_scene *scene, rec_solver *solver)
{
    float values[3 * 129 * 65];
    for (rec_layer layer = 0; layer < REC_LAYERS; layer++)
        for (size_t i = 0; i < VIEWS; i++) {
            rec_view view = view_of(i, scene->now.width, scene->now.height);
            view.layer = layer;
            SUCCEEDS(rec_solver_values(solver, &view, values, &error));
            for (size_t at = 0; at < scene->now.planes * view.height * view.width; at++) {
                const size_t row = at / view.width, p = row / view.height;
                const double expected = value_at(scene, layer, p, view.y + row % view.height,
                                                 view.x + at % view.width);
                assert_true(fabs((double)values[at] - expected) <= 2e-6 * fabs(expected) + 1e-4);
            }
        }
}

static void check_formulas(const way *w, size_t width, size_t height, size_t planes)
{
    owned_scene scene;
    owned_solver *solver = make_scene(&scene, w, width, height, planes);
    for (int layer = 0; layer < REC_LAYERS; layer++)
        for (int tone = 0; tone < REC_TONES; tone++)
            for (size_t i = 0; i < VIEWS * CONTRASTS; i++) {
                rec_view view = view_of(i % VIEWS, width, height);
                view.layer = (rec_layer)layer;
                view.tone = (rec_tone)tone;
                view.contrast = contrasts[i / VIEWS];
                view.shift = shifts[i / VIEWS];
                const rec_snapshot *seen = solver_show(solver, &view);
                check_bytes(&scene, &view, seen);
                rec_solver_release(solver, seen);
            }
    check_probes(&scene, solver);
    check_values(&scene, solver);
}

TEST(host_shows_what_the_formulas_say)
{
    check_formulas(&ways[0], 61, 43, 1);
    check_formulas(&ways[0], 33, 50, 3);
    check_formulas(&ways[1], 1, 7, 3);
    check_formulas(&ways[1], 129, 65, 3);
}

/* Single values whose bytes are known without a formula. */
TEST(values_have_their_bytes)
{
    static const struct {
        rec_layer layer;
        rec_tone tone;
        float contrast, most, value;
        unsigned expected;
    } cases[] = {
        {REC_LAYER_EDGES, REC_TONE_CLAMP, 1, 0, 0.0f, 128},
        {REC_LAYER_EDGES, REC_TONE_CLAMP, 1, 0, 0.5f, 129},
        {REC_LAYER_EDGES, REC_TONE_CLAMP, 1, 0, -0.5f, 128},
        {REC_LAYER_EDGES, REC_TONE_CLAMP, 1, 0, -1000.0f, 0},
        {REC_LAYER_EDGES, REC_TONE_CLAMP, 2, 0, 20.0f, 168},
        {REC_LAYER_EDGES, REC_TONE_STRETCH, 1, 1020, 1020.0f, 255},
        {REC_LAYER_EDGES, REC_TONE_STRETCH, 1, 1020, -1020.0f, 1},
        {REC_LAYER_EDGES, REC_TONE_STRETCH, 1, 0, 0.0f, 128},
        {REC_LAYER_EDGES, REC_TONE_EPCC, 1, 400, 100.0f, 192},
        {REC_LAYER_EDGES, REC_TONE_EPCC, 1, 400, -100.0f, 65},
        {REC_LAYER_EDGES, REC_TONE_EPCC, 4, 400, -400.0f, 0},
        {REC_LAYER_CHANGE, REC_TONE_CLAMP, 1, 4, 1.0f, 128},
        {REC_LAYER_CHANGE, REC_TONE_EPCC, 2, 4, 1.0f, 255},
        {REC_LAYER_CHANGE, REC_TONE_STRETCH, 1, 0, 0.0f, 0},
        {REC_LAYER_DIFFERENCE, REC_TONE_CLAMP, 1, 0, 0.0f, 128},
        {REC_LAYER_DIFFERENCE, REC_TONE_CLAMP, 1, 0x1p-149f, -0x1p-149f, 1},
        {REC_LAYER_DIFFERENCE, REC_TONE_CLAMP, 1, 9, NAN, 0},
        {REC_LAYER_PICTURE, REC_TONE_CLAMP, 2, 0, 127.5f, 128},
        {REC_LAYER_PICTURE, REC_TONE_CLAMP, 2, 0, 100.0f, 73},
        {REC_LAYER_PICTURE, REC_TONE_CLAMP, 0.5f, 0, 300.0f, 214},
        {REC_LAYER_PICTURE, REC_TONE_CLAMP, 2, 0, NAN, 0},
        {REC_LAYER_PICTURE, REC_TONE_CLAMP, 1, 0, 0.49999997f, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rec_tone_map map = {rec_layers[cases[i].layer].scale, cases[i].tone, cases[i].contrast,
                            0, 0, 0};
        rec_tone_set_range(&map, 0, cases[i].most);
        if (rec_tone_byte(cases[i].value, &map) != cases[i].expected)
            fail_msg("case %zu: %u instead of %u", i, rec_tone_byte(cases[i].value, &map),
                     cases[i].expected);
    }
}

/* ---- nothing to see ---- */

static void assert_all(rec_solver *solver, rec_layer layer, rec_tone tone, int byte)
{
    rec_view view = view_of(1, 40, 30);
    view.layer = layer;
    view.tone = tone;
    view.contrast = 3;
    const rec_snapshot *seen = solver_show(solver, &view);
    for (size_t i = 0; i < seen->height * seen->stride; i++)
        assert_int_equal(seen->pixels[i], byte);
    assert_true(seen->low == 0 && seen->high == 0 && !signbit(seen->low));
    rec_solver_release(solver, seen);
}

TEST_EACH(nothing_is_neutral, "reference", "cpu", "cuda")
{
    const rec_solver_type *type = solver_or_skip(*state);
    owned_image edges = problem_noise(40, 30, 1, 1, 1), noise = problem_noise(40, 30, 1, 500, 1);
    rec_image_fill(&edges, 0.0f);
    owned_solver *solver = solver_make(type, &edges, NULL, 0.0f);
    SUCCEEDS(rec_solver_set_reference(solver, &edges, 0, &error));
    for (int tone = 0; tone < REC_TONES; tone++) {
        assert_all(solver, REC_LAYER_EDGES, (rec_tone)tone, 128);
        assert_all(solver, REC_LAYER_CHANGE, (rec_tone)tone, 0);
        assert_all(solver, REC_LAYER_DIFFERENCE, (rec_tone)tone, 128);
    }
    /* What changes before there is a mark is no change. */
    owned_solver *unmarked = solver_make(type, &noise, NULL, 0.0f);
    solver_advance(unmarked, 2, 0);
    assert_all(unmarked, REC_LAYER_CHANGE, REC_TONE_CLAMP, 0);
    SUCCEEDS(rec_solver_mark(unmarked, &error));
    assert_all(unmarked, REC_LAYER_CHANGE, REC_TONE_CLAMP, 0);
}

/* ---- the same bytes ---- */

/* Of all layers that the second one has. */
static void assert_same_shown(rec_solver *expected, rec_solver *found, size_t width, size_t height)
{
    const int advances = rec_solver_shows(found, REC_LAYER_CHANGE);
    rec_owned float *values = malloc(6 * width * height * sizeof *values);
    float *others = values + 3 * width * height;
    for (size_t i = 0; i < (size_t)REC_LAYERS * REC_TONES * VIEWS * CONTRASTS; i++) {
        rec_view view = view_of(i % VIEWS, width, height);
        view.contrast = contrasts[i / VIEWS % CONTRASTS];
        view.shift = shifts[i / VIEWS % CONTRASTS];
        view.tone = (rec_tone)(i / VIEWS / CONTRASTS % REC_TONES);
        view.layer = (rec_layer)(i / VIEWS / CONTRASTS / REC_TONES);
        if (!rec_solver_shows(found, view.layer))
            continue;
        assert_same_view(expected, found, &view);
        if (i % 17 == 0 && advances) { /* the change and the difference go on, */
            solver_advance(expected, 2, 0); /* the range of the edges stays */
            solver_advance(found, 2, 0);
        }
        if (i / VIEWS % (CONTRASTS * REC_TONES))
            continue;
        memset(values, 0, 6 * width * height * sizeof *values);
        SUCCEEDS(rec_solver_values(expected, &view, values, &error));
        SUCCEEDS(rec_solver_values(found, &view, others, &error));
        assert_memory_equal(values, others, 3 * width * height * sizeof *values);
    }
}

static void check_same(const way *w, size_t width, size_t height, size_t planes)
{
    owned_scene scene, again;
    owned_solver *found = make_scene(&again, w, width, height, planes);
    owned_solver *expected = make_scene(&scene, &ways[0], width, height, planes);
    rec_solver *const both[] = {expected, found};
    double squares[2];
    rec_probe probe[2];
    if (!found)
        return;
    assert_same_shown(expected, found, width, height);
    check_probes(&again, found);
    for (int i = 0; i < 2; i++) {
        SUCCEEDS(rec_solver_compare(both[i], &squares[i], &error));
        SUCCEEDS(rec_solver_probe(both[i], width / 2, height / 2, &probe[i], &error));
    }
    assert_true(fabs(squares[0] - squares[1]) <= 1e-12 * squares[0]);
    assert_memory_equal(&probe[0], &probe[1], sizeof *probe);
}

TEST(all_ways_show_the_reference_bytes)
{
    static const size_t sides[][3] = {{33, 65, 3}, {61, 43, 1}, {1, 1, 1}, {7, 1, 3},
                                      {1, 9, 1}, {257, 96, 3}, {301, 203, 1}, {1003, 517, 1}};
    for (size_t k = 1; k < WAYS; k++)
        for (size_t i = 0; !ways[k].kernel && i < (ways[k].slabs ? 2 : COUNT(sides)); i++)
            if (!small() || sides[i][0] < 100)
                check_same(&ways[k], sides[i][0], sides[i][1], sides[i][2]);
}

/* The bytes that a stencil shows of the same picture. One of the two is transposed. */
TEST_EACH(spectral_shows_the_difference, "fftw", "cuda")
{
    kernel_or_skip("spectral", *state);
    for (size_t width = 64; width <= 101; width += 37) {
        const size_t height = 165 - width;
        owned_image edges = problem_noise(width, height, 3, 700, 5);
        owned_image picture = problem_picture(width, height, 3, 1);
        const rec_problem problem = {.input = &edges};
        owned_solver *spectral = solver_of_kernel("spectral", *state, &problem);
        owned_image now = solver_image_at(spectral, 1000);
        owned_solver *stencil = solver_make(solver_or_skip("reference"), &edges, &now, 0);
        SUCCEEDS(rec_solver_set_reference(spectral, &picture, 0, &error));
        SUCCEEDS(rec_solver_set_reference(stencil, &picture, 0, &error));
        for (rec_layer layer = 0; layer <= REC_LAYERS; layer++)
            assert_int_equal(rec_solver_type_shows(solver_or_skip("spectral"), layer),
                             layer == REC_LAYER_PICTURE || layer == REC_LAYER_DIFFERENCE);
        assert_same_shown(stencil, spectral, width, height);
    }
}
