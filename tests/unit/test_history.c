/* What the window remembers of a run: bounded, in order, even, and exact where it matters; and the
 * grey levels of what it shows. */
#include "tests/unit/problems.h"
#include "view/worker/history.h"

#define LONGEST UINT64_C(1000000000000)

/* Decaying as a run's do. */
static double change_at(uint64_t n) { return 50 / (1 + (double)n); }
static double distance_at(uint64_t n) { return 700 * exp(-(double)n / 1e6) + 1e-3; }

static void assert_sound(const rec_series *series)
{
    assert_true(series->count <= REC_HISTORY_POINTS);
    for (size_t i = 1; i < series->count; i++)
        assert_true(series->point[i - 1].iteration < series->point[i].iteration);
}

static void add(rec_history *history, uint64_t iteration, double change, double distance)
{
    rec_history_add(history, iteration, change, distance);
    assert_sound(&history->change);
    assert_sound(&history->distance);
}

static rec_history_point last(const rec_series *series)
{
    assert_true(series->count > 0);
    return series->point[series->count - 1];
}

/* Runs of every step up to `most`: the newest is exact, nothing is invented, and apart from a run's
 * own steps no gap is wider than two cells. */
static void follow(uint64_t step, uint64_t most, double growth)
{
    rec_history history = {0};
    for (uint64_t n = step; n <= most; n = (uint64_t)((double)n * growth) + step) {
        rec_history_add(&history, n, change_at(n), distance_at(n));
        assert_true(last(&history.change).iteration == n);
        assert_true(last(&history.change).value == change_at(n));
        assert_true(last(&history.distance).value == distance_at(n));
    }
    const rec_series *series = &history.distance;
    assert_sound(series);
    const double widest = log10(growth) + 2.0 / REC_HISTORY_CELLS;
    for (size_t i = 0; i < series->count; i++) {
        const uint64_t n = series->point[i].iteration;
        assert_true(series->point[i].value == distance_at(n));
        if (i && n > 100 * step)
            assert_true(log10((double)n / (double)series->point[i - 1].iteration) <= widest);
    }
}

TEST(runs_stay_bounded_exact_and_even)
{
    follow(1, 1000000, 1);
    follow(100, 40000000, 1);
    follow(1, LONGEST, 1.0001);
    follow(1, UINT64_MAX / 4, 1.001);
    follow(1, LONGEST, 1.3);
}

TEST(an_iteration_that_lies_back_drops_what_is_behind_it)
{
    rec_history history = {0};
    for (uint64_t n = 100; n <= 100000; n += 100)
        add(&history, n, change_at(n), n % 1000 ? NAN : distance_at(n));
    add(&history, 5050, 7, NAN);
    assert_true(last(&history.change).iteration == 5050 && last(&history.change).value == 7);
    assert_true(last(&history.distance).iteration <= 5000);
    add(&history, 5550, NAN, 3);
    assert_true(last(&history.change).iteration == 5050);
    assert_true(last(&history.distance).iteration == 5550);
    add(&history, 0, NAN, 700); /* a restart */
    assert_true(history.change.count == 0 && history.distance.count == 0);
    add(&history, 100, 1, 1);
    assert_true(history.change.count == 1 && history.distance.count == 1);
}

TEST(the_same_iteration_again_replaces_its_values)
{
    rec_history history = {0};
    add(&history, 10, 5, NAN);
    add(&history, 10, 4, 40);
    add(&history, 10, NAN, 30);
    assert_true(history.change.count == 1 && last(&history.change).value == 4);
    assert_true(history.distance.count == 1 && last(&history.distance).value == 30);
}

TEST(what_is_not_known_adds_nothing_to_its_series)
{
    rec_history history = {0};
    for (uint64_t n = 1; n <= 10; n++) /* the distance is known now and then */
        add(&history, n, change_at(n), n % 5 ? NAN : distance_at(n));
    assert_true(history.change.count == 10 && history.distance.count == 2);
    const double odd[] = {NAN, INFINITY, -INFINITY, -1, -1e-300};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        add(&history, 200 + i, odd[i], (double)i);
    assert_true(last(&history.change).iteration == 10);
    add(&history, 300, 0, NAN); /* 0 is a value: it stands still */
    assert_true(last(&history.change).iteration == 300 && last(&history.change).value == 0);
}

TEST(nothing_that_happens_to_a_run_confuses_it)
{
    rec_history history = {0};
    test_random source = {.state = 11};
    uint64_t iteration = 0;
    for (int i = 0; i < 30000; i++) {
        const uint32_t what = random_bits(&source) % 1000, step = random_bits(&source) % 1000;
        if (what < 2)
            iteration = what ? iteration / 2 : iteration < LONGEST ? iteration * 3 : 0;
        else if (what < 900)
            iteration += step;
        add(&history, iteration, what % 7 ? what : NAN, what % 3 ? NAN : what % 2);
        assert_true(what % 7 == 0 || last(&history.change).value == what);
    }
}

/* ---- its grey levels ---- */

TEST(levels_are_counted_and_tell_whether_to_fit)
{
    enum { VALUES = 10000 };
    rec_levels levels = {.white = 255};
    owned_image rows = new_image(VALUES, 1, 1);
    owned_image one = new_image(1, 1, 1);
    float *value = rows.data;
    const struct {
        int outside, from, to;
    } cases[] = {{100, 0, 0}, {101, 0, 1}, {10, 1, 1}, {9, 1, 0}, {50, 1, 1}, {50, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int v = 0; v < VALUES; v++)
            value[v] = v < cases[i].outside ? v % 2 ? 300 : -45 : 255.25f;
        rec_levels_count(&levels, &rows);
        assert_int_equal(rec_levels_fit(cases[i].from, &levels), cases[i].to);
        assert_true(levels.survey.low == -45 && levels.survey.high == 300);
        assert_true(levels.first == -45 && levels.last == 300);
        assert_int_equal(levels.bin[0], (cases[i].outside + 1) / 2);
        assert_int_equal(levels.bin[127], cases[i].outside / 2);
        assert_int_equal(levels.bin[111], VALUES - cases[i].outside);
    }
    rec_image_fill(&one, 7);
    rec_levels_count(&levels, &one);
    assert_true(levels.first == 0 && levels.last == 255 && levels.bin[3] == 1);
    rec_image_fill(&one, NAN); /* a run that diverged */
    rec_levels_count(&levels, &one);
    assert_int_equal(levels.bin[127], 1);
    for (int v = 0; v < VALUES; v++) /* data of which white could not be told from black */
        value[v] = (float)v / VALUES;
    rec_levels_count(&levels, &rows);
    assert_true(rec_levels_fit(0, &levels) && levels.last < 1 && levels.bin[64] > 0);
    rows.data[0] = 3;
    rec_levels_count(&levels, &rows);
    assert_true(!rec_levels_fit(0, &levels) && levels.last == 255);
    for (int v = 0; v < VALUES; v++) /* a plain picture: the rest is rounding */
        value[v] = v % 2 ? 77 : 77.00001f;
    rec_levels_count(&levels, &rows);
    assert_false(rec_levels_fit(0, &levels));
    levels.white = 65535;
    rec_image_fill(&rows, 60000);
    rec_levels_count(&levels, &rows);
    assert_true(!rec_levels_fit(0, &levels) && levels.last == 65535);
}

/* 0.4% of the samples at each end decide nothing. In a reduced view the means of boxes count. */
TEST(the_contrast_is_fitted_to_all_but_a_few_levels)
{
    enum { SIDE = 100 };
    const rec_size size = {SIDE, SIDE};
    rec_levels levels = {.white = 255};
    owned_image edges = problem_noise(SIDE, SIDE, 1, 0, 1);
    owned_image start = new_image(SIDE, SIDE, 1);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        *sample_of(&start, i) = i % 250 == 3 ? -9e5f : i % 250 == 8 ? 1e6f : i % 2 ? 20 : 60;
    owned_solver *solver = solver_make(solver_or_skip("cpu"), &edges, &start, 0);
    SUCCEEDS(rec_levels_read(&levels, solver, size, 1, 1, &error));
    assert_true(fabs(levels.most.black - 20) < 2 && fabs(levels.most.white - 60) < 2);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        *sample_of(&start, i) = (i % SIDE < SIDE / 2 ? 20.f : 60.f) + (i % 2 ? 100 : -100);
    owned_solver *reduced = solver_make(solver_or_skip("cpu"), &edges, &start, 0);
    assert_int_equal(rec_levels_box(0.5, size), 2);
    SUCCEEDS(rec_levels_read(&levels, reduced, size, 1, 2, &error));
    assert_true(levels.box == 2 && levels.survey.high == 160);
    assert_true(fabs(levels.most.black - 20) < 0.1 && fabs(levels.most.white - 60) < 0.1);
    assert_true(rec_levels_box(8, size) == 1 && rec_levels_box(0.01, size) == 16);
    assert_int_equal(rec_levels_box(0.01, (rec_size){3000, 2}), 2);
}

TEST(limits_move_to_others_and_arrive)
{
    const rec_limits from = {-100, 100}, end = {0, 255};
    const rec_limits half = rec_limits_approach(from, end, 0.2 * log(2));
    assert_true(fabs(half.black + 50) < 1e-9 && fabs(half.white - 177.5) < 1e-9);
    const double seconds[] = {5, INFINITY};
    for (size_t i = 0; i < 2; i++) {
        const rec_limits last = rec_limits_approach(from, end, seconds[i]);
        assert_true(last.black == 0 && last.white == 255);
    }
}
