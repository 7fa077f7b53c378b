/* A window with inputs for a test: the real one, on SDL's dummy display and in a thread of its own.
 * Events are pushed; what the worker tells the window, what the window wants and what it draws is
 * listened to on the way, by the linker's --wrap (the Makefile's LISTEN). For builds with SDL, and
 * for one file of a program. */
#pragma once

#include <SDL.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/hash.h"
#include "image/image_files.h"
#include "solver/type.h"
#include "tests/unit/problems.h"
#include "view/draw/draw.h"
#include "view/view.h"
#include "view/worker/worker_type.h"

/* ---- listening ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static rec_view_state told;    /* by the worker, newest */
static rec_wanted wanted;      /* by the window, newest */
static Uint32 *screen;         /* what was drawn last ... */
static int screen_width, screen_height;
static unsigned drawn;         /* ... and how often something was */
static atomic_int density = 1; /* output pixels to a point */

LISTEN(void, rec_worker_publish, (rec_worker *worker, rec_phase phase, rec_outcome outcome))
{
    __real_rec_worker_publish(worker, phase, outcome);
    pthread_mutex_lock(&lock);
    told = worker->now;
    pthread_mutex_unlock(&lock);
}

LISTEN(void, rec_worker_want, (rec_worker *worker, const rec_wanted *what))
{
    pthread_mutex_lock(&lock);
    wanted = *what;
    pthread_mutex_unlock(&lock);
    __real_rec_worker_want(worker, what);
}

static int get_output_size(SDL_Renderer *renderer, int *width, int *height)
{
    const int failed = SDL_GetRendererOutputSize(renderer, width, height);
    *width *= density;
    *height *= density;
    return failed;
}

static void present(SDL_Renderer *renderer)
{
    int width, height;
    SDL_GetRendererOutputSize(renderer, &width, &height);
    pthread_mutex_lock(&lock);
    screen = realloc(screen, (size_t)width * (size_t)height * sizeof *screen);
    SDL_RenderReadPixels(renderer, NULL, SDL_PIXELFORMAT_ARGB8888, screen, 4 * width);
    screen_width = width;
    screen_height = height;
    drawn++;
    pthread_mutex_unlock(&lock);
    SDL_RenderPresent(renderer);
}

LISTEN(rec_status, rec_libraries_open, (rec_error *error))
{
    const rec_status status = __real_rec_libraries_open(error);
    sdl.GetRendererOutputSize = get_output_size;
    sdl.RenderPresent = present;
    return status;
}

#define LOCKED(type, name, variable)                                                               \
    static type name(void)                                                                         \
    {                                                                                              \
        pthread_mutex_lock(&lock);                                                                 \
        const type value = variable;                                                               \
        pthread_mutex_unlock(&lock);                                                               \
        return value;                                                                              \
    }
LOCKED(rec_view_state, now, told)
LOCKED(rec_wanted, wants, wanted)
LOCKED(unsigned, times_drawn, drawn)

static Uint32 pixel_at(int x, int y)
{
    pthread_mutex_lock(&lock);
    const Uint32 pixel = x < screen_width && y < screen_height ? screen[y * screen_width + x] : 0;
    pthread_mutex_unlock(&lock);
    return pixel;
}

/* Of the picture's part of the screen. */
static uint64_t hash_picture(void)
{
    const size_t rows = wants().viewport.area.height;
    pthread_mutex_lock(&lock);
    assert_true((int)rows <= screen_height);
    const uint64_t hash =
        rec_hash(REC_HASH_START, screen, rows * (size_t)screen_width * sizeof *screen);
    pthread_mutex_unlock(&lock);
    return hash;
}

static void nap(unsigned milliseconds) { usleep(1000 * milliseconds); }

/* What was on its way is drawn, and nothing more comes. */
static void settle(void)
{
    for (unsigned before; (before = times_drawn(), nap(150), before != times_drawn());)
        ;
}

/* ---- a window with inputs ---- */

enum { MOST_INPUTS = 8 };

typedef struct desk {
    rec_image edges[2];          /* of even and of odd inputs */
    own_type own;                /* that iterates an input called "lost" */
    const char *name[MOST_INPUTS];
    size_t inputs;
    rec_settings settings;
    rec_jobs jobs;
    atomic_int held;             /* opening waits */
    atomic_int refused;          /* the next so many have no memory */
    atomic_int opened, finished; /* how many were opened, and saved when they were left */
    uint64_t at_end;             /* iterations of the last that was saved, ... */
    rec_image result;            /* ... and what it came to */
    pthread_t thread;
    rec_status status;
    rec_error error;
} desk;

static desk d;     /* of the test */
static int is_run; /* by a thread */

LISTEN(rec_status, rec_job_open, (rec_job *job, int fresh, rec_error *error))
{
    while (d.held)
        nap(2);
    if (d.refused && d.refused--)
        return rec_fail(error, REC_LIMIT, "no room for it");
    d.opened++;
    d.settings.run.solver =
        strstr(job->input, "lost") ? &d.own.type : solver_or_skip("cpu");
    return __real_rec_job_open(job, fresh, error);
}

LISTEN(rec_status, rec_job_save, (rec_job *job, rec_error *error))
{
    d.at_end = rec_run_get_state(job->run)->iterations;
    d.finished++;
    rec_image_destroy(&d.result);
    return rec_run_read_image(job->run, &d.result, error);
}

static void *show(void *argument)
{
    d.status = rec_view_show(&d.jobs, &d.error);
    return NULL;
}

static void write_image(const char *path, const rec_image *image)
{
    const rec_write_options exact = {.format = rec_format_find("pfm")};
    SUCCEEDS(rec_image_write(path, image, &exact, &error));
}

static void prepare(size_t inputs)
{
    static const char *const files[] = {"0.pgm", "1.pgm", "a.pgm", "b.pgm", "c.pgm", "d.pgm",
                                        "e.pgm", "f.pgm", "lost.pgm"};
    d = (desk){.edges = {problem_noise(300, 250, 1, 100, 1), problem_noise(250, 300, 3, 100, 2)},
               .name = {"0.pgm", "1.pgm"}, .inputs = inputs,
               .settings = {.run = {.iterations = REC_ENDLESS, .every = 20,
                                    .solver = solver_or_skip("cpu")},
                            .reading = {.role = REC_EDGES},
                            .writing = {.maxval = 255},
                            .shards = 1,
                            .list = inputs != 1,
                            .output = "made",
                            .output_is_folder = 1}};
    own_type_make(&d.own, solver_or_skip("cpu"));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_image(files[i], &d.edges[i % 2]);
    write_bytes("nonsense.txt", "nonsense", 8);
    density = 1;
    pthread_mutex_lock(&lock);
    told = (rec_view_state){.phase = REC_PHASE_EMPTY};
    drawn = 0;
    pthread_mutex_unlock(&lock);
}

static void begin(void)
{
    assert_int_equal(setenv("SDL_VIDEODRIVER", "dummy", 1), 0);
    SUCCEEDS(rec_jobs_make(&d.jobs, &d.settings, (char *const *)d.name, d.inputs, &error));
    is_run = 1;
    assert_int_equal(pthread_create(&d.thread, NULL, show, NULL), 0);
    WAIT_FOR(times_drawn() > 0); /* SDL is there, and takes events */
}

static void push(SDL_Event event) { assert_int_equal(SDL_PushEvent(&event), 1); }

/* After a test that failed, too: the next one has a window of its own. */
static void close_window(void)
{
    if (!is_run)
        return;
    d.held = 0;
    push((SDL_Event){.type = SDL_QUIT});
    pthread_join(d.thread, NULL);
    rec_jobs_destroy(&d.jobs);
    rec_image_destroy(&d.result);
    rec_image_destroy(&d.edges[0]);
    rec_image_destroy(&d.edges[1]);
    is_run = 0;
}

static void end_with(rec_status status)
{
    close_window();
    assert_int_equal(d.status, status);
}

/* Where nobody has closed it that has to end well, too. */
static int end(void **state)
{
    const int failed = is_run && (close_window(), d.status);
    return leave_folder(state) || failed;
}

/* ---- what a user does ---- */

static void press(SDL_Keycode code)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.keysym.sym = code;
    push(event);
}

#define PRESS_EACH(...)                                                                            \
    for (const SDL_Keycode keys[] = {__VA_ARGS__, 0}, *key = keys; *key; key++)                    \
    press(*key)

static void move_mouse(int x, int y)
{
    push((SDL_Event){.motion = {.type = SDL_MOUSEMOTION, .x = x, .y = y}});
}

static void click(Uint32 type, int x, int y)
{
    push((SDL_Event){.button = {.type = type, .button = SDL_BUTTON_LEFT, .clicks = 1,
                                .x = x, .y = y}});
}

static void drag(int x, int y, int to_x, int to_y)
{
    click(SDL_MOUSEBUTTONDOWN, x, y);
    if (to_x != x || to_y != y)
        move_mouse(to_x, to_y);
    click(SDL_MOUSEBUTTONUP, to_x, to_y);
}

static void turn_wheel(int notches, float precise)
{
    push((SDL_Event){.wheel = {.type = SDL_MOUSEWHEEL, .y = notches, .preciseY = precise}});
}

static void tell_window(Uint8 what)
{
    push((SDL_Event){.window = {.type = SDL_WINDOWEVENT, .event = what}});
}

static void drop(Uint32 type, const char *path)
{
    push((SDL_Event){.drop = {.type = type, .file = path ? SDL_strdup(path) : NULL}});
}

static void drop_files(const char *const *paths, size_t count)
{
    drop(SDL_DROPBEGIN, NULL);
    for (size_t i = 0; i < count; i++)
        drop(SDL_DROPFILE, paths[i]);
    drop(SDL_DROPCOMPLETE, NULL);
}

static void drop_file(const char *path) { drop_files(&path, 1); }

static int is_open_at(size_t index)
{
    const rec_view_state state = now();
    return rec_phase_is_open(state.phase) && state.index == index;
}

/* With its first input open; one of so many. */
static void open_desk(size_t inputs)
{
    prepare(inputs);
    begin();
    WAIT_FOR(is_open_at(0));
}

static void begin_iterating(void)
{
    begin();
    WAIT_FOR(is_open_at(0) && now().run.iterations > 0);
}

static void pause_run(void)
{
    press(SDLK_SPACE);
    WAIT_FOR(now().phase == REC_PHASE_PAUSED);
}

static void begin_with_original(const rec_image *original)
{
    write_image("original.pfm", original);
    d.settings.original = "original.pfm";
    begin_iterating();
}

/* ---- a device that is lost ---- */

static atomic_int lost;

static rec_status advance_or_fail(void *state, uint64_t n, int compares, rec_error *error)
{
    return lost ? rec_fail(error, REC_UNAVAILABLE, "the device was lost")
                : solver_or_skip("cpu")->iterate->advance(state, n, compares, error);
}

static rec_status planes_or_fail(void *state, rec_planes *planes, rec_error *error)
{
    return lost ? rec_fail(error, REC_UNAVAILABLE, "the device was lost")
                : solver_or_skip("cpu")->memory->planes(state, planes, error);
}

/* The others stay in reach, and so does another try; it is told at the end. */
static void begin_with_a_device(void)
{
    prepare(2);
    d.name[0] = "lost.pgm";
    d.own.iterate.advance = advance_or_fail;
    d.own.memory.planes = planes_or_fail;
    lost = 0;
    begin();
    WAIT_FOR(is_open_at(0) && now().run.iterations > 100);
}
