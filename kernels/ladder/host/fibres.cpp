/* Runs a kernel on the host, block after block, the threads of one as fibres that switch at each
 * barrier. It stands in front of the user's file, compiled with -fsanitize=thread, which calls the
 * functions at the end before each load and store: they count bytes, bank conflicts, and races. */
#include "kernels/ladder/host/seen.h"

#include <dlfcn.h>
#include <ucontext.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cuda_runtime.h"

extern "C" char __ehdr_start[], _end[] __attribute__((visibility("hidden"))); /* this library */
Fibre fibre;
alignas(128) char fibre_dynamic[48 << 10];

namespace fibres {
enum { MOST_THREADS = 1024, WARP = 32, STACK = 1 << 16, SECTOR = 32, WORD = 4, BANKS = 32 };
/* Of the pictures that are traced: one for the table, and one that no block divides. */
enum { WIDTH = 256, HEIGHT = 128, ODD_WIDTH = 67, ODD_HEIGHT = 37, MOST_TOUCHES = 1 << 23 };
enum { TIMED = 2048 }; /* on a device; here only its launches are looked at */

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
    long index;
    if (const char *const plane = seen_plane(address, &index))
        return plane;
    for (const Place &place : places)
        if (address >= place.begin && address < place.end)
            return place.name;
    return shared_memory; /* all that is thread_local */
}

/* An index beyond an array of shared memory meets what lies around it (cuda_runtime.h). */
std::vector<Place> arrays = {{"dynamic shared memory", fibre_dynamic, fibre_dynamic}};

void check_shared(uintptr_t address, size_t size, bool write, const void *at)
{
    for (const Place &array : arrays) {
        const uintptr_t begin = (uintptr_t)array.begin, end = (uintptr_t)array.end;
        const bool dynamic = array.begin == fibre_dynamic;
        if (address >= begin - (dynamic ? 0 : FIBRE_AROUND) &&
            address < (dynamic ? begin + sizeof fibre_dynamic : end + FIBRE_AROUND) &&
            (address < begin || address + size > end))
            seen_fault(at, nullptr, "%s cell %ld of %s, which has %ld", write ? "stores to"
                                                                             : "loads",
                       ((long)address - (long)begin) / (long)size, array.name,
                       (long)(end - begin) / (long)size);
    }
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
    size_t requests, sectors, ideal, conflicts; /* requests 0: it is not counted */
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
bool inside, tracing, counting, looking; /* the user's kernel; looking: it does not run */
const void *barrier; /* where a thread waits */

/* Passes beyond one: words of one bank take turns. 32 words go together, of 32 lanes or fewer. */
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
    Row &row = rows[first.at];
    std::set<uintptr_t> sectors, starts;
    if (!counting)
        return;
    for (const Touch *t : request) {
        starts.insert(t->address);
        for (uintptr_t s = t->address / SECTOR; s <= (t->address + t->size - 1) / SECTOR; s++)
            sectors.insert(s);
    }
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
std::string failed, says; /* why a launch did not work; what is wrong */

SEEN_BARE void leave()
{
    inside = false;
    if (!_setjmp(self->there))
        _longjmp(scheduler, 1);
}

SEEN_BARE void run_thread() /* in every block */
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

SEEN_BARE void resume(Thread *t)
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
    for (const Place &array : arrays)
        memset((char *)array.begin, 0xff, (size_t)((char *)array.end - (char *)array.begin));
    for (unsigned i = 0; i < count; i++)
        threads[i].done = false;
    for (unsigned waiting = count; waiting; epoch++) {
        waiting = 0;
        for (Thread *t = threads; t < threads + count; t++)
            if (!t->done) {
                resume(t);
                waiting += !t->done;
            }
        if (tracing && waiting && waiting < count)
            seen_fault(barrier, nullptr, "is a barrier that %u of the %u threads of block %u "
                       "reach: undefined, even if it works. Threads outside of the image leave "
                       "out the work, not the barrier", waiting, count, block_now);
    }
}

#include "kernels/ladder/host/moved.h"
} /* namespace fibres */

/* ---- what the user's file and the program call ---- */

__attribute__((noinline)) SEEN_BARE void __syncthreads()
{
    fibres::barrier = __builtin_return_address(0);
    fibres::leave();
}

__attribute__((noinline)) SEEN_BARE void fibre_hold(const char *name, void *array, size_t size)
{
    const bool was = fibres::inside;
    bool known = fibres::inside = false;
    for (const fibres::Place &other : fibres::arrays)
        known |= other.begin == array;
    if (!known) {
        fibres::arrays.push_back({name, array, (char *)array + size});
        memset(array, 0xff, size); /* NaN, as before every block */
    }
    fibres::inside = was;
}

void fibre_run(const char *kernel, void (*run)(const void *), const void *of, dim3 grid, dim3 shape,
               size_t shared)
{
    using namespace fibres;
    const uint64_t all = (uint64_t)shape.x * shape.y * shape.z;
    if (!all || all > MOST_THREADS || shared > sizeof fibre_dynamic ||
        !((uint64_t)grid.x * grid.y * grid.z))
        failed = std::string(kernel) + " has " + std::to_string(all) + " threads a block on " +
                 std::to_string(seen.width) + " x " + std::to_string(seen.height) +
                 " pixels: a grid has at least one block, a block has 1 to 1024 threads and at "
                 "most 48 KiB of shared memory";
    body = run;
    closure = of;
    fibre.grid_shape = grid;
    fibre.block_shape = shape;
    arrays[0].end = fibre_dynamic + shared;
    const unsigned blocks = looking || !failed.empty() ? 0 : grid.x * grid.y * grid.z;
    for (block_now = 0; block_now < blocks; block_now++) {
        fibre.block = unfold(block_now, grid);
        run_block((unsigned)all);
    }
    count_launch();
}

/* Traces a step, or several by one call, on planes that lie as they do on a device, and prints what
 * it found; *bytes: an update's share of the sectors. Returns what is wrong; NULL: nothing. */
extern "C" const char *fibre_trace(const void *mine, Take *take, int together, FILE *to,
                                   double *bytes)
{
    using namespace fibres;
    static const int sides[][2] = {{WIDTH, HEIGHT}, {ODD_WIDTH, ODD_HEIGHT}, {TIMED, TIMED}};
    char here;
    places.push_back({nullptr, &here - (1 << 20), &here + (1 << 20)}); /* this stack */
    for (int i = 0, nan; i < 3 && !seen.at && failed.empty(); i++) {
        const int width = sides[i][0], stride = (width + 2 + 31) / 32 * 32;
        tracing = true;
        counting = !i;
        looking = i == 2;
        const uint64_t steps = seen_take(mine, take, width, sides[i][1], stride, 32, together,
                                         &squares, &nan);
        inside = tracing = looking = false;
        if (counting)
            *bytes = moved / WIDTH / HEIGHT / (double)steps;
        if (nan && unwritten && races.empty())
            seen_fault(unwritten, nullptr, "loads shared memory that no thread of its block has "
                       "stored: is the tile's halo missing?");
    }
    if (seen.at)
        rows[seen.at];
    find_lines();
    fprintf(to, "No GPU: threads run on the host, on %d x %d pixels, and times would mean nothing. "
            "A warp's request:\n\n", WIDTH, HEIGHT);
    print_rows(to);
    print_races(to);
    fputc('\n', to);
    fflush(to);
    says = !failed.empty()  ? failed
           : seen.at        ? "line " + std::to_string(rows[seen.at].line) + " " + seen.says
           : !races.empty() ? "it has a race" : "";
    return says.empty() ? nullptr : says.c_str();
}

SEEN_BARE static void seen_access(const void *address, size_t size, int write, const void *at)
{
    using namespace fibres;
    if (!inside || !tracing)
        return;
    inside = false; /* the loads and stores of this file do not count */
    const char *const place = name_of(address);
    seen_touch(address, size, write, at);
    check_shared((uintptr_t)address, size, write, at);
    /* A byte there is the compiler's mark that an array has been set up. */
    if (place && (place != shared_memory || size > 1) && fibres::log.size() < MOST_TOUCHES)
        fibres::log.push_back({at, place, (uintptr_t)address, size, write != 0, block_now,
                               (unsigned)(self - threads), occurrences[{at, self}]++, epoch});
    inside = true;
}
