/* The command line: the first byte chooses the command, the arguments end with lines. Nothing is
 * opened; whatever is refused says why. */
#include <string.h>

#include "commands/commands.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 40 };
    if (size < 1)
        return 0;
    char *const text = malloc(size);
    FUZZ_REQUIRE(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    char name[] = "reconstruct", *argv[MOST + 2] = {name};
    int argc = 1;
    for (char *at = text; at && argc <= MOST; argc++)
        argv[argc] = strsep(&at, "\n");
    command_line line = {0};
    rec_settings settings;
    rec_error error = {0};
    const command_id asked = (command_id)(data[0] % COMMANDS);
    rec_status status = command_line_parse(&line, asked, argc, argv, &error);
    if (!status && asked == COMMAND_RUN) {
        status = settings_parse(&settings, &line, &error);
        if (!status)
            settings_destroy(&settings);
    }
    FUZZ_REQUIRE(!status || (error.status == status && error.message[0]));
    free(text);
    return 0;
}
