/* Zoom and pan: that what a snapshot must show covers the area, that a place and the pixel under
 * the cursor agree, that zooming keeps its point, and the bounds; of images of any shape. */
#include "tests/unit/support.h"
#include "view/worker/viewport.h"

static const rec_size images[] = {
    {1, 1}, {1, 700}, {700, 1}, {2, 3}, {64, 64}, {600, 500}, {768, 768}, {1919, 1081},
    {16384, 16384}, {1000000, 1}, {1, 1000000}, {1000000, 3000},
};
#define IMAGES (sizeof images / sizeof *images)
static const rec_size areas[] = {{1, 1},     {240, 140},   {600, 500},
                                 {601, 499}, {1920, 1000}, {3, 900}};
#define AREAS (sizeof areas / sizeof *areas)

#define EACH(image, area)                                                                          \
    for (const rec_size *image = images; image < images + IMAGES; image++)                         \
        for (const rec_size *area = areas; area < areas + AREAS; area++)

static rec_viewport fitting(rec_size area) { return (rec_viewport){.area = area, .fit = 1}; }

/* Zoomed and moved at random, as a user would. */
static void disturb(rec_viewport *viewport, rec_size image, test_random *random)
{
    const int width = (int)viewport->area.width, height = (int)viewport->area.height;
    const int x = random_integer(random, 0, width - 1), y = random_integer(random, 0, height - 1);
    switch (random_integer(random, 0, 3)) {
    case 0:
        rec_viewport_pan(viewport, image, random_integer(random, -width, width),
                         random_integer(random, -height, height));
        break;
    case 1:
        rec_viewport_zoom(viewport, image, 0, x, y);
        break;
    default:
        rec_viewport_zoom(viewport, image, 1, x, y);
    }
}

static rec_place whole(const rec_viewport *viewport, rec_size image)
{
    return rec_viewport_place(viewport, image, (rec_area){0, 0, image.width, image.height});
}

/* ---- what a snapshot shows ---- */

/* One axis: the part begins left of the area or with the image, and ends right of it or with the
 * image, and is not much larger than it must be. */
static void assert_axis(size_t begin, size_t length, size_t out, int place, int shown, size_t area,
                        size_t image, double scale)
{
    assert_true(length >= 1 && begin < image && begin + length <= image);
    assert_true(place <= 0 || begin == 0);
    assert_true(place + shown >= (int)area || begin + length == image);
    assert_true(place > -scale - 2 && place + shown < (double)area + scale + 2);
    assert_true(out >= 1 && out <= length && out <= area + 2);
    if (scale >= 1)
        assert_true(out == length);
    else
        assert_true(out == (size_t)shown || out == length);
}

static void assert_part(const rec_viewport *viewport, rec_size image)
{
    rec_view view = {0};
    const double scale = rec_viewport_scale(viewport, image);
    rec_viewport_part(viewport, image, &view);
    const rec_place place =
        rec_viewport_place(viewport, image, (rec_area){view.x, view.y, view.width, view.height});
    assert_axis(view.x, view.width, view.out_width, place.x, place.width, viewport->area.width,
                image.width, scale);
    assert_axis(view.y, view.height, view.out_height, place.y, place.height,
                viewport->area.height, image.height, scale);
}

TEST(a_part_covers_the_area)
{
    test_random random = {1};
    EACH(image, area) {
        rec_viewport viewport = fitting(*area);
        for (int i = 0; i < 200; i++) {
            assert_part(&viewport, *image);
            disturb(&viewport, *image, &random);
        }
    }
}

TEST(a_picture_fits_in_the_middle)
{
    EACH(image, area) {
        const rec_viewport viewport = fitting(*area);
        const rec_place place = whole(&viewport, *image);
        const double tall = (double)image->height * place.width / (double)image->width;
        const double wide = (double)image->width * place.height / (double)image->height;
        assert_true(place.width == (int)area->width || place.height == (int)area->height);
        assert_true(fabs(tall - place.height) <= 0.5 * tall / place.width + 0.5 ||
                    fabs(wide - place.width) <= 0.5 * wide / place.height + 0.5 ||
                    place.width == 1 || place.height == 1);
        const int across = 2 * place.x + place.width - (int)area->width;
        const int down = 2 * place.y + place.height - (int)area->height;
        assert_true(across >= -1 && across <= 1 && down >= -1 && down <= 1);
    }
}

/* ---- pixels ---- */

/* A boundary between two pixels of the image in the very middle of one of the output. */
static int is_tie(double boundary) { return fabs(boundary - floor(boundary) - 0.5) < 1e-6; }

static void assert_pixel(const rec_viewport *viewport, rec_size image, int x, int y)
{
    const double scale = rec_viewport_scale(viewport, image);
    size_t column, row;
    if (!rec_viewport_pixel(viewport, image, x, y, &column, &row)) {
        const rec_place all = whole(viewport, image);
        assert_true(x < 0 || y < 0 || x >= (int)viewport->area.width ||
                    y >= (int)viewport->area.height || x <= all.x || y <= all.y ||
                    x >= all.x + all.width - 1 || y >= all.y + all.height - 1);
        return;
    }
    assert_true(column < image.width && row < image.height);
    const rec_place place = rec_viewport_place(viewport, image, (rec_area){column, row, 1, 1});
    const int slack = scale < 1;
    assert_true(x >= place.x - slack - is_tie((double)column * scale) &&
                x < place.x + place.width + slack + is_tie((double)(column + 1) * scale));
    assert_true(y >= place.y - slack - is_tie((double)row * scale) &&
                y < place.y + place.height + slack + is_tie((double)(row + 1) * scale));
}

TEST(the_pixel_under_a_point_lies_there)
{
    test_random random = {2};
    EACH(image, area) {
        rec_viewport viewport = fitting(*area);
        for (int i = 0; i < 400; i++) {
            assert_pixel(&viewport, *image, random_integer(&random, -5, (int)area->width + 5),
                         random_integer(&random, -5, (int)area->height + 5));
            if (i % 2)
                disturb(&viewport, *image, &random);
        }
    }
}

/* ---- zoom ---- */

/* The share of an axis that is in the middle of the area when the one at `at` has stayed, as far as
 * the image's border allows. */
static double expected_middle(double before, double old, double new, size_t area, size_t image,
                              int at)
{
    const double from_middle = at - 0.5 * (double)area;
    const double point = before + from_middle / ((double)image * old);
    const double half = 0.5 * (double)area / ((double)image * new);
    return half >= 0.5 ? 0.5
                       : fmin(fmax(point - from_middle / ((double)image * new), half), 1 - half);
}

TEST(zooming_keeps_the_point)
{
    test_random random = {3};
    EACH(image, area) {
        rec_viewport viewport = fitting(*area);
        for (int i = 0; i < 200; i++) {
            const rec_viewport old = viewport;
            const double before = rec_viewport_scale(&old, *image);
            const int x = random_integer(&random, 0, (int)area->width - 1);
            const int y = random_integer(&random, 0, (int)area->height - 1);
            rec_viewport_zoom(&viewport, *image, random_integer(&random, 0, 4) > 0 ? i % 40 < 20
                                                                                   : i % 40 >= 20,
                              x, y);
            const double after = rec_viewport_scale(&viewport, *image);
            if (viewport.fit || after == before)
                continue;
            assert_true(fabs(viewport.x - expected_middle(old.fit ? 0.5 : old.x, before, after,
                                                          area->width, image->width, x)) < 1e-9);
            assert_true(fabs(viewport.y - expected_middle(old.fit ? 0.5 : old.y, before, after,
                                                          area->height, image->height, y)) < 1e-9);
        }
    }
}

TEST(steps_are_whole_and_end)
{
    EACH(image, area) {
        rec_viewport viewport = fitting(*area);
        const double fit = rec_viewport_scale(&viewport, *image);
        double last = fit;
        for (int i = 0; i < 60; i++) {
            rec_viewport_zoom(&viewport, *image, 1, 0, 0);
            const double now = rec_viewport_scale(&viewport, *image);
            const double whole_number = now < 1 ? 1 / now : now;
            assert_true(now == last || fabs(whole_number - floor(whole_number + 0.5)) < 1e-9);
            assert_true(now >= last && (now <= 64 || now == fit));
            last = now;
        }
        assert_true(last == fmax(fit, 64));
        for (int i = 0; i < 60; i++) {
            rec_viewport_zoom(&viewport, *image, 0, 0, 0);
            const double now = rec_viewport_scale(&viewport, *image);
            assert_true(now <= last && now >= fmin(fit, 1));
            last = now;
        }
        /* Out to where all is seen: at 1:1 where that is enough. */
        assert_true(last == fmin(fit, 1));
        assert_true(viewport.fit || fit >= 1);
    }
}

/* ---- bounds ---- */

static void assert_bounds(const rec_viewport *viewport, rec_size image)
{
    const rec_place place = whole(viewport, image);
    const int width = (int)viewport->area.width, height = (int)viewport->area.height;
    if (place.width >= width)
        assert_true(place.x <= 0 && place.x + place.width >= width);
    else
        assert_true(abs(2 * place.x + place.width - width) <= 2);
    if (place.height >= height)
        assert_true(place.y <= 0 && place.y + place.height >= height);
    else
        assert_true(abs(2 * place.y + place.height - height) <= 2);
}

TEST(the_border_of_the_image_stays_outside)
{
    test_random random = {4};
    EACH(image, area) {
        rec_viewport viewport = fitting(*area);
        for (int i = 0; i < 200; i++) {
            disturb(&viewport, *image, &random);
            assert_bounds(&viewport, *image);
            if (i % 10 == 9) { /* the window changes its size, or another input comes */
                viewport.area = areas[random_integer(&random, 0, AREAS - 1)];
                rec_viewport_keep(&viewport, *image);
                assert_bounds(&viewport, *image);
                assert_part(&viewport, *image);
            }
        }
    }
}

TEST(panning_moves_by_pixels)
{
    const rec_size image = {600, 500};
    rec_viewport viewport = fitting((rec_size){600, 500});
    rec_viewport_pan(&viewport, image, 50, 50); /* all is seen: nowhere to go */
    assert_true(viewport.fit);
    rec_viewport_set_scale(&viewport, image, 3, 300, 250);
    const rec_place before = whole(&viewport, image);
    rec_viewport_pan(&viewport, image, 31, -17);
    rec_place after = whole(&viewport, image);
    assert_true(after.x == before.x + 31 && after.y == before.y - 17);
    for (int i = 0; i < 100; i++) { /* no pixel is lost on the way */
        rec_viewport_pan(&viewport, image, 1, 0);
        rec_viewport_pan(&viewport, image, 0, -1);
    }
    after = whole(&viewport, image);
    assert_true(after.x == before.x + 131 && after.y == before.y - 117);
    rec_viewport_pan(&viewport, image, 100000, -100000);
    after = whole(&viewport, image);
    assert_true(after.x == 0 && after.y + after.height == 500);
}

TEST(the_part_stays_on_an_image_of_another_size)
{
    const rec_size image = {1000, 800}, larger = {2000, 1600}, tiny = {3, 3};
    rec_viewport viewport = fitting((rec_size){400, 400});
    rec_viewport_set_scale(&viewport, image, 2, 100, 300);
    const rec_viewport before = viewport;
    rec_viewport_keep(&viewport, larger);
    assert_true(viewport.scale == 2 && viewport.x == before.x && viewport.y == before.y);
    rec_viewport_keep(&viewport, tiny);
    assert_true(viewport.scale == 2 && viewport.x == 0.5 && viewport.y == 0.5);
    viewport.scale = 0.25; /* less than all of it */
    rec_viewport_keep(&viewport, tiny);
    assert_true(viewport.scale == 1);
}

/* The widest image that there is, magnified as far as can be. */
TEST(no_place_is_out_of_range)
{
    const rec_size image = {REC_MAX_SIDE, 2};
    rec_viewport viewport = fitting((rec_size){600, 500});
    while (rec_viewport_scale(&viewport, image) < 64)
        rec_viewport_zoom(&viewport, image, 1, 300, 250);
    const rec_place place = whole(&viewport, image);
    assert_true(place.x < -10000000 && place.width == 64 * REC_MAX_SIDE);
    assert_part(&viewport, image);
}
