/* Samples that stay in their file, while another program writes to it. */
#include "edit/edit.h"
#include "tests/unit/support.h"

enum { SIDE = 4200, HEAD = 17 };
static char path[] = "samples.pgm", made[] = "made.pgm";

static void make(uint64_t bytes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "P5 %d %d 255\n", SIDE, SIDE);
    fflush(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)bytes), 0);
    fclose(file);
}

static int puts_done;
static rec_status put(void *user, const rec_samples *copy, rec_error *error)
{
    float white = 255;
    puts_done++;
    if (user)
        make(100);
    return rec_samples_write(copy, &(rec_stretch){.x = 9, .y = 9, .count = 1, .floats = &white},
                             error);
}

TEST_IN_FOLDER(a_file_that_changes_is_an_error)
{
    static const uint64_t whole = HEAD + (uint64_t)SIDE * SIDE;
    rec_file_samples samples = {0};
    rec_extras extras = {0};
    rec_image image;
    rec_image_info info;
    rec_error error;
    for (size_t i = 0; i < 3; i++) {
        make(whole);
        const rec_read_options reading = {.role = REC_PICTURE, .samples = &samples,
                                          .extras = &extras};
        assert_int_equal(rec_image_read(path, &reading, &image, &info, &error), REC_OK);
        assert_null(image.data);
        assert_null(samples.memory);
        assert_int_equal(samples.at.width, SIDE);
        assert_int_equal(samples.at.offset, HEAD);
        const rec_image_origin origin = {path, info.format, info.file, NULL, NULL};
        rec_write_options writing = {.maxval = 255, .extras = &extras, .origin = &origin};
        assert_true(rec_write_copies(made, 1, &writing));
        assert_false(rec_write_copies("x.pam", 1, &writing));
        writing.maxval = 100;
        assert_false(rec_write_copies(made, 1, &writing));
        if (i == 1)
            make(100);
        rec_survey survey;
        assert_int_equal(rec_samples_survey(&samples.at, NULL, 255, &survey, &error),
                         i == 1 ? REC_IO : REC_OK);
        const rec_edit_wish wish = {.kind = REC_EDIT_HEAL, .holes = REC_HOLES_VALUE, .hole = 7};
        const rec_edit_inputs inputs = {
            .picture = {path, .samples = samples.at, .extras = &extras, .white = 255}};
        rec_edit *edit = NULL;
        assert_int_equal(rec_edit_create(&edit, &wish, &inputs, &error),
                         i == 1 ? REC_IO : REC_OK);
        rec_edit_destroy(edit);
        const rec_status status =
            rec_write_copy(made, &samples, &writing, put, i == 2 ? path : NULL, &error);
        assert_int_equal(status, i ? REC_BAD_INPUT : REC_OK);
        if (i)
            assert_non_null(strstr(error.message, "has changed since it was read"));
        assert_int_equal(puts_done, i == 0 ? 1 : i == 1 ? 1 : 2);
        rec_file_samples_close(&samples);
        FILE *file = fopen(made, "r");
        assert_true(!file == (i > 0));
        if (file) {
            fseeko(file, HEAD + 9 * SIDE + 8, SEEK_SET);
            assert_int_equal(getc(file), 0);
            assert_int_equal(getc(file), 255);
            assert_int_equal(getc(file), 0);
            fclose(file);
        }
        unlink(made);
    }
}
