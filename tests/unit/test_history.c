/* What the window remembers of a run: bounded, in order, even, and exact where it matters. */
#include <math.h>

#include "tests/unit/cm.h"
#include "tests/unit/support.h"
#include "view/worker/history.h"

#define LONGEST UINT64_C(1000000000000)

/* Decaying as a run's do. */
static double change_at(uint64_t n) { return 50 / (1 + (double)n); }
static double distance_at(uint64_t n) { return 700 * exp(-(double)n / 1e6) + 1e-3; }

static void assert_sound(const rec_series *series)
{
    assert_true(series->count <= REC_HISTORY_POINTS);
    for (size_t i = 1; i < series->count; i++) {
        const rec_history_point *a = &series->point[i - 1], *b = &series->point[i];
        assert_true(a->iteration <= b->iteration);
        assert_true(a->iteration < b->iteration || isnan(a->value) || isnan(b->value));
        assert_false(isnan(a->value) && isnan(b->value));
    }
    assert_false(series->count && isnan(series->point[0].value));
}

/* Looks at all of it now and then: of a long run every time would take too long. */
static void add(rec_history *history, uint64_t iteration, double change, double distance)
{
    static unsigned calls;
    rec_history_add(history, iteration, change, distance);
    assert_true(history->change.count <= REC_HISTORY_POINTS);
    assert_true(history->distance.count <= REC_HISTORY_POINTS);
    if (history->change.count < 10 || calls++ % 97 == 0) {
        assert_sound(&history->change);
        assert_sound(&history->distance);
    }
}

static rec_history_point last(const rec_series *series)
{
    assert_true(series->count > 0);
    return series->point[series->count - 1];
}

static size_t find_value(const rec_series *series, double value)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->point[i].value == value)
            return i;
    return series->count;
}

TEST(a_short_run_is_all_there)
{
    rec_history history = {0};
    for (uint64_t n = 0; n < REC_HISTORY_POINTS; n++)
        add(&history, n, change_at(n), distance_at(n));
    assert_int_equal(history.change.count, REC_HISTORY_POINTS);
    for (uint64_t n = 0; n < REC_HISTORY_POINTS; n++) {
        assert_true(history.change.point[n].iteration == n);
        assert_true(history.change.point[n].value == change_at(n));
        assert_true(history.distance.point[n].value == distance_at(n));
    }
    rec_history_clear(&history);
    assert_true(history.change.count == 0 && history.distance.count == 0);
}

/* Runs of every step up to `most`: the newest is exact, nothing is invented, and apart from a run's
 * own first steps no gap is wider than `widest` decades. */
static void follow(uint64_t step, uint64_t most, double growth, double widest)
{
    rec_history history = {0};
    for (uint64_t n = step; n <= most; n = (uint64_t)((double)n * growth) + step) {
        add(&history, n, change_at(n), distance_at(n));
        assert_true(last(&history.change).iteration == n);
        assert_true(last(&history.change).value == change_at(n));
        assert_true(last(&history.distance).value == distance_at(n));
    }
    const rec_series *series = &history.distance;
    assert_true(series->point[0].iteration == step);
    assert_true(series->count > REC_HISTORY_POINTS / 5);
    for (size_t i = 0; i < series->count; i++) {
        const uint64_t n = series->point[i].iteration;
        assert_true(series->point[i].value == distance_at(n));
        if (i && n > 100 * step)
            assert_true(log10((double)n / (double)series->point[i - 1].iteration) <= widest);
    }
}

TEST(long_runs_stay_bounded_exact_and_even)
{
    /* From the first point of a cell to that of the next one: less than two cells. */
    follow(1, 1000000, 1, 2 / 32.0);
    follow(100, 40000000, 1, 2 / 32.0);
    follow(1, LONGEST, 1.0001, 2 / 16.0);
    follow(1, UINT64_MAX / 4, 1.001, 2 / 8.0);
    follow(1, LONGEST, 1.3, 0.12); /* all that there is: log10(1.3) = 0.114 */
}

TEST(a_run_that_begins_late_is_fine_too)
{
    rec_history history = {0};
    for (uint64_t n = LONGEST; n < LONGEST + 100000; n++)
        add(&history, n, change_at(n), distance_at(n));
    assert_true(history.change.point[0].iteration == LONGEST);
    assert_true(last(&history.change).iteration == LONGEST + 99999);
    assert_true(history.change.count > REC_HISTORY_POINTS / 5);
}

TEST(extremes_are_kept)
{
    rec_history history = {0};
    for (uint64_t n = 1; n <= 300000; n++) {
        const double value = n == 54321 ? 9e9 : n == 123457 ? 1e-9 : 1 + (double)(n % 7);
        add(&history, n, value, 2 * value);
    }
    size_t most = find_value(&history.change, 9e9), least = find_value(&history.change, 1e-9);
    assert_true(most < history.change.count && least < history.change.count);
    assert_true(history.change.point[most].iteration == 54321);
    assert_true(history.change.point[least].iteration == 123457);
    most = find_value(&history.distance, 18e9);
    assert_true(most < history.distance.count);
    /* Extremes that grow with every step are no reason to keep all of them. */
    rec_history_clear(&history);
    for (uint64_t n = 1; n <= 100000; n++)
        add(&history, n, n % 2 ? 1e6 + (double)n : 1 / (double)n, NAN);
    assert_true(history.change.point[find_value(&history.change, 1e-5)].iteration == 100000);
    assert_true(find_value(&history.change, 1e6 + 99999) < history.change.count);
}

TEST(an_iteration_that_lies_back_drops_what_is_behind_it)
{
    rec_history history = {0};
    for (uint64_t n = 100; n <= 100000; n += 100)
        add(&history, n, change_at(n), n % 1000 ? NAN : distance_at(n));
    add(&history, 5050, 7, NAN);
    assert_true(last(&history.change).iteration == 5050 && last(&history.change).value == 7);
    assert_true(last(&history.distance).iteration <= 5000);
    add(&history, 5150, NAN, 3);
    assert_true(last(&history.change).iteration == 5050);
    assert_true(last(&history.distance).iteration == 5150);
    add(&history, 0, NAN, 700); /* a restart */
    assert_int_equal(history.change.count, 0);
    assert_int_equal(history.distance.count, 1);
    add(&history, 100, 1, 1);
    add(&history, 50, NAN, NAN); /* so does a break */
    assert_int_equal(history.change.count, 0);
    assert_true(history.distance.count == 2 && isnan(last(&history.distance).value));
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
    for (uint64_t n = 1; n <= 100000; n++) /* the distance is known now and then */
        add(&history, n, change_at(n), n % 5000 ? NAN : distance_at(n));
    assert_int_equal(history.distance.count, 20);
    for (size_t i = 0; i < 20; i++)
        assert_true(history.distance.point[i].value == distance_at(5000 * (i + 1)));
    const double odd[] = {NAN, INFINITY, -INFINITY, -1, -1e-300};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        add(&history, 200000 + i, odd[i], (double)i);
    assert_true(last(&history.change).iteration == 100000);
    add(&history, 300000, 0, NAN); /* 0 is a value: it stands still */
    assert_true(last(&history.change).iteration == 300000 && last(&history.change).value == 0);
}

TEST(breaks_part_the_series)
{
    rec_history history = {0};
    add(&history, 0, NAN, NAN); /* of nothing there is no break */
    assert_true(history.change.count == 0 && history.distance.count == 0);
    add(&history, 1000, 1, 10);
    add(&history, 1000, NAN, NAN); /* the run goes on from somewhere else, under the same number */
    add(&history, 1000, NAN, NAN);
    add(&history, 1000, 3, NAN);
    add(&history, 1100, 2, 20);
    const rec_series *change = &history.change, *distance = &history.distance;
    assert_true(change->count == 4 && change->point[0].value == 1 &&
                isnan(change->point[1].value) && change->point[2].value == 3);
    assert_true(distance->count == 3 && isnan(distance->point[1].value));
    /* One of them is found again after any number of iterations. */
    for (uint64_t n = 1200; n <= 3000000; n += 100)
        add(&history, n, change_at(n), NAN);
    size_t breaks = 0;
    for (size_t i = 0; i < change->count; i++)
        breaks += isnan(change->point[i].value);
    assert_int_equal(breaks, 1);
    /* And ever so many do not fill it; what was there before the newest one stays exact. */
    double before = last(change).value;
    for (uint64_t n = 3000100; n <= 5000000; n += 100) {
        const double now = 2 + sin((double)n); /* no extremes */
        add(&history, n, NAN, NAN);
        add(&history, n, now, NAN);
        assert_true(change->point[change->count - 3].value == before);
        assert_true(isnan(change->point[change->count - 2].value));
        before = now;
    }
}

TEST(many_breaks_at_one_iteration_are_bounded)
{
    rec_history history = {0};
    const uint64_t iterations[] = {0, 1, 1000000, LONGEST, UINT64_MAX};
    for (size_t i = 0; i < sizeof iterations / sizeof *iterations; i++)
        for (int j = 0; j < 3 * REC_HISTORY_POINTS; j++) {
            add(&history, iterations[i], j, NAN);
            assert_true(last(&history.change).value == j);
            add(&history, iterations[i], NAN, NAN);
        }
}

TEST(nothing_that_happens_to_a_run_confuses_it)
{
    rec_history history = {0};
    test_random source = {.state = 11};
    uint64_t iteration = 0;
    for (int i = 0; i < 300000; i++) {
        const uint32_t what = random_bits(&source) % 1000, step = random_bits(&source) % 1000;
        if (what < 2)
            iteration = what ? iteration / 2 : iteration < LONGEST ? iteration * 3 : 0;
        else if (what < 900)
            iteration += step;
        add(&history, iteration, what % 7 ? what : NAN, what % 3 ? NAN : what % 2);
        assert_true(what % 7 == 0 || last(&history.change).value == what);
    }
    assert_sound(&history.change);
    assert_sound(&history.distance);
}

TEST(a_copy_is_a_history_of_its_own)
{
    rec_history history = {0};
    for (uint64_t n = 1; n <= 5000; n++)
        add(&history, n, change_at(n), distance_at(n));
    const rec_history copy = history;
    add(&history, 1, 0, 0);
    assert_true(last(&copy.change).iteration == 5000 && last(&history.change).iteration == 1);
}
