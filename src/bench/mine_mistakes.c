/* Which mistake a wrong step has made: a table of mistakes, each of which tells what would come out
 * at a pixel. The one that tells most of the wrong pixels is named. */
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "kernels/stencil.h"

#define ROUNDING 1e-6 /* of the cells' magnitudes: more than any order of additions makes */

enum { UP, LEFT, RIGHT, DOWN, EDGE, CELLS }; /* what an update is made of */
enum { DIRECTIONS = 8 };                     /* the four neighbours, then the diagonals */
static const int directions[DIRECTIONS][2] = {{-1, 0},  {0, -1}, {0, 1},  {1, 0},
                                              {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
static const char *const direction_names[] = {
    "upper", "left", "right", "lower", "upper left", "upper right", "lower left", "lower right"};
static const char *const halo_names[] = {"0", "the border pixel", "the pixel at the other end"};

static double cell(const bench_mine_look *at, const float *plane, ptrdiff_t y, ptrdiff_t x)
{
    return (double)bench_cell(at->problem, plane, (size_t)(y + 1), (size_t)(x + 1));
}

static double beside(const bench_mine_look *at, const float *plane, ptrdiff_t y, ptrdiff_t x,
                     int direction)
{
    return cell(at, plane, y + directions[direction][0], x + directions[direction][1]);
}

static void take(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, double cells[CELLS])
{
    for (int k = 0; k < EDGE; k++)
        cells[k] = beside(at, at->before, y, x, k);
    cells[EDGE] = cell(at, at->edges, y, x);
}

float bench_mine_right(const bench_mine_look *at, size_t y, size_t x)
{
    double is[CELLS];
    take(at, (ptrdiff_t)y, (ptrdiff_t)x, is);
    return rec_update((float)is[UP], (float)is[LEFT], (float)is[RIGHT], (float)is[DOWN],
                      rec_edge_term((float)is[EDGE]));
}

/* ---- wrong cells: `way` is one of a mistake's variants ---- */

typedef void bend(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way,
                  double cells[CELLS]);

static void twice(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way, double cells[CELLS])
{
    cells[way % 4] = cells[way / 4];
}

static void left_out(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way,
                     double cells[CELLS])
{
    cells[way] = 0;
}

static void itself(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way,
                   double cells[CELLS])
{
    cells[way] = cell(at, at->before, y, x);
}

static void diagonal(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way,
                     double cells[CELLS])
{
    cells[way % 4] = beside(at, at->before, y, x, 4 + way / 4);
}

/* 0 to 7: E alone, 8 to 15: the picture alone, 16 to 23: both. */
static void moved(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way, double cells[CELLS])
{
    const int *by = directions[way % DIRECTIONS], what = way / DIRECTIONS;
    double there[CELLS];
    take(at, y + by[0], x + by[1], there);
    if (what > 0)
        memcpy(cells, there, EDGE * sizeof *cells);
    if (what != 1)
        cells[EDGE] = there[EDGE];
}

static double cell_at(const bench_mine_look *at, const float *plane, ptrdiff_t index,
                      ptrdiff_t stride)
{
    const ptrdiff_t y = index < 0 ? -1 : index / stride;
    return cell(at, plane, y, index < 0 ? -1 : index % stride);
}

/* Rows of width cells instead of stride: 1 for E, 2 for the pixel, 4 for the rows above and below;
 * twice that, and 1 more for the stride of a device's planes. */
static void by_width(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way,
                     double cells[CELLS])
{
    const ptrdiff_t width = (ptrdiff_t)at->problem->width;
    const ptrdiff_t stride = way % 2 ? (width + 2 + 31) / 32 * 32 : width + 2;
    const ptrdiff_t pixel = y * (way & 4 ? width : stride) + x, row = way & 8 ? width : stride;
    cells[UP] = cell_at(at, at->before, pixel - row, stride);
    cells[LEFT] = cell_at(at, at->before, pixel - 1, stride);
    cells[RIGHT] = cell_at(at, at->before, pixel + 1, stride);
    cells[DOWN] = cell_at(at, at->before, pixel + row, stride);
    cells[EDGE] = cell_at(at, at->edges, y * (way & 2 ? width : stride) + x, stride);
}

/* Each neighbour from `in`, from `out` after the step, or from `out` before it. */
static void from_out(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way,
                     double cells[CELLS])
{
    for (int k = 0; k < EDGE; k++, way /= 3)
        if (way % 3)
            cells[k] = beside(at, way % 3 == 1 ? at->found : at->held, y, x, k);
}

/* On the sides of the bits of way / 3. */
static void other_halo(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way,
                       double cells[CELLS])
{
    const ptrdiff_t width = (ptrdiff_t)at->problem->width, height = (ptrdiff_t)at->problem->height;
    for (int k = 0; k < EDGE; k++) {
        const ptrdiff_t row = y + directions[k][0], column = x + directions[k][1];
        if (way / 3 >> k & 1 && (row < 0 || row == height || column < 0 || column == width))
            cells[k] = way % 3 == 0   ? 0
                       : way % 3 == 1 ? cell(at, at->before, y, x)
                                      : cell(at, at->before, (row + height) % height,
                                         (column + width) % width);
    }
}

static void unwritten(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way,
                      double cells[CELLS])
{
    memset(cells, 0, CELLS * sizeof *cells);
    cells[UP] = cell(at, way ? at->before : at->held, y, x);
}

static void no_number(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x, int way,
                      double cells[CELLS])
{
    cells[UP] = NAN;
}

/* ---- the table ---- */

/* When a mistake is possible. */
enum {
    UNSTEADY = 1, /* two runs differ */
    LATE = 2,     /* the steps before were right */
    RIM = 4,      /* all wrong pixels are at the border */
    LATER = 8,    /* the images before were right */
    ANY = 16      /* not a condition: the mistake does not tell what comes out */
};

/* What comes out: sum * (up + left + right + down) + edge * E, of cells that are bent. */
typedef struct mistake {
    const char *says; /* with a %s for the name of the way */
    unsigned when;
    double sum, edge;
    bend *bend;       /* NULL: the cells are right */
    int first, ways;
    const char *const *names; /* of way % named */
    int named;
} mistake;

#define FACTORS(of_sum, of_edge) .sum = of_sum, .edge = of_edge
#define UPDATE FACTORS(0.25, -0.25)
#define BENT(how, from, count) UPDATE, .bend = how, .first = from, .ways = count
#define NEIGHBOURS .names = direction_names, .named = 4
#define AROUND .names = direction_names, .named = DIRECTIONS
#define UNWRITTEN FACTORS(1, 0), .bend = unwritten, .ways = 2

static const mistake mistakes[] = {
    {"something is kept from call to call: two runs of the same steps differ. A static or "
     "__device__ variable?", .when = UNSTEADY | LATE | ANY},
    {"two runs of the same step differ: a race (does a thread read what another one writes, or is "
     "a barrier missing?), or a variable that is kept from call to call", .when = UNSTEADY | ANY},
    {"the halo was written: cells around the pixels changed in the step before. Only columns 0 to "
     "width - 1 of rows 0 to height - 1 are yours", .when = LATE | RIM | ANY},
    {"NaN came out: which value is not a number? Memory that nobody has written, or 0 / 0?",
     BENT(no_number, 0, 1)},
    {"only rounded in another way: the order is fmaf(0.25f, (up + left) + (right + down), "
     "-0.25f * E)", UPDATE},
    {"all of them are border pixels that nobody wrote. They are updated like all others; only the "
     "halo around them stays", .when = RIM, UNWRITTEN},
    {"nobody wrote them: is the number of blocks rounded up? A row has stride cells, not width",
     UNWRITTEN},
    {"beyond the border %s was taken: the halo is there, in[-1] and in[-stride] may be read",
     .when = RIM, BENT(other_halo, 3, 45), .names = halo_names, .named = 3},
    {"E has the wrong sign: f is -0.25 * E", FACTORS(0.25, 0.25)},
    {"E was taken for f: f is -0.25 * E", FACTORS(0.25, 1)},
    {"E stands outside of the 0.25: f is -0.25 * E", FACTORS(0.25, -1)},
    {"E has its 0.25 twice: rec_update takes f, which is -0.25 * E", FACTORS(0.25, -0.0625)},
    {"E is missing: f is -0.25 * E", FACTORS(0.25, 0)},
    {"the 0.25 is missing: the sum of the neighbours less E is divided by 4", FACTORS(1, -1)},
    {"the sum of the neighbours lacks its 0.25", FACTORS(1, -0.25)},
    {"a neighbour was taken twice, in the place of the %s one", BENT(twice, 0, 16), NEIGHBOURS},
    {"the pixel itself was taken in the place of its %s neighbour", BENT(itself, 0, 4),
     NEIGHBOURS},
    {"a diagonal neighbour was taken in the place of the %s one", BENT(diagonal, 0, 16),
     NEIGHBOURS},
    {"the %s neighbour is missing in the sum", BENT(left_out, 0, 4), NEIGHBOURS},
    {"E is that of the %s pixel: x or y of `edges` is shifted by one", BENT(moved, 0, 8), AROUND},
    {"the neighbours are those of the %s pixel: x or y of `in` is shifted by one",
     BENT(moved, 8, 8), AROUND},
    {"this is the result of the %s pixel: x or y is shifted by one", BENT(moved, 16, 8), AROUND},
    {"E was indexed by width: a row of `edges` has stride cells, too", BENT(by_width, 2, 2)},
    {"a neighbour beside the right one was read: a row has stride cells, not width, and index -1 "
     "is the halo", BENT(by_width, 4, 12)},
    {"a neighbour's new value was used instead of its old one: are in and out mixed up?",
     BENT(from_out, 1, 80)},
    {"something is kept from call to call: the steps before were right. A static or __device__ "
     "variable, or was `in` or `edges` written?", .when = LATE | ANY},
    {"the images before were right: does it depend on the size, or on something that is kept from "
     "an earlier call?", .when = LATER | ANY},
};

static int is_same(float a, float b) { return !memcmp(&a, &b, sizeof a); }

static int is_wrong(const bench_mine_look *at, size_t i)
{
    return !is_same(at->found[i], at->right[i]) || !is_same(at->found[i], at->again[i]);
}

static int fits(const bench_mine_look *at, const mistake *is, int way, size_t i)
{
    const ptrdiff_t y = (ptrdiff_t)(i / at->problem->width);
    const ptrdiff_t x = (ptrdiff_t)(i % at->problem->width);
    const double found = (double)at->found[i];
    double cells[CELLS], size = 0;
    take(at, y, x, cells);
    if (is->bend)
        is->bend(at, y, x, way, cells);
    for (int k = 0; k < CELLS; k++)
        size += fabs(cells[k]);
    const double told = is->sum * (cells[UP] + cells[LEFT] + cells[RIGHT] + cells[DOWN]) +
                        is->edge * cells[EDGE];
    return (isnan(told) && isnan(found)) || fabs(told - found) <= ROUNDING * size;
}

/* Of the wrong pixels those that fit; 0 as soon as they cannot be more than `least`. */
static size_t count_fitting(const bench_mine_look *at, const mistake *is, int way, size_t wrong,
                            size_t least)
{
    size_t left = wrong;
    for (size_t i = at->first; left > least && i < at->problem->width * at->problem->height; i++)
        left -= is_wrong(at, i) && !fits(at, is, way, i);
    return left > least ? left : 0;
}

/* The mistake that tells most of the wrong pixels, if that is more than half; NULL: none. */
static const mistake *find_mistake(const bench_mine_look *at, unsigned when, size_t wrong,
                                   size_t *most, int *way)
{
    const mistake *best = NULL;
    *most = wrong / 2;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes && *most < wrong; i++) {
        const mistake *is = &mistakes[i];
        const int end = is->when & ANY ? is->first : is->first + (is->ways ? is->ways : 1);
        if (is->when & ~(when | ANY))
            continue;
        if (is->when & ANY && !best)
            *most = wrong, best = is;
        for (int k = is->first; k < end; k++) {
            const size_t count = count_fitting(at, is, k, wrong, *most);
            if (count)
                *most = count, best = is, *way = k;
        }
    }
    return best;
}

void bench_mine_judge(bench_mine_look *at, bench_result *result)
{
    const size_t width = at->problem->width, height = at->problem->height;
    size_t wrong = 0, rim = 0, most;
    unsigned when = (at->step > 1 ? LATE : 0) | (at->is_later ? LATER : 0);
    int way = 0;
    for (size_t i = width * height; i-- > 0;)
        if (is_wrong(at, i)) {
            const size_t y = i / width, x = i % width;
            at->first = i;
            wrong++;
            rim += !y || !x || y + 1 == height || x + 1 == width;
            when |= is_same(at->found[i], at->again[i]) ? 0 : UNSTEADY;
        }
    if (!wrong)
        return;
    when |= rim == wrong ? RIM : 0;
    const size_t size = sizeof result->reason, y = at->first / width, x = at->first % width;
    const mistake *is = find_mistake(at, when, wrong, &most, &way);
    char *text = result->reason;
    result->outcome = BENCH_WRONG;
    size_t n = (size_t)snprintf(
        text, size, "%zu x %zu, step %d: %zu of %zu pixels differ, the first at column %zu, row "
        "%zu: %.9g instead of %.9g", width, height, at->step, wrong, width * height, x, y,
        (double)at->found[at->first], (double)at->right[at->first]);
    if (is) {
        n += (size_t)snprintf(text + n, size - n, "\n      ");
        n += (size_t)snprintf(text + n, size - n, is->says,
                              is->named ? is->names[way % is->named] : "");
    }
    if (is && most < wrong)
        snprintf(text + n, size - n, "; that explains %zu of them", most);
    if (!is || is->when & LATER) {
        double cells[CELLS];
        take(at, (ptrdiff_t)y, (ptrdiff_t)x, cells);
        snprintf(text + n, size - n, "\n      there up is %.9g, left %.9g, right %.9g, down %.9g, "
                 "E %.9g%s", cells[UP], cells[LEFT], cells[RIGHT], cells[DOWN], cells[EDGE],
                 is ? "" : "; no mistake that is known here makes that of them");
    }
}
