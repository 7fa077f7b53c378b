/* Parts of pictures and of the screen, for the tests of the window:
 *
 *     pixels FILE [OPERATION]...     as PGM or PPM on stdout; exit 1 where there is no such part
 *
 * FILE is a PGM or PPM of 8 bits without comments, a PNG of 8 bits where this is built with libpng
 * (-DPNG), or the screen of Xvfb, which keeps it in a file of the format XWD (-fbdir). Operations,
 * from left to right: `crop WIDTH HEIGHT X Y`; `times N`, each pixel N x N; `mean N`, each N x N
 * one pixel; `rgb`, three planes. Frees nothing on purpose. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef PNG
#include <png.h>
#endif

typedef struct picture {
    int width, height, planes;
    uint8_t *data; /* the samples of a pixel stand together */
} picture;

static void need(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "pixels: %s\n", what);
        exit(1);
    }
}

static picture create(int width, int height, int planes)
{
    need(width > 0 && height > 0, "a part is empty");
    picture made = {width, height, planes, calloc((size_t)width * (size_t)height, (size_t)planes)};
    need(made.data != NULL, "out of memory");
    return made;
}

static uint8_t *at(const picture *p, int x, int y)
{
    need(x >= 0 && y >= 0 && x < p->width && y < p->height, "there is no such part");
    return p->data + ((size_t)y * (size_t)p->width + (size_t)x) * (size_t)p->planes;
}

static picture read_pnm(FILE *file)
{
    int kind, width, height, maxval, sample;
    need(fscanf(file, "P%d%d%d%d", &kind, &width, &height, &maxval) == 4 && maxval == 255,
         "no PGM or PPM of 8 bits");
    const picture made = create(width, height, kind % 3 ? 1 : 3);
    const size_t count = (size_t)width * (size_t)height * (size_t)made.planes;
    fgetc(file);
    for (size_t i = 0; i < count; i++) {
        need(kind < 4 ? fscanf(file, "%d", &sample) == 1 : (sample = fgetc(file)) != EOF,
             "samples are missing");
        made.data[i] = (uint8_t)sample;
    }
    return made;
}

/* The header's numbers have 32 bits, the first byte being the largest; a pixel is blue, green, red
 * and a byte of nothing. */
static picture read_xwd(FILE *file)
{
    enum { HEADER_SIZE, WIDTH = 4, HEIGHT, BITS = 11, BYTES_A_LINE, COLOURS = 19, FIELDS };
    long field[FIELDS] = {0};
    for (int i = 0; i < 4 * FIELDS; i++)
        field[i / 4] = field[i / 4] << 8 | fgetc(file);
    need(field[BITS] == 32, "no picture");
    const picture made = create((int)field[WIDTH], (int)field[HEIGHT], 3);
    const long begin = field[HEADER_SIZE] + 12 * field[COLOURS];
    for (int y = 0; y < made.height; y++) {
        fseek(file, begin + y * field[BYTES_A_LINE], SEEK_SET);
        for (int i = 0; i < 4 * made.width; i++) {
            const int sample = fgetc(file);
            if (i % 4 < 3)
                at(&made, i / 4, y)[2 - i % 4] = (uint8_t)sample;
        }
    }
    return made;
}

#ifdef PNG
static picture read_png(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    need(png_image_begin_read_from_file(&image, path), "no PNG");
    const int planes = image.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
    const picture made = create((int)image.width, (int)image.height, planes);
    image.format = planes == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    need(png_image_finish_read(&image, NULL, made.data, 0, NULL), "a PNG that ends early");
    return made;
}
#else
#define read_png(path) read_pnm(NULL)
#endif

/* Sample i of pixel (x, y) of the result. */
static uint8_t sample(const picture *from, const char *operation, const int *n, int x, int y, int i)
{
    if (*operation == 'c')
        return at(from, x + n[2], y + n[3])[i];
    if (*operation == 't')
        return at(from, x / n[0], y / n[0])[i];
    if (*operation == 'r')
        return at(from, x, y)[i % from->planes];
    int sum = n[0] * n[0] / 2;
    for (int j = 0; j < n[0] * n[0]; j++)
        sum += at(from, x * n[0] + j % n[0], y * n[0] + j / n[0])[i];
    return (uint8_t)(sum / (n[0] * n[0]));
}

int main(int count, char **arguments)
{
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : NULL;
    need(file != NULL, "which FILE?");
    const int first = ungetc(fgetc(file), file);
    picture now = first == 'P'    ? read_pnm(file)
                  : first == 0x89 ? read_png(arguments[1])
                                  : read_xwd(file);
    for (char **word = arguments + 2; *word;) {
        const char *operation = *word++;
        const int numbers = *operation == 'c' ? 4 : *operation != 'r';
        int n[4] = {1, 1, 0, 0};
        for (int i = 0; i < numbers; i++, word++)
            need(*word && sscanf(*word, "%d", &n[i]) == 1 && n[i] >= (i < 2),
                 "a number is missing");
        const picture made =
            *operation == 'c'   ? create(n[0], n[1], now.planes)
            : *operation == 't' ? create(now.width * n[0], now.height * n[0], now.planes)
                                : create(now.width / n[0], now.height / n[0],
                                         *operation == 'r' ? 3 : now.planes);
        for (int y = 0; y < made.height; y++)
            for (int x = 0; x < made.width; x++)
                for (int i = 0; i < made.planes; i++)
                    at(&made, x, y)[i] = sample(&now, operation, n, x, y, i);
        now = made;
    }
    printf("P%d\n%d %d\n255\n", now.planes == 3 ? 6 : 5, now.width, now.height);
    const size_t all = (size_t)now.width * (size_t)now.height * (size_t)now.planes;
    return fwrite(now.data, 1, all, stdout) != all || fflush(stdout);
}
