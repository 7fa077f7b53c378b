/* A JPEG that is written onto one: blocks without a change keep their coefficients, the file stays
 * what it was otherwise, and nothing in it shows what was there. */
#include "tests/unit/support.h"

#if REC_HAVE_JPEG
/* After <stdio.h>, which libjpeg's headers need. */
#include <jpeglib.h>

#include "image/format.h"

static const struct shape {
    size_t width, height;
    int planes, across, down; /* what a sample of the second component stands for */
    int quality, progressive, arithmetic, orientation; /* progressive 2: a component a scan */
    unsigned restarts;
} shapes[] = {
    {96, 80, 3, 1, 1, 90, 0, 0, 1, 0}, {97, 83, 3, 2, 1, 75, 0, 0, 3, 3},
    {97, 83, 3, 2, 2, 60, 0, 0, 6, 0}, {83, 97, 3, 2, 2, 95, 1, 0, 8, 0},
    {97, 83, 1, 1, 1, 85, 0, 0, 5, 2}, {64, 65, 3, 1, 2, 100, 1, 0, 2, 5},
    {65, 64, 3, 4, 1, 80, 0, 0, 7, 0}, {33, 31, 1, 1, 1, 30, 1, 0, 4, 0},
    {97, 83, 3, 2, 2, 80, 2, 0, 1, 0},
#ifdef C_ARITH_CODING_SUPPORTED
    {97, 83, 3, 2, 2, 80, 0, 1, 1, 4}, {97, 83, 3, 1, 1, 80, 1, 1, 6, 0},
#endif
};

/* Exif of an orientation and a copyright, and a thumbnail in two strips and a JPEG. */
static const unsigned char exif[] =
    "Exif\0\0MM\0*\0\0\0\10" "\0\2" "\1\x12\0\3\0\0\0\1\0\1\0\0" "\x82\x98\0\2\0\0\0\4MINE"
    "\0\0\0\46" "\0\4" "\1\x11\0\4\0\0\0\2\0\0\0\x5c" "\1\x17\0\3\0\0\0\2\0\4\0\4"
    "\2\1\0\4\0\0\0\1\0\0\0\x64" "\2\2\0\4\0\0\0\1\0\0\0\14" "\0\0\0\0"
    "\0\0\0\x70" "\0\0\0\x74" "\xff\xd8\xff SECRET\xff\xd9" "SECRETIS";
static const struct {
    int marker;
    const char *bytes;
    size_t count;
} markers[] = {
    {1, BYTES("http://ns.adobe.com/xap/1.0/\0<a x=\"MINE\"> <i>/9j/SECRET</i> \"/9j/SECRET\""
              "<g GCamera:MotionPhoto=\"1 SECRET\" MINE='&#9;iVBORw&#xA;0KGg oASECRETMADEOFITS'"
              " hdrgm:Version = 'SECRET'/><<Container:Directory><b/>SECRET</Container:Directory>"
              "data:image/webp;base64,UklGRiQAAABXRUJQVlA4SECRETMADEOFI=<![CDATA[R0lGODlhSECRET]]>"
              "<<GCamera:MicroVideo/>MotionPhoto")},
    {1, BYTES("FLIR\0\1SECRET")}, {3, BYTES("META\0\0MINE")}, {3, BYTES("\1\1SECRET")},
    {1, BYTES("http://ns.adobe.com/xmp/extension/\0SECRET")}, {0, BYTES("JFXX\0\20SECRET")},
    {2, BYTES("ICC_PROFILE\0\1\1MINE\xff\xd8\xff")}, {2, BYTES("MPF\0SECRET")},
    {2, BYTES("FPXR\0SECRET")}, {4, BYTES("maker's own \xff\xd8\xff SECRET")}, {5, BYTES("MINE")},
    {6, BYTES("maker's \x89PNG\r\n\x1a\n SECRET")}, {6, BYTES("SECRET, its rest")},
    {2, BYTES("urn:iso:std:iso:ts:21496:-1\0SECRET")}, {7, BYTES("RIFF\1\1\1\1WEBPVP8 SECRET")},
    {11, BYTES("JP\0\1SECRET")},
    {13, BYTES("Photoshop 3.0\0" "8BIM\4\4\0\0\0\0\0\5MINE!\0" "8BIM\4\xc\1a\0\0\0\5SECRET"
               "8BIM\4\xb\0\0\0\0\0\4MINE" "8BIM\4\x9\0\0\0\0\0\6SECRET")},
    {13, BYTES("Photoshop 3.0\0" "8BIM\4\4\0\0\0\0\0\10MI")}, /* resources that go on */
    {13, BYTES("Photoshop 3.0\0" "NEMINE" "8BIM\4\xc\0\0\0\0\0\17SE")},
    {13, BYTES("Photoshop 3.0\0" "SECRETSECRET\0\0" "8BIM\4\4\0\0\0\0\0\4MINE")},
    {13, BYTES("Photoshop 3.0\0" "8BIM\4\5\0\0\0\0\0\23\xff\xd8\xff SECRET\0")},
    {13, BYTES("Photoshop 3.0\0" "SECRETIS\0" "8BIM\4\4\0\0\0\0\0\4MINE" "8BIM\4")},
    {13, BYTES("Photoshop 3.0\0" "\4\0\0\0\0\0\4SECRET")},
    {14, BYTES("MINE, too")},
};

/* The table of the colours' steps goes before their first scan. */
static void move_table(const char *path)
{
    size_t count;
    char *bytes = read_bytes(path, &count), *table = bytes, *scan = bytes;
    for (int i = 0; i < 2; i++) {
        table = memmem(table + 2, count - (size_t)(table - bytes) - 2, "\xff\xdb", 2);
        scan = memmem(scan + 2, count - (size_t)(scan - bytes) - 2, "\xff\xda", 2);
    }
    char copy[69];
    memcpy(copy, table, sizeof copy);
    memmove(table, table + sizeof copy, (size_t)(scan - table) - sizeof copy);
    memcpy(scan - sizeof copy, copy, sizeof copy);
    write_bytes(path, bytes, count);
    free(bytes);
}

/* `more`: with markers, and bytes behind its end. */
static void make_jpeg(const char *path, const struct shape *shape, int more)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    test_random random = {7};
    static const jpeg_scan_info scans[] = {
        {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    unsigned char pixels[3 * 128], first[sizeof exif];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = (JDIMENSION)shape->width;
    jpeg.image_height = (JDIMENSION)shape->height;
    jpeg.input_components = shape->planes;
    jpeg.in_color_space = shape->planes == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, shape->quality, TRUE);
    jpeg.comp_info[0].h_samp_factor = shape->across;
    jpeg.comp_info[0].v_samp_factor = shape->down;
    jpeg.restart_interval = shape->restarts;
    if (shape->progressive == 1)
        jpeg_simple_progression(&jpeg);
    if (shape->progressive == 2) {
        jpeg.scan_info = scans;
        jpeg.num_scans = 3;
    }
#ifdef C_ARITH_CODING_SUPPORTED
    jpeg.arith_code = shape->arithmetic;
#endif
    jpeg_start_compress(&jpeg, TRUE);
    memcpy(first, exif, sizeof exif);
    first[25] = (unsigned char)shape->orientation;
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, first, sizeof exif - 1);
    for (size_t i = 0; more && i < sizeof markers / sizeof *markers; i++)
        jpeg_write_marker(&jpeg, JPEG_APP0 + markers[i].marker, (const JOCTET *)markers[i].bytes,
                          (unsigned)markers[i].count);
    for (size_t y = 0; y < shape->height; y++) {
        for (size_t x = 0; x < shape->width * (size_t)shape->planes; x++)
            pixels[x] = (unsigned char)(100 + 90 * sin((double)(x + 3 * y) / 29) +
                                        random_integer(&random, 0, 12));
        JSAMPROW row = pixels;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    if (more)
        fputs("SECRET", file);
    fclose(file);
    if (shape->progressive == 2)
        move_table(path);
}

/* A disc becomes smooth: the picture of a copy of a.jpg. */
static void change(const struct shape *shape, int more, rec_image *old, rec_image *image,
                   rec_written *written)
{
    unsigned char touched[128 * 128] = {0};
    rec_image_info info;
    make_jpeg("a.jpg", shape, more);
    SUCCEEDS(rec_image_read("a.jpg", AS(REC_PICTURE), old, &info, &error));
    SUCCEEDS(rec_image_copy(image, old, &error));
    const rec_area box = {15, 0, rec_smaller(31, image->width - 15), 26};
    for (size_t p = 0; p < image->planes; p++)
        EACH_PIXEL(size_t, y, x, image->height, image->width)
            if ((x - 30) * (x - 30) + (y - 10) * (y - 10) < 250) {
                rec_image_row(image, p, y)[x] = 90.25f + 20 * (float)p + (float)x / 2;
                touched[y * image->width + x] = 1;
            }
    const rec_image_origin origin = {"a.jpg", info.format, info.file, touched, &box};
    const rec_write_options options = {.maxval = 255, .written = written, .origin = &origin,
                                       .extras = &(rec_extras){.maxval = 255}};
    SUCCEEDS(rec_image_write("b.jpg", image, &options, &error));
}

typedef struct coefficients {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jvirt_barray_ptr *arrays;
    FILE *file;
} coefficients;

static void open_coefficients(coefficients *of, const char *path)
{
    of->file = fopen(path, "rb");
    of->jpeg.err = jpeg_std_error(&of->errors);
    jpeg_create_decompress(&of->jpeg);
    jpeg_stdio_src(&of->jpeg, of->file);
    jpeg_read_header(&of->jpeg, TRUE);
    of->arrays = jpeg_read_coefficients(&of->jpeg);
    assert_int_equal(of->errors.num_warnings, 0);
}

/* Whether a pixel of the block at (x, y) of a component changes. */
static int changes(const struct shape *shape, const rec_image *old, const rec_image *image, int c,
                   size_t x, size_t y)
{
    const size_t across = 8 * (size_t)(c ? shape->across : 1);
    const size_t down = 8 * (size_t)(c ? shape->down : 1);
    for (size_t v = y * down; v < (y + 1) * down && v < shape->height; v++)
        for (size_t u = x * across; u < (x + 1) * across && u < shape->width; u++) {
            size_t a, b;
            rec_turn(shape->orientation, shape->width, shape->height, u, v, &a, &b);
            for (size_t p = 0; p < old->planes; p++)
                if (rec_image_row(old, p, b)[a] != rec_image_row(image, p, b)[a])
                    return 1;
        }
    return 0;
}

static void compare_blocks(const struct shape *shape, const rec_image *old, const rec_image *image,
                           const rec_written *written)
{
    coefficients of[2];
    size_t blocks = 0, changed = 0, differ = 0;
    open_coefficients(&of[0], "a.jpg");
    open_coefficients(&of[1], "b.jpg");
    assert_int_equal(of[1].jpeg.progressive_mode, shape->progressive == 1);
    assert_int_equal(of[1].jpeg.arith_code, shape->arithmetic);
    assert_int_equal(of[1].jpeg.restart_interval, shape->restarts);
    for (int c = 0; c < shape->planes; c++) {
        const jpeg_component_info *a = &of[0].jpeg.comp_info[c], *b = &of[1].jpeg.comp_info[c];
        assert_int_equal(a->h_samp_factor, b->h_samp_factor);
        assert_int_equal(a->v_samp_factor, b->v_samp_factor);
        assert_memory_equal(a->quant_table->quantval, b->quant_table->quantval, 128);
        for (JDIMENSION y = 0; y < a->height_in_blocks; y++) {
            JBLOCKARRAY row[2];
            for (int i = 0; i < 2; i++)
                row[i] = of[i].jpeg.mem->access_virt_barray((j_common_ptr)&of[i].jpeg,
                                                            of[i].arrays[c], y, 1, FALSE);
            for (JDIMENSION x = 0; x < a->width_in_blocks; x++, blocks++) {
                const int touched = changes(shape, old, image, c, x, y);
                const int other = memcmp(row[0][0][x], row[1][0][x], sizeof(JBLOCK)) != 0;
                assert_true(touched || !other);
                changed += touched != 0;
                differ += other != 0;
            }
        }
    }
    assert_int_equal(written->blocks, blocks);
    assert_int_equal(written->changed, changed);
    assert_true(differ > changed / 2);
    for (int i = 0; i < 2; i++) {
        jpeg_destroy_decompress(&of[i].jpeg);
        fclose(of[i].file);
    }
}

TEST_IN_FOLDER(blocks_without_a_change_keep_their_coefficients)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *shape = &shapes[i];
        owned_image old, image;
        rec_written written = {0};
        change(shape, 0, &old, &image, &written);
        assert_string_equal(written.left_out, "Exif thumbnail");
        assert_int_equal(written.quality, 0);
        compare_blocks(shape, &old, &image, &written);
        owned_image now = read_image("b.jpg", REC_PICTURE);
        /* Inside it is what was wanted, and around that what it was, as well as the tables say. */
        double sums[2] = {0, 0};
        size_t counts[2] = {0, 0};
        for (size_t k = 0; k < now.planes * now.height; k++)
            for (size_t x = 0; x < now.width; x++) {
                const size_t at = k * now.stride + x;
                const int inside = old.data[at] != image.data[at];
                const double off = (double)(now.data[at] - image.data[at]);
                sums[inside] += off * off;
                counts[inside] += inside || off != 0;
            }
        const double limit = shape->quality >= 85 ? 6 : 11;
        assert_true(sqrt(sums[1] / (double)counts[1]) < limit);
        assert_true(sqrt(sums[0] / (double)counts[0]) < 0.75 * limit);
    }
}

TEST_IN_FOLDER(nothing_goes_on_showing_what_was_there)
{
    owned_image old, image;
    rec_written written = {0};
    size_t count, before;
    change(&shapes[2], 1, &old, &image, &written);
    char *bytes = read_bytes("b.jpg", &count), *at = bytes;
    owned_text *first = read_bytes("a.jpg", &before);
    assert_non_null(memmem(first, before, "SECRET", 6));
    assert_null(memmem(bytes, count, "SECRET", 6));
    for (size_t i = 0; i < 12; i++, at += 4) { /* in the order of the file */
        at = memmem(at, count - (size_t)(at - bytes), "MINE", 4);
        assert_non_null(at);
    }
    assert_null(memmem(at, count - (size_t)(at - bytes), "MINE", 4));
    assert_non_null(memmem(bytes, count, "\0\0\0\0\0\4\1\x11", 8)); /* no second directory */
    static const char begin[] = "/1.0/\0<a x=\"MINE\"> <i>          </i> \"          \"<g    ";
    static const char end[] = "]]><                     MotionPhoto";
    assert_non_null(memmem(bytes, count, begin, sizeof begin - 1));
    assert_non_null(memmem(bytes, count, end, sizeof end - 1));
    assert_string_equal(written.left_out, "Exif thumbnail, pictures of XMP, thermal picture, "
                        "extended XMP, JFXX thumbnail, MPF, FlashPix, a preview, gain map, C2PA, "
                        "Photoshop thumbnail, 6 bytes behind its end");
    free(bytes);
}

TEST_IN_FOLDER(a_picture_that_was_replaced_meanwhile_is_refused)
{
    owned_image old, image;
    rec_written written = {0};
    change(&shapes[0], 0, &old, &image, &written);
    rec_file_mark mark;
    rec_file_note("a.jpg", &mark);
    mark.time++;
    unsigned char touched[128 * 128] = {0};
    rec_image_origin origin = {"a.jpg", rec_format_find("jpg"), mark, touched,
                               &(rec_area){0}};
    const rec_write_options options = {.maxval = 255, .written = &written, .origin = &origin,
                                       .extras = &(rec_extras){.maxval = 255}};
    FAILS(rec_image_write("c.jpg", &image, &options, &error), REC_BAD_INPUT,
          "a.jpg: has changed since it was read");
    assert_int_equal(count_entries("."), 2);
    /* A copy of another format is none. */
    origin.format = rec_format_find("pgm");
    SUCCEEDS(rec_image_write("c.jpeg", &image, &options, &error));
    assert_int_equal(written.quality, 95);
}
#endif
