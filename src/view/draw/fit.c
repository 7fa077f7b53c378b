#include "view/draw/fit.h"

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t scaled(size_t length, double scale)
{
    const size_t rounded = (size_t)((double)length * scale + 0.5);
    return rounded ? rounded : 1;
}

rec_size rec_fit(rec_size picture, rec_size area)
{
    const double across = (double)area.width / (double)picture.width;
    const double down = (double)area.height / (double)picture.height;
    if (across < down)
        return (rec_size){area.width, smaller(scaled(picture.height, across), area.height)};
    return (rec_size){smaller(scaled(picture.width, down), area.width), area.height};
}

rec_size rec_fit_window(rec_size picture, rec_size usual, rec_size most)
{
    if (picture.width > most.width || picture.height > most.height)
        return rec_fit(picture, most);
    size_t times = smaller(smaller(usual.width, most.width) / picture.width,
                           smaller(usual.height, most.height) / picture.height);
    times = times ? times : 1;
    return (rec_size){picture.width * times, picture.height * times};
}
