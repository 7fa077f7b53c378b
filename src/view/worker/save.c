#include "view/worker/save.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/paths.h"

/* A dangling link counts as well: writing would follow it. */
static int is_taken(const char *path)
{
    struct stat info;
    return !lstat(path, &info);
}

rec_status rec_save_find_names(rec_save_names *names, const char *input, uint64_t iteration,
                               size_t planes, rec_error *error)
{
    size_t stem_length;
    const char *stem = rec_path_stem(strcmp(input, "-") ? input : "stdin", &stem_length);
    const int length = (int)stem_length;
    const char *ending = planes == 3 ? "ppm" : "pgm";
    const int room = (int)sizeof names->view;
    char at[24] = "limit";
    if (iteration != REC_LIMIT_ITERATION)
        snprintf(at, sizeof at, "%" PRIu64, iteration);
    for (unsigned number = 1; number < 10000; number++) {
        char suffix[16] = "";
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%u", number);
        const int view = snprintf(names->view, sizeof names->view, "%.*s-%s-view%s.%s",
                                  length, stem, at, suffix, ending);
        const int result = snprintf(names->result, sizeof names->result, "%.*s-%s%s.pfm",
                                    length, stem, at, suffix);
        if (view >= room || result >= room)
            break;
        if (!is_taken(names->view) && !is_taken(names->result))
            return REC_OK;
    }
    return rec_fail(error, REC_NO_OUTPUT, "every name to save %.*s under exists", length, stem);
}

/* ---- the view ---- */

/* The columns of the edges that lie to the right of the divider take the picture's place. */
static void put_beside(rec_image *view, const rec_image *edges, const rec_wanted *wanted,
                       rec_size size)
{
    rec_view part;
    rec_viewport_part(&wanted->viewport, size, &part);
    const rec_place place = rec_viewport_place(&wanted->viewport, size, part.x, part.y, part.width,
                                               part.height);
    const double divider = wanted->divider * (double)wanted->viewport.area.width;
    for (size_t x = 0; x < view->width; x++) {
        const double middle = place.x + ((double)x + 0.5) * place.width / (double)view->width;
        for (size_t row = 0; middle >= divider && row < view->planes * view->height; row++)
            view->data[row * view->stride + x] = edges->data[row * edges->stride + x];
    }
}

/* Bytes become what they are drawn as: grey stays grey unless the palette has colours. */
static rec_status colour(rec_image *view, rec_layer layer, double gamma, rec_error *error)
{
    uint32_t palette[256];
    const int grey = view->planes == 1;
    int coloured = 0;
    rec_scene_palette(palette, layer, grey, gamma);
    for (int i = 0; i < 256; i++)
        coloured |= palette[i] % 0x1000000 != (palette[i] & 0xff) * 0x10101u;
    rec_image made;
    const rec_status status = rec_image_create(&made, view->width, view->height,
                                               coloured ? 3 : view->planes, error);
    for (size_t plane = 0; !status && plane < made.planes; plane++)
        for (size_t y = 0; y < made.height; y++) {
            const float *from = rec_image_row(view, grey ? 0 : plane, y);
            float *to = rec_image_row(&made, plane, y);
            for (size_t x = 0; x < made.width; x++)
                to[x] = (float)(palette[(uint8_t)from[x]] >> (16 - 8 * plane) & 0xff);
        }
    if (status)
        return status;
    rec_image_destroy(view);
    *view = made;
    return REC_OK;
}

rec_status rec_save_make_view(rec_session *session, const rec_wanted *wanted, rec_image *view,
                              rec_error *error)
{
    const rec_scene_row *scene = &rec_scenes[wanted->scene];
    const rec_size size = session->size;
    rec_wanted seen = *wanted;
    if (!seen.viewport.area.width || !seen.viewport.area.height)
        seen.viewport = (rec_viewport){.area = size, .fit = 1};
    for (rec_layer layer = 0; layer < REC_LAYERS; layer++)
        if (scene->layers & REC_LAYER_BIT(layer) && !rec_session_solver_of(session, layer))
            return rec_fail(error, REC_UNAVAILABLE, "there is nothing to save in this view");
    rec_status status = rec_session_copy_layer(session, &seen, scene->layer, view, error);
    if (!status && wanted->scene == REC_SCENE_SIDES) {
        rec_image edges = {0};
        status = rec_session_copy_layer(session, &seen, REC_LAYER_EDGES, &edges, error);
        if (!status)
            put_beside(view, &edges, &seen, size);
        rec_image_destroy(&edges);
    }
    return status ? status : colour(view, scene->layer, wanted->gamma, error);
}

/* ---- the files ---- */

rec_status rec_save_write(const rec_save_names *names, const rec_image *view,
                          const rec_image *result, rec_error *error)
{
    const rec_write_options options = {.maxval = 255, .tone = REC_TONE_CLAMP};
    const rec_status status = rec_image_write(names->result, result, &options, error);
    return status ? status : rec_image_write(names->view, view, &options, error);
}
