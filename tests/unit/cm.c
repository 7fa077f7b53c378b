#include "tests/unit/cm.h"

int tests_are(const char *extent)
{
    const char *wanted = getenv("RECONSTRUCT_TESTS");
    return wanted && !strcmp(wanted, extent);
}

static struct entry {
    int line;
    struct CMUnitTest test;
} entries[256];
static size_t count;

static void add(int line, struct CMUnitTest test)
{
    size_t at = count++;
    if (count > sizeof entries / sizeof *entries)
        abort();
    for (; at && entries[at - 1].line > line; at--)
        entries[at] = entries[at - 1];
    entries[at] = (struct entry){line, test};
}

void add_test(int line, struct CMUnitTest test, const char *const *texts)
{
    const char *const function = test.name;
    if (!*texts)
        add(line, test);
    for (; *texts; texts++) {
        char *name;
        if (asprintf(&name, "%s: %s", function, *texts) < 0)
            abort();
        test.name = name;
        test.initial_state = (void *)(uintptr_t)*texts;
        add(line, test);
    }
}

static void not_in_this_build(void **state) { skip(); }

int run_all_tests(const char *group)
{
    struct CMUnitTest tests[sizeof entries / sizeof *entries];
    if (!count)
        add_test(0, (struct CMUnitTest)cmocka_unit_test(not_in_this_build), (const char *[]){NULL});
    for (size_t i = 0; i < count; i++)
        tests[i] = entries[i].test;
    return _cmocka_run_group_tests(group, tests, count, NULL, NULL);
}

__attribute__((weak)) int main(void) { return run_all_tests("tests"); }
