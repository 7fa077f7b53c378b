/* A picture that is painted, for a test: what the worker is asked for, and the pixels that the
 * window would get. */
#pragma once

#include "tests/unit/worker.h"

enum { WIDTH = 190, HEIGHT = 140, SIDE = 40 };

static struct studio {
    rec_image picture;
    rec_scene scene;
    size_t out_width, out_height; /* of the window's picture */
    unsigned pictures;            /* snapshots of the picture */
    uint8_t shown[3 * WIDTH * HEIGHT];
    unsigned befores; /* snapshots of the right side of a divider, at 1:1 */
    uint8_t before[3 * WIDTH * HEIGHT];
} studio;

static const rec_edit_wish healing = {.kind = REC_EDIT_HEAL};
static const rec_edit_wish cloning = {.kind = REC_EDIT_CLONE, .source = "source.ppm", .x = 30,
                                      .y = 50};

static void accept(void *context, const rec_snapshot *snapshot, rec_size image)
{
    const rec_view *view = &snapshot->view;
    const int is_before = view->layer == REC_LAYER_EDGES;
    if (view->out_width != studio.out_width)
        return;
    studio.pictures += (unsigned)!is_before;
    studio.befores += (unsigned)is_before;
    memcpy(is_before ? studio.before : studio.shown, snapshot->pixels,
           snapshot->planes * snapshot->height * snapshot->stride);
}

static inline void show(size_t reduced)
{
    static unsigned number;
    const size_t width = studio.out_width = WIDTH / reduced;
    const size_t height = studio.out_height = HEIGHT / reduced;
    rec_worker_want(s.worker, &(rec_wanted){.number = ++number, .scene = studio.scene,
                                            .contrast = 1, .gamma = 1, .divider = 0.5,
                                            .viewport = {.area = {width, height}, .fit = 1}});
}

static inline void begin(rec_edit_wish wish)
{
    static char name[] = "photo.ppm";
    owned_image source = problem_picture(SIDE, SIDE, 3, 9);
    rec_image_destroy(&studio.picture);
    studio = (struct studio){.picture = problem_picture(WIDTH, HEIGHT, 3, 3)};
    s.settings = (rec_settings){.run = {.iterations = REC_ENDLESS,
                                        .solver = solver_or_skip("multigrid"),
                                        .problem = {.boundary = {.kind = REC_BOUNDARY_MIRROR}}},
                                .reading = {.role = REC_PICTURE},
                                .writing = {.maxval = 255},
                                .own_white = 1,
                                .shards = 1,
                                .edit = wish};
    SUCCEEDS(rec_image_write(name, &studio.picture, TO(255), &error));
    SUCCEEDS(rec_image_write("source.ppm", &source, TO(255), &error));
    create(name);
    show(1);
    start();
    WAIT_FOR((look(), s.now.phase == REC_PHASE_STOPPED && studio.pictures));
}

/* And until its picture has been shown. */
static inline void ask(rec_request request)
{
    wait_for(REC_PHASE_STOPPED, rec_worker_post(s.worker, request));
    usleep(1000);
    look();
}

static inline void stroke(rec_act *act, double x, double y, double to_x, double to_y, int unknown)
{
    ask((rec_request){.act = act, .stroke = {x, y, to_x, to_y, 7, unknown}});
}

static inline void press(rec_act *act, int argument)
{
    ask((rec_request){.act = act, .argument = argument});
}
