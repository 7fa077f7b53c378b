/* Which mistake a wrong step has made: a table of mistakes, each of which tells what would come out
 * at a pixel. The one that tells most of the wrong pixels is named. */
#include <string.h>

#include "bench/bench.h"
#include "kernels/stencil.h"

#define ROUNDING 1e-6 /* of the cells' magnitudes: more than any order of additions makes */

enum { EDGE = 4, CELLS, DIRECTIONS = 8, PLACES };
/* The neighbours in the update's order, the diagonals, and the pixel itself: rows, columns. */
static const int places[PLACES][2] = {{-1, 0},  {0, -1}, {0, 1}, {1, 0}, {-1, -1},
                                {-1, 1}, {1, -1}, {1, 1}, {0, 0}};
static const char *const place_names[] = {
    "upper", "left", "right", "lower", "upper left", "upper right", "lower left", "lower right"};
static const char *const cell_names[] = {"the upper neighbour", "the left neighbour",
                                         "the right neighbour", "the lower neighbour", "E"};
static const char *const halo_names[] = {"0 (or nothing)", "the border pixel",
                                         "the pixel at the other end"};
static const char *const narrow_names[] = {"within 0 to 255", "whole numbers within 0 to 255",
                                           "whole numbers within 0 to 255",
                                           "whole numbers, cut off", "whole numbers, rounded"};

/* A pixel, and what its update is made of: the four neighbours and E. */
typedef struct spot {
    const bench_mine_look *at;
    ptrdiff_t y, x;
    double cells[CELLS];
} spot;

static double cell(const spot *s, int plane, ptrdiff_t y, ptrdiff_t x)
{
    return (double)bench_cell(s->at->problem, s->at->planes[plane], (size_t)(y + 1),
                              (size_t)(x + 1));
}

static double beside(const spot *s, int plane, int place)
{
    return cell(s, plane, s->y + places[place][0], s->x + places[place][1]);
}

static spot look_at(const bench_mine_look *at, ptrdiff_t y, ptrdiff_t x)
{
    spot s = {.at = at, .y = y, .x = x};
    for (int k = 0; k < EDGE; k++)
        s.cells[k] = beside(&s, MINE_IN, k);
    s.cells[EDGE] = cell(&s, MINE_EDGES, y, x);
    return s;
}

static spot look_at_index(const bench_mine_look *at, size_t i)
{
    return look_at(at, (ptrdiff_t)(i / at->problem->width), (ptrdiff_t)(i % at->problem->width));
}

int bench_mine_differs(bench_mine_look *at, uint64_t together, int norm)
{
    const size_t pixels = at->problem->width * at->problem->height;
    float **planes = at->planes, *held = planes[MINE_HELD];
    at->before += at->right;
    at->right = 0;
    at->together = together;
    for (; together; together--, held = planes[MINE_HELD]) {
        if (at->step++) {
            planes[MINE_HELD] = planes[MINE_IN];
            planes[MINE_IN] = planes[MINE_RIGHT];
            planes[MINE_RIGHT] = held;
        }
        for (size_t i = 0; i < pixels; i++) {
            const spot s = look_at_index(at, i);
            planes[MINE_RIGHT][i] =
                rec_update((float)s.cells[0], (float)s.cells[1], (float)s.cells[2],
                           (float)s.cells[3], rec_edge_term((float)s.cells[EDGE]));
        }
    }
    for (size_t i = 0; norm && i < pixels; i++) {
        const double change = (double)planes[MINE_RIGHT][i] - (double)planes[MINE_IN][i];
        at->right += change * change;
    }
    return memcmp(planes[MINE_FOUND], planes[MINE_RIGHT], pixels * sizeof(float)) ||
           (norm && !bench_norm_fits(at->squares[0], at->right, pixels));
}

/* ---- what bends the cells: `way` is one of a mistake's variants ---- */

static void replaced(spot *s, int way) /* by a place, or, behind the last, by nothing */
{
    s->cells[way % CELLS] = way / CELLS < PLACES ? beside(s, MINE_IN, way / CELLS) : 0;
}

static void a_step_later(spot *s, int way)
{
    for (int k = 0; k < EDGE; k++)
        s->cells[k] = beside(s, MINE_RIGHT, k);
}

static void unwritten(spot *s, int way)
{
    *s = (spot){.cells = {cell(s, way ? MINE_IN : MINE_HELD, s->y, s->x)}};
}

static void zero(spot *s, int way) { *s = (spot){.at = s->at}; }

static void narrowed(spot *s, int way) /* as narrow_names; then of the sum of the neighbours */
{
    const double sum = s->cells[0] + s->cells[1] + s->cells[2] + s->cells[3];
    double result = 0.25 * ((way == 5 ? trunc(sum) : sum) - s->cells[EDGE]);
    result = way < 3 ? fmin(fmax(result, 0), 255) : result;
    result = way == 1 || way == 3 ? trunc(result) : way == 2 || way == 4 ? rint(result) : result;
    *s = (spot){.cells = {result}};
}

/* 0 to 7: E alone, 8 to 15: the picture alone, 16 to 23: both. */
static void moved(spot *s, int way)
{
    const int *by = places[way % DIRECTIONS], what = way / DIRECTIONS;
    const spot there = look_at(s->at, s->y + by[0], s->x + by[1]);
    for (int k = what ? 0 : EDGE; k < (what == 1 ? EDGE : CELLS); k++)
        s->cells[k] = there.cells[k];
}

static double cell_at(const spot *s, int plane, ptrdiff_t index, ptrdiff_t stride)
{
    const ptrdiff_t y = index < 0 ? -1 : index / stride;
    return cell(s, plane, y, index < 0 ? -1 : index % stride);
}

static ptrdiff_t stride_of(const spot *s, int padded)
{
    const ptrdiff_t least = (ptrdiff_t)s->at->problem->width + 2;
    return padded ? (least + 31) / 32 * 32 : least;
}

/* What comes out at a pixel belongs to another one. */
static void out_by_width(spot *s, int way)
{
    const ptrdiff_t width = (ptrdiff_t)s->at->problem->width;
    const ptrdiff_t index = s->y * stride_of(s, way) + s->x;
    *s = look_at(s->at, index / width, index % width);
}

/* Rows of width cells instead of stride: 1 for E, 2 for the pixel, 4 for the rows above and below;
 * twice that, and 1 more for the stride of a device's planes. */
static void by_width(spot *s, int way)
{
    const ptrdiff_t width = (ptrdiff_t)s->at->problem->width, stride = stride_of(s, way % 2);
    const ptrdiff_t pixel = s->y * (way & 4 ? width : stride) + s->x;
    const ptrdiff_t row = way & 8 ? width : stride;
    for (int k = 0; k < EDGE; k++)
        s->cells[k] = cell_at(s, MINE_IN, pixel + places[k][0] * row + places[k][1], stride);
    s->cells[EDGE] = cell_at(s, MINE_EDGES, s->y * (way & 2 ? width : stride) + s->x, stride);
}

/* Each neighbour from `in`, from `out` after the step, or from `out` before it. */
static void from_out(spot *s, int way)
{
    for (int k = 0; k < EDGE; k++, way /= 3)
        if (way % 3)
            s->cells[k] = beside(s, way % 3 == 1 ? MINE_FOUND : MINE_HELD, k);
}

/* On the sides of the bits of way / 3. */
static void other_halo(spot *s, int way)
{
    const ptrdiff_t width = (ptrdiff_t)s->at->problem->width;
    const ptrdiff_t height = (ptrdiff_t)s->at->problem->height;
    for (int k = 0; k < EDGE; k++) {
        const ptrdiff_t y = s->y + places[k][0], x = s->x + places[k][1];
        const ptrdiff_t row = (y + height) % height, column = (x + width) % width;
        if (way / 3 >> k & 1 && (row != y || column != x))
            s->cells[k] = way % 3 == 0   ? 0
                          : way % 3 == 1 ? cell(s, MINE_IN, s->y, s->x)
                                         : cell(s, MINE_IN, row, column);
    }
}

/* When a mistake is possible. */
enum {
    UNSTEADY = 1, /* two runs differ */
    LATE = 2,     /* the steps before were right */
    RIM = 4,      /* all wrong pixels are at the border */
    DEEP = 8,     /* several steps by one call, and single ones were right */
    MOST = 16     /* of a function of several steps most pixels are wrong */
};

/* What comes out: sum * (up + left + right + down) + edge * E, of bent cells; 0 and 0: unknown. */
typedef struct mistake {
    const char *says; /* with a %s for the name of the way; of C|of CUDA */
    unsigned when;
    double sum, edge;
    void (*bend)(spot *s, int way); /* NULL: the cells are right */
    int first, ways;
    const char *const *names; /* of way % named */
    int named;
} mistake;

#define FACTORS(of_sum, of_edge) .sum = of_sum, .edge = of_edge
#define UPDATE FACTORS(0.25, -0.25)
#define BENT(how, from, count) UPDATE, .bend = how, .first = from, .ways = count
#define CELL .names = cell_names, .named = CELLS
#define AROUND .names = place_names, .named = DIRECTIONS
#define FOUND_IN(plane) FACTORS(1, 0), .bend = unwritten, .first = (plane) == MINE_IN, .ways = 1
#define OF_RIM "all of them are border pixels that "
#define AS_OTHERS "They are updated like all others; only the halo around them stays"

#define TOO_NARROW                                                                                 \
    "right for n = 1, but not for more: a pixel is made before its neighbours of the iteration "   \
    "before are|right for n = 1, but not for more: at each side of a block one more cell is "      \
    "wrong with each iteration, or a barrier between two of them is missing"

static const mistake mistakes[] = {
    {"the halo changed with the iterations: what is outside of the image keeps its value in all of "
     "them", .when = DEEP | RIM},
    {"the halo was written: cells around the pixels changed in the step before. Only columns 0 to "
     "width - 1 of rows 0 to height - 1 are yours", .when = LATE | RIM},
    {"two runs of the same steps differ: a variable that is kept from call to call, memory that "
     "nobody has written, or a race|two runs of the same steps differ: a race (does a thread read "
     "what another one writes, or is a barrier missing?), or a variable that is kept from call to "
     "call", .when = UNSTEADY},
    {"NaN came out: 0 / 0, or memory that nobody has written?", FACTORS(NAN, NAN)},
    {"only rounded in another way: the order is fmaf(0.25f, (up + left) + (right + down), "
     "-0.25f * E)", UPDATE},
    {"one iteration is missing, or the other plane was returned", .when = MOST, FOUND_IN(MINE_IN)},
    {TOO_NARROW, .when = DEEP, FACTORS(1, 0), .bend = unwritten, .ways = 2},
    {"an iteration too many", BENT(a_step_later, 0, 1)},
    {OF_RIM "nobody wrote. " AS_OTHERS, .when = RIM, FOUND_IN(MINE_HELD)},
    {"nobody wrote them: do the loops reach them all?|nobody wrote them: is the number of blocks "
     "rounded up, and does all go to `out`?", FOUND_IN(MINE_HELD)},
    {OF_RIM "keep the old value. " AS_OTHERS, .when = RIM, FOUND_IN(MINE_IN)},
    {"the old value was written: `out` is `in` there", FOUND_IN(MINE_IN)},
    {"all of them are 0: 1 / 4 is 0 in whole numbers; write 0.25f", FACTORS(1, 0), .bend = zero,
     .ways = 1},
    {"only E's share came out: 1 / 4 is 0 in whole numbers; write 0.25f", FACTORS(0, -0.25)},
    {"they are %s: pixels are floats, of any size", FACTORS(1, 0), .bend = narrowed, .ways = 5,
     .names = narrow_names, .named = 5},
    {"the sum of the neighbours is cut off to a whole number: an int", FACTORS(1, 0),
     .bend = narrowed, .first = 5, .ways = 1},
    {"beyond the border %s was used: the halo is there, in[-1] and in[-stride] may be read",
     .when = RIM, BENT(other_halo, 3, 45), .names = halo_names, .named = 3},
    {"E has the wrong sign: f is -0.25 * E", FACTORS(0.25, 0.25)},
    {"E was used in place of f: f is -0.25 * E", FACTORS(0.25, 1)},
    {"E stands outside the 0.25: f is -0.25 * E", FACTORS(0.25, -1)},
    {"E has its 0.25 twice: rec_update takes f, which is -0.25 * E", FACTORS(0.25, -0.0625)},
    {"the 0.25 is missing: the sum of the neighbours less E is divided by 4", FACTORS(1, -1)},
    {"the sum of the neighbours lacks its 0.25", FACTORS(1, -0.25)},
    {"a neighbour was used twice, in place of %s", BENT(replaced, 0, 20), CELL},
    {"the pixel itself was used in place of %s", BENT(replaced, 40, 5), CELL},
    {"a diagonal neighbour was used in place of %s", BENT(replaced, 20, 20), CELL},
    {"%s is missing", BENT(replaced, PLACES * CELLS, CELLS), CELL},
    {"E is that of the %s pixel: x or y of `edges` is shifted by one", BENT(moved, 0, 8), AROUND},
    {"the neighbours are those of the %s pixel: is `in` shifted?", BENT(moved, 8, 8), AROUND},
    {"this is the result of the %s pixel: x or y is shifted by one", BENT(moved, 16, 8), AROUND},
    {"`out` was indexed by width: a row of it has stride cells", BENT(out_by_width, 0, 2)},
    {"E was indexed by width: a row of `edges` has stride cells, too", BENT(by_width, 2, 2)},
    {"a cell of another row was read: a row has stride cells, not width", BENT(by_width, 4, 12)},
    {TOO_NARROW, .when = DEEP, BENT(from_out, 1, 80)},
    {"a neighbour's new value was used: are `in` and `out` mixed up?", BENT(from_out, 1, 80)},
    {TOO_NARROW, .when = DEEP},
    {"something is kept from call to call: the steps before were right. A static variable, or was "
     "`in` or `edges` written?|something is kept from call to call: the steps before were right. A "
     "static or __device__ variable, or was `in` or `edges` written?", .when = LATE},
};

static int is_same(float a, float b) { return !memcmp(&a, &b, sizeof a); }

static int is_wrong(const bench_mine_look *at, size_t i)
{
    const float found = at->planes[MINE_FOUND][i];
    return !is_same(found, at->planes[MINE_RIGHT][i]) || !is_same(found, at->planes[MINE_AGAIN][i]);
}

static int fits(const bench_mine_look *at, const mistake *is, int way, size_t i)
{
    const double found = (double)at->planes[MINE_FOUND][i];
    spot s = look_at_index(at, i);
    double sum = 0, size = 0;
    if (is->bend)
        is->bend(&s, way);
    for (int k = 0; k < CELLS; k++) {
        sum += (k == EDGE ? is->edge : is->sum) * s.cells[k];
        size += fabs(s.cells[k]);
    }
    return (isnan(sum) && isnan(found)) || fabs(sum - found) <= ROUNDING * size;
}

/* The mistake that tells most of the wrong pixels, if that is more than half; NULL: none. */
static const mistake *find_mistake(const bench_mine_look *at, unsigned when, size_t wrong,
                                   size_t *most, int *way)
{
    const size_t pixels = at->problem->width * at->problem->height;
    const mistake *best = NULL;
    *most = wrong / 2;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes && *most < wrong; i++) {
        const mistake *is = &mistakes[i];
        int k = is->first;
        do {
            const int is_known = is->sum != 0 || is->edge != 0;
            size_t count = is->when & ~when || (best && !is_known) ? 0 : wrong;
            for (size_t p = at->first; is_known && count > *most && p < pixels; p++)
                count -= is_wrong(at, p) && !fits(at, is, k, p);
            if (count <= *most)
                continue;
            *most = count;
            best = is;
            *way = k;
        } while (++k < is->first + is->ways);
    }
    return best;
}

/* Where there are NaN, all else counts as right; where some pixels are not only rounded in another
 * way, those that are do. Returns how many. */
static size_t leave_out(bench_mine_look *at, int *nan)
{
    static const mistake rounded = {"", UPDATE};
    const size_t pixels = at->problem->width * at->problem->height;
    const float *found = at->planes[MINE_FOUND];
    size_t left = 0, wrong = 0;
    for (size_t i = 0; i < pixels; i++)
        *nan |= isnan(found[i]);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < pixels; i++) {
            const int out = is_wrong(at, i) &&
                            (*nan ? !isnan(found[i])
                                  : is_same(found[i], at->planes[MINE_AGAIN][i]) &&
                                        fits(at, &rounded, 0, i));
            wrong += !pass && is_wrong(at, i);
            left += !pass && out;
            if (pass && out && left < wrong)
                at->planes[MINE_FOUND][i] = at->planes[MINE_AGAIN][i] = at->planes[MINE_RIGHT][i];
        }
    return left < wrong ? left : 0;
}

void bench_mine_judge(bench_mine_look *at, bench_result *result)
{
    const size_t width = at->problem->width, height = at->problem->height;
    int nan = 0;
    size_t wrong = 0, rim = 0, most, left = leave_out(at, &nan);
    unsigned when = (at->step > 1 ? LATE : 0) | (at->together > 1 ? DEEP : 0);
    int way = 0;
    for (size_t i = width * height; i-- > 0;)
        if (is_wrong(at, i)) {
            const size_t y = i / width, x = i % width;
            at->first = i;
            wrong++;
            rim += !y || !x || y + 1 == height || x + 1 == width;
            when |= is_same(at->planes[MINE_FOUND][i], at->planes[MINE_AGAIN][i]) ? 0 : UNSTEADY;
        }
    FILE *text = wrong ? fmemopen(result->reason, sizeof result->reason, "w") : NULL;
    if (!text)
        return;
    result->outcome = BENCH_WRONG;
    when |= at->problem->mine->steps && 2 * wrong > width * height ? MOST : 0;
    const mistake *is = find_mistake(at, when | (rim == wrong ? RIM : 0), wrong, &most, &way);
    fprintf(text, "%zu x %zu, step %d: %zu of %zu pixels differ, the first at column %zu, row %zu: "
            "%.9g instead of %.9g\n      ", width, height, at->step, wrong + left, width * height,
            at->first % width, at->first / width, (double)at->planes[MINE_FOUND][at->first],
            (double)at->planes[MINE_RIGHT][at->first]);
    const char *const bar = is ? strchr(is->says, '|') : NULL;
    char says[512] = "";
    snprintf(says, sizeof says, "%.*s", bar && !at->blocks ? (int)(bar - is->says) : 511,
             !is ? "" : bar && at->blocks ? bar + 1 : is->says);
    fprintf(text, says, is && is->named ? is->names[way % is->named] : "");
    if (is && most < wrong)
        fprintf(text, "; that explains %zu of them", most);
    if (left > wrong / 100) /* else by chance */
        fprintf(text, "; %zu more are %s", left,
                nan ? "wrong, too" : "only rounded in another way");
    const spot s = look_at_index(at, at->first);
    if (!is)
        fprintf(text, "no mistake that is known here: up is %.9g, left %.9g, right %.9g, down "
                "%.9g, E %.9g", s.cells[0], s.cells[1], s.cells[2], s.cells[3], s.cells[EDGE]);
    fclose(text);
}
