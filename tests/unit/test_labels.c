/* Several sources for one part: graph cuts beside all choices there are, and what labels may depend
 * on. */
#include "base/team.h"
#include "problem/labels.h"
#include "problem/sources.h"
#include "tests/unit/problems.h"

enum { ACROSS = 3, DOWN = 3, NODES = ACROSS * DOWN, MOST = 3, WIDTH = 200, HEIGHT = 150 };

static struct {
    rec_field field;
    int32_t next[4][NODES], cost[MOST][NODES], label[NODES];
    int16_t value[MOST][NODES][REC_CUT_SIGNALS];
    test_random random;
} f;

static int draw(int below) { return random_integer(&f.random, 0, below - 1); }

static void begin(size_t labels, int gone)
{
    f.field = (rec_field){.count = NODES, .labels = labels, .value = &f.value[0][0][0],
                          .cost = f.cost[0], .seam = 4, .label = f.label};
    for (int i = 0; i < NODES; i++) {
        const int next[] = {i % ACROSS + 1 < ACROSS ? i + 1 : -1,
                            i + ACROSS < NODES ? i + ACROSS : -1,
                            i % ACROSS ? i - 1 : -1, i >= ACROSS ? i - ACROSS : -1};
        for (size_t d = 0; d < 4; d++)
            f.next[d][i] = next[d];
        f.label[i] = 0;
        for (size_t a = 0; a < labels; a++) {
            f.cost[a][i] = draw(5) || !a ? draw(120) : REC_CUT_NEVER;
            for (int s = 0; s < REC_CUT_SIGNALS; s++)
                f.value[a][i][s] = (int16_t)(gone && !draw(5) ? REC_CUT_GONE : draw(12));
        }
    }
    for (size_t d = 0; d < 4; d++)
        f.field.next[d] = f.next[d];
}

/* The least energy where some pixels take label a, and others stay. */
static int64_t best_change(int32_t a, const int32_t *label)
{
    int64_t best = INT64_MAX;
    for (int set = 0; set < 1 << NODES; set++) {
        int32_t other[NODES];
        for (int i = 0; i < NODES; i++)
            other[i] = set >> i & 1 ? a : label[i];
        const int64_t energy = rec_field_energy(&f.field, other);
        best = energy < best ? energy : best;
    }
    return best;
}

TEST(of_two_labels_no_choice_is_cheaper)
{
    f.random.state = 5;
    int changed = 0;
    for (int round = 0; round < 300; round++) {
        rec_work work = {.left = 1 << 25};
        begin(2, round % 2);
        const int64_t before = rec_field_energy(&f.field, f.label), best = best_change(1, f.label);
        SUCCEEDS(rec_field_expand(&f.field, 1, &work, &error));
        assert_int_equal(rec_field_energy(&f.field, f.label), best);
        changed += best < before;
        for (int i = 0; i < NODES; i++)
            assert_true(f.cost[f.label[i]][i] < REC_CUT_NEVER);
    }
    assert_in_range(changed, 100, 300);
}

TEST(of_three_labels_none_can_be_offered_that_makes_it_cheaper)
{
    for (int round = 0; round < 100; round++) {
        rec_work work = {.left = 1 << 25};
        begin(3, 0);
        SUCCEEDS(rec_field_expand(&f.field, 100, &work, &error));
        for (int32_t a = 0; a < 3; a++)
            assert_int_equal(best_change(a, f.label), rec_field_energy(&f.field, f.label));
    }
}

TEST(without_work_left_nothing_changes)
{
    for (int stopped = 0; stopped < 2; stopped++) {
        rec_work work = {.left = stopped ? 1 << 25 : 33, .stopped = stopped};
        begin(3, 0);
        SUCCEEDS(rec_field_expand(&f.field, 2, &work, &error));
        for (int i = 0; i < NODES; i++)
            assert_int_equal(f.label[i], 0);
        assert_true(!work.left || stopped);
    }
}

/* ---- a part across a border ---- */

/* Above it a texture of period 23, below it one of period 29: no single place fits. */
static int truth(size_t plane, size_t x, size_t y)
{
    const uint32_t cell = y < HEIGHT / 2 ? (uint32_t)(x % 23) : (uint32_t)(100 + x % 29);
    const uint32_t random = (cell * 2654435761u + (uint32_t)plane * 40503u) >> 8;
    return (int)(random % 60 + (y < HEIGHT / 2 ? 40 : 150));
}

/* Labels of a disc under which the picture is `under`. */
static rec_sources search(size_t planes, float under, size_t threads)
{
    owned_image picture = new_image(WIDTH, HEIGHT, planes);
    REC_OWNED(rec_mask_destroy) rec_mask mask = new_mask(WIDTH, HEIGHT);
    rec_sources sources = {0};
    size_t unsearched = 0;
    EACH_PIXEL(size_t, y, x, HEIGHT, WIDTH)
    {
        const int away_x = (int)x - 100, away_y = (int)y - HEIGHT / 2;
        const int inside = away_x * away_x + away_y * away_y <= 14 * 14;
        mask.unknown[y * WIDTH + x] = (unsigned char)inside;
        for (size_t p = 0; p < planes; p++)
            rec_image_row(&picture, p, y)[x] = inside ? under : (float)truth(p, x, y);
    }
    rec_mask_measure(&mask);
    rec_search all = {.picture = SAMPLES(&picture), .mask = &mask, .sources = &sources,
                      .white = 255, .left = REC_SEARCH_COMPARISONS};
    const size_t before = rec_team_size();
    SUCCEEDS(rec_sources_create(&sources, WIDTH, HEIGHT, &error));
    rec_team_set_size(threads);
    SUCCEEDS(rec_search_parts(&all, &mask, &sources, &unsearched, &error));
    rec_team_set_size(before);
    assert_int_equal(unsearched, 0);
    size_t other = 0;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        assert_int_equal(sources.label[i] != 0, mask.unknown[i]);
        if (!mask.unknown[i])
            continue;
        const rec_patch *at = &sources.at[sources.label[i] - 1];
        const size_t x = i % WIDTH + (size_t)at->x, y = i / WIDTH + (size_t)at->y;
        assert_true(!at->smooth && at->group == 1 && !mask.unknown[y * WIDTH + x]);
        other += truth(0, x, y) != truth(0, i % WIDTH, i / WIDTH);
    }
    assert_true(10 * other < mask.count); /* elsewhere it is exactly what was there */
    return sources;
}

TEST(a_part_across_a_border_has_several_places_whatever_is_under_it)
{
    for (size_t planes = 1; planes <= 3; planes += 2) {
        REC_OWNED(rec_sources_destroy) rec_sources first = search(planes, NAN, 1);
        const float under[] = {0, 255, 90};
        assert_true(first.count >= 2);
        for (size_t i = 0; i < 3; i++) {
            REC_OWNED(rec_sources_destroy) rec_sources other = search(planes, under[i], 1 + 7 * i);
            assert_int_equal(other.count, first.count);
            assert_memory_equal(other.label, first.label, WIDTH * HEIGHT * sizeof *first.label);
            for (size_t k = 0; k < first.count; k++)
                assert_true(other.at[k].x == first.at[k].x && other.at[k].y == first.at[k].y);
        }
    }
}
