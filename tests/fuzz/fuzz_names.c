/* The reader of lists of inputs: the names and what ends them are the file again. The first byte
 * chooses the end; CR LF is one, too. A byte order mark before lines is none of a name. */
#include <string.h>

#include "job/jobs.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const char end = data[0] % 2 ? 0 : '\n';
    const char *at = (const char *)data + 1, *const stop = at + size - 1;
    rec_names names = {0};
    rec_error error = {0};
    const rec_status status = rec_names_read(&names, fuzz_file(data + 1, size - 1), !end, &error);
    if (end && memchr(at, 0, size - 1)) {
        FUZZ_REQUIRE(status == REC_BAD_INPUT);
        rec_names_free(&names);
        return 0;
    }
    FUZZ_REQUIRE(!status);
    if (end && stop - at >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
        at += 3;
    for (size_t i = 0; i < names.count; i++) {
        while (*at == end || (end && *at == '\r' && (at + 1 == stop || at[1] == end)))
            at++;
        const char *const behind = memchr(at, end, (size_t)(stop - at));
        size_t length = (size_t)((behind ? behind : stop) - at);
        length -= end && at[length - 1] == '\r';
        FUZZ_REQUIRE(!memcmp(names.at[i], at, length) && !names.at[i][length]);
        at += length;
    }
    for (; at < stop; at++)
        FUZZ_REQUIRE(*at == end || (end && *at == '\r'));
    rec_names_free(&names);
    return 0;
}
