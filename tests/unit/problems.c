#include "tests/unit/problems.h"
#include "problem/guidance.h"

static uint32_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

rec_image problem_noise(size_t width, size_t height, size_t planes, int amplitude, unsigned seed)
{
    rec_image image = new_image(width, height, planes);
    uint64_t state = seed;
    for (size_t i = 0; i < planes * height * width; i++)
        *sample_of(&image, i) =
            (float)((int)(next(&state) % (2u * (unsigned)amplitude + 1)) - amplitude);
    return image;
}

rec_image problem_picture(size_t width, size_t height, size_t planes, unsigned seed)
{
    rec_image image = new_image(width, height, planes);
    uint64_t state = seed;
    EACH_SAMPLE(size_t, p, y, x, planes, height, width) {
        const double u = (double)x / (double)width - 0.4 - 0.1 * (double)p;
        const double v = (double)y / (double)height - 0.5;
        double grey = 90 + 80 * u + 60 * v + (double)(next(&state) % 17);
        if (u * u + v * v < 0.06)
            grey = 230 - 200 * sqrt(u * u + v * v);
        rec_image_row(&image, p, y)[x] = (float)floor(fmin(fmax(grey, 0), 255));
    }
    return image;
}

rec_image problem_content(content what, size_t width, size_t height, size_t planes, int maxval)
{
    rec_image picture = what == SMOOTH ? problem_picture(width, height, planes, 5)
                                       : problem_noise(width, height, planes, maxval / 2, 6);
    EACH_SAMPLE(size_t, p, y, x, what == SMOOTH ? 0 : planes, height, width) {
        float *sample = rec_image_row(&picture, p, y) + x;
        *sample = what == BLACK   ? 0
                  : what == WHITE ? (float)maxval
                  : what == SLOPE ? (float)((x * 3 + y * 5 + p) % (size_t)(maxval + 1))
                                  : *sample + (float)(maxval / 2);
    }
    return picture;
}

rec_image problem_edges_in(const rec_image *picture, rec_boundary_kind kind, float halo)
{
    rec_image edges;
    SUCCEEDS(rec_laplacian(picture, kind, halo, &edges, &error));
    return edges;
}

rec_image problem_edges(const rec_image *picture, rec_boundary_kind kind)
{
    return problem_edges_in(picture, kind, 0);
}

rec_mask new_mask(size_t width, size_t height)
{
    rec_mask mask;
    SUCCEEDS(rec_mask_create(&mask, width, height, &error));
    return mask;
}

rec_stencil stencil_of(const char *text, size_t radius)
{
    rec_stencil stencil;
    SUCCEEDS(rec_stencil_make(&stencil, text, &(rec_stencil_options){.radius = radius}, &error));
    return stencil;
}

rec_operator filter_of(const char *text, size_t radius)
{
    rec_operator made;
    const rec_stencil stencil = stencil_of(text, radius);
    rec_operator_filter(&made, &stencil);
    return made;
}

const rec_problem *problem_of(case_of *of)
{
    of->problem.input = &of->edges;
    of->problem.start = &of->start;
    of->problem.mask = &of->mask;
    of->problem.mass = of->mass.data ? &of->mass : NULL;
    return &of->problem;
}

void destroy_puzzle(case_of *of)
{
    rec_image_destroy(&of->picture);
    rec_image_destroy(&of->edges);
    rec_image_destroy(&of->start);
    rec_image_destroy(&of->mass);
    rec_mask_destroy(&of->mask);
}

rec_solver *solver_for(const rec_solver_type *type, const rec_problem *problem,
                       const rec_solver_options *options)
{
    rec_solver *solver;
    SUCCEEDS(rec_solver_create(&solver, type, problem, options, &error));
    return solver;
}

rec_solver *solver_make(const rec_solver_type *type, const rec_image *edges,
                        const rec_image *start, float halo)
{
    const rec_problem problem = {.input = edges, .start = start, .boundary.value = halo};
    return solver_for(type, &problem, NULL);
}

rec_solver *solver_of_kernel(const char *name, const char *kernel, const rec_problem *problem)
{
    rec_solver *solver;
    rec_error error = {0};
    const rec_solver_options options = {.kernel = kernel};
    const rec_status status =
        rec_solver_create(&solver, solver_or_skip(name), problem, &options, &error);
    if (kernel && (status == REC_UNAVAILABLE || (status && !strncmp(kernel, "avx", 3)))) {
        assert_true(strstr(error.message, kernel) || strstr(error.message, "without CUDA") ||
                    !strcmp(kernel, "cuda")); /* no device */
        return NULL;
    }
    if (status)
        fail_msg("%s %s: %s", name, kernel, error.message);
    if (kernel)
        assert_string_equal(info_of(solver).kernel, kernel);
    return solver;
}

/* Always looks: only then a look one iteration later knows a standstill. */
rec_look solver_advance(rec_solver *solver, uint64_t n, unsigned looks)
{
    rec_look look = {0};
    SUCCEEDS(rec_solver_advance(solver, n, looks ? looks : REC_LOOK_CHANGE, &look, &error));
    return look;
}

rec_image solver_image(rec_solver *solver)
{
    rec_image image;
    SUCCEEDS(rec_solver_read_image(solver, &image, &error));
    return image;
}

rec_image solver_image_at(rec_solver *solver, uint64_t iteration)
{
    SUCCEEDS(rec_solver_jump(solver, iteration, &error));
    return solver_image(solver);
}

/* Of a checkerboard. */
static int sign_at(size_t i, size_t width) { return (i % width + i / width) % 2 ? -1 : 1; }

double worst_rms(const rec_image *a, const rec_image *b, rec_boundary_kind kind)
{
    const size_t width = a->width, pixels = width * a->height;
    const int alternates = kind == REC_BOUNDARY_WRAP && width % 2 == 0 && a->height % 2 == 0;
    double most = 0;
    for (size_t first = 0; first < a->planes * pixels; first += pixels) {
        rec_owned double *d = calloc(pixels, sizeof *d);
        double mean = 0, board = 0, squares = 0;
        for (size_t i = 0; i < pixels; i++) {
            d[i] = (double)*sample_of(a, first + i) - (double)*sample_of(b, first + i);
            mean += rec_boundary_frees_mean(kind) ? d[i] / (double)pixels : 0;
            board += alternates ? sign_at(i, width) * d[i] / (double)pixels : 0;
        }
        for (size_t i = 0; i < pixels; i++)
            squares += pow(d[i] - mean - sign_at(i, width) * board, 2);
        most = fmax(most, sqrt(squares / (double)pixels));
    }
    return most;
}

rec_solver_info info_of(const rec_solver *solver)
{
    rec_solver_info info;
    rec_solver_get_info(solver, &info);
    return info;
}

rec_run *run_make(const rec_run_options *options, const rec_image *edges, const rec_image *start)
{
    rec_run *run;
    SUCCEEDS(rec_run_create(&run, options, edges, start, &error));
    return run;
}

rec_image run_image(rec_run *run)
{
    rec_image image;
    SUCCEEDS(rec_run_read_image(run, &image, &error));
    return image;
}

const rec_snapshot *solver_poll(rec_solver *solver)
{
    const rec_snapshot *seen = NULL;
    for (const double end = rec_now() + 30; !seen && rec_now() < end;)
        seen = rec_solver_poll(solver);
    if (!seen)
        fail_msg("no snapshot comes");
    return seen;
}

const rec_snapshot *solver_show_changed(rec_solver *solver, const rec_view *view,
                                        const rec_area *changed)
{
    int begun = 0;
    SUCCEEDS(rec_solver_snapshot(solver, view, changed, &begun, &error));
    assert_true(begun);
    return solver_poll(solver);
}

const rec_snapshot *solver_show(rec_solver *solver, const rec_view *view)
{
    return solver_show_changed(solver, view, NULL);
}

uint64_t assert_same_view(rec_solver *expected, rec_solver *found, const rec_view *view)
{
    const rec_snapshot *a = solver_show(expected, view), *b = solver_show(found, view);
    const uint64_t iteration = b->iteration;
    assert_int_equal(b->width, view->out_width);
    assert_int_equal(b->height, view->out_height);
    assert_true(b->view.layer == view->layer && b->view.contrast == a->view.contrast);
    if (a->low != b->low || a->high != b->high)
        fail_msg("layer %d by %s: from %g to %g instead of from %g to %g", (int)view->layer,
                 rec_tone_names[view->tone], (double)b->low, (double)b->high, (double)a->low,
                 (double)a->high);
    for (size_t row = 0; row < b->planes * b->height; row++)
        if (memcmp(a->pixels + row * a->stride, b->pixels + row * b->stride, b->width))
            fail_msg("layer %d by %s, contrast %g, %zu x %zu: row %zu differs",
                     (int)view->layer, rec_tone_names[view->tone],
                     (double)view->contrast, b->width, b->height, row);
    rec_solver_release(expected, a);
    rec_solver_release(found, b);
    return iteration;
}

void assert_same_iterate(rec_solver *expected, rec_solver *found, const char *what)
{
    owned_image a = solver_image(expected), b = solver_image(found);
    assert_same_bits(&a, &b, what);
}

/* Two NaNs, of no change yet, are close too. */
static int close_to(double expected, double found, double relative)
{
    return fabs(expected - found) <= relative * fabs(expected) || (isnan(expected) && isnan(found));
}

void assert_same_look(const rec_look *a, const rec_look *b, const char *what)
{
    const double distance = 1e-5; /* the limit that it is measured from is rounded to float32 */
    if (!close_to(a->change_rms, b->change_rms, 1e-12) ||
        !close_to(a->change_max, b->change_max, 0) ||
        !close_to(a->distance_rms, b->distance_rms, distance) || a->standstill != b->standstill ||
        a->alternating != b->alternating)
        fail_msg("%s: change %.17g and %.17g, maximum %.17g and %.17g, distance %.17g and %.17g, "
                 "standstill %d and %d, alternating %zu and %zu", what, a->change_rms,
                 b->change_rms, a->change_max, b->change_max, a->distance_rms, b->distance_rms,
                 a->standstill, b->standstill, a->alternating, b->alternating);
}

/* ---- the iteration as it is specified ---- */

size_t naive_at(const naive *p, size_t plane, long x, long y)
{
    const rec_image *edges = p->problem->input;
    const long r = p->reach, w = (long)edges->width + 2 * r, h = (long)edges->height + 2 * r;
    return (size_t)(((long)plane * h + y + r) * w + x + r);
}

static double rounded(const naive *p, double value)
{
    return p->in_double ? value : (double)(float)value;
}

/* Fixed values that differ from row to row are folded into the edges, and then stand for 0. */
static double folded(const naive *p, size_t plane, long x, long y)
{
    const rec_image *edges = p->problem->input;
    const rec_boundary *boundary = &p->problem->boundary;
    double edge = (double)rec_image_row(edges, plane, (size_t)y)[x];
    for (long side = x - 1; side <= x + 1; side += 2)
        if (boundary->kind == REC_BOUNDARY_SAWTOOTH && (side < 0 || side >= (long)edges->width))
            edge = rounded(p, edge - (double)beyond(edges, boundary, plane, side, y));
    return edge;
}

/* What is added to a pixel in each iteration. */
static double term_of(const naive *p, size_t plane, long x, long y)
{
    const rec_operator *op = p->problem->operators;
    const double edge = (double)rec_image_row(p->problem->input, plane, (size_t)y)[x];
    if (!op)
        return rounded(p, -0.25 * folded(p, plane, x, y));
    if (p->in_double)
        return op->omega / rec_stencil_middle(&op->stencil) * op->stencil.scale *
               (edge - op->stencil.offset);
    return op->is_inverse ? (double)(float)(op->gain * (edge - op->level)) : 0;
}

naive naive_of(const rec_problem *problem, int in_double)
{
    const rec_image *edges = problem->input, *start = problem->start ? problem->start : edges;
    naive made = {.problem = problem, .in_double = in_double, .reach = 1};
    for (size_t i = 0; i < problem->operator_count; i++) {
        const rec_taps *taps = &problem->operators[i].taps;
        const int side = taps->width > taps->height ? taps->width : taps->height;
        made.reach = side / 2 > made.reach ? side / 2 : made.reach;
    }
    const size_t cells = naive_at(&made, edges->planes, -made.reach, -made.reach);
    made.memory = calloc(5 * cells, sizeof(double));
    assert_non_null(made.memory);
    made.m = made.memory;
    made.before = made.m + cells;
    made.older = made.before + cells;
    made.f = made.older + cells;
    made.next = made.f + cells;
    EACH_SAMPLE(long, p, y, x, edges->planes, (long)edges->height, (long)edges->width) {
        const size_t at = naive_at(&made, p, x, y);
        made.m[at] = (double)rec_image_row(start, p, (size_t)y)[x];
        made.f[at] = term_of(&made, p, x, y);
    }
    return made;
}

void naive_destroy(naive *p) { free(p->memory); }

static double updated(const naive *p, const double *m, double f, ptrdiff_t stride)
{
    const double above = rounded(p, m[-stride] + m[-1]);
    return rounded(p, 0.25 * rounded(p, above + rounded(p, m[1] + m[stride])) + f);
}

static double applied(const naive *p, const rec_operator *op, const double *m, double f,
                      ptrdiff_t stride)
{
    const rec_taps *taps = &op->taps;
    const int middle = taps->width * taps->height / 2;
    const double pace = p->in_double ? op->omega / rec_stencil_middle(&op->stencil) : 0;
    m -= taps->height / 2 * stride + taps->width / 2;
    float acc = (float)f;
    double sum = f;
    for (int i = 0; i < taps->width * taps->height; i++) {
        const double sample = m[i / taps->width * stride + i % taps->width];
        if (p->in_double)
            sum += ((i == middle) - pace * op->stencil.weights[i]) * sample;
        else
            acc = fmaf(taps->weights[i], (float)sample, acc);
    }
    return p->in_double ? sum : (double)(acc / taps->scale + taps->offset);
}

/* One operator, or the update, from `from` to `to`. */
static void apply(const naive *p, const rec_operator *op, double *from, double *to)
{
    const rec_image *edges = p->problem->input;
    const unsigned char *unknown = p->problem->mask ? p->problem->mask->unknown : NULL;
    const long width = (long)edges->width, height = (long)edges->height, reach = p->reach;
    const rec_boundary *boundary = &p->problem->boundary;
    for (size_t plane = 0; plane < edges->planes; plane++) {
        for (long y = -reach; y < height + reach; y++)
            for (long x = -reach; x < width + reach; x++) {
                if (x == 0 && y >= 0 && y < height)
                    x = width;
                const long row = source_index(boundary->kind, 1, y, height);
                const long column = source_index(boundary->kind, 0, x, width);
                from[naive_at(p, plane, x, y)] =
                    row >= 0 && column >= 0 ? from[naive_at(p, plane, column, row)]
                    : boundary->kind        ? 0
                                            : (double)boundary->value;
            }
        EACH_PIXEL(long, y, x, height, width) {
            const size_t i = naive_at(p, plane, x, y);
            to[i] = unknown && !unknown[y * width + x] ? from[i]
                    : op ? applied(p, op, from + i, p->f[i], width + 2 * reach)
                         : updated(p, from + i, p->f[i], width + 2 * reach);
        }
    }
}

void naive_iterate(naive *p, uint64_t n)
{
    const size_t count = p->problem->operators ? p->problem->operator_count : 1;
    for (; n; n--, p->done++) {
        double *from = p->m, *spare[2] = {p->older, p->next};
        for (size_t i = 0; i < count; i++) { /* M_N stays for M_(N+1) to be compared with */
            double *const to = spare[i % 2];
            apply(p, p->problem->operators ? &p->problem->operators[i] : NULL, from, to);
            from = to;
        }
        p->next = spare[count % 2];
        p->older = p->before;
        p->before = p->m;
        p->m = from;
    }
}

rec_image naive_image(const naive *p)
{
    const rec_image *edges = p->problem->input;
    rec_image made = new_image(edges->width, edges->height, edges->planes);
    EACH_SAMPLE(size_t, plane, y, x, edges->planes, edges->height, edges->width)
        rec_image_row(&made, plane, y)[x] = (float)p->m[naive_at(p, plane, (long)x, (long)y)];
    return made;
}

const rec_solver_type *solver_or_skip(const char *name)
{
    const rec_solver_type *type;
    rec_error error = {0};
    if (!rec_solver_find(name, &type, &error))
        return type;
    print_message("# %s\n", error.message);
    skip();
    return NULL;
}

void own_type_make(own_type *own, const rec_solver_type *type)
{
    *own = (own_type){.type = *type, .memory = *type->memory};
    own->type.memory = &own->memory;
    if (type->iterate)
        own->iterate = *type->iterate;
    own->type.iterate = type->iterate ? &own->iterate : NULL;
}

/* skip() jumps: what is owned by a function that calls it is never freed. */
static int is_here(const char *name, const char *kernel)
{
    owned_image edges = problem_noise(80, 80, 1, 1, 1);
    owned_solver *solver = solver_of_kernel(name, kernel, &(rec_problem){.input = &edges});
    return solver != NULL;
}

void kernel_or_skip(const char *name, const char *kernel)
{
    solver_or_skip(name);
    if (!is_here(name, kernel))
        skip();
}
