/* The multigrid solver: pictures come back byte for byte on any mask, as near as it says, and as a
 * direct solver has them. */
#include "tests/unit/cm.h"
#include "tests/unit/multigrid_puzzles.h"

enum { MOST_UNKNOWN = 12 * 12, SMALL = 60, LARGE = 300 };

static void check_puzzle(size_t width, size_t height, size_t planes, rec_boundary_kind kind,
                         kind_of_mask shape, uint64_t seed)
{
    owned_puzzle puzzle = make_puzzle(width, height, planes, kind, shape, seed);
    const rec_problem *problem = problem_of(&puzzle);
    if (rec_problem_check(problem, NULL) == REC_OK) {
        owned_engine engine = make_engine(problem);
        check_steps(&engine, &puzzle, shape, seed);
    }
}

TEST_OF_ENGINES(pictures_come_back_byte_for_byte_on_any_mask)
{
    choose_engine(*state);
    test_random random = {7};
    const int rounds = tests_are("small") ? 40 : 400, side = tests_are("small") ? SMALL : LARGE;
    for (int i = 0; i < rounds; i++)
        for (int s = 0; s < SHAPES; s++) {
            const size_t width = (size_t)random_integer(&random, 1, i % 2 ? side : 20);
            const size_t height = (size_t)random_integer(&random, 1, i % 3 ? side : 20);
            check_puzzle(i % 10 == 9 ? 1 : width, i % 10 == 8 ? 1 : height, i % 4 ? 1 : 3,
                         kinds[(i + s) % KINDS], (kind_of_mask)s, (uint64_t)(i * SHAPES + s));
        }
}

/* The correction from a level with a side of 1 counts twice: without, these take 20 and more. */
TEST_OF_ENGINES(lines_are_solved_as_fast)
{
    choose_engine(*state);
    for (size_t i = 0; i < KINDS; i++) {
        for (uint64_t mass = 0; mass < 4; mass++)
            check_puzzle(1, 2048, 1, kinds[i], ALL_BUT_ONE, i + 9 * mass);
        check_puzzle(2000, 1, 1, kinds[i], HOLES, i + 10);
    }
}

/* (4 + mass) M - the neighbours = -E for the unknown pixels, with what is known on the right
 * side. */
static size_t make_system(const rec_problem *problem, size_t plane,
                          long double (*rows)[MOST_UNKNOWN + 1])
{
    const rec_image *edges = problem->input;
    const rec_boundary_row *rules = &rec_boundaries[problem->boundary.kind];
    const long width = (long)edges->width, height = (long)edges->height;
    size_t number[MOST_UNKNOWN], count = 0;
    for (size_t i = 0; i < edges->width * edges->height; i++)
        number[i] = problem->mask->unknown[i] ? count++ : MOST_UNKNOWN;
    for (long i = 0; i < width * height; i++) {
        static const long steps[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};
        const size_t own = number[i];
        if (own == MOST_UNKNOWN)
            continue;
        memset(rows[own], 0, sizeof rows[own]);
        rows[own][own] = 4;
        if (problem->mass)
            rows[own][own] += *sample_of(problem->mass, (size_t)i);
        rows[own][count] = -rec_image_row(edges, plane, (size_t)(i / width))[i % width];
        for (size_t k = 0; k < 4; k++) {
            long x = i % width + steps[k][0], y = i / width + steps[k][1];
            const int beyond_x = x < 0 || x >= width, beyond = beyond_x || y < 0 || y >= height;
            const rec_beyond rule = beyond_x ? rules->x : rules->y;
            if (beyond && rule == REC_FIXED) {
                rows[own][count] += problem->boundary.value;
                continue;
            }
            if (beyond && rule == REC_MIRRORED)
                x -= steps[k][0], y -= steps[k][1];
            x = (x + width) % width, y = (y + height) % height;
            const size_t other = number[y * width + x];
            if (other == MOST_UNKNOWN)
                rows[own][count] += rec_image_row(problem->start, plane, (size_t)y)[x];
            else
                rows[own][other] -= 1;
        }
    }
    return count;
}

static void eliminate(long double (*rows)[MOST_UNKNOWN + 1], size_t count)
{
    for (size_t i = 0; i < count; i++) /* positive definite: no pivots are looked for */
        for (size_t j = 0; j < count; j++) {
            const long double factor = i == j ? 0 : rows[j][i] / rows[i][i];
            for (size_t k = i; k <= count; k++)
                rows[j][k] -= factor * rows[i][k];
        }
}

/* Any edges, on any mask: the picture need not be of bytes. */
TEST_OF_ENGINES(it_has_what_elimination_has)
{
    choose_engine(*state);
    static long double rows[MOST_UNKNOWN][MOST_UNKNOWN + 1];
    test_random random = {11};
    for (uint64_t seed = 0; seed < 300; seed++) {
        const size_t width = (size_t)random_integer(&random, 1, 12);
        const size_t height = (size_t)random_integer(&random, 1, 12);
        const rec_boundary_kind kind = kinds[seed % KINDS];
        owned_puzzle puzzle = make_puzzle(width, height, 1 + 2 * (seed % 2), kind,
                                          (kind_of_mask)(seed / KINDS % ALL), seed);
        rec_image_destroy(&puzzle.edges);
        puzzle.edges = random_image(width, height, puzzle.picture.planes, -500, 500, seed);
        const rec_problem *problem = problem_of(&puzzle);
        if (rec_problem_check(problem, NULL) == REC_OK) {
            owned_engine engine = make_engine(problem);
            const rec_multigrid solved = solve(&engine, 1e-5, INFINITY);
            assert_false(solved.look.missed); /* the rest is float32's */
            assert_true(solved.look.distance_max <=
                        1e-5 + ldexp(rec_image_largest(&engine.picture), -24));
            for (size_t p = 0; p < puzzle.picture.planes; p++) {
                const size_t count = make_system(problem, p, rows);
                eliminate(rows, count);
                for (size_t i = 0, n = 0; i < width * height; i++) {
                    const double found = *sample(&engine, p, i % width, i / width);
                    if (!puzzle.mask.unknown[i])
                        continue;
                    const double truth = (double)(rows[n][count] / rows[n][n]);
                    if (!(fabs(found - truth) <= solved.look.distance_max + 1e-7 * fabs(truth)))
                        fail_msg("%zu x %zu, %s, seed %d: %.9g for %.9g, estimate %g", width,
                                 height, rec_boundaries[kind].name, (int)seed, found, truth,
                                 solved.look.distance_max);
                    n++;
                }
            }
        }
    }
}

/* A line of integers whose ends are free, but for the last pixel, which is known; `rows` times. The
 * edges are noise: the picture leaves all that is given far behind, and is rounded to float32. */
TEST_OF_ENGINES(no_estimate_is_below_the_error_of_a_long_line)
{
    enum { LENGTH = 16383 };
    choose_engine(*state);
    for (size_t i = 0; i < 6; i++) {
        const size_t rows = 1 + i / 2, turned = i % 2;
        owned_puzzle puzzle = make_puzzle(turned ? rows : LENGTH, turned ? LENGTH : rows, 1,
                                          REC_BOUNDARY_MIRROR, ALL, i);
        test_random random = {i};
        int64_t *truth = calloc(LENGTH, sizeof *truth), before = 0;
        for (size_t x = 0; x < LENGTH; x++) {
            const int noise = random_integer(&random, -200, 200), last = x + 1 == LENGTH;
            const int64_t edge = last ? before - truth[x] : noise;
            for (size_t y = 0; y < rows; y++)
                *(rec_image_row(&puzzle.edges, 0, turned ? x : y) + (turned ? y : x)) = (float)edge;
            if (!last)
                truth[x + 1] = 2 * truth[x] - before + edge;
            before = truth[x];
        }
        puzzle.mask.unknown[LENGTH * rows - 1] = 0;
        rec_mask_measure(&puzzle.mask);
        owned_engine engine = make_engine(problem_of(&puzzle));
        const rec_multigrid solved = solve(&engine, 0.01, INFINITY);
        const float known = *sample(&engine, 0, puzzle.mask.width - 1, puzzle.mask.height - 1);
        double largest = 0, magnitude = 0;
        for (size_t k = 0; k < LENGTH * rows; k++) {
            const size_t x = k % LENGTH, y = k / LENGTH;
            const float found = *sample(&engine, 0, turned ? y : x, turned ? x : y);
            largest = fmax(largest, fabs((double)(truth[x] - before) + known - found));
            magnitude = fmax(magnitude, fabs((double)found));
        }
        if (solved.look.missed || !(largest <= solved.look.distance_max + ldexp(magnitude, -24)))
            fail_msg("%zu rows: error %g, estimate %g", rows, largest, solved.look.distance_max);
        free(truth);
    }
}

/* Edges that do not sum to 0 lose their mean where nothing is known. */
TEST_OF_ENGINES(unbalanced_edges_lose_their_mean)
{
    choose_engine(*state);
    for (uint64_t i = 0; i < 2; i++) {
        size_t wrong;
        owned_puzzle puzzle = make_puzzle(40, 31, 3, i ? REC_BOUNDARY_WRAP : REC_BOUNDARY_MIRROR,
                                          ALL, i);
        for (size_t k = 0; k < 3 * 40 * 31; k++)
            *sample_of(&puzzle.edges, k) += 3 + (float)(k / 40 / 31);
        owned_engine engine = make_engine(problem_of(&puzzle));
        assert_false(solve(&engine, 0.01, INFINITY).look.missed);
        largest_error(&engine, &puzzle, &wrong);
        assert_int_equal(wrong, 0);
    }
}

static rec_image solved_by(const char *kernel, const rec_problem *problem, double seconds)
{
    choose_engine(kernel);
    owned_engine engine = make_engine(problem);
    for (int i = 0; i < (seconds > 0 ? 1 : REC_MULTIGRID_MOST_STEPS); i++)
        solve(&engine, 1e-30, seconds);
    return copy_of(&engine.picture);
}

/* Any edges: the picture is not of bytes. */
TEST(the_device_has_the_picture_of_the_host)
{
    choose_engine("cuda"); /* before there is anything to free */
    for (size_t i = 0; i < 2 * KINDS; i++) {
        owned_puzzle puzzle = make_puzzle(211, 157, 3, kinds[i % KINDS], i < KINDS ? HOLES : BLOCKS,
                                          i);
        rec_image_destroy(&puzzle.edges);
        puzzle.edges = random_image(211, 157, 3, -500, 500, i);
        owned_image device = solved_by("cuda", problem_of(&puzzle), INFINITY);
        owned_image host = solved_by("host", problem_of(&puzzle), INFINITY);
        assert_true(difference_of(&device, &host).maximum <= 1e-6 * rec_image_largest(&host));
    }
}

/* Columns between 1 and the next float are nearly ties of both: the last bits of doubles show. */
TEST_OF_ENGINES(time_decides_no_bits)
{
    enum { SIDE = 512 };
    choose_engine(*state);
    owned_puzzle puzzle = make_puzzle(SIDE, SIDE, 1, REC_BOUNDARY_HALO, ONE, 0);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        const size_t x = i % SIDE, y = i / SIDE;
        puzzle.mask.unknown[i] = x % 2 && x < SIDE - 1 && y && y < SIDE - 1;
        *sample_of(&puzzle.edges, i) *= 1e-15F;
        *sample_of(&puzzle.start, i) = x % 2 ? 0 : 1 + (float)(x / 2 % 2) * 0x1p-23F;
    }
    rec_mask_measure(&puzzle.mask);
    owned_image at_once = solved_by(*state, problem_of(&puzzle), INFINITY);
    owned_image in_slices = solved_by(*state, problem_of(&puzzle), 0);
    assert_int_equal(rec_image_hash(&at_once), rec_image_hash(&in_slices));
}

/* In double, digits of a start that is far beyond the picture would be lost to the picture. */
TEST_OF_ENGINES(a_far_start_costs_no_digits)
{
    enum { LONG = 16383, WIDE = 8 };
    choose_engine(*state);
    owned_puzzle puzzle = make_puzzle(WIDE, LONG, 1, REC_BOUNDARY_MIRROR, ALL_BUT_ONE, 0);
    for (size_t i = 0; i < WIDE * LONG; i++) {
        float *picture = sample_of(&puzzle.picture, i);
        *picture += 65000; /* nothing to its edges */
        *sample_of(&puzzle.start, i) = puzzle.mask.unknown[i] ? 6e7F : *picture;
    }
    owned_engine engine = make_engine(problem_of(&puzzle));
    const rec_multigrid solved = solve(&engine, 0.01, INFINITY);
    const double largest = difference_of(&puzzle.picture, &engine.picture).maximum;
    if (solved.look.missed || !(largest <= solved.look.distance_max + ldexp(65535, -24)))
        fail_msg("error %g, estimate %g", largest, solved.look.distance_max);
}

TEST(the_solver_says_what_it_cannot)
{
    const rec_solver_type *type = solver_or_skip("multigrid"), *spectral;
    owned_puzzle puzzle = make_puzzle(20, 20, 1, REC_BOUNDARY_HALO, DISC, 6);
    owned_solver *none = NULL;
    const rec_problem *problem = problem_of(&puzzle);
    owned_solver *solver = solver_for(type, problem, NULL);
    FAILS(rec_solver_jump(solver, 5, &error), REC_USAGE, "no iterates");
    if (rec_solver_find("spectral", &spectral, NULL) == REC_OK)
        FAILS(rec_solver_create(&none, spectral, problem, NULL, &error), REC_USAGE, "multigrid");

    /* In double nothing comes within 0.01 of numbers of 30 digits. */
    for (size_t i = 0; i < 400; i++)
        *sample_of(&puzzle.start, i) *= 1e27F;
    int reached = 1;
    SUCCEEDS(rec_solver_change(solver, problem, (rec_area){0, 0, 20, 20}, &error));
    SUCCEEDS(rec_solver_solve(solver, INFINITY, &reached, &error));
    const rec_look look = solver_advance(solver, 0, REC_LOOK_DISTANCE);
    assert_false(reached);
    assert_true(look.missed && look.distance_max > 0.01 && look.distance_max < 1e20);
}
