/* The search for the source of a part: what it must find, whatever lies under the mask. */
#include "problem/guidance.h"
#include "problem/sources.h"
#include "tests/unit/problems.h"

enum { WIDTH = 220, HEIGHT = 180, LEFT = 150, TOP = 60 };

static struct {
    rec_image picture;
    rec_mask mask;
    rec_sources sources;
} s;

/* Noise, coarse and fine. */
static void begin(size_t planes)
{
    s.picture = random_image(WIDTH, HEIGHT, planes, 0, 63, 7);
    s.mask = new_mask(WIDTH, HEIGHT);
    SUCCEEDS(rec_sources_create(&s.sources, WIDTH, HEIGHT, &error));
    for (size_t i = 0; i < planes * HEIGHT; i++)
        for (size_t x = 0; x < WIDTH; x++)
            s.picture.data[i * s.picture.stride + x] +=
                40 + 40 * sinf((float)x / 9) * cosf((float)i / 7);
}

static void end(void)
{
    rec_image_destroy(&s.picture);
    rec_mask_destroy(&s.mask);
    rec_sources_destroy(&s.sources);
}

/* A disc of unknown pixels that are NaN, and around it what is (x, y) pixels away. */
static void hide(size_t left, size_t top, ptrdiff_t x, ptrdiff_t y, ptrdiff_t radius)
{
    for (ptrdiff_t i = -radius - 12; i <= radius + 12; i++)
        for (ptrdiff_t k = -radius - 12; k <= radius + 12; k++)
            for (size_t p = 0; p < s.picture.planes; p++) {
                float *row = rec_image_row(&s.picture, p, (size_t)((ptrdiff_t)top + i));
                const int inside = i * i + k * k <= radius * radius;
                row[(ptrdiff_t)left + k] =
                    inside ? NAN
                           : 60 + rec_image_row(&s.picture, p, (size_t)((ptrdiff_t)top + i + y))
                                     [(ptrdiff_t)left + k + x];
                s.mask.unknown[((ptrdiff_t)top + i) * WIDTH + (ptrdiff_t)left + k] |=
                    (unsigned char)inside;
            }
    rec_mask_measure(&s.mask);
}

static int find(uint16_t label, uint64_t left)
{
    int found;
    rec_search search = {.picture = SAMPLES(&s.picture), .mask = &s.mask, .sources = &s.sources,
                         .white = 255, .left = left, .defers = 1};
    SUCCEEDS(rec_search_patch(&search, label, &s.sources.at[label - 1], &found, &error));
    return found;
}

/* At full size, and by way of reduced pictures: exactly there, also where it is brighter. */
TEST(the_place_that_fits_is_found)
{
    const ptrdiff_t radii[] = {6, 17, 30};
    for (size_t planes = 1; planes <= 3; planes += 2)
        for (size_t i = 0; i < 3; i++) {
            const ptrdiff_t x = i ? -96 : -60, y = i ? 52 - 4 * (ptrdiff_t)i : 31;
            begin(planes);
            hide(LEFT, TOP, x, y, radii[i]);
            SUCCEEDS(rec_sources_part(&s.sources, &s.mask, &error));
            assert_int_equal(s.sources.count, 1);
            assert_int_equal(s.sources.at[0].count, s.mask.count);
            assert_true(find(1, REC_SEARCH_COMPARISONS));
            assert_false(s.sources.at[0].smooth);
            assert_int_equal(s.sources.at[0].x, x);
            assert_int_equal(s.sources.at[0].y, y);
            end();
        }
}

TEST(smooth_surroundings_are_searched_last_and_work_is_bounded)
{
    begin(1);
    hide(LEFT, TOP, -99, 40, 17);
    SUCCEEDS(rec_sources_part(&s.sources, &s.mask, &error));
    assert_false(find(1, 100000));
    assert_true(s.sources.at[0].smooth);
    for (int kind = 0; kind < 3; kind++) { /* clouds are steep, but even */
        EACH_PIXEL(size_t, y, x, HEIGHT, WIDTH)
            rec_image_row(&s.picture, 0, y)[x] =
                kind == 0   ? (float)(x / 8)
                : kind == 1 ? (float)(x / 2 + y)
                            : roundf(128 + 100 * sinf((float)x / 20) * cosf((float)y / 25));
        assert_true(find(1, 100000));
        assert_int_equal(s.sources.at[0].smooth, kind ? REC_SOUGHT : 1);
    }
    end();
}

/* A wall beside a sky, both of them flat: a border crosses the ring, and one of little contrast, or
 * lines on a slope, does not. */
TEST(a_ring_that_a_border_crosses_is_not_smooth)
{
    for (size_t planes = 1; planes <= 3; planes += 2)
        for (int kind = 0; kind < 3; kind++) {
            begin(planes);
            hide(LEFT, TOP, -99, 40, 17);
            EACH_PIXEL(size_t, y, x, HEIGHT, WIDTH)
                for (size_t p = 0; p < planes; p++)
                    rec_image_row(&s.picture, p, y)[x] =
                        kind == 2 ? (float)(x + (x % 16 ? 0 : 10))
                        : y > TOP ? (kind ? 82 : 120) : 60;
            SUCCEEDS(rec_sources_part(&s.sources, &s.mask, &error));
            assert_true(find(1, REC_SEARCH_COMPARISONS));
            assert_int_equal(s.sources.at[0].smooth, kind);
            assert_int_equal(s.sources.at[0].y, 0);
            end();
        }
}

/* Those 16 pixels from each other go together, at 17 each is one. */
TEST(parts_whose_surroundings_touch_go_together)
{
    for (size_t gap = 16; gap <= 17; gap++) {
        begin(1);
        for (size_t i = 0; i < 64; i++) {
            s.mask.unknown[(100 + i / 8) * WIDTH + 20 + i % 8] = 1;
            s.mask.unknown[(100 + i / 8) * WIDTH + 28 + gap + i % 8] = 1;
        }
        rec_mask_measure(&s.mask);
        SUCCEEDS(rec_sources_part(&s.sources, &s.mask, &error));
        assert_int_equal(s.sources.count, gap - 15);
        assert_int_equal(s.sources.at[0].box.width, gap == 16 ? 32 : 8);
        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            assert_int_equal(s.sources.label[i] != 0, s.mask.unknown[i]);
        end();
    }
}

/* A wire across the picture: pieces from end to end, each in one run. A square is no wire. */
TEST(a_long_part_is_cut_along_its_length)
{
    size_t height[WIDTH];
    begin(1);
    for (size_t x = 0; x < WIDTH; x++)
        height[x] = 10 + 2 * (x < 110 ? 110 - x : x - 110) / 3;
    for (size_t x = 0; x < WIDTH; x++)
        for (size_t y = 0; y < 3; y++)
            s.mask.unknown[(height[x] + y) * WIDTH + x] = 1;
    rec_mask_measure(&s.mask);
    SUCCEEDS(rec_sources_part(&s.sources, &s.mask, &error));
    assert_true(s.sources.count >= 3 && s.sources.count < 12);
    size_t pixels = 0, changes = 0;
    for (size_t i = 0; i < s.sources.count; i++) {
        pixels += s.sources.at[i].count;
        assert_true(s.sources.at[i].count > 64 && s.sources.at[i].box.width < 90);
    }
    for (size_t x = 1; x < WIDTH; x++)
        changes += s.sources.label[height[x] * WIDTH + x] !=
                   s.sources.label[height[x - 1] * WIDTH + x - 1];
    assert_int_equal(pixels, s.mask.count);
    assert_int_equal(changes, s.sources.count - 1);
    end();
    begin(1); /* a pole on a wire: behind the branch each has a piece of its own */
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        s.mask.unknown[i] = i / WIDTH >= HEIGHT - 3 || i % WIDTH / 3 == WIDTH / 6;
    rec_mask_measure(&s.mask);
    SUCCEEDS(rec_sources_part(&s.sources, &s.mask, &error));
    assert_int_equal(s.sources.count, 4);
    assert_true(s.sources.at[2].box.width == 3 || s.sources.at[3].box.width == 3);
    end();
    begin(1);
    for (size_t i = 0; i < 10000; i++)
        s.mask.unknown[(20 + i / 100) * WIDTH + 20 + i % 100] = 1;
    rec_mask_measure(&s.mask);
    SUCCEEDS(rec_sources_part(&s.sources, &s.mask, &error));
    assert_int_equal(s.sources.count, 1);
    end();
}

/* Edges of one row, pair by pair: of two labels the mean, of one its own, of none 0. */
TEST(a_pair_across_two_labels_has_the_mean_of_both)
{
    static uint16_t label[] = {0, 1, 1, 2, 3, 0, 0, 0, 0};
    static rec_patch at[] = {{.x = 4}, {.x = 2}, {.smooth = 1}};
    const float samples[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    owned_image picture = new_image(9, 1, 1);
    owned_image edges = new_image(9, 1, 1);
    memcpy(picture.data, samples, sizeof samples);
    const rec_sources sources = {.width = 9, .height = 1, .label = label, .at = at, .count = 3};
    const rec_guidance guidance = {.target = SAMPLES(&picture), .source = SAMPLES(&picture),
                                   .scale = 1,
                                   .sources = &sources, .boundary = REC_BOUNDARY_MIRROR};
    rec_guidance_make(&guidance, (rec_area){0, 0, 9, 1}, &edges, NULL);
    const float v[] = {16, 32, (64 + 16) / 2.0f, 32 / 2.0f, 0, 0, 0, 0};
    for (size_t x = 0; x < 9; x++)
        assert_true(edges.data[x] == (x < 8 ? v[x] : 0) - (x ? v[x - 1] : 0));
}

