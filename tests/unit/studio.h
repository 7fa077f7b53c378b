/* A picture that is painted, for a test and without SDL: what the worker is asked for, and the
 * pixels that the window would get. For one file of a program. */
#pragma once

#include "job/job.h"
#include "tests/unit/problems.h"
#include "view/worker/worker_type.h"

enum { WIDTH = 190, HEIGHT = 140, SIDE = 40 };

typedef struct studio {
    rec_image picture, source;
    rec_settings settings;
    rec_jobs jobs;
    rec_worker *worker;
    rec_view_state now;
    rec_scene scene;
    size_t out_width, out_height; /* of the window's picture */
    unsigned pictures;            /* snapshots of the picture */
    uint8_t shown[3 * WIDTH * HEIGHT];
    unsigned befores; /* snapshots of the right side of a divider, at 1:1 */
    uint8_t before[3 * WIDTH * HEIGHT];
} studio;

static studio s;
static double keep;           /* of what is begun, */
static const char *mask_file; /* its mask; NULL: none, */
static uint64_t grow;         /* and around its strokes */

static void accept(void *context, const rec_snapshot *snapshot, rec_size image)
{
    const rec_view *view = &snapshot->view;
    const int is_before = view->layer == REC_LAYER_EDGES;
    if (view->out_width != s.out_width)
        return;
    s.pictures += (unsigned)!is_before;
    s.befores += (unsigned)is_before;
    memcpy(is_before ? s.before : s.shown, snapshot->pixels,
           snapshot->planes * snapshot->height * snapshot->stride);
}

static void look(void)
{
    rec_worker_poll(s.worker, accept, NULL);
    rec_worker_get_state(s.worker, &s.now);
}

static void show(size_t reduced)
{
    static unsigned number;
    const rec_wanted wanted = {.number = ++number, .scene = s.scene, .contrast = 1, .gamma = 1,
                               .divider = 0.5,
                               .viewport = {.area = {WIDTH / reduced, HEIGHT / reduced}, .fit = 1}};
    s.out_width = WIDTH / reduced;
    s.out_height = HEIGHT / reduced;
    rec_worker_want(s.worker, &wanted);
}

static void begin(rec_edit_kind kind)
{
    s = (studio){.picture = problem_picture(WIDTH, HEIGHT, 3, 3),
                 .source = problem_picture(SIDE, SIDE, 3, 9)};
    s.settings = (rec_settings){.run = {.iterations = REC_ENDLESS,
                                        .solver = solver_or_skip("multigrid"),
                                        .problem = {.boundary = {.kind = REC_BOUNDARY_MIRROR}}},
                                .reading = {.role = REC_PICTURE},
                                .writing = {.maxval = 255},
                                .own_white = 1,
                                .shards = 1,
                                .edit = {.kind = kind,
                                         .source = kind == REC_EDIT_CLONE ? "source.ppm" : NULL,
                                         .x = kind == REC_EDIT_CLONE ? 30 : 0,
                                         .y = kind == REC_EDIT_CLONE ? 50 : 0, .keep = keep,
                                         .mask = mask_file, .stroke_grow = grow}};
    static char name[] = "photo.ppm";
    char *const inputs[] = {name};
    SUCCEEDS(rec_image_write("photo.ppm", &s.picture, TO(255), &error));
    SUCCEEDS(rec_image_write("source.ppm", &s.source, TO(255), &error));
    SUCCEEDS(rec_jobs_make(&s.jobs, &s.settings, inputs, 1, &error));
    SUCCEEDS(rec_worker_create(&s.worker, &s.jobs, &error));
    show(1);
    SUCCEEDS(rec_worker_start(s.worker, &error));
    WAIT_FOR((look(), s.now.phase == REC_PHASE_STOPPED && s.pictures));
}

static int end(void **state)
{
    rec_error error;
    rec_worker_ask_to_leave(s.worker);
    const int failed = rec_worker_join(s.worker, &error);
    rec_worker_destroy(s.worker);
    rec_jobs_destroy(&s.jobs);
    rec_image_destroy(&s.picture);
    rec_image_destroy(&s.source);
    return leave_folder(state) || failed;
}

#define PAINT_TEST(function) TEST_WITH(function, enter_folder, end)

/* And until its picture has been shown. */
static void ask(rec_request request)
{
    const uint64_t number = rec_worker_post(s.worker, request);
    WAIT_FOR((look(), s.now.answered >= number && s.now.phase == REC_PHASE_STOPPED));
    usleep(1000);
    look();
}

static void stroke(rec_act *act, double x, double y, double to_x, double to_y, int unknown)
{
    ask((rec_request){.act = act, .stroke = {x, y, to_x, to_y, 7, unknown}});
}

static void press(rec_act *act, int argument)
{
    ask((rec_request){.act = act, .argument = argument});
}

static rec_image read_picture(const char *path)
{
    rec_image image = {0};
    rec_image_info info;
    SUCCEEDS(rec_image_read(path, AS(REC_PICTURE), &image, &info, &error));
    return image;
}

static void post(rec_act *act) { rec_worker_post(s.worker, (rec_request){.act = act}); }
