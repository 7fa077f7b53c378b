/* Runs a kernel on the host, block after block, the threads of one as fibres that switch at each
 * barrier. It is compiled in front of the user's file with -fsanitize=thread, which calls the
 * functions at the end before each load and store: they count what the requests of warps move, and
 * the conflicts of banks, and find races. */
#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cuda_runtime.h"

#define FIBRE_BARE __attribute__((no_sanitize("thread")))
typedef uint64_t Take(const void *mine, uint64_t n, float **in, float **out, const float *edges,
                      int width, int height, int stride, double *squares); /* rec_ladder_take */
extern "C" char __ehdr_start[], _end[] __attribute__((visibility("hidden"))); /* this library */
Fibre fibre;
alignas(128) char fibre_dynamic[48 << 10];

namespace fibres {
enum { MOST_THREADS = 1024, WARP = 32, STACK = 1 << 16, SECTOR = 32, WORD = 4, BANKS = 32 };
enum { WIDTH = 256, HEIGHT = 128, TOGETHER = 4 }; /* of the picture that is traced; steps at once */

struct Thread {
    bool done;
    jmp_buf there;
    ucontext_t context; /* the first way onto its stack; then there are jumps */
} threads[MOST_THREADS], *self;
char *const stacks = (char *)malloc((size_t)MOST_THREADS * STACK);

/* ---- memory ---- */

struct Place {
    const char *name; /* nullptr: what is there does not count */
    const void *begin, *end;
};
const char *const shared_memory = "shared";
double squares, moved; /* of step_norm; bytes in sectors */
std::vector<Place> places = {
    {nullptr, &fibre, &fibre + 1},
    {nullptr, stacks, stacks + (size_t)MOST_THREADS * STACK},
    {shared_memory, fibre_dynamic, fibre_dynamic + sizeof fibre_dynamic},
    {"squares", &squares, &squares + 1},
    {"memory", __ehdr_start, _end},
};

const char *name_of(const void *address)
{
    for (const Place &place : places)
        if (address >= place.begin && address < place.end)
            return place.name;
    return shared_memory; /* all that is thread_local */
}

/* ---- loads and stores ---- */

struct Touch {
    const void *at; /* behind the instruction */
    const char *place;
    uintptr_t address;
    size_t size;
    bool write;
    unsigned block, thread, occurrence, epoch; /* epoch: barriers that it has passed */
};
struct Row { /* the requests of an instruction; ideal: sectors that would hold the bytes */
    const char *place;
    bool write;
    size_t requests, sectors, ideal, conflicts;
    int line;
    std::string text;
    double each(size_t of) const { return requests ? (double)of / (double)requests : 0; }
};
typedef std::vector<const Touch *> Touches;
std::vector<Touch> log; /* of a launch */
std::map<std::pair<const void *, const Thread *>, unsigned> occurrences; /* in a block */
std::map<const void *, Row> rows;
std::map<std::pair<const void *, const void *>, std::pair<Touch, Touch>> races;
const void *unwritten; /* an instruction that loads what no thread of its block has stored */
unsigned block_now, epoch;
bool inside, tracing; /* the user's kernel */

/* Passes beyond one: words of one bank take turns. 32 words go together, of as many lanes as that
 * takes. */
size_t conflicts_of(const Touches &request)
{
    const size_t words = (request[0]->size + WORD - 1) / WORD, lanes = WARP / words;
    std::map<std::pair<size_t, size_t>, std::set<uintptr_t>> banks; /* of a part of the warp */
    size_t beyond[WARP] = {0}, conflicts = 0;
    for (const Touch *t : request)
        for (uintptr_t w = t->address / WORD; w < t->address / WORD + words; w++)
            banks[{t->thread % WARP / lanes, w % BANKS}].insert(w);
    for (const auto &bank : banks)
        beyond[bank.first.first] = max(beyond[bank.first.first], bank.second.size() - 1);
    for (const size_t part : beyond)
        conflicts += part;
    return conflicts;
}

void count_request(const Touches &request)
{
    const Touch &first = *request[0];
    std::set<uintptr_t> sectors, starts;
    for (const Touch *t : request) {
        starts.insert(t->address);
        for (uintptr_t s = t->address / SECTOR; s <= (t->address + t->size - 1) / SECTOR; s++)
            sectors.insert(s);
    }
    Row &row = rows[first.at];
    row.place = first.place;
    row.write = first.write;
    row.requests++;
    row.sectors += sectors.size();
    row.ideal += (starts.size() * first.size + SECTOR - 1) / SECTOR;
    if (row.place == shared_memory)
        row.conflicts += conflicts_of(request);
    else
        moved += (double)sectors.size() * SECTOR;
}

/* One race of a word will do. */
void find_race(const Touches &word)
{
    if (word[0]->place == shared_memory && !word[0]->write)
        unwritten = word[0]->at; /* it comes before all others */
    for (const Touch *a : word)
        for (size_t i = 0; a->write && i < word.size(); i++)
            if (const Touch *b = word[i];
                a->address < b->address + b->size && b->address < a->address + a->size &&
                (a->block != b->block || (a->thread != b->thread && a->epoch == b->epoch))) {
                races.insert({{a->at, b->at}, {*a, *b}});
                return;
            }
}

void count_launch()
{
    std::map<std::tuple<unsigned, unsigned, const void *, unsigned>, Touches> requests;
    std::map<std::pair<uintptr_t, unsigned>, Touches> words;
    for (const Touch &t : log) {
        requests[{t.block, t.thread / WARP, t.at, t.occurrence}].push_back(&t);
        for (uintptr_t w = t.address / WORD; w <= (t.address + t.size - 1) / WORD; w++)
            words[{w, t.place == shared_memory ? t.block : 0}].push_back(&t);
    }
    for (const auto &request : requests)
        count_request(request.second);
    for (const auto &word : words)
        find_race(word.second);
    log.clear();
}

/* ---- threads ---- */

jmp_buf scheduler;
void (*body)(const void *);
const void *closure;
std::string failed; /* why a launch did not work */

FIBRE_BARE void leave()
{
    inside = false;
    if (!_setjmp(self->there))
        _longjmp(scheduler, 1);
}

FIBRE_BARE void run_thread() /* in every block */
{
    for (;;) {
        body(closure);
        self->done = true;
        leave();
    }
}

uint3 unfold(unsigned n, const dim3 &shape)
{
    return {n % shape.x, n / shape.x % shape.y, n / shape.x / shape.y};
}

FIBRE_BARE void resume(Thread *t)
{
    self = t;
    fibre.thread = unfold((unsigned)(t - threads), fibre.block_shape);
    if (_setjmp(scheduler))
        return;
    inside = true;
    if (t->context.uc_stack.ss_sp)
        _longjmp(t->there, 1);
    getcontext(&t->context);
    t->context.uc_stack = {stacks + (t - threads) * STACK, 0, STACK};
    makecontext(&t->context, run_thread, 0);
    setcontext(&t->context);
}

/* Each pass leads all threads to their next barrier, or to the end. */
void run_block(unsigned count)
{
    occurrences.clear();
    for (unsigned i = 0; i < count; i++)
        threads[i].done = false;
    for (bool waiting = true; waiting; epoch++) {
        waiting = false;
        for (Thread *t = threads; t < threads + count; t++)
            if (!t->done) {
                resume(t);
                waiting |= !t->done;
            }
    }
}

/* ---- what is printed ---- */

std::string text_of(const char *path, int line)
{
    char text[512] = "";
    FILE *file = fopen(path, "r");
    for (int i = 0; file && i < line && fgets(text, sizeof text, file); i++)
        text[strcspn(text, "\n")] = '\0';
    if (file)
        fclose(file);
    return std::string(text + strspn(text, " \t")).substr(0, 60);
}

/* The innermost line of each instruction that is not of our files. */
void find_lines()
{
    Dl_info info;
    char text[4096];
    auto row = rows.begin();
    dladdr(__ehdr_start, &info);
    setenv("FIBRE_LIBRARY", info.dli_fname, 1);
    std::string command = "addr2line -aie \"$FIBRE_LIBRARY\" 0";
    for (const auto &each : rows) {
        snprintf(text, sizeof text, " %#tx", (char *)each.first - 1 - __ehdr_start);
        command += text;
    }
    FILE *lines = popen(command.c_str(), "r");
    for (size_t n = 0; lines && fgets(text, sizeof text, lines);) {
        char *colon = strrchr(text, ':');
        if (!colon)
            row = n++ < 2 ? rows.begin() : std::next(row);
        else if (n > 1 && !row->second.line && !strstr(text, "/ladder/host/")) {
            *colon = '\0';
            row->second.line = atoi(colon + 1);
            row->second.text = text_of(text, row->second.line);
        }
    }
    if (lines)
        pclose(lines);
}

/* Instructions of a line that are alike are one row. */
void print_rows(FILE *to)
{
    std::map<std::tuple<int, bool, std::string, size_t, size_t>, std::vector<const Row *>> alike;
    Row sectors = {}, conflicts = {}; /* where they are the most */
    fprintf(to, "%5s%31s%9s%7s%11s\n", "line", "requests", "sectors", "ideal", "conflicts");
    for (const auto &each : rows) {
        const Row &r = each.second;
        const bool shared = r.place == shared_memory;
        const size_t figure = shared ? r.conflicts : r.sectors;
        alike[{r.line, r.write, r.place, r.requests, figure}].push_back(&r);
        if (!shared && figure >= 2 * r.ideal && r.each(figure) > sectors.each(sectors.sectors))
            sectors = r;
        if (r.each(r.conflicts) > conflicts.each(conflicts.conflicts))
            conflicts = r;
    }
    for (const auto &each : alike) {
        const Row &r = *each.second[0];
        fprintf(to, "%5d  %2zu %s %-7s%8zu", r.line, each.second.size(),
                r.write ? "store to" : "load of ", r.place, r.requests);
        if (r.place == shared_memory)
            fprintf(to, "%27.1f  %s\n", r.each(r.conflicts), r.text.c_str());
        else
            fprintf(to, "%9.1f%7.1f%11s  %s\n", r.each(r.sectors), r.each(r.ideal), "",
                    r.text.c_str());
    }
    if (sectors.line)
        fprintf(to, "\nline %d: %.1f sectors of 32 bytes a request, where %.1f would hold its "
                "bytes: neighbouring threads\nshould have neighbouring cells (lesson 2)\n",
                sectors.line, sectors.each(sectors.sectors), sectors.each(sectors.ideal));
    if (conflicts.line)
        fprintf(to, "\nline %d: %.1f conflicts a request: the threads of a warp want different "
                "words of one bank, as down\na column of 32; rows of 33 spread them (lesson 6)\n",
                conflicts.line, conflicts.each(conflicts.conflicts));
}

void print_races(FILE *to)
{
    std::set<std::pair<int, int>> said;
    for (const auto &each : races) {
        const Touch &a = each.second.first, &b = each.second.second;
        const int store = rows[a.at].line, other = rows[b.at].line;
        if (said.insert({min(store, other), max(store, other)}).second)
            fprintf(to, "\nrace: line %d stores to %s what line %d %s: thread %u of block %u and "
                    "thread %u of block %u%s\n", store, a.place, other,
                    b.write ? "stores, too" : "loads", a.thread, a.block, b.thread, b.block,
                    a.block == b.block ? ",\nand no barrier between: is a __syncthreads() missing?"
                                       : ";\nblocks have no barrier but the end of the launch");
    }
    if (unwritten && races.empty())
        fprintf(to, "\nline %d loads shared memory that no thread of its block has stored: is the "
                "tile's halo missing?\n", rows[unwritten].line);
}
} /* namespace fibres */

/* ---- what the user's file and the program call ---- */

FIBRE_BARE void __syncthreads() { fibres::leave(); }

void fibre_run(const char *kernel, void (*run)(const void *), const void *of, dim3 grid, dim3 shape,
               size_t shared)
{
    using namespace fibres;
    const uint64_t all = (uint64_t)shape.x * shape.y * shape.z;
    if (!all || all > MOST_THREADS || shared > sizeof fibre_dynamic ||
        !((uint64_t)grid.x * grid.y * grid.z))
        failed = std::string(kernel) + ": a grid has at least one block, a block has 1 to 1024 "
                                       "threads and at most 48 KiB of shared memory";
    body = run;
    closure = of;
    fibre.grid_shape = grid;
    fibre.block_shape = shape;
    for (block_now = 0; failed.empty() && block_now < grid.x * grid.y * grid.z; block_now++) {
        fibre.block = unfold(block_now, grid);
        memset(fibre_dynamic, 0xff, shared); /* NaN */
        run_block((unsigned)all);
    }
    count_launch();
}

/* Traces a step on planes that lie as they do on a device, and prints what it found; *bytes: an
 * update's share of the sectors. Returns what is wrong; NULL: nothing. */
extern "C" const char *fibre_trace(const void *mine, Take *take, FILE *to, double *bytes)
{
    using namespace fibres;
    const char *const names[] = {"out", "in", "edges"};
    const int stride = (WIDTH + 2 + 31) / 32 * 32, cells = stride * (HEIGHT + 2) + 64;
    float *planes[3];
    char here;
    places.push_back({nullptr, &here - (1 << 20), &here + (1 << 20)}); /* this stack */
    for (int i = 0; i < 3; i++) {
        planes[i] = (float *)aligned_alloc(256, (size_t)cells * sizeof(float) / 256 * 256 + 256);
        places.push_back({names[i], planes[i], planes[i] + cells});
        memset(planes[i], 0, (size_t)cells * sizeof(float));
        planes[i] += 32 + stride;
    }
    tracing = true;
    const uint64_t steps = take(mine, TOGETHER, &planes[1], &planes[0], planes[2], WIDTH, HEIGHT,
                                stride, &squares);
    tracing = false;
    *bytes = moved / WIDTH / HEIGHT / (double)steps;
    find_lines();
    fprintf(to, "No GPU: threads run on the host, on %d x %d pixels, and times would mean nothing. "
            "A warp's request:\n\n", WIDTH, HEIGHT);
    print_rows(to);
    print_races(to);
    fputc('\n', to);
    fflush(to);
    return !failed.empty() ? failed.c_str() : races.empty() ? nullptr : "it has a race";
}

/* ---- what the compiler calls ---- */

static FIBRE_BARE void fibre_touch(const void *address, size_t size, bool write, const void *at)
{
    using namespace fibres;
    if (!inside || !tracing)
        return;
    inside = false; /* the loads and stores of this file do not count */
    const char *const place = name_of(address);
    /* A byte there is the compiler's mark that an array has been set up. */
    if (place && (place != shared_memory || size > 1))
        fibres::log.push_back({at, place, (uintptr_t)address, size, write, block_now,
                               (unsigned)(self - threads), occurrences[{at, self}]++, epoch});
    inside = true;
}
#define FIBRE_TOUCH(name, write, size, ...)                                                        \
    FIBRE_BARE void __tsan_##name(void *address __VA_ARGS__)                                       \
    {                                                                                              \
        fibre_touch(address, size, write, __builtin_return_address(0));                            \
    }
#define FIBRE_SIZE(size)                                                                           \
    FIBRE_TOUCH(read##size, false, size)                                                           \
    FIBRE_TOUCH(write##size, true, size)                                                           \
    FIBRE_TOUCH(unaligned_read##size, false, size)                                                 \
    FIBRE_TOUCH(unaligned_write##size, true, size)
extern "C" {
FIBRE_SIZE(1)
FIBRE_SIZE(2)
FIBRE_SIZE(4)
FIBRE_SIZE(8)
FIBRE_SIZE(16)
FIBRE_TOUCH(read_range, false, size, , size_t size)
FIBRE_TOUCH(write_range, true, size, , size_t size)
FIBRE_BARE void __tsan_init() {}
FIBRE_BARE void __tsan_func_entry(void *) {}
FIBRE_BARE void __tsan_func_exit() {}
}
