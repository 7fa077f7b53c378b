#include "view/draw/scale.h"

#include <math.h>

#include "solver/solver.h"

/* In decades: 0 at 0, 1 at STOP, 10^9 at STOP + 9, the limit at the end. */
#define STOP 0.5
#define LENGTH (REC_SCALE_DECADES + 2 * STOP)
#define TENTHS ((int)(10 * LENGTH))

static uint64_t at(double decades)
{
    const double most = STOP + REC_SCALE_DECADES;
    if (!(decades >= STOP / 2))
        return 0;
    if (decades > most + STOP / 2)
        return REC_LIMIT_ITERATION;
    decades = fmin(fmax(decades, STOP), most);
    return (uint64_t)(pow(10, decades - STOP) + 0.5);
}

double rec_scale_place(uint64_t iteration)
{
    if (iteration == REC_LIMIT_ITERATION)
        return 1;
    const double decades = iteration ? STOP + log10((double)iteration) : 0;
    return fmin(decades, STOP + REC_SCALE_DECADES) / LENGTH;
}

uint64_t rec_scale_iteration(double place) { return at(place * LENGTH); }

uint64_t rec_scale_step(uint64_t iteration, int forward)
{
    uint64_t found = forward ? REC_LIMIT_ITERATION : 0;
    for (int tenth = 0; tenth <= TENTHS; tenth++) {
        const uint64_t candidate = at(tenth / 10.0);
        if (forward && candidate > iteration && candidate < found)
            found = candidate;
        if (!forward && candidate < iteration && candidate > found)
            found = candidate;
    }
    return found;
}
