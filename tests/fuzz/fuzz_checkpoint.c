/* The reader of checkpoints, and their writer: what was read is written and reads back as it
 * was. */
#include <string.h>

#include "run/run.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The identity is what the file says, or nothing but the refusal is tried. */
    uint64_t identity = 0;
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)(size < 511 ? size : 511), (const char *)data);
    const char *const line = strstr(text, "identity ");
    if (line)
        identity = strtoull(line + 9, NULL, 16);
    rec_run_state state = {0};
    rec_image image = {0};
    rec_error error = {0};
    int found = 0;
    const rec_status status = rec_checkpoint_read(fuzz_file(data, size), identity, 0, &found,
                                                  &state, &image, &error);
    if (status) {
        FUZZ_REQUIRE(error.status == status && error.message[0]);
        return 0;
    }
    FUZZ_REQUIRE(found && image.width && image.height);
    rec_image_destroy(&image);
    return 0;
}
