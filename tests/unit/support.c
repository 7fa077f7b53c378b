#include "tests/unit/support.h"

#include <dirent.h>
#include <ftw.h>
#include <sys/wait.h>

#include "base/team.h"

/* ---- folders and files ---- */

int enter_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    char *folder;
    if (asprintf(&folder, "%s/rec-test-XXXXXX", base && *base ? base : "/tmp") < 0)
        return -1;
    *state = folder;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

int leave_folder(void **state)
{
    const int failed = chdir("/") || nftw(*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return failed;
}

size_t count_entries(const char *folder)
{
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(opened));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(opened);
    return count;
}

void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

void free_text(char **text) { free(*text); }

char *read_bytes(const char *path, size_t *count)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = 0, room = 1 << 12;
    char *bytes = malloc(room);
    assert_non_null(bytes);
    for (size_t got; (got = fread(bytes + length, 1, room - length - 1, file));) {
        length += got;
        if (length == room - 1)
            bytes = realloc(bytes, room *= 2);
        assert_non_null(bytes);
    }
    fclose(file);
    bytes[length] = '\0';
    if (count)
        *count = length;
    return bytes;
}

int use_threads(int threads)
{
    const size_t before = rec_team_size();
    rec_team_set_size((size_t)threads);
    return (int)before;
}

/* ---- seeded numbers and images ---- */

uint32_t random_bits(test_random *source)
{
    source->state = source->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t bits = source->state;
    bits = (bits ^ (bits >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(bits >> 32);
}

int random_integer(test_random *source, int low, int high)
{
    const uint64_t span = (uint64_t)((int64_t)high - low) + 1;
    return (int)(low + (int64_t)((random_bits(source) * span) >> 32));
}

rec_image new_image(size_t width, size_t height, size_t planes)
{
    rec_image image;
    SUCCEEDS(rec_image_create(&image, width, height, planes, &error));
    return image;
}

rec_image read_image(const char *path, rec_role role)
{
    rec_image image;
    SUCCEEDS(rec_image_read(path, AS(role), &image, NULL, &error));
    return image;
}

rec_image copy_of(const rec_image *image)
{
    rec_image copy;
    SUCCEEDS(rec_image_copy(&copy, image, &error));
    return copy;
}

rec_difference difference_of(const rec_image *a, const rec_image *b)
{
    rec_difference difference;
    SUCCEEDS(rec_image_compare(a, b, 255, &difference, &error));
    return difference;
}

rec_image random_image(size_t width, size_t height, size_t planes, int low, int high,
                       uint64_t seed)
{
    rec_image image = new_image(width, height, planes);
    test_random source = {seed};
    EACH_SAMPLE(size_t, plane, y, x, planes, height, width)
        rec_image_row(&image, plane, y)[x] = (float)random_integer(&source, low, high);
    return image;
}

/* As the documents say it, step by step and not by a formula. */
long source_index(rec_boundary_kind kind, int is_row, long i, long n)
{
    const int wraps = kind == REC_BOUNDARY_WRAP ||
                      kind == (is_row ? REC_BOUNDARY_SAWTOOTH : REC_BOUNDARY_CYLINDER);
    while (i < 0 || i >= n) {
        if (kind == REC_BOUNDARY_HALO || (kind == REC_BOUNDARY_SAWTOOTH && !is_row))
            return -1;
        if (wraps)
            i += i < 0 ? n : -n;
        else if (kind == REC_BOUNDARY_REPLICATE || (kind == REC_BOUNDARY_MIRROR101 && n == 1))
            i = i < 0 ? 0 : n - 1;
        else if (kind == REC_BOUNDARY_MIRROR101)
            i = i < 0 ? -i : 2 * n - 2 - i;
        else
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
    }
    return i;
}

float beyond(const rec_image *image, const rec_boundary *boundary, size_t plane, long x, long y)
{
    const long height = (long)image->height, row = source_index(boundary->kind, 1, y, height);
    const long column = source_index(boundary->kind, 0, x, (long)image->width);
    if (column >= 0 && row >= 0)
        return rec_image_row(image, plane, (size_t)row)[column];
    if (boundary->kind == REC_BOUNDARY_HALO)
        return boundary->value;
    double v = height > 1 ? 2.0 * (double)row / (double)(height - 1) : 0; /* the sawtooth's */
    if (height > 1 && row + 1 >= height / 2 + 1)
        v = 2.0 - v;
    return (float)trunc(x < 0 ? 255 * (1 - v) : 255 * v);
}

/* ---- assertions ---- */

void assert_same_bits(const rec_image *expected, const rec_image *found, const char *what)
{
    rec_difference difference;
    rec_error error = {0};
    if (rec_image_compare(expected, found, 255, &difference, &error))
        fail_msg("%s: %s", what, error.message);
    if (difference.differing)
        fail_msg("%s: %zu of %zu samples differ, the first at x %zu, y %zu, plane %zu: "
                 "%.9g instead of %.9g", what, difference.differing, difference.samples,
                 difference.first.x, difference.first.y, difference.first.plane,
                 (double)rec_image_row(found, difference.first.plane,
                                       difference.first.y)[difference.first.x],
                 (double)rec_image_row(expected, difference.first.plane,
                                       difference.first.y)[difference.first.x]);
}

void assert_failed(rec_status status, rec_status expected, const rec_error *error,
                   const char *part)
{
    if (status != expected || !strstr(error->message, part))
        print_message("status %d, expected %d; message \"%s\", expected \"%s\" in it\n", status,
                      expected, status ? error->message : "", part);
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    assert_non_null(strstr(error->message, part));
    assert_null(strchr(error->message, '\n'));
}

void assert_succeeded(rec_status status, const rec_error *error)
{
    if (status)
        print_message("status %d: %s\n", status, error->message);
    assert_int_equal(status, REC_OK);
}

/* ---- processes ---- */

int in_child(int (*body)(void *), void *context)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child)
        _exit(body(context));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int become_nobody(void)
{
    if (geteuid() != 0)
        return 0;
    return setgid(65534) || setuid(65534);
}
