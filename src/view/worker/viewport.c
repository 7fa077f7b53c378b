#include "view/worker/viewport.h"

#include <math.h>

/* Magnifications are whole numbers, so that all pixels have one size; reductions are inverses. */
static const double steps[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
enum { STEPS = sizeof steps / sizeof *steps };
#define LARGEST 64.0

static double fitting_scale(const rec_viewport *viewport, rec_size image)
{
    return fmin((double)viewport->area.width / (double)image.width,
                (double)viewport->area.height / (double)image.height);
}

double rec_viewport_scale(const rec_viewport *viewport, rec_size image)
{
    return viewport->fit ? fitting_scale(viewport, image) : viewport->scale;
}

/* ---- one axis ---- */

typedef struct axis {
    double area, image; /* lengths */
    double scale;
    double middle;      /* share of the image in the middle of the area */
} axis;

static axis make_axis(const rec_viewport *viewport, rec_size image, int is_down)
{
    return (axis){(double)(is_down ? viewport->area.height : viewport->area.width),
                  (double)(is_down ? image.height : image.width),
                  rec_viewport_scale(viewport, image),
                  viewport->fit ? 0.5 : is_down ? viewport->y : viewport->x};
}

/* Where the image begins: in whole pixels, so that nothing is blurred. */
static double origin(const axis *a)
{
    return floor(0.5 * a->area - a->middle * a->image * a->scale + 0.5);
}

/* Of an image of 10^6 pixels, 64 times magnified, all edges are integers of 32 bits. */
static double edge(const axis *a, double position)
{
    return origin(a) + floor(position * a->scale + 0.5);
}

/* Limits the middle, so that the image fills the area or stands in its middle. */
static double clamp_middle(const axis *a)
{
    const double half = 0.5 * a->area / (a->image * a->scale);
    return half >= 0.5 ? 0.5 : fmin(fmax(a->middle, half), 1 - half);
}

/* The part of the image that the area shows, and how many pixels to make of it. */
static void choose_part(const axis *a, size_t *begin, size_t *length, size_t *out)
{
    const double first = fmax(floor(-origin(a) / a->scale), 0);
    const double last = fmin(ceil((a->area - origin(a)) / a->scale), a->image);
    *begin = (size_t)fmin(first, a->image - 1);
    *length = last > (double)*begin ? (size_t)last - *begin : 1;
    const double shown = edge(a, (double)(*begin + *length)) - edge(a, (double)*begin);
    *out = a->scale >= 1 || shown > (double)*length ? *length : shown >= 1 ? (size_t)shown : 1;
}

/* ---- both ---- */

rec_place rec_viewport_place(const rec_viewport *viewport, rec_size image, rec_area part)
{
    const axis across = make_axis(viewport, image, 0), down = make_axis(viewport, image, 1);
    const int left = (int)edge(&across, (double)part.x), top = (int)edge(&down, (double)part.y);
    const int wide = (int)edge(&across, (double)(part.x + part.width)) - left;
    const int high = (int)edge(&down, (double)(part.y + part.height)) - top;
    return (rec_place){left, top, wide > 1 ? wide : 1, high > 1 ? high : 1};
}

void rec_viewport_part(const rec_viewport *viewport, rec_size image, rec_view *view)
{
    const axis across = make_axis(viewport, image, 0), down = make_axis(viewport, image, 1);
    choose_part(&across, &view->x, &view->width, &view->out_width);
    choose_part(&down, &view->y, &view->height, &view->out_height);
}

void rec_viewport_point(const rec_viewport *viewport, rec_size image, int x, int y, double *column,
                        double *row)
{
    const axis across = make_axis(viewport, image, 0), down = make_axis(viewport, image, 1);
    *column = (x + 0.5 - origin(&across)) / across.scale - 0.5;
    *row = (y + 0.5 - origin(&down)) / down.scale - 0.5;
}

int rec_viewport_pixel(const rec_viewport *viewport, rec_size image, int x, int y, size_t *column,
                       size_t *row)
{
    double u, v;
    rec_viewport_point(viewport, image, x, y, &u, &v);
    u = floor(u + 0.5);
    v = floor(v + 0.5);
    if (x < 0 || y < 0 || (size_t)x >= viewport->area.width || (size_t)y >= viewport->area.height ||
        u < 0 || v < 0 || u >= (double)image.width || v >= (double)image.height)
        return 0;
    *column = (size_t)u;
    *row = (size_t)v;
    return 1;
}

void rec_viewport_keep(rec_viewport *viewport, rec_size image)
{
    if (viewport->fit)
        return;
    viewport->scale = fmax(viewport->scale, fmin(fitting_scale(viewport, image), 1));
    const axis across = make_axis(viewport, image, 0), down = make_axis(viewport, image, 1);
    viewport->x = clamp_middle(&across);
    viewport->y = clamp_middle(&down);
}

/* The share in the middle when the scale changes and the point at `at` stays. */
static double stay(const axis *a, double scale, double at)
{
    const double point = (at - (0.5 * a->area - a->middle * a->image * a->scale)) / a->scale;
    return (0.5 * a->area - at + point * scale) / (a->image * scale);
}

void rec_viewport_set_scale(rec_viewport *viewport, rec_size image, double scale, int x, int y)
{
    const double fitting = fitting_scale(viewport, image);
    const axis across = make_axis(viewport, image, 0), down = make_axis(viewport, image, 1);
    if (scale < 1 && scale <= fitting) {
        viewport->fit = 1;
        return;
    }
    viewport->x = stay(&across, scale, x);
    viewport->y = stay(&down, scale, y);
    viewport->scale = scale;
    viewport->fit = 0;
    rec_viewport_keep(viewport, image);
}

void rec_viewport_zoom(rec_viewport *viewport, rec_size image, int way, int x, int y)
{
    const int in = way & REC_ZOOM_IN;
    const double now = rec_viewport_scale(viewport, image), quarters = 4 * log2(now);
    double end = in ? LARGEST : 0;
    for (int i = 0; i < 2 * STEPS - 1; i++) {
        const double step = i < STEPS ? 1 / steps[STEPS - 1 - i] : steps[i - STEPS + 1];
        if (in ? step > 1.001 * now && step < end : step < 0.999 * now && step > end)
            end = step;
    }
    if (way & REC_ZOOM_WHEEL)
        end = exp2((in ? floor(quarters + 1.01) : ceil(quarters - 1.01)) / 4);
    end = in ? fmin(end, LARGEST) : fmax(end, fmin(fitting_scale(viewport, image), 1));
    if (in ? end > now : end < now)
        rec_viewport_set_scale(viewport, image, end, x, y);
}

void rec_viewport_pan(rec_viewport *viewport, rec_size image, int x, int y)
{
    if (viewport->fit)
        return;
    viewport->x -= x / ((double)image.width * viewport->scale);
    viewport->y -= y / ((double)image.height * viewport->scale);
    rec_viewport_keep(viewport, image);
}
