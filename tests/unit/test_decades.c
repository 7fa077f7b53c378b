/* The axes of the window's plot: decades, labels, and that labels never meet. */
#include <math.h>

#include "tests/unit/cm.h"
#include "view/worker/scene.h"

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
    const rec_decades none = {0, 3, 5, 5};
    assert_true(rec_decades_step(&none, 10) > 3);
}
