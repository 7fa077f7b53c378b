#include "problem/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define STEP ((uint64_t)32) /* a step takes as long as so many comparisons */

/* Nodes change, or stay. A node has too much, which its change costs, or takes, which it saves;
 * from i to j there is capacity for what it costs if j changes and i stays. Push and relabel, from
 * a queue; what still reaches a node that takes changes. */
typedef struct graph {
    size_t count;
    int32_t *const *next;
    int32_t *capacity[4], *excess, *level, *queue;
    rec_work *work;
} graph;

static void spend(graph *g, size_t steps)
{
    g->work->left -= rec_smaller(g->work->left, STEP * steps);
}

/* How many arcs with capacity lead to a node that takes; count: none does. */
static void find_levels(graph *g)
{
    const int32_t none = (int32_t)g->count;
    size_t found = 0;
    for (size_t i = 0; i < g->count; i++) {
        g->level[i] = g->excess[i] < 0 ? 0 : none;
        if (g->excess[i] < 0)
            g->queue[found++] = (int32_t)i;
    }
    for (size_t k = 0; k < found; k++)
        for (int d = 0; d < 4; d++) {
            const int32_t to = g->queue[k], from = g->next[d][to];
            if (from < 0 || g->level[from] < none || !g->capacity[d ^ 2][from])
                continue;
            g->level[from] = g->level[to] + 1;
            g->queue[found++] = from;
        }
}

/* Empties a node, which rises as it must; *end: where the queue goes on. Returns how often. */
static size_t discharge(graph *g, int32_t i, size_t *waiting, size_t *end)
{
    const int32_t none = (int32_t)g->count;
    size_t rises = 0;
    while (g->excess[i] > 0 && g->level[i] < none) {
        int32_t lowest = none;
        for (int d = 0; d < 4 && g->excess[i] > 0; d++) {
            const int32_t j = g->next[d][i];
            if (j < 0 || !g->capacity[d][i])
                continue;
            if (g->level[j] >= g->level[i]) {
                lowest = g->level[j] < lowest ? g->level[j] : lowest;
                continue;
            }
            const int32_t most = g->capacity[d][i];
            const int32_t flow = g->excess[i] < most ? g->excess[i] : most;
            const int32_t before = g->excess[j];
            g->capacity[d][i] -= flow;
            g->capacity[d ^ 2][j] += flow;
            g->excess[i] -= flow;
            g->excess[j] += flow;
            if (before <= 0 && g->excess[j] > 0) {
                g->queue[*end] = j;
                *end = (*end + 1) % g->count;
                ++*waiting;
            }
        }
        if (g->excess[i] > 0) {
            g->level[i] = lowest < none ? lowest + 1 : none;
            rises++;
        }
        spend(g, 1);
    }
    return rises;
}

/* 0: too little was left. */
static int cut(graph *g)
{
    for (;;) {
        size_t waiting = 0, begin = 0, rises = 0;
        spend(g, g->count);
        find_levels(g);
        for (size_t i = 0; i < g->count; i++)
            if (g->excess[i] > 0 && g->level[i] < (int32_t)g->count)
                g->queue[waiting++] = (int32_t)i;
        if (!waiting || !rec_work_is_left(g->work))
            return !waiting;
        size_t end = waiting % g->count;
        while (waiting && rises <= g->count / 2 && rec_work_is_left(g->work)) {
            const int32_t i = g->queue[begin];
            begin = (begin + 1) % g->count;
            waiting--;
            rises += discharge(g, i, &waiting, &end);
        }
    }
}

static int32_t apart(const rec_field *f, size_t i, size_t a, size_t b)
{
    const int16_t *x = f->value + (a * f->count + i) * REC_CUT_SIGNALS;
    const int16_t *y = f->value + (b * f->count + i) * REC_CUT_SIGNALS;
    int32_t sum = 0;
    for (int s = 0; s < REC_CUT_SIGNALS; s++)
        sum += x[s] == REC_CUT_GONE || y[s] == REC_CUT_GONE ? 0 : abs(x[s] - y[s]);
    return sum;
}

/* Of label a at pixel i beside label b at pixel j. */
static int32_t seam(const rec_field *f, size_t i, int32_t a, size_t j, int32_t b)
{
    const size_t x = (size_t)a, y = (size_t)b;
    return a == b ? 0 : f->seam + apart(f, i, x, y) + apart(f, j, x, y);
}

int64_t rec_field_energy(const rec_field *f, const int32_t *label)
{
    int64_t sum = 0;
    for (size_t i = 0; i < f->count; i++) {
        sum += f->cost[(size_t)label[i] * f->count + i];
        for (int d = 0; d < 2; d++)
            if (f->next[d][i] >= 0)
                sum += seam(f, i, label[i], (size_t)f->next[d][i], label[f->next[d][i]]);
    }
    return sum;
}

/* What it costs that pixels take label a. A third label may differ from two others by less than
 * they do where a signal is gone: then the pair costs what it can. */
static void weigh(const rec_field *f, int32_t a, graph *g)
{
    const int32_t *cost = f->cost + (size_t)a * f->count;
    for (int d = 0; d < 4; d++)
        memset(g->capacity[d], 0, f->count * sizeof *g->capacity[d]);
    for (size_t i = 0; i < f->count; i++)
        g->excess[i] = cost[i] - f->cost[(size_t)f->label[i] * f->count + i];
    for (size_t i = 0; i < f->count; i++)
        for (int d = 0; d < 2; d++) {
            const int32_t j = f->next[d][i];
            if (j < 0)
                continue;
            const int32_t p = f->label[i], q = f->label[j];
            int32_t both = seam(f, i, p, (size_t)j, q);
            if (p == a || q == a) {
                g->excess[p == a ? (size_t)j : i] -= p == q ? 0 : both;
                continue;
            }
            const int32_t one = seam(f, i, a, (size_t)j, q), other = seam(f, i, p, (size_t)j, a);
            both = both < one + other ? both : one + other;
            g->excess[i] += one - both;
            g->excess[j] -= one;
            g->capacity[d][i] = one + other - both;
        }
    for (size_t i = 0; i < f->count; i++)
        if (f->label[i] == a)
            g->excess[i] = 0;
}

rec_status rec_field_expand(rec_field *f, int sweeps, rec_work *work, rec_error *error)
{
    rec_owned int32_t *capacity = NULL;
    REC_TRY(rec_allocate(&capacity, f->count, 8 * sizeof *capacity, "labels", error));
    graph g = {.count = f->count, .next = f->next, .work = work, .excess = capacity + 4 * f->count,
               .level = capacity + 5 * f->count, .queue = capacity + 6 * f->count};
    int32_t *made = capacity + 7 * f->count;
    for (size_t d = 0; d < 4; d++)
        g.capacity[d] = capacity + d * f->count;
    int64_t best = rec_field_energy(f, f->label);
    for (int s = 0, more = 1; s < sweeps && more; s++) {
        more = 0;
        for (int32_t a = 0; a < (int32_t)f->labels && rec_work_is_left(work); a++) {
            weigh(f, a, &g);
            if (!cut(&g))
                continue;
            for (size_t i = 0; i < f->count; i++) {
                const int takes = g.level[i] < (int32_t)f->count &&
                                  f->cost[(size_t)a * f->count + i] < REC_CUT_NEVER;
                made[i] = takes ? a : f->label[i];
            }
            const int64_t now = rec_field_energy(f, made);
            if (now >= best)
                continue;
            best = now;
            more = 1;
            memcpy(f->label, made, f->count * sizeof *made);
        }
    }
    return REC_OK;
}
