/* A fuzz target as a test: it survives every file of tests/fuzz/corpus/NAME, NAME being what the
 * program's name has behind "fuzz_". A test is a file; a crash leaves the others out, which
 * tests/run.sh notices. */
#include <dirent.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static int no_dots(const struct dirent *entry) { return entry->d_name[0] != '.'; }

int main(int argc, char **argv)
{
    const char *const name = argc ? strstr(argv[0], "fuzz_") : NULL;
    char folder[256], path[1024];
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name ? name + 5 : "");
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, no_dots, alphasort);
    if (count <= 0) {
        printf("Bail out! nothing in %s\n", folder);
        return 1;
    }
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        static uint8_t data[1 << 20];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        FILE *const file = fopen(path, "rb");
        FUZZ_REQUIRE(file);
        const size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, size);
        printf("ok %d - %s\n", i + 1, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return 0;
}
