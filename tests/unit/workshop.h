/* A worker for a test, on one input and without SDL: what it is asked for, and what the window
 * would get. For one file of a program, which listens to rec_job_open_jumper and rec_run_step. */
#pragma once

#include "job/job.h"
#include "solver/type.h"
#include "tests/unit/problems.h"
#include "view/worker/worker_type.h"

typedef struct scene {
    rec_image edges;
    char path[64];                /* of the edges */
    rec_settings settings;
    rec_jobs jobs;
    rec_worker *worker;
    int runs;
    rec_status refused;           /* what opening the jumper answers, unless it is REC_OK */
    int jumpers;                  /* how many were opened */
    uint64_t seen;                /* of the newest snapshot, */
    float contrast, shift;        /* and what it was shown with */
    uint64_t wanted;              /* the only iterate that may be shown now; 0: any */
    int strange;                  /* how many others were */
} scene;

static scene s; /* of the test */

LISTEN(rec_status, rec_job_open_jumper, (rec_job *job, rec_solver **jumper, rec_error *error))
{
    if (s.refused)
        return rec_fail(error, s.refused, "no room for it");
    s.jumpers++;
    return __real_rec_job_open_jumper(job, jumper, error);
}

static uint64_t first_piece;       /* of a run, once it was 0 */

LISTEN(rec_status, rec_run_step, (rec_run *run, uint64_t n, unsigned looks, rec_error *error))
{
    first_piece = first_piece ? first_piece : n;
    return __real_rec_run_step(run, n, looks, error);
}

static int created;                /* slow ones */
static uint64_t advanced, longest; /* their iterations; in one piece, but for the first */

static rec_status create_and_count(void *state, const rec_problem *problem, const rec_slab *slab,
                                   const rec_solver_options *options, rec_error *error)
{
    created++;
    return solver_or_skip("cpu")->memory->create(state, problem, slab, options, error);
}

static rec_status advance_slowly(void *state, uint64_t n, int compares, rec_error *error)
{
    longest = advanced && n > longest ? n : longest;
    advanced += n;
    usleep((useconds_t)(1000 * n));
    return solver_or_skip("cpu")->iterate->advance(state, n, compares, error);
}

static void want(rec_wanted wanted)
{
    static unsigned number;
    wanted.number = ++number;
    wanted.contrast = wanted.gamma = 1;
    rec_worker_want(s.worker, &wanted);
}

/* K and the pace as in the settings; the stencil "slow": a millisecond an iteration. */
static void prepare(size_t width, size_t height, const char *stencil, uint64_t every, double pace)
{
    static own_type slow;
    own_type_make(&slow, solver_or_skip("cpu"));
    slow.memory.create = create_and_count;
    slow.iterate.advance = advance_slowly;
    s = (scene){.edges = problem_noise(width, height, 1, 200, 7)};
    solver_or_skip("spectral");
    s.settings = (rec_settings){
        .run = {.iterations = REC_ENDLESS, .every = every,
                .solver = strcmp(stencil, "slow") ? solver_or_skip(stencil) : &slow.type},
        .reading = {.role = REC_EDGES}, .pace = pace, .output = "/dev/null", .shards = 1,
        .writing = {.format = rec_format_find("pfm"), .maxval = 255}};
    snprintf(s.path, sizeof s.path, "/tmp/reconstruct-scene-%d.pfm", (int)getpid());
    char *const inputs[] = {s.path};
    SUCCEEDS(rec_image_write(s.path, &s.edges, &s.settings.writing, &error));
    SUCCEEDS(rec_jobs_make(&s.jobs, &s.settings, inputs, 1, &error));
    SUCCEEDS(rec_worker_create(&s.worker, &s.jobs, &error));
    want((rec_wanted){.viewport = {.area = {width, height}, .fit = 1}});
}

static uint64_t post(rec_act *act, int argument)
{
    return rec_worker_post(s.worker, (rec_request){.act = act, .argument = argument});
}

static uint64_t seek(uint64_t iteration)
{
    return rec_worker_post(s.worker, (rec_request){.act = rec_worker_seek, .iteration = iteration});
}

static void accept(void *context, const rec_snapshot *snapshot, rec_size image)
{
    s.seen = snapshot->iteration;
    s.contrast = snapshot->view.contrast;
    s.shift = snapshot->view.shift;
    s.strange += s.wanted && s.wanted != s.seen && snapshot->view.layer == REC_LAYER_PICTURE;
}

/* As the window does. */
static rec_view_state look(void)
{
    rec_view_state now;
    rec_worker_poll(s.worker, accept, NULL);
    rec_worker_get_state(s.worker, &now);
    return now;
}

/* Until the worker is in one of two phases and has answered the request. */
static rec_view_state wait_for_either(rec_phase phase, rec_phase other, uint64_t number)
{
    rec_view_state now;
    WAIT_FOR((now = look(), (now.phase == phase || now.phase == other) && now.answered >= number));
    return now;
}

static rec_view_state wait_for(rec_phase phase, uint64_t answered)
{
    return wait_for_either(phase, phase, answered);
}

static void wait_for_pixels(uint64_t iteration) { WAIT_FOR((look(), s.seen == iteration)); }

static rec_view_state pause_run(void)
{
    return wait_for(REC_PHASE_PAUSED, post(rec_worker_play_pause, 0));
}

/* Until it iterates, or is there at once. */
static rec_view_state start(void)
{
    s.runs = 1;
    SUCCEEDS(rec_worker_start(s.worker, &error));
    return wait_for_either(REC_PHASE_ITERATING, REC_PHASE_STOPPED, 0);
}

static void begin(size_t width, size_t height, const char *stencil, uint64_t every, double pace)
{
    prepare(width, height, stencil, every, pace);
    start();
}

static void leave(void)
{
    rec_worker_ask_to_leave(s.worker);
    s.runs = 0;
    SUCCEEDS(rec_worker_join(s.worker, &error));
}

static void end(void)
{
    if (s.runs)
        leave();
    rec_worker_destroy(s.worker);
    rec_jobs_destroy(&s.jobs);
    unlink(s.path);
    rec_image_destroy(&s.edges);
    s = (scene){.runs = 0};
}

/* After a test that failed, too. */
static int end_of_test(void **state)
{
    if (s.worker)
        end();
    return 0;
}

#define WORKER_TEST(function) TEST_WITH(function, NULL, end_of_test)
