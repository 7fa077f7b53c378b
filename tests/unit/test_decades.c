/* The axes of the window's plot: decades, labels, and that labels never meet; and the scale of its
 * slider. */
#include "tests/unit/cm.h"
#include "view/worker/decades.h"

TEST(axes_cover_whole_decades)
{
    const struct { double least, most; int low, high; } cases[] = {
        {1, 1, 0, 1},         {1, 10, 0, 1},          {1, 11, 0, 2},    {0.5, 0.5, -1, 0},
        {12345, 12345, 4, 5}, {1e-7, 694.0, -7, 3},   {1, 1e12, 0, 12}, {1e-300, 1e300, -300, 300},
        {1000, 1000, 3, 4},   {0.001, 0.0011, -3, -2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rec_decades axis = rec_decades_cover(cases[i].least, cases[i].most);
        assert_int_equal(axis.low, cases[i].low);
        assert_int_equal(axis.high, cases[i].high);
        axis.from = 300;
        axis.to = 100;
        assert_true(fabs(rec_decades_place(&axis, pow(10, axis.low)) - 300) < 1e-9);
        assert_true(fabs(rec_decades_place(&axis, pow(10, axis.high)) - 100) < 1e-9);
    }
}

TEST(labels_are_readable)
{
    const char *const labels[] = {"1e-5", "1e-4", "0.001", "0.01", "0.1",  "1",    "10",
                                  "100",  "1k",   "10k",   "100k", "1M",   "10M",  "100M",
                                  "1G",   "10G",  "100G",  "1T",   "10T",  "100T", "1e15"};
    char text[16];
    for (int i = 0; i < 21; i++)
        assert_string_equal(rec_decades_write(text, i - 5), labels[i]);
}

TEST(labels_never_meet_and_there_is_always_one)
{
    for (int low = -30; low <= 30; low += 3)
        for (int decades = 1; decades <= 60; decades++)
            for (int length = 1; length <= 1000; length += 37)
                for (int room = 5; room <= 80; room += 15) {
                    const rec_decades axis = {low, low + decades, 7, 7 + length};
                    const int step = rec_decades_step(&axis, room);
                    int labels = 0, before = -1000;
                    for (int decade = low; decade <= low + decades; decade++) {
                        if (decade % step)
                            continue;
                        const int place = (int)(rec_decades_place(&axis, pow(10, decade)) + 0.5);
                        assert_true(place - before >= room);
                        before = place;
                        labels++;
                    }
                    assert_true(labels || room >= length);
                    assert_true(step == 1 || (step - 1) * length < (room + 1) * decades);
                }
}

/* ---- the scale ---- */

TEST(the_scale_is_exact_at_its_stops)
{
    assert_true(rec_scale_place(0) == 0 && rec_scale_place(REC_LIMIT_ITERATION) == 1);
    const double outside[] = {-1e9, -0.01, 0, 1, 1.01, 1e9};
    for (int i = 0; i < 6; i++)
        assert_true(rec_scale_iteration(outside[i]) == (i < 3 ? 0 : REC_LIMIT_ITERATION));
    uint64_t power = 1;
    for (int decade = 0; decade <= REC_SCALE_DECADES; decade++, power *= 10) {
        assert_true(fabs(rec_scale_place(power) - (0.5 + decade) / 10) < 1e-12);
        assert_true(rec_scale_iteration(rec_scale_place(power)) == power);
    }
    assert_true(rec_scale_place(1000000001) == rec_scale_place(1000000000));
}

TEST(the_scale_rises_and_every_iterate_has_its_place)
{
    uint64_t last = 0;
    for (int i = -100; i <= 100100; i++) {
        const uint64_t now = rec_scale_iteration(i / 100000.0);
        assert_true(now >= last);
        assert_true(now == REC_LIMIT_ITERATION || now <= 1000000000);
        last = now;
    }
    assert_true(last == REC_LIMIT_ITERATION);
    for (uint64_t n = 0; n <= 1000000000; n += 1 + n / 1000)
        assert_true(rec_scale_iteration(rec_scale_place(n)) == n);
}

TEST(steps_are_tenths_of_a_decade)
{
    const uint64_t up[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 79, 100};
    for (size_t i = 0; i + 1 < sizeof up / sizeof *up; i++) {
        assert_true(rec_scale_step(up[i], 1) == up[i + 1]);
        assert_true(rec_scale_step(up[i + 1], 0) == up[i]);
    }
    assert_true(rec_scale_step(1234, 1) == 1259 && rec_scale_step(1234, 0) == 1000);
    assert_true(rec_scale_step(1000000000, 1) == REC_LIMIT_ITERATION);
    assert_true(rec_scale_step(REC_LIMIT_ITERATION, 1) == REC_LIMIT_ITERATION);
    assert_true(rec_scale_step(REC_LIMIT_ITERATION, 0) == 1000000000);
    assert_true(rec_scale_step(5000000000, 0) == 1000000000 && rec_scale_step(0, 0) == 0);
}
