/* The readers of all image formats, by way of the writers: what one has read is written in every
 * format that holds it exactly, and reads back as it was. The first byte chooses the role, and
 * whether what is beside the samples is kept; the image serves as a mask, too. */
#include <string.h>
#include <unistd.h>

#include "image/image_files.h"
#include "problem/mask.h"
#include "tests/fuzz/fuzz.h"

static void there_and_back(const rec_image *image, const rec_format *format)
{
    char *bytes = NULL;
    size_t size = 0;
    rec_error error = {0};
    rec_image again = {0};
    const rec_write_options writing = {.format = format, .maxval = 65535, .exact = 1};
    const rec_read_options reading = {.role = REC_EDGES, .zero_level_given = 1};
    FILE *const stream = open_memstream(&bytes, &size);
    FUZZ_REQUIRE(stream);
    const rec_status status = rec_image_write_stream(stream, "memory", image, &writing, &error);
    fclose(stream);
    if (!status) {
        if (rec_image_read(fuzz_file((const uint8_t *)bytes, size), &reading, &again, NULL,
                           &error)) {
            fprintf(stderr, "what was written as %s: %s\n", format->name, error.message);
            abort();
        }
        FUZZ_REQUIRE(again.width == image->width && again.height == image->height &&
                     again.planes == image->planes);
        for (size_t p = 0; p < image->planes; p++)
            for (size_t y = 0; y < image->height; y++)
                for (size_t x = 0; x < image->width; x++)
                    FUZZ_REQUIRE(rec_image_row(&again, p, y)[x] == rec_image_row(image, p, y)[x]);
        rec_image_destroy(&again);
    } else {
        FUZZ_REQUIRE(error.status == status && error.message[0]);
    }
    free(bytes);
}

/* What was beside the samples is as large as they are, and PNG takes it. */
static void take_along(const rec_image *image, const rec_extras *extras)
{
    char *bytes = NULL;
    size_t size = 0;
    rec_error error = {0};
    const rec_write_options writing = {.format = rec_format_find("png"), .maxval = 65535,
                                       .extras = extras};
    FUZZ_REQUIRE(!extras->alpha.data || (extras->alpha.width == image->width &&
                                         extras->alpha.height == image->height &&
                                         extras->alpha.planes == 1));
    FUZZ_REQUIRE(!extras->profile == !extras->profile_bytes);
    FILE *const stream = writing.format ? open_memstream(&bytes, &size) : NULL;
    if (!stream)
        return;
    FUZZ_REQUIRE(!rec_image_write_stream(stream, "memory", image, &writing, &error));
    fclose(stream);
    free(bytes);
}

/* A copy of the file in which the first row of pixels is new is an image of that size. */
static void copy(const char *path, const rec_image *image, const rec_image_info *info,
                 const rec_extras *extras)
{
    char *bytes = NULL;
    size_t size = 0;
    unsigned char touched[10000] = {0};
    rec_image again = {0};
    rec_error error = {0};
    const rec_image_origin origin = {path, info->format, info->file, touched,
                                     &(rec_area){.width = image->width, .height = 1}};
    const rec_write_options writing = {.format = info->format, .maxval = extras->maxval,
                                       .extras = extras, .origin = &origin};
    FILE *const stream = open_memstream(&bytes, &size);
    FUZZ_REQUIRE(stream);
    memset(touched, 1, image->width);
    const rec_status status = rec_image_write_stream(stream, "memory", image, &writing, &error);
    fclose(stream);
    if (!status) {
        const rec_read_options reading = {.role = REC_SAMPLES, .unchecked = 1};
        const int there = !rec_image_read(fuzz_file((const uint8_t *)bytes, size), &reading, &again,
                                          NULL, &error);
        /* In a TIFF strips may lie over each other, and over tags. */
        FUZZ_REQUIRE(info->format->pages ||
                     (there && again.width == image->width && again.height == image->height));
        rec_image_destroy(&again);
    }
    free(bytes);
}

/* Anywhere over a small mask, from beside it to beside it. */
static void mask_by(const rec_image *image, unsigned char place)
{
    rec_mask mask;
    if (rec_mask_create(&mask, 7, 5, NULL))
        return;
    const rec_samples samples = rec_samples_of_image(image);
    rec_mask_values found;
    FUZZ_REQUIRE(!rec_mask_paste(&mask, &samples, 255, place % 16 - 8, place / 16 - 8, &found,
                                 NULL));
    FUZZ_REQUIRE(mask.count <= 35 && mask.box.width <= 7 && mask.box.height <= 5);
    rec_mask_destroy(&mask);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    rec_image image = {0};
    rec_image_info info = {0};
    rec_error error = {0};
    rec_extras extras = {0};
    const rec_read_options reading = {.role = (rec_role)(data[0] % 4),
                                      .extras = data[0] & 4 ? &extras : NULL};
    const char *path = fuzz_file(data + 1, size - 1);
    const rec_status status = rec_image_read(path, &reading, &image, &info, &error);
    if (status) {
        FUZZ_REQUIRE(error.status == status && error.message[0] && !strchr(error.message, '\n'));
        rec_extras_destroy(&extras);
        return 0;
    }
    FUZZ_REQUIRE(image.width && image.height && (image.planes == 1 || image.planes == 3));
    if (reading.extras && info.format->write && image.width * image.height < 10000)
        copy(path, &image, &info, &extras);
    if (image.width * image.height < 10000)
        for (size_t i = 0; rec_format_at(i); i++)
            if (rec_format_at(i)->write && strcmp(rec_format_at(i)->name, "raw")) /* no header */
                there_and_back(&image, rec_format_at(i));
    if (image.width * image.height < 10000)
        take_along(&image, &extras);
    mask_by(&image, data[0]);
    rec_image_destroy(&image);
    rec_extras_destroy(&extras);
    return 0;
}
