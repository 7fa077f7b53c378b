/* Parts of pictures and of the screen, for the tests of the window:
 *
 *     pixels FILE [OPERATION]...     as PGM or PPM on stdout; exit 1 where there is no such part
 *
 * FILE is a PGM or PPM of 8 bits without comments, a PNG of 8 bits where this is built with libpng
 * (-DPNG), or the screen of Xvfb, which keeps it in a file of the format XWD (-fbdir): first a part
 * of it is taken. Operations, from left to right: `crop WIDTH HEIGHT X Y`; `times N`, each pixel
 * N x N; `mean N`, each N x N one pixel; `rgb`, three planes; `outside MASK`, black where that
 * picture is not. With `colours` at the end: "R G B" of each pixel, but once of equal neighbours.
 * Frees nothing on purpose. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef PNG
#include <png.h>
#endif

typedef struct picture {
    int width, height, planes;
    uint8_t *data; /* the samples of a pixel stand together */
    size_t pixel, line; /* bytes from one to the next */
    int is_screen;
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
    const size_t line = (size_t)width * (size_t)planes;
    picture made = {width, height, planes, calloc((size_t)height, line), (size_t)planes, line, 0};
    need(made.data != NULL, "out of memory");
    return made;
}

static uint8_t *at(const picture *p, int x, int y)
{
    need(x >= 0 && y >= 0 && x < p->width && y < p->height, "there is no such part");
    return p->data + (size_t)y * p->line + (size_t)x * p->pixel;
}

static picture read_pnm(FILE *file)
{
    int kind, width, height, maxval;
    need(fscanf(file, "P%d%d%d%d", &kind, &width, &height, &maxval) == 4 && maxval == 255,
         "no PGM or PPM of 8 bits");
    const picture made = create(width, height, kind % 3 ? 1 : 3);
    const size_t count = made.line * (size_t)height;
    fgetc(file);
    need(kind < 4 || fread(made.data, 1, count, file) == count, "samples are missing");
    for (size_t i = 0; kind < 4 && i < count; i++)
        need(fscanf(file, "%hhu", &made.data[i]) == 1, "samples are missing");
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
    const size_t begin = (size_t)(field[HEADER_SIZE] + 12 * field[COLOURS]);
    const size_t line = (size_t)field[BYTES_A_LINE], size = begin + (size_t)field[HEIGHT] * line;
    uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fileno(file), 0);
    need(bytes != MAP_FAILED, "there is no screen");
    return (picture){(int)field[WIDTH], (int)field[HEIGHT], 3, bytes + begin, 4, line, 1};
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

static picture read_any(const char *path)
{
    FILE *file = fopen(path, "rb");
    need(file != NULL, path);
    const int first = ungetc(fgetc(file), file);
    return first == 'P' ? read_pnm(file) : first == 0x89 ? read_png(path) : read_xwd(file);
}

/* Sample i of pixel (x, y) of the result. */
static uint8_t sample(const picture *from, const char *operation, const int *n, const picture *mask,
                      int x, int y, int i)
{
    if (*operation == 'c')
        return at(from, x + n[2], y + n[3])[from->is_screen ? 2 - i : i];
    if (*operation == 't')
        return at(from, x / n[0], y / n[0])[i];
    if (*operation == 'r')
        return at(from, x, y)[i % from->planes];
    if (*operation == 'o')
        return *at(mask, x, y) ? 0 : at(from, x, y)[i];
    int sum = n[0] * n[0] / 2;
    for (int j = 0; j < n[0] * n[0]; j++)
        sum += at(from, x * n[0] + j % n[0], y * n[0] + j / n[0])[i];
    return (uint8_t)(sum / (n[0] * n[0]));
}

static void print_colours(const picture *p)
{
    for (uint8_t *now = p->data; now < p->data + (size_t)p->height * p->line; now += p->pixel)
        if (now == p->data || memcmp(now, now - p->pixel, p->pixel))
            for (int i = 0; i < p->planes; i++)
                printf("%d%c", now[i], i == p->planes - 1 ? '\n' : ' ');
}

int main(int count, char **arguments)
{
    need(count > 1, "which FILE?");
    picture now = read_any(arguments[1]);
    for (char **word = arguments + 2; *word;) {
        const char *operation = *word++;
        if (!strcmp(operation, "colours"))
            return print_colours(&now), 0;
        const int numbers = *operation == 'c' ? 4 : *operation == 't' || *operation == 'm';
        int n[4] = {1, 1, 0, 0};
        for (int i = 0; i < numbers; i++, word++)
            need(*word && sscanf(*word, "%d", &n[i]) == 1 && n[i] >= (i < 2),
                 "a number is missing");
        const picture mask = *operation == 'o' ? read_any(*word++) : now;
        const picture made =
            *operation == 'c'   ? create(n[0], n[1], now.planes)
            : *operation == 't' ? create(now.width * n[0], now.height * n[0], now.planes)
            : create(now.width / n[0], now.height / n[0], *operation == 'r' ? 3 : now.planes);
        for (int y = 0; y < made.height; y++)
            for (int x = 0; x < made.width; x++)
                for (int i = 0; i < made.planes; i++)
                    at(&made, x, y)[i] = sample(&now, operation, n, &mask, x, y, i);
        now = made;
    }
    printf("P%d\n%d %d\n255\n", now.planes == 3 ? 6 : 5, now.width, now.height);
    return !fwrite(now.data, now.line, (size_t)now.height, stdout) || fflush(stdout);
}
