/* Whether the norm of a step is right: the sum of the squares of its changes. */
#include "bench/bench.h"

static double change_at(const bench_mine_look *at, size_t i)
{
    return (double)at->planes[MINE_RIGHT][i] - (double)at->planes[MINE_IN][i];
}

double bench_mine_squares(const bench_mine_look *at)
{
    double squares = 0;
    for (size_t i = 0; i < at->problem->width * at->problem->height; i++)
        squares += change_at(at, i) * change_at(at, i);
    return squares;
}

void bench_mine_judge_norm(bench_mine_look *at, bench_result *result)
{
    const size_t pixels = at->problem->width * at->problem->height;
    const double right = bench_mine_squares(at), found = at->squares[0], near = 1e-9;
    double changes = 0, sizes = 0, values = 0;
    if (bench_norm_fits(found, right, pixels))
        return;
    for (size_t i = 0; i < pixels; i++) {
        changes += change_at(at, i);
        sizes += fabs(change_at(at, i));
        values += (double)at->planes[MINE_RIGHT][i] * (double)at->planes[MINE_RIGHT][i];
    }
    const struct {
        double value, near;
        const char *says;
    } sums[] = {
        {0, 0, "nothing was added to *squares"},
        {at->before > 0 ? right + at->before : NAN, near,
         "it has the sums of the calls before: is it kept, too?"},
        {sqrt(right), near, "the root was taken: the program does that"},
        {right / (double)pixels, near, "it was divided by the number of pixels"},
        {changes, near, "the changes were added, not their squares"},
        {sizes, near, "the changes' sizes were added, not their squares"},
        {values, near, "the squares of the new pixels were added, not those of their changes"},
        {fabs(found - at->squares[1]) > near * fabs(found) ? found : NAN, 0,
         at->blocks ? "two runs differ: a race. Blocks meet in atomicAdd, threads at a barrier"
                    : "two runs differ: a race (reduction(+ : sum)?), or a variable that is kept"},
        {right, 1e-4, "it is rounded: changes, squares and sums should be double"},
        {0, 0, found < right ? "too little: is every pixel's share added, and every thread's?"
                                 : "too much: is something outside of the image added?"}};
    size_t i = 0;
    while (i + 1 < sizeof sums / sizeof *sums &&
           !(fabs(found - sums[i].value) <= sums[i].near * fabs(sums[i].value)))
        i++;
    result->outcome = BENCH_WRONG;
    snprintf(result->reason, sizeof result->reason, "%zu x %zu, step %d: the pixels are right, the "
             "sum of the squares of their changes is %.17g instead of %.17g\n      %s",
             at->problem->width, at->problem->height, at->step, found, right, sums[i].says);
}
