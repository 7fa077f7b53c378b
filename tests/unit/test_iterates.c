/* Every stencil solver, kernel and cut into slabs (the ways) on every kind of problem: boundaries,
 * sizes, planes, masks, halos, with a start and without. The reference has the bits of the plain
 * iteration, and all others those of the reference, with its looks; a way that does not take a
 * problem refuses it. What the processor, the device or the build lacks is left out.
 * RECONSTRUCT_TESTS=small is for tools that make everything a hundred times slower. */
#include "solver/cpu/host.h"
#include "tests/unit/problems.h"

static int small(void) { return tests_are("small"); }

/* ---- ways ---- */

typedef struct way {
    const char *solver, *kernel;
    size_t slabs, devices;
} way;

static const way ways[] = {
    {"reference", NULL, 0, 0},
    {"cpu", NULL, 0, 0},
    {"cpu", "avx512", 0, 0},
    {"cpu", "avx2", 0, 0},
    {"cpu", "base", 0, 0},
    {"cpu", "avx512-rows", 0, 0},
    {"cpu", "avx2-rows", 0, 0},
    {"cpu", "base-rows", 0, 0},
    {"cuda", NULL, 0, 0},
    {"cuda", "pixel", 0, 0},
    {"cuda", "stream", 0, 0},
    {"cuda", "resident", 0, 0},
    {"cuda", "diagonal", 0, 0},
    {"forgetful", NULL, 3, 0}, /* each behind the same way without slabs */
    {"cpu", NULL, 2, 0},
    {"cpu", NULL, 5, 0},
    {"cpu", NULL, 1000, 0},
    {"cuda", NULL, 2, 0},
    {"cuda", NULL, 5, 0},
    {"cuda", "pixel", 3, 0},
    {"cuda", "stream", 3, 0},
    {"cuda", "diagonal", 3, 0},
    {"cuda", NULL, 2, 2},
    {"cuda", NULL, 5, 2},
    {"cuda", "pixel", 1000, 2},
    {"cuda", "diagonal", 2, 2},
};
enum { WAYS = COUNT(ways) };
#define ALL_WAYS NULL

/* It goes down the rows or through tiles in time, which takes no mask and no other boundary. */
static int blocks_in_time(const way *w)
{
    return w->kernel && strcmp(w->kernel, "pixel") && !strstr(w->kernel, "-rows");
}

/* A pass that ends quickly need not keep M_(N-1): passes of the GPU do not, nor does this one. */
static rec_status advance_and_forget(void *state, uint64_t n, int compares, rec_error *error)
{
    rec_host *host = state;
    REC_TRY(rec_host_advance(host, n, compares, error));
    for (size_t y = 0; !compares && y < host->height; y++)
        memset(host->other + y * host->stride, 0xff, host->width * sizeof(float));
    return REC_OK;
}

static const rec_solver_type *type_of(const way *w)
{
    static own_type forgetful;
    const rec_solver_type *type = NULL;
    if (!strcmp(w->solver, "forgetful")) {
        own_type_make(&forgetful, &rec_solver_reference);
        forgetful.iterate.advance = advance_and_forget;
        return &forgetful.type;
    }
    return rec_solver_find(w->solver, &type, NULL) ? NULL : type;
}

static size_t devices(void)
{
    static size_t count = SIZE_MAX;
    rec_device found[2];
    if (count == SIZE_MAX && rec_devices(found, 2, 0, &count, NULL))
        count = 0;
    return count;
}

/* NULL where the way is not here, or refuses the problem, as it must. */
static rec_solver *make(const way *w, const rec_problem *problem)
{
    const rec_solver_type *type = type_of(w);
    const rec_solver_options options = {.kernel = w->kernel, .devices = {0, 1},
                                        .device_count = w->devices, .slabs = w->slabs};
    const int refuses = blocks_in_time(w) && (problem->mask || problem->boundary.kind);
    const size_t height = problem->input->height, most = height < 8 ? 1 : height / 4;
    rec_solver *solver;
    rec_error error = {0};
    char instead[24];
    if (!type || w->devices > devices())
        return NULL;
    const rec_status status = rec_solver_create(&solver, type, problem, &options, &error);
    if (refuses) {
        assert_int_equal(status, problem->mask ? REC_USAGE : REC_UNAVAILABLE);
        snprintf(instead, sizeof instead, "%s-rows", w->kernel);
        assert_non_null(strstr(error.message, strcmp(w->solver, "cpu") ? "pixel" : instead));
        return NULL;
    }
    if (status) {
        if (!w->kernel || !strstr(error.message, w->kernel) ||
            !(status == REC_UNAVAILABLE || !strncmp(w->kernel, "avx", 3)))
            fail_msg("%s %s: %s", w->solver, w->kernel ? w->kernel : "", error.message);
        return NULL;
    }
    const rec_solver_info info = info_of(solver);
    if (w->kernel)
        assert_string_equal(info.kernel, w->kernel);
    else if (!strcmp(w->solver, "cuda") && (problem->mask || problem->boundary.kind))
        assert_string_equal(info.kernel, "pixel");
    assert_int_equal(info.slabs, w->slabs > most ? most : w->slabs ? w->slabs : 1);
    return solver;
}

TEST_EACH(is_here, "cpu avx512", "cpu avx2", "cpu base", "cpu avx512-rows", "cpu avx2-rows",
          "cpu base-rows", "cuda pixel", "cuda stream", "cuda resident", "cuda diagonal")
{
    char name[8], kernel[16];
    assert_int_equal(sscanf(*state, "%7s %15s", name, kernel), 2);
    kernel_or_skip(name, kernel);
}

/* ---- problems ---- */

static const rec_boundary_kind kinds[] = {REC_BOUNDARY_HALO, REC_BOUNDARY_MIRROR,
                                          REC_BOUNDARY_WRAP, REC_BOUNDARY_SAWTOOTH};
enum { KINDS = COUNT(kinds) };

/* Each pixel is unknown with a probability of `percent`; at least one is, and one is not, unless
 * `percent` is above 100. */
static rec_mask scattered(size_t width, size_t height, int percent, test_random *dice)
{
    rec_mask mask = new_mask(width, height);
    for (size_t i = 0; i < width * height; i++)
        mask.unknown[i] = random_integer(dice, 1, 100) <= percent;
    if (percent <= 100) {
        const size_t some = random_bits(dice) % (width * height);
        mask.unknown[(some + 1) % (width * height)] = 0;
        mask.unknown[some] = 1;
    }
    rec_mask_measure(&mask);
    return mask;
}

static rec_mask box_of(size_t width, size_t height, const size_t box[4])
{
    rec_mask mask = new_mask(width, height);
    for (size_t i = 0; i < box[2] * box[3]; i++)
        mask.unknown[(box[1] + i / box[2]) * width + box[0] + i % box[2]] = 1;
    rec_mask_measure(&mask);
    return mask;
}

/* The edges of a picture, with a start. A moving boundary uses no constant: who reads it shows. */
static case_of make_case(size_t width, size_t height, size_t planes, rec_boundary_kind kind,
                         float halo, unsigned seed)
{
    case_of made = {.picture = problem_noise(width, height, planes, 255, seed),
                    .start = problem_noise(width, height, planes, 99, seed + 1),
                    .problem.boundary = {.kind = kind, .value = kind ? 12345 : halo}};
    made.edges = problem_edges_in(&made.picture, kind, halo);
    return made;
}

/* With a mask, too: the start has the picture's samples at known pixels, and edges there mean
 * nothing. */
static case_of make_masked(rec_mask mask, size_t planes, rec_boundary_kind kind)
{
    case_of made = make_case(mask.width, mask.height, planes, kind, 0, 3);
    const size_t pixels = mask.width * mask.height;
    made.mask = mask;
    for (size_t i = 0; i < planes * pixels; i++)
        if (!mask.unknown[i % pixels]) {
            *sample_of(&made.start, i) = *sample_of(&made.picture, i);
            *sample_of(&made.edges, i) = 1e29f;
        }
    return made;
}

/* ---- a row of the matrix: one problem, all ways ---- */

enum { BOTH = REC_LOOK_CHANGE | REC_LOOK_DISTANCE, QUICKLY = 4 /* without any look */ };
typedef struct step {
    uint64_t n;
    unsigned looks;
} step;

static rec_look advance(rec_solver *solver, const step *s)
{
    if (s->looks != QUICKLY)
        return solver_advance(solver, s->n, s->looks);
    SUCCEEDS(rec_solver_advance(solver, s->n, 0, NULL, &error));
    return (rec_look){0};
}

/* The norms of the last iteration. */
static void assert_change(const naive *p, const rec_look *look, const char *what)
{
    const rec_image *edges = p->problem->input;
    const rec_mask *mask = p->problem->mask;
    const double pixels = mask ? (double)mask->count : (double)(edges->width * edges->height);
    double squares[3] = {0}, rms = 0, most = 0;
    size_t alternating = 0;
    EACH_SAMPLE(size_t, k, y, x, edges->planes, edges->height, edges->width) {
        const size_t i = naive_at(p, k, (long)x, (long)y);
        const double change = p->m[i] - p->before[i];
        squares[k] += change * change;
        rms = fmax(rms, sqrt(squares[k] / pixels));
        most = fmax(most, fabs(change));
        alternating += p->m[i] != p->before[i];
    }
    if (!(fabs(look->change_rms - rms) <= 1e-12 * rms) || look->change_max != most ||
        look->alternating != alternating)
        fail_msg("%s: change %.17g, %.17g, %zu instead of %.17g, %.17g, %zu", what,
                 look->change_rms, look->change_max, look->alternating, rms, most, alternating);
}

/* `only`: ways of that solver without slabs, or all. anew: after each step a new solver goes to the
 * same iterate at once, in its fastest way. Returns the ways that could, as bits. */
static unsigned check(const rec_problem *problem, const step *steps, size_t count, int anew,
                      const char *only)
{
    const rec_image *edges = problem->input;
    const int specified = edges->width * edges->height * edges->planes < 10000;
    owned_naive wanted = naive_of(problem, 0);
    owned_solver *expected = make(&ways[0], problem);
    rec_solver *found[WAYS] = {NULL};
    rec_look looks[WAYS];
    uint64_t done = 0;
    unsigned here = 0;
    for (size_t i = 0; i < count; i++) {
        const rec_look look = advance(expected, &steps[i]);
        char what[200];
        done += steps[i].n;
        const int end = snprintf(what, sizeof what, "%s: %zu x %zu, %zu planes, halo %g, %zu "
                                 "unknown, step %zu, N = %d: ",
                                 rec_boundaries[problem->boundary.kind].name, edges->width,
                                 edges->height, edges->planes, (double)problem->boundary.value,
                                 problem->mask ? problem->mask->count : 0, i, (int)done);
        if (specified) {
            snprintf(what + end, sizeof what - (size_t)end, "reference");
            naive_iterate(&wanted, steps[i].n);
            owned_image a = naive_image(&wanted), b = solver_image(expected);
            assert_same_bits(&a, &b, what);
            if (steps[i].n && steps[i].looks & REC_LOOK_CHANGE)
                assert_change(&wanted, &look, what);
        }
        for (int k = 1; k < WAYS; k++) {
            const way *w = &ways[k];
            if (only && (w->slabs || strcmp(w->solver, only)))
                continue;
            if (!i || (anew && found[k])) {
                rec_solver_destroy(found[k]);
                found[k] = make(w, problem);
            }
            if (!found[k])
                continue;
            here |= 1u << k;
            snprintf(what + end, sizeof what - (size_t)end, "%s %s, %zu slabs", w->solver,
                     w->kernel ? w->kernel : "", w->slabs);
            looks[k] = advance(found[k], anew ? &(step){done, QUICKLY} : &steps[i]);
            assert_same_iterate(expected, found[k], what);
            if (anew || !(steps[i].looks & BOTH))
                continue;
            assert_same_look(&look, &looks[k], what);
            for (int j = 1; j < k; j++) /* norms are added in one order, whatever the slabs */
                if (w->slabs && found[j] && !ways[j].slabs && !strcmp(ways[j].solver, w->solver) &&
                    ways[j].kernel == w->kernel) {
                    assert_memory_equal(&looks[j].change_rms, &looks[k].change_rms, sizeof(double));
                    assert_memory_equal(&looks[j].distance_rms, &looks[k].distance_rms,
                                        sizeof(double));
                }
        }
    }
    for (int k = 0; k < WAYS; k++)
        rec_solver_destroy(found[k]);
    return here;
}

static unsigned check_case(case_of *of, int masked, int starts, const step *steps, size_t count,
                           int anew, const char *only)
{
    problem_of(of);
    if (!masked)
        of->problem.mask = NULL;
    if (!starts)
        of->problem.start = NULL;
    return check(&of->problem, steps, count, anew, only);
}

/* ---- sizes, boundaries, masks ---- */

/* At which strips, vectors, blocks, tiles, slabs and rows of memory begin and end. */
static const size_t sizes[][2] = {
    {1, 1},   {1, 2},    {1, 7},    {7, 1},    {2, 2},    {2, 1},    {5, 7},     {3, 8},
    {15, 33}, {16, 16},  {17, 64},  {31, 5},   {32, 32},  {33, 12},  {33, 65},   {33, 2},
    {47, 3},  {49, 130}, {63, 40},  {64, 31},  {64, 97},  {65, 31},  {79, 1},    {81, 2},
    {97, 9},  {111, 64}, {112, 33}, {113, 100}, {128, 129}, {129, 12}, {130, 77}, {192, 70},
    {3, 1100}, {403, 57}, {192, 256}, {517, 203}, {1003, 517}};

/* After one iteration, after many, and after many without a look; shorter and longer than an
 * exchange allows, and in every combination of looks. */
static const step all_looks[] = {
    {0, REC_LOOK_DISTANCE}, {1, REC_LOOK_CHANGE}, {1, BOTH}, {0, REC_LOOK_CHANGE}, {2, 0},
    {1, REC_LOOK_CHANGE}, {9, BOTH}, {8, 0}, {2, REC_LOOK_DISTANCE}, {3, BOTH}, {60, 0}, {1, BOTH},
    {1, 0}, {49, BOTH}, {77, QUICKLY}, {3, BOTH}, {64, 0}, {130, BOTH}};

static rec_boundary_kind kind_named(const char *name)
{
    rec_boundary_kind kind = 0;
    while (strcmp(name, rec_boundaries[kind].name))
        kind++;
    return kind;
}

TEST_EACH(iterates_are_the_references, "halo", "mirror", "wrap", "sawtooth")
{
    static const int percents[] = {30, 95, 60, 99}; /* unknown */
    const rec_boundary_kind kind = kind_named(*state);
    test_random dice = {7};
    for (size_t i = 0; i < COUNT(sizes); i += small() ? (kind ? 6 : 3) : 1) {
        const size_t width = sizes[i][0], height = sizes[i][1], planes = i / 2 % 2 ? 1 : 3;
        if (width * height > (small() ? 5000 : 30000))
            continue;
        for (size_t k = 0; k < 2; k++) {
            const int percent = !kind && i % 4 == 0 ? 101 : percents[(i + kind) % 4];
            const int masked = k && (width * height > 1 || percent > 100);
            if ((kind || i % 3) && k != (i + kind) % 2)
                continue;
            owned_puzzle m =
                masked ? make_masked(scattered(width, height, percent, &dice), planes, kind)
                       : make_case(width, height, planes, kind, i % 4 < 2 ? 3.25f : 0, (unsigned)i);
            if (!masked && i % 3 == 0)
                rec_image_row(&m.edges, 0, 0)[0] += 300; /* they do not sum to 0 */
            check_case(&m, masked, masked || i % 3 == 1, all_looks, COUNT(all_looks), 0, ALL_WAYS);
        }
    }
}

/* N = 0, 1, 2, 3, 5, 7, 8, 9, 17, 100, 101, 1001, each at once. */
static const step totals[] = {{0, 0}, {1, 0}, {1, 0}, {1, 0},  {2, 0}, {2, 0},
                              {1, 0}, {1, 0}, {8, 0}, {83, 0}, {1, 0}, {900, 0}};

TEST_EACH(many_iterations_at_once_have_the_bits, "cpu", "cuda")
{
    solver_or_skip(*state);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const size_t pixels = sizes[i][0] * sizes[i][1];
        const int all = pixels < 3000 && !small();
        if (small() && pixels >= 5000)
            continue;
        owned_puzzle m = make_case(sizes[i][0], sizes[i][1], i % 2 ? 3 : 1, REC_BOUNDARY_HALO,
                                   i % 4 < 2 ? 255 : 0, (unsigned)i);
        check_case(&m, 0, i % 3 == 1, totals, COUNT(totals) - !all, 1, *state);
    }
}

/* Bands that move up by more rows than they have, fewer and more strips than bands, bands at the
 * sizes at which there is one more of them, a tile of more rows than one takes, and passes of the
 * greatest depth. */
TEST(any_team_gives_the_same_bits)
{
    static const int teams[] = {7, 16, 2, 3};
    static const size_t bands[][2] = {{77, 61}, {1100, 4}, {33, 125}, {8, 513},    {17, 700},
                                      {64, 65}, {65, 65},  {49, 96},  {300, 203},  {70, 2049},
                                      {640, 520}, {210, 2100}};
    static const step many[] = {{1, 0}, {2, 0}, {6, 0}, {87, 0}, {5, 0}, {386, 0}};
    for (size_t i = 0; i < COUNT(bands) * COUNT(teams); i++) {
        const size_t size = i / COUNT(teams), team = i % COUNT(teams);
        const size_t pixels = bands[size][0] * bands[size][1];
        if ((pixels > (small() ? 0 : 10000) && team != size % COUNT(teams)) ||
            (pixels > 20000 && small()))
            continue;
        owned_puzzle m = make_case(bands[size][0], bands[size][1], pixels < 5000 ? 3 : 1,
                                   size ? REC_BOUNDARY_HALO : kinds[team % KINDS], 3.5f, 9);
        const int before = use_threads(teams[team]);
        check_case(&m, 0, i % 2, many, pixels > 400000 && !small() ? 6 : 5, 1, "cpu");
        use_threads(before);
    }
}

/* Every number of iterations that a pass, a round of tiles and what is left of them can come to. */
TEST(every_number_of_iterations)
{
    solver_or_skip("cuda");
    owned_puzzle m = make_case(330, 101, 1, REC_BOUNDARY_HALO, 9, 5);
    for (unsigned n = 1; n <= (small() ? 0 : 100); n++) {
        const step steps[] = {{n, n % 2 ? REC_LOOK_CHANGE : 0}, {n % 3, 0}, {1, REC_LOOK_CHANGE}};
        check_case(&m, 0, 0, steps, 3, 0, "cuda");
    }
}

/* ---- the arithmetic contract ---- */

/* An impulse that spreads into denormals within 80 steps shows flush-to-zero and another order of
 * additions; noise near the smallest normal numbers a missing fma; and numbers as large as may be.
 * Each as start without edges and as its own edges; with halos of either zero. */
TEST_EACH(the_contract_is_kept, "cpu", "cuda")
{
    if (small())
        skip();
    solver_or_skip(*state);
    owned_image zero = new_image(256, 256, 1), impulse = new_image(256, 256, 1);
    owned_image tiny = problem_noise(256, 256, 1, 1 << 20, 2);
    owned_image large = problem_noise(256, 256, 1, 1 << 20, 3);
    rec_image_row(&impulse, 0, 128)[127] = 1.0f;
    EACH_PIXEL(size_t, y, x, 256, 256) {
        rec_image_row(&tiny, 0, y)[x] *= ldexpf(1.0f, -122 - 20);
        rec_image_row(&large, 0, y)[x] *= 1e30f / (1 << 20);
    }
    static const step steps[] = {{80, 0}, {400, 0}};
    const rec_image *const starts[] = {&impulse, &tiny, &large, &zero};
    for (size_t i = 0; i < 4 * COUNT(starts); i++) {
        const rec_image *const start = starts[i / 4];
        const rec_problem problem = {.input = i % 2 ? start : &zero, .start = i % 2 ? NULL : start,
                                     .boundary.value = i % 4 < 2 ? 0.0f : -0.0f};
        check(&problem, steps, strcmp(*state, "cpu") ? 2 : 1, 0, *state);
    }
}

/* ---- the device's sizes ---- */

/* Whose shares are more than one a slab. */
TEST(a_diagonal_in_slabs)
{
    solver_or_skip("cuda");
    owned_puzzle m = make_case(801, 1303, small() ? 1 : 3, REC_BOUNDARY_HALO, 3.25f, 6);
    check_case(&m, 0, 1, all_looks, COUNT(all_looks), 0, ALL_WAYS);
}

static unsigned check_random(size_t width, size_t height, test_random *dice, int most_n)
{
    static const float halos[] = {0.0f, 255.0f, -3.5f, 1e-3f, -0.0f};
    const size_t planes = random_integer(dice, 0, 3) ? 1 : 3;
    const int tiny = !random_integer(dice, 0, 5);
    owned_puzzle m = {.edges = problem_noise(width, height, planes, tiny ? 1 << 20 : 1020,
                                             random_bits(dice)),
                      .start = problem_noise(width, height, planes, 255, random_bits(dice))};
    m.problem.boundary.value = tiny ? 0.0f : halos[random_integer(dice, 0, 4)];
    for (size_t i = 0; tiny && i < planes * height * width; i++) {
        *sample_of(&m.edges, i) *= ldexpf(1.0f, -142);
        *sample_of(&m.start, i) *= ldexpf(1.0f, -130);
    }
    step steps[3];
    for (int i = 0; i < 3; i++) {
        steps[i].n = (uint64_t)(i == 1 ? random_integer(dice, 0, 3)
                                       : random_integer(dice, 1, most_n));
        steps[i].looks = random_integer(dice, 0, 1) && steps[i].n ? REC_LOOK_CHANGE : 0;
    }
    return check_case(&m, 0, !random_integer(dice, 0, 2), steps, 3, 0, "cuda");
}

TEST(random_problems)
{
    solver_or_skip("cuda");
    test_random dice = {20};
    for (int i = 0; i < (small() ? 6 : 400); i++) {
        const int side = small() ? 250 : i % 20 == 0 ? 1200 : i % 2 ? 60 : 350;
        const size_t width = (size_t)random_integer(&dice, 1, side);
        const size_t height = (size_t)random_integer(&dice, 1, side);
        assert_true(check_random(width, height, &dice, small() || side > 1000 ? 40 : 110));
    }
}

/* One below, at and one above: rows of memory (32), the strips of both passes (304 and 324 columns
 * of 368 and 372), tiles (128 x 48, 64, 80, 128, 160, 192 and 256 x 144, 168, 192, 200), and flat
 * images. */
TEST(sizes_where_things_end)
{
    solver_or_skip("cuda");
    static const unsigned short widths[] = {1,   2,   3,   5,   31,  32,  33,  64,  96,  123, 124,
                                            125, 128, 251, 252, 256, 303, 304, 305, 323, 324, 325,
                                            368, 372, 608, 609, 648, 649};
    static const unsigned short heights[] = {1,  2,  5,   7,   47,  48,  49,  63,  79,  80,
                                             81, 96, 127, 128, 129, 143, 144, 145, 160, 161,
                                             168, 169, 192, 193, 199, 200, 201};
    test_random dice = {21};
    for (size_t i = 0; i < (small() ? 6 : 3 * COUNT(widths)); i++) {
        const size_t w = small() ? 5 * i : i;
        check_random(widths[w % COUNT(widths)],
                     heights[(7 * w + w / COUNT(widths)) % COUNT(heights)], &dice, 70);
    }
    /* Large tiles, of which a small image needs none: by width and height, not many of them. And
     * for the diagonal: tori that are a little and much larger than the image, one strip, two, and
     * shares that end in the middle of one. */
    static const unsigned short large[][3] = {
        {1283, 1279, 25}, {1536, 1537, 25}, {1793, 1790, 25}, {2048, 2048, 25}, {2177, 2175, 25},
        {2050, 1999, 25}, {2241, 2239, 25}, {2401, 2399, 25}, {752, 752, 110},  {767, 767, 110},
        {768, 751, 110},  {900, 1100, 110}, {1023, 1025, 110}, {1400, 40, 110}, {801, 1303, 110}};
    for (size_t i = 0; i < COUNT(large); i++)
        for (int again = 0; again < (large[i][2] == 25 ? 1 : 3) && !small(); again++)
            check_random(large[i][0], large[i][1], &dice, large[i][2]);
    if (small())
        check_random(752, 752, &dice, 40);
}

/* ---- looks ---- */

/* To the standstill and past it, looking also at single iterations behind many, one of which is one
 * more than two exchanges of 12 rows. */
TEST_EACH(standstill_is_seen, "halo", "mirror")
{
    static step steps[240];
    for (size_t i = 0; i < COUNT(steps); i++) {
        static const unsigned n[] = {1, 25, 25, 2, 1, 600};
        steps[i] = (step){n[i % 6], i % 6 == 3 ? 0 : REC_LOOK_CHANGE};
    }
    owned_puzzle m = make_case(11, 37, 1, kind_named(*state), 0, 4);
    owned_solver *reference = make(&ways[0], &(rec_problem){.input = &m.edges,
                                                            .boundary = m.problem.boundary});
    solver_advance(reference, small() ? 0 : 17000, 0);
    assert_int_equal(solver_advance(reference, 2, REC_LOOK_CHANGE).standstill, !small());
    check_case(&m, 0, 0, steps, small() ? 60 : COUNT(steps), 0, ALL_WAYS);
}

/* |mu| of mode p of each axis is the mean of these cosines. */
static double cosine_of(rec_beyond beyond_it, size_t p, size_t n)
{
    return beyond_it == REC_FIXED      ? cos((double)(p + 1) * M_PI / (double)(n + 1))
           : beyond_it == REC_MIRRORED ? cos((double)p * M_PI / (double)n)
                                       : cos(2 * (double)p * M_PI / (double)n);
}

/* The distance by its definition, in double: |J(J(M)) - M| without a free mean, by the largest |mu|
 * of the modes that decay, which are all tried. */
static double defined_distance(const rec_image *m, const rec_problem *given)
{
    const rec_boundary_row *rules = &rec_boundaries[given->boundary.kind];
    const double count = (double)m->width * (double)m->height;
    rec_problem problem = *given;
    problem.start = m;
    owned_naive p = naive_of(&problem, 1);
    naive_iterate(&p, 2);
    double sum = 0, squares = 0, rho = 0;
    EACH_PIXEL(size_t, y, x, m->height, m->width) {
        const size_t at = naive_at(&p, 0, (long)x, (long)y);
        const double d = p.m[at] - p.older[at];
        const double mu = fabs(cosine_of(rules->y, y, m->height) +
                               cosine_of(rules->x, x, m->width)) / 2;
        sum += d;
        squares += d * d;
        rho = mu < 1 - 1e-12 ? fmax(rho, mu) : rho;
    }
    const double mean = rec_boundary_frees_mean(given->boundary.kind) ? sum / count : 0;
    return sqrt(fmax(squares / count - mean * mean, 0)) / (1 - rho * rho);
}

/* That of the reference: the others have its looks. */
TEST(the_distance_is_as_defined)
{
    for (size_t i = 0; i < KINDS * COUNT(sizes); i++) {
        const size_t *size = sizes[i / KINDS];
        owned_puzzle m = make_case(size[0], size[1], 1, kinds[i % KINDS], 3, 4);
        if (size[0] * size[1] > 30000)
            continue;
        rec_image_row(&m.edges, 0, 0)[0] += (float)(i / KINDS % 2);
        owned_solver *solver = make(&ways[0], &(rec_problem){.input = &m.edges, .start = &m.start,
                                                             .boundary = m.problem.boundary});
        const rec_look look = solver_advance(solver, 3, REC_LOOK_DISTANCE);
        owned_image now = solver_image(solver);
        const double expected = defined_distance(&now, problem_of(&m));
        if (!(fabs(look.distance_rms - expected) <= 1e-6 * expected + 1e-7))
            fail_msg("%s, %zu x %zu: %.12g instead of %.12g", rec_boundaries[kinds[i % KINDS]].name,
                     size[0], size[1], look.distance_rms, expected);
    }
}

/* The RMS distance from the picture over the unknown pixels. */
static double true_distance(rec_solver *solver, const case_of *m)
{
    owned_image now = solver_image(solver);
    const rec_difference difference = difference_of(&now, &m->picture);
    return difference.rms * sqrt((double)difference.samples / (double)m->mask.count);
}

/* Never below the truth; and where the unknown pixels are a box, the truth itself, once only the
 * slowest modes are left. */
TEST(the_distance_is_that_of_the_unknown_pixels)
{
    static const size_t boxes[][4] = {{5, 6, 9, 8},   {0, 0, 11, 9},  {0, 7, 24, 6},
                                      {16, 0, 8, 20}, {9, 9, 1, 1},   {3, 0, 12, 20},
                                      {0, 19, 24, 1}, {12, 11, 12, 9}};
    test_random dice = {9};
    for (size_t i = 0; i < 2 * KINDS * COUNT(boxes); i++) {
        const size_t *box = boxes[i / KINDS / 2];
        const int is_box = i / KINDS % 2 == 0;
        owned_puzzle m = make_masked(is_box ? box_of(24, 20, box) : scattered(24, 20, 80, &dice), 1,
                                     kinds[i % KINDS]);
        owned_solver *solver = make(&ways[0], problem_of(&m));
        double bound = 0, truth = 0;
        for (int n = 0; n < 400; n++) {
            bound = solver_advance(solver, n ? 5 : 0, REC_LOOK_DISTANCE).distance_rms;
            truth = true_distance(solver, &m);
            if (isnan(bound) || truth < 0.5)
                break;
            assert_true(bound >= truth * (1 - 1e-9));
        }
        if (isnan(bound))
            assert_true(m.mask.box.width == 24 && m.mask.box.height == 20 &&
                        rec_boundary_frees_mean(m.problem.boundary.kind));
        else if (is_box && !(bound <= truth * 1.1))
            fail_msg("box %zu: %g is no bound of %g", i / KINDS / 2, bound, truth);
        assert_int_equal(rec_solver_bounds_distance(solver), !isnan(bound));
    }
}

static rec_status open_run(const rec_problem *problem, double tolerance, rec_error *error)
{
    owned_run *run = NULL;
    const rec_run_options options = {.iterations = 10, .tolerance = tolerance, .problem = *problem,
                                     .solver = solver_or_skip("cpu")};
    return rec_run_create(&run, &options, problem->input, problem->start, error);
}

TEST(no_tolerance_without_a_bound)
{
    test_random dice = {10};
    owned_puzzle m = make_masked(scattered(24, 20, 80, &dice), 1, REC_BOUNDARY_MIRROR);
    FAILS(open_run(problem_of(&m), 0.5, &error), REC_USAGE, "no bound");
    SUCCEEDS(open_run(&m.problem, 0, &error));
    m.problem.boundary.kind = REC_BOUNDARY_HALO;
    SUCCEEDS(open_run(&m.problem, 0.5, &error));
}

/* ---- what is shown ---- */

/* What slabs and masks show is what the whole image does. */
static void check_display(const way *w, const rec_problem *problem, const rec_image *reference)
{
    const way whole = {.solver = w->solver, .kernel = w->kernel};
    owned_solver *expected = make(&whole, problem), *found = make(w, problem);
    rec_solver *const both[] = {expected, found};
    double squares[2];
    rec_probe probe[2];
    for (int i = 0; found && i < 3; i++) {
        for (int layer = 0; layer < REC_LAYERS; layer++) {
            const rec_view view = {3, 5, 80, 101, 31, 17, REC_TONE_STRETCH, (rec_layer)layer, 1, 0};
            for (int j = 0; j < 2; j++)
                SUCCEEDS(rec_solver_set_reference(both[j], reference, 0, &error));
            assert_int_equal(assert_same_view(expected, found, &view), 71 * i);
        }
        for (int j = 0; j < 2; j++) {
            SUCCEEDS(rec_solver_mark(both[j], &error));
            solver_advance(both[j], 71, 0);
            SUCCEEDS(rec_solver_compare(both[j], &squares[j], &error));
            SUCCEEDS(rec_solver_probe(both[j], 7, 60, &probe[j], &error));
        }
        assert_true(fabs(squares[0] - squares[1]) <= 1e-12 * squares[0]);
        assert_memory_equal(&probe[0], &probe[1], sizeof *probe);
    }
}

TEST(slabs_show_the_whole_image)
{
    owned_image reference = problem_noise(90, 111, 3, 255, 9);
    for (size_t k = 0; k < WAYS; k++)
        for (size_t i = 0; ways[k].slabs && i < KINDS; i++) {
            owned_puzzle m = make_case(90, 111, 3, kinds[i], 3.25f, 8);
            const rec_problem problem = {.input = &m.edges, .boundary = m.problem.boundary};
            if (i == k % KINDS || !i)
                check_display(&ways[k], &problem, &reference);
        }
}

TEST(known_pixels_have_edges_of_zero)
{
    test_random dice = {11};
    for (size_t k = 1; k < 2 * WAYS; k++) {
        const way *w = &ways[k / 2];
        owned_puzzle m = make_masked(scattered(60, 40, 50, &dice), 3,
                                     k % 2 ? REC_BOUNDARY_SAWTOOTH : REC_BOUNDARY_HALO);
        owned_solver *expected = make(&ways[0], problem_of(&m)), *solver = make(w, &m.problem);
        for (int tone = 0; solver && tone < REC_TONES; tone++) {
            const rec_view reduced = {3, 5, 50, 31, 31, 17, (rec_tone)tone, REC_LAYER_EDGES, 1, 0};
            const rec_view view = {0, 0, 60, 40, 60, 40, (rec_tone)tone, REC_LAYER_EDGES, 1, 0};
            assert_same_view(expected, solver, &reduced);
            const rec_snapshot *seen = solver_show(solver, &view);
            assert_true(seen->high < 2000);
            for (size_t i = 0; i < 60 * 40; i++)
                assert_true(m.mask.unknown[i] || seen->pixels[i] == 128);
            rec_solver_release(solver, seen);
        }
        for (size_t i = 0; solver && i < 60 * 40; i += 60) {
            rec_probe probe;
            SUCCEEDS(rec_solver_probe(solver, 0, i / 60, &probe, &error));
            const float edge = rec_image_row(&m.edges, 2, i / 60)[0];
            assert_true(probe.edges[2] == (m.mask.unknown[i] ? edge : 0));
        }
    }
}

/* A snapshot between two bulks is of its iterate, and disturbs none. */
TEST(snapshots_between_bulks)
{
    const rec_view view = {10, 20, 200, 100, 67, 33, REC_TONE_STRETCH, REC_LAYER_PICTURE, 1, 0};
    owned_image edges = problem_noise(301, 203, 3, 900, 12);
    const rec_problem problem = {.input = &edges};
    solver_or_skip("cuda");
    for (size_t k = 0; k < WAYS; k++) {
        owned_solver *expected = make(&ways[0], &problem), *found = make(&ways[k], &problem);
        for (int i = 0; found && !ways[k].slabs && i < 3; i++) {
            int begun = 0;
            solver_advance(found, 51, 0);
            SUCCEEDS(rec_solver_snapshot(found, &view, NULL, &begun, &error));
            assert_true(begun);
            solver_advance(found, 40, 0); /* on its way while the bytes come */
            solver_advance(expected, 51, 0);
            const rec_snapshot *a = solver_show(expected, &view), *b = solver_poll(found);
            solver_advance(expected, 40, 0);
            for (size_t row = 0; row < a->planes * a->height; row++)
                assert_memory_equal(a->pixels + row * a->stride, b->pixels + row * b->stride,
                                    a->width);
            rec_solver_release(expected, a);
            rec_solver_release(found, b);
            assert_same_iterate(expected, found, ways[k].solver);
        }
    }
}

TEST_EACH(names_are_checked, "cpu", "cuda")
{
    owned_image edges = problem_noise(20, 10, 1, 5, 1);
    rec_solver *solver;
    const rec_problem problem = {.input = &edges};
    rec_solver_options options = {.kernel = "magic"};
    const rec_solver_type *type = solver_or_skip(*state);
    for (size_t k = 0; k < WAYS; k++)
        if (ways[k].kernel && !strcmp(ways[k].solver, *state) &&
            strncmp(ways[k].kernel, "avx", 3)) /* which this processor may lack */
            FAILS(rec_solver_create(&solver, type, &problem, &options, &error), REC_USAGE,
                  ways[k].kernel);
    options.kernel = "resident"; /* 10 rows are less than a tile has */
    if (!strcmp(*state, "cuda"))
        FAILS(rec_solver_create(&solver, type, &problem, &options, &error), REC_UNAVAILABLE, "");
}
