/* Every kind of file that is no image: its message. */
#include "tests/unit/support.h"

/* The message contains the text behind the bytes; it also begins with the path. */
static const struct bad {
    const char *bytes;
    size_t count;
    rec_role role;
    const char *part;
} bad[] = {
#define EDGES(bytes, part) {BYTES(bytes), REC_EDGES, part}
#define PICTURE(bytes, part) {BYTES(bytes), REC_PICTURE, part}
#define SAMPLES(bytes, part) {BYTES(bytes), REC_SAMPLES, part}
    EDGES("", "is empty"),
    EDGES("P", "PGM, PPM, PAM, PFM"),
    EDGES("P8\n1 1\n", "PGM, PPM, PAM, PFM"),
    EDGES("\x89PNG\r\n\x1a\n",
          REC_HAVE_PNG ? "ends within its header" : "PNG cannot be read; Netpbm's pngtopam"),
    EDGES("\xff\xd8\xff", REC_HAVE_JPEG ? "bad: " : "JPEG cannot be read; Netpbm's jpegtopnm"),
    EDGES("P1\n1 1\n1\n", "pbmtopgm 1 1 converts it"),
    EDGES("P4\n1 1\n\x80", "pbmtopgm 1 1 converts it"),
    PICTURE("II*\0", REC_HAVE_TIFF ? "libtiff: Cannot read TIFF header"
                                   : "TIFF cannot be read; Netpbm's tifftopnm, or LibRaw's"),
    PICTURE("MM\0+", REC_HAVE_TIFF ? "libtiff: " : "TIFF cannot be read"),
#if REC_HAVE_TIFF
    /* A folder of tags, which are 12 bytes each. */
#define LONG(tag, value) tag "\0\4\0\0\0\1" value
#define SHORT(tag, value) tag "\0\3\0\0\0\1\0" value "\0\0"
#define FOLDER(count, first, side, samples, packed, last, part) \
    PICTURE("MM\0*\0\0\0\10\0" count first LONG("\1\0", side) LONG("\1\1", side) \
            SHORT("\1\2", "\10") SHORT("\1\3", packed) SHORT("\1\6", "\1") \
            LONG("\1\x11", "\0\0\0\10") SHORT("\1\x15", samples) \
            LONG("\1\x17", "\0\0\0\20") last "\0\0\0\0", part)
    FOLDER("\12", LONG("\0\xfe", "\0\0\0\1"), "\0\0\0\2", "\1", "\1",
           LONG("\1\x4a", "\0\0\0\10"), "camera raw cannot"),
    FOLDER("\10", "", "\0\0\0\2", "\5", "\1", "", "has 5 samples a pixel: only heal"),
    FOLDER("\11", "", "\0\0\0\2", "\1", "\1", SHORT("\1\x53", "\6"), "has complex samples"),
    FOLDER("\10", "", "\0\x0f\x42\x40", "\1", "\1", "", "after 0 of 1000000 rows"),
    FOLDER("\10", "", "\0\1\0\0", "\1", "\10", "", "of 65536 rows"),
    FOLDER("\10", "", "\x7f\0\0\0", "\1", "\10", "", "ends after 0 of 2130706432 rows"),
    FOLDER("\10", "", "\0\0\0\4", "\1", "\10", "", "libtiff: Decoding error at scanline 0"),
    FOLDER("\10", "", "\0\0\0\4", "\1", "\x63", "", "libtiff: "),
    FOLDER("\12", "", "\0\0\0\4", "\1", "\1",
           LONG("\1\x42", "\x40\0\0\0") LONG("\1\x43", "\x40\0\0\0"), "libtiff: "),
#endif
    PICTURE("FUJIFILMCCD-RAW ", "camera raw cannot be read; LibRaw's dcraw_emu conv"),
    PICTURE("\0\0\0\x18" "ftypheic\0\0\0\0", "HEIC or AVIF cannot be read; libheif's heif-convert"),
    PICTURE("\0\0\0\x1c" "ftypavif\0\0\0\0", "HEIC or AVIF cannot be read"),
    PICTURE("\0\0\1\0\1\0\x10\x10\0\0", "not an image of a known format"), /* an icon */
    PICTURE("\0\0\0", "not an image of a known format"),
    PICTURE("v/1\1", "EXR cannot be read; ImageMagick's convert FILE.exr FILE.pfm conv"),
    EDGES("BM", "BMP cannot be read; Netpbm's bmptopnm"),
    EDGES("ncols 4\n", "an ESRI grid, a VRT, netCDF, HDF5 or SRTM cannot be read; gdal_translate"),
    EDGES("<VRTDataset", "gdal_translate -of GTiff converts it"),
    EDGES("CDF\1", "gdal_translate -of GTiff converts it"),
    EDGES("GIF89a", "GIF cannot be read; Netpbm's giftopnm"),
    EDGES("PK\3\4", "an archive such as .npz cannot be read; numpy.save of one of its arrays conv"),
    EDGES("RIFF....WEBP", "WebP cannot be read; libwebp's dwebp"),
    /* raw headers */
    EDGES("P5", "ends within its header"),
    EDGES("P5\n2", "ends within its header"),
    EDGES("P5\n2 2\n255", "ends within its header"),
    EDGES("P5\n0 2\n255\n", "width is '0'"),
    EDGES("P5\n2 0\n255\n", "height is '0'"),
    EDGES("P5\n-1 2\n255\n", "width is '-1'"),
    EDGES("P5\nx 2\n255\n", "width is 'x'"),
    EDGES("P5\n1000000000000 2\n255\n", "'1000000000000'"),
    EDGES("P5\n4294967297 2\n255\n", "'4294967297'"),
    EDGES("P5\n2147483647 1\n255\n", "'2147483647'"),
    EDGES("P5\n1000001 1\n255\n", "width is '1000001'"),
    EDGES("P5\n1 1000001\n255\n", "height is '1000001'"),
    EDGES("P5\n4x 3 255\n\1\2\3\4\5\6\7\10\11\12\13\14", "'4x'"),
    EDGES("P5\n4.5 255\n\1\2\3\4", "'4.5'"),
    EDGES("P5 # a comment", "ends within its header"),
    EDGES("P6\n1000000 1000000\n255\n",
          "ends after 0 of 1000000 rows of a 1000000 x 1000000 image"),
    EDGES("Pf\n60001 30000\n-1\n", "ends after 0 of 30000 rows"),
    EDGES("P2\n60001 30000\n255\n1 2", "ends after 0 of 30000 rows"),
    EDGES("60001 30000\n1 2", "of a 60001 x 30000 image"),
    EDGES("\xef\xbb\xbf" "P5\n1 1\n255\na", "not an image of a known format"),
    EDGES("\xef\xbb" "1 1\n5", "not an image of a known format"),
    EDGES("\xef\xbb\xbf", "is empty"),
    EDGES("P5\n2 2\n0\n", "maxval"),
    EDGES("P5\n2 2\n65536\n", "65536"),
    EDGES("P6\n2 2\n0\n", "bad header"),
    EDGES("P6\n2 2\n65536\n", "65536"),
    EDGES("P7", "ends within its header"),
    EDGES("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR", "ends within its header"),
    EDGES("P7 a\n", "'a' is not a field of a PAM header"),
    EDGES("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nENDHDR\n", "a PAM of depth 2"),
    EDGES("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nENDHDR\n",
          "with alpha: only 1 (grey) and 3 (colour) can be read; Netpbm's pamtopnm converts it"),
    EDGES("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 0\nMAXVAL 255\nENDHDR\n", "the depth is '0'"),
    EDGES("P7\nWIDTH -2\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n",
          "the width is '-2': it must be 1 to 1000000"),
    EDGES("P7\nWIDTH\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n", "the width is 'HEIGHT'"),
    EDGES("P7\nWIDTH 2 3\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n",
          "'3' is not a field of a PAM header"),
    EDGES("P7\nWIDTH 1000000000000\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n",
          "the width is '1000000000000'"),
    EDGES("P7\nWIDTH 18446744073709551618\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n", "the width"),
    EDGES("P7\nWIDTH 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n", "the header has no HEIGHT"),
    EDGES("P7\nWIDTH 2\nHEIGHT 2\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n", "a second HEIGHT"),
    EDGES("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 1\nMAXVAL 0\nENDHDR\n", "the maxval is '0'"),
    EDGES("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 1\nMAXVAL 65536\nENDHDR\n", "the maxval is '65536'"),
    EDGES("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 1\nMAXIMUM 255\nENDHDR\n", "'MAXIMUM' is not a field"),
    /* raw samples */
    EDGES("P5\n2 3\n255\nabc", "ends after 1 of 3 rows"),
    EDGES("P5\n2 3\n255\n", "ends after 0 of 3 rows"),
    EDGES("P5\n2 2\n65535\nabcdefg", "ends after 1 of 2 rows"),
    EDGES("P6\n2 2\n255\nabcdefghijk", "ends after 1 of 2 rows"),
    EDGES("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\nabc", "ends after 1 of 2 rows"),
    PICTURE("P5\n2 2\n100\n\x01\x02\x03\x65",
            "the sample at x 1, y 1 is 101: it must be at most the file's maxval 100"),
    EDGES("P5\n2 1\n100\n\x65\x01", "x 0, y 0 is 101"),
    PICTURE("P6\n1 1\n300\n\0\1\1\x2d\0\1", "x 0, y 0, green is 301"),
    PICTURE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nENDHDR\n\x02", "is 2: it must be at most"),
    EDGES("P5\n2 2\n255\nabcdP5\n2 2\n255\nabcd", "second image"),
    EDGES("P5\n2 2\n255\nabcd\n\n", "more data"),
    EDGES("P5\r\n2 2\r\n255\r\nabcd", "CR LF"),
    EDGES("P6\r\n1 1\r\n255\r\nabc", "CR LF"),
    /* plain formats */
    EDGES("P2", "ends before its width"),
    EDGES("P2\n3 ", "ends before its height"),
    EDGES("P2\n3 2\n", "ends before its maxval"),
    EDGES("P2\n0 2\n255\n1", "line 2, column 1: the width is 0"),
    EDGES("P2\n3 -1\n255\n1", "line 2, column 3: the height is -1"),
    EDGES("P2\n3 1000000000000\n255\n1", "1000000000000"),
    EDGES("P2\n99999999999999999999999999999999999999999 1\n255\n1", "width is 1e+41"),
    EDGES("P2\n1 1\n0\n1", "line 3, column 1: the maxval is 0"),
    EDGES("P2\n1 1\n65536\n1", "the maxval is 65536"),
    EDGES("P3\n1000000 1000000\n255\n1", "1000000 x 1000000 image"),
    EDGES("P2\n2 2\n255\n1 2\n3", "ends in line 5, after 3 of the 4 samples of a 2 x 2 image"),
    EDGES("P2\n2 2\n255\n", "after 0 of the 4 samples"),
    EDGES("P3\n2 1\n255\n1 2 3 4 5", "after 5 of the 6 samples"),
    EDGES("P2\n2 2\n255\n1 2\n3 4\n  5", "line 6, column 3: more than the 4 samples"),
    EDGES("P2\n2 1\n255\n1 2 P2\n2 1\n255\n1 2", "line 4, column 5: more than the 2 samples"),
    EDGES("P2\n2 2\n255\n1 2\n3 x\n", "line 5, column 3: 'x'"),
    EDGES("P2\n2 2\n255\n1 2\n3 4x\n", "line 5, column 4: 'x'"),
    EDGES("P2\n2 2\n255\n1.5 2\n3 4\n", "line 4, column 2: '.'"),
    EDGES("P2\n2 2\n255\n1 1e2\n3 4\n", "line 4, column 4: 'e'"),
    EDGES("P2\n2 2\n255\n1 2\n3 -\n", "line 5, column 4: byte 0x0a"),
    EDGES("P2\n2 2\n255\n1 2\n3 -", "ends in line 5"),
    EDGES("P2\n2 2\n255\n1 2\n3 --4", "line 5, column 4: '-'"),
    EDGES("P2\n2 2\n255\n1 2\n3 1-4", "line 5, column 4: '-'"),
    EDGES("P2\n2 2\n255\n1\0 2\n3 4", "line 4, column 2: byte 0x00"),
    EDGES("P2\n1 1\n255\n\xc3\xa4", "line 4, column 1: byte 0xc3"),
    PICTURE("P2\n2 2\n255\n0 1\n2 256\n", "line 5, column 3: the sample 256 is outside 0 to 255"),
    PICTURE("P2\n2 2\n255\n0 1\n-2 25\n", "line 5, column 1: the sample -2 is outside 0 to 255"),
    EDGES("P2\n# 1 1\n# 2 2", "ends before its width"),
    /* .dat */
    EDGES(" \n", "ends before its width"),
    EDGES("5", "ends before its height"),
    EDGES("-1 5\n1", "line 1, column 1: the width is -1"),
    EDGES("2 2\n1 2 3", "after 3 of the 4 samples"),
    EDGES("2 2\n1 2 3 4 5", "line 2, column 9: more than"),
    EDGES("2 1\n1 1e31", "line 2, column 4: 'e'"),
    EDGES("2 1\n1 -10000000000000000000000000000000", "line 2, column 3: the sample -1e+31"),
    EDGES("2 1\n10000000000000000000000000000000 5", "line 2, column 1: the sample 1e+31"),
    EDGES("2 1\n1 # 2\n2", "line 2, column 3: '#'"),
    EDGES("2 1\n1 2.0", "PFM"),
    EDGES("1000000 1000001\n1", "1000001"),
    /* PFM */
    EDGES("Pf", "ends within its header"),
    EDGES("Pf\n1 1\n-1", "ends within its header"),
    EDGES("Pf\n0 1\n-1\n", "the width is '0'"),
    EDGES("Pf\n1 -1\n-1\n", "the height is '-1'"),
    EDGES("Pf\n1 1000000000000\n-1\n", "'1000000000000'"),
    EDGES("Pf\n18446744073709551617 1\n-1\n", "the width"),
    EDGES("Pf\n1x 1\n-1\n", "'1x'"),
    EDGES("Pf\n1\x1b[31m 1\n-1\n", "'1?[31m'"),
    EDGES("Pf\n1111111111111111111111111111111111111111 1\n-1\n", "1111"),
    EDGES("PF\n1000000 1000000\n-1\n", "1000000 x 1000000 image"),
    EDGES("Pf\n1 1\n0\nabcd", "'0'"),
    EDGES("Pf\n1 1\nnan\nabcd", "'nan'"),
    EDGES("Pf\n1 1\n-1x\nabcd", "'-1x'"),
    EDGES("Pf\r\n1 1\r\n-1\r\nabcd", "CR LF"),
    EDGES("Pf\n1 1\n-1\r\nabcd", "CR LF"),
    EDGES("Pf\n1 2\n-1\nabcdefg", "ends after 1 of 2 rows"),
    EDGES("Pf\n1 1\n-1\nabcde", "one byte more"),
    EDGES("Pf\n1 1\n-1\nabcdef", "more data follows"),
    EDGES("Pf\n1 2\n-1\n\0\0\xc0\x7f\0\0\0\0", "x 0, y 1 is nan"),
    SAMPLES("Pf\n2 1\n1\n\0\0\0\0\x7f\x80\0\0", "x 1, y 0 is inf"),
    PICTURE("PF\n1 1\n1\n\0\0\0\0\0\0\0\0\xff\x80\0\0", "x 0, y 0, blue is -inf"),
    EDGES("Pf\n1 1\n1\n\x72\0\0\0", "x 0, y 0 is 2.5"),
    /* NumPy */
#define NPY(text, part) EDGES("\x93NUMPY\1\0\x38\0" text, part)
    EDGES("\x93N", "ends within its header"),
    EDGES("\x93NUMPY\4\0\x46\0", "not a NumPy file of version 1 to 3"),
    EDGES("\x93NUMPY\2\0\0\0\1\0", "a NumPy header of 65536 bytes"),
    NPY("{'descr': '<f4'", "ends within its header"),
    NPY("'descr':'<c8','shape':(3, 4)                            ", "of '<c8': it must"),
    NPY("'descr':'<f1','shape':(3, 4)                            ", "'<f1'"),
    NPY("'descr' '<f4' 'shape'                                   ", "unknown type or shape: it"),
    NPY("'descr': [('a', '<f4')],'shape':(3, 4)                  ", "[('a', '<f4')]: it"),
    NPY("'descr':'<f4','shape':(3,)                              ", "of (3,): it must be"),
    NPY("'descr':'<f4','shape':(3, 4, 2)                         ", "(3, 4, 2)"),
    NPY("'descr':'<f4','shape':(3, 4, 1, 1)                      ", "4, 1, 1)"),
    NPY("'descr':'<f4','shape':(0, 4)                            ", "must be 1 to"),
    NPY("'descr':'<f4','shape':(9, 9999999999)                   ", "ends after 0"),
    NPY("'descr':'<f4', 'fortran_order':True,'shape':(2, 1)      abcd", "after 1 of 2 rows"),
    NPY("'descr':'<f4', 'fortran_order':True,'shape':(2, 1)      \0\0\0\0\0\0\xc0\x7f",
        "x 0, y 1 is nan"),
    NPY("'descr':'|u1','shape':(1, 1)                            ab", "one byte more"),
};

TEST_IN_FOLDER(bad_input_is_refused)
{
    const char *path = "bad";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rec_image image;
        rec_error error;
        write_bytes(path, bad[i].bytes, bad[i].count);
        assert_failed(rec_image_read(path, AS(bad[i].role), &image, NULL, &error), REC_BAD_INPUT,
                      &error, bad[i].part);
        assert_ptr_equal(strstr(error.message, path), error.message);
        assert_null(image.data);
        assert_int_equal(rec_image_read(path, AS(bad[i].role), &image, NULL, NULL), REC_BAD_INPUT);
    }
}
